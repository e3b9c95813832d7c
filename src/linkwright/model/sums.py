"""Sums of quantities that are zero together: what a `Balance` asks, written out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from linkwright.graph import Scalar
from linkwright.model.elements import Element
from linkwright.model.fields import QuantityKind, Real
from linkwright.model.plain_fields import Kind

if TYPE_CHECKING:
    from linkwright.model.model import Model


@dataclass(frozen=True)
class SumsKind(Kind):
    """Quantities, with or without velocities."""

    def settle(self, value: Any, model: Model) -> Any:
        return tuple(QuantityKind(velocity=True).settle(x, model) for x in value)


@dataclass(frozen=True, eq=False, repr=False)
class Sums(Element):
    """Each of `sums` is zero; their names, with spaces between. Machines in loops are made of it, models are not."""

    sums: Annotated[tuple[Real, ...], SumsKind()]
    names: Annotated[str, Kind()]

    def rows(self) -> dict[str, Scalar]:
        return dict(zip(self.names.split(), self.sums, strict=True))
