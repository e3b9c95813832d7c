"""Scripts of a looped machine for qdot, and for coordinates that are displaced: body by body, by the functions of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwright.compile import Function
from linkwright.equations import rotations
from linkwright.system.looped.simple import added, copied

if TYPE_CHECKING:
    from linkwright.system.looped.layout import Layout


def write_kinematics(at: Layout) -> None:
    one = at.masses[0].coordinates
    d = one.displacement_symbols()
    displaced = Function("retract", {"q": one.q, "d": d}, {"q": one.retracted(d)})
    qdot = one.v if at.model.dimension == 2 else [*one.v[:3], *rotations.euler_rates(one.q[3:], one.v[3:])]
    rates = Function("rates", {"q": one.q, "v": one.v}, {"qdot": qdot})
    n, k = at.per_body
    for b in range(len(at.bodies)):
        q, v = at.y + n * b, at.y + at.nq + k * b
        at.scripts["rates"].add(rates, [q, v], [at.qdot + n * b])
        at.scripts["retract"].add(displaced, [q, at.x + k * b], [at.moved + n * b])
    for curve in range(len(at.bodies), at.movable):
        q, v = at.starts(curve)
        at.scripts["rates"].add(copied(), [at.y + at.nq + v], [at.qdot + q])
        at.scripts["retract"].add(added(), [at.y + q, at.x + v], [at.moved + q])
