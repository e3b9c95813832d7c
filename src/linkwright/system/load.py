"""Loads: the generalised forces of elements, by the number of the velocity they work on."""

from __future__ import annotations

from dataclasses import dataclass, field

from linkwright.graph import Expr, Scalar

Generalised = dict[int, Scalar]


def total(*parts: Generalised) -> Generalised:
    """The sum of generalised forces."""
    out: Generalised = {}
    for part in parts:
        for k, value in part.items():
            out[k] = out.get(k, 0.0) + value
    return out


@dataclass(frozen=True)
class Setpoint:
    """The effect of a unit of a controller's target: on its effort, at once and by its rate; on the rates of states."""

    by: Scalar
    by_rate: Scalar
    rates: dict[Expr, Scalar]


def effort_channels(turning: bool) -> tuple[str, ...]:
    """The channels of the effort of a force element along any quantity. A torque is readable as NAME.force too: older
    results and models call it so."""
    return ("force", "torque") if turning else ("force",)


@dataclass(frozen=True, eq=False)
class Load:
    """The action of an element on the machine.

    Q: its generalised force; V: its potential energy, None if it has none (then Q v is its power); damped: the part of Q
    that V does not tell, which vanishes at rest; effort: what a user calls its force, by channel ("force", "torque"); unit:
    the generalised force of one unit of its input, of a motor a volt, of others a newton (metre) more; rates: how much
    faster states change by it; through: see `at_once`; setpoint: of a controller, whose input its target is, too.
    """

    name: str
    Q: Generalised
    V: Scalar | None = None
    effort: dict[str, Scalar] = field(default_factory=dict)
    unit: Generalised = field(default_factory=dict)
    damped: Generalised = field(default_factory=dict)
    rates: dict[Expr, Scalar] = field(default_factory=dict)
    through: dict[str, Scalar] = field(default_factory=dict)
    setpoint: Setpoint | None = None

    @property
    def is_input(self) -> bool:
        return bool(self.unit or self.rates)

    @property
    def at_once(self) -> dict[str, Scalar]:
        """The immediate effect of a unit of its input on its own channels: of most elements the force or torque itself."""
        return self.through or {c: 1.0 for c in ("force", "torque") if c in self.effort}
