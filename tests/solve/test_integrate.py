"""Integration of y' = f(t, y): against scipy's steps, closed orbits, failures with their time, projection, output."""

from dataclasses import replace
from functools import cache, partial
from types import CellType, FunctionType, ModuleType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import DOP853, RK45
from scipy.integrate._ivp import dop853_coefficients as published
from scipy.linalg import expm

from initial_value import (
    ARENSTORF_PERIOD,
    ARENSTORF_START,
    KEPLER_START,
    angle_pendulum,
    arenstorf,
    bump,
    bump_solution,
    kepler,
    oscillator,
    pendulum_state,
    problem,
)
from linkwright.compile import Function, Native, Pointers, native
from linkwright.compile.bound import Bound
from linkwright.errors import ArgumentError
from linkwright.graph import cos, log, sqrt, symbol, symbols
from linkwright.solve import methods, stepping, tableaus
from linkwright.solve.integrate import Events, integrate
from linkwright.solve.runge_kutta import weighted

EXPLICIT = ["dopri5", "dop853", "adams"]
CONTROLLED = [*EXPLICIT, "radau"]


@cache
def linear():
    return problem("linear", 3, lambda t, y, p: list(p.reshape(3, 3) @ y), parameters=9)


# -- coefficients and steps ------------------------------------------------------------------------------------------
def test_coefficients_are_the_published_ones():
    s = 12
    flat = [
        published.C[:s], published.A[:s, :s], published.B, published.E5, published.E3, published.C[s + 1 :],
        published.A[s + 1 :], published.D,
    ]  # fmt: skip
    np.testing.assert_array_equal(tableaus.dop853(), np.concatenate([np.ravel(x) for x in flat]))
    five = [RK45.C, np.pad(RK45.A, ((0, 0), (0, 1))), RK45.B, RK45.E, RK45.P]
    np.testing.assert_array_equal(tableaus.dopri5(), np.concatenate([np.ravel(x) for x in five]))


@pytest.mark.parametrize(("ours", "theirs"), [(methods.DOPRI5, RK45), (methods.DOP853, DOP853)])
@pytest.mark.parametrize("tol", [1e-4, 1e-9])
def test_steps_are_scipys(ours, theirs, tol):
    """With scipy's control (no integral part, the same factors) every step is the same, up to the last, which we stretch."""
    f, _ = kepler()
    same = replace(ours, beta=0.0, least=0.2, most=10.0, safety=0.9)
    r = integrate(f, (0, 20), KEPLER_START, method=same, rtol=tol, atol=tol)
    peer = theirs(lambda t, y: f(np.array([t]), y)[0], 0.0, KEPLER_START, 20.0, rtol=tol, atol=tol)
    t, y = [0.0], [KEPLER_START]
    while peer.status == "running":
        peer.step()
        t.append(peer.t)
        y.append(peer.y)
    k = len(t) - 2
    assert abs(len(r.t) - len(t)) <= 1
    # The same arithmetic in another order: rounding grows along a chaotic sequence of decisions.
    np.testing.assert_allclose(r.t[:k], t[:k], rtol=1e-7)
    np.testing.assert_allclose(r.y[:k], y[:k], rtol=0, atol=1e-6)


def test_the_integral_part_calms_steps_at_the_limit_of_stability():
    """Hairer and Wanner II, IV.2: without it every sixth step is rejected there, with it hardly any."""
    f, _ = problem("limit", 1, lambda t, y: [-2000.0 * (y[0] - cos(t))])
    rejected = {
        beta: integrate(f, (0, 2), [0.0], method=replace(methods.DOPRI5, beta=beta), rtol=1e-4, atol=1e-4).rejected
        for beta in (0.0, methods.DOPRI5.beta)
    }
    assert rejected[methods.DOPRI5.beta] < 20 < 100 < rejected[0.0]


