"""What would mend a machine, as data: changes by name that can be made in a copy of its model, and looked at before."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from linkwright.calls import Answering
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar
from linkwright.model.body_numbers import read_inertia
from linkwright.model.elements import Element, kinds
from linkwright.model.names import GROUND, suggestion
from linkwright.model.points import CurveOn, Point
from linkwright.model.quantities import written

if TYPE_CHECKING:
    from linkwright.model.model import Model

M = TypeVar("M", bound="Model")


@dataclass(frozen=True)
class At:
    """A point of a body by the body's name: it can be made in every copy."""

    body: str
    s: tuple[Scalar, ...]
    angle: Scalar | None = None
    rotation: Any = None  # rows of three

    @staticmethod
    def of(P: Point, angle: Scalar | None = None, rotation: Any = None) -> At:
        """A point as it is, or with another direction or frame."""
        frame = P.rotation if rotation is None else tuple(tuple(map(float, row)) for row in rotation)
        return At(P.body.name, P.s, P.angle if angle is None else angle, frame)

    def point(self, m: Model) -> Point:
        return Point(m.bodies[self.body], self.s, self.angle, self.rotation)


@dataclass(frozen=True)
class Change:
    """Base: one change of a model, made in place; callers make it in a copy."""

    def make(self, m: Model) -> None:
        raise NotImplementedError

    def data(self) -> dict[str, Any]:
        """For programs that are not written in Python."""
        return {"change": type(self).__name__, **{f.name: _plain(getattr(self, f.name)) for f in fields(self)}}


@dataclass(frozen=True)
class Remove(Change):
    """An element, a parameter or a body is left out."""

    name: str

    def make(self, m: Model) -> None:
        for own in (m._elements, m._parameters, m._bodies):
            if self.name in own and self.name != GROUND:
                del own[self.name]
                return
        raise ModelError(f"there is no {self.name!r} to remove", element=self.name, remedy=suggestion(self.name, m))


@dataclass(frozen=True)
class Replace(Change):
    """An element is replaced by one of another class between the same ends; `more`: its further fields."""

    name: str
    kind: type[Element]
    more: tuple[tuple[str, Any], ...] = ()

    def make(self, m: Model) -> None:
        old = m._element(self.name)
        names = list(kinds(self.kind))
        ends = [getattr(old, n) for n, k in kinds(type(old)).items() if isinstance(getattr(old, n), Point)]
        given = dict(zip(names, ends, strict=False))
        given.update({n: _given(m, x) for n, x in self.more})
        put_element(m, self.kind(self.name, **given))


@dataclass(frozen=True)
class Put(Change):
    """A field of an element or of a body, or a parameter (no field), gets another value."""

    name: str
    field: str
    value: Any

    def make(self, m: Model) -> None:
        value = _given(m, self.value)
        if self.name in m.parameters:
            m._parameters[self.name] = float(value)
        elif self.name in m.bodies:
            body = m.bodies[self.name]
            setattr(body, self.field, read_inertia(m, value) if self.field == "inertia" else _scalars(m, value))
        else:
            put_element(m, replace(m._element(self.name), **{self.field: value}))


@dataclass(frozen=True)
class Guess(Change):
    """The estimate of a body is another one."""

    body: str
    position: tuple[float, ...] | None = None
    angle: float | None = None
    orientation: tuple[float, ...] | None = None

    def make(self, m: Model) -> None:
        m.bodies[self.body].guess(position=self.position, angle=self.angle, orientation=self.orientation)


@dataclass(frozen=True)
class Gravity(Change):
    """Gravity is another one."""

    value: tuple[float, ...]

    def make(self, m: Model) -> None:
        m.gravity = self.value


@dataclass(frozen=True)
class Unfix(Change):
    """A quantity is no longer fixed at the start."""

    quantity: str

    def make(self, m: Model) -> None:
        for own in [q for q in m._fixed if str(q) == self.quantity]:
            del m._fixed[own]


@dataclass(frozen=True)
class Add(Change):
    """A further element; `given`: its fields, points as `At`, quantities and motions as texts."""

    name: str
    kind: type[Element]
    given: tuple[tuple[str, Any], ...]

    def make(self, m: Model) -> None:
        m.add(self.kind(self.name, **{n: _given(m, x) for n, x in self.given}))


@dataclass(frozen=True, eq=False)
class Fix(metaclass=Answering):
    """A remedy that was tried: changes of a model, and what `check` says of a copy that has them.

    Parameters
    ----------
    text : str
        What is changed, in words.
    changes : tuple of changes
        The same as data, each about one element, body or parameter by its name.
    outcome : str
        What `check` says of the copy.

    Examples
    --------
    >>> m = lw.PlanarModel("crank")
    >>> arm = m.body("arm")
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    >>> motor = m.add(lw.Driver("motor", pin.angle, "t"))
    >>> second = m.add(lw.Driver("second", arm.angle, "t"))
    >>> [found] = lw.check(m).findings
    >>> [fix.text for fix in found.fixes]
    ['remove second', 'remove motor']
    >>> lw.check(found.fixes[0].apply(m)).ok, "second" in m
    (True, True)
    """

    text: str
    changes: tuple[Change, ...]
    outcome: str = ""

    def apply(self, model: M) -> M:
        """Make the changes in a copy.

        Parameters
        ----------
        model : Model
            The machine; it stays as it is.

        Returns
        -------
        Model
            The mended copy.

        Raises
        ------
        ModelError
            The model is not the one that the remedy is for.
        """
        new = model.copy()
        for change in self.changes:
            change.make(new)
        new.validate()
        return new

    def data(self) -> dict[str, Any]:
        """Give the remedy as numbers and texts.

        Returns
        -------
        dict
            text, outcome and changes.
        """
        return {"text": self.text, "outcome": self.outcome, "changes": [c.data() for c in self.changes]}

    def __str__(self) -> str:
        return f"{self.text}: {self.outcome}" if self.outcome else self.text

    __repr__ = __str__


def put_element(m: Model, element: Element) -> None:
    """In the place of the element of the same name."""
    m._elements[element.name] = element
    element.settle(m)


def _given(m: Model, value: Any) -> Any:
    if isinstance(value, CurveOn):
        return replace(value, body=m.bodies[value.body.name])
    return value.point(m) if isinstance(value, At) else value


def _scalars(m: Model, value: Any) -> Any:
    return tuple(_scalars(m, x) for x in value) if isinstance(value, tuple) else m.scalar(value, "it")


def _plain(value: Any) -> Any:
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, At):
        return {n: _plain(getattr(value, n)) for n in ("body", "s", "angle", "rotation") if getattr(value, n) is not None}
    if isinstance(value, tuple | list):
        return [_plain(x) for x in value]
    if isinstance(value, dict):
        return {k: _plain(x) for k, x in value.items()}
    return written(value) if isinstance(value, Expr) else value if isinstance(value, int | float | str) else str(value)
