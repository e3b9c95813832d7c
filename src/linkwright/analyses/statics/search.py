"""The search for an equilibrium: down the potential, by Newton's method, by continuation from the forces at the start."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.assembly.closure import Closure
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.machine.reactions import Forces
from linkwright.analyses.machine.trouble import law_without_value
from linkwright.analyses.statics.reduced import NEUTRAL, Reduced, eigen, reduced, slopes_of_states
from linkwright.errors import AssemblyError, IntegrationError
from linkwright.model import PID
from linkwright.regularisation import LEAST_SQUARES, SADDLE
from linkwright.solve import nearest
from linkwright.solve.blas import single_threaded

STEPS = 200
ENDLESS, BALANCED = 1e-11, 1e-6  # of the stiffness, and of all forces: what both are exceeded by does not balance
LEAST = 1e-5  # the smallest step of the homotopy parameter, below which continuation gives up


@dataclass(frozen=True)
class Found:
    """The end of a search, after how many steps; what is wrong with that, if something is; the impact whose gap closes
    there, if one does, and the search is not over."""

    q: np.ndarray
    steps: int
    wrong: AssemblyError | None = None
    closes: int | None = None


@dataclass(frozen=True)
class Search:
    """Steps toward an equilibrium; all lengths relative to the machine's scales."""

    machine: LoadedMachine
    t: float
    closed: tuple[int, ...] = ()  # impacts that are held closed

    def at(self, q: np.ndarray, less: np.ndarray | None = None) -> Reduced:
        now = reduced(self.machine, q, self.t, less=less)
        if not (np.isfinite(now.force).all() and np.isfinite(now.K).all()):
            raise law_without_value(self.machine, q, self.t, now.force)
        return now

    def energy(self, q: np.ndarray) -> float:
        return float(self.machine.lean_terms(q, np.zeros(self.machine.nv), self.t).energy[1])

    def step(self, q: np.ndarray, d: np.ndarray) -> Found | None:
        """q displaced by d and closed again, or the part of the way on which no gap closes; None where neither can be."""
        trial = self.closed_again(q, d)
        return None if trial is None else Found(trial, 1)

    def closed_again(self, q: np.ndarray, d: np.ndarray) -> np.ndarray | None:
        found = nearest.close(Closure(self.machine, self.t), self.machine.retract(q, d))
        if not found.closed:
            return None
        self.machine.settle(found.q, self.t)
        return found.q

    @single_threaded
    def downhill(self, q: np.ndarray) -> Found:
        """Newton's method with the stiffness made positive, in steps that lower the energy."""
        conservative = all(load.V is not None for load in self.machine.system.loads.all)
        radius = 0.3
        for used in range(STEPS):
            now = self.at(q)
            if not now.Z.shape[1]:
                return Found(q, used)
            d = now.Z @ _downward(now, self.machine.scale)
            length = float(np.abs(d / self.machine.scale).max(initial=0.0))
            if length < 1e-10:
                return Found(q, used)
            d *= min(1.0, radius / length)
            trial = self.step(q, d)
            if trial is not None and trial.closes is not None:
                return replace(trial, steps=used + 1)
            if trial is not None and self._lower(q, trial.q, d, now, conservative):
                q, radius = trial.q, min(2 * radius, 0.5)
            else:
                radius = 0.25 * min(radius, length)
                if radius < 1e-12:
                    return Found(q, used)
        raise IntegrationError(
            f"no equilibrium was found in {STEPS} steps: the energy decreases without bound, or forces keep it moving",
            element=self.machine.model.name,
            remedy="hold the machine by springs or stops, start elsewhere, or use method='settling'",
        )

    def _lower(self, q: np.ndarray, trial: np.ndarray, d: np.ndarray, now: Reduced, conservative: bool) -> bool:
        if conservative:
            rounding = 1e-14 * abs(self.energy(q)) + _rounding(now, self.machine.scale)
            return bool(self.energy(trial) <= self.energy(q) + rounding)
        after = self.machine.lean_terms(trial, np.zeros(self.machine.nv), self.t).Q
        return float((now.force + after) @ d) >= -1e-12 * float(np.abs(now.force) @ np.abs(d))

    @single_threaded
    def continued(self, q: np.ndarray) -> Found:
        """Newton's method with continuation: Q - (1 - s) Q_0 has the start for its equilibrium at s = 0; s goes to one."""
        Q = self.machine.lean_terms(q, np.zeros(self.machine.nv), self.t).Q
        s, step, used = 0.0, 0.25, 0
        while s < 1.0:
            after = min(1.0, s + step)
            found = self.newton(q, (1.0 - after) * Q, most=12)
            if not found.wrong:
                s, step, q, used = after, step * (2.0 if found.steps < 6 else 1.0), found.q, used + found.steps
            elif step < 2.0 * LEAST:
                return Found(q, used, AssemblyError(
                    f"no equilibrium is near: one is found for {s:.3g} of the unbalanced forces, not for more",
                    element=self.machine.model.name,
                    remedy="use method='potential' or 'relaxation', or better estimates",
                ))  # fmt: skip
            else:
                step *= 0.5
        found = self.newton(q)
        return Found(found.q, used + found.steps, found.wrong)

    @single_threaded
    def newton(self, q: np.ndarray, less: np.ndarray | None = None, most: int = 60) -> Found:
        """Newton's method on the reduced equations, to the last digits; neutral directions are left alone."""
        last = np.inf
        for used in range(most):
            now = self.at(q, less)
            if not now.Z.shape[1] and not self.machine.states.any():
                return Found(q, used)
            D = np.linalg.norm(now.Z / self.machine.scale[:, None], axis=0)
            K, f = now.K / np.outer(D, D), now.f / D
            moved = 0.0
            if not self.machine.states.any() and np.abs(f).max() <= _rounding(now, self.machine.scale):
                return Found(q, used)
            if self.machine.states.any():
                x, f, moved, wrong = self._with_states(q, now, D, K, f)
                if wrong:
                    return Found(q, used, wrong)
            else:
                x = _solved(K, f)
            d = now.Z @ (x / D)
            length = max(float(np.abs(d / self.machine.scale).max(initial=0.0)), moved)
            if length < 1e-13 or (length < 1e-9 and length > 0.5 * last):
                return Found(q, used, self._unbalanced(q, now, K, f, x))
            trial = self.step(q, d * min(1.0, 0.3 / length))
            if trial is None:
                break
            if trial.closes is not None:
                return replace(trial, steps=used + 1)
            q, last = trial.q, length
        residual = np.abs(self.at(q, less).f).max(initial=0.0)
        return Found(q, most, AssemblyError(
            f"no equilibrium is found from here: forces of {residual:.3g} stay unbalanced",
            element=self.machine.model.name,
            remedy="use method='potential' or 'settling', or better estimates",
        ))  # fmt: skip

    def _with_states(
        self, q: np.ndarray, now: Reduced, D: np.ndarray, K: np.ndarray, f: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float, AssemblyError | None]:
        """The step of Newton's method on forces and rates of states together: K x - Q_z dz = f, r_d x + r_z dz = -r. States
        are moved at once; given are x, what the states' change leaves of the force, the largest change, what is wrong."""
        m = self.machine
        args = m.load_args(q, np.zeros(m.nv), self.t)
        Q_z, r_d, _, r_z = slopes_of_states(m, q, np.zeros(m.nv), self.t)
        rates, n = m.system.state_rates(*args)[0], len(K)
        F = (now.Z.T @ Q_z) / D[:, None]
        whole = np.block([[K, -F], [r_d @ (now.Z / D), r_z]])
        right = np.concatenate([f, -rates])
        size = np.abs(whole).max(axis=1, keepdims=True)
        size[size == 0] = 1.0  # nothing acts on it, as on what a controller at its limit pushes
        step = linear.lstsq(whole / size, right / size[:, 0], rcond=SADDLE)[0]
        if wrong := self._restless(rates, (whole @ step - right)[n:], size[n:, 0]):
            return step[:n], f, 0.0, wrong
        z = np.abs(m.turns[m.states])
        m.turns = m.turns.copy()
        m.turns[m.states] += step[n:]
        return step[:n], f + F @ step[n:], float((np.abs(step[n:]) / np.maximum(z, 1.0)).max()), None

    def _restless(self, rates: np.ndarray, left: np.ndarray, size: np.ndarray) -> AssemblyError | None:
        """Rates that nothing brings to zero; size: of what moves them, of which rounding is a part."""
        worst = int(np.argmax(np.abs(left) / size))
        if np.abs(left[worst]) <= max(1e-6 * float(np.abs(rates).max()), 1e-12 * float(size[worst])):
            return None
        name = list(self.machine.model.states)[worst]
        return AssemblyError(
            f"the state {name} does not come to rest: its rate stays {rates[worst]:.3g}", element=name,
            remedy="let its rate depend on it, or on what it moves; a machine that settles at a speed, as a motor "
            "without load does, is found by lw.steady from near that speed",
        )  # fmt: skip

    def _unbalanced(self, q: np.ndarray, now: Reduced, K: np.ndarray, f: np.ndarray, x: np.ndarray) -> AssemblyError | None:
        """Forces along directions without stiffness, which no displacement balances; and such that have no end."""
        left = np.abs(f - K @ x)
        worst = int(np.argmax(left))
        forces = np.abs(now.force * self.machine.scale).max()
        if left[worst] <= 1e-9 * max(forces, np.abs(K).max()):
            return self._endless(now, f) if np.abs(f).max() > max(ENDLESS * np.abs(K).max(), BALANCED * forces) else None
        full, body = self._at_limits(q), now.coordinates[worst].rpartition(".")[0]
        more = f": {' and '.join(full)} can push no more" if full else ""
        return AssemblyError(
            f"nothing holds {now.coordinates[worst]} against a force of {now.f[worst]:.3g}{more}",
            element=full or body,
            remedy=f"give {full[0]} wider limits, or take the force away" if full else
            "hold it by a spring, a stop or a joint, or take the force away",
        )  # fmt: skip

    @staticmethod
    def _endless(now: Reduced, f: np.ndarray) -> AssemblyError:
        """Steps toward where a force is infinite become as small as those that end a search."""
        return AssemblyError(
            "no equilibrium is found from here: it moves toward where forces are infinite, and stands under "
            f"{np.abs(now.f).max():.3g} N already", element=now.coordinates[int(np.argmax(np.abs(f)))].rpartition(".")[0],
            remedy="hold apart what attracts, by a stop or contact; or begin elsewhere",
        )  # fmt: skip

    def _at_limits(self, q: np.ndarray) -> list[str]:
        """Controllers whose effort is at one of its limits."""
        m = self.machine
        states = States(np.array([self.t]), q[None], np.zeros((1, m.nv)), m.turns[None])
        efforts = Forces(m, states, np.zeros((1, m.nv))).channels()
        full = []
        for e in m.model.elements.values():
            limits = [m.model.value(x) for x in e.limits or ()] if isinstance(e, PID) else []
            own = [efforts[n][0] for n in (f"{e.name}.force", f"{e.name}.torque") if n in efforts]
            full += [e.name] if any(x in limits for x in own) else []
        return full


