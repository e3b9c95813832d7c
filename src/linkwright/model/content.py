"""The content of a model as plain nested tuples: two models are equal if theirs are.

Laws and motions count as what they mean: the text "2*pi*t", the expression and the Python function of it are equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from linkwright.graph import Expr
from linkwright.graph.walk import flatten
from linkwright.model.bodies import Body
from linkwright.model.curves import Curve
from linkwright.model.elements import Element, kinds
from linkwright.model.fields import ComponentsKind, LawKind, MotionKind
from linkwright.model.plain_fields import Kind
from linkwright.model.points import CurveOn
from linkwright.model.values import law_symbols

if TYPE_CHECKING:
    from linkwright.model.model import Model


def content(value: Any) -> Any:
    """A hashable form of anything a model holds. Functions stand for themselves, bodies for their names."""
    if type(value) is Expr:
        return ("expression", flatten([value]))
    if isinstance(value, Body):
        return ("body", value.name)
    if is_dataclass(value) and not isinstance(value, type):
        return (type(value).__name__, *((f.name, content(getattr(value, f.name))) for f in fields(value)))
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return ("mapping", *((k, content(v)) for k, v in value.items()))
    if isinstance(value, list | tuple):
        return tuple(map(content, value))
    return value


def arguments_of(kind: Kind) -> tuple[str, ...]:
    """The arguments of the functions that a field of this kind may hold; none for other kinds."""
    if isinstance(kind, LawKind):
        return kind.arguments
    return ("t",) if isinstance(kind, MotionKind | ComponentsKind) else ()


# Of elements that hold no functions: what they are made of does not change.
_PLAIN: WeakKeyDictionary[Element, tuple[Any, ...]] = WeakKeyDictionary()


def element_content(element: Element, model: Model, but: tuple[str, ...] = ()) -> tuple[Any, ...]:
    known = None if but else _PLAIN.get(element)
    if known is None:
        known = _element_content(element, model, but)
        if not but and not may_mean_another(element):
            _PLAIN[element] = known
    return known


def may_mean_another(element: Element) -> bool:
    """Whether it holds a function, or a curve of functions: their numbers may be others another time."""
    return any(isinstance(x, CurveOn) or _is_read(x) for x in vars(element).values())


def _is_read(value: Any) -> bool:
    """Whether it may mean something else another time: a function may have other numbers in it."""
    if isinstance(value, tuple | list):
        return any(map(_is_read, value))
    return callable(value) and not is_dataclass(value)


def _element_content(element: Element, model: Model, but: tuple[str, ...]) -> tuple[Any, ...]:
    parts: list[Any] = [type(element).__name__, element.name]
    for name, kind in kinds(type(element)).items():
        if name in but:
            continue
        value = getattr(element, name)
        if isinstance(value, CurveOn):
            parts.append((name, _curve_content(value, model)))
        else:
            parts.append((name, _meaning(value, arguments_of(kind), model)))
    return tuple(parts)


def _curve_content(on: CurveOn, model: Model) -> tuple[Any, ...]:
    curve: Curve = on.curve
    functions = _meaning(curve.functions, ("alpha",), model)
    place = content((on.body, on.at, on.angle, on.rotation))
    return (place, curve.form, functions, curve.start, curve.end, curve.closed)


def _meaning(value: Any, arguments: tuple[str, ...], model: Model) -> Any:
    """The content of a field; texts and functions of the arguments as expressions, where they can be traced."""
    if isinstance(value, tuple):
        return tuple(_meaning(v, arguments, model) for v in value)
    if arguments and (isinstance(value, str) or callable(value)) and not is_dataclass(value):
        traced = model.traced(value, law_symbols(arguments))
        return value if traced is None else content(traced)
    return content(value)


def model_content(model: Model) -> tuple[Any, ...]:
    """All that makes up a model; the quantities follow from it."""
    return (
        type(model).__name__, model.name, content(model.gravity), tuple(model.parameters.items()),
        _bodies(model, ("mass", "inertia", "com", "estimate", "shape")),
        tuple(element_content(e, model) for e in model.elements.values()),
        tuple((content(q), content(v)) for q, v in model.fixed.items()),
    )  # fmt: skip


def model_structure(model: Model) -> tuple[Any, ...]:
    """What the equations of a model are traced from. Values of parameters and of gravity are inputs of the equations; where
    the machine begins is none of their business."""
    gravity = tuple(content(g) if type(g) is Expr else g != 0 for g in model.gravity)
    return (
        type(model).__name__, gravity, tuple(model.parameters), _bodies(model, ("mass", "inertia", "com")),
        tuple(element_content(e, model, e.beginning) for e in model.elements.values()),
        tuple(content(q) for q in model.fixed),  # the turns of angles that are fixed are counted
    )  # fmt: skip


def _bodies(model: Model, fields: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple((b.name, *(content(getattr(b, k)) for k in fields)) for b in model.bodies.values())
