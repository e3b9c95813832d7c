"""Analyses of driven machines tell how far they are, and keep what they have when they are stopped."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example

ANALYSES = (lw.kinematics, lw.inverse_dynamics)


@pytest.mark.parametrize("analyse", ANALYSES)
def test_progress_is_told_in_order_and_changes_nothing(analyse):
    told = []
    model = example("spatial-slider-crank").load()
    k = analyse(model, t_start=1.0, t_end=3.0, steps=12_000, progress=lambda t, part: told.append((t, part)))
    t, part = np.array(told).T
    assert len(told) == 3  # 18 coordinates: 5555 points at a time
    assert (np.diff(t) > 0).all()
    np.testing.assert_allclose(part, (t - 1) / 2, atol=1e-12)
    assert tuple(told[-1]) == (3.0, 1.0)
    quiet = analyse(model, t_start=1.0, t_end=3.0, steps=12_000)
    np.testing.assert_array_equal(k.t, quiet.t)
    for channel in quiet:  # each point is converged to rounding, whatever went before
        np.testing.assert_allclose(k[channel], quiet[channel], rtol=1e-9, atol=1e-9 * np.abs(quiet[channel]).max())


@pytest.mark.parametrize("analyse", ANALYSES)
@pytest.mark.parametrize("name", ["slider-crank", "spatial-slider-crank"])  # many points at once, point by point
def test_what_was_computed_is_kept(analyse, name):
    def stop(t, part):
        if part > 0.5:
            raise KeyboardInterrupt

    model = example(name).load()
    with pytest.raises(lw.Interrupted) as stopped:
        analyse(model, t_end=1.0, steps=30_000, progress=stop)
    partial = stopped.value.partial
    assert 0.5 < stopped.value.time == partial.t[-1] < 1
    np.testing.assert_allclose(np.diff(partial.t), 1 / 30_000, rtol=1e-9)
    whole = analyse(model, t_end=partial.t[-1], steps=50)
    np.testing.assert_allclose(partial["slider.x"][-1], whole["slider.x"][-1], rtol=1e-12)
