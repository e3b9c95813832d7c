"""A run that goes on from a result or from a few values: what these tell is kept, whatever they do not tell."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy

R = 1.0


def bead() -> lw.PlanarModel:
    """On a ring, from the height of its centre: at the angle a below, v^2 = 2 g R sin a."""
    m = lw.PlanarModel("bead", gravity=(0, -9.81))
    b = m.body("bead", mass=1, inertia=0.1, position=(R, 0))
    m.add(lw.Orientation("level", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.PointFollower("wire", b.at(0, 0), m.ground.curve(lw.Curve.polar(R)), estimate=0.0))
    return m


def cam() -> lw.PlanarModel:
    """A heavy eccentric under a flat face on a slide: two contacts on curves, one after the other in the state."""
    m = lw.PlanarModel("cam", gravity=(0, -9.81))
    c = m.body("cam", mass=2, inertia=0.1, com=(0.1, 0), omega=3.0)
    lifter = m.body("lifter", mass=1, inertia=0.1, position=(0, 0.5))
    m.add(lw.Revolute("axle", m.ground.at(0, 0), c.at(0, 0)))
    m.add(lw.Translational("slide", m.ground.at(0, 0, angle=np.pi / 2), lifter.at(0, 0, angle=np.pi / 2)))
    outline = c.curve(lw.Curve.polar(0.4), at=(0.1, 0))
    m.add(lw.CamFlat("contact", outline, lifter.at(0, 0, angle=0), estimate=np.pi / 2))
    return m


@pytest.mark.parametrize("made", [bead, cam])
def test_a_machine_with_curves_goes_on_at_its_speed(made, tmp_path) -> None:
    m = made()
    first = lw.dynamics(m, t_end=0.2, steps=1)
    first.save(tmp_path / "first.nc")
    bodies = {name: float(first[name][-1]) for name in first.channels if not name.startswith("rate(")}
    for start in (first, lw.load_result(tmp_path / "first.nc"), bodies):
        d = lw.dynamics(m, t_start=0.2, t_end=0.3, steps=1, start=start)
        for name in lw.equations(m).machine.system.coordinates.v_names:
            assert d[name][0] == pytest.approx(first[name][-1], abs=1e-12)  # rounding of velocities up to 10/s
        assert d.audit.notes == []


def test_equations_and_small_motions_at_a_result_know_the_rates_on_curves() -> None:
    """gamma of the follower is -(centripetal acceleration) v^2/R, toward the centre; small motions at a state by bodies
    alone are those at the whole state."""
    m = bead()
    d = lw.dynamics(m, t_end=0.2, steps=1)
    v2 = 2 * 9.81 * -d["bead.y"][-1]
    assert d["rate(wire.alpha)"][-1] == pytest.approx(-np.sqrt(v2) / R, rel=1e-7)  # rtol 1e-8 of the run
    assert d.unit("rate(wire.alpha)") == "1/s"
    gamma = np.array(lw.equations(m).at(d, t=0.2).gamma)
    assert np.hypot(*gamma[1:]) == pytest.approx(v2 / R, rel=1e-7)
    bodies = {name: float(d[name][-1]) for name in d.channels if not name.startswith("rate(")}
    stiffness, whole = lw.linearize(m, bodies, t=0.2).K, lw.linearize(m, d).K
    assert stiffness == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize("large", [False, True])
def test_what_a_start_does_not_tell_follows(large: bool, monkeypatch) -> None:
    """The speed of the lower of two links alone: the upper one's mass centre goes with it, as it must."""
    if large:
        monkeypatch.setattr(size_policy, "LOOPED", 1)
    m = lw.PlanarModel("links")
    a, b = m.body("a", mass=1, inertia=0.1, position=(0.5, 0)), m.body("b", mass=1, inertia=0.1, position=(1.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)))
    m.add(lw.Revolute("B", a.at(0.5, 0), b.at(-0.5, 0)))
    d = lw.dynamics(m, t_end=0.1, steps=1, start={"a.x": 0.5, "a.y": 0.0, "b.x": 1.5, "b.y": 0.0, "a.omega": 3.0})
    assert d["a.omega"][0] == pytest.approx(3.0, abs=1e-9)
    assert d["a.vy"][0] == pytest.approx(1.5, abs=1e-9)
    assert d["b.vy"][0] + -0.5 * d["b.omega"][0] == pytest.approx(3.0, abs=1e-9)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    ("wrong", "right"), [("a.vX", "a.vx"), ("a.omeg", "a.omega"), ("c.x", "b.x"), ("currnt", "current"), ("a.z", "a.y")]
)
def test_a_misspelt_channel_to_start_from_is_refused(wrong: str, right: str, large: bool, monkeypatch) -> None:
    """It was left out, and the run began at rest."""
    if large:
        monkeypatch.setattr(size_policy, "LOOPED", 1)
    m = lw.PlanarModel("bodies")
    for name in "ab":
        m.body(name, mass=1, inertia=1)
    m.state("current", lambda i, t: -i, start=1.0)
    with pytest.raises(lw.ModelError, match="no channel") as caught:
        lw.dynamics(m, t_end=0.1, steps=1, start={"a.x": 1.0, "b.x": 0.0, wrong: 2.0})
    assert caught.value.element == (wrong,)
    assert right in caught.value.remedy


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("kind", ["Contact", "Stop"])
def test_a_contact_goes_on_from_within(kind: str, large: bool, monkeypatch, tmp_path) -> None:
    """Its damping is by the speed of impact, which is over where the second run begins."""
    if large:
        monkeypatch.setattr(size_policy, "LOOPED", 1)
    m = lw.PlanarModel("drop", gravity=(0, -9.81))
    b = m.body("ball", mass=1, inertia=0.01, position=(0, 0.05), velocity=(0.3, 0))
    law = {"k": 1e4, "restitution": 0.3, "law": "lankarani-nikravesh"}
    floor = lw.Contact("floor", b.at(0, 0), m.ground.at(0, 0, angle=0), **law) if kind == "Contact" else None
    m.add(floor or lw.Stop("floor", b.y, lower=0.0, upper=1.0, **law))
    whole = lw.dynamics(m, t_eval=[0, 0.11, 0.2])
    assert whole["ball.y"][1] < 0
    first = lw.dynamics(m, t_end=0.11, steps=1)
    speed = "floor.impact_speed" if kind == "Contact" else "floor.impact_speed_lower"
    assert first[speed][-1] == pytest.approx(np.sqrt(2 * 9.81 * 0.05), rel=1e-7)
    first.save(tmp_path / "first.nc")
    for start in (first, lw.load_result(tmp_path / "first.nc")):
        d = lw.dynamics(m, t_start=0.11, t_end=0.2, steps=1, start=start)
        assert d["ball.vy"][-1] == pytest.approx(whole["ball.vy"][-1], abs=1e-6)  # rtol 1e-8 through a stiff contact


