"""Kane's equations on a spanning tree: the equations of motion projected on its partial velocities.

With v = R u and vdot = R udot + c (c: some accelerations with which the tree's joints stay closed, found joint by joint):

    [ R^T M R   (Phi_c R)^T ] [ udot  ]   [ R^T (Q - M c)    ]
    [ Phi_c R        0      ] [ lam_c ] = [ gamma - Phi_c c  ]

where the rows c are those that close loops, and drivers. The joints of the tree carry no multipliers; these are had
afterwards, body by body from the tips to the ground, from the balance of each body (Haug 6.6, 11.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwright import size_policy
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Factors, Scalar, ldl
from linkwright.model.values import is_some
from linkwright.system.loop_cost import LoopCost
from linkwright.system.partial_velocities import PartialVelocities
from linkwright.system.projected import Full, Recursive, product
from linkwright.system.saddle import Entries
from linkwright.system.spanning_tree import Spanning, spanning_tree

if TYPE_CHECKING:
    from linkwright.system.mechanics import Mechanics

# The full matrix has fewer operations than the recursion below so many speeds, and with so many rows of loops a speed.
SMALL, MANY = 9, 0.25


class Kane:
    """Accelerations and multipliers of the given rows, among which are all rows of the tree's joints; it is asked as a
    `Saddle` is. `compliances`: the regularisation of each row, for rows of loops may be dependent."""

    def __init__(
        self, system: Mechanics, rows: Sequence[int], compliances: Sequence[Scalar] = (), spanning: Spanning | None = None
    ) -> None:
        self.spanning = spanning or spanning_tree(system.model)
        self.system, self.rows, self.n = system, [int(k) for k in rows], system.nv
        self.compliances = dict(zip(self.rows, compliances, strict=True)) if compliances else {}
        self.gamma = [system.gamma[k] for k in self.rows]

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
    def _by_row(self) -> list[dict[int, Scalar]]:
        """Phi_v."""
        return self.system.Phi_v.by_row()

    @cached_property
    def _projected(self) -> Full | Recursive:
        partial, M = PartialVelocities(self.system, self.spanning), self.system.inertia_of_bodies.M.entries
        loops = [self._by_row[k] for k in self.loop_rows]
        compliances = [self.compliances[k] for k in self.loop_rows] if self.compliances else []
        sizes = self.system.compliances_of(loops)
        if recursive(self.system, partial.n, len(loops)):
            return Recursive(partial, M, loops, compliances, sizes)
        weight = self.system.typical_mass if self.system.massless else 0.0
        return Full(partial, M, loops, weight, compliances, sizes, self.system.carried_rows)

    @property
    def health(self) -> Scalar:
        return self._projected.health

    def solve(self, f: Sequence[Scalar], gamma: Sequence[Scalar] | None = None) -> tuple[list[Scalar], list[Scalar]]:
        """(vdot, lam of the rows) under the forces f; another gamma of the rows, or zero for the effect of f alone."""
        right = dict(zip(self.rows, self.gamma if gamma is None else gamma, strict=True))
        c = self._particular(right)
        F = np.array(f, dtype=object)
        left = [right[k] - product(self._by_row[k], c) for k in self.loop_rows]
        moved, lam_c = self._projected.solve(F - self._inertial(c), left)
        vdot = moved + c
        return list(vdot), self.multipliers(F, vdot, lam_c)

    def _inertial(self, a: np.ndarray) -> np.ndarray:
        """M a."""
        out = np.zeros(self.n, dtype=object)
        self.system.inertia.M.add_times(a, out)
        return out

    # -- the joints of the tree, one after the other ---------------------------------------------------------------------
    @cached_property
    def _carried(self) -> list[tuple[slice, list[int], np.ndarray, Factors]]:
        """The bodies from the ground up, each with its displacements, its joint's rows, their derivative by the body's own
        displacements (of full row rank), and the factors of own own^T."""
        slices, out = self.system.coordinates.body_slices(), []
        for body, joint in zip(self.spanning.bodies, self.spanning.joints, strict=True):
            rows = self.tree_rows.get(joint, [])
            if rows:
                at = slices[body.name][1]
                own = np.array([[self._by_row[k].get(j, 0.0) for j in range(at.start, at.stop)] for k in rows], dtype=object)
                out.append((at, rows, own, ldl(_entries(own @ own.T), len(rows))))
        return out

    def _particular(self, gamma: dict[int, Scalar]) -> np.ndarray:
        """Accelerations with which the rows of the tree are gamma."""
        d = np.zeros(self.system.nv, dtype=object)
        for at, rows, own, factors in self._carried:
            right = [gamma[k] - product(self._by_row[k], d) for k in rows]
            d[at] = d[at] + own.T @ np.array(factors.solve(right), dtype=object)
        return d

    def multipliers(self, f: np.ndarray, vdot: np.ndarray, lam_c: Sequence[Scalar]) -> list[Scalar]:
        """The multipliers of all rows, from those of loops and the accelerations."""
        found = dict(zip(self.loop_rows, lam_c, strict=True))
        rest = f - self._inertial(vdot)
        for k, x in found.items():
            self._take(rest, k, x)
        for at, rows, own, factors in reversed(self._carried):
            lam = factors.solve(list(own @ rest[at]))
            for k, x in zip(rows, lam, strict=True):
                self._take(rest, k, x)
            found.update(zip(rows, lam, strict=True))
        return [found[k] for k in self.rows]

    def _take(self, rest: np.ndarray, row: int, lam: Scalar) -> None:
        """rest -= Phi_v^T lam of a row."""
        for j, d in self._by_row[row].items():
            rest[j] = rest[j] - d * lam


def recursive(system: Mechanics, speeds: int, rows: int) -> bool:
    """Whether a tree with so many rows for loops is eliminated joint by joint; not where bodies without mass need the rows
    to be held, or inertia along quantities ties bodies to others."""
    return not (system.massless and rows) and not system.carried and speeds >= SMALL and rows <= MANY * speeds


def projected_work(system: Mechanics) -> float:
    """Operations of the projected elimination, counted before it is traced; none joint by joint without loops."""
    cost = LoopCost(system, spanning_tree(system.model))
    if not cost.rows and not system.carried:
        return 0.0
    return cost.joint_by_joint() if recursive(system, cost.speeds, len(cost.rows)) else cost.full()


def too_dear(system: Mechanics) -> bool:
    """Whether the forces of the tree's joints are better brought into evidence, as Kane does with forces that contribute
    nothing: the equations are then those of the bodies, in a number that grows with them only."""
    return projected_work(system) > size_policy.PROJECTED_OPERATIONS


def _entries(A: np.ndarray) -> Entries:
    return {(i, j): x for (i, j), x in np.ndenumerate(A) if is_some(x)}
