"""The channels of large machines: outputs of an element are traced once for its shape, and evaluated for all members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from linkwright.analyses.machine.mechanical import States
from linkwright.compile import Function
from linkwright.graph import Scalar
from linkwright.model import Element, Friction
from linkwright.model.values import is_some
from linkwright.system.laws import value_of
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.group import Group
from linkwright.system.looped.groups import is_impact
from linkwright.system.looped.told import Telling
from linkwright.system.mass import carried_alone
from linkwright.system.mechanics import channel_name, channel_of

T = TypeVar("T")


class Shape(Telling):
    """The outputs of one shape: coordinates of its joint, reactions, efforts, energies, and the point where it acts."""

    def __init__(self, group: Group, energies: bool = False) -> None:
        """`energies`: whether energies are the only outputs."""
        super().__init__(group)
        self.only = energies

    @cached_property
    def energies(self) -> list[Scalar]:
        s = self.system
        own = s.inertia if self.group.element is None else carried_alone(s.coordinates, s.carried)
        return [own.kinetic_energy, s.loads.potential]

    @cached_property
    def stores(self) -> bool:
        """Whether it has energy of its own; most joints have none."""
        return any(map(is_some, self.energies))

    @cached_property
    def all(self) -> Function:
        """All outputs, as a function of `_inputs` and of the values of laws in plain Python."""
        told = [*self.joint_coordinates.values(), *self.reactions.values(), *self.efforts.values(), *self.place]
        outputs = self.energies if self.only else told
        inputs = {**self._inputs, "calls": self.system.calls}
        return Function(f"{type(self.group.element).__name__} outputs", inputs, {"x": outputs})

    @cached_property
    def _inputs(self) -> dict[str, np.ndarray]:
        x = self.system.inputs
        turns = np.array([r for r, _ in self.system.geometry.turns.values()], dtype=object)
        states = np.array(self.group.needed, dtype=object)
        return {"q": x["q"], "v": x["v"], "t": x["t"], "b": x["b"], "turns": turns, "lam": self.lam, "z": states}

    @cached_property
    def call_arguments(self) -> Function:
        x = [a for c in self.system.loads.callbacks for a in c.arguments.values()]
        return Function(f"{type(self.group.element).__name__} arguments of laws", self._inputs, {"x": x})

    def evaluate(
        self, q: np.ndarray, v: np.ndarray, t: np.ndarray, b: np.ndarray, turns: np.ndarray, lam: np.ndarray, z: np.ndarray
    ) -> Any:
        """The outputs of many members at many times. Arguments are arrays of numbers x columns; so is the result."""
        known = self.group.turns
        names = [r.data for r, _ in self.system.geometry.turns.values()]
        references = np.zeros((len(names), q.shape[1]))
        for k, r in enumerate(known):
            references[names.index(r.data)] = turns[k]
        full = np.zeros((len(self.lam), q.shape[1]))
        full[self.own] = lam
        args = q, v, t[None], b, references, full, z
        return self.all.batch(*args, self._calls(*args))[0]

    def _calls(self, *args: np.ndarray) -> np.ndarray:
        """The values of laws in plain Python, a column each; members come one after the other."""
        laws, columns = self.system.loads.callbacks, args[0].shape[1]
        out = np.zeros((len(laws), columns))
        if not laws or self.only:  # no potential is of such a law
            return out
        x, times = self.call_arguments.batch(*args)[0], columns // len(self.group.members)
        ends = np.cumsum([0, *[len(c.arguments) for c in laws]])
        for column in range(columns):
            m = column // times
            for k, f in enumerate(self.group.own_laws(m)):
                out[k, column] = value_of(f, self.group.names[m], laws[k].arguments, x[ends[k] : ends[k + 1], column])
        return out


def shapes_of(system: LoopedSystem, energies: bool = False) -> list[Shape]:
    """The shapes of all groups, made once for a system."""
    return system.made((Shape, energies), lambda: [Shape(group, energies) for group in system.at.all_groups])


@dataclass(frozen=True)
class Told:
    """Outputs by channel, in the order of the model's elements; points: where joints act, times x dimension."""

    coordinates: dict[str, np.ndarray]
    forces: dict[str, np.ndarray]
    points: dict[str, np.ndarray]


Constants = list[np.ndarray]  # of each group, a row a member


