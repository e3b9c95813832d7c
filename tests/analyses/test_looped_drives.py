"""Motors, controllers, states, tyres that relax, inertia along quantities and constraints on velocities in loops over
elements: the motion is that of the machine compiled as a whole, channel by channel."""

from functools import cache, partial

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics import dynamics as module
from looped_runs import chain, rope


@cache
def whole_run(build, t_end, steps):
    return lw.dynamics(build(), t_end, steps, rtol=1e-9)


def both(monkeypatch, build, t_end=0.2, steps=4, events=None, **options):
    """A run in loops, and that of the machine compiled as a whole by default; all channels agree."""
    whole = lw.dynamics(build(), t_end, steps, rtol=1e-9, events=events) if events else whole_run(build, t_end, steps)
    with monkeypatch.context() as patch:
        patch.setattr(module.looped, "is_large", lambda model: True)
        found = lw.dynamics(build(), t_end, steps, rtol=1e-9, events=events, **options)
    assert "compiled in loops" in found.audit.why
    assert list(found.channels) == list(whole.channels)
    for name in whole.channels:
        assert np.abs(found[name] - whole[name]).max() < 1e-7 * (1 + np.abs(whole[name]).max()), name
    for mine, other in ((found.energy.kinetic, whole.energy.kinetic), (found.energy.work, whole.energy.work)):
        assert np.abs(mine - other).max() < 1e-7 * (1 + np.abs(other).max())
    assert found.audit.energy_error < 1e-8
    assert [name for _, name in found.events] == [name for _, name in whole.events]
    assert [t for t, _ in found.events] == pytest.approx([t for t, _ in whole.events], abs=1e-7)
    return found


def driven(n=3, space=False):
    """A motor with an inductance and a rotor at each pin, a controller that saturates on each body; one state filters a
    velocity, another one follows it, and laws depend on both."""
    m = chain(n) if space else rope(n)
    up = (lambda b: b.z) if space else (lambda b: b.y)
    for k in range(n):
        m.add(lw.Motor(f"motor{k}", m[f"J{k}"].angle, 4.0 + k, k=0.5, resistance=1.0, inductance=0.1, rotor=0.01, ratio=2))
        m.add(lw.PID(f"hold{k}", up(m[f"b{k}"]), 0.0, kp=50.0, ki=3.0, kd=0.2, limits=(-3, 3)))
    speed = m["b1"].vz if space else m["b1"].vy
    z = m.state("z", lambda z, t: speed - 2 * z, start=0.3)
    w = m.state("w", lambda w, t: 5 * (z - w), start=m.parameter("begin", 0.1))
    m.add(lw.Force("f", up(m["b2"]), lambda s, v, t: 3 * z - w))
    m.add(lw.Force("g", up(m["b1"]), lambda s, v, t: 3 * w - z))
    return m


in_space = partial(driven, space=True)


@pytest.mark.parametrize(("build", "options"), [
    (driven, {}), (driven, {"formulation": "joint"}), (driven, {"method": "radau"}), (in_space, {"formulation": "joint"}),
], ids=["bodies", "joints", "radau", "space"])  # fmt: skip
def test_motors_controllers_and_states(build, options, monkeypatch):
    found = both(monkeypatch, build, **options)
    assert np.ptp(found["w"]) > 0.05


def test_events_of_states_and_of_their_rates(monkeypatch):
    """And such as change them."""
    events = {
        "level": "z - 0.2", "turn": "z.rate + 1", "current": "motor0.current.rate - 20", "own": lambda s: s["w.rate"],
        "reset": lw.Watch("t - 0.1", change=lambda s: {"z": s["z"] + 1.0, "motor1.current": 0.0}),
    }  # fmt: skip
    found = both(monkeypatch, driven, events=events)
    assert {name for _, name in found.events} >= {"level", "turn", "current", "reset"}


