"""What an element does to the machine: generalised forces, by the number of the velocity they work on."""

from __future__ import annotations

from dataclasses import dataclass, field

from linkwright.graph import Scalar

Generalised = dict[int, Scalar]


def total(*parts: Generalised) -> Generalised:
    """Their sum."""
    out: Generalised = {}
    for part in parts:
        for k, value in part.items():
            out[k] = out.get(k, 0.0) + value
    return out


@dataclass(frozen=True, eq=False)
class Load:
    """What an element does to the machine.

    Q: its generalised force; V: its potential energy, None if it has none (then Q v is its power); damped: the part of Q
    that V does not tell, which vanishes at rest; effort: what a user calls its force, by channel ("force", "torque");
    unit: the generalised force of one unit of it.
    """

    name: str
    Q: Generalised
    V: Scalar | None = None
    effort: dict[str, Scalar] = field(default_factory=dict)
    unit: Generalised = field(default_factory=dict)
    damped: Generalised = field(default_factory=dict)
