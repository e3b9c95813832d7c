"""The times of a run: when it begins, when it ends, and at which times in between its output is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.bounds import LARGEST, MOST_STEPS
from linkwright.bounds import shown as shown_as
from linkwright.errors import ModelError

LOOKS = 48  # times of a run, beside those of its output, at which its energy and its constraints are audited
GOLDEN = 0.6180339887498949  # multiples of it, taken modulo one, never fall in step with a periodic motion
FEW = 1000  # times given one by one that are kept with what follows from them
SLACK = 1e-12  # of the span: output times computed by adding steps miss the ends by rounding


@dataclass(frozen=True, eq=False)
class Times:
    """A run begins at `start` and goes on to `end`, whatever the times `shown` of its output are. ``also``: further times
    at which it is audited. The last times asked for are the same object when they are asked for again."""

    start: float
    end: float
    shown: np.ndarray
    also: tuple[float, ...] = ()

    @classmethod
    def of(cls, t_end: Any, steps: Any, t_start: Any, t_eval: Any, analysis: str = "kinematics") -> Times:
        """Checked; `analysis`: whose run."""
        if t_end is None and t_eval is None:
            raise ModelError(f"{analysis} needs to know until when", remedy="give t_end= and steps=, or t_eval=")
        start = float(_numbers("t_start", t_start, 0))
        shown = None if t_eval is None else _numbers("t_eval", t_eval, 1)
        end = float(_numbers("t_end", t_end, 0) if t_end is not None or shown is None else shown.max(initial=start))
        try:
            if isinstance(steps, bool):
                raise TypeError("a truth value")
            count = 100 if steps is None or shown is not None else index(steps)
        except TypeError as error:
            remedy = "give a whole number of steps"
            raise ModelError(f"there are no {shown_as(steps)} steps", element="steps", remedy=remedy) from error
        if count < 1:
            raise ModelError(f"{count} steps lead nowhere", element="steps", remedy="give steps=1 or more")
        if count > MOST_STEPS:
            raise ModelError(
                "so many steps cannot be computed", element="steps", remedy=f"give at most {MOST_STEPS:g} steps"
            )
        if not (abs(start) <= LARGEST and abs(end) <= LARGEST):
            raise _not_growing()
        if not (end > start or (end == start and shown is not None)):
            raise ModelError(
                f"a run from {start:g} s to {end:g} s goes nowhere", element="t_end",
                remedy="give a t_end after t_start, which is 0 by default",
            )  # fmt: skip
        if shown is None:
            return _even(start, end, count)
        return _at(start, end, shown.tobytes()) if len(shown) <= FEW else cls(start, end, _within(shown, start, end))

    @property
    def span(self) -> float:
        return self.end - self.start

    @cached_property
    def path(self) -> np.ndarray:
        """The output times, with the ends where they are not among them."""
        return merged([self.start, self.end], self.shown)

    @cached_property
    def looks(self) -> np.ndarray:
        """Times after the start, spread over the run whatever the output times are; the end is one of them."""
        k = np.arange(LOOKS)
        times = self.start + self.span * (k + (k * GOLDEN) % 1.0) / LOOKS
        times = merged(times, self.also) if self.also else times
        return np.append(times[(times > self.start) & (times < self.end)], self.end if self.span else [])

    def after(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Times after t: of output, and of looks that are none of these."""
        return self._after_start if t == self.start else self._after(t)

    @cached_property
    def _after_start(self) -> tuple[np.ndarray, np.ndarray]:
        return self._after(self.start)

    def _after(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        shown, looks = self.shown, self._only_looks
        return shown[np.searchsorted(shown, t, side="right") :], looks[np.searchsorted(looks, t, side="right") :]

    @cached_property
    def _only_looks(self) -> np.ndarray:
        return np.asarray(self.looks[~self.is_shown(self.looks)])

    def is_shown(self, t: np.ndarray) -> np.ndarray:
        return _among(t, self.shown)

    def is_look(self, t: np.ndarray) -> np.ndarray:
        """Whether the audit looks at these times, of output: what else was visited it has looked at."""
        return _among(t, self.looks)


@lru_cache(maxsize=32)
def _even(start: float, end: float, count: int) -> Times:
    """Output at even times; kept with all that follows from them."""
    shown = np.linspace(start, end, count + 1)
    if not (np.diff(shown) > 0).all():
        raise ModelError(
            f"{count} steps from {start:.9g} s to {end:.9g} s are shorter than double precision can tell there",
            element="steps", remedy="give fewer steps, or let the run begin near 0",
        )  # fmt: skip
    shown.setflags(write=False)
    return Times(start, end, shown)


@lru_cache(maxsize=32)
def _at(start: float, end: float, shown: bytes) -> Times:
    """Output at times given one by one, as their bytes; likewise."""
    within = _within(np.frombuffer(shown), start, end)
    within.setflags(write=False)
    return Times(start, end, within)


def _numbers(name: str, given: Any, most: int) -> np.ndarray:
    """Times as numbers: one, or a row of them."""
    try:
        raw = np.asarray(given)
        if raw.dtype.kind in "bcUSMm":
            raise TypeError("numbers are wanted")
        found = np.array(raw, dtype=float)
        if found.ndim > most:
            raise TypeError("one time is wanted" if most == 0 else "a row of times is wanted")
    except (TypeError, ValueError, OverflowError) as error:
        cause = f"{shown_as(given)} {'are no times' if most else 'is no time'}"
        raise ModelError(cause, element=name, remedy="give numbers [s]") from error
    return found.reshape(-1) if most else found


def _among(t: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Which of the times are among those that are known, which grow."""
    found: np.ndarray = known.take(known.searchsorted(t), mode="clip") == t if len(known) else t != t
    return found


def _within(shown: np.ndarray, start: float, end: float) -> np.ndarray:
    if not len(shown) or not np.isfinite(shown).all() or not (np.diff(shown) > 0).all():
        raise _not_growing()
    slack = SLACK * max(end - start, abs(start), abs(end))
    if shown[0] < start - slack or shown[-1] > end + slack:
        late = shown[0] if shown[0] < start - slack else shown[-1]
        raise ModelError(
            f"the output time {late:g} s lies outside the run, which goes from {start:g} s to {end:g} s", element="t_eval",
            remedy="t_start= and t_end= say when a run begins and ends, t_eval= only when its output is",
        )  # fmt: skip
    return np.asarray(np.clip(shown, start, end))


def _not_growing() -> ModelError:
    return ModelError("the times must be finite and growing", element="t_eval", remedy="check t_start, t_end and t_eval")


def merged(*numbers: ArrayLike) -> np.ndarray:
    """All times in order, each once. It does what `np.unique` does, which imports numpy's masked arrays when it is first
    called: a fifth of what a first answer may take."""
    every = np.sort(np.concatenate([np.asarray(x) for x in numbers]))
    return every[np.append(True, np.diff(every) > 0)] if len(every) else every
