"""Kane's equations on a spanning tree: the equations of motion projected on its partial velocities.

With v = R u and vdot = R udot + c (c: what udot = 0 leaves, the derivative of R times u):

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

from linkwright.graph import Expr, Scalar, ldl, substitute, symbols
from linkwright.system.partial_velocities import PartialVelocities, partial_velocities
from linkwright.system.saddle import Entries, Saddle, factor

if TYPE_CHECKING:
    from linkwright.system.mechanics import Mechanics


class Kane:
    """Accelerations and multipliers of the given rows; all rows of the tree's joints must be among them."""

    def __init__(self, system: Mechanics, rows: Sequence[int]) -> None:
        self.system, self.rows = system, [int(k) for k in rows]

    @cached_property
    def partial(self) -> PartialVelocities:
        return partial_velocities(self.system)

    @cached_property
    def tree_rows(self) -> dict[str, list[int]]:
        """The rows of each joint of the tree."""
        joints = {name for name in self.partial.spanning.joints if name}
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
    def bias(self) -> list[Scalar]:
        """c: vdot at udot = 0."""
        u = symbols("speed", len(self.partial.u))
        still = self.system.rates(list(self.partial.R @ u)) if len(u) else [0.0] * self.system.nv
        return substitute(still, dict(zip(u, self.partial.u, strict=True)))

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
    def saddle(self) -> Saddle:
        R, c = self.partial.R, np.array(self.bias, dtype=object)
        n = R.shape[1]
        B = self._jacobian(self.loop_rows)
        gamma = [self.system.gamma[k] - (B[i] @ c) for i, k in enumerate(self.loop_rows)]
        after = {k: range(n) for k in range(len(self.loop_rows))}
        weights = dict.fromkeys(range(len(self.loop_rows)), self.system.typical_mass) if self.system.massless else {}
        return factor(_entries(R.T @ self._M @ R), _entries(B @ R), gamma, n, weights, after)

    def solution(self, Q: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """(vdot, lam of the rows) under the forces Q (velocity terms of the inertia taken off)."""
        R, c = self.partial.R, np.array(self.bias, dtype=object)
        force = R.T @ (np.array(Q, dtype=object) - self._M @ c)
        udot, lam_c = self.saddle.solve(list(force))
        vdot = R @ np.array(udot, dtype=object) + c if len(udot) else c
        return list(vdot), self._multipliers(Q, vdot, lam_c)

    def _multipliers(self, Q: Sequence[Scalar], vdot: np.ndarray, lam_c: Sequence[Scalar]) -> list[Scalar]:
        found = dict(zip(self.loop_rows, lam_c, strict=True))
        rest = np.array(Q, dtype=object) - self._M @ vdot
        if found:
            rest = rest - self._jacobian(self.loop_rows).T @ np.array(lam_c, dtype=object)
        spanning, slices = self.partial.spanning, self.system.coordinates.body_slices()
        for k in reversed(range(len(spanning.bodies))):
            rows = self.tree_rows.get(spanning.joints[k], [])
            if not rows:
                continue
            B = self._jacobian(rows)
            own = B[:, slices[spanning.bodies[k].name][1]]  # the body's part has full row rank
            factors = ldl(_entries(own @ own.T), len(rows))
            lam = factors.solve(list(own @ rest[slices[spanning.bodies[k].name][1]]))
            rest = rest - B.T @ np.array(lam, dtype=object)
            found.update(zip(rows, lam, strict=True))
        return [found[k] for k in self.rows]


def _entries(A: np.ndarray) -> Entries:
    return {(i, j): x for (i, j), x in np.ndenumerate(A) if type(x) is Expr or x != 0}
