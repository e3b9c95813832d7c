"""NetCDF: a variable a channel over the dimension t, texts as attributes of the file.

Other programs (xarray, ncdump, Matlab) show them as they are. NetCDF allows less in names than we do, so each variable also
carries the exact name of its channel, as the attribute long_name.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np

from linkwright.atomic import replacing
from linkwright.results import hdf5
from linkwright.results.classic import BLOCK, GrowingTable, Header, Variable, read_header, read_rows
from linkwright.results.content import Content

FORMAT = "linkwright_format"  # what the text "format" is called in a file that other programs look at
LONGEST_NAME = 200  # bytes; NetCDF allows 256


def header_of(channels: list[str], units: dict[str, str], texts: dict[str, str]) -> Header:
    variables = [Variable("t", {"units": "s", "long_name": "time"})]
    for channel, name in _safe(channels).items():
        variables.append(Variable(name, {"units": units.get(channel, ""), "long_name": channel}))
    history = {"history": f"{texts.get('created', '')} Linkwright"}
    return Header({FORMAT if name == "format" else name: text for name, text in (texts | history).items()}, variables)


def _safe(channels: list[str]) -> dict[str, str]:
    """By channel, a name of its own that NetCDF takes: it begins with a letter, digit or underscore, and has no slash."""
    out: dict[str, str] = {}
    taken = {"t"}
    for channel in channels:
        name = "".join("_" if c in "/\x7f" or c < " " else c for c in unicodedata.normalize("NFC", channel)).rstrip() or "_"
        name = name if name[0].isalnum() or name[0] == "_" or name[0] > "\x7f" else f"_{name}"
        name = name.encode()[:LONGEST_NAME].decode(errors="ignore")
        while name in taken:
            name += "_"
        taken.add(name)
        out[channel] = name
    return out


def write(path: Path, t: np.ndarray, columns: dict[str, np.ndarray], units: dict[str, str], texts: dict[str, str]) -> None:
    with replacing(path) as temporary:
        table = GrowingTable(temporary, header_of(list(columns), units, texts))
        try:
            held = [t, *columns.values()]
            step = max(1, BLOCK // table.header.width)
            for k in range(0, len(t), step):
                table.append(np.column_stack([values[k : k + step] for values in held]))
            table.seal()
        finally:
            table.close()


def read(path: Path, wanted: set[str] | None, every: int) -> Content:
    with open(path, "rb") as file:
        if _is_hdf5(path):
            return hdf5.read(path, wanted, every)
        header = read_header(file)
        names = [v.attributes.get("long_name", v.name) for v in header.variables]
        chosen = [k for k, name in enumerate(names) if k == 0 or wanted is None or name in wanted]
        values = read_rows(file, header, chosen, every)
    texts = {"format" if name == FORMAT else name: text for name, text in header.texts.items()}
    columns = {names[k]: values[n] for n, k in enumerate(chosen) if k}
    units = {names[k]: header.variables[k].attributes.get("units", "") for k in chosen if k}
    return values[0], columns, units, texts


def rows_of(path: Path) -> int:
    """How many times a file has."""
    with open(path, "rb") as file:
        return 0 if _is_hdf5(path) else read_header(file).rows


def _is_hdf5(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"\x89HDF"
