"""Compiled functions whose results are matrices: only the nonzeros are traced and compiled."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from linkwright.compile import Function
from linkwright.graph import Sparse


class Matrices:
    """A function of arrays that gives dense matrices, in the order of `matrices`."""

    def __init__(self, name: str, inputs: Mapping[str, np.ndarray], matrices: Mapping[str, Sparse]) -> None:
        self.shapes = [m.shape for m in matrices.values()]
        self.places = [m.places for m in matrices.values()]
        self.nonzeros = Function(name, inputs, {k: m.values for k, m in matrices.items()})

    def __call__(self, *args: np.ndarray) -> tuple[np.ndarray, ...]:
        out = tuple(np.zeros(shape) for shape in self.shapes)
        for matrix, (i, j), values in zip(out, self.places, self.nonzeros(*args), strict=True):
            matrix[i, j] = values
        return out