def two_wheels(Model):
    """Of 1 kg and 0.5 kg m^2 on fixed axles 1 m apart, the first at 3 rad/s."""
    plane = Model is lw.PlanarModel
    m, turns = Model("wheels"), 3.0 if plane else (0, 0, 3.0)
    inertia, o, axle = (0.5, (0, 0), (1, 0)) if plane else ((0.5,) * 3, (0, 0, 0), (1, 0, 0))
    a, b = m.body("a", 1.0, inertia, omega=turns), m.body("b", 1.0, inertia, position=axle)
    m.add(lw.Revolute("A", m.ground.at(*o), a.at(*o)))
    m.add(lw.Revolute("B", m.ground.at(*axle), b.at(*o)))
    return m, a.at(*o), b.at(*o)


def geared(Model):
    m, i, j = two_wheels(Model)
    m.add(lw.Gear("pair", i, j, radii=(0.5, 0.5), k=30.0))
    return m


def belted(Model):
    m, i, j = two_wheels(Model)
    m.add(lw.Belt("pair", i, j, radii=(0.2, 0.3), k=30.0))
    return m


def hung(Model):
    m = Model("weight", gravity=(0, -10, 0)[: 2 if Model is lw.PlanarModel else 3])
    o = (0, 0, 0)[: 2 if Model is lw.PlanarModel else 3]
    a = m.body("a", 1.0, 1.0 if Model is lw.PlanarModel else (1.0,) * 3, velocity=(0, -1.0, 0)[: len(o)])
    m.add(lw.Rope("pair", [m.ground.at(0, 1, *o[2:]), a.at(*o)], k=50.0))
    return m


