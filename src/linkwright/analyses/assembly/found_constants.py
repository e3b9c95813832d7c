"""The first assembly, differentiated: where a machine begins, and the constants that are found there (the phase of a gear,
the value of a coupler), by the parameters and by the estimates.

The first assembly leaves out the equations that wait for such constants. It is the configuration nearest to the estimates q0
in which the others hold (`solve.nearest`): stationary in q and lam,

    L = w . (q - q0)^2 / 2 + lam . Phi,      dL = 0 by displacements,      Phi = 0.

Along a change db of the parameters both stay so, while the estimates change, too:

    dL_d d + Phi_v^T dlam = -dL_b db,      Phi_v d = -Phi_b db,

and a constant c(q, b) that is read off there changes by c_d d + c_b db.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.assemble import begun_from
from linkwright.analyses.assembly.closure import weights
from linkwright.analyses.machine.machine import Machine
from linkwright.compile import Function
from linkwright.compile.rows import at_each
from linkwright.errors import AssemblyError
from linkwright.graph import Expr, Same, Scalar, along, evaluate, symbols
from linkwright.model import Model
from linkwright.model.values import parameter_symbol
from linkwright.regularisation import LEAST_SQUARES, RANK
from linkwright.solve.rank import scaled
from linkwright.system.estimates import estimate_expressions

NEAREST = 1e-6  # what may be left of dL, relative: else the configuration is not the nearest, and nothing is stationary


def constant_rates(machine: Machine, q: np.ndarray, t: float, names: Sequence[str]) -> np.ndarray:
    """d constant / d parameter, a row for each constant of the system; q: as first assembled from the estimates at t."""
    if not machine.system.phases:
        return np.zeros((0, len(names)))
    first = FirstAssembly(machine, q, begun_from(machine, t), t)
    return np.stack([first.along(*first.by_parameter(name))[1] for name in names], axis=1)


class FirstAssembly:
    """The equations of the first assembly and their derivatives at the configuration q that was found from q0."""

    def __init__(self, machine: Machine, q: np.ndarray, q0: np.ndarray, t: float, fixed: bool = True) -> None:
        """fixed: what the model fixes holds, as where a motion begins."""
        self.machine = machine
        own = {x: v for x, v in machine.model.fixed.items() if machine.model.order(x) == 0} if fixed else {}
        self.fixed, self.values = list(own), list(own.values())
        asked = machine.resolve(self.fixed)
        self.f, self.J = machine.system.once("first assembly", Same(asked), lambda: _traced(machine, asked))
        self.at = [*machine._args(q, t), q0, weights(machine)]
        J = np.asarray(self.J(*machine._args(q, t))[0]).reshape(-1, machine.nv)
        self.S, self.lengths = scaled(J, machine.scale)

    @cached_property
    def lam(self) -> np.ndarray:
        """Multipliers of the nearest configuration."""
        none, count = self._none, len(self.S)
        gradient = self.f(*self.at, np.zeros(count), *none)[0] * self.machine.scale
        lam, *_ = linear.lstsq(self.S.T, -gradient, rcond=LEAST_SQUARES)
        left = np.abs(gradient + self.S.T @ lam).max(initial=0.0)
        if left > NEAREST * max(np.abs(gradient).max(initial=0.0), self.machine.length):
            raise AssemblyError(
                "where the machine begins is not the place nearest to its estimates: it has no derivative",
                element=self.machine.model.name, remedy="give estimates nearer to where it is assembled: lw.assemble(m)",
            )  # fmt: skip
        return np.asarray(lam / self.lengths)

    @property
    def _none(self) -> tuple[np.ndarray, ...]:
        m = self.machine
        return np.zeros(m.nv), np.zeros(len(m.b)), np.zeros(m.nq)

    @cached_property
    def _free(self) -> tuple[Any, ...]:
        """Of the rows: singular vectors and values, their rank; displacements that they leave, and the curvature there."""
        m = self.machine
        U, s, Vt = linear.svd(self.S) if len(self.S) else (np.zeros((0, 0)), np.zeros(0), np.eye(m.nv))
        rank = int((s > RANK * s[0]).sum()) if len(s) else 0
        Z = Vt[rank:].T * m.scale[:, None]
        H = None
        if Z.shape[1]:
            given = [np.tile(x, (m.nv, 1)) for x in (*self.at, self.lam)]
            zero = [np.tile(x, (m.nv, 1)) for x in self._none[1:]]
            H = at_each(self.f, [*given, np.eye(m.nv), *zero])[1].T
        return U[:, :rank], s[:rank], Vt[:rank], Z, H

    def along(self, e: np.ndarray, change: np.ndarray, fixed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The displacement, and the change of the constants, along a change e of the parameters, one of the estimates of q,
        and one of the values that are fixed."""
        m = self.machine
        U, s, Vt, Z, H = self._free
        lam = self.lam if Z.shape[1] else np.zeros(len(self.S))
        _, dL, Phi, _ = self.f(*self.at, lam, np.zeros(m.nv), e, change)
        Phi = Phi - np.concatenate([np.zeros(len(Phi) - len(fixed)), fixed])
        d = Vt.T @ ((U.T @ (-Phi / self.lengths)) / s) * m.scale
        if Z.shape[1]:
            d = d + Z @ linear.solve(Z.T @ H @ Z, -Z.T @ (dL + H @ d))
        return d, self.f(*self.at, lam, d, e, change)[3]

    def by_parameter(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The changes of parameters, estimates and fixed values that one parameter makes."""
        model = self.machine.model
        e = np.zeros(len(self.machine.b))
        e[list(model.parameters).index(name)] = 1.0
        estimates = estimate_expressions(model, self.machine.system.coordinates)
        found = by_parameter(model, [*estimates, *self.values], name)
        return e, found[: len(estimates)], found[len(estimates) :]


def by_parameter(model: Model, values: Sequence[Scalar], name: str) -> np.ndarray:
    """The derivatives of expressions of parameters by one of them."""
    of_parameters = [k for k, x in enumerate(values) if type(x) is Expr]
    out = np.zeros(len(values))
    if of_parameters:
        rates = along([values[k] for k in of_parameters], {parameter_symbol(name): 1.0})
        out[of_parameters] = [float(x) for x in evaluate(rates, model.parameter_values())]
    return out


def _traced(machine: Machine, fixed: list[Scalar]) -> tuple[Function, Function]:
    """dL; dL, Phi and the constants along a change of the state, the parameters and the estimates; and Phi_v."""
    system, c = machine.system, machine.system.coordinates
    held = [row.residual for row in system.rows if not row.phase] + fixed
    estimate, weight, change = (symbols(name, system.nq) for name in ("estimate", "weight", "change"))
    lam, d = symbols("multiplier", len(held)), symbols("dd", system.nv)
    e = symbols("db", len(system.constants))
    near = [w * (x - y) ** 2 / 2 for w, x, y in zip(weight, c.q, estimate, strict=True)]
    L = sum(near, sum((a * b for a, b in zip(lam, held, strict=True)), 0.0))
    dL = list(c.jacobian([L]).dense()[0])
    design = dict(zip(system.constants, e, strict=True))
    rates: Any = {**c.displaced(d), **design, **dict(zip(estimate, change, strict=True))}
    found = [phase.value for phase in system.phases.values()]
    outputs = {"dL": dL, "dL1": along(dL, rates), "Phi1": along(held, rates), "found1": along(found, rates)}
    inputs = {
        **system.inputs, "estimate": estimate, "weight": weight, "multiplier": lam, "dd": d, "db": e, "change": change,
    }  # fmt: skip
    name = machine.model.name
    J = c.jacobian(held).dense()
    return Function(f"{name}: first assembly", inputs, outputs), Function(f"{name}: held", system.inputs, {"J": J})
