"""Every constraining element in space, through the model: it assembles, leaves the freedom it should, and holds in motion.

What holds is said with cross products, lengths and matrices of the computed poses, not with the package's own equations.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwright as lw

# Frames in general position: i fixed in ground, j on the body.
AT_I, C_I = np.array([0.3, -0.2, 0.5]), Rotation.from_rotvec([0.4, -0.7, 1.1])
AT_J, C_J = np.array([0.1, 0.4, -0.2]), Rotation.from_rotvec([-0.9, 0.3, 0.6])


def setting(turn=(0, 0, 0), shift=(0, 0, 0), off=0.05):
    """A body whose frame j is turned and shifted against frame i, both in axes of i; its estimate is a little off."""
    m = lw.SpatialModel("pair")
    R = C_I * Rotation.from_rotvec(turn) * C_J.inv()
    r = AT_I + C_I.apply(shift) - R.apply(AT_J)
    R = R * Rotation.from_rotvec(off * np.array([1.0, -2.0, 1.5]))
    body = m.body("body", position=r + off * np.array([0.3, 0.2, -0.4]), orientation=R)
    return m, m.ground.at(*AT_I, rotation=C_I), body.at(*AT_J, rotation=C_J)


class Seen:
    """The frames over time, by the body's channels."""

    def __init__(self, k):
        p = np.array([k[f"body.e{n}"] for n in range(4)]).T
        R = Rotation.from_quat(p[:, [1, 2, 3, 0]])
        r = np.array([k[f"body.{c}"] for c in "xyz"]).T
        self.Fi, self.Fj = C_I.as_matrix(), (R * C_J).as_matrix()
        self.d = r + R.apply(AT_J) - AT_I
        self.fi, self.gi, self.hi = self.Fi.T
        self.fj, self.gj, self.hj = np.moveaxis(self.Fj, 2, 0)
        self.length = np.linalg.norm(self.d, axis=1)
        self.t = k.t

    @property
    def parallel(self):
        return np.cross(self.hi, self.hj)

    @property
    def on_axis(self):
        return np.cross(self.hi, self.d)

    @property
    def same_triads(self):
        return self.Fj - self.Fi

    @property
    def theta(self):
        return np.unwrap(np.arctan2(self.fj @ self.gi, self.fj @ self.fi))


def _dots(a, b):
    return np.einsum("ij,ij->i", a, b)


