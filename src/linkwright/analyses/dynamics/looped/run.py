"""One simulation of a large machine, with what loops over elements compute."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.joint_states import JointIntegrator, JointStates
from linkwright.analyses.dynamics.jumps import Jumps
from linkwright.analyses.dynamics.looped.change import changed
from linkwright.analyses.dynamics.looped.held import SmallestReactions, held, locked, scale
from linkwright.analyses.dynamics.looped.impact import Impacts, LoopedBounces
from linkwright.analyses.dynamics.looped.outputs import Energies, efforts
from linkwright.analyses.dynamics.looped.sparse_newton import SparseNewton, has_derivatives
from linkwright.analyses.dynamics.stiffness import LARGEST, Stiffness
from linkwright.analyses.dynamics.stretches import Over, Stretches
from linkwright.analyses.dynamics.switching import Switching, nudged
from linkwright.analyses.dynamics.watch import Watch, not_unique
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.machine import typical_length
from linkwright.analyses.machine.safety import Allowed, Kept
from linkwright.analyses.machine.work import angle_caps, follows_work, least_energy, tolerances
from linkwright.errors import IntegrationError, LinkwrightError
from linkwright.solve.drive import FIRED
from linkwright.solve.integrate import TOO_MANY, Control, Events, Integrator
from linkwright.solve.methods import method as find_method
from linkwright.solve.solution import Solution
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.flow import flow_of
from linkwright.system.looped.joints import LoopedJoints
from linkwright.system.looped.over_states import errors

MANY = 100  # bodies from which on sparse factors cost less than dense ones in joint coordinates
HEALTHY = 1e-8  # pivots below this: rows depend on each other, or something has no inertia


class LoopedSwitching(Switching):
    """The switches of all elements."""

    flow: Any

    @property
    def functions(self) -> Any:
        return self.flow.switches

    def element(self, k: int) -> str:
        return str(self.flow.system.at.switched[k])

    @property
    def kinks(self) -> np.ndarray:
        return np.array(self.flow.system.at.kinks, dtype=bool)

    def remembered(self, t: float, y: np.ndarray, flags: np.ndarray, fired: int = -1) -> np.ndarray:
        system: LoopedSystem = self.flow.system
        if not system.at.memories:
            return y
        y, first = y.copy(), system.nq + system.nv
        numbers = system.memories(y, t)
        for at, depth, speed, begins in system.at.memories:
            starts = numbers[depth] >= 0 and y[first + at] == 0 if fired < 0 else fired in begins
            if starts and numbers[speed] > 0:
                y[first + at] = numbers[speed]
        return y


class LoopedInJoints(JointStates):
    """The states of a spanning tree's joints."""

    def __init__(self, joints: LoopedJoints) -> None:
        super().__init__()
        self.joints = joints
        self.weight, self.cap = np.ones(joints.nx), np.full(joints.nx, np.inf)
        self.cap[: joints.spanning.tree.nq][joints.spanning.tree.angles()] = 1.0
        self.weight[joints.ntheta + joints.nu :] = 0.0
        self.weight[-1] = follows_work(joints.at.model)
        if not joints.nu:  # nothing moves
            self.weight[:] = 1.0

    def read(self, y: np.ndarray, near: np.ndarray | None) -> np.ndarray:
        return self.joints.read(y, self.joints.near if near is None else near)

    def cartesian(self, x: np.ndarray) -> np.ndarray:
        return self.joints.cartesian(x)

    def told(self, x: np.ndarray, output: bool = False) -> np.ndarray:
        """Nobody asks for the joint states of outputs, which are large."""
        return self.cartesian(x) if output else super().told(x)