@pytest.mark.parametrize("method", CONTROLLED)
def test_error_is_proportional_to_the_tolerance(method):
    f, jac = bump()
    tolerances = np.array([1e-6, 1e-8, 1e-10, 1e-12])
    errors = []
    for tol in tolerances:
        r = integrate(f, (0, 10), [1.0, 0.0], method=method, rtol=tol, atol=tol, jac=jac, t_eval=np.linspace(0, 10, 101))
        errors.append(np.abs(r.y - bump_solution(r.t)).max())
    assert np.polyfit(np.log(tolerances), np.log(errors), 1)[0] == pytest.approx(1.0, abs=0.2)
    assert (errors < 100 * tolerances).all()  # sums of some tens of local errors; of dop853 the interpolant's


@pytest.mark.parametrize(
    ("method", "tol", "miss"), [("dopri5", 1e-11, 1e-4), ("dop853", 1e-12, 1e-5), ("adams", 1e-12, 1e-4)]
)
def test_arenstorf_orbit_closes(method, tol, miss):
    """Errors grow by five orders along this orbit."""
    f, _ = arenstorf()
    r = integrate(f, (0, ARENSTORF_PERIOD), ARENSTORF_START, method=method, rtol=tol, atol=tol)
    assert np.abs(r.y_last[:2] - ARENSTORF_START[:2]).max() < miss


@pytest.mark.parametrize("method", EXPLICIT)
def test_kepler_returns_and_keeps_its_energy(method):
    f, _ = kepler()
    t = np.linspace(0, 6 * np.pi, 200)
    r = integrate(f, (0, 6 * np.pi), KEPLER_START, method=method, rtol=1e-11, atol=1e-11, t_eval=t)
    energy = 0.5 * (r.y[:, 2] ** 2 + r.y[:, 3] ** 2) - 1 / np.hypot(r.y[:, 0], r.y[:, 1])
    np.testing.assert_allclose(energy, -0.5, atol=2e-9)
    np.testing.assert_allclose(r.y_last, KEPLER_START, atol=1e-7)


def test_there_and_back():
    f, _ = bump()
    there = integrate(f, (0, 5), [1.0, 0.0], method="dop853", rtol=1e-12, atol=1e-12)
    back = integrate(f, (5, 0), there.y_last, method="dop853", rtol=1e-12, atol=1e-12)
    assert back.t[0] == 5.0
    assert back.t_last == 0.0
    np.testing.assert_allclose(back.y_last, [1.0, 0.0], atol=1e-10)


# -- the reference -----------------------------------------------------------------------------------------------------
class Traced:
    """A traced function that Python calls as native code does: f(ins, outs)."""

    def __init__(self, function):
        self.function, self.inputs, self.outputs = function, function.inputs, function.outputs

    def __call__(self, ins, outs):
        for out, value in zip(outs, self.function(*ins), strict=True):
            out[: value.size] = value.ravel()


def reference(function):
    """The Python of a native function, calling the Python of all that it calls, by its name or as one of a module."""
    python = function.python
    used = python.__code__.co_names

    def called(v):
        if isinstance(v, ModuleType):
            return SimpleNamespace(**{k: called(x) if isinstance(x, Native) else x for k, x in vars(v).items() if k in used})
        return reference(v) if isinstance(v, Native) else v

    names = {k: called(v) for k, v in python.__globals__.items() if k in used}
    cells = [CellType(called(c.cell_contents)) for c in python.__closure__ or ()]
    return FunctionType(python.__code__, {**python.__globals__, **names}, python.__name__, None, tuple(cells))


class Interpreted:
    """A loop that runs as Python where an integrator expects native code: its arguments stay as they are."""

    def __init__(self, run):
        self.run = run

    def prepared(self, *args):
        call = partial(self.run, *args)
        call.passed = {}  # addresses for native code, which nobody reads here
        return call


