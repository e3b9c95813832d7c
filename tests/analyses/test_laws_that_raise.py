"""Exceptions in laws of plain Python, called by native code or not: none is lost, whatever its kind, and the run ends."""

import sys
import threading

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics.whole.careful import CarefulMotion
from loaded_machines import bar_pendulum
from loop_machines import four_bars

pytestmark = pytest.mark.filterwarnings("ignore:the law of law cannot be traced")
METHODS = [
    {"method": "dopri5"}, {"method": "dop853", "formulation": "joint"}, {"method": "adams"}, {"method": "radau"},
    {"method": "rk4", "first_step": 1e-3}, {"method": "auto", "constraints": "stabilization"},
]  # fmt: skip


class Stop(BaseException):
    """No `Exception`: as SystemExit, or what a timer of a test raises."""


def once(error, when=0.1, then=1):
    """A law that raises at its `then`-th call after `when`, and never again."""
    calls = []

    def law(s, v, t):
        if t > when:
            calls.append(t)
            if len(calls) == then:
                raise error
        return -1.0 if s > 0 else 1.0

    return law


def pendulum(law):
    m = bar_pendulum()
    m.add(lw.Force("law", m["bar"].x, law))
    return m


@pytest.mark.parametrize("options", METHODS, ids=lambda x: x["method"])
def test_an_exception_of_a_law_ends_the_run(options, capfd):
    """It names the element, and the states before it are those of a run in which nothing is raised."""
    error = ValueError("no such force")
    with pytest.raises(lw.IntegrationError, match="raised ValueError: no such force") as caught:
        lw.dynamics(pendulum(once(error, then=5)), t_end=0.5, steps=50, **options)
    assert caught.value.element == ("law",)
    assert caught.value.__cause__ is error
    partial = caught.value.partial
    assert 0.0 < partial.t[-1] < 0.5
    whole = lw.dynamics(pendulum(once(error, np.inf)), t_end=0.5, steps=50, **options)
    # runs at rtol 1e-8 whose steps differ near the end
    assert partial["bar.angle"] == pytest.approx(whole["bar.angle"][: len(partial.t)], abs=1e-7)
    assert "ignored" not in capfd.readouterr().err


@pytest.mark.parametrize("options", METHODS, ids=lambda x: x["method"])
def test_other_exceptions_come_out_as_they_are(options):
    error = Stop()
    with pytest.raises(Stop) as caught:
        lw.dynamics(pendulum(once(error, then=5)), t_end=0.5, steps=50, **options)
    assert caught.value is error


@pytest.mark.parametrize("options", METHODS, ids=lambda x: x["method"])
def test_an_interrupt_in_a_law(options):
    with pytest.raises(lw.Interrupted) as caught:
        lw.dynamics(pendulum(once(KeyboardInterrupt(), then=5)), t_end=0.5, steps=50, **options)
    assert 0.0 < caught.value.time == caught.value.partial.t[-1] < 0.5


def test_a_law_that_goes_on_raising():
    """Its result cannot be computed: the reason is told all the same."""

    def law(s, v, t):
        if t > 0.1:
            law.dead = True
        if law.dead:
            raise RuntimeError("out of order")
        return -1.0 if s > 0 else 1.0

    law.dead = False
    with pytest.raises(lw.IntegrationError, match="out of order") as caught:
        lw.dynamics(pendulum(law), t_end=0.5, steps=50)
    assert caught.value.partial is None


def test_values_that_are_no_numbers_shorten_the_step():
    """A law that is not defined beyond the motion, at states that are only tried: the run goes on; else it names the law."""
    m = pendulum(lambda s, v, t: float("nan") if t > 0.3 else -1.0)
    assert lw.dynamics(m, t_end=0.3, steps=3, method="rk4", first_step=0.01).t[-1] == 0.3
    with pytest.raises(lw.IntegrationError, match="its law gave nan") as caught:
        lw.dynamics(m, t_end=0.5, steps=50)
    assert caught.value.element == ("law",)
    assert caught.value.time == pytest.approx(0.3, abs=1e-9)


