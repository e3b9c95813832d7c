"""One BLAS thread around small dense solves.

Two threads that wait for each other on busy cores turned a solve of 0.2 ms into one of 370 ms. Our matrices are small:
one thread is never slower by much, and never by a thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from threading import local
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  its BLAS must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


_within = local()  # whether this thread is in such a context: setting the limit again costs more than many a solve


@contextmanager
def one_thread() -> Iterator[None]:
    """A context in which BLAS uses one thread; leaving it restores what was."""
    if getattr(_within, "yes", False):
        yield
        return
    with _controller().limit(limits=1):
        _within.yes = True
        try:
            yield
        finally:
            _within.yes = False


def single_threaded(function: Callable[P, T]) -> Callable[P, T]:
    """The function, run with one BLAS thread."""

    @wraps(function)
    def inside(*args: P.args, **kwargs: P.kwargs) -> T:
        if getattr(_within, "yes", False):
            return function(*args, **kwargs)
        with one_thread():
            return function(*args, **kwargs)

    return inside
