"""Reactions over time: from multipliers to channels, and the check that every body is in balance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.machine.channels import Layout, Motion
from linkwright.analyses.machine.joint_rates import JointRates
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.machine.safety import SLOW, Kept
from linkwright.analyses.machine.told import Answers, ForcesAlong, tell_slots
from linkwright.regularisation import RANK, SHARE
from linkwright.results.channels import Evaluate
from linkwright.results.motion import JointPlace
from linkwright.solve.blas import single_threaded
from linkwright.solve.fixed_point import fixed_points
from linkwright.solve.smallest import Smallest

SAMPLED = 8  # times at which the lengths of rows are looked at: they change slowly
FEW_SUMS = 20_000  # entries of a matrix of sums that is quicker dense than sparse
KEPT = 3, 5, 6, 7  # of the terms, what the safety net looks at: J, nu, Phi, energies
LIGHT = 1e-4  # of the largest mass: what weighs less is taken for so much


class Forces(ForcesAlong):
    """The forces along a motion of a machine that is evaluated as a whole, or by shapes at rest. M and Phi_v are kept by
    their nonzeros, a row a time."""

    machine: LoadedMachine
    states: States

    @property
    def rubbing(self) -> np.ndarray | None:
        return self.answers.rubbing

    @cached_property
    def pressing(self) -> np.ndarray | None:
        given = self.answers.pressing
        return given if given is not None and given.any() else None

    def at(self, chosen: np.ndarray | slice, answers: Callable[[], Answers]) -> Forces:
        """The forces at some of the states, with accelerations; what was evaluated is not evaluated again."""
        own = Forces(self.machine, self.states.at(chosen), answers)
        own._known = lambda: tuple(x[chosen] for x in self._terms)
        return own

    _known: Callable[[], tuple[np.ndarray, ...]] | None = None

    @cached_property
    def _terms(self) -> tuple[np.ndarray, ...]:
        """The nonzeros of M, h, Q, the nonzeros of J, gamma, nu, Phi, energy, points; the first axis counts times."""
        return self._known() if self._known else self.states.evaluate(self.machine, self.machine.system.terms)

    @property
    def finite(self) -> np.ndarray:
        """The times at which all laws give numbers."""
        return np.asarray(np.isfinite(self._terms[2]).all(axis=1))

    @cached_property
    def _Q(self) -> np.ndarray:
        """Generalised forces, those of closed contacts included, along their gaps, and those of slots."""
        Q = self._terms[2]
        if self.rubbing is not None:
            D = self.states.evaluate(self.machine, self.machine.system.slot_rows)[0]
            Q = Q + np.einsum("tk,tkj->tj", self.rubbing, D)
        if self.pressing is None:
            return Q
        at = np.flatnonzero(self.pressing.any(axis=1))
        G = self.states.at(at).evaluate(self.machine, self.machine.system.gaps, self.vdot[at])[1]
        Q = Q.copy()
        Q[at] += np.einsum("tk,tkj->tj", self.pressing[at], G)
        return Q

    def rows_by(self, x: np.ndarray) -> np.ndarray:
        """J x at each time."""
        rows, columns = self.machine.system.pattern
        return _sums(self._terms[3] * x[:, columns], rows, len(self.machine.system.rows))

    def _JT_by(self, lam: np.ndarray) -> np.ndarray:
        """J^T lam at each time."""
        rows, columns = self.machine.system.pattern
        return _sums(self._terms[3] * lam[:, rows], columns, self.machine.nv)

    def mass_by(self, x: np.ndarray) -> np.ndarray:
        """M x at each time."""
        rows, columns = self.machine.system.M_pattern
        return np.asarray(_sums(self._terms[0] * x[:, columns], rows, self.machine.nv))

    @property
    def row_sizes(self) -> np.ndarray:
        """The change of each row by a displacement of typical size, at each time."""
        return self._relative[1]

    @cached_property
    def _relative(self) -> tuple[np.ndarray, np.ndarray]:
        """The nonzeros of J, columns times the sizes of their displacements, rows divided by their lengths; and those."""
        S = self._terms[3] * self._scales
        lengths = self._row_lengths(S)
        return S / lengths[:, self.machine.system.pattern[0]], lengths

    def _dense(self, values: np.ndarray) -> np.ndarray:
        rows, columns = self.machine.system.pattern
        out = np.zeros((len(values), len(self.machine.system.rows), self.machine.nv))
        out[:, rows, columns] = values
        return out

    def _sparse(self, values: np.ndarray) -> Any:
        from scipy.sparse import csr_array

        return csr_array((values, self.machine.system.pattern), shape=(len(self.machine.system.rows), self.machine.nv))

    @cached_property
    def inertia(self) -> np.ndarray:
        """M vdot + h."""
        rows, columns = self.machine.system.M_pattern
        return np.asarray(_sums(self._terms[0] * self.vdot[:, columns], rows, self.machine.nv) + self._terms[1])

    @cached_property
    def lam(self) -> np.ndarray:
        """Multipliers: Phi_v^T lam = Q - M vdot - h (Haug 6.4.5), the smallest where rows are dependent."""
        if not self._rubs:
            return self._multipliers(self._Q)
        by, Q = self._mobility, self._Q
        count = len(self.machine.system.frictions)
        return fixed_points(lambda lam: self._multipliers(Q + self.friction(lam), by), self._multipliers(Q, by), count)

    @cached_property
    def _mobility(self) -> np.ndarray:
        """The weights of the balance by displacement, so that a friction that is off by something disturbs the reactions as
        it would in a machine that moves. The balance itself, where it is met, does not depend on them."""
        i, j = self.machine.system.M_pattern
        own = i == j
        mass = np.zeros(self.machine.nv)
        mass[i[own]] = np.abs(self._terms[0][:, own]).max(axis=0, initial=0.0)
        mass *= self.machine.scale**2
        return np.asarray(1.0 / np.sqrt(np.maximum(mass, LIGHT * mass.max(initial=0.0) or 1.0)))

    def friction(self, lam: np.ndarray) -> np.ndarray:
        """Generalised forces of friction, but of slots whose forces are given."""
        if not self._rubs:
            return np.zeros_like(self.vdot)
        if self.rubbing is None:
            return self.states.evaluate(self.machine, self.machine.system.friction, lam)[0]
        given = np.tile(self._given, (len(lam), 1))
        return self.states.evaluate(self.machine, self.machine.system.smooth_friction, lam, given)[0]

    @cached_property
    def _given(self) -> np.ndarray:
        """Which frictions are given, marked by one."""
        s = self.machine.system
        names = set() if self.rubbing is None else {slot.element.name for slot in s.slots}
        return np.array([float(f.element.name in names) for f in s.frictions])

    @property
    def _rubs(self) -> bool:
        """Whether friction follows from the reactions."""
        return bool((self._given == 0).any())

    @cached_property
    def dependent(self) -> np.ndarray:
        """By row: whether its multiplier is not unique at some time."""
        S, _ = self._relative
        out = np.zeros(len(self.machine.system.rows), dtype=bool)
        some = sorted({0, len(S) // 2, len(S) - 1}) if S.size else []
        if self.machine.nv > size_policy.SPARSE:
            for k in some:
                out |= Smallest(self._sparse(S[k])).undetermined()
            return out
        dense = self._dense(S[some])
        if _surely_independent(dense):
            return out
        for rows in dense:
            U, s, _ = linear.svd(rows)
            rank = int((s > RANK * s[0]).sum()) if len(s) else 0
            out |= (np.abs(U[:, rank:]) > SHARE).any(axis=1)
        return out

    @single_threaded
    def _multipliers(self, Q: np.ndarray, by: np.ndarray | None = None) -> np.ndarray:
        """The multipliers that meet the balance best, in scaled displacements; `by`: weights of these."""
        values, lengths = self._relative
        effort = (Q - self.inertia) * self.machine.scale
        if not lengths.size:
            return np.zeros(lengths.shape)
        if self.machine.nv > size_policy.SPARSE:
            every = [Smallest(self._sparse(x))(e) for x, e in zip(values, effort, strict=True)]
            return np.asarray(np.array(every) / lengths)
        S = self._dense(values)
        if self.dependent.any():
            lam = _smallest(S, effort)
            if self.rubbing is not None:
                lam = lam + self._shared(S, lam, lengths)
        elif S.shape[1] == S.shape[2]:
            lam = linear.solve(np.swapaxes(S, 1, 2), effort[:, :, None])[:, :, 0]
        else:
            lam = _by_normal_equations(S, effort) if by is None else _by_normal_equations(S * by, effort * by)
        return np.asarray(lam / lengths)

    def _shared(self, S: np.ndarray, lam: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """What makes them those that the run took: where something may stick they are the least by the compliances of rows,
        and friction that follows from them is of the motion."""
        m = self.machine
        out, (i, j) = np.zeros_like(lam), m.system.M_pattern
        for k, rows in enumerate(S):
            U, s, _ = linear.svd(rows)
            rank = int((s > RANK * s[0]).sum())
            M = np.zeros((m.nv, m.nv))
            M[i, j] = self._terms[0][k]
            null = U[:, rank:] / lengths[k][:, None]
            out[k] = m.shared(M, self._dense(self._terms[3][k : k + 1])[0], null, lam[k] / lengths[k]) * lengths[k]
        return out

    # -- for results -----------------------------------------------------------------------------------------------------
    @property
    def _motion(self) -> Motion:
        # made anew: it asks these forces for accelerations, and kept by them it would live until cycles are looked for
        states = self.states
        return Motion(self.machine, states.t, states.q, states.turns, states.v, lambda: self.vdot)

    @property
    def at_once(self) -> bool:
        return bool(self.machine.system.loads.callbacks)

    @property
    def layout(self) -> Layout:
        return self.machine.layout

    def joint_channels(self) -> dict[str, np.ndarray]:
        return self._motion.joint_channels()

    def evaluator(self) -> Evaluate:
        return self._motion.evaluator()

    def rates_of_joints(self, channels: Mapping[str, np.ndarray]) -> JointRates | None:
        return self._motion.rates_of_joints(channels)

    @property
    def names(self) -> list[str]:
        """The names of the channels."""
        return self.machine.system.channel_names

    def channels(self) -> dict[str, np.ndarray]:
        """Reactions of all joints and drivers, and the forces of force elements."""
        s, names = self.machine.system, self.names
        if not names:
            return {}
        values = self.states.evaluate(self.machine, s.reactions, self.lam)[0]
        out = dict(zip(names, values.T.copy(), strict=True))
        if self.pressing is not None:
            for impact, force in zip(s.loads.impacts, self.pressing.T, strict=True):
                for name in impact.forces:
                    out[name] += impact.sense * force
        if self.rubbing is not None:
            tell_slots(out, s.slots, self.rubbing)
        return out

    def places(self) -> dict[str, JointPlace]:
        """Where each joint acts."""
        elements, s, count = {e.name: e for e in self.machine.elements}, self.machine.system, len(self.states.t)
        points = self._terms[8].reshape(count, len(s.joints), s.model.dimension)
        rows: dict[str, list[int]] = {}
        for k, row in enumerate(s.rows):
            rows.setdefault(row.element.name, []).append(k)
        out = {}
        for k, name in enumerate(s.joints):
            unique = not self.dependent[rows[name]].any()
            out[name] = JointPlace.of(self.machine.value, elements[name], points[:, k], unique)
        return out

    @property
    def energy(self) -> np.ndarray:
        """Kinetic energy, potential energy, power of forces without potential; a row a time."""
        return self._terms[7]

    def violation(self) -> tuple[np.ndarray, np.ndarray]:
        """Residuals of the position and of the velocity equations, a row a time."""
        return self._terms[6], self.rows_by(self.states.v) - self._terms[5]

    def kept(self, work: np.ndarray) -> Kept:
        """Energy and constraints at the states, for the safety net."""
        s = self.states
        J, nu, Phi, energies = (self._terms[k] for k in KEPT)
        least, every, slow = between(self.machine, len(s.t), float(s.t[-1] - s.t[0]))
        errors, worst, most = self.machine.row_errors.of((J, nu, Phi, s.v, s.q), (energies, work, least), every, slow)
        return Kept(
            s.t, energies[:, 0], energies[:, 1], work, errors[0], errors[1], worst, least, (errors[2], errors[3]), most
        )

    @property
    def _scales(self) -> np.ndarray:
        """The sizes of the displacements of the nonzeros of J."""
        sizes: np.ndarray = self.machine.scale[self.machine.system.pattern[1]]
        return sizes

    def _row_lengths(self, S: np.ndarray) -> np.ndarray:
        lengths = np.sqrt(_sums(S * S, self.machine.system.pattern[0], len(self.machine.system.rows)))
        return np.where(lengths > 0, lengths, 1.0)

    def residual(self) -> np.ndarray:
        """M vdot + h - Q - (friction) + Phi_v^T lam, by time and displacement: zero where all bodies are in balance."""
        return np.asarray(self.inertia - self._Q - self.friction(self.lam) + self._JT_by(self.lam))

    def notes(self) -> list[str]:
        """Which reactions are not unique, and where friction and reactions do not agree."""
        s = self.machine.system
        names = dict.fromkeys(r.element.name for r, d in zip(s.rows, self.dependent, strict=True) if d)
        said = [f"reactions not unique (dependent constraints; the smallest are given): {', '.join(names)}"] if names else []
        left = np.abs(self.residual()).max(initial=0.0) if self._rubs else 0.0
        # beside the forces also the inertia: a body that coasts has no other
        if left > 1e-8 * max(np.abs(x).max(initial=0.0) for x in (self._Q, self.inertia)):
            rubbing = ", ".join(dict.fromkeys(f.element.name for f in s.frictions))
            said.append(
                f"friction and reactions agree to {left:.2g} N only: a joint is all but self-locking, its friction makes "
                f"the reaction that makes the friction ({rubbing})"
            )
        return said


def between(machine: LoadedMachine, count: int, span: float) -> tuple[float, int, float]:
    """For the errors of so many states over this time: what energy is none, of which of them the lengths of rows are looked
    at, and what speed counts as none."""
    return machine.least_energy(span), 1 + (count - 1) // SAMPLED, SLOW / max(span, 1e-300)


def _sums(values: np.ndarray, place: np.ndarray, count: int) -> np.ndarray:
    """The sums of the values of one place in each row of `values`, for places 0 ... count - 1."""
    if len(place) and (place[1:] >= place[:-1]).all():  # entries of rows come one after the other
        first = np.concatenate([[0], np.flatnonzero(place[1:] != place[:-1]) + 1])
        found: np.ndarray = np.add.reduceat(values, first, axis=1)
        if len(first) == count:
            return found
        every = np.zeros((len(values), count))
        every[:, place[first]] = found
        return every
    at = np.arange(len(place))
    if len(place) * count <= FEW_SUMS:
        few = np.zeros((len(place), count))
        few[at, place] = 1.0
        return np.asarray(values @ few)
    from scipy.sparse import csr_array

    return np.asarray(values @ csr_array((np.ones(len(place)), (at, place)), shape=(len(place), count)))


def _surely_independent(S: np.ndarray) -> bool:
    """Whether the smallest singular value of each matrix is above 1e-4, which |(S S^T)^-1| bounds; in a fifth of the time of
    the singular values. False where they have to be looked at."""
    try:
        return bool(np.abs(linear.inv(S @ np.swapaxes(S, 1, 2))).sum(axis=(1, 2)).max(initial=0.0) < 1e8)
    except np.linalg.LinAlgError:
        return False


def _smallest(S: np.ndarray, effort: np.ndarray) -> np.ndarray:
    """The least lam that minimises |S^T lam - effort|, at each time."""
    out: np.ndarray = np.einsum("tji,tj->ti", linear.pinv(S, rcond=RANK), effort)
    return out


def _by_normal_equations(S: np.ndarray, effort: np.ndarray) -> np.ndarray:
    """The answer of `_smallest` for independent rows, seven times faster: (S S^T) lam = S effort, corrected once for its
    rounding; the other way where that is not enough."""
    G = S @ np.swapaxes(S, 1, 2)
    try:
        inverse = linear.inv(G)
    except np.linalg.LinAlgError:
        return _smallest(S, effort)
    right = np.einsum("tij,tj->ti", S, effort)
    lam: np.ndarray = np.einsum("tij,tj->ti", inverse, right)
    rest = np.zeros_like(right)
    for _ in range(2):
        lam = lam + np.einsum("tij,tj->ti", inverse, rest)
        rest = np.einsum("tij,tj->ti", S, effort - np.einsum("tij,ti->tj", S, lam))
    off = np.abs(np.einsum("tij,tj->ti", inverse, rest)).max(axis=1)
    poor = ~(off <= 1e-13 * np.abs(lam).max(axis=1))
    if poor.any():
        lam[poor] = _smallest(S[poor], effort[poor])
    return lam
