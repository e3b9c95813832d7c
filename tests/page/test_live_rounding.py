"""Machines in which last digits decide, or weigh: what page and `lw.dynamics` tell is the same all the same."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES
from page.live_pages import SAME, Show, assert_alike, assert_one_motion, channels, numbers
from shaken import apart, shaken

pytestmark = pytest.mark.browser

# In which rounding took other steps (`analyses/test_steps_and_rounding`), or told one side of a law's jump.
DECIDED = [
    "shaper",
    "andrews",
    "newtons-cradle",
    "four-bar-windows",
    "escapement",
    "air-compressor-free",
    "ratchet",
    "gripper",
]
# Whose forces and accelerations lose digits, as those of stiff springs do: a rounding of the start is 4e-9 of the torques in
# a flyball governor's foot, and 1e-10 of the accelerations of anti-roll bars. In others a torque is nothing but rounding.
LOSING = ["flyball", "automobile-bars", "double-pendulum", "heavy-top"]


@pytest.mark.parametrize("name", sorted({*DECIDED, *LOSING}))
def test_page_and_run_are_one_motion(show: Show, name: str) -> None:
    """To 1e-9 of the largest of each unit, at the usual tolerance of 1e-8, over a second."""
    m, times = EXAMPLES[name].load(), {"t_end": min(EXAMPLES[name].t_end, 1.0), "steps": 50}
    assert_one_motion(numbers(show, m, analysis="dynamics", **times), m, **times)


def test_a_machine_that_passes_singular_positions(show: Show) -> None:
    """Where `lw.dynamics` regularises its equations a page has those, too: without them it did not come past 0.7 s. Digits
    are lost there."""
    m, times = EXAMPLES["four-bar-windows"].load(), {"t_end": 2.0, "steps": 40, "rtol": 1e-11}
    d = lw.dynamics(m, **times)
    assert "augmented Lagrangian" in d.audit.why
    own = max(apart(shaken(m, seed, **times).__getitem__, d, d.channels) for seed in range(2))
    found = channels(opened := numbers(show, m, **times))
    assert opened.page.evaluate("linkwright.message") == ""
    assert own < 1e-8
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
