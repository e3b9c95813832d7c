"""Fixed points of functions that contract, that do not, and of which there are none."""

import numpy as np
import pytest

from linkwright.solve.fixed_point import fixed_points


@pytest.mark.parametrize("gain", [0.3, 0.95, 3.0])
def test_affine_functions_in_a_few_steps(gain):
    """x = b + gain u (w x): of rank one, exact after two steps whatever the gain."""
    rng = np.random.default_rng(3)
    b, u, w = rng.normal(size=(5, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 4))
    w /= np.einsum("ti,ti->t", u, w)[:, None]
    calls = []

    def g(x):
        calls.append(1)
        return b + gain * u * np.einsum("ti,ti->t", w, x)[:, None]

    x = fixed_points(g, b, memory=1)
    exact = b + u * gain / (1 - gain) * np.einsum("ti,ti->t", w, b)[:, None]
    np.testing.assert_allclose(x, exact, rtol=1e-11, atol=1e-11 * np.abs(exact).max())
    assert len(calls) < 8


def test_rows_are_on_their_own():
    """x = cos(x), from several places, one of them the fixed point itself (0.7390851332151607, Dottie's number)."""
    x = fixed_points(np.cos, np.array([[0.0], [0.7390851332151607], [2.0], [30.0]]), memory=1)
    np.testing.assert_allclose(x, 0.7390851332151607, rtol=1e-13)


def test_without_a_fixed_point_the_answer_is_finite():
    assert np.isfinite(fixed_points(lambda x: x + 1.0 + x * x, np.zeros((2, 3)), memory=2)).all()
