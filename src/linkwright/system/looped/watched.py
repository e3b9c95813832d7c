"""Quantities that are watched for zeros: each is a group of its own, of the bodies that it depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Scalar, free_symbols, symbol, symbols
from linkwright.model import Model
from linkwright.system.geometry import Geometry
from linkwright.system.looped.group import Group
from linkwright.system.looped.shapes import Reading, Standin, is_output, read_value
from linkwright.system.looped.told import Telling
from linkwright.system.mechanics import OUTPUT, channel_of
from linkwright.system.quantities import resolve


@dataclass(frozen=True, eq=False)
class Watched(Group):
    """One watched quantity: `source` in the model's own terms, `value` in those of the stand-in."""

    source: Scalar = 0.0
    value: Scalar = 0.0

    @cached_property
    def geometry(self) -> Geometry:
        """The geometry of the stand-in, in which rates of states are outputs of their elements."""
        g = Geometry(self.standin.own, self.coordinates)
        g.state_rates.update(zip(self.needed, [symbol(f"{OUTPUT}{name}.rate") for name in self.standin.states], strict=True))
        return g

    @cached_property
    def residuals(self) -> list[Scalar]:
        return resolve(self.geometry, [self.value])

    @cached_property
    def accelerates(self) -> bool:
        """Whether it depends on accelerations of its bodies."""
        return any(x in set(free_symbols(self.residuals)) for x in self._vdot)

    @property
    def _vdot(self) -> np.ndarray:
        return symbols("vdot", len(self.coordinates.v))

    @cached_property
    def outputs(self) -> list[str]:
        """The channels of the outputs that it depends on."""
        return sorted(str(s.data).removeprefix(OUTPUT) for s in free_symbols(self.residuals) if is_output(s))

    def told_by_multipliers(self, groups: Sequence[Group]) -> list[str]:
        """The channels of these outputs that follow from multipliers of rows."""
        return [name for name, told, channel in self._told(groups) if told is not None and told.depends(channel)]

    def jumps(self, groups: Sequence[Group]) -> bool:
        """Whether it may jump while the state does not; see `Telling`."""
        return self.accelerates or any(told is None or told.jumps(channel) for _, told, channel in self._told(groups))

    def _told(self, groups: Sequence[Group]) -> Iterator[tuple[str, Telling | None, str]]:
        """Its outputs: each with its name, the `Telling` of its element and the channel there; None for an acceleration."""
        owners = {n: g for g in groups for n in g.names}
        for name in self.outputs:
            owner, channel = channel_of(name, owners)
            yield name, Telling(owners[owner]) if owner else None, channel

    @property
    def follows_from_forces(self) -> bool:
        return self.accelerates or bool(self.outputs)

    @cached_property
    def watched(self) -> Function:
        """A function for its value; where it depends on them, accelerations of each body and outputs are further inputs."""
        more = dict[str, np.ndarray]()
        if self.accelerates:
            more = {f"vdot{k}": self._vdot[at] for k, (_, at) in enumerate(self.parts)}
        if self.outputs:
            more["taken"] = np.array([symbol(OUTPUT + name) for name in self.outputs], dtype=object)
        return self.function("watched", {"g": self.residuals}, more=more)

    def reread(self) -> np.ndarray:
        return _numbers(read_value(self.model, self.source))


def watched(model: Model, quantities: Mapping[str, Scalar]) -> list[Watched]:
    """The watched quantities of a model, by name."""
    made = []
    for name, source in quantities.items():
        reading = read_value(model, source)
        standin = Standin(model, reading.bodies, reading.numbers, [None] * len(reading.numbers))
        columns, numbers = list(range(len(reading.numbers))), _numbers(reading)
        value = standin.value(source)
        given = model, [0], [name], columns, numbers, [reading.bodies], standin, None
        made.append(Watched(*given, needs=[reading.states], source=source, value=value))
    return made


def _numbers(reading: Reading) -> np.ndarray:
    return np.array(reading.numbers).reshape(1, -1)
