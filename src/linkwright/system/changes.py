"""Small changes of a motion: the equations of motion and of the constraints, differentiated where the machine moves.

With the accelerations vdot and the multipliers lam of the motion held,

    R = M vdot + h + Phi_v^T lam - Q,    Phi' = Phi_v v - nu,    Phi'' = Phi_v vdot - gamma

R_d, R_v are the derivatives of R by displacements and by velocities, and so on: gyroscopic and centrifugal terms, the forces
of constraints that turn with the machine, and the curvature of constraints that are passed at speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwright.graph import Scalar, Sparse, jacobian, symbols
from linkwright.system.matrices import Matrices

if TYPE_CHECKING:
    from linkwright.system.mechanics import Mechanics

# by displacements, by velocities; of constraints their rates and second rates
NAMES = ("R_d", "R_v", "rate_d", "second_d", "second_v")


def changes(system: Mechanics, rows: Sequence[int], R: Sequence[Scalar]) -> dict[str, Sparse]:
    """The matrices `NAMES` of these forces and of these rows; accelerations and multipliers are the system's symbols."""
    c = system.coordinates
    rates = system.row_rates(rows)
    second = system.rates(rates, list(system.vdot))
    v = list(c.v)
    found = c.jacobian(R), jacobian(R, v), c.jacobian(rates), c.jacobian(second), jacobian(second, v)
    return dict(zip(NAMES, found, strict=True))


def unbalanced(system: Mechanics, rows: Sequence[int], inertia: bool = True) -> list[Scalar]:
    """R, friction apart; without `inertia` that of joints and loads alone."""
    out: list[Scalar] = [-q for q in system.loads.Q]
    if inertia:
        out = [x + h for x, h in zip(out, system.inertia.h, strict=True)]
        system.inertia.M.add_times(system.vdot, out)
    system.Phi_v.of_rows(rows).add_transposed_times(system.lam[list(rows)], out)
    return out


class Changes:
    """The changes of a machine traced as a whole, as functions of `load_inputs`, vdot, lam, and `sliding`: one for friction
    that slides, zero for friction at rest, of which only the viscous part has a derivative."""

    def __init__(self, system: Mechanics) -> None:
        self.sliding = symbols("sliding", len(system.frictions))
        R, rows = unbalanced(system, range(len(system.rows))), range(len(system.rows))
        for f, s in zip(system.frictions, self.sliding, strict=True):
            for k, d in f.direction.items():
                R[k] = R[k] - (s * f.force + (1 - s) * f.viscous) * d
        found = changes(system, rows, R)
        found["R_lam"] = jacobian(R, list(system.lam))
        found["R_calls"] = jacobian(R, list(system.calls))
        inputs = {**system.load_inputs, "vdot": system.vdot, "lam": system.lam, "sliding": self.sliding}
        self.matrices = Matrices(f"{system.model.name}: changes of the motion", inputs, found)
        speeds = [sum((d * system.coordinates.v[k] for k, d in f.direction.items()), 0.0) for f in system.frictions]
        self.speeds = system.load_function("speeds of friction", {"s": speeds})

    def __call__(self, *args: np.ndarray) -> dict[str, np.ndarray]:
        return dict(zip([*NAMES, "R_lam", "R_calls"], self.matrices(*args), strict=True))
