"""The inertia a body shows when it is pushed, with the whole machine behind it (Featherstone's two-body problem, at large).

At rest a force and couple (f, n) on a body give it the acceleration W (f, n). W, the inverse apparent inertia, is had from
the equations of motion with all joints: W = E [M B^T; B 0]^-1 E^T, E picking the body's rows. For a tree its inverse is the
articulated-body inertia; with closed loops it is still right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.channels import Motion
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.named import by_name
from linkwright.equations.rotations import A
from linkwright.errors import ModelError
from linkwright.later import sparse
from linkwright.model import Body, Model
from linkwright.options import Drivers
from linkwright.saddle import Saddle
from linkwright.solve.blas import single_threaded
from linkwright.solve.rank import independent_rows
from linkwright.system.mass import inertia
from linkwright.words import choices


@by_name
@single_threaded
def apparent_inertia(model: Model, body: Body | str, *, inverse: bool = False, drivers: Drivers = "free") -> np.ndarray:
    """Give the apparent inertia of a body at its origin, with the whole machine behind it.

    (f, n) = I (a, wdot) at rest in the assembled configuration, without forces.

    Parameters
    ----------
    model : Model
        The machine.
    body : Body or str
        The body, or its name.
    inverse : bool
        Whether to give I^-1, which exists also where the body cannot move in some direction.
    drivers : {"free", "held"}
        Whether drivers are left out or locked.

    Returns
    -------
    numpy.ndarray
        6 x 6 in space, 3 x 3 in the plane; in ground axes, linear part first.

    Examples
    --------
    >>> m = lw.PlanarModel("bar")
    >>> bar = m.body("bar", mass=2.0, inertia=0.5)
    >>> lw.apparent_inertia(m, bar).diagonal()
    array([2. , 2. , 0.5])
    """
    name = body.name if isinstance(body, Body) else str(body)
    machine = Machine(model)
    slices = machine.system.coordinates.body_slices()
    if name not in slices:
        raise ModelError(f"there is no moving body {name!r}", element=name, remedy=f"one of {', '.join(slices)}")
    q = close(machine, 0.0).q
    W = _mobility(machine, q, slices[name][1], drivers)
    if model.dimension == 3:
        T = np.eye(6)
        T[3:, 3:] = np.asarray(A(q[slices[name][0]][3:]), dtype=float)
        W = T @ W @ T.T
    W = 0.5 * (W + W.T)
    return W if inverse else _inverted(W, machine.length, name)


def _mobility(machine: Machine, q: np.ndarray, at: slice, drivers: str) -> np.ndarray:
    if drivers not in ("free", "held"):
        raise ModelError(f"drivers cannot be {drivers!r}", element="drivers", remedy=choices(str(drivers), ("free", "held")))
    _, B = machine.Phi_and_J(q, 0.0)
    B = B if drivers == "held" else B[~machine.is_driver]
    M = _mass_matrix(machine, q)
    right = np.zeros((machine.nv, at.stop - at.start))
    right[at] = np.eye(at.stop - at.start)
    try:
        a = (_by_sparse_factors if machine.nv > size_policy.SPARSE else _by_dense_factors)(M, B, right, machine.scale)
    except (np.linalg.LinAlgError, RuntimeError):
        raise ModelError(
            "the inertia of the machine is not determined: some motion moves no mass",
            element=machine.model.name,
            remedy="give mass and inertia to the bodies that can move freely",
        ) from None
    return np.asarray(a[at])


def _by_dense_factors(M: Any, B: np.ndarray, right: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Accelerations by [M B^T; B 0], with rows of B that are independent."""
    kept, _ = independent_rows(B, scale)
    B = B[kept]
    K = np.block([[M.toarray(), B.T], [B, np.zeros((len(B), len(B)))]])
    return np.asarray(linear.solve(K, np.vstack([right, np.zeros((len(B), right.shape[1]))])))


def _by_sparse_factors(M: Any, B: np.ndarray, right: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The same for large machines, whose rows may depend on each other."""
    solve = Saddle(M, sparse.csc_array(B), scale)
    return np.stack([solve(f, 0.0)[0] for f in right.T], axis=1)


def _mass_matrix(machine: Machine, q: np.ndarray) -> Any:
    M = inertia(machine.model, machine.system.coordinates).M
    values = Motion(machine, np.zeros(1), q[None], machine.turns[None]).evaluate(M.values)
    return sparse.csc_array((values[:, 0], M.places), shape=M.shape)


def _inverted(W: np.ndarray, length: float, name: str) -> np.ndarray:
    scale = np.array([length] * (len(W) // 2 + len(W) % 2) + [1.0] * (len(W) // 2))
    S = W / np.outer(scale, scale)
    values = linear.eigvalsh(S)
    if values[0] <= 1e-10 * values[-1]:
        held = int((values <= 1e-10 * values[-1]).sum())
        raise ModelError(
            f"the body cannot move in {held} of {len(W)} directions: its apparent inertia is infinite there",
            element=name,
            remedy="ask for the inverse: apparent_inertia(..., inverse=True)",
        )
    return np.asarray(linear.inv(W))
