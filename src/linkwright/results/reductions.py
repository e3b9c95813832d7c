"""Reductions make one number of a history: its peak, its span, its mean, taken over the output times as numpy would."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model.quantities import name_of

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

# Of rows at once: the same bits. Sums are made one by one, for numpy adds rows in another order.
EACH: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "peak": lambda x: np.abs(x).max(axis=1), "highest": lambda x: x.max(axis=1), "lowest": lambda x: x.min(axis=1),
    "span": lambda x: x.max(axis=1) - x.min(axis=1), "final": lambda x: x[:, -1],
}  # fmt: skip


def _at(x: np.ndarray, k: Any, weight: float = 1.0) -> np.ndarray:
    out = np.zeros(len(x))
    out[int(k)] = weight
    return out


def _trapezia(t: np.ndarray) -> np.ndarray:
    """The weights of values in their integral."""
    h = np.diff(t)
    return np.asarray(0.5 * (np.append(h, 0.0) + np.append(0.0, h)))


def _integral_slopes(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, float]:
    return _trapezia(t), 0.5 * float(x[-1] + x[-2]) if len(x) > 1 else 0.0


def _mean_slopes(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, float]:
    span = float(t[-1] - t[0])
    if span <= 0:
        return _at(x, -1), 0.0
    weights, last = _integral_slopes(t, x)
    return weights / span, (last - _mean(t, x)) / span


def _rms_slopes(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, float]:
    weights, last = _mean_slopes(t, x * x)
    root = KINDS["rms"](t, x)
    return (weights * x / root, 0.5 * last / root) if root > 0 else (np.zeros(len(x)), 0.0)


_NAMED = re.compile(rf"({'|'.join(KINDS)})\((.+)\)")
# by the values, and by the last of the times
SLOPES: dict[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, float]]] = {
    "peak": lambda t, x: (_at(x, k := np.abs(x).argmax(), float(np.sign(x[k]))), 0.0),
    "highest": lambda t, x: (_at(x, x.argmax()), 0.0),
    "lowest": lambda t, x: (_at(x, x.argmin()), 0.0),
    "span": lambda t, x: (_at(x, x.argmax()) - _at(x, x.argmin()), 0.0),
    "mean": _mean_slopes,
    "rms": _rms_slopes,
    "integral": _integral_slopes,
    "final": lambda t, x: (_at(x, len(x) - 1), 0.0),
}


def _history(t: Any, x: Any) -> tuple[np.ndarray, np.ndarray]:
    values = np.asarray(x, dtype=float).reshape(-1)
    return np.asarray(t, dtype=float).reshape(-1)[: len(values)], values


@dataclass(frozen=True, eq=False)
class Reduction:
    """One number of a channel's or quantity's history; made by `peak`, `span`, `mean` and the like."""

    kind: str
    of: Of

    def __post_init__(self) -> None:
        if not isinstance(self.of, (str, Expr)) or self.of == "":
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
        return KINDS[self.kind](*_history(t, x))

    def each(self, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Of many histories at the same times, a row each."""
        if self.kind in EACH:
            return np.asarray(EACH[self.kind](rows))
        return np.array([KINDS[self.kind](t, x) for x in rows])

    def slopes(self, t: Any, x: Any) -> tuple[np.ndarray, float]:
        """Its derivatives by the values of a history x, and by the last of its times t."""
        return SLOPES[self.kind](*_history(t, x))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reduction) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


def label(of: Of | Reduction) -> str:
    """The name of a channel, quantity or reduction in a study."""
    return of.name if isinstance(of, Reduction) else name_of(of) if isinstance(of, Expr) else of


def reduced(given: Any) -> Any:
    """A text such as "peak(A.fx)" as the reduction that it names; all else as it is."""
    found = _NAMED.fullmatch(given.strip()) if isinstance(given, str) else None
    return Reduction(found[1], found[2].strip()) if found else given


_DOC = """Reduce a history to one number: {what}.

Parameters
----------
of : str or Expr
    A channel, or a quantity.

Returns
-------
Reduction
    For `keep=` of studies, and as the goal or a bound of `optimize`.

Examples
--------
>>> lw.{kind}("A.fx")
{kind}(A.fx)
"""


def _reduction(kind: str, what: str) -> Callable[[Of], Reduction]:
    """Make the public function of one kind of reduction, with its documentation."""

    def reduce(of: Of) -> Reduction:
        return Reduction(kind, of)

    reduce.__name__ = reduce.__qualname__ = kind
    reduce.__doc__ = _DOC.format(kind=kind, what=what)
    return reduce


peak = _reduction("peak", "the largest absolute value")
highest = _reduction("highest", "the largest value")
lowest = _reduction("lowest", "the smallest value")
span = _reduction("span", "the largest value less the smallest")
mean = _reduction("mean", "the mean over time, by trapezia")
rms = _reduction("rms", "the root of the mean square over time, by trapezia")
integral = _reduction("integral", "the integral over time, by trapezia")
final = _reduction("final", "the value at the last output time")
