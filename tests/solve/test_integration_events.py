"""Events: located on the interpolant, in order of time, with the state exactly there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from initial_value import oscillator, problem
from linkwright.compile import Function
from linkwright.graph import sqrt, symbol, symbols
from linkwright.solve import stepping
from linkwright.solve.integrate import Control, Events, Integrator, integrate

METHODS = ["dopri5", "dop853", "adams", "radau", "rk4"]


def watch(name, n, law, direction, terminal):
    t, y = symbol("t"), symbols("y", n)
    code = Function(name, {"t": [t], "y": y}, {"g": np.array(law(t, y), dtype=object)})
    return Events(code, direction, terminal)


def clock():
    """y = t: one or two steps cross the whole span."""
    return problem("clock", 1, lambda t, y: [1.0 + 0.0 * y[0]])[0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("direction", [-1, 0])
def test_bouncing_ball(method, direction):
    """Impacts of a ball dropped from 1 m, restitution 0.7: t_k = sqrt(2/g) (1 + 2 (e + ... + e^k)), to 1e-10."""
    g, e = 9.81, 0.7
    f, jac = problem("ball", 2, lambda t, y: [y[1], -9.81])
    height = watch("height", 2, lambda t, y: [y[0]], [direction], [1])
    control = Control(1e-10, 1e-12, first_step=0.01 if method == "rk4" else None)
    ball = Integrator(f, np.array([1.0, 0.0]), method=method, jac=jac, events=height, control=control)
    times = []
    for _ in range(12):
        run = ball.run(10.0)
        assert run.status == stepping.EVENT
        assert run.terminal == 0
        assert run.t[-1] == run.t_last == run.t_events[0][0]
        times.append(run.t_last)
        ball.restart(run.t_last, np.array([0.0, -e * run.y_last[1]]), fired=[0])
    exact = np.sqrt(2 / g) * (1 + 2 * np.cumsum([0, *[e**k for k in range(1, 12)]]))
    np.testing.assert_allclose(times, exact, atol=1e-10, rtol=0)


def test_several_events_in_one_step_come_in_order():
    events = watch("marks", 1, lambda t, y: [y[0] - 7.0, y[0] - 2.5, y[0] - 2.5001, 1.0 - y[0]], [0] * 4, [0] * 4)
    r = integrate(clock(), (0, 10), [0.0], events=events, first_step=10.0)
    assert r.steps == 1
    for found, states, exact in zip(r.t_events, r.y_events, (7.0, 2.5, 2.5001, 1.0), strict=True):
        np.testing.assert_allclose(found, [exact], atol=1e-13)
        np.testing.assert_allclose(states, [[exact]], atol=1e-13)


def test_first_terminal_event_ends_the_run_and_hides_later_ones():
    events = watch("stops", 1, lambda t, y: [y[0] - 7.0, y[0] - 2.5, y[0] - 1.0], [0] * 3, [1, 1, 0])
    t_eval = np.array([0.0, 0.5, 2.0, 2.5, 3.0, 8.0])
    r = integrate(clock(), (0, 10), [0.0], events=events, first_step=10.0, t_eval=t_eval, dense_output=True)
    assert r.status == stepping.EVENT
    assert r.terminal == 1
    assert [len(t) for t in r.t_events] == [0, 1, 1]
    assert r.t_last == pytest.approx(2.5, abs=1e-14)
    np.testing.assert_allclose(r.y[:, 0], r.t, atol=1e-14)
    np.testing.assert_array_equal(r.t[:3], [0.0, 0.5, 2.0])
    assert len(r.t) <= 4  # nothing behind the event
    assert r.sol.t_max == r.t_last
    np.testing.assert_allclose(r.sol(np.array([0.3, 2.4]))[:, 0], [0.3, 2.4], atol=1e-14)


def test_terminal_count():
    f, _ = oscillator()
    events = watch("third", 2, lambda t, y: [y[0]], [0], [3])
    r = integrate(f, (0, 100), [1.0, 0.0], method="dop853", rtol=1e-12, atol=1e-12, events=events)
    np.testing.assert_allclose(r.t_events[0], np.pi * np.array([0.5, 1.5, 2.5]), atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_directions(method):
    f, jac = oscillator()
    events = watch("ways", 2, lambda t, y: [y[0], y[0], y[0]], [0, 1, -1], [0, 0, 0])
    step = 0.01 if method == "rk4" else None
    r = integrate(f, (0, 20), [1.0, 0.0], method=method, rtol=1e-11, atol=1e-11, events=events, jac=jac, first_step=step)
    both, up, down = r.t_events
    exact = np.pi * (np.arange(6) + 0.5)
    # the error of the phase after three turns: for rk4 with this step about 20 h^4/120
    np.testing.assert_allclose(both, exact, atol=5e-9)
    np.testing.assert_array_equal(down, both[::2])
    np.testing.assert_array_equal(up, both[1::2])
    assert np.abs(r.y_events[0][:, 0]).max() < 1e-12  # the state lies on the event


def test_event_at_the_start_does_not_fire_but_its_return_does():
    f, _ = oscillator()
    events = watch("home", 2, lambda t, y: [y[0]], [0], [1])
    for start in ([0.0, 1.0], [0.0, -1.0]):
        r = integrate(f, (0, 10), start, method="dop853", rtol=1e-12, atol=1e-12, events=events)
        assert r.t_last == pytest.approx(np.pi, abs=1e-10)


def test_an_early_return_after_the_start_is_not_missed():
    """g is zero at the start, positive up to 0.3, and negative at the first quarter of the only step."""
    events = watch("early", 1, lambda t, y: [y[0] * (0.3 - y[0])], [0], [1])
    r = integrate(clock(), (0, 10), [0.0], events=events, first_step=10.0)
    assert r.t_last == pytest.approx(0.3, abs=1e-13)


def test_a_restart_behind_the_crossing_by_rounding_does_not_fire_again():
    f, _ = oscillator()
    events = watch("home", 2, lambda t, y: [y[0]], [0], [1])
    for rounding in (-1e-13, 1e-13):
        it = Integrator(f, np.array([rounding, 1.0]), method="dop853", events=events, control=Control(1e-12, 1e-12))
        it.restart(0.0, it.y.copy(), fired=[0])
        assert it.run(10.0).t_last == pytest.approx(np.pi, abs=1e-10)


def test_grazing():
    """Parabolas within one step: two close crossings are found, a touch is none, a miss is none."""

    def law(t, y):
        return [
            (y[0] - 3.1) ** 2 - 1e-8,
            (y[0] - 5) ** 2 + 1e-12,
            (y[0] - 6.2) ** 2 - 1e-4,
            (y[0] - 8.9) ** 2 - 1e-8,
        ]

    r = integrate(clock(), (0, 10), [0.0], events=watch("graze", 1, law, [0, 0, 1, -1], [0] * 4), first_step=10.0)
    first, missed, leaving, entering = r.t_events
    np.testing.assert_allclose(first, [3.1 - 1e-4, 3.1 + 1e-4], atol=1e-12)
    assert len(missed) == 0
    np.testing.assert_allclose(leaving, [6.21], atol=1e-12)
    np.testing.assert_allclose(entering, [8.9 - 1e-4], atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_states_of_events_are_projected(method):
    """A point on the unit circle, pushed off it by the method and back by the projection."""
    t, y = symbol("t"), symbols("y", 2)
    f, jac = problem("turn", 2, lambda t, y: [-y[1], y[0]])
    project = Function("circle", {"t": [t], "y": y}, {"y": y / sqrt(y[0] ** 2 + y[1] ** 2)})
    events = watch("axis", 2, lambda t, y: [y[1]], [0], [0])
    r = integrate(
        f, (0, 20), [1.0, 0.0], method=method, jac=jac, project=project, events=events, rtol=1e-5, atol=1e-5, first_step=0.1
    )  # fmt: skip
    assert len(r.t_events[0]) == 6
    assert np.abs(np.hypot(*r.y_events[0].T) - 1).max() < 1e-15
    np.testing.assert_allclose(r.t_events[0], np.pi * np.arange(1, 7), atol=3e-3)


@given(st.lists(st.floats(0.05, 9.95), min_size=1, max_size=5, unique=True), st.sampled_from(["dopri5", "adams", "dop853"]))
def test_every_root_of_a_line_is_found(roots, method):
    n = len(roots)
    t, y, p = symbol("t"), symbols("y", 1), symbols("p", n)
    f = Function("clock_p", {"t": [t], "y": y, "p": p}, {"ydot": [1.0 + 0.0 * y[0]]})
    code = Function("roots", {"t": [t], "y": y, "p": p}, {"g": y[0] - p})
    r = integrate(f, (0, 10), [0.0], method=method, parameters=[roots], events=Events(code, [1] * n, [0] * n))
    np.testing.assert_allclose(np.concatenate(r.t_events), roots, atol=1e-12)


def test_backward_in_time():
    f, _ = oscillator()
    events = watch("back", 2, lambda t, y: [y[0]], [0], [0])
    r = integrate(f, (0, -5), [1.0, 0.0], method="dop853", rtol=1e-12, atol=1e-12, events=events)
    np.testing.assert_allclose(r.t_events[0], [-np.pi / 2, -3 * np.pi / 2], atol=1e-10)


def test_more_events_than_a_block_holds():
    f, _ = oscillator()
    events = watch("many", 2, lambda t, y: [y[0]], [0], [0])
    r = integrate(f, (0, 1000), [1.0, 0.0], method="dop853", rtol=1e-9, atol=1e-9, events=events)
    assert len(r.t_events[0]) == 318  # crossings at (k + 1/2) pi below 1000
    assert (np.diff(r.t_events[0]) > 3).all()


@pytest.mark.parametrize("method", METHODS)
def test_an_event_that_changes_nothing_leaves_steps_as_they_are(method):
    """A run that goes on after each of many terminal events is the run without events, to the last digit: states at wanted
    times, at the end, the steps. The interpolant is whole, and within 1e-6 of the cosine, as that of one run is."""
    f, jac = oscillator()
    marks = watch("marks", 2, lambda t, y: [y[0] - 0.3, y[1] - 0.7, t - 2.5], [0, 1, 0], [1, 1, 1])
    control, times = Control(1e-8, 1e-8, first_step=0.05 if method == "rk4" else None), np.linspace(0.1, 10.0, 57)
    plain, it = (Integrator(f, [1.0, 0.0], method=method, jac=jac, events=e, control=control) for e in (None, marks))
    whole = plain.run(10.0, t_eval=times)
    stretches, status = [], stepping.EVENT
    while status == stepping.EVENT:
        begin = it.t
        run = it.run(10.0, t_eval=times[times > begin], dense_output=True)
        stretches.append((begin, run))
        status = run.status
        if status == stepping.EVENT:
            it.go_on([run.terminal])
    assert len(stretches) > 5
    np.testing.assert_array_equal(np.concatenate([run.y for _, run in stretches]), whole.y)
    np.testing.assert_array_equal(run.y_last, whole.y_last)
    assert it.count[stepping.STEPS] == plain.count[stepping.STEPS]
    for begin, run in stretches:
        for t in np.linspace(begin, run.t_last, 7):
            np.testing.assert_allclose(run.sol(t)[0], np.cos(t), atol=1e-6)


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_a_step_across_a_kink_is_taken_again_to_end_there(method):
    """y' = |t - 1/3|, whose integral to 1 is 5/18: the steps on both sides know it but for rounding, whatever the tolerance.
    States that are shown, too: they come from the step that ends at the kink."""
    f, _ = problem("kink", 1, lambda t, y: [sqrt((t - 1.0 / 3.0) ** 2)])
    place = watch("place", 1, lambda t, y: [t - 1.0 / 3.0], [0], [1])
    marked = Events(place.code, [0], [1], [0])
    off = []
    for events in (place, marked):
        it = Integrator(f, np.zeros(1), method=method, events=events, control=Control(1e-3, 1e-3, first_step=0.3))
        times = np.linspace(0.0, 1.0, 61)
        first = it.run(1.0, t_eval=times)
        it.restart(first.t_last, first.y_last, fired=[0])
        rest = it.run(1.0, t_eval=times[times > first.t_last])
        assert (first.status, rest.status) == (stepping.EVENT, stepping.FINISHED)
        y, exact = np.concatenate([first.y, rest.y])[:, 0], (times - 1 / 3) * np.abs(times - 1 / 3) / 2 + 1 / 18
        off.append(np.abs(y - exact).max())
    assert off[0] > 1e-6
    assert off[1] < 1e-15
