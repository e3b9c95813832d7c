"""Nothing is refused for the number of bodies: what small machines have, large ones have, with the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from linkwright.analyses.dynamics import dynamics as module
from linkwright.model.quantities import POSITIONS, VELOCITIES
from looped_runs import chain, rope


def both(monkeypatch, build, t_end=0.1, steps=4, **options):
    """The same run compiled as a whole, and in loops."""
    whole = lw.dynamics(build(), t_end, steps, **options)
    with monkeypatch.context() as patch:
        patch.setattr(module.looped, "is_large", lambda model: True)
        found = lw.dynamics(build(), t_end, steps, **options)
    assert "compiled in loops" in found.audit.why
    return whole, found


def same(whole, found, tolerance=1e-7):
    """Every channel to a part of its largest value."""
    assert list(found.channels) == list(whole.channels)
    for name in whole.channels:
        size = 1 + np.abs(whole[name]).max()
        assert np.abs(found[name] - whole[name]).max() < tolerance * size, name


@pytest.mark.parametrize("constraints", ["augmented", "stabilization", "direct"])
@pytest.mark.parametrize("build", [lambda: rope(4), lambda: chain(3)], ids=["plane", "space"])
def test_treatments_of_constraints(constraints, build, monkeypatch):
    whole, found = both(monkeypatch, build, constraints=constraints, rtol=1e-9)
    same(whole, found)
    assert found.audit.constraints == whole.audit.constraints == constraints


def test_baumgarte_terms_pull_back(monkeypatch):
    """Loose tolerances: what direct integration leaves open, stabilisation closes (as of small machines)."""
    errors = {}
    for how in ("direct", "stabilization", "projection"):
        _, found = both(monkeypatch, lambda: rope(4), 2.0, constraints=how, rtol=1e-4, atol=1e-6, method="dopri5")
        errors[how] = found.violation.position[-1]
    assert errors["direct"] > 3 * errors["stabilization"] > 1e3 * errors["projection"]


@pytest.mark.parametrize("formulation", ["kane", "euler-parameters", "mixed"])
def test_formulations_by_name_of_very_large_machines(formulation, monkeypatch):
    """They write the same equations: the motion is that of the bodies' own, and the audit says what was taken instead."""
    monkeypatch.setattr(size_policy, "WHOLE_BY_NAME", 50)
    d = lw.dynamics(rope(60), 0.05, 2, formulation=formulation)
    assert f"newton-euler in loops in place of {formulation}" in d.audit.why
    plain = lw.dynamics(rope(60), 0.05, 2)
    assert all(np.array_equal(d[name], plain[name]) for name in plain.channels)


def stops(n=4):
    """A rope over a floor of stiff springs: reactions jump where a link meets it."""
    m = rope(n)
    for k in range(1, n):
        m.add(lw.Force(f"floor{k}", m[f"b{k}"].y, lambda s: lw.where(s < -0.02, -1e3 * (s + 0.02), 0.0)))
    m.add(lw.Force("kick", m["b0"].y, lambda s, v, t: lw.where(t > 0.03, 50.0, 0.0)))
    return m


FORCES = {
    "down": "b2.ay + 5",
    "torn": "J0.fy - 20",
    "turns": lambda s: s["b1.alpha"] + 3 * s["b1.omega"],
    "push": "floor3.force - 1",
}


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_events_of_accelerations_and_reactions(formulation, monkeypatch):
    whole, found = both(monkeypatch, stops, 0.2, events=FORCES, rtol=1e-10, formulation=formulation)
    assert len(whole.events) >= 4
    assert [name for _, name in found.events] == [name for _, name in whole.events]
    assert [t for t, _ in found.events] == pytest.approx([t for t, _ in whole.events], abs=1e-7)
    same(whole, found)


