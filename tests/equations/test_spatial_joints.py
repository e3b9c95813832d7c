"""Joints in space: what they let move, the machines whose motion is known in closed form."""

from functools import partial

import numpy as np
import pytest
from spatial_setting import (
    Rx,
    Ry,
    Rz,
    State,
    Symbols,
    close,
    evaluate,
    random_rotation,
    rotation_form,
    rotation_jacobian,
    unit,
)

from linkwright import graph
from linkwright.equations import basic_constraints as basic
from linkwright.equations import rotations
from linkwright.equations import spatial_joints as joints
from linkwright.equations.rotations import Pose
from linkwright.equations.spatial_joints import NAMES, Frame

LENGTH, PITCH, THETA_0 = 0.7, 0.05, 0.3
X, Y, Z = np.eye(3)
GROUND = Pose(np.zeros(3), np.array([1.0, 0, 0, 0]))

JOINTS = {
    **{name: getattr(joints, name) for name in NAMES if hasattr(joints, name)},
    "translational_perpendicular": lambda i, j: joints.translational(i, j, perpendicular=True),
    "screw": lambda i, j: joints.screw(i, j, PITCH, joints.joint_angle(i, j), THETA_0),
    **{
        name: partial(getattr(joints, name), length=LENGTH)
        for name in ("distance", "revolute_spherical", "revolute_revolute_parallel", "revolute_revolute_orthogonal")
    },
}

CROSS = Rx(np.pi / 2)  # takes h to a perpendicular direction


def in_plane_direction(rng):
    return Rz(rng.uniform(-3, 3)) @ X


def turn(rng):
    return Rz(rng.uniform(-3, 3))


def swing(rng):
    return rotations.A(rotations.from_axis_angle(in_plane_direction(rng), rng.uniform(0.2, 2)))


def _orthogonal(rng):  # h_j in the plane of i
    return turn(rng) @ Ry(np.pi / 2) @ turn(rng)


def _cylinder(rng, R):  # d along h_j
    return rng.normal() * R[:, 2], R


def _screw(rng):
    theta = rng.uniform(-3, 3)
    return PITCH * (theta - THETA_0) * Z, Rz(theta)


# In the frame of i: where P_j is and how the triad of j lies, everywhere the joint allows
PLACES = {
    "spherical": lambda rng: (0 * X, random_rotation(rng)),
    "at_point": lambda rng: (0 * X, random_rotation(rng)),
    "revolute": lambda rng: (0 * X, turn(rng)),
    "cylindrical": lambda rng: (rng.normal() * Z, turn(rng)),
    "translational": lambda rng: (rng.normal() * Z, np.eye(3)),
    "translational_perpendicular": lambda rng: (rng.normal() * Z, Rz(np.pi / 2)),
    "screw": _screw,
    "universal": lambda rng: (0 * X, turn(rng) @ CROSS @ turn(rng)),
    "constant_velocity": lambda rng: (0 * X, swing(rng)),
    "planar": lambda rng: (rng.normal() * in_plane_direction(rng), turn(rng)),
    "fixed": lambda rng: (0 * X, np.eye(3)),
    "orientation": lambda rng: (rng.normal(size=3), np.eye(3)),
    "parallel_axes": lambda rng: (rng.normal(size=3), turn(rng)),
    "perpendicular_axes": lambda rng: (rng.normal(size=3), turn(rng) @ CROSS @ turn(rng)),
    "in_line": lambda rng: (rng.normal() * Z, random_rotation(rng)),
    "in_plane": lambda rng: (rng.normal() * in_plane_direction(rng), random_rotation(rng)),
    "distance": lambda rng: (LENGTH * unit(rng.normal(size=3)), random_rotation(rng)),
    "revolute_spherical": lambda rng: (LENGTH * in_plane_direction(rng), random_rotation(rng)),
    "revolute_revolute_parallel": lambda rng: (LENGTH * in_plane_direction(rng), turn(rng)),
    "revolute_revolute_orthogonal": lambda rng: (lambda R: (LENGTH * R[:, 2], R))(_orthogonal(rng)),
    "revolute_cylindrical": lambda rng: _cylinder(rng, _orthogonal(rng)),
    "revolute_translational": lambda rng: _cylinder(rng, turn(rng) @ Ry(-np.pi / 2)),
    "strut": lambda rng: (rng.normal() * Z, random_rotation(rng)),
}

