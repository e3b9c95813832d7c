"""Answers of a Monte Carlo study: how what was kept spreads, and which of the varied values is to blame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.arguments import Axes, typed
from linkwright.bounds import is_real, shown
from linkwright.errors import ModelError
from linkwright.model.names import suggestion
from linkwright.results.channels import view
from linkwright.results.reductions import Reduction, label
from linkwright.results.study import Study

DEGREE = 4  # of the polynomials that a share is estimated with
IN_PART, LEAST_PARTS, MOST_PARTS = 50, 20, 128  # samples in a part of a range over which means are taken; how many parts
FEW = 30  # samples below which nothing is said of shares


class ByName(Mapping[str, Any]):
    """Values by the name of what was kept, or by its reduction."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, key: Any) -> Any:
        name = label(key) if isinstance(key, Reduction) or not isinstance(key, str) else key
        if name not in self._values:
            raise ModelError(
                f"the study has none for {name!r}", element=str(name),
                remedy=suggestion(str(name), self._values) or f"there are {', '.join(self._values)}",
            )  # fmt: skip
        return self._values[name]

    def __contains__(self, key: Any) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


class Spread(Study):
    """The answer of a Monte Carlo study: samples, and their statistics; points that failed are left out of these.

    Attributes
    ----------
    mean, std, error : ByName
        Means, standard deviations, and standard errors of the means, by what was kept.
    share : ByName
        First-order shares of the variance, by what was kept and by what was varied.

    Examples
    --------
    >>> m = lw.PlanarModel("rod")
    >>> length = m.parameter("length", 1.0)
    >>> bob = m.body("bob", position=(0.5, 0.0))
    >>> pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bob.at(-length, 0)))
    >>> c = lw.monte_carlo(m, {"length": lw.Uniform(0.9, 1.1)}, "assemble", samples=40, keep=["bob.x"])
    >>> bool(0.9 < c.quantile(0.5)["bob.x"] < 1.1), round(c.fraction(lambda s: s["bob.x"] > 0), 9)
    (True, 1.0)
    """

    def _good(self, name: str) -> np.ndarray:
        values = self._arrays[name]
        return np.asarray(values[np.isfinite(values.reshape(len(values), -1)).all(axis=1)])

    def _each(self, f: Callable[[np.ndarray], Any]) -> ByName:
        return ByName({name: _plain(f(self._good(name))) for name in self})

    @property
    def mean(self) -> ByName:
        """By name; of histories at each time."""
        return self._each(lambda x: x.mean(axis=0) if len(x) else np.full(x.shape[1:], np.nan))

    @property
    def std(self) -> ByName:
        """Standard deviations of the samples (n - 1)."""
        return self._each(lambda x: x.std(axis=0, ddof=1) if len(x) > 1 else np.full(x.shape[1:], np.nan))

    @property
    def error(self) -> ByName:
        """Standard errors of the means: std / sqrt(n), for samples drawn at random."""
        return self._each(lambda x: x.std(axis=0, ddof=1) / np.sqrt(len(x)) if len(x) > 1 else np.full(x.shape[1:], np.nan))

    def quantile(self, p: float) -> ByName:
        """Give the value that a fraction p of the samples does not exceed.

        Parameters
        ----------
        p : float
            From 0 to 1.

        Returns
        -------
        ByName
            By what was kept; of histories at each time.
        """
        _part("p", p)
        return self._each(lambda x: np.quantile(x, p, axis=0) if len(x) else np.full(x.shape[1:], np.nan))

    def interval(self, p: float, confidence: float = 0.95) -> ByName:
        """Give the confidence interval of a quantile, whatever the distribution.

        Its ends are samples: how many of these lie below the quantile has a binomial distribution. An end is infinite where
        the samples are too few to say one: of 100 the largest is below the 0.99 quantile in 37 cases of 100.

        Parameters
        ----------
        p : float
            From 0 to 1.
        confidence : float
            From 0 to 1.

        Returns
        -------
        ByName
            (low, high) by what was kept.
        """
        from scipy.special import bdtr

        _part("p", p)
        _part("confidence", confidence)
        left_out = 0.5 * (1.0 - confidence)

        def limits(x: np.ndarray) -> tuple[Any, Any]:
            if not len(x):
                return np.full(x.shape[1:], np.nan), np.full(x.shape[1:], np.nan)
            below = bdtr(np.arange(len(x) + 1), len(x), p)  # the chance that so many samples, or fewer, are below
            low, high = int(np.searchsorted(below, left_out, "right")), int(np.searchsorted(below, 1.0 - left_out))
            end = np.full((1, *x.shape[1:]), np.inf)
            ordered = np.concatenate([-end, np.sort(x, axis=0), end])
            return ordered[low], ordered[min(high + 1, len(x) + 1)]

        return self._each(limits)

    @cached_property
    def share(self) -> ByName:
        """First-order shares of the variance, by what was kept and by what was varied: Var(E[y | x]) / Var(y), with the
        conditional mean a polynomial in x, or by parts of its range."""
        return ByName({n: self._shares(n) for n in self if self._arrays[n].ndim == 1})

    def _shares(self, name: str) -> ByName:
        y = self._arrays[name]
        good = np.isfinite(y)
        if good.sum() < FEW:
            raise ModelError(f"{good.sum()} samples say nothing of shares", element=name, remedy=f"draw {FEW} or more")
        return ByName({x: _explained(v[good], y[good]) for x, v in self.axes.items()})

    def fraction(self, holds: Callable[[Mapping[str, np.ndarray]], Any]) -> float:
        """Give the fraction of the samples for which a condition holds; those that failed count as not holding.

        Parameters
        ----------
        holds : function
            A condition on single numbers, such as `lambda s: s["peak(A.fx)"] < 90`.

        Returns
        -------
        float
            The fraction, 0 to 1.
        """
        if not callable(holds):
            raise ModelError(
                f"{shown(holds)} is no condition", element="holds",
                remedy='give a function of the samples, such as lambda s: s["peak(A.fx)"] < 90',
            )  # fmt: skip
        try:
            told = np.asarray(holds(self))
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"the condition raised {type(error).__name__}: {error}", element="holds",
                remedy='give a function of the samples, such as lambda s: s["peak(A.fx)"] < 90',
            ) from error  # fmt: skip
        if told.shape != self.shape:
            raise ModelError(
                f"what was given says {told.shape} things of {self.shape[0]} samples", element="fraction",
                remedy='give a condition on single numbers, such as lambda s: s["peak(A.fx)"] < 90',
            )  # fmt: skip
        return float(np.mean(told.astype(bool)))

    @typed
    def tornado(self, name: Any, ax: Axes = None, **options: Any) -> Any:
        """Plot whose fault the spread of a number is: its shares of the variance, the largest on top.

        Parameters
        ----------
        name : str or Reduction
            What was kept.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **options
            Options of matplotlib's `barh`.

        Returns
        -------
        matplotlib axes
            The axes.
        """
        return view("study_plots").tornado(self, name, ax=ax, **options)


