"""A history made one number: its peak, its span, its mean. Taken over the output times, as numpy would of the channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model.quantities import short

Of = str | Expr


def _integral(t: np.ndarray, x: np.ndarray) -> float:
    return float(0.5 * np.sum((x[1:] + x[:-1]) * np.diff(t)))


def _mean(t: np.ndarray, x: np.ndarray) -> float:
    """Of one instant the value there."""
    span = t[-1] - t[0]
    return _integral(t, x) / float(span) if span > 0 else float(x[-1])


KINDS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "peak": lambda t, x: float(np.abs(x).max()),
    "highest": lambda t, x: float(x.max()),
    "lowest": lambda t, x: float(x.min()),
    "span": lambda t, x: float(x.max() - x.min()),
    "mean": _mean,
    "rms": lambda t, x: float(np.sqrt(_mean(t, x * x))),
    "integral": _integral,
    "final": lambda t, x: float(x[-1]),
}


@dataclass(frozen=True, eq=False)
class Reduction:
    """One number of a channel's or quantity's history; made by `peak`, `span`, `mean` and the like."""

    kind: str
    of: Of

    def __post_init__(self) -> None:
        if not isinstance(self.of, (str, Expr)):
            raise ModelError(
                f"the {self.kind} of {self.of!r} cannot be taken", element=self.kind,
                remedy=f'give a channel or a quantity, such as {self.kind}("crank.omega")',
            )  # fmt: skip

    @property
    def name(self) -> str:
        """As in the channels of a study: "peak(A.fx)"."""
        return f"{self.kind}({label(self.of)})"

    def __call__(self, t: Any, x: Any) -> float:
        """Of a history x at the times t; of a single configuration x is one number."""
        values = np.asarray(x, dtype=float).reshape(-1)
        times = np.asarray(t, dtype=float).reshape(-1)
        return KINDS[self.kind](times[: len(values)], values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reduction) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


def label(of: Of | Reduction) -> str:
    """The name of a channel, quantity or reduction in a study."""
    return of.name if isinstance(of, Reduction) else short(of) if isinstance(of, Expr) else of


def peak(of: Of) -> Reduction:
    """The largest absolute value."""
    return Reduction("peak", of)


def highest(of: Of) -> Reduction:
    """The largest value."""
    return Reduction("highest", of)


def lowest(of: Of) -> Reduction:
    """The smallest value."""
    return Reduction("lowest", of)


def span(of: Of) -> Reduction:
    """The largest value less the smallest."""
    return Reduction("span", of)


def mean(of: Of) -> Reduction:
    """The mean over time, by trapezia."""
    return Reduction("mean", of)


def rms(of: Of) -> Reduction:
    """The root of the mean square over time, by trapezia."""
    return Reduction("rms", of)


def integral(of: Of) -> Reduction:
    """The integral over time, by trapezia."""
    return Reduction("integral", of)


def final(of: Of) -> Reduction:
    """The value at the last output time."""
    return Reduction("final", of)
