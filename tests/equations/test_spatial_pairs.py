"""Gears, rack and pinion, couplers, curves in space: no slip at the contact, many turns, known trains."""

import numpy as np
import pytest
from spatial_setting import Machine, Rx, Ry, Rz, State, Symbols, close, evaluate, random_rotation, rotation_form

from linkwright import graph
from linkwright.equations import rotations
from linkwright.equations import spatial_joints as joints
from linkwright.equations import spatial_pairs as pairs
from linkwright.equations.rotations import Pose
from linkwright.equations.spatial_joints import Frame

X, Y, Z = np.eye(3)
GROUND = Pose(np.zeros(3), np.array([1.0, 0, 0, 0]))


@pytest.fixture
def rng():
    return np.random.default_rng(21)


def rate_of(pair, states):
    """The rate of a pair's equation of two bodies whose own frames are its frames."""
    bodies = Symbols("i"), Symbols("j")
    poses = [Pose(b.r, b.p) for b in bodies]
    Phi = pair(*map(Frame.on, poses))
    _, rate, _ = rotation_form(Phi, bodies, poses)
    return evaluate(rate, {k: v for b, s in zip(bodies, states, strict=True) for k, v in b.values(s).items()})


def moving(r, A, rd, om):
    return State(r, rotations.euler_parameters(A), rd, A.T @ om)


def test_the_table_has_a_name_for_each_equation():
    i, j = Frame.on(GROUND), Frame.on(Pose(X, rotations.from_axis_angle(X, 1.0)))
    assert set(pairs.NAMES) == {"gear", "bevel_gear", "rack_pinion", "coupler", "point_on_curve"}
    assert len(pairs.gear(i, j, (1, 2))) == len(pairs.NAMES["gear"])
    assert len(pairs.bevel_gear(i, j, (1, 2))) == len(pairs.NAMES["bevel_gear"])
    assert len(pairs.rack_pinion(i, j, 1)) == len(pairs.NAMES["rack_pinion"])
    assert len(pairs.point_on_curve(i, X, lambda u: (u, u, u), 0.0)) == len(pairs.NAMES["point_on_curve"])


# -- the rate of each equation is the slip at the contact -------------------------------------------------------


@pytest.mark.parametrize("radii", [(0.3, 0.5), (0.3, -0.9), (-1.1, 0.4)])  # the negative one is the ring
def test_gear_rate_is_the_slip_at_the_pitch_point(rng, radii):
    R_i, R_j = radii
    for _ in range(4):
        F = random_rotation(rng)
        h = F[:, 2]
        u = F @ Rz(rng.uniform(-3, 3)) @ X  # from centre i to the pitch point, if R_i > 0
        r_i = rng.normal(size=3)
        r_j = r_i + (R_i + R_j) * u
        v_i, v_j = rng.normal(size=(2, 3))
        om_c = rng.normal(size=3)  # the whole machine turns as well
        w_i, w_j = rng.normal(size=2)
        i = moving(r_i, F @ Rz(0.3), v_i, om_c + w_i * h)
        j = moving(r_j, F @ Rz(-1.0), v_j, om_c + w_j * h)
        P = r_i + R_i * u
        slip = (v_i + np.cross(i.om, P - r_i) - v_j - np.cross(j.om, P - r_j)) @ np.cross(h, u)
        close(rate_of(lambda a, b: pairs.gear(a, b, radii), (i, j)), [-slip])


def test_bevel_rate_is_the_slip_along_the_pitch_cones(rng):
    for sigma, cone_i in ((np.pi / 2, 0.6), (1.1, 0.3), (2.0, 0.8)):
        F = random_rotation(rng)  # its y axis is perpendicular to both axes
        h_i, h_j, u = F @ Z, F @ Ry(sigma) @ Z, F @ Ry(cone_i) @ Z
        apex, v, om_c = rng.normal(size=(3, 3))
        w_i, w_j = rng.normal(size=2)
        i = moving(apex, F @ Rz(0.4), v, om_c + w_i * h_i)
        j = moving(apex, F @ Ry(sigma) @ Rz(2.0), v, om_c + w_j * h_j)
        P = 0.9 * u
        radii = 0.9 * np.sin(cone_i), 0.9 * np.sin(sigma - cone_i)
        slip = (np.cross(i.om, P) - np.cross(j.om, P)) @ (F @ Y)
        close(rate_of(lambda a, b, radii=radii: pairs.bevel_gear(a, b, radii), (i, j)), [-slip])


