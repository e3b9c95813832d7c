"""Sparse factors for implicit methods on large machines, in the bodies' coordinates.

With accelerations a and multipliers lam at the point of linearisation, (s - df/dy) (dq, dv) = (b_q, b_v) is, by `changes`,

    [ s - E      -N          0   ] [ dq   ]   [ b_q   ]
    [ R_d D      R_v + s M   J^T ] [ dv   ] = [ M b_v ]
    [ Phi''_d D  Phi''_v + s J  0 ] [ dlam ]   [ J b_v ]

where q' = N v, E is its derivative by q, and D dq is the displacement of dq. The rows of turns and of work, on which nothing
else depends, follow by a difference along the solution.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.machine.kept import kept
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.later import sparse
from linkwright.model import Model
from linkwright.regularisation import COMPLIANCES_IN_LOOPS, own_compliances
from linkwright.solve.outside import Outside
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.flow import LoopedFlow
from linkwright.system.shaped_mechanics import ShapedMechanics

ALONG = 1e-7  # the length of a difference, by the size of the state


class Linearised:
    """The equations of motion of a large machine, differentiated at a state: M, J and the matrices of `changes` in ``by``.

    machine: evaluated by shapes; q, t: where it is settled."""

    M: Any
    J: Any
    by: dict[str, Any]

    def __init__(self, machine: LoadedMachine, looped: LoopedSystem, q: np.ndarray, t: float) -> None:
        self.machine, self.looped = machine, looped
        machine.settle(q, t)
        at = looped.at.turn_places
        own = [(k, at[name]) for k, name in enumerate(machine.system.turn_names) if name in at]
        self._turns = np.array(own, dtype=np.int64).reshape(-1, 2).T

    def at(self, t: float, q: np.ndarray, v: np.ndarray, vdot: np.ndarray, lam: np.ndarray) -> None:
        """Differentiate at a state; references of angles are those of the loops."""
        turns = self.machine.turns.copy()
        turns[self._turns[0]] = self.looped.turns[self._turns[1]]
        self.M, self.J, *_ = self.looped.terms(q, v, t)
        self.by = self.machine.system.changes(*self.machine.load_args(q, v, t, turns), vdot, lam)


class SparseNewton(Outside):
    """The sparse factors of the flow of a large machine. `flags`: of laws that switch, as the run has them."""

    def __init__(self, machine: LoadedMachine, flow: LoopedFlow, q: np.ndarray, t: float) -> None:
        super().__init__(flow.motion.inputs, flow.ny)
        self.machine, self.flow, self.looped = machine, flow, flow.system
        self.flags = np.zeros(flow.system.at.nflags)
        self.linearised = Linearised(machine, flow.system, q, t)

    @classmethod
    def of(cls, model: Model, flow: LoopedFlow, q: np.ndarray, t: float) -> SparseNewton | None:
        """The factors for a machine; None where it has forces without derivatives by shapes, see `has_derivatives`."""
        machine = LoadedMachine(model, t, by_shapes=True) if has_derivatives(flow.system) else None
        if machine is None or not isinstance(machine.system, ShapedMechanics):
            return None
        return cls(machine, flow, q, t)

    # -- as `Outside` ----------------------------------------------------------------------------------------------------
    def linearise(self, t: float, y: np.ndarray) -> None:
        m, s = self.machine, self.looped
        nq, nv = s.nq, s.nv
        q, v = y[:nq], y[nq : nq + nv]
        s.turns[:] = y[nq + nv : -1]
        self.linearised.at(t, q, v, *s.accelerations(q, v, t)[:2])
        self.M, self.J, by = self.linearised.M, self.linearised.J, self.linearised.by
        N: Any = sparse.csr_array(m.tangent_at(q))
        D = _displacing(N, m.model.dimension, len(s.at.bodies))
        self.t, self.y, self.N, self.E = t, y, N, _turning(v, m.model.dimension, len(s.at.bodies), nq)
        self.R_q, self.R_v, self.S_q, self.S_v = by["R_d"] @ D, by["R_v"], by["second_d"] @ D, by["second_v"]
        mass = np.abs(self.M.diagonal())
        own = own_compliances(self.J, np.where(mass > 0, mass, mass.max() or 1.0))
        self.hold = sparse.diags_array(-COMPLIANCES_IN_LOOPS[-1] * own) if len(own) else None
        self.value = self._tail(y)

    def factor(self, real: float, pair: complex) -> None:
        self.s = real, pair
        self.factors = [self._factored(s) for s in self.s]

    def _factored(self, s: Any) -> Any:
        here = s * sparse.eye_array(self.looped.nq) - self.E
        rows = [[here, -self.N], [self.R_q, self.R_v + s * self.M]]
        if self.hold is not None:
            rows = [[*rows[0], None], [*rows[1], self.J.T], [self.S_q, self.S_v + s * self.J, self.hold]]
        return linear.splu(sparse.block_array(rows, format="csc"))

    def solve(self, x: np.ndarray) -> np.ndarray:
        nq, nv = self.looped.nq, self.looped.nv
        which = int(np.iscomplexobj(x))
        b = x[nq : nq + nv]
        found = self.factors[which].solve(np.concatenate([x[:nq], self.M @ b, self.J @ b]))[: nq + nv]
        tail = x[nq + nv :] + (self._along(found.real) + 1j * self._along(found.imag) if which else self._along(found))
        return np.asarray(np.concatenate([found, tail / self.s[which]]))

    def noise(self) -> np.ndarray:
        nq, nv = self.looped.nq, self.looped.nv
        q, v = np.abs(self.y[:nq]), np.abs(self.y[nq : nq + nv])
        force, mass = abs(self.R_q) @ q + abs(self.R_v) @ v, np.abs(self.M.diagonal())
        rates = force / np.where(mass > 0, mass, np.inf)
        return np.concatenate([abs(self.N) @ v + abs(self.E) @ q, rates, np.zeros(len(self.y) - nq - nv)])

    # -- turns and work ----------------------------------------------------------------------------------------------------
    def _tail(self, y: np.ndarray) -> np.ndarray:
        none = np.zeros(0)
        gains = np.zeros(self.inputs["gains"])
        rates = self.flow.motion(np.array([self.t]), y, none, none, self.flags, gains)[0]
        return np.array(rates[self.looped.nq + self.looped.nv :])

    def _along(self, d: np.ndarray) -> np.ndarray:
        size = float(np.abs(d).max(initial=0.0))
        if not 0 < size < np.inf:
            return np.zeros(len(self.value))
        step = ALONG * max(float(np.abs(self.y).max()), 1.0) / size
        moved = self.y.copy()
        moved[: len(d)] += step * d
        return np.asarray((self._tail(moved) - self.value) / step)


def has_derivatives(system: LoopedSystem) -> bool:
    """Whether all forces have derivatives by shapes: not friction, impacts, laws in plain Python or such as remember,
    states, inertia along quantities, constraints on velocities, and counted angles of what is no joint."""
    at = system.at
    if at.states or at.of_velocities or any(group.carried for group in at.groups):
        return False
    if at.rubs or at.impacts or at.memories or at.laws is not None:
        return False
    return not kept(ShapedMechanics, system.model).lacks


def _displacing(N: Any, dimension: int, bodies: int) -> Any:
    """D with D N = 1: of Euler parameters 2 G, where N has G^T/2."""
    if dimension == 2:
        return N.T
    scale = np.ones(N.shape[1])
    scale[: 6 * bodies] = np.tile([1.0, 1.0, 1.0, 4.0, 4.0, 4.0], bodies)
    return sparse.diags_array(scale) @ N.T


def _turning(v: np.ndarray, dimension: int, bodies: int, nq: int) -> Any:
    """The derivative of N v by q: p' = Omega(omega) p/2."""
    if dimension == 2:
        return sparse.csr_array((nq, nq))
    x, y, z = v[: 6 * bodies].reshape(-1, 6)[:, 3:].T
    o = np.zeros_like(x)
    Omega = 0.5 * np.array([[o, -x, -y, -z], [x, o, z, -y], [y, -z, o, x], [z, y, -x, o]]).transpose(2, 0, 1)
    blocks = [part for w in Omega for part in (np.zeros((3, 3)), w)]
    extra = nq - 7 * bodies
    return sparse.csr_array(sparse.block_diag([*blocks, *([sparse.csr_array((extra, extra))] if extra else [])]))
