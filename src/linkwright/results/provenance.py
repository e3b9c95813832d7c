"""Where a result comes from, as plain data that goes into its file: model, options, versions, audit, drawing."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from time import time
from typing import Any

import numpy as np

from linkwright.errors import ModelError
from linkwright.model import Model


class Versions(Mapping[str, str]):
    """Of everything that has a part in the numbers; looked up when they are read, which few results are asked for."""

    def __getitem__(self, name: str) -> str:
        return _versions()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_versions())

    def __len__(self) -> int:
        return len(_versions())

    def __repr__(self) -> str:
        return repr(_versions())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)  # elsewhere they are what they were here


@cache
def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for package in ("linkwright", "numpy", "scipy", "llvmlite"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def now() -> str:
    return text_of(time())


def text_of(seconds: float) -> str:
    """Of a time as `time` tells it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


@dataclass
class Provenance:
    """model: the machine in words; check: the text of its check report; options: of the analysis."""

    model: str = ""
    check: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=Versions)
    created: str = field(default_factory=now)


def model_text(model: Model) -> str:
    """The machine as a model file; in words where it holds Python functions, which a file cannot."""
    from linkwright.model.files import dumps

    try:
        return dumps(model)
    except ModelError:
        pass
    rows = [str(model), "", f"  gravity    ({', '.join(f'{model.value(g):g}' for g in model.gravity)})"]
    rows += [f"  {element!r}" for element in model.elements.values()]
    return "\n".join(rows)


def plain(value: Any) -> Any:
    """Anything as JSON can hold it: numbers, texts, lists, dictionaries; what is none of these becomes its text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | np.floating):
        number = float(value)
        return number if np.isfinite(number) else repr(number)  # JSON has no nan
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(v) for v in value]
    return str(value)


def to_json(value: Any) -> str:
    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))
