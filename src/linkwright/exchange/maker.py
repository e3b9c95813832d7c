"""What readers of other programs' files share: names that are kept where they can be, notes of what is not carried over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from linkwright.errors import ModelError
from linkwright.exchange.large import eased
from linkwright.exchange.xml import Tag
from linkwright.model import SpatialModel
from linkwright.model.files import FileError
from linkwright.model.grammar import RESERVED
from linkwright.model.names import GROUND, LONGEST, is_call
from linkwright.model.tracing import QUANTITIES
from linkwright.words import listed

MOST_NAMED = 12


class Maker:
    """A model that is being made from a file."""

    def __init__(self, model: SpatialModel) -> None:
        self.model = model
        self.lost: dict[str, list[str]] = {}

    # -- notes -------------------------------------------------------------------------------------------------------------
    def lose(self, what: str, name: str) -> None:
        """Remember that something of `name` has no counterpart; `what` is the sentence that the names follow."""
        names = self.lost.setdefault(what, [])
        if name not in names:
            names.append(name)

    def finish(self) -> SpatialModel:
        for what, name in eased(self.model):
            self.lose(what, name)
        self.model.notes[:] = [f"{what}: {listed(names, MOST_NAMED)}" for what, names in self.lost.items()]
        return self.model

    # -- names -------------------------------------------------------------------------------------------------------------
    def name(self, given: str, kind: str, second: str = "") -> str:
        """The name itself where it may be one, else the nearest that may, which is noted."""
        name = "".join("_" if c in ".`" or not c.isprintable() else c for c in given).strip()[: LONGEST - 20] or kind
        if is_call(name):
            name = name.replace("(", "[")
        if name in RESERVED or name in QUANTITIES or name == GROUND:
            name += f"_{kind}"
        if name in self.model:
            free = name + (second or f"_{kind}")
            number = 2
            while free in self.model:
                free, number = f"{name}{second or f'_{kind}'}_{number}", number + 1
            name = free
        if given and name != given:
            self.lose("names that are taken or cannot be names here", f"the {kind} {given!r} is {name!r}")
        return name

    def beside(self, name: str, what: str) -> str:
        """The name of an element that belongs to another one: "elbow damping"."""
        out, number = f"{name} {what}", 2
        while out in self.model:
            out, number = f"{name} {what} {number}", number + 1
        return out


@contextmanager
def at(tag: Tag) -> Iterator[None]:
    """Errors of the model within are told with the place in the file."""
    try:
        yield
    except FileError:
        raise
    except ModelError as error:
        raise FileError(
            error.cause, file=tag.file, line=tag.line, column=tag.column, element=error.element, remedy=error.remedy
        ) from error