def test_a_run_goes_on_from_states(monkeypatch):
    monkeypatch.setattr(module.looped, "is_large", lambda model: True)
    m = driven()
    at_once, first = lw.dynamics(m, 0.2, 2, rtol=1e-10), lw.dynamics(m, 0.1, 1, rtol=1e-10)
    then = lw.dynamics(m, 0.2, 1, t_start=0.1, start=first, rtol=1e-10)
    for name in ("z", "w", "motor1.current", "hold1.integral", "b2.y"):
        assert then[name][-1] == pytest.approx(at_once[name][-1], abs=1e-8), name


def test_other_values_trace_nothing(monkeypatch):
    """Where states begin, and parameters of their laws."""
    monkeypatch.setattr(module.looped, "is_large", lambda model: True)
    m = driven()
    lw.dynamics(m, 0.05, 1)
    m.set(begin=0.7)
    d = lw.dynamics(m, 0.05, 1)
    assert d["w"][0] == 0.7
    assert (d.audit.trace_seconds, d.audit.compile_seconds) == (0, 0)


def coins():
    """Thin discs that roll upright and aslant on a plane, each with its own mass."""
    m = lw.SpatialModel("coins", gravity=(0, 0, -9.81))
    for k in range(3):
        tilt, spin = 1.2 + 0.1 * k, (0.1, 0.2, 1.5)
        b = m.body(f"c{k}", 1 + k, (0.02, 0.02, 0.04), position=(k, 0, 0.2), orientation=((1, 0, 0), tilt), omega=spin)
        m.add(lw.Rolling(f"r{k}", b.at(0, 0, 0), m.ground.at(0, 0, 0), radius=0.2))
    return m


def skates():
    """Links whose middles move along themselves alone, the last one faster and faster."""
    m = rope(4)
    for k in (1, 2):
        b = m[f"b{k}"]
        m.add(lw.Constraint(f"skate{k}", lw.sin(b.angle) * b.vx - lw.cos(b.angle) * b.vy + 0.1 * k * b.omega))
    m.add(lw.Constraint("driven", "b3.omega - b0.omega - 0.3*t"))
    return m


@pytest.mark.parametrize(
    "options", [{}, {"formulation": "joint"}, {"constraints": "stabilization"}, {"method": "radau"}],
    ids=["projection", "joints", "stabilization", "radau"],
)  # fmt: skip
@pytest.mark.parametrize("build", [coins, skates])
def test_constraints_on_velocities(build, options, monkeypatch):
    found = both(monkeypatch, build, **options)
    assert found.audit.velocity_error < 1e-8


def coupled(space=False):
    """A differential between joints that are not neighbours, and inertia along a quantity that bends."""
    m = chain(4) if space else rope(4)
    m.add(lw.Inertia("differential", m["J0"].angle - 2 * m["J3"].angle, 0.7))
    b, c = (m["b2"].z, m["b3"].z) if space else (m["b2"].y, m["b3"].y)
    m.add(lw.Inertia("bent", b * b + c - 0.3 * m["J1"].angle, 0.5))
    m.add(lw.Spring("cord", m.ground.at(0, 1, *([0] * space)), m["b3"].at(0, 0, *([0] * space)), k=20.0, length=1.0))
    return m


@pytest.mark.parametrize(("space", "formulation"), [(False, "newton-euler"), (False, "joint"), (True, "newton-euler")])
def test_inertia_along_quantities(space, formulation, monkeypatch):
    both(monkeypatch, partial(coupled, space), formulation=formulation)


def test_inertia_where_joints_depend_on_each_other(monkeypatch):
    """Solved by iteration: the residual has the inertia that couples bodies, too."""

    def build():
        m = coupled()
        m.add(lw.Revolute("again", m["b0"].at(0.5, 0), m["b1"].at(-0.5, 0)))
        return m

    assert "proximal" in both(monkeypatch, build).audit.why


