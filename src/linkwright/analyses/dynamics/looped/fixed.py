"""Quantities of large machines that have given values, as further equations: of positions, or linear in velocities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.graph import Scalar, jacobian
from linkwright.later import sparse
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.watched import Watched, watched


class Fixed:
    """`values`: of quantities of one order, 0 (positions) or 1 (velocities); each may be an expression of several bodies.
    `said`: where angles in them are, with all their turns, by name."""

    def __init__(
        self, system: LoopedSystem, values: Mapping[Scalar, float], order: int = 0, said: Mapping[str, float] | None = None
    ) -> None:  # fmt: skip
        self.system, self.order = system, order
        self.names = [f"fix({q!r})" for q in values]
        self.values = np.array(list(values.values()), dtype=float)
        self.groups = watched(system.model, dict(zip(self.names, values, strict=True)))
        self.functions = [self._function(g) for g in self.groups]
        # angles are counted from where they shall be
        near = [[(said or {}).get(g.called(n, 0), x) for n in g.geometry.turns] if g.turns else []
                for g, x in zip(self.groups, self.values, strict=True)]  # fmt: skip
        self._near = [np.array(x, dtype=float) for x in near]

    def _function(self, g: Watched) -> Function:
        derived = g.coordinates.jacobian(g.residuals) if self.order == 0 else jacobian(g.residuals, list(g.coordinates.v))
        return g.function("fixed", {"value": g.residuals, "J": list(derived.dense().reshape(-1))})

    def equations(self, q: np.ndarray, t: float) -> tuple[np.ndarray, Any]:
        """Residuals, of velocities at rest, and their derivatives by displacements or by velocities (sparse)."""
        gap, rows, columns, entries = np.empty(len(self.groups)), [], [], []
        for k, (g, f) in enumerate(zip(self.groups, self.functions, strict=True)):
            parts = [self.system.at.starts(k) for k in self.system.at.moving(g, 0)]
            widths = [(b.stop - b.start, c.stop - c.start) for b, c in g.parts]
            places = [q[a : a + n] for (a, _), (n, _) in zip(parts, widths, strict=True)]
            still = [np.zeros(n) for _, n in widths]
            value, J = f(*places, *still, np.array([t]), g.reread()[0], self._near[k])
            gap[k] = value[0] - self.values[k]
            at = [b + i for (_, b), (_, n) in zip(parts, widths, strict=True) for i in range(n)]
            rows += [k] * len(at)
            columns += at
            entries += list(J)
        return gap, sparse.csr_array((entries, (rows, columns)), shape=(len(gap), self.system.nv))
