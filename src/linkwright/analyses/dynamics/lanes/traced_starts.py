"""Traced functions of starts, for many machines at once: a step towards closing, velocities that fit, joint coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.equations import rotations
from linkwright.graph import Same, Scalar, jacobian, substitute, symbols
from linkwright.system.coordinates import Coordinates
from linkwright.system.joint_form import JointFlow
from linkwright.system.mechanics import Mechanics
from linkwright.system.saddle import Entries, Saddle, factor


class TracedStarts:
    """Inputs are q, t, b, turns, and what else each needs. Kept with the system, as its other functions are.

    places, speeds: quantities of positions and of velocities that are fixed at the start, in terms of the coordinates; their
    values are inputs.
    """

    def __init__(self, system: Mechanics, places: Sequence[Scalar] = (), speeds: Sequence[Scalar] = ()) -> None:
        self.system, self.places, self.speeds = system, list(places), list(speeds)

    @classmethod
    def of(cls, system: Mechanics, places: Sequence[Scalar] = (), speeds: Sequence[Scalar] = ()) -> TracedStarts:
        key = Same([*places, *speeds]), len(places)
        found: TracedStarts = system.once("starts", key, lambda: cls(system, places, speeds))
        return found

    def _function(self, name: str, more: dict[str, np.ndarray], **outputs: Sequence[Scalar]) -> Function:
        x = self.system.inputs
        inputs = {**{k: x[k] for k in ("q", "t", "b", "turns")}, **more}
        return Function(f"{self.system.model.name}: {name}", inputs, outputs)

    def _saddle(self, weight: np.ndarray, right: list[Scalar], more: Entries) -> Saddle:
        """`more`: rows after those of the joints."""
        count = len(self.system.rows)
        J: Entries = {**self.system.Phi_v.entries, **{(count + i, j): x for (i, j), x in more.items()}}
        rows: dict[int, list[int]] = {k: [] for k in range(len(right))}
        for k, j in J:
            rows[k].append(j)
        return factor({(j, j): w for j, w in enumerate(weight)}, J, right, len(weight), {}, rows)

    @cached_property
    def closing(self) -> Function:
        """A step of Newton's method, without curvature, towards the nearest configuration to an estimate in which all joints
        close; and how far it goes. `weight`: by displacement."""
        s, c = self.system, self.system.coordinates
        weight, estimate, fixed = symbols("weight", s.nv), symbols("estimate", s.nq), symbols("fixed", len(self.places))
        open_by = [*s.residuals, *(x - value for x, value in zip(self.places, fixed, strict=True))]
        saddle = self._saddle(weight, [-x for x in open_by], c.jacobian(self.places).entries)
        pull = [w * x for w, x in zip(weight, displacements(c, c.q, estimate), strict=True)]
        d = saddle.solve(pull)[0]
        moved = list(c.retracted(np.array(d, dtype=object)))
        return self._function("closing", {"weight": weight, "estimate": estimate, "fixed": fixed}, q=moved, d=d)

    @cached_property
    def velocities(self) -> Function:
        """v with Phi_v v = nu and the least weighted distance to a target."""
        s = self.system
        weight, target, fixed = symbols("weight", s.nv), symbols("target", s.nv), symbols("fixed", len(self.speeds))
        v = list(s.coordinates.v)
        still = substitute(self.speeds, dict.fromkeys(v, 0.0))
        right = [*s.nu, *(value - x for x, value in zip(still, fixed, strict=True))]
        saddle = self._saddle(weight, right, jacobian(self.speeds, v).entries if self.speeds else {})
        v = saddle.solve([w * x for w, x in zip(weight, target, strict=True)])[0]
        return self._function("velocities", {"weight": weight, "target": target, "fixed": fixed}, v=v)

    @cached_property
    def kinetic(self) -> Function:
        return self._function("kinetic energy", {"v": self.system.inputs["v"]}, T=[self.system.inertia.kinetic_energy])

    @cached_property
    def sizes(self) -> Function:
        """The diagonal of M, the nonzeros of Phi_v, and the angles whose turns are counted."""
        s = self.system
        diagonal: list[Scalar] = [s.inertia.M.entries.get((j, j), 0.0) for j in range(s.nv)]
        turned = [angle for _, angle in s.geometry.turns.values()]
        return self._function("sizes", {}, M=diagonal, J=s.Phi_v.values, turned=turned)


def reading(flow: JointFlow) -> Function:
    """A step of Newton's method from joint coordinates towards those of a configuration; the speeds of its velocities; and
    how far its bodies are off. Inputs: the state of the chart, b, q, v."""
    found: Function = flow.system.once("starts", ("reading", flow.joints.choices), lambda: _reading(flow))
    return found


def _reading(flow: JointFlow) -> Function:
    joints, s = flow.joints, flow.system
    q, v = symbols("configuration", s.nq), symbols("velocity", s.nv)
    here = np.array([joints.cartesian[x] for x in s.coordinates.q], dtype=object)
    off = displacements(s.coordinates, here, q)
    theta = joints.retracted(list(joints.q), joints.speeds_of(off))
    inputs = {"y": flow.y, "b": s.inputs["b"], "q": q, "v": v}
    outputs = {"theta": theta, "u": joints.speeds_of(list(v)), "off": off}
    return Function(f"{s.model.name}: joint coordinates of a configuration", inputs, outputs)


def displacements(c: Coordinates, here: np.ndarray, target: np.ndarray) -> list[Scalar]:
    """From a configuration to another, to first order."""
    if c.dimension == 2:
        return list(target - here)
    out: list[Scalar] = []
    for at, _ in c.body_slices().values():
        turn = rotations.G(here[at][3:]) @ target[at][3:]
        out += [*(target[at][:3] - here[at][:3]), *(2 * x for x in turn)]
    return out
