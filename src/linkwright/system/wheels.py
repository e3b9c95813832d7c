"""Gears, belts and ropes that are forces: elastic ones, and the pretension of belts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright import model as m
from linkwright.graph import absolute
from linkwright.model.values import is_some
from linkwright.system import meshes, ropes
from linkwright.system.constraints import Traced
from linkwright.system.load import Generalised, Load, total
from linkwright.system.reactions import WRENCH, wrench_on

if TYPE_CHECKING:
    from linkwright.system.forces import Loads


def _gear(t: Loads, e: m.Gear) -> list[Load]:
    """The load of elastic teeth: along the slip of the pitch circles, and what pushes the gears apart, which has no
    potential."""
    if not e.elastic:
        return []
    traced = Traced(t.g)
    s = meshes.slip(traced, e)
    F, stored, V = meshes.teeth(t, e, s)
    along, loose, more = t.along(s, -F), t.along(s, stored - F) if is_some(e.c) else {}, meshes.apart(t, e)
    pushed = {} if more is None else {column: more.share * absolute(F) * d for column, d in more.direction.items()}
    told = meshes.told(t.g, e, meshes.tangential(t.g, e, F)) | traced.told(e)
    return _between_wheels(t, e, Load(e.name, along, V, told, damped=loose), pushed)


def _belt(t: Loads, e: m.Belt) -> list[Load]:
    if not e.elastic:
        return (
            [Load(e.name, ropes.pretension(t, e), e.pretension * ropes.strands(t.g, e).length)]
            if is_some(e.pretension)
            else []
        )
    s, traced = ropes.strands(t.g, e), Traced(t.g)
    pull = ropes.belt(t, e, s, s.slip - traced.phase(e, e.phase, lambda: s.slip))
    told = pull.told | traced.told(e)
    return _between_wheels(t, e, Load(e.name, pull.Q, pull.V, told, damped=pull.damped), pull.without)


def _between_wheels(t: Loads, e: m.Gear | m.Belt, load: Load, without: Generalised) -> list[Load]:
    """The forces between wheels, told as of a joint: on the second body, at its centre; `without`: what has no potential."""
    body, sign = (e.centre_j.body, 1.0) if not e.centre_j.body.is_ground else (e.centre_i.body, -1.0)
    wrench = wrench_on(t.g.coordinates, body, total(load.Q, without), np.array(t.g.point(e.centre_j), dtype=object))
    effort = dict(zip(WRENCH[t.g.dimension], [sign * x for x in wrench], strict=True)) | load.effort
    return [replace(load, effort=effort), *([Load(e.name, without)] if without else [])]


def _rope(t: Loads, e: m.Rope) -> list[Load]:
    if not e.elastic:
        return []
    length, traced = ropes.way(t.g, e).length, Traced(t.g)
    pull = ropes.rope(t, e, length - traced.phase(e, e.length, lambda: length))
    return [Load(e.name, pull.Q, pull.V, pull.told | traced.told(e), damped=pull.damped)]


RULES: dict[type, Callable[[Any, Any], list[Load]]] = {m.Gear: _gear, m.Belt: _belt, m.Rope: _rope}
