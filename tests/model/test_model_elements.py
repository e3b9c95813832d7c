"""Every element: built rightly it is taken, built wrongly ModelError names it, says why and what mends it."""

import math

import numpy as np
import pytest

import linkwright.model as lw
from linkwright.errors import ModelError, TraceError
from linkwright.graph import cos, evaluate, exp, sin, symbol
from linkwright.model.plain_fields import Kind

NAN, INF = float("nan"), float("inf")
circle = lw.Curve.polar(1.0)


def plane():
    m = lw.PlanarModel("plane")
    m.parameter("a", 2.0)
    m.body("b")
    m.body("c")
    m.add(lw.Revolute("pin", m.ground.at(0, 0), m["b"].at(0, 0)))
    m.add(lw.Translational("slide", m.ground.at(0, 0, angle=0), m["c"].at(0, 0, angle=0)))
    return m, m.ground, m["b"], m["c"]


def space():
    m = lw.SpatialModel("space")
    m.parameter("a", 2.0)
    m.body("b")
    m.body("c")
    m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), m["b"].at(0, 0, 0)))
    return m, m.ground, m["b"], m["c"]


# fmt: off
PLANAR = [
    lambda g, b, c: lw.Revolute("e", b.at(0, 0), c.at(1, 0)),
    lambda g, b, c: lw.Translational("e", b.frame((0, 0), (1, 1)), c.at(1, 0, angle="a")),
    lambda g, b, c: lw.Fixed("e", b.at(0, 0), c.at(1, 0)),
    lambda g, b, c: lw.Distance("e", b.at(0, 0), c.at(1, 0), length=2),
    lambda g, b, c: lw.RevoluteRevolute("e", b.at(0, 0), c.at(1, 0), length=2),
    lambda g, b, c: lw.PointOnLine("e", b.at(0, 0, angle=0), c.at(1, 0), offset=-1),
    lambda g, b, c: lw.Orientation("e", b.at(0, 0), c.at(1, 0)),
    lambda g, b, c: lw.Gear("e", b.at(0, 0), c.at(1, 0), radii=(2, -1)),
    lambda g, b, c: lw.RackPinion("e", b.at(0, 0, angle=0), c.at(1, 0), radius=-0.5),
    lambda g, b, c: lw.CamFollower("e", b.curve(circle), c.curve(circle, at=(1, 0)), estimate=(0, 1)),
    lambda g, b, c: lw.CamFlat("e", b.curve(circle), c.at(1, 0, angle=0)),
    lambda g, b, c: lw.PointFollower("e", b.at(0, 0), c.curve(circle), estimate=0.5),
    lambda g, b, c: lw.Attraction("e", b.at(0, 0), c.at(1, 0), "a"),
    lambda g, b, c: lw.Balance("e", b.model.point(f"node{len(b.model.bodies)}").at(0, 0)),
    lambda g, b, c: lw.Rope("e", [b.at(0, 0), g.at(1, 1), c.at(1, 0)], radii=(0, "a", 0), k=2, c=1),
    lambda g, b, c: lw.Belt("e", b.at(0, 0), c.at(1, 0), radii=("a", 1), crossed=True, pretension=3, k=2, c=1, length=9),
    lambda g, b, c: lw.Coupler("e", {b.angle: 1, c.angle: "-a", b.x: 3}, value=None),
    lambda g, b, c: lw.DP1("e", b.vector(1, 0), c.vector(0, 1), "sin(t)"),
    lambda g, b, c: lw.DP2("e", b.vector(1, 0), b.at(0, 0), c.at(1, 1), f=lambda t: t),
    lambda g, b, c: lw.D("e", b.at(0, 0), c.at(1, 1), 4),
    lambda g, b, c: lw.CD("e", (1, 0), b.at(0, 0), c.at(1, 1), lw.Harmonic(1, 2)),
    lambda g, b, c: lw.Constraint("e", b.x - 2 * c.y),
    lambda g, b, c: lw.Constraint("e", "b.x - 2*c.y + t", value=1),
    lambda g, b, c: lw.Constraint("e", lambda t: b.x - t),
    lambda g, b, c: lw.Driver("e", b.angle, lw.Cycloid(height=1, duration=2)),
    lambda g, b, c: lw.Spring("e", b.at(0, 0), c.at(0, 0), k=lambda d: 1 + d, length="a", c="1 + v*v", force="l*v*t"),
    lambda g, b, c: lw.TorsionSpring("e", b.model["pin"], k=1, angle=0.1, c=2, torque="3*theta*omega*t"),
    lambda g, b, c: lw.TorsionSpring("e", c.angle - b.angle, k=lambda theta: theta),
    lambda g, b, c: lw.Force("e", b.x, lambda s, v, t: -s * c.x),
    lambda g, b, c: lw.Force("e", b.x, "where(s > 0, -10*s - v, 0)*c.x"),
    lambda g, b, c: lw.Force("e", b.x, 3),
    lambda g, b, c: lw.PointForce("e", b.at(1, 0), (1, "sin(t)"), frame="body"),
    lambda g, b, c: lw.Torque("e", b, "2*t"),
    lambda g, b, c: lw.Torque("e", b.model["pin"], lambda angle, omega, t: -angle * omega * t),
    lambda g, b, c: lw.State("e", lambda z, t: b.x - 2 * z, start="a"),
    lambda g, b, c: lw.State("e", "b.vx - z", start=2),
    lambda g, b, c: lw.Motor("e", b.model["pin"], "12*sin(t) - v", k="a", resistance=2, inductance=0.1, ratio=-3, rotor=1),
    lambda g, b, c: lw.PID("e", b.x - c.x, lw.Harmonic(1, 2), kp=1, ki="a", kd=3, limits=(-1, 1)),
    lambda g, b, c: lw.Inertia("e", b.model["pin"], J="a"),
    lambda g, b, c: lw.Rolling("e", b.at(0, 0), c.at(0, 0, angle=0.1), radius="a"),
    lambda g, b, c: lw.Constraint("e", "b.vx - 2*c.vy*sin(b.angle)", value="t"),
    lambda g, b, c: lw.Bushing("e", b.at(0, 0), c.at(0, 0), k=(1, 2, 3), c=np.eye(3)),
    lambda g, b, c: lw.Friction("e", b.model["pin"], mu=0.1, mu_static=0.2, radius=0.01),
    lambda g, b, c: lw.Friction("e", "slide", mu=0.1),
    lambda g, b, c: lw.Contact("e", b.at(0, 0), g.at(0, 0, angle=0), k=1e5, radii=(0.1, 0)),
    lambda g, b, c: lw.Contact("e", b.at(0, 0), c.at(0, 0), on="sphere", radii=(1, 1), k=1, law="hertz"),
    lambda g, b, c: lw.Stop("e", b.x, upper=1, k=1e4, c=10, law="hunt-crossley"),
]
SPATIAL = [
    lambda g, b, c: lw.Revolute("e", b.frame((0, 0, 0), (0, 0, 1), (1, 0, 0)), c.at(1, 0, 0, rotation=(1, 0, 0, 0))),
    lambda g, b, c: lw.Translational("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.Fixed("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.Distance("e", b.at(0, 0, 0), c.at(1, 0, 0), 1),
    lambda g, b, c: lw.Cylindrical("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.Spherical("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.Universal("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.ConstantVelocity("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.Screw("e", b.at(0, 0, 0), c.at(1, 0, 0), pitch=0.01),
    lambda g, b, c: lw.Planar("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.PointOnLine("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.PointOnPlane("e", b.at(0, 0, 0), c.at(1, 0, 0), offset=1),
    lambda g, b, c: lw.ParallelAxes("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.PerpendicularAxes("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.RevoluteSpherical("e", b.at(0, 0, 0), c.at(1, 0, 0), length=1),
    lambda g, b, c: lw.RevoluteRevolute("e", b.at(0, 0, 0), c.at(1, 0, 0), length=1, axes="orthogonal"),
    lambda g, b, c: lw.RevoluteCylindrical("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.RevoluteTranslational("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.Strut("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.Orientation("e", b.at(0, 0, 0), c.at(1, 0, 0)),
    lambda g, b, c: lw.Gear("e", b.at(0, 0, 0), c.at(1, 0, 0), radii=(1, 1)),
    lambda g, b, c: lw.Attraction("e", b.at(0, 0, 0), c.at(1, 0, 0), 2.0),
    lambda g, b, c: lw.Balance("e", b.model.point(f"node{len(b.model.bodies)}").at(0, 0, 0)),
    lambda g, b, c: lw.Rope("e", [b.at(0, 0, 0), g.at(1, 1, 0), c.at(1, 0, 0)], length=3.0),
    lambda g, b, c: lw.Belt("e", b.at(0, 0, 0), c.at(1, 0, 0), radii=(1, 1), phase=0.1),
    lambda g, b, c: lw.RackPinion("e", b.at(0, 0, 0), c.at(1, 0, 0), radius=1),
    lambda g, b, c: lw.PointFollower("e", b.at(0, 0, 0), c.curve(lw.Curve.parametric(cos, sin, "alpha"))),
    lambda g, b, c: lw.DP1("e", b.vector(1, 0, 0), c.at(0, 0, 0)),
    lambda g, b, c: lw.DP2("e", b.vector(1, 0, 0), b.at(0, 0, 0), c.at(1, 1, 0)),
    lambda g, b, c: lw.D("e", b.at(0, 0, 0), c.at(1, 1, 1), f="1 + t"),
    lambda g, b, c: lw.CD("e", (0, 0, 1), b.at(0, 0, 0), c.at(1, 1, 1)),
    lambda g, b, c: lw.Spring("e", b.at(0, 0, 0), c.at(0, 0, 0), k=1),
    lambda g, b, c: lw.PointForce("e", b.at(1, 0, 0), (1, lambda t: t, 0)),
    lambda g, b, c: lw.Torque("e", b, (0, 0, "t"), frame="body"),
    lambda g, b, c: lw.Bushing("e", b.at(0, 0, 0), c.at(0, 0, 0), k=(1, 2, 3, 4, 5, 6)),
    lambda g, b, c: lw.Contact("e", b.at(0, 0, 0), g.at(0, 0, 0), k=1, law="lankarani-nikravesh", restitution=0.5),
    lambda g, b, c: lw.Tyre("e", b.at(0, 0, 0), radius=0.3, k=2e5, cornering=45e3),
    lambda g, b, c: lw.Tyre("e", b.at(0, 0, 0), 0.3, 2e5, cornering=45e3, longitudinal=8e4, relaxation="a"),
]
# fmt: on


@pytest.mark.parametrize("machine", [plane, space])
def test_every_element_is_taken_where_it_makes_sense(machine):
    for build in PLANAR if machine is plane else SPATIAL:
        m, *bodies = machine()
        e = m.add(build(*bodies))
        assert m["e"] is e
        assert m.copy() == m
        assert repr(e).startswith(f"{type(e).__name__}('e'")
        for channel in e.channels:
            assert e.coordinate(channel).data == f"e.{channel}"


def test_every_element_declares_the_kind_of_every_field():
    for build, machine in [*((b, plane) for b in PLANAR), *((b, space) for b in SPATIAL)]:
        e = build(*machine()[1:])
        declared = lw.kinds(type(e))
        assert declared
        assert all(isinstance(k, Kind) for k in declared.values())
        assert e.__doc__


BAD = [  # machine, what is built, words of the cause, words of the remedy
    (
        plane,
        lambda g, b, c: lw.Revolute("e", b.at(0, 0), b.at(1, 0)),
        "both ends are on the body 'b'",
        "two different bodies",
    ),
    (plane, lambda g, b, c: lw.Revolute("e", g.at(0, 0), g.at(1, 0)), "both ends are on the body 'ground'", "two different"),
    (plane, lambda g, b, c: lw.Revolute("e", b, c), "P: it must be a point of a body", "body.at"),
    (plane, lambda g, b, c: lw.Revolute("e", (0, 0), c.at(0, 0)), "P: it must be a point of a body, not (0, 0)", "body.at"),
    (
        plane,
        lambda g, b, c: lw.Revolute("e", b.at(0, 0), plane()[2].at(0, 0)),
        "Q: the body 'b' belongs to another model",
        "take it from 'plane'",
    ),
    (plane, lambda g, b, c: lw.Revolute("e", b.at(0, 0), space()[3].at(0, 0, 0)), "'c' belongs to another model", "'plane'"),
    (
        plane,
        lambda g, b, c: lw.Translational("e", b.at(0, 0), c.at(1, 0, angle=0)),
        "P: the point b(0, 0) has no direction",
        "angle=",
    ),
    (
        plane,
        lambda g, b, c: lw.Spherical("e", b.at(0, 0), c.at(1, 0)),
        "a Spherical makes no sense in the plane",
        "in space",
    ),
    (plane, lambda g, b, c: lw.Tyre("e", b.at(0, 0, angle=0), 1, 1), "a Tyre makes no sense in the plane", "in space"),
    (
        space,
        lambda g, b, c: lw.CamFlat("e", b.curve(circle), c.at(0, 0, 0)),
        "a CamFlat makes no sense in space",
        "the plane",
    ),
    (plane, lambda g, b, c: lw.Distance("e", b.at(0, 0), c.at(1, 0), 0), "the distance is zero", "Revolute"),
    (plane, lambda g, b, c: lw.Distance("e", b.at(0, 0), c.at(1, 0), -1), "the distance is negative: -1", "positive"),
    (plane, lambda g, b, c: lw.Distance("e", b.at(0, 0), c.at(1, 0), "a - 2"), "the distance is zero", "Revolute"),
    (
        plane,
        lambda g, b, c: lw.Distance("e", b.at(0, 0), c.at(1, 0), NAN),
        "length: it is nan, not a finite number",
        "check",
    ),
    (plane, lambda g, b, c: lw.Distance("e", b.at(0, 0), c.at(1, 0), INF), "length: it is inf", "check"),
    (
        plane,
        lambda g, b, c: lw.Distance("e", b.at(0, 0), c.at(1, 0), None),
        "length: it must be a number, not None",
        "number",
    ),
    (plane, lambda g, b, c: lw.Distance("e", b.at(0, 0), c.at(1, 0), [1]), "length: it must be a number, not [1]", "number"),
    (plane, lambda g, b, c: lw.Distance("e", b.at(0, 0), c.at(1, 0), b.x), "length: it depends on 'b.x'", "parameters only"),
    (
        plane,
        lambda g, b, c: lw.Distance("e", b.at(0, 0), c.at(1, 0), "1/(a-2)"),
        "length: 1 / (a + -2) is inf",
        "parameters",
    ),
    (
        space,
        lambda g, b, c: lw.RevoluteSpherical("e", b.at(0, 0, 0), c.at(1, 0, 0), 0),
        "length: it must be positive, but is 0",
        "positive",
    ),
    (space, lambda g, b, c: lw.PointOnLine("e", b.at(0, 0, 0), c.at(1, 0, 0), 1), "no offset", "frame"),
    (
        space,
        lambda g, b, c: lw.RevoluteRevolute("e", b.at(0, 0, 0), c.at(1, 0, 0), 1, axes="paralel"),
        "axes: it cannot be 'paralel'",
        "did you mean 'parallel'?",
    ),
    (plane, lambda g, b, c: lw.Gear("e", b.at(0, 0), c.at(1, 0), radii=(1, -1)), "the radii add up to zero", "other radii"),
    (plane, lambda g, b, c: lw.Gear("e", b.at(0, 0), c.at(1, 0), radii=(1, 0)), "radius zero", "pitch circles"),
    (plane, lambda g, b, c: lw.Gear("e", b.at(0, 0), c.at(1, 0), radii=(1, 2, 3)), "radii: it needs 2 numbers, not 3", "2"),
    (plane, lambda g, b, c: lw.Gear("e", b.at(0, 0), c.at(1, 0), radii=1), "radii: it needs several numbers", "sequence"),
    (
        plane,
        lambda g, b, c: lw.RackPinion("e", b.at(0, 0, angle=0), c.at(1, 0), radius=0),
        "radius: it must be other than zero",
        "other than zero",
    ),
    (
        plane,
        lambda g, b, c: lw.CamFlat("e", circle, c.at(1, 0, angle=0)),
        "curve: it must be a curve on a body",
        "body.curve",
    ),
    (plane, lambda g, b, c: lw.Coupler("e", {b.angle: 1}), "at least two quantities", "{"),
    (plane, lambda g, b, c: lw.Coupler("e", {b.angle: 1, c.angle: 0}), "terms: it must be other than zero", "zero"),
    (plane, lambda g, b, c: lw.Coupler("e", [(b.angle, 1), (b.angle, 2)]), "a quantity occurs twice", "once"),
    (plane, lambda g, b, c: lw.Coupler("e", {b.omega: 1, c.omega: 2}), "terms: it holds a velocity", "positions"),
    (
        plane,
        lambda g, b, c: lw.DP2("e", c.vector(1, 0), b.at(0, 0), c.at(1, 1)),
        "u_i and P_i are on different bodies",
        "first",
    ),
    (plane, lambda g, b, c: lw.DP1("e", b.at(0, 0), c.vector(1, 0)), "u_i: it must be a vector", "body.vector"),
    (plane, lambda g, b, c: lw.D("e", b.at(0, 0), c.at(1, 1), 0), "the distance is zero", "Revolute"),
    (plane, lambda g, b, c: lw.CD("e", (0, 0), b.at(0, 0), c.at(1, 1)), "c has no length", "direction"),
    (space, lambda g, b, c: lw.CD("e", (1, 0), b.at(0, 0, 0), c.at(1, 1, 0)), "c: it needs 3 numbers, not 2", "3"),
    (plane, lambda g, b, c: lw.Driver("e", b.vx, 1), "quantity: it holds a velocity", "positions"),
    (plane, lambda g, b, c: lw.Constraint("e", 3.0), "quantity: it must be a quantity of the machine, not 3.0", "crank.x"),
    (plane, lambda g, b, c: lw.Constraint("e", "a + t"), "quantity: it does not depend on the machine", "crank.x"),
    (plane, lambda g, b, c: lw.Constraint("e", b), "quantity: it must be a quantity", "crank.x"),
    (plane, lambda g, b, c: lw.Constraint("e", "pin.agnle"), "quantity: the name 'pin.agnle' is not known", "'pin.angle'?"),
    (
        plane,
        lambda g, b, c: lw.Driver("e", b.x, "2*pi*T"),
        "motion: the name 'T' is not known, at column 6 of '2*pi*T'",
        "'t'?",
    ),
    (
        plane,
        lambda g, b, c: lw.Driver("e", b.x, "2*b.y"),
        "motion: a motion depends on time and parameters only",
        "quantities",
    ),
    (
        plane,
        lambda g, b, c: lw.Driver("e", b.x, lambda t: math.sin(t)),
        "motion: a traced value was used as a plain number",
        "linkwright",
    ),
    (
        plane,
        lambda g, b, c: lw.Driver("e", b.x, lambda t: 1 if t > 0 else 0),
        "motion: the truth of a traced value",
        "where",
    ),
    (plane, lambda g, b, c: lw.Driver("e", b.x, lambda t: (t, t)), "motion: the result must be a number", "number"),
    (plane, lambda g, b, c: lw.Driver("e", b.x, lambda t: None), "motion: the result must be a number, not None", "number"),
    (plane, lambda g, b, c: lw.Driver("e", b.x, lambda t: NAN), "motion: the result is nan", "check"),
    (plane, lambda g, b, c: lw.Driver("e", b.x, lambda t, v: t), "motion: the function takes 2 arguments", "function of t"),
    (plane, lambda g, b, c: lw.Driver("e", b.x, lambda t: {}[1]), "motion: the function raised KeyError", "traced"),
    (plane, lambda g, b, c: lw.Driver("e", b.x, None), "motion: it must be a number, not None", "number"),
    (plane, lambda g, b, c: lw.Driver("e", b.x, NAN), "motion: it is nan", "check"),
    (
        plane,
        lambda g, b, c: lw.Driver("e", b.x, lw.Cycloid(1, duration=0)),
        "motion: it must be positive, but is 0",
        "positive",
    ),
    (plane, lambda g, b, c: lw.Driver("e", lw.distance(b.at(0, 0), g.at(0, 0)), 0), "the distance is zero", "Revolute"),
    (plane, lambda g, b, c: lw.Driver("e", lw.distance(b.at(0, 0), g.at(0, 0)), -1), "the distance is negative", "positive"),
    (plane, lambda g, b, c: lw.Spring("e", b.at(0, 0), b.at(1, 0), k=1), "both ends are on the body 'b'", "two different"),
    (
        plane,
        lambda g, b, c: lw.Spring("e", b.at(0, 0), c.at(1, 0), k=1, length=-1),
        "length: it must be zero or more",
        "zero",
    ),
    (plane, lambda g, b, c: lw.Spring("e", b.at(0, 0), c.at(1, 0), k=INF), "k: it is inf", "check"),
    (
        plane,
        lambda g, b, c: lw.Spring("e", b.at(0, 0), c.at(1, 0), force="l*w"),
        "force: the name 'w' is not known",
        "known are: l, v, t, a, ground",
    ),
    (
        plane,
        lambda g, b, c: lw.Spring("e", b.at(0, 0), c.at(1, 0), c=lambda v, t: v),
        "c: the function takes 2 arguments",
        "function of v",
    ),
    (plane, lambda g, b, c: lw.TorsionSpring("e", b.model["slide"], k=1), "a Translational has no angle", "displacement"),
    (plane, lambda g, b, c: lw.Force("e", b.x, lambda s, v, t, u: s), "law: the function takes 4 arguments", "s, v, t"),
    (plane, lambda g, b, c: lw.Force("e", b.x, lambda s: 1 / 0), "law: the function raised ZeroDivisionError", "traced"),
    (plane, lambda g, b, c: lw.PointForce("e", b.at(0, 0), (1, 2, 3)), "force: it needs 2 numbers, not 3", "2"),
    (plane, lambda g, b, c: lw.PointForce("e", b.at(0, 0), (1, NAN)), "force: it is nan", "check"),
    (plane, lambda g, b, c: lw.PointForce("e", b.at(0, 0), (1, 2), frame="bodi"), "frame: it cannot be 'bodi'", "'body'?"),
    (plane, lambda g, b, c: lw.Torque("e", b, (1, 2, 3)), "torque: a torque in the plane is one number", "z"),
    (space, lambda g, b, c: lw.Torque("e", b, 1.0), "torque: it needs 3 numbers", "3"),
    (plane, lambda g, b, c: lw.Torque("e", "b", 1.0), "body: it must be a body, not 'b'", "m.body"),
    (space, lambda g, b, c: lw.Bushing("e", b.at(0, 0, 0), c.at(0, 0, 0), k=(1, 2, 3)), "k: it needs 6 numbers, not 3", "6"),
    (plane, lambda g, b, c: lw.Friction("e", "pni", mu=0.1), "joint: there is no joint 'pni'", "did you mean 'pin'?"),
    (plane, lambda g, b, c: lw.Friction("e", "pin", mu=0.2, mu_static=0.1), "mu_static is less than mu", "at rest"),
    (plane, lambda g, b, c: lw.Friction("e", "pin", mu=-0.2), "mu: it must be zero or more", "zero or more"),
    (plane, lambda g, b, c: lw.Contact("e", b.at(0, 0), c.at(0, 0), k=1), "the plane at Q has no direction", "angle="),
    (plane, lambda g, b, c: lw.Contact("e", b.at(0, 0), c.at(0, 0), on="sphere", k=1), "make no contact", "positive"),
    (
        space,
        lambda g, b, c: lw.Contact("e", b.at(0, 0, 0), c.at(0, 0, 0), law="lankarani-nikravesh"),
        "needs a coefficient",
        "restitution=",
    ),
    (space, lambda g, b, c: lw.Contact("e", b.at(0, 0, 0), c.at(0, 0, 0), restitution=1.5), "more than one", "0"),
    (plane, lambda g, b, c: lw.Stop("e", b.x, k=1), "it stops nothing", "lower="),
    (plane, lambda g, b, c: lw.Stop("e", b.x, lower=1, upper=0), "not below the upper", "exchange"),
    (plane, lambda g, b, c: lw.Stop("e", b.x, lower=1), "it pushes nothing", "restitution="),
    (plane, lambda g, b, c: lw.Contact("e", b.at(0, 0), c.at(0, 0, angle=0)), "it pushes nothing", "k="),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_input(case):
    machine, build, cause, remedy = BAD[case]
    m, *bodies = machine()
    before = list(m.elements)
    with pytest.raises(ModelError) as caught:
        m.add(build(*bodies))
    error = caught.value
    named = ("slide",) if "Translational has no" in error.cause else ("e",)
    assert error.element == named
    assert cause in error.cause
    assert remedy in error.remedy
    assert list(m.elements) == before


def test_elements_are_frozen():
    m = plane()[0]
    with pytest.raises(AttributeError):
        m["pin"].name = "other"


# -- laws and motions -------------------------------------------------------------------------------------------------------


def test_the_same_law_in_every_form():
    m, _g, b, c = plane()
    s, v, a = symbol("S"), symbol("V"), m["a"]
    table = lw.Table([-1, 0, 1, 2], [1, 0, -1, -2])
    forms = ["-a*s*c.x", lambda s, v, t: -a * s * c.x, lambda s: -a * s * c.x]
    for k, law in enumerate(forms):
        e = m.add(lw.Force(f"f{k}", b.x, law))
        traced = m.trace(e.law, {"s": s, "v": v, "t": lw.TIME})
        assert traced is m.trace(forms[1], {"s": s, "v": v, "t": lw.TIME})
    e = m.add(lw.Force("table", b.x, table))
    assert evaluate([m.trace(e.law, {"s": s, "v": v, "t": lw.TIME})], {s: 0.5})[0] == pytest.approx(-0.5, abs=1e-14)


def test_defaults_of_a_function_stay():
    m, _g, b, _c = plane()
    e = m.add(lw.Driver("d", b.x, lambda t, k=3.0: k * t))
    assert m.trace(e.motion, {"t": lw.TIME}) is 3.0 * lw.TIME
    s = symbol("S")
    law = m.add(lw.Force("f", b.x, lambda s, k=3.0: k * s)).law
    assert m.trace(law, {"s": s, "v": symbol("V"), "t": lw.TIME}) is 3.0 * s


def test_a_law_that_cannot_be_traced_is_kept_and_said_when_it_is_traced():
    m, _g, b, _c = plane()
    e = m.add(lw.Force("f", b.x, lambda s, v, t: -1.0 if s > 0 else 1.0))
    with pytest.raises(ModelError) as caught:
        m.trace(e.law, {"s": symbol("S"), "v": symbol("V"), "t": lw.TIME})
    assert isinstance(caught.value.__cause__, TraceError)


def test_an_argument_hides_no_parameter():
    m, _g, b, c = plane()
    m.parameter("l", 1.0)
    with pytest.raises(ModelError, match="both a parameter of the model and an argument") as caught:
        m.add(lw.Spring("s", b.at(0, 0), c.at(0, 0), k="l"))
    assert caught.value.element == ("s",)
    m.add(lw.Spring("s", b.at(0, 0), c.at(0, 0), k="a"))


def test_motions():
    m, _g, b, _c = plane()
    a = m["a"]
    for k, motion in enumerate(
        [
            1.5,
            "a*t",
            lw.TIME * a,
            lambda t: exp(-t),
            np.sin,
            lw.Polynomial((0, 1, a)),
            lw.Harmonic(amplitude=a, omega=3, phase=0.1, offset=1),
            lw.Cycloid(height=1, duration=a, start=0.5),
            lw.ModifiedSine(1, 2),
            lw.Table([0, 1, 2, 3], [0, 1, 0, 0], periodic=True),
        ]
    ):
        assert m.add(lw.Driver(f"d{k}", b.x, motion)).motion is motion
    assert m.copy() == m
    assert repr(lw.Harmonic(a, 3)) == "Harmonic(amplitude=a, omega=3, phase=0, offset=0)"
    assert lw.Table([0, 1, 2], [0, 1, 4])(1.5) == pytest.approx(2.25, rel=1e-15)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: lw.Polynomial(3), "sequence of coefficients"),
        (lambda: lw.Polynomial(()), "sequence of coefficients"),
        (lambda: lw.Polynomial((1, NAN)), "coefficients is nan"),
        (lambda: lw.Harmonic("1", 2), "amplitude must be a number"),
        (lambda: lw.Table([0, 1], [0, 1]), "at least 3"),
        (lambda: lw.Table([0, 1, 1], [0, 1, 2]), "must grow"),
        (lambda: lw.Table([0, 1, 2], [0, 1, 2], periodic=True), "must close"),
        (lambda: lw.Table([0, 1, 2], [0, NAN, 2]), "y is nan"),
        (lambda: lw.Table([0, 1, 2], [0, 1, 2], kind="quintic"), "unknown kind"),
    ],
)
def test_bad_motions(build, words):
    with pytest.raises(ModelError) as caught:
        build()
    assert words in caught.value.cause
    assert caught.value.remedy
