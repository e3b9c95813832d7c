"""Small motions about a configuration at rest: mass, damping, stiffness, modes, state space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.assemble import close
from linkwright.analyses.equilibrium import MANY, equilibrium
from linkwright.analyses.mechanical import LoadedMachine
from linkwright.analyses.named import by_name
from linkwright.analyses.reduced import reduced
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar, Sparse, jacobian
from linkwright.model import Model
from linkwright.model.quantities import short
from linkwright.solve.blas import single_threaded
from linkwright.system.shaped_mechanics import ShapedMechanics

MOST = 20  # eigenvalues that are printed


@dataclass(frozen=True, repr=False)
class Linearization:
    """M xddot + C xdot + K x = B_u u for small displacements x of `coordinates`, u a change of the force `inputs`.

    eigenvalues: of A, the state (x, xdot); frequencies [Hz]: of the undamped machine, smallest first, 0 where nothing brings
    it back (its eigenvalues say whether it falls); modes: a column each, by displacements of all bodies (`displacements`),
    largest entry one. C_y, D_y: changes of the `outputs`, y = C_y (x, xdot) + D_y u.
    """

    coordinates: list[str]
    displacements: list[str]
    inputs: list[str]
    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    A: np.ndarray
    B: np.ndarray
    eigenvalues: np.ndarray
    frequencies: np.ndarray
    modes: np.ndarray
    residual: float  # of the forces: zero in an equilibrium
    outputs: list[str]
    C_y: np.ndarray
    D_y: np.ndarray

    def __repr__(self) -> str:
        pairs = [(x, z) for x, z in zip(self.eigenvalues + 0.0, self.damping_ratios + 0.0, strict=True) if x.imag >= 0]
        rows = [f"  eigenvalue {x.real: .6g} {x.imag:+.6g}i 1/s, damping ratio {z:.4g}" for x, z in pairs]
        frequencies = ", ".join(f"{x:.6g}" for x in self.frequencies)
        head = f"small motions of {', '.join(self.coordinates) or 'nothing'}: undamped frequencies [{frequencies}] Hz"
        return "\n".join([head, *rows[:MOST], *([f"  and {len(rows) - MOST} more"] if len(rows) > MOST else [])])

    @property
    def state_space(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(A, B, C, D) of zdot = A z + B u, y = C z + D u, z = (x, xdot): for scipy.signal.StateSpace and its like."""
        return self.A, self.B, self.C_y, self.D_y

    @property
    def damping_ratios(self) -> np.ndarray:
        """-Re/|.| of each eigenvalue."""
        size = np.abs(self.eigenvalues)
        return np.asarray(np.where(size > 0, -self.eigenvalues.real / np.where(size > 0, size, 1.0), 0.0))


@by_name
@single_threaded
def linearize(
    model: Model,
    at: Any = None,
    t: float = 0.0,
    *,
    coordinates: Sequence[str] | None = None,
    outputs: Sequence[Any] = (),
) -> Linearization:
    """About an equilibrium (computed if none is given), any configuration or the end of a result, at rest, drivers held.
    Of friction in joints the viscous part counts: Coulomb's has no derivative at rest.

    `coordinates`: which displacements the reduced matrices are for, such as ["crank.angle"]; by default a good choice.
    `outputs`: quantities, formulas of them, or accelerations of bodies by channel ("slider.ax"), for C_y and D_y.
    """
    at = equilibrium(model, t) if at is None else at
    machine = LoadedMachine(model, t, by_shapes=True)
    q = close(machine, t, machine.going_on(at)).q
    r = reduced(machine, q, t, None if coordinates is None else [str(c) for c in coordinates])
    n = len(r.coordinates)
    if not n:
        raise ModelError("nothing can move: there is nothing to linearise", element=model.name, remedy="remove a driver")
    machine.check_inertia(r.M, r.Z)
    units, names = _inputs(machine, q, t)
    inverse = linear.inv(r.M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ r.K, -inverse @ r.C]])
    B = np.vstack([np.zeros((n, len(names))), inverse @ r.Z.T @ units])
    squares, vectors = _modes(r.K, r.M)
    order = np.argsort(squares.real)
    squares, shapes = squares[order].real, (r.Z @ vectors[:, order]).real
    zero = 1e-12 * max(float(np.abs(squares).max()), 1e-300)
    squares = np.where(np.abs(squares) <= zero, 0.0, squares)
    frequencies = np.sqrt(np.maximum(squares, 0.0)) / (2 * np.pi)
    largest = shapes[np.argmax(np.abs(shapes / machine.scale[:, None]), axis=0), np.arange(n)]
    C_y, D_y = _outputs(machine, q, t, list(outputs), r.Z, A[n:], B[n:])
    return Linearization(
        r.coordinates, machine.system.coordinates.v_names, names, r.M, r.C, r.K, A, B, _eigenvalues(A, r.C, squares),
        frequencies, shapes / largest, float(np.abs(r.f).max()), [_label(y) for y in outputs], C_y, D_y,
    )  # fmt: skip


