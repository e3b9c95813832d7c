"""Lemke's method and the modes of dry friction against brute force: all modes are tried."""

from itertools import product

import numpy as np
import pytest

from linkwright.solve.complementarity import lemke
from linkwright.solve.dry_modes import find
from linkwright.solve.dry_problem import Problem, Rubbing


def solutions(M, q, tolerance=1e-9):
    """All modes of w = M z + q: each of w and z is zero or not."""
    n = len(q)
    for basic in product([False, True], repeat=n):
        own = np.flatnonzero(basic)
        z = np.zeros(n)
        if len(own):
            z[own] = np.linalg.lstsq(M[np.ix_(own, own)], -q[own], rcond=1e-10)[0]
        w = M @ z + q
        if z.min(initial=0) > -tolerance and w.min(initial=0) > -tolerance and abs(w @ z) < tolerance:
            yield z


@pytest.mark.parametrize("seed", range(40))
def test_lemke_finds_a_mode_where_there_is_one(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    A = rng.normal(size=(n, max(1, n - seed % 3)))  # often rank-deficient
    M, q = A @ A.T + (0.05 * np.eye(n) if seed % 2 else 0), rng.normal(size=n)
    z = lemke(M, q)
    if z is None:
        assert not list(solutions(M, q))
        return
    w = M @ z + q
    assert w.min() > -1e-9
    assert z.min() >= 0
    assert abs(w @ z) < 1e-8 * (1 + np.abs(z).max())


def test_lemke_says_where_there_is_none():
    assert lemke(np.array([[-1.0]]), np.array([-1.0])) is None
    assert lemke(np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([1.0, -1.0])) is None


def rubbing(rng, contacts, slots):
    """Contacts with a slot each, and slots of joints with given loads, in a random machine."""
    m = 2 * contacts + slots
    A = rng.normal(size=(m, m + 2))
    W = A @ A.T
    loads = rng.uniform(0.1, 2.0, size=slots)
    own = [Rubbing(np.array([contacts + k]), 0.3, 0.3, 0.0, k) for k in range(contacts)]
    own += [Rubbing(np.array([2 * contacts + k]), 1.0, 1.0, 0.0) for k in range(slots)]
    every = np.concatenate([np.zeros(contacts), loads])
    reactions = np.zeros(0), np.zeros((0, m)), np.zeros(0)
    r0 = rng.normal(size=m) * 3
    return Problem(r0, W, np.diag(W).copy(), list(range(contacts)), own, lambda x: every, reactions), loads


def modes(p, loads):
    """All consistent ones: contacts open or closed, slots stuck or sliding either way."""
    contacts, slots = len(p.contacts), len(p.slots) - len(p.contacts)
    for closed in product([0, 1], repeat=contacts):
        ways = [[0] if not c else [0, 1, -1] for c in closed] + [[0, 1, -1]] * slots
        for way in product(*ways):
            rows, B, c = [], [], np.zeros(len(p.r0))
            for i, is_closed in enumerate(closed):
                if is_closed:
                    column = np.zeros(len(p.r0))
                    column[i] = 1.0
                    column[contacts + i] = -0.3 * way[i]
                    rows.append(i)
                    B.append(column)
            for k, u in enumerate(way):
                row = contacts + k
                if u == 0 and (k >= contacts or closed[k]):
                    rows.append(row)
                    B.append(np.eye(len(p.r0))[row])
                elif k >= contacts:
                    c[row] = -loads[k - contacts] * u
            B = np.array(B).T.reshape(len(p.r0), len(rows))
            z = np.linalg.lstsq((p.W @ B)[rows], -(p.r0 + p.W @ c)[rows], rcond=1e-10)[0] if rows else np.zeros(0)
            x = c + B @ z
            r = p.r0 + p.W @ x
            good = (x[:contacts] > -1e-9).all() and (r[:contacts] > -1e-9).all()
            for k, u in enumerate(way):
                row, bound = contacts + k, 0.3 * x[k] if k < contacts else loads[k - contacts]
                there = k >= contacts or closed[k]
                good &= not there or (abs(x[row]) <= bound + 1e-9 if u == 0 else r[row] * u >= -1e-9)
            if good:
                yield x


@pytest.mark.parametrize("seed", range(30))
def test_modes_agree_with_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    p, loads = rubbing(rng, int(rng.integers(0, 3)), int(rng.integers(1, 3)))
    every = list(modes(p, loads))
    found = find(p, {})
    assert every
    assert min(np.abs(found.x - x).max() for x in every) < 1e-8
