"""The Adams method: coefficients as fractions, the book's tables, the variable-step formulas against exact interpolation."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from initial_value import growth, oscillator, problem
from linkwright.graph import cos
from linkwright.solve import adams
from linkwright.solve.integrate import integrate

F = Fraction


def test_coefficients_are_the_integrals_they_stand_for():
    """gamma_i = (1/i!) int_0^1 s (s+1) ... (s+i-1) ds, gamma*_i = (1/i!) int_0^1 (s-1) s ... (s+i-2) ds."""

    def integral(first, i):
        p, factorial = [F(1)], 1
        for k in range(i):
            shift = F(first + k)
            p = [shift * a + b for a, b in zip([*p, F(0)], [F(0), *p], strict=True)]
            factorial *= k + 1
        return sum(a / (k + 1) for k, a in enumerate(p)) / factorial

    assert adams.bashforth(12) == [integral(0, i) for i in range(12)]
    assert adams.moulton(12) == [integral(-1, i) for i in range(12)]


def test_coefficients_of_the_book():
    """Haug tables 7.4.4 (with 95/288 for its 95/298) and 7.4.5."""
    assert adams.bashforth(10) == [
        F(1), F(1, 2), F(5, 12), F(3, 8), F(251, 720), F(95, 288), F(19087, 60480), F(5257, 17280), F(1070017, 3628800),
        F(25713, 89600),
    ]  # fmt: skip
    assert adams.moulton(10) == [
        F(1), F(-1, 2), F(-1, 12), F(-1, 24), F(-19, 720), F(-3, 160), F(-863, 60480), F(-275, 24192),
        F(-33953, 3628800), F(-8183, 1036800),
    ]  # fmt: skip


def self_starting_bashforth(x, h, steps, k, f=lambda x: x):
    """Order 1, 2, ... k by backward differences (Haug 7.4.11)."""
    gamma = adams.bashforth(k)
    past = []
    for _ in range(steps):
        past.insert(0, f(x))
        rows, total = past[:k], 0
        for g in gamma[: len(rows)]:
            total += (float(g) if isinstance(x, float) else g) * rows[0]
            rows = [a - b for a, b in pairwise(rows)]
        x = x + h * total
    return x


@pytest.mark.parametrize(
    ("h", "values"),
    [(0.1, [13780.612339822, 21090.171400265, 21841.518610597, 21904.347159027, 21911.635344966]),
     (0.01, [20959.155637814, 22016.255843944, 22025.280168549, 22025.356978091, 22025.361257193])],
)  # fmt: skip
def test_e_to_the_tenth_by_bashforth(h, values):
    """Haug tables 7.4.8 and 7.4.9, recomputed to all digits."""
    for k, value in enumerate(values, start=1):
        assert self_starting_bashforth(1.0, h, round(10 / h), k) == pytest.approx(value, abs=2e-9)


def test_entries_of_the_book_that_are_misprinted():
    """Haug table 7.4.6, k = 3, t = 0.9 (printed 2.446348), and table 7.4.7, k = 4 and 5, t = 0.04 (printed 1.040748)."""
    assert round(self_starting_bashforth(1.0, 0.1, 9, 3), 6) == 2.446438
    assert [round(self_starting_bashforth(1.0, 0.01, 4, k), 6) for k in (4, 5)] == [1.040758] * 2


@pytest.mark.parametrize(("k", "ratio"), [(1, -2.0), (2, -19 / 6), (3, -4.3289474), (4, -5.4815844), (5, -6.6254104)])
def test_the_error_of_pece_is_not_that_of_its_corrector(k, ratio):
    """x' = x from exact values: local error over h^{k+2} gamma*_{k+1} x^{(k+2)}, for small h (Haug 7.4.16 has it as 1)."""
    with mp.workdps(60):
        h, gamma = mp.mpf(10) ** -6, [mp.mpf(g.numerator) / g.denominator for g in adams.bashforth(k + 2)]
        differences, rows = [], [mp.exp(-j * h) for j in range(k + 1)]
        while rows:
            differences.append(rows[0])
            rows = [a - b for a, b in pairwise(rows)]
        p = 1 + h * sum(g * d for g, d in zip(gamma, differences[:k], strict=False))
        x = p + h * gamma[k] * (p - sum(differences[:k]))
        estimate = h ** (k + 2) * (gamma[k + 1] - gamma[k])
        assert float((mp.exp(h) - x) / estimate) == pytest.approx(ratio, abs=2e-5 * abs(ratio) ** 2)  # terms of order h


def test_example_7_4_5_by_pece():
    """x' = x, h = 1/10: predictor of order k, corrector of order k + 1, k = 1, 2, 3, in fractions."""
    h, gamma = F(1, 10), adams.bashforth(6)
    x, past, corrected = F(1), [], []
    for k in range(1, 4):
        past.insert(0, x)
        differences, rows = [], past[:]
        while rows:
            differences.append(rows[0])
            rows = [a - b for a, b in pairwise(rows)]
        p = x + h * sum(g * d for g, d in zip(gamma, differences[:k], strict=False))
        # x_c = x_p + h gamma_k nabla^k f_p, where nabla^k f_p = f_p minus its extrapolation from the past.
        x = p + h * gamma[k] * (p - sum(differences[:k]))
        corrected.append((p, x))
    assert corrected[0][1] == F(221, 200)
    assert corrected[1] == (F(4883, 4000), F(23447, 19200))
    assert corrected[2] == (F(621893, 460800), F(49752823, 36864000))


