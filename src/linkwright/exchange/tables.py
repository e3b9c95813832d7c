"""Tables of numbers from CSV files: measured data, motions, cam profiles, with units in the heads of their columns."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np

from linkwright.arguments import typed
from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model.files import FileError
from linkwright.model.grammar import read_scalar

LARGEST_FILE = 500_000_000  # bytes
_HEAD = re.compile(r"(?P<name>.*?)\s*(?:\[(?P<unit>[^\]]*)\]|\((?P<round>[^()]*)\))?\s*")
_TIME = ("time", "zeit", "t")


@typed
def read_table(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Read a table of numbers from a CSV file, in SI units.

    Columns are parted by commas, semicolons or tabs; with semicolons or tabs a decimal comma is understood. The first line
    has the names, with units in brackets: ``time [ms]; slider.x [mm]``. The column of the time is called t. Lines that
    begin with # are passed over.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    dict
        Arrays by the name of the column, for `lw.fit`, `lw.Table` and the like.

    Raises
    ------
    FileError
        Something is wrong in the file: `.line` is the place.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lift.csv"
    >>> _ = path.write_text("time [ms], lift [mm]\\n0, 0\\n100, 5\\n200, 8\\n")
    >>> data = lw.read_table(path)
    >>> lw.Table(data["t"], data["lift"], kind="linear")(0.15)
    0.0065
    """
    path = Path(path)
    lines = [(k, row) for k, row in enumerate(_text(path).splitlines(), start=1) if row.strip() and not row.startswith("#")]
    if not lines:
        raise _wrong(path, 1, "the table is empty", "is it the right file?")
    mark = max(";\t,", key=lambda c: (lines[0][1].count(c), c != ","))
    heads = [h.strip().strip('"').strip() for h in lines[0][1].split(mark)]
    if all(map(_is_number, heads)):
        raise _wrong(path, lines[0][0], "the table has no names", "begin with a line such as: time [s], slider.x [mm]")
    names, factors = zip(*(_head(path, lines[0][0], h) for h in heads), strict=True)
    for name in names:
        if names.count(name) > 1:
            raise _wrong(path, lines[0][0], f"two columns are called {name!r}", "give each its own name")
    rows = [_row(path, number, row, mark, len(names)) for number, row in lines[1:]]
    values = np.array(rows, dtype=float).reshape(len(rows), len(names)) * np.array(factors)
    return {name: values[:, k].copy() for k, name in enumerate(names)}


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise _wrong(path, 1, f"the file cannot be read: {error.strerror or error}", "check the name") from None
    if len(data) > LARGEST_FILE:
        raise _wrong(path, 1, "the file is larger than 500 MB", "is it a table?")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _wrong(path: Path, line: int, cause: str, remedy: str) -> FileError:
    return FileError(cause, file=str(path), line=line, column=1, remedy=remedy)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _head(path: Path, line: int, text: str) -> tuple[str, float]:
    found = _HEAD.fullmatch(text)
    assert found is not None
    name, unit = found["name"] or text, (found["unit"] or found["round"] or "").strip()
    name = "t" if name.lower() in _TIME else name
    if unit in ("", "-", "1"):
        return name, 1.0
    try:
        factor = read_scalar(f"1 {unit}", {})
    except ModelError as error:
        near = error.remedy.partition("?")[0] + "?" if error.remedy.startswith("did you mean") else ""
        remedy = near or "give m, mm, deg, rpm, N, kN/m, ..."
        raise _wrong(path, line, f"the unit {unit!r} of {name!r} is not known", remedy) from None
    if isinstance(factor, Expr):
        raise _wrong(path, line, f"{unit!r} of {name!r} is no unit", "give m, mm, deg, rpm, N, ...")
    return name, float(factor)


def _row(path: Path, line: int, text: str, mark: str, count: int) -> list[float]:
    words = [w.strip().strip('"') for w in text.split(mark)]
    if len(words) == count + 1 and not words[-1]:  # a mark at the end
        words.pop()
    if len(words) != count:
        raise _wrong(path, line, f"the line has {len(words)} values, not {count}", "check the marks between them")
    out = []
    for word in words:
        try:
            value = float(word.replace(",", ".") if mark != "," else word)
        except ValueError:
            value = np.nan
        if not np.isfinite(value):
            raise _wrong(path, line, f"{word[:40]!r} is no number", "leave out lines without a value")
        out.append(value)
    return out
