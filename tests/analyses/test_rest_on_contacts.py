"""Equilibria on contacts and stops without stiffness: what presses is a constraint, what would pull is open."""

import numpy as np
import pytest

import linkwright as lw


def beam(**stop):
    """A beam of 2 kg hinged at its end, mass centre 0.5 m out, that would hang down; stops at -0.3 and 0.4 rad."""
    m = lw.PlanarModel("beam", gravity=(0, -10))
    b = m.body("b", mass=2.0, inertia=0.1, position=(0.5, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), b.at(-0.5, 0)))
    m.add(lw.Stop("stop", pin.angle, -0.3, 0.4, **stop))
    return m


@pytest.mark.parametrize("method", ["potential", "equations", "settling", "continuation", "relaxation"])
def test_a_beam_rests_on_its_stop(method):
    """The stop bears m g l cos(0.3); a free motion is left to nothing, so that it is stable."""
    e = lw.equilibrium(beam(restitution=0.0), method=method)
    assert e["pin.angle"] == pytest.approx(-0.3, abs=1e-13)
    assert e["stop.torque"] == pytest.approx(2 * 10 * 0.5 * np.cos(0.3), rel=1e-12)
    assert e["pin.fy"] == pytest.approx(20, rel=1e-12)
    assert e.stability == "stable"
    assert any("rests on stop" in note for note in e.audit.notes)


def test_a_spring_lifts_the_beam_off():
    """A torque that balances the weight at 0.2 rad with a stiffness beyond m g l: the stop that it began at opens."""
    m = beam(restitution=0.5)
    m["b"].guess(position=(0.5 * np.cos(-0.3), 0.5 * np.sin(-0.3)), angle=-0.3)
    m.add(lw.TorsionSpring("spring", m["pin"], k=100.0, torque=-10 * np.cos(0.2), angle=0.2))
    e = lw.equilibrium(m)
    assert e["pin.angle"] == pytest.approx(0.2, abs=1e-12)
    assert e["stop.torque"] == 0


def test_a_weight_on_a_soft_spring_rests_on_the_floor():
    """m g = 10 pulls to the floor at -1, where a spring of 5 N/m bears 5 of it and the floor the rest; a stiff floor of
    1e4 N/m gives way by (10 - 5)/(1e4 + 5)."""
    for own, give in (({"restitution": 0.5}, 0.0), ({"k": 1e4}, 5 / 10005)):
        m = lw.PlanarModel("weight", gravity=(0, -10))
        b = m.body("b", mass=1.0, inertia=1.0)
        slide = m.add(lw.Translational("slide", m.ground.at(0, 0, angle="pi/2"), b.at(0, 0, angle="pi/2")))
        m.add(lw.Force("spring", slide, "-5*s"))
        m.add(lw.Contact("floor", b.at(0, 0), m.ground.at(0, -1, angle=0), **own))
        e = lw.equilibrium(m)
        assert e["b.y"] == pytest.approx(-1 - give, rel=1e-12)
        assert e["floor.force"] == pytest.approx(10 + 5 * e["b.y"], rel=1e-9)


def test_a_box_tips_onto_its_face_and_stands_on_two_corners():
    """It begins on an edge of 0.1 rad: down its potential to the face; each of two corners bears half of the weight."""
    m = lw.PlanarModel("box", gravity=(0, -10))
    b = m.body("b", mass=1.0, inertia=0.1, position=(0, 0.8), angle=0.1)
    m.add(lw.Contact("floor", b.surface({"box": (0.6, 0.4)}), m.ground.at(0, 0, angle=0), restitution=0.0))
    e = lw.equilibrium(m)
    assert e["b.angle"] == pytest.approx(0, abs=1e-9)
    loads = [e[c] for c in e.channels if c.startswith("floor.force") and c != "floor.force"]
    assert sorted(loads) == pytest.approx([0, 0, 5, 5], abs=1e-6)  # corners are rounded by 1e-6 of the side
    # it may stand anywhere on the floor
    assert e.stability == "neutral"