def _modes(K: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Squares of the angular frequencies, and shapes. Of many coordinates with symmetric stiffness by the method for such,
    which is some fifty times faster."""
    if len(K) > MANY and np.abs(K - K.T).max() <= 1e-12 * np.abs(K).max():
        squares, vectors = linear.generalized_eigh(0.5 * (K + K.T), M)
        return squares, vectors
    squares, vectors = linear.generalized_eig(K, M)
    return squares, vectors


def _eigenvalues(A: np.ndarray, C: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Of A. Of many coordinates without damping they are the roots of -omega^2."""
    if len(C) > MANY and not C.any():
        roots = np.sqrt(-squares.astype(complex))
        return np.concatenate([roots, -roots])
    return np.asarray(linear.eigvals(A))


def _inputs(machine: LoadedMachine, q: np.ndarray, t: float) -> tuple[np.ndarray, list[str]]:
    """Columns: the generalised force of one unit of each force element."""
    actuators = machine.system.actuators
    if not actuators:
        return np.zeros((machine.nv, 0)), []
    if isinstance(machine.system, ShapedMechanics):
        return machine.system.actuator_units(*machine.load_args(q, np.zeros(machine.nv), t)), list(actuators)
    units = {(k, j): x for j, unit in enumerate(actuators.values()) for k, x in unit.items()}
    f = machine.system.load_matrices("actuators", {"U": Sparse((machine.nv, len(actuators)), units)})
    return f(*machine.load_args(q, np.zeros(machine.nv), t))[0], list(actuators)


def _label(output: Any) -> str:
    return output if isinstance(output, str) else short(output) if isinstance(output, Expr | float) else repr(output)


def _outputs(
    machine: LoadedMachine,
    q: np.ndarray,
    t: float,
    outputs: list[Any],
    Z: np.ndarray,
    accelerations: np.ndarray,
    B: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of C_y and D_y. At rest a position depends on x alone, a velocity on xdot alone, in the same way."""
    n, names = Z.shape[1], machine.system.coordinates.v_names
    second = [_displacement(names, y) for y in outputs]
    traced = [0.0 if k is not None else machine.model.trace(y, {}) for y, k in zip(outputs, second, strict=True)]
    for y, value in zip(outputs, traced, strict=True):
        if machine.model.order(value) > 1:
            raise ModelError(f"{_label(y)} is an acceleration", element="outputs", remedy="give those of bodies: crank.ax")
    by_position, by_velocity = _slopes(machine, q, t, traced)
    C, D = np.zeros((len(outputs), 2 * n)), np.zeros((len(outputs), B.shape[1]))
    for row, k in enumerate(second):
        if k is None:
            C[row, :n], C[row, n:] = by_position[row] @ Z, by_velocity[row] @ Z
        else:
            C[row], D[row] = Z[k] @ accelerations, Z[k] @ B
    return C, D


def _slopes(machine: LoadedMachine, q: np.ndarray, t: float, values: list[Scalar]) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of expressions by displacements and by velocities, at rest."""
    if not values:
        return np.zeros((0, machine.nv)), np.zeros((0, machine.nv))
    s = machine.system
    resolved = s.resolve(values)
    by_q, by_v = s.coordinates.jacobian(resolved), jacobian(resolved, list(s.coordinates.v))
    f = s.load_matrices("outputs", {"q": by_q, "v": by_v})
    by_position, by_velocity = f(*machine.load_args(q, np.zeros(machine.nv), t))
    return by_position, by_velocity


def _displacement(names: list[str], output: Any) -> int | None:
    """The number of the displacement whose acceleration a channel is: of x for "slider.ax"; None for other outputs."""
    if not isinstance(output, str):
        return None
    owner, _, channel = output.rpartition(".")
    first = {"ax": "vx", "ay": "vy", "az": "vz", "alpha": "omega", "alphax": "wx", "alphay": "wy", "alphaz": "wz"}
    name = f"{owner}.{first.get(channel, '')}"
    return names.index(name) if name in names else None