def _downward(now: Reduced, scale: np.ndarray) -> np.ndarray:
    """The step of Newton's method with the stiffness made positive."""
    D = np.linalg.norm(now.Z / scale[:, None], axis=0)
    if len(D) > size_policy.FREE_MOTIONS:
        K, f = 0.5 * (now.K + now.K.T) / np.outer(D, D), now.f / D
        # where it is positive, and by more than the floor, no eigenvalues are needed
        floor = max(1e-6 * float(np.linalg.norm(K, 1)), 1e-12 * float(np.linalg.norm(f)), 1e-300)
        try:
            linear.cholesky(K - floor * np.eye(len(K)))
            return np.asarray(linear.solve_positive(K, f) / D)
        except np.linalg.LinAlgError:
            pass
    W, values, x = eigen(now, scale)
    x, values = (np.where(np.abs(own) > _rounding(now, scale), own, 0.0) for own in (x, values))
    size = np.abs(values).max(initial=0.0)
    if _saddle(values, x, size):  # at rest on a hill: step off along the steepest way down, to the side that is larger
        down = W[:, 0] * np.linalg.norm(now.Z / scale[:, None], axis=0)
        sign = np.sign(down[np.argmax(np.abs(down) > 0.999 * np.abs(down).max())])
        return np.asarray(0.01 * sign * W[:, 0])
    floor = max(1e-6 * size, 1e-12 * np.abs(x).max(initial=0.0), 1e-300)
    return np.asarray(W @ (x / np.maximum(np.abs(values), floor)))


def _rounding(now: Reduced, scale: np.ndarray) -> float:
    """The forces that are left by rounding along a free motion where forces balance: a weight on a level rail has no more
    along it."""
    return float(1e-14 * np.abs(now.force) @ scale)


def _solved(K: np.ndarray, f: np.ndarray) -> np.ndarray:
    """K x = f in least squares; of many equations that are well conditioned by elimination, which is faster."""
    if len(K) > size_policy.FREE_MOTIONS:
        x = linear.solve_regular(K, f, 1e-9)
        if x is not None:
            return x
    return np.asarray(linear.lstsq(K, f, rcond=LEAST_SQUARES)[0])


def _saddle(values: np.ndarray, x: np.ndarray, size: float) -> bool:
    return bool(values[0] < -NEUTRAL * size and np.abs(x).max(initial=0.0) < 1e-9 * size)
