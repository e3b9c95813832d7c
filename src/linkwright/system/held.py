"""Contacts that are closed and stay so: their gaps are equations, as those of joints are, while the bodies press."""

from __future__ import annotations

from collections.abc import Sequence

from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Expr, Scalar
from linkwright.system.constraints import Row
from linkwright.system.friction import frictions
from linkwright.system.mechanics import Mechanics
from linkwright.system.reactions import Reactions
from linkwright.system.switches import Switch, found


class HeldMechanics(Mechanics):
    """The equations of a machine and those of the gaps of some of its impacts, as the last rows.

    Coordinates, turns and loads are those of the machine itself, so that states are the same. Outputs are, too, but for
    the efforts of what is held.
    """

    def __init__(self, base: Mechanics, held: Sequence[int]) -> None:
        self.base, self.held = base, tuple(held)
        self.model, self.coordinates, self.geometry = base.model, base.coordinates, base.geometry
        self.phases, self.senses, self.constants, self.loads = base.phases, base.senses, base.constants, base.loads
        impacts = [base.loads.impacts[k] for k in held]
        own = [Row(f"{i.name}.contact", base.model.elements[i.element], i.gap) for i in impacts]
        self.rows = [*base.rows, *own]
        self.frictions = frictions(self)

    @classmethod
    def of(cls, base: Mechanics, held: Sequence[int]) -> Mechanics:
        """Made once for each set of contacts."""
        if not held:
            return base
        known: dict[tuple[int, ...], HeldMechanics] = vars(base).setdefault("_held", {})
        key = tuple(held)
        if key not in known:
            known[key] = cls(base, key)
        return known[key]

    def _press(self, k: int) -> Scalar:
        """The force by which the bodies of the k-th impact press: along its gap."""
        force: Scalar = -self.lam[len(self.base.rows) + self.held.index(k)]
        return force

    def press(self, k: int) -> Expr:
        """The same as an output that can be watched."""
        return self.output_symbols[f"press:{k}"]

    @property
    def switches(self) -> list[Switch]:
        """Also where other features of closed contacts touch: their rows have other curvatures there."""
        impacts = [self.loads.impacts[k] for k in self.held]
        return [*self.loads.switches, *[s for i in impacts for s in found(i.element, [i.gap])]]

    @cached_property
    def outputs(self) -> dict[str, Scalar]:
        return {**super().outputs, **{f"press:{k}": self._press(k) for k in self.held}}

    @property
    def joints(self) -> list[str]:
        return self.base.joints

    @cached_property
    def reaction_channels(self) -> dict[str, Scalar]:
        reactions = Reactions(self, list(self.lam))
        for k in self.held:
            reactions.rows.pop(self.loads.impacts[k].element, None)
        return reactions.channels()

    @cached_property
    def effort_channels(self) -> dict[str, Scalar]:
        out = dict(super().effort_channels)
        for k in self.held:
            impact = self.loads.impacts[k]
            for name in impact.forces:
                out[name] = out[name] + impact.sense * self._press(k)
        return out