FREEDOMS = {
    "spherical": 3, "at_point": 3, "revolute": 1, "cylindrical": 2, "translational": 1, "translational_perpendicular": 1,
    "screw": 1, "universal": 2, "constant_velocity": 2, "planar": 3, "fixed": 0, "orientation": 3, "parallel_axes": 4,
    "perpendicular_axes": 5, "in_line": 4, "in_plane": 5, "distance": 5, "revolute_spherical": 4,
    "revolute_revolute_parallel": 2, "revolute_revolute_orthogonal": 2, "revolute_cylindrical": 3,
    "revolute_translational": 2, "strut": 4,
}  # fmt: skip


def place(i, s_i, C_i, d, R, s_j, C_j, rng):
    """The state of j with its frame (s_j, C_j) at d, R in the frame (s_i, C_i) of i."""
    F = i.A @ C_i
    A_j = F @ R @ C_j.T
    r_j = i.r + i.A @ s_i + F @ d - A_j @ s_j
    return State(r_j, rotations.euler_parameters(A_j), rng.normal(size=3), rng.normal(size=3))


class Pair:
    """Two bodies with a frame on each, all symbols, and a joint's equations traced once."""

    def __init__(self, joint):
        self.bodies = Symbols("i"), Symbols("j")
        self.poses = [Pose(b.r, b.p) for b in self.bodies]
        self.s = [graph.symbols(f"s{k}", 3) for k in "ij"]
        self.C = [graph.symbols(f"C{k}", 3, 3) for k in "ij"]
        self.frames = [Frame.on(*parts) for parts in zip(self.poses, self.s, self.C, strict=True)]
        self.Phi = joint(*self.frames)
        self.J = rotation_jacobian(self.Phi, self.bodies, self.poses)

    def values(self, states, s, C):
        out = {}
        for body, state, s_sym, C_sym, s_b, C_b in zip(self.bodies, states, self.s, self.C, s, C, strict=True):
            out.update(body.values(state))
            out.update(zip([*s_sym, *C_sym.flat], [*s_b, *np.asarray(C_b).flat], strict=True))
        return out

    def random(self, rng, name, flip=None):
        s, C, i = rng.normal(size=(2, 3)), [random_rotation(rng), random_rotation(rng)], State.random(rng)
        d, R = PLACES[name](rng)
        j = place(i, s[0], C[0], d, R if flip is None else R @ flip, s[1], C[1], rng)
        return self.values((i, j), s, C)


def batched(samples):
    return {k: np.array([v[k] for v in samples]) for k in samples[0]}


def rank(J):
    sigma = np.linalg.svd(J, compute_uv=False)
    return int((sigma > 1e-9 * sigma[0]).sum())


# -- every joint ----------------------------------------------------------------------------------------------


def test_the_tables_name_the_same_joints():
    assert set(NAMES) == set(JOINTS) == set(PLACES) == set(FREEDOMS)


@pytest.mark.parametrize("name", NAMES)
def test_joint_holds_where_it_should_and_leaves_its_freedoms(name):
    rng = np.random.default_rng(1)
    pair = Pair(JOINTS[name])
    assert len(pair.Phi) == len(NAMES[name]) == 6 - FREEDOMS[name]
    assert len(set(NAMES[name])) == len(NAMES[name])
    values = batched([pair.random(rng, name) for _ in range(20)])
    close(evaluate(pair.Phi, values), np.zeros((len(pair.Phi), 20)))
    J = evaluate(pair.J, values)
    for n in range(20):
        assert rank(J[..., n]) == 6 - FREEDOMS[name]


