"""Equilibrium: where a machine stays at rest (Haug 6.5, 7.5), and whether it stays there when it is touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.assembly.assemble import close, wrong_roots
from linkwright.analyses.assembly.closure import Closure
from linkwright.analyses.assembly.overlaps import overlaps, refuse_beyond, striking, within
from linkwright.analyses.machine.channels import Motion, body_channels
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.reactions import Forces
from linkwright.analyses.machine.recorded import recorded
from linkwright.analyses.machine.slack import slack
from linkwright.analyses.machine.trouble import law_without_value
from linkwright.analyses.statics.reduced import Reduced, reduced
from linkwright.analyses.statics.settling import relaxed, settled
from linkwright.analyses.statics.stability import NEUTRAL, eigen, judge
from linkwright.analyses.statics.with_states import slopes_of_states
from linkwright.errors import AssemblyError, IntegrationError, ModelError
from linkwright.model import PID, Model
from linkwright.options import EquilibriumMethod
from linkwright.regularisation import LEAST_SQUARES, SADDLE
from linkwright.results import Audit
from linkwright.results.motion import Equilibrium
from linkwright.solve import nearest
from linkwright.solve.blas import single_threaded

# what the answer says of each way
METHODS = {
    "potential": "by descent of the potential energy from {start}",
    "equations": "by Newton's method from {start}",
    "continuation": "by homotopy from {start}, where the unbalanced forces were held back",
    "settling": "by strongly damped motion from {start}",
    "relaxation": "by kinetic relaxation from {start}: motion stopped at every peak of the kinetic energy",
}
STEPS = 200
LEAST = 1e-5  # the smallest step of the homotopy parameter, below which continuation gives up


@by_name
@recorded
def equilibrium(
    model: Model, t: float = 0.0, *, method: EquilibriumMethod = "potential", start: Mapping[str, Any] | None = None
) -> Equilibrium:
    """Give the machine at rest at time t, near the estimates, with drivers held where they are.

    Parameters
    ----------
    model : Model
        The machine.
    t : float
        The time of the drivers and laws [s].
    method : {"potential", "equations", "continuation", "settling", "relaxation"}
        "potential": descent of the potential energy (of forces without potential, of their work along the path), to a
        stable equilibrium; "equations": Newton's method, which finds stable and unstable equilibria alike, as a rule the
        nearest; "continuation": a homotopy from the start, where unbalanced forces are held back, to the full forces, taken
        also where Newton's method does not converge; "settling": strongly damped motion; "relaxation": kinetic
        (dynamic) relaxation, motion that is stopped at every peak of the kinetic energy, for starts far from any
        equilibrium. All end with Newton's method.
    start : Channels, optional
        A configuration, or a result whose end it begins at, in place of the estimates.

    Returns
    -------
    Equilibrium
        Positions and reactions by channel; `.stability` is judged by the reduced stiffness, and by the eigenvalues of small
        motions where something feeds energy in; `.branch` tells which equilibrium it is.

    Raises
    ------
    AssemblyError
        No equilibrium was found.

    References
    ----------
    Haug, sections 6.5, 7.5.

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    >>> e = lw.equilibrium(m)
    >>> e.stability, round(e["arm.y"], 9), round(e["A.fy"], 9)
    ('stable', -0.5, 9.81)
    """
    if method not in METHODS:
        raise ModelError(f"there is no method {method!r}", element="method", remedy=f"it may be one of {', '.join(METHODS)}")
    machine = LoadedMachine(model, t, by_shapes=method not in ("settling", "relaxation"))  # those move it as a whole
    first = q = close(machine, t, None if start is None else machine.going_on(start)).q
    for name, depth in overlaps(machine, q, t):
        raise within(t, name, depth)
    search = Search(machine, t)
    if method in ("settling", "relaxation"):
        q = (settled if method == "settling" else relaxed)(machine, q, t)
    if method == "potential" and machine.states.any():
        method = "equations"  # what moves the states has no potential
    q, used = search.downhill(q) if method == "potential" else (q, 0)
    if method == "continuation":
        q, used = search.continued(q)
    try:
        q, more = search.newton(q)
    except AssemblyError as error:
        if method != "equations":
            raise
        method = "settling" if machine.states.any() else "continuation"  # states may be at limits that they leave by moving
        try:
            machine.settle(first, t)
            q, used = (settled(machine, first, t), 0) if method == "settling" else search.continued(first)
            q, more = search.newton(q)
        except AssemblyError:
            raise error from None
    refuse_beyond(machine, q, t)
    out = _result(machine, q, t, search.at(q))
    where = "the estimates" if start is None else "the given start"
    out.branch = _branch(machine, first, q, METHODS[method].format(start=where), out.stability)
    out.audit.notes.append(out.branch)
    out.audit.method = f"{method}, {used + more} steps"
    out.audit.notes += wrong_roots(machine, q, t)
    return out


@dataclass(frozen=True)
class Search:
    """Steps toward an equilibrium; all lengths relative to the machine's scales."""

    machine: LoadedMachine
    t: float

    def at(self, q: np.ndarray, less: np.ndarray | None = None) -> Reduced:
        now = reduced(self.machine, q, self.t, less=less)
        if not (np.isfinite(now.force).all() and np.isfinite(now.K).all()):
            raise law_without_value(self.machine, q, self.t, now.force)
        return now

    def energy(self, q: np.ndarray) -> float:
        return float(self.machine.lean_terms(q, np.zeros(self.machine.nv), self.t).energy[1])

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
            d = now.Z @ _downward(now, self.machine.scale)
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
        bare = striking(self.machine)
        more = f"; {' and '.join(bare)} without a stiffness k bear{'s' * (len(bare) == 1)} nothing here" if bare else ""
        raise IntegrationError(
            f"no equilibrium was found in {STEPS} steps: the energy decreases without bound, or forces keep it moving{more}",
            element=bare or self.machine.model.name,
            remedy="give contacts a stiffness k; or let `dynamics` come to rest" if bare else
            "hold the machine by springs or stops, start elsewhere, or use method='settling'",
        )  # fmt: skip

    def _lower(self, q: np.ndarray, trial: np.ndarray, d: np.ndarray, now: Reduced, conservative: bool) -> bool:
        if conservative:
            rounding = 1e-14 * abs(self.energy(q)) + _rounding(now, self.machine.scale)
            return bool(self.energy(trial) <= self.energy(q) + rounding)
        after = self.machine.lean_terms(trial, np.zeros(self.machine.nv), self.t).Q
        return float((now.force + after) @ d) >= -1e-12 * float(np.abs(now.force) @ np.abs(d))

    @single_threaded
    def continued(self, q: np.ndarray) -> tuple[np.ndarray, int]:
        """Newton's method with continuation: Q - (1 - s) Q_0 has the start for its equilibrium at s = 0; s goes to one."""
        Q = self.machine.lean_terms(q, np.zeros(self.machine.nv), self.t).Q
        s, step, used = 0.0, 0.25, 0
        while s < 1.0:
            try:
                after = min(1.0, s + step)
                q, more = self.newton(q, (1.0 - after) * Q, most=12)
                s, step, used = after, step * (2.0 if more < 6 else 1.0), used + more
            except AssemblyError as error:
                step *= 0.5
                if step < LEAST:
                    raise AssemblyError(
                        f"no equilibrium is near: one is found for {s:.3g} of the unbalanced forces, not for more",
                        element=self.machine.model.name,
                        remedy="use method='potential' or 'relaxation', or better estimates",
                    ) from error
        return q, used

    @single_threaded
    def newton(self, q: np.ndarray, less: np.ndarray | None = None, most: int = 60) -> tuple[np.ndarray, int]:
        """Newton's method on the reduced equations, to the last digits; neutral directions are left alone."""
        last = np.inf
        for used in range(most):
            now = self.at(q, less)
            if not now.Z.shape[1] and not self.machine.states.any():
                return q, used
            D = np.linalg.norm(now.Z / self.machine.scale[:, None], axis=0)
            K, f = now.K / np.outer(D, D), now.f / D
            moved = 0.0
            if not self.machine.states.any() and np.abs(f).max() <= _rounding(now, self.machine.scale):
                return q, used
            if self.machine.states.any():
                x, f, moved = self._with_states(q, now, D, K, f)
            else:
                x = _solved(K, f)
            d = now.Z @ (x / D)
            length = max(float(np.abs(d / self.machine.scale).max(initial=0.0)), moved)
            if length < 1e-13 or (length < 1e-9 and length > 0.5 * last):
                self._check_balance(q, now, K, f, x)
                return q, used
            trial = self.moved(q, d * min(1.0, 0.3 / length))
            if trial is None:
                break
            q, last = trial, length
        residual = np.abs(self.at(q, less).f).max(initial=0.0)
        raise AssemblyError(
            f"no equilibrium is found from here: forces of {residual:.3g} stay unbalanced",
            element=self.machine.model.name,
            remedy="use method='potential' or 'settling', or better estimates",
        )

    def _with_states(
        self, q: np.ndarray, now: Reduced, D: np.ndarray, K: np.ndarray, f: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """The step of Newton's method on forces and rates of states together: K x - Q_z dz = f, r_d x + r_z dz = -r. States
        are moved at once; given are x, what the states' change leaves of the force, and the largest change."""
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
        self._check_states(rates, (whole @ step - right)[n:], size[n:, 0])
        z = np.abs(m.turns[m.states])
        m.turns = m.turns.copy()
        m.turns[m.states] += step[n:]
        return step[:n], f + F @ step[n:], float((np.abs(step[n:]) / np.maximum(z, 1.0)).max())

    def _check_states(self, rates: np.ndarray, left: np.ndarray, size: np.ndarray) -> None:
        """Rates that nothing brings to zero; size: of what moves them, of which rounding is a part."""
        worst = int(np.argmax(np.abs(left) / size))
        if np.abs(left[worst]) > max(1e-6 * float(np.abs(rates).max()), 1e-12 * float(size[worst])):
            name = list(self.machine.model.states)[worst]
            raise AssemblyError(
                f"the state {name} does not come to rest: its rate stays {rates[worst]:.3g}", element=name,
                remedy="let its rate depend on it, or on what it moves; a machine that settles at a speed, as a motor "
                "without load does, is found by lw.steady from near that speed",
            )  # fmt: skip

    def _check_balance(self, q: np.ndarray, now: Reduced, K: np.ndarray, f: np.ndarray, x: np.ndarray) -> None:
        """Forces along directions without stiffness: no displacement balances them."""
        left = np.abs(f - K @ x)
        worst = int(np.argmax(left))
        if left[worst] > 1e-9 * max(np.abs(now.force * self.machine.scale).max(), np.abs(K).max()):
            full, body = self._at_limits(q), now.coordinates[worst].rpartition(".")[0]
            more = f": {' and '.join(full)} can push no more" if full else ""
            raise AssemblyError(
                f"nothing holds {now.coordinates[worst]} against a force of {now.f[worst]:.3g}{more}",
                element=full or body,
                remedy=f"give {full[0]} wider limits, or take the force away" if full else
                "hold it by a spring, a stop or a joint, or take the force away",
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
    if _saddle(values, x, size):  # at rest on a hill: step off along the steepest way down
        return np.asarray(0.01 * W[:, 0])
    floor = max(1e-6 * size, 1e-12 * np.abs(x).max(initial=0.0), 1e-300)
    return np.asarray(W @ (x / np.maximum(np.abs(values), floor)))


def _rounding(now: Reduced, scale: np.ndarray) -> float:
    """What forces that balance leave along a free motion: a weight on a level rail has no more along it."""
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


def _result(machine: LoadedMachine, q: np.ndarray, t: float, now: Reduced) -> Equilibrium:
    still = np.zeros((1, machine.nv))
    states = States(np.array([t]), q[None], still, machine.turns[None])
    motion = Motion(machine, states.t, states.q, states.turns, still, still)
    forces = Forces(machine, states, still)
    channels = {**body_channels(machine, q[None], None, None), **motion.joint_channels(), **forces.channels()}
    Phi, _ = forces.violation()
    audit = Audit("equilibrium", points=1, position_error=float(np.abs(Phi).max(initial=0.0)), notes=forces.notes())
    audit.notes += slack(machine.elements, t, channels)
    out = Equilibrium(machine.model.name, t, channels, audit, q, motion.evaluator(), source=machine.model)
    out.places = forces.places()
    if all(load.V is not None for load in machine.system.loads.all):
        out.potential = float(forces.energy[0, 1])
    else:
        names = [load.name for load in machine.system.loads.all if load.V is None]
        audit.notes.append(f"forces without a potential take part as they are at rest: {', '.join(names)}")
    judge(out, machine, now)
    return out


def _branch(machine: LoadedMachine, first: np.ndarray, q: np.ndarray, how: str, stability: str) -> str:
    """Which equilibrium it is: by which method it was found, and what moved most."""
    moved = np.abs(q - first) / np.maximum(abs(machine.tangent_at(first)) @ machine.scale, 1e-300)
    k = int(np.argmax(moved)) if len(moved) else -1
    if k < 0 or moved[k] < 1e-6:
        return f"{stability} equilibrium where the search began"
    name = machine.system.coordinates.q_names[k]
    return f"{stability} equilibrium, found {how}; {name} moved most, from {first[k]:.6g} to {q[k]:.6g}"
