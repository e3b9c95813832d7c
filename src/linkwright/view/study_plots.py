"""Plots of studies by matplotlib: lines, contours, parallel coordinates, families of curves, histograms, shares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from linkwright.errors import ModelError
from linkwright.model.channel_units import labelled
from linkwright.results.optional import needed
from linkwright.results.reductions import label
from linkwright.results.root_locus import RootLocus
from linkwright.results.spread import Spread
from linkwright.results.study import Study

CURVES = 200  # of a family at most
MOST_LINES = 2000  # of parallel coordinates
MOST_BINS = 60  # of a histogram


def plot(study: Study, *names: Any, ax: Any = None, **options: Any) -> Any:
    """What was kept, over what was varied. Returns the axes.

    A history: the family of its curves. Single numbers over one parameter: a line each; over two: the first as a contour;
    over more, and of searches: parallel coordinates; samples of a Monte Carlo study: a histogram.
    """
    chosen = [label(n) for n in names] or list(study)[:1]
    for name in chosen:
        study[name]  # a wrong name is refused before anything is drawn
    ax = _axes(ax, "plot()")
    first = study[chosen[0]]
    if first.ndim > len(study.shape):
        return _family(study, chosen[0], ax, options)
    if isinstance(study, Spread):
        return _histogram(study, chosen, ax, options)
    if len(study.axes) == 1:
        return _lines(study, chosen, ax, options)
    if len(study.axes) == 2 and not study.paired:
        return _contour(study, chosen[0], ax, options)
    return parallel(study, *chosen, ax=ax, **options)


def parallel(study: Study, *names: Any, ax: Any = None, **options: Any) -> Any:
    """A line for each point, through its values of all that was varied and of what was kept, each axis from its least to its
    largest; coloured by the first of what was kept. Points that failed are left out. Returns the axes."""
    chosen = [label(n) for n in names] or [n for n in study if study[n].ndim == len(study.shape)]
    if not chosen or any(study[n].ndim > len(study.shape) for n in chosen):
        raise ModelError("histories have no place in it", element=chosen or "keep", remedy="keep a reduction: lw.peak(...)")
    ax = _axes(ax, "parallel()")
    cm = needed("matplotlib.cm", "parallel()")
    columns = {n: np.ravel(study[n]).astype(float) for n in [*study.axes, *chosen]}
    good = np.isfinite(np.array(list(columns.values()))).all(axis=0)
    color = columns[chosen[0]][good]
    low, high = (float(color.min()), float(color.max())) if len(color) else (0.0, 1.0)
    shades = cm.ScalarMappable(cmap=options.pop("cmap", "viridis"))
    shades.set_clim(low, high if high > low else low + 1.0)
    heights = np.array([_within(x[good]) for x in columns.values()])
    style = {"linewidth": 1.0, "alpha": float(np.clip(8 / np.sqrt(max(len(color), 1)), 0.15, 0.9)), **options}
    for k in np.argsort(-color, kind="stable")[:: max(1, len(color) // MOST_LINES)]:  # small values are drawn last, on top
        ax.plot(range(len(columns)), heights[:, k], color=shades.to_rgba(color[k]), **style)
    for k, x in enumerate(columns.values()):
        ax.axvline(k, color="0.6", linewidth=0.8, zorder=0)
        if good.any():
            ax.text(k, 1.03, f"{x[good].max():.4g}", ha="center", va="bottom", fontsize="small")
            ax.text(k, -0.03, f"{x[good].min():.4g}", ha="center", va="top", fontsize="small")
    ax.set_xticks(range(len(columns)), list(columns))
    ax.tick_params(axis="x", length=0, pad=16)
    ax.set_yticks([])
    ax.set_ylim(-0.02, 1.02)
    for side in ("top", "bottom", "left", "right"):
        ax.spines[side].set_visible(False)
    ax.figure.colorbar(shades, ax=ax, label=_labelled(study, chosen[0]))
    return ax


def _labelled(study: Study, name: str) -> str:
    return labelled(name, study.unit(name))


def _within(x: np.ndarray) -> np.ndarray:
    """From 0 to 1; what does not vary in the middle."""
    width = np.ptp(x) if len(x) else 0.0
    return (x - x.min()) / width if width > 0 else np.full(len(x), 0.5)


def tornado(spread: Spread, name: Any, ax: Any = None, **options: Any) -> Any:
    """Whose fault the spread of a number is: its shares of the variance, the largest on top. Returns the axes."""
    shares = sorted(spread.share[name].items(), key=lambda item: item[1])
    ax = _axes(ax, "tornado()")
    bars = ax.barh([n for n, _ in shares], [100 * s for _, s in shares], **options)
    ax.bar_label(bars, fmt="%.0f %%", padding=3)
    ax.margins(x=0.12)
    ax.set_xlabel(f"share of the variance of {label(name)} [%]")
    return ax


def _family(study: Study, name: str, ax: Any, options: dict[str, Any]) -> Any:
    curves = study[name].reshape(-1, study[name].shape[-1])
    step = max(1, -(-len(curves) // CURVES))
    t = study.t if study.t is not None and len(study.t) == curves.shape[-1] else np.arange(curves.shape[-1])
    for curve in curves[::step]:
        ax.plot(t, curve, **{"color": "C0", "alpha": max(0.08, 1 / np.sqrt(len(curves))), **options})
    ax.set_xlabel("t [s]")
    ax.set_ylabel(_labelled(study, name))
    return ax


def _lines(study: Study, names: list[str], ax: Any, options: dict[str, Any]) -> Any:
    along = next(iter(study.axes))
    x = study.axes[along]
    order = np.argsort(x, kind="stable")
    for name in names:
        ax.plot(x[order], study[name][order], **{"marker": ".", "label": _labelled(study, name), **options})
    ax.set_xlabel(_labelled(study, along))
    ax.set_ylabel(_labelled(study, names[0]) if len(names) == 1 else "")
    if len(names) > 1:
        ax.legend(frameon=False)
    return ax


def _contour(study: Study, name: str, ax: Any, options: dict[str, Any]) -> Any:
    (a, x), (b, y) = study.axes.items()
    values = np.ma.masked_invalid(study[name].T)
    if min(values.shape) < 2:
        raise ModelError(f"a contour needs two values of each of {a}, {b}", element=[a, b], remedy="give more values")
    drawn = ax.contourf(x, y, values, **{"levels": 16, **options})
    ax.figure.colorbar(drawn, ax=ax, label=_labelled(study, name))
    ax.set_xlabel(_labelled(study, a))
    ax.set_ylabel(_labelled(study, b))
    return ax


def _histogram(study: Spread, names: list[str], ax: Any, options: dict[str, Any]) -> Any:
    for name in names:
        x = study[name][np.isfinite(study[name])]
        bins = int(np.clip(2 * np.cbrt(len(x)), 5, MOST_BINS))  # Rice's rule
        ax.hist(x, **{"bins": bins, "alpha": 0.8, "label": _labelled(study, name), **options})
    ax.set_xlabel(_labelled(study, names[0]) if len(names) == 1 else "")
    ax.set_ylabel("samples")
    ax.yaxis.get_major_locator().set_params(integer=True)
    if len(names) > 1:
        ax.legend(frameon=False)
    return ax


# Plots of eigenvalues over a parameter by matplotlib.


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
