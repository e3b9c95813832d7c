"""How exactly the work of drivers is followed. What they move may be steady while their forces are not: then nothing but the
work tells how long a step may be."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.machine import typical_length
from linkwright.model import Driver, Model


def is_driven(model: Model) -> bool:
    return any(isinstance(e, Driver) for e in model.elements.values())


def angle_caps(names: list[str], count: int) -> np.ndarray:
    """Of a state of `count` numbers, coordinates with these names first: angles count by a radian at most, since they have
    no zero, the others as they are."""
    out = np.full(count, np.inf)
    out[: len(names)] = [1.0 if name.endswith(".angle") else np.inf for name in names]
    return out


def tolerances(model: Model, rtol: float, atol: float, kinetic: float, count: int) -> float | np.ndarray:
    """atol of a state of `count` numbers, the last of them the work: of a driven machine rtol of its energies.

    kinetic: at the start. Lifting the machine by its own length counts, too; where there is neither, the energy of a motion
    of its own length a second.
    """
    if not is_driven(model):
        return atol
    mass, length = sum(model.value(b.mass) for b in model.bodies.values()), typical_length(model)
    g = float(np.linalg.norm([model.value(x) for x in model.gravity]))
    size = kinetic + mass * g * length or mass * length**2
    out = np.full(count, atol)
    out[-1] = max(rtol * size, atol)
    return out
