"""Shapes of elements: the shape of an element is all of it but its numbers and the names of its bodies.

Elements of one shape obey one set of equations with different numbers. `read` takes an element apart; `Standin` puts one
together again in a model of its own, whose bodies are called "0", "1", ... and whose parameters stand for the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from linkwright.errors import CompileError, TraceError
from linkwright.graph import Expr, Scalar, free_symbols, substitute
from linkwright.model import TIME, Balance, Body, Curve, Element, Model, Point
from linkwright.model import elements as model_elements
from linkwright.model import quantities as q
from linkwright.model.balance import written
from linkwright.model.curves import ALPHA
from linkwright.model.fields import ComponentsKind, JointKind, LawKind, MotionKind
from linkwright.model.motions import Motion, Table
from linkwright.model.plain_fields import Kind
from linkwright.model.values import argument_symbol, is_argument, law_symbols, parameter_name
from linkwright.system.looped.formula import SPECIAL, Formula
from linkwright.system.mechanics import OUTPUT


class _Walk:
    """A visitor of all parts of an element, in a fixed order; subclasses say what becomes of numbers, bodies and the
    rest."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def number(self, x: Scalar) -> Any:
        raise NotImplementedError

    def body(self, body: Body) -> Any:
        raise NotImplementedError

    def made(self, kind: type, parts: dict[str, Any]) -> Any:
        raise NotImplementedError

    def formula(self, value: Formula, parts: list[Any], arguments: tuple[str, ...]) -> Any:
        """An expression; parts: what became of its symbols."""
        raise NotImplementedError

    def element(self, e: Element) -> Any:
        if isinstance(e, Balance):  # what it asks depends on others
            e = written(e)
        parts = {name: self.field(kind, getattr(e, name)) for name, kind in model_elements.kinds(type(e)).items()}
        return self.made(type(e), parts)

    def field(self, kind: Kind, value: Any) -> Any:
        if isinstance(kind, LawKind):
            return self.law(value, kind.arguments, in_python=True)
        if isinstance(kind, MotionKind) and not isinstance(value, Motion):
            return self.law(value, ("t",))
        if isinstance(kind, ComponentsKind):
            parts = value if isinstance(value, tuple) else (value,)
            laws = tuple(self.law(x, ("t",), in_python=True) for x in parts)
            return laws if isinstance(value, tuple) else laws[0]
        if isinstance(kind, JointKind):
            return self.joint(value)
        return self.value(value)

    def law(self, law: Any, arguments: tuple[str, ...], in_python: bool = False) -> Any:
        """A law; `in_python`: one that cannot be traced is called."""
        if type(law) is float:
            return self.number(law)
        symbols = law_symbols(arguments)
        traced = self.model.traced(law, symbols) if in_python else self.model.trace(law, symbols)
        return self.called(law) if traced is None else self.value(traced, arguments)

    def called(self, law: Callable[..., Any]) -> Any:
        """A law in plain Python."""
        raise NotImplementedError

    def value(self, v: Any, arguments: tuple[str, ...] = ()) -> Any:
        if type(v) is float:
            return self.number(v)
        if type(v) is tuple:
            return tuple([self.value(x) for x in v])
        if type(v) is Expr:
            return self.expression(v, arguments)
        if isinstance(v, Point):
            return self.point(v)
        if v is None or isinstance(v, str | bool | Table):  # the points of a table are no parameters: they say what it is
            return self.word(v)
        if isinstance(v, Body):
            return self.body(v)
        if isinstance(v, Curve):
            return self.curve(v)
        if is_dataclass(v) and not isinstance(v, type):
            return self.made(type(v), {f.name: self.value(getattr(v, f.name)) for f in fields(v)})
        raise _unsupported(type(v).__name__)

    def curve(self, c: Curve) -> Any:
        """A curve: its outline is a law of its parameter; where it begins and ends is part of the shape."""
        functions = tuple(self.law(f, (ALPHA.data.rpartition(":")[2],)) for f in c.functions)
        words = {name: self.word(getattr(c, name)) for name in ("form", "start", "end", "closed")}
        return self.made(Curve, {**words, "functions": functions})

    def point(self, P: Point) -> Any:
        rotation = None if P.rotation is None else tuple([tuple([self.number(x) for x in row]) for row in P.rotation])
        angle = None if P.angle is None else self.number(P.angle)
        parts = {"body": self.body(P.body), "s": tuple([self.number(x) for x in P.s]), "angle": angle, "rotation": rotation}
        return self.made(Point, parts)

    def word(self, w: Any) -> Any:
        return w

    def expression(self, value: Expr, arguments: tuple[str, ...]) -> Any:
        found = free_symbols([value])
        if found and all(map(parameter_name, found)):
            return self.number(value)
        formula, parts = Formula.of(value, self.label), []
        for s in formula.symbols:
            if s is TIME or is_argument(s) or is_output(s):
                parts.append(self.word(s.data))
            elif parameter_name(s):
                parts.append(self.number(s))
            else:
                parts.append(self.quantity(self.model.definition(s)))
        return self.formula(formula, parts, arguments)

    def label(self, s: Expr) -> str:
        """The kind of quantity that a symbol stands for."""
        if s is TIME or is_argument(s) or is_output(s):
            return str(s.data)
        if parameter_name(s):
            return "parameter"
        d = self.model.definition(s)
        return f"{type(d).__name__} {getattr(d, 'channel', '')}"

    def quantity(self, d: q.Quantity) -> Any:
        if isinstance(d, q.JointCoordinate):
            return self.made(q.JointCoordinate, {"joint": self.joint(d.joint), "channel": self.word(d.channel)})
        return self.state(d.state) if isinstance(d, q.StateValue) else self.value(d)

    def state(self, name: str) -> Any:
        """A state of the machine, whichever element has it."""
        raise NotImplementedError

    def joint(self, name: str) -> Any:
        return self.element(self.model.elements[name])


