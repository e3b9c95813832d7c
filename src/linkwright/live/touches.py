"""Where bodies press on each other in a page, and which way: places, normals and directions of friction of all contacts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from linkwright import model as m
from linkwright.analyses.machine.machine import Machine
from linkwright.compile import Function
from linkwright.graph import Scalar
from linkwright.live.bundle import Bundle
from linkwright.system import slipping, touch


@dataclass(frozen=True, eq=False)
class Touches:
    """The pairs of what may touch, of every contact, in the order of the elements."""

    machine: Machine

    @cached_property
    def pairs(self) -> list[tuple[m.Contact, touch.Pair]]:
        g = self.machine.geometry
        contacts = [e for e in g.model.elements.values() if isinstance(e, m.Contact)]
        return [(e, pair) for e in contacts for pair in touch.pairs(g, e)]

    def arrows(self, known: Callable[[str], bool]) -> list[dict[str, Any]]:
        """One of each pair: the force on the body of P, pressing and rubbing."""
        out = []
        for k, (e, pair) in enumerate(self.pairs):
            end = f"_{pair.part}" if pair.part else ""
            rubbing = [f"{e.name}.{c}{end}" for c in slipping.channels(self.machine.geometry)]
            if known(f"{e.name}.force{end}"):
                out.append({
                    "element": e.name, "applied": True, "touch": k,
                    "sizes": [f"{e.name}.force{end}", *(c for c in rubbing if known(c))],
                })  # fmt: skip
        return out

    def put_into(self, bundle: Bundle) -> None:
        """Of each pair the place and the unit vectors of its channels, ground axes."""
        if not self.pairs:
            return
        g, found = self.machine.geometry, list[Scalar]()
        for e, pair in self.pairs:
            rubbing = slipping.directions(g, e, pair)
            for vector in (pair.place, pair.normal, *rubbing):
                found += list(vector)
        inputs = {name: self.machine.system.inputs[name] for name in ("q", "t", "b")}
        bundle.add("touching", Function(f"{g.model.name}: touching", inputs, {"values": found}))
