"""Saddle-point systems, dense or sparse:

    [ H  B^T ] [  x  ]   [ f ]
    [ B   0  ] [ lam ] = [ g ]

H: masses, or the weights of a least-squares problem. Rows of B may depend on each other, and H may have directions without
weight that B holds: x is unique all the same, lam is one of many. A dense system is solved by singular values. A sparse one
is regularised by a small part of its own size and factored by LU with pivoting; iterative refinement with the true matrix,
a proximal iteration, takes the regularisation out again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear
from linkwright.regularisation import ITERATIONS, LIGHT, SADDLE


class Saddle:
    """One matrix, factored once. `scale`: the sizes of x, by which rows are brought to comparable lengths."""

    def __init__(self, H: Any, B: Any, scale: np.ndarray | None = None) -> None:
        self.sparse = hasattr(B, "tocsc")
        n = H.shape[0]
        self.scale = np.ones(n) if scale is None else scale
        (self._sparse if self.sparse else self._dense)(H, B)

    def _dense(self, H: np.ndarray, B: np.ndarray) -> None:
        n, m = H.shape[0], len(B)
        B = B * self.scale
        self.lengths = _lengths(np.linalg.norm(B, axis=1))
        H = H * np.outer(self.scale, self.scale)
        self.unit = float(np.abs(H).max(initial=0.0)) or 1.0
        K = np.zeros((n + m, n + m))
        K[:n, :n] = H / self.unit
        K[n:, :n] = B / self.lengths[:, None]
        K[:n, n:] = K[n:, :n].T
        self.K: Any = K

    def _sparse(self, H: Any, B: Any) -> None:
        from scipy.sparse import block_array, diags_array

        size = diags_array(self.scale)
        H, B = size @ H @ size, B @ size
        self.lengths = _lengths(np.sqrt(np.asarray(B.multiply(B).sum(axis=1)).ravel()))
        own = np.abs(H.diagonal())
        # the median, not the largest: beside a very heavy body the others would be nothing, and rounding be all
        self.unit = float(np.median(own[own > 0])) if (own > 0).any() else 1.0
        H, B = H / self.unit, diags_array(1 / self.lengths) @ B
        self.K = block_array([[H, B.T], [B, None]], format="csc") if B.shape[0] else H.tocsc()
        hold = np.concatenate([LIGHT * np.where(own > 0, own / self.unit, 1.0), np.full(B.shape[0], -LIGHT)])
        self.factors = linear.splu((self.K + diags_array(hold)).tocsc())

    def __call__(self, f: Any, g: Any) -> tuple[np.ndarray, np.ndarray]:
        """x and lam."""
        n, m = len(self.scale), len(self.lengths)
        f, g = np.broadcast_to(f, n), np.broadcast_to(g, m)
        b = np.concatenate([f * self.scale / self.unit, g / self.lengths])
        x = self._refined(b) if self.sparse else linear.lstsq(self.K, b, rcond=SADDLE)[0]
        return x[:n] * self.scale, x[n:] * self.unit / self.lengths

    def _refined(self, b: np.ndarray) -> np.ndarray:
        x = self.factors.solve(b)
        for _ in range(ITERATIONS):
            x = x + self.factors.solve(b - self.K @ x)
        return np.asarray(x)


def _lengths(found: np.ndarray) -> np.ndarray:
    return np.where(found > 0, found, 1.0)
