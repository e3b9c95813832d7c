"""The motion of a machine in joint coordinates: a spanning tree, whose joints hold by themselves, and rows for the rest.

The rows close loops (cut joints), drive, or constrain in other ways. Accelerations of the speeds are found in one of two
ways, whichever takes fewer operations: see `joint_elimination`.

Equations of elements are those of Cartesian coordinates, with q and v as functions of theta and u put in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linkwright.compile import Function
from linkwright.compile.clock import traced_property as cached_property
from linkwright.graph import Expr, Scalar, operations, substitute, symbol, symbols
from linkwright.system.formulations import NewtonEuler
from linkwright.system.friction import settled
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.joint_elimination import ByBodies, InSpeeds, loops
from linkwright.system.loop_cost import LoopCost
from linkwright.system.mechanics import Mechanics
from linkwright.system.motion import Flow
from linkwright.system.saddle import eased


class JointFlow(Flow):
    """The state is y = (theta, u, turns, work): see `JointCoordinates` and `motion`. `rows`: of those that hold; the rows of
    the tree's joints are among them and are left out. The regularisation has an entry for each row given."""

    def __init__(
        self, system: Mechanics, joints: JointCoordinates, rows: Sequence[int], stabilised: bool = False,
        compliant: bool = False, partitioned: bool = False, by_bodies: bool | None = None,
    ) -> None:  # fmt: skip
        """`by_bodies`: how accelerations are found; by default in the way with fewer operations."""
        self.joints, self.all_rows, self._by_bodies = joints, [int(k) for k in rows], by_bodies
        super().__init__(system, loops(system, joints, rows), stabilised=stabilised)
        self.compliances = symbols("compliance", 3 * len(self.all_rows) if compliant else 0)
        self.dependent = symbols("dependent", joints.nv if partitioned and self.rows else 0)

    # -- inputs ----------------------------------------------------------------------------------------------------------
    @cached_property
    def y(self) -> np.ndarray:
        turns = self.system.inputs["turns"]
        return np.array([*self.joints.q, *self.joints.v, *turns, symbol("work")], dtype=object)

    def _function(
        self, name: str, inputs: dict[str, np.ndarray], outputs: Mapping[str, Sequence[Scalar]], often: bool | None = None
    ) -> Function:
        return super()._function(f"{name} in joint coordinates", inputs, outputs, often)

    def _in_state(self, values: Sequence[Scalar]) -> list[Scalar]:
        return self._in_joints(super()._in_state(values))

    def _in_joints(self, values: Sequence[Scalar]) -> list[Scalar]:
        return substitute(values, self.joints.cartesian)

    # -- equations -------------------------------------------------------------------------------------------------------
    @cached_property
    def elimination(self) -> InSpeeds | ByBodies:
        how = InSpeeds if self.in_speeds else ByBodies
        return how(self.system, self.joints, self.all_rows, self._eased, list(self.dependent))

    @cached_property
    def _eased(self) -> list[Scalar]:
        """The compliances of the rows: those of the tree's joints hold by themselves."""
        held = [self.system.residuals[k] if k in self.rows else 0.0 for k in self.all_rows]
        return eased(list(self.compliances), held) if len(self.compliances) else []

    @cached_property
    def in_speeds(self) -> bool:
        """Whether accelerations are found in the speeds of the tree, not among the bodies' own equations."""
        if self._by_bodies is not None:
            return not self.rows or not self._by_bodies
        if not self.rows and not self.system.carried:
            return True
        bodies = NewtonEuler(self.system, self.all_rows, self._eased)
        return bodies.work() >= LoopCost(self.system, self.joints.spanning).in_speeds()

    @cached_property
    def _gamma(self) -> list[Scalar]:
        return self._stabilised(self.elimination.right)

    @cached_property
    def _frictionless(self) -> tuple[list[Scalar], dict[int, Scalar]]:
        """udot, and lam by row of those that come with it."""
        udot, lam = self.elimination.motion(self._gamma)
        return udot, dict(zip(self.elimination.carried, lam, strict=True))

    @cached_property
    def _balanced(self) -> tuple[list[Scalar], dict[int, Scalar]]:
        """udot, and lam of all rows: with friction, which they make."""
        s, e = self.system, self.elimination
        udot, known = self._frictionless
        lam = e.reactions(udot, list(known.values()))
        if s.frictions:
            udot, lam = settled(s, NewtonEuler(s, self.all_rows), e, udot, lam, self.all_rows)
        return udot, dict(zip(self.all_rows, lam, strict=True))

    @cached_property
    def solution(self) -> tuple[list[Scalar], list[Scalar]]:
        """(udot, lam of the rows)."""
        udot, lam = self._balanced if self.system.frictions else self._frictionless
        return udot, [lam[k] for k in self.rows]

    @property
    def response(self) -> dict[Expr, Scalar]:
        s = self.system
        udot, held = self._balanced
        vdot = self.joints.rates_of_v(udot)
        return {**dict(zip(s.vdot, vdot, strict=True)), **{x: held.get(k, 0.0) for k, x in enumerate(s.lam)}}

    @cached_property
    def power(self) -> Scalar:
        """Joints of the tree do no work but by friction."""
        held = self._balanced[1] if self.system.frictions else dict(zip(self.rows, self.solution[1], strict=True))
        return self._power(held)

    def _motion_outputs(self) -> list[Scalar]:
        return [*self.joints.rates, *self.solution[0], *self._turning, self.power]

    def _moving(self, vdot: list[Scalar]) -> list[Scalar]:
        from_rest = [a - c for a, c in zip(vdot, self.elimination.bias, strict=True)]
        return [*self.joints.rates, *self.joints.speeds_of(from_rest)]

    @property
    def speed_rates(self) -> list[Scalar]:
        """udot as a function of the state."""
        return self._in_joints(self.solution[0])

    @cached_property
    def operations(self) -> int:
        return operations(self.speed_rates)

    @cached_property
    def motion(self) -> Function:
        return self.function("motion", True, ydot=self._motion_outputs(), **self._more())

    def _more(self) -> dict[str, list[Scalar]]:
        return {"lam": self.solution[1], "health": [self.elimination.health]}

    @cached_property
    def cartesian_motion(self) -> Function:
        """The outputs of `motion` as they are in Cartesian coordinates: (qdot, vdot, turning, power), lam, health."""
        c = self.system.coordinates
        qdot = [c.rates[x] for x in c.q]
        vdot = self.joints.rates_of_v(self.solution[0])
        turning = self._motion_outputs()[self.joints.nq + self.joints.nv :]
        return self.function(
            "accelerations", ydot=[*qdot, *vdot, *turning], lam=self.solution[1], health=[self.elimination.health]
        )

    @cached_property
    def cartesian_state(self) -> Function:
        """y in Cartesian coordinates."""
        c = self.system.coordinates
        return Function(
            f"{self.system.model.name}: from joint coordinates", {"y": self.y, "b": self.inputs["b"]},
            {"y": self._in_joints([*c.q, *c.v, *self.y[self.joints.nq + self.joints.nv :]])},
        )  # fmt: skip

    # -- projection --------------------------------------------------------------------------------------------------------
    def _projection(self, name: str, iterations: int) -> Function:
        """y brought back to the rows by the least displacement in the metric of H, or of the speeds that are marked as
        dependent alone, as `Flow.projection` does."""
        j, s, least = self.joints, self.system, self.elimination.least
        theta: list[Scalar] = j.retracted(list(j.q), [0.0] * j.nv)
        u: list[Scalar] = list(j.v)
        if self.rows:
            held, drift = map(self._in_joints, self._held_and_rates)
            for _ in range(iterations):
                at = dict(zip(j.q, theta, strict=True))
                theta = j.retracted(theta, least([-x for x in substitute(held, at)]))
            for _ in range(iterations):
                at = {**dict(zip(j.q, theta, strict=True)), **dict(zip(j.v, u, strict=True))}
                u = [x + w for x, w in zip(u, least([-x for x in substitute(drift, at)]), strict=True)]
        angles = self._in_joints([angle for _, angle in s.geometry.turns.values()])
        return self.function(
            name, False, y=[*theta, *u, *substitute(angles, dict(zip(j.q, theta, strict=True))), self.y[-1]]
        )
