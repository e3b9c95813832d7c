"""A sheet to draw machines on: places in metres, sizes of symbols in pixels, written as SVG.

The colours are those of the page (see `_static/machine.css`), so that a picture is right on light and dark pages.
"""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

WIDTH, HEIGHT, MARGIN = 560, 330, 34
AZIMUTH, ELEVATION = np.radians(-52), np.radians(24)  # from where a machine in space is seen

Place = Any  # two or three numbers


class Canvas:
    """Collects what is drawn; the scale is found when all is there."""

    def __init__(self) -> None:
        self.marks: list[tuple[str, Any]] = []
        self.corners: list[np.ndarray] = []

    # -- what is drawn ---------------------------------------------------------------------------------------------------
    def line(self, points: Any, style: str, closed: bool = False, fit: bool = True) -> None:
        """A polyline through places."""
        flat = [project(p) for p in points]
        if fit:
            self.corners += flat
        self.marks.append((style, ("polygon" if closed else "polyline", flat)))

    def hull(self, points: Any, style: str) -> None:
        """The outline of a solid with these corners."""
        flat = np.array([project(p) for p in points])
        self.corners += list(flat)
        self.marks.append((style, ("polygon", [flat[k] for k in ConvexHull(flat).vertices])))

    def circle(self, at: Place, radius: float, style: str) -> None:
        """A circle of a radius in metres (a sphere in space)."""
        c = project(at)
        self.corners += [c - radius, c + radius]
        self.marks.append((style, ("circle", c, radius)))

    def dot(self, at: Place, pixels: float, style: str) -> None:
        c = project(at)
        self.corners.append(c)
        self.marks.append((style, ("dot", c, pixels)))

    def symbol(self, at: Place, toward: Place, path: str, style: str) -> None:
        """A path in pixels, put at a place and turned so that its x axis points toward another place."""
        c, d = project(at), project(toward)
        self.corners.append(c)
        self.marks.append((style, ("symbol", c, d - c, path)))

    def between(self, P: Place, Q: Place, zigzags: int, style: str) -> None:
        """A spring from P to Q; with no zigzags an actuator."""
        a, b = project(P), project(Q)
        self.corners += [a, b]
        self.marks.append((style, ("spring", a, b, zigzags)))

    def text(self, at: Place, words: str, style: str = "label", dx: float = 0.0, dy: float = 0.0) -> None:
        self.marks.append((style, ("text", project(at), words, dx, dy)))

    # -- as SVG ------------------------------------------------------------------------------------------------------------
    def svg(self) -> str:
        corners = np.array(self.corners or [np.zeros(2)])
        low, high = corners.min(axis=0), corners.max(axis=0)
        size = np.maximum(high - low, 1e-3 * max(float((high - low).max()), 1e-9))
        scale = min((WIDTH - 2 * MARGIN) / size[0], (HEIGHT - 2 * MARGIN) / size[1])
        height = max(size[1] * scale + 2 * MARGIN, 110)
        middle = (low + high) / 2

        def px(p: np.ndarray) -> np.ndarray:
            return np.array([WIDTH / 2, height / 2]) + (p - middle) * scale * np.array([1.0, -1.0])

        shapes = "".join(_shape(style, mark, px, scale) for style, mark in self.marks)
        return f'<svg class="machine" viewBox="0 0 {WIDTH} {height:.0f}" role="img">{shapes}</svg>'


def project(p: Place) -> np.ndarray:
    """Onto the sheet: x and y in the plane, a view from above and the side in space."""
    p = np.asarray(p, dtype=float)
    if len(p) == 2:
        return p
    right = np.array([-np.sin(AZIMUTH), np.cos(AZIMUTH), 0.0])
    toward = np.array([np.cos(AZIMUTH) * np.cos(ELEVATION), np.sin(AZIMUTH) * np.cos(ELEVATION), np.sin(ELEVATION)])
    return np.array([right @ p, np.cross(toward, right) @ p])


def _shape(style: str, mark: Any, px: Any, scale: float) -> str:
    kind, *data = mark
    if kind in ("polygon", "polyline"):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(px, data[0]))
        return f'<{kind} class="{style}" points="{points}"/>'
    if kind in ("circle", "dot"):
        (x, y), r = px(data[0]), data[1] * (scale if kind == "circle" else 1.0)
        return f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>'
    if kind == "symbol":
        (x, y), d = px(data[0]), data[1]
        angle = -np.degrees(np.arctan2(d[1], d[0]))
        return f'<path class="{style}" d="{data[2]}" transform="translate({x:.1f} {y:.1f}) rotate({angle:.1f})"/>'
    if kind == "spring":
        return f'<polyline class="{style}" points="{_zigzag(px(data[0]), px(data[1]), data[2])}"/>'
    (x, y), words, dx, dy = px(data[0]), *data[1:]
    return f'<text class="{style}" x="{x + dx:.1f}" y="{y + dy:.1f}">{escape(words)}</text>'


def _zigzag(a: np.ndarray, b: np.ndarray, count: int) -> str:
    d = b - a
    length = float(np.hypot(*d)) or 1.0
    along, across = d / length, np.array([-d[1], d[0]]) / length
    ends = 0.18 * length
    points = [a, a + along * ends]
    n = 2 * count
    for k in range(n):
        points.append(a + along * (ends + (k + 0.5) * (length - 2 * ends) / n) + across * (7 if k % 2 else -7))
    points += [b - along * ends, b]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
