"""Velocity constraints that can be integrated: then as many positions are free as velocities.

Rows W of allowed velocities W v = 0 can be integrated where dw(X, Y) = 0 for each row w and all velocities X, Y that they
allow (Frobenius); dw(X, Y) = X(w Y) - Y(w X) for displacements X, Y, with the projector onto the rows as it is a little
further along X and Y. Where the rows prescribe velocities, W v = b, time is one more displacement: with u, the least of
these velocities, W (X u + (W^T W)' X) = 0 for all X, the prime along u. A damper that a spring pulls along has a rate by
where it is, and nothing holds its place.
"""

from __future__ import annotations

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.closure import Closure
from linkwright.analyses.machine.machine import Machine
from linkwright.solve import nearest

MOST = 20  # free velocities that are looked at
STEP = 1e-4  # rad, and of the typical length
CURVED = 1e-6  # of a row: less is the error of differences
AWAY = 0.15  # rad, and of the typical length: where brackets of velocities vanish only if they do everywhere
SAME = 1e-6  # of the largest singular value


def is_integrable(machine: Machine, q: np.ndarray, t: float) -> bool:
    """Whether all rows together are those of positions, near a configuration."""
    for seed in (1, 2):
        at = _general(machine, q, t, seed)
        W = _rows(machine, at, t, np.zeros(machine.nv))
        X = linear.svd(W)[2][len(W) :].T
        if X.shape[1] > MOST or np.abs(_curl(machine, at, t, W, X)).max(initial=0.0) > CURVED:
            return False
        if np.abs(_drift(machine, at, t, W, X)).max(initial=0.0) > CURVED:
            return False
    return True


def _drift(machine: Machine, q: np.ndarray, t: float, W: np.ndarray, X: np.ndarray) -> np.ndarray:
    """dw(X, time) by row and X, by the largest velocity that the rows prescribe."""
    u = _prescribed(machine, q, t)
    size = float(np.abs(u).max(initial=0.0))
    if size == 0 or any(row.driver for row in machine.system.rows):
        return np.zeros((0, 0))
    slopes = []
    for x in X.T:
        ahead, behind = (_prescribed(machine, machine.retract(q, s * STEP * x * machine.scale), t) for s in (1.0, -1.0))
        slopes.append((ahead - behind) / (2 * STEP * size))
    ahead, behind = (_rows(machine, q, t, s * STEP * u / size) for s in (1.0, -1.0))
    return np.asarray(W @ (np.array(slopes).T.reshape(len(u), -1) + (ahead.T @ ahead - behind.T @ behind) @ X / (2 * STEP)))


def _prescribed(machine: Machine, q: np.ndarray, t: float) -> np.ndarray:
    """The least velocities that the rows ask for, scaled."""
    J = np.asarray(machine.Phi_and_J(q, t)[1]) * machine.scale
    return np.asarray(linear.lstsq(J, machine.nu(q, t), rcond=SAME)[0]) if len(J) else np.zeros(machine.nv)


def _curl(machine: Machine, q: np.ndarray, t: float, W: np.ndarray, X: np.ndarray) -> np.ndarray:
    """dw(X, Y) by row, X and Y."""
    slopes = []
    for x in X.T:
        ahead, behind = (_rows(machine, q, t, s * STEP * x) for s in (1.0, -1.0))
        slopes.append(W @ (ahead.T @ ahead - behind.T @ behind) @ X / (2 * STEP))
    curl = np.array(slopes).reshape(X.shape[1], len(W), X.shape[1]).transpose(1, 0, 2)
    return np.asarray(curl - curl.transpose(0, 2, 1))


def _general(machine: Machine, q: np.ndarray, t: float, seed: int) -> np.ndarray:
    """A configuration nearby without any symmetry."""
    held = np.array([row.rate is None for row in machine.system.rows], dtype=bool)
    J = np.asarray(machine.Phi_and_J(q, t)[1])[held] * machine.scale
    free = linear.svd(J)[2][len(_basis(J)) :].T if len(J) else np.eye(machine.nv)
    d = machine.scale * (free @ np.random.default_rng(seed).normal(size=free.shape[1])) * AWAY
    found = nearest.close(Closure(machine, t, drivers=False), machine.retract(q, d))
    return np.asarray(found.q) if found.closed else q


def _rows(machine: Machine, q: np.ndarray, t: float, d: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the rows after the displacement d, as they act on changes of d (scaled)."""
    J = np.asarray(machine.Phi_and_J(machine.retract(q, d * machine.scale), t)[1]) * machine.scale
    if machine.model.dimension == 3:  # omega = d' - d x d'/2 in body axes, to first order
        for _, at in machine.system.coordinates.body_slices().values():
            x, y, z = (d * machine.scale)[at.start + 3 : at.stop]
            J[:, at.start + 3 : at.stop] @= np.eye(3) - 0.5 * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return _basis(J)


def _basis(J: np.ndarray) -> np.ndarray:
    if not len(J):
        return np.zeros((0, J.shape[1]))
    _, s, Vt = linear.svd(J)
    return np.asarray(Vt[: int((s > SAME * s[0]).sum())])
