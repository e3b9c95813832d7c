"""Parts of a run over which changes are solved at once, and what is found of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwright.analyses.variations.nodes import Change


@dataclass(frozen=True)
class Element:
    """A part of a step: when it begins and ends, in which stretch; outputs: the numbers of output times at its end."""

    a: float
    b: float
    stretch: int
    outputs: tuple[int, ...] = ()

    def halves(self) -> tuple[Element, Element]:
        middle = 0.5 * (self.a + self.b)
        return Element(self.a, middle, self.stretch), Element(middle, self.b, self.stretch, self.outputs)


def in_one(elements: Sequence[Element], count: int) -> list[Element]:
    """So many after each other in one, where they are of one stretch and no output is between them."""
    out: list[Element] = []
    own = 0
    for e in elements:
        last = out[-1] if out else e
        if own % count and not last.outputs and last.stretch == e.stretch and last.b == e.a:
            out[-1], own = Element(last.a, e.b, e.stretch, e.outputs), own + 1
        else:
            out.append(e)
            own = 1
    return out


@dataclass(frozen=True)
class Step:
    """An element solved: u after it is P u + r; lifted: the change at its end by (u, design)."""

    B_p: np.ndarray
    B_v: np.ndarray
    P: np.ndarray
    r: np.ndarray
    lifted: Change
    y: np.ndarray

    def read(self, d: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
        """u of a change."""
        return np.concatenate([self.B_p @ d, self.B_v @ v, z])