def _plain(x: Any) -> Any:
    """A number that is one, not an array of one."""
    if isinstance(x, tuple):
        return tuple(map(_plain, x))
    return float(x) if np.ndim(x) == 0 else x


def _part(name: str, given: Any) -> None:
    if not is_real(given) or not 0 <= given <= 1:
        raise ModelError(f"a part of {shown(given)} cannot be", element=name, remedy="give a number from 0 to 1")


def _explained(x: np.ndarray, y: np.ndarray) -> float:
    """The part of y's variance that x explains: by a polynomial, or by the means in parts of its range where that is more,
    as of what goes up and down many times. Less what either would explain of noise (adjusted R^2)."""
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    z = (x - x.mean()) / x.std()
    V = np.polynomial.hermite_e.hermevander(z, DEGREE)
    fitted = V @ linear.lstsq(V, y - y.mean())[0]
    shares = [_adjusted(y - y.mean() - fitted, y, DEGREE + 1)]
    parts = min(len(y) // IN_PART, MOST_PARTS)
    if parts >= LEAST_PARTS:
        ordered = np.array_split(y[np.argsort(x, kind="stable")], parts)
        shares.append(_adjusted(np.concatenate([part - part.mean() for part in ordered]), y, parts))
    return float(np.clip(max(shares), 0.0, 1.0))


def _adjusted(left: np.ndarray, y: np.ndarray, count: int) -> float:
    """What is explained by so many numbers that were fitted, of which this is left."""
    return float(1 - np.sum(left**2) / (len(y) - count) / y.var(ddof=1))
