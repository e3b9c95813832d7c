"""Which contacts press and which slots stick: one contact in space, whose friction presses it."""

import numpy as np
import pytest

from linkwright.solve.dry_modes import find
from linkwright.solve.dry_problem import Inconsistent, Problem, Rubbing


def contact(W: np.ndarray, r0: np.ndarray, mu: float, static: float) -> Problem:
    """A gap and a slot at rest with two speeds."""
    slot = Rubbing(np.array([1, 2]), mu, static, 0.0, press=0)
    none = np.zeros(0), np.zeros((0, 3)), np.zeros(0)
    return Problem(r0, W, np.diag(W).copy(), [0], [slot], lambda x: np.zeros(1), none)


def test_friction_that_presses_its_own_contact_is_found():
    """It sticks with W x = -r0: gap and friction by turns come nearer by a fifth only, W_nt^2 / (W_nn W_tt)."""
    W = np.array([[1.0, 2.0, 0.0], [2.0, 5.0, 0.0], [0.0, 0.0, 1.0]])
    found = find(contact(W, np.array([-1.0, 0.0, 0.0]), 0.5, 0.5), {})
    assert found.closed == [0]
    assert found.stuck == [0]
    assert found.x == pytest.approx([5.0, -2.0, 0.0], rel=1e-9, abs=1e-9)


def test_a_contact_that_no_force_stops_is_a_paradox():
    """One motion opens the gap and slides: held, it slides with r = r0 - g r0_n/g_n, whatever its friction, and that presses
    more than the gap yields, g_n < mu |g_t| along r. So no force agrees."""
    g = np.array([0.4719, -0.9641, -0.4467])
    r0 = np.array([-5.432, 7.024, 4.014])
    slips = (r0 - g * r0[0] / g[0])[1:]
    assert 0 < g[0] < 0.57 * g[1:] @ slips / np.linalg.norm(slips)
    found = find(contact(np.outer(g, g), r0, 0.57, 0.575), {})
    assert isinstance(found, Inconsistent)
    assert found.slots == [0]


@pytest.mark.parametrize("rounding", [0.0, 1e-33, -1e-33])
def test_rounding_moves_nothing_beside_friction_that_slides(rounding: float) -> None:
    """Nothing but the friction of the first slot moves anything: 0.5 N on 1 kg. The second is at rest, and what rounding
    pushes it by is nothing beside that: it sticks. It began to move against its own friction, which would drive it."""
    W = np.array([[1.0, -1e-17], [-1e-17, 1.0]])
    slides, rests = (Rubbing(np.array([k]), 0.0, 0.0, 0.5, slides=u) for k, u in ((0, np.ones(1)), (1, None)))
    none = np.zeros(0), np.zeros((0, 2)), np.zeros(0)
    found = find(Problem(np.array([0.0, rounding]), W, np.ones(2), [], [slides, rests], lambda x: np.zeros(2), none), {})
    assert (found.stuck, found.begun) == ([1], {})
    assert found.x == pytest.approx([-0.5, 0.0], abs=1e-15)


def test_a_contact_that_cannot_slide_gives_what_it_has_at_its_bound():
    """One motion g opens the gap and slides: closed, nothing slides whatever the friction. A slot that has reached its bound
    stays there, static N against the force it had, and the gap presses so that g (r0 + W x) is zero: g x = 1."""
    g = np.array([1.0, 0.3, 0.1])
    found = find(contact(np.outer(g, g), -g, 0.2, 0.35), {}, frozenset({0}))
    assert (found.closed, found.stuck, list(found.full)) == ([0], [], [0])
    assert np.linalg.norm(found.x[1:]) == pytest.approx(0.35 * found.x[0], rel=1e-9)
    assert g @ found.x == pytest.approx(1.0, rel=1e-9)
