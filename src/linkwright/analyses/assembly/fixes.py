"""The equations that `model.fix` adds: of positions, or linear in velocities."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.analyses.machine.machine import Machine
from linkwright.graph import Scalar, Sparse, free_symbols, jacobian
from linkwright.later import sparse
from linkwright.model import Model
from linkwright.solve.rank import is_sparse
from linkwright.system.coordinates import hessian
from linkwright.system.geometry import Geometry
from linkwright.system.quantities import resolve


class Fixes:
    """quantity - value = 0, of quantities of one order: 0 (positions) or 1 (velocities)."""

    def __init__(self, machine: Machine, values: Mapping[Any, float], order: int = 0) -> None:
        self.machine, self.coordinates = machine, machine.system.coordinates
        self.names = [f"fix({q!r})" for q in values]
        self.values = np.array(list(values.values()), dtype=float)
        self.inside = resolve(Geometry(machine.model, self.coordinates), list(values))
        J = self.coordinates.jacobian(self.inside) if order == 0 else _by_velocities(machine, self.inside)
        self.pattern = np.array(J.places)
        self.entries = J.values

    @cached_property
    def _function(self) -> Any:
        return self.machine.system.quick([*self.inside, *self.entries])

    def joined(self, Phi: np.ndarray, J: Any, q: np.ndarray, t: float) -> tuple[np.ndarray, Any]:
        """These after other equations: residuals, of velocities at rest, and their derivatives by displacements or by
        velocities, sparse if those of the others are."""
        y, n = self._function(*self.machine._args(q, t)), len(self.values)
        every = np.concatenate([Phi, y[:n] - self.values])
        if is_sparse(J):
            return every, sparse.vstack([J, self._matrix(y[n:], self.pattern, n)], format="csr")
        rows = np.zeros((n, self.machine.nv))
        rows[tuple(self.pattern)] = y[n:]
        return every, np.vstack([J, rows])

    def _matrix(self, entries: np.ndarray, pattern: np.ndarray, rows: int) -> Any:
        return sparse.csr_array((entries, tuple(pattern)), shape=(rows, self.machine.nv))

    @cached_property
    def _curved(self) -> tuple[Any, np.ndarray]:
        """The Hessian of each quantity: its nonzeros, and (quantity, row, column) of each."""
        found = [hessian(self.coordinates, [x], [1.0]).entries for x in self.inside]
        places = [(k, *ij) for k, own in enumerate(found) for ij in own]
        roots = [x for own in found for x in own.values()]
        return self.machine.system.quick(roots), np.array(places, dtype=np.int64).reshape(-1, 3).T

    def curvature(self, q: np.ndarray, t: float, lam: np.ndarray) -> Any:
        """sum of lam_k times the second derivative of the k-th by displacements, symmetric part."""
        f, (k, i, j) = self._curved
        H = self._matrix(f(*self.machine._args(q, t)) * lam[k], np.array([i, j]), self.machine.nv)
        return 0.5 * (H + H.T)


def _by_velocities(machine: Machine, values: list[Scalar]) -> Sparse:
    number = {x: k for k, x in enumerate(machine.system.coordinates.v)}
    own = [x for x in free_symbols(values) if x in number]
    found = jacobian(values, own)
    return Sparse((len(values), machine.nv), {(i, number[own[j]]): x for (i, j), x in found.entries.items()})


def velocity_fixes(model: Model) -> dict[Scalar, float]:
    """Fixed velocities by quantity."""
    return {q: model.value(x) for q, x in model.fixed.items() if model.order(q) == 1}
