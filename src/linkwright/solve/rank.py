"""Rank, null spaces and dependent rows of a Jacobian whose entries have mixed units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from linkwright.solve.blas import single_threaded

# Singular values below this, relative to the largest, are zero. Rows are assembled to 1e-11, so dependence shows at some
# 1e-11; a machine a part in 1e8 away from singular is singular for every practical purpose.
TOLERANCE = 1e-8


@dataclass(frozen=True)
class Rank:
    """What a Jacobian says. Rows and columns are those of the matrix given."""

    rank: int
    singular_values: np.ndarray
    left: np.ndarray  # columns: combinations of rows that vanish
    right: np.ndarray  # columns: displacements that violate nothing


def scaled(J: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns times the size of their displacement, rows divided by their length: comparable numbers. Also the lengths."""
    S = J * scale
    lengths = np.linalg.norm(S, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    return S / lengths[:, None], lengths


@single_threaded
def analyse(J: np.ndarray, scale: np.ndarray) -> Rank:
    """Rank and null spaces; null vectors are in the matrix's own units."""
    m, n = J.shape
    if m == 0 or n == 0:
        return Rank(0, np.zeros(0), np.eye(m), np.diag(scale))
    S, lengths = scaled(J, scale)
    U, s, Vt = np.linalg.svd(S)
    rank = int((s > TOLERANCE * max(s[0], 1e-300)).sum())
    return Rank(rank, s, U[:, rank:] / lengths[:, None], Vt[rank:].T * scale[:, None])


@single_threaded
def independent_rows(J: np.ndarray, scale: np.ndarray, first: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(kept, dropped) row numbers: a largest independent set. Rows of `first` (a mask) are considered before the others."""
    S, _ = scaled(J, scale)
    kept: list[int] = []
    groups = [np.flatnonzero(first), np.flatnonzero(~first)] if first is not None else [np.arange(len(J))]
    basis = np.zeros((S.shape[1], 0))
    for group in groups:
        if not len(group):
            continue
        rest = S[group].T - basis @ (basis.T @ S[group].T)
        rest -= basis @ (basis.T @ rest)
        Q, R, order = scipy.linalg.qr(rest, mode="economic", pivoting=True)
        new = int((np.abs(np.diag(R)) > TOLERANCE).sum())
        kept += [int(group[k]) for k in order[:new]]
        basis = np.hstack([basis, Q[:, :new]])
    mask = np.zeros(len(J), dtype=bool)
    mask[kept] = True
    return np.flatnonzero(mask), np.flatnonzero(~mask)


@single_threaded
def dependent_groups(J: np.ndarray, scale: np.ndarray, first: np.ndarray | None = None) -> list[list[int]]:
    """For each row beyond an independent set: the row and those it is a combination of."""
    kept, dropped = independent_rows(J, scale, first)
    S, _ = scaled(J, scale)
    groups = []
    for k in dropped:
        c, *_ = np.linalg.lstsq(S[kept].T, S[k], rcond=None)
        members = kept[np.abs(c) > 1e-7 * max(1.0, float(np.abs(c).max(initial=0.0)))]
        groups.append(sorted([int(k), *map(int, members)]))
    return groups
