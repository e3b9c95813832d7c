"""The content of a model as plain nested tuples: two models are equal if theirs are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.graph import Expr
from linkwright.graph.walk import flatten
from linkwright.model.bodies import Body

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


def model_content(model: Model) -> tuple[Any, ...]:
    """All that makes up a model; the quantities follow from it."""
    bodies = tuple((b.name, *(content(getattr(b, k)) for k in ("mass", "inertia", "com", "estimate", "shape")))
                   for b in model.bodies.values())  # fmt: skip
    return (
        type(model).__name__, model.name, content(model.gravity), tuple(model.parameters.items()), bodies,
        tuple(content(e) for e in model.elements.values()),
        tuple((content(q), content(v)) for q, v in model.fixed.items()),
    )  # fmt: skip
