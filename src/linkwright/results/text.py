"""CSV: comment lines with the texts ("# name: JSON"), a line of names, then numbers with all their digits."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

from linkwright.results.netcdf import Content

MARK = "# "


def packages() -> None:
    """None is needed."""


def write(path: Path, t: np.ndarray, columns: dict[str, np.ndarray], units: dict[str, str], texts: dict[str, str]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        for name, text in {**texts, "units": json.dumps(units)}.items():
            file.write(f"{MARK}{name}: {json.dumps(text, ensure_ascii=False)}\n")
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["t", *columns])
        # repr of a float is the shortest text that reads back as the same number
        for row in np.column_stack([t, *columns.values()]).tolist():
            rows.writerow(map(repr, row))


def read(path: Path, wanted: set[str] | None, every: int) -> Content:
    texts: dict[str, str] = {}
    with open(path, encoding="utf-8", newline="") as file:
        for line in file:
            if not line.startswith(MARK):
                break
            name, _, text = line[len(MARK) :].partition(": ")
            texts[name] = json.loads(text)
        else:
            raise ValueError("it has no line of names")
        names = next(csv.reader([line]))
        chosen = [k for k, n in enumerate(names) if n == "t" or wanted is None or n in wanted]
        values = np.loadtxt(file, delimiter=",", usecols=chosen, ndmin=2)[::every]
    columns = {names[k]: values[:, n].copy() for n, k in enumerate(chosen)}
    units = json.loads(texts.pop("units"))
    return columns.pop("t"), columns, {n: units[n] for n in columns}, texts
