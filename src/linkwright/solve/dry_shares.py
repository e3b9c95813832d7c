"""Forces of contacts and slots at rest that are not unique: shared by the least of all, and within what each can bear.

More of them hold than are needed: a table on four legs, pins of a four-bar that all stick. The equations of motion take the
least multipliers, by the compliances of rows. Single slots beyond their bound give all they have, others the rest. Slots
with several speeds take on in proportion to what they can bear, and help each other by forces that cancel.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from linkwright import linear
from linkwright.solve import dry_problem as dry

HEAVIEST = 1e3  # by how much the compliances of slots may differ
SLACK = 1e-6  # slots within this part of their bound have reached it
LIMIT = 3e-6  # all slots are at their bound if the smallest part of all that does is as near to one
HALVED = 16  # times at most that this part is narrowed down
HARDER = (10.0, 100.0, 1000.0)  # times the compliance of slots: contacts that press bear more of what they share
BARELY = 1e-7  # of the largest force or acceleration: one that is less is at zero but for rounding
SLIGHT = 1e-3  # of the most that a slot holds: one that holds less gives next to nothing
INSERTED = 20  # times that loads of joints follow from the forces they make

Ends = dict[int, np.ndarray]  # slots that hold no longer, and their motions


def share(p: dry.Problem, found: dry.Found, spent: frozenset[int] = frozenset()) -> dry.Found | Ends | None:
    """The least of all forces that do the same. Slots that exceed their bound, or are `spent`, give what they have,
    others the rest. None where forces are unique, or contacts would pull; the slots that give way, where they do not hold
    together."""
    still = sorted([*found.closed, *found.idle])
    for closed in [still, found.closed] if found.idle else [still]:
        out = _shared(p, found, closed, spent)
        if isinstance(out, dict) or (out is not None and _lasts(p, out)):
            return out
    fewer = _without_pulling(p, found, still)
    return None if fewer is None else _shared(p, found, fewer, spent)


def _without_pulling(p: dry.Problem, found: dry.Found, closed: list[int]) -> list[int] | None:
    """The contacts without those that pull by the least of all forces, one after the other, where something has several
    speeds and all is at rest: those bear nothing while others may, as one leg of a table does. None where none pulls."""
    stuck = [k for k, s in enumerate(p.slots) if s.slides is None and k not in found.begun]
    if len(stuck) < len(p.slots) or not any(len(p.slots[k].rows) > 1 for k in stuck):
        return None
    kept = closed
    while kept:
        held = [k for k in stuck if p.slots[k].press < 0 or p.slots[k].press in kept]
        least = _least(p, found, kept, held, {}, found.x)
        if least is None:
            return None
        if not dry.pulls(p, kept, least[0]):
            return kept if len(kept) < len(closed) else None
        x = least[0] * np.sqrt(p.own)
        kept = [k for k in kept if k != min(kept, key=lambda i: float(x[i]))]
    return None


def _lasts(p: dry.Problem, found: dry.Found) -> bool:
    """Whether what begins to move goes on doing so under these forces, and what sticks is not at its bound: it would exceed
    it at once, while other forces that do the same may not."""
    size, N = p.largest, p.loads(found.x)
    for k, u in found.begun.items():
        rows = p.slots[k].rows
        if (found.r[rows] / np.sqrt(p.own[rows])) @ u < -dry.STILL * size:
            return False
    least = dry.PRESSED * np.abs(found.x * np.sqrt(p.own)).max(initial=0.0)
    for k in found.stuck:
        rows = p.slots[k].rows
        own = np.sqrt(p.own[rows].max())
        if np.linalg.norm(found.x[rows]) * own > (1 - SLACK) * p.held(k, found.x, N) * own + least:
            return False
    return True


def _shared(p: dry.Problem, found: dry.Found, closed: list[int], spent: frozenset[int]) -> dry.Found | Ends | None:
    there = [k for k, s in enumerate(p.slots) if s.press < 0 or s.press in closed]
    stuck = [k for k in there if p.slots[k].slides is None and k not in found.begun]
    if any(len(p.slots[k].rows) > 1 for k in stuck):
        if not spent.isdisjoint(stuck) and (wedged := _wedged(p, found, closed, stuck, spent)):
            return wedged
        return _centred(p, found, closed, stuck)
    return _one_by_one(p, found, closed, stuck, spent)


def _one_by_one(
    p: dry.Problem, found: dry.Found, closed: list[int], stuck: list[int], spent: frozenset[int]
) -> dry.Found | None:
    """The slot that exceeds its bound most gives all it has, and others the rest, until none does."""
    full: dict[int, np.ndarray] = {}
    x, many = found.x, False
    for _ in range(len(stuck) + 1):
        held = [k for k in stuck if k not in full]
        least = _least(p, found, closed, held, full, x)
        if least is None:
            return None
        x, free = least
        many = many or free
        if not many:
            return None  # as it was
        N = p.loads(x)
        over = {k: float(np.linalg.norm(x[p.slots[k].rows])) / max(p.held(k, x, N), 1e-300) for k in held}
        over |= {k: np.inf for k in held if k in spent}
        worst = max(over, key=lambda k: over[k], default=-1)
        if worst < 0 or over[worst] <= 1 + dry.TIGHT:
            if dry.pulls(p, closed, x):
                return None
            idle = [k for k in [*found.closed, *found.idle] if k not in closed]
            return dry.Found(x, p.r0 + p.W @ x, closed, idle, held, found.begun, full, False)
        force = x[p.slots[worst].rows]
        full[worst] = -force / np.linalg.norm(force)
    return None


def _centred(p: dry.Problem, found: dry.Found, closed: list[int], stuck: list[int]) -> dry.Found | Ends | None:
    """The same for slots with several speeds, whose directions matter: each takes on in proportion to what it can bear.
    Where that is too much for one, others help by forces that cancel, as far as possible from all bounds."""
    first = _least(p, found, closed, stuck, {}, found.x)
    if first is None or not first[1]:
        return None
    weights = _first_weights(p, stuck, first[0])
    least = _least(p, found, closed, stuck, {}, first[0], weights)
    if least is None:
        return None
    x = least[0]
    if dry.pulls(p, closed, x):
        return _pressed(p, found, closed, stuck, x, weights)
    offsets = dict[int, np.ndarray]()
    if _exceeds(p, stuck, x):
        if parting := _parting(p, found, closed, x):
            return parting
        centre, part = _central(p, stuck, x)
        if part >= 1 - LIMIT:
            return (
                _wedged(p, found, closed, stuck, frozenset())
                or _pressed(p, found, closed, stuck, x, weights)
                or _moving(p, stuck, centre)
            )
        offsets = {k: (centre - x)[p.slots[k].rows] for k in stuck}
        x = centre
    return _together(p, found, closed, stuck, x, weights, offsets)


def _parting(p: dry.Problem, found: dry.Found, closed: list[int], x: np.ndarray) -> dry.Found | None:
    """The same without contacts that press by rounding alone, which cannot rub, where they do not close then."""
    size = np.sqrt(p.own) * x
    fewer = [i for i in closed if size[i] > BARELY * np.abs(size).max()]
    out = _shared(p, found, fewer, frozenset()) if 0 < len(fewer) < len(closed) else None
    if not isinstance(out, dry.Found):
        return None
    gone = [i for i in closed if i not in fewer]
    return out if (out.r[gone] / np.sqrt(p.own[gone])).min() > -BARELY * p.largest else None


def _together(
    p: dry.Problem, found: dry.Found, closed: list[int], stuck: list[int], x: np.ndarray, weights: dict[int, float],
    offsets: dict[int, np.ndarray],
) -> dry.Found:  # fmt: skip
    """All that sticks holds together by these forces."""
    idle = [k for k in [*found.closed, *found.idle] if k not in closed]
    return dry.Found(x, p.r0 + p.W @ x, closed, idle, stuck, found.begun, {}, False, weights, offsets)


def _exceeds(p: dry.Problem, stuck: list[int], x: np.ndarray) -> bool:
    """Whether a slot has reached its bound."""
    N = p.loads(x)
    return any(np.linalg.norm(x[p.slots[k].rows]) > (1 - SLACK) * max(p.held(k, x, N), 0.0) for k in stuck)


def _pressed(
    p: dry.Problem, found: dry.Found, closed: list[int], stuck: list[int], x: np.ndarray, weights: dict[int, float]
) -> dry.Found | None:
    """The same with less friction and more of what presses and of joints, where the least of all forces would have contacts
    pull, or press too little to rub so much: what friction and pressure do, one may do in place of the other."""
    for harder in HARDER:
        heavier = {k: harder * weight for k, weight in weights.items()}
        least = _least(p, found, closed, stuck, {}, x, heavier)
        if least is None:
            return None
        x = least[0]
        if not dry.pulls(p, closed, x) and not _exceeds(p, stuck, x):
            return _together(p, found, closed, stuck, x, heavier, {})
    return None


def _wedged(
    p: dry.Problem, found: dry.Found, closed: list[int], stuck: list[int], spent: frozenset[int]
) -> dry.Found | None:  # fmt: skip
    """The forces where joints and contacts alone let nothing slide, whatever their friction: slots beyond their bound, or at
    it, give all they have, and joints and contacts bear the rest. Those that can give next to nothing any more, as contacts
    that are about to part, may be held by what sticks, too. None where something may slide."""
    out = _one_by_one(p, found, closed, stuck, spent)
    if out is None or not out.full:
        return out
    N = p.loads(out.x)
    bound = {k: p.held(k, out.x, N) for k in stuck}
    slight = all(bound[k] <= SLIGHT * max(bound.values()) for k in out.full)
    held = [*closed, *[int(i) for k in out.stuck if slight for i in p.slots[k].rows]]
    rows = np.concatenate([p.slots[k].rows for k in out.full])
    return out if dry.mobility(p.W, p.own, rows, np.array(held, dtype=int)).max() <= dry.HELD else None


def _central(p: dry.Problem, stuck: list[int], x: np.ndarray) -> tuple[np.ndarray, float]:
    """Forces of slots that do what x does within the smallest part of all their bounds, and that part."""
    N = p.loads(x)
    rows = np.concatenate([p.slots[k].rows for k in stuck])
    parts = list(pairwise(np.cumsum([0, *[len(p.slots[k].rows) for k in stuck]])))
    scale = dry.round_scale(p, stuck)
    W = p.W[np.ix_(rows, rows)] * np.outer(scale, scale)
    right = -W @ (x[rows] / scale)
    size = np.abs(right).max(initial=1e-300)
    most = np.array([max(p.held(k, x, N), 0.0) * np.sqrt(p.own[p.slots[k].rows].max()) for k in stuck])
    inverse = linear.pinv(W[None], rcond=dry.RANK)[0]
    low, high, best = 0.0, 1.0, x[rows] / scale
    for _ in range(HALVED):
        part = high if high == 1.0 and low == 0.0 else 0.5 * (low + high)
        z = dry.in_balls(W, right, best, parts, list(part * most))
        if np.abs(W @ z + right).max() > dry.STILL * size:
            if part == 1.0:
                return _spread(x, rows, z * scale), 1.0
            low = part
            continue
        high, best = part, z - inverse @ (W @ z + right)
        if low == 0.0:
            low = 1e-9
    return _spread(x, rows, best * scale), high


def _spread(x: np.ndarray, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    out = x.copy()
    out[rows] = values
    return out


def _moving(p: dry.Problem, slots: list[int], x: np.ndarray) -> Ends:
    """The motions that forces of friction are against."""
    return {k: -x[p.slots[k].rows] / (np.linalg.norm(x[p.slots[k].rows]) or 1.0) for k in slots}


def _first_weights(p: dry.Problem, stuck: list[int], x: np.ndarray) -> dict[int, float]:
    """The first weights of slots, in proportion to their compliances, all contacts as one, over what they can bear."""
    N, out = p.loads(x), {}
    own = {k: float(p.own[p.slots[k].rows].mean()) for k in stuck}
    contacts = [k for k in stuck if p.slots[k].press >= 0]
    for group in [contacts, *[[k] for k in stuck if k not in contacts]]:
        bounds = np.array([max(p.held(k, x, N), 0.0) for k in group])
        usual, compliances = bounds.mean() if len(group) else 0.0, np.mean([own[k] for k in group]) if group else 0.0
        for k, b in zip(group, bounds, strict=True):
            out[k] = (
                float(compliances * min(max(usual / b, 1 / HEAVIEST), HEAVIEST)) if b > 0 else float(compliances * HEAVIEST)
            )
    return out


def _least(
    p: dry.Problem, found: dry.Found, closed: list[int], held: list[int], full: dict[int, np.ndarray], x: np.ndarray,
    weights: dict[int, float] | None = None,
) -> tuple[np.ndarray, bool] | None:  # fmt: skip
    """The least forces, as the equations of motion take them (by the compliances of rows), that keep what is closed and held
    at rest; whether there are others. None where nothing keeps it."""
    rows = [*closed, *[int(i) for k in held for i in p.slots[k].rows]]
    m, size, own = len(p.r0), p.largest, p.own.copy()
    for k, weight in (weights or {}).items():
        own[p.slots[k].rows] = weight
    for _ in range(INSERTED):
        N, c = p.loads(x), np.zeros(m)
        C = {i: dry.unit(m, i, 1.0) for i in rows}
        for k, s in enumerate(p.slots):
            if k in held or (s.press >= 0 and s.press not in closed):
                continue
            u = full[k] if k in full else s.slides if s.slides is not None else found.begun.get(k)
            if u is None:
                continue
            mu = s.static if k in full else s.mu
            c[s.rows] += s.given - s.level * u
            if s.press >= 0:
                C[s.press][s.rows] -= mu * u
            else:
                c[s.rows] -= mu * N[k] * u
        B = np.array([C[i] for i in rows]).T.reshape(m, len(rows))
        z, free = _smallest(p, rows, B, c, own)
        new = c + B @ z
        settled = np.abs((new - x) * np.sqrt(p.own)).max(initial=0.0) <= 1e-12 * np.abs(new * np.sqrt(p.own)).max(
            initial=1e-300
        )
        x = new
        if settled:
            break
    r = p.r0 + p.W @ x
    watched = [*rows, *[int(i) for k in full for i in p.slots[k].rows]]
    if watched and np.abs(r[watched] / np.sqrt(p.own[watched])).max() > dry.STILL * size:
        return None
    return x, free


def _smallest(
    p: dry.Problem, rows: list[int], B: np.ndarray, c: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, bool]:  # fmt: skip
    """z with r0 + W (c + B z) = 0 in the rows, and least multipliers; as the equations of motion take them, friction of what
    slides is a load meanwhile: changes of multipliers alone that do nothing make them no smaller."""
    scale = 1 / np.sqrt(p.own[rows])
    A = scale[:, None] * (p.W @ B)[rows] * scale
    right = -scale * (p.r0 + p.W @ c)[rows]
    values, vectors = linear.eigh(p.W[np.ix_(rows, rows)] * np.outer(scale, scale)) if rows else (np.zeros(0), np.eye(0))
    null = vectors[:, values <= dry.RANK * values[-1]] if len(values) else vectors
    if not null.shape[1]:
        return np.asarray(scale * linear.lstsq(A, right, rcond=dry.RANK)[0]), False
    lam0, L, own = p.reactions
    idle = scale[:, None] * null  # multipliers of the rows that do nothing, and of joints with them
    through = (L[:, rows] @ idle).T * own
    across = idle.T * weights[rows]
    more = through @ L @ B * scale + across * scale
    done = -(through @ (lam0 + L @ c))
    z = linear.lstsq(np.vstack([A, more]), np.concatenate([right, done]), rcond=dry.RANK)[0]
    return np.asarray(scale * z), True
