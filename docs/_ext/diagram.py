"""A small diagram of channels over time, one panel each, as SVG that follows the colours of the page."""

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
