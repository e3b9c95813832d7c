"""Stiff problems by Radau IIA, constrained motion by generalised alpha."""

import numpy as np
import pytest
from scipy.integrate import Radau
from scipy.integrate._ivp import radau as published

from initial_value import (
    PENDULUM_START,
    angle_pendulum,
    bump,
    dense,
    pendulum,
    pendulum_state,
    problem,
    robertson,
    run_pendulum,
    van_der_pol,
)
from linkwright.compile import Function
from linkwright.errors import ArgumentError
from linkwright.graph import cos, log, sin, symbol, symbols
from linkwright.solve import generalized_alpha, implicit, stepping
from linkwright.solve.integrate import Events, Integrator, integrate
from linkwright.solve.outside import Outside


# -- Radau -----------------------------------------------------------------------------------------------------------------
class ByNumpy(Outside):
    """The linear algebra of a problem with a given Jacobian, done outside of the loop."""

    def __init__(self, jac, fail=None):
        super().__init__(jac.inputs, 2)
        self.jac, self.fail, self.asked = jac, fail, []

    def linearise(self, t, y):
        self.asked.append("linearise")
        self.y, self.J = y, np.array(self.jac(np.array([t]), y)[0]).reshape(2, 2)

    def factor(self, real, pair):
        self.asked.append("factor")
        if self.fail is not None and len(self.asked) > 20:
            raise self.fail
        self.matrices = [s * np.eye(2) - self.J for s in (real, pair)]

    def solve(self, x):
        return np.linalg.solve(self.matrices[int(np.iscomplexobj(x))], x)

    def noise(self):
        return np.abs(self.J) @ np.abs(self.y)


def test_linear_algebra_outside_of_the_loop():
    """The same steps as with the matrix inside; what is raised outside ends the run and is kept."""
    f, jac = van_der_pol()
    told = {"method": "radau", "rtol": 1e-6, "atol": 1e-6}
    inside = integrate(f, (0, 2), [2.0, 0.0], jac=jac, **told)
    own = ByNumpy(jac)
    outside = integrate(f, (0, 2), [2.0, 0.0], jac=own, **told)
    assert (outside.steps, outside.rejected, outside.njev) == (inside.steps, inside.rejected, inside.njev)
    np.testing.assert_allclose(outside.y_last, inside.y_last, rtol=1e-9)
    assert own.asked.count("linearise") == outside.njev
    failing = ByNumpy(jac, fail=KeyError("lost"))
    r = integrate(f, (0, 2), [2.0, 0.0], jac=failing, **told)
    assert not r.success
    assert isinstance(failing.raised.error, KeyError)


def test_constants_are_the_published_ones():
    mu = [published.MU_REAL, published.MU_COMPLEX.real, published.MU_COMPLEX.imag]
    parts = [published.C, published.E, mu, published.T, published.TI, published.P]
    # T is found by an eigenvalue problem: rounding of its condition
    np.testing.assert_allclose(implicit.constants(), np.concatenate([np.ravel(p) for p in parts]), rtol=1e-12, atol=1e-14)


def test_robertson_over_eleven_decades():
    """Reference values of the IVP test set at t = 1e11."""
    f, jac = robertson()
    r = integrate(f, (0, 1e11), [1.0, 0.0, 0.0], method="radau", rtol=1e-9, atol=np.array([1e-12, 1e-18, 1e-12]), jac=jac)
    assert r.success
    np.testing.assert_allclose(r.y_last, [0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050], rtol=1e-6)
    assert r.steps < 3000  # an explicit method would need some 1e14, by stability
    assert r.y_last.sum() == pytest.approx(1.0, abs=1e-12)  # mass is a linear invariant


def test_stiff_van_der_pol():
    """epsilon = 1e-6; reference values of the IVP test set at t = 2."""
    f, jac = van_der_pol()
    for tol in (1e-5, 1e-8):
        r = integrate(f, (0, 2), [2.0, 0.0], method="radau", rtol=tol, atol=tol, jac=jac)
        np.testing.assert_allclose(r.y_last, [0.1706167732170483e1, -0.8928097010247975], rtol=30 * tol)
        assert r.steps < 4000  # of an explicit one: millions


def test_steps_are_scipys():
    """The same problem with the same Jacobian: the same work within a few per cent, the same answer within the tolerance."""
    f, jac = van_der_pol()
    r = integrate(f, (0, 2), [2.0, 0.0], method="radau", rtol=1e-6, atol=1e-6, jac=jac)
    peer = Radau(
        lambda t, y: f(np.array([t]), y)[0], 0.0, np.array([2.0, 0.0]), 2.0, rtol=1e-6, atol=1e-6,
        jac=lambda t, y: jac(np.array([t]), y)[0],
    )  # fmt: skip
    steps = 0
    while peer.status == "running":
        peer.step()
        steps += 1
    assert r.steps == pytest.approx(steps, rel=0.05)
    assert r.nfev == pytest.approx(peer.nfev, rel=0.05)
    assert r.nlu == pytest.approx(peer.nlu, rel=0.1)
    np.testing.assert_allclose(r.y_last, peer.y, rtol=1e-5)


