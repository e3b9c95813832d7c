"""Results in files: which format by the ending of the name, and what goes into every one of them.

A file holds the channels with their units and a header of named texts (JSON): enough to plot and to show the
machine again without the model.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.arguments import typed
from linkwright.atomic import STREAM, ResultFileError, abandoned, put, room
from linkwright.results import netcdf, places
from linkwright.results.balances import Energy, Violation
from linkwright.results.channels import Audit
from linkwright.results.classic import DamagedError
from linkwright.results.motion import MotionAudit, MotionResult
from linkwright.results.optional import MissingPackageError, needed
from linkwright.results.provenance import Provenance, to_json
from linkwright.results.result import Result
from linkwright.results.study import Study, is_study, read_study

FORMAT = 1
PARTS = {"energy": ("kinetic", "potential", "work"), "violation": ("position", "velocity")}
PARTIAL = ".partial.nc"
_MODULES = {".nc": "netcdf", ".parquet": "parquet", ".csv": "text"}
_OUT_ONLY = {".mat": "matlab", ".xlsx": "excel"}  # for other programs: written, not read
_NEEDS = {".parquet": ("pyarrow.parquet", "Parquet"), ".xlsx": ("openpyxl", "Excel's format")}  # a module, and for what


@typed
def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result: NetCDF, Parquet, CSV, or Matlab's and Excel's formats by the ending."""
    module = _format(path, out=True)
    held, texts = columns(result), header(result)
    if isinstance(result, MotionResult):
        about, more = places.held(result)
        held, texts = held | more, texts | {"places": to_json(about)}
    module.write(Path(path), np.asarray(result.t), held, units(result, held), texts)


def ready(path: str | os.PathLike[str]) -> None:
    """Raises now what `save` would raise after a long run: an unknown ending, a missing package, no such folder."""
    _format(path, out=True)
    if package := _NEEDS.get(Path(path).suffix.lower()):
        needed(*package)
    room(path)


@typed
def load_result(path: str | os.PathLike[str], channels: Iterable[str] | None = None, every: int = 1) -> Result | Study:
    """Read a result, or a study, from a file.

    Parameters
    ----------
    path : path
        The file: NetCDF (.nc), Parquet (.parquet) or CSV (.csv).
    channels : iterable of str, optional
        The channels to read; by default all.
    every : int
        Read every n-th time only.

    Returns
    -------
    Result or Study
        The result, with reactions where the analysis had them; of a study its arrays over the points.

    Raises
    ------
    ResultFileError
        There is no such file, or it is damaged, or it is no result.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.csv"
    >>> m = lw.PlanarModel("m")
    >>> bob = m.body("bob", mass=1.0, inertia=1.0, velocity=(1, 0))
    >>> lw.dynamics(m, t_end=1.0, steps=4).save(path)
    >>> lw.load_result(path, channels=["bob.x"], every=2)["bob.x"]
    array([0. , 0.5, 1. ])
    """
    where = os.fspath(path)
    _look_for(Path(path))
    if every < 1 or every % 1:
        raise ResultFileError(f"every {every}-th time cannot be read", remedy="give a whole number, every=1 or more")
    channels = [channels] if isinstance(channels, str) else channels
    module = _format(path)
    try:
        if is_study(Path(path)):
            return read_study(Path(path))
        t, values, units, texts = module.read(Path(path), None if channels is None else set(channels), int(every))
        if not (np.diff(t) >= 0).all():
            raise DamagedError("it is damaged: its times do not grow")
        if channels is not None and (missing := sorted(set(channels) - set(values))):
            raise ResultFileError(
                f"there is no channel {', '.join(missing)}", element=where, remedy="load it without channels="
            )
        return _result(t, values, units, texts, where)
    except (ResultFileError, MissingPackageError):
        raise
    except DamagedError as error:
        raise ResultFileError(str(error), element=where, remedy="copy it again from where it is whole") from error
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, MemoryError) as error:
        # of texts and numbers that are damaged; RuntimeError: h5py's word for it
        why = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise ResultFileError(
            f"this is no result of Linkwright: {why}", element=where, remedy="it must have been written by save(...)"
        ) from error


def thinned(path: str | os.PathLike[str], most: int) -> Result:
    """A result of at most twice so many times, if it can be read by parts."""
    _look_for(Path(path))
    rows = 0
    if Path(path).suffix.lower() == ".nc":
        with suppress(OSError, ValueError):  # load_result says what is wrong
            rows = netcdf.rows_of(Path(path))
    found = load_result(path, every=max(1, rows // most))
    if isinstance(found, Study):
        raise ResultFileError("this is a study of many runs", element=os.fspath(path), remedy="lw.load_result(path).plot()")
    return found


def partial(path: Path) -> Path:
    """Where what was computed is kept if a run that writes this file ends early."""
    return path.with_suffix(PARTIAL)


def rescued(path: Path) -> bool:
    """Whether a run that was to write this file was killed and left something: it is then put where parts are kept."""
    found = False
    for left in abandoned(path, STREAM):
        with suppress(OSError, ValueError):
            if netcdf.rows_of(left):
                put(left, partial(path))
                found = True
        with suppress(OSError):
            left.unlink(missing_ok=True)
    return found


def _look_for(path: Path) -> None:
    """ResultFileError if there is no such file; what a killed run has left is looked for, too."""
    if path.is_file():
        return
    if path.name.endswith(PARTIAL) and rescued(path.with_name(path.name.removesuffix(PARTIAL) + ".nc")):
        return
    remedy = "check the name and the folder"
    if path.name and (abandoned(path, STREAM) or partial(path).is_file()):
        remedy = f"its run ended early: {partial(path)} is what it had computed"
    raise ResultFileError("there is no such file", element=str(path), remedy=remedy)


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
        raise ValueError("it has no format")
    if int(number) > FORMAT:
        raise ResultFileError(
            f"it is of format {number}; this version reads up to {FORMAT}", element=path, remedy="install a newer Linkwright"
        )
    about = Provenance(
        model=texts.get("model", ""),
        check=texts.get("check", ""),
        options=json.loads(texts.get("options", "{}")),
        versions=json.loads(texts.get("versions", "{}")),
        created=texts.get("created", ""),
    )
    drawing = json.loads(texts.get("drawing", "null"))
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


def _format(path: str | os.PathLike[str], out: bool = False) -> Any:
    ending = Path(path).suffix.lower()
    if out and ending in _OUT_ONLY:
        return import_module(f"linkwright.results.{_OUT_ONLY[ending]}")
    if ending not in _MODULES:
        raise ResultFileError(
            f"results are not kept in {ending or 'files without ending'}",
            element=os.fspath(path),
            remedy=f"choose a name that ends in {', '.join(_MODULES)}",
        )
    return import_module(f"linkwright.results.{_MODULES[ending]}")