def wheel():
    """A wheel on a tyre that relaxes, on a rail of its own, turned by a torque."""
    m = lw.SpatialModel("wheel", gravity=(0, 0, -9.81))
    b = m.body("wheel", 20.0, (0.5, 1.0, 0.5), position=(0, 0, 0.299), velocity=(8, 0, 0), omega=(0, 8 / 0.299, 0))
    axle = ((1, 0, 0), np.pi / 2)
    m.add(lw.Tyre("tyre", b.at(0, 0, 0, rotation=axle), 0.3, 2e5, c=1e3, cornering=3e4, longitudinal=4e4, relaxation=0.3))
    m.add(lw.Torque("drive", b, (0.0, 20.0, 0.0)))
    return m


def test_a_tyre_that_relaxes(monkeypatch):
    found = both(monkeypatch, wheel, 0.1)
    assert found["tyre.fx"][-1] > 10


def test_conditions_within_conditions(monkeypatch):
    """Whether the outer one holds depends on the inner one; reactions and accelerations at the times of the output, too."""

    def build():
        m = rope(3)
        for k in range(3):
            edge = lw.where(m[f"b{k}"].vx < 1.0, -0.05, 5.0)
            m.add(lw.Force(f"f{k}", m[f"b{k}"].y, lambda s, edge=edge: lw.where(s < edge, 40.0, 0.0)))
        return m

    found = both(monkeypatch, build, 0.3, 12)
    assert set(found["f2.force"]) == {0.0, 40.0}


def test_sixty_arms_of_a_robot():
    """A motor with a rotor and a controller at each joint of a chain in space: energy is kept to rounding and tolerance."""
    m = chain(60)
    for k in range(60):
        m.add(lw.Motor(f"motor{k}", m[f"J{k}"].angle, 1.0, k=0.1, resistance=1.0, inductance=0.05, rotor=1e-3, ratio=10))
        m.add(lw.PID(f"hold{k}", m[f"J{k}"].angle, 0.0, kp=500.0, ki=10.0, kd=5.0))
    d = lw.dynamics(m, 0.02, 2, rtol=1e-6)
    assert "compiled in loops over 60 bodies" in d.audit.why
    assert d.audit.energy_error < 1e-6
    assert np.abs(d["motor59.current"][-1]) > 0.1


@pytest.mark.parametrize("build", [driven, skates])
def test_methods_of_second_order_take_them(build, monkeypatch):
    """A method of order 2 at a tolerance of 1e-8 a step: some 350 steps sum to 1e-6 at most."""
    monkeypatch.setattr(module.looped, "is_large", lambda model: True)
    wanted, found = (lw.dynamics(build(), 0.1, 1, method=method, rtol=1e-8) for method in ("auto", "generalized-alpha"))
    for name in (c for c in wanted.channels if c.split(".")[-1] in ("x", "y", "angle", "vx", "vy", "omega", "z", "w")):
        assert found[name][-1] == pytest.approx(wanted[name][-1], abs=1e-6), name


def test_what_is_wrong_has_the_machines_names(monkeypatch):
    """Elements are traced once for all of a shape, under other names: those are not told."""
    monkeypatch.setattr(module.looped, "is_large", lambda model: True)
    m = rope(3)
    m.add(lw.Constraint("fast", m["b1"].vx * m["b1"].vy))
    with pytest.raises(lw.ModelError, match="not linear in velocities") as caught:
        lw.dynamics(m, 0.1, 1)
    assert caught.value.element == ("fast",)


@pytest.mark.parametrize(("rate", "cause"), [
    ("1/sqrt(0.05 - t)", r"the rate of s is not finite near t = 0\.05"), ("z**2", "the state s grows without bound"),
], ids=["undefined", "unbounded"])  # fmt: skip
def test_rates_without_a_value(rate, cause, monkeypatch):
    monkeypatch.setattr(module.looped, "is_large", lambda model: True)
    m = rope(3)
    m.state("s", rate, start=20.0)
    with pytest.raises(lw.IntegrationError, match=cause) as caught:
        lw.dynamics(m, 0.2, 2)
    assert caught.value.element == ("s",)
    assert caught.value.time == pytest.approx(0.05, abs=1e-6)
