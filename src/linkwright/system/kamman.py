"""Kamman's unconstrained multibody system: the text's functions on arrays, and a fast one compiled for a given tree.

`equations`, `accelerations`, ... follow the text line by line and take numbers; `compiled` traces the same lines once and
gives native code for ydot and xdot. A tree of bodies, each with six degrees of freedom relative to the body below it:

    L       lower-body array: L[K-1] is the number of the body below body K, 0 the inertial frame; L(K) < K
    x       Euler parameters of all bodies, scalar last (e1, e2, e3, e4), then s' of all: 7 N numbers
    y       omega' of all bodies, then sdot' of all: 6 N numbers
    masses, inertias   m_K [kg], I'_K about the mass centre, in axes of body K
    r       r'_K, from the body's origin to its mass centre, in axes of body K
    q       q'_K, from the origin of body L(K) to the point that s'_K starts from, in axes of L(K)
    F, M    F_K at the mass centre (gravity included) in inertial components; M'_K in axes of body K

Examples
--------
>>> import numpy as np
>>> zero, x = np.zeros(3), (0, 0, 0, 1, 0, 0, 0)
>>> lw.kamman.accelerations([0], [2.0], [np.eye(3)], zero, zero, x, np.zeros(6), (0, 0, 6.0), zero)
array([0., 0., 0., 0., 0., 3.])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.equations import kamman as text
from linkwright.equations.arrays import of_text
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


@of_text
def compiled(L: Sequence[int], masses: Any, inertias: Any, r: Any, q: Any) -> Function:
    """Compile (x, y, F, M) -> (ydot, xdot) of this tree to native code.

    Returns
    -------
    Function
        The compiled function.
    """
    n = len(L)
    x, y = symbols("x", 7 * n), symbols("y", 6 * n)
    F, M = symbols("F", n, 3), symbols("M", n, 3)
    ydot = text.accelerations(L, masses, inertias, r, q, x, y, F, M)
    xdot = text.kinematics(L, x, y)
    return Function("Kamman's tree", {"x": x, "y": y, "F": F, "M": M}, {"ydot": np.asarray(ydot), "xdot": np.asarray(xdot)})
