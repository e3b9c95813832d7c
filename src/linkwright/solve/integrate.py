"""Initial value problems: y' = f(t, y) with compiled f, any of the methods, events, output; no Python at any step.

    solution = integrate(f, (0.0, 10.0), y0, method="dopri5", rtol=1e-8, atol=1e-10, t_eval=times)

f is a traced `Function` (or a native one with fixed arguments, `Bound`) with the inputs (t, y, parameters ...) and y' as its
first output. Names and options are those of scipy.integrate.solve_ivp where they mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.compile.address import address
from linkwright.compile.bound import Bound
from linkwright.compile.native import Prepared
from linkwright.errors import ArgumentError
from linkwright.solve import stepping as s
from linkwright.solve.blocks import Blocks, Room
from linkwright.solve.drive import EVENTS_A_STEP, FIRED, Shown, Watched
from linkwright.solve.looks import MOST_LOOKS, ROWS
from linkwright.solve.methods import Method
from linkwright.solve.methods import method as find_method
from linkwright.solve.outside import OUTSIDE, Outside
from linkwright.solve.solution import Solution

Compiled = Function | Bound | Outside
# Native code runs about this long before Python looks up (so that an interrupt is heard).
SLICE_SECONDS = 0.05
FIRST_SLICE = 64  # steps
LEAST_RTOL = 100 * s.EPSILON
LARGEST = 1e300  # a cap that is none


@dataclass(frozen=True)
class Control:
    """Tolerances and steps. The error of y_i is measured against atol_i + rtol_i min(|y_i|, cap_i), where weight_i > 0.

    cap: for numbers whose zero is nowhere in particular. An angle that has made ten turns is not to be known ten times
    worse.
    """

    rtol: float | np.ndarray = 1e-6
    atol: float | np.ndarray = 1e-9
    weight: np.ndarray | None = None
    first_step: float | None = None
    max_step: float = np.inf
    max_steps: int | None = None
    cap: float | np.ndarray = np.inf

    def __post_init__(self) -> None:
        for name, step in (("max_step", self.max_step), ("first_step", self.first_step)):
            if step is not None and not step > 0:
                raise ArgumentError(f"is {step}: steps must be positive", element=name, remedy="give seconds above zero")

    def array(self, n: int) -> np.ndarray:
        """atol, rtol, weight, cap as the native code takes them."""
        out = np.empty(4 * n)
        weight = 1.0 if self.weight is None else self.weight
        cap = np.minimum(self.cap, LARGEST)
        for k, (name, value) in enumerate((("atol", self.atol), ("rtol", self.rtol), ("weight", weight), ("cap", cap))):
            try:
                out[k * n : (k + 1) * n] = value
            except (ValueError, TypeError):
                raise ArgumentError(f"takes one number or {n}, got {value!r}", element=name) from None
        if not (np.isfinite(out).all() and (out >= 0).all() and (n == 0 or out[2 * n : 3 * n].max() > 0)):
            raise ArgumentError("tolerances and weights must be finite, not negative, some weight positive", element="rtol")
        out[n : 2 * n] = np.maximum(out[n : 2 * n], LEAST_RTOL)
        return out


USUAL = Control()


@dataclass(frozen=True)
class Events:
    """Functions watched for a change of sign: `code` gives all their values as its first output.

    direction: -1 falling, 1 rising, 0 both. terminal: 0 never ends the run, m ends it at the m-th time. kinks: those where f
    has one. What is found of a step across a kink, and how long it is, follows from how its stages lie beside it, which is
    as good as rounding: the step is taken again, to end there.
    """

    code: Compiled
    direction: Sequence[int]
    terminal: Sequence[int]
    kinks: Sequence[int] = ()

    @property
    def count(self) -> int:
        return len(self.direction)


class Integrator:
    """The integration of one problem with one method; `run` goes on from where it is, `restart` sets a new state at little
    cost.

    After a terminal event the state is exactly that of the event: change it, restart, run on.
    """

    def __init__(
        self,
        f: Compiled,
        y0: np.ndarray,
        t0: float = 0.0,
        *,
        method: str | Method = "dopri5",
        control: Control = USUAL,
        events: Events | None = None,
        jac: Compiled | None = None,
        project: Compiled | None = None,
        parameters: Sequence[Any] = (),
        sizes: tuple[int, int, int] = (0, 0, 0),
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.method, self.control, self.events = find_method(method), control, events
        self.max_steps = control.max_steps
        self.f, self.jac, self.project = f, jac, project
        self.sizes = sizes
        y = np.array(y0, dtype=float).ravel()
        n = self.n = y.size
        if self.method.second_order:
            nq, nv, m = sizes
            if nq + 2 * nv + m != n or jac is None or project is None:
                raise ArgumentError(
                    "needs sizes=(of q, of v, of lam), a state (q, v, vdot, lam), jac (the matrices) and project (retract)",
                    element=self.method.name,
                )
            parameters = [np.zeros(nv), *parameters]
        self.ins = [np.array([t0], dtype=float), y.copy(), *[_contiguous(p) for p in parameters]]
        for code, name in ((f, "f"), (jac, "jac"), (project, "project"), (events.code if events else None, "events")):
            self._check(code, name)
        self.outs, self.jouts, self.pouts = _room(f), _room(jac), _room(project)
        self.gouts = _room(events.code if events else None)
        self.y, self.tol = y, control.array(n)
        self.coef = self.method.constants(options or {})
        if self.method.second_order:  # sizes, marks of rows and of states: whoever knows them puts them there
            self.coef = np.concatenate([self.coef, np.zeros(2 * sizes[1] + sizes[2])])
        outside = getattr(jac, "is_outside", False)
        room = self.method.room(n, outside=True) if outside else self.method.room(n)  # type: ignore[call-arg]
        self.work = np.zeros(3 * n + room + 16)
        self.pivots = np.zeros(max(self.method.pivots(n), 1), dtype=np.int64)
        self.real, self.count = np.zeros(s.REALS), np.zeros(s.COUNTS, dtype=np.int64)
        self.count[s.STAGES], self.count[s.ERROR_ORDER] = self.method.stages, self.method.error_order
        self.count[s.PROJECTS] = project is not None and not self.method.second_order
        self.count[s.JACOBIAN] = OUTSIDE if outside else jac is not None
        self.count[[s.SIZE_Q, s.SIZE_V, s.SIZE_LAM]] = sizes
        m = events.count if events else 0
        self.count[s.EVENTS], self.count[s.ALLOWED] = m, MOST_LOOKS
        self._signs = np.zeros(3 * max(m, 1), dtype=np.int64)
        self._signs[[2 * m + k for k in (events.kinks if events else ())]] = 1
        # of the functions of events; in how many steps some of their zeros may have been missed
        self.signs, self.missed = self._signs[: max(m, 1)], self._signs[m : 2 * m]
        self.directions = np.array(events.direction if events else [0], dtype=np.int64)
        self.values = np.zeros(ROWS * max(m, 1))
        self.spare = np.zeros(2 * n + 2 * EVENTS_A_STEP * max(m, 1) + 8)
        self.real[[s.SAFETY, s.LEAST, s.MOST, s.BETA]] = (
            self.method.safety, self.method.least, self.method.most, self.method.beta
        )  # fmt: skip
        rtol = float(np.min(self.tol[n : 2 * n])) if n else 1e-3
        # Radau's Newton stops at this part of the tolerance (Hairer and Wanner II, IV.8.21).
        self.real[s.OPTION] = 1e-3 if self.method.second_order else max(10 * s.EPSILON / rtol, min(0.03, rtol**0.5))
        self._rooms: dict[int, Room] = {}
        self._times: tuple[np.ndarray | None, np.ndarray | None, tuple[float, float], np.ndarray] | None = None
        self.budget = FIRST_SLICE  # steps that take native code about a slice of time
        self.restart(t0, y)
        self._begin = y.copy(), self.real.copy(), self.count.copy()

    def again(self) -> None:
        """Go back to where the integrator was made: what a run leaves behind is forgotten."""
        self.y[:], self.real[:], self.count[:] = self._begin
        self.work[:] = 0.0
        self.signs[:] = self.missed[:] = 0

    def _check(self, code: Compiled | None, name: str) -> None:
        """A traced function must take and give what it is used for: native code reads beyond the end of an array."""
        if code is None:
            return
        given, sizes = [a.size for a in self.ins], [int(np.prod(shape)) for shape in code.inputs.values()]
        if sizes != given:
            raise ArgumentError(f"takes inputs of sizes {sizes}, the problem has {given}", element=name)
        if getattr(code, "is_outside", False):
            return
        n, (nq, nv, m) = self.n, self.sizes
        outputs = {"f": [n], "jac": [n * n], "project": [n], "events": [self.events.count if self.events else 0]}
        if self.method.second_order:
            outputs |= {"f": [nv, m, m], "jac": [nv * nv, nv * nv, nv * nv, m * nv], "project": [nq]}
        got = _sizes(code)
        if got[: len(outputs[name])] != outputs[name]:
            raise ArgumentError(f"gives outputs of sizes {got}, wanted {outputs[name]}", element=name)

    @property
    def t(self) -> float:
        return float(self.real[s.T])

    @property
    def next_step(self) -> float:
        """The length of the step that comes next, as far as it is known."""
        return abs(float(self.real[s.H]))

    def room(self, width: int) -> Room:
        """Arrays for the output of a run; `width`: of the interpolant's nodes in a step, zero for none."""
        if width not in self._rooms:
            self._rooms[width] = Room(self.n, self.events.count if self.events else 0, width)
        return self._rooms[width]

    def restart(self, t: float, y: np.ndarray, *, fired: Sequence[int] = (), first_step: float | None = None) -> None:
        """Begin at (t, y). `fired`: events that have just happened and are zero but for rounding."""
        self.y[:] = y
        self.real[s.T] = self.real[s.T_OLD] = t
        step = self.control.first_step if first_step is None else first_step
        self.real[s.H] = abs(step) if step is not None else 0.0
        self.count[s.STARTED] = self.count[s.ENDED] = self.count[s.GOES_ON] = 0
        self.signs[:] = 0
        for k in fired:
            self.signs[k] = FIRED

    def go_on(self, fired: Sequence[int]) -> None:
        """After a terminal event that has changed nothing: the step in which it was is not over. Steps then do not follow
        events that are rounding, as between bodies that move side by side and touch."""
        self.count[s.GOES_ON] = 1
        for k in fired:
            self.signs[k] = FIRED

    def run(
        self,
        t_end: float,
        *,
        t_eval: np.ndarray | None = None,
        looks: np.ndarray | None = None,
        dense_output: bool = False,
        sink: Callable[[np.ndarray, np.ndarray], None] | None = None,
        tick: Callable[[float], None] | None = None,
    ) -> Solution:
        """Integrate to t_end or a terminal event. States are at t_eval, or at every step where there is none.

        `looks`: times at which nobody needs the state exactly: the ends of the steps that pass them are shown, which takes
        no interpolant and no projection.

        `sink(t, y)` takes each block of output as it comes; nothing is then kept, whatever the length of the run. `tick(t)`
        is called now and then, between stretches of native code. A KeyboardInterrupt (its own, or Ctrl-C) ends the run with
        the status INTERRUPTED; what was computed is kept.
        """
        blocks = self.begun(t_end, t_eval, looks, dense_output, sink)
        before = self.count.copy()
        return blocks.solution(self.taken(blocks, tick), self.count - before)

    def begun(
        self, t_end: float, t_eval: np.ndarray | None, looks: np.ndarray | None, dense_output: bool = False,
        sink: Callable[[np.ndarray, np.ndarray], None] | None = None,
    ) -> Blocks:  # fmt: skip
        """Ready to run: the arrays that are filled."""
        real, count = self.real, self.count
        if self.method.fixed and real[s.H] == 0.0:
            raise ArgumentError("has a fixed step", element=self.method.name, remedy="give first_step")
        real[s.T_END], real[s.MAX_STEP], real[s.SPAN] = t_end, self.control.max_step, t_end - self.t
        count[s.ENDED] = s.FINE
        return Blocks(self, t_end, t_eval, dense_output, sink, looks)

    def taken(self, blocks: Blocks, tick: Callable[[float], None] | None) -> int:
        """As far as it goes, and why no further."""
        try:
            return self._slices(blocks, tick) if self.n else self._empty(blocks, blocks.t_end)
        except KeyboardInterrupt:
            blocks.empty()
            return INTERRUPTED

    def times(self, t: float, t_end: float, t_eval: np.ndarray | None, looks: np.ndarray | None) -> np.ndarray:
        """The times of a run one after the other; those of the run before are known."""
        known = self._times
        if known is not None and known[0] is t_eval and known[1] is looks and known[2] == (t, t_end):
            return known[3]
        parts = [np.zeros(0) if x is None else np.ascontiguousarray(x, dtype=float) for x in (t_eval, looks)]
        low, high = min(t, t_end), max(t, t_end)
        for own in parts:
            ahead = np.diff(own) * (1 if t_end >= t else -1)
            if own.ndim != 1 or (ahead <= 0).any() or ((own < low) | (own > high)).any():
                raise ArgumentError("must go from the start to the end of t_span without repeats", element="t_eval")
        every = np.concatenate([*parts, np.zeros(1)])
        self._times = t_eval, looks, (t, t_end), every
        return every

    def _empty(self, blocks: Blocks, t_end: float) -> int:
        """A problem without a state: only time passes."""
        count = self.count
        times = np.array([t_end]) if blocks.every else blocks.wanted[int(count[s.NEXT]) : int(count[s.WANTED])]
        blocks.pieces.append((times.copy(), np.empty((len(times), 0))))
        self.real[s.T] = t_end
        return s.FINISHED

    def _slices(self, blocks: Blocks, tick: Callable[[float], None] | None) -> int:
        count = self.count
        first, status = int(count[s.STEPS]), s.FINE
        call = self._call(blocks)
        if tick is not None:
            self.budget = min(self.budget, FIRST_SLICE)  # progress is told from the first steps on
        while True:
            limit = self.max_steps
            allowed = self.budget if limit is None else min(self.budget, first + limit - int(count[s.STEPS]))
            if allowed <= 0 and status != s.FULL:  # else output of the last step is still to come
                return TOO_MANY
            count[s.BUDGET] = max(allowed, 0)
            start = perf_counter()
            status = int(call())
            took = perf_counter() - start
            blocks.empty()
            if status not in (s.FINE, s.FULL):
                return status
            if tick is not None:
                tick(self.t)
            if took < 0.5 * SLICE_SECONDS and status == s.FINE:
                self.budget = min(2 * self.budget, 1 << 20)
            elif took > 2 * SLICE_SECONDS:
                self.budget = max(self.budget // 2, 1)

    def _call(self, blocks: Blocks) -> Prepared:
        """The loop with its arguments, which are passed once for all runs that use the same room: there may be thousands."""
        known, events = blocks.room.call, self.events
        if known is None:
            given: list[Any] = [
                self.f, self.jac or 0, self.project or 0, events.code if events else 0, self.ins, self.outs, self.jouts,
                self.pouts, self.gouts, self.n, self.y, self.tol, self.real, self.count, self.coef, self.work, self.pivots,
            ]  # fmt: skip
            ode = s.Ode(*given)
            shown = Shown(blocks.wanted, *blocks.output)
            watched = Watched(self.values, self.spare, self._signs, self.directions, blocks.left, *blocks.happened)
            blocks.room.call = known = (self.method.run if events else self.method.quiet).prepared(ode, shown, watched)
        known.passed[WANTED_AT] = address(blocks.wanted)
        return known


TOO_MANY, INTERRUPTED = -6, -7
WANTED_AT = len(s.Ode._fields)  # the place of the wanted times among the arguments of a method's loop


def _contiguous(p: Any) -> np.ndarray:
    return np.ascontiguousarray(p, dtype=float).reshape(-1) if np.size(p) else np.zeros(0)


def _sizes(code: Compiled) -> list[int]:
    return [int(np.prod(shape)) for shape in code.outputs.values()]


def _room(code: Compiled | None) -> list[np.ndarray]:
    return [np.zeros(max(k, 1)) for k in (_sizes(code) if code else [1])]


def integrate(
    f: Compiled,
    t_span: tuple[float, float],
    y0: Any,
    *,
    t_eval: Any = None,
    dense_output: bool = False,
    sink: Callable[[np.ndarray, np.ndarray], None] | None = None,
    **options: Any,
) -> Solution:
    """Integrate from t_span[0] to t_span[1] (either way), or to a terminal event, or to where it cannot go on. Options are
    those of `Control` and of `Integrator`.

    A failure is no exception: `status` is negative, `message` says why, `t_last` and `y_last` where.
    """
    t0, t1 = (float(t) for t in t_span)
    if not (np.isfinite(t0) and np.isfinite(t1)) or t0 == t1:
        raise ArgumentError(f"needs two finite different times, got {t_span}", element="t_span")
    control = Control(**{x.name: options.pop(x.name) for x in fields(Control) if x.name in options})
    integrator = Integrator(f, np.asarray(y0, dtype=float), t0, control=control, **options)
    times = None if t_eval is None else np.asarray(t_eval)
    solution = integrator.run(t1, t_eval=times, dense_output=dense_output, sink=sink)
    if solution.status == INTERRUPTED:
        raise KeyboardInterrupt
    return solution
