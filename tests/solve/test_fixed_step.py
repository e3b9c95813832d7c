"""The Runge-Kutta loop in native code: its order, its reference in Python, its speed."""

import time

import numpy as np
import pytest

from linkwright.compile import Function
from linkwright.graph import sin, symbols
from linkwright.solve.fixed_step import rk4, rk4_steps


@pytest.fixture(scope="module", autouse=True)
def code_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKWRIGHT_CACHE", str(tmp_path_factory.mktemp("code")))
        yield


@pytest.fixture(scope="module")
def riccati():
    """y' = (y - t)^2 + 1 - k (t - y): nonlinear and dependent on time; u = y - t obeys u' = u^2 + k u."""
    (t,), (y,), (k,) = symbols("t", 1), symbols("y", 1), symbols("k", 1)
    return Function("riccati", {"t": [t], "y": [y], "k": [k]}, {"dy": [(y - t) ** 2 + 1.0 - k * (t - y)]})


@pytest.fixture(scope="module")
def pendulum():
    (t,), q = symbols("t", 1), symbols("q", 2)
    return Function("pendulum", {"t": [t], "q": q}, {"dq": [q[1], -sin(q[0]) - 0.1 * q[1] + 0.3 * sin(2.0 * t)]})


def exact(t):
    """k = 0, y(0) = 1/2."""
    return t + 1.0 / (2.0 - t)


def test_order_four(riccati):
    errors = [abs(rk4(riccati, 0.0, [0.5], 1.0 / n, n, np.zeros(1))[0] - exact(1.0)) for n in (8, 16, 32, 64)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(orders - 4.0).max() < 0.15
    assert abs(orders[-1] - 4.0) < 0.03
    assert errors[-1] < 1e-8


def test_parameters_are_passed_on(riccati):
    """u' = u^2 + k u with k = 1: 1/u = (1/u0 + 1) e^-t - 1."""
    y = rk4(riccati, 0.0, [0.5], 0.005, 100, np.array([1.0]))
    assert y[0] - 0.5 == pytest.approx(1.0 / (3.0 * np.exp(-0.5) - 1.0), abs=1e-9)


def test_the_time_it_starts_at_counts(riccati):
    half = rk4(riccati, 0.0, [0.5], 0.01, 50, np.zeros(1))
    whole = rk4(riccati, 0.5, half, 0.01, 50, np.zeros(1))
    # the same steps; only the sum of the times is rounded differently
    assert whole == pytest.approx(rk4(riccati, 0.0, [0.5], 0.01, 100, np.zeros(1)), abs=1e-14)


def test_backwards(pendulum):
    start = np.array([1.0, -0.5])
    there = rk4(pendulum, 0.0, start, 0.01, 300)
    assert np.abs(there - start).max() > 0.1
    assert rk4(pendulum, 3.0, there, -0.01, 300) == pytest.approx(start, abs=1e-8)  # the error of order four, twice


def python_code(f):
    def call(ins, outs):
        for out, result in zip(outs, f(*ins), strict=True):
            out[...] = result

    return call


def test_as_in_python(pendulum):
    h, steps, n = 0.02, 200, 2
    results = []
    for run, code in ((rk4_steps, pendulum), (rk4_steps.python, python_code(pendulum))):
        y, ins, outs = np.array([1.0, 0.0]), [np.array([0.25]), np.empty(n)], [np.empty(n)]
        run(code, ins, outs, n, h, steps, y, np.empty(2 * n))
        results.append(np.append(y, ins[0]))
    assert results[0] == pytest.approx(results[1], abs=1e-13)  # 800 evaluations, a fused product here and there
    assert results[0][2] == pytest.approx(0.25 + h * steps)


def test_nothing_happens_in_no_steps(pendulum):
    start = np.array([1.0, 2.0])
    end = rk4(pendulum, 0.0, start, 0.1, 0)
    assert end.tolist() == [1.0, 2.0]
    end[0] = 5.0
    assert start[0] == 1.0  # a copy


def test_no_python_in_a_step(pendulum):
    steps = 100_000
    rk4(pendulum, 0.0, np.ones(2), 1e-4, 1)  # compiled now
    start = time.process_time()
    y = rk4(pendulum, 0.0, np.ones(2), 1e-4, steps)
    loop = (time.process_time() - start) / steps
    start = time.process_time()
    for _ in range(1000):
        pendulum([0.0], y)
    call = (time.process_time() - start) / 1000
    assert np.isfinite(y).all()
    # a step is four evaluations; one call from Python takes microseconds, a whole step in native code a fraction of one
    assert loop < call / 2
