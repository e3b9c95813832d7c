"""Machines of spatial joints with closed forms."""

import numpy as np
import pytest
from spatial_setting import (
    Machine,
    Rx,
    Ry,
    Rz,
    State,
    close,
    evaluate,
)

from linkwright.equations import rotations
from linkwright.equations import spatial_joints as joints
from linkwright.equations.rotations import Pose
from linkwright.equations.spatial_joints import Frame
from linkwright.model.points import joint_frame

PITCH, THETA_0 = 0.05, 0.3
X, Y, Z = np.eye(3)
GROUND = Pose(np.zeros(3), np.array([1.0, 0, 0, 0]))


def axes(h, f=None):
    """C with the third axis along h."""
    f = (X if abs(h[0]) < 0.9 else Y) if f is None else f
    return np.array(joint_frame(np.zeros(3), h, f, float))


ALONG_X = Ry(np.pi / 2)  # a frame with h along x


def shaft_angle(A_shaft, A_body):
    """Angle of a body about the x axis of a shaft's rest frame."""
    R = A_shaft.T @ A_body
    return np.arctan2(R[2, 1], R[1, 1])


def two_shafts(phi, coupling, motion):
    """A shaft about x, driven, coupled at the origin to one about the direction phi in the xy plane."""

    def equations(poses, t):
        one, two = poses
        in_i, in_j = Frame.on(GROUND, C=ALONG_X), Frame.on(one, C=ALONG_X)
        theta = motion(t)
        return [
            *joints.revolute(in_i, in_j),
            joints.joint_angle(in_i, in_j, theta) - theta,
            *coupling(one, two),
            *joints.parallel_axes(Frame.on(GROUND, C=Rz(phi) @ ALONG_X), Frame.on(two, C=ALONG_X)),
        ]

    return Machine(2, equations)


def hooke(one, two):
    # Example 9.4.7: cross arms (0, -1, 0) and (0, 0, -1)
    return joints.universal(Frame.on(one, C=axes(-Y)), Frame.on(two, C=axes(-Z)))


@pytest.mark.parametrize("phi", [np.pi / 6, 0.9])
def test_cardan_speed_law(phi):
    machine = two_shafts(phi, hooke, lambda t: t)
    for theta in (0.0, 0.4, np.pi / 2, 2.0, 7.7):
        (one, two), (_, (_, wd)) = machine.solve(theta, [((0, 0, 0), Rx(theta)), ((0, 0, 0), Rz(phi) @ Rx(theta))])
        close(one.w, X)
        got = shaft_angle(Rz(phi), two.A)
        close(np.cos(got) * np.sin(theta), np.sin(got) * np.cos(theta) * np.cos(phi))  # tan theta1 = tan theta2 cos phi
        n = np.cos(phi) ** 2 * np.cos(theta) ** 2 + np.sin(theta) ** 2
        close(two.w, np.cos(phi) / n * X)
        close(wd, -np.cos(phi) * np.sin(phi) ** 2 * np.sin(2 * theta) / n**2 * X, 1e-11)  # twice through the solve
        if phi == np.pi / 6 and theta == 0.4:
            close((got, two.w[0], wd[0]), (0.454162767804, 1.09914022889, -0.250178724547), 1e-11)


def test_cardan_joint_locks_with_shafts_at_right_angles():
    machine = two_shafts(np.pi / 2, hooke, lambda t: t)
    states = [
        State(np.zeros(3), rotations.euler_parameters(A), 0 * X, 0 * X) for A in (Rx(0.4), Rz(np.pi / 2) @ Rx(np.pi / 2))
    ]
    J = evaluate(machine.J, machine.values(states, 0.4))
    v = np.linalg.solve(J, evaluate(machine.nu, machine.values(states, 0.4)))
    close(v[9:12], np.zeros(3))  # the driven shaft turns, the other stands