class LoopedRun(Stretches):
    """Runs once; afterwards `t`, `y` are the output and `events` what happened. `system` may have become a held one.

    `in_joints`: what is integrated are joint coordinates of a spanning tree. `adapts`: another method is taken where the
    machine turns out stiff. `constraints`: "projection", "augmented" (the same, solved by the proximal method from the
    start), "stabilization" (with `gains`), "direct"."""

    def __init__(
        self, system: LoopedSystem, q: np.ndarray, v: np.ndarray, t: float, *, method: str, control: Control,
        watches: list[Watch], tick: Any = None, options: dict[str, Any] | None = None, dense_output: bool = False,
        in_joints: bool = False, adapts: bool = False, constraints: str = "projection",
        gains: tuple[float, float] = (0.0, 0.0),
    ) -> None:  # fmt: skip
        names = [*system.coordinates.q_names, *system.coordinates.v_names]
        super().__init__(watches, names, control.max_steps, tick, options, dense_output)
        self.method, self.constraints = method, constraints
        self.newton: SparseNewton | None = None
        self.gains = np.array(gains if constraints == "stabilization" else ())
        self.pivot = system.accelerations(q, v, t)[2]
        self.yielding = self.dependent = self.pivot < HEALTHY  # now; from the start
        if self.yielding:
            self.why.append("solved by a proximal method: joints depend on each other, or bodies have no inertia")
        if self.yielding or constraints == "augmented":
            self.yielding = True
            system = held(system, q, t)
        self._use(system)
        impacts: Any = Impacts(system)
        self.bounces: Any = LoopedBounces(impacts, self.events)
        weight = np.ones(self.flow.ny)
        weight[system.nq + system.nv :] = 0.0
        weight[-1] = follows_work(system.model)
        rtol, atol = float(control.rtol), float(control.atol)
        atols = tolerances(system.model, rtol, atol, 0.5 * float(v @ (system.terms(q, v, t)[0] @ v)), self.flow.ny)
        caps = angle_caps(system.coordinates.q_names, self.flow.ny)
        self.control = replace(control, atol=atols, weight=weight, max_steps=self._left(), cap=caps)
        self.y0 = self.flow.state(q, v)
        self.view = LoopedInJoints(LoopedJoints.of(system, q)) if in_joints else None
        self.stiffness = Stiffness(self._rates, atol, rtol, method) if adapts else None
        self.jumps = Jumps(watches, [k for k, w in enumerate(system.at.watched) if w.follows_from_forces])
        if self.dependent:
            self._check_unique(q, v, t)

    def _use(self, system: LoopedSystem) -> None:
        self.system: LoopedSystem = system
        self.flow: Any = flow_of(system, len(self.gains) > 0)
        self.energies = Energies(system)

    def _begun(self, t: float, y: np.ndarray) -> None:
        if self.stiffness is not None:
            self.stiffness.end = self.end
        if self.jumps.which:
            begins = self.jumps.begin(*self.switching.soon(self.flow.events, t, y, self.flags))
            self.integrator.signs[begins] = FIRED

    def _integrator(self, y: np.ndarray, t: float, flags: np.ndarray) -> Integrator | JointIntegrator:
        events = None
        switches = self.system.at.nflags
        gaps = self.bounces.set_levels(self.system, y, t)
        if self.watches or switches or gaps:
            direction = [w.direction for w in self.watches] + [-1] * gaps + [0] * switches
            terminal = [w.terminal for w in self.watches] + [1] * (gaps + switches)
            events = Events(self.flow.events, direction, terminal)
        none = np.zeros(0)
        common: dict[str, Any] = {
            "method": self.method, "control": self.control, "options": self.options,
            "parameters": [none, none, flags, self.gains],
        }  # fmt: skip
        flow, view = self.flow, self.view
        if view is None:
            project = flow.projection if self._projects else None
            self.newton = self._sparse(y, t)
            found = Integrator(flow.motion, y, t, events=events, project=project, jac=self.newton, **common)
            if self.newton is not None:
                self.newton.flags = found.ins[4]
            return found
        own = view.joints
        if events is not None:
            events = replace(events, code=own.events(flow))
        project = own.projection(flow) if self._projects else None
        return JointIntegrator(view, own.motion(flow), y, t, events=events, project=project, **common)

    def _sparse(self, y: np.ndarray, t: float) -> SparseNewton | None:
        """For an implicit method in the bodies' coordinates."""
        if not find_method(self.method).implicit:
            return None
        return SparseNewton.of(self.system.model, self.flow, y[: self.system.nq], t)

    @property
    def _projects(self) -> bool:
        return self.constraints in ("projection", "augmented")

    @property
    def _cartesian(self) -> Any:
        return None if self.view is None else self.view.cartesian

    def _inputs(self, t: float, y: np.ndarray, flags: np.ndarray) -> tuple[np.ndarray, ...]:
        none = np.zeros(0)
        return np.array([t]), y, none, none, flags, self.gains

    def _switches(self, moment: float) -> LoopedSwitching:
        return LoopedSwitching(self.flow, self._inputs, moment, partial(nudged, self.system), scale(self.system))

    @property
    def _sizes(self) -> tuple[int, int]:
        return len(self.system.at.impacts), self.system.at.nflags

    def _changed(self, watch: Watch, t: float, y: np.ndarray) -> np.ndarray:
        return changed(self.system, watch, t, y, self.energies)

    # -- laws in plain Python ----------------------------------------------------------------------------------------------
    def _stretch(self, ahead: np.ndarray) -> tuple[Solution, str]:
        with nullcontext() if self.system.at.laws is None else self.system.at.laws.raised.listening():
            return super()._stretch(ahead)

    def _is_interrupted(self, solution: Solution) -> bool:
        return super()._is_interrupted(solution) or isinstance(self._raised, KeyboardInterrupt)

    @property
    def _raised(self) -> BaseException | None:
        outside = (self.system.at.laws, self.newton)
        return next((x.raised.error for x in outside if x is not None and x.raised.error is not None), None)

    # -- events of accelerations and reactions -----------------------------------------------------------------------------
    def _event(self, solution: Solution, t: float, y: np.ndarray) -> tuple[Over, np.ndarray]:
        """As of `Simulation`: also the events that the jump of accelerations and reactions makes."""
        before = self._watched(t, y)
        over, y = super()._event(solution, t, y)
        for k in self.jumps.passed(before, self._watched(t, y)) if over is None else ():
            if over is None and t not in solution.t_events[k]:
                self.events.append((t, self.watches[k].name))
                over, y = self._asked(self.watches[k], solution, t, y)
        return over, y

    def _watched(self, t: float, y: np.ndarray) -> np.ndarray:
        """The functions of events, where some of them may jump."""
        if not self.jumps.which:
            return np.zeros(0)
        return np.array(self.flow.events(*self._inputs(t, y, self.flags))[0])

    def _check_unique(self, q: np.ndarray, v: np.ndarray, t: float) -> None:
        """As `watch.check_unique`."""
        system = self.system
        known = [(w, {n.rpartition(".")[0] for n in x.told_by_multipliers(system.at.groups)})
                 for w, x in zip(self.watches, system.at.watched, strict=True)]  # fmt: skip
        if not any(names for _, names in known):
            return
        smallest = SmallestReactions(system)
        smallest(q, v, t, system.accelerations(q, v, t)[0], True)
        for watch, names in known:
            many = [name for name in smallest.elements if name in names]
            if many:
                raise not_unique(watch, many)

    def _broken(self, t: float, y: np.ndarray) -> Over:
        if isinstance(self._raised, LinkwrightError):
            return trouble.of_a_law(t, self._raised)
        if self._raised is not None:
            raise self._raised
        if self._projects:
            return None
        system = self.system
        system.turns[:] = y[system.nq + system.nv : -1]
        return trouble.come_apart(system.Phi(y[: system.nq], t), system.row_names, typical_length(system.model), t)

    # -- changes on the way ----------------------------------------------------------------------------------------------
    @property
    def allowed(self) -> Allowed:
        """What the tolerances of the run allow."""
        return Allowed(float(self.control.rtol), self.counters["steps"], self._projects, self._projects)

    def kept(self) -> Kept:
        """Energy and constraints at all states there are, for the safety net."""
        system, (t, y) = self.system, self.visited()
        nq, nv = system.nq, system.nv
        Phi, rate = errors(system, t, y)
        sizes = scale(system)
        rows = np.sqrt((system.Phi_v(y[0, :nq], float(t[0])).multiply(sizes)).power(2).sum(axis=1))
        return Kept.of(
            t, self.energies.over(t, y), y[:, -1], (np.abs(Phi), np.abs(rate)), np.asarray(rows).ravel(),
            y[:, nq : nq + nv] / sizes, least_energy(system.model, float(np.ptp(t))),
        )  # fmt: skip

    def _failed(self, solution: Solution, begin: float, t: float, y: np.ndarray) -> Over:
        self.control = replace(self.control, max_steps=self._left())
        self.integrator.control = self.control
        many, laws = solution.status == TOO_MANY, self.system.at.laws
        if laws is not None and laws.raised.last is not None and solution.status in trouble.STUCK:
            return trouble.of_a_law(t, laws.raised.last)
        if many and self._left() > 0:
            self._look_for_stiffness(solution, begin, t, y)
            return None
        if many:
            return IntegrationError(solution.message, time=t, remedy="give more max_steps, or looser tolerances")
        system = self.system
        sizes = system.nq, system.nv
        infinite = trouble.not_finite(system.model, lambda t, y: efforts(system, t, y), system.retract, sizes, t, y)
        lost = None if self.dependent or solution.status not in trouble.STUCK else locked(system, y[: system.nq], t)
        return infinite or lost or IntegrationError(
            solution.message, time=t, element=trouble.largest(efforts(system, t, y)),
            remedy="look at the last state in `.partial`; the machine may be stiff",
        )  # fmt: skip

    def _look_for_stiffness(self, solution: Solution, begin: float, t: float, y: np.ndarray) -> None:
        """In joint coordinates, which an implicit method goes on in: its factors are dense, and those are the fewest."""
        stiffness, system = self.stiffness, self.system
        if stiffness is None:
            return
        if self.view is None and len(system.at.bodies) > MANY and has_derivatives(system):
            self._look_in_bodies(stiffness, solution, begin, t, y)
            return
        if self.view is None and len(system.at.bodies) > LARGEST:
            return
        view = self.view or LoopedInJoints(LoopedJoints.of(system, y[: system.nq]))
        self._motion = view.joints.motion(self.flow)
        weight = np.array([*view.weight[:-1], 0.0])  # the work aside
        method, why = stiffness.after(solution, view.joint_state(y), weight, begin, self.method)
        if why:
            self.method, self.view = method, view
            self.why.append(why)
            self.integrator = self._integrator(y, t, self.flags)

    def _look_in_bodies(
        self, stiffness: Stiffness, solution: Solution, begin: float, t: float, y: np.ndarray
    ) -> None:  # fmt: skip
        """The same of very many bodies, whose own coordinates have sparse factors."""
        self._motion = self.flow.motion
        weight = np.array(self.control.weight)
        weight[-1] = 0.0
        method, why = stiffness.after(solution, y, weight, begin, self.method, sparse=True)
        if why:
            self.method = method
            self.why.append(f"{why} (by sparse factors)")
            self.integrator = self._integrator(y, t, self.flags)

    def _rates(self, t: float, x: np.ndarray) -> np.ndarray:
        """The derivative of a state, of joints or of bodies."""
        return self._motion(*self._inputs(t, x, self.flags))[0]

    def _singular(self, t: float, y: np.ndarray) -> bool:
        if self.yielding or self.system.at.rubs:
            return False
        return bool(self.flow.motion(*self._inputs(t, y, self.flags))[2][0] < trouble.SINGULAR)

    def _yield(self, t: float, y: np.ndarray, near: float) -> None:
        self.yielding = True
        system = self.system
        system.turns[:] = y[system.nq + system.nv : -1]
        self._use(held(system, y[: system.nq], t))
        self.bounces.base = self.bounces.machine = Impacts(self.system)
        self.switching = self._switches(self.switching.moment)
        self.why.append(f"from t = {t:.6g} on a proximal method: joints come near to dependence at t = {near:.6g}")
        self.integrator = self._integrator(y, t, self.flags)
