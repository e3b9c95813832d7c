"""Whether a model is still what it was: a glance at its parts, a hundred times quicker than reading all that is in them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from operator import attrgetter, is_
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from linkwright.model.content import may_mean_another
from linkwright.model.elements import Element

if TYPE_CHECKING:
    from linkwright.model.model import Model
T = TypeVar("T")

_OF_BODIES = attrgetter("mass", "inertia", "com", "estimate", "shape")
# Elements that mean the same whenever they are read. They are frozen: what is known of one stays true.
_CONSTANT: WeakKeyDictionary[Element, bool] = WeakKeyDictionary()


class Marks:
    """The parts of a model as they are now. They are held, so that no other part can take the place of one unnoticed."""

    def __init__(self, model: Model) -> None:
        self.values, self.parts = _seen(model)

    def still(self, model: Model) -> bool:
        """Whether the model has the same parts now."""
        values, parts = _seen(model)
        return len(parts) == len(self.parts) and all(map(is_, parts, self.parts)) and values == self.values


def _seen(model: Model) -> tuple[list[Any], list[Any]]:
    """Names and values of parameters; and all other parts."""
    numbers, bodies = model._parameters, model._bodies
    parts = [model._gravity, *bodies, *model._elements.values(), *chain.from_iterable(model._fixed.items())]
    parts += chain.from_iterable(map(_OF_BODIES, bodies.values()))
    return [*numbers, *numbers.values()], parts


def marks(model: Model) -> Marks | None:
    """None where some law is a Python function: that may mean something else another time."""
    return Marks(model) if _is_lasting(model) else None


def _is_lasting(model: Model) -> bool:
    """Whether its elements mean the same whenever they are read."""
    return all(map(_is_constant, model.elements.values()))


def _is_constant(element: Element) -> bool:
    known = _CONSTANT.get(element)
    if known is None:
        known = _CONSTANT[element] = not may_mean_another(element)
    return known


class Lately(Generic[T]):
    """The last few things that were made of models, each as long as its model stays what it was."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._known: list[tuple[Model, Marks, object, T]] = []

    def found(self, model: Model, asked: object) -> T | None:
        """What was made of the model for what is `asked`, if it is known."""
        with self._lock:
            for k in range(len(self._known) - 1, -1, -1):
                own, then, before, known = self._known[k]
                if own is model and before == asked and then.still(model):
                    if k < len(self._known) - 1:
                        self._known.append(self._known.pop(k))
                    return known
        return None

    def made(self, model: Model, asked: object, make: Callable[[], T]) -> T:
        """What was made of the model for what is `asked`, or what is made now."""
        known = self.found(model, asked)
        if known is not None:
            return known
        now, new = Marks(model), make()
        if not _is_lasting(model):
            return new
        with self._lock:
            self._known = [entry for entry in self._known if entry[0] is not model or entry[1].still(model)]
            self._known.append((model, now, asked, new))
            del self._known[: -self._most]
        return new

    def forget(self) -> None:
        with self._lock:
            self._known.clear()