def is_output(s: Expr) -> bool:
    """Whether a symbol is one of `Mechanics.output_symbols`, which events may have."""
    return str(s.data).startswith(OUTPUT)


def _unsupported(what: str) -> CompileError:
    return CompileError(f"{what} are not compiled in loops", remedy="compile the machine as a whole")


@dataclass
class Reading:
    """An element taken apart: its shape, its numbers (special[k]: the number if it is a special one and no expression) and
    its bodies."""

    shape: Any = None
    numbers: list[float] = field(default_factory=list)
    special: list[float | None] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    laws: list[Callable[..., Any]] = field(default_factory=list)  # in plain Python
    states: list[str] = field(default_factory=list)  # of the machine, that its laws depend on


class _Reader(_Walk):
    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.reading = Reading()
        self.joints: dict[str, int] = {}

    def number(self, x: Scalar) -> Any:
        r = self.reading
        if type(x) is Expr:
            r.numbers.append(self.model.value(x))
            r.special.append(None)
        else:
            r.numbers.append(x)  # type: ignore[arg-type]
            r.special.append(x if x in SPECIAL else None)  # type: ignore[arg-type]
        return "#"

    def body(self, body: Body) -> Any:
        if body.is_ground:
            return "ground"
        bodies = self.reading.bodies
        for k, b in enumerate(bodies):
            if b is body:
                return k
        bodies.append(body)
        return len(bodies) - 1

    def joint(self, name: str) -> Any:
        """The number of a joint among those that were met, so that the same joint is told from another like it."""
        return self.joints.setdefault(name, len(self.joints)), super().joint(name)

    def state(self, name: str) -> Any:
        """The number of a state among those that were met, so that the same state is told from another like it."""
        known = self.reading.states
        if name not in known:
            known.append(name)
        return "state", known.index(name)

    def word(self, w: Any) -> Any:
        return (Table.__name__, w.spline.digest) if isinstance(w, Table) else w

    def called(self, law: Callable[..., Any]) -> Any:
        self.reading.laws.append(law)
        return "law in Python"

    def made(self, kind: type, parts: dict[str, Any]) -> Any:
        return (kind.__name__, *parts.values())

    def formula(self, value: Formula, parts: list[Any], arguments: tuple[str, ...]) -> Any:
        marks: dict[Expr, Any] = {s: k for k, s in enumerate(value.symbols)}
        marks |= {c: self.number(c.data) for c in value.constants}
        return value.written(marks), tuple(parts)


def read(model: Model, element: Element) -> Reading:
    reader = _Reader(model)
    reader.reading.shape = reader.element(element)
    return reader.reading


class _Scalars(_Reader):
    """The numbers of an element as they are written: traced where they are expressions of parameters."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.scalars: list[Scalar] = []

    def number(self, x: Scalar) -> Any:
        self.scalars.append(x)
        return "#"


def scalars(model: Model, element: Element) -> tuple[Any, list[Scalar], list[Body]]:
    """The shape of an element, its numbers as they are written, and its bodies."""
    reader = _Scalars(model)
    shape = reader.element(element)
    return shape, reader.scalars, reader.reading.bodies


def joints_of(model: Model, element: Element) -> list[str]:
    """The joints that an element refers to, in the order in which a stand-in meets them."""
    reader = _Reader(model)
    reader.element(element)
    return list(reader.joints)


def read_value(model: Model, value: Scalar) -> Reading:
    """The reading of an expression of quantities of the model."""
    reader = _Reader(model)
    reader.reading.shape = reader.value(value)
    return reader.reading


def read_body(model: Model, body: Body) -> Reading:
    """The reading of a body's mass properties, and of the gravity it is under."""
    reader = _Reader(model)
    reader.body(body)
    inertia = body.inertia if isinstance(body.inertia, tuple) else ((body.inertia,),)
    reader.reading.shape = ("body", *[reader.value(x) for x in (body.mass, body.com, inertia, model.gravity)])
    return reader.reading


