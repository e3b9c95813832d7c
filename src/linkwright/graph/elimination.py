"""Sparse symmetric elimination as a graph operation: A x = b with A = L D L^T, unrolled into straight-line code.

The order is found once, from the pattern, by minimum degree. So that the equations of motion

    [ M  B^T ] [ a   ]   [ Q     ]
    [ B   0  ] [ lam ] = [ gamma ]

may be handed over as they are, an unknown whose diagonal entry is structurally zero (a multiplier) waits until
all its neighbours are gone: its pivot is then one of -B M^-1 B^T, which is negative as long as the rows of B are
independent. `after` lets it go earlier: a joint's multipliers need only wait for the body on the far side of
the joint, and an open chain is then taken apart from its tips inward, which is the articulated-body algorithm.
(To wait for less than a whole body is an error: the pivot may vanish.) Pivots are not chosen by size; the caller
gets them all and must watch them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from linkwright.errors import CompileError
from linkwright.graph.arithmetic import add, div, mul, neg, sub
from linkwright.graph.derive import Sparse
from linkwright.graph.expr import Expr, Scalar


@dataclass(frozen=True)
class Factors:
    """A = L D L^T. ``order``: unknowns as eliminated; ``below[k]``: the rows of L under pivot k."""

    order: list[int]
    pivots: list[Scalar]  # by unknown, not by step
    inverse_pivots: list[Scalar]
    L: dict[tuple[int, int], Scalar]
    below: dict[int, list[int]]

    def solve(self, b: Sequence[Scalar], more: Mapping[int, Scalar] | None = None) -> list[Scalar]:
        """x with A x = b + more. What follows from b alone is summed first, and shared by solutions with another `more`."""
        x = list(b)
        late = {k: [value] for k, value in (more or {}).items()}  # by unknown, what follows from `more`
        for k in self.order:
            for value in late.get(k, ()):
                x[k] = add(x[k], value)
            if _zero(x[k]):
                continue
            for i in self.below[k]:
                if k in late:
                    late.setdefault(i, []).append(neg(mul(self.L[i, k], x[k])))
                else:
                    x[i] = sub(x[i], mul(self.L[i, k], x[k]))
        for k in reversed(self.order):
            value = mul(x[k], self.inverse_pivots[k])
            # what is known longest first: the chain of dependent operations is then the shortest
            for i in reversed(self.below[k]):
                value = sub(value, mul(self.L[i, k], x[i]))
            x[k] = value
        return x


def _zero(x: Scalar) -> bool:
    return type(x) is not Expr and x == 0


def ldl(
    A: Sparse | Mapping[tuple[int, int], Scalar],
    n: int | None = None,
    *,
    order: Sequence[int] | None = None,
    after: Mapping[int, Iterable[int]] | None = None,
) -> Factors:
    """Factors of a symmetric matrix given by its nonzeros (one or both triangles).

    `order` prescribes the order of elimination; `after[k]` are the unknowns that must go before k.
    """
    entries = A.entries if isinstance(A, Sparse) else A
    n = A.shape[0] if isinstance(A, Sparse) else (n if n is not None else 1 + max(max(ij) for ij in entries))
    S: dict[tuple[int, int], Scalar] = {}  # keyed (smaller, larger)
    neighbours: list[set[int]] = [set() for _ in range(n)]
    for (i, j), value in entries.items():
        if not _zero(value):
            S[min(i, j), max(i, j)] = value
            if i != j:
                neighbours[i].add(j)
                neighbours[j].add(i)
    order = list(order) if order is not None else elimination_order(n, set(S), after)
    pivots: list[Scalar] = [0.0] * n
    inverses: list[Scalar] = [0.0] * n
    L: dict[tuple[int, int], Scalar] = {}
    below: dict[int, list[int]] = {}
    position = {k: step for step, k in enumerate(order)}
    for k in order:
        pivots[k] = S.get((k, k), 0.0)
        if _zero(pivots[k]):
            raise CompileError(
                f"the matrix is structurally singular: unknown {k} has no pivot",
                remedy="give another order, or remove the equation",
            )
        inverses[k] = div(1.0, pivots[k])
        rows = sorted((i for i in neighbours[k] if position[i] > position[k]), key=position.__getitem__)
        below[k] = rows
        for i in rows:
            L[i, k] = mul(S[min(i, k), max(i, k)], inverses[k])
        for a, i in enumerate(rows):
            for j in rows[a:]:
                ij = (min(i, j), max(i, j))
                update = mul(L[i, k], S[min(j, k), max(j, k)])
                S[ij] = sub(S.get(ij, 0.0), update)
                if i != j:
                    neighbours[i].add(j)
                    neighbours[j].add(i)
    return Factors(order, pivots, inverses, L, below)


def elimination_order(n: int, pattern: set[tuple[int, int]], after: Mapping[int, Iterable[int]] | None = None) -> list[int]:
    """Minimum degree; ties go to the smaller number.

    Without an entry in `after`, an unknown with a structurally zero diagonal waits for all its neighbours.
    """
    neighbours: list[set[int]] = [set() for _ in range(n)]
    diagonal = [False] * n
    for i, j in pattern:
        if i == j:
            diagonal[i] = True
        else:
            neighbours[i].add(j)
            neighbours[j].add(i)
    waits: list[set[int]] = [set() for _ in range(n)]  # for whom k waits
    for k in range(n):
        if after is not None and k in after:
            waits[k] = set(after[k])
        elif not diagonal[k]:
            waits[k] = {i for i in neighbours[k] if diagonal[i]}
    holds: list[list[int]] = [[] for _ in range(n)]  # who waits for k
    for k in range(n):
        for i in waits[k]:
            holds[i].append(k)
    heap = [(len(neighbours[k]), k) for k in range(n) if diagonal[k] and not waits[k]]
    heapify(heap)
    done = [False] * n
    order: list[int] = []
    while heap:
        degree, k = heappop(heap)
        if done[k] or degree != len(neighbours[k]):
            continue  # an outdated entry
        done[k] = True
        order.append(k)
        around = neighbours[k]
        for i in holds[k]:
            waits[i].discard(k)
        for i in around:
            neighbours[i] |= around
            neighbours[i] -= {i, k}
            diagonal[i] = True  # the update -L_ik d_k L_ik fills it
        for i in around.union(holds[k]):
            if diagonal[i] and not waits[i] and not done[i]:
                heappush(heap, (len(neighbours[i]), i))
    if len(order) < n:
        raise CompileError(
            f"the matrix is structurally singular: no pivot for unknowns {[k for k in range(n) if not done[k]]}",
            remedy="an equation among them touches no unknown with a coefficient on the diagonal",
        )
    return order


def elimination_work(n: int, pattern: set[tuple[int, int]], after: Mapping[int, Iterable[int]] | None = None) -> int:
    """Multiplications and subtractions of the factors: k^2 for a pivot with k entries beside it."""
    neighbours: list[set[int]] = [set() for _ in range(n)]
    for i, j in pattern:
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    total = 0
    for k in elimination_order(n, pattern, after):
        around = neighbours[k]
        total += len(around) ** 2
        for i in around:
            neighbours[i] |= around
            neighbours[i] -= {i, k}
    return total
