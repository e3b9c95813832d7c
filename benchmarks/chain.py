"""The machine that is measured: an open chain of N bodies on revolute joints, in Cartesian coordinates.

Rods of 1 m and 1 kg hang on each other and on the ground by joints with parallel axes (their y axes). Only the
position equations are written; rows, gamma and the elimination order follow from them. The unknowns are

    [ M  B^T ] [ a   ]   [ Q     ]      a: accelerations and body-frame angular accelerations, 6N
    [ B   0  ] [ lam ] = [ gamma ],     lam: multipliers, 5N          (Haug 11.4.5)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.timing import clock
from linkwright.graph import Expr, Scalar, along, frame, ldl, rotation_jacobian, rotation_rates, symbols
from linkwright.graph.walk import release

MASS = 1.0  # [kg]
INERTIA = np.array([0.01, 1 / 12, 1 / 12])  # about the mass centre, body axes [kg m^2]
HALF = 0.5  # from the mass centre to either joint, along the body's x axis [m]
GRAVITY = 9.81  # down the z axis [m/s^2]
STATE = 13  # scalars a body: r, p, v, omega_b
ROWS = 5  # scalar equations a revolute joint


@dataclass(frozen=True)
class Chain:
    """The traced function: ``x`` (N, 13) to ``a`` (6N) and ``lam`` (5N)."""

    n: int
    x: np.ndarray
    a: list[Scalar]
    lam: list[Scalar]
    trace_seconds: float

    @property
    def inputs(self) -> list[Expr]:
        return list(self.x.ravel())

    @property
    def outputs(self) -> list[Scalar]:
        return [*self.a, *self.lam]


def rotation_matrix(p: np.ndarray) -> np.ndarray:
    """A(p) of Euler parameters, scalar first (Haug 9.3.14)."""
    e0, e1, e2, e3 = p
    half = [
        [e0 * e0 + e1 * e1 - 0.5, e1 * e2 - e0 * e3, e1 * e3 + e0 * e2],
        [e1 * e2 + e0 * e3, e0 * e0 + e2 * e2 - 0.5, e2 * e3 - e0 * e1],
        [e1 * e3 - e0 * e2, e2 * e3 + e0 * e1, e0 * e0 + e3 * e3 - 0.5],
    ]
    return 2 * np.array(half, dtype=object)


def position_equations(r: list[np.ndarray], A: list[np.ndarray]) -> list[Scalar]:
    """Five a joint: its two points coincide; the body's y axis is normal to x and z of the body before it."""
    Phi: list[Scalar] = []
    for i in range(len(r)):
        before = A[i - 1] if i else np.eye(3)
        hinge = r[i - 1] + HALF * before[:, 0] if i else np.zeros(3)
        y = A[i][:, 1]
        Phi += [*(r[i] - HALF * A[i][:, 0] - hinge), y @ before[:, 0], y @ before[:, 2]]
    return Phi


@cache
def trace(n: int) -> Chain:
    """Accelerations and multipliers of the chain of n bodies."""
    start = clock()
    x = symbols("x", n, STATE)
    r, v, omega_b = list(x[:, 0:3]), list(x[:, 7:10]), list(x[:, 10:13])
    A = [frame(rotation_matrix(p)) for p in x[:, 3:7]]
    Phi = position_equations(r, A)
    rates = {}
    for i in range(n):
        rates.update(zip(r[i], v[i], strict=True))
        rates.update(rotation_rates(A[i], omega_b[i]))
    gamma = [-s for s in along(along(Phi, rates), rates)]
    M = [MASS, MASS, MASS, *INERTIA] * n
    Q = [q for w in omega_b for q in (0.0, 0.0, -MASS * GRAVITY, *-np.cross(w, INERTIA * w))]

    entries: dict[tuple[int, int], Scalar] = {(k, k): M[k] for k in range(6 * n)}
    entries.update({(6 * n + i, k): value for (i, k), value in rotation_jacobian(Phi, r, A).entries.items()})
    # a joint's multipliers wait for the body on the far side alone: the chain is taken apart from its tip
    after = {6 * n + ROWS * i + c: range(6 * i, 6 * i + 6) for i in range(n) for c in range(ROWS)}
    solution = release(ldl(entries, (6 + ROWS) * n, after=after).solve([*Q, *gamma]))
    return Chain(n, x, solution[: 6 * n], solution[6 * n :], clock() - start)


def states(n: int, count: int, seed: int = 0) -> np.ndarray:
    """`count` swinging chains of n bodies, (13n, count): assembled, with velocities that fit, but for a small
    disturbance, so that no term of the function is zero by luck. p stays a unit vector."""
    rng = np.random.default_rng(seed)
    theta = rng.uniform(-1.0, 1.0, (n, count)) + np.pi / 2  # about y; pi/2 hangs down
    rate = rng.normal(size=(n, count))
    along_x = np.array([np.cos(theta), 0 * theta, -np.sin(theta)]).swapaxes(0, 1)  # body x axis in the ground frame
    slope = np.array([-np.sin(theta), 0 * theta, -np.cos(theta)]).swapaxes(0, 1) * rate[:, None]
    x = np.zeros((n, STATE, count))
    for part, direction in ((slice(0, 3), along_x), (slice(7, 10), slope)):
        tips = 2 * HALF * np.cumsum(direction, axis=0)
        x[:, part] = tips - HALF * direction
    x[:, 3], x[:, 5] = np.cos(theta / 2), np.sin(theta / 2)
    x[:, 11] = rate
    x += 1e-2 * rng.normal(size=x.shape)
    x[:, 3:7] /= np.linalg.norm(x[:, 3:7], axis=1, keepdims=True)
    return x.reshape(n * STATE, count)
