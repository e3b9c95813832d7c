"""Every planar element, put into space: the machine moves as it did."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.model import embedding
from linkwright.model.elements import Element, Joint
from linkwright.model.plates import triangles

STATE = {
    "a": {"position": (0.1, 0.0), "angle": 0.3, "velocity": (0.5, 0.2), "omega": 1.0},
    "b": {"position": (1.2, 0.3), "angle": -0.4, "velocity": (-0.5, 0.1), "omega": -2.0},
}


def machine(make, state=STATE):
    m = lw.PlanarModel("two bodies", gravity=(0.3, -9.81))
    m.parameter("stiff", 200.0)
    make(m, m.body("a", 1.0, 0.2, com=(0.05, 0.02), **state["a"]), m.body("b", 2.0, 0.3, **state["b"]))
    return m


def assembled(make):
    """The same from where its joints close: in space other places are nearest to estimates that do not."""
    d = lw.dynamics(machine(make), t_eval=[0, 1e-9])
    at = {c: {b: float(d[f"{b}.{c}"][0]) for b in "ab"} for c in ("x", "y", "angle", "vx", "vy", "omega")}
    state = {b: {"position": (at["x"][b], at["y"][b]), "angle": at["angle"][b], "velocity": (at["vx"][b], at["vy"][b]),
                 "omega": at["omega"][b]} for b in "ab"}  # fmt: skip
    return machine(make, state)


def pinned(m, a):
    return m.add(lw.Revolute("pin", m.ground.at(0, 0), a.at(-0.1, 0)))


def rolled(m, a):
    m.add(lw.RackPinion("rack", m.ground.at(0, -0.4, angle=0.1), a.at(0, 0), radius=0.4))


def geared(m, a, b, **more):
    pinned(m, a)
    m.add(lw.Revolute("other", m.ground.at(1.2, 0.3), b.at(0, 0)))
    m.add(lw.Gear("gear", a.at(-0.1, 0), b.at(0, 0), radii=(0.5, 0.7), **more))


def belted(m, a, b, **more):
    pinned(m, a)
    m.add(lw.Revolute("other", m.ground.at(1.2, 0.3), b.at(0, 0)))
    m.add(lw.Belt("belt", a.at(-0.1, 0), b.at(0, 0), radii=(0.2, 0.3), **more))


def roped(m, a, b, **more):
    m.add(lw.Rope("rope", [a.at(0.1, 0), m.ground.at(0.6, 1.0), b.at(0, 0.1)], radii=(0, -0.1, 0.05), **more))


def on_a_curve(m, a):
    curve = lw.Curve.parametric("alpha", "0.3*alpha*alpha", start=-5, end=5, closed=False)
    m.add(lw.PointFollower("bead", a.at(0, 0), m.ground.curve(curve, (0.1, -0.1), angle=0.2), estimate=0.05))


def rubbed(m, a, b):
    pinned(m, a)
    rail = m.add(lw.Translational("rail", m.ground.at(0, 0.3, angle=0.2), b.at(0, 0, angle=0)))
    m.add(lw.Friction("rub", "pin", mu=0.2, radius=0.03, viscous=0.01))
    m.add(lw.Friction("slip", rail.name, mu=0.1, viscous=0.2))


def coupled(m, a, b):
    A = pinned(m, a)
    B = m.add(lw.Revolute("other", m.ground.at(1.2, 0.3), b.at(0, 0)))
    m.add(lw.Coupler("belt", {A.angle: 1, B.angle: -2}, value=None))


def sprung(m, a, b):
    A = pinned(m, a)
    m.add(lw.TorsionSpring("coil", A, k=30.0, angle=0.5, c=0.1))
    m.add(lw.TorsionSpring("turn", b.angle, k=3.0, angle=0.5, c=0.1))


def knotted(m, a, b):
    knot = m.point("knot", position=(0.5, 0.2))
    for k, end in enumerate((m.ground.at(0.2, 1.0), m.ground.at(0.8, -1.0), a.at(0.1, 0), b.at(0, 0.2))):
        m.add(lw.Spring(f"s{k}", end, knot.at(0, 0), k=50.0 + k, length=0.1))


G = lambda m: m.ground  # noqa: E731
ELEMENTS = {
    lw.Revolute: lambda m, a, b: m.add(lw.Revolute("e", a.at(0.5, 0.1), b.at(-0.5, 0))),
    lw.Translational: lambda m, a, b: m.add(lw.Translational("e", a.at(0.1, 0.1, angle=0.4), b.at(-0.1, 0, angle=1.0))),
    lw.Fixed: lambda m, a, b: m.add(lw.Fixed("e", a.at(0.5, 0.1, angle=0.7), b.at(-0.5, 0))),
    lw.Orientation: lambda m, a, b: m.add(lw.Orientation("e", a.at(0, 0, angle=-0.7), b.at(0, 0))),
    lw.Distance: lambda m, a, b: m.add(lw.Distance("e", a.at(0.1, 0), b.at(0, 0.2), 1.1)),
    lw.RevoluteRevolute: lambda m, a, b: m.add(lw.RevoluteRevolute("e", a.at(0.1, 0), b.at(0, 0.2), 1.1)),
    lw.PointOnLine: lambda m, a, b: m.add(lw.PointOnLine("e", a.at(0.1, 0, angle=0.3), b.at(0, 0.2), offset=0.1)),
    lw.Gear: geared,
    lw.Belt: belted,
    lw.Rope: roped,
    lw.RackPinion: lambda m, a, b: rolled(m, a),
    lw.PointFollower: lambda m, a, b: on_a_curve(m, a),
    lw.Coupler: coupled,
    lw.DP1: lambda m, a, b: m.add(lw.DP1("e", a.vector(1, 0.2), b.vector(0.3, 1), f=0.3)),
    lw.DP2: lambda m, a, b: m.add(lw.DP2("e", a.vector(1, 0.2), a.at(0, 0), b.at(0.1, 0), f=1.0)),
    lw.D: lambda m, a, b: m.add(lw.D("e", a.at(0, 0.1), b.at(0.1, 0), f="1.2 + 0.1*t")),
    lw.CD: lambda m, a, b: m.add(lw.CD("e", (1, 0.5), a.at(0, 0.1), b.at(0.1, 0), f=1.3)),
    lw.Constraint: lambda m, a, b: m.add(lw.Constraint("e", a.angle - 2 * b.angle, 1.0)),
    lw.Driver: lambda m, a, b: m.add(lw.Driver("e", pinned(m, a).angle, "0.3 + t*t")),
    lw.Spring: lambda m, a, b: m.add(lw.Spring("e", a.at(0.1, 0), b.at(0, 0.2), k=50.0, length=0.8, c=1.0)),
    lw.TorsionSpring: sprung,
    lw.Balance: knotted,
    lw.Attraction: lambda m, a, b: m.add(lw.Attraction("e", a.at(0.1, 0), b.at(0, 0.2), 3.0)),
    lw.Force: lambda m, a, b: m.add(lw.Force("e", lw.distance(a.at(0.1, 0), b.at(0, 0)), lambda s, v, t: -20 * s - v)),
    lw.PointForce: lambda m, a, b: m.add(lw.PointForce("e", a.at(0.1, 0.2), (3.0, "2*t"), frame="body")),
    lw.Torque: lambda m, a, b: m.add(lw.Torque("e", a, "1 + t")),
    lw.Bushing: lambda m, a, b: m.add(lw.Bushing(
        "e", a.at(0.3, 0, angle=0.4), b.at(-0.3, 0, angle=0.2), ((200, 10, 5), (10, "stiff", 3), (5, 3, 20)), (2, 1, 0.3))),
    lw.Friction: rubbed,
    lw.State: lambda m, a, b: m.add(lw.Force("e", a.x, m.state("z", "a.x - 2*z", 0.3) * 5)),
    lw.Motor: lambda m, a, b: m.add(lw.Motor("e", pinned(m, a), "1 + t", k=0.3, resistance=0.5, inductance=0.1, rotor=0.2)),
    lw.PID: lambda m, a, b: m.add(lw.PID("e", a.angle, "t", kp=3.0, ki=1.0, kd=0.1, limits=(-1, 1))),
    lw.Rolling: lambda m, a, b: m.add(lw.Rolling("e", a.at(0.1, 0), G(m).at(0, -0.5, angle=0.2), radius=0.4)),
    lw.Inertia: lambda m, a, b: m.add(lw.Inertia("e", lw.distance(a.at(0.1, 0), b.at(0, 0)), 0.7)),
    lw.Stop: lambda m, a, b: m.add(lw.Stop("e", a.y, lower=-0.2, k=1e3, c=5.0)),
    lw.Contact: lambda m, a, b: m.add(lw.Contact("e", a.at(0, 0), G(m).at(0, -0.5, angle=0.2), radii=(0.3, 0), k=1e3, c=5)),
}  # fmt: skip
MORE = {
    "elastic belt": lambda m, a, b: belted(m, a, b, k=1e3, c=2.0, pretension=50.0, crossed=True),
    "elastic rope": lambda m, a, b: roped(m, a, b, k=200.0, c=2.0, length=1.8),
    "gears that push": lambda m, a, b: geared(m, a, b, pressure_angle=0.35),
    "gears with play": lambda m, a, b: geared(m, a, b, pressure_angle=0.35, k=1e4, c=3.0, backlash=0.01),
    "contact on a moving plane": lambda m, a, b: m.add(
        lw.Contact("e", b.at(0, 0), a.at(0, -0.5, angle=2.8), radii=(0.3, 0), k=1e3, law="hunt-crossley", c=100.0)),
    "contact of circles": lambda m, a, b: m.add(
        lw.Contact("e", a.at(0, 0), b.at(0, 0), radii=(0.6, 0.7), on="sphere", k=1e3)),
    "impact on a slope": lambda m, a, b: m.add(
        lw.Contact("e", a.at(0, 0), G(m).at(0, -0.5, angle=0.2), radii=(0.3, 0), restitution=0.6)),
    "bushing without directions": lambda m, a, b: m.add(lw.Bushing("e", a.at(0.3, 0), b.at(-0.3, 0), k=(200, 100, 20))),
}  # fmt: skip
CASES = {**{kind.__name__: make for kind, make in ELEMENTS.items()}, **MORE}


def planar_kinds(base=Element):
    for kind in base.__subclasses__():
        if hasattr(lw, kind.__name__) and kind is not Joint and kind.__module__.startswith("linkwright.") and (
            set(kind.dimensions) == {2, 3}
        ):  # fmt: skip
            yield kind
        yield from planar_kinds(kind)


def test_every_planar_element_is_tried():
    assert set(planar_kinds()) == set(ELEMENTS)


@pytest.mark.parametrize("name", CASES)
def test_it_moves_as_in_the_plane(name):
    m = assembled(CASES[name])
    flat, space = (lw.dynamics(x, t_end=0.4, steps=8, rtol=1e-9) for x in (m, embedding.embed(m)))
    for body in "ab":
        for c, other in (("x", "x"), ("y", "y"), ("vx", "vx"), ("vy", "vy"), ("omega", "wz")):
            expected = flat[f"{body}.{c}"]
            size = 1 + np.abs(expected).max()
            np.testing.assert_allclose(space[f"{body}.{other}"], expected, atol=3e-7 * size, err_msg=f"{body}.{c}")
        for c in ("z", "vz", "wx", "wy"):
            assert np.abs(space[f"{body}.{c}"]).max() < 1e-9


@pytest.mark.parametrize("turns", [0, 2, -1])
@pytest.mark.parametrize("fixed", [False, True])
def test_springs_that_are_wound_up_by_whole_turns_are_so_in_space(turns, fixed):
    m = lw.PlanarModel("wound up")
    a = m.body("a", 1.0, 0.2, angle=0.5 + 2 * np.pi * turns)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0, angle=0.3)))
    m.add(lw.TorsionSpring("coil", A, k=2.0))
    if fixed:
        m.fix(A.angle, 3.0)  # which says how many turns it has
    else:
        m.add(lw.Force("more", a.angle, lambda s, v, t: -s))
        m.add(lw.Stop("stop", lw.angle(m.ground.vector(0, 1), a.vector(1, 0)), lower=-10.0, k=1.0))
    flat, space = (lw.dynamics(x, t_end=1.0, steps=4, rtol=1e-9) for x in (m, lw.embed(m)))
    np.testing.assert_allclose(space["a.wz"], flat["a.omega"], atol=1e-6)


@pytest.mark.parametrize("load", [
    lambda m, b, pin: lw.Force("f", b.x, lambda s, v, t: -3 * b.angle * t - v),
    lambda m, b, pin: lw.Force("f", b.x, "-3*b.angle*t - v"),
    lambda m, b, pin: lw.Torque("f", b, "2*b.omega - b(0.1, 0).vx"),
    lambda m, b, pin: lw.PointForce("f", b.at(0.1, 0), (-3 * b.angle, "b.omega")),
    lambda m, b, pin: lw.Spring("f", b.at(0.2, 0), m.ground.at(1, 1), k=3, length=1, force=lambda s, v, t: b.omega),
    lambda m, b, pin: lw.Motor("f", pin, lambda s, v, t: 3 * b.angle, k=0.1, resistance=1),
    lambda m, b, pin: lw.Force("f", pin, 3 * m.state("z", lambda z, t: b.omega - z)),
    lambda m, b, pin: lw.Torque("f", b, lambda t: -b.angle),
])  # fmt: skip
def test_laws_may_use_quantities_of_the_plane(load):
    """As functions, texts and expressions; an angle in them has the whole turns of its estimate."""
    m = lw.PlanarModel("arm", gravity=(0, -9.81))
    b = m.body("b", 1.0, 1.0, com=(0.3, 0), angle=0.2 + 2 * np.pi, omega=0.8)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), b.at(0, 0)))
    m.add(load(m, b, pin))
    flat, space = (lw.dynamics(x, t_end=0.5, steps=4) for x in (m, lw.embed(m)))
    np.testing.assert_allclose(space["b.wz"], flat["b.omega"], atol=1e-7)


def test_a_ball_stays_on_the_floor():
    m = lw.PlanarModel("floor", gravity=(0, -9.81))
    ball = m.body("ball", 1.0, 0.1, position=(0, 0.5))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), radii=(0.1, 0), k=1e4, c=50))
    for x in (m, lw.embed(m)):
        assert lw.dynamics(x, t_end=2.0, steps=20)["ball.y"][-1] == pytest.approx(0.1 - 9.81 / 1e4, abs=1e-6)


def test_shapes_become_plates():
    """A box, a turned box, a circle and an L: plates of the same area, in the same place."""
    m = lw.PlanarModel("shapes")
    L = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    shape = [{"box": (0.4, m.parameter("h", 0.2))}, {"box": (0.4, 0.2), "at": (1, 0), "angle": 0.5}, {"circle": 0.3},
             {"polygon": L[::-1]}]  # fmt: skip
    m.body("b", 1.0, 1.0, shape=shape)
    box, turned, circle, angle = lw.embed(m)["b"].shape
    assert box["box"][:2] == (0.4, 0.2)
    assert circle["cylinder"][0] == 0.3
    assert turned["at"] == [1.0, 0.0, 0.0]
    for plate, area, perimeter in ((turned, 0.08, 1.2), (angle, 3.0, 8.0)):
        vertices, faces = np.array(plate["mesh"][0]), np.array(plate["mesh"][1])
        thick = np.ptp(vertices[:, 2])
        P, Q, R = (vertices[faces[:, k]] for k in range(3))
        assert np.einsum("ij,ij->", P, np.cross(Q, R)) / 6 == pytest.approx(area * thick)  # faces point outward
        total = np.linalg.norm(np.cross(Q - P, R - P), axis=1).sum() / 2
        assert total == pytest.approx(2 * area + perimeter * thick)  # no face lies on another
    assert len(triangles(np.array(L, dtype=float))) == 4


def test_everything_may_be_made_of_parameters():
    """Gravity, too; a parameter that is set afterwards is at work."""
    m = lw.PlanarModel("falling")
    g, size = m.parameter("g", -9.81), m.parameter("size", 0.3)
    m.gravity = (0.5 * size, g)
    m.body("b", mass=2 * size, inertia=size, com=(size, 0), position=(size, 0), angle=size, velocity=(0, size))
    space = lw.embed(m)
    for value in (-9.81, 3.0):
        space.set(g=value)
        d = lw.dynamics(space, t_end=0.1, steps=1)
        assert d["b.ay"] == pytest.approx(value)
        assert d["b.ax"] == pytest.approx(0.15)
