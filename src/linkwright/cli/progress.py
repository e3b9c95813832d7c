"""A line that says how far an analysis has come, and Ctrl-C that keeps what it has computed.

An analysis works in a thread of its own, for native code does not listen to Ctrl-C; the main thread draws the line and
listens. Analyses that take `progress=` call it now and then with the simulated time and the part that is done. After
Ctrl-C the next such call raises KeyboardInterrupt in the analysis, which adds what it has as the exception's `partial`
and raises it again. One that does not answer soon, or after a second Ctrl-C, is left behind.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Event, Thread
from time import perf_counter
from typing import Any, TextIO

PATIENCE = 1.0  # seconds without a line: what ends sooner needs none
PAUSE = 0.1  # between two looks
GRACE = 3.0  # seconds to hear Ctrl-C
WIDTH = 24
TIME = "t = {:.4g} s"


class Progress:
    """Called with the simulated time (or what else `at` tells) and the part done; `show` writes the line, to a terminal
    only."""

    def __init__(self, what: str, stream: TextIO | None = None, always: bool = False, at: str = TIME) -> None:
        self.what, self.told = what, at
        self.stream = sys.stderr if stream is None else stream
        self.wanted = always or self.stream.isatty()
        self.start = perf_counter()
        self.shown = 0
        self.at: tuple[float, float] | None = None
        self.first = (0.0, 0.0)  # the clock and the part done at the first report: before it, equations are compiled
        self.stopped = False
        self.heard = Event()  # the analysis knows that it has to stop

    def __call__(self, t: float, fraction: float) -> None:
        if self.at is None:
            self.first = (perf_counter(), fraction)
        self.at = (t, fraction)
        if self.stopped:
            self.heard.set()
            raise KeyboardInterrupt

    def show(self) -> None:
        elapsed = perf_counter() - self.start
        if not self.wanted or elapsed < PATIENCE:
            return
        text = (
            f"{self.what}, {span(elapsed)} ..."
            if self.at is None
            else f"{self.what}, {line(*self.at, perf_counter() - self.first[0], self.first[1], self.told)}"
        )
        self.stream.write("\r" + text.ljust(self.shown))
        self.stream.flush()
        self.shown = len(text)

    def close(self) -> None:
        """Wipe the line."""
        if self.shown:
            self.stream.write("\r" + " " * self.shown + "\r")
            self.stream.flush()
            self.shown = 0


def line(t: float, fraction: float, elapsed: float, begun: float = 0.0, at: str = TIME) -> str:
    """The text: where it is, bar, how long it will take if the part since `begun` took `elapsed`."""
    part = min(1.0, max(0.0, fraction))
    filled = int(part * WIDTH)
    left = f"{span(elapsed * (1 - part) / (part - begun))} left" if part > begun else "..."
    return f"{at.format(t)}  [{'#' * filled}{'.' * (WIDTH - filled)}] {100 * part:3.0f} %  {left}"


def span(seconds: float) -> str:
    """A duration for people: 4.2 s, 3 min 05 s, 2 h 10 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


class Work:
    """Something done in a thread: its value or its error."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work, self.ended = work, Event()
        self.value: Any = None
        self.error: BaseException | None = None
        Thread(target=self._do, name="analysis", daemon=True).start()

    def _do(self) -> None:
        try:
            self.value = self.work()
        except BaseException as error:
            self.error = error
        finally:
            self.ended.set()


def watched(work: Callable[[], Any], progress: Progress) -> Any:
    """The value of work(), done in a thread; KeyboardInterrupt with `partial`, if there is any, after Ctrl-C."""
    doing = Work(work)
    try:
        while not doing.ended.wait(PAUSE):
            progress.show()
    except KeyboardInterrupt as stop:
        progress.stopped = True
        progress.close()
        if not doing.ended.wait(GRACE):
            if not progress.heard.is_set():
                raise
            print("what was computed is put together; Ctrl-C again gives it up", file=progress.stream)
            doing.ended.wait()
        if doing.error is None:  # it was at its end
            stop.partial = doing.value  # type: ignore[attr-defined]
            raise
    finally:
        progress.close()
    if doing.error is not None:
        raise doing.error
    return doing.value