@pytest.mark.parametrize("looped", [False, True])
@pytest.mark.parametrize("Model", [lw.PlanarModel, lw.SpatialModel])
@pytest.mark.parametrize("build", [geared, belted, hung])
def test_what_is_strained_stays_so(build, Model, looped, monkeypatch):
    """An elastic element whose constant the first assembly decides has it from the result that a run goes on from."""
    if looped:
        monkeypatch.setattr("linkwright.size_policy.LOOPED", 1)
    m = build(Model)
    options = {"rtol": 1e-10, "atol": 1e-12}
    whole = lw.dynamics(m, t_end=1.0, steps=2, **options)
    half = lw.dynamics(m, t_end=0.5, steps=1, **options)
    rest = lw.dynamics(m, t_start=0.5, t_end=1.0, steps=1, start=half, **options)
    names = [c for c in whole.channels if c.startswith(("a.", "b.", "pair."))]
    assert "pair.unstrained" in names
    for name in names:
        # values of some units, errors of the tolerance grown over a second
        assert rest[name] == pytest.approx(whole[name][1:], rel=1e-7, abs=1e-7), name


def test_a_contact_that_rests_and_sticks_goes_on_at_rest():
    """Velocities of a machine at rest are rounding: what they part by is none, however they compare with each other."""
    m = lw.PlanarModel("arm", gravity=(0, -10))
    arm = m.body("arm", 1.0, 0.1, position=(0.5, 0), com=(0.0, 0.0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), arm.at(-0.5, 0)))
    floor = m.ground.at(0, -0.3, angle=0)
    m.add(lw.Contact("floor", arm.at(0.5, 0), floor, restitution=0.3, mu=0.4))
    half = lw.dynamics(m, t_end=1.0, steps=1)
    assert half.events[-1][1] == "floor rests"
    start = {name: float(half[name][-1]) for name in ("arm.x", "arm.y", "arm.angle")}
    for lifts in (1e-47, -1e-47):
        rest = lw.dynamics(m, t_start=1.0, t_end=2.0, steps=1, start={**start, "arm.omega": lifts})
        assert rest["floor.force"] == pytest.approx(half["floor.force"][-1], rel=1e-9)
        assert [name for _, name in rest.events if name in ("floor", "floor parts")] == []


def spinning(bodies: int = 1) -> lw.PlanarModel:
    """Wheels on fixed axles that nothing brakes: w is constant. One is an estimate, the last is fixed."""
    m = lw.PlanarModel("wheels")
    for k in range(bodies):
        b = m.body(f"wheel{k}", mass=1, inertia=1, position=(k, 0), omega=2.0)
        m.add(lw.Revolute(f"axle{k}", m.ground.at(k, 0), b.at(0, 0)))
    m.fix(b.omega, 3.0)
    return m


@pytest.mark.parametrize("bodies", [2, size_policy.LOOPED])
def test_positions_alone_leave_the_velocities_of_the_model(bodies) -> None:
    """An assembled configuration has no velocities: the run begins with those of the model, as without it."""
    m = spinning(bodies)
    place = lw.assemble(m)
    few = {name: place[name] for name in ("wheel0.x", "wheel0.y", "wheel0.angle")}
    for start in (None, place, few):
        d = lw.dynamics(m, t_end=1.0, steps=1, start=start)
        assert d["wheel0.angle"] == pytest.approx([0.0, 2.0], abs=1e-8)
        assert d[f"wheel{bodies - 1}.angle"] == pytest.approx([0.0, 3.0], abs=1e-8)


def test_what_begins_at_an_equilibrium_is_at_rest() -> None:
    """Whatever the model's velocities are: an equilibrium is a state at rest."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=0.1, position=(0.5, 0), omega=2.0)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0)))
    d = lw.dynamics(m, t_end=1.0, steps=4, start=lw.equilibrium(m))
    assert d["bar.omega"] == pytest.approx(np.zeros(5), abs=1e-9)
