"""A report: one HTML file with the animation, plots, the check, how the run went, and the machine in words."""

from __future__ import annotations

import html
import io
import os
from collections.abc import Callable, Sequence
from functools import partial
from string import Template
from typing import Any

from linkwright.arguments import typed
from linkwright.atomic import write_text
from linkwright.model import Model
from linkwright.results import Result
from linkwright.results.optional import needed
from linkwright.view.animation import Followed, animate, asset, first_channels
from linkwright.view.plots import plot


@typed
def report(
    result: Result,
    path: str | os.PathLike[str],
    *,
    model: Model | None = None,
    check: Any = None,
    channels: Sequence[str] | None = None,
    trace: Followed = (),
) -> None:
    """Write the report of a result: one HTML file with animation, plots, audit and the machine in words.

    Parameters
    ----------
    result : Result
        The result.
    path : path
        Where to write.
    model : Model, optional
        The machine, where the result does not carry its drawing.
    check : Report or str, optional
        A check report to show, or its text.
    channels : sequence of str, optional
        What to plot; by default a choice.
    trace : sequence of Point, or mapping of names
        Points to follow in the animation.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.html"
    >>> m = lw.PlanarModel("m")
    >>> bob = m.body("bob", mass=1.0, inertia=1.0, velocity=(1, 0))
    >>> lw.report(lw.dynamics(m, t_end=1.0, steps=4), path)
    >>> path.exists()
    True
    """
    if model is not None:
        result.describe(model)
    drawing = result.drawing or {}
    animation = animate(result, check=check, channels=channels, trace=trace, autoplay=False)
    chosen = list(channels) if channels is not None else first_channels(result, drawing)
    about = result.provenance
    sections = {
        "Check": about.check,
        "Audit": str(result.audit),
        "Events": "\n".join(map(_event, result.events)),
        "Options": "\n".join(f"{name} = {value}" for name, value in about.options.items()),
        "Machine": about.model,
        "Versions": "\n".join(f"{name} {number}" for name, number in about.versions.items()),
    }
    texts = "".join(
        f"<section><h2>{name}</h2><pre>{html.escape(text)}</pre></section>" for name, text in sections.items() if text
    )
    page = Template(asset("report.html")).substitute(
        title=html.escape(result.model),
        subtitle=html.escape(f"{result.audit.analysis}, {len(result.t)} points, {about.created}"),
        animation=html.escape(animation.text),
        plots="".join(pictures(result, [*chosen, *(e for e in efforts(result, drawing) if e not in chosen)])),
        texts=texts,
    )
    write_text(path, page)


def efforts(result: Result, drawing: dict[str, Any]) -> list[str]:
    """The forces and torques of drivers, where they are known."""
    drivers = [e["name"] for e in drawing.get("elements", ()) if e["role"] == "driver"]
    return [c for name in drivers for c in (f"{name}.force", f"{name}.torque") if c in result]


def pictures(result: Result, channels: Sequence[str]) -> list[str]:
    """Plots as SVG: a channel each, and the energies of a simulation."""
    out = [picture(f"{channel} over time", partial(_channel, result, channel)) for channel in channels]
    if getattr(result, "energy", None) is not None:
        out.append(picture("energy over time", partial(_energies, result)))
    return out


def _channel(result: Result, channel: str, ax: Any) -> None:
    plot(result, channel, ax=ax)


def _energies(result: Any, ax: Any) -> None:
    for name in ("kinetic", "potential", "work"):
        ax.plot(result.t, getattr(result.energy, name), label=name)
    ax.set(xlabel="t [s]", ylabel="energy [J]")
    ax.legend(frameon=False)
    ax.grid(alpha=0.25)


def picture(label: str, draw: Callable[[Any], object]) -> str:
    """What `draw` puts on an axes, inside the page."""
    figure_module = needed("matplotlib.figure", "a report")
    figure = figure_module.Figure(figsize=(7, 2.8), layout="constrained")
    draw(figure.add_subplot())
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
    text = out.getvalue()
    return f'<figure role="img" aria-label="{html.escape(label)}">{text[text.index("<svg") :]}</figure>'


def _event(event: Any) -> str:
    time, name = (event["time"], event["name"]) if isinstance(event, dict) else event
    return f"t = {time:.9g}  {name}"
