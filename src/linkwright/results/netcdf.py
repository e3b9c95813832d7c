"""NetCDF 4 through h5netcdf: a variable a channel over the unlimited dimension t, texts in the group `linkwright`.

Other programs (xarray, ncdump, Matlab) read the variables as they are. A name in HDF5 cannot hold a slash, so each
variable also carries the exact name of its channel as an attribute.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linkwright.results.optional import needed

GROUP = "linkwright"
CHUNK = 16384  # rows; 128 kB of a channel

Content = tuple[np.ndarray, dict[str, np.ndarray], dict[str, str], dict[str, str]]


def _library() -> Any:
    needed("h5py", "NetCDF")  # what h5netcdf writes through, but does not ask for itself
    return needed("h5netcdf", "NetCDF")


def create(
    path: Path, channels: list[str], units: dict[str, str], texts: dict[str, str], chunk: int = CHUNK
) -> tuple[Any, dict[str, Any]]:
    """A new file without rows, and its variables by channel; "t" is first. It grows by `chunk` rows at a time."""
    file = _library().File(path, "w")
    file.dimensions = {"t": None}
    variables: dict[str, Any] = {}
    taken: set[str] = set()
    for name in ("t", *channels):
        safe = name.replace("/", "_")
        while safe in taken:
            safe += "_"
        taken.add(safe)
        variable = file.create_variable(safe, ("t",), dtype=np.float64, chunks=(chunk,))
        variable.attrs["units"] = "s" if name == "t" else units.get(name, "")
        variable.attrs["long_name"] = "time" if name == "t" else name
        variables[name] = variable
    file.attrs["title"] = texts.get("title", "")
    file.attrs["history"] = f"{texts.get('created', '')} Linkwright"
    write_texts(file, texts)
    return file, variables


def write_texts(file: Any, texts: dict[str, str]) -> None:
    """Texts as bytes: an attribute of HDF5 holds at most 64 kB."""
    group = file.groups[GROUP] if GROUP in file.groups else file.create_group(GROUP)
    for name, text in texts.items():
        data = np.frombuffer(text.encode(), dtype=np.uint8)
        group.dimensions[f"{name}_bytes"] = max(len(data), 1)
        group.create_variable(name, (f"{name}_bytes",), data=data if len(data) else np.zeros(1, dtype=np.uint8))


def read_texts(file: Any) -> dict[str, str]:
    if GROUP not in file.groups:
        raise ValueError("it has no group linkwright")
    return {name: v[:].tobytes().decode().rstrip("\0") for name, v in file.groups[GROUP].variables.items()}


def write(path: Path, t: np.ndarray, columns: dict[str, np.ndarray], units: dict[str, str], texts: dict[str, str]) -> None:
    file, variables = create(path, list(columns), units, texts, min(CHUNK, max(1, len(t))))
    with file:
        file.resize_dimension("t", len(t))
        for name, variable in variables.items():
            variable[:] = t if name == "t" else columns[name]


def read(path: Path, wanted: set[str] | None, every: int) -> Content:
    with _library().File(path, "r") as file:
        texts = read_texts(file)
        t = np.asarray(file.variables["t"][::every])
        columns, units = {}, {}
        for safe, variable in file.variables.items():
            name = str(variable.attrs["long_name"])
            if safe != "t" and (wanted is None or name in wanted):
                columns[name] = np.asarray(variable[::every])
                units[name] = str(variable.attrs["units"])
    return t, columns, units, texts
