"""Kinematics and inverse dynamics of one machine with many values, side by side: every time is one evaluation of them all.

Each machine is predicted by its own velocity and acceleration and corrected by Newton's method, as `solve.path` does for
one. A machine for which that is not plainly so (a correction that is not small, a determinant that changes its sign, a start
far from that of the machine as it is) is told, and moved alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import pairwise
from typing import Any

import numpy as np

from linkwright import size_policy
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.inverse_dynamics import inverse_dynamics
from linkwright.analyses.motion.kinematics import by_shapes, kinematics
from linkwright.analyses.motion.run import Run
from linkwright.errors import LinkwrightError
from linkwright.graph import Expr, Same, Scalar, substitute, symbol, symbols
from linkwright.graph.gauss import Pivots, pivot_order
from linkwright.model import Model
from linkwright.model.quantities import ACCELERATIONS
from linkwright.model.values import parameter_symbol
from linkwright.results.reductions import label
from linkwright.solve.follower import Point, Track
from linkwright.solve.path import SAME_BRANCH, TRUST
from linkwright.system.driven import Driven
from linkwright.system.mechanics import OUTPUT

REFINED = (1, 2, 4, 8, 16)  # steps from one time of output to the next
NEAR = 1e-7  # the last step of Newton's method, relative to the scales: the error left is its square
EXACT = 1e-10  # what Newton would still do at the end
ITERATIONS = 8
FAR = 0.5  # lengths or radians from the start of the machine as it is: who is farther away begins alone


@dataclass(frozen=True, eq=False)
class SideBySide:
    """The compiled problem. times: of all steps; shown: which of them are output; begin: the machine as it is."""

    machine: Machine
    code: Driven
    times: np.ndarray
    shown: np.ndarray
    begin: Point
    det: float

    @classmethod
    def of(cls, model: Model, analysis: str, options: Mapping[str, Any], keys: Sequence[str | Expr]) -> SideBySide | str:
        """For many values of the model's parameters; a text says why there is none."""
        for name in ("branch", "start", "progress"):
            if options.get(name) is not None:
                return f"{name}= is given"
        if not options.get("rates", True):
            return "no rates are asked for"
        times = _times(analysis, options)
        if by_shapes(model, times):
            return "a large machine is solved by loops over its elements"
        try:
            machine = (LoadedMachine if analysis == "inverse_dynamics" else Machine)(model, times.start)
            if why := refused(machine):
                return why
            return cls._made(machine, times, _asked(machine, keys))
        except LinkwrightError as error:
            return f"of the machine as it is: {error.cause}"

    @classmethod
    def _made(cls, machine: Machine, times: Times, asked: list[Expr]) -> SideBySide | str:
        run = Run(machine, times)
        q = close(machine, times.start).q
        run.prepare(q, times.start)
        if len(run.dropped):
            return "its constraints are dependent"
        if not machine.follows(asked):
            return "an angle is kept whose turns are counted over the output"
        begin = run.follower.point(q, times.start, machine.turns)
        for parts in REFINED:
            path = _refined(times.path, parts)
            track = run.follower.run(begin, path)
            if len(track) == len(path):
                break
        else:
            return "the machine as it is needs smaller steps than those of the output"
        pivots = _pivots(machine, run, track)
        if pivots is None:
            return "no order of pivots serves the whole motion"
        kept = _told(machine, asked)
        code = machine.system.once("driven", (pivots, Same(kept)), lambda: Driven(machine.system, pivots, kept))
        det = code.state.batch(*_columns(begin, machine.b))[3][0, 0]
        return cls(machine, code, path, times.is_shown(path), begin, float(det))

    # -- many ---------------------------------------------------------------------------------------------------------------
    def values(self, names: Sequence[str], rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is kept (quantity, machine, time of output) for these values of parameters, a row a machine; and of which
        machines it is good."""
        known: dict[Expr, Any] = dict(self.machine.model.parameter_values())
        for k, name in enumerate(names):
            known[parameter_symbol(name)] = rows[:, k]
        count = len(rows)
        b = np.array([np.broadcast_to(np.asarray(x, dtype=float), count) for x in known.values()]).reshape(-1, count)
        with np.errstate(all="ignore"):  # what is no number is told apart
            return self._along(np.ascontiguousarray(b))

    def _along(self, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        count, out = b.shape[1], list[np.ndarray]()
        q, turns = (np.repeat(x[:, None], count, axis=1) for x in (self.begin.q, self.begin.turns))
        q, moved, good = self._corrected(q, self.times[0], b, turns)
        good &= moved < FAR
        v, a, turns, kept, fine = self._state(q, self.times[0], b, turns)
        good &= fine
        for k, (last, t) in enumerate(pairwise(self.times)):
            if self.shown[k]:
                out.append(kept)
            h = float(t - last)
            step, predicted = h * v + 0.5 * h * h * a, v + h * a
            allowed = self._size(step)
            q, moved, fine = self._corrected(self._displaced(q, step), t, b, turns)
            good &= fine & (moved <= TRUST * allowed + 1e-9)
            v, a, turns, kept, fine = self._state(q, t, b, turns)
            good &= fine & (self._size(h * (v - predicted)) <= SAME_BRANCH * allowed + 1e-9)
        values = np.stack([*out, kept] if self.shown[-1] else out, axis=-1)
        return values, np.asarray(good & np.isfinite(values).all(axis=(0, 2)))

    def _state(self, q: np.ndarray, t: float, b: np.ndarray, turns: np.ndarray) -> tuple[np.ndarray, ...]:
        """Velocities, accelerations, references of angles, what is kept; and where these are to be trusted."""
        v, a, left, det, turned, kept = self.code.state.batch(q, np.full((1, q.shape[1]), t), b, turns)
        return v, a, turned, kept, (self._size(left) < EXACT) & (det[0] * self.det > 0)

    def _corrected(
        self, q: np.ndarray, t: float, b: np.ndarray, turns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """By Newton's method; how far it went, and where it converged."""
        total, size = np.zeros((self.machine.nv, q.shape[1])), np.zeros(0)
        for _ in range(ITERATIONS):
            q, d = self.code.newton.batch(q, np.full((1, q.shape[1]), t), b, turns)
            total += d
            size = self._size(d)
            if not (size > NEAR).any():  # those that are no numbers never will be
                break
        return q, self._size(total), np.asarray(size <= NEAR)

    def _displaced(self, q: np.ndarray, d: np.ndarray) -> np.ndarray:
        if self.machine.model.dimension == 2:
            return np.asarray(q + d)
        none = np.zeros((1, q.shape[1]))
        rest = [np.repeat(none, n, axis=0) for n in (self.machine.nv, 1, len(self.machine.b), len(self.begin.turns))]
        return np.asarray(self.machine.system.retract.batch(q, *rest, d)[0])

    def _size(self, d: np.ndarray) -> np.ndarray:
        """The largest displacement, relative to the scales."""
        return np.asarray(np.abs(d / self.machine.scale[:, None]).max(axis=0, initial=0.0))


def refused(machine: Machine) -> str:
    """What the machine has that is decided for each by itself."""
    s = machine.system
    if s.phases:
        return "constants are decided by the first assembly"
    if s.coordinates.extra:
        return "contacts on curves are found one by one"
    if machine.nv > size_policy.SWEPT:
        return "its equations are too long to be compiled side by side"
    if not isinstance(machine, LoadedMachine):
        return ""
    loads = machine.system.loads
    if loads.callbacks:
        return f"the law of {loads.callbacks[0].element} is in Python"
    if loads.impacts:
        return f"{loads.impacts[0].element} has impacts"
    if loads.switches:
        return f"the law of {loads.switches[0].element} switches"
    if machine.system.frictions or machine.system.slots:
        return "friction follows from the reactions"
    return "it has states" if machine.model.states else ""


def _times(analysis: str, options: Mapping[str, Any]) -> Times:
    known = signature(inverse_dynamics if analysis == "inverse_dynamics" else kinematics).parameters
    t_end, steps, t_start, t_eval = (options.get(n, known[n].default) for n in ("t_end", "steps", "t_start", "t_eval"))
    return Times.of(t_end, steps, t_start, t_eval, analysis.replace("_", " "))


def _asked(machine: Machine, keys: Sequence[str | Expr]) -> list[Expr]:
    """Of quantities of the model and outputs of its system."""
    known = machine.system.output_symbols if isinstance(machine, LoadedMachine) else _accelerations(machine)[0]
    return [Watch.of(label(key), key).of_outputs(machine.model, known) for key in keys]


def _told(machine: Machine, asked: Sequence[Expr]) -> list[Scalar]:
    """In terms of q, v, t, symbols `vdot` and multipliers."""
    if isinstance(machine, LoadedMachine):
        return machine.system.told(asked)
    by_name, values = _accelerations(machine)
    return substitute(machine.resolve(asked), {by_name[name]: x for name, x in values.items()})


def _accelerations(machine: Machine) -> tuple[dict[str, Expr], dict[str, Expr]]:
    """Of the bodies, by channel: how they stand in what is asked, and in what is told."""
    vdot, channels = symbols("vdot", machine.nv), ACCELERATIONS[machine.model.dimension]
    told = {
        f"{name}.{c}": x
        for name, (_, at) in machine.system.coordinates.body_slices().items()
        for c, x in zip(channels, vdot[at], strict=True)
    }
    return {name: symbol(OUTPUT + name) for name in told}, told


def _refined(times: np.ndarray, parts: int) -> np.ndarray:
    """With so many steps in place of each."""
    inside = [times[:-1] + np.diff(times) * (k / parts) for k in range(parts)]
    return np.append(np.stack(inside, axis=1).reshape(-1), times[-1])


def _pivots(machine: Machine, run: Run, track: Track) -> Pivots | None:
    """Pivots that are large all along the motion of the machine as it is; rows are numbered as those of the system."""
    some = np.unique(np.linspace(0, len(track) - 1, 16).astype(int))
    J = np.zeros((len(some), machine.nv, machine.nv))
    found = [run.follower.matrix(track.q[k], float(track.t[k]), track.turns[k])[1].toarray() for k in some]
    J[:, run.follower.chosen] = found
    places = list(zip(*map(np.ndarray.tolist, machine.system.pattern), strict=True))
    return pivot_order(places, J * machine.scale)


def _columns(point: Point, b: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(x[:, None]) for x in (point.q, np.array([point.t]), b, point.turns)]
