"""Large machines that were built before, by their structure: a second run of one builds, traces and compiles nothing.

A `LoopedSystem` is one set of numbers. It is lent to one run at a time, and comes back when that is over; another run of the
same machine meanwhile, in another thread or within a law, has one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock

from linkwright.compile.clock import CLOCK
from linkwright.graph import Expr, symbol
from linkwright.model import Model
from linkwright.system import System
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.formula import SPECIAL
from linkwright.system.looped.groups import groups
from linkwright.system.looped.told import output_names
from linkwright.system.mechanics import OUTPUT

_MOST = 8  # systems that are kept; those that were used longest ago go first
_KEPT: list[tuple[object, LoopedSystem]] = []
_NAMES: list[tuple[object, list[str]]] = []
_LOCK = Lock()


@contextmanager
def lent(model: Model, flagged: bool, watched: Mapping[str, Expr], back: bool = True) -> Iterator[LoopedSystem]:
    """Lend the system `LoopedSystem(model, flagged=flagged, watched=watched)`. Nobody may keep it, unless it does not come
    `back`."""
    key = _key(model, flagged, watched)
    system = _taken(key)
    if system is None:
        with CLOCK.on("tracing"):
            system = LoopedSystem(model, flagged=flagged, watched=watched)
    else:
        system.adopt(model)
    yield system
    # a run that failed may have left anything in it: it is not kept
    with _LOCK:
        _KEPT.extend([(key, system)] if back else [])
        del _KEPT[:-_MOST]


def output_symbols(model: Model) -> dict[str, Expr]:
    """The symbols of outputs, see `Mechanics.output_symbols`."""
    key = model.structure()
    with _LOCK:
        known = next((names for other, names in _NAMES if other == key), None)
    if known is None:
        bodies = [b.name for b in model.bodies.values() if not b.is_ground]
        known = list(output_names(groups(model), bodies, model.dimension))
        with _LOCK:
            _NAMES.append((key, known))
            del _NAMES[:-_MOST]
    return {name: symbol(OUTPUT + name) for name in known}


def forget() -> None:
    with _LOCK:
        _KEPT.clear()
        _NAMES.clear()


def _taken(key: object) -> LoopedSystem | None:
    with _LOCK:
        for k, (known, system) in enumerate(_KEPT):
            if known == key:
                del _KEPT[k]
                return system
    return None


def _key(model: Model, flagged: bool, watched: Mapping[str, Expr]) -> object:
    """The structure of a model, what its numbers decide, and the watched quantities. These are in terms of this very model,
    which the system keeps, so that no other model has its id."""
    gravity = tuple(g if g in SPECIAL else None for g in map(model.value, model.gravity))
    asked = (id(model), *((name, id(x)) for name, x in watched.items())) if watched else ()
    return model.structure(), System.decided(model), gravity, flagged, asked
