"""Quantities that are watched for zeros: each is a group of its own, of the bodies that it depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Scalar
from linkwright.model import Model
from linkwright.system.looped.groups import Group
from linkwright.system.looped.shapes import Reading, Standin, read_value
from linkwright.system.quantities import resolve


@dataclass(frozen=True, eq=False)
class Watched(Group):
    """One quantity: `source` in the model's own terms, `value` in those of the stand-in."""

    source: Scalar = 0.0
    value: Scalar = 0.0

    @cached_property
    def residuals(self) -> list[Scalar]:
        return resolve(self.geometry, [self.value])

    @cached_property
    def watched(self) -> Function:
        return self.function("watched", {"g": self.residuals})

    def reread(self) -> np.ndarray:
        return _numbers(read_value(self.model, self.source))


def watched(model: Model, quantities: Mapping[str, Scalar]) -> list[Watched]:
    """By name."""
    made = []
    for name, source in quantities.items():
        reading = read_value(model, source)
        standin = Standin(model, reading.bodies, reading.numbers, [None] * len(reading.numbers))
        columns, numbers = list(range(len(reading.numbers))), _numbers(reading)
        value = standin.value(source)
        made.append(
            Watched(model, [0], [name], columns, numbers, [reading.bodies], standin, None, source=source, value=value)
        )
    return made


def _numbers(reading: Reading) -> np.ndarray:
    return np.array(reading.numbers).reshape(1, -1)


__all__ = ["Watched", "watched"]
