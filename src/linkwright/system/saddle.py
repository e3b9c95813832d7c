"""The equations of motion as one symmetric system, and its solution as straight-line code:

    [ M    J^T ] [ a   ]   [ f     ]
    [ J    0   ] [ lam ] = [ gamma ]

M may be singular: with weights w on some rows, M + J^T w J and f + J^T w gamma give the same solution, and are definite
where kinetic energy and those rows together are. That is how massless directions are treated exactly.

Rows may be dependent: regularised by eps on the diagonal, J a - eps lam = gamma - eps lam_0, the system has a stable
elimination in any order; iterated with lam_0 = lam of the last iteration (proximal iteration, augmented Lagrangian, Bayo)
J a = gamma holds to rounding, while lam stays zero along the null space of J^T.

Rows that are dependent where all of them hold are not where joints are a little open, as they are at the stages of a method:
they then contradict each other by some g, and the multipliers g/eps of that do work along what opens them. So eps of rows
that are not needed grows with what is open (`eased`): what comes of a contradiction is then of its own size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from linkwright.graph import Expr, Factors, Scalar, absolute, ldl, minimum, sqrt
from linkwright.regularisation import ITERATIONS_UNROLLED

Entries = dict[tuple[int, int], Scalar]


def eased(compliances: Sequence[Scalar], residuals: Sequence[Scalar]) -> list[Scalar]:
    """The compliance of each row: what it always has, and what it has while all are closed times more, the wider they are
    open. `compliances`: these two, then the inverse of the residual from which on a row is open, of all rows each."""
    count = len(residuals)
    always, closed, width = compliances[:count], compliances[count : 2 * count], compliances[2 * count :]
    wide: Scalar = sum(((w * x) ** 2 for w, x in zip(width, residuals, strict=True)), 1.0)
    return [a + c * sqrt(wide) for a, c in zip(always, closed, strict=True)]


class Answers(Protocol):
    """A solver that gives accelerations and multipliers for forces; `gamma` has one entry a multiplier."""

    @property
    def gamma(self) -> list[Scalar]: ...

    def solve(self, f: Sequence[Scalar], gamma: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]: ...


@dataclass(frozen=True, eq=False)
class Saddle:
    """Factored; ``n`` accelerations come before the multipliers. ``health``: the smallest pivot, relative to its parts.

    Health is one for a machine whose rows do not disturb each other, and goes to zero where rows become dependent or a
    direction loses its inertia.
    """

    n: int
    factors: Factors
    J: Entries
    gamma: list[Scalar]
    weights: Mapping[int, Scalar]
    health: Scalar
    compliances: Sequence[Scalar] = ()

    def solve(self, f: Sequence[Scalar], gamma: Sequence[Scalar] | None = None) -> tuple[list[Scalar], list[Scalar]]:
        """(a, lam) under the force f; gamma zero gives the effect of a force alone."""
        gamma = self.gamma if gamma is None else gamma
        right = list(f)
        for (k, j), entry in self.J.items():
            if k in self.weights:
                right[j] = right[j] + entry * (self.weights[k] * gamma[k])
        x = self.factors.solve([*right, *gamma])
        for _ in range(ITERATIONS_UNROLLED if self.compliances else 0):
            less = {self.n + k: -e * lam for k, (e, lam) in enumerate(zip(self.compliances, x[self.n :], strict=True))}
            x = self.factors.solve([*right, *gamma], less)
        return x[: self.n], x[self.n :]


def factor(
    M: Mapping[tuple[int, int], Scalar], J: Entries, gamma: list[Scalar], n: int,
    weights: Mapping[int, Scalar], after: Mapping[int, Iterable[int]], compliances: Sequence[Scalar] = (),
    marks: Mapping[int, Scalar] | None = None, sizes: Sequence[Scalar] = (),
) -> Saddle:  # fmt: skip
    """`weights`, `after` and `marks` by row of J; after: the unknowns that must be eliminated before the row's multiplier.
    A row whose mark is one does not hold: J a - mark lam = gamma, with J zero there. `sizes`, one a row: what pivots are
    measured by; by default the compliance of the row itself."""
    K: Entries = {ij: x for ij, x in M.items() if ij[0] <= ij[1]}
    rows: dict[int, list[tuple[int, Scalar]]] = {}
    for (k, j), entry in J.items():
        rows.setdefault(k, []).append((j, entry))
    for k, w in weights.items():
        for a, x in rows.get(k, []):
            for b, y in rows[k]:
                if a <= b:
                    K[a, b] = K.get((a, b), 0.0) + w * x * y
    diagonal = {i: x for (i, j), x in K.items() if i == j}
    for (k, j), entry in J.items():
        K[j, n + k] = entry
    for k, e in enumerate(compliances):
        K[n + k, n + k] = -e
    for k, e in (marks or {}).items():
        K[n + k, n + k] = -e
    factors = ldl(K, n + len(gamma), after={n + k: set(who) for k, who in after.items()})
    health: Scalar = 1.0
    for k, entries in rows.items() if not compliances else ():
        size = sizes[k] if sizes else compliance_of(dict(entries), diagonal)
        health = minimum(health, absolute(factors.pivots[n + k]) / size)
    for i, x in diagonal.items():
        if type(factors.pivots[i]) is Expr or type(x) is Expr:
            health = minimum(health, factors.pivots[i] / x)
    return Saddle(n, factors, J, gamma, weights, health, compliances)


def compliance_of(row: Mapping[int, Scalar], mass: Mapping[int, Scalar]) -> Scalar:
    """The compliance of a row by itself, its acceleration under a unit force: the sum of J_j^2 / m_j."""
    total: Scalar = 0.0
    for j, x in row.items():
        total = total + x * x / mass[j]
    return total


def of_marked(J: Entries, marks: Sequence[Scalar], count: int) -> Saddle:
    """J a = gamma of `count` rows, by the unknowns that are marked by 1 among zeros, as many as rows: the others stay."""
    n = len(marks)
    marked = {(k, j): x * marks[j] for (k, j), x in J.items()}
    return factor({(i, i): 1.0 for i in range(n)}, marked, [0.0] * count, n, {}, {k: range(n) for k in range(count)})