def test_a_ball_in_a_corner_of_three_planes():
    """A corner that stands on its tip: each face bears m g/sqrt(3), whose three components along the vertical add up."""
    m = lw.SpatialModel("corner", gravity=tuple(-10 / np.sqrt(3) * np.ones(3)))
    ball = m.body("ball", mass=3.0, inertia=(1, 1, 1), position=(0.5, 0.7, 0.9))
    for name, z in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))):
        other = (0, 0, 1) if name == "x" else (1, 0, 0)
        m.add(lw.Contact(name, ball.at(0, 0, 0), m.ground.frame((0, 0, 0), z, other), radii=(0.1, 0), restitution=0.3))
    e = lw.equilibrium(m)
    assert [e[f"ball.{c}"] for c in "xyz"] == pytest.approx([0.1] * 3, abs=1e-12)
    assert [e[f"{c}.force"] for c in "xyz"] == pytest.approx([30 / np.sqrt(3)] * 3, rel=1e-12)


def test_what_falls_beside_the_floor_has_no_equilibrium():
    m = lw.PlanarModel("ball", gravity=(0, -10))
    ball, rest = m.body("ball", mass=1.0, inertia=1.0, position=(0, 1)), m.body("rest", 1.0, 1.0, position=(5, 1))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), restitution=0.0))
    m.add(lw.Spring("spring", m.ground.at(5, 3), rest.at(0, 0), k=100.0))
    m.add(lw.Orientation("level", m.ground.at(0, 0), rest.at(0, 0)))
    assert lw.equilibrium(m)["ball.y"] == pytest.approx(0, abs=1e-12)
    m.add(lw.Force("up", ball.y, 20.0))
    with pytest.raises(lw.LinkwrightError, match="no equilibrium was found"):
        lw.equilibrium(m)


def test_small_motions_along_what_presses():
    """A pendulum on a cart that a stop holds swings as one on a fixed pivot, sqrt(g/l) of the bob; let go of the stop, with
    the cart free, by sqrt((1 + m/M) g/l)."""
    m = lw.PlanarModel("cart", gravity=(0, -10))
    cart = m.body("cart", mass=2.0, inertia=1.0)
    bob = m.body("bob", mass=1.0, position=(0, -1))
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), cart.at(0, 0, angle=0)))
    m.add(lw.Revolute("pin", cart.at(0, 0), bob.at(0, 1)))
    m.add(lw.Stop("stop", guide.displacement, upper=0.0, restitution=0.0))
    wind = m.add(lw.Force("wind", guide, 3.0))
    e = lw.equilibrium(m)
    assert e["stop.force"] == pytest.approx(-3, rel=1e-12)
    assert lw.linearize(m, e).frequencies * 2 * np.pi == pytest.approx([np.sqrt(10)], rel=1e-9)
    d = lw.dynamics(m, t_end=0.1, steps=1)
    assert lw.linearize(m, d).frequencies * 2 * np.pi == pytest.approx([np.sqrt(10)], rel=1e-6)
    free = m.without(wind.name)
    swing = lw.linearize(free, lw.assemble(free)).frequencies * 2 * np.pi
    assert swing == pytest.approx([0, np.sqrt(1.5 * 10)], abs=1e-5)


def arm_of_a_governor(**stop):
    """A point mass of 1 kg whose rod of 1 m turns with a shaft at 4 rad/s; -0.3 rad of its hinge is farther out than the
    0.915 rad from the vertical at which cos = g/(l omega^2) holds, stops are lower (nearer to the shaft) and upper."""
    m = lw.SpatialModel("governor", gravity=(0, 0, -9.81))
    shaft = m.body("shaft", mass=1.0, inertia=(1, 1, 1), omega=(0, 0, 4.0))
    arm = m.body("arm", mass=1.0, inertia=0.0, position=(0.6, 0, -0.8))
    spin = m.add(lw.Revolute("spin", m.ground.at(0, 0, 0), shaft.at(0, 0, 0)))
    ends = shaft.frame((0, 0, 0), (0, 1, 0)), arm.frame((-0.6, 0, 0.8), (-0.6, 1, 0.8))
    hinge = m.add(lw.Revolute("hinge", *ends))
    if stop:
        m.add(lw.Stop("stop", hinge.angle, **stop))
    return m, spin