@pytest.mark.parametrize("radius", [0.25, -0.25])  # above the rack, below it
def test_rack_rate_is_the_slip_at_the_pitch_line(rng, radius):
    for _ in range(4):
        F = random_rotation(rng)
        r_i, v_i, om_i = rng.normal(size=(3, 3))
        x, xd, w = rng.normal(size=3)
        r_j = r_i + F @ [x, radius, 0.2]
        om_j = om_i + w * F[:, 2]
        v_j = v_i + np.cross(om_i, r_j - r_i) + xd * F[:, 0]
        i, j = moving(r_i, F, v_i, om_i), moving(r_j, F @ Rz(0.8), v_j, om_j)
        P = r_j - radius * F[:, 1]
        slip = (v_j + np.cross(om_j, P - r_j) - v_i - np.cross(om_i, P - r_i)) @ F[:, 0]
        close(rate_of(lambda a, b: pairs.rack_pinion(a, b, radius), (i, j)), [slip])


# -- trains -----------------------------------------------------------------------------------------------------


def on_axis(r, A):
    return Frame(np.asarray(r, dtype=float), *A.T)


@pytest.mark.parametrize(("central", "ratio"), [(0.6, 1 + 0.6 / 0.2), (-1.0, 1 - 1.0 / 0.2)])
def test_planet_on_a_fixed_sun_or_ring_over_many_turns(central, ratio):
    planet, refs = 0.2, (0.0, np.pi)
    first = None
    for phi in np.linspace(0, 30, 200):  # steps of 0.15 rad of the arm, 0.6 rad of the planet
        i, j = on_axis((0, 0, 0), np.eye(3)), on_axis((central + planet) * (Rz(phi) @ X), Rz(ratio * phi))
        refs = pairs.centre_angles(i, j, refs)
        residual = pairs.gear(i, j, (central, planet), refs)[0]
        first = residual if first is None else first
        close(residual, first)


def test_gear_train_on_ground_keeps_its_ratio_over_many_turns():
    radii, axis_j = (0.2, 0.6), 0.8 * X

    def equations(poses, t):
        i, j = (Frame.on(p) for p in poses)
        at_i, at_j = Frame.on(GROUND), Frame.on(GROUND, axis_j)
        phase = radii[1] * np.pi  # f_j points away from gear i at the start
        return [
            *joints.revolute(at_i, i),
            *joints.revolute(at_j, j),
            joints.joint_angle(at_i, i, 5 * t) - 5 * t,
            *pairs.gear(i, j, radii, (-5 * t, np.pi + 5 * t / 3), phase),
        ]

    machine = Machine(2, equations)
    for t in (0.0, 0.7, 20.0):
        (one, two), ((_, wd1), (_, wd2)) = machine.solve(t, [((0, 0, 0), Rz(5 * t)), (axis_j, Rz(-5 * t / 3 + 0.2))])
        close(one.w, 5 * Z)
        close(two.w, -5 / 3 * Z)
        close(two.A, Rz(-5 * t / 3), 1e-11)  # 100 rad of argument
        close([*wd1, *wd2], np.zeros(6), 1e-10)  # speeds of 5 rad/s squared


def test_ratio_of_joint_angles_agrees_with_the_geometry():
    close(pairs.gear_ratio(2.0, -2.0 / 3, (0.2, 0.6)), 0)
    close(pairs.gear_ratio(2.0, 2.0 / 3, (0.2, -0.6)), 0)  # a ring turns with its pinion
    close(pairs.gear_ratio(2.0, 1.0, (0.2, 0.6), 1.0), 0)