def constants_of(system: LoopedSystem) -> Constants:
    """The numbers of all bodies and elements as they are now. What is told of a run needs nothing else of the system, which
    is lent to other runs as soon as this one is over."""
    return [system.arena.numbers[at.b] for at in _places(system, shapes_of(system))]


Names = tuple[list[str], list[str]]


def told_names(system: LoopedSystem, elements: Sequence[Element]) -> Names:
    """The channels of `outputs`, in order: coordinates, forces. Made once for a system."""
    return system.made((told_names, tuple(e.name for e in elements)), lambda: _told_names(system, elements))


def _told_names(system: LoopedSystem, elements: Sequence[Element]) -> Names:
    found: tuple[dict[str, None], ...] = {}, {}, {}, {}
    for shape, group in zip(shapes_of(system), system.at.all_groups, strict=True):
        efforts = [c for c in shape.efforts if c not in shape.of_states]
        own = shape.joint_coordinates, shape.reactions, efforts, shape.of_states
        for told, channels in zip(found, own, strict=True):
            told.update(dict.fromkeys(channel_name(name, c) for name in group.names for c in channels))
    coordinates, *forces = (_in_order(elements, x) for x in found)
    return list(coordinates), list(_joined(elements, *forces))


def outputs(
    system: LoopedSystem, constants: Constants, elements: Sequence[Element], states: States, lam: np.ndarray
) -> Told:  # fmt: skip
    """All outputs of a motion. constants, elements: of the machine when it ran; lam: a row a time. The system's numbers are
    not looked at."""
    coordinates: dict[str, np.ndarray] = {}
    reactions: dict[str, np.ndarray] = {}
    efforts: dict[str, np.ndarray] = {}
    of_states: dict[str, np.ndarray] = {}
    points: dict[str, np.ndarray] = {}
    for shape, name, x in _all(system, shapes_of(system), constants, states, lam):
        parts = iter(x)
        own = (coordinates, shape.joint_coordinates), (reactions, shape.reactions), (efforts, shape.efforts)
        for told, channels in own:
            told.update({channel_name(name, c): next(parts) for c in channels})
        of_states.update({n: efforts.pop(n) for c in shape.of_states for n in [channel_name(name, c)]})
        if shape.place:
            points[name] = np.stack([next(parts) for _ in shape.place], axis=1)
    told, *forces = (_in_order(elements, x) for x in (coordinates, reactions, efforts, of_states))
    return Told(told, _joined(elements, *forces), {e.name: points[e.name] for e in elements if e.name in points})


def efforts(system: LoopedSystem, t: float, y: np.ndarray) -> dict[str, np.ndarray]:
    """The forces of force elements at a state, by element."""
    out, states = {}, States.of(system, np.array([t]), y[None])
    for shape, name, x in _all(system, shapes_of(system), constants_of(system), states, np.zeros((1, system.rows))):
        first = len(shape.joint_coordinates) + len(shape.reactions)
        own = [first + k for k, c in enumerate(shape.efforts) if c not in shape.of_states]
        if own:
            out[name] = x[own]
    return out


