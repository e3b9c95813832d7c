"""Studies read from files."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import numpy as np

from linkwright.errors import read_again
from linkwright.results.channels import Audit
from linkwright.results.classic import SUM, DamagedError
from linkwright.results.study import FORMAT, Failed, Study, check_sum

UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, MemoryError)  # what damage does to a reader
HEAD = 4096  # bytes: in a study the attribute follows a dimension for each length of its arrays, which are few


def is_study(path: Path) -> bool:
    """Whether a file holds a study. A result may hold the same words in its model's text: only the attribute counts."""
    if path.suffix.lower() != ".nc":
        return False
    with open(path, "rb") as file:
        if FORMAT.encode() not in file.read(HEAD):
            return False
    from scipy.io import netcdf_file

    try:
        with netcdf_file(path, "r", mmap=False) as file:
            return bool(getattr(file, "format", b"") == FORMAT.encode())
    except UNREADABLE:  # a study that is damaged; whoever reads it says so
        return True


def read_study(path: Path) -> Study:
    """The study that a file holds; DamagedError if it is not as it was written."""
    from scipy.io import netcdf_file

    try:
        with netcdf_file(path, "r", mmap=False) as file:
            text: str = getattr(file, "about").decode()  # noqa: B009
            held = {name: np.array(v.data, dtype=np.float64) for name, v in file.variables.items()}
            known = getattr(file, SUM, b"").decode()
    except UNREADABLE as error:
        raise DamagedError("the study in it is cut or damaged") from error
    if known and known != check_sum(text, held):
        raise DamagedError(f"it is damaged, or was changed: it does not have the check sum of its attribute {SUM}")
    about = json.loads(text)
    failed = []
    for index, values, kind, cause, element, remedy in about["failed"]:
        failed.append(Failed(tuple(index), values, read_again(kind, cause, element, remedy)))
    audit = Audit(about["analysis"], method=about.get("method", ""), notes=list(about["notes"]))
    values = {name: held[f"v{k}"] for k, name in enumerate(about["values"])}
    arrays = {name: held[f"a{k}"] for k, name in enumerate(about["arrays"])}
    kind = import_module("linkwright.results.spread").Spread if about["kind"] == "Spread" else Study
    found: Study = kind(about["model"], values, arrays, audit, paired=about["paired"], t=held.get("time"), failed=failed)
    return found