@pytest.mark.parametrize("name", NAMES)
def test_joint_does_not_hold_elsewhere(name):
    rng = np.random.default_rng(2)
    pair = Pair(JOINTS[name])
    values = pair.values(
        (State.random(rng), State.random(rng)), rng.normal(size=(2, 3)), [random_rotation(rng), random_rotation(rng)]
    )
    assert (np.abs(evaluate(pair.Phi, values)) > 1e-3).all()


@pytest.mark.parametrize("name", ["revolute", "cylindrical", "planar", "parallel_axes", "revolute_revolute_parallel"])
def test_antiparallel_axes_are_accepted(name):
    rng = np.random.default_rng(3)
    pair = Pair(JOINTS[name])
    values = pair.random(rng, name, flip=Rx(np.pi))
    h_i, h_j = (evaluate(frame.h, values) for frame in pair.frames)
    close(h_i @ h_j, -1)
    close(evaluate(pair.Phi, values), np.zeros(len(pair.Phi)))
    assert rank(evaluate(pair.J, values)) == 6 - FREEDOMS[name]


@pytest.mark.parametrize("name", ["cylindrical", "translational", "revolute_cylindrical", "revolute_translational", "strut"])
def test_sliding_joints_are_regular_where_the_points_meet(name):
    rng = np.random.default_rng(4)
    pair = Pair(JOINTS[name])
    i, s, C = State.random(rng), rng.normal(size=(2, 3)), [random_rotation(rng), random_rotation(rng)]
    _, R = PLACES[name](rng)
    values = pair.values((i, place(i, s[0], C[0], 0 * X, R, s[1], C[1], rng)), s, C)
    close(evaluate(pair.Phi, values), np.zeros(len(pair.Phi)))
    assert rank(evaluate(pair.J, values)) == 6 - FREEDOMS[name]


def test_fixed_joint_is_regular_at_a_half_turn_where_euler_parameters_are_not():
    pair = Pair(joints.fixed)
    rng = np.random.default_rng(5)
    i = State(np.zeros(3), np.array([1.0, 0, 0, 0]), np.zeros(3), np.zeros(3))
    j = State(np.zeros(3), np.array([0, 0.6, 0, 0.8]), rng.normal(size=3), rng.normal(size=3))
    values = pair.values((i, j), np.zeros((2, 3)), [j.A, np.eye(3)])
    close(evaluate(pair.Phi, values), np.zeros(6))
    close(np.linalg.cond(evaluate(pair.J, values)[:, 6:]), 1)
    by_rotation = 0.5 * evaluate(
        graph.jacobian(basic.absolute_euler(pair.bodies[1].p, j.p), pair.bodies[1].p).dense(), values
    )
    assert rank(by_rotation @ rotations.G(j.p).T) == 2


def test_folded_shafts_of_a_constant_velocity_joint_are_regular_and_only_twist_is_excluded():
    """At a bend of 180 degrees e0 and e3 vanish both: an equation of their product would have no gradient there. Half a turn
    about any other axis twists, and does not satisfy the row."""
    rng, pair = np.random.default_rng(6), Pair(joints.constant_velocity)
    i, s, C = State.random(rng), rng.normal(size=(2, 3)), [random_rotation(rng), random_rotation(rng)]
    for axis, holds in ((in_plane_direction(rng), True), (unit([0.3, 0.2, 0.5]), False)):
        R = rotations.A(rotations.from_axis_angle(axis, np.pi))
        values = pair.values((i, place(i, s[0], C[0], 0 * X, R, s[1], C[1], rng)), s, C)
        twist = evaluate(pair.Phi, values)[3]
        assert abs(twist) == pytest.approx(2 * abs(axis[2]), abs=1e-12)
        if holds:
            close(np.linalg.norm(evaluate(pair.J, values)[3, 9:]), 1)


