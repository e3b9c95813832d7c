"""A machine as the tree that URDF and MJCF can say: which joint carries which body, and what belongs to a joint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright import model as lw
from linkwright.analyses.assembly.assemble import assemble
from linkwright.errors import ModelError
from linkwright.exchange.places import Place, place_of, quaternion, turn
from linkwright.graph import Expr, free_symbols, substitute, symbol
from linkwright.graph.derive import gradient
from linkwright.model.quantities import JointCoordinate
from linkwright.model.values import parameter_name
from linkwright.words import an

CONTROL = "ctrl_"  # parameters called so are control signals of actuators
JOINTS = (lw.Revolute, lw.Translational, lw.Spherical, lw.Fixed, lw.Planar)


@dataclass(eq=False)
class Link:
    """A body: the body below it, the joint between them (None: it is free), the joint's frames on both, and its value."""

    body: lw.Body
    parent: str
    joint: Any
    start: Place
    end: Place
    place: Place
    value: float = 0.0
    sign: float = 1.0
    more: dict[str, float] = field(default_factory=dict)  # damping, friction, armature, stiffness, springref, lower, upper

    @property
    def origin(self) -> Place:
        """The frame of the body in that of the one below, where the joint has not moved."""
        return self.start @ self.end.inverse()

    @property
    def moved(self) -> Place:
        """The same as it is now; of hinges, slides and welds."""
        turned = isinstance(self.joint, lw.Revolute)
        A = turn((0.0, 0.0, self.sign), self.value) if turned else np.eye(3)
        r = np.array([0.0, 0.0, 0.0 if turned else self.sign * self.value])
        return self.start @ Place(r, A) @ self.end.inverse()

    @property
    def axis(self) -> np.ndarray:
        """Of the joint, in the axes of the body."""
        return self.sign * self.end.A[:, 2]


