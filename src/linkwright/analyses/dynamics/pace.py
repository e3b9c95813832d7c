"""How long a run will still take: said, once, to whoever waits for one that will take long and asked for no progress."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

from linkwright.analyses.machine.times import Times

FIRST, LONG = 5.0, 120.0  # seconds of the processor: after so many a run is asked, and told where so many or more are left
ENDLESS = 1e10  # seconds
UNITS = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"))


@dataclass
class Pace:
    """The clock of a run: since when it is looked at, and from which time of the motion on."""

    since: tuple[float, float] | None = None
    said: bool = False

    def look(self, name: str, times: Times, t: float, steps: int, fastest: Callable[[], tuple[str, ...]]) -> None:
        """Warn where the run of a model will take long. fastest: names the elements whose forces answer fastest."""
        if self.since is None:
            self.since = process_time(), t
            return
        spent, way, left = process_time() - self.since[0], t - self.since[1], times.end - t
        if self.said or spent < FIRST or spent * left <= LONG * way:
            return
        self.said = True
        more = (
            f"{_said(spent * left / way)} more, some {steps * times.span / (t - times.start):.1g} steps"
            if way
            else "for ever"
        )
        names = fastest()
        why = f": {', '.join(names)} makes the fastest motion, which every step follows" if names else ""
        warnings.warn(
            f"{name} has come to t = {t:.3g} of {times.end:.6g} in {spent:.0f} s; at this pace it takes {more}{why}. "
            "End it by Ctrl-C, which keeps what is there; progress= tells how far a run is.",
            stacklevel=2,
        )


def _said(seconds: float) -> str:
    for unit, name in UNITS:
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} seconds"
