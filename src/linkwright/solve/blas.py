"""Small dense solves with one BLAS thread.

Two threads that wait for each other on busy cores turned a solve of 0.2 ms into one of 370 ms. Our matrices are small: one
thread is never slower by much, and never by a thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from threading import local
from typing import Any, ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

from linkwright.later import when_loaded

P = ParamSpec("P")
T = TypeVar("T")


@cache
def _libraries() -> Any:
    """The BLAS libraries that are loaded now."""
    return ThreadpoolController().select(user_api="blas").lib_controllers


_within = local()  # the context in which this thread is: setting the limit again costs more than many a solve


class _OneThread:
    def __enter__(self) -> None:
        self._inside = getattr(_within, "context", None) is not None
        if not self._inside:
            self._before: list[tuple[Any, int]] = []
            _within.context = self
            self.limit()

    def limit(self) -> None:
        """Libraries that use more threads use one, and are remembered."""
        for library in _libraries():
            if (count := library.get_num_threads()) != 1:
                self._before.append((library, count))
                library.set_num_threads(1)

    def __exit__(self, *_: object) -> None:
        if self._inside:
            return
        _within.context = None
        for library, count in reversed(self._before):
            library.set_num_threads(count)


def one_thread() -> _OneThread:
    """A context in which BLAS uses one thread; leaving it restores what was."""
    return _OneThread()


def _one_more() -> None:
    """scipy has come with a BLAS of its own, perhaps in the middle of such a context."""
    _libraries.cache_clear()
    context = getattr(_within, "context", None)
    if context is not None:
        context.limit()


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