def test_bevel_differential_averages_its_sun_gears(rng):
    # sun gears left and right on the x axis, the planet's axis on a cage that turns about x; from the speeds of the suns
    # rolling gives the cage half their sum, the planet (about its own axis on the cage) half their difference
    w_left, w_right, cage = 3.0, -1.0, 0.3
    w_cage = (w_left + w_right) / 2
    F = Rx(cage)
    h_planet = F @ Z
    for side, w in ((X, w_right), (-X, w_left)):
        sun_axes = Ry(np.pi / 2 if side is X else -np.pi / 2)  # h from the apex toward the sun
        planet_spin = (w_right - w_cage) * -1.0  # radii equal: R w_i + R w_j = 0 with h of the right sun along +x
        i = moving(0 * X, Rx(0.9) @ sun_axes, 0 * X, w * X)
        j = moving(0 * X, F @ Rz(0.5), 0 * X, w_cage * X + planet_spin * h_planet)
        close(rate_of(lambda a, b: pairs.bevel_gear(a, b, (0.3, 0.3)), (i, j)), [0])


def test_pinion_rolls_along_its_rack_over_many_turns():
    R = 0.1

    def equations(poses, t):
        rack, pinion = Frame.on(GROUND), Frame.on(poses[0])
        d = pinion.origin
        theta = joints.joint_angle(rack, pinion, -10 * t)
        return [
            *joints.parallel_axes(rack, pinion),
            d[2],
            d[1] - R,
            theta + 10 * t,
            *pairs.rack_pinion(rack, pinion, R, -10 * t),
        ]

    machine = Machine(1, equations)
    for t in (0.0, 1.0, 9.0):
        (pinion,), _ = machine.solve(t, [((t, R, 0), Rz(-10 * t))])
        close(pinion.r, [t, R, 0], 1e-11)
        close(pinion.rd, X)
        close(pinion.w, -10 * Z)


# -- coupler and curve --------------------------------------------------------------------------------------------


def test_coupler_is_a_linear_relation():
    a, b = graph.symbols("a", 2)
    Phi = [pairs.coupler([(2.0, a), (-3.0, b)], 0.5)]
    close(evaluate(Phi, {a: 1.0, b: 4.0}), [2 - 12 - 0.5])
    close(evaluate(graph.jacobian(Phi, [a, b]).dense(), {}), [[2, -3]])


def helix(u):
    return 0.4 * graph.cos(u), 0.4 * graph.sin(u), 0.1 * u


def test_point_runs_along_a_helix_that_moves(rng):
    C, s = random_rotation(rng), rng.normal(size=3)

    def equations(poses, t):
        carrier = Frame(np.array([t, 0.0, 0.0], dtype=object), *C.T)  # moves along x at unit speed
        point = poses[0].point(s)
        return [
            *pairs.point_on_curve(carrier, point, helix, 2 * t),
            *joints.orientation(Frame.on(GROUND), Frame.on(poses[0])),
        ]

    (body,), ((rdd, _),) = Machine(1, equations).solve(0.6, [((0, 0, 0), np.eye(3))])
    c, n = np.cos(1.2), np.sin(1.2)
    close(body.r, 0.6 * X + C @ [0.4 * c, 0.4 * n, 0.12] - s)
    close(body.rd, X + 2 * C @ [-0.4 * n, 0.4 * c, 0.1])
    close(rdd, 4 * C @ [-0.4 * c, -0.4 * n, 0], 1e-11)


def test_curve_parameter_is_an_unknown_with_the_tangent_as_its_column():
    u, b = graph.symbol("u"), Symbols("j")
    Phi = pairs.point_on_curve(Frame.on(GROUND), b.r, helix, u)
    J = evaluate(graph.jacobian(Phi, [*b.r, u]).dense(), {u: 0.9})
    close(J, np.column_stack([np.eye(3), [0.4 * np.sin(0.9), -0.4 * np.cos(0.9), -0.1]]))
