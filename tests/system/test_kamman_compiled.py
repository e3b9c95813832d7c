"""Kamman's tree as native code equals the text's lines on numbers, on any tree."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw


def random_case(rng, n):
    L = [0, *[int(rng.integers(1, k + 1)) for k in range(1, n)]]
    e = rng.normal(size=(n, 4))
    e /= np.linalg.norm(e, axis=1, keepdims=True)
    S = rng.normal(size=(n, 3, 3))
    inertias = np.einsum("kij,klj->kil", S, S) + np.eye(3)
    x = np.concatenate([e.ravel(), rng.normal(size=3 * n)])
    body = (L, rng.uniform(1, 3, n), inertias, rng.normal(size=(n, 3)), rng.normal(size=(n, 3)))
    return body, (x, rng.normal(size=6 * n), rng.normal(size=(n, 3)), rng.normal(size=(n, 3)))


@settings(max_examples=4)
@given(st.integers(0, 10_000), st.integers(1, 5))
def test_compiled_equals_the_text(seed, n):
    """To 1e-12 of the largest entry, times how much A amplifies rounding (its condition is some 1e3 here)."""
    body, state = random_case(np.random.default_rng(seed), n)
    ydot, xdot = lw.kamman.compiled(*body)(*state)
    A, _ = lw.kamman.equations(*body, *state)
    A = np.asarray(A, dtype=float)
    scale = max(1.0, 1e-3 * np.linalg.cond(A))
    expected = np.asarray(lw.kamman.accelerations(*body, *state), dtype=float)
    assert np.abs(ydot - expected).max() < 1e-12 * scale * (1 + np.abs(expected).max())
    assert np.abs(xdot - np.asarray(lw.kamman.kinematics(body[0], state[0], state[1]), dtype=float)).max() < 1e-14 * 10


def test_each_body_obeys_newton_and_euler():
    """All freedoms are free, so omegadot' of every body is that of a free body, whatever the tree."""
    body, (x, y, F, M) = random_case(np.random.default_rng(2), 6)
    ydot, _ = lw.kamman.compiled(*body)(x, y, F, M)
    for k in range(6):
        J, w = body[2][k], y[3 * k : 3 * k + 3]
        assert np.allclose(J @ ydot[3 * k : 3 * k + 3], M[k] - np.cross(w, J @ w), rtol=0, atol=1e-10)