@pytest.mark.parametrize("method", [methods.RK4, *[methods.METHODS[m] for m in CONTROLLED]], ids=lambda m: m.name)
def test_native_agrees_with_python(method):
    """The whole run, step for step: projection, an event, wanted times, interpolant."""
    f, jac, project = cartesian_pendulum()
    t, y = symbol("t"), symbols("y", 4)
    low = Function("low_point", {"t": [t], "y": y}, {"g": [y[0], y[2]]})
    options = {
        "rtol": 1e-6, "atol": 1e-6, "first_step": 0.05 if method.fixed else None, "t_eval": np.linspace(0, 4, 13),
        "dense_output": True,
    }  # fmt: skip
    start = [1.0, 0.0, 0.0, 1.0]
    a = integrate(
        f, (0, 4), start, method=method, jac=jac, project=project, events=Events(low, [0, 0], [0, 0]), **options
    )  # fmt: skip
    python = replace(method, loops=(Interpreted(reference(method.run)),) * 2)
    b = integrate(
        Traced(f), (0, 4), start, method=python, jac=Traced(jac), project=Traced(project),
        events=Events(Traced(low), [0, 0], [0, 0]), **options,
    )  # fmt: skip
    assert (a.steps, a.rejected, a.nfev, a.njev, a.nlu) == (b.steps, b.rejected, b.nfev, b.njev, b.nlu)
    # Fused multiply-adds round differently; an error estimate has that in its tenth digit, and so have times of steps.
    np.testing.assert_allclose(a.y, b.y, atol=1e-9)
    np.testing.assert_allclose(a.sol.values, b.sol.values, atol=1e-7)
    assert [len(e) for e in a.t_events] == [len(e) for e in b.t_events] == [1, 2]
    for one, other in zip(a.t_events, b.t_events, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


@given(
    st.lists(st.floats(-2, 2), min_size=9, max_size=9), st.lists(st.floats(-3, 3), min_size=3, max_size=3),
    st.floats(-3, 3).filter(lambda t: abs(t) > 0.01), st.sampled_from([*EXPLICIT, "radau"]),
)  # fmt: skip
@settings(max_examples=40)
def test_linear_systems_forward_and_backward(matrix, start, t_end, method):
    """y = exp(A t) y0, within a hundred tolerances of the largest state on the way."""
    f, jac = linear()
    A = np.array(matrix).reshape(3, 3)
    r = integrate(
        f, (0, t_end), start, method=method, rtol=1e-8, atol=1e-10, jac=jac, parameters=[matrix], t_eval=[t_end / 2, t_end]
    )  # fmt: skip
    exact = np.array([expm(A * t) @ start for t in r.t])
    # local errors are carried on by the flow from wherever they arise
    growth = max(np.linalg.norm(expm(A * s), 2) for s in np.linspace(0, t_end, 9))
    size = max(np.abs(exact).max(), np.abs(start).max())
    assert np.abs(r.y - exact).max() <= 1e-6 * growth * (size + 1e-2)


# -- failures ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", CONTROLLED)
def test_blow_up_is_reported_with_its_time(method):
    """y' = y^2 from 1 is 1/(1 - t): it ends at t = 1."""
    f, jac = problem("square", 1, lambda t, y: [y[0] ** 2])
    r = integrate(f, (0, 2), [1.0], method=method, rtol=1e-8, atol=1e-8, jac=jac)
    assert r.status in (stepping.UNDERFLOW, stepping.NOT_FINITE, stepping.NO_CONVERGENCE)
    assert not r.success
    assert r.t_last == pytest.approx(1.0, abs=1e-5)
    assert f"{r.t_last:.15g}" in r.message
    assert r.y_last[0] > 1e5  # the state it got to


@pytest.mark.parametrize("method", ["rk4", *CONTROLLED])
def test_a_right_side_that_stops_being_a_number(method):
    f, jac = problem("ends", 1, lambda t, y: [log(1 - t)])
    r = integrate(f, (0, 2), [0.0], method=method, first_step=0.01, jac=jac)
    assert r.status == stepping.NOT_FINITE
    assert r.t_last == pytest.approx(1.0, abs=0.011 if method == "rk4" else 1e-6)
    assert np.isfinite(r.y).all()


@pytest.mark.parametrize("method", ["rk4", *CONTROLLED])
def test_not_a_number_at_the_start(method):
    f, jac = problem("never", 1, lambda t, y: [sqrt(-1 - y[0] ** 2)])
    r = integrate(f, (0, 1), [0.0], method=method, first_step=0.1, jac=jac)
    assert r.status == stepping.NOT_FINITE
    assert r.t_last == 0.0


def test_steps_used_up():
    f, _ = oscillator()
    r = integrate(f, (0, 1000), [1.0, 0.0], max_steps=50)
    assert r.steps == 50
    assert not r.success
    assert "50" not in r.message or r.t_last < 1000


def test_stiffness_is_noticed():
    """y' = -2000 (y - t): stability rules nearly every step of an explicit method, and none of the gentle problem."""
    f, _ = problem("stiff", 1, lambda t, y: [-2000.0 * (y[0] - symbol("t"))])
    r = integrate(f, (0, 2), [0.0], rtol=1e-3, atol=1e-3)
    assert r.stiff > 0.5 * r.steps
    g, _ = bump()
    assert integrate(g, (0, 10), [1.0, 0.0], rtol=1e-3, atol=1e-3).stiff == 0


@pytest.mark.parametrize(
    ("options", "element"),
    [
        ({"method": "euler"}, "method"),
        ({"method": "rk4"}, "rk4"),
        ({"t_eval": [0.0, 2.0]}, "t_eval"),
        ({"t_eval": [0.5, 0.2]}, "t_eval"),
        ({"rtol": [1e-3, 1e-3, 1e-3]}, "rtol"),
        ({"atol": -1.0}, "rtol"),
        ({"weight": [0.0, 0.0]}, "rtol"),
        ({"max_step": 0.0}, "max_step"),
        ({"first_step": -1.0}, "first_step"),
        ({"parameters": [1.0]}, "f"),
        ({"t_span": (0, 0)}, "t_span"),
        ({"t_span": (0, np.inf)}, "t_span"),
        ({"method": "generalized-alpha"}, "generalized-alpha"),
    ],
)
def test_wrong_arguments_are_named(options, element):
    f, _ = oscillator()
    with pytest.raises(ArgumentError) as caught:
        integrate(f, **{"t_span": (0, 1), "y0": [1.0, 0.0], **options})
    assert caught.value.element == (element,)


def test_wrong_sizes_of_functions_are_named():
    f, jac = oscillator()
    with pytest.raises(ArgumentError, match="outputs of sizes") as caught:
        integrate(f, (0, 1), [1.0, 0.0], method="radau", jac=f)
    assert caught.value.element == ("jac",)
    with pytest.raises(ArgumentError, match="inputs of sizes"):
        integrate(jac, (0, 1), [1.0, 0.0, 0.0])


# -- projection and weights ------------------------------------------------------------------------------------------------
def cartesian_pendulum():
    """u' = -lam x, v' = -lam y - 1 with lam = u^2 + v^2 - y over x^2 + y^2; its projection onto the circle."""
    t, y = symbol("t"), symbols("y", 4)
    r2 = y[0] ** 2 + y[1] ** 2
    lam = (y[2] ** 2 + y[3] ** 2 - y[1]) / r2
    f, jac = problem("cartesian", 4, lambda t, y: [y[2], y[3], -lam * y[0], -lam * y[1] - 1.0])
    r = sqrt(r2)
    along = (y[0] * y[2] + y[1] * y[3]) / r2
    out = [y[0] / r, y[1] / r, y[2] - along * y[0], y[3] - along * y[1]]
    return f, jac, Function("onto", {"t": [t], "y": y}, {"y": out})


@pytest.mark.parametrize("method", ["rk4", *CONTROLLED])
def test_projection(method):
    """The constraint holds to rounding at every output and nearly so between; the motion is as exact as without."""
    f, jac, project = cartesian_pendulum()
    angle, _ = angle_pendulum()
    t = np.linspace(0, 20, 301)
    exact = pendulum_state(integrate(angle, (0, 20), [0.0, 1.0], method="dop853", rtol=1e-13, atol=1e-14, t_eval=t).y)
    options = {
        "method": method, "rtol": 1e-8, "atol": 1e-8, "jac": jac, "t_eval": t,
        "first_step": 0.01 if method == "rk4" else None,
    }  # fmt: skip
    free = integrate(f, (0, 20), [1.0, 0.0, 0.0, 1.0], **options)
    held = integrate(f, (0, 20), [1.0, 0.0, 0.0, 1.0], project=project, dense_output=True, **options)
    off = np.abs(np.hypot(held.y[:, 0], held.y[:, 1]) - 1).max()
    slip = np.abs(held.y[:, 0] * held.y[:, 2] + held.y[:, 1] * held.y[:, 3]).max()
    assert max(off, slip) < 1e-14
    assert np.abs(np.hypot(free.y[:, 0], free.y[:, 1]) - 1).max() > 1e-10
    error = np.abs(held.y - exact[:, :4]).max()
    assert error < 2 * np.abs(free.y - exact[:, :4]).max()
    inside = held.sol(np.linspace(0, 20, 3001))
    assert np.abs(np.hypot(inside[:, 0], inside[:, 1]) - 1).max() < 1e-6
    if method != "radau":
        assert held.nfev <= 1.1 * free.nfev + 12  # no further evaluations


def test_a_projection_that_fails_is_reported():
    f, _, _ = cartesian_pendulum()
    t, y = symbol("t"), symbols("y", 4)
    broken = Function("broken", {"t": [t], "y": y}, {"y": [log(1 - t), y[1], y[2], y[3]]})
    r = integrate(f, (0, 20), [1.0, 0.0, 0.0, 1.0], project=broken)
    assert r.status in (stepping.PROJECTION, stepping.UNDERFLOW)
    assert r.t_last <= 1.0


def test_error_control_on_some_components_only():
    """The second component oscillates fast; without weight it does not hold the steps."""
    f, _ = problem("mixed", 3, lambda t, y: [-y[0], 300.0 * y[2], -300.0 * y[1]])
    start, masked = [1.0, 1e-3, 0.0], np.array([1.0, 0.0, 0.0])
    whole = integrate(f, (0, 1), start, rtol=1e-8, atol=1e-8)
    part = integrate(f, (0, 1), start, rtol=1e-8, atol=1e-8, weight=masked)
    alone, _ = problem("alone", 1, lambda t, y: [-y[0]])
    single = integrate(alone, (0, 1), [1.0], rtol=1e-8, atol=1e-8)
    assert part.steps == single.steps < 0.2 * whole.steps
    assert part.y_last[0] == pytest.approx(np.exp(-1), abs=1e-7)


def test_a_native_function_as_right_side():
    @native
    def spin(ins: Pointers, outs: Pointers) -> None:
        outs[0][0] = ins[1][1]
        outs[0][1] = -ins[1][0]

    r = integrate(Bound(spin, [], {"t": (1,), "y": (2,)}, {"ydot": (2,)}), (0, 3), [1.0, 0.0], rtol=1e-10, atol=1e-10)
    assert r.y_last[0] == pytest.approx(np.cos(3), abs=1e-8)


def test_parameters():
    f, _ = problem("decay", 1, lambda t, y, p: [-p[0] * y[0]], parameters=1)
    for rate in (0.5, 2.0):
        r = integrate(f, (0, 1), [1.0], parameters=[rate], rtol=1e-10, atol=1e-12)
        assert r.y_last[0] == pytest.approx(np.exp(-rate), abs=1e-9)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 15, 16, 17])
def test_stages_are_summed_up_whatever_their_length(n):
    """Eight numbers at once, the last of them twice where n is no multiple: each is written once and for all."""
    rng = np.random.default_rng(n)
    K, weights, y, out = rng.normal(size=(5, n)), rng.normal(size=5), rng.normal(size=n), np.full(n, np.nan)
    weights[2] = 0.0
    for own in (0.0, 1.0):
        weighted(n, 5, weights, 0.3, K.reshape(-1), own, y, out)
        np.testing.assert_allclose(out, 0.3 * weights @ K + own * y, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("method", CONTROLLED)
def test_a_start_a_few_roundings_before_the_end(method):
    """An event may lie there; what is left is a step of its own, however short."""
    f, _ = oscillator()
    t0 = 1.0 - 4 * np.spacing(0.5)
    solution = integrate(f, (t0, 1.0), [1.0, 0.0], method=method)
    assert solution.status == stepping.FINISHED, solution.message
    assert solution.t_last == 1.0
    np.testing.assert_allclose(solution.y_last, [1.0, 0.0], rtol=0, atol=1e-14)  # 4e-16 s at speeds of about one
