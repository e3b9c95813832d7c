"""What readers of other programs' files share: names that are kept where they can be, notes of what is not carried over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from linkwright import size_policy
from linkwright.errors import ModelError
from linkwright.exchange.pose_inertia import PoseInertia
from linkwright.exchange.xml import Tag
from linkwright.model import Friction, SpatialModel, Stop
from linkwright.model.changes import put_element
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


# Robots of many bodies, made so that they run: what sticks or comes to rest is compiled as a whole, which takes minutes
# for a machine that loops over its elements do in seconds. Friction is smooth there, and limits are soft.

TRANSITION = 1e-2  # [rad/s, m/s] below which friction grows with the speed: ten times wider is ten times less stiff
REACTION = 0.02  # [s] the time constant of limits, as that of constraints in MuJoCo
_WHEN = f"in machines of {size_policy.LOOPED} bodies and more"
SMOOTH = f"friction is smooth, it creeps where it would stick, {_WHEN} (give the elements stick=True for stiction)"
SOFT = f"limits are soft, with a time constant of {REACTION:g} s, {_WHEN} (give the elements restitution=0 for hard ones)"
LEFT = f"limits that are not of a joint are not carried over {_WHEN}"


def eased(model: SpatialModel) -> list[tuple[str, str]]:
    """The model changed, and of what: a sentence, and a name."""
    if not size_policy.is_looped(len(model.bodies) - 1):
        return []
    told = []
    for name, e in list(model.elements.items()):
        if isinstance(e, Friction) and e.stick:
            put_element(model, replace(e, stick=False, transition=TRANSITION))
            told.append((SMOOTH, name))
    stops = [e for e in model.elements.values() if isinstance(e, Stop) and e.restitution is not None]
    inertia = PoseInertia(model) if stops else None
    for e in stops:
        J = 0.0
        if inertia is not None and e.quantity.op == "symbol":
            J = inertia.moved(str(e.quantity.data).rpartition(".")[0])
        if J > 0:
            put_element(model, replace(e, k=J / REACTION**2, c=2 * J / REACTION, restitution=None))
        else:
            del model._elements[e.name]
        told.append((SOFT if J > 0 else LEFT, e.name))
    return told