HALF = np.pi / 2
PITCH, START = 0.05, 0.3
# name: (element, turn and shift of j in i, freedom, what vanishes)
JOINTS = {
    "Revolute": (lambda i, j: lw.Revolute("J", i, j), (0, 0, 0.8), (0, 0, 0), 1, lambda s: [s.d, s.parallel]),
    "Translational": (
        lambda i, j: lw.Translational("J", i, j), (0, 0, 0), (0, 0, 0.4), 1, lambda s: [s.same_triads, s.on_axis]),
    "Cylindrical": (
        lambda i, j: lw.Cylindrical("J", i, j), (0, 0, -0.5), (0, 0, 0.4), 2, lambda s: [s.parallel, s.on_axis]),
    "Spherical": (lambda i, j: lw.Spherical("J", i, j), (0.3, -0.4, 0.5), (0, 0, 0), 3, lambda s: [s.d]),
    "Universal": (lambda i, j: lw.Universal("J", i, j), (HALF, 0, 0), (0, 0, 0), 2, lambda s: [s.d, s.hj @ s.hi]),
    "ConstantVelocity": (
        lambda i, j: lw.ConstantVelocity("J", i, j), (0.4, -0.3, 0), (0, 0, 0), 2,
        lambda s: [s.d, s.gj @ s.fi - s.fj @ s.gi]),
    "Screw": (
        lambda i, j: lw.Screw("J", i, j, pitch=PITCH, start=START), (0, 0, 0.7), (0, 0, PITCH * 0.4), 1,
        lambda s: [s.parallel, s.on_axis, s.d @ s.hi - PITCH * (s.theta - START)]),
    "Planar": (lambda i, j: lw.Planar("J", i, j), (0, 0, 0.7), (0.3, -0.2, 0), 3, lambda s: [s.parallel, s.d @ s.hi]),
    "Fixed": (lambda i, j: lw.Fixed("J", i, j), (0, 0, 0), (0, 0, 0), 0, lambda s: [s.d, s.same_triads]),
    "Orientation": (
        lambda i, j: lw.Orientation("J", i, j), (0, 0, 0), (0.3, 0.1, -0.2), 3, lambda s: [s.same_triads]),
    "Distance": (
        lambda i, j: lw.Distance("J", i, j, 0.5), (0.3, 0.2, 0.1), (0.3, 0.4, 0), 5, lambda s: [s.length - 0.5]),
    "RevoluteSpherical": (
        lambda i, j: lw.RevoluteSpherical("J", i, j, 0.5), (0.3, 0.2, 0.1), (0.3, 0.4, 0), 4,
        lambda s: [s.length - 0.5, s.d @ s.hi]),
    "RevoluteRevolute parallel": (
        lambda i, j: lw.RevoluteRevolute("J", i, j, 0.5), (0, 0, 0.4), (0.3, 0.4, 0), 2,
        lambda s: [s.length - 0.5, s.parallel, s.d @ s.hi]),
    "RevoluteRevolute orthogonal": (
        lambda i, j: lw.RevoluteRevolute("J", i, j, 0.5, axes="orthogonal"), (0, HALF, 0), (0.5, 0, 0), 2,
        lambda s: [s.length - 0.5, np.cross(s.hj, s.d), s.d @ s.hi]),
    "RevoluteCylindrical": (
        lambda i, j: lw.RevoluteCylindrical("J", i, j), (0, HALF, 0), (0.5, 0, 0), 3,
        lambda s: [s.hj @ s.hi, np.cross(s.hj, s.d)]),
    "RevoluteTranslational": (
        lambda i, j: lw.RevoluteTranslational("J", i, j), (0, -HALF, 0), (0.5, 0, 0), 2,
        lambda s: [np.cross(s.hi, s.fj), np.cross(s.hj, s.d)]),
    "Strut": (lambda i, j: lw.Strut("J", i, j), (0.2, 0.3, -0.1), (0, 0, 0.4), 4, lambda s: [s.on_axis]),
    "PointOnLine": (lambda i, j: lw.PointOnLine("J", i, j), (0.2, 0.3, -0.1), (0, 0, 0), 4, lambda s: [s.on_axis]),
    "PointOnPlane": (
        lambda i, j: lw.PointOnPlane("J", i, j, offset=0.1), (0.2, 0.3, -0.1), (0.4, 0.2, 0.1), 5,
        lambda s: [s.d @ s.hi - 0.1]),
    "ParallelAxes": (
        lambda i, j: lw.ParallelAxes("J", i, j), (0, 0, 0.4), (0.4, 0.2, 0.1), 4, lambda s: [s.parallel]),
    "PerpendicularAxes": (
        lambda i, j: lw.PerpendicularAxes("J", i, j), (0, HALF, 0), (0.4, 0.2, 0.1), 5, lambda s: [s.hj @ s.hi]),
    "DP1": (
        lambda i, j: lw.DP1("J", i.axis("x"), j.axis("y"), f="0.3 + 0.1*sin(t)"), (0.2, 0.3, -0.3), (0.4, 0.2, 0.1), 5,
        lambda s: [s.gj @ s.fi - 0.3 - 0.1 * np.sin(s.t)]),
    "DP2": (
        lambda i, j: lw.DP2("J", i.axis("x"), i, j, f="0.4 + 0.1*sin(t)"), (0.2, 0.3, -0.3), (0.4, 0.2, 0.1), 5,
        lambda s: [s.d @ s.fi - 0.4 - 0.1 * np.sin(s.t)]),
    "D": (
        lambda i, j: lw.D("J", i, j, f="0.25 + 0.1*sin(t)"), (0.2, 0.3, -0.3), (0.4, 0.2, 0.1), 5,
        lambda s: [s.length**2 - 0.25 - 0.1 * np.sin(s.t)]),
    "CD": (
        lambda i, j: lw.CD("J", (1, -2, 2), i, j, f="0.4 + 0.1*sin(t)"), (0.2, 0.3, -0.3), (0.4, 0.2, 0.1), 5,
        lambda s: [s.d @ [1, -2, 2] - 0.4 - 0.1 * np.sin(s.t)]),
    "Constraint": (
        lambda i, j: lw.Constraint("J", lw.distance(i, j) * lw.dot(i.axis("z"), j.axis("z")), 0.3),
        (0.2, 0.3, -0.3), (0.4, 0.2, 0.1), 5, lambda s: [s.length * (s.hj @ s.hi) - 0.3]),
}  # fmt: skip


