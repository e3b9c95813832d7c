"""Derived Jacobians and right-hand sides of the basic constraints against the textbooks' hand-written ones.

Oracles: Haug (1989) 9.4.3-9.4.16, Table 9.4.1, 9.6.20-9.6.28; Nikravesh Table 11.1; ME751 DP1, DP2, D, CD; all as corrected
for misprints. States are random and off the constraints. Flavours by p: T tangent (Haug), H with the homogeneous A,
N with A of 9.3.6 taken as a polynomial.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from spatial_setting import (
    State,
    close,
    evaluate,
    parameter_form,
    random_rotation,
    tilde,
)
from textbook_constraints import (
    BODIES,
    HAUG,
    HAUG_BODY,
    NIKRAVESH,
    PRIMITIVES,
    SAMPLES,
    VECTORS,
    batch,
    body_columns,
    derive,
    me751,
    numbers_of,
)

from linkwright import graph
from linkwright.equations import basic_constraints as basic
from linkwright.equations import rotations
from linkwright.equations.rotations import B, G


@pytest.fixture(scope="module")
def derived():
    """Every primitive in three flavours on a batch of random states: [name] -> list of (x, values) by sample."""
    rng = np.random.default_rng(11)
    cases = []
    for _ in range(SAMPLES):
        data = {name: rng.normal(size=3) for name in VECTORS}
        cases.append((State.random(rng), State.random(rng), {**data, "C": rng.uniform(0.5, 2)}))
    values = batch(cases)
    out = {}
    for name, equation in PRIMITIVES.items():
        flat = derive(equation, values)
        out[name] = [
            (numbers_of(*case), SimpleNamespace(**{k: v[..., n] for k, v in flat.items()})) for n, case in enumerate(cases)
        ]
    return out


# -- the textbooks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HAUG)
def test_haugs_rows_and_gamma(derived, name):
    for x, got in derived[name]:
        Phi, J, gamma = HAUG[name](x)
        close(got.Phi, np.atleast_1d(Phi))
        close(got.J, body_columns(J, x))
        close(got.gamma, np.atleast_1d(gamma))
        velocity = np.concatenate([x.i.rd, x.i.w, x.j.rd, x.j.w])
        close(got.rate, got.J @ velocity)
        if name in HAUG_BODY:
            by_i, by_j = HAUG_BODY[name](x)
            close(got.J[:, 3:6], np.atleast_2d(by_i))
            close(got.J[:, 9:12], np.atleast_2d(by_j))


@pytest.mark.parametrize("name", NIKRAVESH)
def test_nikraveshs_table(derived, name):
    for x, got in derived[name]:
        J, gamma = NIKRAVESH[name](x)
        close(got.J, J)
        close(got.gamma, np.atleast_1d(gamma))
        for by_p in (got.J_h, got.J_n):  # Phi_p L^T / 2 is the same for every continuation off |p| = 1
            close(0.5 * by_p[:, 3:7] @ G(x.i.p).T, got.J[:, 3:6])
            close(0.5 * by_p[:, 10:14] @ G(x.j.p).T, got.J[:, 9:12])


@pytest.mark.parametrize("name", ["d1", "d2", "ss", "cd", "s"])
def test_me751_rows_and_gamma(derived, name):
    for x, got in derived[name]:
        by_pi, by_pj, gamma = me751(x)[name]
        close(got.J_h[:, 3:7], np.atleast_2d(by_pi))
        close(got.J_h[:, 10:14], np.atleast_2d(by_pj))
        close(got.gamma_h, np.atleast_1d(gamma))


@pytest.mark.parametrize("name", PRIMITIVES)
def test_flavours_by_euler_parameters_are_related(derived, name):
    for x, got in derived[name]:
        for J, gamma in ((got.J_h, got.gamma_h), (got.J_n, got.gamma_n)):
            by_pi, by_pj = J[:, 3:7], J[:, 10:14]
            # gamma = gamma# - sum |omega|^2/4 Phi_p p (Nikravesh 11.47-48)
            close(gamma, got.gamma - (x.wi @ x.wi * by_pi @ x.i.p + x.wj @ x.wj * by_pj @ x.j.p) / 4)
            # the tangent flavour 2 Phi_pi' G is what is left of Phi_p on p.dp = 0
            close(2 * got.J[:, 3:6] @ G(x.i.p), by_pi - np.outer(by_pi @ x.i.p, x.i.p))
            close(2 * got.J[:, 9:12] @ G(x.j.p), by_pj - np.outer(by_pj @ x.j.p, x.j.p))
        close(got.J_h[:, [0, 1, 2, 7, 8, 9]], got.J[:, [0, 1, 2, 6, 7, 8]])


def test_the_misprints_are_misprints(derived):
    # What is printed differs from the derived rows by far more than rounding: the oracles above can tell
    for x, got in derived["d1"]:
        printed = -x.ai_b @ x.Aj.T @ x.Ai @ tilde(x.ai_b)  # 9.4.11
        assert np.abs(printed - got.J[0, 3:6]).max() > 1e-3
    for x, got in derived["d2"]:
        printed = x.d @ B(x.i.p, x.si_b) - x.ai @ B(x.i.p, x.si_b)  # ME751's slide on DP2
        assert np.abs(printed - got.J_h[0, 3:7]).max() > 1e-3


# -- exact numbers --------------------------------------------------------------------------------------------

TABLE = {
    "d1": (
        -4.91481481481, 6.92296296296, -44.2575802469,
        (2.08740740741, -0.184444444444, 1.71851851852), (1.5037037037, 2.14444444444, 0.696296296296),
        (-9.92592592593, 2.8962962963, -3.24444444444, -2.92592592593),
        (-2.06666666667, -7.33333333333, 7.8, -2.66666666667),
    ),
    "d2": (
        0.128888888889, -3.35518518519, -3.41622222222,
        (-1.45644444444, -1.01733333333, -3.49111111111), (-1.46074074074, -0.897037037037, -0.460740740741),
        (4.87555555556, -4.13777777778, -1.05333333333, -4.48444444444),
        (0.84, 0.906666666667, -1.74666666667, -2.85333333333),
    ),
    "ss": (
        -0.0735555555556, -1.03948148148, -7.82694074074,
        (-0.586459259259, -0.897807407407, 0.0917037037037), (-0.399703703704, -0.493185185185, 1.3602962963),
        (0.486222222222, -0.245037037037, -2.13896296296, 0.0601481481481),
        (-1.32355555556, 0.334222222222, -3.66844444444, 1.77066666667),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def rational():
    """Bodies at rational positions and orientations."""
    i = State(np.array([0.1, -0.2, 0.3]), np.array([0.8, 0.2, 0.4, 0.4]), np.array([0.5, -1, 0.25]), np.array([1, -0.5, 2]))
    j = State(np.array([1, 0.5, -0.4]), np.array([2, 4, -5, 6]) / 9, np.array([-0.3, 0.7, 1.1]), np.array([-0.6, 0.9, 0.4]))
    ai, aj, si, sj = (np.array(v) for v in ((1, 2, -1.0), (0.5, -1, 2), (0.2, -0.1, 0.3), (-0.4, 0.6, 0.1)))
    data = {"ai": ai, "aj": aj, "si": si, "sj": sj, "c": np.zeros(3), "C": 1.5}
    values = {symbol: column[0] for symbol, column in batch([(i, j, data)]).items()}
    got = {name: SimpleNamespace(**derive(PRIMITIVES[name], values)) for name in ("d1", "d2", "ss", "s", "point")}
    return numbers_of(i, j, data), got


def test_exact_state(rational):
    x, _ = rational
    close(x.Ai, [[0.36, -0.48, 0.8], [0.8, 0.6, 0], [-0.48, 0.64, 0.6]])
    close(x.wi, [2.2, 0.5, 0.4])
    close(x.i.pd, [-0.4, 0.9, -0.2, 0.55])
    close(x.j.pd, [0.25, -0.477777777778, -0.188888888889, 0.0777777777778])
    close(x.d, [0.302962962963, 0.414814814815, -1.38296296296], 1e-11)
    close(x.dd, [-0.615061728395, 1.65802469136, 0.738395061728], 1e-11)


@pytest.mark.parametrize("name", TABLE)
def test_exact_rows(rational, name):
    # twelve digits are given
    x, got = rational[0], rational[1][name]
    Phi, rate, gamma, pi_i, pi_j, by_pi, by_pj = TABLE[name]
    for value, expected in (
        (got.Phi[0], Phi), (got.rate[0], rate), (got.gamma[0], gamma), (got.J[0, 3:6], pi_i), (got.J[0, 9:12], pi_j),
        (got.J_h[0, 3:7], by_pi), (got.J_h[0, 10:14], by_pj),
    ):  # fmt: skip
        np.testing.assert_allclose(value, expected, rtol=5e-12, atol=0)
    along_p = {"d1": 2 * x.ai @ x.aj, "d2": 2 * x.ai @ (x.d - x.si), "ss": -4 * x.d @ x.si}[name]
    close(got.J_h[0, 3:7] @ x.i.p, along_p)


def test_exact_remaining_numbers(rational):
    x, got = rational
    close(got["s"].gamma, [-0.114567901235, 0.0738271604938, 0.171234567901], 1e-11)
    close(2 * got["d1"].J[0, 3:6] @ G(x.i.p), [-2.06222222222, 4.86222222222, 0.687407407407, 1.00592592593], 1e-11)
    close(2 * got["d2"].J[0, 3:6] @ G(x.i.p), [4.18933333333, -4.30933333333, -1.39644444444, -4.82755555556], 1e-11)
    close(got["point"].Phi, [0.46, -0.1, 0.32])
    close(got["point"].gamma, [0.02, 0.1, -0.235])


# -- Euler parameters as coordinates --------------------------------------------------------------------------


def test_absolute_euler_and_normalisation():
    rng = np.random.default_rng(3)
    b = BODIES[0]
    rates = dict(zip(b.p, rotations.euler_rates(b.p, b.w), strict=True))
    fix = basic.absolute_euler(b.p, (0.0, 0.1, 0.2, 0.3))
    gamma = [-x for x in graph.along(graph.along(fix, rates), rates)]
    for _ in range(4):
        state = State.random(rng)
        values, e0, e = b.values(state), state.p[0], state.p[1:]
        close(evaluate(fix, values), e - [0.1, 0.2, 0.3])
        by_rotation = 0.5 * evaluate(graph.jacobian(fix, b.p).dense(), values) @ G(state.p).T
        close(by_rotation, 0.5 * (tilde(e) + e0 * np.eye(3)))
        close(np.linalg.det(by_rotation), e0 / 8)  # hence singular at a half turn
        close(evaluate(gamma, values), 0.25 * (state.w @ state.w) * e)
        close(evaluate(gamma, values), -0.5 * (tilde(state.pd[1:]) + state.pd[0] * np.eye(3)) @ state.w)  # 9.6.25
    values = b.values(state := State.random(rng))
    norm = [basic.normalisation(b.p)]
    J, _, gamma = parameter_form(norm, [b])
    close(evaluate(J, values)[0, 3:], 2 * state.p)
    close(evaluate(gamma, values), [-2 * state.pd @ state.pd])
    close(evaluate(graph.along(norm, rates), values), [0])  # no virtual rotation changes it (9.6.9)


def test_exact_absolute_euler_gamma(rational):
    # at p = (.8, .2, .4, .4), omega_b = (1, -.5, 2)
    b, state = BODIES[0], rational[0].i
    rates = dict(zip(b.p, rotations.euler_rates(b.p, b.w), strict=True))
    roots = graph.along(graph.along(basic.absolute_euler(b.p, np.zeros(4)), rates), rates)
    close(-evaluate(roots, b.values(state)), [0.2625, 0.525, 0.525])


# -- parallel constraints and prescribed values -----------------------------------------------------------------


def test_parallel_constraints_are_pairs_of_dot_products():
    rng = np.random.default_rng(4)
    M, h, d = random_rotation(rng), rng.normal(size=3), rng.normal(size=3)
    f, g = M[:, 0], M[:, 1]
    close(basic.parallel1(f, g, h), [f @ h, g @ h])
    close(basic.parallel2(f, g, d), [f @ d, g @ d])
    close(basic.parallel1(f, g, -3 * M[:, 2]), [0, 0])  # either sense, any length


def test_prescribed_values_enter_with_minus():
    t = graph.symbol("t")
    motion = graph.sin(2 * t)
    u, v = np.array([1.0, 2, 3]), np.array([-1.0, 1, 2])
    for equation, value in ((basic.dp1, 7.0), (basic.dp2, 7.0), (basic.cd, 7.0)):
        Phi = [equation(u, v, motion)]
        close(evaluate(Phi, {t: 0.3}), [value - np.sin(0.6)])
        rate = graph.along(Phi, {t: 1.0})
        close(evaluate(rate, {t: 0.3}), [-2 * np.cos(0.6)])  # nu = f'
        close(evaluate(graph.along(rate, {t: 1.0}), {t: 0.3}), [4 * np.sin(0.6)])  # gamma has + f''
    close(evaluate([basic.d(u, motion)], {t: 0.3}), [14 - np.sin(0.6)])
