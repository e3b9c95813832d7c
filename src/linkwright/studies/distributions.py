"""How a value spreads: distributions of what Monte Carlo draws, each given by its quantiles."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import qmc

from linkwright import linear
from linkwright.arguments import check_number
from linkwright.bounds import shown
from linkwright.calls import Answering
from linkwright.errors import ModelError


class Distribution(metaclass=Answering):
    """How a value spreads."""

    def quantile(self, u: np.ndarray) -> np.ndarray:
        """Give quantiles: the inverse of the distribution function.

        Parameters
        ----------
        u : numpy.ndarray
            From 0 to 1.

        Returns
        -------
        numpy.ndarray
            The values.
        """
        return self._at(u)

    @abstractmethod
    def _at(self, u: np.ndarray) -> np.ndarray:
        """The values of these quantiles."""


@dataclass(frozen=True)
class Normal(Distribution):
    """A normal distribution.

    Parameters
    ----------
    mean, std : float
        Mean and standard deviation.

    Examples
    --------
    >>> import linkwright as lw
    >>> lw.Normal(0.2, 1e-3).std
    0.001
    """

    mean: float
    std: float

    def __post_init__(self) -> None:
        _numbers(self, positive="std")

    def _at(self, u: np.ndarray) -> np.ndarray:
        return self.mean + self.std * ndtri(u)


@dataclass(frozen=True)
class Uniform(Distribution):
    """A uniform distribution between two limits.

    Parameters
    ----------
    low, high : float
        The limits.

    Examples
    --------
    >>> import linkwright as lw
    >>> lw.Uniform(0.49, 0.51).high
    0.51
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        _numbers(self)
        _ordered("Uniform", self.low, self.high)

    def _at(self, u: np.ndarray) -> np.ndarray:
        return self.low + (self.high - self.low) * u


@dataclass(frozen=True)
class Triangular(Distribution):
    """A triangular distribution.

    Parameters
    ----------
    low, mode, high : float
        The limits, and the likeliest value between them.

    Examples
    --------
    >>> import linkwright as lw
    >>> lw.Triangular(1.0, 2.0, 4.0).mode
    2.0
    """

    low: float
    mode: float
    high: float

    def __post_init__(self) -> None:
        _numbers(self)
        _ordered("Triangular", self.low, self.mode, self.high)

    def _at(self, u: np.ndarray) -> np.ndarray:
        width = self.high - self.low
        if width == 0:
            return np.full(np.shape(u), self.low)
        left, right = self.mode - self.low, self.high - self.mode  # a parabola on either side of the mode
        below = self.low + np.sqrt(u * width * left)
        return np.where(u * width < left, below, self.high - np.sqrt((1 - u) * width * right))


LARGEST_SEED = 2**63 - 1


def _numbers(d: Any, positive: str = "") -> None:
    for name, value in vars(d).items():
        number = check_number(f"{type(d).__name__}.{name}", value)
        if name == positive and number < 0:
            raise ModelError(f"a spread of {number:g} is negative", element=type(d).__name__, remedy=f"give {name} >= 0")
        object.__setattr__(d, name, number)


def _ordered(kind: str, *limits: float) -> None:
    if list(limits) != sorted(limits):
        raise ModelError(f"its limits are not in order: {limits}", element=kind, remedy="give the lower one first")


def draw(
    spread: Mapping[str, Distribution], samples: int, seed: int, *, sobol: bool = False,
    correlation: Mapping[tuple[str, str], float] | None = None,
) -> np.ndarray:  # fmt: skip
    """A row for each sample, a column for each name; the same for the same seed. `correlation`: of the normal scores, by
    pairs of names (a Gaussian copula)."""
    n = len(spread)
    if sobol:
        power = int(np.ceil(np.log2(max(samples, 1))))
        u = qmc.Sobol(n, seed=seed).random_base2(power)[:samples]
    else:
        u = np.random.default_rng(seed).random((samples, n))
    u = np.clip(u, 1e-16, 1 - 1e-16)  # at its ends a normal value would be infinite
    if correlation:
        u = ndtr(ndtri(u) @ _factor(list(spread), correlation))
    return np.stack([d.quantile(u[:, k]) for k, d in enumerate(spread.values())], axis=1)


def _factor(names: Sequence[str], correlation: Mapping[tuple[str, str], float]) -> np.ndarray:
    """Cholesky's factor U of the matrix of correlations, C = U^T U."""
    C = np.eye(len(names))
    for pair, value in correlation.items():
        if not isinstance(pair, tuple) or len(set(pair)) != 2 or any(name not in names for name in pair):
            raise ModelError(
                f"{shown(pair)} are not two names that vary", element="correlation", remedy='give pairs: {("r", "l"): 0.8}'
            )
        i, j = (names.index(name) for name in pair)
        number = check_number("correlation", value)
        if correlation.get(pair[::-1], value) != value:
            raise ModelError(
                f"of {pair[0]} and {pair[1]} two are given", element="correlation", remedy="give each pair of names once"
            )
        C[i, j] = C[j, i] = number
    if linear.eigvalsh(C)[0] < 1e-12:
        raise ModelError(
            "no quantities can be correlated like that", element="correlation", remedy="the matrix must be positive definite"
        )
    return np.asarray(linear.cholesky(C))
