"""Steady motions: a governor at speed, a conical pendulum, a top that precesses, a rotor in its bearings.

In axes that turn with Omega about the vertical (see `turning`) nothing changes: accelerations are those of turning alone,
r = vdot - Omega x v = 0 along all that is free to move, and they stay so, rdot = 0. Both are solved for positions and
velocities together, by Gauss and Newton's method with the least step: what they leave open, such as where a governor begins
its turn, stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.closure import Closure
from linkwright.analyses.assembly.fixes import Fixes
from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.dynamics.dynamics import dynamics
from linkwright.analyses.machine.ask import ask
from linkwright.analyses.machine.channels import Motion, body_channels
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.reactions import Forces
from linkwright.analyses.machine.recorded import recorded
from linkwright.analyses.motion.run import Progress
from linkwright.analyses.small_motions.apart import grouped, of_motions, parts
from linkwright.analyses.small_motions.steps import bounded, saddle
from linkwright.analyses.small_motions.turning import Axes
from linkwright.analyses.statics.reduced import free_directions
from linkwright.compile import Function
from linkwright.errors import AssemblyError, LinkwrightError, ModelError
from linkwright.later import sparse
from linkwright.model import Model
from linkwright.regularisation import LEAST_SQUARES
from linkwright.results import Audit
from linkwright.results.motion import Steady
from linkwright.solve import nearest
from linkwright.solve.blas import single_threaded
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
FEW = 12  # slopes up to which each is taken by itself
STILL = 1e-9  # a step below this ends the search: what differences of accelerations allow
LEFT = 1e-6  # of the accelerations that are, and that forces would make alone, which a steady motion may have
NEARLY = 1e-3  # the same, where a machine that was let go is near a steady motion
SPANS, MOST = (1.0, 10.0, 100.0, 1000.0), 5000  # s for which it is let go, one after the other, and steps of each


@by_name
@recorded
@single_threaded
def steady(
    model: Model,
    fixed: Mapping[Any, Any] | None = None,
    t: float = 0.0,
    *,
    start: Any = None,
    progress: Progress | None = None,
) -> Steady:  # fmt: skip
    """The steady motion near the estimates, or near `start`: one that looks the same at any time in axes that turn.

    Where none is found from there, and nothing is fixed, the machine is let go for a while, and the search begins anew where
    it has come to: a motor finds its speed from rest.

    Parameters
    ----------
    model : Model
        The machine; it is not changed.
    fixed : mapping, optional
        Quantities that have given values: the speed of a shaft, the tilt of a top. {shaft.omega: 11.0}
    t : float
        Drivers go on as they do at this time.
    start : Configuration or Result, optional
        Where to begin, instead of the estimates.
    progress : function, optional
        Called as progress(steps, part) while slopes are taken: steps that are done, and the part of the next, from 0 to 1.

    Returns
    -------
    Steady
        Positions, velocities, reactions by channel, `turning` (Omega) and `residual`; `lw.linearize(m, s)` tells whether the
        motion is stable.

    Examples
    --------
    >>> import linkwright as lw
    >>> m = lw.SpatialModel("governor", gravity=(0, 0, -9.81))
    >>> shaft = m.body("shaft", mass=1.0, inertia=(1, 1, 1), omega=(0, 0, 4.0))
    >>> arm = m.body("arm", mass=1.0, inertia=(1e-6, 1e-6, 1e-6), position=(0.6, 0, -0.8))
    >>> spin = m.add(lw.Revolute("spin", m.ground.at(0, 0, 0), shaft.at(0, 0, 0)))
    >>> hinge = m.add(lw.Revolute("hinge", shaft.frame((0, 0, 0), (0, 1, 0)), arm.frame((-0.6, 0, 0.8), (-0.6, 1, 0.8))))
    >>> s = lw.steady(m, {spin.omega: 4.0})
    >>> round(s["arm.z"], 4)  # -g / omega^2
    -0.6131
    """
    asked = model.copy()
    for quantity, value in (fixed or {}).items():
        asked.fix(quantity, value)
    found = _near(asked, model, t, start, progress)
    if not isinstance(found, Steady) and not fixed:
        found = _let_go(asked, model, t, start, found, progress)
    if not isinstance(found, Steady):
        raise found
    return found


def _near(
    asked: Model, model: Model, t: float, start: Any, progress: Progress | None, how: str = ""
) -> Steady | LinkwrightError:
    """The steady motion near the start, or why there is none."""
    machine = LoadedMachine(asked, t)
    begin = initial_state(machine, t, start)
    search = _Search(machine, t, progress=progress)
    at = _At(begin.q, begin.v)
    if start is not None:  # which may have had other values of what is fixed
        at = search.moved(at, np.zeros((machine.nv, 0)), np.zeros(0)) or at
    return _solved(machine, model, at, search, f"Gauss and Newton, {{}} steps{how}")


def _solved(machine: LoadedMachine, model: Model, at: _At, search: _Search, how: str) -> Steady | LinkwrightError:
    """how: what the audit says, with the number of steps put in."""
    if found := search.objection_to_states(at):
        return found
    at, used = search.solved(at)
    return search.objection(at) or _result(machine, model, at, search, how.format(used))


def _let_go(
    asked: Model, model: Model, t: float, start: Any, first: LinkwrightError, progress: Progress | None
) -> Steady | LinkwrightError:
    """Where the machine comes to by itself; the first error, and what it does, where that is no steady motion."""
    gone, run = 0.0, start
    for span in SPANS:
        run = ask(dynamics, asked, start=run, t_start=t, t_eval=[t + span], max_steps=MOST).found
        if run is None:
            break
        gone += span
        machine = LoadedMachine(asked, t)
        begin = initial_state(machine, t, run)
        search = _Search(machine, t, follows=False, progress=progress)
        if search.unsteadiness(_At(begin.q, begin.v)) < NEARLY:
            at = _At(begin.q, begin.v)
            if _Search(machine, t).objection_to_states(at):
                found = _solved(machine, model, at, search, f"let go for {gone:g} s, {{}} steps")
            else:
                found = _near(asked, model, t, run, progress, f", let go for {gone:g} s before")
            if isinstance(found, Steady):
                return found
    after = f"; let go, it moves on after {gone:g} s" if gone else ""
    return type(first)(f"{first.cause}{after}", element=first.element, remedy=first.remedy)


@dataclass(frozen=True)
class _At:
    q: np.ndarray
    v: np.ndarray


@dataclass(frozen=True)
class _Turned:
    """Accelerations, and what turning of the axes makes of velocities, by each of the ways that the world allows it."""

    vdot: np.ndarray
    own: np.ndarray  # along the free motions
    columns: np.ndarray
    turned: np.ndarray  # along the free motions
    root: np.ndarray  # of masses

    @property
    def weights(self) -> np.ndarray:
        return np.asarray(self.root[:, None] * self.columns)

    @property
    def best(self) -> np.ndarray:
        """The turning that explains the accelerations best."""
        return np.asarray(linear.lstsq(self.weights, self.root * self.vdot, rcond=LEAST_SQUARES)[0])

    def left(self, by: np.ndarray) -> np.ndarray:
        return np.asarray(self.own - self.turned @ by)

    def with_part(self, other: _Turned, displacements: np.ndarray, motions: np.ndarray) -> np.ndarray:
        """What is left where a part is as in `other`: its displacements and its free motions, as masks."""
        root, vdot = (np.where(displacements, a, b) for a, b in ((other.root, self.root), (other.vdot, self.vdot)))
        columns = np.where(displacements[:, None], other.columns, self.columns)
        by = _Turned(vdot, self.own, columns, self.turned, root).best
        return np.where(motions, other.left(by), self.left(by))


def _rates(three: list[np.ndarray], speed: float) -> np.ndarray:
    """Of what is left here, a little later and earlier: by the square of a speed, and its rate by the cube."""
    here, ahead, behind = three
    return np.concatenate([here / speed**2, RATE * (ahead - behind) / (2 * AHEAD / speed) / speed**3])


class _Search:
    def __init__(self, machine: LoadedMachine, t: float, follows: bool = True, progress: Progress | None = None) -> None:
        """follows: states are those at which they stand still; else they stay as they are."""
        self.machine, self.t, self.follows, self.progress = machine, t, follows, progress
        self.used = 0  # steps
        order = machine.model.order
        values = {q: machine.model.value(x) for q, x in machine.model.fixed.items()}
        self.places: dict[Any, float] = {q: x for q, x in values.items() if order(q) == 0}
        self.rates = {q: x for q, x in values.items() if order(q) == 1}
        self.turning = self._world()
        self.fixes: Fixes | None = None  # of rates, made once
        self.parts = parts(machine)
        self.moving = np.zeros(0, int)  # the free motions that a step of the search has moved

    def _world(self) -> np.ndarray:
        """The rotations under which the world stays what it is, as columns: all, or those about gravity."""
        m = self.machine.model
        if m.dimension == 2:
            return np.ones((1, 1)) if not any(m.value(g) for g in m.gravity) else np.zeros((1, 0))
        g = np.array([m.value(x) for x in m.gravity])
        return np.eye(3) if not g.any() else (g / np.linalg.norm(g))[:, None]

    def free(self, at: _At) -> tuple[np.ndarray, list[str]]:
        """The free motions as columns of one size, and the names of the velocities that tell them."""
        Z, names = free_directions(self.machine, self.machine.Phi_and_J(at.q, self.t)[1], None)
        return Z / np.linalg.norm(Z / self.machine.scale[:, None], axis=0), names

    # -- equations -------------------------------------------------------------------------------------------------------
    def accelerations(self, at: _At, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Along the free motions Z what is left of vdot in turning axes; Omega; vdot."""
        found = self._turned(at, Z)
        by = found.best
        return found.left(by), self.turning @ by, found.vdot

    def _turned(self, at: _At, Z: np.ndarray) -> _Turned:
        m = self.machine
        m.settle(at.q, self.t)
        self._rest_states(at)
        vdot, M = self._vdot(at)
        MZ = np.asarray(sparse.csr_array(M) @ Z if m.is_sparse else M @ Z)
        along = linear.solve(Z.T @ MZ, MZ.T) if Z.shape[1] else Z.T
        along = np.linalg.norm(Z / m.scale[:, None], axis=0)[:, None] * along
        columns = np.zeros((len(vdot), self.turning.shape[1]))
        for k, w in enumerate(self.turning.T):
            columns[:, k] = Axes(m, w).turned(at.q, at.v)
        # all that turns is weighed by mass: of what is at rest in the axes the whole velocity turns
        return _Turned(vdot, along @ vdot, columns, along @ columns, np.sqrt(np.maximum(M.diagonal(), 0.0)))

    def _vdot(self, at: _At) -> tuple[np.ndarray, np.ndarray]:
        """vdot and M. A search asks thousands of times: by sparse factors, where those of rows that depend tell enough."""
        m = self.machine
        terms = m.terms(at.q, at.v, self.t)
        if m.is_sparse and not m.system.frictions:
            S, lengths = scaled(terms.J, m.scale)
            M, D = terms.M, m.scale
            size = float(np.abs(M.diagonal() * D * D).max(initial=0.0)) or 1.0
            inertia = sparse.diags_array(D / size) @ sparse.csr_array(M) @ sparse.diags_array(D)
            found = saddle(inertia, S, D * (terms.Q - terms.h) / size, terms.gamma / lengths)
            if found is not None:
                return D * found, M
        return m.solve(at.q, at.v, self.t).vdot, terms.M

    def objection_to_states(self, at: _At) -> LinkwrightError | None:
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

    def _rest_states(self, at: _At) -> None:
        """States such that they stand still at this motion; what does not follow from it stays (see above)."""
        m = self.machine
        for _ in range(STEPS if m.states.any() and self.follows else 0):
            args = m.load_args(at.q, at.v, self.t)
            rates, slopes = m.system.state_rates(*args)[0], m.system.state_changes(*args)[3]
            step = linear.lstsq(slopes, -rates, rcond=DETERMINED)[0]
            m.turns[m.states] += step
            if np.abs(step).max() <= 1e-13 * (1e-300 + np.abs(m.turns[m.states]).max()):
                break

    def speed(self, at: _At) -> float:
        """The fastest rate; one radian a second, or a length of the machine, where it is slower."""
        return max(float(np.abs(at.v / self.machine.scale).max(initial=0.0)), 1.0)

    def unsteadiness(self, at: _At) -> float:
        """What is left of accelerations, and of their rates, by the accelerations that are and that forces would make."""
        m, (Z, _) = self.machine, self.free(at)
        left = self.residual(at, Z, self.speed(at)) * self.speed(at) ** 2
        states = m.rates_of_states(at.q, at.v, self.t, m.turns) if not self.follows else np.zeros(0)
        sizes = 1e-9 + np.abs(m.turns[m.states]) if len(states) else np.zeros(0)
        return float(np.abs(left).max(initial=0.0)) / self._usual(at) + float(np.abs(states / sizes).max(initial=0.0))

    def _usual(self, at: _At) -> float:
        """Accelerations that are, and that forces of single elements would make, as lengths of the machine by s^2."""
        m = self.machine
        found = float(np.abs(m.solve(at.q, at.v, self.t).vdot / m.scale).max(initial=0.0))
        (Q,) = _loads(m.system)(*m.load_args(at.q, at.v, self.t))
        mass = m.terms(at.q, at.v, self.t).M.diagonal()
        some = mass > 0
        alone = np.abs(Q[:, some] / mass[some] / m.scale[some]) if len(Q) else np.zeros(0)
        return found + float(alone.max(initial=0.0)) + self.speed(at) ** 2 * RATE**3 + 1e-12

    def residual(self, at: _At, Z: np.ndarray, speed: float) -> np.ndarray:
        """By the square of a speed, and by its cube."""
        three = self._three(at, Z, speed)
        return _rates([x.left(x.best) for x in three], speed)

    def _three(self, at: _At, Z: np.ndarray, speed: float) -> list[_Turned]:
        """Here, a little later and a little earlier."""
        m, h, here = self.machine, AHEAD / speed, self._turned(at, Z)
        near = [_At(m.retract(at.q, s * h * at.v), at.v + s * h * here.vdot) for s in (1.0, -1.0)]
        return [here, *(self._turned(x, Z) for x in near)]

    def moved(self, at: _At, Z: np.ndarray, step: np.ndarray) -> _At | None:
        """Displaced along Z by the first half of the step, velocities by the second; closed again."""
        m, n = self.machine, Z.shape[1]
        found = nearest.close(Closure(m, self.t, self.places), m.retract(at.q, Z @ step[:n]))
        if not found.closed:
            return None
        m.settle(found.q, self.t)
        return _At(found.q, self._allowed(found.q, at.v + Z @ step[n:]))

    def _allowed(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The velocity nearest to v that joints allow and that has the values that are fixed."""
        m = self.machine
        J, c = m.Phi_and_J(q, self.t)[1], m.nu(q, self.t)
        if self.rates:
            self.fixes = self.fixes or Fixes(m, self.rates, order=1)
            rest, J = self.fixes.joined(-c, J, q, self.t)
            c = -rest
        if not len(J):
            return v
        S, lengths = scaled(J, m.scale)
        missing = (c - J @ v) / lengths
        d = saddle(sparse.eye_array(len(v)), S, np.zeros(len(v)), missing) if m.is_sparse else None
        return np.asarray(v + m.scale * (linear.lstsq(S, missing, rcond=LEAST_SQUARES)[0] if d is None else d))

    # -- the search ------------------------------------------------------------------------------------------------------
    def solved(self, at: _At) -> tuple[_At, int]:
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

    def objection(self, at: _At) -> LinkwrightError | None:
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

    def _step(self, at: _At, Z: np.ndarray, now: np.ndarray, speed: float, whole: bool = False) -> np.ndarray:
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
        part = of_motions(Z, self.parts) if len(asked) > FEW else None
        while len(asked):
            groups = grouped(part, asked) if part is not None else [asked[k : k + 1] for k in range(len(asked))]
            if len(groups) < len(asked) and part is not None:
                taken = self._at_once(at, Z, speed, size, groups, part)
                if taken is None:
                    part = None
                    continue
                slopes[:, asked] = taken[:, asked]
            else:
                for done, k in enumerate(asked.tolist()):
                    slopes[:, k] = slope(np.eye(2 * n)[k])
                    if self.progress is not None:
                        self.progress(self.used, (done + 1) / len(asked))
            asked = self._also(slopes, at_rest, slope)
        self.moving = np.flatnonzero(~at_rest)
        return np.asarray(size * bounded(slopes, -now, np.concatenate([np.full(n, LARGEST), np.full(n, FASTER)])))

    def _at_once(
        self, at: _At, Z: np.ndarray, speed: float, size: np.ndarray, groups: list[np.ndarray], part: np.ndarray
    ) -> np.ndarray | None:
        """The slopes along motions of which those of a group are in different parts, and are made at once; None where
        parts do feel each other. All turn the axes, and feel their turning: it is found as if one part alone moved."""
        n, three = Z.shape[1], self._three(at, Z, speed)
        slopes, apart = np.zeros((2, 2 * n, 2 * n))  # as they are, and with the axes turning as they do

        def moved(d: np.ndarray) -> list[list[_Turned]]:
            pair = [self.moved(at, Z, s * SLOPE * size * d) for s in (1.0, -1.0)]
            return [self._three(x, Z, speed) for x in pair if x is not None]

        def kept(ahead: list[_Turned], behind: list[_Turned]) -> np.ndarray:
            return _rates([a.left(x.best) - b.left(x.best) for a, b, x in zip(ahead, behind, three, strict=True)], speed)

        for done, group in enumerate(groups):
            found = moved(np.isin(np.arange(2 * n), group).astype(float))
            if len(found) < 2:
                return None
            for k in group.tolist():
                own, mine = part == part[k % n], self.parts == part[k % n]
                rates = [_rates([a.with_part(b, mine, own) for a, b in zip(three, to, strict=True)], speed) for to in found]
                slopes[:, k] = rates[0] - rates[1]
                apart[:, k] = np.where(np.tile(own, 2), kept(*found), 0.0)
            if self.progress is not None:
                self.progress(self.used, (done + 1) / len(groups))
        d = np.zeros(2 * n)
        asked = np.concatenate(groups)
        d[asked] = np.random.default_rng(1).uniform(-1.0, 1.0, len(asked)) / np.sqrt(len(asked))
        found = moved(d)
        true = len(found) == 2 and np.abs(kept(*found) - apart @ d).max() <= FELT * np.abs(apart).max()
        return slopes / (2 * SLOPE) if true else None

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

    def _shorter(self, at: _At, Z: np.ndarray, step: np.ndarray, now: np.ndarray) -> _At | None:
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


def _result(machine: LoadedMachine, model: Model, at: _At, search: _Search, how: str) -> Steady:
    t = search.t
    left, Omega, vdot = search.accelerations(at, search.free(at)[0])
    states = States(np.array([t]), at.q[None], at.v[None], machine.turns[None])
    motion = Motion(machine, states.t, states.q, states.turns, states.v, vdot[None])
    forces = Forces(machine, states, vdot[None])
    channels = {**body_channels(machine, at.q[None], at.v[None], vdot[None]), **motion.joint_channels(), **forces.channels()}
    audit = Audit("steady", method=how, points=1, notes=forces.notes())
    rates = motion.rates_of_joints(channels)
    out = Steady(model.name, t, channels, audit, at.q, motion.evaluator(), source=model, derived=rates)
    out.places = forces.places()
    out.turning = float(Omega[0]) if model.dimension == 2 else Omega
    out.residual = float(np.abs(left).max(initial=0.0))
    return out
