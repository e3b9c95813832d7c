"""A report: one HTML file with the machine in words, its check, how the run went, plots and the animation."""

from __future__ import annotations

import html
import io
import os
from collections.abc import Sequence
from string import Template
from typing import Any

from linkwright.model import Model
from linkwright.results import Result
from linkwright.results.atomic import write_text
from linkwright.results.optional import needed
from linkwright.view.animation import animate, asset, first_channels
from linkwright.view.plots import plot


def report(
    result: Result,
    path: str | os.PathLike[str],
    *,
    model: Model | None = None,
    check: Any = None,
    channels: Sequence[str] | None = None,
) -> None:
    """Write the report of a result. `check`: a check report (or its text); `channels`: what to plot."""
    if model is not None:
        result.describe(model)
    animation = animate(result, check=check, channels=channels, autoplay=False)
    about = result.provenance
    chosen = list(channels) if channels is not None else first_channels(result, result.drawing or {})
    options = "\n".join(f"{name} = {value}" for name, value in about.options.items())
    sections = {
        "Check": about.check,
        "Run": "\n".join(filter(None, [str(result.audit), options])),
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
        plots="".join(picture(result, channel) for channel in chosen),
        texts=texts,
    )
    write_text(path, page)


def picture(result: Result, channel: str) -> str:
    """A plot as SVG inside the page."""
    figure_module = needed("matplotlib.figure", "a report")
    figure = figure_module.Figure(figsize=(7, 2.8), layout="constrained")
    plot(result, channel, ax=figure.add_subplot())
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
    text = out.getvalue()
    return f'<figure role="img" aria-label="{html.escape(channel)} over time">{text[text.index("<svg") :]}</figure>'
