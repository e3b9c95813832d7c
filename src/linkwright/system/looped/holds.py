"""The regularisation of rank-deficient equations: small numbers on the diagonal, see `linkwright.system.looped.solving`."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear
from linkwright.regularisation import CURVE, EASED_IN_LOOPS, LIGHT, own_compliances
from linkwright.system.looped.assembled import Assembled


def holds(assembled: Assembled, dimension: int, part: float, length: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The numbers (delta by displacement, eps by row, 1/Phi by row) for M and J as they are now. delta is zero but for
    bodies that lack inertia, and for parameters of curves; eps grows where joints are open, noticeably from this Phi on.
    `length`: of the machine."""
    blocks = assembled.mass_blocks()
    mass = np.diagonal(blocks, axis1=1, axis2=2)
    usual = np.empty(mass.shape[1])
    usual[:dimension], usual[dimension:] = _median(mass[:, :dimension]), _median(mass[:, dimension:])
    usual = np.where(usual > 0, usual, float(usual.max()) or 1.0)  # none has mass: drivers alone move it, any will do
    filled = np.where(mass > 0, mass, usual)
    unit = 1 / np.sqrt(filled)
    lacking = linear.eigvalsh(blocks * unit[:, :, None] * unit[:, None, :])[:, 0] < LIGHT
    J = assembled.J()
    curves = of_curves(J, filled.size, usual[0])
    delta = np.concatenate([np.where(lacking[:, None], LIGHT * filled, 0.0).ravel(), curves])
    scale = np.tile([length] * dimension + [1.0] * (mass.shape[1] - dimension), len(mass))
    scale = np.concatenate([scale, np.ones(len(curves))])
    lengths = np.sqrt(np.asarray(J.multiply(J) @ scale**2).ravel())
    eps = part * own_compliances(J, np.concatenate([filled.ravel(), curves / CURVE]))
    return delta, eps, EASED_IN_LOOPS / (part * np.where(lengths > 0, lengths, 1.0))


def of_curves(J: Any, bodies: int, mass: float) -> np.ndarray:
    """The delta of the parameters of curves, whose columns follow those of bodies: as of a small mass that moves along the
    curve."""
    along = np.asarray(J.multiply(J).sum(axis=0)).ravel()[bodies:]
    return np.asarray(CURVE * mass * np.where(along > 0, along, 1.0))


def usual_mass(assembled: Assembled) -> float:
    """The median mass of the bodies; one where none has mass."""
    return _median(np.diagonal(assembled.mass_blocks(), axis1=1, axis2=2)[:, 0]) or 1.0


def _median(values: np.ndarray) -> float:
    """The median of the values that are not zero."""
    some = values[values > 0]
    return float(np.median(some)) if len(some) else 0.0