@pytest.mark.parametrize(("ends", "angle"), [({"upper": -0.5}, -0.5), ({"lower": -0.1}, -0.1), ({"upper": 0.1}, None)])
def test_a_steady_motion_rests_on_a_stop(ends, angle):
    """By the moment about the hinge: the stop bears m l sin(a)(omega^2 l cos(a) - g) of the rod at a from the vertical."""
    free, spin = arm_of_a_governor()
    s = lw.steady(free, {spin.omega: 4.0})
    assert -s["arm.z"] == pytest.approx(9.81 / 16, abs=1e-9)
    m, spin = arm_of_a_governor(**ends, restitution=0.2)
    at = lw.steady(m, {spin.omega: 4.0})
    if angle is None:
        assert at["stop.torque"] == 0
        assert at["hinge.angle"] == pytest.approx(s["hinge.angle"], abs=1e-9)
        return
    a = np.arctan2(0.6, 0.8) - angle
    assert at["hinge.angle"] == pytest.approx(angle, abs=1e-12)
    assert at["stop.torque"] == pytest.approx(np.sin(a) * (16 * np.cos(a) - 9.81), rel=1e-9)
    assert len(lw.linearize(m, at).coordinates) == 1  # the shaft alone


def test_axes_of_a_steady_motion_turn_no_faster_than_anything_moves():
    """A rod at the vertical, thrown out by its stop, was told to be steady in axes that turn at 1e12 rad/s."""
    m, spin = arm_of_a_governor(upper=-0.3, k=1e7)
    with pytest.raises(lw.AssemblyError, match="keeps changing"):
        lw.steady(m, {spin.omega: 4.0})


@pytest.mark.parametrize("analysis", [lw.kinematics, lw.inverse_dynamics])
def test_a_prescribed_motion_through_a_stop_is_told(analysis):
    """0.5 t passes 0.4 between 0.7 and 0.9 s, and ends 0.1 beyond; what does not reach the stop has no note."""
    m = beam(restitution=0.0)
    m.add(lw.Driver("motor", m["pin"].angle, "0.5*t"))
    [note] = [x for x in analysis(m, t_end=1.0, steps=10).audit.notes if "stop" in x]
    assert note.startswith("the quantity of stop is 0.1 rad beyond its end, from t = 0.9 on")
    assert not [x for x in analysis(m, t_end=0.7, steps=10).audit.notes if "stop" in x]


@pytest.mark.parametrize("method", ["potential", "equations", "continuation", "settling", "relaxation"])
def test_no_equilibrium_where_points_attract_each_other_without_end(method):
    """The potential -1/r has no bottom; a ball of 0.2 m holds the bodies apart under 1/r^2 = 25."""
    m = lw.PlanarModel("fall")
    b = m.body("b", mass=1.0, inertia=1.0, position=(1, 0))
    m.add(lw.Attraction("sun", m.ground.at(0, 0), b.at(0, 0), strength=1.0))
    with pytest.raises(lw.AssemblyError, match="no equilibrium is"):
        lw.equilibrium(m, method=method)
    m.add(lw.Contact("balls", m.ground.at(0, 0), b.at(0, 0), on="sphere", radii=(0.1, 0.1), restitution=0.5))
    assert lw.equilibrium(m, method=method)["balls.force"] == pytest.approx(25, rel=1e-9)


def test_derivatives_of_what_rests_on_a_stop():
    """T = M g l cos(a) on the stop at a: dT/dM = g l cos(a), dT/da = -M g l sin(a); the height of the mass by l cos(a)."""
    m = lw.PlanarModel("beam", gravity=(0, -10))
    M, a = m.parameter("M", 2.0), m.parameter("a", -0.3)
    b = m.body("b", mass=M, inertia=0.1, position=(0.5, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), b.at(-0.5, 0)))
    m.add(lw.Stop("stop", pin.angle, a, 0.4, restitution=0.0))
    torque, by = lw.gradient(m, lw.final("stop.torque"), ["M", "a"], analysis="equilibrium")
    assert torque == pytest.approx(10 * np.cos(0.3), rel=1e-12)
    assert by == pytest.approx({"M": 5 * np.cos(0.3), "a": 10 * np.sin(0.3)}, rel=1e-9)
    _, by = lw.gradient(m, lw.final("b.y"), ["M", "a"], analysis="equilibrium")
    assert by == pytest.approx({"M": 0, "a": 0.5 * np.cos(0.3)}, abs=1e-9)
