"""One BLAS thread around small dense solves.

Two threads that wait for each other on busy cores turned a solve of 0.2 ms into one of 370 ms. Our matrices are small:
one thread is never slower by much, and never by a thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, wraps
from threading import local
from typing import Any, ParamSpec, TypeVar

from linkwright.later import when_loaded

P = ParamSpec("P")
T = TypeVar("T")


@cache
def _controller() -> Any:
    """Of the libraries that are loaded now."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


_within = local()  # the context in which this thread is: setting the limit again costs more than many a solve


@contextmanager
def one_thread() -> Iterator[None]:
    """A context in which BLAS uses one thread; leaving it restores what was."""
    if getattr(_within, "context", None) is not None:
        yield
        return
    with ExitStack() as _within.context:
        try:
            _within.context.enter_context(_controller().limit(limits=1))
            yield
        finally:
            _within.context = None


def _one_more() -> None:
    """scipy has come with a BLAS of its own, perhaps in the middle of such a context."""
    _controller.cache_clear()
    context = getattr(_within, "context", None)
    if context is not None:
        context.enter_context(_controller().limit(limits=1))


when_loaded.append(_one_more)


def single_threaded(function: Callable[P, T]) -> Callable[P, T]:
    """The function, run with one BLAS thread."""

    @wraps(function)
    def inside(*args: P.args, **kwargs: P.kwargs) -> T:
        if getattr(_within, "context", None) is not None:
            return function(*args, **kwargs)
        with one_thread():
            return function(*args, **kwargs)

    return inside