class Untraced:
    """A placeholder for a law in plain Python: the one of this number among those that a member has."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, *values: Scalar) -> Scalar:
        raise TraceError("it is called from Python", remedy="trace it")


class Standin(_Walk):
    """A model of one element (or one body), like those whose numbers are `given`: None where a parameter shall stand for the
    number.

    ``bodies``: the real ones, whose estimates the stand-ins take over; ``values``: of the numbers, for the first of them.
    """

    def __init__(
        self,
        model: Model,
        bodies: Sequence[Body],
        values: Sequence[float],
        given: Sequence[float | None],
    ) -> None:
        super().__init__(model)
        kind: Any = type(model)
        self.own: Any = kind("one element")
        self.given: Iterator[tuple[float, float | None]] = iter(list(zip(values, given, strict=True)))
        self.bodies = {
            id(b): self.own.body(str(k), position=_plain(model, b.estimate.position), **_turn(model, b))
            for k, b in enumerate(bodies)
        }
        self.joints: dict[str, Element] = {}
        self.states: dict[str, str] = {}  # by the machine's names: what they are called here
        self._laws = 0

    def called(self, law: Callable[..., Any]) -> Untraced:
        self._laws += 1
        return Untraced(self._laws - 1)

    def number(self, x: Scalar) -> Any:
        value, given = next(self.given)
        if given is not None:
            return given
        return self.own.parameter(f"c{len(self.own.parameters)}", value)

    def body(self, body: Body) -> Body:
        ground: Body = self.own.ground
        return ground if body.is_ground else self.bodies[id(body)]

    def made(self, kind: type, parts: dict[str, Any]) -> Any:
        if issubclass(kind, Element):
            return self.own.add(kind(f"e{len(self.own.elements)}", **parts))
        if kind is q.JointCoordinate:
            return parts["joint"].coordinate(parts["channel"])
        if kind is q.BodyCoordinate:
            return parts["body"].coordinate(parts["channel"])
        made = kind(**parts)
        return self.own.quantity(made) if isinstance(made, q.Quantity) else made

    def joint(self, name: str) -> Element:
        if name not in self.joints:
            self.joints[name] = super().joint(name)
        else:  # its numbers were read again: the same ones, which have their places among the others
            reader = _Reader(self.model)
            reader.element(self.model.elements[name])
            for x in reader.reading.numbers:
                self.number(x)
        return self.joints[name]

    def state(self, name: str) -> Expr:
        """A state that belongs to no element of the stand-in: whoever evaluates its equations gives the value."""
        inside = self.states.setdefault(name, f"state {len(self.states)}")
        found: Expr = self.own.quantity(q.StateValue(inside))
        return found

    def field(self, kind: Kind, value: Any) -> Any:
        made = super().field(kind, value)
        return made.name if isinstance(kind, JointKind) else made

    def formula(self, value: Formula, parts: list[Any], arguments: tuple[str, ...]) -> Any:
        new = {s: part for s, part in zip(value.symbols, parts, strict=True) if not isinstance(part, str)}
        new |= {c: self.number(c.data) for c in value.constants}
        [inside] = substitute([value.nodes[-1]], new)
        laws = [a for a in arguments if a != "t"]
        if not laws:
            return inside
        return _law(inside, laws)


def _law(inside: Scalar, arguments: Sequence[str]) -> Callable[..., Scalar]:
    """A function of the law's arguments (and of t, which is the same symbol everywhere)."""

    def law(*values: Scalar) -> Scalar:
        places: Mapping[Expr, Scalar] = {argument_symbol(a): v for a, v in zip(arguments, values, strict=False)}
        [out] = substitute([inside], places)
        return out

    return law


def _plain(model: Model, xs: Sequence[Scalar]) -> tuple[float, ...]:
    return tuple(map(model.value, xs))


def _turn(model: Model, body: Body) -> dict[str, Any]:
    rotation = body.estimate.rotation
    if isinstance(rotation, tuple):
        return {"orientation": _plain(model, rotation)}
    return {"angle": model.value(rotation)}
