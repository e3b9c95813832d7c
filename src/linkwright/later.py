"""scipy, imported when something of it is first used: it takes 0.2 s to import, and small machines do without."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any


class _Module:
    """A module that is imported when something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._name), name)
        vars(self)[name] = found
        return found


sparse: Any = _Module("scipy.sparse")
csgraph: Any = _Module("scipy.sparse.csgraph")

when_loaded: list[Callable[[], None]] = []  # called when scipy has brought a BLAS of its own, which may use many threads


@cache
def scipy_linalg() -> Any:
    import scipy.linalg

    _tell()
    return scipy.linalg


@cache
def lapack() -> Any:
    """scipy's LAPACK, by itself where it can be had so: the rest of scipy.linalg takes most of the time to import."""
    if "scipy.linalg" not in sys.modules:
        for suffix in EXTENSION_SUFFIXES:
            path = _scipy_folder() / "linalg" / f"_flapack{suffix}"
            spec = spec_from_file_location("scipy.linalg._flapack", path) if path.exists() else None
            if spec is not None and spec.loader is not None:
                with contextlib.suppress(ImportError):
                    found = module_from_spec(spec)
                    spec.loader.exec_module(found)
                    _tell()
                    return found
    return scipy_linalg().lapack


def _scipy_folder() -> Path:
    """On Windows scipy itself says where its libraries are; elsewhere its folder is found without importing it."""
    found = find_spec("scipy") if sys.platform != "win32" else None
    if found is None or found.origin is None:
        import scipy

        return Path(scipy.__file__).parent
    return Path(found.origin).parent


def _tell() -> None:
    for told in when_loaded:
        told()
