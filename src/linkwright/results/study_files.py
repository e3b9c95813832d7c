"""Studies read from files."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import numpy as np

from linkwright.errors import LinkwrightError
from linkwright.results.channels import Audit
from linkwright.results.study import FORMAT, Failed, Study


def is_study(path: Path) -> bool:
    """Whether a NetCDF file holds a study."""
    with open(path, "rb") as file:
        return FORMAT.encode() in file.read(4096)


def read_study(path: Path) -> Study:
    """The study that a file holds."""
    from scipy.io import netcdf_file

    with netcdf_file(path, "r", mmap=False) as file:
        about = json.loads(getattr(file, "about"))  # noqa: B009
        held = {name: np.array(v.data, dtype=np.float64) for name, v in file.variables.items()}
    failed = []
    for index, values, kind, cause, element, remedy in about["failed"]:
        error = LinkwrightError(cause, element=element, remedy=remedy)
        error.__class__ = _kind(kind)
        failed.append(Failed(tuple(index), values, error))
    audit = Audit(about["analysis"], notes=list(about["notes"]))
    values = {name: held[f"v{k}"] for k, name in enumerate(about["values"])}
    arrays = {name: held[f"a{k}"] for k, name in enumerate(about["arrays"])}
    kind = import_module("linkwright.results.spread").Spread if about["kind"] == "Spread" else Study
    found: Study = kind(about["model"], values, arrays, audit, paired=about["paired"], t=held.get("time"), failed=failed)
    return found


def _kind(name: str) -> type[LinkwrightError]:
    from linkwright import errors

    kind = getattr(errors, name, LinkwrightError)
    return kind if isinstance(kind, type) and issubclass(kind, LinkwrightError) else LinkwrightError
