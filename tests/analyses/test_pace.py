"""A run that will take long is told within seconds, with its reason."""

from time import process_time

import pytest

import linkwright as lw
from linkwright.analyses.dynamics import course
from linkwright.analyses.dynamics.course import Pace
from linkwright.analyses.machine.times import Times


def oscillator(n: int = 1) -> lw.PlanarModel:
    """sqrt(k/m) = 1e7 rad/s: a second has 1.6 million turns, of some ten steps each. Further bodies stand alone."""
    m = lw.PlanarModel("oscillator", gravity=(0, 0))
    for k in range(n):
        b = m.body(f"b{k}", mass=1.0, position=(1.1, k))
        m.add(lw.Translational(f"rail {k}", m.ground.at(0, k, angle=0), b.at(0, 0, angle=0)))
        m.add(lw.Spring(f"stiff {k}", m.ground.at(0, k), b.at(0, 0), k=1e14 if k == 0 else 1.0, length=1.0))
    return m


@pytest.mark.parametrize(("n", "named"), [(1, "stiff 0 makes the fastest motion"), (80, "End it by Ctrl-C")])
def test_a_run_that_will_take_long_says_so(monkeypatch: pytest.MonkeyPatch, n: int, named: str) -> None:
    """Asked at once here; some 1e7 steps, of 1 us each at the least."""
    monkeypatch.setattr(course, "FIRST", 0.0)
    monkeypatch.setattr(course, "LONG", 1.0)
    told = rf"oscillator has come to t = .* of 1 in .* more, some \de\+0[678] steps.*{named}"
    few = pytest.raises(lw.IntegrationError, match="allowed number of steps")
    with pytest.warns(UserWarning, match=told), few:
        lw.dynamics(oscillator(n), t_end=1.0, steps=1, max_steps=3000)


def test_a_run_of_many_events_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oscillator, whose spring changes with the side: no stretch between two switches has more than some ten steps."""
    monkeypatch.setattr(course, "FIRST", 0.0)
    monkeypatch.setattr(course, "LONG", 1.0)
    m = lw.PlanarModel("two sides", gravity=(0, 0))
    b = m.body("b", mass=1.0, position=(0.1, 0))
    rail = m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Force("stiff", rail, lambda x, v, t: -lw.where(x > 0, 1e14, 2e14) * x))
    few = pytest.raises(lw.IntegrationError, match="allowed number of steps")
    with pytest.warns(UserWarning, match=r"two sides has come to t = .*stiff makes the fastest motion"), few:
        lw.dynamics(m, t_end=1.0, steps=1, max_steps=3000)


def test_whoever_asked_for_progress_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "FIRST", 0.0)
    monkeypatch.setattr(course, "LONG", 0.0)
    with pytest.raises(lw.IntegrationError, match="allowed number of steps"):
        lw.dynamics(oscillator(), t_end=1.0, steps=1, max_steps=3000, progress=lambda t, part: None)


def test_the_time_that_is_left_is_in_proportion() -> None:
    """From t = 0.5 to 1 in 100 s: the other 9 s take 1800 s. Nothing is said a second time, or where little is left."""
    times, now = Times.of(10.0, 1, 0.0, None), process_time()
    p = Pace((now - 100.0, 0.5))
    with pytest.warns(UserWarning, match=r"t = 1 of 10 in 100 s; at this pace it takes 30 minutes more, some 5e\+04 steps"):
        p.look("m", times, 1.0, 5000, lambda: ())
    p.look("m", times, 1.0, 5000, lambda: ())
    Pace((now - 100.0, 0.5)).look("m", times, 9.0, 5000, lambda: ())
