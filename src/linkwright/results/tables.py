"""Results as the tables of other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.results.optional import needed
from linkwright.results.result import Result


def to_xarray(result: Result) -> Any:
    xarray = needed("xarray", "to_xarray()")
    time = xarray.Variable("t", np.asarray(result.t), {"units": "s", "long_name": "time"})
    variables = {
        name: xarray.Variable("t", np.asarray(result[name]), {"units": result.unit(name), "long_name": name})
        for name in result.channels
    }
    about = result.provenance
    attributes = {
        "title": result.model,
        "analysis": result.audit.analysis,
        "audit": str(result.audit),
        "created": about.created,
        "source": ", ".join(f"{name} {version}" for name, version in about.versions.items()),
    }
    return xarray.Dataset(variables, coords={"t": time}, attrs=attributes)


def to_dataframe(result: Result) -> Any:
    pandas = needed("pandas", "to_dataframe()")
    columns = {name: np.asarray(result[name]) for name in result.channels}
    frame = pandas.DataFrame(columns, index=pandas.Index(np.asarray(result.t), name="t"))
    frame.attrs["units"] = {name: result.unit(name) for name in result.channels}
    frame.attrs["title"] = result.model
    return frame
