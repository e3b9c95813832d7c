"""Which values of parameters make no machine: what `validate` refuses by the sign of a number, as a page can check it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkwright.graph import Expr, Scalar, free_symbols
from linkwright.model import Model
from linkwright.model.contacts import Contact
from linkwright.model.elements import kinds
from linkwright.model.plain_fields import NumberKind
from linkwright.model.touching import ShapeOn

WANTED = {"positive": "positive", "nonnegative": "zero or more", "nonzero": "other than zero"}
Limit = tuple[dict[str, str], Scalar]


def limits(model: Model) -> list[Limit]:
    """Numbers that follow from parameters: what sign each has, and what is said where it has another; "{}" is the number,
    "{before}" the one before it. One of any sign is there for what is said."""
    found = [*_of_bodies(model), *_of_elements(model)]
    return [(told, x) for told, x in found if type(x) is Expr and free_symbols([x])]


def _limit(element: str, sign: str, cause: str, remedy: str, x: Scalar) -> Limit:
    return {"element": element, "sign": sign, "cause": cause, "remedy": remedy}, x


def _of_bodies(model: Model) -> Iterator[Limit]:
    for name, body in model.bodies.items():
        if body.is_ground:
            continue
        yield _limit(name, "nonnegative", "the mass is {}", "give zero or more", body.mass)
        J = body.inertia
        if not isinstance(J, tuple):
            yield _limit(name, "nonnegative", "the inertia is {}", "give zero or more", J)
            continue
        for k in range(3):  # of a matrix whose axes are not the principal ones this does not tell all
            cause = "a principal moment of inertia is negative: {}"
            yield _limit(name, "nonnegative", cause, "check the products of inertia", J[k][k])


def _of_elements(model: Model) -> Iterator[Limit]:
    for name, element in model.elements.items():
        own: dict[str, Any] = {field: getattr(element, field) for field in kinds(type(element))}
        for field, kind in kinds(type(element)).items():
            if isinstance(kind, NumberKind) and kind.sign and own[field] is not None:
                wanted = WANTED[kind.sign]
                cause = f"{field}: it must be {wanted}, but is {{}}"
                yield _limit(name, kind.sign, cause, f"give a number that is {wanted}", own[field])
        if own.get("restitution") is not None:
            more = "the restitution is more than one"
            yield _limit(name, "nonnegative", more, "give 0 (no rebound) to 1 (full rebound)", 1.0 - own["restitution"])
        if own.get("mu_static") is not None and own.get("mu") is not None:
            less = "mu_static is less than mu"
            remedy = "friction at rest is at least that of motion"
            yield _limit(name, "nonnegative", less, remedy, own["mu_static"] - own["mu"])
        if isinstance(element, Contact):
            yield from _of_radii(model, element)


def _of_radii(model: Model, contact: Contact) -> Iterator[Limit]:
    """Those of shapes and at a plane are not negative; about a point Q the second may be: the inside of a sphere."""
    shaped = isinstance(contact.P, ShapeOn) or isinstance(contact.Q, ShapeOn)
    hollow = contact.on == "sphere" and not shaped
    for k, radius in enumerate(contact.radii[: 1 if hollow else 2]):
        other = contact.radii[1 - k]
        said = "{before}" if type(other) is Expr and free_symbols([other]) else f"{model.value(other):g}"
        told = ("{}", said) if k == 0 else (said, "{}")
        yield _limit(contact.name, "any", "", "", other)
        cause = f"the radii {told[0]} and {told[1]} make no contact"
        yield _limit(contact.name, "nonnegative", cause, "give positive radii", radius)
