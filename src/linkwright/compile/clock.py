"""How long tracing and compiling take, so that a run can say what of its time was preparation: nothing, once a machine is
known. What happens inside of something that is timed counts once."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any


class Clock(threading.local):
    """Seconds of this thread, by what was done."""

    traced = 0  # how often something was traced, in all threads

    def __init__(self) -> None:
        self.tracing = self.compiling = 0.0
        self._inside = ""
        self._since = 0.0

    @contextmanager
    def on(self, what: str) -> Iterator[None]:
        """Count the time of the block as "tracing" or "compiling"; within another block that one stands still."""
        outer, begin = self._inside, perf_counter()
        if outer == what:
            yield
            return
        self._stop(begin)
        self._inside, self._since = what, begin
        Clock.traced += what == "tracing"
        collects = gc.isenabled()
        gc.disable()  # nodes of a graph live on and know none of their users: the collector would go through all of them
        try:
            yield
        finally:
            if collects:
                gc.enable()
            now = perf_counter()
            self._stop(now)
            self._inside, self._since = outer, now

    def read(self) -> tuple[float, float]:
        """Seconds of tracing and of compiling so far."""
        return self.tracing, self.compiling

    def _stop(self, now: float) -> None:
        if self._inside:
            setattr(self, self._inside, getattr(self, self._inside) + now - self._since)


CLOCK = Clock()


if TYPE_CHECKING:
    traced_property = cached_property
else:

    class traced_property(cached_property):  # noqa: N801  it is used as `cached_property` is
        """A `cached_property` whose first computation is tracing."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            with CLOCK.on("tracing"):
                return super().__get__(instance, owner)
