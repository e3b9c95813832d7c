"""CSV for other programs: a line of names with units ("crank.x [m]"), numbers with all digits, an empty line at the end.

The empty line says that the file is whole: no part of it ends so. Programs that read tables pass over it. They do not pass
over comments, so where the result comes from stands in a file beside, NAME.csv-metadata.json: the place and form that "Model
for Tabular Data and Metadata on the Web" (W3C) gives to what is said about a CSV. Without it the numbers are still read.
"""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from linkwright.atomic import replacing
from linkwright.model.channel_units import labelled
from linkwright.results.classic import CutError
from linkwright.results.content import Content

MARK = b"# "  # lines that older versions began with: texts, as "# name: JSON"
TIME = "t [s]"
END = b"\n\n"
OURS = "linkwright"  # what is ours among the metadata


def metadata(path: Path) -> Path:
    return path.with_name(f"{path.name}-metadata.json")


def write(path: Path, t: np.ndarray, columns: dict[str, np.ndarray], units: dict[str, str], texts: dict[str, str]) -> None:
    heads = [TIME, *(_head(name, units.get(name, "")) for name in columns)]
    # both are written before either takes its place; a kill between the two leaves the new numbers without their metadata
    with replacing(metadata(path)) as beside, replacing(path) as temporary:
        with open(temporary, "w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(heads)
            # repr of a float is the shortest text that reads back as the same number
            for row in np.column_stack([t, *columns.values()]).tolist():
                rows.writerow(map(repr, row))
            file.write("\n")
        about = {
            "@context": "http://www.w3.org/ns/csvw",
            "url": path.name,
            "dialect": {"skipBlankRows": True},
            "tableSchema": {"columns": [{"titles": head, "datatype": "number"} for head in heads]},
            OURS: {"rows": len(t), "crc32": _sum(temporary), "channels": list(columns), "units": units, "texts": texts},
        }
        beside.write_text(json.dumps(about, ensure_ascii=False, indent=1), encoding="utf-8", newline="\n")


def _head(name: str, unit: str) -> str:
    """A name that ends in a bracket of its own gets one more, so that it is read back as it was."""
    return f"{name} [{unit}]" if name.endswith("]") else labelled(name, unit)


def _named(head: str) -> tuple[str, str]:
    """Channel and unit of a column."""
    found = re.fullmatch(r"(.*) \[([^\[\]]*)\]", head, re.DOTALL)
    return (found[1], found[2]) if found else (head, "")


def _sum(path: Path) -> int:
    total = 0
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            total = crc32(block, total)
    return total


def read(path: Path, wanted: set[str] | None, every: int) -> Content:
    with open(path, "rb") as file:
        if file.read(len(MARK)) == MARK:
            return _read_older(path, wanted, every)
    about, why_not = _about(path)
    data = path.read_bytes().replace(b"\r\n", b"\n")
    first, _, rest = data.partition(b"\n")
    heads = next(csv.reader([first.decode()]), [])
    if not TIME.startswith(first[: len(TIME)].decode()):
        raise ValueError(f"its first column is not {TIME}")
    if not data.endswith(END):
        raise CutError(f"it is cut: it has {rest.count(END[:1])} whole rows, and not the empty line that ends a file")
    named = [_named(head) for head in heads]
    names = ["t", *(about["channels"] if about else [name for name, _ in named[1:]])]
    units = about["units"] if about else dict(named[1:])
    if len(names) != len(heads):
        raise ValueError("its metadata are of another table")
    t, values = _numbers(io.StringIO(rest.decode()), names, wanted, every)
    texts = about["texts"] if about else _unknown(path, why_not)
    return t, values, {n: units[n] for n in values}, texts


def _about(path: Path) -> tuple[dict[str, Any], str]:
    """What the metadata say, or why they say nothing."""
    beside = metadata(path)
    try:
        found: dict[str, Any] = json.loads(beside.read_text(encoding="utf-8"))[OURS]
    except FileNotFoundError:
        return {}, f"{beside.name} is not beside it"
    except (OSError, ValueError, KeyError, TypeError):
        return {}, f"{beside.name} cannot be read"
    return (
        (found, "")
        if found.get("crc32") == _sum(path)
        else ({}, f"{beside.name} is of another result, or this file was changed")
    )


def _unknown(path: Path, why: str) -> dict[str, str]:
    """Texts for a file of which only the numbers are left."""
    audit = {"notes": [f"only numbers and units were read: {why}"]}
    return {"format": "1", "title": path.stem, "audit": json.dumps(audit)}


def _numbers(
    file: io.TextIOBase, names: list[str], wanted: set[str] | None, every: int
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    chosen = [k for k, n in enumerate(names) if k == 0 or wanted is None or n in wanted]
    lines = [line for line in file if not line.isspace()]
    odd = next((k for k, line in enumerate(lines) if line.count(",") != len(names) - 1), None)
    if odd is not None:  # numpy would take the first values of a longer row, whichever they are
        raise ValueError(f"row {odd + 1} has {lines[odd].count(',') + 1} values, not the {len(names)} of the line of names")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a file without a row
        values = np.loadtxt(lines, delimiter=",", usecols=chosen, ndmin=2).reshape(-1, len(chosen))[::every]
    columns = {names[k]: values[:, n].copy() for n, k in enumerate(chosen)}
    return columns.pop("t"), columns


def _read_older(path: Path, wanted: set[str] | None, every: int) -> Content:
    """A file of which nothing says how many rows it had."""
    texts: dict[str, str] = {}
    with open(path, encoding="utf-8", newline="") as file:
        for line in file:
            if not line.startswith(MARK.decode()):
                break
            name, _, text = line[len(MARK) :].partition(": ")
            texts[name] = json.loads(text)
        else:
            raise CutError("it is cut: it has no line of names")
        names = next(csv.reader([line]))
        t, columns = _numbers(file, names, wanted, every)
    with open(path, "rb") as data:
        data.seek(-1, 2)
        if data.read() != b"\n":
            raise CutError("it is cut: its last line has no end")
    audit = json.loads(texts["audit"])
    audit["notes"] = [*audit["notes"], "an older version wrote the file: whether its last rows are missing cannot be seen"]
    units = json.loads(texts.pop("units"))
    return t, columns, {n: units[n] for n in columns}, texts | {"audit": json.dumps(audit)}
