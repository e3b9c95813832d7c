"""Welds in space: frames that should coincide satisfy their equations also half a turn apart. That is another machine,
so the estimate is turned."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.machine.machine import Machine
from linkwright.equations import rotations
from linkwright.model import Fixed, Orientation, Point


def half_turned(machine: Machine, q: np.ndarray, t: float) -> list[Fixed | Orientation]:
    """The welds that are closed half a turn from where they should be."""
    if machine.model.dimension == 2:
        return []  # angles of the plane are no dot products: there is one root
    elements = machine.model.elements
    welds = [elements[name] for name, sense in machine.senses(q, t).items() if sense < 0]
    return [e for e in welds if isinstance(e, Fixed | Orientation)]


def turned_back(machine: Machine, q0: np.ndarray, q: np.ndarray, weld: Fixed | Orientation) -> np.ndarray:
    """q0 with the second body of a weld (the first, if that is ground) turned to where it belongs beside the other in q."""
    stays, turns = (weld.Q, weld.P) if weld.Q.body.is_ground else (weld.P, weld.Q)
    at = machine.system.coordinates.body_slices()[turns.body.name][0]
    out = np.array(q0)
    # A_j C_j = A_i C_i: the frames coincide
    A = _frame(machine, q, stays) @ _own(machine, turns).T
    out[at][3:] = rotations.euler_parameters(A, near=q0[at][3:])
    return out


def _own(machine: Machine, P: Point) -> np.ndarray:
    """The axes of a frame in body axes, as columns."""
    return np.eye(3) if P.rotation is None else np.array([[machine.model.value(x) for x in row] for row in P.rotation])


def _frame(machine: Machine, q: np.ndarray, P: Point) -> np.ndarray:
    """The axes of a frame in ground axes, as columns."""
    if P.body.is_ground:
        return _own(machine, P)
    at = machine.system.coordinates.body_slices()[P.body.name][0]
    return np.asarray(rotations.A(q[at][3:]) @ _own(machine, P), dtype=float)
