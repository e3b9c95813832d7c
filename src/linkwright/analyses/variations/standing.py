"""Machines that stand, differentiated: equilibria, and assemblies.

An equilibrium stays one: with R = Phi_v^T lam - Q = 0, Phi = 0 and states whose rates are zero,

    R_d d + Phi_v^T dlam + R_z dz = -R_b,    Phi_v d = -Phi_b,    (z')_d d + (z')_z dz = -(z')_b.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.assemble import assemble, close
from linkwright.analyses.assembly.start import Start
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.motion.inverse_dynamics import inverse_dynamics
from linkwright.analyses.motion.kinematics import kinematics
from linkwright.analyses.statics.equilibrium import equilibrium
from linkwright.analyses.statics.resting import held, pressing
from linkwright.analyses.variations.nodes import Change, Charts, Nodes
from linkwright.analyses.variations.start import Beginning
from linkwright.analyses.variations.varied import Key, Varied, check_closed, check_reactions, readout, tangents_of
from linkwright.calls import answering
from linkwright.errors import ModelError
from linkwright.model import Model
from linkwright.solve.blas import single_threaded
from linkwright.system.switches import Flags

NEUTRAL = 1e-10  # of the largest: a stiffness below this holds nothing


class _Standing(Varied):
    t: float
    start: Any = None

    def __init__(self, model: Model, names: Sequence[str], t: float, start: Any) -> None:
        self.model, self.names, self.t, self.start = model, list(names), t, start

    @single_threaded
    def slopes(self, keys: Sequence[Key], which: np.ndarray) -> np.ndarray:
        nodes, change = self.changed()
        machine = nodes.machine
        check_reactions(machine, keys, self._standing().q, self.t)
        return np.repeat(nodes.read(readout(machine, nodes.tangents, keys), change)[1], len(which), axis=0)

    def changed(self) -> tuple[Nodes, Change]:
        """Where the machine stands, and how that changes."""
        machine, stands = LoadedMachine(self.model, self.t), self._standing().q
        q = close(machine, self.t, None if self.start is None else machine.going_on(self.start)).q
        beginning = Beginning(machine, Start(self.t, q, np.zeros(machine.nv)), self.start)
        begun = beginning.constants(self.names)
        machine = self.held(machine, stands)
        flags = machine.system.once("no flags", (), lambda: Flags([]))
        tangents, design = tangents_of(machine, flags, begun)
        kept, dropped = machine.kept_rows(stands, self.t)
        states = States(np.array([self.t]), stands[None], np.zeros((1, machine.nv)), self._turns(machine)[None])
        nodes = Nodes(machine, tangents, kept, states, np.zeros((1, 0)))
        change = self.change(nodes, begun.d, design)
        check_closed(nodes, change, dropped, self.names)
        return nodes, change

    def held(self, machine: LoadedMachine, stands: np.ndarray) -> LoadedMachine:
        """The machine with what it rests on as constraints."""
        return machine

    def _standing(self) -> Any:
        """The configuration."""
        return self.answer

    def change(self, nodes: Nodes, d: np.ndarray, design: np.ndarray) -> Change:
        raise NotImplementedError

    def _turns(self, machine: LoadedMachine) -> np.ndarray:
        names = machine.system.turn_names
        stands = self._standing()
        told = [stands.get(name, x) for name, x in zip(names, machine.turns, strict=True)]
        return np.array(told, dtype=float)


class VariedAssembly(_Standing):
    def __init__(self, model: Model, names: Sequence[str], options: Mapping[str, Any]) -> None:
        self.answer = answering(assemble)(model, **options)
        super().__init__(model, names, float(options.get("t", 0.0)), None)

    def change(self, nodes: Nodes, d: np.ndarray, design: np.ndarray) -> Change:
        k, m = design.shape[1], nodes.machine
        nodes.rests()  # nobody asks for accelerations, and bodies need no mass here
        z, lam = np.zeros((1, len(nodes.tangents.z), k)), np.zeros((1, len(m.system.rows), k))
        return Change(d[None], np.zeros((1, m.nv, k)), z, np.zeros((1, m.nv, k)), lam, design[None])


class VariedEquilibrium(_Standing):
    def __init__(self, model: Model, names: Sequence[str], options: Mapping[str, Any]) -> None:
        self.answer = answering(equilibrium)(model, **options)
        super().__init__(model, names, float(options.get("t", 0.0)), options.get("start"))

    def held(self, machine: LoadedMachine, stands: np.ndarray) -> LoadedMachine:
        return held(machine, pressing(machine, stands, np.zeros(machine.nv), self.t))

    def change(self, nodes: Nodes, d: np.ndarray, design: np.ndarray) -> Change:
        m, kept = nodes.machine, nodes.kept
        if m.system.of_velocities:
            raise ModelError(
                "constraints on velocities leave more than one place to rest: an equilibrium has no derivative",
                element=[m.system.rows[k].element.name for k in m.system.of_velocities], remedy="use 'dynamics'",
            )  # fmt: skip
        nodes.rests()
        by, J = nodes.tangent, nodes.J[:, kept]
        n, r, nz, k = m.nv, len(kept), len(nodes.tangents.z), design.shape[1]
        scale = np.concatenate([m.scale, np.ones(r + nz)])
        K = np.zeros((n + r + nz, n + r + nz))
        K[:n, :n], K[:n, n : n + r], K[:n, n + r :] = by["R_d"][0], J[0].T, by["R_z"][0]
        K[n : n + r, :n], K[n + r :, :n], K[n + r :, n + r :] = J[0], by["z_d"][0], by["z_z"][0]
        right = np.concatenate([by["R_b"][0] @ design, by["Phi_b"][0, kept] @ design, by["z_b"][0] @ design])
        A = K * scale
        rows = np.abs(A).max(axis=1, keepdims=True)
        A, right = A / np.where(rows > 0, rows, 1.0), right / np.where(rows > 0, rows, 1.0)
        values = linear.singular_values(A)
        if len(values) and values[-1] < NEUTRAL * values[0]:
            raise ModelError(
                "the equilibrium is neutral: other values move it anywhere, it has no derivative", element=m.model.name,
                remedy="hold what is free by a spring or a joint",
            )  # fmt: skip
        x = scale[:, None] * linear.solve(A, -right)
        lam = np.zeros((1, len(m.system.rows), k))
        lam[0, kept] = x[n : n + r]
        still = np.zeros((1, n, k))
        return Change(x[None, :n], still, x[None, n + r :], still, lam, design[None])


# Prescribed motions differentiated: kinematics and inverse dynamics. Nothing is free, so each time stands for itself.

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
