"""Plots of results by matplotlib. Every function takes `ax=` and returns the axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.arguments import Axes, check_numbers, typed
from linkwright.errors import ModelError
from linkwright.model.channel_units import labelled
from linkwright.model.quantities import short
from linkwright.results import Result
from linkwright.results.optional import needed


def plot(result: Result, *channels: Any, ax: Any = None, **options: Any) -> Any:
    """Channels (names or quantities) over time. Without `ax`: a panel for each unit, one above the other.

    Returns the axes, an array of them if there are several. Options go to matplotlib's `plot`.
    """
    if not channels:
        raise ModelError("there is nothing to plot", remedy='name the channels: result.plot("slider.x")')
    panels: dict[str, list[Any]] = {}
    for channel in channels:
        result[channel]  # a wrong name is refused before anything is drawn
        panels.setdefault("" if ax is not None else result.unit(channel), []).append(channel)
    axes = [ax] if ax is not None else _figure(len(panels))
    for own, chosen in zip(axes, panels.values(), strict=True):
        for channel in chosen:
            own.plot(result.t, result[channel], **{"label": result.label(channel), **options})
        units = {result.unit(c) for c in chosen}
        if len(chosen) == 1:
            own.set_ylabel(labelled(result.label(chosen[0]), result.unit(chosen[0])))
        else:
            own.set_ylabel(f"[{units.pop()}]" if len(units) == 1 and units != {""} and units != {"1"} else "")
            own.legend(frameon=False)
        own.grid(alpha=0.25)
    axes[-1].set_xlabel("t [s]")
    if ax is None:
        axes[0].set_title(result.model)
    return axes[0] if len(axes) == 1 else np.array(axes)


def plot_phase(result: Result, x: Any, y: Any, ax: Any = None, **options: Any) -> Any:
    """One channel over another; a dot marks the start."""
    xs, ys = result[x], result[y]
    own = _figure(1)[0] if ax is None else ax
    (line,) = own.plot(xs, ys, **options)
    own.plot(xs[:1], ys[:1], "o", color=line.get_color(), markersize=4)
    own.set_xlabel(labelled(result.label(x), result.unit(x)))
    own.set_ylabel(labelled(result.label(y), result.unit(y)))
    own.grid(alpha=0.25)
    if ax is None:
        own.set_title(result.model)
    return own


@typed
def work_precision(
    runs: Mapping[str, Iterable[Sequence[float]]],
    ax: Axes = None,
    work: str = "time [s]",
    error: str = "error",
    **options: Any,
) -> Any:
    """Plot work over error of several methods, both axes logarithmic; needs matplotlib.

    Parameters
    ----------
    runs : mapping from str to pairs
        For each method pairs (error, work).
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.
    work, error : str
        The labels of the axes.
    **options
        Options of matplotlib's `loglog`.

    Returns
    -------
    matplotlib axes
        The axes.

    Examples
    --------
    >>> ax = lw.work_precision({"dopri5": [(1e-3, 0.01), (1e-6, 0.05)], "radau": [(1e-3, 0.02), (1e-6, 0.04)]})
    >>> [line.get_label() for line in ax.lines]
    ['dopri5', 'radau']
    """
    if not runs:
        raise ModelError("there is nothing to plot", remedy="give pairs (error, work) for each method")
    own = _figure(1)[0] if ax is None else ax
    for name, pairs in runs.items():
        points = np.array(sorted(map(tuple, pairs)), dtype=float).reshape(-1, 2)
        if not (points > 0).all():
            raise ModelError("errors and work must be positive", element=name, remedy="leave out runs that failed")
        own.loglog(points[:, 0], points[:, 1], **{"marker": "o", "label": name, **options})
    own.set_xlabel(error)
    own.set_ylabel(work)
    own.grid(alpha=0.25, which="both")
    own.legend(frameon=False)
    return own


def _figure(count: int) -> list[Any]:
    pyplot = needed("matplotlib.pyplot", "a plot")
    figure, axes = pyplot.subplots(
        count, 1, sharex=True, squeeze=False, figsize=(7, 1.2 + 2.4 * count), layout="constrained"
    )
    del figure
    return list(axes[:, 0])


def bode(lin: Any, input: str, output: Any, omega: Any = None, ax: Any = None, **options: Any) -> Any:  # noqa: A002
    """Magnitude and phase of a frequency response over the frequency; `ax`: a pair of axes. Options go to matplotlib."""
    if omega is None:
        found = 2 * np.pi * lin.frequencies[lin.frequencies > 0]
        low, high = (found.min(), found.max()) if len(found) else (1.0, 1.0)
        omega = np.geomspace(0.1 * low, 10 * high, 600)
    omega = check_numbers("omega", omega)
    response = lin.frequency_response(input, output, omega)
    above, below = _figure(2) if ax is None else ax
    hertz = omega / (2 * np.pi)
    name = output if isinstance(output, str) else short(output)
    above.loglog(hertz, np.abs(response), **options)
    below.semilogx(hertz, np.degrees(np.unwrap(np.angle(response))), **options)
    above.set_ylabel(f"|{name} / {input}|")
    below.set_ylabel("phase [deg]")
    below.set_xlabel("frequency [Hz]")
    for own in (above, below):
        own.grid(alpha=0.25)
    return np.array([above, below])
