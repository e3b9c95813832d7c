"""The equations of motion as sparse matrices, from the blocks of a looped machine: for tests, and when the block factors
are not to be trusted; and the regularisation of rank-deficient ones, small numbers on the diagonal (see `solving`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear
from linkwright.compile.block_ldl import BlockLDL
from linkwright.compile.clock import traced_property as cached_property
from linkwright.compile.script import Arena
from linkwright.regularisation import CURVE, EASED_IN_LOOPS, LIGHT, own_compliances
from linkwright.saddle import Saddle


class Assembled:
    """The matrices M, J and the right-hand side of a looped machine, read at the places where the elements write them. It is
    made before the elimination, which overwrites them."""

    def __init__(self, arena: Arena, sizes: list[int], ldl: BlockLDL) -> None:
        self.arena, self.sizes = arena, sizes
        self.starts = np.cumsum([0, *sizes])
        self.bodies = sum(not waits for waits in ldl.multiplier)  # and parameters of curves, which have one displacement
        self._diagonal = [cell.at() for cell in ldl.diagonal[: self.bodies]]
        self.massive = sum(n == sizes[0] for n in sizes[: self.bodies])
        blocks = [(i, j, cell.at()) for (i, j), cell in ldl.blocks.items()]
        self._blocks, self._coupled = ([x for x in blocks if (x[0] >= self.bodies) == of_rows] for of_rows in (True, False))
        self._right = [cell.at() for cell in ldl.right]
        self._compliances = [cell.at() for cell in ldl.diagonal[self.bodies :]] if ldl.held else []

    @cached_property
    def _M_places(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, columns and places of both triangles of M: of bodies, then of parameters of curves, then what is between
        them."""
        n = self.sizes[0]
        i, j = np.tril_indices(n)
        at = np.arange(len(i))
        full = np.zeros((n, n), dtype=np.int64)
        full[i, j] = full[j, i] = at
        r, c = np.divmod(np.arange(n * n), n)
        starts = self.starts[: self.massive, None]
        places = np.array(self._diagonal[: self.massive])[:, None] + full.ravel()
        curves, own = self.starts[self.massive : self.bodies], np.array(self._diagonal[self.massive :], dtype=np.int64)
        i, j, between = self._dense(self._coupled, 0)
        rows, columns = (np.concatenate([(starts + x).ravel(), curves, *more]) for x, more in ((r, (i, j)), (c, (j, i))))
        return rows, columns, np.concatenate([places.ravel(), own, between, between])

    @cached_property
    def J_places(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows, columns and places of the nonzeros of J."""
        return self._dense(self._blocks, int(self.starts[self.bodies]))

    def _dense(self, blocks: list[tuple[int, int, int]], first: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows, from the `first` on, the columns and the places of the numbers of blocks."""
        rows, columns, places = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for i, j, at in blocks:
            r, c = np.divmod(np.arange(self.sizes[i] * self.sizes[j]), self.sizes[j])
            rows.append(self.starts[i] - first + r)
            columns.append(self.starts[j] + c)
            places.append(at + np.arange(len(r)))
        return np.concatenate(rows), np.concatenate(columns), np.concatenate(places)

    @property
    def nv(self) -> int:
        return int(self.starts[self.bodies])

    @property
    def rows(self) -> int:
        return int(self.starts[-1]) - self.nv

    def mass_blocks(self) -> np.ndarray:
        """The mass matrix of each body."""
        n = self.sizes[0]
        return np.asarray(self.arena.numbers[self._M_places[2][: self.massive * n * n]]).reshape(-1, n, n)

    @cached_property
    def compliance_places(self) -> np.ndarray:
        """The places of -eps, the regularisation of each row of a held machine, on the diagonal."""
        own = [(at, self.sizes[k]) for k, at in enumerate(self._compliances, self.bodies)]
        return np.array([at + i * (i + 3) // 2 for at, n in own for i in range(n)], dtype=np.int64)

    def set_compliances(self, eps: np.ndarray) -> None:
        """Set the regularisation of the rows: -eps on the diagonal."""
        self.arena.numbers[self.compliance_places] = -eps

    def M(self) -> Any:
        from scipy.sparse import csc_array

        at, rows, starts = self._M_columns
        return csc_array((self.arena.numbers[at], rows, starts), shape=(self.nv, self.nv))

    def J(self) -> Any:
        from scipy.sparse import csc_array

        at, rows, starts = self._J_columns
        return csc_array((self.arena.numbers[at], rows, starts), shape=(self.rows, self.nv))

    def row_lengths(self, size: np.ndarray) -> np.ndarray:
        """The lengths of the rows of J, with columns multiplied by the sizes of their displacements; one for rows of
        zeros."""
        rows, columns, places = self.J_places
        squares = np.bincount(rows, (self.arena.numbers[places] * size[columns]) ** 2, minlength=self.rows)
        return np.sqrt(np.where(squares > 0, squares, 1.0))

    @cached_property
    def _M_columns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return _by_columns(self._M_places, (self.nv, self.nv))

    @cached_property
    def _J_columns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return _by_columns(self.J_places, (self.rows, self.nv))

    def right(self) -> np.ndarray:
        return np.asarray(self.arena.numbers[self.right_places])

    @cached_property
    def right_places(self) -> np.ndarray:
        """The place of each number of the right-hand side."""
        return np.concatenate([at + np.arange(n) for at, n in zip(self._right, self.sizes, strict=True)])

    def by_rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The whole matrix: where each row begins in the lists of columns and of places."""
        from scipy.sparse import coo_array

        (i, j, M), (r, c, J) = self._M_places, self.J_places
        rows, columns = np.concatenate([i, r + self.nv, c]), np.concatenate([j, c, r + self.nv])
        n = self.nv + self.rows
        found: Any = coo_array((np.concatenate([M, J, J]) + 1, (rows, columns)), shape=(n, n)).tocsr()  # + 1: no zeros
        return found.indptr.astype(np.int64), found.indices.astype(np.int64), found.data.astype(np.int64) - 1

    def set_right(self, f: Any, gamma: Any) -> None:
        """Set another right-hand side, to be eliminated or solved next."""
        values = np.concatenate([np.broadcast_to(f, self.nv), np.broadcast_to(gamma, self.rows)])
        self.arena.numbers[self.right_places] = values

    def solve(self) -> np.ndarray:
        """(vdot, lam) by sparse LU with pivoting, for machines whose rows depend on each other or that lack inertia.

        Dependent rows that agree leave vdot unique; lam is then one of many.
        """
        right = self.right()
        return np.concatenate(Saddle(self.M(), self.J())(right[: self.nv], right[self.nv :]))


def _by_columns(
    places: tuple[np.ndarray, np.ndarray, np.ndarray], shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Places in the order of a matrix by columns, its row indices, and where its columns begin: found once, as sorting takes
    longer than all else. No entry has two places."""
    from scipy.sparse import csc_array

    i, j, at = places
    found: Any = csc_array((np.arange(1, len(at) + 1), (i, j)), shape=shape)  # from 1: no zeros
    found.sort_indices()
    return at[found.data - 1], found.indices, found.indptr


def holds(assembled: Assembled, dimension: int, part: float, length: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The numbers (delta by displacement, eps by row, 1/Phi by row) for M and J as they are now. delta is zero but for
    bodies that lack inertia, and for parameters of curves; eps grows where joints are open, noticeably from this Phi on.
    `length`: of the machine."""
    blocks = assembled.mass_blocks()
    mass = np.diagonal(blocks, axis1=1, axis2=2)
    usual = np.empty(mass.shape[1])
    usual[:dimension], usual[dimension:] = _median(mass[:, :dimension]), _median(mass[:, dimension:])
    usual = np.where(usual > 0, usual, float(usual.max()) or 1.0)  # none has mass: drivers alone move it, any will do
    filled = np.where(mass > 0, mass, usual)
    unit = 1 / np.sqrt(filled)
    lacking = linear.eigvalsh(blocks * unit[:, :, None] * unit[:, None, :])[:, 0] < LIGHT
    J = assembled.J()
    curves = of_curves(J, filled.size, usual[0])
    delta = np.concatenate([np.where(lacking[:, None], LIGHT * filled, 0.0).ravel(), curves])
    scale = np.tile([length] * dimension + [1.0] * (mass.shape[1] - dimension), len(mass))
    scale = np.concatenate([scale, np.ones(len(curves))])
    lengths = np.sqrt(np.asarray(J.multiply(J) @ scale**2).ravel())
    eps = part * own_compliances(J, np.concatenate([filled.ravel(), curves / CURVE]))
    return delta, eps, EASED_IN_LOOPS / (part * np.where(lengths > 0, lengths, 1.0))


def of_curves(J: Any, bodies: int, mass: float) -> np.ndarray:
    """The delta of the parameters of curves, whose columns follow those of bodies: as of a small mass that moves along the
    curve."""
    along = np.asarray(J.multiply(J).sum(axis=0)).ravel()[bodies:]
    return np.asarray(CURVE * mass * np.where(along > 0, along, 1.0))


def usual_mass(assembled: Assembled) -> float:
    """The median mass of the bodies; one where none has mass."""
    return _median(np.diagonal(assembled.mass_blocks(), axis1=1, axis2=2)[:, 0]) or 1.0


def _median(values: np.ndarray) -> float:
    """The median of the values that are not zero."""
    some = values[values > 0]
    return float(np.median(some)) if len(some) else 0.0
