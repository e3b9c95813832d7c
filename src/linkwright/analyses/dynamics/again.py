"""A run that was smooth from its start to its end, made again: of the same machine, from the same start, to the same times.

What such a run needs is known from the last one: its integrator with all arguments of the native loop, the arrays in which
the safety net looks at its states, and what its tolerances allow. Integrated and looked at is the motion itself, each time.
All else of its answer is made when it is read, as that of any other run. Where anything is not as it was (an interrupt, an
integrator that another thread is using, more steps), the run is made as the first one was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import le
from typing import Self

import numpy as np

from linkwright import size_policy
from linkwright.analyses.dynamics.chart import Charted, Waiting
from linkwright.analyses.dynamics.course import Course, Piece
from linkwright.analyses.dynamics.ending import finished
from linkwright.analyses.dynamics.result import Found, OfRun, allowed
from linkwright.analyses.dynamics.run import Run
from linkwright.analyses.dynamics.whole.equations import Whole
from linkwright.analyses.machine.invariants import ENERGY_LEAST, floats
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.machine.reactions import KEPT, Forces, between
from linkwright.analyses.machine.safety import infinite
from linkwright.compile import Function
from linkwright.compile.rows import Rows
from linkwright.results.computed import Once
from linkwright.results.motion import MotionAudit, MotionResult
from linkwright.solve.integrate import INTERRUPTED
from linkwright.solve.replay import Replay
from linkwright.solve.stepping import FINISHED
from linkwright.system.held import NO_MODE

ROOM = 1 << 19  # numbers: the arrays of a run with more are not kept


@dataclass(frozen=True, eq=False)
class Again:
    """home: of the run; waiting: its integrator. bodies: how many move. why, counters: of the course of the last run. most:
    errors above these are for the safety net of other runs to tell. count: of the states visited; shown: which of them are
    output. audit: as far as it is known."""

    home: Waiting
    waiting: Waiting
    bodies: int
    equations: Whole
    y0: np.ndarray
    notes: Sequence[str]
    why: Sequence[str]
    counters: Mapping[str, int]
    most: tuple[float, ...]
    count: int
    shown: np.ndarray
    audit: MotionAudit

    @classmethod
    def of(cls, home: Waiting, run: Run[Whole], notes: Sequence[str]) -> Self | None:
        """After a run that is over and right; None where anything but steps may happen in it."""
        e, course = run.equations, run.course
        t = np.concatenate([piece.t for piece in course.pieces])
        if not run.told or not _is_smooth(run) or not _is_small(e.machine, len(t)):
            return None
        if floats(e.forces(t[:1], run.y0[None])):
            return None
        own, shown = allowed(run), np.flatnonzero(course.shown_rows(t))
        most = own.constraint(own.positions)[0], own.constraint(own.velocities)[0], own.energy()[0], ENERGY_LEAST
        counters = dict(course.counters)
        waiting = home
        if run.idle.used is not course.integrator:  # what the run began with was of no use: this one begins at once
            waiting = Waiting()
            waiting.leave(course.integrator)
        audit = replace(e.audit(course), points=len(shown))
        bodies = len(e.machine.model.bodies) - 1
        return cls(home, waiting, bodies, e, run.y0, notes, course.why, counters, most, len(t), shown, audit)

    def result(self) -> MotionResult | None:
        """None where the run is to be made as the first one was."""
        charted = self.waiting.taken()
        if charted is None:
            return None
        try:
            standing = charted.standing
            if not isinstance(standing, Standing) or standing.again is not self:
                standing = charted.standing = Standing(self, charted)
            return standing.result()
        finally:
            self.waiting.leave(charted)


class Standing:
    """The arrays of such a run, of one integrator. The first state is there for good."""

    def __init__(self, again: Again, charted: Charted) -> None:
        e = self.equations = again.equations
        times, self.again, self._chart = e.options.times, again, e.chart
        self._replay = Replay(charted.inside, times.end, *times.after(times.start), again.counters["steps"])
        self._looked = Looked(e.machine, again.count, times.span)
        self._looked.states[0] = again.y0
        self._rows = e.chart.standing(self._looked.states[1:])
        self._counts = again.counters["steps"], again.counters["nfev"]

    def result(self) -> MotionResult | None:
        again, e, states = self.again, self.equations, self._looked.states
        status, late, x = self._replay.run()
        if status == INTERRUPTED:
            return self._interrupted(late, x)
        if status != FINISHED or self._replay.counts != self._counts:
            self._give_up()
            return None
        t = np.empty(again.count)
        t[0], t[1:] = e.options.times.start, late
        if self._rows is None:
            states[1:] = x
        else:
            self._rows.own[...] = x
            self._rows.run()
        errors, y = self._looked.most(t), states.copy()
        if not all(map(le, errors, again.most)) or infinite(t, y) is not None:
            self._give_up()
            return None
        parts = Smooth(self, t, y, x)
        return MotionResult._made_of(e.base.model, t[again.shown], parts, parts.complete)

    def _give_up(self) -> None:
        """Nor will the next ones be as the last one was."""
        self.again.home.smooth, self.again.home.again = False, None

    def run(self, t: np.ndarray, y: np.ndarray, x: np.ndarray) -> Run[Whole]:
        """As the first one was when it was over."""
        course = Course(self.equations.options.times, why=[*self.again.why], counters=dict(self.again.counters))
        course.pieces = [Piece(t[:1], y[:1]), Piece(t[1:], y[1:], NO_MODE, self._chart, x if self._chart.is_kept else None)]
        return Run(self.equations, course, self.again.y0)

    def _interrupted(self, late: np.ndarray, x: np.ndarray) -> MotionResult:
        """Raises, with the result so far."""
        t = np.array([self.equations.options.times.start, *late])
        run = self.run(t, np.concatenate([self.again.y0[None], self._chart.bodies(x)]), x)
        run.course.interrupted = True
        return finished(run, None, self.again.notes, None)


class Smooth(OfRun):
    """What the result of such a run computes when it is read. t, y, x: of all states visited; x: the chart's, but the
    first."""

    def __init__(self, standing: Standing, t: np.ndarray, y: np.ndarray, x: np.ndarray) -> None:
        self._standing, self._states = standing, (t, y, x)
        self.found = Once(partial(_found, standing, t, y, x))

    @cached_property
    def forces(self) -> Forces:  # type: ignore[override]
        e, shown, (t, y, _), found = self._standing.equations, self._standing.again.shown, self._states, self.found
        return Forces(e.base, States.of(e.base, t[shown], y[shown]), lambda: e.answers(found().run.course))

    @cached_property
    def audit(self) -> MotionAudit:
        known = self._standing.again.audit
        return replace(known, notes=[*known.notes])


def _found(standing: Standing, t: np.ndarray, y: np.ndarray, x: np.ndarray) -> Found:
    return Found(standing.run(t, y, x), standing.again.notes)


def _is_smooth(run: Run[Whole]) -> bool:
    e, course, it = run.equations, run.course, run.course.integrator
    loads = e.machine.system.loads
    changes = run.watches, e.impacts, e.slots, e.switches, e.dependent, loads.memories, loads.callbacks
    others = run.sol, run.options.tick, it.raised, course.stopped, e.treatment.tolerance
    happened = e.careful, e.took_care, course.events, course.missed, course.partitions, course.interrupted
    return (
        type(e) is Whole and run.told == [it] and e.machine is e.base and type(it) is Charted and it.chart is e.chart
        and not any(changes) and all(x is None for x in others) and not any(happened)
    )  # fmt: skip


def _is_small(machine: LoadedMachine, count: int) -> bool:
    terms = machine.system.terms
    return type(terms) is Function and count <= size_policy.SINGLE_CALLS and count * len(terms.room.output) <= ROOM


# Checks of the safety net in arrays that stay: for a run that is made again and again.
#
# `Forces.kept` makes the same checks of states wherever they are, and remembers what it has evaluated.


class Looked:
    """The checks of a fixed number of states of a machine: `states` has a row (q, v, turns, work) for each, filled anew
    before `most` is asked. Machines with laws in plain Python have none, whose values would be inputs."""

    def __init__(self, machine: LoadedMachine, count: int, span: float) -> None:
        nq, nv, turns = machine.nq, machine.nv, len(machine.turns)
        self.states = np.empty((count, nq + nv + turns + 1))
        rows = self._rows = Rows(machine.system.terms, count)
        q, v, self._t, b, counted, _, _ = rows.takes  # as `LoadedMachine.load_args`
        rows.given[:, b] = machine.b
        self._moves = [
            (rows.given[:, part], own)
            for part, own in (
                (slice(q.start, v.stop), self.states[:, : nq + nv]),
                (counted, self.states[:, nq + nv : -1]),
            )
            if own.size
        ]
        terms = [rows.found[:, part] for part in rows.gives]
        J, nu, Phi, energies = (terms[k] for k in KEPT)
        least, every, slow = between(machine, count, span)
        self._errors, self._largest = machine.row_errors.standing(
            (J, nu, Phi, self.states[:, nq : nq + nv], self.states[:, :nq]), (energies, self.states[:, -1], least), every,
            slow,
        )  # fmt: skip

    def most(self, t: np.ndarray) -> list[float]:
        """The largest errors, in the order of `Most`; t: the times of the states."""
        given = self._rows.given
        given[:, self._t] = t[:, None]
        for to, own in self._moves:
            to[...] = own
        self._rows.run()
        self._errors()
        found: list[float] = self._largest.tolist()
        return found
