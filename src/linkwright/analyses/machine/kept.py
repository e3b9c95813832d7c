"""The equations of models by structure: traced once in a process, and, with snapshots on disk, once for all of them."""

from __future__ import annotations

import atexit
from dataclasses import dataclass
from typing import Any, TypeVar

from linkwright.compile.clock import CLOCK
from linkwright.model import Model
from linkwright.model.content import content
from linkwright.system import System, snapshots

Equations = TypeVar("Equations", bound=System)
_MOST_KEPT = 64


@dataclass
class _Entry:
    system: Any
    name: str | None  # of its snapshot
    used: bool = True  # since snapshots were written


_KEPT: dict[tuple[object, ...], _Entry] = {}
_written = 0  # how often something had been traced when snapshots were written


def kept(equations: type[Equations], model: Model) -> Equations:
    """The equations of the last few structures of models, traced and compiled once: values are inputs."""
    # what reads numbers of its model keeps it: no other has its id
    own = () if equations.of_structure else (id(model), content(model.gravity))
    structure, decided = model.structure(), equations.decided(model)
    key = equations, structure, decided, *own
    entry = _KEPT.pop(key, None)
    if entry is None:
        entry = _found(equations, model, structure, decided)
    entry.used = True
    _KEPT[key] = entry
    while len(_KEPT) > _MOST_KEPT:
        _KEPT.pop(next(iter(_KEPT)), None)  # another thread may have been faster
    system: Equations = entry.system
    return system


def _found(equations: type[System], model: Model, structure: tuple[Any, ...], decided: Any) -> _Entry:
    if not equations.of_structure:
        with CLOCK.on("tracing"):
            return _Entry(equations(model), None)
    own, name = model.copy(), snapshots.key_of(equations, model, structure, decided)
    system = snapshots.load(name, own) if name is not None else None
    if not isinstance(system, equations):
        with CLOCK.on("tracing"):
            system = equations(own)
    return _Entry(system, name)


def keep() -> None:
    """Write snapshots of the systems that were used since the last time, if anything was traced: after an analysis."""
    _write([entry for entry in _KEPT.values() if entry.used])


@atexit.register
def _keep_all() -> None:
    """Write what was traced when channels of an answer were read."""
    _write(list(_KEPT.values()))


def _write(entries: list[_Entry]) -> None:
    global _written
    if _written == CLOCK.traced:
        return
    _written = CLOCK.traced
    for entry in entries:
        entry.used = False
        if entry.name is not None:
            snapshots.store(entry.name, entry.system)
