"""Simulations differentiated: the run once more, along its own steps, with the equations of small changes.

These are linear in the changes, so each step is one solve by collocation, and all steps of a run are done at once; only then
they are put one after the other, with the events between them (`events`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import compress, groupby
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.course import Break
from linkwright.analyses.dynamics.dynamics import Simulated, asked_options, simulated
from linkwright.analyses.dynamics.whole.flows import flow_of
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.variations import backward
from linkwright.analyses.variations.elements import Element, Step, in_one
from linkwright.analyses.variations.events import Events, is_smooth, moment
from linkwright.analyses.variations.frames import Frame, Frames, refuse_beginning
from linkwright.analyses.variations.nodes import Change, Charts, Nodes
from linkwright.analyses.variations.start import Beginning
from linkwright.analyses.variations.varied import (
    Key,
    Varied,
    asked,
    check_closed,
    check_reactions,
    readout,
    readout_of,
    refuse_calls,
)
from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model import Model
from linkwright.solve.blas import single_threaded
from linkwright.solve.collocation import Propagators, Scheme, gauss, propagators, radau
from linkwright.solve.methods import method as find_method
from linkwright.system.backward import Backward
from linkwright.system.held import Mode
from linkwright.system.motion import Flow

STAGES = 4
ITERATIONS = 8  # of halving steps that are not exact enough
UNRESOLVED = 1e-3  # relative: so wrong after all of these
SAME_TIME = 1e-12  # of the span: times that are one
NEARER, LAYERS = 0.25, 16  # ever shorter elements where a slot with several speeds breaks away
RESOLVED, NEAR = 3e3, 1e-2  # times the speed of rest from which on a run tells directions; at most of a stretch
NUMBERS = 20_000_000  # of matrices at a time
# Steps of an implicit method that one element of more stages is made of, from so many steps on; two numbers are tried, and
# what they give may differ by so many times the tolerance of the run: as much as its states make of it.
JOINED, STAGES_JOINED, MANY, ALIKE = (32, 16), 8, 500, 100


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
        found = np.zeros((len(self.answer.t), len(keys), len(self.names)))
        for own, frame, nodes, change in self._path.at(np.unique(which)):
            if len(frame.dropped) and frame.machine is not self.machine:
                check_reactions(frame.machine, keys, nodes.states.q[0], float(nodes.states.t[0]))
            found[own] = nodes.read(readout(frame.machine, frame.tangents, keys), change)[1]
        return np.asarray(found[which])

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


class Path:
    """The changes along a run."""

    def __init__(self, varied: VariedRun) -> None:
        whole = varied.whole
        self.varied, self.machine, self.run, self.begin = varied, whole.ready.machine, whole.run, whole.ready.begin
        self.course = whole.run.course
        self.t = whole.result.t
        own = copy(self.machine)  # a start settles the machine, and this one may be another run's, too
        own.turns = own.turns.copy()
        begun = Beginning(own, self.begin, varied.start).by(varied.names)
        self.frames = Frames(self.machine, begun)
        places = self.base.tangents.z_places
        self.design = self.frames.design
        self.first = begun.d, begun.v, self._remembered(begun.d, begun.v, begun.turns[places])
        self.time = np.zeros(len(varied.names))
        self.sizes = np.zeros(len(varied.names))  # of what the design does in a step, the largest so far
        self.implicit = find_method(self.run.equations.method).implicit
        self.scheme: Scheme = radau(STAGES) if self.implicit else gauss(STAGES)

    def _remembered(self, d: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
        """z where contacts touch from the start on, whose laws remember the speeds that they have there."""
        tangents, names = self.base.tangents, list(self.machine.system.geometry.turns)
        states, memories = len(tangents.z) - len(tangents.memories), self.machine.system.loads.memories
        at = [names.index(x.name) - len(names) - 1 for x in memories]
        begun = [k for k, place in enumerate(at) if self.run.y0[place] == 0 != self._first_state[place]]
        if not begun:
            return z
        z, nodes = z.copy(), self.base.nodes(np.array([self.begin.t]), self._first_state[None], self._first_flags[None])
        change = nodes.answered(d[None], v[None], z[None], self.design)
        z[[states + k for k in begun]] = nodes.read(readout_of(tangents, [memories[k].speed for k in begun]), change)[1][0]
        return z

    @property
    def _first_mode(self) -> Mode:
        return self.course.stretches[0].mode if self.course.stretches else self.run.bounces.mode

    @cached_property
    def base(self) -> Frame:
        """The machine where the run begins; of a run in which nothing closes or sticks that of all of it."""
        return self.frames.at(self._first_mode, self.begin.t, self._first_state)

    @cached_property
    def flow(self) -> Flow:
        """The motion by the bodies' accelerations, whatever was integrated."""
        return flow_of(self.machine.system, self.base.kept.tolist())

    @cached_property
    def backward(self) -> Backward:
        key = (self.base.tangents, tuple(self.base.kept.tolist()))
        found: Backward = self.machine.system.once("backward", key, lambda: Backward(self.flow, self.base.tangents), 4)
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
        """That dependent joints close with other values, too, and contacts that rest go on to."""
        d, v, z = self.first
        start = self.base.nodes(np.array([self.begin.t]), self._first_state[None], self._first_flags[None])
        if self.base.machine is not self.machine:
            refuse_beginning(start, d, v, self.design)
        elif len(self.base.dropped):
            change = start.answered(d[None], v[None], z[None], self.design)
            check_closed(start, change, self.base.dropped, self.varied.names)

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
        return self.base.nodes(t, y, flags)

    def at(self, which: np.ndarray) -> Iterator[tuple[np.ndarray, Frame, Nodes, Change]]:
        """The states at the output times `which`, and their changes, by mode: which of the times they are, the equations."""
        self.found: dict[int, tuple[np.ndarray, ...]] = {}
        self.rows: dict[int, tuple[float, np.ndarray, np.ndarray, Frame]] = {}
        self._go(which)
        for frame in dict.fromkeys(self.rows[int(k)][3] for k in which):
            own = np.array([k for k in which if self.rows[int(k)][3] is frame], dtype=int)
            t, y, flags = (np.array(x) for x in zip(*[self.rows[int(k)][:3] for k in own], strict=True))
            nodes = frame.nodes(t, y, flags)
            d, v, z = (np.stack([self.found[int(k)][j] for k in own]) for j in range(3))
            b = np.broadcast_to(self.design, (len(own), *self.design.shape)).copy()
            if self.course.stopped is not None and len(self.t) - 1 in own:
                b[-1, -1] = self.time  # the last output is where an event ended the run: its time changes
            yield own, frame, nodes, nodes.answered(d, v, z, b)

    def _go(self, which: np.ndarray) -> None:
        """Steps of implicit methods are shorter than elements need be, which may be of a higher order: so many steps are put
        into one that half as many give the same."""
        elements, before = self.elements(which), dict[int, tuple[np.ndarray, ...]]()
        for count in JOINED if self.implicit and len(elements) > MANY else ():
            self.scheme = radau(STAGES_JOINED)
            self._through(which, in_one(elements, count))
            if before and self._is(before):
                return
            before = dict(self.found)
        self.scheme = radau(STAGES) if self.implicit else gauss(STAGES)
        self._through(which, elements)

    def _is(self, found: Mapping[int, tuple[np.ndarray, ...]]) -> bool:
        """Whether other elements gave the same changes, as far as the states of the run are exact."""
        for k in range(3):
            old, new = (np.array([own[x][k] for x in found]) for own in (found, self.found))
            size = ALIKE * self.run.options.rtol * np.abs(new).max(axis=(0, 1), initial=0.0)
            if not (np.abs(new - old).max(axis=(0, 1), initial=0.0) <= size).all():
                return False
        return True

    def _through(self, which: np.ndarray, elements: list[Element]) -> None:
        d, v, z = self.first
        breaks = list(self.course.breaks)
        self.check_start()
        if breaks and breaks[0].fired < 0 and is_smooth(self.machine, breaks[0]):
            breaks.pop(0)  # contacts that press and friction that sticks from the start on
        if 0 in which and self.t[0] <= self.begin.t:
            self.found[0], self.rows[0] = (d, v, z), (self.begin.t, self._first_state, self._first_flags, self.base)
        for part in self._chunks(elements):
            d, v, z = self._over(part, breaks, d, v, z)
        while breaks and self.course.stopped is not None:
            d, v, z = self._pass(breaks.pop(0), d, v, z)

    def _breaks_away(self, number: int) -> list[int]:
        """The slots with several speeds that begin to slide where a stretch begins."""
        modes = [s.mode for s in self.course.stretches[max(number - 1, 0) : number + 1]]
        begun = set(modes[0].stuck) - set(modes[-1].stuck)
        return sorted(k for k in begun if self.machine.slots[k].size > 1)

    def _states(self, number: int, t: np.ndarray) -> np.ndarray:
        """Of a stretch. Where a slot with several speeds breaks away, a run does not resolve in which direction: tolerances
        are larger than its speeds. There they are those of the first acceleration."""
        stretch, m = self.course.stretches[number], self.machine
        y = stretch.states(t)
        if begun := self._breaks_away(number):
            begin = float(stretch.sol.spans[0, 0])
            first = stretch.states(np.array([begin]))
            frame = self.frames.at(stretch.mode, begin, first[0])
            vdot = frame.nodes(np.array([begin]), first, stretch.flags[None]).vdot[0]
            q, v, turns = m.split(first[0])
            rates = m.system.slot_rows(*m.load_args(q, v, begin, turns))[0] @ vdot
            at = np.cumsum([0, *[slot.size for slot in m.slots]])
            slowest = min(float(np.linalg.norm(rates[at[k] : at[k + 1]])) / stretch.mode.rest[k] for k in begun)
            soon = t - begin < min(RESOLVED / max(slowest, 1e-300), NEAR * (stretch.end - begin))
            y[soon, m.nq : m.nq + m.nv] = v + (t[soon] - begin)[:, None] * vdot
        return y

    def _inside(self, number: int, t: np.ndarray) -> np.ndarray:
        """Times in a stretch, those of its end a moment before it: beyond a kink a law is another one, and where another
        feature of a closed contact touches, its row has another curvature. At the end rounding would say which."""
        stretch = self.course.stretches[number]
        if number + 1 == len(self.course.stretches):
            return t
        v = self.machine.split(stretch.states(np.array([stretch.end]))[0])[1]
        return np.asarray(np.minimum(t, stretch.end - moment(self.run, v)))

    def _frame(self, e: Element) -> Frame:
        stretch = self.course.stretches[e.stretch]
        return self.frames.at(stretch.mode, e.a, stretch.states(np.array([e.a]))[0])

    def _chunks(self, elements: list[Element]) -> Iterator[list[Element]]:
        """Of one mode each, and of not too many numbers at a time."""
        for _, group in groupby(elements, lambda e: self.course.stretches[e.stretch].mode):
            own = list(group)
            size = (STAGES + 1) * (self.machine.nv + len(self._frame(own[0]).kept)) ** 2
            chunk = max(1, NUMBERS // (8 * size))
            yield from (own[first : first + chunk] for first in range(0, len(own), chunk))

    def elements(self, which: np.ndarray) -> list[Element]:
        out: list[Element] = []
        needed = [(float(self.t[k]), int(k)) for k in which]
        for number, stretch in enumerate(self.course.stretches):
            begin, end = float(stretch.sol.spans[0, 0]), stretch.end
            same = SAME_TIME * max(abs(end), abs(begin), end - begin)
            if end - begin <= same:
                continue
            ends = [(float(x), -1) for x in stretch.sol.spans[:, 1] if x < end - same] + [(end, -1)]
            if self._breaks_away(number):  # where speeds are small their direction turns in no time
                ends += [(begin + (ends[0][0] - begin) * NEARER**j, -1) for j in range(1, LAYERS)]
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

    def _over(
        self, elements: list[Element], breaks: list[Break], d: np.ndarray, v: np.ndarray, z: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        one = np.eye(len(self.varied.names))
        frame = self._frame(elements[0])
        for e, step in self.solved(elements):
            d, v, z = self._pass_all(breaks, e.a, d, v, z)
            at = step.lifted.by(np.concatenate([step.P @ step.read(d, v, z) + step.r, one]))
            d, v, z = at.d, at.v, at.z
            for k in e.outputs:
                self.found[k] = d, v, z
                self.rows[k] = e.b, step.y, self.course.stretches[e.stretch].flags, frame
        return d, v, z

    def solved(self, elements: list[Element]) -> list[tuple[Element, Step]]:
        """Elements of one mode."""
        return self._solved(self._frame(elements[0]), elements, ITERATIONS)

    def _solved(self, frame: Frame, elements: list[Element], iterations: int) -> list[tuple[Element, Step]]:
        """All of them at once; those that are not exact enough in halves, once more."""
        a, b, number = (np.array([getattr(e, x) for e in elements]) for x in ("a", "b", "stretch"))
        s, count = len(self.scheme.nodes), len(elements)
        t = a[:, None] + (b - a)[:, None] * np.append(self.scheme.nodes, 1.0)
        y = np.empty((count, s + 1, len(self.course.pieces[0].y[0])))
        flags = np.empty((count, s + 1, len(self.course.stretches[elements[0].stretch].flags)))
        for k in np.unique(number):
            own, stretch = number == k, self.course.stretches[k]
            y[own] = self._states(int(k), self._inside(int(k), t[own]).reshape(-1)).reshape(-1, s + 1, y.shape[2])
            flags[own] = stretch.flags
        nodes = frame.nodes(t.reshape(-1), y.reshape(-1, y.shape[2]), flags.reshape(count * (s + 1), flags.shape[2]))
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
        inexact = self._inexact(found)
        rough = inexact > np.sqrt(self.run.options.rtol) if iterations else np.zeros(count, dtype=bool)
        if not iterations and (lost := inexact > UNRESOLVED).any():
            raise ModelError(
                f"the changes of the motion cannot be followed past t = {a[lost.argmax()]:.6g}: they grow without bound "
                "there, as where joints come to depend on each other, or the motion branches",
                element=self.machine.model.name, remedy="end the run before it, or begin behind it",
            )  # fmt: skip
        parts = [half for e in compress(elements, rough) for half in e.halves()]
        halves = self._solved(frame, parts, iterations - 1) if parts else []
        out: list[tuple[Element, Step]] = []
        for e, step, is_rough in zip(elements, steps, rough, strict=True):
            if is_rough:
                while halves and halves[0][0].b <= e.b:
                    out.append(halves.pop(0))
            else:
                out.append((e, step))
        return out

    def _inexact(self, found: Propagators) -> np.ndarray:
        """By how much steps are not exact: of the size of what they do to changes of the state, and of what the design does
        to all of them."""
        n = found.P.shape[1]
        if not n:
            return np.zeros(len(found.P))
        self.sizes = np.maximum(self.sizes, np.abs(found.r).max(axis=(0, 1), initial=0.0))
        own = np.abs(found.defect[:, :, :n]).max(axis=(1, 2)) / np.maximum(np.abs(found.P).max(axis=(1, 2)), 1.0)
        sizes = np.where(self.sizes > 0, self.sizes, 1.0)
        by_design = (np.abs(found.defect[:, :, n:]).max(axis=1) / sizes).max(axis=1, initial=0.0)
        return np.asarray(np.maximum(own, by_design))

    def _pass_all(
        self, breaks: list[Break], t: float, d: np.ndarray, v: np.ndarray, z: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """Through the events before an element that begins at t."""
        while breaks and breaks[0].t <= t:
            d, v, z = self._pass(breaks.pop(0), d, v, z)
        return d, v, z

    def _pass(self, broken: Break, d: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, ...]:
        passed = Events(self.run, self.frames).through(broken, d, v, z)
        if broken.fired < len(self.run.watches):
            self.time = passed.time
            last = len(self.t) - 1
            self.found[last] = passed.d, passed.v, passed.z
            frame = self.frames.at(broken.modes[0], broken.t, broken.before)
            self.rows[last] = broken.t, broken.before, broken.flags[0], frame
        return passed.d, passed.v, passed.z
