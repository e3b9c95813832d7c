"""The equations on a spanning tree, as arrays: Kane's, and those of joint coordinates.

With v = R u of the speeds u of the tree's joints, and c = Rdot u, the equations of motion of the bodies become

    [ R^T M R   (Phi_c R)^T ] [ udot  ]   [ R^T (Q - h - M c) ]
    [ Phi_c R        0      ] [ lam_c ] = [ gamma - Phi_c c   ]

where the rows c are those that close loops, and drivers (Haug 6.6, 11.5; Featherstone 8). The two formulations differ in
their speeds: those of joint coordinates are the rates of the coordinates that `joint_space` has, signed as the joints are
described; Kane's are those of the upper body against the lower one, of spherical joints about the upper body's axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwright import linear
from linkwright.analyses.matrices.equations_at import EquationsAt
from linkwright.errors import ModelError
from linkwright.graph import Expr, along, evaluate, symbols
from linkwright.model import TIME
from linkwright.results.named import Named
from linkwright.solve.rank import analyse
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.partial_velocities import PartialVelocities
from linkwright.system.spanning_tree import Spanning, spanning_tree

if TYPE_CHECKING:
    from linkwright.analyses.machine.mechanical import LoadedMachine

CLOSED = 1e-6  # by how much, relative to the machine's size and speed, a state may miss the joints of the tree


@dataclass(frozen=True, eq=False)
class SpeedsOfTree:
    """The tree at a state: its speeds u, v = R u, c = Rdot u, and for joint coordinates these (theta)."""

    spanning: Spanning
    R: np.ndarray
    u: np.ndarray
    c: np.ndarray
    theta: np.ndarray

    @classmethod
    def of(cls, machine: LoadedMachine, formulation: str, q: np.ndarray, v: np.ndarray, Phi: np.ndarray) -> SpeedsOfTree:
        spanning = spanning_tree(machine.model)
        held = [k for k, row in enumerate(machine.system.rows) if row.element.name in spanning.joints]
        if np.abs(Phi[held]).max(initial=0.0) > CLOSED * max(machine.length, 1.0):
            raise _open("positions", machine)
        if formulation == "kane":
            return cls._by_kane(machine, spanning, q, v)
        joints = JointCoordinates(machine.system, q)
        theta = joints.read(q)
        R = joints.partial_velocities(q, theta)
        u = _fitting(R, v, machine)
        known = {**machine.model.parameter_values(), **dict(zip(joints.q, theta, strict=True))}
        known |= dict(zip(joints.v, u, strict=True))
        return cls(joints.spanning, R, u, _numbers(joints.rates_of_v([0.0] * joints.nv), known), theta)

    @classmethod
    def _by_kane(cls, machine: LoadedMachine, spanning: Spanning, q: np.ndarray, v: np.ndarray) -> SpeedsOfTree:
        s = machine.system
        partial = PartialVelocities(s, spanning)
        speeds = symbols("speed", partial.n)
        known = {**s.model.parameter_values(), **dict(zip((*s.coordinates.q, *s.coordinates.v), (*q, *v), strict=True))}
        moved = list(partial.of_speeds(list(speeds)))
        columns = [_numbers(moved, {**known, **dict(zip(speeds, e, strict=True))}) for e in np.eye(partial.n)]
        R = np.array(columns).reshape(partial.n, s.nv).T
        u = _fitting(R, v, machine)
        known |= dict(zip(speeds, u, strict=True))
        return cls(spanning, R, u, _numbers(along(moved, {**s.coordinates.rates, TIME: 1.0}), known), np.zeros(0))


def _numbers(values: list[Expr | float], known: dict[Expr, float]) -> np.ndarray:
    return np.array(evaluate(values, known), dtype=float)


def _fitting(R: np.ndarray, v: np.ndarray, machine: LoadedMachine) -> np.ndarray:
    """The speeds of velocities, which the joints must allow."""
    u: np.ndarray = linear.lstsq(R, v, rcond=None)[0]
    if np.abs(R @ u - v).max(initial=0.0) > CLOSED * max(float(np.abs(v).max(initial=0.0)), 1.0):
        raise _open("velocities", machine)
    return u


def _open(what: str, machine: LoadedMachine) -> ModelError:
    return ModelError(
        f"the joints of the tree do not allow the {what} of this state", element=machine.model.name,
        remedy="give a state of an analysis, such as lw.assemble(m) or a result",
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class TreeEquationsAt(EquationsAt):
    """The equations of the speeds. M, h, Q: M udot + h = Q + loops, by speeds; Phi_u, gamma_u: of the rows that the tree's
    joints do not hold by themselves; `matrix`, `rhs`, `unknowns` for udot and the multipliers of those.

    Phi, Phi_q, Phi_rotation, nu, gamma and gamma_sharp are those of all rows, as in the other formulations; `multipliers`
    and `accelerations` are of all rows and all bodies.
    """

    @cached_property
    def _tree(self) -> SpeedsOfTree:
        return SpeedsOfTree.of(self.equations.machine, self.equations.formulation, self.q, self.v, self.terms.Phi)

    @cached_property
    def _loops(self) -> list[int]:
        held = set(self._tree.spanning.joints)
        return [k for k, row in enumerate(self.equations.machine.system.rows) if row.element.name not in held]

    @property
    def _speed_names(self) -> list[str]:
        return [*self._tree.spanning.names, *self.equations.machine.system.coordinates.extra]

    @property
    def _loop_names(self) -> list[str]:
        return [self._rows[k] for k in self._loops]

    # -- speeds --------------------------------------------------------------------------------------------------------
    @property
    def u(self) -> Named:
        """The speeds: one by the name of its joint, several by joint and number; of a body that nothing carries, its own."""
        return Named(self._tree.u, self._speed_names)

    @property
    def theta(self) -> np.ndarray:
        """The coordinates of the joints, in the order of `joint_space`; none for Kane's equations."""
        return self._tree.theta

    @property
    def R(self) -> Named:
        """Partial velocities: v = R u."""
        return Named(self._tree.R, self._v_names, self._speed_names)

    @property
    def c(self) -> Named:
        """Rdot u: vdot = R udot + c."""
        return Named(self._tree.c, self._v_names)

    # -- equations -----------------------------------------------------------------------------------------------------
    @property
    def M(self) -> Named:
        """R^T M R."""
        return Named(self._tree.R.T @ self.terms.M @ self._tree.R, self._speed_names, self._speed_names)

    @property
    def Q(self) -> Named:
        """R^T Q: applied forces on the speeds."""
        return Named(self._tree.R.T @ self.terms.Q, self._speed_names)

    @property
    def h(self) -> Named:
        """R^T (h + M c): Coriolis and centrifugal forces on the speeds."""
        return Named(self._tree.R.T @ (self.terms.h + self.terms.M @ self._tree.c), self._speed_names)

    @property
    def Phi_u(self) -> Named:
        """Phi_v R of the rows that close loops, or drive."""
        return Named(self.terms.J[self._loops] @ self._tree.R, self._loop_names, self._speed_names)

    @property
    def gamma_u(self) -> Named:
        """Phi_u udot = gamma_u."""
        return Named(self.terms.gamma[self._loops] - self.terms.J[self._loops] @ self._tree.c, self._loop_names)

    @cached_property
    def _system(self) -> tuple[np.ndarray, np.ndarray, list[str], list[str]]:
        J = np.asarray(self.Phi_u)
        K = np.block([[np.asarray(self.M), J.T], [J, np.zeros((len(J), len(J)))]])
        right = np.concatenate([np.asarray(self.Q) - np.asarray(self.h), np.asarray(self.gamma_u)])
        unknowns = [*(f"{name}'" for name in self._speed_names), *(f"lam({name})" for name in self._loop_names)]
        return K, right, [*self._speed_names, *self._loop_names], unknowns

    def accelerations(self) -> np.ndarray:
        """vdot of all bodies."""
        udot = np.asarray(self.solve())[: len(self._tree.u)]
        return np.asarray(self._tree.R @ udot + self._tree.c)

    def multipliers(self) -> Named:
        """Of all rows: those of the tree's joints follow from the balance of each body."""
        x, out = self.terms, np.zeros(len(self._rows))
        out[self._loops] = np.asarray(self.solve())[len(self._tree.u) :]
        held = [k for k in range(len(out)) if k not in set(self._loops)]
        rest = x.Q - x.h - x.M @ self.accelerations() - x.J.T @ out
        scale = self.equations.machine.scale
        out[held] = linear.lstsq((x.J[held] * scale).T, rest * scale, rcond=None)[0]
        return Named(out, self._rows)

    @property
    def null_space(self) -> Named:
        """Columns: the displacements of the speeds that loops and drivers allow."""
        Z = analyse(np.asarray(self.Phi_u), np.ones(len(self._tree.u))).right
        return Named(Z, self._speed_names, [f"free {k + 1}" for k in range(Z.shape[1])])
