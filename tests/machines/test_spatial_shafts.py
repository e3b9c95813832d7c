"""Shafts: Cardan's joint, two of them in a row, the homokinetic joint, the screw; closed forms to 1e-12."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright.equations import rotations


def line(body, at, along, x=None):
    """A frame with its z axis along a direction."""
    at, along = np.asarray(at, dtype=float), np.asarray(along, dtype=float)
    return body.frame(at, at + along, None if x is None else at + np.asarray(x, dtype=float))


def cardan(beta, driver="t"):
    """Example 9.4.7: shafts along x and, bent by beta in the xy plane, along its own x; arms along -y and -z."""
    m = lw.SpatialModel("Cardan")
    out = np.array([np.cos(beta), np.sin(beta), 0])
    one, two = m.body("one"), m.body("two", orientation=((0, 0, 1), beta))
    A = m.add(lw.Revolute("A", line(m.ground, (0, 0, 0), (1, 0, 0), (0, 1, 0)), line(one, (0, 0, 0), (1, 0, 0), (0, 1, 0))))
    m.add(lw.PointOnLine("bearing", line(m.ground, (0, 0, 0), out), two.at(1, 0, 0)))
    m.add(lw.Universal("U", line(one, (0, 0, 0), (0, -1, 0)), line(two, (0, 0, 0), (0, 0, -1))))
    m.add(lw.Driver("motor", A.angle, driver))
    turn = lw.angle(m.ground.vector(0, 0, 1), two.vector(0, 0, 1), m.ground.vector(*out))
    return m, turn


@pytest.mark.parametrize("degrees", [0, 10, 30, 60, 85])
def test_cardan(degrees):
    """tan theta1 = tan theta2 cos beta, and its first and second derivatives."""
    beta = np.radians(degrees)
    m, turn = cardan(beta)
    report = lw.check(m)
    assert (report.dof, report.redundant) == (0, [])
    k = lw.kinematics(m, t_end=4 * np.pi, steps=800)
    th, c, s = k.t, np.cos(beta), np.sin(beta)
    D = (c * np.cos(th)) ** 2 + np.sin(th) ** 2
    theta2 = np.unwrap(np.arctan2(np.sin(th), c * np.cos(th)))
    # the law's own derivatives grow as 1/cos(beta)^2, and with them rounding
    tol = 1e-12 / c**2
    np.testing.assert_allclose(k[turn], theta2, atol=tol)
    np.testing.assert_allclose(k["two.wx"], c / D, rtol=tol, atol=tol)
    np.testing.assert_allclose(k["two.alphax"], -c * s**2 * np.sin(2 * th) / D**2, rtol=10 * tol, atol=10 * tol)


def test_cardan_numbers():
    """beta = 30 degrees, the values of an independent computation."""
    m, turn = cardan(np.radians(30))
    k = lw.kinematics(m, t_eval=[0, 0.4, np.pi / 2])
    np.testing.assert_allclose(k[turn], [0, 0.454162767804, np.pi / 2], atol=1e-12)
    np.testing.assert_allclose(k["two.wx"], [1.15470053838, 1.09914022889, 0.866025403784], rtol=1e-11)
    np.testing.assert_allclose(k["two.alphax"], [0, -0.250178724547, 0], atol=1e-11)


def test_cardan_counts_turns():
    """The angles of the cross swing, those of the shafts go on: a thousand turns in, a thousand out."""
    m, turn = cardan(0.5, "2*pi*t")
    k = lw.kinematics(m, t_end=1000, steps=20000)
    assert k[turn][-1] == pytest.approx(2000 * np.pi, rel=1e-13)
    assert max(np.ptp(k[f"U.angle_{c}"]) for c in "ij") <= 1.0 + 1e-9


def double_cardan(bend, twist, arm=0.0, driver="t"):
    """Two Cardan joints with a shaft between: the first bend in the xy plane, the second turned about that shaft by twist.

    arm: by how much the fork at the shaft's far end is turned against that at its near end.
    """
    m = lw.SpatialModel("double Cardan")
    c, s = np.cos(bend), np.sin(bend)
    middle = np.array([c, s, 0])
    # the output shaft: bent by the same angle against the middle one, in a plane turned by twist about it
    normal = np.array([-s, c, 0])
    bent = np.cos(twist) * normal + np.sin(twist) * np.array([0, 0, 1.0])
    out = c * middle + s * bent
    across = np.cross(out, np.cross(middle, out))
    across /= np.linalg.norm(across)
    side = np.cross(out, across)
    one = m.body("one")
    mid = m.body("mid", orientation=((0, 0, 1), bend))
    two = m.body("two", position=middle, orientation=np.array([out, across, side]).T)
    A = m.add(lw.Revolute("A", line(m.ground, (0, 0, 0), (1, 0, 0), (0, 1, 0)), line(one, (0, 0, 0), (1, 0, 0), (0, 1, 0))))
    m.add(lw.Universal("U", line(one, (0, 0, 0), (0, 1, 0)), line(mid, (0, 0, 0), (0, 0, 1))))
    m.add(lw.Universal("V", line(mid, (1, 0, 0), (0, -np.sin(arm), np.cos(arm))), line(two, (0, 0, 0), (0, 1, 0))))
    B = m.add(lw.Cylindrical("B", line(m.ground, middle, out, across), line(two, (0, 0, 0), (1, 0, 0), (0, 1, 0))))
    m.add(lw.Driver("motor", A.angle, driver))
    m.add(lw.Driver("seat", B.displacement, 0.0))
    return m, B


@pytest.mark.parametrize("twist", [np.pi, 0.0])
def test_double_cardan_runs_evenly(twist):
    """Equal bends in one plane and forks of the middle shaft in line: output = input, in the Z and in the W arrangement."""
    m, B = double_cardan(0.5, twist)
    k = lw.kinematics(m, t_end=4 * np.pi, steps=400)
    np.testing.assert_allclose(np.abs(k[B.omega]), 1, atol=1e-12)
    np.testing.assert_allclose(k["B.angle"] - k["B.angle"][0], np.sign(k[B.omega][0]) * k.t, atol=2e-12)
    np.testing.assert_allclose(k["two.alphax"], 0, atol=1e-11)
    # the shaft between does not run evenly
    assert np.ptp(k["mid.wx"]) > 0.2


def test_double_cardan_with_crossed_forks_is_worse():
    """Forks at right angles: the two errors multiply, ratio between cos^2 and 1/cos^2."""
    m, B = double_cardan(0.5, np.pi, arm=np.pi / 2)
    k = lw.kinematics(m, t_end=2 * np.pi, steps=720)
    ratio = np.abs(k[B.omega])
    assert (ratio.min(), ratio.max()) == pytest.approx((np.cos(0.5) ** 2, np.cos(0.5) ** -2), rel=1e-9)


@pytest.mark.parametrize("beta", [0.0, 0.4, 1.2])
def test_homokinetic_joint(beta):
    """Both shafts turn alike at any bend; also while the bend changes."""
    m = lw.SpatialModel("homokinetic")
    one = m.body("one")
    arm = m.body("arm", orientation=((0, 1, 0), beta))
    two = m.body("two", orientation=((0, 1, 0), beta))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), one.at(0, 0, 0)))
    swing = m.add(
        lw.Revolute("swing", line(m.ground, (0, 0, 0), (0, 1, 0), (0, 0, 1)), line(arm, (0, 0, 0), (0, 1, 0), (0, 0, 1)))
    )
    m.add(lw.ParallelAxes("hold", arm.at(0, 0, 0), two.at(0, 0, 0)))
    m.add(lw.ConstantVelocity("joint", one.at(0, 0, 0), two.at(0, 0, 0)))
    m.add(lw.Driver("motor", A.angle, "t"))
    m.add(lw.Driver("steer", swing.angle, f"{beta!r} + 0.2*sin(3*t)"))
    turn = lw.angle(arm.vector(1, 0, 0), two.vector(1, 0, 0), arm.vector(0, 0, 1))
    report = lw.check(m)
    assert (report.dof, report.redundant) == (0, [])
    k = lw.kinematics(m, t_end=20, steps=800)
    np.testing.assert_allclose(k[turn], k.t, atol=1e-12)
    bend = np.hypot(np.tan(k["joint.angle_x"]), np.tan(k["joint.angle_y"]))
    np.testing.assert_allclose(bend, np.abs(np.tan(beta + 0.2 * np.sin(3 * k.t))), atol=1e-10)


def test_screw():
    """Example 9.4.11: pitch 0.05 m/rad, start 0.3: h.d = -0.015, 0.135, 1.485 at t = 0, 1, 10 for theta = 3 t."""
    m = lw.SpatialModel("screw")
    nut = m.body("nut", position=(0.1, 0, -0.1))
    s = m.add(lw.Screw("S", m.ground.at(0, 0, 0, rotation=((1, 2, 3), 0.7)), nut.at(0.1, 0.2, 0), pitch=0.05, start=0.3))
    m.add(lw.Driver("motor", s.angle, "3*t"))
    report = lw.check(m)
    assert (report.equations, report.dof, report.redundant) == (6, 0, [])
    k = lw.kinematics(m, t_eval=[0, 1, 10])
    np.testing.assert_allclose(k["S.displacement"], [-0.015, 0.135, 1.485], atol=1e-12)
    np.testing.assert_allclose(k[s.velocity], 0.15, rtol=1e-12)


def test_a_nut_stays_where_it_is_estimated():
    """Six turns up the thread, and a little off: the nearest place on it has as many."""
    m = lw.SpatialModel("screw")
    nut = m.body("nut", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.05 * 12 * np.pi + 1e-3))
    m.add(lw.Screw("S", m.ground.at(0, 0, 0), nut.at(0, 0, 0), pitch=0.05))
    c = lw.assemble(m)
    assert c["S.angle"] == pytest.approx(12 * np.pi, abs=0.03)
    assert c["nut.z"] == pytest.approx(0.05 * c["S.angle"], abs=1e-12)
    d = lw.dynamics(m, 0.1, 2, formulation="joint")
    assert d["nut.z"][0] == pytest.approx(c["nut.z"], abs=1e-9)


def test_screw_driven_by_its_slide():
    """A screw of steep pitch runs backwards: the slide turns the nut, over a hundred turns."""
    m = lw.SpatialModel("screw")
    nut = m.body("nut")
    s = m.add(lw.Screw("S", m.ground.at(0, 0, 0), nut.at(0, 0, 0), pitch=0.5))
    m.add(lw.Driver("push", s.displacement, "pi*t"))
    k = lw.kinematics(m, t_end=100, steps=2000)
    np.testing.assert_allclose(k["S.angle"], 2 * np.pi * k.t, atol=1e-11)


def test_differential_screw():
    """Two threads of different pitch on one spindle: the nut moves by their difference."""
    m = lw.SpatialModel("differential screw")
    spindle, nut = m.body("spindle"), m.body("nut", position=(0, 0, 0.5))
    S = m.add(lw.Screw("S", m.ground.at(0, 0, 0), spindle.at(0, 0, 0), pitch=0.010))
    m.add(lw.Screw("T", spindle.at(0, 0, 0.5), nut.at(0, 0, 0), pitch=0.009))
    m.add(lw.Translational("guide", m.ground.at(0, 0, 0), nut.at(0, 0, 0)))
    m.add(lw.Driver("motor", S.angle, "2*pi*t"))
    report = lw.check(m)
    assert report.dof == 0
    assert report.redundant_count == 4  # three joints on one axis
    k = lw.kinematics(m, t_end=50, steps=1000)
    np.testing.assert_allclose(k["nut.z"], 0.5 + 0.001 * 2 * np.pi * k.t, atol=1e-12)


@pytest.mark.parametrize("twist", [0.2, 3.0, np.pi])
def test_a_homokinetic_joint_that_is_estimated_half_a_turn_off_is_turned_back(twist):
    """A straight joint twisted by half a turn is none: its equation has one root."""
    m = lw.SpatialModel("homokinetic")
    one, two = m.body("one"), m.body("two", orientation=((0, 0, 1), twist))
    m.add(lw.Fixed("A", m.ground.at(0, 0, 0), one.at(0, 0, 0)))
    m.add(lw.ConstantVelocity("joint", one.at(0, 0, 0), two.at(0, 0, 0)))
    m.add(lw.PointOnLine("bearing", m.ground.at(0, 0, 0), two.at(0, 0, 1)))
    c = lw.assemble(m)
    # straight, either way along the bearing: two.x along x, or two folded back
    e0, e1, e2, e3 = (c[f"two.e{k}"] for k in range(4))
    assert abs(e3) < 1e-12
    assert e0**2 + e1**2 + e2**2 == pytest.approx(1, abs=1e-12)
    assert lw.check(m).ok


@pytest.mark.parametrize("options", [{}, {"method": "dopri5"}, {"formulation": "kane"}, {"formulation": "joint"}],
                         ids=["auto", "dopri5", "kane", "joint"])  # fmt: skip
def test_a_homokinetic_joint_folds_through_180_degrees(options):
    """A top on a homokinetic joint swings past the fold. Nothing does work: energy is kept, and it stays on its own root."""
    m = lw.SpatialModel("folding", gravity=(0, 0, -9.81))
    b = m.body("b", mass=1, inertia=(0.02, 0.03, 0.01), position=(0.05, -0.18, -0.23), orientation=((1, 0.3, 0), 2.5),
               omega=(3, 1, 0))  # fmt: skip
    m.add(lw.ConstantVelocity("cv", m.ground.at(0, 0, 0), b.at(0, 0, -0.3)))
    d = lw.dynamics(m, t_end=2.0, steps=400, rtol=1e-9, **options)
    assert d["b.e0"].min() < -0.1 < 0.1 < d["b.e0"].max()  # it has folded through
    assert np.abs(d["b.e3"]).max() < 1e-12
    assert d.audit.energy_error < 1e-8  # rtol, of a few hundred steps
    start = tuple(round(float(d[f"b.{c}"][0]), 14) for c in ("e0", "e1", "e2", "e3", "wx", "wy", "wz"))  # the same for all
    p = folding_by_euler_parameters(start, float(d.t[-1]))
    np.testing.assert_allclose([d[f"b.e{k}"][-1] for k in range(3)], p, atol=2e-8)  # both to a relative 1e-9 or better


@cache
def folding_by_euler_parameters(begin, t_end):
    """The same top without a joint: p = (e0, e1, e2, 0) on a sphere, Lagrange's equations. Angular velocity W(p) p' and
    velocity V(p) p' are linear in p, so T = p'^T M(p) p' / 2 with M = W^T J W + m V^T V, and its derivatives, are exact."""
    m, J, s, g = 1.0, np.diag([0.02, 0.03, 0.01]), np.array([0, 0, 0.3]), 9.81
    unit = np.eye(3)

    def place(p):  # A s with the homogeneous A: quadratic in p
        return np.asarray(rotations.A_h([*p, 0.0]), dtype=float) @ s

    # by_e[k]: the derivative of W and of V by e_k; place is a quadratic form, so V = d place / dp
    W_by_e = np.array([2 * np.asarray(rotations.G([*e, 0.0]), dtype=float)[:, :3] for e in unit])
    V_by_e = np.array([[place(a + b) - place(a) - place(b) for b in unit] for a in unit]).transpose(0, 2, 1)

    def rate(t, y):
        p, pd = y[:3], y[3:]
        force = -m * g * np.tensordot(p, V_by_e, 1)[2]
        M = np.zeros((3, 3))
        for by_e, inertia in ((W_by_e, J), (V_by_e, m * unit)):
            X, Xd = np.tensordot(p, by_e, 1), np.tensordot(pd, by_e, 1)
            M += X.T @ inertia @ X
            momentum = inertia @ X @ pd
            # dT/dp - M' p'
            force = force + np.array([(d @ pd) @ momentum for d in by_e]) - Xd.T @ momentum - X.T @ inertia @ Xd @ pd
        K = np.block([[M, p[:, None]], [p[None], np.zeros((1, 1))]])
        return [*pd, *np.linalg.solve(K, [*force, -pd @ pd])[:3]]

    start, omega = begin[:4], begin[4:]
    pd = rotations.euler_rates(start, omega)
    end = solve_ivp(rate, (0, t_end), [*start[:3], *pd[:3]], method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    return end[:3]
