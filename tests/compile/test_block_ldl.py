"""The sparse block factorisation against dense solves."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright.compile import block_ldl
from linkwright.compile.block_ldl import BlockLDL, symbolic
from linkwright.compile.script import Arena, Script
from linkwright.errors import CompileError


class Saddle:
    """A random [M B^T; B 0] on a tree of definite blocks, a multiplier on each edge, and loops between random blocks."""

    def __init__(self, rng, bodies, loops):
        self.sizes = [int(rng.integers(2, 4)) for _ in range(bodies)]  # few sizes: each combination is compiled
        self.multiplier, self.pattern, after = [False] * bodies, [], {}

        def joint(rows, waits, *ends):
            e = len(self.sizes)
            self.sizes.append(rows)
            self.multiplier.append(True)
            self.pattern.extend((e, k) for k in ends)
            after[e] = waits

        for k in range(bodies):
            parent = [int(rng.integers(k))] if k and rng.random() < 0.9 else []
            joint(self.sizes[k] - 1, [k], k, *parent)
        for _ in range(loops):
            ends = [int(k) for k in rng.choice(bodies, 2, replace=False)]
            joint(1, ends, *ends)
        self.arena = Arena()
        self.ldl = ldl = BlockLDL(self.arena, self.sizes, self.multiplier, self.pattern, after)
        self.D = [ldl.diagonal[k].next() for k in range(bodies)]
        self.B = {p: cell.next() for p, cell in ldl.blocks.items()}
        self.b = [cell.next() for cell in ldl.right]
        self.scripts = Script(self.arena), Script(self.arena)
        ldl.build(*self.scripts)

    def fill(self, rng, change=None):
        """New numbers; the dense matrix and right-hand side."""
        starts = np.cumsum([0, *self.sizes])
        at = [slice(a, b) for a, b in pairwise(starts)]
        A, b = np.zeros((starts[-1], starts[-1])), rng.normal(size=starts[-1])
        for k in range(len(self.D)):
            X = rng.normal(size=(self.sizes[k],) * 2)
            A[at[k], at[k]] = X @ X.T + np.eye(len(X))
        for i, j in self.B:
            A[at[i], at[j]] = rng.normal(size=(self.sizes[i], self.sizes[j]))
            A[at[j], at[i]] = A[at[i], at[j]].T
        if change:
            change(A, at)
        for k, place in enumerate(self.D):
            lower = A[at[k], at[k]][np.tril_indices(self.sizes[k])]
            self.arena.view(place, len(lower))[:] = lower
        for (i, j), place in self.B.items():
            self.arena.view(place, self.sizes[i] * self.sizes[j])[:] = A[at[i], at[j]].ravel()
        for k, place in enumerate(self.b):
            self.arena.view(place, self.sizes[k])[:] = b[at[k]]
        return A, b

    def solve(self):
        for script in self.scripts:
            script.run()
        return self.arena.view(self.ldl.x[0], sum(self.sizes)).copy()


@given(seed=st.integers(0, 10**6), fused=st.booleans())
@settings(max_examples=4, deadline=None)  # each compiles some dozen kernels
def test_random_saddle_systems(seed, fused):
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_ldl, "FUSED", 1_500 if fused else 0)  # whole steps, or block by block
        s = Saddle(rng, bodies=5, loops=2)
    for _ in range(2):  # a second time on the same memory: nothing of the first stays
        A, b = s.fill(rng)
        x = s.solve()
        # backward error of the elimination, times the condition number; no pivoting: a few digits in hand
        assert np.abs(A @ x - b).max() <= 1e-11 * np.linalg.cond(A) * np.abs(b).max()
        assert np.allclose(x, np.linalg.solve(A, b), rtol=0, atol=1e-12 * np.linalg.cond(A) * np.abs(x).max())


def test_dependent_rows_show_in_the_measure():
    rng = np.random.default_rng(0)
    s = Saddle(rng, bodies=5, loops=2)
    good = s.fill(rng)
    s.solve()
    assert np.linalg.cond(good[0]) < 1e4
    assert s.ldl.worst > 1e-6

    rng = np.random.default_rng(0)
    chain = Saddle(rng, bodies=3, loops=0)
    chain.fill(rng, lambda A, at: _repeat_row(A, at[3]))
    chain.solve()
    assert chain.ldl.worst < 1e-12


def _repeat_row(A, joint):
    """Two rows of one joint the same (or one row zero, where it has only one)."""
    rows = np.arange(joint.start, joint.stop)
    A[rows[-1]] = A[rows[0]] if len(rows) > 1 else 0.0
    A[:, rows[-1]] = A[rows[-1]]


def test_a_chain_does_not_fill_in_and_a_wheel_does():
    chain = [(5, 0), (6, 0), (6, 1), (7, 1), (7, 2), (8, 2), (8, 3), (9, 3), (9, 4)]
    order = [4, 9, 3, 8, 2, 7, 1, 6, 0, 5]
    assert all(len(s.below) <= 1 for s in symbolic([6] * 10, chain, order))
    wheel = [(0, k) for k in range(1, 5)]
    assert [s.below for s in symbolic([1] * 5, wheel, [0, 1, 2, 3, 4])] == [(1, 2, 3, 4), (2, 3, 4), (3, 4), (4,), ()]


def test_a_multiplier_without_a_block_to_wait_for_is_refused():
    with pytest.raises(CompileError, match="structurally singular"):
        BlockLDL(Arena(), [3, 1, 1], [False, True, True], [(1, 0)], {1: [0]})
