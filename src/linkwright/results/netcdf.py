"""NetCDF 4: a variable a channel over the dimension t, texts in the group `linkwright`.

Other programs (xarray, ncdump, Matlab) read the variables as they are. A name in HDF5 cannot hold a slash, so each
variable also carries the exact name of its channel as an attribute.

h5netcdf makes the file, its dimensions and texts. The variables are added and read through h5py, which h5netcdf stands on:
h5netcdf looks at all variables of a file for each access to one, seconds for some hundred channels.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.results.optional import needed

GROUP = "linkwright"
ORDER = "channels"  # the text with the names of the variables in the order of the channels
CHUNK = 16384  # rows; 128 kB of a channel
CACHE = 1 << 28  # bytes that the chunks of all growing variables may take in memory
# A growing variable may have so many rows. The dimension t is not unlimited: of an unlimited one h5netcdf finds the size by
# opening every variable of the file, for every variable of the file; xarray then needs hours for 13,000 channels.
MOST_ROWS = 1 << 40

Content = tuple[np.ndarray, dict[str, np.ndarray], dict[str, str], dict[str, str]]


def _h5py() -> Any:
    return needed("h5py", "NetCDF")


def _h5netcdf() -> Any:
    _h5py()  # h5netcdf does not ask for it itself
    return needed("h5netcdf", "NetCDF")


def packages() -> None:
    """MissingPackageError if one is not there."""
    _h5netcdf()


def chunk_of(channels: int) -> int:
    """The rows of a chunk of a growing file: fewer where there are many channels."""
    return max(1, min(CHUNK, CACHE // (2 * 8 * (channels + 1))))


def create(
    path: Path, channels: list[str], units: dict[str, str], texts: dict[str, str], rows: int = 0
) -> tuple[Any, dict[str, Any]]:
    """A new file, and its variables by channel; "t" is first. They have so many rows, or none and grow."""
    names = _safe(channels)
    chunk = chunk_of(len(channels))
    with _h5netcdf().File(path, "w") as file:
        file.dimensions = {"t": rows or None}
        time = file.create_variable("t", ("t",), dtype=np.float64)
        time.attrs["units"], time.attrs["long_name"] = "s", "time"
        file.attrs["title"] = texts.get("title", "")
        file.attrs["history"] = f"{texts.get('created', '')} Linkwright"
        _put_texts(file, {**texts, ORDER: json.dumps(list(names.values()))})
    # Rows come in order: a cache of two chunks a channel. The oldest layout costs nothing for rows that may come.
    file = _h5py().File(path, "r+", rdcc_nbytes=2 * 8 * chunk, libver=("earliest", "latest"))
    layout = {"shape": (rows,)} if rows else {"shape": (0,), "chunks": (chunk,), "maxshape": (MOST_ROWS,)}
    variables: dict[str, Any] = {"t": file["t"] if rows else _limited(file, layout)}
    for channel, name in names.items():
        variable = file.create_dataset(name, dtype=np.float64, **layout)
        variable.attrs["_Netcdf4Coordinates"] = np.zeros(1, dtype=np.int32)
        variable.attrs["units"], variable.attrs["long_name"] = units.get(channel, ""), channel
        variables[channel] = variable
    _attach(variables["t"], [v for name, v in variables.items() if name != "t"])
    return file, variables


def _limited(file: Any, layout: dict[str, Any]) -> Any:
    """The dimension t, made unlimited and still empty, anew with a largest size; its number among the dimensions stays."""
    about = {name: value for name, value in file["t"].attrs.items() if name not in ("CLASS", "NAME")}
    del file["t"]
    time = file.create_dataset("t", dtype=np.float64, **layout)
    for name, value in about.items():
        time.attrs[name] = value
    time.make_scale("t")
    return time


def _attach(time: Any, variables: list[Any]) -> None:
    """Let all variables have the dimension t. HDF5's own call writes the list of all of them anew for each, and leaves the
    old one in the file: 300 MB for 13,000 channels."""
    h5py = _h5py()
    scale = np.empty(1, dtype=object)
    scale[0] = np.array([time.ref], dtype=h5py.ref_dtype)
    for variable in variables:
        variable.attrs.create("DIMENSION_LIST", scale, dtype=h5py.vlen_dtype(h5py.ref_dtype))
    back = np.zeros(len(variables), dtype=[("dataset", h5py.ref_dtype), ("dimension", np.uint32)])
    for k, variable in enumerate(variables):
        back[k] = variable.ref, 0
    if len(back):
        time.attrs.create("REFERENCE_LIST", back)


def _safe(channels: list[str]) -> dict[str, str]:
    """By channel, a name of its own that HDF5 takes."""
    out: dict[str, str] = {}
    taken = {"t", GROUP}
    for channel in channels:
        name = channel.replace("/", "_")
        while name in taken:
            name += "_"
        taken.add(name)
        out[channel] = name
    return out


def append(variables: dict[str, Any], first: int, columns: dict[str, np.ndarray]) -> None:
    """Write rows from number `first` on, of all variables."""
    for name, variable in variables.items():
        end = first + len(columns[name])
        if end > len(variable):
            variable.resize((end,))
        variable[first:end] = columns[name]


def write_texts(path: Path, texts: dict[str, str]) -> None:
    """Add texts to a file that is closed."""
    with _h5netcdf().File(path, "a") as file:
        _put_texts(file, texts)


def _put_texts(file: Any, texts: dict[str, str]) -> None:
    """Texts as bytes: an attribute of HDF5 holds at most 64 kB."""
    group = file.groups[GROUP] if GROUP in file.groups else file.create_group(GROUP)
    for name, text in texts.items():
        data = np.frombuffer(text.encode(), dtype=np.uint8)
        group.dimensions[f"{name}_bytes"] = max(len(data), 1)
        group.create_variable(name, (f"{name}_bytes",), data=data if len(data) else np.zeros(1, dtype=np.uint8))


def write(path: Path, t: np.ndarray, columns: dict[str, np.ndarray], units: dict[str, str], texts: dict[str, str]) -> None:
    file, variables = create(path, list(columns), units, texts, len(t))
    with file:
        append(variables, 0, {"t": t, **columns})


def read(path: Path, wanted: set[str] | None, every: int) -> Content:
    with _h5py().File(path, "r") as file:
        if GROUP not in file:
            raise ValueError("it has no group linkwright")
        texts = {n: v[:].tobytes().decode().rstrip("\0") for n, v in file[GROUP].items() if not n.endswith("_bytes")}
        columns, units = {}, {}
        for safe in json.loads(texts.pop(ORDER)):
            variable = file[safe]
            name = str(variable.attrs["long_name"])
            if wanted is None or name in wanted:
                columns[name] = variable[::every]
                units[name] = str(variable.attrs["units"])
        return file["t"][::every], columns, units, texts
