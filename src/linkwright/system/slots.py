"""Slots: the places of a machine where dry friction acts, in joints and in contacts. Each sticks or slides.

A slot has one speed (a pin, a slide, a contact in the plane), two (a contact in space) or three (a ball): what is zero at
rest, linear in velocities. Its force works on these speeds. Where it sticks, the speeds are constrained to zero, and the
force is what that takes; where it slides, the force is mu N + level against the motion, and viscous. N is the reaction of
the joint, or the pressing force of the contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkwright import model as m
from linkwright.equations.rotations import dot
from linkwright.graph import Expr, Scalar, exp, jacobian, sqrt, symbol, where
from linkwright.model.values import is_some
from linkwright.system import slipping, touch
from linkwright.system.constraints import Row
from linkwright.system.friction import JointFriction, coordinate_of, pressing, relative_turn, turns_in
from linkwright.system.load import Generalised
from linkwright.system.quantities import ends, rate_of

if TYPE_CHECKING:
    from linkwright.system.mechanics import Mechanics

CAPTURE = 1e-6  # of the transition speed: a slot with several speeds is at rest below this


@dataclass(frozen=True, eq=False)
class Slot:
    """One place of dry friction. `coordinate`: whose rate the speed is, where there is one: it is held while the slot
    sticks. `impact`: the number of the contact's impact; None of joints. `channels`: of its force, by speed. `rest`: a speed
    below which a slot with several speeds is captured."""

    element: m.Friction | m.Contact
    name: str
    speeds: tuple[Scalar, ...]
    channels: tuple[str, ...]
    mu: Scalar
    static: Scalar
    level: Scalar = 0.0
    viscous: Scalar = 0.0
    stribeck: Scalar | None = None
    rest: Scalar = 1e-9
    coordinate: Scalar | None = None
    impact: int | None = None

    @property
    def size(self) -> int:
        return len(self.speeds)

    def sliding(self, N: Scalar, speed: Scalar) -> Scalar:
        """Dry friction at a speed, without its sign."""
        mu = self.mu
        if self.stribeck is not None:
            ratio = speed / self.stribeck
            mu = mu + (self.static - mu) * exp(-(ratio * ratio))
        return mu * N + self.level

    def bound(self, N: Scalar) -> Scalar:
        """The most that it holds at rest."""
        return self.static * N + self.level


def has_slots(model: m.Model) -> list[str]:
    """The elements that may stick."""
    return [e.name for e in model.elements.values() if is_dry(e)]


def count_speeds(model: m.Model) -> int:
    """How many speeds all slots have together; of contacts of shapes about so many."""
    return sum(_speeds_of(model, e) for e in model.elements.values() if is_dry(e))


def _speeds_of(model: m.Model, e: m.Element) -> int:
    if isinstance(e, m.Contact):
        return (model.dimension - 1) * touch.count_pairs(e)
    joint: Any = model.elements[e.joint]  # type: ignore[attr-defined]
    return {"ball": 3, "cross": 2}.get(joint.pivot, 1)


def is_dry(e: m.Element) -> bool:
    """Whether an element may stick."""
    if isinstance(e, m.Contact):
        return slipping.rubs(e) and e.strikes
    if not isinstance(e, m.Friction) or not e.stick:
        return False
    return is_some(e.mu) or is_some(e.level) or (e.mu_static is not None and is_some(e.mu_static))


def slots(system: Mechanics) -> list[Slot]:
    """The slots of a machine: those of joints, then those of contacts."""
    found = [e for e in system.model.elements.values() if isinstance(e, m.Friction) and is_dry(e)]
    out = [slot for e in found for slot in _in_joint(system, e)]
    for k, impact in enumerate(system.loads.impacts):
        e = system.model.elements[impact.element]
        if isinstance(e, m.Contact) and is_dry(e):
            out.append(_in_contact(system, e, k))
    return out


def _in_joint(system: Mechanics, e: m.Friction) -> list[Slot]:
    joint: Any = system.model.elements[e.joint]
    law: dict[str, Any] = {
        "mu": e.mu, "static": e.mu if e.mu_static is None else e.mu_static, "level": e.level, "viscous": e.viscous,
        "stribeck": e.stribeck, "rest": CAPTURE * e.transition,
    }  # fmt: skip
    if joint.pivot == "ball":
        return [Slot(e, e.name, tuple(relative_turn(system, joint)), ("tx", "ty", "tz"), **law)]
    if joint.pivot == "cross":
        omega = relative_turn(system, joint)
        speeds = [dot(system.geometry.frame(P).h, omega) for P in ends(joint)]
        pins = zip(speeds, ("i", "j"), strict=True)
        return [Slot(e, f"{e.name} ({pin})", (speed,), (f"torque_{pin}",), **law) for speed, pin in pins]
    s = coordinate_of(system, e)
    speed = rate_of(system.geometry, [s])[0]
    return [Slot(e, e.name, (speed,), ("torque" if turns_in(system, e) else "force",), coordinate=s, **law)]


def _in_contact(system: Mechanics, e: m.Contact, k: int) -> Slot:
    """Speeds of P's body less those of Q's, where they touch, along the tangents."""
    g, impact = system.geometry, system.loads.impacts[k]
    assert impact.pair is not None
    static = e.mu if e.mu_static is None else e.mu_static
    speeds = slipping.speeds(g, e, impact.pair)
    return Slot(e, impact.name, speeds, slipping.channels(g), e.mu, static, impact=k)


def load(system: Mechanics, slot: Slot, press: Scalar = 0.0) -> Scalar:
    """N, of a pin times its radius, as an expression of the multipliers; `press`: of a contact."""
    if isinstance(slot.element, m.Contact):
        return press
    return pressing(system, slot.element, turns_in(system, slot.element))


def directions(system: Mechanics, slot: Slot) -> list[Generalised]:
    """The generalised force of a unit along each speed."""
    return jacobian(list(slot.speeds), list(system.coordinates.v)).by_row()


def held_rows(slot: Slot, anchor: Expr) -> list[Row]:
    """The rows that hold while a slot sticks: the coordinate stays, or the speeds are zero."""
    if slot.coordinate is not None:
        return [Row(f"{slot.name}.stick", slot.element, slot.coordinate - anchor)]
    ends_of = ("",) if slot.size == 1 else ("_x", "_y", "_z")[: slot.size]
    return [Row(f"{slot.name}.stick{c}", slot.element, 0.0, rate=v) for c, v in zip(ends_of, slot.speeds, strict=True)]


def square(values: Sequence[Scalar]) -> Scalar:
    return sum((x * x for x in values), 0.0)


def dry(system: Mechanics, slot: Slot, N: Scalar, sense: Sequence[Scalar]) -> JointFriction:
    """The friction of a slot that slides; along a single speed in the given sense: it does not jump within a step."""
    along = directions(system, slot)
    if slot.size == 1:
        (speed,) = slot.speeds
        force = -(sense[0] * slot.sliding(N, speed) + slot.viscous * speed)
        return JointFriction(slot.element, along[0], force, {slot.channels[0]: force}, -slot.viscous * speed)
    v2 = square(slot.speeds)
    speed = sqrt(where(v2 > 0.0, v2, 1.0))
    drag = -(slot.sliding(N, speed) / speed + slot.viscous)
    direction: Generalised = {}
    for v, own in zip(slot.speeds, along, strict=True):
        for k, d in own.items():
            direction[k] = direction.get(k, 0.0) + v * d
    effort = {c: drag * v for c, v in zip(slot.channels, slot.speeds, strict=True)}
    return JointFriction(slot.element, direction, drag, effort, -slot.viscous)


def saturated(system: Mechanics, slot: Slot, N: Scalar, sense: Sequence[Scalar]) -> JointFriction:
    """The friction of a slot at rest that gives all it can against a motion, while others hold it."""
    most = -slot.bound(N)
    direction: Generalised = {}
    for u, own in zip(sense, directions(system, slot), strict=True):
        for k, d in own.items():
            direction[k] = direction.get(k, 0.0) + u * d
    effort = {c: most * u for c, u in zip(slot.channels, sense, strict=True)}
    return JointFriction(slot.element, direction, most, effort, 0.0)


def symbols_of(kind: str, count: int) -> list[Expr]:
    return [symbol(f"slot:{kind}.{k}") for k in range(count)]
