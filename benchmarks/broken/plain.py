"""A machine as plain numbers, as one would type them into another program: bodies where they are estimated, joints between
points of bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.analyses.machine.machine import Machine
from linkwright.equations import rotations
from linkwright.errors import LinkwrightError

LONGEST, FINE = 4.0, 8000  # [s] of motions, and values a second
AS_ESTIMATED = ("other-branch", "wrong-root", "antiparallel", "estimates", "whole-turns", "degrees")


class InexpressibleError(Exception):
    """An element that the other program has not, or not in this place."""


@dataclass
class PlainBody:
    """A body that moves: where it is put, and its mass about its centre."""

    name: str
    place: np.ndarray  # three numbers
    rotation: np.ndarray  # 3 x 3
    mass: float
    inertia: np.ndarray  # 3 x 3
    com: np.ndarray


@dataclass
class PlainJoint:
    """`kind`: the name of the class; points and axes in the frames of their bodies ("" is the ground)."""

    name: str
    kind: str
    bodies: tuple[str, str] = ("", "")
    points: tuple[np.ndarray, np.ndarray] = (np.zeros(3), np.zeros(3))
    frames: tuple[np.ndarray, np.ndarray] = (np.eye(3), np.eye(3))
    number: float = 0.0  # length, stiffness
    more: dict[str, float] = field(default_factory=dict)
    coordinate: tuple[str, int] = ("", 0)  # of a driver: body and x, y or angle
    motion: Callable[[float], float] = lambda t: 0.0


@dataclass
class Plain:
    dimension: int
    gravity: np.ndarray
    bodies: list[PlainBody]
    joints: list[PlainJoint]


def assembled(m: Any, code: str) -> Any:
    """The machine with estimates that close, as these programs want them; as it is where estimates are the matter, or where
    it does not close."""
    if code in AS_ESTIMATED:
        return m
    try:
        found = lw.assemble(m)
    except LinkwrightError:
        return m
    m = m.copy()
    for b in m.bodies.values():
        if b.is_ground:
            continue
        if m.dimension == 2:
            b.guess(position=(found[f"{b.name}.x"], found[f"{b.name}.y"]), angle=found[f"{b.name}.angle"])
        else:
            place = tuple(found[f"{b.name}.{c}"] for c in "xyz")
            b.guess(position=place, orientation=tuple(found[f"{b.name}.e{k}"] for k in range(4)))
    return m


def plain(m: Any) -> Plain:
    value = m.value
    space = m.dimension == 3
    bodies = []
    for b in m.bodies.values():
        if b.is_ground:
            continue
        place = np.array([*(value(x) for x in b.estimate.position), *([] if space else [0.0])])
        if space:
            A = np.asarray(rotations.A([value(x) for x in b.estimate.rotation]), dtype=float)
        else:
            A = about_z(value(b.estimate.rotation))
        J = b.inertia_matrix() if space else np.eye(3) * float(np.asarray(b.inertia_matrix()).reshape(-1)[0])
        com = np.array([*(value(x) for x in b.com), *([] if space else [0.0])])
        bodies.append(PlainBody(b.name, place, A, value(b.mass), np.asarray(J, dtype=float), com))
    gravity = np.array([*(value(x) for x in m.gravity), *([] if space else [0.0])])
    return Plain(m.dimension, gravity, bodies, [joint(m, e) for e in m.elements.values()])


def about_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def joint(m: Any, e: Any) -> PlainJoint:
    kind = type(e).__name__
    if kind in ("Revolute", "Spherical", "Fixed", "Translational", "Cylindrical", "Distance", "Spring"):
        if kind == "Spring" and any(callable(x) or isinstance(x, str) for x in (e.k, e.c, e.length, e.force)):
            raise InexpressibleError("a law of one's own")
        number = m.value(e.length) if kind in ("Distance", "Spring") else 0.0
        more = {"k": m.value(e.k), "c": m.value(e.c)} if kind == "Spring" else {}
        return PlainJoint(e.name, kind, *_ends(m, e.P, e.Q), number=number, more=more)
    if kind == "Gear":
        return PlainJoint(e.name, kind, *_ends(m, e.centre_i, e.centre_j), more={
            "i": m.value(e.radii[0]), "j": m.value(e.radii[1])})  # fmt: skip
    if kind == "Driver":
        values = Machine(m, by_shapes=True).driver_values(e, np.linspace(0.0, LONGEST, FINE * round(LONGEST) + 1))
        return PlainJoint(
            e.name, kind, coordinate=_coordinate(m, str(e.quantity)),
            motion=lambda t: float(values[min(round(t * FINE), len(values) - 1)]),
        )  # fmt: skip
    raise InexpressibleError(kind)


def _ends(m: Any, P: Any, Q: Any) -> tuple[Any, Any, Any]:
    names = tuple("" if X.body.is_ground else X.body.name for X in (P, Q))
    points = tuple(np.array([*(m.value(x) for x in X.s), *([] if m.dimension == 3 else [0.0])]) for X in (P, Q))
    return names, points, tuple(_frame(m, X) for X in (P, Q))


def _frame(m: Any, P: Any) -> np.ndarray:
    if m.dimension == 2:
        return about_z(0.0 if P.angle is None else m.value(P.angle))
    return np.array([[m.value(x) for x in row] for row in P.rotation]) if P.rotation else np.eye(3)


def _coordinate(m: Any, quantity: str) -> tuple[str, int]:
    """The coordinate of a body of the plane that a driver moves: its own, or its turn about a pin of the ground."""
    owner, _, what = quantity.rpartition(".")
    if m.dimension == 2 and owner in m.bodies and what in ("x", "y", "angle"):
        return owner, ("x", "y", "angle").index(what)
    e = m.elements.get(owner)
    if m.dimension == 2 and e is not None and what == "angle" and type(e).__name__ == "Revolute" and e.P.body.is_ground:
        return e.Q.body.name, 2
    raise InexpressibleError("Driver")
