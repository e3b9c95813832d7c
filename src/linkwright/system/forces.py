"""Every force element as generalised forces, by virtual work: a law F along a quantity s gives Q = F (ds/dq)^T.

To add a force: its law in `equations.forces`, its data in `model`, and a rule here. A rule returns a `Load`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import model as m
from linkwright.equations import forces
from linkwright.equations.plane import rotate90
from linkwright.equations.rotations import Vector, cross, dot
from linkwright.graph import Expr, Scalar, free_symbols, sqrt, symbol
from linkwright.model.values import is_some
from linkwright.system import bushings, drives, slipping, switches, touch, tyres, wheels
from linkwright.system.geometry import Geometry
from linkwright.system.load import Generalised, Load, effort_channels, total
from linkwright.system.quantities import rate_of, resolve, state_symbol
from linkwright.system.reactions import effort_name


@dataclass(frozen=True, eq=False)
class Callback:
    """A Python law that cannot be traced: `symbol` stands for function(*arguments)."""

    symbol: Expr
    function: Callable[..., Any]
    arguments: dict[str, Scalar]  # by the names that a function may use
    element: str


LEVELS = 3  # of the gap of each impact are watched: zero, and two where an impact was missed


@dataclass(frozen=True, eq=False)
class Impact:
    """A contact without stiffness: where the gap closes, the speed of approach is returned times the restitution.

    sense: of the force that a user is told, along the gap or against it; pair: what touches, of a contact;
    turning: whether its gap is an angle, so that it tells a torque.
    """

    element: str
    gap: Scalar
    restitution: Scalar
    sense: float = 1.0
    pair: touch.Pair | None = None
    turning: bool = False

    @property
    def part(self) -> str:
        """The name of one of several pairs of its element; "" of a single one."""
        return self.pair.part if self.pair is not None else ""

    @property
    def name(self) -> str:
        """The name of its events: that of the element, with the number of its pair."""
        return f"{self.element}.{self.part}" if self.part else self.element

    @property
    def forces(self) -> list[str]:
        """The channels in which it is told."""
        of_part = [f"{self.element}.force_{self.part}"] if self.part else []
        return [f"{self.element}.{c}" for c in effort_channels(self.turning)] + of_part


@dataclass(frozen=True, eq=False)
class Memory:
    """A speed that a law remembers: `symbol` takes the value of `speed` where `depth` begins to be positive. `name`: that of
    its channel, by which a run that goes on knows it."""

    element: str
    name: str
    symbol: Expr
    depth: Scalar
    speed: Scalar


class Loads:
    """All forces of a model but friction, which depends on reactions."""

    def __init__(self, g: Geometry) -> None:
        self.g = g
        self.callbacks: list[Callback] = []
        self.switches: list[switches.Switch] = []
        self.impacts: list[Impact] = []
        self.memories: list[Memory] = []
        self.all: list[Load] = []
        self._states()
        self.weight = _gravity(self)
        if self.weight.Q:
            self.all.append(self.weight)
        for element in g.model.elements.values():
            rule = _RULES.get(type(element))
            if rule is not None:
                made = rule(self, element)
                self.all += made if isinstance(made, list) else [made]

        for element in g.model.elements.values():
            if isinstance(element, m.State):
                z = state_symbol(element.name)
                g.state_rates[z] = self.law(element, element.rate, {"z": z, "t": m.TIME})

    def _states(self) -> None:
        """Trace all states before the laws that hold them."""
        for name in self.g.model.states:
            z = state_symbol(name)
            self.g.turns[name] = (z, z)
            self.g.state_rates[z] = 0.0  # in this order; the laws say the rest

    @property
    def Q(self) -> list[Scalar]:
        total: list[Scalar] = [0.0] * len(self.g.coordinates.v)
        for load in self.all:
            for k, value in load.Q.items():
                total[k] = total[k] + value
        return total

    @property
    def potential(self) -> Scalar:
        """The potential energy of all forces that have one."""
        total: Scalar = 0.0
        for load in self.all:
            if load.V is not None:
                total = total + load.V
        return total

    @property
    def power(self) -> Scalar:
        """The power of the forces that have no potential, and of what damps those that have."""
        v, total = self.g.coordinates.v, 0.0
        for load in self.all:
            for k, value in (load.Q if load.V is None else load.damped).items():
                total = total + value * v[k]
        return total

    # -- laws ----------------------------------------------------------------------------------------------------------
    def law(self, element: m.Element, law: Any, arguments: dict[str, Scalar]) -> Scalar:
        """The law as an expression of coordinates, velocities and time."""
        traced = self.g.model.traced(law, arguments)
        if traced is not None:
            value = resolve(self.g, [traced])[0]
            self.switches += switches.found(element.name, [value], arguments.values())
            return value
        stands_for = symbol(f"call:{element.name}.{len(self.callbacks)}")
        self.callbacks.append(Callback(stands_for, law, arguments, element.name))
        return stands_for

    def remembered(self, element: m.Element, channel: str, depth: Scalar, speed: Scalar) -> Expr:
        """The speed at which the depth last became positive: part of the state, as references of angles are."""
        name = f"{element.name}.{channel}"
        kept = symbol(f"memory:{name}")
        self.g.turns[name] = (kept, kept)
        self.memories.append(Memory(element.name, name, kept, depth, speed))
        return kept

    def along(self, s: Scalar, F: Scalar) -> Generalised:
        """Virtual work F ds."""
        return {k: F * d for k, d in self.g.coordinates.jacobian([s]).by_row()[0].items()}

    def rate(self, s: Scalar) -> Scalar:
        return rate_of(self.g, [s])[0]

    def at(self, body: m.Body, place: Vector, F: Vector) -> Generalised:
        """A force F (ground axes) on a body at a place (ground axes): (F, its moment about the body's origin)."""
        if body.is_ground:
            return {}
        c = self.g.coordinates
        start = c.body_slices()[body.name][1].start
        pose = c.poses[body.name]
        arm = np.array(place, dtype=object) - np.array(pose.r, dtype=object)
        F = np.array(F, dtype=object)
        moment = [dot(rotate90(arm), F)] if c.dimension == 2 else pose.A.T @ cross(arm, F)
        return dict(zip(range(start, start + len(c.v)), [*F, *moment], strict=False))

    def turning(self, body: m.Body, n_b: Vector) -> Generalised:
        """A torque on a body, in body axes."""
        if body.is_ground:
            return {}
        start = self.g.coordinates.body_slices()[body.name][1].start + self.g.dimension
        return {start + k: x for k, x in enumerate(n_b)}


def _times(factor: Scalar, Q: Generalised) -> Generalised:
    return {k: factor * x for k, x in Q.items()} if is_some(factor) else {}


def _constant(value: Scalar) -> bool:
    """Whether it depends on parameters alone."""
    return type(value) is not Expr or all(s.data.startswith("parameter:") for s in free_symbols([value]))


# -- rules ---------------------------------------------------------------------------------------------------------------


def _gravity(t: Loads) -> Load:
    g, gravity = t.g, t.g.model.traced_gravity()
    Q: Generalised = {}
    V: Scalar = 0.0
    if all(type(x) is not Expr and x == 0 for x in gravity):
        return Load("gravity", {})
    for body in g.coordinates.bodies:
        if type(body.mass) is not Expr and body.mass == 0:
            continue
        centre = g.coordinates.poses[body.name].point(body.com)
        F = [body.mass * x for x in gravity]
        Q = total(Q, t.at(body, centre, F))
        V = V - dot(F, centre)
    return Load("gravity", {k: x for k, x in Q.items() if is_some(x)}, V)


def _spring(t: Loads, e: m.Spring) -> Load:
    g = t.g
    d = g.point(e.Q) - g.point(e.P)
    ddot = np.array(rate_of(g, list(d)), dtype=object)
    length, v, u = forces.length_and_direction(d, ddot)
    k = t.law(e, e.k, {"l": length})
    c = t.law(e, e.c, {"v": v})
    actuator = t.law(e, e.force, {"l": length, "v": v, "t": m.TIME})
    if type(e.length) is not Expr and e.length == 0:  # k d needs no direction: regular where the points meet
        pull, f = k * d + (c * v + actuator) * u, k * length + c * v + actuator
    else:
        f = k * (length - e.length) + c * v + actuator
        pull = f * u
    Q = total(t.at(e.P.body, g.point(e.P), pull), t.at(e.Q.body, g.point(e.Q), -pull))
    elastic = _constant(k) and _constant(actuator)
    V = 0.5 * k * (length - e.length) * (length - e.length) + actuator * length if elastic else None
    unit = total(t.at(e.P.body, g.point(e.P), u), t.at(e.Q.body, g.point(e.Q), -u))
    return Load(e.name, Q, V, {"force": f, "length": length}, unit, _times(c * v, unit))


def _attraction(t: Loads, e: m.Attraction) -> Load:
    d = t.g.point(e.Q) - t.g.point(e.P)
    r = sqrt(dot(d, d))
    F = e.strength / (r * r)
    return Load(e.name, t.along(r, -F), -e.strength / r, {"force": F, "length": r}, t.along(r, -1.0))


def _torsion_spring(t: Loads, e: m.TorsionSpring) -> Load:
    theta = resolve(t.g, [e.quantity])[0]
    omega = t.rate(theta)
    k = t.law(e, e.k, {"theta": theta})
    c = t.law(e, e.c, {"omega": omega})
    actuator = t.law(e, e.torque, {"theta": theta, "omega": omega, "t": m.TIME})
    n = k * (theta - e.angle) + c * omega + actuator
    elastic = _constant(k) and _constant(actuator)
    V = 0.5 * k * (theta - e.angle) * (theta - e.angle) + actuator * theta if elastic else None
    unit = t.along(theta, -1.0)
    return Load(e.name, t.along(theta, -n), V, {"torque": n}, unit, _times(c * omega, unit))


def _force(t: Loads, e: m.Force) -> Load:
    s = resolve(t.g, [e.quantity])[0]
    F = t.law(e, e.law, {"s": s, "v": t.rate(s), "t": m.TIME})
    effort = dict.fromkeys(effort_channels(effort_name(t.g.model, e) == "torque"), F)
    return Load(e.name, t.along(s, F), -F * s if _constant(F) else None, effort, t.along(s, 1.0))


def _point_force(t: Loads, e: m.PointForce) -> Load:
    F = np.array([t.law(e, f, {"t": m.TIME}) for f in e.force], dtype=object)
    place = t.g.point(e.point)
    conservative = e.frame == "ground" and all(map(_constant, F))
    V = -dot(F, place) if conservative else None
    if e.frame == "body":
        F = t.g.pose(e.point).A @ F
    return Load(e.name, t.at(e.point.body, place, F), V, dict(zip(("fx", "fy", "fz"), F, strict=False)))


def _torque(t: Loads, e: m.Torque) -> Load:
    if t.g.dimension == 2:
        n = t.law(e, e.torque, {"t": m.TIME})
        if e.body.is_ground:
            return Load(e.name, {})
        V = -n * t.g.coordinates.poses[e.body.name].phi if _constant(n) else None
        return Load(e.name, t.turning(e.body, [n]), V, {"torque": n}, t.turning(e.body, [1.0]))
    given: Any = e.torque  # three laws
    components = np.array([t.law(e, x, {"t": m.TIME}) for x in given], dtype=object)
    A = t.g.coordinates.poses[e.body.name].A
    in_ground = e.frame == "ground"
    effort = dict(zip(("tx", "ty", "tz"), components if in_ground else A @ components, strict=True))
    return Load(e.name, t.turning(e.body, A.T @ components if in_ground else components), None, effort)


def _pressing(
    t: Loads, e: Any, gap: Scalar, sense: float = 1.0, side: str = "", pair: touch.Pair | None = None
) -> Load:  # fmt: skip
    """A contact law along a gap that must not be negative; without stiffness, an impact, which presses only at rest."""
    if e.strikes:
        turning = pair is None and effort_name(t.g.model, e) == "torque"
        t.impacts.append(Impact(e.name, gap, e.restitution, sense, pair, turning))
        return Load(e.name, {}, 0.0, {"force": 0.0})
    rate = t.rate(gap)
    law, c, told = e.law, e.c, dict[str, Scalar]()
    if law == "lankarani-nikravesh":
        channel = f"impact_speed{side}"
        told = {channel: t.remembered(e, channel, -gap, -rate)}
        law, c = "hunt-crossley", e.k * forces.hysteresis(e.restitution, *told.values())
    N = forces.contact(law, -gap, -rate, e.k, c, e.exponent)
    inside = switches.found(e.name, [gap]) if pair is not None else []
    t.switches += [*switches.found(e.name, [N], [gap, rate, c]), *inside]
    V = forces.contact_energy(law, -gap, e.k, e.exponent)
    damped = N - forces.contact_elastic(law, -gap, e.k, e.exponent) if is_some(c) else 0.0
    lost = t.along(gap, damped) if type(damped) is Expr else {}
    Q, effort = t.along(gap, N), {"force": N, **told}
    if isinstance(e, m.Contact) and pair is not None and slipping.rubs(e):
        friction, parts = slipping.smooth(t, e, pair, N)
        Q, lost, effort = total(Q, friction), total(lost, friction), effort | parts
    return Load(e.name, Q, V, effort, damped=lost)


def _contact(t: Loads, e: m.Contact) -> Load:
    """The force is the sum of those of its pairs, each of which is told beside it where there are several."""
    found = touch.pairs(t.g, e)
    if len(found) == 1:
        return _pressing(t, e, found[0].gap, pair=found[0])
    parts = [_pressing(t, e, p.gap, side=f"_{p.part}", pair=p) for p in found]
    summed = [c for c in ("force", *slipping.channels(t.g)) if all(c in p.effort for p in parts)]
    effort: dict[str, Scalar] = {c: sum((p.effort[c] for p in parts), 0.0) for c in summed}
    for k, part in enumerate(parts):
        own = {f"{c}_{k + 1}": part.effort.pop(c) for c in summed}
        effort |= {**own, **part.effort}
    return _together(e.name, parts, effort)


def _together(name: str, parts: list[Load], effort: dict[str, Scalar]) -> Load:
    V = sum((p.V for p in parts if p.V is not None), 0.0)
    return Load(name, total(*[p.Q for p in parts]), V, effort, damped=total(*[p.damped for p in parts]))


def stop_gaps(g: Geometry, e: m.Stop) -> list[Scalar]:
    s = resolve(g, [e.quantity])[0]
    gaps: list[Scalar] = []
    if e.lower is not None:
        gaps.append(s - e.lower)
    if e.upper is not None:
        gaps.append(e.upper - s)
    return gaps


def _stop(t: Loads, e: m.Stop) -> Load:
    sides = [(1.0, "_lower"), (-1.0, "_upper")] if e.lower is not None else [(-1.0, "_upper")]
    parts = [_pressing(t, e, gap, *side) for gap, side in zip(stop_gaps(t.g, e), sides, strict=False)]
    pressed = [p.effort["force"] for p in parts if p.effort]
    F = sum((sense * N for (sense, _), N in zip(sides, pressed, strict=False)), 0.0)
    effort: dict[str, Scalar] = dict.fromkeys(effort_channels(effort_name(t.g.model, e) == "torque"), F)
    effort |= {name: x for p in parts for name, x in p.effort.items() if name != "force"}
    return _together(e.name, parts, effort)


_RULES: dict[type, Callable[[Loads, Any], Load | list[Load]]] = {
    m.Spring: _spring, m.TorsionSpring: _torsion_spring, m.Force: _force, m.PointForce: _point_force, m.Torque: _torque,
    m.Bushing: bushings.load, m.Contact: _contact, m.Stop: _stop, m.Motor: drives.motor, m.PID: drives.pid,
    m.Attraction: _attraction, **wheels.RULES, m.Tyre: tyres.load,
}  # fmt: skip
