"""Steps of a run do not follow rounding: one that begins a last digit apart takes the same steps, and ends where its machine
leads it. So a run is the same on every computer, and in a page."""

import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES
from shaken import apart, shaken

# Of machines that begin at rest the first steps are so short that their errors are rounding (andrews); where laws switch a
# stretch begins with such steps (air-compressor-free, escapement), as where contacts close (ratchet); a gap between balls
# that swing side by side is rounding, and so are its zeros (newtons-cradle); rounding grows where a motion may branch
# (four-bar-windows); stages of a step lie on both sides of a kink (shaper).
MACHINES = ["shaper", "andrews", "newtons-cradle", "four-bar-windows", "escapement", "air-compressor-free", "ratchet"]


@pytest.mark.parametrize("name", MACHINES)
def test_rounding_of_the_start_moves_a_run_by_rounding(name):
    """At the usual tolerance of 1e-8: where steps are others, runs are apart by some of that (here by 3e-9 to 5e-8)."""
    m = EXAMPLES[name].load()
    times = {"t_end": min(EXAMPLES[name].t_end, 1.0), "steps": 50}
    d = lw.dynamics(m, **times)
    for seed in range(4):
        assert apart(shaken(m, seed, **times).__getitem__, d) < 1e-9
