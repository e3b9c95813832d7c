"""The inertia a body shows when it is pushed, with the whole machine behind it (Featherstone's two-body problem, at large).

At rest a force and couple (f, n) on a body give it the acceleration W (f, n). W, the inverse apparent inertia, is had from
the equations of motion with all joints: W = E [M B^T; B 0]^-1 E^T, E picking the body's rows. For a tree its inverse is the
articulated-body inertia; with closed loops it is still right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.analyses.assemble import close
from linkwright.analyses.channels import Motion
from linkwright.analyses.machine import Machine
from linkwright.equations.rotations import A
from linkwright.errors import ModelError
from linkwright.model import Body, Model
from linkwright.solve.blas import single_threaded
from linkwright.solve.rank import independent_rows
from linkwright.system.mass import inertia


@single_threaded
def apparent_inertia(model: Model, body: Body | str, *, inverse: bool = False, drivers: str = "free") -> np.ndarray:
    """The apparent inertia of a body at its origin, in ground axes, linear part first: 6 x 6, in the plane 3 x 3.

    (f, n) = I (a, wdot) at rest in the assembled configuration, velocity and forces aside. `inverse=True` gives I^-1, which
    exists also where the body cannot move in some direction. drivers="free" leaves motors out, "held" locks them.
    """
    name = body if isinstance(body, str) else body.name
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
        raise ModelError(f"drivers={drivers!r} is not known", remedy='"free" or "held"')
    _, B = machine.Phi_and_J(q, 0.0)
    B = B if drivers == "held" else B[~machine.is_driver]
    kept, _ = independent_rows(B, machine.scale)
    B = B[kept]
    M = _mass_matrix(machine, q)
    n, m = machine.nv, len(B)
    K = np.block([[M, B.T], [B, np.zeros((m, m))]])
    size = at.stop - at.start
    rhs = np.zeros((n + m, size))
    rhs[at] = np.eye(size)
    try:
        solution = np.linalg.solve(K, rhs)
    except np.linalg.LinAlgError:
        raise ModelError(
            "the inertia of the machine is not determined: some motion moves no mass",
            element=machine.model.name,
            remedy="give mass and inertia to the bodies that can move freely",
        ) from None
    return np.asarray(solution[at])


def _mass_matrix(machine: Machine, q: np.ndarray) -> np.ndarray:
    M: Any = inertia(machine.model, machine.system.coordinates).M.dense()
    values = Motion(machine, np.zeros(1), q[None], machine.turns[None]).evaluate(list(M.reshape(-1)))
    return np.asarray(values.reshape(M.shape), dtype=float)


def _inverted(W: np.ndarray, length: float, name: str) -> np.ndarray:
    scale = np.array([length] * (len(W) // 2 + len(W) % 2) + [1.0] * (len(W) // 2))
    S = W / np.outer(scale, scale)
    values = np.linalg.eigvalsh(S)
    if values[0] <= 1e-10 * values[-1]:
        held = int((values <= 1e-10 * values[-1]).sum())
        raise ModelError(
            f"the body cannot move in {held} of {len(W)} directions: its apparent inertia is infinite there",
            element=name,
            remedy="ask for the inverse: apparent_inertia(..., inverse=True)",
        )
    return np.asarray(np.linalg.inv(W))
