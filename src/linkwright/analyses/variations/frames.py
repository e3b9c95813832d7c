"""The equations of a run's modes, differentiated: while contacts are closed and friction sticks, these are constraints.

Coordinates are the same in all modes, so that changes pass from one to the next as they are. What sticks is held by its
speeds alone here: the place where it was captured changes with the design, as the event of its capture says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.analyses.dynamics.whole.flows import flow_of
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.variations.nodes import Nodes
from linkwright.analyses.variations.start import Begun
from linkwright.analyses.variations.varied import tangents_of
from linkwright.errors import ModelError
from linkwright.system.held import Mode
from linkwright.system.tangents import Tangents

MISSES = 1e-4  # relative: by which changes may miss the rows of a mode that they come into
NOTHING = 1e-12  # per unit of a parameter: no change at all


@dataclass(frozen=True, eq=False)
class Frame:
    """The machine in a mode; kept: independent rows, dropped: the others."""

    machine: LoadedMachine
    tangents: Tangents
    kept: np.ndarray
    dropped: np.ndarray

    def nodes(self, t: np.ndarray, y: np.ndarray, flags: np.ndarray) -> Nodes:
        return Nodes(self.machine, self.tangents, self.kept, States.of(self.machine, t, y), flags)


class Frames:
    """Of one run, made where they are asked for. design: changes of constants, and of time, by columns."""

    def __init__(self, base: LoadedMachine, begun: Begun) -> None:
        self.base, self.begun = base, begun
        self._made: dict[Mode, Frame] = {}
        self.design = np.zeros(0)

    def at(self, mode: Mode, t: float, y: np.ndarray) -> Frame:
        """That of a mode; its independent rows are those of the state where it is asked for first."""
        if mode not in self._made:
            machine = self.base.holding(mode)
            kept, dropped = machine.kept_rows(y[: machine.nq], t)
            tangents, self.design = tangents_of(machine, flow_of(machine.system, kept.tolist()).flags, self.begun)
            self._made[mode] = Frame(machine, tangents, kept, dropped)
        return self._made[mode]


def missed(nodes: Nodes, d: np.ndarray, v: np.ndarray, b: np.ndarray, sizes: tuple[np.ndarray, np.ndarray]) -> list[str]:
    """The elements whose rows a change would leave, columns as names, at one state. sizes: of what displacements and
    velocities were made of, by column."""
    by, rows, scale = nodes.tangent, nodes.machine.system.rows, nodes.machine.scale
    lengths = np.linalg.norm(nodes.J[0] * scale, axis=1)[:, None]
    lengths = np.where(lengths > 0, lengths, 1.0)
    moved = np.abs(b).max(axis=0, initial=0.0)
    out: list[str] = []
    opened = np.abs(nodes.J[0] @ d + by["Phi_b"][0] @ b) / lengths
    speed = np.abs(nodes.J[0] @ v + by["rate_d"][0] @ d + by["rate_b"][0] @ b) / lengths
    places = [k for k in nodes.kept if k in set(nodes.on_positions)]
    for found, own, size in ((opened, places, sizes[0]), (speed, list(nodes.kept), sizes[1])):
        wrong = found[own] > MISSES * size + NOTHING * moved
        out += [rows[own[k]].element.name for k in np.flatnonzero(wrong.any(axis=1))]
    return list(dict.fromkeys(out))


def refuse_beginning(nodes: Nodes, d: np.ndarray, v: np.ndarray, b: np.ndarray) -> None:
    """ModelError where a contact is closed, or a joint at rest, for just these values."""
    scale = nodes.machine.scale[:, None]
    sizes = np.abs(d / scale).max(axis=0, initial=0.0), np.abs(v / scale).max(axis=0, initial=0.0)
    names = missed(nodes, d, v, b, sizes)
    if names:
        raise ModelError(
            "the run begins where it just touches, or just rests: with other values it would not, and nothing has a "
            "derivative there", element=names, remedy="begin a little before or after, or let the start follow the design",
        )  # fmt: skip
