"""The equations of a motion, differentiated at many of its states at once.

Small changes of a motion are displacements d, velocities v, states z and a design; the constraints leave them as many free
numbers u as the machine has degrees of freedom, u = (B_p^T d, B_v^T v, z). At each state everything is linear in the columns
(u, design):

    Phi_v d = -Phi_b,     Phi_v v = -(Phi')_d d - (Phi')_b,     [M Phi_v^T; Phi_v 0] (a, lam) = -(R, Phi'')_(d, v, z, b)

so that constraints hold at every state whatever u is, and u' follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.machine.mechanical import LoadedMachine, States, over_rows
from linkwright.errors import SingularityError
from linkwright.regularisation import LEAST_SQUARES
from linkwright.system.tangents import Blocks, Tangents

WORN = 1e-9  # singular values of independent rows, relative to the largest, below which they are dependent
ITERATIONS = 30  # of Newton's method for multipliers that make friction
SETTLED = 1e-12  # relative: what it may leave


@dataclass(frozen=True)
class Change:
    """A change of the state, columns for what it is by, at many states: displacements, velocities, states, accelerations,
    multipliers of all rows, constants and time."""

    d: np.ndarray
    v: np.ndarray
    z: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    b: np.ndarray

    def by(self, columns: np.ndarray) -> Change:
        """The change along combinations of the columns."""
        return Change(*(x @ columns for x in (self.d, self.v, self.z, self.a, self.lam, self.b)))

    def __getitem__(self, at: Any) -> Change:
        return Change(*(x[at] for x in (self.d, self.v, self.z, self.a, self.lam, self.b)))

    def __add__(self, other: Change) -> Change:
        mine, theirs = vars(self).values(), vars(other).values()
        return Change(*(x + y for x, y in zip(mine, theirs, strict=True)))

    def part(self, columns: slice) -> Change:
        return Change(*(x[..., columns] for x in vars(self).values()))


class Nodes:
    """`kept`: independent rows; flags: of switched laws, a row a state."""

    def __init__(
        self, machine: LoadedMachine, tangents: Tangents, kept: np.ndarray, states: States, flags: np.ndarray
    ) -> None:  # fmt: skip
        self.machine, self.tangents, self.kept, self.states, self.flags = machine, tangents, kept, states, flags
        self.args = [*states._arguments(machine), flags]
        self.basis: _Basis | None = None
        self.transposed = np.zeros(0)
        of_speeds = machine.system.on_speeds
        self.on_positions = np.array([k for k in kept if k not in of_speeds], dtype=int)

    def __len__(self) -> int:
        return len(self.states.t)

    def ask(self, blocks: Blocks, *more: np.ndarray) -> dict[str, np.ndarray]:
        return blocks.dense(over_rows(blocks.function, [*self.args, *more]))

    # -- the motion itself -------------------------------------------------------------------------------------------------
    @cached_property
    def balance(self) -> dict[str, np.ndarray]:
        return self.ask(self.tangents.balance)

    @property
    def J(self) -> np.ndarray:
        return self.balance["J"]

    @cached_property
    def _solved(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations, and multipliers of all rows."""
        found, kept = self.balance, self.kept
        lam = np.zeros((len(self), len(self.machine.system.rows)))
        if self.tangents.friction is None:
            a, lam[:, kept] = (x[:, :, 0] for x in self.solve(found["f"][:, :, None], found["gamma"][:, kept, None]))
            return a, lam
        a, own = self._frictionless()
        for _ in range(ITERATIONS):  # M a + Phi_v^T lam - f - Q(lam) = 0
            lam[:, kept] = own
            rubbing = self.ask(self.tangents.friction, lam)
            self.transposed = np.swapaxes(self.J[:, kept], 1, 2) - rubbing["Q_lam"][:, :, kept]
            f = found["f"] + rubbing["Q"] - np.einsum("tij,tj->ti", rubbing["Q_lam"], lam)
            a, new = (x[:, :, 0] for x in self._by_large(f[:, :, None], found["gamma"][:, kept, None]))
            done = np.abs(new - own).max(initial=0.0) <= SETTLED * np.abs(new).max(initial=0.0)
            own = new
            if done:
                break
        lam[:, kept] = own
        return a, lam

    def _frictionless(self) -> tuple[np.ndarray, np.ndarray]:
        self.transposed = np.swapaxes(self.J[:, self.kept], 1, 2)
        a, lam = self._by_large(self.balance["f"][:, :, None], self.balance["gamma"][:, self.kept, None])
        return a[:, :, 0], lam[:, :, 0]

    def solve(self, f: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(a, lam) of M a + L lam = f, Phi_v a = gamma; L is Phi_v^T, less what friction makes of lam."""
        if self.tangents.friction is not None:
            return self._by_large(f, gamma)
        if self.basis is not None:
            return self.basis.solve(f, gamma)
        self.transposed = np.swapaxes(self.J[:, self.kept], 1, 2)
        return self._by_large(f, gamma)

    def solve_back(self, a: np.ndarray, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(f, gamma) with f . f' + gamma . gamma' = a . a' + lam . lam' for every solution (a', lam') of `solve`."""
        if self.tangents.friction is None:
            return self.solve(a, lam)
        _ = self._solved  # which finds L
        return self._by_large(a, lam, back=True)

    def _by_large(self, f: np.ndarray, gamma: np.ndarray, *, back: bool = False) -> tuple[np.ndarray, np.ndarray]:
        n, K = self.machine.nv, self._matrix(self.transposed)
        x = linear.solve(np.swapaxes(K, 1, 2) if back else K, np.concatenate([f, gamma], axis=1))
        return x[:, :n], x[:, n:]

    def _matrix(self, transposed: np.ndarray) -> np.ndarray:
        n, r = self.machine.nv, len(self.kept)
        K = np.zeros((len(self), n + r, n + r))
        K[:, :n, :n], K[:, :n, n:], K[:, n:, :n] = self.balance["M"], transposed, self.J[:, self.kept]
        return K

    @property
    def vdot(self) -> np.ndarray:
        return self._solved[0]

    @property
    def lam(self) -> np.ndarray:
        return self._solved[1]

    @cached_property
    def tangent(self) -> dict[str, np.ndarray]:
        """The derivatives of the equations, see `Tangents`."""
        return self.ask(self.tangents.matrices, self.vdot, self.lam)

    def rests(self) -> None:
        """The machine stands in balance: no accelerations, and multipliers that balance the forces."""
        kept, scale = self.kept, self.machine.scale
        lam = np.zeros((len(self), len(self.machine.system.rows)))
        for k in range(len(self)):
            S = self.J[k, kept] * scale
            lengths = np.linalg.norm(S, axis=1)
            lam[k, kept] = (
                linear.lstsq((S / lengths[:, None]).T, self.balance["f"][k] * scale, rcond=LEAST_SQUARES)[0] / lengths
            )
        self.__dict__["_solved"] = np.zeros((len(self), self.machine.nv)), lam

    # -- changes of it -----------------------------------------------------------------------------------------------------
    def answered(self, d: np.ndarray, v: np.ndarray, z: np.ndarray, b: np.ndarray) -> Change:
        """With the accelerations and multipliers that follow."""
        by = self.tangent
        R = by["R_d"] @ d + by["R_v"] @ v + by["R_z"] @ z + by["R_b"] @ b
        second = by["second_d"] @ d + by["second_v"] @ v + by["second_b"] @ b
        lam = np.zeros((len(self), len(self.machine.system.rows), d.shape[2]))
        a, lam[:, self.kept] = self.solve(-R, -second[:, self.kept])
        return Change(d, v, z, a, lam, np.broadcast_to(b, (len(self), *b.shape[-2:])))

    def z_rate(self, change: Change) -> np.ndarray:
        by = self.tangent
        return np.asarray(by["z_d"] @ change.d + by["z_v"] @ change.v + by["z_z"] @ change.z + by["z_b"] @ change.b)

    def lifted(self, charts: Charts, which: np.ndarray, design: np.ndarray) -> Change:
        """The change by the columns (u, design) of the charts `which` has for each state; design: (constants, columns)."""
        m = self.machine
        n, k, nz = charts.n, design.shape[1], len(self.tangents.z)
        at = charts.at
        b = np.concatenate([np.zeros((len(design), n)), design], axis=1)
        p, every = self.on_positions, self.kept
        self.basis = _Basis(self, charts, which)
        by = self.tangent
        free = np.zeros((m.nv - len(p), n + k))
        free[:, at[0]] = np.eye(len(free))
        d = self.basis.positions(-by["Phi_b"][:, p] @ b, free)
        free = np.zeros((m.nv - len(every), n + k))
        free[:, at[1]] = np.eye(len(free))
        v = self.basis.velocities(-(by["rate_d"][:, every] @ d + by["rate_b"][:, every] @ b), free)
        z = np.zeros((nz, n + k))
        z[:, at[2]] = np.eye(nz)
        return self.answered(d, v, np.broadcast_to(z, (len(self), *z.shape)), b)

    def rates(self, charts: Charts, which: np.ndarray, lifted: Change) -> np.ndarray:
        """u' by the columns (u, design)."""
        moving = lifted.v + self.turning(lifted.d)
        own = [charts.B_p[which] @ moving, charts.B_v[which] @ lifted.a, self.z_rate(lifted)]
        return np.concatenate(own, axis=1)

    def turning(self, d: np.ndarray) -> np.ndarray:
        """What makes d' = v + ...: in space virtual rotations are in axes that turn, d' = omega' - omega x d."""
        out = np.zeros_like(d)
        if self.machine.model.dimension == 3:
            for _, at in self.machine.system.coordinates.body_slices().values():
                turn = slice(at.start + 3, at.start + 6)
                out[:, turn] = -np.cross(self.states.v[:, turn, None], d[:, turn], axis=1)
        return out

    def moving(self) -> Change:
        """The motion's own rates, as a change by one column: that of time."""
        b = np.zeros((len(self.tangents.design), 1))
        b[-1] = 1.0
        z = self.balance["z_rate"][:, :, None]
        return self.answered(self.states.v[:, :, None], self.vdot[:, :, None], z, b)

    def read(self, readout: Blocks, change: Change) -> tuple[np.ndarray, np.ndarray]:
        """Values of expressions, and their changes; a row a state."""
        x = self.ask(readout, self.vdot, self.lam)
        out = x["x_d"] @ change.d + x["x_v"] @ change.v + x["x_z"] @ change.z + x["x_b"] @ change.b
        return x["x"], np.asarray(out + x["x_a"] @ change.a + x["x_l"] @ change.lam)

    def left_open(self, change: Change, rows: Sequence[int]) -> np.ndarray:
        """What the change does to rows that were left out, where the others hold: (states, rows, columns)."""
        return np.asarray(self.J[:, rows] @ change.d + self.tangent["Phi_b"][:, rows] @ change.b)


class _Basis:
    """The constraints and the free motions of charts as a basis at each state: small systems in place of a large one.
    D: displacements for a unit of each constraint, E: along each free motion; of positions and of velocities."""

    def __init__(self, nodes: Nodes, charts: Charts, which: np.ndarray) -> None:
        self.r, self.r_p, self.nodes = len(nodes.kept), len(nodes.on_positions), nodes
        self.inverse = linear.inv(np.concatenate([nodes.J[:, nodes.kept], charts.B_v[which]], axis=1))
        self.inverse_p = self.inverse
        if self.r_p < self.r:
            self.inverse_p = linear.inv(np.concatenate([nodes.J[:, nodes.on_positions], charts.B_p[which]], axis=1))

    def positions(self, right: np.ndarray, free: np.ndarray) -> np.ndarray:
        return np.asarray(self.inverse_p[:, :, : self.r_p] @ right + self.inverse_p[:, :, self.r_p :] @ free)

    def velocities(self, right: np.ndarray, free: np.ndarray) -> np.ndarray:
        return np.asarray(self.inverse[:, :, : self.r] @ right + self.inverse[:, :, self.r :] @ free)

    @cached_property
    def _reduced(self) -> np.ndarray:
        """E^T M E."""
        E = self.inverse[:, :, self.r :]
        return np.asarray(np.swapaxes(E, 1, 2) @ self.nodes.balance["M"] @ E)

    def solve(self, f: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(a, lam) of M a + Phi_v^T lam = f, Phi_v a = gamma."""
        D, E, M = self.inverse[:, :, : self.r], self.inverse[:, :, self.r :], self.nodes.balance["M"]
        a = D @ gamma
        if E.shape[2]:
            a = a + E @ linear.solve(self._reduced, np.swapaxes(E, 1, 2) @ (f - M @ a))
        return a, np.asarray(np.swapaxes(D, 1, 2) @ (f - M @ a))


class Charts:
    """Free numbers of changes near some states, one chart for each of them: rows B_p of displacements and B_v of velocities
    that complete the constraints."""

    def __init__(self, nodes: Nodes, at: np.ndarray) -> None:
        """at: the numbers of the states among the nodes."""
        m = nodes.machine
        self.B_v = _complement(nodes, nodes.kept, at)
        self.B_p = self.B_v if len(nodes.kept) == len(nodes.on_positions) else _complement(nodes, nodes.on_positions, at)
        a, b, c = m.nv - len(nodes.on_positions), m.nv - len(nodes.kept), len(nodes.tangents.z)
        self.n = a + b + c
        self.at = slice(0, a), slice(a, a + b), slice(a + b, self.n)


def _complement(nodes: Nodes, rows: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Rows that make those of the constraints a basis: the null space, by the sizes of displacements."""
    scale = nodes.machine.scale
    if not len(rows):
        return np.broadcast_to(np.diag(1.0 / scale), (len(at), len(scale), len(scale)))
    S = nodes.J[at][:, rows] * scale
    lengths = np.linalg.norm(S, axis=2, keepdims=True)
    _, s, Vt = linear.svd(S / np.where(lengths > 0, lengths, 1.0))
    worn = s[:, -1] < WORN * s[:, 0]
    if worn.any():
        raise singular_at(float(nodes.states.t[at][np.argmax(worn)]))
    return np.asarray(Vt[:, len(rows) :] / scale)


def singular_at(t: float) -> SingularityError:
    return SingularityError(
        f"the machine comes to where motions may branch, at t = {t:.6g}: no derivative goes through there",
        kind="bifurcation", time=t, remedy="end before that, or change the design",
    )  # fmt: skip
