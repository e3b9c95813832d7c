"""Progress of simulations, and Ctrl-C that keeps what was computed."""

from __future__ import annotations

import signal
import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics import options as module
from linkwright.analyses.dynamics.whole.careful import CarefulEvents, CarefulMotion
from loaded_machines import bar_pendulum

LONG = {"t_end": 2000.0, "steps": 2000}


@pytest.mark.parametrize("method", ["dop853", "generalized-alpha"])
def test_progress_goes_from_start_to_end(method, monkeypatch):
    """Called between stretches of native code: in order, and for many steps at once."""
    monkeypatch.setattr(module, "PROGRESS_SECONDS", 0.0)
    told = []
    t_end = 200.0 if method == "dop853" else 5.0
    d = lw.dynamics(
        bar_pendulum(), t_start=1.0, t_end=1.0 + t_end, steps=2, method=method, progress=lambda *x: told.append(x)
    )
    t, part = np.array(told).T
    assert 1 < len(told) < d.audit.steps / 20
    assert (np.diff(t) > 0).all()
    assert part == pytest.approx((t - 1.0) / t_end)
    assert told[-1] == (1.0 + t_end, 1.0)


def test_progress_is_not_told_too_often():
    told = []
    d = lw.dynamics(bar_pendulum(), progress=lambda *x: told.append(x), **LONG)
    assert len(told) <= 2 + d.audit.wall_seconds / module.PROGRESS_SECONDS  # at once, every so often, and at the end


def test_the_end_of_a_brief_run_is_told():
    """Within one stretch of native code: nothing else would be said."""
    told = []
    lw.dynamics(bar_pendulum(), t_end=0.01, steps=1, progress=lambda *x: told.append(x))
    assert told[-1] == (0.01, 1.0)
    assert [t for t, _ in told].count(0.01) == 1


@pytest.mark.parametrize("method", ["adams", "generalized-alpha"])
def test_a_progress_that_wants_to_stop(method, monkeypatch):
    monkeypatch.setattr(module, "PROGRESS_SECONDS", 0.0)
    whole = lw.dynamics(bar_pendulum(), t_end=20.0, steps=200, method=method)

    def stop(t, part):
        if t > 4.0:
            raise KeyboardInterrupt

    with pytest.raises(lw.Interrupted) as caught:
        lw.dynamics(bar_pendulum(), t_end=20.0, steps=200, method=method, progress=stop)
    partial = caught.value.partial
    assert isinstance(caught.value, KeyboardInterrupt)
    assert not isinstance(caught.value, Exception)
    assert 4.0 - 0.1 < partial.t[-1] == caught.value.time < 20.0
    assert partial["bar.angle"] == pytest.approx(whole["bar.angle"][: len(partial.t)], abs=1e-3)
    assert partial.t == pytest.approx(whole.t[: len(partial.t)])  # nothing twice, nothing left out
    assert "pin.fx" in partial


@pytest.fixture
def alarm():
    """Raises KeyboardInterrupt a little after it is called, whatever Python does then: as Ctrl-C would."""

    def handler(number, frame):
        raise KeyboardInterrupt

    if not hasattr(signal, "setitimer"):
        pytest.skip("needs a timer signal")
    before = signal.signal(signal.SIGALRM, handler)
    yield lambda: signal.setitimer(signal.ITIMER_REAL, 0.05)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def check(interrupted):
    partial = interrupted.partial
    assert len(partial.t) > 1
    assert (np.diff(partial.t) > 0).all()
    assert np.isfinite(partial["bar.angle"]).all()
    assert interrupted.time == partial.t[-1]


def test_an_interrupt_from_outside(alarm):
    """The alarm is set while the integration goes on; it would take minutes."""
    first = []

    def progress(t, part):
        if not first:
            first.append(t)
            alarm()

    with pytest.raises(lw.Interrupted) as caught:
        lw.dynamics(bar_pendulum(), t_end=1e7, steps=1_000_000, progress=progress)
    check(caught.value)


@pytest.mark.filterwarnings("ignore:the law of law cannot be traced")
def test_an_interrupt_within_a_law_in_plain_python(alarm):
    """Native code calls the law and cannot pass exceptions on; the interrupt is not lost."""
    m, calls = bar_pendulum(), []

    def law(s, v, t):
        calls.append(t)
        if len(calls) == 500:
            alarm()
        return -1.0 if s > 0 else 1.0

    m.add(lw.Force("law", m["bar"].x, law))
    with pytest.raises(lw.Interrupted) as caught:
        lw.dynamics(m, t_end=60.0, steps=2000, method="dopri5", rtol=1e-6)
    check(caught.value)


@pytest.mark.filterwarnings("ignore:the law of law cannot be traced")
@pytest.mark.parametrize("entered", [CarefulMotion, CarefulEvents])
def test_an_interrupt_on_the_way_into_python(entered):
    """Signals are looked at where a function is entered, before any of its handlers: a profiler raises just there."""
    m, calls = bar_pendulum(), []
    m.add(lw.Force("law", m["bar"].x, lambda s, v, t: -1.0 if s > 0 else 1.0))

    def profile(frame, event, argument):
        if event == "call" and frame.f_code is entered._call.__code__:
            calls.append(frame)
            if len(calls) == 2000:
                sys.setprofile(None)
                raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        with pytest.raises(lw.Interrupted) as caught:
            lw.dynamics(m, t_end=10.0, steps=1000, method="dopri5", rtol=1e-6, events={"turn": "bar.alpha"})
    finally:
        sys.setprofile(before)
    check(caught.value)
    assert caught.value.time < 10.0
