"""Kane's equations on a spanning tree: the equations of motion projected on its partial velocities.

With v = R u and vdot = R udot + c (c: some accelerations with which the tree's joints stay closed, found joint by joint):

    [ R^T M R   (Phi_c R)^T ] [ udot  ]   [ R^T (Q - M c)    ]
    [ Phi_c R        0      ] [ lam_c ] = [ gamma - Phi_c c  ]

where the rows c are those that close loops, and drivers. The joints of the tree carry no multipliers; these are had
afterwards, body by body from the tips to the ground, from the balance of each body (Haug 6.6, 11.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwright.graph import Expr, Factors, Scalar, ldl
from linkwright.system.partial_velocities import partial_velocities
from linkwright.system.saddle import Entries, Saddle, factor
from linkwright.system.spanning_tree import Spanning, spanning_tree

if TYPE_CHECKING:
    from linkwright.system.mechanics import Mechanics


class Kane:
    """Accelerations and multipliers of the given rows, among which are all rows of the tree's joints; it is asked as a
    `Saddle` is. `yields`, one a row: those that close loops may be dependent."""

    def __init__(
        self, system: Mechanics, rows: Sequence[int], yields: Sequence[Scalar] = (), spanning: Spanning | None = None
    ) -> None:
        self.spanning = spanning or spanning_tree(system.model)
        self.system, self.rows, self.n = system, [int(k) for k in rows], system.nv
        self.yields = dict(zip(self.rows, yields, strict=True)) if yields else {}
        self.gamma = [system.gamma[k] for k in self.rows]

    @cached_property
    def R(self) -> np.ndarray:
        """Partial velocities."""
        return partial_velocities(self.system, self.spanning)

    @cached_property
    def tree_rows(self) -> dict[str, list[int]]:
        """The rows of each joint of the tree."""
        joints = {name for name in self.spanning.joints if name}
        out: dict[str, list[int]] = {name: [] for name in joints}
        for k in self.rows:
            name = self.system.rows[k].element.name
            if name in joints:
                out[name].append(k)
        return out

    @cached_property
    def loop_rows(self) -> list[int]:
        tree = {k for rows in self.tree_rows.values() for k in rows}
        return [k for k in self.rows if k not in tree]

    @cached_property
    def _M(self) -> np.ndarray:
        return self.system.inertia.M.dense()

    def _jacobian(self, rows: Sequence[int]) -> np.ndarray:
        number = {row: k for k, row in enumerate(rows)}
        out = np.zeros((len(rows), self.system.nv), dtype=object)
        for (i, j), d in self.system.Phi_v.entries.items():
            if i in number:
                out[number[i], j] = d
        return out

    @cached_property
    def _loops(self) -> np.ndarray:
        """Phi_c."""
        return self._jacobian(self.loop_rows)

    @cached_property
    def _reduced(self) -> Saddle:
        R = self.R
        n, count = R.shape[1], len(self.loop_rows)
        weights = dict.fromkeys(range(count), self.system.typical_mass) if self.system.massless else {}
        yields = [self.yields[k] for k in self.loop_rows] if self.yields else []
        after = {k: range(n) for k in range(count)}
        return factor(_entries(R.T @ self._M @ R), _entries(self._loops @ R), [0.0] * count, n, weights, after, yields)

    @property
    def health(self) -> Scalar:
        return self._reduced.health

    def solve(self, f: Sequence[Scalar], gamma: Sequence[Scalar] | None = None) -> tuple[list[Scalar], list[Scalar]]:
        """(vdot, lam of the rows) under the forces f; another gamma of the rows, or zero for the effect of f alone."""
        right = dict(zip(self.rows, self.gamma if gamma is None else gamma, strict=True))
        c = self._particular(right)
        R, F = self.R, np.array(f, dtype=object)
        left = [right[k] - x for k, x in zip(self.loop_rows, self._loops @ c, strict=True)]
        udot, lam_c = self._reduced.solve(list(R.T @ (F - self._M @ c)), left)
        vdot = R @ np.array(udot, dtype=object) + c if len(udot) else c
        return list(vdot), self.multipliers(F, vdot, lam_c)

    # -- the joints of the tree, one after the other ---------------------------------------------------------------------
    @cached_property
    def _carried(self) -> list[tuple[slice, list[int], np.ndarray, Factors]]:
        """From the ground up: a body's displacements, its joint's rows, their derivative, and the factors of own own^T,
        where the body's own part has full row rank."""
        slices, out = self.system.coordinates.body_slices(), []
        for body, joint in zip(self.spanning.bodies, self.spanning.joints, strict=True):
            rows = self.tree_rows.get(joint, [])
            if rows:
                at, B = slices[body.name][1], self._jacobian(rows)
                own = B[:, at]
                out.append((at, rows, B, ldl(_entries(own @ own.T), len(rows))))
        return out

    def _particular(self, gamma: dict[int, Scalar]) -> np.ndarray:
        """Accelerations with which the rows of the tree are gamma."""
        d = np.zeros(self.system.nv, dtype=object)
        for at, rows, B, factors in self._carried:
            right = [gamma[k] - x for k, x in zip(rows, B @ d, strict=True)]
            d[at] = d[at] + B[:, at].T @ np.array(factors.solve(right), dtype=object)
        return d

    def multipliers(self, f: np.ndarray, vdot: np.ndarray, lam_c: Sequence[Scalar]) -> list[Scalar]:
        """Of all rows, from those of loops and the accelerations."""
        found = dict(zip(self.loop_rows, lam_c, strict=True))
        rest = f - self._M @ vdot
        if found:
            rest = rest - self._loops.T @ np.array(lam_c, dtype=object)
        for at, rows, B, factors in reversed(self._carried):
            lam = factors.solve(list(B[:, at] @ rest[at]))
            rest = rest - B.T @ np.array(lam, dtype=object)
            found.update(zip(rows, lam, strict=True))
        return [found[k] for k in self.rows]


def _entries(A: np.ndarray) -> Entries:
    return {(i, j): x for (i, j), x in np.ndenumerate(A) if type(x) is Expr or x != 0}
