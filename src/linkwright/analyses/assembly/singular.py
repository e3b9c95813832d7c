"""Singular configurations: where the motion locks up, where it branches (Haug 3.7).

With left null vectors beta and right null vectors z of Phi_v at the singular point:

- beta . Phi_t != 0: lock-up. The solution turns back in time there, a fold: velocities grow like (t* - t)^(-1/2).
- beta . Phi_t = 0: bifurcation. The branches have the velocities v = v_p + c z, with c the real roots of the
  quadratic beta . gamma(v_p + c z) = 0.

The place is found from a square choice of equations; what it is, is decided by all of them: equations left out as
dependent may hold where the chosen ones degenerate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.assembly.branches import Degenerate, degenerate
from linkwright.analyses.assembly.closure import Closure
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.row_lengths import usual_lengths
from linkwright.errors import SingularityError
from linkwright.solve import path
from linkwright.solve.blas import single_threaded
from linkwright.solve.follower import Follower, Point
from linkwright.solve.nearest import Found, close, nearest
from linkwright.solve.rank import dense, free_motions, rank_of

HAIR = 1e-6  # of the machine's length, and of what it moves: the start of a motion is where it was assembled, to this


@dataclass(frozen=True)
class Singularity:
    """Kind, place, the velocities of the branches (the present one first), the elements whose equations degenerate.

    kind "choice": only the chosen equations degenerate, all together they go on.
    """

    kind: str
    time: float
    q: np.ndarray
    turns: np.ndarray
    velocities: list[np.ndarray]
    elements: list[str]
    equations: Degenerate

    def acceleration(self, v: np.ndarray) -> np.ndarray:
        """Of the branch with this velocity."""
        return self.equations.acceleration(v)


@single_threaded
def diagnose(machine: Machine, follower: Follower, point: Point, target: float) -> Singularity:
    """The singularity near a point where the follower stopped before `target`."""
    local = _Local(machine, follower, usual_lengths(machine, point.q, point.t, point.turns)[follower.chosen])
    if len(point.v) == 0:  # the motion starts at a singular point
        return local.classify(local.start(point), point.t, point.turns, None)
    q, t = local.fold(point) or local.crossing(point, target)
    q, t = local.refined(q, t, point.turns, _period(machine, point.v))
    return local.classify(q, t, point.turns, point.v)


def _period(machine: Machine, v: np.ndarray | None) -> float:
    """A time in which the machine moves a good deal."""
    return 1.0 if v is None else 1.0 / max(float(np.abs(v / machine.scale).max()), 1e-12)


class _Local:
    """The equations near a singular point, in scaled displacements and rows divided by their usual lengths."""

    def __init__(self, machine: Machine, follower: Follower, lengths: np.ndarray) -> None:
        self.machine, self.follower, self.scale, self.lengths = machine, follower, machine.scale, lengths

    def matrix(self, q: np.ndarray, t: float, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Phi, Phi_v, nu."""
        Phi, sparse = self.follower.matrix(q, t, turns)
        J = sparse.toarray() * self.scale / self.lengths[:, None]
        inputs = self.follower._inputs(q, np.zeros(len(self.scale)), t, turns)
        nu = self.machine.system.velocity(*inputs)[0][self.follower.chosen]
        return Phi / self.lengths, J, nu / self.lengths

    # -- a fold: parametrised by arc length it is regular -------------------------------------------------------------
    def fold(self, point: Point) -> tuple[np.ndarray, float] | None:
        """The point where time turns back along the solution curve (q(s), t(s)); None if the curve branches first."""
        q, t, turns = point.q, point.t, point.turns
        # time is measured by what the drivers ask for, not by the speed: that is huge near a fold, and time would be lost
        unit = 1.0 / max(float(np.linalg.norm(self.matrix(q, t, turns)[2])), 1e-300)
        step, previous = 1e-6, None
        tangent = np.append(point.v / self.scale * unit, 1.0)
        tangent /= np.linalg.norm(tangent)
        for _ in range(200):
            augmented = self.augmented(q, t, turns, unit)
            values = linear.singular_values(augmented)
            if values[-1] < 1e-5 * values[0]:
                return None
            new = linear.svd(augmented)[2][-1]
            new = new if new @ tangent > 0 else -new
            tangent, rate = new, float(new[-1])
            if previous is not None and rate * previous[0] <= 0:
                # a secant step onto dt/ds = 0
                s = step * rate / (previous[0] - rate)
                q, t = self.arc(q, t, turns, tangent, s, unit)
                if abs(rate) < 1e-9 or abs(s) < 1e-12:
                    return q, t
                previous, step = (rate,), s
                continue
            if abs(rate) < 1e-11:
                return q, t
            if previous is not None and abs(rate) < abs(previous[0]):
                ahead = step * rate / (previous[0] - rate)
                previous, step = (rate,), float(np.clip(ahead, -0.05, 0.05))
            else:
                previous, step = (rate,), min(abs(step) * 2, 0.02)
            if abs(step) < 1e-13:
                return q, t
            moved = self.arc(q, t, turns, tangent, step, unit)
            if not np.isfinite(moved[1]) or abs(moved[1] - point.t) > 1e-3 * max(abs(point.t), 1e-3) + 1e-3:
                return None
            q, t = moved
        return None

    def augmented(self, q: np.ndarray, t: float, turns: np.ndarray, unit: float) -> np.ndarray:
        """[Phi_v, Phi_t], the derivative of the equations by displacements and time."""
        _, J, nu = self.matrix(q, t, turns)
        return np.column_stack([J, -nu * unit])

    def arc(
        self, q: np.ndarray, t: float, turns: np.ndarray, tangent: np.ndarray, step: float, unit: float
    ) -> tuple[np.ndarray, float]:
        """The point of the curve `step` further along the tangent: Newton with the tangent as an additional equation."""
        n = len(self.scale)
        q = self.machine.retract(q, step * tangent[:n] * self.scale)
        t = t + step * tangent[n] * unit
        for _ in range(12):
            Phi, J, nu = self.matrix(q, t, turns)
            K = np.vstack([np.column_stack([J, -nu * unit]), tangent])
            d = linear.lstsq(K, np.append(-Phi, 0.0), rcond=None)[0]
            q, t = self.machine.retract(q, d[:n] * self.scale), t + d[n] * unit
            if np.abs(d).max() < 1e-13:
                break
        return q, float(t)

    # -- a crossing of branches -----------------------------------------------------------------------------------------
    def crossing(self, point: Point, target: float) -> tuple[np.ndarray, float]:
        """The configuration and time at which the smallest singular value of Phi_v, with the sign of the determinant, passes
        zero along the motion."""
        back = 1e-3 * max(target - point.t, 1e-6) if target > point.t else 1e-6
        first = self.behind(point, 4 * back)
        second = self.behind(point, back)
        a, b = self.measure(first), self.measure(second)
        for _ in range(30):
            t_new = second.t - b * (second.t - first.t) / (b - a) if b != a else second.t
            distance = t_new - second.t
            near = self.toward(second, second.t + 0.5 * distance)  # half way: at the point itself nothing converges
            if near is None or abs(distance) < 1e-6 * max(abs(second.t), 1.0):
                break
            first, second, a, b = second, near, b, self.measure(near)
        t = second.t - b * (second.t - first.t) / (b - a) if b != a else second.t
        h = t - second.t
        return self.machine.retract(second.q, h * second.v + 0.5 * h * h * second.a), float(t)

    def measure(self, point: Point) -> float:
        _, J, _ = self.matrix(point.q, point.t, point.turns)
        return float(linear.singular_values(J)[-1]) * (point.sign or 1.0)

    def behind(self, point: Point, h: float) -> Point:
        """The same motion a little earlier."""
        found, _ = self.follower.reach(replace(point), point.t - h)
        return found

    def toward(self, point: Point, t: float) -> Point | None:
        found, reason = self.follower.reach(point, t)
        return found if reason == path.FINE else None

    # -- exactly ----------------------------------------------------------------------------------------------------------
    def start(self, point: Point) -> np.ndarray:
        """The singular configuration a motion starts at: assembly finds it to 1e-8 only."""
        q, t = self.refined(point.q, point.t, point.turns, _period(self.machine, None))
        moved = float(np.abs(q - point.q).max(initial=0.0)), abs(t - point.t) * self.asked(q, t, point.turns, 1.0)
        return q if moved[0] < HAIR * self.machine.length and moved[1] < HAIR**2 else point.q

    def asked(self, q: np.ndarray, t: float, turns: np.ndarray, period: float) -> float:
        """|nu|, what drivers ask for, at its greatest in this time: at t itself they may stand."""
        return max(float(np.linalg.norm(self.matrix(q, t + h, turns)[2])) for h in (-0.3 * period, 0.0, 0.3 * period))

    def refined(self, q: np.ndarray, t: float, turns: np.ndarray, period: float) -> tuple[np.ndarray, float]:
        """Newton on the conditions of a singular point, from a place near it; that place where it does not converge.

        Unknown are the displacement, t and the left null vector beta: Phi = 0, Phi_v^T beta = 0, beta . beta0 = 1.
        Where branches cross this is singular itself; with beta . nu = 0 and a multiple of beta0 in the first equation
        as one more unknown it is not.
        """
        q0, t0, n = q, t, len(self.scale)
        _, J, nu = self.matrix(q, t, turns)
        beta0 = linear.svd(J)[0][:, -1]
        beta, mu = beta0, 0.0
        crossing = abs(beta0 @ nu) < 1e-3 * self.asked(q, t, turns, period)
        for _ in range(12):
            Phi, J, nu = self.matrix(q, t, turns)
            slope, quicker = self.slopes(q, t, turns, beta)
            rows = [
                np.hstack([J, -nu[:, None], np.zeros((n, n)), beta0[:, None]]),
                np.hstack([self.curvature(q, t, turns, beta), slope[:, None], J.T, np.zeros((n, 1))]),
                np.concatenate([np.zeros(n + 1), beta0, [0.0]])[None],
                np.concatenate([-slope, [quicker], nu, [0.0]])[None] if crossing else np.eye(1, 2 * n + 2, 2 * n + 1),
            ]
            residual = [Phi + mu * beta0, J.T @ beta, [beta0 @ beta - 1], [beta @ nu if crossing else mu]]
            d = linear.lstsq(np.vstack(rows), -np.concatenate(residual), rcond=None)[0]
            q, t = self.machine.retract(q, d[:n] * self.scale), t + float(d[n])
            beta, mu = beta + d[n + 1 : 2 * n + 1], mu + float(d[-1])
            size = float(np.abs(d).max())
            if not np.isfinite(size) or size > 0.5 or size < 1e-12:
                break
        return (q, t) if size < 1e-6 and abs(mu) < 1e-9 else (q0, t0)

    def slopes(self, q: np.ndarray, t: float, turns: np.ndarray, beta: np.ndarray) -> tuple[np.ndarray, float]:
        """The derivatives of Phi_v^T beta and nu . beta by time; of a Newton matrix only, so differences are enough."""
        h = 1e-6 * max(abs(t), 1.0)
        later, earlier = self.matrix(q, t + h, turns), self.matrix(q, t - h, turns)
        J_t, nu_t = ((b - a) / (2 * h) for a, b in zip(earlier[1:], later[1:], strict=True))
        return J_t.T @ beta, float(nu_t @ beta)

    def curvature(self, q: np.ndarray, t: float, turns: np.ndarray, beta: np.ndarray) -> np.ndarray:
        """The derivative of Phi_v^T beta by displacements, all scaled."""
        lam = np.zeros(len(self.machine.system.rows))
        lam[self.follower.chosen] = beta / self.lengths
        H = self.machine.system.curvature(*self.follower._inputs(q, np.zeros(len(self.scale)), t, turns), lam)
        return dense(H) * np.outer(self.scale, self.scale)

    # -- what it is -------------------------------------------------------------------------------------------------------
    def classify(self, q: np.ndarray, t: float, turns: np.ndarray, before: np.ndarray | None) -> Singularity:
        machine = self.machine
        equations = degenerate(machine, q, t, turns)
        if equations.regular and len(machine.system.rows) == machine.nv:  # no others to choose: the motion did get stuck
            equations = replace(equations, rank=machine.nv - 1)
        names = [r.element.name for r in self.machine.system.rows]
        elements = list(dict.fromkeys(names[k] for k in equations.involved()))
        velocities: list[np.ndarray] = []
        if equations.regular:
            kind = "choice"
        elif equations.locked(_period(machine, before)):
            kind = "lock-up"
        else:
            kind = "bifurcation"
            velocities = equations.branches(before)
            if before is not None:
                velocities.sort(key=lambda v: float(np.linalg.norm((v - before) / self.scale)))
        return Singularity(kind, t, q, turns, velocities, elements, equations)


