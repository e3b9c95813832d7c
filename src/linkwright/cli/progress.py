"""A line that says how far an analysis has come: analyses that take `progress=` call progress(t, t_end) now and then.

An analysis works in a thread of its own, for native code does not listen to Ctrl-C. After Ctrl-C the next call of
progress raises KeyboardInterrupt in the analysis; one that can, adds what it has computed as the exception's
`partial` and raises it again. One that does not answer soon is left behind.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Event, Thread
from time import perf_counter
from typing import Any, TextIO

PATIENCE = 1.0  # seconds without a line: what ends sooner needs none
PAUSE = 0.1
GRACE = 3.0  # seconds to hand over what was computed after Ctrl-C
WIDTH = 24


class Progress:
    """Called with the simulated time and its end; writes to a terminal only."""

    def __init__(self, stream: TextIO | None = None, always: bool = False) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.wanted = always or self.stream.isatty()
        self.start = self.last = perf_counter()
        self.shown = 0
        self.stopped = False

    def __call__(self, t: float, t_end: float) -> None:
        if self.stopped:
            raise KeyboardInterrupt
        now = perf_counter()
        if not self.wanted or now - self.start < PATIENCE or now - self.last < PAUSE:
            return
        self.last = now
        text = line(t, t_end, now - self.start)
        self.stream.write("\r" + text.ljust(self.shown))
        self.stream.flush()
        self.shown = len(text)

    def close(self) -> None:
        """Wipe the line."""
        if self.shown:
            self.stream.write("\r" + " " * self.shown + "\r")
            self.stream.flush()
            self.shown = 0


def line(t: float, t_end: float, elapsed: float) -> str:
    """The text: simulated time, bar, how long it will take."""
    part = min(1.0, max(0.0, t / t_end)) if t_end else 0.0
    filled = int(part * WIDTH)
    left = f"{span(elapsed * (1 - part) / part)} left" if part > 0 else "..."
    return f"t = {t:.4g} of {t_end:.4g} s  [{'#' * filled}{'.' * (WIDTH - filled)}] {100 * part:3.0f} %  {left}"


def span(seconds: float) -> str:
    """A duration for people: 4.2 s, 3 min 05 s, 2 h 10 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def watched(work: Callable[[], Any], progress: Progress) -> Any:
    """The value of work(), done in a thread; KeyboardInterrupt with `partial`, if there is any, after Ctrl-C."""
    done: list[Any] = []
    failed: list[BaseException] = []

    def do() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)
        finally:
            ended.set()

    ended = Event()
    Thread(target=do, name="analysis", daemon=True).start()
    try:
        while not ended.wait(0.05):  # not Thread.join: interrupted, it takes the thread for ended
            pass
    except KeyboardInterrupt:
        progress.stopped = True
        ended.wait(GRACE)
        if not failed:
            raise
    finally:
        progress.close()
    if failed:
        raise failed[0]
    return done[0]