def joined(kind, driven=()):
    """The pair; `driven`: (quantity's owner and channel, value at the start) for each driver."""
    make, turn, shift, _, _ = JOINTS[kind]
    m, i, j = setting(turn, shift)
    m.add(make(i, j))
    for n, (owner, channel, value) in enumerate(driven):
        m.add(lw.Driver(f"drive_{channel}", m[owner].coordinate(channel), f"{value!r} + {0.03 + 0.01 * n}*sin(t)"))
    return m


def fully_driven(kind):
    """Drives whatever is free: joint coordinates first, then coordinates of the body."""
    m = joined(kind)
    start, free = lw.assemble(m), lw.check(m).dof
    wishes = [("J", c) for c in m["J"].channels] + [("body", c) for c in ("e1", "e2", "e3", "x", "y", "z")]
    driven = []
    for owner, c in wishes:
        more = [*driven, (owner, c, start[m[owner].coordinate(c)])]
        if free and lw.check(joined(kind, more)).dof < free:  # else the others decide it already
            driven, free = more, free - 1
    return joined(kind, driven)


@pytest.mark.parametrize("kind", JOINTS)
def test_joint(kind):
    *_, freedom, facts = JOINTS[kind]
    report = lw.check(joined(kind))
    assert (report.coordinates, report.dof, report.redundant) == (6, freedom, [])
    assert report.ok
    k = lw.kinematics(fully_driven(kind), t_end=2, steps=40)
    seen = Seen(k)
    for fact in facts(seen):
        assert np.abs(fact).max() < 1e-12  # converged to rounding of lengths of order one
    for name, wanted in (
        ("angle", lambda: seen.theta), ("displacement", lambda: seen.d @ seen.hi),
        ("displacement_x", lambda: seen.d @ seen.fi), ("displacement_y", lambda: seen.d @ seen.gi),
        ("angle_x", lambda: np.arctan2(-(seen.hj @ seen.gi), seen.hj @ seen.hi)),
        ("angle_i", lambda: np.arctan2(seen.hj @ seen.gi, seen.hj @ seen.fi)),
        ("angle_j", lambda: np.arctan2(-(seen.gj @ seen.hi), seen.fj @ seen.hi)),
    ):  # fmt: skip
        if f"J.{name}" in k and not kind.startswith("Revolute "):
            along_j = kind in ("RevoluteCylindrical", "RevoluteTranslational")
            expected = -_dots(seen.hj, seen.d) if along_j and name == "displacement" else wanted()
            np.testing.assert_allclose(k[f"J.{name}"], expected, atol=1e-12)
    assert k.audit.position_error < 1e-12


def test_every_element_is_covered():
    """The table above, and the pairs tested on their own, are all there are."""
    from linkwright.system import constraints

    covered = {kind.split()[0] for kind in JOINTS}
    alone = {"Driver", "Coupler", "PointFollower", "Gear", "RackPinion", "Rolling", "Rope", "Belt", "Balance", "Sums"}
    assert {c.__name__ for c in (*constraints._SPACE, *constraints._BOTH)} == covered | alone


