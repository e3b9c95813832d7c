"""The forces of joints, from multipliers (Haug 6.6.8-9, 11.5.6 with the sign mended).

An element with multipliers lam acts on a body with the generalised force -Phi_v^T lam. Told as a force F and a torque T
about a point P: F = -Phi_r^T lam, T = -A Phi_pi^T lam - (P - r) x F, in ground axes. Elements without a place of their own
(drivers, couplers, general constraints) act along their quantity with the effort -lam.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import model as m
from linkwright.compile.clock import traced_property as cached_property
from linkwright.equations.plane import rotate90
from linkwright.equations.rotations import cross, dot
from linkwright.graph import Scalar, absolute
from linkwright.model import quantities as quantity
from linkwright.model.sums import Sums
from linkwright.model.values import is_some
from linkwright.system import meshes, rolling, ropes
from linkwright.system.coordinates import Coordinates
from linkwright.system.system import System

WRENCH = {2: ("fx", "fy", "torque"), 3: ("fx", "fy", "fz", "tx", "ty", "tz")}


@dataclass(frozen=True, eq=False)
class Wrench:
    """The action of an element on its second body: force and torque about a point, ground axes."""

    element: m.Element
    first: m.Body
    second: m.Body
    point: list[Scalar]
    components: list[Scalar]


def has_place(element: m.Element) -> bool:
    """Whether it joins two bodies at points, so that a force and a torque tell what it does."""
    return len(element.bodies) == 2 and not isinstance(element, m.Driver | m.Constraint | m.Coupler | m.Rolling | m.Rope)


def effort_name(model: m.Model, element: Any) -> str:
    """ "torque" for an element that works along an angle, else "force"."""
    terms = [q for q, _ in element.terms] if isinstance(element, m.Coupler) else [element.quantity]
    found = [d for x in terms for d in quantity.definitions_in(model, x)]
    return "torque" if found and all(map(_is_angle, found)) else "force"


def _is_angle(d: quantity.Quantity) -> bool:
    if isinstance(d, quantity.BodyCoordinate | quantity.JointCoordinate):
        return d.channel.startswith("angle") or d.channel in ("omega", "wx", "wy", "wz")
    return isinstance(d, quantity.AngleBetween)


def wrench_on(c: Coordinates, body: m.Body, Q: Mapping[int, Scalar], point: np.ndarray) -> list[Scalar]:
    """A generalised force as a force and a torque about a point on one of the bodies, in ground axes."""
    at = c.body_slices()[body.name][1]
    own = [Q.get(k, 0.0) for k in range(at.start, at.stop)]
    F = np.array(own[: c.dimension], dtype=object)
    pose = c.poses[body.name]
    arm = point - np.array(pose.r, dtype=object)
    if c.dimension == 2:
        return [*F, own[2] - dot(rotate90(arm), F)]
    return [*F, *(pose.A @ np.array(own[3:], dtype=object) - cross(arm, F))]


class Reactions:
    """Reactions as expressions of the coordinates and of multipliers `lam`, one a row of the system."""

    def __init__(self, system: System, lam: Sequence[Scalar]) -> None:
        self.system, self.lam = system, lam
        self.rows: dict[str, list[int]] = {}
        for k, row in enumerate(system.rows):
            self.rows.setdefault(row.element.name, []).append(k)

    def generalised(self, name: str) -> dict[int, Scalar]:
        """The generalised force of one element: -Phi_v^T lam, and what it does beside."""
        out: dict[int, Scalar] = {}
        for k in self.rows[name]:
            for column, d in self._row_entries[k].items():
                out[column] = out.get(column, 0.0) - d * self.lam[k]
        for column, d in self._beside(self.system.model.elements[name]).items():
            out[column] = out.get(column, 0.0) + d
        return out

    def _beside(self, element: m.Element) -> dict[int, Scalar]:
        """The further forces of an element: gears push each other apart, the pretension of a belt pulls its pulleys
        together."""
        if isinstance(element, m.Gear | m.RackPinion) and (more := self.apart(element)) is not None:
            return {column: d * more[1] for column, d in more[0].direction.items()}
        if isinstance(element, m.Belt) and is_some(element.pretension):
            return ropes.pretension(self.system.loads, element)  # type: ignore[attr-defined]
        return {}

    def apart(self, e: m.Gear | m.RackPinion) -> tuple[meshes.Apart, Scalar] | None:
        """How rigid gears with a pressure angle push each other apart, and by which force."""
        loads: Any = self.system.loads  # type: ignore[attr-defined]
        found = meshes.apart(loads, e)
        return None if found is None else (found, found.share * absolute(self.lam[self.rows[e.name][0]]))

    @cached_property
    def _row_entries(self) -> list[dict[int, Scalar]]:
        """The nonzeros of Phi_v by row."""
        return self.system.Phi_v.by_row()

    def wrench(self, name: str) -> Wrench:
        """The action on the second body; where that is ground, the opposite of the action on the first."""
        element = self.system.model.elements[name]
        first, second = element.bodies
        point = self.place(element)
        opposite = second.is_ground
        components = self._on(first if opposite else second, name, point)
        components = [-x for x in components] if opposite else components
        return Wrench(element, first, second, list(point), components)

    def _on(self, body: m.Body, name: str, point: np.ndarray) -> list[Scalar]:
        return wrench_on(self.system.coordinates, body, self.generalised(name), point)

    def place(self, element: Any) -> np.ndarray:
        """The joint's point: that of its second body; where a curve is in contact, the point of contact."""
        g = self.system.geometry
        if isinstance(element, m.CamFollower):
            return g.curve(element.curve_j, element.alpha_j)[0]
        if isinstance(element, m.CamFlat | m.PointFollower):
            return g.curve(element.curve, element.alpha)[0]
        second = element.bodies[1]
        points = [x for x in vars(element).values() if isinstance(x, m.Point) and x.body is second]
        if points:
            return np.array(g.point(points[-1]), dtype=object)
        return np.array(g.coordinates.poses[second.name].r, dtype=object)

    def _rolling(self, e: m.Rolling) -> dict[str, Scalar]:
        """The force of the plane on the wheel, and where it touches."""
        g, n = self.system.geometry, self.system.coordinates.dimension
        start = g.coordinates.body_slices()[e.wheel.body.name][1].start
        Q, touch = self.generalised(e.name), rolling.contact(g, e)[0]
        force = {f"{e.name}.f{c}": Q.get(start + k, 0.0) for k, c in enumerate("xyz"[:n])}
        return {**force, **{f"{e.name}.p{c}": touch[k] for k, c in enumerate("xyz"[:n])}}

    def _told(self, element: m.Element, lam: Scalar) -> dict[str, Scalar]:
        """The forces of gears and belts under the names that users call them by."""
        g = self.system.geometry
        if isinstance(element, m.Gear):
            return meshes.told(g, element, meshes.tangential(g, element, lam))
        if isinstance(element, m.RackPinion):
            return meshes.told_of_rack(element, lam)
        if isinstance(element, m.Belt):
            return ropes.tensions(g, element, element.pretension + 0.5 * lam, element.pretension - 0.5 * lam)
        return {}

    def channels(self) -> dict[str, Scalar]:
        """All reactions by channel name."""
        out: dict[str, Scalar] = {}
        for name, rows in self.rows.items():
            element = self.system.model.elements[name]
            if isinstance(element, m.Rolling):
                out |= self._rolling(element)
            elif has_place(element):
                w = self.wrench(name)
                out.update(zip([f"{name}.{c}" for c in WRENCH[self.system.model.dimension]], w.components, strict=True))
                out.update({f"{name}.{c}": x for c, x in self._told(element, self.lam[rows[0]]).items()})
            elif isinstance(element, m.Rope):
                out.update(
                    {f"{name}.{c}": x for c, x in ropes.told(self.system.geometry, element, self.lam[rows[0]]).items()}
                )
            elif not isinstance(element, m.Balance | Sums):  # these push nothing
                for k in rows:
                    out[f"{name}.{effort_name(self.system.model, element)}"] = -self.lam[k]
        return out
