"""Velocity constraints that can be integrated: each takes a position as it takes a velocity.

Rows w v = b can be integrated where dw(X, Y) = 0 for all displacements X, Y that they allow (Frobenius), time with the least
velocities that they prescribe being one of these: all rows of a part of the machine that its constraints connect. A damper
that a spring pulls along has a rate by where it is, and nothing holds its place. Where this is so of some combinations of
rows alone, these can be integrated if they stay so along every motion (`carried`).
"""

from __future__ import annotations

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.closure import Closure
from linkwright.analyses.diagnosis.carried import never_integrated
from linkwright.analyses.diagnosis.velocity_forms import At, VelocityForms
from linkwright.analyses.machine.machine import Machine
from linkwright.later import sparse
from linkwright.solve import nearest
from linkwright.solve.rank import independent_rows, scaled
from linkwright.solve.smallest import Smallest

CURVED = 1e-6  # of a row: less is the error of differences
AWAY = 0.15  # rad, and of the typical length: where brackets of velocities vanish only if they do everywhere
SPARE = 6  # pairs of displacements more than rows: chance may hide none


def unheld(machine: Machine, q: np.ndarray, t: float) -> int:
    """How many independent constraints on velocities hold no position, near a configuration."""
    on_positions = np.array([row.rate is None for row in machine.system.rows], dtype=bool)
    kept = independent_rows(machine.rows_at(q, t)[1], machine.scale, on_positions)[0]
    own = kept[~on_positions[kept]]
    if not len(own):
        return 0
    forms = VelocityForms(machine, kept, own, q, t)
    part = forms.parts[0][own]
    size = np.bincount(part)
    ranks, seed = np.zeros(len(size), dtype=np.int64), 0
    while (ranks < size).any() and seed < 2:
        seed += 1
        general = _general(forms, q, t, seed)
        curl = _curls(forms.at(general, t), int(size.max()))
        ranks = np.maximum(ranks, [_rank(curl[part == p]) for p in range(len(size))])
    open_ = np.flatnonzero((ranks > 0) & (ranks < size))
    ranks[open_] = 0
    return int(ranks.sum()) + (never_integrated(forms, open_, general, t) if len(open_) else 0)


def _rank(curl: np.ndarray) -> int:
    """By elimination: a thousand forms would take seconds by singular values."""
    if np.abs(curl).max(initial=0.0) <= CURVED:
        return 0
    return int((np.abs(np.diag(linear.pivoted_qr(curl, mode="r")[0])) > CURVED).sum())


def _curls(at: At, forms: int) -> np.ndarray:
    """dw(X, Y) of each form for random pairs of what all rows allow, time being one; for so many forms of a part."""
    fit, n = Smallest(at.S), at.S.shape[1]
    count = int(np.ceil(np.sqrt(2 * (forms + SPARE)))) + 1  # of which there are pairs enough
    x = np.random.default_rng(3).normal(size=(n, count))
    still = np.vstack([x - at.S.T @ fit(x), np.zeros(count)])
    X = np.column_stack([still, np.append(fit.reaching(at.late), 1.0)])
    return np.hstack([at.inserted(x) @ X[:, k + 1 :] for k, x in enumerate(X.T)])


def _general(forms: VelocityForms, q: np.ndarray, t: float, seed: int) -> np.ndarray:
    """A configuration nearby without any symmetry, of the parts that have constraints on velocities."""
    machine, (of_row, of_column) = forms.machine, forms.parts
    d = np.where(np.isin(of_column, of_row[forms.rows]), np.random.default_rng(seed).normal(size=machine.nv), 0.0)
    held = np.setdiff1d(forms.kept, forms.rows)
    if len(held):
        S = sparse.csr_array(scaled(machine.rows_at(q, t)[1][held], forms.scale)[0])
        d = d - S.T @ Smallest(S)(d)
    d *= AWAY / max(float(np.abs(d).max(initial=0.0)), AWAY)
    found = nearest.close(Closure(machine, t, drivers=False), machine.retract(q, d * forms.scale))
    return np.asarray(found.q) if found.closed else q
