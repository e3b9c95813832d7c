"""An integrator of accelerations and multipliers, asked in bodies' states; see `second_order`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.dynamics.chart import Charted, OfBodies
from linkwright.analyses.dynamics.course import COUNTED, Course
from linkwright.analyses.dynamics.whole.alpha_state import AlphaState
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.trouble import DEPENDENT, STUCK, nearest_dependence
from linkwright.compile.called_back import Raised
from linkwright.graph import Expr
from linkwright.model.values import is_some
from linkwright.solve.alpha_matrix import STABILISED
from linkwright.solve.integrate import Integrator
from linkwright.solve.rank import scaled
from linkwright.solve.solution import Interpolant, Solution
from linkwright.solve.stepping import EVENT

PASSED = 0.01  # how far behind a singular position index 3 ends: what bodies move, of the machine's length, or turn
CLEAR = 1e-3  # a position is not yet near a singular one: rounding that is magnified by 1/CLEAR^2 is harmless
TOLD = 1e-6  # where it must begin nearer: singular values of rows, relative to the largest, that still tell something
RECENT, LOOKED = 8, 2000  # blocks of steps that are kept, and how many of the steps are looked at
BODIES = OfBodies()  # coordinates and velocities are the bodies' own


@dataclass(frozen=True)
class Stepping:
    """What a `Stepwise` integrator needs: a machine, the layout of x, the independent rows, a function (t, y) -> x, the
    course; and (t, y) -> the power of forces without potential where laws switch, in the forms that they have now."""

    machine: LoadedMachine
    at: AlphaState
    kept: np.ndarray
    state: Callable[[float, np.ndarray], np.ndarray]
    course: Course
    power: Callable[[float, np.ndarray], float] | None = None


class Stepwise(Charted):
    """An integrator of states x (see `AlphaState`) from one output time to the next, as accelerations and multipliers
    between steps are less exact. References of angles are brought up to date there, and work is added up step by step. Where
    the velocity equations cannot be met, which index 3 does without, a short part of the way is integrated without them."""

    flags_at, turns_at = 6, 4

    def __init__(self, of: Stepping, inside: Integrator, y: np.ndarray, watching: Any, raised: Raised | None) -> None:
        """y: where it is."""
        super().__init__(BODIES, inside, watching, raised)
        self.machine, self.kept, self.state, self.course = of.machine, of.kept, of.state, of.course
        self.at, self.power = of.at, of.power
        self.limited = inside.max_steps
        self._legs: list[Solution] = []
        self._begin_at(y)

    def _begin_at(self, y: np.ndarray) -> None:
        self.work = float(y[-1])
        self.last: tuple[float, float] | None = None  # time and power
        self._turn(y[self.machine.nq + self.machine.nv : -1])

    def _turn(self, turns: np.ndarray) -> None:
        self.turns = np.array(turns)
        self.inside.ins[self.turns_at][:] = self.turns

    def limit(self, steps: int | None) -> None:
        self.limited = steps

    @property
    def y(self) -> np.ndarray:
        return self._bodies(self.inside.t, self.inside.y)

    def _bodies(self, t: float, x: np.ndarray, work: float | None = None) -> np.ndarray:
        m, q, v = self.machine, self.at.q(x), self.at.v(x)
        turns = self.at.turns(x, self.turns)
        if len(turns):
            turns = m.system.turned(q, v, np.array([t]), m.b, turns, np.zeros(m.nv))[0]
        return np.concatenate([q, v, turns, [self.work if work is None else work]])

    def restart(self, t: float, y: np.ndarray, **options: Any) -> None:
        self._begin_at(y)
        self.inside.restart(t, self.state(t, y), **options)

    # -- from output to output ---------------------------------------------------------------------------------------------
    def run(self, t_end: float, t_eval: np.ndarray, looks: np.ndarray, **options: Any) -> Solution:
        path = self.course.times.path
        goal = float(path[np.searchsorted(path, self.t, side="right")])
        self._options, self._legs = options, []
        self._recent: deque[tuple[np.ndarray, np.ndarray, np.ndarray]] = deque(maxlen=RECENT)
        self._ahead, self._looks = deque(looks[looks < goal]), list[tuple[float, np.ndarray, np.ndarray]]()
        solution = self._leg(goal)
        while self._is_stuck(solution) and (passed := self._pass(goal)) is not None:
            solution = passed if passed.t_last >= goal or passed.status == EVENT else self._leg(goal)
        return self._told(solution, goal)

    def _leg(self, t: float) -> Solution:
        self._recent.clear()
        if self.limited is not None:
            used = sum(leg.steps for leg in self._legs)
            self.inside.max_steps = self.limited - used
        solution = self.inside.run(t, sink=self._take, **self._options)
        self._legs.append(solution)
        return solution

    def _told(self, solution: Solution, goal: float) -> Solution:
        """The solution in bodies' states: that of all legs together, with the output there is."""
        t, x, legs = solution.t_last, solution.y_last, self._legs
        y = self._bodies(t, x)
        self._turn(y[self.machine.nq + self.machine.nv : -1])
        shown = [look for look in self._looks if look[0] < t]
        if solution.success and t >= goal:
            shown.append((t, y, x))
        self.own = np.array([own for *_, own in shown]).reshape(len(shown), len(x))
        parts = [leg.sol for leg in legs if leg.sol is not None and len(leg.sol.spans)]
        sol = None
        if parts:
            sol = Interpolant.of(parts[0].nodes, [(part.spans, part.values) for part in parts])
        counted = {name: sum(getattr(leg, name) for leg in legs) for name in COUNTED}
        return replace(
            solution, t=np.array([at for at, *_ in shown]), y=np.array([z for _, z, _ in shown]).reshape(-1, len(y)),
            y_last=y, t_events=[np.concatenate(times) for times in zip(*[leg.t_events for leg in legs], strict=True)],
            sol=sol, **counted,
        )  # fmt: skip

    # -- singular positions ------------------------------------------------------------------------------------------------
    def _is_stuck(self, solution: Solution) -> bool:
        """Whether the method failed because the velocity equations cannot be met."""
        if solution.status not in STUCK or not self.inside.coef[STABILISED]:
            return False
        return nearest_dependence(self.machine, solution.t_last, solution.y_last[: self.machine.nq], self.kept) < DEPENDENT

    def _pass(self, end: float) -> Solution | None:
        """A little way at index 3 from the last state before it, and velocities that meet their equations at its end; None
        where that does not go, either.

        Where motions cross the multipliers of a machine that passes may have a pole, lam = c/s at a distance s, though its
        motion is smooth; and velocities there follow from positions divided by s, so that rounding is magnified by 1/s^2.
        """
        it, m = self.inside, self.machine
        t, x = self._before()
        speed = max(float(np.abs(x[m.nq : m.nq + m.nv] / m.scale).max()), 1e-300)
        way = min(2 * (it.t - t) + PASSED / speed, end - t)  # as far behind it as before, and on
        it.coef[STABILISED] = 0.0
        it.restart(t, x, first_step=0.1 * way)
        passed = self._leg(t + way)
        it.coef[STABILISED] = 1.0
        if not passed.success:
            return None
        if passed.status != EVENT:
            it.restart(passed.t_last, self._settled(passed.t_last, passed.y_last), first_step=0.1 * way)
        self.course.why.append(f"index 3 from t = {t:.6g} to {passed.t_last:.6g}: constraints are nearly dependent there")
        return replace(passed, y_last=it.y.copy())

    def _before(self) -> tuple[float, np.ndarray]:
        """The last state of the leg that is not yet near a singular position, or its first. What came after is undone."""
        m = self.machine
        t, x, work = (np.concatenate([block[k] for block in self._recent]) for k in range(3))
        near = [nearest_dependence(m, float(t[k]), x[k, : m.nq], self.kept) for k in range(max(len(t) - LOOKED, 0), len(t))]
        k = len(t) - next((back for back, d in enumerate(reversed(near), 1) if d > CLEAR), len(near))
        self.work, self.last = float(work[k]), None
        self._looks = [look for look in self._looks if look[0] <= t[k]]
        self._legs = [_until(leg, float(t[k])) for leg in self._legs]
        return float(t[k]), self._settled(float(t[k]), x[k])

    def _settled(self, t: float, x: np.ndarray) -> np.ndarray:
        """The state with velocities that meet their equations, and what the equations of motion say there."""
        m, q, v, turns = self.machine, self.at.q(x), self.at.v(x), self.at.turns(x, self.turns)
        J, lengths = scaled(m.Phi_and_J(q, t)[1], m.scale)
        v = v - m.scale * linear.lstsq(J, J @ (v / m.scale) - m.nu(q, t) / lengths, rcond=TOLD)[0]
        found = m.solve(q, v, t, turns, TOLD)
        return self.at.joined(np.concatenate([q, v, turns]), found.vdot, m.rates_of_states(q, v, t, turns), found.lam)

    # -- step by step ------------------------------------------------------------------------------------------------------
    def _take(self, t: np.ndarray, x: np.ndarray) -> None:
        """Take in the steps as they come. Few of them are kept, however many there are: those to show, and the last ones, to
        go back to."""
        working, work = self._working, np.full(len(t), self.work)
        for k in range(len(t)) if working or self._ahead else ():
            at = float(t[k])
            if working:
                last, self.last = self.last, (at, self._power(at, x[k]))
                self.work += 0.5 * (self.last[0] - last[0]) * (self.last[1] + last[1]) if last else 0.0
                work[k] = self.work
            if self._ahead and at >= self._ahead[0]:
                self._looks.append((at, self._bodies(at, x[k], work[k]), x[k]))
            while self._ahead and at >= self._ahead[0]:
                self._ahead.popleft()
        self._recent.append((t, x, work))

    @property
    def _working(self) -> bool:
        """Whether anything does work that no potential has: else no work is added up."""
        s = self.machine.system
        return bool(s.frictions) or type(s.loads.power) is Expr or any(is_some(x) for x in s.nu)

    def _power(self, t: float, x: np.ndarray) -> float:
        """The power of forces without potential and of drivers."""
        if self.power is not None and np.isfinite(found := self.power(t, self._bodies(t, x))):
            return found
        m, q, v, lam = self.machine, self.at.q(x), self.at.v(x), self.at.lam(x)
        turns = self.at.turns(x, self.turns)
        terms = m.terms(q, v, t, turns)
        total = terms.energy[2] - lam @ terms.nu
        if m.system.frictions:
            total += m.system.friction(*m.load_args(q, v, t, turns), lam)[0] @ v
        return float(total)


def _until(leg: Solution, t: float) -> Solution:
    """The part of a leg up to a time; its steps count all the same."""
    sol = leg.sol
    if sol is not None:
        early = sol.spans[:, 0] < t
        sol = Interpolant(sol.nodes, sol.spans[early], sol.values[early])
    return replace(leg, t_events=[times[times <= t] for times in leg.t_events], sol=sol)
