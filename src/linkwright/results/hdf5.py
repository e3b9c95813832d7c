"""NetCDF 4 (HDF5), as versions before wrote it: read only."""

from __future__ import annotations

import json
from pathlib import Path

from linkwright.results.content import Content
from linkwright.results.optional import needed

GROUP = "linkwright"


def read(path: Path, wanted: set[str] | None, every: int) -> Content:
    with needed("h5py", "NetCDF 4, which older versions wrote,").File(path, "r") as file:
        if GROUP not in file:
            raise ValueError("it has no group linkwright")
        texts = {n: v[:].tobytes().decode().rstrip("\0") for n, v in file[GROUP].items() if not n.endswith("_bytes")}
        columns, units = {}, {}
        for safe in json.loads(texts.pop("channels")):
            variable = file[safe]
            name = str(variable.attrs["long_name"])
            if wanted is None or name in wanted:
                columns[name] = variable[::every]
                units[name] = str(variable.attrs["units"])
        return file["t"][::every], columns, units, texts
