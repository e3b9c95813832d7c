"""Multipliers of many times at once: the fast way against the one that takes dependent rows too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwright.analyses.reactions import _by_normal_equations, _smallest
from strategies import seeds


@given(seeds, st.integers(0, 7))
def test_normal_equations_give_the_same(rng, digits):
    """Two rows that differ by 10^-digits: the condition number grows so, and with it what either way may be off."""
    S = rng.normal(size=(4, 5, 7))
    S[1, 1] = S[1, 0] + 10.0**-digits * S[1, 1]
    S /= np.linalg.norm(S, axis=2)[:, :, None]
    effort = rng.normal(size=(4, 7))
    fast, sure = _by_normal_equations(S, effort), _smallest(S, effort)
    for k in range(4):
        condition = np.linalg.cond(S[k])
        np.testing.assert_allclose(fast[k], sure[k], atol=1e-13 * condition * np.abs(sure[k]).max())


def test_rows_that_are_the_same_are_left_to_the_sure_way():
    S = np.zeros((1, 2, 3))
    S[0, :, 0] = 1.0
    assert _by_normal_equations(S, np.array([[2.0, 0.0, 0.0]])) == pytest.approx(np.ones((1, 2)))
