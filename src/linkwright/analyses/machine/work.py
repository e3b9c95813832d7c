"""The accuracy with which work is followed, and the energies that count.

What drivers move may be steady while their forces are not, and a contact that damps takes what it had stored where it lets
go, while its force is zero: there nothing but the work tells how long a step may be.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from linkwright.analyses.machine.sizes import typical_length
from linkwright.model import Contact, Driver, Element, Model, Stop
from linkwright.model.values import is_some

NOTHING = 1e-6  # of the energy that lifts the machine by its length, and of the length that it moves by within a run: none


def follows_work(model: Model) -> bool:
    """Whether the work is among what rules the steps."""
    return any(isinstance(e, Driver) or _damps(e) for e in model.elements.values())


def _damps(element: Element) -> bool:
    """Whether a contact with a stiffness damps; those of impacts do their work at once."""
    if not isinstance(element, Contact | Stop) or not is_some(element.k):
        return False
    return is_some(element.c) or element.restitution is not None


class Sizes(NamedTuple):
    """Mass, length, weight of a machine."""

    mass: float
    length: float
    weight: float

    @classmethod
    def of(cls, model: Model) -> Self:
        mass, length = sum(model.value(b.mass) for b in model.bodies.values()), typical_length(model)
        return cls(mass, length, mass * float(np.linalg.norm([model.value(x) for x in model.gravity])))


def least_energy(sizes: Sizes, span: float) -> float:
    """[J] What counts as none within a run over this time: to lift the machine, or to let it move, by next to nothing."""
    speed = NOTHING * sizes.length / span if span > 0 else 0.0
    return NOTHING * sizes.weight * sizes.length + sizes.mass * speed * speed  # inf where a square of Python's overflows


def angle_caps(names: list[str], count: int) -> np.ndarray:
    """The caps of a state of `count` numbers, coordinates with these names first: angles count by a radian at most, since
    they have no zero, the others as they are."""
    out = np.full(count, np.inf)
    out[: len(names)] = [1.0 if name.endswith(".angle") else np.inf for name in names]
    return out


def tolerances(model: Model, rtol: float, atol: float, kinetic: float, count: int) -> float | np.ndarray:
    """atol of a state of `count` numbers, the last of them the work: where it rules steps rtol of the machine's energies.

    kinetic: at the start. Lifting the machine by its own length counts, too; where there is neither, the energy of a motion
    of its own length a second.
    """
    if not follows_work(model):
        return atol
    mass, length, weight = Sizes.of(model)
    size = kinetic + weight * length or mass * length**2
    out = np.full(count, atol)
    out[-1] = max(rtol * size, atol)
    return out