@pytest.mark.parametrize("phi", [0.0, 0.5, 1.4])
def test_constant_velocity_joint_has_equal_angles_speeds_and_accelerations(phi):
    def coupling(one, two):
        return joints.constant_velocity(Frame.on(one, C=ALONG_X), Frame.on(two, C=ALONG_X))

    machine = two_shafts(phi, coupling, lambda t: t + 0.3 * t * t)
    for t in (0.0, 0.4, 1.7, 4.0):
        theta = t + 0.3 * t * t
        start = [((0, 0, 0), Rx(theta + 0.05)), ((0.1, 0, 0), Rz(phi) @ Rx(theta - 0.1))]
        (one, two), ((_, wd1), (_, wd2)) = machine.solve(t, start)
        close(one.A, Rx(theta))
        close(two.A, Rz(phi) @ Rx(theta))
        close(two.w, one.w)
        close(two.w, (1 + 0.6 * t) * X)
        close(wd1, 0.6 * X, 1e-11)
        close(wd2, 0.6 * X, 1e-11)


def double_cardan(second_arm_mid, second_arm_out):
    """Input about x; output about the parallel line at y = 0.5; an intermediate shaft of length 1."""

    def equations(poses, t):
        one, mid, out = poses
        in_i, in_j = Frame.on(GROUND, C=ALONG_X), Frame.on(one, C=ALONG_X)
        return [
            *joints.revolute(in_i, in_j),
            joints.joint_angle(in_i, in_j, t) - t,
            *joints.universal(Frame.on(one, C=axes(Y)), Frame.on(mid, C=axes(Z))),
            *joints.universal(Frame.on(mid, X, axes(second_arm_mid)), Frame.on(out, C=axes(second_arm_out))),
            *joints.cylindrical(Frame.on(GROUND, 0.5 * Y, ALONG_X), Frame.on(out, C=ALONG_X)),
        ]

    machine, beta = Machine(3, equations), np.pi / 6

    def at(theta):
        start = [
            ((0, 0, 0), Rx(theta)),
            ((0, 0, 0), Rz(beta) @ Rx(theta)),
            ((np.cos(beta), 0.5, 0), Rx(theta)),
        ]
        return machine.solve(theta, start)

    return at


def test_double_cardan_in_phase_has_constant_velocity():
    at = double_cardan(Z, Y)
    for theta in (0.0, 0.7, 1.5, 3.0):
        (_, mid, out), (_, (_, wd_mid), (_, wd)) = at(theta)
        close(out.A, Rx(theta))
        close(out.w, X)
        close(wd, np.zeros(3), 1e-11)
        n = np.cos(np.pi / 6) ** 2 * np.cos(theta) ** 2 + np.sin(theta) ** 2
        close(mid.w, np.cos(np.pi / 6) / n * X)  # while the shaft between does not
        assert theta in (0.0, np.pi) or abs(wd_mid[0]) > 1e-3


def test_double_cardan_out_of_phase_doubles_the_error():
    _, _, out = double_cardan(Y, Z)(0.0)[0]
    close(out.w, X / np.cos(np.pi / 6) ** 2)


def test_screw_advances_by_its_pitch_over_many_turns():
    # 9.4.11: 0.05 m/rad, zero at 0.3 rad, three radians a second
    def equations(poses, t):
        i, j = Frame.on(GROUND), Frame.on(poses[0])
        theta = joints.joint_angle(i, j, 3 * t)
        return [*joints.screw(i, j, PITCH, theta, THETA_0), theta - 3 * t]

    machine = Machine(1, equations)
    for t, expected in ((0.0, -0.015), (1.0, 0.135), (10.0, 1.485)):
        (body,), ((rdd, wd),) = machine.solve(t, [((0.1, -0.1, 0), Rz(3 * t + 0.2))])
        close(body.r, expected * Z)
        close(body.rd, 3 * PITCH * Z)
        close(body.w, 3 * Z)
        close([*rdd, *wd], np.zeros(6), 1e-11)
