"""The contact points of curves at the estimates: nobody knows the parameters of a contact, so they are searched for."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.analyses.machine.machine import Machine
from linkwright.model import CamFollower
from linkwright.system.system import curve_parameters

_GRID = 96


def improve_contacts(machine: Machine, q0: np.ndarray, t: float) -> np.ndarray:
    """q0 with the parameters of every contact whose estimate is not given at the best of a grid."""
    q = np.array(q0)
    names = machine.system.coordinates.q_names
    for element in machine.model.elements.values():
        own = curve_parameters(element)
        if own and element.estimate is None:  # type: ignore[attr-defined]
            places = [names.index(name) for name in own]
            q[places] = _best(machine, element, q, places, t)
    return q


def _best(machine: Machine, element: Any, q: np.ndarray, places: list[int], t: float) -> np.ndarray:
    curves = [element.curve_i, element.curve_j] if isinstance(element, CamFollower) else [element.curve]
    axes = [np.linspace(c.curve.start, c.curve.end, _GRID, endpoint=not c.curve.closed) for c in curves]
    grid = np.array([m.ravel() for m in np.meshgrid(*axes, indexing="ij")])
    batch = np.repeat(q[:, None], grid.shape[1], axis=1)
    batch[places] = grid
    Phi, senses = machine.system.own_rows(element.name, batch, *machine._args(q, t)[1:])
    # directions count less than places: they are met last
    sizes = np.abs(Phi)
    cost = (sizes / np.maximum(sizes.mean(axis=1, keepdims=True), 1e-300)).sum(axis=0)
    if senses is not None:
        cost = np.where(senses < 0, cost + 10 * cost.max(), cost)
    best: np.ndarray = grid[:, int(np.argmin(cost))]
    return best