def step_off(follower: Follower, found: Singularity, at: Point) -> Point:
    """A regular point a little further along the branch that leaves the singular point with the velocity of `at`."""
    speed = max(float(np.abs(at.v / follower.scale).max()), 1e-12)
    h = 1e-2 / speed
    while h > 1e-9 * max(abs(found.time), 1.0):
        d = h * at.v + 0.5 * h * h * at.a
        q, reason, total = follower.correct(follower._retract(found.q, d), found.time + h, found.turns)
        if reason == path.FINE and np.linalg.norm(total / follower.scale) < 0.05 * np.linalg.norm(d / follower.scale):
            turns = follower.equations.turned(*follower._inputs(q, at.v, found.time + h, found.turns))[0]
            return follower.point(q, found.time + h, turns)
        h *= 0.5
    raise SingularityError(
        f"the branch at t = {found.time:.9g} cannot be followed",
        kind=found.kind,
        time=found.time,
        element=found.elements,
        remedy="choose another branch",
    )


def elsewhere(machine: Machine, q: np.ndarray, t: float, here: int | None = None) -> np.ndarray:
    """A configuration nearby in which the joints close (drivers aside), as regular as can be found: rank there is rank
    in general. here: the rank of the joints at q, where known."""
    problem = Closure(machine, t, drivers=False)
    J = problem.equations(q)[1]
    best, best_rank = q, rank_of(J, machine.scale) if here is None else here
    large = machine.nv > size_policy.SPARSE
    if best_rank == J.shape[0] and large:  # it can be no higher, and a search takes long
        return q
    for found in _moved_a_little(problem, q, J) if large else _displaced(problem, q):
        rank = rank_of(problem.equations(found.q)[1], machine.scale) if found.closed else -1
        if rank >= best_rank:
            better, best, best_rank = rank > best_rank, found.q, rank
            if better or large:
                break
    return best


def _displaced(problem: Closure, q: np.ndarray) -> Iterator[Found]:
    """Near places to which all coordinates were displaced by chance."""
    machine, rng = problem.machine, np.random.default_rng(1)
    for size in (0.1, 0.3, 0.05):
        start = machine.retract(q, size * rng.normal(size=machine.nv) * machine.scale)
        yield nearest(problem, start, np.ones(machine.nq))


def _moved_a_little(problem: Closure, q: np.ndarray, J: Any) -> Iterator[Found]:
    """The same of large machines: moved as the joints allow, and closed again. Searches would take long there."""
    machine, rng = problem.machine, np.random.default_rng(1)
    free = free_motions(J, machine.scale)
    for size in (0.1, 0.02) if free.shape[1] else ():
        d = free @ rng.normal(size=free.shape[1])
        yield close(problem, machine.retract(q, d * size / np.abs(d / machine.scale).max()))
