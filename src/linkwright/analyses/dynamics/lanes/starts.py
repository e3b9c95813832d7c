"""Where many runs begin, found for all of them at once: the same as `initial_state` finds for each.

Positions are the nearest to the estimates in which the joints close, velocities the nearest that the joints allow, what
was given before what was not. Steps of Newton's method lead there from the start of the machine as it is, moved as far
as the estimates are from its own; a run for which they do not settle is told, and begins alone. Machines with more to
decide at the start have no such way. `initial_state` itself cannot be asked in lanes: it decides by ranks which rows count,
run by run, where lanes take the decisions of the machine as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.assemble import begun_from
from linkwright.analyses.assembly.closure import weights
from linkwright.analyses.assembly.fixes import Fixes
from linkwright.analyses.assembly.start import velocity_weights
from linkwright.analyses.dynamics.lanes.plan import Plan
from linkwright.analyses.dynamics.lanes.traced_starts import TracedStarts, reading
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.sizes import follows_work, typical_points
from linkwright.compile import Function
from linkwright.graph import Expr, Scalar, evaluate
from linkwright.model.values import parameter_symbol
from linkwright.regularisation import COMPLIANCE, EASED
from linkwright.solve.many import Runs
from linkwright.solve.rank import analyse
from linkwright.system.estimates import estimate_expressions
from linkwright.system.geometry import Geometry
from linkwright.system.quantities import resolve

ITERATIONS = 60  # of steps towards closing; as many digits a round as the estimates are near
SETTLED = 1e-13  # relative to the machine: a step so small is the last
FAR = 0.5  # lengths or radians from where the search begins: who ends farther away begins alone
LITTLE, MORE, FAINT = 1e-6, 1e-3, 1e-5  # the weight of velocities that nobody gave
SAME_SPEED = 1e-11  # relative
CORNERS = 4  # values of which all corners are tried; of more each alone
EACH = "each start is decided by itself"


@dataclass(frozen=True, eq=False)
class Starts:
    """names: what varies. estimate, q, x: of the machine as it is, the start of its bodies and its chart's state. fixed:
    quantities of positions and of velocities that are exact at the start."""

    plan: Plan
    names: tuple[str, ...]
    estimate: np.ndarray
    q: np.ndarray
    x: np.ndarray
    fixed: tuple[tuple[Expr, ...], tuple[Expr, ...]]
    functions: TracedStarts

    @classmethod
    def of(cls, plan: Plan, names: Sequence[str], rows: np.ndarray, tried: Any) -> Starts | str:
        """A text says why starts are found one by one. `tried(values)`: whether the machine makes sense with them."""
        machine, model = plan.nominal.machine, plan.model
        s = machine.system
        known = {*model.parameters, *s.coordinates.v_names, *_linear(machine)}
        if s.coordinates.extra or model.states:
            what = "curves touch" if s.coordinates.extra else "states begin"
            return f"where {what} is found for each run by itself"
        if other := [name for name in names if name not in known]:
            return f"with other values of {other[0]} {EACH}"
        fresh = LoadedMachine(model, plan.times.start)
        places, speeds = ([q for q in model.fixed if model.order(q) == order] for order in (0, 1))
        found = Geometry(model, s.coordinates)
        traced = resolve(found, [*places, *speeds])
        if machine.is_sparse or fresh.turns.any() or not found.turns.keys() <= set(s.turn_names):
            return EACH
        estimate = fresh.estimate()
        if not np.array_equal(begun_from(fresh, plan.times.start), estimate):
            return EACH
        if not all(tried(dict(zip(names, corner, strict=True))) for corner in _corners(rows)):
            return f"some of the values make no sense, {EACH}"
        start = plan.start(model)
        if start is None:
            return EACH
        x = start.y[0]
        q = plan.nominal.chart.bodies(x[None])[0][: machine.nq]
        functions = TracedStarts.of(s, traced[: len(places)], traced[len(places) :])
        return cls(plan, tuple(names), estimate, q, x, (tuple(places), tuple(speeds)), functions)

    # -- values -------------------------------------------------------------------------------------------------------------
    @property
    def machine(self) -> LoadedMachine:
        return self.plan.nominal.machine

    def _known(self, rows: np.ndarray) -> dict[Expr, Any]:
        """Parameters by symbol, with the rows' own values."""
        values: dict[Expr, Any] = dict(self.plan.model.parameter_values())
        for k, name in enumerate(self.names):
            if name in self.plan.model.parameters:
                values[parameter_symbol(name)] = rows[:, k]
        return values

    def _estimates(self, rows: np.ndarray, known: Mapping[Expr, Any]) -> tuple[np.ndarray, np.ndarray]:
        """Of coordinates and velocities, a column a run."""
        c, model = self.machine.system.coordinates, self.plan.model
        q = _columns(estimate_expressions(model, c), known, len(rows))
        given: list[Scalar] = []
        for name in c.body_slices():
            e = model.bodies[name].estimate
            given += [*e.velocity, *(e.omega if isinstance(e.omega, tuple) else (e.omega,))]
        v = _columns(given, known, len(rows))
        exact = {x.data for x in (*self.fixed[0], *self.fixed[1])}
        for k, name in enumerate(self.names):
            if name in exact:
                continue
            if name in c.v_names:
                v[c.v_names.index(name)] = rows[:, k]
            elif name in c.q_names:
                q[c.q_names.index(name)] = rows[:, k]
        return q, v

    def _exact(self, rows: np.ndarray, known: Mapping[Expr, Any], order: int) -> np.ndarray:
        """The values of what is fixed, a column a run."""
        out = _columns([self.plan.model.fixed[x] for x in self.fixed[order]], known, len(rows))
        for k, x in enumerate(self.fixed[order]):
            if x.data in self.names:
                out[k] = rows[:, self.names.index(x.data)]
        return out

    def _scale(self, known: Mapping[Expr, Any], estimate: np.ndarray) -> np.ndarray:
        """The size of each displacement, a column a run: see `Machine.scale`."""
        machine, n = self.machine, self.plan.model.dimension
        bodies = len(machine.system.coordinates.bodies)
        places = np.abs(estimate.reshape(bodies, -1, estimate.shape[1])[:, :n]).max(axis=(0, 1))
        points = np.abs(_columns(typical_points(self.plan.model), known, estimate.shape[1])).max(axis=0, initial=0.0)
        length = np.maximum(places, points)
        one = np.where(length > 0, length, 1.0)
        body = [one] * n + [np.ones_like(one)] * (1 if n == 2 else 3)
        return np.array(body * bodies)

    # -- starts -------------------------------------------------------------------------------------------------------------
    def __call__(self, rows: np.ndarray, threads: int = 1) -> tuple[Runs, np.ndarray]:
        """Of the runs with these values, a row each; and which of them were found."""
        count, machine = len(rows), self.machine
        known = self._known(rows)
        b = np.array([np.broadcast_to(np.asarray(x, dtype=float), count) for x in known.values()])
        estimate, given = self._estimates(rows, known)
        scale = self._scale(known, estimate)
        t = np.full((1, count), self.plan.times.start)
        still = np.zeros((len(machine.system.turn_names), count))
        q, fine = self._closed((t, b, still), estimate, self._exact(rows, known, 0), scale, threads)
        place = (q, t, b, still)
        v, fits = self._moving(place, given, self._exact(rows, known, 1), scale, threads)
        M, J, turned = self.functions.sizes.batch(*place, threads=threads)
        tune = self._tuning(M, J, known, scale)
        atol = self._atol(self.functions.kinetic.batch(*place, v, threads=threads)[0][0], known, scale)
        x, read = self._charted(q, v, turned, b, threads)
        ok = fine & fits & read & np.isfinite(x).all(axis=0)
        return Runs(x.T, b.T, tune.T, atol), ok

    def _atol(self, kinetic: np.ndarray, known: Mapping[Expr, Any], scale: np.ndarray) -> np.ndarray:
        """The tolerance of the work: see `sizes.tolerances`."""
        plan, model, count = self.plan, self.plan.model, len(kinetic)
        nominal = plan.numbers.tol[len(self.x) - 1]
        if not follows_work(model):
            return np.full(count, nominal)
        masses = [body.mass for body in model.bodies.values() if not body.is_ground]
        mass, pull = (_columns(x, known, count) for x in (masses, list(model.gravity)))
        weight, length = mass.sum(axis=0) * np.sqrt((pull**2).sum(axis=0)), scale[0]
        size = kinetic + weight * length
        size = np.where(size > 0, size, mass.sum(axis=0) * length**2)
        own: Any = plan.nominal.control.atol
        return np.asarray(np.maximum(plan.options.rtol * size, plan.options.atol) * (nominal / own[-1]))

    def _closed(
        self, place: Sequence[np.ndarray], estimate: np.ndarray, fixed: np.ndarray, scale: np.ndarray, threads: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Positions at the inputs `place`, and where they were found."""
        step, weight = self.functions.closing, np.repeat(self._weight[:, None], estimate.shape[1], axis=1)
        q = self.q[:, None] + self._shift(estimate)
        todo, moved = np.arange(q.shape[1]), np.zeros_like(scale)
        for _ in range(ITERATIONS):
            given = [q, *place, weight, estimate, fixed]
            if len(todo) < q.shape[1]:
                given = [np.ascontiguousarray(a[:, todo]) for a in given]
            new, d = step.batch(*given, threads=threads)
            far = np.abs(d / scale[:, todo])
            q[:, todo], moved[:, todo] = new, moved[:, todo] + far
            size = far.max(axis=0, initial=0.0)
            todo = todo[(size > SETTLED) & (moved[:, todo].max(axis=0, initial=0.0) < FAR)]
            if not len(todo):
                break
        fine = np.isfinite(q).all(axis=0) & (moved.max(axis=0, initial=0.0) < FAR)
        fine[todo] = False
        return q, fine

    def _shift(self, estimate: np.ndarray) -> np.ndarray:
        """How far estimates are from those of the machine as it is; of Euler parameters, which are no vector, nothing."""
        linear = np.isin(self.machine.system.coordinates.q_names, _linear(self.machine))
        return np.where(linear[:, None], estimate - self.estimate[:, None], 0.0)

    @property
    def _weight(self) -> np.ndarray:
        """How much each displacement's estimate counts: see `closure.weights`."""
        c, own = self.machine.system.coordinates, weights(self.machine)
        if c.dimension == 2:
            return own
        return np.concatenate([[*own[at][:3], *(0.25 * own[at][3:6])] for at, _ in c.body_slices().values()])

    def _moving(
        self, place: Sequence[np.ndarray], given: np.ndarray, fixed: np.ndarray, scale: np.ndarray, threads: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Velocities at the inputs `place`, and where they were found; those that are given count first."""
        v, fine = np.zeros_like(given), np.zeros(given.shape[1], dtype=bool)
        first = given != 0
        same = bool((first == first[:, :1]).all())  # as a rule; to sort columns takes longer than to solve for them
        for pattern in first[:, :1].T if same else np.unique(first, axis=1).T:
            at: Any = slice(None) if same else np.flatnonzero((first == pattern[:, None]).all(axis=0))
            weight = velocity_weights(self.machine)[:, None] / scale[:, at] ** 2
            speeds = _Speeds(self.functions.velocities, [a[:, at] for a in place], fixed[:, at], weight, threads)
            v[:, at], off = speeds.nearest(given[:, at], pattern, self._decide(pattern))
            size = np.maximum(*(np.abs(a[:, at] / scale[:, at]).max(axis=0, initial=0.0) for a in (v, given)))
            fine[at] = np.abs(off / scale[:, at]).max(axis=0, initial=0.0) <= SAME_SPEED * size
        return v, fine

    def _decide(self, first: np.ndarray) -> float:
        """How well the velocities that are given decide about all of them, at the worst: 1 is best, 0 if they do not."""
        machine = self.machine
        t = self.plan.times.start
        C = machine.Phi_and_J(self.q, t)[1]
        if self.fixed[1]:
            C = Fixes(machine, dict.fromkeys(self.fixed[1], 0.0), order=1).joined(np.zeros(len(C)), C, self.q, t)[1]
        Z = analyse(C, machine.scale).right
        if not Z.shape[1]:
            return 1.0
        sizes = linear.singular_values(Z[first] / machine.scale[first, None])
        return float(sizes[-1] / sizes[0]) if len(sizes) == Z.shape[1] and sizes[-1] > 1e-3 * sizes[0] else 0.0

    def _tuning(self, M: np.ndarray, J: np.ndarray, known: Mapping[Expr, Any], scale: np.ndarray) -> np.ndarray:
        """Gains, and the compliances of rows: see `LoadedMachine.compliances`."""
        nominal, count = self.plan.nominal, M.shape[1]
        out = np.repeat(nominal.tuning[:, None], count, axis=1)
        if not len(nominal.compliances):
            return out
        rows, columns = nominal.machine.system.pattern
        own, lengths = np.zeros((2, len(nominal.machine.system.rows), count))
        (mass,) = _columns([nominal.machine.system.typical_mass], known, count)
        usual = mass * (scale[0] / scale) ** 2  # see `LoadedMachine.filled`
        masses = np.where(M > 0, M, usual)
        for x, row, column in zip(J, rows, columns, strict=True):  # of numpy's ways the fastest that keeps the order of sums
            own[row] += x**2 / masses[column]
            lengths[row] += (x * scale[column]) ** 2
        own, lengths = np.where(own > 0, own, 1.0), np.sqrt(np.where(lengths > 0, lengths, 1.0))
        spare = (nominal.compliances[len(own) : 2 * len(own)] > 0)[:, None]
        eps = COMPLIANCE * own
        compliances = [np.where(spare, 0.0, eps), np.where(spare, eps, 0.0), EASED / (COMPLIANCE * lengths)]
        first = len(nominal.treatment.gains)
        out[first : first + len(nominal.compliances)] = np.concatenate(compliances)
        return out

    def _charted(
        self, q: np.ndarray, v: np.ndarray, turned: np.ndarray, b: np.ndarray, threads: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """States of the chart, and which of them are those of the bodies."""
        chart, rest = self.plan.nominal.chart, np.concatenate([turned, np.zeros((1, q.shape[1]))])
        if chart.joint_flow is None:
            return np.concatenate([q, v, rest]), np.ones(q.shape[1], dtype=bool)
        read: Function = reading(chart.joint_flow)
        nq, nv = chart.joint_flow.joints.nq, chart.joint_flow.joints.nv
        x = np.repeat(self.x[:, None], q.shape[1], axis=1)
        off = np.full(q.shape[1], np.inf)
        for _ in range(12):
            theta, u, gap = read.batch(np.ascontiguousarray(x), b, q, v, threads=threads)
            x[:nq], x[nq : nq + nv] = theta, u
            before, off = off, np.abs(gap).max(axis=0, initial=0.0)
            if not (off < 0.5 * before).any():
                break
        x[nq + nv :] = rest
        return x, np.asarray(off <= 1e-9 * max(self.machine.length, 1.0))


@dataclass(frozen=True, eq=False)
class _Speeds:
    """Velocities that fit, nearest to what is given: first to some of them, and to the rest as far as these leave it."""

    solve: Function
    place: Sequence[np.ndarray]
    fixed: np.ndarray
    weight: np.ndarray
    threads: int

    def _with(self, target: np.ndarray, rest: np.ndarray | float) -> np.ndarray:
        """By weights, those of the rest times a number."""
        args = [*self.place, self.weight * rest, target, self.fixed]
        (v,) = self.solve.batch(*map(np.ascontiguousarray, args), threads=self.threads)
        return np.asarray(v)

    def nearest(self, given: np.ndarray, first: np.ndarray, decide: float) -> tuple[np.ndarray, np.ndarray]:
        """Velocities, and an estimate of their error. `decide`: how well those that come first decide about the rest.

        Rounding is enlarged by one over the weight of the rest: the last rounds have as much of it as they still shorten the
        way by a hundred with.
        """
        if first.all() or not first.any():
            v = self._with(given, 1.0)
            return v, np.zeros_like(v)
        if decide:  # the rest pulls at where it was the round before: less and less
            v, last = given, float(np.clip(0.01 * decide**2, LITTLE, MORE))
            for rest in (*[LITTLE] * 3, last, last):
                before, v = v, self._with(np.where(first[:, None], given, v), np.where(first, 1.0, rest)[:, None])
            return v, v - before
        # the solution is a power series in the weight of the rest: taken at some weights, it is extrapolated to none
        one, two, four = (self._with(given, np.where(first, 1.0, k * FAINT)[:, None]) for k in (1.0, 2.0, 4.0))
        v = (8.0 * one - 6.0 * two + four) / 3.0
        return v, 1e-2 * (v - (2.0 * one - two))  # the error that is left is smaller by more than the weight


def _linear(machine: LoadedMachine) -> list[str]:
    """Coordinates whose estimates are numbers by themselves: not the Euler parameters."""
    names = machine.system.coordinates.q_names
    return [n for n in names if n.rpartition(".")[2] in (("x", "y", "angle") if machine.model.dimension == 2 else "xyz")]


def _corners(rows: np.ndarray) -> list[tuple[float, ...]]:
    """Of the box of all values; of many values only each at its ends."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    if len(low) <= CORNERS:
        return list(product(*zip(low.tolist(), high.tolist(), strict=True)))
    middle = np.median(rows, axis=0)
    ends = [np.where(np.arange(len(low)) == k, end, middle) for k in range(len(low)) for end in (low, high)]
    return [tuple(x.tolist()) for x in ends]


def _columns(values: Sequence[Scalar], known: Mapping[Expr, Any], count: int) -> np.ndarray:
    found = evaluate(list(values), known)
    out = np.empty((len(values), count))
    for k, x in enumerate(found):
        out[k] = x
    return out