def test_joints_take_plain_numbers():
    frame_i = Frame.on(GROUND, (0, 0, 1))
    frame_j = Frame.on(Pose(np.array([0, 0, 3.0]), rotations.from_axis_angle(Z, 0.4)))
    close(joints.cylindrical(frame_i, frame_j), np.zeros(4))
    close(joints.displacement(frame_i, frame_j), 2)
    close(joints.joint_angle(frame_i, frame_j), 0.4)
    close(joints.joint_angle(frame_j, frame_i), -0.4)
    close(joints.joint_angle(frame_i, frame_j, 12.0), 0.4 + 4 * np.pi)


# -- composite joints are couplers with two joints --------------------------------------------------------------

# coupler between body i and body j: first joint, second joint, the frame on the coupler for the second, spin left out
COUPLERS = {
    "distance": ("spherical", "spherical", LENGTH * X, np.eye(3), 1),
    "revolute_spherical": ("revolute", "spherical", LENGTH * X, np.eye(3), 0),
    "revolute_revolute_parallel": ("revolute", "revolute", LENGTH * X, np.eye(3), 0),
    "revolute_revolute_orthogonal": ("revolute", "revolute", LENGTH * X, Ry(np.pi / 2), 0),
    "revolute_cylindrical": ("revolute", "cylindrical", 0 * X, Ry(np.pi / 2), 0),
    "revolute_translational": ("revolute", "translational", 0 * X, Ry(-np.pi / 2), 0),
    "strut": ("cylindrical", "spherical", 0 * X, np.eye(3), 1),
}


@pytest.mark.parametrize("name", COUPLERS)
def test_composite_joint_is_an_explicit_coupler(name):
    rng = np.random.default_rng(6)
    first, second, s_k, C_k, spin = COUPLERS[name]
    one, two, composite = Pair(JOINTS[first]), Pair(JOINTS[second]), Pair(JOINTS[name])
    for _ in range(5):
        s, C, i = rng.normal(size=(2, 3)), [random_rotation(rng), random_rotation(rng)], State.random(rng)
        k = place(i, s[0], C[0], *PLACES[first](rng), 0 * X, np.eye(3), rng)
        j = place(k, s_k, C_k, *PLACES[second](rng), s[1], C[1], rng)
        at_one = one.values((i, k), (s[0], 0 * X), (C[0], np.eye(3)))
        at_two = two.values((k, j), (s_k, s[1]), (C_k, C[1]))
        at_composite = composite.values((i, j), s, C)
        close(evaluate(composite.Phi, at_composite), np.zeros(len(composite.Phi)))
        J1, J2, J = evaluate(one.J, at_one), evaluate(two.J, at_two), evaluate(composite.J, at_composite)
        explicit = np.zeros((len(J1) + len(J2), 18))  # bodies i, j, k
        explicit[: len(J1), [*range(6), *range(12, 18)]] = J1
        explicit[len(J1) :, [*range(12, 18), *range(6, 12)]] = J2
        motions = np.linalg.svd(explicit)[2][rank(explicit) :].T
        assert motions.shape[1] == 12 - len(J) + spin
        # the motions of i and j that the coupler allows are those the composite joint allows
        close(J @ motions[:12], np.zeros((len(J), motions.shape[1])))
        assert rank(motions[:12]) == 12 - len(J)


# -- joint coordinates ----------------------------------------------------------------------------------------


def test_joint_coordinates_move_at_the_relative_speeds():
    rng = np.random.default_rng(7)
    pair = Pair(lambda i, j: [joints.joint_angle(i, j), joints.displacement(i, j)])
    _, rate, _ = rotation_form(pair.Phi, pair.bodies, pair.poses)
    for _ in range(4):
        s, C, i = rng.normal(size=(2, 3)), [random_rotation(rng), random_rotation(rng)], State.random(rng)
        theta, x, thetad, xd = rng.uniform(-3, 3, size=4)
        j = place(i, s[0], C[0], x * Z, Rz(theta), s[1], C[1], rng)
        h = i.A @ C[0][:, 2]
        om_j = i.om + thetad * h
        P_j = j.r + j.A @ s[1]
        v_P = i.rd + np.cross(i.om, P_j - i.r) + xd * h
        j = State(j.r, j.p, v_P - np.cross(om_j, j.A @ s[1]), j.A.T @ om_j)
        values = pair.values((i, j), s, C)
        close(evaluate(pair.Phi, values), [theta, x])
        close(evaluate(rate, values), [thetad, xd])


