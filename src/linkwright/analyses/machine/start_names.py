"""Whether what a run is to go on from is of this machine: by the names of its channels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from linkwright.errors import ModelError
from linkwright.model import Model, State
from linkwright.model.names import GROUND, suggestion
from linkwright.model.quantities import ACCELERATIONS, POSITIONS, VELOCITIES

BESIDE = ("t", "energy", "violation")  # what a result tells beside bodies, elements and points


def check_start(model: Model, start: Any, names: Iterable[str]) -> None:
    """Refuse a start that tells none of the coordinates with these names, or names channels that the machine has not."""
    if not isinstance(start, Mapping) or not any(name in start for name in names):
        raise ModelError(
            f"there is no machine to go on from in {start!r}: no body of {model.name!r}", element="start",
            remedy="give a configuration, an equilibrium or a result of this machine",
        )  # fmt: skip
    if isinstance(start, dict):  # typed by hand: what is misspelt would be left out, and the run begin elsewhere
        _check_names(model, start)


def _check_names(model: Model, start: dict[str, Any]) -> None:
    """Whether channels are of bodies, or of what else the model has; points and sums of a result may stand beside them."""
    n = model.dimension
    known = {*POSITIONS[n], *VELOCITIES[n], *ACCELERATIONS[n]}
    for name in start:
        owner, _, channel = str(name).rpartition(".")
        of_body = owner in model.bodies and channel in known
        # a channel of an element may have a dot of its own, "motor.current.rate", and so may a name
        if of_body or any(x in model.elements or x in BESIDE for x in _owners(str(name))) or "(" in str(name):
            continue
        right = [f"{body}.{c}" for body in model.bodies if body != GROUND for c in (*POSITIONS[n], *VELOCITIES[n])]
        right += [x for x, e in model.elements.items() if isinstance(e, State)]
        raise ModelError(
            f"the machine has no channel {name!r} to start from", element=str(name), remedy=suggestion(str(name), right)
        )


def _owners(name: str) -> list[str]:
    """What a channel may be of: all of its name, and every part of it that ends before a dot."""
    parts = name.split(".")
    return [".".join(parts[: k + 1]) for k in range(len(parts))]
