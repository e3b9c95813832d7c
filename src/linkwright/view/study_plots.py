"""Plots of studies by matplotlib: lines, contours, families of curves, histograms, shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import ModelError
from linkwright.results.optional import needed
from linkwright.results.reductions import label
from linkwright.results.spread import Spread
from linkwright.results.study import Study

CURVES = 200  # of a family at most


def plot(study: Study, *names: Any, ax: Any = None, **options: Any) -> Any:
    """What was kept, over what was varied. Returns the axes.

    A history: the family of its curves. Single numbers over one parameter: a line each; over two: the first as a contour;
    samples of a Monte Carlo study: a histogram.
    """
    chosen = [label(n) for n in names] or list(study)[:1]
    for name in chosen:
        study[name]  # a wrong name is refused before anything is drawn
    ax = needed("matplotlib.pyplot", "plot()").subplots()[1] if ax is None else ax
    first = study[chosen[0]]
    if first.ndim > len(study.shape):
        return _family(study, chosen[0], ax, options)
    if isinstance(study, Spread):
        return _histogram(study, chosen, ax, options)
    if len(study.axes) == 1 or study.paired:
        return _lines(study, chosen, ax, options)
    if len(study.axes) == 2:
        return _contour(study, chosen[0], ax, options)
    raise ModelError(
        f"a picture over {len(study.axes)} parameters cannot be drawn", remedy="plot to_xarray().sel(...) of two of them"
    )


def tornado(spread: Spread, name: Any, ax: Any = None, **options: Any) -> Any:
    """Whose fault the spread of a number is: its shares of the variance, the largest on top. Returns the axes."""
    shares = sorted(spread.share[name].items(), key=lambda item: item[1])
    ax = needed("matplotlib.pyplot", "tornado()").subplots()[1] if ax is None else ax
    ax.barh([n for n, _ in shares], [100 * s for _, s in shares], **options)
    ax.set_xlabel(f"share of the variance of {label(name)} [%]")
    return ax


def _family(study: Study, name: str, ax: Any, options: dict[str, Any]) -> Any:
    curves = study[name].reshape(-1, study[name].shape[-1])
    step = max(1, -(-len(curves) // CURVES))
    t = study.t if study.t is not None and len(study.t) == curves.shape[-1] else np.arange(curves.shape[-1])
    for curve in curves[::step]:
        ax.plot(t, curve, **{"color": "C0", "alpha": max(0.08, 1 / np.sqrt(len(curves))), **options})
    ax.set_xlabel("t [s]")
    ax.set_ylabel(name)
    return ax


def _lines(study: Study, names: list[str], ax: Any, options: dict[str, Any]) -> Any:
    along = next(iter(study.axes))
    x = study.axes[along]
    order = np.argsort(x, kind="stable")
    for name in names:
        ax.plot(x[order], study[name][order], **{"marker": ".", "label": name, **options})
    ax.set_xlabel(along)
    ax.set_ylabel(names[0] if len(names) == 1 else "")
    if len(names) > 1:
        ax.legend(frameon=False)
    return ax


def _contour(study: Study, name: str, ax: Any, options: dict[str, Any]) -> Any:
    (a, x), (b, y) = study.axes.items()
    values = np.ma.masked_invalid(study[name].T)
    if min(values.shape) < 2:
        raise ModelError(f"a contour needs two values of each of {a}, {b}", element=[a, b], remedy="give more values")
    drawn = ax.contourf(x, y, values, **{"levels": 16, **options})
    ax.figure.colorbar(drawn, ax=ax, label=name)
    ax.set_xlabel(a)
    ax.set_ylabel(b)
    return ax


def _histogram(study: Spread, names: list[str], ax: Any, options: dict[str, Any]) -> Any:
    for name in names:
        x = study[name]
        ax.hist(x[np.isfinite(x)], **{"bins": 40, "alpha": 0.8, "label": name, **options})
    ax.set_xlabel(names[0] if len(names) == 1 else "")
    ax.set_ylabel("samples")
    if len(names) > 1:
        ax.legend(frameon=False)
    return ax
