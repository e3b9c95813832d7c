"""The derivative of a motion as native code, for implicit methods."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.dynamics.whole.flows import derivative_of
from linkwright.compile.bound import Bound
from linkwright.solve.motion_derivative import motion_derivative
from linkwright.system.motion import Flow


def motion_jacobian(flow: Flow) -> Bound:
    """d y'/d y by rows, exact, of the inputs of the flow's functions."""
    d = derivative_of(flow)
    fixed = [
        flow.motion, d.parts, _room(flow.motion.outputs), _room(d.parts.inputs), _room(d.parts.outputs), *arguments(flow)
    ]  # fmt: skip
    ny = d.sizes[-1]
    return Bound(motion_derivative, fixed, flow.motion.inputs, {"J": (ny * ny,)})


def arguments(flow: Flow) -> list[np.ndarray]:
    """The arguments of `motion_derivative` after the functions and their results: sizes, patterns, room."""
    d = derivative_of(flow)
    nq, nv, m, ny = d.sizes
    N = nv + m
    patterns = d.patterns
    at_z, at_y = (_ints([i * width + j for i, j in p]) for p, width in zip(patterns, (N, ny), strict=False))
    rows, columns = (_ints([(d.D_rows[ij[0]], ij[1])[k] for ij in patterns[2]]) for k in range(2))
    inputs = [int(np.prod(shape)) for shape in flow.motion.inputs.values()]
    numbers = _ints([nq, nv, m, ny, *[len(p) for p in patterns], len(inputs)])
    room = np.zeros(N * (N + ny) + 8), np.zeros(max(N, 1), dtype=np.int64)
    return [_ints(inputs), numbers, at_z, at_y, rows, columns, *room]


def _ints(values: list[int]) -> np.ndarray:
    return np.array(values or [0], dtype=np.int64)


def _room(shapes: dict[str, tuple[int, ...]]) -> list[np.ndarray]:
    return [np.zeros(max(int(np.prod(shape)), 1)) for shape in shapes.values()]
