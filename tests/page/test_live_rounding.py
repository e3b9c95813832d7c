"""Machines whose numbers differ between page and `lw.dynamics` by more than elsewhere: the last digit decides."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES
from page.live_pages import SAME, Show, assert_alike, channels, numbers
from shaken import apart, shaken

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", ["andrews", "newtons-cradle", "escapement", "air-compressor-free", "ratchet"])
def test_other_steps_by_rounding(show: Show, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Whether a step is taken or tried again, where one begins after an impact: here rounding decides. At the usual
    tolerance a last digit of the start may change the run here, and page and run may differ by some of that; with more
    digits asked for, both are the same motion."""
    m = EXAMPLES[name].load()
    times = {"t_end": min(EXAMPLES[name].t_end, 1.0), "steps": 50}
    d = lw.dynamics(m, **times)
    own = max(apart(shaken(monkeypatch, m, seed, **times).__getitem__, d, d.channels) for seed in range(2))
    assert own < 1e-7
    exact = numbers(show, m, rtol=1e-10, **times)
    assert exact.page.evaluate("linkwright.message") == ""
    assert_alike(exact, lw.dynamics(m, rtol=1e-10, **times))
    if name in ("newtons-cradle", "ratchet"):  # the farthest apart; it strikes tooth after tooth
        found = channels(numbers(show, m, **times))
        assert set(found) == set(d.channels)
        assert apart(found.__getitem__, d, found) < 5 * own


def test_a_machine_that_passes_singular_positions(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where `lw.dynamics` regularises its equations a page has those, too: without them it did not come past 0.7 s."""
    m, times = EXAMPLES["four-bar-windows"].load(), {"t_end": 2.0, "steps": 40, "rtol": 1e-11}
    d = lw.dynamics(m, **times)
    assert "augmented Lagrangian" in d.audit.why
    own = max(apart(shaken(monkeypatch, m, seed, **times).__getitem__, d, d.channels) for seed in range(2))
    found = channels(opened := numbers(show, m, **times))
    assert opened.page.evaluate("linkwright.message") == ""
    assert own < 1e-8  # digits are lost there, by the last one of the start as well
    assert apart(found.__getitem__, d, found) < 5 * own


def test_a_run_in_which_a_step_ends_at_a_singular_position_is_made_again(show: Show) -> None:
    """By the page as here, with other steps: at one or two of a hundred tolerances a step ends there."""
    m = EXAMPLES["four-bar-windows"].load()
    for rtol in 10.0 ** -np.array([9.6, 9.7, 10.6]):
        opened = numbers(show, m, t_end=1.0, steps=20, rtol=rtol)
        assert opened.page.evaluate("linkwright.message") == ""
        d = lw.dynamics(m, t_end=1.0, steps=20, rtol=rtol)
        assert apart(channels(opened).__getitem__, d, d.channels) < 1e-6  # digits are lost at the windows


def test_a_law_that_jumps_at_a_dead_centre(show: Show) -> None:
    """The gas pushes on pistons that go down. At the start the sixth is at its dead centre, its velocity zero but for
    rounding: which side of the jump is told there is open, and nothing else is."""
    m = EXAMPLES["air-compressor"].load()
    opened = numbers(show, m, analysis="inverse_dynamics", t_end=0.1, steps=40)
    i, own = lw.inverse_dynamics(m, t_end=0.1, steps=40), channels(opened)
    assert max(abs(own["piston 6.vy"][0]), abs(i["piston 6.vy"][0])) < 1e-13
    stroke = 0.2 * np.sin(m.parameters["tilt"])
    largest = m.parameters["psi"] * 6894.757293168 * np.pi * 0.05**2
    pushes = 0.4 * largest * (1 - np.cos(np.pi * (i["piston 6.y"][0] + 1 + stroke) / (0.4 * stroke)))
    for told in (own["gas 6.force"][0], i["gas 6.force"][0]):
        assert min(abs(told), abs(told - pushes)) < SAME * largest
    assert_alike(opened, i, first=1)