def test_events_of_reactions_of_a_large_machine():
    """Two hundred links: the run ends where the first pin holds as much as asked."""
    m = rope(200)
    d = lw.dynamics(m, 1.0, 2, events={"enough": lw.Watch("J0.fy - 1.05*9.81", stop=True)})
    assert "compiled in loops" in d.audit.why
    assert d["J0.fy"][-1] == pytest.approx(1.05 * 9.81, rel=1e-7)


def one_sided(c):
    return lambda s, v, t: -c * v if v > 0 else -2 * c * v


def braked(n=3, space=False):
    """Laws in plain Python: one that branches on its speed, and one of a spring, of several members."""
    m = chain(n) if space else rope(n)
    for k in range(n):
        m.add(lw.Force(f"brake{k}", m[f"b{k}"].z if space else m[f"b{k}"].y, one_sided(0.2 + 0.1 * k)))
    last, third = m[f"b{n - 1}"], (0,) if space else ()
    m.add(
        lw.Spring("cord", m.ground.at(n, 1, *third), last.at(0, 0, *third), k=lambda s: 30.0 if s > 1.0 else 0.0, length=1)
    )
    return m


@pytest.mark.filterwarnings("ignore:the law of")
@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
@pytest.mark.parametrize("space", [False, True])
def test_laws_in_plain_python(space, formulation, monkeypatch):
    whole, found = both(monkeypatch, lambda: braked(space=space), formulation=formulation, rtol=1e-9)
    same(whole, found)
    assert np.abs(found.energy.work - whole.energy.work).max() < 1e-7


@pytest.mark.filterwarnings("ignore:the law of")
def test_laws_in_plain_python_of_a_large_machine():
    """Sixty links with a brake each: the energy that is lost is the brakes' work."""
    d = lw.dynamics(braked(60), 0.05, 2, rtol=1e-6)
    assert "compiled in loops over 60 bodies" in d.audit.why
    assert d.energy.work[-1] < -1e-4
    assert d.audit.energy_error < 1e-6


@pytest.mark.filterwarnings("ignore:the law of")
def test_what_a_law_raises_ends_the_run(monkeypatch):
    def law(s, v, t):
        if type(t) is float and t > 0.05:
            raise ValueError("no such force")
        return 1.0 if s > 0 else 2.0

    m = rope(3)
    m.add(lw.Force("law", m["b1"].y, law))
    monkeypatch.setattr(module.looped, "is_large", lambda model: True)
    with pytest.raises(lw.IntegrationError, match="no such force") as caught:
        lw.dynamics(m, 0.2, 4)
    assert caught.value.element == ("law",)
    assert 0.04 < caught.value.time < 0.06


def cam_drive(n=1):
    """Eccentrics that turn by a torque; a knife, a roller and a flat face ride on each, on springs, in guides."""
    m = lw.PlanarModel("cams", gravity=(0, -9.81))
    r = m.parameter("r", 0.3)
    for k in range(n):
        x = 2.0 * k
        cam = m.body(f"cam{k}", mass=1, inertia=0.1, position=(x, 0))
        m.add(lw.Revolute(f"shaft{k}", m.ground.at(x, 0), cam.at(0, 0)))
        m.add(lw.Torque(f"drive{k}", cam, 0.5 + 0.1 * k))
        m.fix(cam.angle, 0.1)
        outline = cam.curve(lw.Curve.polar(lambda a: r + 0.02 * lw.cos(a)))
        for c, (name, turn) in enumerate((("knife", 0.0), ("roller", np.pi / 2), ("flat", np.pi))):
            size = 0.32 + 0.1 * (name == "roller")
            at = (x - size * np.sin(turn), size * np.cos(turn))
            f = m.body(f"{name}{k}", mass=1 + 0.2 * c, inertia=0.01, position=at, angle=turn)
            up = turn + np.pi / 2
            m.add(lw.Translational(f"guide {name}{k}", m.ground.at(x, 0, angle=up), f.at(0, 0, angle=np.pi / 2)))
            if name == "knife":
                m.add(lw.PointFollower(f"on {name}{k}", f.at(0, 0), outline, estimate=up))
            elif name == "roller":
                m.add(lw.CamFollower(f"on {name}{k}", outline, f.curve(lw.Curve.polar(0.1)), estimate=(up, -np.pi / 2)))
            else:
                m.add(lw.CamFlat(f"on {name}{k}", outline, f.at(0, 0, angle=0.0), estimate=up))
            far = (x - 2 * np.sin(turn), 2 * np.cos(turn))
            m.add(lw.Spring(f"spring {name}{k}", m.ground.at(*far), f.at(0, 0), k=200, length=2.0, c=1.0))
    return m