@pytest.mark.parametrize("kind", ["Revolute", "Cylindrical", "Screw", "Planar"])
def test_a_thousand_turns(kind):
    """Angles, displacements and accelerations after 1000 turns are what they were in the first."""
    make, _, shift, _, _ = JOINTS[kind]
    m, i, j = setting((0, 0, 0), shift)
    joint = m.add(make(i, j))
    m.add(lw.Driver("spin", joint.angle, "2*pi*t"))
    for c in joint.channels[1:] if kind != "Screw" else ():
        m.add(lw.Driver(c, joint.coordinate(c), 0.2))
    k = lw.kinematics(m, t_end=1000, steps=16000)
    np.testing.assert_allclose(k["J.angle"], 2 * np.pi * k.t, rtol=1e-14, atol=1e-12)
    assert np.abs(k["J.angle"][::16] / (2 * np.pi) - np.arange(1001)).max() < 1e-12
    if kind == "Screw":
        np.testing.assert_allclose(k["J.displacement"], PITCH * (2 * np.pi * k.t - START), rtol=1e-13, atol=1e-12)
        assert k["J.displacement"][-1] == pytest.approx(PITCH * (2000 * np.pi - START), rel=1e-14)
    else:
        for c in ("x", "vx", "ax"):
            # 1e-12 of 6000 rad, times the speed squared
            np.testing.assert_allclose(k[f"body.{c}"][-17:], k[f"body.{c}"][:17], atol=1e-9)
    assert np.allclose(k[joint.omega], 2 * np.pi, rtol=1e-12)


def test_undriven_angles_count_turns_too():
    """A second joint on the same axis sees the turns of the first, backwards; nobody drives it."""
    m, i, j = setting()
    J = m.add(lw.Revolute("J", i, j))
    back = m.add(lw.Revolute("K", j, i))
    m.add(lw.Driver("spin", J.angle, "5*t"))
    k = lw.kinematics(m, t_end=40, steps=800)
    np.testing.assert_allclose(k["K.angle"], -5 * k.t, atol=1e-11)
    assert np.allclose(k[back.omega], -5, rtol=1e-12)
    # an angle asked for only afterwards
    later = k[lw.angle(i.axis("x"), j.axis("x"), i.axis("z"))]
    np.testing.assert_allclose(later, 5 * k.t, atol=1e-11)


# -- higher pairs -------------------------------------------------------------------------------------------------------


def wheel(m, name, at, axis, angle=0.0):
    """A wheel on a revolute joint at a point of ground with its axis in the direction given; its own axis is z."""
    z = np.array(axis) / np.linalg.norm(axis)
    x = np.cross(z, [0.36, 0.48, 0.8])
    x /= np.linalg.norm(x)
    C = Rotation.from_matrix(np.array([x, np.cross(z, x), z]).T)
    body = m.body(name, position=at, orientation=C * Rotation.from_rotvec([0, 0, angle]))
    return body, m.add(lw.Revolute(f"{name}_pin", m.ground.at(*at, rotation=C), body.at(0, 0, 0)))


@pytest.mark.parametrize(("radii", "centre"), [((0.2, 0.3), 0.5), ((0.2, -0.5), -0.3), ((-0.5, 0.2), -0.3)])
def test_gears_with_parallel_axes(radii, centre):
    """Outer gears turn against each other, a gear in a ring with it; over a hundred turns."""
    m = lw.SpatialModel("gears")
    axis = np.array([1.0, 2.0, 2.0]) / 3
    one, pin = wheel(m, "one", (0, 0, 0), axis)
    two, other = wheel(m, "two", centre * np.array([2.0, 1.0, -2.0]) / 3, axis, 0.3)
    m.add(lw.Gear("gear", one.at(0, 0, 0), two.at(0, 0, 0), radii=radii))
    m.add(lw.Driver("motor", pin.angle, "t"))
    report = lw.check(m)
    assert (report.dof, report.redundant, report.ok) == (0, [], True)
    k = lw.kinematics(m, t_end=200 * np.pi, steps=4000)
    ratio = -radii[0] / radii[1]
    np.testing.assert_allclose(k["two_pin.angle"] - k["two_pin.angle"][0], ratio * k["one_pin.angle"], atol=1e-10)
    np.testing.assert_allclose(k[other.omega], ratio, rtol=1e-11)


