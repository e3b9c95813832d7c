"""The rows of a looped machine that hold in some modes only: gaps of contacts that close, coordinates of joints that stick.

All of these rows are in the matrix, whatever the mode is. Which of them hold is told by numbers, as are the senses in which
the others slide: a row that does not hold is zero, and its compliance keeps its pivot away from zero. So no mode has to be
compiled, however many of them a machine goes through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Scalar, symbol, symbols, where
from linkwright.model import Contact, Element, Friction, Stop
from linkwright.system import slots as dry
from linkwright.system.friction import JointFriction, frictions, generalised
from linkwright.system.held import HeldMechanics
from linkwright.system.looped.group import Group
from linkwright.system.mechanics import Mechanics

STATES = ("stuck", "dry", "full", "smooth")  # of a slot: numbers, one of them one; then anchor, rest, senses


def rests(e: Element | None) -> bool:
    """Whether an element has rows that hold in some modes."""
    return e is not None and ((isinstance(e, Contact | Stop) and e.strikes) or dry.is_dry(e))


class Resting:
    """The rows of a group that hold in some modes only, in blocks (`nodes`): of each impact its gap and what sticks there;
    of a joint what sticks."""

    def __init__(self, group: Group) -> None:
        self.group = group
        with group.naming():
            self.base = Mechanics(group.standin.own)
            impacts, slots = len(self.base.loads.impacts), self.base.slots
            self.system = HeldMechanics(self.base, (tuple(range(impacts)), tuple(range(len(slots))), (), ()))
            self._loads = [self.system._load(k) for k in range(len(slots))]
            self._smooth = frictions(self.base)
        self.first = len(self.base.rows)
        at = self.first + impacts + np.cumsum([0, *[s.size for s in slots]])
        own = [list(range(a, a + s.size)) for a, s in zip(at, slots, strict=False)]
        self.slot_rows = [[int(i) for i in rows] for rows in own]
        self.nodes: list[list[int]] = [
            [self.first + j, *[i for s, rows in zip(slots, self.slot_rows, strict=True) if s.impact == j for i in rows]]
            for j in range(impacts)
        ]
        self.nodes += [rows for s, rows in zip(slots, self.slot_rows, strict=True) if s.impact is None]
        self.rows = [k for node in self.nodes for k in node]
        self.closed = symbols("closed", impacts)
        self.modes = [np.array([symbol(f"slot:{x}.{k}") for x in STATES], dtype=object) for k in range(len(slots))]

    @property
    def slots(self) -> list[dry.Slot]:
        return self.base.slots

    @property
    def row_names(self) -> list[str]:
        """The names of the rows, without the name of the member before them."""
        assert self.group.element is not None
        return [self.system.rows[k].name.removeprefix(self.group.element.name) for k in self.rows]

    @property
    def is_joint(self) -> bool:
        """Whether the friction is that of a joint, by its reaction."""
        return isinstance(self.group.element, Friction)

    # -- symbols -----------------------------------------------------------------------------------------------------------
    @property
    def _marks(self) -> list[Scalar]:
        """A factor for each row: one where it holds, else zero."""
        impacts = len(self.closed)
        of = {self.first + j: self.closed[j] for j in range(impacts)}
        of |= {i: mode[0] for mode, rows in zip(self.modes, self.slot_rows, strict=True) for i in rows}
        return [of[k] for k in self.rows]

    @property
    def mode(self) -> np.ndarray:
        """The numbers of each slot: its state, anchor, rest and senses."""
        s = self.system
        parts = [[*mode, s._anchor[k], s._rest[k], *s._sense[k]] for k, mode in enumerate(self.modes)]
        return np.array([x for part in parts for x in part], dtype=object)

    def _function(self, name: str, outputs: dict[str, Any], forces: bool = False) -> Function:
        """A compiled function of a member in a mode. forces: also of the multipliers of the joint and of the own rows."""
        more: dict[str, np.ndarray] = {"closed": self.closed, "mode": self.mode}
        if forces:
            more |= {"lam": self.system.lam[: self.first if self.is_joint else 0], "own": self.system.lam[self.rows]}
        more = {k: x for k, x in more.items() if len(x)}
        return self.group.function(f"{name} of rest", {k: self._known(x) for k, x in outputs.items()}, more=more)

    def _known(self, values: Sequence[Scalar]) -> list[Scalar]:
        """A joint's angle is counted from where it was captured: it stays within half a turn of that."""
        anchor = self.system._anchor[0] if self.system._anchor else 0.0
        return self.group.without_turns(values, self.base.geometry, anchor)

    # -- rows --------------------------------------------------------------------------------------------------------------
    def _blocks(self) -> dict[str, list[Scalar]]:
        """The blocks of Phi_v, for each node and part, by rows."""
        entries, mark = self.system.Phi_v.entries, dict(zip(self.rows, self._marks, strict=True))
        return {
            f"J{n}:{k}": [mark[i] * entries.get((i, j), 0.0) for i in node for j in range(at.start, at.stop)]
            for n, node in enumerate(self.nodes) for k, (_, at) in enumerate(self.group.parts)
        }  # fmt: skip

    def _of(self, values: Sequence[Scalar]) -> list[Scalar]:
        return [m * values[k] for m, k in zip(self._marks, self.rows, strict=True)]

    @cached_property
    def position(self) -> Function:
        return self._function("position", {"Phi": self._of(self.system.residuals), **self._blocks()})

    @cached_property
    def acceleration(self) -> Function:
        """gamma of each node, then the blocks of Phi_v."""
        gamma = dict(zip(self.rows, self._of(self.system.gamma), strict=True))
        own = {f"gamma{n}": [gamma[k] for k in node] for n, node in enumerate(self.nodes)}
        return self._function("acceleration", {**own, **self._blocks()})

    @cached_property
    def drift(self) -> Function:
        return self._function("drift", {"Phidot": self._of(self.system.row_rates(range(len(self.system.rows))))})

    @cached_property
    def velocity(self) -> Function:
        return self._function("velocity", {"nu": self._of(self.system.nu)})

    # -- friction ----------------------------------------------------------------------------------------------------------
    @cached_property
    def _laws(self) -> list[list[tuple[Scalar, JointFriction]]]:
        """The frictions that each slot may have, each with the number that says whether it has it."""
        out = []
        for k, (slot, mode) in enumerate(zip(self.slots, self.modes, strict=True)):
            N, sense = self._loads[k], self.system._sense[k]
            own = [(mode[1], dry.dry(self.system, slot, N, sense)), (mode[2], dry.saturated(self.system, slot, N, sense))]
            own += [(mode[3], f) for f in self._smooth if slot.channels[0] in f.effort and slot.impact is None]
            out.append(own)
        return out

    @cached_property
    def force(self) -> Function:
        """The generalised forces of friction on each body."""
        every = [(mark, f) for own in self._laws for mark, f in own]
        Q = generalised([f for _, f in every], [where(mark > 0.5, f.force, 0.0) for mark, f in every])
        bodies = self.group.parts[: self.group.width]
        return self._function(
            "friction",
            {f"Q{k}": [Q.get(i, 0.0) for i in range(at.start, at.stop)] for k, (_, at) in enumerate(bodies)},
            True,
        )

    @cached_property
    def told(self) -> Function:
        """The forces along the speeds of slots, their loads, and margins, which fall through zero where a slot slips or
        comes to rest."""
        F: list[Scalar] = []
        N, margins = [], []
        for k, (slot, mode) in enumerate(zip(self.slots, self.modes, strict=True)):
            held = self.system._held_by(k)
            for c, x in zip(slot.channels, held, strict=True):
                force: Scalar = 0.0
                for mark, f in self._laws[k]:
                    force = where(mark > 0.5, f.effort[c], force)
                F.append(where(mode[0] > 0.5, x, force))
            N.append(where(mode[0] + mode[1] + mode[2] > 0.5, self._loads[k], 0.0))
            margins.append(where(mode[0] > 0.5, self.system.sticking(k), where(mode[1] > 0.5, self.system.sliding(k), 1.0)))
        return self._function("slots", {"F": F, "N": N, "margin": margins}, True)

    @cached_property
    def numbers(self) -> Function:
        """The numbers of the slots, see `Mechanics.slot_numbers`."""
        rows, places = self.base.numbers_of_slots
        return self._function("numbers", {"x": [x for row in rows for x in row], "s": places})
