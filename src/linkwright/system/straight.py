"""Newton's method and the rates of a square choice of equations as straight-line code: for many points at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.graph import Scalar, along, substitute, symbol
from linkwright.graph.gauss import Pivots, gauss
from linkwright.model import TIME
from linkwright.system.system import System


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