def test_planetary_gears():
    """Sun fixed, the carrier turns: the planet turns with (1 + Rs/Rp) of the carrier's speed."""
    m = lw.SpatialModel("planet")
    g = m.ground
    carrier = m.body("carrier")
    planet = m.body("planet", position=(0.5, 0, 0))
    pin = m.add(lw.Revolute("pin", g.at(0, 0, 0), carrier.at(0, 0, 0)))
    m.add(lw.Revolute("bearing", carrier.at(0.5, 0, 0), planet.at(0, 0, 0)))
    m.add(lw.Gear("gear", g.at(0, 0, 0), planet.at(0, 0, 0), radii=(0.3, 0.2)))
    m.add(lw.Driver("motor", pin.angle, "2*pi*t"))
    k = lw.kinematics(m, t_end=20, steps=800)
    np.testing.assert_allclose(k["planet.wz"], (1 + 0.3 / 0.2) * 2 * np.pi, rtol=1e-11)
    np.testing.assert_allclose(k["bearing.angle"], 1.5 * 2 * np.pi * k.t, atol=1e-10)


@pytest.mark.parametrize("degrees", [90, 60, 130])
def test_bevel_gears(degrees):
    """Axes from the common apex; R_i omega_i = -R_j omega_j about them."""
    m = lw.SpatialModel("bevel")
    b = np.radians(degrees)
    one, pin = wheel(m, "one", (0, 0, 0.4), (0, 0, 1))
    two, other = wheel(m, "two", (0.4 * np.sin(b), 0, 0.4 * np.cos(b)), (np.sin(b), 0, np.cos(b)), 0.4)
    m.add(lw.Gear("gear", one.at(0, 0, 0), two.at(0, 0, 0), radii=(0.1, 0.25)))
    m.add(lw.Driver("motor", pin.angle, "t"))
    assert lw.check(m).redundant == []
    k = lw.kinematics(m, t_end=100, steps=2000)
    np.testing.assert_allclose(k[other.omega], -0.4, rtol=1e-11)
    np.testing.assert_allclose(k["two_pin.angle"] - k["two_pin.angle"][0], -0.4 * k.t, atol=1e-11)


def test_rack_and_pinion():
    """A pinion rolls along the rack's x axis, R theta = -travel, on the side of +y."""
    m = lw.SpatialModel("rack")
    g = m.ground
    slide, pinion = m.body("slide"), m.body("pinion", position=(0, 0.1, 0))
    guide = m.add(lw.Translational("guide", g.at(0, 0, 0, rotation=((0, 1, 0), HALF)),
                                   slide.at(0, 0, 0, rotation=((0, 1, 0), HALF))))  # fmt: skip
    pin = m.add(lw.Revolute("pin", slide.at(0, 0.1, 0), pinion.at(0, 0, 0)))
    m.add(lw.RackPinion("rack", g.at(0, 0, 0), pinion.at(0, 0, 0), radius=0.1))
    m.add(lw.Driver("motor", guide.displacement, "0.3*t"))
    report = lw.check(m)
    assert (report.dof, report.redundant) == (0, [])
    k = lw.kinematics(m, t_end=100, steps=2000)
    np.testing.assert_allclose(k["pin.angle"], -3 * k.t, atol=1e-10)  # rolling to the right turns clockwise
    # the pitch point is at rest: v + omega x (0, -R, 0) = 0
    np.testing.assert_allclose(k["pinion.vx"] + 0.1 * k["pinion.wz"], 0, atol=1e-12)
    assert np.allclose(k[pin.omega], -3, rtol=1e-12)


def test_coupler():
    """A cylindrical joint whose slide is coupled to its turn is a screw."""
    m, i, j = setting((0, 0, 0), (0, 0, 0.4))
    J = m.add(lw.Cylindrical("J", i, j))
    m.add(lw.Coupler("thread", {J.displacement: 1, J.angle: -0.05}, value=0.1))
    m.add(lw.Driver("motor", J.angle, "3*t"))
    assert lw.check(m).dof == 0
    k = lw.kinematics(m, t_end=100, steps=2000)
    np.testing.assert_allclose(k["J.displacement"], 0.1 + 0.15 * k.t, atol=1e-12)


