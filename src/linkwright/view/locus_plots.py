"""Plots of eigenvalues over a parameter by matplotlib."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from linkwright.results.optional import needed
from linkwright.results.root_locus import RootLocus


def _axes(ax: Any, what: str) -> Any:
    return needed("matplotlib.pyplot", what).subplots()[1] if ax is None else ax


def locus(found: RootLocus, ax: Any = None, **options: Any) -> Any:
    """Eigenvalues in the complex plane, coloured by the parameter."""
    ax = _axes(ax, "plot()")
    colours = np.repeat(found.values[:, None], found.eigenvalues.shape[1], axis=1)
    s = found.eigenvalues
    drawn = ax.scatter(s.real, s.imag, **{"c": colours, "s": 8, **options})
    ax.figure.colorbar(drawn, ax=ax, label=found.name)
    ax.axvline(0.0, color="0.6", linewidth=0.8)
    ax.set_xlabel("Re [1/s]")
    ax.set_ylabel("Im [rad/s]")
    ax.grid(alpha=0.25)
    return ax


def campbell(found: RootLocus, ax: Any = None, orders: Iterable[float] = (1.0,), **options: Any) -> Any:
    """Frequencies over an angular velocity, with its multiples."""
    ax = _axes(ax, "campbell()")
    ax.plot(found.values, found.frequencies, **{"color": "C0", "linewidth": 1.2, **options})
    for order in orders:
        ax.plot(found.values, order * np.abs(found.values) / (2 * np.pi), color="0.5", linestyle="--", linewidth=0.8)
    ax.set_xlabel(f"{found.name} [rad/s]")
    ax.set_ylabel("f [Hz]")
    ax.grid(alpha=0.25)
    return ax
