"""Contacts that stick in two directions at once, far from unique: which hold, and which begin to slide."""

from itertools import product

import numpy as np
import pytest

from linkwright.solve.dry_modes import find
from linkwright.solve.dry_problem import Problem, Rubbing

G, PUSH = 9.81, 4.0
SIDES, INERTIA = np.array((0.4, 0.3, 0.2)), np.array((0.13, 0.2, 0.25)) / 12


def stack(n, mu=0.6, below=0.3):
    """Boxes of 1 kg on each other, the lowest on the floor, each with contacts at its four lower corners, pushed sideways as
    all of gravity: the lowest slides, the others are at rest on it."""
    corners = np.array(list(product((-0.5, 0.5), (-0.5, 0.5)))) * SIDES[:2]
    rows = np.zeros((4 * n, 3, 6 * n))
    for k, (j, (x, y)) in product(range(n), enumerate(corners)):
        for body, sign, z in ((k, 1.0, -0.5 * SIDES[2]), (k - 1, -1.0, 0.5 * SIDES[2])):
            if body >= 0:
                arm = np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])  # of a turn: w x r
                rows[4 * k + j, :, 6 * body : 6 * body + 6] = sign * np.hstack([np.eye(3), arm])
    order = np.concatenate([rows[:, 2], rows[:, :2].reshape(-1, 6 * n)])  # gaps, then speeds along the floor
    inverse = np.tile(np.concatenate([np.ones(3), 1 / INERTIA]), n)
    W = (order * inverse) @ order.T
    r0 = order @ np.tile((PUSH, 0, -G, 0, 0, 0), n)
    way = np.array([1.0, 0.0])
    slots = [
        Rubbing(4 * n + 2 * k + np.arange(2), below if k < 4 else mu, below if k < 4 else mu, 0.0, k, way if k < 4 else None)
        for k in range(4 * n)
    ]
    reactions = np.zeros(0), np.zeros((0, len(r0))), np.zeros(0)
    return Problem(r0, W, np.diag(W).copy(), list(range(4 * n)), slots, lambda x: np.zeros(4 * n), reactions)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_boxes_on_one_that_slides_are_taken_along(n):
    """The boxes above hold, by any of many forces, and all go with (push - 0.3 G): none of the accelerations that are left
    of an iteration releases them."""
    p = stack(n)
    found = find(p, {})
    assert not found.begun
    assert found.stuck == list(range(4, 4 * n))
    assert found.r[p.contacts] == pytest.approx(np.zeros(4 * n), abs=1e-8)
    assert [float(found.r[s.rows[0]]) for s in p.slots[:4]] == pytest.approx([PUSH - 0.3 * G] * 4, abs=1e-8)
