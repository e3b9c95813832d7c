"""What a study is, as one short text: the same call has the same in every process, another call another.

Everything counts that decides which points there are and what they give. Functions count as what they do: by their
bytecode, by their defaults, and by the values and functions of their module that they use.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from linkwright.model import Model
from linkwright.model.content import content
from linkwright.studies.points import Task

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
PLAIN = (type(None), str, bytes, bool, int, float, complex, np.generic)
OWN = (*PLAIN, list, tuple, dict, np.ndarray, FunctionType)  # what counts of the module that a function is in


def fingerprint(task: Task, values: Mapping[str, Any], more: Any = None) -> str:
    """Of the task at the points with these values."""
    h = hashlib.blake2b(digest_size=16)
    options = sorted(task.options.items(), key=lambda item: str(item[0]))
    axes = {name: np.asarray(x) for name, x in values.items()}
    for part in _parts([task.model, task.analysis, task.keep, options, axes, more], {}):
        h.update(part + b"\0")
    return h.hexdigest()


def _parts(value: Any, seen: dict[int, int]) -> Iterator[bytes]:
    """The bytes of anything that a call may hold; `seen`: numbers of objects that were met before."""
    if isinstance(value, PLAIN):
        yield repr(value).encode()
    elif isinstance(value, np.ndarray) and value.dtype != object:
        yield f"{value.dtype.str} {value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, Mapping):
        for key, x in value.items():
            yield repr(key).encode()
            yield from _parts(x, seen)
    elif isinstance(value, list | tuple):
        yield f"{len(value)}".encode()
        for x in value:
            yield from _parts(x, seen)
    elif isinstance(value, set | frozenset):
        yield repr(sorted(map(repr, value))).encode()
    elif id(value) in seen:
        yield f"as {seen[id(value)]}".encode()
    else:
        seen[id(value)] = len(seen)
        yield from _of_object(value, seen)


def _of_object(value: Any, seen: dict[int, int]) -> Iterator[bytes]:
    if isinstance(value, Model):
        yield from _parts(value.content(), seen)
    elif isinstance(value, MethodType):
        yield from _parts((value.__func__, value.__self__), seen)
    elif isinstance(value, FunctionType):
        yield from _parts((value.__code__, value.__defaults__, value.__kwdefaults__, _around(value)), seen)
    elif isinstance(value, CodeType):
        yield value.co_code
        yield from _parts((value.co_names, value.co_varnames, value.co_consts), seen)
    elif (plain := content(value)) is not value:
        yield from _parts(plain, seen)
    else:
        yield ADDRESS.sub("", repr(value)).encode()
        yield from _parts({} if isinstance(value, type) else getattr(value, "__dict__", {}), seen)


def _around(function: FunctionType) -> list[tuple[str, Any]]:
    """What it finds outside of itself: what it was made with, and values and functions of its own module. What it has from
    elsewhere counts by the name it has here."""
    free = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    cells = [(name, cell.cell_contents) for name, cell in free if _is_filled(cell)]
    known = function.__globals__
    named = [(name, known[name]) for name in _names(function.__code__) if name in known and isinstance(known[name], OWN)]
    here = function.__module__
    return [*cells, *((n, x) for n, x in named if not isinstance(x, FunctionType) or x.__module__ == here)]


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - a name that is not yet there raises
    except ValueError:
        return False
    return True


def _names(code: CodeType) -> list[str]:
    """Of what it and the functions in it look for outside."""
    inner = [name for x in code.co_consts if isinstance(x, CodeType) for name in _names(x)]
    return sorted({*code.co_names, *inner})
