"""Equations that were traced, kept on disk: a new process goes on where an earlier one stopped, and traces nothing.

A snapshot holds a `System` (or another object that was traced from a model) with all that was found of it so far: its rows
and loads, its flows, its compiled functions as programs that stay closed until code must be made of them. Bodies, elements
and the model itself are left out: those of the model at hand take their places, by name. Of properties that are computed
once, those are left out that hold formulas. They are long (factors, derivatives, accelerations), nobody needs them once the
functions are there, and who does traces them again. The formulas that remain, of rows and loads, are written as one graph.

The key of a snapshot is made of all that it follows from: the structure of the model, what numbers decide beside it, the
sources of this package, the versions of Python and numpy. A model has no key, and is traced in each process, where its
structure does not tell all: a law in Python that cannot be traced, an element that is not one of ours.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import sys
from collections.abc import Callable
from copyreg import __newobj__  # type: ignore[attr-defined]
from functools import cache as once
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

import linkwright
from linkwright.compile import cache
from linkwright.graph import Expr, Table
from linkwright.graph.walk import flatten, unflatten_all
from linkwright.model import Body, Element, Model

PACKAGE = linkwright.__name__
ENABLED = True  # tests that change how things are traced switch it off


class _UnkeptError(Exception):
    """Something that no other process could make use of."""


# -- keys ----------------------------------------------------------------------------------------------------------------


def key_of(kind: type, model: Model, structure: tuple[Any, ...], decided: Any) -> str | None:
    """The name of the snapshot of a `kind` traced from the model, of this structure; None if there cannot be one."""
    sources = _sources()
    if not ENABLED or sources is None or cache.folder() is None:
        return None
    if any(not _ours(type(e)) for e in model.elements.values()):
        return None
    told: list[str] = []
    try:
        _tell((structure, decided), told.append)
    except _UnkeptError:
        return None
    name, text = f"{kind.__module__}.{kind.__qualname__}", "".join(told)
    return cache.key("snapshot", name, text, sources, sys.version, np.__version__)


def _tell(value: Any, to: Callable[[str], None]) -> None:
    """Nested tuples as text, the same in every process and another one for other content."""
    if isinstance(value, tuple):
        to("(")
        for x in value:
            _tell(x, to)
        to(")")
    elif isinstance(value, Table):
        to(f"table {value.digest.hex()},")
    elif value is None or isinstance(value, str | int):  # a truth value, too
        to(f"{value!r},")
    elif isinstance(value, float):
        to(f"{float(value).hex()},")
    else:
        raise _UnkeptError


@once
def _sources() -> str | None:
    """Changes with the files of this package. Their times and sizes tell, as Python itself asks of what it has compiled; to
    read all of them would take longer than an answer may."""
    found, todo = [], [str(Path(linkwright.__file__).parent)]
    try:
        while todo:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    if entry.name.endswith(".py"):
                        stat = entry.stat()
                        found.append((entry.path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns))
                    elif entry.name != "__pycache__" and entry.is_dir():
                        todo.append(entry.path)
    except OSError:
        return None
    return cache.key(repr(sorted(found))) if found else None


def _ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == PACKAGE


# -- writing -------------------------------------------------------------------------------------------------------------


_BUILT_IN = frozenset((type(None), bool, int, float, str, bytes, tuple, list, dict, np.ndarray))


class _Writer(pickle.Pickler):
    """Formulas become numbers of `formulas`; what belongs to the model becomes its name."""

    def __init__(self, file: Any, outer: _Writer | None = None) -> None:
        super().__init__(file, protocol=5)
        self.formulas: dict[Expr, int] = {}
        self.plain = outer is not None  # on trial: formulas are refused, and what is being written already is as it is
        self.within: list[Any] = outer.within if outer else []
        self.tried: dict[int, bool] = outer.tried if outer else {}

    def persistent_id(self, thing: Any) -> Any:
        kind = type(thing)
        if kind in _BUILT_IN:  # most things: none of what follows
            return None
        if kind is Expr:
            if self.plain and thing.op != "symbol":
                raise _UnkeptError
            return self.formulas.setdefault(thing, len(self.formulas))
        if isinstance(thing, Body):
            return "bodies", thing.name
        if isinstance(thing, Element):
            return "elements", thing.name
        if isinstance(thing, Model):
            return "model", ""
        if kind is FunctionType and thing.__module__.partition(".")[0] not in (PACKAGE, "numpy"):
            raise _UnkeptError
        if self.plain and any(thing is x for x in self.within):
            return "within", ""
        return None

    def reducer_override(self, thing: Any) -> Any:
        kind: Any = type(thing)
        if isinstance(thing, type) or not _ours(kind) or kind.__reduce__ is not object.__reduce__:
            return NotImplemented
        state = thing.__getstate__()
        if not isinstance(state, dict) or not any(isinstance(getattr(kind, x, None), cached_property) for x in state):
            return NotImplemented
        self.within.append(thing)
        kept = {
            name: value for name, value in state.items()
            if not isinstance(getattr(kind, name, None), cached_property) or self._without_formulas(value)
        }  # fmt: skip
        self.within.pop()
        return __newobj__, (kind,), kept

    def _without_formulas(self, value: Any) -> bool:
        if id(value) not in self.tried:
            try:
                _Writer(io.BytesIO(), self).dump(value)
                self.tried[id(value)] = True
            except (_UnkeptError, pickle.PicklingError, TypeError, AttributeError):
                self.tried[id(value)] = False
        return self.tried[id(value)]


def written(thing: Any) -> bytes | None:
    """The snapshot; None if it holds what no other process can read."""
    body = io.BytesIO()
    writer = _Writer(body)
    try:
        writer.dump(thing)
        return pickle.dumps((flatten(list(writer.formulas)), body.getvalue()), protocol=5)
    except (_UnkeptError, pickle.PicklingError, TypeError, AttributeError, RuntimeError):
        return None  # RuntimeError: another thread goes on with it


class _Reader(pickle.Unpickler):
    def __init__(self, file: Any, formulas: list[Any], model: Model) -> None:
        super().__init__(file)
        self.formulas, self.model = formulas, model

    def persistent_load(self, number: Any) -> Any:
        if isinstance(number, int):
            return self.formulas[number]
        where, name = number
        return self.model if where == "model" else getattr(self.model, where)[name]


def read(snapshot: bytes, model: Model) -> Any:
    """The system that was written, with this model in it."""
    formulas, body = pickle.loads(snapshot)
    return _Reader(io.BytesIO(body), unflatten_all(*formulas), model).load()


# -- on disk -------------------------------------------------------------------------------------------------------------


def load(name: str, model: Model) -> Any:
    """The system that was kept under this name, with this model in it; None where there is none."""
    snapshot = cache.load(name)
    if snapshot is None:
        return None
    with contextlib.suppress(Exception):  # whole, but not what it should be: it is traced anew, and written over
        return read(snapshot, model)
    return None


def store(name: str, thing: Any) -> None:
    snapshot = written(thing)
    if snapshot is not None:
        cache.store(name, snapshot)
