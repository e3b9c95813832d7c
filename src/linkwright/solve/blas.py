"""One BLAS thread around small dense solves.

Two threads that wait for each other on busy cores turned a solve of 0.2 ms into one of 370 ms. Our matrices are small:
one thread is never slower by much, and never by a thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  its BLAS must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def one_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS uses one thread; leaving it restores what was."""
    limit: AbstractContextManager[Any] = _controller().limit(limits=1)
    return limit


def single_threaded(function: Callable[P, T]) -> Callable[P, T]:
    """The function, run with one BLAS thread."""

    @wraps(function)
    def inside(*args: P.args, **kwargs: P.kwargs) -> T:
        with one_thread():
            return function(*args, **kwargs)

    return inside
