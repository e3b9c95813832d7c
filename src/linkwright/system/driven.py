"""Newton's method as straight-line code, for many machines or many points at once: a driven machine with the state it is led
to, the multipliers that move it so, and what is kept of them (`Driven`); a square choice of equations and its rates
(`Straight`).

The equations are as many as the displacements, and the order of pivots is fixed: see `graph.gauss`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.graph import Expr, Scalar, along, substitute, symbol, symbols
from linkwright.graph.gauss import Pivots, determinant, gauss
from linkwright.model import TIME
from linkwright.system.mechanics import Mechanics
from linkwright.system.system import System


class Driven:
    """Functions of (q, t, b, turns). `kept`: quantities in terms of q, v, t, symbols `vdot` and, of a system with forces,
    its multipliers."""

    def __init__(self, system: System, pivots: Pivots, kept: Sequence[Scalar]) -> None:
        c, J, name = system.coordinates, system.Phi_v.entries, system.model.name
        inputs = {key: system.inputs[key] for key in ("q", "t", "b", "turns")}
        [ahead] = gauss(J, [[-x for x in system.residuals]], pivots)
        moved = list(c.retracted(np.array(ahead, dtype=object)))
        # q displaced by Newton, and the displacement
        self.newton = Function(f"{name}: Newton side by side", inputs, {"q": moved, "d": ahead})
        [v] = gauss(J, [system.nu], pivots)
        speeds = dict(zip(c.v, v, strict=True))
        [a] = gauss(J, [substitute(system.gamma, speeds)], pivots)
        known = {**speeds, **dict(zip(symbols("vdot", system.nv), a, strict=True))}
        if isinstance(system, Mechanics):
            lam = self._multipliers(system, pivots, known)
            known |= dict(zip(system.lam, lam, strict=True))
        values = substitute(substitute(list(kept), known), known)
        turned = [angle for _, angle in system.geometry.turns.values()][: len(inputs["turns"])]
        # velocities and accelerations, what Newton would still do, the determinant of Phi_v; new references of angles
        self.state = Function(
            f"{name}: states side by side", inputs,
            {"v": v, "a": a, "d": ahead, "det": [determinant(J, pivots)], "turned": turned, "kept": values},
        )  # fmt: skip

    @staticmethod
    def _multipliers(system: Mechanics, pivots: Pivots, known: dict[Expr, Scalar]) -> list[Scalar]:
        """Phi_v^T lam = Q - M vdot - h (Haug 6.4.5)."""
        right = [Q - h for Q, h in zip(system.loads.Q, system.inertia.h, strict=True)]
        vdot = symbols("vdot", system.nv)
        for (i, j), m in system.inertia.M.entries.items():
            right[i] = right[i] - m * vdot[j]
        turned = {(j, i): x for (i, j), x in system.Phi_v.entries.items()}
        [lam] = gauss(turned, [substitute(right, known)], tuple((j, i) for i, j in pivots))
        return lam


class Straight:
    """Functions of (q, t, b, length) in the plane, where displacements are changes of q. `chosen`: the equations, by
    number; length: what places are measured by, as angles are by radians."""

    def __init__(self, system: System, chosen: np.ndarray, pivots: Pivots) -> None:
        c = system.coordinates
        J = system.Phi_v.of_rows(chosen.tolist()).entries
        Phi = [system.residuals[k] for k in chosen]
        length = symbol("length")
        inputs = {"q": c.q, "t": system.inputs["t"], "b": system.inputs["b"], "length": [length]}
        name = system.model.name

        [d] = gauss(J, [Phi], pivots)
        size: Scalar = 0.0
        units: list[Any] = [length, length, 1.0] * len(c.bodies) + [1.0] * len(c.extra)
        for x, unit in zip(d, units, strict=True):
            size = size + x * x / (unit * unit)
        moved = [q - x for q, x in zip(c.q, d, strict=True)]
        # q displaced by Newton, and the squared size of the displacement
        self.newton = Function(f"{name}: Newton", inputs, {"q": moved, "size": [size]})

        nu = [-x for x in along(Phi, {TIME: 1.0})]
        [v] = gauss(J, [nu], pivots)
        rates = {**c.rates, TIME: 1.0}
        gamma = substitute([-x for x in along(along(Phi, rates), rates)], dict(zip(c.v, v, strict=True)))
        [a] = gauss(J, [gamma], pivots)
        # velocity and acceleration at a q that satisfies the equations, and the squared size of what Newton would do
        self.rates = Function(f"{name}: rates", inputs, {"v": v, "a": a, "size": [size]})
