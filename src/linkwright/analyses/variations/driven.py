"""Prescribed motions differentiated: kinematics and inverse dynamics. Nothing is free, so each time stands for itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.assembly.start import Start
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.motion.inverse_dynamics import inverse_dynamics
from linkwright.analyses.motion.kinematics import kinematics
from linkwright.analyses.variations.nodes import Charts, Nodes
from linkwright.analyses.variations.start import Beginning
from linkwright.analyses.variations.varied import Key, Varied, check_closed, check_reactions, readout, tangents_of
from linkwright.calls import answering
from linkwright.model import Model
from linkwright.solve.blas import single_threaded
from linkwright.system.switches import Flags

NUMBERS = 2_000_000  # of matrices at a time
BY_NAME: dict[str, Callable[..., Any]] = {f.__name__: answering(f) for f in (kinematics, inverse_dynamics)}


class VariedMotion(Varied):
    """`analysis`: kinematics or inverse_dynamics, with its options."""

    def __init__(self, model: Model, names: Sequence[str], analysis: str, options: Mapping[str, Any]) -> None:
        self.names, self.model, self.options = list(names), model, options
        self.answer = BY_NAME[analysis](model, **options)

    @single_threaded
    def slopes(self, keys: Sequence[Key], which: np.ndarray) -> np.ndarray:
        t0, start = float(self.options.get("t_start", 0.0)), self.options.get("start")
        machine = LoadedMachine(self.model, t0)
        q = close(machine, t0, None if start is None else machine.going_on(start)).q
        begun = Beginning(machine, Start(t0, q, np.zeros(machine.nv)), start).constants(self.names)
        flags = machine.system.once("no flags", (), lambda: Flags([]))
        tangents, design = tangents_of(machine, flags, begun)
        check_reactions(machine, keys, q, t0)
        kept, dropped = machine.kept_rows(q, t0)
        read = readout(machine, tangents, keys)
        out = np.empty((len(which), len(keys), len(self.names)))
        chunk = max(1, NUMBERS // (machine.nv + len(kept)) ** 2)
        for first in range(0, len(which), chunk):
            some = slice(first, first + chunk)
            states = self._states(machine, which[some])
            nodes = Nodes(machine, tangents, kept, states, np.zeros((len(states.t), 0)))
            each = np.arange(len(nodes))
            change = nodes.lifted(Charts(nodes, each), each, design)
            check_closed(nodes, change, dropped, self.names)
            out[some] = nodes.read(read, change)[1]
        return out

    def _states(self, machine: LoadedMachine, which: np.ndarray) -> States:
        """At output times, from the channels; whole turns of angles change nothing that is differentiated here."""
        c = machine.system.coordinates
        q, v = (np.stack([self.answer[name][which] for name in names], axis=1) for names in (c.q_names, c.v_names))
        return States(self.answer.t[which], q, v, np.tile(machine.turns, (len(which), 1)))
