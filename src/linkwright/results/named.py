"""Arrays whose rows and columns have names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

MOST = 400  # entries that are shown with names


class Named(np.ndarray):
    """An array with `.rows` and `.columns`; what is computed from it is a plain array.

    `x["A.x"]` is the row of that name, `x["A.x", "crank.x"]` an entry.
    """

    rows: list[str]
    columns: list[str]

    def __new__(cls, values: Any, rows: Sequence[str], columns: Sequence[str] = ()) -> Named:
        out = np.array(values, dtype=float).view(cls)
        out.rows, out.columns = list(rows), list(columns)
        return out

    def __array_finalize__(self, source: Any) -> None:
        self.rows, self.columns = [], []

    def __array_wrap__(self, result: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(result)
        return plain[()] if return_scalar else plain

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            key = self.rows.index(key)
        elif isinstance(key, tuple) and any(isinstance(k, str) for k in key):
            names = (self.rows, self.columns)
            key = tuple(names[n].index(k) if isinstance(k, str) else k for n, k in enumerate(key))
        return np.asarray(self)[key]

    def __repr__(self) -> str:
        """With the names, where they fit a page."""
        fits = self.rows and self.size <= MOST and self.shape[0] == len(self.rows)
        return self.table() if fits else np.asarray(self).__repr__()

    def table(self, digits: int = 4) -> str:
        """As text, with the names."""
        values = np.asarray(self).reshape(len(self.rows), -1) + 0.0  # no minus before zero
        heads = self.columns or [""] * values.shape[1]
        cells = [["", *heads], *[[r, *[f"{x:.{digits}g}" for x in row]] for r, row in zip(self.rows, values, strict=True)]]
        widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
        return "\n".join("  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells)
