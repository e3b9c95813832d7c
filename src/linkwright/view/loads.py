"""What is a load and what is rounding: the force that the forces and torques of a result are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.results import Result

NOISE = 1e-9  # of the machine's loads: what elements pass on by rounding is no force
LIGHT = 1e-12  # of the weights on earth: where neither gravity nor a load acts, masses alone say what rounding is
NOTHING = 1e-15  # newtons: where there are no masses either
EARTH = 9.81


def channels(arrow: dict[str, Any]) -> list[str]:
    """The channels that an arrow is made of."""
    return list(arrow.get("names") or [arrow["size"]])


def largest(result: Result, names: Sequence[str]) -> float:
    """The largest length of a vector over time, from the channels of its components; times without a value do not count."""
    square = sum(np.asarray(result[c], dtype=float) ** 2 for c in names)
    return float(np.sqrt(np.nanmax(square, initial=0.0)))


def least_force(result: Result, drawing: dict[str, Any], forces: Sequence[dict[str, Any]]) -> float:
    """Below this a force is rounding: a small part of the largest force and of the weights."""
    mass = float(sum(body["mass"] for body in drawing["bodies"]))
    weight = mass * float(np.linalg.norm(drawing["gravity"]))
    load = max([weight, *(largest(result, channels(a)) for a in forces)])
    return max(NOISE * load, LIGHT * mass * EARTH, NOTHING)


def telling(result: Result, found: Sequence[dict[str, Any]], least: float) -> list[dict[str, Any]]:
    """The arrows that are longer than this at some time."""
    return [a for a in found if largest(result, channels(a)) > least]
