"""Driving a machine along its time: calls the native loop, halves steps that do not converge, tells where it stops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from linkwright import linear, size_policy
from linkwright.compile.sparse_lu import Plan, parity
from linkwright.later import sparse
from linkwright.regularisation import SINGULAR
from linkwright.solve import path
from linkwright.solve.blas import single_threaded

# So many orders of elimination are kept: those of a turning machine come back.
PLANS = 16
# So many small steps between two times are made in one call.
AT_ONCE = 32


class Equations(Protocol):
    """The functions of a system, see `linkwright.solve.path`, compiled or not (large machines evaluated by shapes have no
    native code of the whole); and the places of the nonzeros of Phi_v."""

    @property
    def position(self) -> Any: ...
    @property
    def velocity(self) -> Any: ...
    @property
    def acceleration(self) -> Any: ...
    @property
    def retract(self) -> Any: ...
    @property
    def turned(self) -> Any: ...
    @property
    def pattern(self) -> tuple[np.ndarray, np.ndarray]: ...


@dataclass(frozen=True)
class Point:
    """The machine at one time: coordinates, velocity, acceleration, references of angles, sign of det Phi_v."""

    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    turns: np.ndarray
    sign: float = 0.0


@dataclass
class Track:
    """Points in arrays (a row a time), and why they end, a code of `path`."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    turns: np.ndarray
    reason: int
    sign: float

    def __len__(self) -> int:
        return len(self.t)

    def point(self, k: int = -1) -> Point:
        return Point(float(self.t[k]), self.q[k], self.v[k], self.a[k], self.turns[k], self.sign)


