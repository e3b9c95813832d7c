"""Small motions of a machine with constraints on velocities: its displacements are freer than its velocities.

Displacements x = Z_x xi satisfy the position equations alone; changes of velocity w = Z_v eta + Y xi all equations, as
Phi_v w = -(d rate/dx) x. In axes that turn with Omega (see `about_motion`) xdot = w - Omega x x, wdot = a + omega_b x w -
Omega x w, which gives a first-order system of (xi, eta).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright import linear
from linkwright.analyses.small_motions.about_motion import Moment
from linkwright.analyses.small_motions.turning import Axes, spinning
from linkwright.analyses.statics.reduced import free_directions


@dataclass(frozen=True)
class Freer:
    """By the state (xi, eta): displacements X, velocities W, accelerations V of all bodies. A of the state; M of eta; L:
    what of forces the free motions Z feel."""

    coordinates: list[str]
    Z: np.ndarray
    L: np.ndarray
    M: np.ndarray
    A: np.ndarray
    X: np.ndarray
    W: np.ndarray
    V: np.ndarray
    unsteady: float


def freer(at: Moment, axes: Axes, coordinates: list[str] | None) -> Freer:
    machine, c = at.machine, at.changes
    held = np.array([row.rate is None for row in machine.system.rows])
    names = machine.system.coordinates.v_names
    Z_x, of_x = free_directions(machine, at.J[held], None)
    Z_v, of_v = free_directions(machine, at.J, coordinates)
    machine.check_inertia(Z_v.T @ (at.M @ Z_v), Z_v)
    chosen_x, chosen_v = ([names.index(n) for n in found] for found in (of_x, of_v))

    def reach(right: np.ndarray) -> np.ndarray:
        d = at.reach(right)
        return np.asarray(d - Z_v @ d[chosen_v])  # nothing of what is independent

    S, S_w = axes.turning(at.q), spinning(machine, at.v)
    X = np.hstack([Z_x, np.zeros_like(Z_v)])
    W = np.hstack([reach(-(c["rate_d"] @ Z_x)), Z_v])
    L = at.along(Z_v)
    p = reach(-(c["second_d"] @ X + c["second_v"] @ W))
    M = L @ (at.M @ Z_v)
    V = p - Z_v @ linear.solve(M, L @ (c["R_d"] @ X + c["R_v"] @ W + at.M @ p))
    A = np.vstack([(W - S @ X)[chosen_x], (V + S_w @ W - S @ W)[chosen_v]])
    unsteady = float(np.abs(L @ (at.M @ (at.vdot - S @ at.v))).max(initial=0.0))
    return Freer(of_v, Z_v, L, M, A, X, W, V, unsteady)
