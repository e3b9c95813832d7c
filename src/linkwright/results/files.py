"""Results in files: which format by the ending of the name, and what goes into every one of them.

A file holds the channels with their units and a header of named texts (JSON): enough to plot and to show the
machine again without the model.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.results import places
from linkwright.results.atomic import ResultFileError, replacing, room
from linkwright.results.motion import Energy, MotionAudit, MotionResult, Violation
from linkwright.results.provenance import Provenance, to_json
from linkwright.results.result import Audit, Result

FORMAT = 1
PARTS = {"energy": ("kinetic", "potential", "work"), "violation": ("position", "velocity")}
_MODULES = {".nc": "netcdf", ".parquet": "parquet", ".csv": "text"}


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result: NetCDF, Parquet or CSV by the ending."""
    module = _format(path)
    with replacing(path) as temporary:
        held, texts = columns(result), header(result)
        if isinstance(result, MotionResult):
            about, more = places.held(result)
            held, texts = held | more, texts | {"places": to_json(about)}
        module.write(temporary, np.asarray(result.t), held, units(result, held), texts)


def ready(path: str | os.PathLike[str]) -> None:
    """Raises now what `save` would raise after a long run: an unknown ending, a missing package, no such folder."""
    _format(path).packages()
    room(path)


def load_result(path: str | os.PathLike[str], channels: Iterable[str] | None = None, every: int = 1) -> Result:
    """Read a result; of a long one only these channels, and every n-th time."""
    if not Path(path).is_file():
        raise ResultFileError(f"there is no file {os.fspath(path)}", remedy="check the name and the folder")
    if every < 1 or every % 1:
        raise ResultFileError(f"every {every}-th time cannot be read", remedy="give a whole number, every=1 or more")
    channels = [channels] if isinstance(channels, str) else channels
    module = _format(path)
    try:
        t, values, units, texts = module.read(Path(path), None if channels is None else set(channels), int(every))
    except (OSError, ValueError, KeyError, RuntimeError) as error:  # RuntimeError: h5py's word for damage inside
        if isinstance(error, ResultFileError) or type(error).__name__ == "MissingPackageError":
            raise
        why = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise ResultFileError(
            f"{os.fspath(path)} is no result of Linkwright: {why}", remedy="it must have been written by save(...)"
        ) from error
    if channels is not None and (missing := sorted(set(channels) - set(values))):
        raise ResultFileError(f"{os.fspath(path)} has no channel {', '.join(missing)}", remedy="load it without channels=")
    return _result(t, values, units, texts, os.fspath(path))


def columns(result: Result) -> dict[str, np.ndarray]:
    """The channels; energies and constraint errors too, where an analysis keeps them."""
    out = {name: np.asarray(result[name], dtype=float) for name in result.channels}
    for part, names in PARTS.items():
        held = getattr(result, part, None)
        if held is not None:
            out |= {f"{part}.{n}": np.asarray(getattr(held, n), dtype=float) for n in names if hasattr(held, n)}
    return out


def units(result: Result, names: Iterable[str]) -> dict[str, str]:
    return {name: result.unit(name) for name in names}


def header(result: Result) -> dict[str, str]:
    """The texts of a file by name."""
    drawing = result.drawing  # also takes the model's text
    about = result.provenance
    return {
        "format": str(FORMAT),
        "title": result.model,
        "created": about.created,
        "model": about.model,
        "check": about.check,
        "options": to_json(about.options),
        "versions": to_json(about.versions),
        "audit": to_json(vars(result.audit)),
        "events": to_json(result.events),
        "drawing": to_json(drawing),
    }


def _result(t: np.ndarray, values: dict[str, np.ndarray], units: dict[str, str], texts: dict[str, str], path: str) -> Result:
    number = texts.get("format", "")
    if not number.isdigit():
        raise ResultFileError(f"{path} is no result of Linkwright", remedy="it must have been written by save(...)")
    if int(number) > FORMAT:
        raise ResultFileError(
            f"{path} is of format {number}; this version reads up to {FORMAT}", remedy="install a newer Linkwright"
        )
    about = Provenance(
        model=texts.get("model", ""),
        check=texts.get("check", ""),
        options=json.loads(texts["options"]),
        versions=json.loads(texts["versions"]),
        created=texts.get("created", ""),
    )
    drawing = json.loads(texts["drawing"])
    events = [tuple(e) if isinstance(e, list) else e for e in json.loads(texts.get("events", "[]"))]
    moving = {c: values.pop(c) for c in list(values) if c.startswith(places.MARK)}
    with_forces = "places" in texts
    parts = _parts(values) if with_forces else {}
    out = (MotionResult if with_forces else Result)(
        texts["title"], t, values, _audit(json.loads(texts["audit"])),
        units=units, provenance=about, drawing=drawing, events=events,
    )  # fmt: skip
    if isinstance(out, MotionResult):
        out.places = places.restored(out, json.loads(texts["places"]), moving)
        for part, held in parts.items():
            setattr(out, part, held)
    return out


def _parts(values: dict[str, np.ndarray]) -> dict[str, Energy | Violation]:
    """Energy and constraint errors, which are no channels, out of what was read."""
    out: dict[str, Energy | Violation] = {}
    kinds: dict[str, type[Energy] | type[Violation]] = {"energy": Energy, "violation": Violation}
    for part, kind in kinds.items():
        names = [f"{part}.{n}" for n in PARTS[part]]
        if all(c in values for c in names):
            arrays: Any = [values.pop(c) for c in names]
            out[part] = kind(*arrays)
    return out


def _audit(data: dict[str, Any]) -> Audit:
    """An audit may hold more than this version knows: it is kept."""
    kind = MotionAudit if "formulation" in data else Audit
    known = {f.name for f in fields(kind)}
    audit = kind(**{k: v for k, v in data.items() if k in known})
    for name, value in data.items():
        if name not in known:
            setattr(audit, name, value)
    return audit


def _format(path: str | os.PathLike[str]) -> Any:
    ending = Path(path).suffix.lower()
    if ending not in _MODULES:
        raise ResultFileError(
            f"{os.fspath(path)}: results are not kept in {ending or 'files without ending'}",
            remedy=f"choose a name that ends in {', '.join(_MODULES)}",
        )
    return import_module(f"linkwright.results.{_MODULES[ending]}")
