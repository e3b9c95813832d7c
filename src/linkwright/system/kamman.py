"""Kamman's unconstrained multibody system: the text's functions on arrays, and a fast one compiled for a given tree.

`equations`, `accelerations`, ... follow the text line by line and take numbers (see `linkwright.equations.kamman`).
`compiled` traces the same lines once and gives native code for ydot and xdot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.arguments import numeric
from linkwright.compile import Function
from linkwright.equations import kamman as text
from linkwright.equations.kamman import (
    accelerations,
    equations,
    kinematics,
    partial_velocities,
    partial_velocity_rates,
    path,
    positions,
    steps_down,
)
from linkwright.graph import symbols

__all__ = [
    "accelerations", "compiled", "equations", "kinematics", "partial_velocities", "partial_velocity_rates", "path",
    "positions", "steps_down",
]  # fmt: skip


@numeric
def compiled(L: Sequence[int], masses: Any, inertias: Any, r: Any, q: Any) -> Function:
    """(x, y, F, M) -> (ydot, xdot) of this tree, as native code; arguments as those of `accelerations`."""
    n = len(L)
    x, y = symbols("x", 7 * n), symbols("y", 6 * n)
    F, M = symbols("F", n, 3), symbols("M", n, 3)
    ydot = text.accelerations(L, masses, inertias, r, q, x, y, F, M)
    xdot = text.kinematics(L, x, y)
    return Function("Kamman's tree", {"x": x, "y": y, "F": F, "M": M}, {"ydot": np.asarray(ydot), "xdot": np.asarray(xdot)})
