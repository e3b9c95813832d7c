"""What an integrator gives out: wanted times, blocks, sinks, interrupts, a solution between its steps."""

import os
import signal
import time

import numpy as np
import pytest

from initial_value import (
    bump,
    bump_solution,
    growth,
    oscillator,
)
from linkwright.compile import Function
from linkwright.graph import symbol, symbols
from linkwright.solve.integrate import TOO_MANY, Control, Integrator, integrate

CONTROLLED = ["dopri5", "dop853", "adams", "radau"]


@pytest.mark.parametrize("method", ["rk4", *CONTROLLED])
def test_wanted_times_do_not_change_the_steps(method):
    f, jac = bump()
    options = {"method": method, "first_step": 0.05, "jac": jac}
    every = integrate(f, (0, 10), [1.0, 0.0], **options)
    few = integrate(f, (0, 10), [1.0, 0.0], t_eval=[0.0, 3.3, 10.0], **options)
    many = integrate(f, (0, 10), [1.0, 0.0], t_eval=np.linspace(0, 10, 40001), **options)
    assert every.steps == few.steps == many.steps == len(every.t) - 1
    assert many.t.size == 40001  # several blocks
    np.testing.assert_array_equal(many.t, np.linspace(0, 10, 40001))
    np.testing.assert_array_equal(every.y[-1], few.y[-1])
    np.testing.assert_array_equal(every.y[-1], many.y[-1])
    np.testing.assert_array_equal(few.y[0], [1.0, 0.0])
    assert np.abs(many.y - bump_solution(many.t)).max() < 3e-4


def test_more_steps_than_a_block_holds():
    f, _ = oscillator()
    r = integrate(f, (0, 30), [1.0, 0.0], method="rk4", first_step=1e-3, dense_output=True)
    assert len(r.t) == 30001
    np.testing.assert_allclose(np.diff(r.t), 1e-3, rtol=1e-9)
    np.testing.assert_array_equal(r.sol.spans[1:, 0], r.sol.spans[:-1, 1])
    np.testing.assert_allclose(r.sol(r.t)[:, 0], np.cos(r.t), atol=1e-11)


def test_a_limit_of_steps_loses_no_output():
    """The block of output is full within the last step that is allowed: what is left of that step comes all the same."""
    f, _ = oscillator()
    wanted = np.linspace(0, 1, 200_001)
    for most in (1, 2, 3):
        r = integrate(f, (0, 1), [1.0, 0.0], method="rk4", first_step=0.2, t_eval=wanted, max_steps=most)
        assert r.status == TOO_MANY
        np.testing.assert_array_equal(r.t, wanted[wanted <= r.t_last])


def test_blocks_go_to_a_sink_and_are_not_kept():
    f, _ = oscillator()
    blocks = []
    r = integrate(f, (0, 10), [1.0, 0.0], t_eval=np.linspace(0, 10, 50001), sink=lambda t, y: blocks.append((t, y)))
    assert r.t.size == 0
    assert len(blocks) > 2
    t, y = (np.concatenate([b[k] for b in blocks]) for k in (0, 1))
    np.testing.assert_array_equal(t, np.linspace(0, 10, 50001))
    np.testing.assert_allclose(y[:, 0], np.cos(t), atol=1e-4)


def test_a_million_steps_cost_no_python():
    """Loose bound: Python alone takes several microseconds for one call of f, of which a step has four."""
    f, _ = oscillator()
    start = time.process_time()
    r = integrate(f, (0, 1000), [1.0, 0.0], method="rk4", first_step=1e-3, t_eval=[1000.0])
    took = time.process_time() - start
    assert r.steps == 1_000_000
    assert took < 5.0
    assert r.y_last[0] == pytest.approx(np.cos(1000), abs=1e-9)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_an_interrupt_is_heard():
    f, _ = oscillator()

    def stop(*_):
        raise KeyboardInterrupt

    integrate(f, (0, 1), [1.0, 0.0], method="rk4", first_step=1e-3)  # compiled before the clock runs
    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    start = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            integrate(f, (0, 1e9), [1.0, 0.0], method="rk4", first_step=1e-3, t_eval=[1e9])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)
    assert time.perf_counter() - start < 3.0 * max(1.0, os.getloadavg()[0])


def test_an_integrator_goes_on_where_it_was():
    f, _ = oscillator()
    it = Integrator(f, np.array([1.0, 0.0]), method="dop853", control=Control(1e-11, 1e-11))
    for t in (1.0, 2.5, 7.0):
        r = it.run(t)
        assert r.t_last == t == it.t
        assert r.y_last[0] == pytest.approx(np.cos(t), abs=1e-9)