class Energies:
    """Kinetic and potential energy of single states of a machine: (t, y) -> their sum. The functions are made once."""

    def __init__(self, system: LoopedSystem) -> None:
        self.system = system

    @cached_property
    def _shapes(self) -> list[Shape]:
        return shapes_of(self.system, energies=True)

    def __call__(self, t: float, y: np.ndarray) -> float:
        return float(self.over(np.array([t]), y[None]).sum())

    def over(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Kinetic and potential energy at many states, a row each: two rows of numbers."""
        system, out = self.system, np.zeros((2, len(t)))
        none = np.zeros((len(t), system.rows))
        for *_, x in _by_group(system, self._shapes, constants_of(system), States.of(system, t, y), none):
            out += x.sum(axis=1)
        return out


def _all(
    system: LoopedSystem, shapes: list[Shape], constants: Constants, states: States, lam: np.ndarray
) -> Iterator[tuple[Shape, str, np.ndarray]]:
    """The outputs of every body and element, by shape and name: a row for each of them, over time."""
    for shape, names, x in _by_group(system, shapes, constants, states, lam):
        for m, name in enumerate(names):
            yield shape, name, x[:, m]


def _by_group(
    system: LoopedSystem, shapes: list[Shape], constants: Constants, states: States, lam: np.ndarray
) -> Iterator[tuple[Shape, list[str], np.ndarray]]:
    """The outputs of all bodies or elements of a shape: numbers x members x times."""
    t, q, v, turns, n = states.t, states.q, states.v, states.turns, len(states.t)
    for shape, group, at, own in zip(shapes, system.at.all_groups, _places(system, shapes), constants, strict=True):
        if shape.only and not shape.stores:
            continue
        count = len(group.members)
        x = shape.evaluate(
            _gathered(q, at.q), _gathered(v, at.v), np.tile(t, count), np.repeat(own, n, axis=0).T,
            _gathered(turns, at.turns), _gathered(lam, at.lam), _gathered(turns, at.z),
        )  # fmt: skip
        yield shape, group.names, np.asarray(x).reshape(-1, count, n)


@dataclass(frozen=True)
class _Places:
    """The places of the members' numbers, a row a member: in states, among constants and references, among multipliers, and
    those of other elements' states among references."""

    q: np.ndarray
    v: np.ndarray
    b: np.ndarray
    turns: np.ndarray
    lam: np.ndarray
    z: np.ndarray


def _places(system: LoopedSystem, shapes: list[Shape]) -> list[_Places]:
    """The places of all groups, made once for a system, whose structure they follow from."""
    key = _Places, tuple(len(shape.own) for shape in shapes)
    return system.made(key, lambda: [_places_of(system, g, shape) for g, shape in enumerate(shapes)])


def _places_of(system: LoopedSystem, g: int, shape: Shape) -> _Places:
    at, group = system.at, system.at.all_groups[g]
    number, count, (nq, nv) = {id(b): k for k, b in enumerate(at.bodies)}, len(group.members), at.per_body
    bodies = np.array([[number[id(b)] for b in own] for own in group.bodies], dtype=np.int64).reshape(count, group.width)
    curves = np.array([at.moving(group, m)[group.width :] for m in range(count)], dtype=np.int64).reshape(count, -1)
    curves -= len(at.bodies) + len(at.extra)  # from the end
    return _Places(
        np.hstack([(bodies[:, :, None] * nq + np.arange(nq)).reshape(count, -1), curves + system.nq]),
        np.hstack([(bodies[:, :, None] * nv + np.arange(nv)).reshape(count, -1), curves + system.nv]),
        np.array(at.b[g], dtype=np.int64)[:, None] + np.arange(len(group.constants)),
        np.array(at._turns[g], dtype=np.int64)[:, None] + np.arange(len(group.turns)),
        _rows(system, g - len(at.masses), count, len(shape.own)),
        np.array([[at.states[name] for name in own] for own in group.needs], dtype=np.int64).reshape(count, -1),
    )


def _rows(system: LoopedSystem, g: int, count: int, size: int) -> np.ndarray:
    at = system.at
    first = at.ldl.x[at.movable] if at.rows else 0
    nodes = at.rubbing[g] if g in at.rubbing else [at._node[g, m] if size else 0 for m in range(count)]
    starts = [at.ldl.x[k] - first if size else 0 for k in nodes]
    return np.array(starts, dtype=np.int64)[:, None] + np.arange(size)


def _gathered(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The values at the places of all members: values are times x all, places members x numbers; the result is numbers x
    (members, times)."""
    count = len(places)
    flat = places.reshape(count, -1)
    picked = values[:, flat]  # times, members, numbers
    return np.ascontiguousarray(picked.transpose(2, 1, 0).reshape(flat.shape[1], count * len(values)))


def _in_order(elements: Sequence[Element], channels: dict[str, T]) -> dict[str, T]:
    """Channels in the order of the elements."""
    place = {e.name: k for k, e in enumerate(elements)}
    return dict(sorted(channels.items(), key=lambda item: place[channel_of(item[0], place)[0]]))


def _joined(
    elements: Sequence[Element], reactions: dict[str, T], efforts: dict[str, T], states: dict[str, T]
) -> dict[str, T]:  # fmt: skip
    """Forces in the order of results: friction comes last, that of contacts that strike before that of joints."""
    striking, rubbing = ({e.name for e in elements if own(e)} for own in (is_impact, lambda e: isinstance(e, Friction)))
    across = {n: x for n, x in efforts.items() if channel_of(n, striking)[1].startswith("friction")}
    late = across | {n: x for n, x in efforts.items() if channel_of(n, rubbing)[0]}
    return {**reactions, **{n: x for n, x in efforts.items() if n not in late}, **states, **late}


__all__ = ["Constants", "Energies", "Told", "constants_of", "efforts", "outputs", "told_names"]
