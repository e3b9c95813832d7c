"""Pictures made of characters: a canvas of fine dots, curves over time, and the sketch of a planar machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

# The dots of a Braille character, by row and column, as bits.
_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_ROUGH = " .':"  # for terminals without Unicode: no dot, lower half, upper half, both


class Canvas:
    """Columns x rows of characters, each 2 x 4 dots; the window x0..x1, y0..y1 is stretched over it."""

    def __init__(self, columns: int, rows: int, window: tuple[float, float, float, float]) -> None:
        self.columns, self.rows, self.window = columns, rows, window
        self.cells = [[0] * columns for _ in range(rows)]

    def place(self, x: float, y: float) -> tuple[int, int]:
        x0, x1, y0, y1 = self.window
        column = (x - x0) / ((x1 - x0) or 1.0) * (2 * self.columns - 1)
        row = (y1 - y) / ((y1 - y0) or 1.0) * (4 * self.rows - 1)
        return round(column), round(row)

    def dot(self, column: int, row: int) -> None:
        if 0 <= column < 2 * self.columns and 0 <= row < 4 * self.rows:
            self.cells[row // 4][column // 2] |= _BITS[row % 4][column % 2]

    def line(self, xs: Sequence[float], ys: Sequence[float]) -> None:
        """A polygon through points; one point is a dot."""
        places = [self.place(float(x), float(y)) for x, y in zip(xs, ys, strict=True)]
        for (c, r), (d, s) in zip(places, places[1:] or places, strict=False):
            steps = max(abs(d - c), abs(s - r), 1)
            for k in range(steps + 1):
                self.dot(c + round(k * (d - c) / steps), r + round(k * (s - r) / steps))

    def lines(self) -> list[str]:
        if _is_fine():
            return ["".join(chr(0x2800 + cell) if cell else " " for cell in row) for row in self.cells]
        return ["".join(_ROUGH[bool(c & 0xE4) + 2 * bool(c & 0x1B)] for c in row) for row in self.cells]


def _is_fine() -> bool:
    return (getattr(sys.stdout, "encoding", "") or "").lower().replace("-", "") in ("utf8", "utf16", "utf32")


def plot(t: Any, values: Any, label: str, columns: int = 64, rows: int = 10) -> str:
    """A curve over time, with its ends written beside it."""
    low, high = float(min(values)), float(max(values))
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        low, high = low - 0.5 * (abs(low) or 1), high + 0.5 * (abs(high) or 1)
    canvas = Canvas(columns, rows, (float(t[0]), float(t[-1]), low, high))
    canvas.line(t, values)
    rows_of = canvas.lines()
    names = [f"{high:.4g}", *[""] * (rows - 2), f"{low:.4g}"]
    width = max(map(len, names))
    body = [f"{name:>{width}} |{row.rstrip()}" for name, row in zip(names, rows_of, strict=True)]
    foot = f"{float(t[0]):.4g}"
    axis = f"{'':>{width}}  {foot}{f't = {float(t[-1]):.4g} s':>{columns - len(foot)}}"
    return "\n".join([f"{'':>{width}}  {label}", *body, axis])


class Sketch:
    """A planar machine drawn from the points of its joints, over the times of a result."""

    def __init__(self, model: Any, result: Any, follow: Sequence[Any] = ()) -> None:
        import numpy as np

        from linkwright.model import Point

        points: dict[str, list[Any]] = {}
        for element in model.elements.values():
            for P in vars(element).values():
                if isinstance(P, Point):
                    points.setdefault(P.body.name, []).append(P)
        for P in follow:
            points.setdefault(P.body.name, []).append(P)
        self.bodies: list[Any] = []
        self.pins: list[Any] = []
        for name, on in points.items():
            s = np.array(sorted({tuple(round(model.value(x), 9) for x in P.s) for P in on})).T
            if name == "ground":
                self.pins.append(s)
                continue
            angle, x, y = (result[f"{name}.{c}"] for c in ("angle", "x", "y"))
            X = x + np.outer(s[0], np.cos(angle)) - np.outer(s[1], np.sin(angle))
            Y = y + np.outer(s[0], np.sin(angle)) + np.outer(s[1], np.cos(angle))
            close = [*range(s.shape[1]), 0]
            self.bodies.append((X[close], Y[close]))
        paths = [self.path(P, result, model) for P in follow]
        self.paths = paths
        every = [np.concatenate([b[k].ravel() for b in self.bodies]) for k in (0, 1)]
        self.limits = tuple(float(f(v)) for v in every for f in (np.min, np.max))

    @staticmethod
    def path(P: Any, result: Any, model: Any) -> Any:
        import numpy as np

        a, b = (model.value(x) for x in P.s)
        angle = result[f"{P.body.name}.angle"]
        c, s = np.cos(angle), np.sin(angle)
        return result[f"{P.body.name}.x"] + a * c - b * s, result[f"{P.body.name}.y"] + a * s + b * c

    def at(self, k: int, columns: int = 72, rows: int = 20) -> list[str]:
        """The machine at the k-th time, with the paths of the points that are followed."""
        x0, x1, y0, y1 = self.limits
        # a character is about twice as high as it is wide: dots are square
        size = max((x1 - x0) / (2 * columns), (y1 - y0) / (4 * rows)) * 1.02
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        canvas = Canvas(columns, rows, (x - columns * size, x + columns * size, y - 2 * rows * size, y + 2 * rows * size))
        for X, Y in self.bodies:
            canvas.line(X[:, k], Y[:, k])
        for X, Y in self.paths:
            for j in range(0, len(X), 3):
                canvas.line(X[j : j + 1], Y[j : j + 1])
        return canvas.lines()