def test_point_on_a_space_curve():
    """A bead on a helix, turned and shifted with the body that carries it; ten windings."""
    m = lw.SpatialModel("helix")
    rail = m.body("rail", position=(0.1, 0.2, 0.3))
    bead = m.body("bead", position=(0.5, 0.2, 0.3))
    hinge = m.add(lw.Revolute("hinge", m.ground.at(0.1, 0.2, 0.3), rail.at(0, 0, 0)))
    helix = lw.Curve.parametric(lambda u: 0.4 * lw.cos(u), lambda u: 0.4 * lw.sin(u), lambda u: 0.05 * u, start=-1, end=70)
    at, C = np.array([0.05, 0, 0]), Rotation.from_rotvec([0.3, 0.2, 0.1])
    follow = m.add(lw.PointFollower("follow", bead.at(0.1, 0, 0), rail.curve(helix, at=at, rotation=C), estimate=0.0))
    report = lw.check(m)
    assert (report.coordinates, report.dof) == (13, 5)
    m.add(lw.Orientation("upright", m.ground.at(0, 0, 0), bead.at(0, 0, 0)))
    m.add(lw.Driver("turn", hinge.angle, "0.5*t"))
    m.add(lw.Driver("run", follow.alpha, "2*pi*t"))
    k = lw.kinematics(m, t_end=10, steps=1000)
    u = 2 * np.pi * k.t
    on_rail = at + C.apply(np.array([0.4 * np.cos(u), 0.4 * np.sin(u), 0.05 * u]).T)
    wanted = Rotation.from_rotvec(np.outer(0.5 * k.t, [0, 0, 1])).apply(on_rail) + np.array([0.0, 0.2, 0.3])
    np.testing.assert_allclose(np.array([k["bead.x"], k["bead.y"], k["bead.z"]]).T, wanted, atol=1e-11)


# -- orientations -------------------------------------------------------------------------------------------------------


def test_orientation_estimates_in_all_forms():
    p = np.array([0.8, 0.2, 0.4, 0.4])
    R = Rotation.from_quat(p[[1, 2, 3, 0]])
    axis = R.as_rotvec()
    for given in (p, R.as_matrix(), R, (axis, np.linalg.norm(axis))):
        m = lw.SpatialModel("free")
        m.body("b", position=(1, 2, 3), orientation=given)
        c = lw.assemble(m)
        np.testing.assert_allclose([c[f"b.e{k}"] for k in range(4)], p, atol=1e-15)
        assert [c[f"b.{x}"] for x in "xyz"] == [1, 2, 3]


@pytest.mark.parametrize("p", [(0, 0.6, 0, 0.8), (0, 1, 0, 0), (0, 0, 0, 1)])
def test_half_turns(p):
    """e0 = 0: where the book's ground constraint on e1, e2, e3 is singular. Fixed joints and revolutes are not."""
    R = Rotation.from_quat([*p[1:], p[0]])
    m = lw.SpatialModel("half turn")
    a = m.body("a", position=(0.1, 0, 0), orientation=R * Rotation.from_rotvec([0.1, 0.1, -0.1]))
    m.add(lw.Fixed("weld", m.ground.at(0, 0, 0, rotation=R), a.at(0, 0, 0)))
    b = m.body("b", position=(0.4, 0.1, 0), orientation=R)
    pin = m.add(lw.Revolute("pin", a.at(0.3, 0, 0), b.at(0, 0, 0)))
    m.add(lw.Driver("motor", pin.angle, "t"))
    report = lw.check(m)
    assert (report.dof, report.redundant, report.ok) == (0, [], True)
    k = lw.kinematics(m, t_end=10, steps=100)
    got = np.array([k[f"a.e{n}"] for n in range(4)])
    np.testing.assert_allclose(np.abs(got.T @ p), 1, atol=1e-14)
    np.testing.assert_allclose(k["b.wz"], 1, rtol=1e-12)


def test_euler_parameters_as_constraints_are_singular_at_a_half_turn():
    """Haug's absolute constraints on e1, e2, e3: rank is lost where e0 = 0, and it is said."""

    def held(p):
        m = lw.SpatialModel("held")
        b = m.body("b", orientation=p)
        for c, value in zip(("x", "y", "z", "e1", "e2", "e3"), (0, 0, 0, *p[1:]), strict=True):
            m.add(lw.Constraint(f"hold_{c}", getattr(b, c), value))
        return lw.check(m)

    assert held((0.8, 0.2, 0.4, 0.4)).rank == 6
    [finding] = held((0, 0.6, 0, 0.8)).findings
    assert finding.code == "singular-start"
    assert finding.elements == ("hold_e1", "hold_e3")