def test_universal_angles_are_the_turns_of_the_cross():
    rng = np.random.default_rng(8)
    pair = Pair(lambda i, j: list(joints.universal_angles(i, j)))
    _, rate, _ = rotation_form(pair.Phi, pair.bodies, pair.poses)
    straight = np.column_stack([Z, -Y, X])  # f_j along h_i, h_j along f_i
    for _ in range(4):
        C, i = [random_rotation(rng), random_rotation(rng)], State.random(rng)
        alpha, beta, alphad, betad = rng.uniform(-3, 3, size=4)
        R = Rz(alpha) @ straight @ Rz(beta)
        j = place(i, 0 * X, C[0], 0 * X, R, 0 * X, C[1], rng)
        om_j = i.om + alphad * i.A @ C[0][:, 2] + betad * j.A @ C[1][:, 2]
        j = State(j.r, j.p, j.rd, j.A.T @ om_j)
        values = pair.values((i, j), np.zeros((2, 3)), C)
        close(evaluate(pair.Phi, values), [alpha, beta])
        close(evaluate(rate, values), [alphad, betad])


def test_bend_angles_of_pure_bends():
    for x in (-1.2, 0.0, 0.4):
        for R, expected in ((Rx(x), (x, 0)), (Ry(x), (0, x))):
            j = Frame(np.zeros(3), *R.T)
            close(joints.bend_angles(Frame.on(GROUND), j), expected)


# -- the oblique pendulum: the choice of equations matters ------------------------------------------------------


def oblique_pendulum(s, choose):
    """Example 9.4.1-5 at phi = 0.6, P2 = (0, s, 0): singular values of the chosen equations."""
    pair = Pair(choose)
    C2 = np.column_stack([np.array([1, -1, 0]) / np.sqrt(2), np.array([1, 1, 0]) / np.sqrt(2), Z])
    A2 = Ry(0.6) @ Rz(np.deg2rad(135))
    s2 = -Y
    ground = State(np.zeros(3), np.array([1.0, 0, 0, 0]), 0 * X, 0 * X)
    body = State(s * Y - A2 @ s2, rotations.euler_parameters(A2), 0 * X, 0 * X)
    values = pair.values((ground, body), (0 * X, s2), (np.eye(3), C2))
    close(evaluate(pair.Phi, values), np.zeros(len(pair.Phi)))
    return body, np.linalg.svd(evaluate(pair.J, values), compute_uv=False)


def good_set(i, j):
    d = basic.between(i.origin, j.origin)
    return [basic.dot1(j.f, i.f), basic.dot1(j.f, i.h), basic.dot2(i.f, d), basic.dot2(i.h, d)]


def bad_set(i, j):
    d = basic.between(i.origin, j.origin)
    return [basic.dot2(a, d) for a in (i.f, i.h, j.g, j.h)]


def test_oblique_pendulum_position_and_conditioning():
    body, sigma = oblique_pendulum(0.7, good_set)
    close(body.r, [-0.5836004101, -0.0071067812, 0.3992625219], 1e-9)  # ten digits are given
    close(body.p, [0.3655914467, 0.2730250704, 0.113090687, 0.882615829], 1e-9)
    assert sigma[-1] == pytest.approx(1.0017, abs=5e-5)
    assert oblique_pendulum(0.0, good_set)[1][-1] == pytest.approx(1.2247, abs=5e-5)


def test_four_conditions_on_a_vanishing_distance_lose_rank():
    assert oblique_pendulum(0.7, bad_set)[1][-1] == pytest.approx(0.6556, abs=5e-5)
    assert oblique_pendulum(0.001, bad_set)[1][-1] == pytest.approx(9.5e-4, abs=5e-6)
    sigma = oblique_pendulum(0.0, bad_set)[1]
    assert (sigma > 1e-9).sum() == 2
