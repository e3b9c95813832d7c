"""Equilibrium: where a machine stays at rest (Haug 6.5, 7.5), and whether it stays there when it is touched."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.analyses.assemble import close, wrong_roots
from linkwright.analyses.channels import Motion, body_channels
from linkwright.analyses.closure import Closure
from linkwright.analyses.mechanical import LoadedMachine, States
from linkwright.analyses.reactions import Forces
from linkwright.analyses.recorded import recorded
from linkwright.analyses.reduced import Reduced, reduced
from linkwright.errors import AssemblyError, IntegrationError, ModelError
from linkwright.model import Model
from linkwright.results import Audit
from linkwright.results.motion import Equilibrium
from linkwright.solve import nearest
from linkwright.solve.blas import single_threaded
from linkwright.solve.integrate import Control, Integrator
from linkwright.system.motion import Flow

METHODS = ("potential", "equations", "settling")
STEPS = 200
# Reduced stiffness below this part of the largest counts as none.
NEUTRAL = 1e-8


@recorded
def equilibrium(model: Model, t: float = 0.0, *, method: str = "potential", start: Any = None) -> Equilibrium:
    """The machine at rest at time t, near the estimates, drivers held where they are.

    method: "potential" goes downhill, to a stable equilibrium (of forces without potential it uses their work on the way);
    "equations" is Newton's method on the equations, which finds stable and unstable ones alike, the nearest as a rule;
    "settling" lets the machine move in thick oil until it stops. `.stability` is judged by the reduced stiffness.
    """
    clock = perf_counter()
    if method not in METHODS:
        raise ModelError(f"there is no method {method!r}", element="method", remedy=f"it may be one of {', '.join(METHODS)}")
    machine = LoadedMachine(model, t)
    q = close(machine, t, None if start is None else start.q).q
    search = Search(machine, t)
    if method == "settling":
        q = settled(machine, q, t)
    q, used = search.downhill(q) if method == "potential" else (q, 0)
    q, more = search.newton(q)
    out = _result(machine, q, t, search.at(q))
    out.audit.method = f"{method}, {used + more} steps"
    out.audit.notes += wrong_roots(machine, q, t)
    out.audit.wall_seconds = perf_counter() - clock
    return out


@dataclass(frozen=True)
class Search:
    """Steps toward an equilibrium; all lengths relative to the machine's scales."""

    machine: LoadedMachine
    t: float

    def at(self, q: np.ndarray) -> Reduced:
        return reduced(self.machine, q, self.t)

    def energy(self, q: np.ndarray) -> float:
        return float(self.machine.terms(q, np.zeros(self.machine.nv), self.t).energy[1])

    def moved(self, q: np.ndarray, d: np.ndarray) -> np.ndarray | None:
        """q displaced by d and closed again; None where that is not possible."""
        trial = self.machine.retract(q, d)
        found = nearest.close(Closure(self.machine, self.t), trial)
        if not found.closed:
            return None
        self.machine.settle(found.q, self.t)
        return found.q

    @single_threaded
    def downhill(self, q: np.ndarray) -> tuple[np.ndarray, int]:
        """Newton's method with the stiffness made positive, in steps that lower the energy."""
        conservative = all(load.V is not None for load in self.machine.system.loads.all)
        radius = 0.3
        for used in range(STEPS):
            now = self.at(q)
            if not now.Z.shape[1]:
                return q, used
            W, values, x = _eigen(now, self.machine.scale)
            size = np.abs(values).max(initial=0.0)
            floor = max(1e-6 * size, 1e-12 * np.abs(x).max(initial=0.0), 1e-300)
            step = W @ (x / np.maximum(np.abs(values), floor))
            if _saddle(values, x, size):  # at rest on a hill: step off along the steepest way down
                step = 0.01 * W[:, 0]
            d = now.Z @ step
            length = float(np.abs(d / self.machine.scale).max(initial=0.0))
            if length < 1e-10:
                return q, used
            d *= min(1.0, radius / length)
            trial = self.moved(q, d)
            if trial is not None and self._lower(q, trial, d, now, conservative):
                q, radius = trial, min(2 * radius, 0.5)
            else:
                radius = 0.25 * min(radius, length)
                if radius < 1e-12:
                    return q, used
        raise IntegrationError(
            f"no equilibrium was found in {STEPS} steps: the energy falls on and on, or the forces keep the machine moving",
            element=self.machine.model.name,
            remedy="hold the machine by springs or stops, start elsewhere, or use method='settling'",
        )

    def _lower(self, q: np.ndarray, trial: np.ndarray, d: np.ndarray, now: Reduced, conservative: bool) -> bool:
        if conservative:
            rounding = 1e-14 * (abs(self.energy(q)) + abs(now.force) @ self.machine.scale)
            return bool(self.energy(trial) <= self.energy(q) + rounding)
        after = self.machine.terms(trial, np.zeros(self.machine.nv), self.t).Q
        return float((now.force + after) @ d) >= -1e-12 * float(np.abs(now.force) @ np.abs(d))

    @single_threaded
    def newton(self, q: np.ndarray) -> tuple[np.ndarray, int]:
        """Newton's method on the reduced equations, to the last digits; neutral directions are left alone."""
        last = np.inf
        for used in range(60):
            now = self.at(q)
            if not now.Z.shape[1]:
                return q, used
            D = np.linalg.norm(now.Z / self.machine.scale[:, None], axis=0)
            x = np.linalg.lstsq(now.K / np.outer(D, D), now.f / D, rcond=1e-10)[0] / D
            d = now.Z @ x
            length = float(np.abs(d / self.machine.scale).max(initial=0.0))
            if length < 1e-13 or (length < 1e-9 and length > 0.5 * last):
                return q, used
            trial = self.moved(q, d * min(1.0, 0.3 / length))
            if trial is None:
                break
            q, last = trial, length
        residual = np.abs(self.at(q).f).max(initial=0.0)
        raise AssemblyError(
            f"Newton's method does not come to rest: forces of {residual:.3g} remain along the free motions",
            element=self.machine.model.name,
            remedy="use method='potential' or 'settling', or better estimates",
        )