def bead(driven=False):
    """A body on a rail in space, on the first link of a chain; a law along the rail's parameter."""
    m = chain(2)
    rail = lw.Curve.parametric(lambda s: s, lambda s: 0.2 * lw.sin(s), lambda s: 0.1 * s * s, start=-3.0, end=3.0)
    b = m.body("bead", mass=0.5, inertia=(0.01, 0.02, 0.03), position=(0.8, 0.1, 0.05))
    m.add(lw.PointFollower("rail", b.at(0.1, 0, 0), m["b0"].curve(rail, at=(0, 0, 0.1)), estimate=0.3))
    if driven:
        m.add(lw.Driver("motor", m.elements["rail"].alpha, "0.3 + 0.5*t"))
    else:
        m.add(lw.Force("friction", m.elements["rail"].alpha, lambda s, v, t: -0.3 * v - 0.2 * s))
    return m


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
@pytest.mark.parametrize("build", [cam_drive, bead, lambda: bead(True)], ids=["cams", "bead", "driven bead"])
def test_curves(build, formulation, monkeypatch):
    whole, found = both(monkeypatch, build, 0.3, formulation=formulation, rtol=1e-10)
    same(whole, found)
    assert found.audit.energy_error < 1e-8


def test_two_hundred_and_forty_bodies_with_cams():
    """Each eccentric and its followers move as if alone."""
    m = cam_drive(60)
    d = lw.dynamics(m, 0.1, 2)
    assert "compiled in loops over 240 bodies" in d.audit.why
    alone = lw.dynamics(cam_drive(1), 0.1, 2)
    for name in alone.channels:
        size = 1 + np.abs(alone[name]).max()
        assert np.abs(d[name] - alone[name]).max() < 1e-7 * size, name


def test_changes_on_curves(monkeypatch):
    """An event turns a cam on by a change of its angle, another one moves a contact: its followers go along."""
    events = {
        "turn": lw.Watch("t - 0.05", change=lambda s: {"cam0.angle": s["cam0.angle"] + 0.2}),
        "kick": lw.Watch("t - 0.1", change=lambda s: {"cam0.omega": 1.0}),
        "move": lw.Watch("t - 0.15", change=lambda s: {"on knife0.alpha": s["on knife0.alpha"] - 0.1}),
        "there": "`on knife0.alpha` - 1.3",
    }
    whole, found = both(monkeypatch, cam_drive, 0.2, events=events, rtol=1e-9)
    assert [name for _, name in found.events] == [name for _, name in whole.events]
    same(whole, found, 1e-6)


def stiff(n, space):
    """Hinges that are stiff and damped: they creep, and forget at once what they had of speed."""
    m = chain(n) if space else rope(n)
    for k in range(n):
        m.add(lw.TorsionSpring(f"s{k}", m.elements[f"J{k}"], k=2000.0, c=200.0))
    return m


