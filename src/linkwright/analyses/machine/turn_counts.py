"""Motions that turn many times between two outputs: how often, told before a machine follows every turn of them."""

from __future__ import annotations

import warnings

import numpy as np

from linkwright.analyses.machine.prescribed import prescribed, values
from linkwright.analyses.machine.times import merged
from linkwright.errors import ModelError
from linkwright.graph import along
from linkwright.model import TIME, Constraint, Driver
from linkwright.system.geometry import Geometry
from linkwright.system.reactions import effort_name

NOTED = 10  # turns between two outputs that are worth a word: what is seen at such times is no motion any more
# Turns between two outputs that are an error: of a motion that is to be shown, and of one whose last state may be all that
# is wanted. Each takes about 0.1 ms, of a small machine.
SHOWN, SIMULATED = 1_000, 100_000
LOOKS = 2_000  # times at which motions are asked, at least


def check_turns(geometry: Geometry, times: np.ndarray, most: int = SHOWN) -> list[str]:
    """Notes on motions that turn many times between two of the times; ModelError for more turns than `most`."""
    notes = []
    for e, f in prescribed(geometry):
        if (
            not isinstance(e, Driver | Constraint)
            or geometry.model.order(e.quantity)
            or effort_name(geometry.model, e) != "torque"
            or len(times) < 2
        ):
            continue
        fine = merged(times, np.linspace(times[0], times[-1], LOOKS))
        at, speed = values(geometry, [f, *along([f], {TIME: 1.0})], fine)
        mean = 0.5 * np.abs(speed[1:] + speed[:-1]) * np.diff(fine)
        way = np.concatenate([[0.0], np.cumsum(np.fmax(np.abs(np.diff(at)), mean))])
        turns = np.diff(way[np.searchsorted(fine, times)]) / (2 * np.pi)
        k = int(np.argmax(turns >= (1 - 1e-6) * turns.max()))  # of like ones the first
        if not turns[k] > NOTED:
            continue
        text = f"turns {turns[k]:.3g} times between the outputs at t = {times[k]:.6g} and {times[k + 1]:.6g}"
        if turns[k] > most:
            raise ModelError(
                f"it {text}: every turn is followed", element=e.name,
                remedy="check its units: angles are in radians, 2*pi*t is a turn a second; or give outputs that are closer",
            )  # fmt: skip
        if turns[k] > SHOWN:
            warnings.warn(f"{e.name} {text}; every turn is followed, which takes its time", stacklevel=4)
        notes.append(f"{e.name} {text}")
    return notes


__all__ = ["SIMULATED", "check_turns"]
