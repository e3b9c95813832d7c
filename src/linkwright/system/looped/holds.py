"""How much a held machine yields: small numbers that keep its equations regular, see `linkwright.system.looped.solving`."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear
from linkwright.system.looped.assembled import Assembled

# A row's part of what its own bodies yield to a unit force: the smaller, the fewer rounds long loops take; but pivots of
# dependent rows are known to 1e-16 of that only, and where joints are a little open, rows that depend on each other when
# they are closed do not yield to what they then ask for.
YIELD = 1e-12
LIGHT = 1e-9  # a body's part of usual inertia where it has none
# Likewise of the parameter of a curve: rows across the curve are known to 1e-16 by this part only, the fewer rounds it takes
# the smaller it is.
CURVE = 1e-6


def holds(assembled: Assembled, dimension: int, part: float = YIELD) -> tuple[np.ndarray, np.ndarray]:
    """(delta by displacement, eps by row) for M and J at hand. delta is zero but for bodies that lack inertia, and for
    parameters of curves."""
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
    own = np.asarray(J.multiply(J) @ (1 / np.concatenate([filled.ravel(), curves / CURVE]))).ravel()
    delta = np.concatenate([np.where(lacking[:, None], LIGHT * filled, 0.0).ravel(), curves])
    return delta, part * np.where(own > 0, own, 1.0)


def of_curves(J: Any, bodies: int, mass: float) -> np.ndarray:
    """delta of the parameters of curves, whose columns follow those of bodies: as of a small mass that moves along."""
    along = np.asarray(J.multiply(J).sum(axis=0)).ravel()[bodies:]
    return np.asarray(CURVE * mass * np.where(along > 0, along, 1.0))


def usual_mass(assembled: Assembled) -> float:
    return _median(np.diagonal(assembled.mass_blocks(), axis1=1, axis2=2)[:, 0]) or 1.0


def _median(values: np.ndarray) -> float:
    """Of those that are not zero."""
    some = values[values > 0]
    return float(np.median(some)) if len(some) else 0.0
