"""The equations of a machine at one state: arrays whose rows and columns have names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwright import linear
from linkwright.analyses.machine.mechanical import Terms
from linkwright.equations import rotations
from linkwright.model.quantities import POSITIONS, VELOCITIES
from linkwright.regularisation import SADDLE
from linkwright.results.named import Named
from linkwright.solve.rank import analyse
from linkwright.system.mechanics import Mechanics

if TYPE_CHECKING:
    from linkwright.analyses.matrices.equations import Equations


def by_rates(system: Mechanics, q: np.ndarray) -> np.ndarray:
    """v = N qdot: 2 G for rotations."""
    s = system
    N = np.zeros((s.nv, s.nq))
    for at_q, at_v in s.coordinates.body_slices().values():
        N[at_v, at_q][:3, :3] = np.eye(3)
        N[at_v, at_q][3:, 3:] = 2 * np.asarray(rotations.G(q[at_q][3:]), dtype=float)
    for k in range(len(s.coordinates.extra)):
        N[s.nv - 1 - k, s.nq - 1 - k] = 1.0
    return N


@dataclass(frozen=True, eq=False, repr=False)
class EquationsAt:
    """The equations at one state: arrays whose rows and columns have names, `.rows` and `.columns`.

    gamma belongs to Phi_q and qddot, gamma_sharp to Phi_rotation and (rddot, omega' dot).

    Attributes
    ----------
    Phi, Phi_q, Phi_rotation : Named
        The position equations, and their derivatives by coordinates, and by dr and the virtual rotation in body axes.
    nu, gamma, gamma_sharp : Named
        The right-hand sides of the velocity and acceleration equations.
    M, h, Q : Named
        M vdot + h = Q + reactions, by displacements.
    matrix, rhs : Named
        The linear system of the formulation.
    """

    equations: Equations
    q: np.ndarray
    v: np.ndarray
    t: float
    terms: Terms
    _Phi_q: np.ndarray
    _gamma: np.ndarray

    def __repr__(self) -> str:
        return f"{repr(self.equations)[:-1]}, at t = {self.t:g}>"

    # -- names ---------------------------------------------------------------------------------------------------------
    @property
    def _rows(self) -> list[str]:
        return self.equations.machine.system.row_names

    @property
    def _q_names(self) -> list[str]:
        return self.equations.machine.system.coordinates.q_names

    @property
    def _v_names(self) -> list[str]:
        """Of displacements: as coordinates in the plane; in space dr and the turns about the body's axes."""
        c = self.equations.machine.system.coordinates
        if c.dimension == 2:
            return c.q_names
        turns = ("turn_x", "turn_y", "turn_z")
        return [f"{b.name}.{x}" for b in c.bodies for x in ("x", "y", "z", *turns)] + list(c.extra)

    # -- constraints ---------------------------------------------------------------------------------------------------
    @property
    def Phi(self) -> Named:
        """The residuals of the position equations."""
        return Named(self.terms.Phi, self._rows)

    @property
    def Phi_q(self) -> Named:
        """The derivative by the coordinates themselves, in space by (r, p): whose, `Equations` says under `rows`."""
        return Named(self._Phi_q, self._rows, self._q_names)

    @property
    def Phi_rotation(self) -> Named:
        """[Phi_r, Phi_pi']: by displacements and virtual rotations in body axes (Haug 9.2.46). In the plane Phi_q."""
        return Named(self.terms.J, self._rows, self._v_names)

    @property
    def nu(self) -> Named:
        """-Phi_t."""
        return Named(self.terms.nu, self._rows)

    @property
    def gamma(self) -> Named:
        """Phi_q qddot = gamma. In space it belongs to the rows of one text, as Phi_q does; gamma_sharp is that of all."""
        return Named(self._gamma, self._rows)

    @property
    def gamma_sharp(self) -> Named:
        """Phi_rotation vdot = gamma# = gamma + sum w^2 Phi_p p / 4 (Nikravesh 11.48)."""
        return Named(self.terms.gamma, self._rows)

    # -- bodies --------------------------------------------------------------------------------------------------------
    @property
    def M(self) -> Named:
        """By displacements; by coordinates (4 G^T J' G) for the formulation with Euler parameters."""
        if self._by_coordinates and self.equations.formulation == "euler-parameters":
            return Named(self._N.T @ self.terms.M @ self._N, self._q_names, self._q_names)
        return Named(self.terms.M, self._v_names, self._v_names)

    @property
    def Q(self) -> Named:
        """Applied forces: (F, n') of each body; (F, 2 G^T n') with Euler parameters. Velocity terms are in `rhs`."""
        if self._by_coordinates and self.equations.formulation == "euler-parameters":
            return Named(self._N.T @ self.terms.Q, self._q_names)
        return Named(self.terms.Q, self._v_names)

    @property
    def h(self) -> Named:
        """Velocity terms by displacements: M vdot + h = Q + reactions."""
        return Named(self.terms.h, self._v_names)

    # -- the linear system ---------------------------------------------------------------------------------------------
    @property
    def _by_coordinates(self) -> bool:
        return self.equations.model.dimension == 3 and self.equations.formulation in ("euler-parameters", "mixed")

    @cached_property
    def _N(self) -> np.ndarray:
        return by_rates(self.equations.machine.system, self.q)

    @cached_property
    def _system(self) -> tuple[np.ndarray, np.ndarray, list[str], list[str]]:
        x, m, n = self.terms, len(self.terms.Phi), len(self.v)
        lam = [f"lam({name})" for name in self._rows]
        force = x.Q - x.h
        if not self._by_coordinates:
            K = np.block([[x.M, x.J.T], [x.J, np.zeros((m, m))]])
            return K, np.concatenate([force, x.gamma]), [*self._v_names, *self._rows], [*self._accelerations(), *lam]
        c = self.equations.machine.system.coordinates
        P, c_p = self._normalisation()
        names_p = [f"{b.name}.normalisation" for b in c.bodies]
        second = [f"{name}''" for name in self._q_names]
        k = len(P)
        if self.equations.formulation == "euler-parameters":
            K = np.block([
                [self._N.T @ x.M @ self._N, self._Phi_q.T, P.T],
                [self._Phi_q, np.zeros((m, m + k))],
                [P, np.zeros((k, m + k))],
            ])  # fmt: skip
            rhs = np.concatenate([self._N.T @ force + self._along_p(), self._gamma, c_p])
            return K, rhs, [*self._q_names, *self._rows, *names_p], [*second, *lam, *[f"lam({x})" for x in names_p]]
        Phi_mod = self._Phi_q @ linear.pinv(self._N)  # [Phi_r, Phi_p L^T/2]
        K = np.block([[x.M @ self._N, Phi_mod.T], [P, np.zeros((k, m))], [self._Phi_q, np.zeros((m, m))]])
        rhs = np.concatenate([force, c_p, self._gamma])
        assert K.shape == (n + k + m, len(self.q) + m)
        return K, rhs, [*self._v_names, *names_p, *self._rows], [*second, *lam]

    def _accelerations(self) -> list[str]:
        c = self.equations.machine.system.coordinates
        n = c.dimension
        rates = [f"{name}'" for name in VELOCITIES[n][len(VELOCITIES[n]) - (1 if n == 2 else 3) :]]
        own = [f"{x}''" for x in POSITIONS[n][:n]] + (["angle''"] if n == 2 else rates)
        return [f"{b.name}.{x}" for b in c.bodies for x in own] + [f"{x}''" for x in c.extra]

    def _normalisation(self) -> tuple[np.ndarray, np.ndarray]:
        """2 p^T pddot = gamma^p = -2 pdot^T pdot (Haug 11.3.29)."""
        slices = list(self.equations.machine.system.coordinates.body_slices().values())
        P, c_p = np.zeros((len(slices), len(self.q))), np.zeros(len(slices))
        for k, (at_q, at_v) in enumerate(slices):
            p = self.q[at_q][3:]
            P[k, at_q.start + 3 : at_q.stop] = 2 * p
            pdot = np.asarray(rotations.euler_rates(p, self.v[at_v][3:]), dtype=float)
            c_p[k] = -2 * pdot @ pdot
        return P, c_p

    def _along_p(self) -> np.ndarray:
        """2 (w.J w) p: what makes 2 G^T (n' - w x J w) the book's 2 G^T n' + 8 G'^T J G' p (Haug 11.3.27).

        It changes the multiplier of the normalisation only.
        """
        out = np.zeros(len(self.q))
        for at_q, at_v in self.equations.machine.system.coordinates.body_slices().values():
            w = self.v[at_v][3:]
            out[at_q][3:] = 2 * (w @ self.terms.M[at_v, at_v][3:, 3:] @ w) * self.q[at_q][3:]
        return out

    @property
    def matrix(self) -> Named:
        """The matrix of the linear system."""
        K, _, rows, columns = self._system
        return Named(K, rows, columns)

    @property
    def rhs(self) -> Named:
        """The right-hand side of the linear system."""
        _, rhs, rows, _ = self._system
        return Named(rhs, rows)

    @property
    def unknowns(self) -> list[str]:
        """The names of the unknowns of the linear system."""
        return self._system[3]

    def solve(self) -> Named:
        """Solve the linear system, by least squares where the matrix is rank-deficient (dependent rows).

        Returns
        -------
        Named
            The unknowns.
        """
        K, rhs, _, columns = self._system
        size = np.sqrt(np.abs(K).max(axis=0)), np.sqrt(np.abs(K).max(axis=1))  # rows and columns made comparable
        a, b = (np.where(x > 0, x, 1.0) for x in size)
        x = linear.lstsq(K / np.outer(b, a), rhs / b, rcond=SADDLE)[0] / a
        return Named(x, columns)

    def accelerations(self) -> np.ndarray:
        """Give vdot, whatever the unknowns are: rddot and the rate of the body-frame angular velocity of each body.

        Returns
        -------
        numpy.ndarray
            vdot, by displacements.
        """
        x = np.asarray(self.solve())
        return np.asarray(self._N @ x[: len(self.q)] if self._by_coordinates else x[: len(self.v)])

    def multipliers(self) -> Named:
        """Give the Lagrange multipliers.

        Returns
        -------
        Named
            lam, by row.
        """
        x = np.asarray(self.solve())
        start = len(self.q) if self._by_coordinates else len(self.v)
        return Named(x[start : start + len(self._rows)], self._rows)

    # -- virtual displacements -----------------------------------------------------------------------------------------
    @property
    def null_space_rotation(self) -> Named:
        """Columns: the virtual displacements (dr, virtual rotation) that the constraints allow."""
        Z = analyse(self.terms.J, self.equations.machine.scale).right
        return Named(Z, self._v_names, [f"free {k + 1}" for k in range(Z.shape[1])])

    @property
    def null_space_q(self) -> Named:
        """The same in coordinates (dr, dp): dp = G^T dpi'/2."""
        Z = self.null_space_rotation
        return Named(self.equations.machine.tangent(self.q) @ np.asarray(Z), self._q_names, Z.columns)

    @property
    def null_space(self) -> Named:
        """In the coordinates of the formulation."""
        return self.null_space_q if self._by_coordinates else self.null_space_rotation
