"""Zeros that crowd within a step: all are found, however they lie between samples, or the run says that some may not be."""

import numpy as np
import pytest

from initial_value import problem
from linkwright.compile import Function
from linkwright.compile.called_back import CalledBack, Raised
from linkwright.graph import absolute, cos, sin, symbol, symbols
from linkwright.solve.integrate import Control, Events, Integrator, integrate

SPAN = 10.0


def clock():
    """y = t: one step crosses the whole span."""
    return problem("clock", 1, lambda t, y: [1.0 + 0.0 * y[0]])[0]


def run(*laws, method="dopri5", terminal=0):
    t, y = symbol("t"), symbols("y", 1)
    code = Function("crowd", {"t": [t], "y": y}, {"g": np.array([law(y[0]) for law in laws], dtype=object)})
    events = Events(code, [0] * len(laws), [terminal] * len(laws))
    it = Integrator(clock(), np.zeros(1), 0.0, method=method, events=events, control=Control(first_step=SPAN))
    return it.run(SPAN), it


# Parts are halves, quarters, ... of the span: of 0.8 pi 2^k the samples lie at like phases, for every length of parts
RATES = [0.3, 2.0, 17.0, 0.8 * np.pi * 64, 0.8 * np.pi * 2**10, 0.8 * np.pi * 1000, 0.8 * np.pi * 1031, 500 * np.pi, 5000.0]


@pytest.mark.parametrize("rate", RATES)
def test_every_zero_of_a_swing_is_found(rate):
    """sin(w y + 0.3) vanishes at y = (k pi - 0.3)/w; 1e-12: the last digits of times up to ten."""
    solution, it = run(lambda y: sin(rate * y + 0.3))
    exact = (np.arange(1, int((rate * SPAN + 0.3) / np.pi) + 1) * np.pi - 0.3) / rate
    assert solution.steps == 1
    np.testing.assert_allclose(solution.t_events[0], exact, atol=1e-12, rtol=0)
    np.testing.assert_allclose(solution.y_events[0][:, 0], exact, atol=1e-12, rtol=0)
    assert not it.missed.any()


def test_swings_on_a_slope_and_beside_other_functions():
    """Swings of 0.02 at 3,000 rad/s about a line through zero: 25 crossings near it, and one of a smooth function."""
    rate, size = 3000.0, 0.02
    solution, _ = run(lambda y: y - 4.0 + size * sin(rate * y), lambda y: y - 7.0)
    grid = np.linspace(0.0, SPAN, 4_000_001)
    values = grid - 4.0 + size * np.sin(rate * grid)
    assert len(solution.t_events[0]) == (values[1:] * values[:-1] < 0).sum() > 20
    np.testing.assert_allclose(solution.t_events[1], [7.0], atol=1e-13)


@pytest.mark.parametrize("zeros", [(0.3, 0.5, 7.0), (0.5, 6.9, 7.1), (2.6, 2.8, 9.0), (0.5, 9.3, 9.6), (5.2, 5.5, 8.0)])
def test_a_dip_in_a_part_with_another_zero(zeros):
    """Cubics: samples tell one change of sign, tangents that there are two more; 1e-12: the last digits of the times."""
    a, b, c = zeros
    solution, it = run(lambda y: (y - a) * (y - b) * (y - c))
    np.testing.assert_allclose(solution.t_events[0], zeros, atol=1e-12, rtol=0)
    assert not it.missed.any()


def test_kinks_cost_little_and_hide_nothing():
    """Sawteeth |sin| - 0.5: two zeros a tooth."""
    solution, it = run(lambda y: absolute(sin(40.0 * y)) - 0.5)
    assert len(solution.t_events[0]) == sum(
        0 < x <= SPAN for k in range(200) for x in ((k * np.pi + np.pi / 6) / 40, (k * np.pi + 5 * np.pi / 6) / 40)
    )
    assert not it.missed.any()


def test_rounding_is_not_looked_into():
    """A function that is zero but for rounding has no zeros that could be missed."""
    _, it = run(lambda y: sin(y) * sin(y) + cos(y) * cos(y) - 1.0)
    assert not it.missed.any()


def test_too_many_are_said_to_be_missed():
    solution, it = run(lambda y: sin(1e7 * y + 0.3), lambda y: y - 9.0)
    assert it.missed.tolist() == [1, 0]
    assert len(solution.t_events[0]) > 1000
    assert len(solution.t_events[1]) == 1


def test_a_terminal_event_in_the_crowd():
    solution, _ = run(lambda y: sin(2000.0 * y + 0.3), terminal=777)
    assert solution.t_last == pytest.approx((777 * np.pi - 0.3) / 2000.0, abs=1e-12)


class Counted(CalledBack):
    """g = y0 - 0.3 of an oscillator, in Python: how often it is asked."""

    def __init__(self):
        self.inputs, self.outputs, self.calls = {"t": (1,), "y": (2,)}, {"g": (1,)}, 0
        super().__init__(self.look, [1, 2], 1, Raised())

    def look(self, t, y):
        self.calls += 1
        return y[:1] - 0.3


@pytest.mark.parametrize("method", ["dopri5", "dop853", "adams", "radau"])
def test_smooth_functions_are_looked_at_six_times_a_step(method):
    """Four samples and two slopes; and the search of roots, fewer than twelve each."""
    f, jac = problem("swing", 2, lambda t, y: [y[1], -y[0]])
    code = Counted()
    solution = integrate(
        f, (0, 60), [1.0, 0.0], method=method, rtol=1e-8, atol=1e-10, jac=jac, events=Events(code, [0], [0])
    )  # fmt: skip
    roots = len(solution.t_events[0])
    assert roots == 19  # cos t = 0.3 at 2 pi k +- arccos 0.3
    assert code.calls <= 6.2 * solution.steps + 12 * roots + 4
