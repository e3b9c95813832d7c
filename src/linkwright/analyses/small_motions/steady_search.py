"""The search for a steady motion: positions and velocities at which accelerations are those of turning, and stay so.

In axes that turn with Omega about the vertical (see `turning`) nothing changes: accelerations are those of turning alone,
r = vdot - Omega x v = 0 along all that is free to move, and they stay so, rdot = 0. Both are solved for positions and
velocities together, by Gauss and Newton's method with the least step: what they leave open, such as where a governor begins
its turn, stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.closure import Closure
from linkwright.analyses.assembly.fixes import Fixes
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.motion.run import Progress
from linkwright.analyses.small_motions.steps import bounded, saddle
from linkwright.analyses.small_motions.turning import Axes
from linkwright.analyses.statics.reduced import free_directions
from linkwright.compile import Function
from linkwright.errors import AssemblyError, LinkwrightError, ModelError
from linkwright.regularisation import LEAST_SQUARES
from linkwright.solve import nearest
from linkwright.solve.rank import scaled
from linkwright.system.mechanics import Mechanics

STEPS = 60
LARGEST, FASTER = 0.3, 3.0  # of a step: radians, or lengths of the machine; speeds, by the fastest
AHEAD = 1e-4  # radians to both sides, between which rates are taken
RATE = 1e-2  # how much rates of accelerations count beside these: they are known by differences only
SLOPE = 1e-6  # the same, between which derivatives are taken
DETERMINED = 1e-12  # slopes of the rates of states by states below this, by the largest, say nothing
FELT = 1e-3  # of the largest slope: less is told from rounding only where all else has come to its place
QUIET = 1e-10  # what is at rest, and is left with less of accelerations, stands in its equilibrium
TURNS = 10.0  # axes turn no faster than so many times the fastest rate: what stands still in them would move as fast
STILL = 1e-9  # a step below this ends the search: what differences of accelerations allow
LEFT = 1e-6  # of the accelerations that are, and that forces would make alone, which a steady motion may have


@dataclass(frozen=True)
class At:
    q: np.ndarray
    v: np.ndarray


class Search:
    def __init__(self, machine: LoadedMachine, t: float, follows: bool = True, progress: Progress | None = None) -> None:
        """follows: states are those at which they stand still; else they stay as they are."""
        self.machine, self.t, self.follows, self.progress = machine, t, follows, progress
        self.used = 0  # steps
        order = machine.model.order
        values = {q: machine.model.value(x) for q, x in machine.model.fixed.items()}
        self.places: dict[Any, float] = {q: x for q, x in values.items() if order(q) == 0}
        self.rates = {q: x for q, x in values.items() if order(q) == 1}
        self.turning = self._world()
        self.moving = np.zeros(0, int)  # the free motions that a step of the search has moved

    def _world(self) -> np.ndarray:
        """The rotations under which the world stays what it is, as columns: all, or those about gravity."""
        m = self.machine.model
        if m.dimension == 2:
            return np.ones((1, 1)) if not any(m.value(g) for g in m.gravity) else np.zeros((1, 0))
        g = np.array([m.value(x) for x in m.gravity])
        return np.eye(3) if not g.any() else (g / np.linalg.norm(g))[:, None]

    def free(self, at: At) -> tuple[np.ndarray, list[str]]:
        """The free motions as columns of one size, and the names of the velocities that tell them."""
        Z, names = free_directions(self.machine, self.machine.Phi_and_J(at.q, self.t)[1], None)
        return Z / np.linalg.norm(Z / self.machine.scale[:, None], axis=0), names

    # -- equations -------------------------------------------------------------------------------------------------------
    def accelerations(self, at: At, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Along the free motions Z what is left of vdot in turning axes; Omega; vdot."""
        m = self.machine
        m.settle(at.q, self.t)
        self._rest_states(at)
        vdot, M = self._vdot(at)
        along = linear.solve(Z.T @ M @ Z, Z.T @ M) if Z.shape[1] else Z.T
        D = np.linalg.norm(Z / m.scale[:, None], axis=0)[:, None]
        columns = np.stack([Axes(m, w).turning(at.q) @ at.v for w in self.turning.T], axis=1) if self.turning.size else None
        own = D * (along @ vdot[:, None])
        if columns is None:
            return own[:, 0], np.zeros(len(self.turning)), vdot
        # all that turns is weighed by mass: of what is at rest in the axes the whole velocity turns
        root = np.sqrt(np.maximum(M.diagonal(), 0.0))
        Omega = self.turning @ linear.lstsq(root[:, None] * columns, root * vdot, rcond=LEAST_SQUARES)[0]
        Omega *= min(1.0, TURNS * self.speed(at) / max(float(np.linalg.norm(Omega)), 1e-300))
        turned = Axes(m, Omega).turning(at.q) @ at.v
        return (own - D * (along @ turned[:, None]))[:, 0], Omega, vdot

    def _vdot(self, at: At) -> tuple[np.ndarray, np.ndarray]:
        """vdot and M. A search asks thousands of times: by sparse factors, where those of rows that depend tell enough."""
        m = self.machine
        terms = m.terms(at.q, at.v, self.t)
        if m.is_sparse and not m.system.frictions:
            S, lengths = scaled(terms.J, m.scale)
            M, D = terms.M, m.scale
            size = float(np.abs(M.diagonal() * D * D).max(initial=0.0)) or 1.0
            found = saddle(M * (D[:, None] * D / size), S, D * (terms.Q - terms.h) / size, terms.gamma / lengths)
            if found is not None:
                return D * found, M
        return m.solve(at.q, at.v, self.t).vdot, terms.M

    def objection_to_states(self, at: At) -> LinkwrightError | None:
        """To a state that does not follow from the motion."""
        m = self.machine
        if not (m.states.any() and self.follows):
            return None
        m.settle(at.q, self.t)
        slopes = m.system.state_changes(*m.load_args(at.q, at.v, self.t))[3]
        sizes = linear.svd(slopes)[1]
        if sizes[-1] > DETERMINED * max(1.0, sizes[0]):
            return None
        name = list(m.model.states)[int(np.argmin(np.abs(slopes).max(axis=1)))]
        return ModelError(
            f"the state {name} does not follow from the motion: it may move on, or stand anywhere", element=name,
            remedy="let lw.dynamics run until nothing changes, and give linearize its end",
        )  # fmt: skip

    def _rest_states(self, at: At) -> None:
        """States such that they stand still at this motion; what does not follow from it stays (see above)."""
        m = self.machine
        for _ in range(STEPS if m.states.any() and self.follows else 0):
            args = m.load_args(at.q, at.v, self.t)
            rates, slopes = m.system.state_rates(*args)[0], m.system.state_changes(*args)[3]
            step = linear.lstsq(slopes, -rates, rcond=DETERMINED)[0]
            m.turns[m.states] += step
            if np.abs(step).max() <= 1e-13 * (1e-300 + np.abs(m.turns[m.states]).max()):
                break

    def speed(self, at: At) -> float:
        """The fastest rate; one radian a second, or a length of the machine, where it is slower."""
        return max(float(np.abs(at.v / self.machine.scale).max(initial=0.0)), 1.0)

    def unsteadiness(self, at: At) -> float:
        """What is left of accelerations, and of their rates, by the accelerations that are and that forces would make."""
        m, (Z, _) = self.machine, self.free(at)
        left = self.residual(at, Z, self.speed(at)) * self.speed(at) ** 2
        states = m.rates_of_states(at.q, at.v, self.t, m.turns) if not self.follows else np.zeros(0)
        sizes = 1e-9 + np.abs(m.turns[m.states]) if len(states) else np.zeros(0)
        return float(np.abs(left).max(initial=0.0)) / self._usual(at) + float(np.abs(states / sizes).max(initial=0.0))

    def _usual(self, at: At) -> float:
        """Accelerations that are, and that forces of single elements would make, as lengths of the machine by s^2."""
        m = self.machine
        found = float(np.abs(m.solve(at.q, at.v, self.t).vdot / m.scale).max(initial=0.0))
        (Q,) = _loads(m.system)(*m.load_args(at.q, at.v, self.t))
        mass = m.terms(at.q, at.v, self.t).M.diagonal()
        some = mass > 0
        alone = np.abs(Q[:, some] / mass[some] / m.scale[some]) if len(Q) else np.zeros(0)
        return found + float(alone.max(initial=0.0)) + self.speed(at) ** 2 * RATE**3 + 1e-12

    def residual(self, at: At, Z: np.ndarray, speed: float) -> np.ndarray:
        """By the square of a speed, and by its cube."""
        m = self.machine
        r, _, vdot = self.accelerations(at, Z)
        h = AHEAD / speed
        ahead, behind = (
            self.accelerations(At(m.retract(at.q, s * h * at.v), at.v + s * h * vdot), Z)[0] for s in (1.0, -1.0)
        )
        return np.concatenate([r / speed**2, RATE * (ahead - behind) / (2 * h) / speed**3])

    def moved(self, at: At, Z: np.ndarray, step: np.ndarray) -> At | None:
        """Displaced along Z by the first half of the step, velocities by the second; closed again."""
        m, n = self.machine, Z.shape[1]
        found = nearest.close(Closure(m, self.t, self.places), m.retract(at.q, Z @ step[:n]))
        if not found.closed:
            return None
        m.settle(found.q, self.t)
        return At(found.q, self._allowed(found.q, at.v + Z @ step[n:]))

    def _allowed(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The velocity nearest to v that joints allow and that has the values that are fixed."""
        m = self.machine
        J, c = m.Phi_and_J(q, self.t)[1], m.nu(q, self.t)
        if self.rates:
            rest, J = Fixes(m, self.rates, order=1).joined(-c, J, q, self.t)
            c = -rest
        if not len(J):
            return v
        S, lengths = scaled(J, m.scale)
        missing = (c - J @ v) / lengths
        d = saddle(np.eye(len(v)), S, np.zeros(len(v)), missing) if m.is_sparse else None
        return np.asarray(v + m.scale * (linear.lstsq(S, missing, rcond=LEAST_SQUARES)[0] if d is None else d))

    # -- the search ------------------------------------------------------------------------------------------------------
    def solved(self, at: At) -> tuple[At, int]:
        self.used = 0
        while self.used < STEPS:
            Z, _ = self.free(at)
            speed = self.speed(at)
            now = self.residual(at, Z, speed)
            after = self._shorter(at, Z, self._step(at, Z, now, speed), now)
            if after is None and self.unsteadiness(at) > LEFT:
                after = self._shorter(at, Z, self._step(at, Z, now, speed, whole=True), now)
            self.used += 1
            if after is None:
                break
            at = after
        return at, self.used

    def objection(self, at: At) -> LinkwrightError | None:
        """To what the search has come to: it is not steady, or a state does not follow from it."""
        if self.unsteadiness(at) <= LEFT:
            return self.objection_to_states(at)
        Z, names = self.free(at)
        left = self.residual(at, Z, self.speed(at))
        worst = names[int(np.argmax(np.abs(left))) % len(names)]
        return AssemblyError(
            f"no steady motion was found: {worst} keeps changing", element=worst.rpartition(".")[0],
            remedy="begin nearer, by estimates of positions and velocities or start=; fix the speed that is meant",
        )  # fmt: skip

    def _step(self, at: At, Z: np.ndarray, now: np.ndarray, speed: float, whole: bool = False) -> np.ndarray:
        """The least that solves the linearised equations, or comes near to it within LARGEST and FASTER; speeds count by the
        fastest. whole: all that is free may move, else not what is at rest apart from the rest."""
        n = Z.shape[1]
        size = np.concatenate([np.ones(n), np.full(n, speed)])
        slopes = np.zeros((len(now), 2 * n))

        def slope(d: np.ndarray) -> np.ndarray:
            pair = [self.moved(at, Z, s * SLOPE * size * d) for s in (1.0, -1.0)]
            if any(x is None for x in pair):
                return np.zeros(len(now))
            ahead, behind = (self.residual(x, Z, speed) for x in pair if x is not None)
            return np.asarray((ahead - behind) / (2 * SLOPE))

        D = 1.0 / self.machine.scale
        rates = linear.lstsq(Z * D[:, None], at.v * D, rcond=LEAST_SQUARES)[0]  # along the free motions
        at_rest = (np.abs(np.vstack([now.reshape(2, n), rates / speed])) < QUIET).all(axis=0) & (not whole)
        at_rest[self.moving[self.moving < n]] = False
        asked = np.flatnonzero(~np.tile(at_rest, 2))
        while len(asked):
            for done, k in enumerate(asked.tolist()):
                slopes[:, k] = slope(np.eye(2 * n)[k])
                if self.progress is not None:
                    self.progress(self.used, (done + 1) / len(asked))
            asked = self._also(slopes, at_rest, slope)
        self.moving = np.flatnonzero(~at_rest)
        return np.asarray(size * bounded(slopes, -now, np.concatenate([np.full(n, LARGEST), np.full(n, FASTER)])))

    @staticmethod
    def _also(slopes: np.ndarray, at_rest: np.ndarray, slope: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Columns of what is at rest and yet counts: its rows feel what is not, or the rows of that feel it. What neither
        feels nor is felt stays as it is. Others become active in `at_rest`."""
        n = len(at_rest)
        least = FELT * np.abs(slopes).max(initial=0.0)
        felt = (np.abs(slopes).reshape(2, n, 2 * n) > least).any(axis=(0, 2)) & at_rest
        active, draw = np.tile(~at_rest, 2), np.random.default_rng(0).uniform(0.5, 1.0, 2 * n)

        def acting(some: np.ndarray) -> list[int]:
            """Those of some motions that act on what is active, by halves."""
            d = np.where(np.isin(np.tile(np.arange(n), 2), some), draw, 0.0)
            if not len(some) or not (np.abs(slope(d)[active]) > least).any():
                return []
            half = len(some) // 2
            return [int(some[0])] if not half else acting(some[:half]) + acting(some[half:])

        felt[acting(np.flatnonzero(at_rest & ~felt))] = True
        at_rest[felt] = False
        return np.flatnonzero(np.tile(felt, 2))

    def _shorter(self, at: At, Z: np.ndarray, step: np.ndarray, now: np.ndarray) -> At | None:
        speed, n = self.speed(at), Z.shape[1]
        if max(float(np.abs(x).max(initial=0.0)) for x in (step[:n], step[n:] / speed)) < STILL:
            return None
        for _ in range(12):
            after = self.moved(at, Z, step)
            if after is not None and np.linalg.norm(self.residual(after, Z, speed)) < np.linalg.norm(now):
                return after
            step = 0.4 * step
        return None


def _loads(system: Mechanics) -> Function:
    """The generalised forces of each element that pushes, a row each."""
    rows = [[load.Q.get(k, 0.0) for k in range(system.nv)] for load in system.loads.all]
    Q = np.array(rows, dtype=object).reshape(len(rows), system.nv)
    return system.once("steady", "loads", lambda: system.load_function("forces of elements", {"Q": Q}))
