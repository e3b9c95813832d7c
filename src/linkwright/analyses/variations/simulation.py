"""Simulations differentiated: the run once more, along its own steps, with the equations of small changes.

These are linear in the changes, so each step is one solve by collocation, and all steps of a run are done at once; only then
they are put one after the other, with the events between them (`events`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress, groupby
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.course import Break, Stretch
from linkwright.analyses.dynamics.dynamics import Simulated, asked_options, simulated
from linkwright.analyses.dynamics.flows import flow_of
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.variations import backward
from linkwright.analyses.variations.events import Events
from linkwright.analyses.variations.nodes import Change, Charts, Nodes
from linkwright.analyses.variations.start import Beginning
from linkwright.analyses.variations.varied import (
    Key,
    Varied,
    asked,
    check_closed,
    check_reactions,
    readout,
    refuse_calls,
    tangents_of,
)
from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model import Model
from linkwright.solve.blas import single_threaded
from linkwright.solve.collocation import Propagators, Scheme, gauss, propagators, radau
from linkwright.solve.methods import method as find_method
from linkwright.system.backward import Backward
from linkwright.system.motion import Flow

STAGES = 4
ROUNDS = 8  # of halving steps that are not exact enough
SAME_TIME = 1e-12  # of the span: times that are one
NUMBERS = 20_000_000  # of matrices at a time


class VariedRun(Varied):
    """A simulation by `names`; `keys` are what will be asked for."""

    def __init__(self, model: Model, names: Sequence[str], keys: Sequence[Key], options: Mapping[str, Any]) -> None:
        given = dict(options)
        start = given.pop("start", None)
        run_options = asked_options(**given, dense_output=True)
        if run_options.second_order:
            raise ModelError(
                f"there are no derivatives of runs by {run_options.method}", element="method",
                remedy="leave method out, or give one for y' = f(t, y)",
            )  # fmt: skip
        self.names = list(names)
        refuse_calls(LoadedMachine(model, run_options.times.start))  # before anything is solved

        def follow(machine: LoadedMachine) -> list[Expr]:
            return [x for key in keys if type(x := asked(model, machine.system, key)) is Expr]

        self.whole: Simulated = simulated(model, run_options, start, follow)
        self.start, self.answer = start, self.whole.result

    @property
    def machine(self) -> LoadedMachine:
        return self.whole.ready.machine

    @single_threaded
    def slopes(self, keys: Sequence[Key], which: np.ndarray) -> np.ndarray:
        begin = self.whole.ready.begin
        check_reactions(self.machine, keys, begin.q, begin.t)
        path = self._path
        nodes, change = path.at(np.unique(which))
        found = nodes.read(readout(self.machine, path.tangents, keys), change)[1]
        return np.asarray(found[np.searchsorted(np.unique(which), which)])

    def combined(self, keys: Sequence[Key], weights: Sequence[np.ndarray], lasts: Sequence[np.ndarray]) -> np.ndarray:
        """Few numbers by many names backward."""
        if sum(map(len, weights)) <= len(self.names) and backward.can(self._path):
            found = self._backward(keys, weights, lasts)
            if found is not None:
                return found
        return super().combined(keys, weights, lasts)

    @single_threaded
    def _backward(
        self, keys: Sequence[Key], weights: Sequence[np.ndarray], lasts: Sequence[np.ndarray]
    ) -> np.ndarray | None:
        begin = self.whole.ready.begin
        check_reactions(self.machine, keys, begin.q, begin.t)
        self._path.check_start()
        return backward.Sweep(self._path, keys, weights, lasts).slopes()

    @property
    def time(self) -> np.ndarray:
        return self._path.time

    @cached_property
    def _path(self) -> Path:
        return Path(self)


@dataclass(frozen=True)
class Element:
    """A part of a step: when it begins and ends, in which stretch; outputs: the numbers of output times at its end."""

    a: float
    b: float
    stretch: int
    outputs: tuple[int, ...] = ()

    def halves(self) -> tuple[Element, Element]:
        middle = 0.5 * (self.a + self.b)
        return Element(self.a, middle, self.stretch), Element(middle, self.b, self.stretch, self.outputs)


@dataclass(frozen=True)
class Step:
    """An element solved: u after it is P u + r; lifted: the change at its end by (u, design)."""

    B_p: np.ndarray
    B_v: np.ndarray
    P: np.ndarray
    r: np.ndarray
    lifted: Change
    y: np.ndarray

    def read(self, d: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
        """u of a change."""
        return np.concatenate([self.B_p @ d, self.B_v @ v, z])


class Path:
    """The changes along a run."""

    def __init__(self, varied: VariedRun) -> None:
        whole = varied.whole
        self.varied, self.machine, self.run, self.begin = varied, whole.ready.machine, whole.run, whole.ready.begin
        self.course = whole.run.course
        self.t = whole.result.t
        refuse_held(self.machine, self.course.stretches)
        own = copy(self.machine)  # a start settles the machine, and this one may be another run's, too
        own.turns = own.turns.copy()
        begun = Beginning(own, self.begin, varied.start).by(varied.names)
        flags = self.run.equations.chart.flags
        self.tangents, self.design = tangents_of(self.machine, flags, begun)
        self.kept, self.dropped = self.machine.kept_rows(self.begin.q, self.begin.t)
        self.first = begun.d, begun.v, begun.turns[self.tangents.z_places]
        self.time = np.zeros(len(varied.names))
        self.sizes = np.zeros(len(varied.names))  # of what the design does in a step, the largest so far
        implicit = find_method(self.run.equations.method).implicit
        self.scheme: Scheme = radau(STAGES) if implicit else gauss(STAGES)

    @cached_property
    def flow(self) -> Flow:
        """The motion by the bodies' accelerations, whatever was integrated."""
        return flow_of(self.machine.system, self.kept.tolist())

    @cached_property
    def backward(self) -> Backward:
        key = (self.tangents, tuple(self.kept.tolist()))
        found: Backward = self.machine.system.once("backward", key, lambda: Backward(self.flow, self.tangents), 4)
        return found

    @property
    def _first_flags(self) -> np.ndarray:
        stretches = self.course.stretches
        return stretches[0].flags if stretches else self.course.flags

    @property
    def _first_state(self) -> np.ndarray:
        found: np.ndarray = self.course.pieces[0].y[0]
        return found

    def check_start(self) -> None:
        """That dependent joints close with other values, too."""
        if len(self.dropped):
            d, v, z = self.first
            start = self._nodes(np.array([self.begin.t]), self._first_state[None], self._first_flags[None])
            check_closed(start, start.answered(d[None], v[None], z[None], self.design), self.dropped, self.varied.names)

    def nodes_at(self, which: np.ndarray, elements: Sequence[Element]) -> Nodes:
        """The states at output times, all of them between events; that of an event which ends the run is before it."""
        rows: dict[int, tuple[float, np.ndarray, np.ndarray]] = {}
        if self.t[0] <= self.begin.t:
            rows[0] = self.begin.t, self._first_state, self._first_flags
        for number, own in groupby((e for e in elements if e.outputs), lambda e: e.stretch):
            stretch, some = self.course.stretches[number], list(own)
            for e, y in zip(some, stretch.states(np.array([e.b for e in some])), strict=True):
                rows |= dict.fromkeys(e.outputs, (e.b, y, stretch.flags))
        for broken in self.course.breaks[-1:]:
            if broken.fired < len(self.run.watches):
                rows[len(self.t) - 1] = broken.t, broken.before, broken.flags[0]
        t, y, flags = (np.array(x) for x in zip(*[rows[int(k)] for k in which], strict=True))
        return self._nodes(t, y, flags)

    def at(self, which: np.ndarray) -> tuple[Nodes, Change]:
        """The states at the output times `which`, and their changes."""
        self.found: dict[int, tuple[np.ndarray, ...]] = {}
        self.rows: dict[int, tuple[float, np.ndarray, np.ndarray]] = {}
        self._go(which)
        t, y, flags = (np.array(x) for x in zip(*[self.rows[int(k)] for k in which], strict=True))
        nodes = Nodes(self.machine, self.tangents, self.kept, States.of(self.machine, t, y), flags)
        d, v, z = (np.stack([self.found[int(k)][j] for k in which]) for j in range(3))
        b = np.broadcast_to(self.design, (len(which), *self.design.shape)).copy()
        if self.course.stopped is not None and len(self.t) - 1 in which:
            b[-1, -1] = self.time  # the last output is where an event ended the run: its time changes
        return nodes, nodes.answered(d, v, z, b)

    def _go(self, which: np.ndarray) -> None:
        d, v, z = self.first
        breaks = list(self.course.breaks)
        self.check_start()
        if 0 in which and self.t[0] <= self.begin.t:
            self.found[0], self.rows[0] = (d, v, z), (self.begin.t, self._first_state, self._first_flags)
        elements = self.elements(which)
        size = (STAGES + 1) * (self.machine.nv + len(self.kept)) ** 2
        chunk = max(1, NUMBERS // (8 * size))
        for first in range(0, len(elements), chunk):
            d, v, z = self._over(elements[first : first + chunk], breaks, d, v, z)
        while breaks and self.course.stopped is not None:
            d, v, z = self._pass(breaks.pop(0), d, v, z)

    def elements(self, which: np.ndarray) -> list[Element]:
        out: list[Element] = []
        needed = [(float(self.t[k]), int(k)) for k in which]
        for number, stretch in enumerate(self.course.stretches):
            begin, end = float(stretch.sol.spans[0, 0]), stretch.end
            same = SAME_TIME * max(abs(end), abs(begin), end - begin)
            if end - begin <= same:
                continue
            ends = [(float(x), -1) for x in stretch.sol.spans[:, 1] if x < end - same] + [(end, -1)]
            marks = sorted([*ends, *[(t, k) for t, k in needed if begin < t <= end]])
            last = begin
            for t, k in marks:
                own = (k,) if k >= 0 else ()
                if t - last > same:
                    out.append(Element(last, t, number, own))
                    last = t
                elif own and out:  # an output where a step ends
                    out[-1] = replace(out[-1], outputs=(*out[-1].outputs, k))
        return out

    def _nodes(self, t: np.ndarray, y: np.ndarray, flags: np.ndarray) -> Nodes:
        return Nodes(self.machine, self.tangents, self.kept, States.of(self.machine, t, y), flags)

    def _over(
        self, elements: list[Element], breaks: list[Break], d: np.ndarray, v: np.ndarray, z: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        one = np.eye(len(self.varied.names))
        for e, step in self.solved(elements):
            d, v, z = self._pass_all(breaks, e.a, d, v, z)
            at = step.lifted.by(np.concatenate([step.P @ step.read(d, v, z) + step.r, one]))
            d, v, z = at.d, at.v, at.z
            for k in e.outputs:
                self.found[k] = d, v, z
                self.rows[k] = e.b, step.y, self.course.stretches[e.stretch].flags
        return d, v, z

    def solved(self, elements: list[Element]) -> list[tuple[Element, Step]]:
        return self._solved(elements, ROUNDS)

    def _solved(self, elements: list[Element], rounds: int) -> list[tuple[Element, Step]]:
        """All of them at once; those that are not exact enough in halves, once more."""
        a, b, number = (np.array([getattr(e, x) for e in elements]) for x in ("a", "b", "stretch"))
        s, count = len(self.scheme.nodes), len(elements)
        t = a[:, None] + (b - a)[:, None] * np.append(self.scheme.nodes, 1.0)
        y = np.empty((count, s + 1, len(self.course.pieces[0].y[0])))
        flags = np.empty((count, s + 1, len(self.course.flags)))
        for k in np.unique(number):
            own, stretch = number == k, self.course.stretches[k]
            y[own] = stretch.states(t[own].reshape(-1)).reshape(-1, s + 1, y.shape[2])
            flags[own] = stretch.flags
        nodes = self._nodes(t.reshape(-1), y.reshape(-1, y.shape[2]), flags.reshape(count * (s + 1), flags.shape[2]))
        charts = Charts(nodes, np.arange(count) * (s + 1) + s // 2)
        of = np.repeat(np.arange(count), s + 1)
        lifted = nodes.lifted(charts, of, self.design)
        rates = nodes.rates(charts, of, lifted)
        rates = rates.reshape(count, s + 1, charts.n, rates.shape[2])
        found = propagators(self.scheme, b - a, rates[..., : charts.n], rates[..., charts.n :])
        steps = [
            Step(charts.B_p[k], charts.B_v[k], found.P[k], found.r[k], lifted[k * (s + 1) + s], y[k, s])
            for k in range(count)
        ]  # fmt: skip
        rough = self._rough(found) if rounds else np.zeros(count, dtype=bool)
        halves = (
            self._solved([half for e in compress(elements, rough) for half in e.halves()], rounds - 1) if rough.any() else []
        )
        out: list[tuple[Element, Step]] = []
        for e, step, is_rough in zip(elements, steps, rough, strict=True):
            if is_rough:
                while halves and halves[0][0].b <= e.b:
                    out.append(halves.pop(0))
            else:
                out.append((e, step))
        return out

    def _rough(self, found: Propagators) -> np.ndarray:
        """Which steps are not exact enough: by the size of what they do to changes of the state, and of what the design does
        to all of them."""
        n = found.P.shape[1]
        if not n:
            return np.zeros(len(found.P), dtype=bool)
        self.sizes = np.maximum(self.sizes, np.abs(found.r).max(axis=(0, 1), initial=0.0))
        own = np.abs(found.defect[:, :, :n]).max(axis=(1, 2)) / np.maximum(np.abs(found.P).max(axis=(1, 2)), 1.0)
        sizes = np.where(self.sizes > 0, self.sizes, 1.0)
        by_design = (np.abs(found.defect[:, :, n:]).max(axis=1) / sizes).max(axis=1, initial=0.0)
        return np.asarray(np.maximum(own, by_design) > np.sqrt(self.run.options.rtol))

    def _pass_all(
        self, breaks: list[Break], t: float, d: np.ndarray, v: np.ndarray, z: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """Through the events before an element that begins at t."""
        while breaks and breaks[0].t <= t:
            d, v, z = self._pass(breaks.pop(0), d, v, z)
        return d, v, z

    def _pass(self, broken: Break, d: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, ...]:
        passed = Events(self.run, self.tangents, self.kept, self.design).through(broken, d, v, z)
        if broken.fired < len(self.run.watches):
            self.time = passed.time
            last = len(self.t) - 1
            self.found[last] = passed.d, passed.v, passed.z
            self.rows[last] = broken.t, broken.before, broken.flags[0]
        return passed.d, passed.v, passed.z


def refuse_held(machine: LoadedMachine, stretches: Sequence[Stretch]) -> None:
    """Contacts that stay closed, and friction that may stick."""
    if machine.slots:
        raise ModelError(
            "friction that sticks: no derivative goes through there",
            element=list(dict.fromkeys(slot.element.name for slot in machine.slots)), remedy="give it stick=False",
        )  # fmt: skip
    held = sorted({machine.impacts[k] for stretch in stretches for k in stretch.held})
    if held:
        raise ModelError(
            "bodies that touch come to rest on each other: no derivative goes through there", element=held,
            remedy="end before that, or give the contact a stiffness k",
        )  # fmt: skip