def _eigen(now: Reduced, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvectors (columns, in reduced coordinates) and values of the symmetric stiffness, and the force along them."""
    D = np.linalg.norm(now.Z / scale[:, None], axis=0)
    K = 0.5 * (now.K + now.K.T) / np.outer(D, D)
    values, vectors = np.linalg.eigh(K)
    return vectors / D[:, None], values, vectors.T @ (now.f / D)


def _saddle(values: np.ndarray, x: np.ndarray, size: float) -> bool:
    return bool(values[0] < -NEUTRAL * size and np.abs(x).max(initial=0.0) < 1e-9 * size)


def settled(machine: LoadedMachine, q: np.ndarray, t: float) -> np.ndarray:
    """The machine moves from rest at q, slowed by a drag in proportion to mass, until it hardly moves (Haug 6.5, 7.5)."""
    kept, _ = machine.kept_rows(q, t)
    flow = Flow(machine.system, kept.tolist(), settling=True)
    now = reduced(machine, q, t)
    # critical drag for the stiffest free motion would crawl along the soft ones: take a mean
    rates = np.sqrt(np.abs(np.linalg.eigvals(np.linalg.solve(now.M, now.K)))) if now.Z.shape[1] else np.ones(1)
    drag = float(np.exp(np.mean(np.log(np.maximum(rates, 1e-3)))))
    y = np.concatenate([q, np.zeros(machine.nv), machine.turns, [0.0]])
    weight = np.ones(len(y))
    weight[machine.nq + machine.nv :] = 0.0
    flags = np.zeros(len(flow.flags.symbols))
    integrator = Integrator(
        flow.motion, y, t, method="dopri5", control=Control(1e-5, 1e-8, weight), project=flow.projection,
        parameters=[machine.b, np.zeros(len(machine.system.loads.callbacks)), flags, np.array([t, drag])],
    )  # fmt: skip
    for _ in range(400):
        solution = integrator.run(integrator.t + 5.0 / drag)
        v = solution.y_last[machine.nq : machine.nq + machine.nv] / machine.scale
        if not solution.success or np.abs(v).max(initial=0.0) < 1e-7 * drag:
            break
    q = solution.y_last[: machine.nq]
    machine.settle(q, t)
    return q


def _result(machine: LoadedMachine, q: np.ndarray, t: float, now: Reduced) -> Equilibrium:
    still = np.zeros((1, machine.nv))
    states = States(np.array([t]), q[None], still, machine.turns[None])
    motion = Motion(machine, states.t, states.q, states.turns)
    forces = Forces(machine, states, still)
    channels = {**body_channels(machine, q[None], None, None), **motion.joint_channels(), **forces.channels()}
    Phi, _ = forces.violation()
    audit = Audit("equilibrium", points=1, position_error=float(np.abs(Phi).max(initial=0.0)), notes=forces.notes())
    out = Equilibrium(machine.model.name, t, channels, audit, q, motion.evaluator(), source=machine.model)
    if all(load.V is not None for load in machine.system.loads.all):
        out.potential = float(forces.energy[0, 1])
    else:
        names = [load.name for load in machine.system.loads.all if load.V is None]
        audit.notes.append(f"forces without a potential take part as they are at rest: {', '.join(names)}")
    _judge(out, machine, now)
    return out


def _judge(out: Equilibrium, machine: LoadedMachine, now: Reduced) -> None:
    """The verdict: by the signs of the reduced stiffness."""
    if not now.Z.shape[1]:
        out.stability = "stable"
        return
    W, values, _ = _eigen(now, machine.scale)
    size = max(float(np.abs(values).max()), 1e-300)
    weights = np.abs(now.force) @ machine.scale  # a machine without any stiffness is neutral, not stable by rounding
    zero = NEUTRAL * max(size, 1e-6 * weights)
    names = machine.system.coordinates.v_names
    directions = [(values[k], dict(zip(names, (now.Z @ W[:, k]).tolist(), strict=True))) for k in range(len(values))]
    out.stiffness = values
    out.falling = tuple(d for value, d in directions if value < -zero)
    out.neutral = tuple(d for value, d in directions if abs(value) <= zero)
    out.stability = "unstable" if out.falling else "neutral" if out.neutral else "stable"
