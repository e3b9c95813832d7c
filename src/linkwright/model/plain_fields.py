"""Kinds of data that are numbers or words: see `fields`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkwright.bounds import shown
from linkwright.errors import ModelError
from linkwright.model.bodies import Body
from linkwright.model.values import as_scalar, exactly, is_sequence
from linkwright.words import choices, spelled

if TYPE_CHECKING:
    from linkwright.model.model import Model


@dataclass(frozen=True)
class Kind:
    """Base. `take` makes the value what the element keeps; `settle` checks it against a model, and reads texts. takes: the
    units a text may have there, which are those in the docstring of the element's class; "" where any may be right."""

    optional: bool = False
    takes: str = ""

    def take(self, value: Any) -> Any:
        return value

    def settle(self, value: Any, model: Model) -> Any:
        return value

    def bodies(self, value: Any) -> tuple[Body, ...]:
        """The bodies the value is fixed to."""
        return ()


@dataclass(frozen=True)
class NumberKind(Kind):
    """A number, or an expression of parameters (a text becomes one). sign: "positive", "nonnegative", "nonzero" or ""."""

    sign: str = ""

    def take(self, value: Any) -> Any:
        return value if isinstance(value, str) else as_scalar(value, "it")

    def settle(self, value: Any, model: Model) -> Any:
        value = model.scalar(value, "it", self.takes)
        number = model.value(value)
        good = {"positive": number > 0, "nonnegative": number >= 0, "nonzero": number != 0, "": True}[self.sign]
        if not good:
            wanted = {"positive": "positive", "nonnegative": "zero or more", "nonzero": "other than zero"}[self.sign]
            raise ModelError(f"it must be {wanted}, but is {number:g}", remedy=f"give a number that is {wanted}")
        return value


@dataclass(frozen=True)
class NumbersKind(Kind):
    """So many numbers; size 0: as many as the model has dimensions, negative: any number of them."""

    size: int = 0

    def take(self, value: Any) -> Any:
        if not is_sequence(value):
            raise ModelError(f"it needs several numbers, not {value!r}", remedy="give a sequence")
        return tuple(NumberKind().take(x) for x in value)

    def settle(self, value: Any, model: Model) -> Any:
        size = len(value) if self.size < 0 else self.size or model.dimension
        return tuple(model.scalar(x, "it", self.takes) for x in exactly(value, size, "it"))


@dataclass(frozen=True)
class MatrixKind(Kind):
    """A square matrix of numbers, or its diagonal: 3 x 3 in the plane (x, y, angle), 6 x 6 in space."""

    def take(self, value: Any) -> Any:
        if not is_sequence(value):
            raise ModelError(f"it needs a matrix or its diagonal, not {value!r}", remedy="give a sequence of numbers")
        if any(map(is_sequence, value)):
            return tuple(NumbersKind().take(row) for row in value)
        diagonal = NumbersKind().take(value)
        return tuple(tuple(x if i == j else 0.0 for j in range(len(diagonal))) for i, x in enumerate(diagonal))

    def settle(self, value: Any, model: Model) -> Any:
        n = 3 if model.dimension == 2 else 6
        return tuple(NumbersKind(size=n, takes=self.takes).settle(row, model) for row in exactly(value, n, "it"))


@dataclass(frozen=True)
class TruthKind(Kind):
    """True or False."""

    def take(self, value: Any) -> Any:
        if not isinstance(value, bool):
            raise ModelError(f"it cannot be {shown(value)}", remedy="give True or False")
        return value


@dataclass(frozen=True)
class ChoiceKind(Kind):
    """One of a few words."""

    words: tuple[str, ...] = ()

    def take(self, value: Any) -> Any:
        value = spelled(value, self.words)
        if not isinstance(value, str) or value not in self.words:
            raise ModelError(f"it cannot be {shown(value)}", remedy=choices(str(value), self.words))
        return value
