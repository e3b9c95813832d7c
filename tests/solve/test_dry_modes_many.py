"""Slots by the hundred: a chain of links that friction holds out from a wall."""

import numpy as np
import pytest

from linkwright.solve.dry_modes import find
from linkwright.solve.dry_problem import Problem, Rubbing

G = 9.81


def cantilever(n: int, level: float) -> tuple[Problem, np.ndarray]:
    """Links of length 1 in a row, a mass of 1 at the end of each, friction in every joint; and the moments of
    the weight beyond each joint."""
    joint, mass = np.arange(n), np.arange(1, n + 1)
    arm = np.maximum(mass[None, :] - joint[:, None], 0.0)
    W = np.linalg.inv(arm @ arm.T)
    moment = G * arm.sum(axis=1)
    slots = [Rubbing(np.array([k]), 0.0, 0.0, level, -1, None, np.zeros(1)) for k in range(n)]
    none = np.zeros(0), np.zeros((0, n)), np.zeros(0)
    return Problem(W @ -moment, W, np.diag(W).copy(), [], slots, lambda x: np.zeros(n), none), moment


@pytest.mark.parametrize("n", [10, 60, 120])
def test_friction_that_can_holds_every_joint_of_a_long_chain(n: int) -> None:
    """Each bears the moment of the weight beyond it, to the rounding of the inverse (condition n^4)."""
    p, moment = cantilever(n, 1e6)
    found = find(p, {})
    assert found.stuck == list(range(n))
    assert not found.begun
    assert np.abs(found.x - moment).max() < 1e-16 * n**4 * moment.max() + 1e-9


def test_one_that_cannot_slips_first() -> None:
    """The moment is largest at the wall: friction a little below it holds all other joints."""
    _, moment = cantilever(12, 0.0)
    found = find(cantilever(12, 0.999 * moment[0])[0], {})
    assert list(found.begun) == [0]
    assert found.stuck == list(range(1, 12))


@pytest.mark.parametrize("seed", range(4))
def test_those_that_give_all_they_have_are_found_among_many(seed: int) -> None:
    """80 slots that pull at each other: each holds, or gives its bound against its acceleration (maximum dissipation); that
    is unique where the matrix is definite."""
    rng = np.random.default_rng(seed)
    n, level = 80, 1.0
    A = rng.normal(size=(n, n + 10))
    W = A @ A.T / n
    slots = [Rubbing(np.array([k]), 0.0, 0.0, level, -1, None, np.zeros(1)) for k in range(n)]
    none = np.zeros(0), np.zeros((0, n)), np.zeros(0)
    p = Problem(W @ rng.normal(scale=1.2, size=n), W, np.diag(W).copy(), [], slots, lambda x: np.zeros(n), none)
    found = find(p, {})
    r = p.r0 + W @ found.x
    assert 10 < len(found.begun) < 70
    assert np.abs(found.x).max() <= level * (1 + 1e-12)
    assert np.abs(r[found.stuck]).max() < 1e-10
    for k, u in found.begun.items():
        assert found.x[k] == pytest.approx(-level * u[0])
        assert r[k] * u[0] > 0
