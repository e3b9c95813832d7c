"""Forces along the motion of a large machine, for its result: reactions, efforts and energies by shapes of elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from linkwright.analyses.dynamics.looped.held import SmallestReactions, scale
from linkwright.analyses.dynamics.looped.held import sizes as sizes_of
from linkwright.analyses.dynamics.looped.machine import LoopedMachine
from linkwright.analyses.dynamics.looped.outputs import Constants, Told, constants_of, outputs, told_names
from linkwright.analyses.machine.channels import Layout, Motion, body_layout, evaluator
from linkwright.analyses.machine.joint_rates import JointRates, rate_places
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.mechanical import States
from linkwright.analyses.machine.safety import Kept
from linkwright.analyses.machine.sizes import least_energy
from linkwright.analyses.machine.told import Answers, ForcesAlong, tell_slots
from linkwright.model.marks import Lately
from linkwright.regularisation import COMPLIANCE_TOLD, LOST
from linkwright.results.channels import Evaluate
from linkwright.results.motion import JointPlace
from linkwright.system.held import Mode
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.looped import DOUBTFUL
from linkwright.system.looped.over_states import errors, solutions


@dataclass(frozen=True)
class LoopedAnswers(Answers):
    """The answers of a large machine: also the multipliers; the residual of the balance of each displacement; elements whose
    reactions are not unique; how well all is known."""

    lam: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    residual: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    shared: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def answered(
    machine: LoopedMachine, t: np.ndarray, y: np.ndarray, modes: Sequence[Mode], own: Sequence[np.ndarray | None] | None,
    dependent: bool,
) -> LoopedAnswers:  # fmt: skip
    """The answers at states y, each in its mode. own: accelerations that the method itself has there, where it has such;
    dependent: rows are dependent from the start."""
    system = machine.looped
    if own is None and not system.at.held and not system.at.rubs and system.at.laws is None:
        vdot, lam, residual, pivot = solutions(system, t, y)
        if pivot >= DOUBTFUL:
            return LoopedAnswers(vdot, pivot=min(1.0, pivot), lam=lam, residual=residual)
    nq, nv, first = system.nq, system.nv, system.at.own_rows
    vdot, lam, residual = np.empty((len(t), nv)), np.empty((len(t), system.rows)), np.empty((len(t), nv))
    rests, slots = bool(system.at.resting), system.at.modes.slots
    rubbing = np.zeros((len(t), sum(s.size for s in slots)))
    rubs = bool(system.at.rubs)  # the multipliers that make the friction are the ones to tell
    solves = own is not None or (system.held and (dependent or not (rubs or rests)))
    smallest = SmallestReactions(system) if solves else None
    unsure, pivot = 0.0, 1.0
    for k in range(len(t)):
        system.turns[:] = y[k, nq + nv : -1]
        at = y[k, :nq], y[k, nq : nq + nv], float(t[k])
        with system.within(modes[k]):
            system.hold_here(at[0], at[2], COMPLIANCE_TOLD)
            vdot[k], lam[k], measure = system.accelerations(*at)
            given = None if own is None else own[k]
            if given is not None:
                vdot[k] = given
            unsure = max(unsure, system.rest * float(np.abs(vdot[k]).max()))
            friction, (M, J, force, _) = system.friction(), system.terms(*at)
            if slots:
                rubbing[k] = system.slots(lam[k])[0]
        if smallest is None:
            pivot = min(pivot, measure) if not rests else pivot
        else:
            effort = force - M @ vdot[k] - J[first:].T @ lam[k, first:]
            least = smallest(J[:first], effort, k in (0, len(t) // 2, len(t) - 1))
            lam[k, :first] = lam[k, :first] if rubs else least
        residual[k] = M @ vdot[k] - force - friction + J.T @ lam[k]
    notes = [] if smallest is None else smallest.notes()
    unsure /= max(float(np.abs(vdot).max(initial=0.0)), *(abs(system.model.value(g)) for g in system.model.gravity), 1e-300)
    if unsure > LOST:
        why = "a joint is all but self-locking by friction" if rubs else "the constraints become nearly dependent"
        notes.append(f"accelerations are known to {unsure:.1g} of the largest only: {why}")
    shared = () if smallest is None else tuple(smallest.elements)
    pressing = -lam[:, system.at.modes.gaps] if system.at.modes.impacts else None
    return LoopedAnswers(
        vdot, pressing, pivot, rubbing if slots else None, lam=lam, residual=residual, shared=shared, notes=tuple(notes)
    )


_MACHINES: Lately[Machine] = Lately(4)  # large machines of which further quantities were asked


class LoopedForces(ForcesAlong):
    """The machine's numbers are lent to other runs as soon as this one is over: what is told later follows from those that
    are kept here, from states and from multipliers."""

    machine: LoopedMachine
    states: States
    answers: LoopedAnswers
    _energy: np.ndarray | None = None

    @property
    def at_once(self) -> bool:
        """Laws in plain Python may raise, and may mean something else another time."""
        return self.system.at.laws is not None

    @property
    def system(self) -> LoopedSystem:
        return self.machine.looped

    @cached_property
    def _constants(self) -> Constants:
        """Read while the run has the system."""
        return constants_of(self.system)

    def at(self, chosen: np.ndarray | slice, answers: Callable[[], Answers]) -> LoopedForces:
        own = LoopedForces(self.machine, self.states.at(chosen), answers)
        own._energy, own._constants = self.energy[chosen], self._constants
        return own

    @property
    def _rows(self) -> np.ndarray:
        """(q, v, turns, work), without work."""
        s = self.states
        return np.hstack([s.q, s.v, s.turns, np.zeros((len(s.t), 1))])

    # -- by channel ----------------------------------------------------------------------------------------------------
    @cached_property
    def _told(self) -> Told:
        told = outputs(self.system, self._constants, self.machine.elements, self.states, self.answers.lam)
        self._tell_modes(told.forces)
        return told

    def _tell_modes(self, forces: dict[str, np.ndarray]) -> None:
        """Add what closed contacts press, and what slots rub, to the forces by channel."""
        answers, modes = self.answers, self.system.at.modes
        rubbing, none = answers.rubbing, np.zeros((len(self.states.t), modes.impacts))
        pressing = none if answers.pressing is None else answers.pressing
        for place in modes.places:
            for j, impact in enumerate(place.resting.base.loads.impacts):
                own = place.resting.group.names[place.member]
                for name in impact.forces:
                    forces[own + name.removeprefix(impact.element)] += impact.sense * pressing[:, place.impact + j]
        if rubbing is not None:
            tell_slots(forces, modes.slots, rubbing)

    @property
    def layout(self) -> Layout:
        """The channels in order, made once for a system."""
        names = told_names(self.system, self.machine.elements)

        def layout() -> Layout:
            joints, forces = dict.fromkeys(names[0], ("joints", None)), dict.fromkeys(names[1], ("forces", None))
            return {**body_layout(self.machine), **joints, **forces}

        return self.system.made((body_layout, tuple(map(id, names))), layout)

    def joint_channels(self) -> Mapping[str, np.ndarray]:
        return self._told.coordinates

    def channels(self) -> Mapping[str, np.ndarray]:
        return self._told.forces

    def places(self) -> dict[str, JointPlace]:
        value, shared, points = self.machine.value, set(self.answers.shared), self._told.points
        return {
            e.name: JointPlace.of(value, e, points[e.name], e.name not in shared)
            for e in self.machine.elements
            if e.name in points
        }

    def evaluator(self) -> Evaluate:
        """Traced for the whole machine when it is asked for. Joints' angles have the turns of the channels."""
        model, s, vdot = self.machine.model, self.states, self.vdot
        made: list[Motion] = []

        def motion() -> Motion:
            if not made:
                machine = _MACHINES.made(model, None, lambda: Machine(model)).numbered_as(self.machine)
                made.append(Motion(machine, s.t, s.q, self._references(machine.system.turn_names), s.v, vdot))
            return made[0]

        return evaluator(model, motion)

    def _references(self, names: Sequence[str]) -> np.ndarray:
        """The references of angles, a column each: as states have them, where the equations know the angle; else as the
        channels are."""
        s, known = self.states, self.system.at.turn_places
        if all(name in known for name in names):
            return s.turns[:, [known[name] for name in names]]
        angles = self._told.coordinates
        return np.array([angles.get(name, np.zeros(len(s.t))) for name in names]).reshape(-1, len(s.t)).T

    def rates_of_joints(self, channels: Mapping[str, np.ndarray]) -> JointRates:
        key = rate_places, tuple(map(id, self.machine.elements))
        if key not in self.system.noted:
            self.system.noted[key] = rate_places(self.machine.elements)
        return JointRates(self.machine.model, self.states.t, channels, self.system.noted[key])

    def notes(self) -> list[str]:
        return list(self.answers.notes)

    # -- what must hold ------------------------------------------------------------------------------------------------
    @property
    def energy(self) -> np.ndarray:
        if self._energy is None:
            self._energy = self.machine.energies.over(self.states.t, self._rows).T
        return self._energy

    def kept(self, work: np.ndarray) -> Kept:
        system, s, sizes = self.system, self.states, scale(self.system)
        Phi, rate = (x[:, : system.at.own_rows] for x in errors(system, s.t, self._rows))
        system.turns[:] = s.turns[0]
        lengths = system.row_lengths(s.q[0], float(s.t[0]), sizes)[: system.at.own_rows]
        least = least_energy(sizes_of(system), float(s.t[-1] - s.t[0]))
        return Kept.of(s.t, self.energy.T, work, (np.abs(Phi), np.abs(rate)), lengths, s.v / sizes, least)

    def residual(self) -> np.ndarray:
        return self.answers.residual

    # -- for invariants ------------------------------------------------------------------------------------------------
    def mass_by(self, x: np.ndarray) -> np.ndarray:
        return self._over(lambda k, at: self.system.terms(*at)[0] @ x[k])

    def rows_by(self, d: np.ndarray) -> np.ndarray:
        return self._over(lambda k, at: self.system.Phi_v(at[0], at[2])[: self.system.at.own_rows] @ d[k])

    @property
    def row_sizes(self) -> np.ndarray:
        size = scale(self.system)
        own = self.system.at.own_rows
        return self._over(lambda k, at: self.system.row_lengths(at[0], at[2], size)[:own])

    def _over(self, found: Callable[[int, tuple[np.ndarray, np.ndarray, float]], np.ndarray]) -> np.ndarray:
        """The values of a function at all states, a row each; turns are as the state has them."""
        s, out = self.states, []
        for k, t in enumerate(s.t.tolist()):
            self.system.turns[:] = s.turns[k]
            out.append(found(k, (s.q[k], s.v[k], t)))
        return np.array(out)