steps = st.lists(st.fractions(F(1, 10), F(3), max_denominator=20), min_size=13, max_size=13)
values = st.lists(st.fractions(-2, 2, max_denominator=20), min_size=13, max_size=13)


def divided(t, f):
    """f[t_0, ..., t_i] for every i."""
    out, row = [], list(f)
    for i in range(len(t)):
        out.append(row[0])
        row = [(row[j] - row[j + 1]) / (t[j] - t[j + i + 1]) for j in range(len(row) - 1)]
    return out


@given(steps, values, st.integers(1, 12))
@settings(max_examples=40)
def test_prediction_is_the_integral_of_the_interpolating_polynomial(steps, values, k):
    """The native formulas with unequal steps, against Newton's polynomial integrated exactly."""
    h, past = steps[0], steps[1:]
    t = [F(0)]
    for s in past[: k - 1]:
        t.append(t[-1] - s)
    c = divided(t, values[:k])
    phi, scale = np.zeros((14, 1)), F(1)
    for i in range(k):
        phi[i] = float(scale * c[i])
        if i + 1 < k:
            scale *= t[0] - t[i + 1]
    work = np.zeros(adams.room(1) + 16)
    work[3:17] = phi[:, 0]
    columns = work[adams.ROWS_OF_N :]
    columns[: len(past)] = [float(s) for s in past]
    adams.coefficients(k, float(h), columns)
    adams.predict(1, k, float(h), np.array([1.5]), work, columns)

    polynomial, base = [F(0)], [F(1)]
    for i in range(k):
        polynomial = [
            a + c[i] * b for a, b in zip([*polynomial, *[F(0)] * (len(base) - len(polynomial))], base, strict=True)
        ]
        base = [b - t[i] * a for a, b in zip([*base, F(0)], [F(0), *base], strict=True)]
    integral = sum(a * h ** (m + 1) / (m + 1) for m, a in enumerate(polynomial))
    size = max(1.0, float(sum(abs(a) * h ** (m + 1) for m, a in enumerate(polynomial))))
    assert work[3 + 28] == pytest.approx(float(F(3, 2) + integral), abs=1e-12 * size)  # rounding of 12 terms of that size
    # The extrapolated derivative is the polynomial's value at the new time.
    assert work[3 + 14] == pytest.approx(float(sum(a * h**m for m, a in enumerate(polynomial))), abs=1e-11 * size / float(h))


def test_native_agrees_with_python():
    rng = np.random.default_rng(3)
    a = rng.normal(size=adams.room(2) + 16)
    columns = a[adams.ROWS_OF_N * 2 :]
    columns[:16] = rng.uniform(0.5, 1.5, 16)
    b = a.copy()
    y = rng.normal(size=2)
    for work, coefficients, predict in (
        (a, adams.coefficients, adams.predict),
        (b, adams.coefficients.python, adams.predict.python),
    ):
        coefficients(7, 0.3, work[adams.ROWS_OF_N * 2 :])
        predict(2, 7, 0.3, y, work, work[adams.ROWS_OF_N * 2 :])
    np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)  # fused multiply-adds round differently


@pytest.mark.parametrize("tol", [1e-4, 1e-6, 1e-8, 1e-10])
def test_error_stays_near_the_tolerance(tol):
    """e^10, whose errors grow as it does: within ten times the tolerance, as good implementations do."""
    f, _ = growth()
    r = integrate(f, (0, 10), [1.0], method="adams", rtol=tol, atol=tol)
    assert abs(r.y_last[0] / np.exp(10) - 1) < 10 * tol
    assert r.nfev <= 2 * (r.steps + r.rejected) + 2  # two evaluations a step whatever the order


def test_interpolant_joins_the_steps_and_is_as_good_as_they_are():
    f, _ = oscillator()
    r = integrate(f, (0, 20), [1.0, 0.0], method="adams", rtol=1e-9, atol=1e-9, dense_output=True)
    t = np.linspace(0, 20, 2001)
    inside = np.abs(r.sol(t)[:, 0] - np.cos(t)).max()
    nodes = np.abs(r.y[:, 0] - np.cos(r.t)).max()
    assert inside < 1.5 * nodes
    for side in (-1e-9, 1e-9):  # continuous at the steps: what remains is the slope times the distance
        gap = r.sol(r.t[1:-1] + side) - r.y[1:-1]
        assert np.abs(gap).max() < 2e-9


def test_start_at_rest_does_not_leap():
    """f is zero at the start: the bound of Shampine and Gordon alone would try the whole span in one step."""
    f, _ = problem("late", 1, lambda t, y: [1 - cos(t)])
    r = integrate(f, (0, 50), [0.0], method="adams", rtol=1e-8, atol=1e-8)
    assert r.y_last[0] == pytest.approx(50 - np.sin(50), abs=1e-6)