def test_without_a_jacobian_differences_do():
    f, jac = van_der_pol()
    given = integrate(f, (0, 1), [2.0, 0.0], method="radau", rtol=1e-6, atol=1e-6, jac=jac)
    formed = integrate(f, (0, 1), [2.0, 0.0], method="radau", rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(formed.y_last, given.y_last, rtol=1e-5)
    assert formed.nfev > given.nfev


def test_a_stiff_problem_needs_no_more_steps_when_it_gets_stiffer():
    """Prothero and Robinson: y' = -k (y - cos t) - sin t."""
    counts = []
    for k in (1e3, 1e6, 1e9):
        f, jac = problem(f"prothero{k:.0f}", 1, lambda t, y, k=k: [-k * (y[0] - cos(t)) - sin(t)])
        r = integrate(f, (0, 10), [1.0], method="radau", rtol=1e-6, atol=1e-6, jac=jac)
        np.testing.assert_allclose(r.y[:, 0], np.cos(r.t), atol=1e-5)
        counts.append(r.steps)
    assert max(counts) < 200


# -- generalised alpha -----------------------------------------------------------------------------------------------------
def exact_pendulum(t):
    f, _ = angle_pendulum()
    return pendulum_state(integrate(f, (0, t[-1]), [0.0, 1.0], method="dop853", rtol=1e-13, atol=1e-14, t_eval=t).y)


def test_pendulum_under_step_control():
    t = np.linspace(0, 5, 101)
    exact = exact_pendulum(t)
    last = None
    for tol in (1e-3, 1e-4, 1e-5):
        r = run_pendulum(5.0, rtol=tol, atol=tol, t_eval=t)
        error = np.abs(r.y[:, [0, 1, 2, 3, 6]] - exact).max()
        assert error < 30 * tol
        assert last is None or error < 0.3 * last
        last = error


def test_both_constraints_hold_in_the_stabilised_form():
    r = run_pendulum(5.0, first_step=0.01, rtol=1e-10, atol=1e-10, adaptive=False)
    x, y, u, v = r.y[:, :4].T
    assert np.abs(x * x + y * y - 1).max() < 1e-9
    assert np.abs(x * u + y * v).max() < 1e-9
    index3 = run_pendulum(5.0, first_step=0.01, rtol=1e-10, atol=1e-10, adaptive=False, stabilised=False)
    x, y, u, v = index3.y[:, :4].T
    assert np.abs(x * x + y * y - 1).max() < 1e-9
    assert 1e-8 < np.abs(x * u + y * v).max() < 1e-2  # the hidden one only to the order of the method


def test_parameters_of_chung_and_hulbert_and_of_hht():
    for rho in (0.0, 0.5, 0.8, 1.0):
        m, f, beta, gamma = generalized_alpha.constants(rho)[:4]
        assert gamma == pytest.approx(0.5 + f - m)  # order two
        assert beta == pytest.approx(0.25 * (1 + f - m) ** 2)
        assert (m, f) == pytest.approx(((2 * rho - 1) / (rho + 1), rho / (rho + 1)))
    m, f, beta, gamma = generalized_alpha.hht_constants(-0.1)[:4]
    assert (m, f, beta, gamma) == pytest.approx((0.0, 0.1, 1.1**2 / 4, 0.6))
    with pytest.raises(ArgumentError):
        generalized_alpha.constants(1.5)
    with pytest.raises(ArgumentError, match="hht"):
        generalized_alpha.hht_constants(0.1)
    with pytest.raises(ArgumentError, match="no option 'rho'") as caught:
        run_pendulum(1.0, options={"rho": 0.5})
    assert "rho_inf" in caught.value.remedy


def spring(k):
    """One mass on a spring, no constraint: state (q, v, vdot)."""
    t, q, v, a, d = symbol("t"), symbols("q", 1), symbols("v", 1), symbols("a", 1), symbols("d", 1)
    inputs = {"t": [t], "y": np.concatenate([q, v, a]), "d": d}
    none = np.zeros((0,))
    residual = Function(f"spring{k:g}", inputs, {"R": a + k * q, "Phi": none, "Phi_dot": none})
    matrices = Function(f"spring{k:g}_m", inputs, {"M": [[1.0]], "C": [[0.0]], "K": [[k]], "Phi_v": np.zeros((0, 1))})
    return residual, matrices, Function("spring_q", inputs, {"q": q + d})


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_fast_oscillations_die_at_the_chosen_rate(rho):
    """At infinite stiffness the state shrinks by rho_inf at each step (in the mean: the roots may be complex)."""
    residual, matrices, retract = spring(1e14)
    r = integrate(
        residual, (0, 60), [1e-3, 0.0, -1e11], method="generalized-alpha", jac=matrices, project=retract, sizes=(1, 1, 0),
        first_step=1.0, rtol=1e-9, atol=1e-14, options={"rho_inf": rho, "adaptive": False},
    )  # fmt: skip
    assert r.steps == 60
    size = np.abs(r.y[:, 0]) + 1e-300
    if rho == 0.0:
        assert size[5] < 1e-12
    else:  # a double root: j rho^j, so the ratio over ten steps tends to rho^10 from above
        assert (size[60] / size[50]) ** 0.1 == pytest.approx(rho, rel=0.05)


def test_energy_of_a_resolved_oscillation_is_kept_for_rho_one():
    residual, matrices, retract = spring(1.0)
    r = integrate(
        residual, (0, 100), [1.0, 0.0, -1.0], method="generalized-alpha", jac=matrices, project=retract, sizes=(1, 1, 0),
        first_step=0.1, rtol=1e-12, atol=1e-12, options={"rho_inf": 1.0, "adaptive": False},
    )  # fmt: skip
    energy = r.y[:, 0] ** 2 + r.y[:, 1] ** 2
    assert np.abs(energy[-200:] - 1).max() < 0.01  # bounded, of the order h^2, no drift
    phase = np.unwrap(np.arctan2(-r.y[:, 1], r.y[:, 0]))[-1]
    assert phase == pytest.approx(100, abs=0.2)  # the period is longer by h^2/12 and a bit


def test_a_residual_that_is_no_number_is_reported():
    t, q, v, a, d = symbol("t"), symbols("q", 1), symbols("v", 1), symbols("a", 1), symbols("d", 1)
    inputs = {"t": [t], "y": np.concatenate([q, v, a]), "d": d}
    none = np.zeros((0,))
    residual = Function("ending", inputs, {"R": a - log(1 - t), "Phi": none, "Phi_dot": none})
    _, matrices, retract = spring(1.0)
    r = integrate(
        residual, (0, 2), [0.0, 0.0, 0.0], method="generalized-alpha", jac=matrices, project=retract, sizes=(1, 1, 0)
    )
    assert r.status == stepping.NOT_FINITE
    assert r.t_last == pytest.approx(1.0, abs=1e-4)


def test_a_constraint_told_twice():
    """Regularised, lam is shared evenly (the smallest that fits): a push of 3 against it, and free fall beside it."""
    t, q, v, a = symbol("t"), symbols("q", 2), symbols("v", 2), symbols("a", 2)
    lam, d = symbols("lam", 2), symbols("d", 2)
    inputs = {"t": [t], "y": np.concatenate([q, v, a, lam]), "d": d}
    Phi_v = np.array([[1.0, 0.0], [1.0, 0.0]])
    R = a + Phi_v.T @ lam - np.array([3.0, -1.0])
    residual = Function("twice", inputs, {"R": R, "Phi": Phi_v @ q, "Phi_dot": Phi_v @ v})
    matrices = Function("twice_m", inputs, {"M": np.eye(2), "C": 0 * np.eye(2), "K": 0 * np.eye(2), "Phi_v": Phi_v})
    retract = Function("twice_q", inputs, {"q": q + d})
    for stabilised in (True, False):
        r = integrate(
            residual, (0, 1), [0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0], method="generalized-alpha", jac=matrices,
            project=retract, sizes=(2, 2, 2), options={"stabilised": stabilised},
        )  # fmt: skip
        assert r.success
        assert r.y_last == pytest.approx(
            [0, -0.5, 0, -1, 0, -1, 1.5, 1.5], abs=1e-6
        )  # lam: by COMPLIANCE of it each iteration


def test_a_singular_matrix_is_reported():
    """No mass and nothing that holds."""
    t, q, v, a, d = (symbol("t"), *(symbols(x, 1) for x in "qvad"))
    inputs = {"t": [t], "y": np.concatenate([q, v, a]), "d": d}
    none = np.zeros((0,))
    residual = Function("loose", inputs, {"R": q - 1, "Phi": none, "Phi_dot": none})
    nothing = np.zeros((1, 1))
    matrices = Function("loose_m", inputs, {"M": nothing, "C": nothing, "K": nothing, "Phi_v": np.zeros((0, 1))})
    retract = Function("loose_q", inputs, {"q": q + d})
    r = integrate(
        residual, (0, 1), [0.0, 0.0, 0.0], method="generalized-alpha", jac=matrices, project=retract, sizes=(1, 1, 0)
    )
    assert r.status == stepping.SINGULAR
    assert r.t_last == 0.0


def test_event_and_restart():
    """The pendulum passes its lowest point: its time from the same event of the reduced equation."""
    residual, matrices, retract = pendulum()
    t, y, d = (
        symbol("t"),
        np.concatenate([symbols("q", 2), symbols("v", 2), symbols("a", 2), symbols("lam", 1)]),
        symbols("d", 2),
    )
    low = Events(Function("low", {"t": [t], "y": y, "d": d}, {"g": [y[0]]}), [0], [1])
    z = symbols("y", 2)
    same = Events(Function("same", {"t": [t], "y": z}, {"g": [cos(z[0])]}), [0], [1])
    f, _ = angle_pendulum()
    exact = integrate(f, (0, 50), [0.0, 1.0], method="dop853", rtol=1e-12, atol=1e-12, events=same)
    it = Integrator(
        residual, PENDULUM_START, method="generalized-alpha", jac=matrices, project=retract, sizes=(2, 2, 1), events=low,
        options={"adaptive": False},
    )  # fmt: skip
    it.restart(0.0, PENDULUM_START, first_step=1e-3)
    r = it.run(50.0)
    assert r.status == stepping.EVENT
    assert r.t_last == pytest.approx(exact.t_last, abs=1e-5)  # h^2
    assert abs(r.y_last[0]) < 1e-12


def test_rotations_are_displaced_not_added():
    """A free rigid body with a rotation vector as displacement: omega of a symmetric top turns at its known rate.

    q are the Euler parameters, kept at length one by the retraction alone; constraints there are none.
    """
    t, p, w, a, d = symbol("t"), symbols("p", 4), symbols("w", 3), symbols("a", 3), symbols("d", 3)
    J = np.array([1.0, 1.0, 2.0])
    inputs = {"t": [t], "y": np.concatenate([p, w, a]), "d": d}
    R = J * a + np.cross(w, J * w)
    half = 0.5 * d
    # Cayley's map: (1, d/2) normalised, exact to third order
    turn = np.array([1.0, *half], dtype=object) / ((1.0 + half @ half) ** 0.5)
    e0, e = p[0], p[1:]
    product = np.array([e0 * turn[0] - e @ turn[1:], *(e0 * turn[1:] + turn[0] * e + np.cross(e, turn[1:]))], dtype=object)
    none = np.zeros((0,))
    residual = Function("top", inputs, {"R": R, "Phi": none, "Phi_dot": none})
    matrices = Function(
        "top_m", inputs, {"M": np.diag(J), "C": dense(R, w), "K": np.zeros((3, 3)), "Phi_v": np.zeros((0, 3))}
    )
    retract = Function("top_q", inputs, {"q": product})
    omega = np.array([0.3, 0.0, 1.0])
    start = np.concatenate([[1.0, 0, 0, 0], omega, -np.cross(omega, J * omega) / J])
    errors = []
    for h in (0.02, 0.01):
        r = integrate(
            residual, (0, 6), start, method="generalized-alpha", jac=matrices, project=retract, sizes=(4, 3, 0),
            first_step=h, rtol=1e-11, atol=1e-11, options={"adaptive": False},
        )  # fmt: skip
        # Euler: omega_x + i omega_y = 0.3 exp(i (J3 - J1)/J1 omega_z t)
        exact = 0.3 * np.exp(1j * r.t)
        assert np.abs((r.y[:, :4] ** 2).sum(axis=1) - 1).max() < 1e-13
        # angular momentum in space is constant
        L = np.array([rotate(q, J * v) for q, v in zip(r.y[:, :4], r.y[:, 4:7], strict=True)])
        errors.append([np.abs(r.y[:, 4] + 1j * r.y[:, 5] - exact).max(), np.abs(L - J * omega).max()])
    np.testing.assert_allclose(np.log2(np.divide(*errors)), 2.0, atol=0.15)


def rotate(p, v):
    u = np.asarray(p[1:])
    return v + 2 * p[0] * np.cross(u, v) + 2 * np.cross(u, np.cross(u, v))


def test_bump_by_radau_reports_its_work():
    f, jac = bump()
    r = integrate(f, (0, 5), [1.0, 0.0], method="radau", jac=jac)
    assert r.njev >= 1
    assert r.nlu % 2 == 0
    assert r.nfev > 3 * r.steps
