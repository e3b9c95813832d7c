"""Small motions about a configuration at rest: mass, damping, stiffness, modes, state space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from linkwright.analyses.assemble import close
from linkwright.analyses.equilibrium import equilibrium
from linkwright.analyses.mechanical import LoadedMachine
from linkwright.analyses.reduced import reduced
from linkwright.errors import ModelError
from linkwright.model import Model
from linkwright.solve.blas import single_threaded


@dataclass(frozen=True)
class Linearization:
    """M xddot + C xdot + K x = B_u u for small displacements x of `coordinates`, u a change of the force `inputs`.

    eigenvalues: of A, the state (x, xdot); frequencies [Hz]: of the undamped machine, smallest first, 0 where nothing holds
    it (and NaN where it falls); modes: a column each, by displacements of all bodies (`displacements`), largest entry one.
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

    @property
    def damping_ratios(self) -> np.ndarray:
        """-Re/|.| of each eigenvalue."""
        size = np.abs(self.eigenvalues)
        return np.asarray(np.where(size > 0, -self.eigenvalues.real / np.where(size > 0, size, 1.0), 0.0))


@single_threaded
def linearize(model: Model, at: Any = None, t: float = 0.0, *, coordinates: Sequence[str] | None = None) -> Linearization:
    """About an equilibrium (computed if none is given), or any configuration, at rest, drivers held.

    `coordinates`: which displacements the reduced matrices are for, such as ["crank.angle"]; by default a good choice.
    """
    at = equilibrium(model, t) if at is None else at
    machine = LoadedMachine(model, t)
    q = close(machine, t, at.q).q
    r = reduced(machine, q, t, None if coordinates is None else [str(c) for c in coordinates])
    n = len(r.coordinates)
    if not n:
        raise ModelError("nothing can move: there is nothing to linearise", element=model.name, remedy="remove a driver")
    units, names = _inputs(machine, q, t)
    inverse = np.linalg.inv(r.M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ r.K, -inverse @ r.C]])
    B = np.vstack([np.zeros((n, len(names))), inverse @ r.Z.T @ units])
    squares, vectors = scipy.linalg.eig(r.K, r.M)
    order = np.argsort(squares.real)
    squares, shapes = squares[order].real, (r.Z @ vectors[:, order]).real
    zero = 1e-12 * max(float(np.abs(squares).max()), 1e-300)
    squares = np.where(np.abs(squares) <= zero, 0.0, squares)
    with np.errstate(invalid="ignore"):
        frequencies = np.sqrt(squares) / (2 * np.pi)
    largest = shapes[np.argmax(np.abs(shapes / machine.scale[:, None]), axis=0), np.arange(n)]
    return Linearization(
        r.coordinates, machine.system.coordinates.v_names, names, r.M, r.C, r.K, A, B, np.linalg.eigvals(A), frequencies,
        shapes / largest, float(np.abs(r.f).max()),
    )  # fmt: skip


def _inputs(machine: LoadedMachine, q: np.ndarray, t: float) -> tuple[np.ndarray, list[str]]:
    """Columns: the generalised force of one unit of each force element."""
    actuators = machine.system.actuators
    if not actuators:
        return np.zeros((machine.nv, 0)), []
    columns = [[unit.get(k, 0.0) for k in range(machine.nv)] for unit in actuators.values()]
    f = machine.system.load_function("actuators", {"U": columns})
    return f(*machine.load_args(q, np.zeros(machine.nv), t))[0].T, list(actuators)
