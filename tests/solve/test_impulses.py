"""Impulses with dry friction against enumeration in the plane, against the law itself in space; what they do to energy."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from linkwright.analyses.dynamics.contact.collision import collision
from linkwright.solve.impulses import Cone, impulses, residual


def enumerated(W, r, cones):
    """The rates after all impulses that obey the law, by trying every contact open, sticking, sliding to either side."""
    out = []
    for kinds in product(("open", "sticks", 1.0, -1.0), repeat=len(cones)):
        unit = np.eye(len(r))
        A, b = np.eye(len(r)), np.zeros(len(r))
        for c, kind in zip(cones, kinds, strict=True):
            (t,) = c.slip
            if kind != "open":
                A[c.gap], b[c.gap] = W[c.gap], -r[c.gap]
                A[t], b[t] = (W[t], -r[t]) if kind == "sticks" else (unit[t] + kind * c.mu * unit[c.gap], 0)
        p = np.linalg.lstsq(A, b, rcond=1e-12)[0]
        if residual(W, r, p, cones) < 1e-9:
            out.append(r + W @ p)
    return out


def drawn(seed, tangents, most=3):
    """Up to three contacts of a machine with up to six freedoms: often dependent."""
    rng = np.random.default_rng(seed)
    n, freedoms = int(rng.integers(1, most + 1)), int(rng.choice([3, 6]))
    B, v = rng.normal(size=((1 + tangents) * n, freedoms)), rng.normal(size=freedoms)
    mu = float(rng.choice([0.2, 0.6, 1.0]))
    return B, v, [Cone(k, tuple(range(n + tangents * k, n + tangents * (k + 1))), mu) for k in range(n)]


@pytest.mark.parametrize("seed", range(30))
def test_in_the_plane_they_are_among_those_of_enumeration(seed):
    B, v, cones = drawn(seed, 1)
    W, r = B @ B.T, B @ v
    after = r + W @ impulses(W, r, cones)
    assert min(np.abs(after - x).max() for x in enumerated(W, r, cones)) < 1e-9


@pytest.mark.parametrize("seed", [*range(27), 414, 1017, 1227])  # of the last three a pyramid of twelve faces is off
@pytest.mark.parametrize("mixed", [False, True])
def test_in_space_they_obey_the_law(seed, mixed):
    """The cone, and friction against the sliding; of one coefficient, or of several."""
    B, v, cones = drawn(seed, 2)
    if mixed:
        cones = [replace(c, mu=c.mu * (0.3 + k)) for k, c in enumerate(cones)]
    W, r = B @ B.T, B @ v
    assert residual(W, r, impulses(W, r, cones), cones) < 1e-9 * np.abs(r).max()


@pytest.mark.parametrize("tangents", [1, 2])
def test_a_single_contact_whose_answer_does_not_couple(tangents):
    """W = diag(1, 3.5, ...) of a ball of unit mass: friction is mu n against the sliding, or ends it."""
    s = np.array([2.0, 1.0])[:tangents]
    for mu in (0.1, 0.9):
        p = impulses(np.diag([1.0, 3.5, 3.5][: 1 + tangents]), np.array([-3.0, *s]), [Cone(0, (1, 2)[:tangents], mu)])
        size = np.linalg.norm(s)
        assert p == pytest.approx([3.0, *(-s / size * min(3 * mu, size / 3.5))], rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("tangents", [1, 2])
def test_no_collision_makes_energy(seed, tangents):
    """Whatever the restitutions are: of one value, or of several."""
    B, v, cones = drawn(seed, tangents)
    rng = np.random.default_rng(seed)
    for e in (np.full(len(cones), 1.0), rng.uniform(0, 1, len(cones))):
        found = collision(B @ B.T, B @ v, e, cones)
        after = v + found.p @ B
        assert after @ after <= (1 + 1e-12) * (v @ v)
        assert found.rates.min() > -1e-8 * np.abs(B @ v).max()


def test_where_newtons_law_makes_energy():
    """Friction turns the sliding of the end of a slanted rod round (Kane and Levinson 1985): with the whole of the
    restitution the energy would grow."""
    W, r, mu, e = np.array([[1.0, 0.9], [0.9, 1.0]]), np.array([-1.0, -1.0]), 0.5, 0.9
    cone = [Cone(0, (1,), mu)]
    p = impulses(W, r * [1 + e, 1], cone)
    assert p @ r + 0.5 * p @ W @ p > 0.3
    assert (r + W @ p)[1] > 0  # it slid the other way before
    found = collision(W, r, np.array([e]), cone)
    assert found.p @ r + 0.5 * found.p @ W @ found.p == pytest.approx(0.0, abs=1e-12)
    assert found.rates[0] > 0


def halved(W, r, e, cones):
    """The part of the restitution that makes no energy, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(50):
        part = 0.5 * (low + high)
        p = impulses(W, np.array([*(r[: len(e)] * (1 + part * e)), *r[len(e) :]]), cones)
        low, high = (low, part) if p @ r + 0.5 * p @ W @ p > 0 else (part, high)
    return impulses(W, np.array([*(r[: len(e)] * (1 + low * e)), *r[len(e) :]]), cones)


