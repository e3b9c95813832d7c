"""The mode of contacts and dry friction at one instant (which contacts press, which slots stick): a complementarity problem
in their own forces.

All of the machine is in W and r0: the accelerations of the gaps and of the slots' speeds are r = r0 + W x under the forces x
along them. A contact that touches has 0 <= n, r >= 0, n r = 0. A slot at rest holds (r = 0) while |x| <= static N + level;
one that slides has x = -(mu N + level) u against its motion u. For single speeds that is a linear complementarity problem
(Lemke's method); slots with several speeds are found by turns with it, as forces within circles and balls. N of joints,
which is the length of a reaction, is found by a fixed-point iteration around both. What begins to slide has mu from then on:
the problem is solved again. Forces that are not unique: `dry_shares`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from linkwright import linear
from linkwright.solve import dry_problem as dry
from linkwright.solve.complementarity import lemke
from linkwright.solve.dry_shares import share
from linkwright.solve.fixed_point import fixed_points
from linkwright.solve.impulses import Cone, impulses, residual

ITERATIONS = 60  # in which slots are released, or held again
STILL_IN_CONES = 1e-7  # accelerations that are none where they are found by gradients
BY_TURNS = 30  # iterations of it
DRIVEN = 1e-6  # accelerations against what begins, by the largest, that are no rounding
# Of the largest: forces that change by less from turn to turn have settled. The second leaves no accelerations that would
# release slots that hold.
SETTLED, STEADY = 1e-6, 1e-2 * STILL_IN_CONES
FIRM = 1e-12  # reciprocal condition: below it slots may hold each other, and their forces are not unique
GUESSES = 30  # of which slots give all they have
ROUNDED = 1e-13  # of the largest acceleration: those of slots that are below are none


def find(p: dry.Problem, forced: dict[int, np.ndarray], spent: frozenset[int] = frozenset()) -> dry.Found | dry.Inconsistent:
    """`forced`: slots at rest that are known to break away, and how; `spent`: that bear no more, while others may."""
    begun = dict(forced)
    let_go: set[int] = set()
    for _ in range(ITERATIONS):
        x = _under(p, begun)
        if isinstance(x, dry.Inconsistent):
            return x
        r = p.r0 + p.W @ x
        begun |= {k: -x[p.slots[k].rows] for k in begun if len(p.slots[k].rows) > 1}
        begun = {k: u / (np.linalg.norm(u) or 1.0) for k, u in begun.items()}
        new = _released(p, begun, x, r)
        if new:
            begun |= new
            continue
        back = [k for k, u in begun.items() if _part(p, k, r) @ u < -_still(p, k) and k not in let_go]
        if not back:
            found = _consistent(p, _shared(p, _found(p, begun, x, r), spent), spent)
            return _opposed(p, found) or found
        let_go |= set(back)
        begun = {k: u for k, u in begun.items() if k not in back}
    return dry.Inconsistent(list(begun))


def _opposed(p: dry.Problem, found: dry.Found) -> dry.Inconsistent | None:
    """Friction is against what begins to move. What neither rests nor moves with its friction against it has no mode."""
    driven = [k for k, u in found.begun.items() if len(u) == 1 and _part(p, k, found.r) @ u < -DRIVEN * p.largest]
    return dry.Inconsistent(driven) if driven else None


def _shared(p: dry.Problem, found: dry.Found, spent: frozenset[int]) -> dry.Found:
    shared = share(p, found, spent)
    if isinstance(shared, dict):  # all that is left begins to move, at first without acceleration
        found.begun |= shared
        found.stuck = [k for k in found.stuck if k not in shared]
        shared = share(p, found, spent)
    return shared if isinstance(shared, dry.Found) else found


def _consistent(p: dry.Problem, found: dry.Found, spent: frozenset[int]) -> dry.Found:
    """The decision in which all that begins to move does move, as far as what sticks lets it: at the limit rounding decides
    on each slot by itself. Slots that others hold give all they have instead; those that have, and are taken along, move."""
    single = [k for k in found.begun if len(p.slots[k].rows) == 1]
    held = np.array([*found.closed, *[i for k in found.stuck for i in p.slots[k].rows]], dtype=int)
    caught = [k for k in single if found.stuck and not dry.mobility(p.W, p.own, p.slots[k].rows, held).max() > dry.HELD]
    if caught:
        again = replace(found, begun={k: u for k, u in found.begun.items() if k not in caught})
        again.stuck = sorted([*found.stuck, *caught, *found.full])
        shared = share(p, again, spent | frozenset(caught) | frozenset(found.full))
        if isinstance(shared, dry.Found):
            return shared
    if single and found.full:
        rows = np.concatenate([p.slots[k].rows for k in single])
        way = dry.answers(p.W, p.own, rows, held) @ np.concatenate([found.begun[k] for k in single])
        for k in list(found.full):
            own = way[p.slots[k].rows]
            if len(own) == 1 and abs(own[0]) > dry.HELD * np.sqrt(p.own[p.slots[k].rows[0]]):
                found.begun[k] = np.sign(own)
                del found.full[k]
    return found


def _still(p: dry.Problem, k: int) -> float:
    """An acceleration of a slot that is none, in its unit."""
    return max((dry.STILL if len(p.slots[k].rows) == 1 else STILL_IN_CONES) * p.largest, p.none)


def _part(p: dry.Problem, k: int, r: np.ndarray) -> np.ndarray:
    """The acceleration of a slot, in its unit."""
    rows = p.slots[k].rows
    return np.asarray(r[rows] / np.sqrt(p.own[rows]))


def _found(p: dry.Problem, begun: dict[int, np.ndarray], x: np.ndarray, r: np.ndarray) -> dry.Found:
    size = np.abs(x * np.sqrt(p.own)).max(initial=0.0)
    closed = [k for k in p.contacts if x[k] * np.sqrt(p.own[k]) > dry.PRESSED * size]
    idle = [k for k in p.contacts if k not in closed and abs(r[k]) / np.sqrt(p.own[k]) <= dry.STILL * p.largest]
    there = [k for k, s in enumerate(p.slots) if s.press < 0 or s.press in closed]
    stuck = [k for k in there if p.slots[k].slides is None and k not in begun]
    touching = {*there, *[k for k, s in enumerate(p.slots) if s.press in idle]}  # those that do not press move along
    return dry.Found(x, r, closed, idle, stuck, {k: u for k, u in begun.items() if k in touching})


def _released(p: dry.Problem, begun: dict[int, np.ndarray], x: np.ndarray, r: np.ndarray) -> dict[int, np.ndarray]:
    """Slots at rest that do not hold under x, and the motions that begin."""
    out = {}
    for k, s in enumerate(p.slots):
        there = s.press < 0 or (s.press in p.contacts and x[s.press] > 0)
        if s.slides is None and k not in begun and there and np.linalg.norm(_part(p, k, r)) > _still(p, k):
            u = np.sign(r[s.rows]) if len(s.rows) == 1 else -x[s.rows]
            out[k] = u / (np.linalg.norm(u) or 1.0)
    return out


def _under(p: dry.Problem, begun: dict[int, np.ndarray]) -> np.ndarray | dry.Inconsistent:
    """The forces x, with slots that slide, or begin to, as they are."""
    joints = np.array([k for k, s in enumerate(p.slots) if s.press < 0], dtype=int)
    if not len(joints):
        return _with_cones(p, begun, np.zeros(len(p.slots)))
    N = p.loads(np.zeros(len(p.r0)))
    without: list[dry.Inconsistent] = []

    def again(few: np.ndarray) -> np.ndarray:
        full = N.copy()
        full[joints] = np.maximum(few[0], 0.0)
        x = _with_cones(p, begun, full)
        if isinstance(x, dry.Inconsistent):
            without.append(x)
            return few  # which ends the search
        return np.asarray(p.loads(x)[joints][None])

    found = N.copy()
    found[joints] = np.maximum(fixed_points(again, N[joints][None], len(joints))[0], 0.0)
    return without[0] if without else _with_cones(p, begun, found)


def _with_cones(p: dry.Problem, begun: dict[int, np.ndarray], N: np.ndarray) -> np.ndarray | dry.Inconsistent:
    """The solution with the loads of joints given: slots of several speeds at rest, and those that begin to move, are found
    by turns with the others. Their forces are those of least ½ x W x + r x within their bounds (maximum dissipation)."""
    round_ones = [k for k, s in enumerate(p.slots) if s.slides is None and len(s.rows) > 1]
    x = _solved(p, begun, N, np.zeros(len(p.r0)))
    if not round_ones or isinstance(x, dry.Inconsistent):
        return x
    rows = np.concatenate([p.slots[k].rows for k in round_ones])
    at = np.cumsum([0, *[len(p.slots[k].rows) for k in round_ones]])
    scale = dry.round_scale(p, round_ones)
    W = p.W[np.ix_(rows, rows)] * np.outer(scale, scale)
    given = np.zeros(len(p.r0))
    for _ in range(BY_TURNS):
        radii = []
        for k in round_ones:
            s = p.slots[k]
            load = N[k] if s.press < 0 else x[s.press] if s.press in p.contacts else 0.0
            radii.append(max((s.mu if k in begun else s.static) * load + s.level, 0.0) * np.sqrt(p.own[s.rows].max()))
        rest = (p.r0 + p.W @ (x - given))[rows] * scale
        new = np.zeros(len(p.r0))
        new[rows] = dry.in_balls(W, rest, given[rows] / scale, list(pairwise(at)), radii) * scale
        change = np.abs((new - given)[rows] / scale).max(initial=0.0)
        given = new
        x = _solved(p, begun, N, given)
        if isinstance(x, dry.Inconsistent):
            return x
        size = np.abs(x * np.sqrt(p.own)).max(initial=1e-300)
        if change <= 1e-11 * size:
            break
    if change <= STEADY * size:
        return x
    found = _at_once(p, begun, N)
    return x if isinstance(found, dry.Inconsistent) and change <= SETTLED * size else found


def _at_once(p: dry.Problem, begun: dict[int, np.ndarray], N: np.ndarray) -> np.ndarray | dry.Inconsistent:
    """The same where turns do not settle, as friction presses the contact that it comes from: all contacts as cones, as
    impacts have them. With cones alone: slots of joints at rest and levels are none of them."""
    c, W, cones = np.zeros(len(p.r0)), p.W.copy(), {row: Cone(row) for row in p.contacts}
    slides: list[tuple[int, np.ndarray, np.ndarray]] = []
    for k, s in enumerate(p.slots):
        u = s.slides if s.slides is not None else begun.get(k) if len(s.rows) == 1 else None
        if s.press >= 0 and s.press not in cones:
            continue
        if u is None:
            if s.press < 0 or s.level or cones[s.press].slip:
                return dry.Inconsistent([k])
            cones[s.press] = Cone(s.press, tuple(s.rows.tolist()), s.mu if k in begun else s.static)
            continue
        c[s.rows] += s.given - s.level * u - (s.mu * N[k] * u if s.press < 0 else 0.0)
        if s.press >= 0:
            W[:, s.press] -= s.mu * p.W[:, s.rows] @ u
            slides.append((s.press, s.rows, s.mu * u))
    rest = p.r0 + p.W @ c
    found = impulses(W, rest, list(cones.values()))
    if found is None or residual(W, rest, found, list(cones.values())) > SETTLED * np.abs(rest).max(initial=0.0):
        return dry.Inconsistent([k for k, s in enumerate(p.slots) if s.press in cones])
    x = c + found
    for press, rows, friction in slides:
        x[rows] -= friction * found[press]
    return np.asarray(x)


def _solved(p: dry.Problem, begun: dict[int, np.ndarray], N: np.ndarray, given: np.ndarray) -> np.ndarray | dry.Inconsistent:
    """The solution with the loads of joints and the forces of slots with several speeds given: x = c + B z, z >= 0 by
    Lemke."""
    m = len(p.r0)
    scale = 1 / np.sqrt(p.own)
    c = given.copy()
    columns: list[np.ndarray] = []
    pressed = {row: len(columns) + i for i, row in enumerate(p.contacts)}
    for row in p.contacts:
        columns.append(dry.unit(m, row, scale[row]))
    still: list[int] = []
    for k, s in enumerate(p.slots):
        u = s.slides if s.slides is not None else begun.get(k)
        if (s.press >= 0 and s.press not in pressed) or (s.slides is None and len(s.rows) > 1):
            continue
        if u is None:
            still.append(k)
            continue
        c[s.rows] += s.given - s.level * u
        if s.press >= 0:
            columns[pressed[s.press]][s.rows] -= s.mu * u * scale[s.press]
        else:
            c[s.rows] -= s.mu * N[k] * u
    if still and not columns:
        found = _in_bounds(p, still, N, c, scale)
        if found is not None:
            return found
    B = np.array(columns).T.reshape(m, len(columns))
    beta = np.zeros((m, 2 * len(still)))
    for i, k in enumerate(still):
        row = int(p.slots[k].rows[0])
        beta[row, 2 * i], beta[row, 2 * i + 1] = scale[row], -scale[row]
    B = np.hstack([B, beta])
    base, T = p.r0 + p.W @ c, p.W @ B
    z = lemke(*_tableau(p, still, N, base * scale, T * scale[:, None], pressed))
    if z is None:
        return dry.Inconsistent([k for k, s in enumerate(p.slots) if s.slides is not None or k in begun])
    return np.asarray(c + B @ z[: B.shape[1]])


def _in_bounds(p: dry.Problem, still: list[int], N: np.ndarray, c: np.ndarray, scale: np.ndarray) -> np.ndarray | None:
    """The forces of slots at rest, which are unique where these do not hold each other: those that give all they have are
    guessed, the others follow from a factorisation, and tell better (primal-dual active sets, Hintermueller, Ito and Kunisch
    2003). Exact and fast where hundreds of slots rub; None where guesses come to no end, or forces may not be unique."""
    rows = np.array([int(p.slots[k].rows[0]) for k in still])
    own = scale[rows]
    A, rest = p.W[np.ix_(rows, rows)] * np.outer(own, own), (p.r0 + p.W @ c)[rows] * own
    most = np.array([max(p.slots[k].static * N[k] + p.slots[k].level, 0.0) for k in still]) / own
    size, full = float(np.abs(rest).max(initial=0.0)), np.zeros(len(rows))
    for _ in range(GUESSES):
        free, force = full == 0, full * most
        if free.any():
            found = linear.solve_regular(A[np.ix_(free, free)], -(rest + A @ force)[free], FIRM)
            if found is None:
                return None
            force[free] = found
        helps = full * (rest + A @ force) > ROUNDED * size  # friction that goes with the motion
        new = np.where(free, np.sign(force) * (np.abs(force) > most), np.where(helps, 0.0, full))
        if (new == full).all():
            x = c.copy()
            x[rows] += force * own
            return x
        full = new
    return None


def _tableau(
    p: dry.Problem, still: list[int], N: np.ndarray, base: np.ndarray, T: np.ndarray, pressed: dict[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """w = M z + q of z = (n, beta+ and beta- of each slot at rest, then a speed-up lambda of each): r of contacts, lambda
    + r
    and lambda - r of slots, and what is left of their bounds."""
    contacts, count = list(pressed), len(still)
    n = len(contacts) + 3 * count
    M, q = np.zeros((n, n)), np.zeros(n)
    forces = len(contacts) + 2 * count
    for i, row in enumerate(contacts):
        M[i, :forces], q[i] = T[row], base[row]
    scale = 1 / np.sqrt(p.own)
    for i, k in enumerate(still):
        s, row = p.slots[k], int(p.slots[k].rows[0])
        at, last = len(contacts) + 2 * i, forces + i
        M[at, :forces], q[at], M[at, last] = T[row], base[row], 1.0
        M[at + 1, :forces], q[at + 1], M[at + 1, last] = -T[row], -base[row], 1.0
        M[last, at] = M[last, at + 1] = -1.0
        if s.press >= 0:
            M[last, pressed[s.press]] = s.static * scale[s.press] / scale[row]
        q[last] = (s.level + (0.0 if s.press >= 0 else s.static * N[k])) / scale[row]
    return M, q
