"""Constants that the first assembly finds (the phase of a gear, the value of a coupler), by the parameters.

The first assembly leaves out the equations that wait for them. It is the configuration nearest to the estimates q0 in which
the others hold (`solve.nearest`): stationary in q and lam,

    L = w . (q - q0)^2 / 2 + lam . Phi,      dL = 0 by displacements,      Phi = 0.

Along a change db of the parameters both stay so, while the estimates change, too:

    dL_d d + Phi_v^T dlam = -dL_b db,      Phi_v d = -Phi_b db,

and a constant c(q, b) that is read off there changes by c_d d + c_b db.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.assemble import begun_from
from linkwright.analyses.assembly.closure import weights
from linkwright.analyses.machine.machine import Machine
from linkwright.compile import Function
from linkwright.graph import Scalar, along, evaluate, substitute, symbols
from linkwright.model.values import parameter_symbol
from linkwright.regularisation import LEAST_SQUARES, RANK
from linkwright.solve.rank import scaled
from linkwright.system.estimates import estimate_expressions


def constant_rates(machine: Machine, q: np.ndarray, t: float, names: Sequence[str]) -> np.ndarray:
    """d constant / d parameter, a row for each constant of the system; q: as first assembled from the estimates at t."""
    system, model = machine.system, machine.model
    if not system.phases:
        return np.zeros((0, len(names)))
    first = _FirstAssembly(machine, q, begun_from(machine, t), t)
    out = np.empty((len(system.phases), len(names)))
    for k, name in enumerate(names):
        e = np.zeros(len(machine.b))
        e[list(model.parameters).index(name)] = 1.0
        out[:, k] = first.along(e, name)
    return out


class _FirstAssembly:
    """The equations of the first assembly and their derivatives at the configuration that was found."""

    def __init__(self, machine: Machine, q: np.ndarray, q0: np.ndarray, t: float) -> None:
        self.machine, self.fixed = machine, {x: v for x, v in machine.model.fixed.items() if machine.model.order(x) == 0}
        system = machine.system
        waits = [bool(row.phase) for row in system.rows]
        held = [row.residual for row, wait in zip(system.rows, waits, strict=True) if not wait]
        held += [a - b for a, b in zip(machine.resolve(list(self.fixed)), self.fixed.values(), strict=True)]
        self.f, self.J = self._traced(held)
        self.at = [*machine._args(q, t), q0]
        nv, zero = machine.nv, np.zeros(machine.nv)
        none = np.zeros(len(machine.b))
        J = np.asarray(self.J(*self.at[:-1])[0]).reshape(len(held), nv)
        self.S, self.lengths = scaled(J, machine.scale)
        gradient = self.f(*self.at, np.zeros(len(held)), zero, none, np.zeros(machine.nq))[0]
        self.lam = linear.lstsq(self.S.T, -gradient * machine.scale, rcond=LEAST_SQUARES)[0] / self.lengths
        columns = [self._derivatives(d, none, np.zeros(machine.nq))[0] for d in np.eye(nv)]
        self.H = np.array(columns).T

    def _traced(self, held: list[Scalar]) -> tuple[Function, Function]:
        """dL, and dL, Phi and the constants along a change of the state, the parameters and the estimates; Phi_v."""
        system, c = self.machine.system, self.machine.system.coordinates
        estimate, change = symbols("estimate", system.nq), symbols("change", system.nq)
        lam, d = symbols("multiplier", len(held)), symbols("dd", system.nv)
        e = symbols("db", len(system.constants))
        near = [w * (x - y) ** 2 / 2 for w, x, y in zip(weights(self.machine), c.q, estimate, strict=True)]
        J = c.jacobian(held)
        L = sum(near, sum((a * b for a, b in zip(lam, held, strict=True)), 0.0))
        dL = list(c.jacobian([L]).dense()[0])
        displaced = dict(zip(c.rates, substitute(list(c.rates.values()), dict(zip(c.v, d, strict=True))), strict=True))
        design = dict(zip(system.constants, e, strict=True))
        rates: Any = {**displaced, **design, **dict(zip(estimate, change, strict=True))}
        found = [phase.value for phase in system.phases.values()]
        outputs = {"dL": dL, "dL1": along(dL, rates), "Phi1": along(held, rates), "found1": along(found, rates)}
        inputs = {**system.inputs, "estimate": estimate, "multiplier": lam, "dd": d, "db": e, "change": change}
        name = self.machine.model.name
        return Function(f"{name}: first assembly", inputs, outputs), Function(
            f"{name}: held", system.inputs, {"J": J.dense()}
        )

    def _derivatives(self, d: np.ndarray, e: np.ndarray, change: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of dL, Phi and the constants."""
        _, *out = self.f(*self.at, self.lam, d, e, change)
        return tuple(out)  # type: ignore[return-value]

    def along(self, e: np.ndarray, name: str) -> np.ndarray:
        """How the constants change along a change e of the parameters, which is that of one of them."""
        change, scale = self._estimates(name), self.machine.scale
        dL, Phi, _ = self._derivatives(np.zeros(self.machine.nv), e, change)
        U, s, Vt = linear.svd(self.S) if len(self.S) else (np.zeros((0, 0)), np.zeros(0), np.eye(self.machine.nv))
        rank = int((s > RANK * s[0]).sum()) if len(s) else 0
        d = Vt[:rank].T @ ((U[:, :rank].T @ (-Phi / self.lengths)) / s[:rank]) * scale
        Z = Vt[rank:].T * scale[:, None]
        if Z.shape[1]:
            d = d + Z @ linear.solve(Z.T @ self.H @ Z, -Z.T @ (dL + self.H @ d))
        return self._derivatives(d, e, change)[2]

    def _estimates(self, name: str) -> np.ndarray:
        """d estimate / d parameter."""
        model, one = self.machine.model, {parameter_symbol(name): 1.0}
        given = model.parameter_values()
        rates = along(estimate_expressions(model, self.machine.system.coordinates), one)
        return np.array([float(x) for x in evaluate(rates, given)])