class Follower:
    """Moves a square system: as many chosen equations as displacements.

    usual: the size of the largest entry of each chosen row; where a row is far below it, the system is singular.
    """

    def __init__(
        self, equations: Equations, chosen: np.ndarray, scale: np.ndarray, b: np.ndarray, usual: np.ndarray | None = None
    ) -> None:
        self.equations, self.chosen, self.scale, self.b = equations, chosen.astype(np.int64), scale, b
        self.usual = np.zeros(len(chosen)) if usual is None else np.ascontiguousarray(usual)
        rows, columns = equations.pattern
        size = len(equations.position.outputs) and equations.position.outputs["Phi"][0]
        number = np.full(size, -1, dtype=np.int64)
        number[chosen] = np.arange(len(chosen))
        self.rows, self.columns = number[rows], columns
        self.n = len(scale)
        self.plans: list[Plan] = []
        self.refined = 0

    # -- one point -----------------------------------------------------------------------------------------------------
    def _inputs(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray) -> list[np.ndarray]:
        return [np.array(q), np.array(v), np.array([t]), self.b, np.array(turns), np.zeros(self.n)]

    def matrix(self, q: np.ndarray, t: float, turns: np.ndarray) -> tuple[np.ndarray, sparse.csc_matrix]:
        """Phi and Phi_v of the chosen equations."""
        Phi, entries, places = self._entries(q, t, turns)
        return Phi, sparse.csc_matrix((entries, places), shape=(self.n, self.n))

    def _dense(self, q: np.ndarray, t: float, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same, of a small machine."""
        Phi, entries, places = self._entries(q, t, turns)
        J = np.zeros((self.n, self.n))
        J[places] = entries
        return Phi, J

    def _entries(self, q: np.ndarray, t: float, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
        Phi, values = self.equations.position(*self._inputs(q, np.zeros(self.n), t, turns))
        keep = self.rows >= 0
        return Phi[self.chosen], values[keep], (self.rows[keep], self.columns[keep])

    @single_threaded
    def point(self, q: np.ndarray, t: float, turns: np.ndarray) -> Point:
        """Velocity and acceleration at a configuration that satisfies the equations. LinAlgError if it is singular."""
        if self.n <= size_policy.DENSE_CALLS:
            _, dense = self._dense(q, t, turns)
            rowscale = np.abs(dense).max(axis=1, initial=0.0)
            if not (rowscale > 0).all():
                raise np.linalg.LinAlgError("a row of the Jacobian vanishes")
            sign, _ = linear.slogdet(dense / rowscale[:, None])
            solve: Callable[[np.ndarray], np.ndarray] = partial(linear.solve, dense)
        else:
            factors = linear.splu(self.matrix(q, t, turns)[1])
            sign, solve = _sign(factors), factors.solve
        inputs = self._inputs(q, np.zeros(self.n), t, turns)
        v = solve(self.equations.velocity(*inputs)[0][self.chosen])
        inputs[1] = v
        a = solve(self.equations.acceleration(*inputs)[0][self.chosen])
        return Point(t, np.array(q), v, a, np.array(turns), float(sign))

    # -- many points ---------------------------------------------------------------------------------------------------
    def run(self, start: Point, times: np.ndarray) -> Track:
        """Follow the path from start to the times after it (times[0] is the start's), until one cannot be reached in one
        step."""
        track = self._arrays(start, times)
        if not hasattr(type(self.equations.position), "call_address"):
            return self._by_calls(track)
        good, tried, fresh = 1, 0, False
        while good < len(times):
            if tried == len(self.plans):  # none of those known
                try:
                    self.plans = [self._new_plan(track.point(good - 1)), *self.plans[:PLANS]]
                except RuntimeError:  # singular
                    track.reason = path.NO_PIVOT
                    break
                tried, fresh = 0, True
            before, good = good, self._native(track, good, self.plans[tried])
            if track.reason != path.NO_PIVOT or self.n <= size_policy.DENSE:
                break
            # the pivots of this plan may have got poor: others, known ones first, then one made here
            if good > before:
                self.plans.insert(0, self.plans.pop(tried))
                tried, fresh = 1, False
            elif fresh:
                break
            else:
                tried += 1
        return Track(
            times[:good], track.q[:good], track.v[:good], track.a[:good], track.turns[:good], track.reason, track.sign
        )

    def _by_calls(self, track: Track) -> Track:
        """The same without native code: every function is called from here."""
        good = 1
        while good < len(track) and track.reason == path.FINE:
            track.reason = self._next(track, good)
            good += track.reason == path.FINE
        t, q, v, a, turns = (x[:good] for x in (track.t, track.q, track.v, track.a, track.turns))
        return Track(t, q, v, a, turns, track.reason, track.sign)

    @single_threaded
    def _next(self, track: Track, k: int) -> int:
        """The k-th point from the one before, with the checks of `path.follow`; why it is none, a code of `path`."""
        at, t = track.point(k - 1), float(track.t[k])
        h = t - at.t
        d = h * at.v + 0.5 * h * h * at.a
        step = _norm(d / self.scale)
        q, reason, total = self.correct(self._retract(at.q, d), t, at.turns)
        if reason != path.FINE:
            return reason
        if _norm(total / self.scale) > path.TRUST * step + 1e-9:
            return path.TOO_COARSE
        J = self.matrix(q, t, at.turns)[1].tocsr()
        largest = abs(J).max(axis=1).toarray().ravel()
        if (largest <= SINGULAR * self.usual).any():
            return path.NO_PIVOT
        try:
            factors = linear.splu((sparse.diags(1 / largest) @ J).tocsc())
        except RuntimeError:
            return path.NO_PIVOT
        pivots, sign = np.abs(factors.U.diagonal()), _sign(factors)
        if pivots.min() < SINGULAR * pivots.max():
            return path.NO_PIVOT
        if track.sign not in (0.0, sign):
            return path.SIGN_CHANGE
        inputs = self._inputs(q, np.zeros(self.n), t, at.turns)
        inputs[1] = v = factors.solve(self.equations.velocity(*inputs)[0][self.chosen] / largest)
        if _norm(h * (v - at.v - h * at.a) / self.scale) > path.SAME_BRANCH * step + 1e-9:
            return path.TOO_COARSE
        track.a[k] = factors.solve(self.equations.acceleration(*inputs)[0][self.chosen] / largest)
        track.q[k], track.v[k], track.sign = q, v, sign
        track.turns[k] = self.equations.turned(*inputs)[0]
        return path.FINE

    def _new_plan(self, at: Point) -> Plan:
        if self.n <= size_policy.DENSE:
            return Plan.dense(self.n)
        if self.n <= size_policy.DENSE_CALLS:
            return Plan.small(self._dense(at.q, at.t, at.turns)[1], self.rows, self.columns)
        return Plan.at(self.matrix(at.q, at.t, at.turns)[1], self.rows, self.columns)

    def _arrays(self, start: Point, times: np.ndarray) -> Track:
        count = len(times)
        track = Track(
            np.ascontiguousarray(times, dtype=float), np.empty((count, len(start.q))), np.empty((count, self.n)),
            np.empty((count, self.n)), np.empty((count, max(len(start.turns), 0))), path.FINE, start.sign,
        )  # fmt: skip
        track.q[0], track.v[0], track.a[0], track.turns[0] = start.q, start.v, start.a, start.turns
        return track

    def _native(self, track: Track, first: int, plan: Plan) -> int:
        """Fills the track from the point `first` on; how many points are good then."""
        e, n, nq, nt = self.equations, self.n, track.q.shape[1], track.turns.shape[1]
        at = track.point(first - 1)
        ins = self._inputs(at.q, at.v, at.t, at.turns)
        functions = e.position, e.velocity, e.acceleration, e.retract, e.turned
        outs = [[np.empty(max(int(np.prod(s)), 1)) for s in f.outputs.values()] for f in functions]
        measure = np.array([0.0, 0.0, track.sign])
        state = np.zeros(1, dtype=np.int64)
        times, q, v, a, turns = (x[first - 1 :] for x in (track.t, track.q, track.v, track.a, track.turns))
        given: list[Any] = [
            *[f.call_address for f in functions], ins, *outs, n, nq, nt, len(self.rows), self.rows, self.columns,
            self.chosen, plan.size, plan.ints,
        ]  # fmt: skip
        good = path.follow(
            path.Path(*given), path.Points(len(times), times, q, v, a, turns), self.scale, np.zeros(plan.size + 3 * n + 4),
            np.zeros(n, dtype=np.int64), measure, state, self.usual,
        )  # fmt: skip
        track.reason, track.sign = int(state[0]), float(measure[2])
        return first - 1 + int(good)

    def correct(self, q: np.ndarray, t: float, turns: np.ndarray) -> tuple[np.ndarray, int, np.ndarray]:
        """Newton from q; also the sum of the corrections."""
        total, last = np.zeros(self.n), np.inf
        for iteration in range(path.ITERATIONS):
            Phi, J = self.matrix(q, t, turns) if self.n > size_policy.DENSE_CALLS else self._dense(q, t, turns)
            try:
                d = -linear.splu(J).solve(Phi) if self.n > size_policy.DENSE_CALLS else -linear.solve(J, Phi)
            except (RuntimeError, np.linalg.LinAlgError):
                return q, path.NO_PIVOT, total
            size = _norm(d / self.scale)
            if not np.isfinite(size) or (iteration > 2 and size > 2 * last):
                return q, path.NOT_CONVERGED, total
            q, total = self._retract(q, d), total + d
            if size <= path.CONVERGED or (size < 1e-9 and size > 0.5 * last):
                return q, path.FINE, total
            last = size
        return q, path.NOT_CONVERGED, total

    def _retract(self, q: np.ndarray, d: np.ndarray) -> np.ndarray:
        turns = np.zeros(self.equations.turned.outputs["turns"][0])  # any: displacing does not depend on them
        inputs = self._inputs(q, np.zeros(self.n), 0.0, turns)
        inputs[5] = d
        return np.asarray(self.equations.retract(*inputs)[0])

    # -- where it struggles ----------------------------------------------------------------------------------------------
    def reach(self, start: Point, t: float) -> tuple[Point, int]:
        """Follow the path to time t with steps as small as needed; a code other than FINE where it stopped before."""
        point, h = start, 0.5 * (t - start.t)
        least = 1e-11 * max(abs(t), abs(t - start.t), 1e-300)
        reason = path.FINE
        while point.t != t:
            count = min(int(np.ceil((t - point.t) / h * (1 - 1e-9))), AT_ONCE)
            times = point.t + h * np.arange(count + 1)
            times[-1] = t if (t - times[-1]) / h < 1e-9 else times[-1]
            track = self.run(point, times)
            point = track.point()
            if len(track) > count:
                h *= 2
            else:
                self.refined += 1
                reason = track.reason
                h = 0.5 * (times[len(track)] - point.t)
                if abs(h) < least:
                    return point, reason
        return point, path.FINE


def _norm(x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(x * x))) if len(x) else 0.0


def _sign(factors: Any) -> float:
    """The sign of a determinant from its sparse factors."""
    return float(np.prod(np.sign(factors.U.diagonal())) * parity(factors.perm_r) * parity(factors.perm_c))
