"""Linear equations u' = A(t) u + B(t) over many steps at once, by collocation (Gauss, Radau IIA): exact but for rounding and
an error of order 2 s or 2 s - 1 in the step, and stable however stiff they are.

Where A and B are known at the nodes of all steps, each step's solution is one dense solve, of all steps together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.polynomial import legendre, polynomial

from linkwright import linear


@dataclass(frozen=True)
class Scheme:
    """Nodes within a step from 0 to 1, the matrix and the weights of the method; end: Lagrange's polynomials at 1."""

    nodes: np.ndarray
    A: np.ndarray
    b: np.ndarray
    end: np.ndarray

    @classmethod
    def of(cls, nodes: np.ndarray) -> Scheme:
        """Collocation at the nodes: the integrals of Lagrange's polynomials up to each node, and up to 1."""
        s = len(nodes)
        rows, end = np.empty((s + 1, s)), np.empty(s)
        for j in range(s):
            others = np.delete(nodes, j)
            lagrange = polynomial.polyfromroots(others) / np.prod(nodes[j] - others)
            end[j] = polynomial.polyval(1.0, lagrange)
            rows[:, j] = polynomial.polyval(np.append(nodes, 1.0), polynomial.polyint(lagrange))
        return cls(nodes, rows[:s], rows[s], end)


@cache
def gauss(stages: int) -> Scheme:
    """Gauss's nodes, of order 2 s. They are inside the step: nothing is asked at an event."""
    return Scheme.of(0.5 * (1 + legendre.leggauss(stages)[0]))


@cache
def radau(stages: int) -> Scheme:
    """Radau IIA, of order 2 s - 1: it damps what is stiff; its last node is the end of the step."""
    c = np.zeros(stages + 1)
    c[stages], c[stages - 1] = 1.0, -1.0  # P_s - P_(s-1) vanishes at the right end
    roots = np.sort(legendre.legroots(c).real)
    roots[-1] = 1.0
    return Scheme.of(0.5 * (1 + roots))


@dataclass(frozen=True)
class Propagators:
    """u_1 = P u_0 + r of each step, by columns; defect: what its polynomial misses of the equation at the step's end, times
    the step. The error of the step itself is of the order of its square."""

    P: np.ndarray
    r: np.ndarray
    defect: np.ndarray


def propagators(scheme: Scheme, h: np.ndarray, A: np.ndarray, B: np.ndarray) -> Propagators:
    """h: (steps,); A: (steps, nodes + 1, n, n); B: (steps, nodes + 1, n, k), the last ones at the end of each step."""
    steps, s, n, k = B.shape
    s -= 1
    if not n:
        return Propagators(np.zeros((steps, 0, 0)), np.zeros((steps, 0, k)), np.zeros((steps, 0, k)))
    # K_i = A_i (u_0 + h sum a_ij K_j) + B_i
    left = np.eye(s * n) - np.einsum("e,ij,eiab->eiajb", h, scheme.A, A[:, :s]).reshape(steps, s * n, s * n)
    right = np.concatenate([A, B], axis=3)
    K = linear.solve(left, right[:, :s].reshape(steps, s * n, n + k)).reshape(steps, s, n, n + k)
    step = h[:, None, None]
    moved = step * np.einsum("i,eiac->eac", scheme.b, K)
    ahead = np.einsum("i,eiac->eac", scheme.end, K)
    defect = step * (ahead - A[:, s] @ moved - right[:, s])
    return Propagators(np.eye(n) + moved[:, :, :n], moved[:, :, n:], defect)
