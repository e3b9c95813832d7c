"""Arrays of scalars that are all plain numbers, or some of them traced: one algorithm serves both.

Plain numbers live in float arrays, so that numpy's linear algebra applies; as soon as one scalar is traced the
array is an object array, in which numbers stay Python floats and structural zeros vanish from products.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright import graph, linear
from linkwright.arguments import P, R, numeric


def of_text(function: Callable[P, R]) -> Callable[P, R]:
    """A function of a text, all of whose arguments are explained in the table of its module: its help says so."""
    names = ", ".join(inspect.signature(function).parameters)
    told = f"Parameters\n----------\n{names}\n    As in the table of the module.\n\nReturns\n"
    function.__doc__ = inspect.cleandoc(function.__doc__ or "").replace("Returns\n", told, 1)
    return numeric(function)


def array(x: Any) -> np.ndarray:
    """x as a float array if all of it is plain numbers, else as an object array."""
    if isinstance(x, np.ndarray) and x.dtype != object:
        return x.astype(float, copy=False)
    out = np.array(x, dtype=object)
    if all(map(graph.is_number, out.flat)):
        return out.astype(float)
    return out


def traced(*arrays: np.ndarray) -> bool:
    """Whether any of the arrays holds traced scalars."""
    return any(a.dtype == object for a in arrays)


def tilde(a: Any) -> np.ndarray:
    """The matrix of the cross product: tilde(a) @ b = a x b."""
    return array(graph.tilde(a))


def block(rows: list[list[np.ndarray]]) -> np.ndarray:
    """The matrix made of blocks."""
    return array(np.concatenate([np.concatenate(row, axis=1) for row in rows]))


def mirrored(A: np.ndarray) -> np.ndarray:
    """A symmetric matrix from its upper triangle.

    Of a traced matrix this drops the operations of the lower triangle, which repeat the upper one's in another order.
    """
    return np.asarray(np.triu(A) + np.triu(A, 1).T)


def factored(A: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """x of A x = b, for a symmetric positive definite A and one or more right-hand sides b (columns).

    Plain numbers go to LAPACK. Traced ones are eliminated as a graph, A = L D L^T without exchange of pivots, which is
    safe for a positive definite matrix only; A is eliminated once for all b.
    """
    n = A.shape[0]
    factors: graph.Factors | None = None

    def solution(b: np.ndarray) -> np.ndarray:
        nonlocal factors
        if n == 0:
            return np.zeros(b.shape)
        if not traced(A, b):
            return linear.solve(A, b)
        if factors is None:
            factors = graph.ldl({(i, j): A[i, j] for i in range(n) for j in range(i, n)}, n)
        columns = b.reshape(n, -1)
        x = np.empty(columns.shape, dtype=object)
        for k in range(columns.shape[1]):
            x[:, k] = factors.solve(list(columns[:, k]))
        return array(x.reshape(b.shape))

    return solution


def solve(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x of A x = b: see `factored`."""
    return factored(A)(b)