class Tree:
    """Refuses, by name, what no tree of such joints can say. `form`: the format, for errors."""

    def __init__(self, model: lw.Model, form: str) -> None:
        if model.dimension == 2:
            raise ModelError(
                f"a machine in the plane cannot be written as {form}",
                element=model.name,
                remedy="lw.embed puts it into space",
            )
        self.model, self.form = model, form
        self.at = assemble(model)
        self.links: dict[str, Link] = {}
        self.loops: list[Any] = []
        self.ties: list[Any] = []
        self.driven: list[Any] = []  # what actuators may be
        self.lifted: dict[str, float] = {}  # which part of its weight is taken off a body
        self._carry()
        for e in model.elements.values():
            if not isinstance(e, lw.Joint):
                self._belongs(e)

    def refuse(self, e: Any, why: str = "") -> ModelError:
        cause = why or f"{an(type(e).__name__)} cannot be said in {self.form}"
        return ModelError(cause, element=e.name, remedy="write YAML, or leave it out: m.without(name).save(...)")

    def _value(self, x: Any) -> float:
        return self.model.value(x)

    def frame(self, P: lw.Point) -> Place:
        return place_of(self.model, P)

    def body_place(self, body: lw.Body) -> Place:
        if body.is_ground:
            return Place(np.zeros(3), np.eye(3))
        r = np.array([self.at[f"{body.name}.{c}"] for c in "xyz"])
        return Place(r, quaternion([self.at[f"{body.name}.e{k}"] for k in range(4)]))

    def _carry(self) -> None:
        joints = [e for e in self.model.elements.values() if isinstance(e, lw.Joint)]
        for e in joints:
            if not isinstance(e, JOINTS):
                raise self.refuse(e)
        found, waiting = {self.model.ground.name}, [self.model.ground.name]
        used: set[str] = set()
        bodies = list(self.model.bodies.values())
        while len(found) < len(bodies):
            if not waiting:  # a body that nothing carries is free
                free = next(b for b in bodies if b.name not in found)
                place = self.body_place(free)
                self.links[free.name] = Link(free, self.model.ground.name, None, place, Place(np.zeros(3), np.eye(3)), place)
                found.add(free.name)
                waiting.append(free.name)
            low = waiting.pop(0)
            for e in joints:
                names = [b.name for b in e.bodies]
                if e.name in used or low not in names or set(names) <= found:
                    continue
                self._link(e, low)
                used.add(e.name)
                child = names[1 - names.index(low)]
                found.add(child)
                waiting.append(child)
        self.loops = [e for e in joints if e.name not in used]

    def _link(self, e: Any, low: str) -> None:
        P, Q, sign = e.P, e.Q, 1.0
        if P.body.name != low:  # counted from the child to the parent: about the opposite axis
            P, Q, sign = Q, P, -1.0
        value = 0.0
        if isinstance(e, lw.Revolute | lw.Translational):
            value = float(self.at[f"{e.name}.{e.channels[0]}"])
        link = self.links[Q.body.name] = Link(
            Q.body, low, e, self.frame(P), self.frame(Q), self.body_place(Q.body), value, sign
        )
        if isinstance(e, lw.Revolute | lw.Translational | lw.Fixed):
            now = self.body_place(self.model.bodies[low]).inverse() @ link.place
            if np.abs(now.A - link.moved.A).max() > 1e-6:
                raise self.refuse(e, "it is assembled with its axes opposed, for the estimates are far off")

    # -- what belongs to joints --------------------------------------------------------------------------------------------
    def joint_of(self, e: Any, quantity: Any) -> Link:
        """The link whose joint's own coordinate this is."""
        definition = self.model.quantities.get(quantity.data) if type(quantity) is Expr and quantity.op == "symbol" else None
        if isinstance(definition, JointCoordinate):
            for link in self.links.values():
                if (
                    link.joint is not None
                    and link.joint.name == definition.joint
                    and definition.channel in link.joint.channels
                ):
                    return link
        raise self.refuse(e, f"{self.form} has forces along the coordinates of joints of its tree only")

    def _belongs(self, e: Any) -> None:
        if isinstance(e, lw.TorsionSpring):
            link = self.joint_of(e, e.quantity)
            k, c = (self._number(e, x) for x in (e.k, e.c))
            if self._number(e, e.torque):
                raise self.refuse(e, "its torque is a law")
            self._once(e, link, damping=c, stiffness=k, springref=self._value(e.angle) if k else 0.0)
        elif isinstance(e, lw.Friction):
            link = next((x for x in self.links.values() if x.joint is not None and x.joint.name == e.joint), None)  # type: ignore[assignment]
            if link is None or self._value(e.mu) or (e.mu_static is not None and self._value(e.mu_static)):
                raise self.refuse(e, f"friction by the reaction of a joint cannot be said in {self.form}")
            self._once(e, link, friction=self._value(e.level), damping=self._value(e.viscous))
        elif isinstance(e, lw.Inertia):
            self._once(e, self.joint_of(e, e.quantity), armature=self._value(e.J))
        elif isinstance(e, lw.Stop):
            if e.lower is None or e.upper is None or self._value(e.k):
                raise self.refuse(e, f"{self.form} has rigid stops on both sides only")
            self._once(e, self.joint_of(e, e.quantity), lower=self._value(e.lower), upper=self._value(e.upper))
        elif self.form == "MJCF" and isinstance(e, lw.Force) and self._controlled(e):
            self.driven.append(e)
        elif isinstance(e, lw.Force) and (law := self._spring_law(e)) is not None:
            k, c, rest = law
            self._once(e, self.joint_of(e, e.quantity), stiffness=k, damping=c, springref=rest)
        elif isinstance(e, lw.Coupler | lw.Constraint):
            self.ties.append(e)
        elif self.form == "MJCF" and isinstance(e, lw.Force | lw.Motor | lw.PID):
            self.driven.append(e)
        elif self.form == "MJCF" and isinstance(e, lw.PointForce) and (share := self._lift(e)) is not None:
            self.lifted[e.point.body.name] = self.lifted.get(e.point.body.name, 0.0) + share
        else:
            raise self.refuse(e)

    def _number(self, e: Any, law: Any) -> float:
        if callable(law) or isinstance(law, str):
            raise self.refuse(e, "its law is no number")
        return self._value(law)

    def _lift(self, e: lw.PointForce) -> float | None:
        """The part of a body's weight that a force at its mass centre takes off it; None for another force."""
        body = e.point.body
        if e.frame != "ground" or any(callable(x) or isinstance(x, str) for x in e.force):
            return None
        off = self.frame(e.point).r - [self._value(x) for x in body.com]
        weight = self._value(body.mass) * np.array([self._value(g) for g in self.model.gravity])
        given: Any = e.force  # numbers, or formulas of time
        force = np.array([self.model.number(x) for x in given], dtype=float)
        if np.isnan(force).any():  # it changes with time
            return None
        share = -float(force @ weight) / (float(weight @ weight) or 1.0)
        same = np.abs(force + share * weight).max() <= 1e-12 * np.abs(force).max(initial=0.0)
        return share if same and weight.any() and np.abs(off).max() < 1e-12 else None

    def _controlled(self, e: lw.Force) -> bool:
        """Whether a control signal is in its law."""
        law = self.model.trace(e.law, {x: symbol(f"own {x}") for x in "svt"})
        return type(law) is Expr and any(parameter_name(x).startswith(CONTROL) for x in free_symbols([law]))

    def _spring_law(self, e: Any) -> tuple[float, float, float] | None:
        """k, c and the place of rest of a force that is linear in s and v."""
        s, v, t = symbol("own s"), symbol("own v"), symbol("own t")
        law = self.model.trace(e.law, {"s": s, "v": v, "t": t})
        if type(law) is not Expr:
            return None if law else (0.0, 0.0, 0.0)
        law = substitute([law], dict(self.model.parameter_values()))[0]
        if type(law) is not Expr or {id(x) for x in free_symbols([law])} - {id(s), id(v)}:
            return None
        slopes = gradient(law, [s, v])
        if any(type(g) is Expr for g in slopes.values()):
            return None
        k, c = (-float(slopes.get(x, 0.0)) for x in (s, v))
        constant = float(substitute([law], {s: 0.0, v: 0.0})[0])
        if k == 0 and constant != 0:
            return None
        return k, c, constant / k if k else 0.0

    def _once(self, e: Any, link: Link, **values: float) -> None:
        for word, value in values.items():
            if value and word in ("stiffness", "springref", "lower", "upper") and word in link.more:
                raise self.refuse(e, f"{link.joint.name!r} has a {word} already")
            if value or word in ("lower", "upper"):
                link.more[word] = link.more.get(word, 0.0) + value