@pytest.mark.parametrize("space", [False, True])
def test_implicit_methods_with_sparse_factors(space, monkeypatch):
    """In the bodies' coordinates, against dense factors in joint coordinates, and against an explicit method."""
    m = stiff(60, space)
    told = {"t_end": 0.2, "steps": 4, "rtol": 1e-8}
    dense = lw.dynamics(m, method="radau", **told)
    monkeypatch.setattr(size_policy, "IMPLICIT", 10)
    sparse = lw.dynamics(m, method="radau", **told)
    assert (dense.audit.formulation, sparse.audit.formulation) == ("joint", "newton-euler")
    assert "by sparse factors" in sparse.audit.why
    assert sparse.audit.jacobians < 10
    explicit = lw.dynamics(m, method="dop853", **told)
    moving = [f"b{k}.{c}" for k in range(60) for c in (*POSITIONS[m.dimension], *VELOCITIES[m.dimension])]
    for other in (dense, explicit):  # accelerations have the errors of speeds times 1e3/s
        for name in moving:
            assert np.abs(sparse[name] - other[name]).max() < 1e-6 * (1 + np.abs(other[name]).max()), name
    assert sparse.energy.work == pytest.approx(explicit.energy.work, abs=1e-6 * np.abs(explicit.energy.work).max())


def cloud(n):
    """Free bodies in space in a row, each on three stiff dampers to the one before: nothing holds but springs."""
    m = lw.SpatialModel("cloud", gravity=(0, 0, -9.81))
    last = m.ground
    for k in range(n):
        b = m.body(f"b{k}", mass=1, inertia=(0.1, 0.1, 0.1), position=(k + 1.0, 0, 0))
        for c, y, z in (("a", 0.3, 0.0), ("b", -0.3, 0.2), ("c", 0.0, -0.3)):
            m.add(lw.Spring(f"s{k}{c}", last.at(0.2, y, z), b.at(-0.2, y, z), k=1e6, c=2e4, length=0.6))
        last = b
    return m


def test_four_hundred_stiff_bodies():
    """5,200 numbers in a state: their dense factors would take minutes each. The balance of energy holds."""
    d = lw.dynamics(cloud(400), 0.1, 2, method="radau", rtol=1e-5)
    assert d.audit.steps < 100
    assert d.audit.energy_error < 1e-6


def test_stiffness_of_large_machines_is_recognised():
    """An explicit method would need as many steps as the dampers ask for, whatever the motion does."""
    d = lw.dynamics(cloud(101), 0.6, 2, rtol=1e-3)
    assert d.audit.method == "radau"
    assert "the machine is stiff" in d.audit.why
    assert "by sparse factors" in d.audit.why


@pytest.mark.parametrize("options", [
    {"method": "generalized-alpha"}, {"method": "hht", "constraints": "index-3"},
    {"method": "generalized-alpha", "events": {"down": "b2.y + 0.01", "turn": "b5.alpha - 2"}},
], ids=["ggl", "index-3", "events"])  # fmt: skip
def test_methods_of_second_order(options, monkeypatch):
    """The same steps, evaluations and matrices as with dense factors of the machine as a whole; laws that switch in it."""
    whole, found = both(monkeypatch, lambda: stops(52), 0.04, 2, rtol=1e-4, **options)
    assert (found.audit.steps, found.audit.evaluations) == (whole.audit.steps, whole.audit.evaluations)
    assert found.audit.constraints == whole.audit.constraints
    assert [name for _, name in found.events] == [name for _, name in whole.events]
    same(whole, found, 1e-6)


def test_two_hundred_bodies_by_a_method_of_second_order():
    """Stiff hinges in space, whose matrix of 3,200 rows would be dense: the motion is Radau's, to the method's order."""
    m = stiff(200, True)
    d = lw.dynamics(m, 0.02, 1, method="generalized-alpha", rtol=1e-4)
    assert "compiled in loops over 200 bodies" in d.audit.why
    radau = lw.dynamics(m, 0.02, 1, method="radau", rtol=1e-6)
    assert np.abs([d[f"b{k}.z"][-1] - radau[f"b{k}.z"][-1] for k in range(200)]).max() < 1e-5
    assert max(d.audit.position_error, d.audit.velocity_error) < 1e-9
