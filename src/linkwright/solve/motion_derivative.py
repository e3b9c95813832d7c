"""df/dy of a motion whose accelerations and multipliers z are given by equations E(y, z) = 0: dz/dy = -E_z^-1 E_y."""

from __future__ import annotations

from typing import NamedTuple

from linkwright.compile import Array, Code, Ints, Pointers, copy, native
from linkwright.solve.dense import lu_factor, lu_solve_rows

# Where the sizes are in `numbers`: of q, v, lam, y, the nonzeros of E_z, E_y, D, and the number of inputs of the motion.
NQ, NV, NLAM, NY, NONZEROS_Z, NONZEROS_Y, NONZEROS_D, INPUTS = 0, 1, 2, 3, 4, 5, 6, 7


class Implicit(NamedTuple):
    """motion: (y', z less vdot) of ins; parts: the nonzeros of E_z, E_y, D of (ins, vdot, lam), which are copied to pins.
    at_z, at_y: places of nonzeros in dense matrices by rows; D gives further rows of df/dy, columns beyond y are those of
    lam."""

    motion: Code
    parts: Code
    mouts: Pointers
    pins: Pointers
    pouts: Pointers
    sizes: Ints
    numbers: Ints
    at_z: Ints
    at_y: Ints
    rows_d: Ints
    columns_d: Ints
    work: Array
    pivots: Ints


@native
def motion_derivative(ins: Pointers, outs: Pointers, p: Implicit) -> None:
    """outs[0] = df/dy by rows."""
    nq = p.numbers[NQ]
    nv = p.numbers[NV]
    ny = p.numbers[NY]
    N = nv + p.numbers[NLAM]
    p.motion(ins, p.mouts)
    for k in range(p.numbers[INPUTS]):
        copy(p.sizes[k], ins[k], p.pins[k])
    copy(nv, p.mouts[0][nq:], p.pins[p.numbers[INPUTS]])
    for i in range(p.numbers[NLAM]):
        p.pins[p.numbers[INPUTS] + 1][i] = p.mouts[1][i]
    p.parts(p.pins, p.pouts)
    E = p.work[0:]
    X = p.work[N * N :]
    for i in range(N * (N + ny)):
        p.work[i] = 0.0
    for k in range(p.numbers[NONZEROS_Z]):
        E[p.at_z[k]] = p.pouts[0][k]
    for k in range(p.numbers[NONZEROS_Y]):
        X[p.at_y[k]] = -p.pouts[1][k]
    J = outs[0]
    for i in range(ny * ny):
        J[i] = 0.0
    if lu_factor(N, E, p.pivots, p.work[N * (N + ny) :]) == 0:
        lu_solve_rows(N, ny, E, p.pivots, X)
    copy(nv * ny, X, J[nq * ny :])
    for k in range(p.numbers[NONZEROS_D]):
        row = p.rows_d[k]
        column = p.columns_d[k]
        if column < ny:
            J[row * ny + column] += p.pouts[2][k]
        else:
            for j in range(ny):
                J[row * ny + j] += p.pouts[2][k] * X[(nv + column - ny) * ny + j]
