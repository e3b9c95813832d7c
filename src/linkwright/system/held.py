"""Modes of a machine: gaps of closed contacts, and coordinates of joints that stick, are equations as those of joints are.

A *mode* of a machine says which contacts are closed, which slots (see `slots`) stick, and in which sense the others slide.
Between two events it stays; the machine in it is one with further rows, and with dry friction where it slides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Expr, Scalar
from linkwright.model import Gear, RackPinion
from linkwright.system import slots as dry
from linkwright.system.constraints import Row
from linkwright.system.friction import frictions
from linkwright.system.mechanics import Mechanics
from linkwright.system.reactions import Reactions
from linkwright.system.switches import Switch, found

Key = tuple[tuple[int, ...], ...]
# Of its bound, by which what sticks exceeds it where that is seen: more than decisions are exact to, so that slots which are
# left to stick at their bound are seen when they exceed it, and not before.
BEYOND = 4e-10
# A force that any slot holds [N or N m]: one that bears nothing and feels nothing at first would else have a margin of
# exactly zero, which cannot fall through zero when something begins to drive it.
LEAST = 1e-12


@dataclass(frozen=True)
class Mode:
    """One mode. closed: contacts that press, by the numbers of their impacts; idle: contacts that touch and do not press. By
    the numbers of slots: stuck; full, at rest with all the friction they have, while others hold them; smooth, those of a
    prescribed motion. Of each speed of the slots: the sense in which it slides, the motion it resists, or, while it sticks,
    a force that cancels those of others. Of each slot: where it was captured, the speed below which it is captured (of
    several speeds), and, where forces are not unique, its compliance; zero: what its rows have by themselves."""

    closed: tuple[int, ...] = ()
    stuck: tuple[int, ...] = ()
    full: tuple[int, ...] = ()
    smooth: tuple[int, ...] = ()
    idle: tuple[int, ...] = ()
    senses: tuple[float, ...] = ()
    anchors: tuple[float, ...] = ()
    rest: tuple[float, ...] = ()
    weights: tuple[float, ...] = ()

    @property
    def key(self) -> Key:
        """The parts on which its equations depend; the rest are numbers in them."""
        return self.closed, self.stuck, self.full, self.smooth

    @property
    def values(self) -> list[float]:
        return [*self.senses, *self.anchors, *self.rest]

    def open(self) -> Mode:
        """The same with nothing closed and nothing stuck."""
        return replace(self, closed=(), stuck=(), full=())


NO_MODE = Mode()


class HeldMechanics(Mechanics):
    """The equations of a machine in a mode: gaps of closed contacts, then what sticks, are the last rows.

    Coordinates, turns and loads are those of the machine itself, so that states are the same. Outputs are, too, but for
    the efforts of what is held.
    """

    def __init__(self, base: Mechanics, key: Key) -> None:
        self.base, (self.closed, self.stuck, self.full, self.smooth) = base, key
        self.model, self.coordinates, self.geometry = base.model, base.coordinates, base.geometry
        self.phases, self.senses, self.loads, self.slots = base.phases, base.senses, base.loads, base.slots
        count = len(self.slots)
        self._anchor, self._rest = (dry.symbols_of(kind, count) for kind in ("anchor", "rest"))
        every = dry.symbols_of("sense", sum(s.size for s in self.slots))
        at = list(accumulate([0, *[s.size for s in self.slots]]))
        self._sense = [every[a:b] for a, b in pairwise(at)]
        self.constants = [*base.constants, *every, *self._anchor, *self._rest]
        impacts = [base.loads.impacts[k] for k in self.closed]
        own = [Row(f"{i.name}.contact", base.model.elements[i.element], i.gap) for i in impacts]
        self._stuck_at: dict[int, int] = {}
        for k in self.stuck:
            self._stuck_at[k] = len(base.rows) + len(own)
            own += dry.held_rows(self.slots[k], self._anchor[k])
        self.rows = [*base.rows, *own]
        rubbing = {self.slots[k].element.name for k in range(count) if k not in self.smooth}
        others = [f for f in frictions(self) if f.element.name not in rubbing]
        self._dry = {
            k: (dry.saturated if k in self.full else dry.dry)(self, self.slots[k], self._load(k), self._sense[k])
            for k in self._moving
        }
        gears = [f for f in others if isinstance(f.element, Gear | RackPinion)]
        self.frictions = [*[f for f in others if f not in gears], *self._dry.values(), *gears]

    @classmethod
    def of(cls, base: Mechanics, mode: Mode) -> Mechanics:
        """The machine in a mode, made once for each key."""
        if not any(mode.key) and not base.slots:
            return base
        return base.once("modes", mode.key, lambda: cls(base, mode.key))

    # -- contacts ----------------------------------------------------------------------------------------------------------
    def _press(self, k: int) -> Scalar:
        """The force by which the bodies of the k-th impact press: along its gap."""
        force: Scalar = -self.lam[len(self.base.rows) + self.closed.index(k)]
        return force

    def press(self, k: int) -> Expr:
        """The same as an output that can be watched."""
        return self.output_symbols[f"press:{k}"]

    @property
    def switches(self) -> list[Switch]:
        """The switches of laws, and those where other features of closed contacts touch: their rows have other curvatures
        there."""
        impacts = [self.loads.impacts[k] for k in self.closed]
        return [*self.loads.switches, *[s for i in impacts for s in found(i.element, [i.gap])]]

    # -- slots -------------------------------------------------------------------------------------------------------------
    @property
    def on_speeds(self) -> set[int]:
        """The rows that say nothing of positions, among them what sticks: where it does, the event of its capture has
        told."""
        stuck = {at + i for k, at in self._stuck_at.items() for i in range(self.slots[k].size)}
        return super().on_speeds | stuck

    def is_there(self, k: int) -> bool:
        """Whether the k-th slot rubs by the dry law: those of open contacts do not, nor do those of prescribed motions."""
        impact = self.slots[k].impact
        return k not in self.smooth and (impact is None or impact in self.closed)

    @property
    def _moving(self) -> list[int]:
        return [k for k in range(len(self.slots)) if self.is_there(k) and k not in self.stuck]

    def _load(self, k: int) -> Scalar:
        impact = self.slots[k].impact
        return dry.load(self, self.slots[k], 0.0 if impact is None else self._press(impact))

    def _held_by(self, k: int) -> list[Scalar]:
        """The force of a slot that sticks."""
        at = self._stuck_at[k]
        return [p - x for p, x in zip(self._sense[k], self.lam[at : at + self.slots[k].size], strict=True)]

    def margin(self, k: int) -> Expr:
        """The margin of the k-th slot, as an output that can be watched: it falls through zero where the slot slips, or
        comes to rest."""
        return self.output_symbols[f"slot:{k}"]

    def _margin(self, k: int) -> Scalar:
        if not self.is_there(k) or k in self.full:
            return 1.0
        return self.sticking(k) if k in self.stuck else self.sliding(k)

    def sticking(self, k: int) -> Scalar:
        """The margin of a slot that sticks."""
        most = (1.0 + BEYOND) * self.slots[k].bound(self._load(k))
        return most * most + LEAST * LEAST - dry.square(self._held_by(k))

    def sliding(self, k: int) -> Scalar:
        """The same of one that slides."""
        slot = self.slots[k]
        if slot.size == 1:
            return self._sense[k][0] * slot.speeds[0]  # type: ignore[no-any-return]
        return dry.square(slot.speeds) - self._rest[k] * self._rest[k]  # type: ignore[no-any-return]

    def row_weights(self, weights: Sequence[float]) -> np.ndarray:
        """The compliance of each row, from those by slot; zero: what the row has by itself."""
        out = np.zeros(len(self.rows))
        for k, at in self._stuck_at.items():
            out[at : at + self.slots[k].size] = weights[k]
        return out

    @cached_property
    def slot_forces(self) -> Function:
        """The forces along the speeds of all slots, and the loads of those that are there, under the multipliers lam."""
        effort = {f.element.name: f.effort for f in self.frictions}
        F: list[Scalar] = []
        for k, slot in enumerate(self.slots):
            if k in self.stuck:
                F += self._held_by(k)
            elif k in self._dry:
                F += list(self._dry[k].effort.values())
            elif k in self.smooth and slot.impact is None:
                F += [effort[slot.element.name].get(c, _other_pin(self, slot, c)) for c in slot.channels]
            else:
                F += [0.0] * slot.size
        N = [self._load(k) if self.is_there(k) else 0.0 for k in range(len(self.slots))]
        return self.load_function("forces of slots", {"F": F, "N": N}, lam=self.lam)

    # -- outputs -----------------------------------------------------------------------------------------------------------
    @cached_property
    def outputs(self) -> dict[str, Scalar]:
        told = {f"press:{k}": self._press(k) for k in self.closed}
        told |= {f"slot:{k}": self._margin(k) for k in range(len(self.slots))}
        return {**super().outputs, **told}

    @property
    def joints(self) -> list[str]:
        return self.base.joints

    @cached_property
    def reaction_channels(self) -> dict[str, Scalar]:
        reactions = Reactions(self, list(self.lam))
        for row in self.rows[len(self.base.rows) :]:
            reactions.rows.pop(row.element.name, None)
        return reactions.channels()

    @cached_property
    def effort_channels(self) -> dict[str, Scalar]:
        out = dict(super().effort_channels)
        for k in self.closed:
            impact = self.loads.impacts[k]
            for name in impact.forces:
                out[name] = out[name] + impact.sense * self._press(k)
        for k in self.stuck:
            slot = self.slots[k]
            for channel, force in zip(slot.channels, self._held_by(k), strict=True):
                name = f"{slot.element.name}.{channel}"
                out[name] = out.get(name, 0.0) + force
        return {name: out[name] for name in self.base.effort_channels}


def _other_pin(system: HeldMechanics, slot: dry.Slot, channel: str) -> Scalar:
    """The smooth friction of a universal joint's other pin."""
    return next(f.effort[channel] for f in system.frictions if f.element is slot.element and channel in f.effort)
