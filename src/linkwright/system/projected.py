"""Equations of motion projected on the partial velocities of a tree, and solved:

    [ R^T M R   (Phi_c R)^T ] [ udot  ]   [ R^T f ]
    [ Phi_c R        0      ] [ lam_c ] = [ gamma ]

R^T M R is full for a chain, and its elimination takes the cube of the number of speeds. From the tips to the ground it is
eliminated joint by joint without ever being written: what is left of the bodies above a joint is an inertia of one body
(the articulated-body algorithm, Featherstone, chapter 7). Pivots are the same. Rows follow one by one:

    (Phi_c W) lam_c = Phi_c w - gamma,        w = R (R^T M R)^-1 R^T f,   W = R (R^T M R)^-1 R^T Phi_c^T.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linkwright.compile.clock import traced_property as cached_property
from linkwright.equations.linked import Articulated
from linkwright.graph import Factors, Scalar, absolute, ldl, minimum
from linkwright.model.values import is_some
from linkwright.regularisation import ITERATIONS_UNROLLED
from linkwright.system.partial_velocities import PartialVelocities
from linkwright.system.saddle import factor

Rows = list[dict[int, Scalar]]  # each row's derivative by displacements of bodies
Solution = tuple[np.ndarray, list[Scalar]]


class Full:
    """The elimination of the matrix R^T M R itself: also where bodies without mass need the rows to be held, `weight` not
    zero."""

    def __init__(
        self, partial: PartialVelocities, M: Mapping[tuple[int, int], Scalar], rows: Rows, weight: Scalar,
        compliances: Sequence[Scalar], sizes: Sequence[Scalar], carried: Sequence[tuple[dict[int, Scalar], Scalar]] = (),
    ) -> None:  # fmt: skip
        """`carried`: inertia along quantities, each as its derivative by displacements of bodies and its size."""
        self.partial, n, count = partial, partial.n, len(rows)
        self._count = count
        J = {
            (k, a): x
            for k, row in enumerate(rows)
            for a, x in enumerate(partial.on_speeds(_vector(partial, row)))
            if is_some(x)
        }
        weights = dict.fromkeys(range(count), weight) if is_some(weight) else {}
        after = {k: range(n) for k in range(count)}
        mass = partial.mass(M)
        for row, inertia in carried:
            add_carried(mass, partial.on_speeds(_vector(partial, row)), inertia)
        self._saddle = factor(mass, J, [0.0] * count, n, weights, after, compliances, sizes=sizes)
        self.health = self._saddle.health

    def solve(self, f: np.ndarray, gamma: Sequence[Scalar]) -> Solution:
        """(R udot, lam)."""
        udot, lam = self._saddle.solve(self.partial.on_speeds(f), gamma)
        return self.partial.of_speeds(udot), lam


class Recursive:
    """The elimination joint by joint."""

    def __init__(
        self, partial: PartialVelocities, M: Mapping[tuple[int, int], Scalar], rows: Rows, compliances: Sequence[Scalar],
        sizes: Sequence[Scalar],
    ) -> None:  # fmt: skip
        self.partial, self.rows, self.compliances, self.sizes = partial, rows, list(compliances), list(sizes)
        self._bodies = Articulated(partial.linked, partial.inertia(M))

    def _moved(self, f: np.ndarray) -> np.ndarray:
        """w = R (R^T M R)^-1 R^T f."""
        return self.partial.cartesian(self._bodies.motion(self.partial.forces(f))[1])

    @cached_property
    def _responses(self) -> list[np.ndarray]:
        """W."""
        return [self._moved(_vector(self.partial, row)) for row in self.rows]

    @cached_property
    def _between(self) -> tuple[Factors | None, Scalar]:
        """The factors of Phi_c W, regularised; and the smallest pivot, relative to the compliance of its row itself."""
        K = {(i, j): product(self.rows[i], W) for j, W in enumerate(self._responses) for i in range(j + 1)}
        for k, e in enumerate(self.compliances):
            K[k, k] = K[k, k] + e
        if not self.rows:
            return None, 1.0
        factors, health = ldl(K, len(self.rows)), 1.0
        for k, x in enumerate(self.sizes if not self.compliances else []):
            health = minimum(health, absolute(factors.pivots[k]) / x)
        return factors, health

    @property
    def health(self) -> Scalar:
        return self._between[1]

    def solve(self, f: np.ndarray, gamma: Sequence[Scalar]) -> Solution:
        """(R udot, lam)."""
        w, (factors, _) = self._moved(f), self._between
        if factors is None:
            return w, []
        right = [product(row, w) - g for row, g in zip(self.rows, gamma, strict=True)]
        lam = factors.solve(right)
        for _ in range(ITERATIONS_UNROLLED if self.compliances else 0):
            lam = factors.solve([x + e * y for x, e, y in zip(right, self.compliances, lam, strict=True)])
        for W, x in zip(self._responses, lam, strict=True):
            w = w - W * x
        return w, lam


def add_carried(mass: dict[tuple[int, int], Scalar], slope: Sequence[Scalar], inertia: Scalar) -> None:
    """Inertia along a quantity, by its derivative by the speeds, above the diagonal."""
    own = [(a, x) for a, x in enumerate(slope) if is_some(x)]
    for k, (a, x) in enumerate(own):
        for b, y in own[k:]:
            mass[a, b] = mass.get((a, b), 0.0) + inertia * x * y


def _vector(partial: PartialVelocities, row: Mapping[int, Scalar]) -> np.ndarray:
    out = np.zeros(partial.system.nv, dtype=object)
    for j, x in row.items():
        out[j] = x
    return out


def product(row: Mapping[int, Scalar], v: np.ndarray) -> Scalar:
    """A row of a sparse matrix times a vector."""
    total: Scalar = 0.0
    for j, x in row.items():
        total = total + x * v[j]
    return total
