"""An answer and how it changes: what gradients and sensitivities are read from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.watch import Channels, Watch, check_unique
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.variations.nodes import Change, Nodes
from linkwright.analyses.variations.start import Begun
from linkwright.errors import ModelError
from linkwright.graph import Expr, Same, Scalar
from linkwright.model import Model
from linkwright.model.quantities import short
from linkwright.system.mechanics import Mechanics
from linkwright.system.switches import Flags
from linkwright.system.tangents import Blocks, Tangents

Key = str | Expr
OPENS = 1e-8  # a row that depends on others opens: by this part of what the design changes


class CannotCloseError(ModelError):
    """A design that dependent joints do not let change alone."""


class Varied(ABC):
    """answer: of the analysis; time: how its last output time changes, by name."""

    answer: Any
    names: Sequence[str]

    @property
    def time(self) -> np.ndarray:
        return np.zeros(len(self.names))

    @abstractmethod
    def slopes(self, keys: Sequence[Key], which: np.ndarray) -> np.ndarray:
        """d channel / d name at the output times `which`: (times, keys, names)."""

    def combined(self, keys: Sequence[Key], weights: Sequence[np.ndarray], lasts: Sequence[np.ndarray]) -> np.ndarray:
        """Of numbers that are sums of a channel's values over time, weights: (numbers, times) for each key, and that depend
        on the last time by `lasts`: a row for each number, a column for each name."""
        which = np.flatnonzero(np.any([w.any(axis=0) for w in weights], axis=0))
        found = self.slopes(keys, which) if len(which) else np.zeros((0, len(keys), len(self.names)))
        return np.concatenate([
            w[:, which] @ found[:, k] + np.outer(last, self.time)
            for k, (w, last) in enumerate(zip(weights, lasts, strict=True))
        ])  # fmt: skip


def asked(model: Model, system: Mechanics, key: Key) -> Scalar:
    """A channel, a quantity or the text of a formula, in quantities of the model and `output_symbols`."""
    if not isinstance(key, str):
        return key
    channel = Channels(model, system.output_symbols).find(key)
    return model.trace(key, system.output_symbols) if channel is None else channel


def readout(machine: LoadedMachine, tangents: Tangents, keys: Sequence[Key]) -> Blocks:
    """Values and derivatives of what is asked for."""
    s = machine.system
    values = s.told(machine.resolve([asked(machine.model, s, key) for key in keys]))
    return readout_of(tangents, values)


def readout_of(tangents: Tangents, values: list[Scalar]) -> Blocks:
    """Made once for the same expressions."""
    return tangents.system.once("readouts", (tangents, Same(values)), lambda: tangents.readout(values))


def tangents_of(machine: LoadedMachine, flags: Flags, begun: Begun) -> tuple[Tangents, np.ndarray]:
    """The equations differentiated by the constants that change, and how these change, time as the last."""
    refuse_calls(machine)
    places = [int(k) for k in np.flatnonzero(begun.b.any(axis=1))]
    constants = [machine.system.constants[k] for k in places]
    found = machine.system.once(
        "tangents", (flags, tuple(places)), lambda: Tangents(machine.system, flags, constants), 8
    )  # fmt: skip
    return found, np.concatenate([begun.b[places], np.zeros((1, begun.b.shape[1]))])


def refuse_calls(machine: LoadedMachine) -> None:
    names = [c.element for c in machine.system.loads.callbacks]
    if names:
        raise ModelError(
            "its law is plain Python that cannot be traced: it has no derivative", element=list(dict.fromkeys(names)),
            remedy="write it with lw.sin, lw.where and the like, without if and float()",
        )  # fmt: skip


def check_reactions(machine: LoadedMachine, keys: Sequence[Key], q: np.ndarray, t: float) -> None:
    """Refuses reactions that are not unique."""
    s = machine.system
    given = [(key if isinstance(key, str) else short(key), asked(machine.model, s, key)) for key in keys]
    check_unique(machine, [Watch(x, name=name) for name, x in given if type(x) is Expr], q, t)


def check_closed(nodes: Nodes, change: Change, dropped: np.ndarray, names: Sequence[str]) -> None:
    """Refuses to change what dependent joints do not let change alone."""
    if not len(dropped):
        return
    lengths = np.linalg.norm(nodes.J[:, dropped] * nodes.machine.scale, axis=2)
    opened = np.abs(nodes.left_open(change, dropped.tolist())) / np.where(lengths > 0, lengths, 1.0)[:, :, None]
    usual = np.abs(change.d / nodes.machine.scale[:, None]).max(axis=(0, 1)) + np.abs(change.b).max(axis=(0, 1), initial=0.0)
    for k, name in enumerate(names):
        bad = np.flatnonzero(opened[:, :, k].max(axis=0) > OPENS * max(usual[k], 1e-300))
        if len(bad):
            rows = nodes.machine.system.rows
            raise CannotCloseError(
                f"nothing can be said of another {name}: dependent joints would not close",
                element=list(dict.fromkeys(rows[dropped[j]].element.name for j in bad)),
                remedy="change it together with others: make them expressions of one parameter",
            )  # fmt: skip
