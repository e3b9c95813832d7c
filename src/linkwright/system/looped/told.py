"""The outputs of a shape at given multipliers: reactions of joints, efforts of forces."""

from __future__ import annotations

from typing import Any

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Scalar, free_symbols, topological
from linkwright.model import Friction
from linkwright.model.quantities import ACCELERATIONS
from linkwright.system.friction import on_displacements
from linkwright.system.looped.group import Group
from linkwright.system.looped.resting import rests
from linkwright.system.mechanics import Mechanics, channel_name, own_channels
from linkwright.system.reactions import Reactions, has_place


class TellsCoordinates:
    """The coordinates of the joint of a shape, by the system of its stand-in."""

    group: Group
    system: Any

    @cached_property
    def joint_coordinates(self) -> dict[str, Scalar]:
        """The coordinates by channel; none of what is no joint."""
        e = self.group.element
        names = [] if e is None else [c for c in e.channels if c.startswith(("angle", "displacement"))]
        found = self.system.resolve([e.coordinate(c) for c in names]) if e is not None else []
        return dict(zip(names, found, strict=True))


class Tells(TellsCoordinates):
    """The coordinates and forces of a shape; `own`: its rows among those of the system."""

    name: str
    own: list[int]

    @cached_property
    def reactions(self) -> dict[str, Scalar]:
        return own_channels(self.name, self.system.reaction_channels) if self.own else {}

    @cached_property
    def efforts(self) -> dict[str, Scalar]:
        return own_channels(self.name, self.system.effort_channels)

    @cached_property
    def of_states(self) -> list[str]:
        """The channels of `efforts` that are of its states alone: in results the efforts of all elements come before
        them."""
        e = self.group.element
        own = set() if e is None else {x for name in e.states for x in (name, f"{name}.rate")}
        told = {f"{load.name}.{c}" for load in self.system.loads.all for c in load.effort}
        return [c for c in self.efforts if (name := channel_name(self.name, c)) in own and name not in told]

    @cached_property
    def place(self) -> list[Scalar]:
        """The point where a joint acts; of others nothing."""
        e = self.group.element
        if e is None or not self.own or not has_place(e) or isinstance(e, Friction):
            return []
        return list(Reactions(self.system, list(self.system.lam)).place(e))


class Telling(Tells):
    """The outputs of one group."""

    def __init__(self, group: Group) -> None:
        self.group = group
        with group.naming():
            self.system = Mechanics(group.standin.own)
        self.lam = self.system.lam
        self.name = "" if group.element is None else group.element.name

    @cached_property
    def own(self) -> list[int]:  # type: ignore[override]
        """The rows of the element among those of the stand-in, which may hold a joint that it refers to; of friction those
        of the joint."""
        if isinstance(self.group.element, Friction):
            return list(range(len(self.system.rows)))
        return [k for k, row in enumerate(self.system.rows) if row.element.name == self.name]

    def of(self, channel: str) -> Function:
        """One output, as a function of the inputs of the group and of the multipliers of its own rows."""
        value = {**self.reactions, **self.efforts}[channel]
        return self._function(channel, {"x": self._known([value])})

    @cached_property
    def friction(self) -> Function:
        """The generalised forces on each body of the friction that follows from the multipliers of its own rows."""
        Q = self._known(on_displacements(self.system, self.system.frictions))
        bodies = self.group.parts[: self.group.width]
        return self._function("friction", {f"Q{k}": Q[at] for k, (_, at) in enumerate(bodies)})

    def _function(self, name: str, outputs: dict[str, list[Scalar]]) -> Function:
        return self.group.function(name, outputs, more={"lam": self.lam[self.own]})

    def depends(self, channel: str) -> bool:
        """Whether an output follows from multipliers."""
        if channel in self.efforts and rests(self.group.element):  # by what holds
            return True
        used = {s.data for s in free_symbols([{**self.reactions, **self.efforts}[channel]])}
        return any(x.data in used for x in self.lam)

    def jumps(self, channel: str) -> bool:
        """Whether an output may jump while the state does not: by multipliers, or by a law that changes its form."""
        conditions = {id(switch.condition) for switch in self.system.switches if switch.condition is not None}
        value = {**self.reactions, **self.efforts}[channel]
        return self.depends(channel) or any(id(n) in conditions for n in topological([value]))

    def _known(self, values: list[Scalar]) -> list[Scalar]:
        """Values with the references of turns that the group has, and none of others, which no force depends on."""
        return self.group.without_turns(values, self.system.geometry)


def output_names(groups: list[Group], bodies: list[str], dimension: int) -> dict[str, Group | None]:
    """All outputs beside positions and velocities, by channel, each with its group: None for accelerations."""
    out: dict[str, Group | None] = {f"{b}.{c}": None for b in bodies for c in ACCELERATIONS[dimension]}
    for group in groups:
        told = Telling(group)
        for name in group.names:
            out.update({channel_name(name, c): group for c in (*told.reactions, *told.efforts)})
    return out