@pytest.mark.parametrize("tangents", [1, 2])
def test_the_restitution_that_makes_no_energy_is_found_in_a_few_solutions(tangents, monkeypatch):
    """The work of impulses is a quadratic of the restitution while the same contacts stick and slide: where it is zero takes
    a few solutions of the law, not fifty. Slanted rods as above, by random numbers."""
    asked, searched = [], 0
    name = "linkwright.analyses.dynamics.contact.collision.impulses"
    monkeypatch.setattr(name, lambda *a: asked.append(1) or impulses(*a))
    rng = np.random.default_rng(5)
    for _ in range(60):
        B = rng.normal(size=(1 + tangents, 3)) * 0.3 + rng.normal(size=3)
        W, r, e = B @ B.T, np.array([-1.0, *rng.normal(size=tangents)]), np.array([0.9])
        cone = [Cone(0, (1, 2)[:tangents], 0.5)]
        asked.clear()
        found = collision(W, r, e, cone)
        if len(asked) == 1:
            continue
        searched += 1
        assert len(asked) <= 16
        assert found.p @ r + 0.5 * found.p @ W @ found.p == pytest.approx(0.0, abs=1e-11 * abs(found.p @ r))
        # the work is known to 1e-12 of its parts, which is 1e-6 of the impulses at worst: where it is zero doubly
        assert found.p == pytest.approx(halved(W, r, e, cone), rel=1e-6, abs=1e-9)
    assert searched >= 5


def test_impulses_that_do_not_obey_the_law_are_told(monkeypatch):
    """Where none are found the blow is without friction, and `obeyed` says so."""
    B, v, cones = drawn(3, 2)
    assert collision(B @ B.T, B @ v, np.zeros(len(cones)), cones).obeyed
    monkeypatch.setattr("linkwright.analyses.dynamics.contact.collision.impulses", lambda *_: None)
    assert not collision(B @ B.T, B @ v, np.zeros(len(cones)), cones).obeyed


def test_impulses_that_hold_each_other_are_none():
    """A contact of a machine with one freedom: W is of rank one, but for rounding, and its cone holds impulses that do
    nothing. No moderate ones obey the law (after the blow it slides back, and friction against that would need n < 0); of
    those that nearly cancel, some 1e11, rounding says what they leave."""
    W = np.array([[0.00095388595253098, -0.01881336142061511], [-0.01881336142061511, 0.37105333924654826]])
    assert abs(np.linalg.det(W)) < 1e-10 * W[0, 0] * W[1, 1]
    q = np.array([-0.01879502356669398, 0.2593566003401143])
    assert impulses(W, q, [Cone(0, (1,), 0.14172521337555705)]) is None
