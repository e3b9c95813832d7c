"""Generalised coordinate partitioning in loops (Haug 7.3.2): the others being given, dependent displacements x_u follow by
Newton's method, Phi_u x_u = -Phi, with sparse factors in an order of pivots that is good where they were chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linkwright.compile import Array, Ints, i64, native
from linkwright.compile.sparse_lu import Plan, sparse_factor, sparse_solve
from linkwright.later import sparse
from linkwright.system.looped.assembled import Assembled
from linkwright.system.looped.solving import NV, Loops, X


class Following(NamedTuple):
    """What a projection by partitioning needs. sizes: the numbers of dependent displacements and of the entries of their
    columns; to: which displacements they are; place: of the entries; plan: see `Plan`; values: the entries, then the
    right-hand side, which is at `right`; the rest is room for the factors. failed: how often a pivot was poor, and all
    displacements moved instead."""

    sizes: Ints
    to: Ints
    place: Ints
    plan: Ints
    values: Array
    right: Ints
    LU: Array
    scale: Array
    work: Array
    x: Array
    measure: Array
    failed: Ints

    @classmethod
    def of(cls, dependent: Sequence[int], assembled: Assembled) -> Following:
        """The plan by J as it is now; RuntimeError where these displacements do not follow from the others."""
        n, own = len(dependent), {k: i for i, k in enumerate(dependent)}
        rows, columns, places = assembled.J_places
        used = np.isin(columns, dependent)
        rows, places = rows[used], places[used]
        columns = np.array([own[k] for k in columns[used].tolist()], dtype=np.int64)
        A = sparse.csc_matrix((assembled.arena.numbers[places], (rows, columns)), shape=(n, n))
        plan = Plan.at(A, rows, columns) if n else Plan.dense(0)
        count = len(places)
        values, right = np.zeros(count + n), count + np.arange(n)
        sizes, to = np.array([n, count]), np.array(dependent, dtype=np.int64)
        LU, (scale, work, x), measure = np.zeros(plan.size), np.zeros((3, n)), np.zeros(3)
        failed = np.zeros(1, dtype=np.int64)
        made = sizes, to, places, plan.ints, values, right, LU, scale, work, x, measure, failed
        return cls(*(x if x.size else np.zeros(1, dtype=x.dtype) for x in made))


@native
def followed(gap: i64, m: Loops, f: Following) -> i64:
    """Find x with Phi_u x_u = -gap, of which only the dependent displacements are not zero; 0 where a pivot is poor."""
    n = f.sizes[0]
    count = f.sizes[1]
    for k in range(count):
        f.values[k] = m.numbers[f.place[k]]
    for k in range(n):
        f.values[count + k] = -m.numbers[gap + k]
    if sparse_factor(n, count, f.plan, f.values, f.LU, f.scale, f.work, f.measure) > 0:
        f.failed[0] += 1
        return 0
    sparse_solve(n, f.plan, f.LU, f.scale, f.right, f.values, f.work, f.x)
    for i in range(m.at[NV]):
        m.numbers[m.at[X] + i] = 0.0
    for k in range(n):
        m.numbers[m.at[X] + f.to[k]] = f.x[k]
    return 1
