"""Bodies of a tree on their joints: sums along the tree, composite and articulated bodies (Featherstone, chapters 5 to 7).

Written once for whatever coordinates the bodies have: `X` takes a velocity of the body below to the coordinates of the body,
its transpose takes a force on the body down; `S` has the axes of the body's joint. In space these are 6-D vectors in body
axes or in ground axes at the body's origin, in the plane they may have three components. Scalars are plain or traced.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.equations.arrays import array, factored, mirrored

Vectors = list[np.ndarray]  # one a body, in the order of the tree


@dataclass(frozen=True, eq=False)
class Linked:
    """``parent``: by body, smaller than its own number, -1 for the ground; ``speeds``: where those of its joint are."""

    parent: Sequence[int]
    speeds: Sequence[slice]
    X: Vectors
    S: Vectors

    def carried(self, u: np.ndarray, c: Vectors | None = None, ground: np.ndarray | None = None) -> Vectors:
        """Velocities of the bodies under speeds u of the joints, from the ground up; accelerations under their rates, c of
        each body against the one below without them, and that of the ground. Columns of u are taken side by side."""
        out: Vectors = []
        for k, low in enumerate(self.parent):
            own = self.S[k] @ u[self.speeds[k]]
            own = own if c is None else own + c[k]
            below = ground if low < 0 else out[low]
            out.append(own if below is None else self.X[k] @ below + own)
        return out

    def pressed(self, forces: Sequence[Any]) -> list[Any]:
        """What forces on the bodies are at the joints: virtual work."""
        F = [array(x) for x in forces]
        out: list[Any] = [0.0] * sum(S.shape[1] for S in self.S)
        for k in reversed(range(len(F))):
            out[self.speeds[k]] = list(self.S[k].T @ F[k])
            self._down(k, F, F[k])
        return out

    def _down(self, k: int, forces: Vectors, force: np.ndarray) -> None:
        low = self.parent[k]
        if low >= 0:
            forces[low] = forces[low] + self.X[k].T @ force

    def composite(self, inertia: Sequence[np.ndarray]) -> Iterator[tuple[int, int, np.ndarray]]:
        """The mass matrix of the speeds by blocks (j, k) of joints, j = k or below k: what is above a joint moves as one
        body, and is met by the joints below it (table 6.2)."""
        I = [array(x) for x in inertia]  # noqa: E741
        for k in reversed(range(len(I))):
            low = self.parent[k]
            if low >= 0:
                I[low] = I[low] + mirrored(self.X[k].T @ I[k] @ self.X[k])
            F, j = I[k] @ self.S[k], k
            while j >= 0:
                block = self.S[j].T @ F
                yield j, k, mirrored(block) if j == k else block
                F, j = self.X[j].T @ F, self.parent[j]


@dataclass(frozen=True, eq=False)
class Articulated:
    """Bodies with inertia: joint by joint from the tips to the ground what is left of the bodies above a joint is an inertia
    of one body (table 7.1). These are the pivots of the mass matrix, which is never written."""

    linked: Linked
    inertia: Sequence[np.ndarray]

    @cached_property
    def _eliminated(self) -> tuple[Vectors, list[Any]]:
        """IA of each body; of each joint U = IA S, the solution with D = S^T U, and of all that are not on the ground
        D^-1 U^T and Ia."""
        x, out = self.linked, list[Any]()
        IA = [array(I) for I in self.inertia]  # noqa: E741
        for k in reversed(range(len(IA))):
            S, low = x.S[k], x.parent[k]
            U = IA[k] @ S
            by_D = factored(mirrored(S.T @ U))
            across = rest = None
            if low >= 0:
                across = by_D(U.T)
                rest = mirrored(IA[k] - U @ across) if S.shape[1] else IA[k]
                IA[low] = IA[low] + mirrored(x.X[k].T @ rest @ x.X[k])
            out.append((U, by_D, across, rest))
        return IA, out[::-1]

    @property
    def inertias(self) -> Vectors:
        """IA of each body: the inertia it shows when pushed, all bodies above it following freely."""
        return self._eliminated[0]

    def motion(
        self, forces: Sequence[np.ndarray], tau: np.ndarray | None = None, c: Sequence[np.ndarray] | None = None,
        ground: np.ndarray | None = None,
    ) -> tuple[list[np.ndarray], Vectors]:  # fmt: skip
        """Rates of the speeds, joint by joint, and accelerations of the bodies, under forces on the bodies and tau at the
        joints. c: accelerations that bodies have against the ones below without them; ground: that of the ground."""
        x, joints, F = self.linked, self._eliminated[1], list(forces)
        efforts: list[Any] = [None] * len(F)
        for k in reversed(range(len(F))):
            U, by_D, _, rest = joints[k]
            u = x.S[k].T @ F[k]
            if tau is not None:
                u = tau[x.speeds[k]] + u
            efforts[k] = u if x.parent[k] < 0 else by_D(u)
            if x.parent[k] >= 0:
                x._down(k, F, F[k] - U @ efforts[k] - (rest @ c[k] if c is not None else 0.0))
        rates: list[np.ndarray] = []
        a: Vectors = []
        for k, low in enumerate(x.parent):
            U, by_D, across, _ = joints[k]
            below = ground if low < 0 else a[low]
            given = np.zeros(len(F[k])) if below is None else x.X[k] @ below
            given = given if c is None else given + c[k]
            rates.append(by_D(efforts[k] - U.T @ given) if low < 0 else efforts[k] - across @ given)
            a.append(given + x.S[k] @ rates[k])
        return rates, a
