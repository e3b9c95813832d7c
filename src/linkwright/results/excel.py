"""Excel's files (.xlsx) through openpyxl, for other programs: a sheet of channels with units, a sheet about the run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwright.atomic import ResultFileError, replacing
from linkwright.model.channel_units import labelled
from linkwright.results.optional import needed

MOST_ROWS, MOST_COLUMNS = 1_048_575, 16_384
LONGEST = 32_000  # characters of a cell


def write(path: Path, t: np.ndarray, columns: dict[str, np.ndarray], units: dict[str, str], texts: dict[str, str]) -> None:
    openpyxl = needed("openpyxl", "Excel's format")
    if len(t) > MOST_ROWS or len(columns) >= MOST_COLUMNS:
        raise ResultFileError(
            f"a sheet has not room for {len(t)} rows of {len(columns)} channels",
            element=str(path),
            remedy="choose .nc or .csv",
        )
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("channels")
    sheet.freeze_panes = "B2"
    sheet.append(["t [s]", *(labelled(name, units[name]) for name in columns)])
    for row in np.column_stack([t, *columns.values()]).tolist():
        sheet.append([x if np.isfinite(x) else None for x in row])
    about = book.create_sheet("about")
    for name in ("title", "created", "audit", "model"):
        about.append([name, texts.get(name, "")[:LONGEST]])
    with replacing(path) as temporary:
        book.save(temporary)
