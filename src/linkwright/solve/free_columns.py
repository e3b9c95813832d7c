"""The choice of independent displacements of a large machine, and the motions they make, by sparse factors (Haug 7.2).

With independent rows, S u = 0 is solved for as many displacements as there are rows; those are found by matching every row
with one column, entries as large as can be. Where rows depend on each other, from a basis of the free motions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear
from linkwright.later import csgraph, sparse
from linkwright.regularisation import LEAST_SQUARES
from linkwright.solve.blas import single_threaded
from linkwright.solve.dependence import free_basis

SLIGHT = 1e-6  # entries against rows of length one that nothing is solved for
POOR = 1e7  # motions larger than this for a unit of what is chosen: the choice is no good
EVEN = 2.0  # motions are not larger than this for a unit of what is chosen well
LEFT = 1e-9  # how well motions must satisfy the rows, against their size


@single_threaded
def free_columns(S: Any, independent: bool, wanted: list[int] | None = None) -> tuple[list[int], np.ndarray] | None:
    """(columns, Z) with S Z = 0 and a unit matrix in these rows of Z. S: sparse, rows of length one. None where those
    `wanted` do not determine the motion."""
    S = sparse.csr_array(S)
    if independent:
        chosen = wanted if wanted is not None else _unmatched(S)
        Z = None if chosen is None else motions(S, chosen)
        if Z is not None and chosen is not None:
            return chosen, Z
        if wanted is not None:
            return None
    basis = free_basis(S)
    if wanted is None:
        order = linear.pivoted_qr(basis.T, mode="r")[1] if basis.shape[1] else []
        wanted = sorted(int(k) for k in order[: basis.shape[1]])
    if len(wanted) != basis.shape[1] or not determines(basis[wanted]):
        return None
    return wanted, np.asarray(basis @ linear.inv(basis[wanted]))


def determines(block: np.ndarray) -> bool:
    """Whether these rows of an orthonormal basis, as many as it has columns, determine its motions."""
    return not len(block) or bool(linear.singular_values(block)[-1] > LEAST_SQUARES)


def evened(chosen: list[int], Z: np.ndarray) -> list[int]:
    """Columns that determine the same motions so that none is larger than `EVEN`: as long as one is, its column takes the
    place of the one that makes it, which multiplies the determinant by as much (Goreinov et al., maximal volume)."""
    chosen, Z = list(chosen), Z.copy()
    while Z.size:
        i, j = np.unravel_index(int(np.abs(Z).argmax()), Z.shape)
        if abs(Z[i, j]) <= EVEN:
            break
        change = Z[i].copy()
        change[j] -= 1.0
        Z -= np.outer(Z[:, j] / Z[i, j], change)
        chosen[j] = int(i)
    return chosen


def _unmatched(S: Any) -> list[int] | None:
    """The columns that are left when every row has one of its own."""
    entries = np.maximum(np.abs(S.data), SLIGHT)
    weight = np.where(entries > SLIGHT, 2.0 - np.log(entries), 0.0)
    costs = sparse.csr_matrix((weight, S.indices.copy(), S.indptr.copy()), shape=S.shape)
    costs.eliminate_zeros()
    try:
        _, taken = csgraph.min_weight_full_bipartite_matching(costs)
    except ValueError:  # a row has none
        return None
    return [int(k) for k in np.setdiff1d(np.arange(S.shape[1]), taken)]


def motions(S: Any, chosen: list[int]) -> np.ndarray | None:
    """Z with S Z = 0 and a unit matrix in the rows chosen, which are as many as S leaves free; None where they are poor."""
    m, n = S.shape
    if m + len(chosen) != n:
        return None
    E = sparse.csr_array(sparse.eye_array(n))[chosen]
    try:
        factors = linear.splu(sparse.vstack([S, E]).tocsc())
    except RuntimeError:
        return None
    right = np.zeros((n, len(chosen)))
    right[m:] = np.eye(len(chosen))
    Z = np.asarray(factors.solve(right))
    size = float(np.abs(Z).max(initial=0.0))
    if not size < POOR or np.abs(S @ Z).max(initial=0.0) > LEFT * size:
        return None
    return Z
