"""Small diagrams as SVG that follow the colours of the page: channels over time, a panel each; curves over a parameter."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

WIDTH, HEIGHT, LEFT, RIGHT, GAP = 560, 96, 84, 12, 14


def svg(result: Any, channels: list[Any]) -> str:
    t = np.asarray(result.t)
    parts = []
    for row, channel in enumerate(channels):
        parts.append(_panel(t, np.asarray(result[channel]), result.label(channel), row * (HEIGHT + GAP) + 6))
    bottom = len(channels) * (HEIGHT + GAP) + 6
    for x, anchor in ((t[0], "start"), (t[-1], "end")):
        place = LEFT if anchor == "start" else WIDTH - RIGHT
        parts.append(f'<text x="{place}" y="{bottom + 6}" text-anchor="{anchor}">{x:g}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:g}" y="{bottom + 6}" text-anchor="middle">t</text>')
    return f'<svg class="diagram" viewBox="0 0 {WIDTH} {bottom + 14}" role="img">{"".join(parts)}</svg>'


def curves(x: tuple[str, Any], series: list[tuple[str, Any]]) -> str:
    """Series over x in one panel, each with its name at its last point; what is not a number is left out."""
    name, X = x[0], np.asarray(x[1], dtype=float)
    values = [(label, np.asarray(y, dtype=float)) for label, y in series]
    low, high = (f([f(y[np.isfinite(y)]) for _, y in values]) for f in (min, max))
    top, height, right = 8, 2 * HEIGHT, WIDTH - RIGHT - 90
    parts = [f'<rect class="frame" x="{LEFT}" y="{top}" width="{right - LEFT}" height="{height}"/>']
    if low < 0 < high:
        zero = top + high / (high - low) * height
        parts.append(f'<line class="thin" x1="{LEFT}" x2="{right}" y1="{zero:.1f}" y2="{zero:.1f}"/>')
    for label, y in values:
        known = np.isfinite(y)
        a = LEFT + (X[known] - X[0]) / (X[-1] - X[0]) * (right - LEFT)
        b = top + (high - y[known]) / (high - low) * height
        line = " ".join(f"{u:.1f},{v:.1f}" for u, v in zip(a, b, strict=True))
        parts.append(f'<polyline class="curve" points="{line}"/>')
        parts += [f'<circle class="curve" cx="{u:.1f}" cy="{v:.1f}" r="2"/>' for u, v in zip(a, b, strict=True)]
        parts.append(f'<text x="{a[-1] + 6:.1f}" y="{b[-1] + 4:.1f}">{escape(label)}</text>')
    bottom = top + height
    for value, y in ((high, top + 10), (low, bottom)):
        parts.append(f'<text x="{LEFT - 6}" y="{y}" text-anchor="end">{value:.4g}</text>')
    for text, place, anchor in (
        (f"{X[0]:g}", LEFT, "start"),
        (f"{X[-1]:g}", right, "end"),
        (name, (LEFT + right) / 2, "middle"),
    ):
        parts.append(f'<text x="{place:g}" y="{bottom + 16}" text-anchor="{anchor}">{escape(text)}</text>')
    return f'<svg class="diagram" viewBox="0 0 {WIDTH} {bottom + 24}" role="img">{"".join(parts)}</svg>'


def _panel(t: np.ndarray, y: np.ndarray, name: str, top: float) -> str:
    low, high = float(y.min()), float(y.max())
    if high - low < 1e-12 * max(abs(high), 1.0):
        low, high = low - 1.0, high + 1.0
    X = LEFT + (t - t[0]) / (t[-1] - t[0]) * (WIDTH - LEFT - RIGHT)
    Y = top + (high - y) / (high - low) * HEIGHT
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(X, Y, strict=True))
    zero = top + high / (high - low) * HEIGHT
    axis = f'<line class="thin" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{zero:.1f}" y2="{zero:.1f}"/>' if low < 0 < high else ""
    return (
        f'<rect class="frame" x="{LEFT}" y="{top}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT}"/>{axis}'
        f'<polyline class="curve" points="{line}"/>'
        f'<text x="{LEFT + 6}" y="{top + 15}" class="name">{escape(name)}</text>'
        f'<text x="{LEFT - 6}" y="{top + 10}" text-anchor="end">{high:.4g}</text>'
        f'<text x="{LEFT - 6}" y="{top + HEIGHT}" text-anchor="end">{low:.4g}</text>'
    )