def test_no_state():
    t = symbol("t")
    f = Function("nothing", {"t": [t], "y": symbols("y", 0)}, {"ydot": symbols("y", 0)})
    r = integrate(f, (0, 1), [], t_eval=[0.0, 0.5, 1.0])
    assert r.success
    assert r.y.shape == (3, 0)


def test_dense_output_of_a_growing_solution():
    f, _ = growth()
    for method, tol in (("dopri5", 1e-9), ("dop853", 1e-9), ("adams", 1e-9), ("radau", 1e-7)):
        r = integrate(f, (0, 3), [1.0], method=method, rtol=tol, atol=tol, dense_output=True)
        t = np.linspace(0, 3, 500)
        assert r.sol.t_min == 0.0
        assert np.abs(r.sol(t)[:, 0] / np.exp(t) - 1).max() < 50 * tol
        assert r.sol(1.0).shape == (1,)


@pytest.mark.parametrize("method", ["rk4", *CONTROLLED])
def test_looks_show_the_ends_of_the_steps_that_pass_them(method):
    """The same states, bit by bit, as where every step is shown; output is as without them, and they cost nothing."""
    f, jac = bump()
    wanted, looks = np.array([3.3, 10.0]), np.linspace(0.01, 9.99, 40)
    it = Integrator(f, np.array([1.0, 0.0]), method=method, control=Control(first_step=0.05), jac=jac)
    every = it.run(10.0)
    runs = []
    for more in (None, looks):
        it.restart(0.0, np.array([1.0, 0.0]), first_step=0.05)
        runs.append(it.run(10.0, t_eval=wanted, looks=more))
    plain, looked = runs
    assert looked.nfev == plain.nfev
    passing = np.unique(every.t[np.searchsorted(every.t, looks)])
    expected = np.sort(np.concatenate([passing, wanted]))
    np.testing.assert_array_equal(looked.t, expected)
    # where both are at one time the output comes first
    np.testing.assert_array_equal(looked.y[np.searchsorted(looked.t, wanted)], plain.y)
    np.testing.assert_array_equal(looked.y[np.searchsorted(looked.t, passing)], every.y[np.isin(every.t, passing)])


def test_many_looks_and_small_blocks():
    """Blocks that are full between output and looks lose neither."""
    f, _ = oscillator()
    wanted, looks = np.linspace(0.0005, 19.9995, 40_000), np.linspace(0.001, 19.999, 30_000)
    it = Integrator(f, np.array([1.0, 0.0]), method="rk4", control=Control(first_step=1e-3))
    r = it.run(20.0, t_eval=wanted, looks=looks)
    assert (np.diff(r.t) >= 0).all()
    assert np.isin(wanted, r.t).all()
    assert len(r.t) - len(wanted) == pytest.approx(20_000, rel=0.01)  # a look in each step, or two
    np.testing.assert_allclose(r.y[:, 0], np.cos(r.t), atol=1e-11)


@pytest.mark.parametrize(("rate", "rtol"), [(120.0, 1e-5), (120.0, 1e-8), (60.0, 1e-7), (120.0, 1e-10)])
def test_what_is_shown_within_steps_that_stability_rules(rate, rtol):
    """A fast mode that has long decayed, beside a slow one: an armature (-119/s or -58/s) and its wheel (-1/s, -2/s). In a
    step of |h| 60 = 24 after one of 5 a remnant grows 2000 times as much within the step as the estimate of its error."""
    x, y = symbols("y", 2)
    f = Function("motor", {"t": [symbol("t")], "y": [x, y]}, {"f": [20 * rate - rate * x - 5 * y, 25 * x]})
    t = np.linspace(0, 10, 4001)
    r = integrate(f, (0, 10), [0.0, 0.0], method="dop853", rtol=rtol, atol=0.1 * rtol, t_eval=t)
    values, V = np.linalg.eig([[-rate, -5.0], [25.0, 0.0]])
    c = np.linalg.solve(V, [0.0, 4 * rate])  # the wheel ends at 480 or 240 rad/s without current
    right = np.array([[0.0], [4 * rate]]) - V @ (c[:, None] * np.exp(np.outer(values, t)))
    # a step is as right as its interpolant: within 30 tolerances of numbers up to 480 or 240, as a mean square of two
    assert np.abs(r.y.T - right).max() < 30 * 4 * rate * rtol * np.sqrt(2)
