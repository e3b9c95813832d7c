"""A machine under forces with numbers in it: the terms of its equations of motion, and their careful solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.machine import inertia
from linkwright.analyses.machine.channels import body_layout, joint_names
from linkwright.analyses.machine.contact_space import Felt, Response
from linkwright.analyses.machine.moving import MovingMachine, Solution
from linkwright.analyses.machine.safety_loop import RowErrors
from linkwright.analyses.machine.sizes import Sizes, least_energy
from linkwright.compile import Function
from linkwright.compile.rows import at_each
from linkwright.errors import ModelError
from linkwright.later import sparse
from linkwright.model import Model
from linkwright.model.values import is_some
from linkwright.regularisation import COMPLIANCE, EASED, RANK, own_compliances
from linkwright.solve.blas import single_threaded
from linkwright.solve.fixed_point import fixed_points
from linkwright.solve.rank import independent_rows, scaled
from linkwright.system.held import HeldMechanics, Mode
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.laws import tell, value_of
from linkwright.system.mechanics import Mechanics
from linkwright.system.shaped_mechanics import ShapedMechanics
from linkwright.system.slots import Slot
from linkwright.words import listed

if TYPE_CHECKING:
    from linkwright.system.looped import LoopedSystem


@dataclass(frozen=True)
class Terms:
    """M vdot + h + J^T lam = Q, J vdot = gamma, J v = nu, Phi = 0 at one state; dense, all rows. Q without friction.

    energy: kinetic, potential, and the power of forces without potential; points: of joints, one after the other.
    """

    M: np.ndarray
    h: np.ndarray
    Q: np.ndarray
    J: np.ndarray
    gamma: np.ndarray
    nu: np.ndarray
    Phi: np.ndarray
    energy: np.ndarray
    points: np.ndarray


class LoadedMachine(MovingMachine):
    """A machine whose equations of motion are traced as a whole, or by shapes of elements at rest."""

    weights: np.ndarray | None = None  # by row: its compliance where multipliers are not unique
    equations = Mechanics
    shaped = ShapedMechanics
    system: Mechanics

    @cached_property
    def layout(self) -> dict[str, tuple[str, int | None]]:
        """The channels of its results, in order: the group that computes each, and its column there, if it is an array."""
        others = dict.fromkeys(joint_names(self), ("joints", None)) | dict.fromkeys(
            self.system.channel_names, ("forces", None)
        )
        return {**body_layout(self), **others}

    def joints_at(self, q: np.ndarray) -> JointCoordinates:
        """Joint coordinates near a configuration; those of the last one are kept."""
        if not (self._joints and self._joints[0] is self.system and np.array_equal(self._joints[1], q)):
            self._joints = self.system, q.copy(), JointCoordinates(self.system, q, self.model)
        return self._joints[2]

    _joints: tuple[Mechanics, np.ndarray, JointCoordinates] | None = None

    def least_energy(self, span: float) -> float:
        """[J] What counts as none within a run over this time."""
        return least_energy(self._sizes, span)

    @property
    def row_errors(self) -> RowErrors:
        """The constraint errors for the safety net, with the rows and the sizes of displacements as they are now."""
        known, pattern = self._row_errors, self.system.pattern
        if known is None or known.pattern is not pattern or known.scale is not self.scale:
            s = self.system
            known = self._row_errors = RowErrors(pattern, self.scale, len(s.rows), s.coordinates.parameters)
        return known

    _row_errors: RowErrors | None = None

    @cached_property
    def _sizes(self) -> Sizes:
        return Sizes.of(self.model)

    # -- laws in Python --------------------------------------------------------------------------------------------------
    def calls(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray | None = None) -> np.ndarray:
        """The values of the laws that could not be traced."""
        callbacks = self.system.loads.callbacks
        if not callbacks:
            return np.zeros(0)
        self._tell_once()
        args = (q, v, np.array([t]), self.b, self.turns if turns is None else turns, np.zeros(self.nv))
        (x,) = self.system.call_arguments(*args)
        out, at = np.empty(len(callbacks)), 0
        for k, c in enumerate(callbacks):
            out[k] = value_of(c.function, c.element, c.arguments, x[at : at + len(c.arguments)])
            at += len(c.arguments)
        return out

    _told = False

    def _tell_once(self) -> None:
        if not self._told:
            tell(c.element for c in self.system.loads.callbacks)
            self._told = True

    # -- terms ---------------------------------------------------------------------------------------------------------
    def load_args(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
        turns = self.turns if turns is None else turns
        return q, v, np.array([t]), self.b, turns, np.zeros(self.nv), self.calls(q, v, t, turns)

    def rates_of_states(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray) -> np.ndarray:
        return np.asarray(self.system.state_rates(*self.load_args(q, v, t, turns))[0])

    def terms(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray | None = None) -> Terms:
        return self.dense(self.system.terms(*self.load_args(q, v, t, turns)))

    def lean_terms(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray | None = None) -> Terms:
        """The same with M and J sparse where the machine is large."""
        if not self.is_sparse:
            return self.terms(q, v, t, turns)
        m, h, Q, j, *rest = self.system.terms(*self.load_args(q, v, t, turns))
        M: Any = sparse.csr_array((m, self.system.M_pattern), shape=(self.nv, self.nv))
        return Terms(M, h, Q, self.matrix(j), *rest)

    def dense(self, values: tuple[np.ndarray, ...]) -> Terms:
        m, h, Q, j, gamma, nu, Phi, energy, points = values
        M = np.zeros((self.nv, self.nv))
        M[self.system.M_pattern] = m
        J = np.zeros((len(Phi), self.nv))
        J[self.system.pattern] = j
        return Terms(M, h, Q, J, gamma, nu, Phi, energy, points)

    # -- at events -----------------------------------------------------------------------------------------------------
    def _state_args(self, t: float, y: np.ndarray) -> tuple[np.ndarray, ...]:
        q, v, turns = self.split(y)
        return self.load_args(q, v, t, turns)

    def masses_and_rows(self, t: float, y: np.ndarray) -> tuple[Any, Any, np.ndarray]:
        q, v, turns = self.split(y)
        terms = self.lean_terms(q, v, t, turns)
        return terms.M, terms.J, terms.nu

    def energy(self, t: float, y: np.ndarray) -> float:
        return float(self.system.terms(*self._state_args(t, y))[7][:2].sum())

    @property
    def impacts(self) -> list[str]:
        return [impact.name for impact in self.system.loads.impacts]

    def gaps(self, t: float, y: np.ndarray, vdot: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
        return self.system.gaps(*self._state_args(t, y), np.zeros(self.nv) if vdot is None else vdot)

    @property
    def slots(self) -> list[Slot]:
        return self.system.slots

    def holding(self, mode: Mode) -> LoadedMachine:
        system = HeldMechanics.of(self.system, mode)
        if system is self.system:
            return self
        out = copy(self)
        out.system, out.b = system, np.concatenate([self.b, mode.values])
        is_weighed = isinstance(system, HeldMechanics) and any(mode.weights)
        out.weights = system.row_weights(mode.weights) if isinstance(system, HeldMechanics) and is_weighed else None
        for name in ("active", "is_driver"):
            out.__dict__.pop(name, None)
        return out

    @property
    def own_rows(self) -> int:
        return len(self.system.rows)

    def felt(self, every: Any, t: float, y: np.ndarray) -> Felt:
        q, v, turns = self.split(y)
        terms, count = every.terms(q, v, t, turns), self.own_rows
        J, mass = terms.J[:count], self.filled(np.diag(terms.M))
        G, nu, gamma = (x[count:] for x in (terms.J, terms.nu, terms.gamma))
        respond = Response.of(terms.M, J, self.scale)
        return Felt(G, nu, gamma, terms.Q - terms.h, terms.gamma[:count], own_compliances(J, mass), mass, respond)

    def slot_numbers(self, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not self.slots:
            return np.zeros((0, 5)), np.zeros(0)
        x, places = self.system.slot_numbers(*self._state_args(t, y))
        return x, places

    def slot_rows(self, t: float, y: np.ndarray) -> np.ndarray:
        return np.asarray(self.system.slot_rows(*self._state_args(t, y))[0])

    def _is_dry(self, dry: set[str]) -> np.ndarray:
        return np.array([float(f.element.name in dry) for f in self.system.frictions])

    def rubs_beside(self, dry: set[str]) -> bool:
        return not self._is_dry(dry).all()

    def smooth_friction(self, t: float, y: np.ndarray, lam: np.ndarray, dry: set[str]) -> np.ndarray:
        return np.asarray(self.system.smooth_friction(*self._state_args(t, y), lam, self._is_dry(dry))[0])

    def slot_forces(self, t: float, y: np.ndarray, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert isinstance(self.system, HeldMechanics)
        F, N = self.system.slot_forces(*self._state_args(t, y), lam)
        return F, N

    # -- solution ------------------------------------------------------------------------------------------------------
    def solve(
        self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray | None = None, tolerance: float = RANK
    ) -> Solution:
        """The `solution`; raises where something is undetermined."""
        return self.determined(self.solution(q, v, t, turns, tolerance))

    def determined(self, found: Solution) -> Solution:
        """The solution; raises where something is undetermined."""
        if found.undetermined:
            raise without_inertia(self.model, found.undetermined)
        return found

    def solution(
        self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray | None = None, tolerance: float = RANK
    ) -> Solution:
        """Accelerations and multipliers by a rank-revealing method, whatever the rows are.

        J vdot = gamma in the least-squares sense, the rest by the equations of motion in the null space of J; of all
        multipliers the smallest. Dependent rows, massless parts and singular positions need no special care. `tolerance`:
        singular values of the rows below it, relative to the largest, tell nothing.
        """
        args = self.load_args(q, v, t, turns)
        terms = self.dense(self.system.terms(*args))
        return self.solution_of(terms, lambda lam: self.system.friction(*args, lam)[0], tolerance)

    @single_threaded
    def solution_of(self, terms: Terms, friction: Callable[[np.ndarray], np.ndarray], tolerance: float) -> Solution:
        """The same of terms that are known; `friction`: its generalised forces under multipliers."""
        solved = self._solver(terms, tolerance)
        without = solved(terms.Q)
        if not self.system.frictions or without.undetermined:
            return without

        def under(lam: np.ndarray) -> Solution:
            return solved(terms.Q + friction(lam))

        lam = fixed_points(lambda x: under(x[0]).lam[None], without.lam[None], len(self.system.frictions))
        return under(lam[0])

    @np.errstate(invalid="ignore")  # forces that are not finite are told by whoever asked
    def _solver(self, terms: Terms, tolerance: float) -> Callable[[np.ndarray], Solution]:
        """The solution under generalised forces Q; what follows from rows and masses alone is found once."""
        S, lengths = scaled(terms.J, self.scale)
        U, s, Vt = linear.svd(S) if len(S) else (np.zeros((0, 0)), np.zeros(0), np.eye(self.nv))
        rank = int((s > tolerance * s[0]).sum()) if len(s) else 0
        particular = Vt[:rank].T @ ((U[:, :rank].T @ (terms.gamma / lengths)) / s[:rank]) * self.scale
        Z = Vt[rank:].T * self.scale[:, None]
        reduced = inertia.along(terms.M, Z)
        lost = self._without_inertia(reduced, Z) if Z.shape[1] else ()

        @np.errstate(invalid="ignore")
        def solved(Q: np.ndarray) -> Solution:
            if lost:
                return Solution(np.full(self.nv, np.nan), np.full(len(S), np.nan), rank, False, lost)
            f, vdot = Q - terms.h, particular
            if Z.shape[1]:
                vdot = particular + Z @ linear.solve(reduced, Z.T @ (f - terms.M @ particular))
            effort = (f - terms.M @ vdot) * self.scale
            lam = U[:, :rank] @ ((Vt[:rank] @ effort) / s[:rank]) / lengths
            if (self.weights is not None or self.system.slots) and rank < len(S):
                lam = lam + self.shared(terms.M, terms.J, U[:, rank:] / lengths[:, None], lam)
            return Solution(vdot, lam, rank, rank == len(S))

        return solved

    def shared(self, M: np.ndarray, J: np.ndarray, null: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """What makes multipliers the least by the compliances of rows, or by their weights, as the flow takes them, so that
        what sticks is within its bounds for both; `null`: combinations that do nothing."""
        by = np.sqrt(self._own(M, J))
        return np.asarray(null @ linear.lstsq(by[:, None] * null, -by * lam, rcond=None)[0])

    def _own(self, M: np.ndarray, J: np.ndarray) -> np.ndarray:
        """The compliance of each row by itself, or by its weight."""
        own = own_compliances(J, self.filled(np.diag(M)))
        return own if self.weights is None else np.where(self.weights > 0, self.weights, own)

    def filled(self, inertia: np.ndarray) -> np.ndarray:
        """The inertia by displacement; where there is none, that of a typical mass: for turns, and along curves, at the
        machine's length."""
        usual = self.value(self.system.typical_mass) * (self.length / self.scale) ** 2
        return np.where(inertia > 0, inertia, usual)

    def check_inertia(self, reduced: np.ndarray, Z: np.ndarray) -> None:
        """Raises where the inertia along the free motions Z is none in some direction, and names that."""
        if lost := self._without_inertia(reduced, Z):
            raise without_inertia(self.model, lost)

    def _without_inertia(self, reduced: np.ndarray, Z: np.ndarray) -> tuple[str, ...]:
        """The velocities of such a direction; none where all have inertia."""
        if self._uncancelled is None or self._uncancelled[0] is not self.b:
            self._uncancelled = self.b, inertia.uncancelled(self)
        bound = self._uncancelled[1]
        if inertia.is_everywhere(reduced, Z, bound):
            return ()
        free = np.abs(inertia.least(reduced, Z, bound)) / self.scale
        return tuple(n for n, x in zip(self.system.coordinates.v_names, free, strict=True) if x > 0.1 * free.max())

    _uncancelled: tuple[np.ndarray, np.ndarray | None] | None = None

    def compliances(self, q: np.ndarray, t: float, loops: Sequence[int] | None = None) -> np.ndarray:
        """The compliances for rows that may be dependent, as `eased` takes them: a small part of the compliance that each
        row has by its own bodies. Of the rows that close `loops`, or of all, those that are not needed here get more where
        joints are open."""
        terms = self.terms(q, np.zeros(self.nv), t)
        eps = COMPLIANCE * self._own(terms.M, terms.J)
        first, is_spare = ~self.is_driver, np.zeros(len(eps), dtype=bool)
        if loops is not None and len(loops) < len(eps):
            first = np.ones(len(eps), dtype=bool)
            first[loops] = False
        if not self.system.frictions:  # friction follows from how dependent joints share the load, which must not change
            is_spare[independent_rows(terms.J, self.scale, first)[1]] = True
        lengths = scaled(terms.J, self.scale)[1]
        return np.concatenate([np.where(is_spare, 0.0, eps), np.where(is_spare, eps, 0.0), EASED / (COMPLIANCE * lengths)])

    def kept_rows(self, q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """(kept, dropped): a largest set of independent rows here, joints before drivers."""
        _, J = self.Phi_and_J(q, t)
        return independent_rows(J, self.scale, ~self.is_driver)


@dataclass(frozen=True)
class States:
    """States over time, a row each."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    turns: np.ndarray

    @classmethod
    def of(cls, machine: LoadedMachine | LoopedSystem, t: np.ndarray, y: np.ndarray) -> States:
        """The states from rows of (q, v, turns, work)."""
        nq, nv = machine.nq, machine.nv
        return cls(t, y[:, :nq], y[:, nq : nq + nv], y[:, nq + nv : -1])

    def at(self, chosen: np.ndarray | slice) -> States:
        return States(self.t[chosen], self.q[chosen], self.v[chosen], self.turns[chosen])

    def evaluate(self, machine: LoadedMachine, function: Function, *more: np.ndarray) -> tuple[np.ndarray, ...]:
        """A function of `load_inputs` (and further inputs, a row a time) at all states; the first axis counts times."""
        return over_rows(function, self._arguments(machine, *more, tiled=False))

    def _arguments(self, machine: LoadedMachine, *more: np.ndarray, tiled: bool = True) -> list[np.ndarray]:
        """tiled: what is the same at all states has a row a time, too."""
        count = len(self.t)
        same = (
            (np.tile(machine.b, (count, 1)), np.zeros((count, machine.nv))) if tiled else (machine.b, np.zeros(machine.nv))
        )
        calls = np.array(
            [machine.calls(self.q[k], self.v[k], float(self.t[k]), self.turns[k]) for k in range(count)]
        ) if machine.system.loads.callbacks else np.zeros((count, 0))  # fmt: skip
        return [self.q, self.v, self.t[:, None], same[0], self.turns, same[1], calls, *more]


def over_rows(function: Function, args: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The function at every row of its arguments, see `at_each`. Up to a few thousand rows by single calls: that compiles
    nothing new."""
    count = len(args[0])
    if type(function) is Function and count <= size_policy.SINGLE_CALLS:
        return at_each(function, args)
    args = [a if a.ndim > 1 else np.tile(a, (count, 1)) for a in args]
    if count > size_policy.SINGLE_CALLS:
        return tuple(np.moveaxis(x, -1, 0) for x in function.batch(*[np.ascontiguousarray(a.T) for a in args]))
    out = [np.empty((count, *shape)) for shape in function.outputs.values()]
    for k in range(count):
        for target, value in zip(out, function(*[np.ascontiguousarray(a[k]) for a in args]), strict=True):
            target[k] = value
    return tuple(out)


def without_inertia(model: Model, names: Sequence[str], shown: int = 6) -> ModelError:
    """The error about velocities that nothing with inertia and no joint has a say in."""
    names = inertia.turns_alone(names, model)
    bodies = list(dict.fromkeys(name.rsplit(".", 1)[0] for name in names))
    masses = [b for b in bodies if b in model.bodies and is_some(model.bodies[b].mass)]
    turns = masses == bodies and all(name.endswith(inertia.TURNS) for name in names)
    remedy = (
        "give the body a moment of inertia; add a point mass by m.point(...), or hold its turning by an Orientation"
        if turns
        else "give the body mass and inertia, or fix it to another body; where springs meet, m.point(...) without mass lets "
        "their forces balance, if they hold it in each direction: springs hold across while they are stretched"
    )
    why = " (a turn about the mass centre, about which there is no moment of inertia)" if turns else ""
    return ModelError(
        f"nothing determines the acceleration of {listed(names, shown)}: no inertia there{why}, and no joint that holds it",
        element=bodies[:shown], remedy=remedy,
    )  # fmt: skip
