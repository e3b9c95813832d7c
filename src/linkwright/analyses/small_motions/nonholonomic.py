"""Small motions of a machine with constraints on velocities: its displacements are freer than its velocities.

Displacements x = Z_x xi satisfy the position equations alone; changes of velocity w = Z_v eta + Y xi all equations, as
Phi_v w = -(d rate/dx) x. In axes that turn with Omega (see `about_motion`) xdot = w - Omega x x, wdot = a + omega_b x w -
Omega x w, which gives a first-order system of (xi, eta), and of the states z beside them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright import linear
from linkwright.analyses.small_motions.about_motion import Moment
from linkwright.analyses.small_motions.turning import Axes, spinning
from linkwright.analyses.statics.reduced import free_directions, slopes_of_states


@dataclass(frozen=True)
class Freer:
    """The motion by the state (xi, eta, z): displacements X, velocities W, accelerations V of all bodies, and the forces
    on them, inertia apart. A of the state; M of eta; L: what of forces the free motions Z feel; `displacements`: how many
    xi."""

    coordinates: list[str]
    Z: np.ndarray
    L: np.ndarray
    M: np.ndarray
    A: np.ndarray
    X: np.ndarray
    W: np.ndarray
    V: np.ndarray
    forces: np.ndarray
    displacements: int
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
    Q_z, r_d, r_v, r_z = slopes_of_states(machine, at.q, at.v, at.t)
    still = np.zeros_like(Q_z)
    X = np.hstack([Z_x, np.zeros_like(Z_v), still])
    W = np.hstack([reach(-(c["rate_d"] @ Z_x)), Z_v, still])
    L = at.along(Z_v)
    p = reach(-(c["second_d"] @ X + c["second_v"] @ W))
    M = L @ (at.M @ Z_v)
    forces = np.asarray(c["R_d"] @ X + c["R_v"] @ W)
    forces[:, forces.shape[1] - len(r_z) :] -= Q_z
    V = p - Z_v @ linear.solve(M, L @ (forces + at.M @ p))
    rates = r_d @ X + r_v @ W
    rates[:, rates.shape[1] - len(r_z) :] += r_z
    A = np.vstack([(W - S @ X)[chosen_x], (V + S_w @ W - S @ W)[chosen_v], rates])
    unsteady = float(np.abs(L @ (at.M @ (at.vdot - S @ at.v))).max(initial=0.0))
    return Freer(of_v, Z_v, L, M, A, X, W, V, forces, len(of_x), unsteady)
