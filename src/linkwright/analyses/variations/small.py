"""Small motions about an equilibrium, differentiated: eigenvalues and frequencies by parameters.

Displacements d, states z and multipliers of a motion exp(s t) about rest are the null vector x of

    P(s) = [ s^2 M + s R_v + R_d   R_z      Phi_v^T ]
           [ s z'_v + z'_d         z'_z - s   0     ]
           [ Phi_v                 0          0     ]

With w^H P = 0, an eigenvalue changes by ds = -(w^H dP x) / (w^H P_s x). dP is the change of these matrices along the change
of the equilibrium itself, with its multipliers and states: second derivatives of the forces, exact like the first. No choice
of free directions is differentiated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.small_motions.linearize import linearize
from linkwright.analyses.variations.nodes import Change, Nodes
from linkwright.analyses.variations.standing import VariedEquilibrium
from linkwright.analyses.variations.varied import Key
from linkwright.calls import answering
from linkwright.errors import ModelError
from linkwright.graph import Scalar, Sparse, along, jacobian, symbols
from linkwright.model import Model
from linkwright.regularisation import LEAST_SQUARES
from linkwright.solve.blas import single_threaded
from linkwright.system.changes import unbalanced
from linkwright.system.tangents import Blocks, Tangents

READ = ("eigenvalues", "frequencies", "damping_ratios")
REPEATED = 1e-7  # relative: eigenvalues nearer than this, or vectors nearer to orthogonal, are one that is there twice
UNMOVED = 1e-9  # relative to the largest: a square of a frequency that changes by less stays what it is


class VariedLinearization(VariedEquilibrium):
    """Of `linearize` about the equilibrium that it finds."""

    def __init__(self, model: Model, names: Sequence[str], options: Mapping[str, Any]) -> None:
        for name in ("at", "turning"):
            if options.get(name) is not None:
                raise ModelError(
                    "there are derivatives of small motions about the equilibrium that is found, not about a given motion",
                    element=name, remedy=f"leave {name}= out",
                )  # fmt: skip
        t = float(options.get("t") or 0.0)
        super().__init__(model, names, {"t": t})
        self.equilibrium, self.answer = self.answer, answering(linearize)(model, **options)

    def _standing(self) -> Any:
        return self.equilibrium

    @single_threaded
    def slopes(self, keys: Sequence[Key], which: np.ndarray) -> np.ndarray:
        for key in keys:
            if key not in READ:
                raise ModelError(
                    "of small motions this has no exact derivative", element=str(key), remedy=f"ask for {', '.join(READ)}"
                )
        nodes, change = self.changed()
        pencil = _Pencil(nodes, change)
        out = np.zeros((len(which), len(keys), len(self.names)))
        for k, key in enumerate(keys):
            for row, number in enumerate(which):
                out[row, k] = self._slope(pencil, str(key), int(number))
        return out

    def _slope(self, pencil: _Pencil, key: str, number: int) -> np.ndarray:
        """Of one number of an array; real parts come before imaginary ones. Zero beyond its end."""
        if key == "frequencies":
            found = self.answer.frequencies
            return self._of_frequency(pencil, number) if number < len(found) else np.zeros(len(self.names))
        values = self.answer.eigenvalues
        if key == "damping_ratios":
            return self._of_ratio(pencil, number) if number < len(values) else np.zeros(len(self.names))
        if number >= 2 * len(values):
            return np.zeros(len(self.names))
        ds = pencil.slopes(complex(values[number % len(values)]))
        return np.asarray(ds.real if number < len(values) else ds.imag)

    def _of_ratio(self, pencil: _Pencil, number: int) -> np.ndarray:
        s = complex(self.answer.eigenvalues[number])
        size = abs(s)
        if not size:
            raise _twice(self.model.name, "an eigenvalue of zero has no damping ratio")
        ds = pencil.slopes(s)
        return np.asarray(-ds.real / size + s.real * (s.conjugate() * ds).real / size**3)

    def _of_frequency(self, pencil: _Pencil, number: int) -> np.ndarray:
        """f = sqrt(sigma) / (2 pi), where sigma M d = K d. Without stiffness it is zero, and stays so if sigma does."""
        omega = 2 * np.pi * float(self.answer.frequencies[number])
        if omega > 0:
            return pencil.slopes(omega**2, undamped=True).real / (4 * np.pi * omega)
        largest = (2 * np.pi * float(self.answer.frequencies.max(initial=0.0))) ** 2
        if float(self.squares[number]) < -UNMOVED * largest:  # it falls: there is no frequency near
            return np.zeros(len(self.names))
        change = pencil.slopes(0.0, undamped=True).real
        values = np.array([self.model.parameters.get(name, 1.0) or 1.0 for name in self.names])
        if np.abs(change * values).max(initial=0.0) > UNMOVED * max(largest, 1e-300):
            raise ModelError(
                "a frequency of zero has no derivative where another value gives stiffness", element=self.model.name,
                remedy="ask for another mode, or change the design",
            )  # fmt: skip
        return np.zeros(len(self.names))

    @property
    def squares(self) -> np.ndarray:
        """Of the angular frequencies, in the order of the frequencies; they may be negative."""
        return np.sort(linear.generalized_eig(self.answer.K, self.answer.M)[0].real)


def _twice(name: str, cause: str) -> ModelError:
    return ModelError(
        f"{cause}: it has no derivative", element=name,
        remedy="ask for another mode, or change the design a little so that they part",
    )  # fmt: skip


class _Pencil:
    """P(s) at an equilibrium, and its change by each name."""

    def __init__(self, nodes: Nodes, change: Change) -> None:
        m = nodes.machine
        self.name, self.kept, self.n = m.model.name, nodes.kept, m.nv
        second: Blocks = m.system.once("small motions", nodes.tangents, lambda: _second(nodes.tangents), 4)
        rows = [
            nodes.ask(second, nodes.vdot, nodes.lam, *(x[:, :, k] for x in (change.d, change.lam, change.z, change.b)))
            for k in range(change.d.shape[2])
        ]
        self.at = {name: x[0] for name, x in rows[0].items() if not name.startswith("change.")}
        self.changes = [{k[7:]: x[0] for k, x in row.items() if k.startswith("change.")} for row in rows]
        self.J = self.at["J"][self.kept]
        Z = linear.svd(self.J * m.scale)[2][len(self.kept) :].T * m.scale[:, None] if len(self.kept) else np.diag(m.scale)
        # free motions of kinetic energy one each: the sizes of all numbers below are those of s
        self.Z = linear.solve(linear.cholesky(Z.T @ self.at["M"] @ Z), Z.T).T

    def _whole(self, by: Mapping[str, np.ndarray], s: complex, *, undamped: bool, own: float = 1.0) -> np.ndarray:
        """P(s) of displacements and states; of the undamped machine by s = omega^2, without states. `own`: of a change there
        is no -s."""
        if undamped:
            return np.asarray(by["R_d"] - s * by["M"])
        inner = by["z_z"] - own * s * np.eye(len(by["z_z"]))
        return np.block([[s * s * by["M"] + s * by["R_v"] + by["R_d"], by["R_z"]], [s * by["z_v"] + by["z_d"], inner]])

    def _rate(self, s: complex, *, undamped: bool) -> np.ndarray:
        """P_s of the same."""
        by, nz = self.at, len(self.at["z_z"])
        if undamped:
            return np.asarray(-by["M"])
        return np.block([[2 * s * by["M"] + by["R_v"], np.zeros((self.n, nz))], [by["z_v"], -np.eye(nz)]])

    def slopes(self, s: complex, *, undamped: bool = False) -> np.ndarray:
        """ds by each name."""
        P, rate = self._whole(self.at, s, undamped=undamped), self._rate(s, undamped=undamped)
        free = np.zeros((len(P), self.Z.shape[1] + len(P) - self.n))
        free[: self.n, : self.Z.shape[1]], free[self.n :, self.Z.shape[1] :] = self.Z, np.eye(len(P) - self.n)
        small, own = free.T @ P @ free, free.T @ rate @ free
        sizes = np.abs(small - s * own).max(axis=1, keepdims=True) + abs(s) * np.abs(own).max(axis=1, keepdims=True)
        sizes = np.where(sizes > 0, sizes, 1.0)
        U, values, Vh = linear.svd(small / sizes)
        x, w = Vh[-1].conj(), U[:, -1].conj() / sizes[:, 0]
        by_s = w @ own @ x
        alone = len(values) < 2 or values[-2] > REPEATED
        if not alone or abs(by_s) <= REPEATED * np.linalg.norm(w) * np.linalg.norm(own) * np.linalg.norm(x):
            raise _twice(self.name, "an eigenvalue is there more than once")
        x, w = free @ x, free @ w
        # multipliers of the motion, and those of the left vector: P x and w P are forces of constraints
        inverse = linear.pinv(self.J.T, rcond=LEAST_SQUARES)
        lam, mu = -inverse @ (P @ x)[: self.n], -inverse @ (w @ P)[: self.n]
        found = []
        for by in self.changes:
            J = by["J"][self.kept]
            bent = w[: self.n] @ (J.T @ lam) + mu @ (J @ x[: self.n])
            found.append(w @ self._whole(by, s, undamped=undamped, own=0.0) @ x + bent)
        return np.asarray(-np.array(found, dtype=complex) / by_s)


def _second(tangents: Tangents) -> Blocks:
    """The matrices of small motions at rest, and how they change along displacements, multipliers, states and design; of
    friction at rest the viscous part."""
    s, c = tangents.system, tangents.system.coordinates
    R = unbalanced(s, tangents.rows, inertia=False)
    for f in s.frictions:
        for k, along_it in f.direction.items():
            R[k] = R[k] - f.viscous * along_it
    z_rate: list[Scalar] = [s.geometry.state_rates.get(z, 0.0) for z in tangents.z]
    v, z = list(c.v), tangents.z
    matrices = {
        "M": s.inertia.M, "J": s.Phi_v, "R_d": c.jacobian(R), "R_v": jacobian(R, v), "R_z": jacobian(R, z),
        "z_d": c.jacobian(z_rate), "z_v": jacobian(z_rate, v), "z_z": jacobian(z_rate, z),
    }  # fmt: skip
    d, dlam = symbols("dd", s.nv), symbols("dlam", len(s.lam))
    dz, db = symbols("dz", len(z)), symbols("db", len(tangents.design))
    moved = c.displaced(d)
    moved.update(zip([*s.lam, *z, *tangents.design], [*dlam, *dz, *db], strict=True))
    outputs: dict[str, Sparse] = {}
    for name, matrix in matrices.items():
        outputs[name] = matrix
        changes = along(matrix.values, moved)
        outputs[f"change.{name}"] = Sparse(matrix.shape, dict(zip(matrix.pattern, changes, strict=True)))
    inputs = {**tangents.all_inputs, "dd": d, "dlam": dlam, "dz": dz, "db": db}
    return Blocks(f"{s.model.name}: small motions", inputs, outputs)
