"""The relative angle of two bodies about an axis: derivatives off and on the joint, and whole turns."""

import numpy as np
import pytest
from spatial_setting import (
    Rz,
    State,
    close,
    evaluate,
    random_rotation,
    rotation_form,
)
from textbook_constraints import BODIES, HAUG, SAMPLES, body_columns, numbers_of

from linkwright import graph
from linkwright.equations import basic_constraints as basic
from linkwright.equations import rotations
from linkwright.equations.rotations import Pose


@pytest.fixture(scope="module")
def theta():
    """The angle of frames C_i, C_j fixed on two bodies, traced: rotation form, and the numbers' order."""
    poses = [Pose(b.r, b.p) for b in BODIES]
    frames = [graph.symbols(f"C{k}", 3, 3) for k in "ij"]
    (f_i, g_i, _), (f_j, _, _) = (list((pose.A @ F).T) for pose, F in zip(poses, frames, strict=True))
    reference = graph.symbol("reference")
    plain = basic.angle(f_i, g_i, f_j)
    followed = basic.continuous(plain, reference)
    return (
        frames,
        reference,
        rotation_form([plain], BODIES, poses),
        rotation_form([followed], BODIES, poses),
        [plain, followed],
    )


def theta_values(frames, i, j, Ci, Cj):
    values = {**BODIES[0].values(i), **BODIES[1].values(j)}
    for symbols, C_b in zip(frames, (Ci, Cj), strict=True):
        values.update(zip(symbols.flat, C_b.flat, strict=True))
    return values


def test_angle_off_the_joint(theta):
    frames, _, (J, rate, gamma), _, roots = theta
    rng = np.random.default_rng(5)
    for _ in range(SAMPLES):
        i, j, Ci, Cj = State.random(rng), State.random(rng), random_rotation(rng), random_rotation(rng)
        values = theta_values(frames, i, j, Ci, Cj)

        def of(a_b, b_b, i=i, j=j):  # d1 of two vectors: value, columns, rate, gamma
            zero = np.zeros(3)
            data = {"ai": a_b, "aj": b_b, "si": zero, "sj": zero, "c": zero, "C": 1.0}
            x = numbers_of(i, j, data)
            Phi, row, g = HAUG["d1"](x)
            row = body_columns(row, x)[0]
            return Phi, row, row @ np.concatenate([i.rd, i.w, j.rd, j.w]), g

        c, dc, cd, gc = of(Ci[:, 0], Cj[:, 0])
        s, ds, sd, gs = of(Ci[:, 1], Cj[:, 0])
        n = c * c + s * s
        close(evaluate(roots[:1], values), [np.arctan2(s, c)])
        thetad = (c * sd - s * cd) / n
        # 1/n amplifies the rounding where f_j comes near h_i
        close(evaluate(J, values)[0], (c * ds - s * dc) / n, 1e-12 / min(n, 1))
        close(evaluate(rate, values), [thetad], 1e-12 / min(n, 1))
        expected = (c * gs - s * gc) / n + 2 * thetad * (c * cd + s * sd) / n
        close(evaluate(gamma, values), [expected], 1e-12 / min(n, 1) ** 2)


def test_angle_on_the_joint_is_the_books(theta):
    # 9.2.61: rows -h_i, h_i; gamma = h_i . (omega_i x omega_j), which vanishes as the bodies turn about h_i alone
    frames, _, (J, rate, gamma), _, roots = theta
    rng = np.random.default_rng(6)
    for angle in (-2.5, 0.1, 1.0, 3.0):
        i, Ci, Cj = State.random(rng), random_rotation(rng), random_rotation(rng)
        A_j = i.A @ Ci @ Rz(angle) @ Cj.T
        h = i.A @ Ci[:, 2]
        w_j = A_j.T @ (i.om + 1.7 * h)
        j = State(rng.normal(size=3), rotations.euler_parameters(A_j), rng.normal(size=3), w_j)
        values = theta_values(frames, i, j, Ci, Cj)
        close(evaluate(roots[:1], values), [angle])
        close(evaluate(J, values)[0], np.concatenate([np.zeros(3), -Ci[:, 2], np.zeros(3), h @ j.A]))
        close(evaluate(rate, values), [1.7])
        close(evaluate(gamma, values), [h @ np.cross(i.om, j.om)])


def test_continuous_angle_follows_its_reference(theta):
    frames, reference, (J, _, gamma), (J_c, _, gamma_c), roots = theta
    rng = np.random.default_rng(7)
    values = theta_values(frames, State.random(rng), State.random(rng), random_rotation(rng), random_rotation(rng))
    plain = evaluate(roots[:1], values)[0]
    for turns in (-3, 0, 12):
        for off in (-3.1, 0.0, 3.1):  # anywhere within half a turn
            values[reference] = plain + 2 * np.pi * turns + off
            close(evaluate(roots[1:], values), [plain + 2 * np.pi * turns])
    close(evaluate(J_c, values), evaluate(J, values))
    close(evaluate(gamma_c, values), evaluate(gamma, values))


def test_continuous_angle_counts_the_turns_of_a_motion():
    f, g, theta = np.array([1.0, 0, 0]), np.array([0.0, 1, 0]), 0.0
    for true in np.linspace(0, 40, 60):  # steps of 0.68 rad
        theta = basic.continuous(basic.angle(f, g, (np.cos(true), np.sin(true), 0.0)), theta)
        close(theta, true)