@pytest.mark.parametrize("error", [ValueError("lost"), Stop(), KeyboardInterrupt()], ids=lambda x: type(x).__name__)
def test_raised_on_the_way_into_python(error, capfd):
    """Signals are looked at where a function is entered, before any of its handlers: a profiler raises just there."""
    m, calls = pendulum(once(error, np.inf)), []

    def profile(frame, event, argument):
        if event == "call" and frame.f_code is CarefulMotion._call.__code__:
            calls.append(frame)
            if len(calls) == 50:
                sys.setprofile(None)
                raise error

    kind = lw.Interrupted if isinstance(error, KeyboardInterrupt) else type(error)
    before, hook = sys.getprofile(), sys.unraisablehook
    sys.setprofile(profile)
    try:
        with pytest.raises(kind):
            lw.dynamics(m, t_end=10.0, steps=1000)
    finally:
        sys.setprofile(before)
    assert sys.unraisablehook == hook
    assert "ignored" not in capfd.readouterr().err


def test_runs_in_threads_hear_their_own():
    """Two runs at a time, ended in the order of their beginning."""
    hook, told, gate = sys.unraisablehook, {}, threading.Barrier(2)

    def work(name, when):
        ready = []

        def law(s, v, t):
            if t > 0.01 and not ready:
                ready.append(gate.wait(20))
            if t > when:
                raise ValueError(name)
            return -1.0 if s > 0 else 1.0

        try:
            lw.dynamics(pendulum(law), t_end=2.0, steps=10)
        except lw.IntegrationError as error:
            told[name] = str(error)

    threads = [threading.Thread(target=work, args=x) for x in (("first", 0.05), ("second", 0.5))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f"ValueError: {name}" in told[name] for name in ("first", "second"))
    assert sys.unraisablehook == hook


def test_events_of_reactions():
    """Their functions call the law, too: raised there after the last step, it is not forgotten."""
    m = pendulum(once(ValueError("late"), when=0.2999, then=1))
    with pytest.raises(lw.IntegrationError, match="late"):
        lw.dynamics(m, t_end=0.3, steps=3, method="rk4", first_step=0.01, events={"turn": "pin.fx - 1000"})


def test_large_machines():
    """Beyond fifty bodies machines run in loops; one with such a law is compiled as a whole."""
    m = four_bars(17, lean=0.3)
    m.add(lw.Force("law", m["c0"].x, once(ValueError("no such force"), when=1e-4)))
    with pytest.raises(lw.IntegrationError, match="no such force") as caught:
        lw.dynamics(m, t_end=1e-2, steps=10, method="dopri5", rtol=1e-4)
    assert caught.value.element == ("law",)


def driven(law):
    m = pendulum(law)
    m.add(lw.Driver("motor", m["pin"].angle, "0.1*t"))
    return m


def at_call(number, error):
    calls = []

    def law(s, v, t):
        if type(s) is float:
            calls.append(s)
            if len(calls) >= number:
                raise error
        return -1.0 if s > 0 else 1.0

    return law


@pytest.mark.parametrize("error", [ValueError("no such force"), Stop(), KeyboardInterrupt()], ids=lambda x: type(x).__name__)
def test_inverse_dynamics_and_equilibrium(error):
    kind = lw.ModelError if isinstance(error, Exception) else type(error)
    with pytest.raises(kind) as caught:
        lw.inverse_dynamics(driven(at_call(5, error)), t_end=1.0, steps=10)
    if not isinstance(error, Stop):
        assert len(caught.value.partial.t) == 11  # the motion, without forces
    if isinstance(error, KeyboardInterrupt):
        assert isinstance(caught.value, lw.Interrupted)
    with pytest.raises(kind):
        lw.equilibrium(pendulum(at_call(3, error)))


@pytest.mark.parametrize("error", [ValueError("mine"), Stop()], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("method", ["dop853", "radau", "generalized-alpha"])
def test_progress_that_raises(error, method):
    def progress(t, part):
        raise error

    with pytest.raises(type(error)) as caught:
        lw.dynamics(bar_pendulum(), t_end=20.0, steps=200, method=method, progress=progress)
    assert caught.value is error


def test_a_law_is_not_asked_where_the_motion_is_no_number():
    """Where speeds are no numbers any more the error of the run was one of the law, which gave none for them either, and had
    nothing of what was computed before. The machine is a random one, which goes ever faster."""
    from fuzz.cases import options
    from fuzz.grow import grow
    from fuzz.render import model

    drawn = grow(1400107, 13, later=5)
    with pytest.warns(UserWarning, match="the law of X9 cannot be traced"), pytest.raises(lw.IntegrationError) as caught:
        lw.dynamics(model(drawn), **options(drawn))
    assert "X9" not in caught.value.element
    assert caught.value.time == pytest.approx(0.29934623, abs=1e-6)
    assert len(caught.value.partial.t) == 2
