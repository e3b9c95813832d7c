"""Friction in joints of a looped machine: generalised friction forces for given multipliers of the joint."""

from __future__ import annotations

from typing import Any

from linkwright.compile import Function
from linkwright.graph import Expr, Scalar, substitute
from linkwright.system.friction import generalised
from linkwright.system.looped.group import Group
from linkwright.system.mechanics import Mechanics


def rubbing(group: Group) -> Function:
    """Of a group of friction elements: q and v of each body, t, constants, lam of the joint -> the force on each body."""
    with group.naming():
        system = Mechanics(group.standin.own)
    slices, n = list(system.coordinates.body_slices().values()), system.coordinates.per_body[1]
    Q = generalised(system.frictions, [f.force for f in system.frictions])
    total: list[Scalar] = [Q.get(k, 0.0) for k in range(system.nv)]
    counted: dict[Expr, Scalar] = {r: 0.0 for r, _ in system.geometry.turns.values()}  # turns change no speed
    total = substitute(total, counted) if counted else total
    x = system.inputs
    inputs: dict[str, Any] = {f"q{k}": x["q"][at] for k, (at, _) in enumerate(slices)}
    inputs |= {f"v{k}": x["v"][at] for k, (_, at) in enumerate(slices)}
    inputs |= {"t": x["t"], "b": x["b"], "lam": system.lam}
    return Function("friction", inputs, {f"Q{k}": total[k * n : k * n + n] for k in range(len(slices))})
