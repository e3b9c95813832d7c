"""Which force is so stiff that the last digits of a place show in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.graph import evaluate, free_symbols

NOTED = 0.1  # of the steps


def rounding(machine: LoadedMachine, t: np.ndarray, y: np.ndarray, steps: int, rounded: int) -> list[str]:
    """A note where rounding was more than the tolerances in many steps of an implicit method. t, y: states of the run."""
    if rounded <= NOTED * max(steps, 1) or not len(t):
        return []
    q, v = y[-1, : machine.nq], y[-1, machine.nq : machine.nq + machine.nv]
    name = _stiffest(machine, q, v, float(t[-1]))
    of, remedy = (f"times the stiffness of {name} ", f", a joint in place of {name} may be better") if name else ("", "")
    return [
        f"rounding: the last digits of places {of}were more than the tolerances in {rounded} of {steps} steps; the motion "
        f"is good to what they leave (see the energy error){remedy}"
    ]


def _stiffest(machine: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float) -> str:
    """The force element whose force changes most with displacements, each by its size; "" where that cannot be told."""
    s = machine.system
    given: dict[str, Any] = {"q": q, "v": v, "t": [t], "b": machine.b, "turns": machine.turns}
    known = {x: value for name, values in given.items() for x, value in zip(s.inputs[name], values, strict=True)}
    named = {x.data for x in known}
    best, largest = "", 0.0
    for load in s.loads.all:
        if load.name not in machine.model.elements:
            continue
        slopes = s.coordinates.jacobian(list(load.Q.values())).entries
        if any(x.data not in named for x in free_symbols(list(slopes.values()))):
            continue
        values = np.abs(np.array(evaluate(list(slopes.values()), known), dtype=float))
        sizes = [machine.scale[list(load.Q)[i]] * machine.scale[j] for i, j in slopes]
        size = float(np.max(values * sizes, initial=0.0))
        if size > largest:
            best, largest = load.name, size
    return best
