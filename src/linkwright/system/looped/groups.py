"""Grouping of the elements and bodies of a model by shape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from linkwright.model import Body, Contact, Element, Friction, Gear, Joint, Model, RackPinion, Stop
from linkwright.model.values import is_some
from linkwright.system.looped.group import Group, numbers_of
from linkwright.system.looped.shapes import Reading, Standin, read, read_body

# Joints of one kind in more variants than this (by which of their numbers are zero) share one function.
VARIANTS = 8


def groups(model: Model, flagged: bool = False) -> list[Group]:
    """The groups of all elements of a model; `flagged`: with flags for laws that switch."""
    elements = list(model.elements.values())
    readings = [read(model, e) for e in elements]
    for e, r in zip(elements, readings, strict=True):
        if isinstance(e, Gear) and model.dimension == 3:  # their equations depend on where they are
            r.shape = (r.shape, e.name)
    mergeable = [isinstance(e, Joint) for e in elements]
    made = []
    for members, special in by_shape(readings, mergeable):
        first = elements[members[0]]
        made.append(_group(model, members, [elements[k].name for k in members], readings, special, first, flagged))
    return made


def follows_from_multipliers(e: Element | None) -> bool:
    """Whether an element has forces that follow from multipliers: friction, gears that push each other apart."""
    return isinstance(e, Friction) or (isinstance(e, Gear | RackPinion) and is_some(e.pressure_angle) and not e.elastic)


def is_impact(e: Element | None) -> bool:
    """Whether an element is a contact without stiffness."""
    return isinstance(e, Contact | Stop) and e.strikes


def body_groups(model: Model, bodies: Iterable[Body]) -> list[Group]:
    """The groups of all moving bodies, by which of their mass properties are zero."""
    bodies = list(bodies)
    readings = [read_body(model, b) for b in bodies]
    return [
        _group(model, members, [bodies[k].name for k in members], readings, special, None)
        for members, special in by_shape(readings, [True] * len(bodies))
    ]


def by_shape(readings: list[Reading], mergeable: list[bool]) -> list[tuple[list[int], list[float | None]]]:
    """The members of each shape, and the numbers that all of them share."""
    shapes: dict[Any, dict[Any, list[int]]] = {}
    for k, r in enumerate(readings):
        shapes.setdefault(r.shape, {}).setdefault(tuple(r.special), []).append(k)
    out: list[tuple[list[int], list[float | None]]] = []
    for variants in shapes.values():
        if len(variants) > VARIANTS and mergeable[next(iter(variants.values()))[0]]:
            members = sorted(k for some in variants.values() for k in some)
            columns = zip(*[readings[k].special for k in members], strict=True)
            out.append((members, [c[0] if len(set(c)) == 1 else None for c in columns]))
        else:
            out += [(members, list(special)) for special, members in variants.items()]
    return out


def _group(
    model: Model,
    members: list[int],
    names: list[str],
    readings: list[Reading],
    special: list[float | None],
    e: Element | None,
    flagged: bool = False,
) -> Group:
    first = readings[members[0]]
    free = [k for k, x in enumerate(special) if x is None]
    numbers = numbers_of([readings[k] for k in members], free)
    if e is None:
        standin = _body_standin(model, first, special)
        element = None
    else:
        standin = Standin(model, first.bodies, first.numbers, special)
        element = standin.element(e)
    bodies, laws = [readings[k].bodies for k in members], [readings[k].laws for k in members]
    own, needs = laws if any(laws) else (), [readings[k].states for k in members]
    return Group(model, members, names, free, numbers, bodies, standin, element, flagged, own, needs)


def _body_standin(model: Model, first: Reading, special: list[float | None]) -> Standin:
    """A model of one body with its mass properties and gravity."""
    standin = Standin(model, [], first.numbers, special)
    body = first.bodies[0]
    inertia = body.inertia if isinstance(body.inertia, tuple) else ((body.inertia,),)
    mass, com, J, gravity = (standin.value(x) for x in (body.mass, body.com, inertia, model.gravity))
    standin.own.body("0", mass=mass, com=com, inertia=J if isinstance(body.inertia, tuple) else J[0][0])
    standin.own.gravity = gravity
    standin.own.gravity_is_input = False  # what differs among members is an input by itself
    return standin
