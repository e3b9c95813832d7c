"""The formulations of the equations of motion, traced: what the unknown accelerations are, and the matrices for them.

"newton-euler"      a = (rddot, omega_b dot): Haug 11.3.11, Nikravesh III (11.49)
"euler-parameters"  a = (rddot, pddot) with the normalisation as constraints: Haug 11.3.29, Nikravesh I (11.42)
"mixed"             Euler's equations for pddot, not symmetric: Nikravesh II (11.45), as numbers only
"kane"              the speeds of a spanning tree's joints; rows of loops only: `kane`
"joint"             the same with the joints' coordinates as the state: `joint_form`
In the plane all are the form of chapter 6 (Haug 6.3.18).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwright.equations import rotations
from linkwright.graph import Scalar, Sparse, along, jacobian, symbols
from linkwright.graph.elimination import elimination_work
from linkwright.model import TIME
from linkwright.model.values import is_some
from linkwright.regularisation import LIGHT
from linkwright.system.kane import Kane, too_dear
from linkwright.system.saddle import Entries, Saddle, factor

if TYPE_CHECKING:
    from linkwright.system.mechanics import Mechanics

FORMULATIONS = ("newton-euler", "euler-parameters", "mixed")
ON_TREES = ("kane", "joint")  # further ones, that simulate


class NewtonEuler:
    """Accelerations of displacements: rddot and the rate of the body-frame angular velocity."""

    def __init__(self, system: Mechanics, rows: Sequence[int], compliances: Sequence[Scalar] = ()) -> None:
        self.system, self.rows, self.compliances = system, list(rows), list(compliances)

    def saddle(self) -> Saddle | Kane:
        return self.by_bodies()

    def by_bodies(self) -> Saddle:
        s = self.system
        J, weights, after = self.parts()
        return factor(s.inertia.M.entries, J, [s.gamma[k] for k in self.rows], s.nv, weights, after, self.compliances)

    def work(self) -> int:
        """Operations of the elimination by bodies, counted before it is traced."""
        n, (J, weights, after) = self.system.nv, self.parts()
        pattern = {(i, j) for i, j in self.system.inertia.M.entries if i <= j} | {(j, n + k) for k, j in J}
        pattern |= {(n + k, n + k) for k in range(len(self.compliances))}
        for k in weights:
            own = [j for i, j in J if i == k]
            pattern |= {(a, b) for a in own for b in own if a <= b}
        return elimination_work(n + len(self.rows), pattern, {n + k: who for k, who in after.items()})

    def parts(self) -> tuple[Entries, dict[int, Scalar], dict[int, set[int]]]:
        """Phi_v of the rows, the weights of those that hold what has no mass, and the displacements that each waits for."""
        s = self.system
        J = s.Phi_v.of_rows(self.rows).entries
        lacking = set(s.massless)
        weights = {k: s.typical_mass for (k, j) in J if j in lacking}
        return J, weights, {k: self._unknowns(row, J, k) for k, row in enumerate(self.rows)}

    def _unknowns(self, row: int, J: Entries, k: int) -> set[int]:
        s = self.system
        out = s.coordinates.displacements(s.tree.waits(s.rows[row].name))
        return out | {j for i, j in J if i == k and j >= s.nv - len(s.coordinates.extra)}

    def force(self, Q: Sequence[Scalar]) -> list[Scalar]:
        """Generalised forces on displacements as forces on the unknowns."""
        return list(Q)

    def vdot(self, a: Sequence[Scalar]) -> list[Scalar]:
        return list(a)

    def lam(self, lam: Sequence[Scalar]) -> list[Scalar]:
        return list(lam)


class EulerParameters(NewtonEuler):
    """Accelerations of coordinates: rddot and pddot. v = N qdot, vdot = N qddot, N = diag(I, 2 G) (Haug 11.3.17)."""

    def saddle(self) -> Saddle:
        s = self.system
        c = s.coordinates
        Phi_q, gamma = coordinate_rows(s)
        J: Entries = Phi_q.of_rows(self.rows).entries
        gammas = [gamma[k] for k in self.rows]
        M, weights = self._masses(), {}
        lacking = {j + (j // 6 if j < 6 * len(c.bodies) else len(c.bodies)) for j in s.massless}
        lacking |= {j + 1 for j in lacking if j < 7 * len(c.bodies) and j % 7 > 2}  # a turn moves all four parameters
        for k, j in J:
            if j in lacking:
                weights[k] = s.typical_mass
        after = {k: self._coordinates(self._unknowns(row, s.Phi_v.entries, row)) for k, row in enumerate(self.rows)}
        for at_q, _ in c.body_slices().values():
            k, p = len(gammas), c.q[at_q][3:]
            rates = [s.coordinates.rates[x] for x in p]
            J.update({(k, at_q.start + 3 + i): 2 * p[i] for i in range(4)})
            gammas.append(-2 * sum((x * x for x in rates), 0.0))  # gamma^p = -2 pdot.pdot
            weights[k] = s.typical_mass
            after[k] = set(range(at_q.start + 3, at_q.stop))
        compliances = [*self.compliances, *[LIGHT / s.typical_mass] * len(c.bodies)] if self.compliances else []
        return factor(M, J, gammas, s.nq, weights, after, compliances)

    def _coordinates(self, displacements: set[int]) -> set[int]:
        c = self.system.coordinates
        shift = len(c.bodies)
        out: set[int] = {j + shift for j in displacements if j >= 6 * len(c.bodies)}
        for at_q, at_v in c.body_slices().values():
            if at_v.start in displacements:
                out |= set(range(at_q.start, at_q.stop))
        return out

    def _masses(self) -> Entries:
        """N^T M N: with the mass centre at the origin 4 G^T J G; what is carried along quantities ties bodies to others."""
        by_rates, out = rate_columns(self.system), dict[tuple[int, int], Scalar]()
        for (i, j), x in self.system.inertia.M.entries.items():
            for a, left in by_rates[i].items():
                for b, right in by_rates[j].items():
                    if a <= b:
                        out[a, b] = out.get((a, b), 0.0) + left * x * right
        return {at: x for at, x in out.items() if is_some(x)}

    def force(self, Q: Sequence[Scalar]) -> list[Scalar]:
        c = self.system.coordinates
        out: list[Scalar] = [0.0] * len(c.q)
        for at_q, at_v in c.body_slices().values():
            out[at_q] = list(_N(c.q[at_q][3:]).T @ np.array(Q[at_v], dtype=object))
        n = len(c.extra)
        out[len(out) - n :] = Q[len(Q) - n :]
        return out

    def vdot(self, a: Sequence[Scalar]) -> list[Scalar]:
        c = self.system.coordinates
        out: list[Scalar] = [0.0] * len(c.v)
        for at_q, at_v in c.body_slices().values():
            out[at_v] = list(_N(c.q[at_q][3:]) @ np.array(a[at_q], dtype=object))
        n = len(c.extra)
        out[len(out) - n :] = a[len(a) - n :]
        return out

    def lam(self, lam: Sequence[Scalar]) -> list[Scalar]:
        return list(lam[: len(self.rows)])


def _N(p: np.ndarray) -> np.ndarray:
    """v = N qdot of one body: diag(I, 2 G)."""
    N = np.zeros((6, 7), dtype=object)
    N[0, 0] = N[1, 1] = N[2, 2] = 1.0
    N[3:, 3:] = 2 * rotations.G(p)
    return N


def rate_columns(s: Mechanics) -> list[dict[int, Scalar]]:
    """v = N qdot: the nonzeros of N, a row each velocity."""
    out: list[dict[int, Scalar]] = []
    for at_q, _ in s.coordinates.body_slices().values():
        N = _N(s.coordinates.q[at_q][3:])
        out += [{at_q.start + k: x for k, x in enumerate(row) if is_some(x)} for row in N]
    return out + [{s.nq - len(s.coordinates.extra) + k: 1.0} for k in range(len(s.coordinates.extra))]


def coordinate_rows(s: Mechanics) -> tuple[Sparse, list[Scalar]]:
    """Phi_q, the derivative by the coordinates themselves, and its gamma: Phi_q qddot = gamma. A(p) is Haug's 9.3.6.
    Rows on velocities have no such derivative: they are A v = A N qdot, and vdot = N qddot."""
    if s.model.dimension == 2:
        return s.Phi_v, s.gamma
    q = list(s.coordinates.q)
    rates = [s.coordinates.rates[x] for x in q]
    steady = symbols("qdot", len(q))  # held constant by the second derivative
    along_q = {**dict(zip(q, steady, strict=True)), TIME: 1.0}
    twice = along(along(s.residuals, along_q), along_q)
    from linkwright.graph import substitute

    gamma = [-x for x in substitute(twice, dict(zip(steady, rates, strict=True)))]
    Phi_q, by_rates = jacobian(s.residuals, q, mode="reverse"), rate_columns(s)
    entries = dict(Phi_q.entries)
    for (k, j), x in s.Phi_v.entries.items():
        if k in s.of_velocities:
            gamma[k] = s.gamma[k]
            for a, d in by_rates[j].items():
                entries[k, a] = entries.get((k, a), 0.0) + x * d
    return Sparse(Phi_q.shape, dict(sorted(entries.items()))), gamma


def diagonal_rates(s: Mechanics) -> list[list[Scalar]]:
    """The derivative of each row by a common change of the diagonal of A, a column a body.

    A_h(p) of Nikravesh and ME751 is A(p) + (1 - p.p) I: with tau this derivative, their rows are Phi_p - 2 tau p^T.
    """
    diagonals = [s.coordinates.poses[b.name].A[k, k] for b in s.coordinates.bodies for k in range(3)]
    by_entry = jacobian(s.residuals, diagonals, mode="reverse")
    out: list[list[Scalar]] = [[0.0] * len(s.coordinates.bodies) for _ in s.residuals]
    for (row, column), slope in by_entry.entries.items():
        out[row][column // 3] = out[row][column // 3] + slope
    return out


class OnTree(NewtonEuler):
    """Accelerations of displacements by Kane's equations."""

    def saddle(self) -> Saddle | Kane:
        return self.by_bodies() if too_dear(self.system) else Kane(self.system, self.rows, self.compliances)


def traced_formulation(system: Mechanics, name: str, rows: Sequence[int], compliances: Sequence[Scalar] = ()) -> NewtonEuler:
    if name == "kane":
        return OnTree(system, rows, compliances)
    plane = system.model.dimension == 2
    return (EulerParameters if name == "euler-parameters" and not plane else NewtonEuler)(system, rows, compliances)
