"""Discs that roll must stand: one that lies flat touches its plane everywhere, and nothing says where it is pressed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwright.analyses.machine.machine import Machine
from linkwright.equations import rotations
from linkwright.errors import ModelError
from linkwright.model import Point, Rolling

FLAT = 1e-6  # sine of the angle between axle and normal: the point of contact is known to rounding divided by it


def check_standing(machine: Machine, q: np.ndarray) -> None:
    """ModelError for a rolling disc whose axle is along the normal of its plane in this configuration."""
    for e in _flat(machine, q):
        raise ModelError(
            "its disc lies flat: the axle, the z axis of the wheel's frame, is along the normal of the plane",
            element=e.name, remedy="estimate an orientation in which it stands, turn the frame, or give ball=True",
        )  # fmt: skip


def tipped(machine: Machine, q0: np.ndarray) -> tuple[str, ...]:
    """Notes about discs that lie flat where they are estimated: any way they are tipped is as near as another."""
    return tuple(
        f"the estimate of {e.wheel.body.name} lies flat on its plane, its axle along the normal: it was tipped"
        for e in _flat(machine, q0)
    )


def _flat(machine: Machine, q: np.ndarray) -> Iterator[Rolling]:
    for e in machine.model.elements.values() if machine.model.dimension == 3 else ():
        if isinstance(e, Rolling) and not e.ball:
            sine = np.linalg.norm(np.cross(_z_axis(machine, e.wheel, q), _z_axis(machine, e.plane, q)))
            if sine < FLAT:
                yield e


def _z_axis(machine: Machine, P: Point, q: np.ndarray) -> np.ndarray:
    """The z axis of a frame, in ground axes."""
    value = machine.model.value
    axis = np.array([0.0, 0.0, 1.0] if P.rotation is None else [value(row[2]) for row in P.rotation])
    if P.body.is_ground:
        return axis
    at, _ = machine.system.coordinates.body_slices()[P.body.name]
    return np.asarray(np.asarray(rotations.A(q[at][3:]), dtype=float) @ axis)
