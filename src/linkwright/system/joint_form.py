"""The motion of a machine in joint coordinates: a spanning tree, whose joints hold by themselves, and rows for the rest.

    [ H    J^T ] [ udot ]   [ tau - C          ]
    [ J     0  ] [ lam  ] = [ gamma - Phi_v c  ]        J = Phi_v R

H: composite rigid bodies; C: recursive Newton-Euler; c: the accelerations at udot = 0 (Featherstone, chapters 5, 6, 8). The
rows close loops (cut joints), drive, or constrain in other ways. Without rows: articulated bodies (chapter 7), in a number
of operations that grows with the number of bodies.

Equations of elements are those of Cartesian coordinates, with q and v as functions of theta and u put in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from linkwright.compile import Function
from linkwright.equations import tree
from linkwright.graph import Expr, Scalar, jacobian, substitute, symbol, symbols
from linkwright.system.formulations import NewtonEuler
from linkwright.system.friction import settled
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.kane import Kane
from linkwright.system.mechanics import Mechanics
from linkwright.system.motion import Flow
from linkwright.system.saddle import Entries, Saddle, factor


class JointFlow(Flow):
    """The state is y = (theta, u, turns, work): see `JointCoordinates` and `motion`. `rows`: of those that hold; the rows of
    the tree's joints are among them and are left out. Yields are one a row of those given."""

    def __init__(
        self, system: Mechanics, joints: JointCoordinates, rows: Sequence[int], stabilised: bool = False,
        yielding: bool = False, partitioned: bool = False,
    ) -> None:  # fmt: skip
        carried = set(joints.spanning.joints)
        self.joints, self.all_rows = joints, [int(k) for k in rows]
        loops = [k for k in self.all_rows if system.rows[k].element.name not in carried]
        super().__init__(system, loops, stabilised=stabilised)
        self.yields = symbols("yield", len(self.all_rows) if yielding else 0)
        self.dependent = symbols("dependent", joints.nv if partitioned and loops else 0)

    # -- inputs ----------------------------------------------------------------------------------------------------------
    @cached_property
    def y(self) -> np.ndarray:
        turns = self.system.inputs["turns"]
        return np.array([*self.joints.q, *self.joints.v, *turns, symbol("work")], dtype=object)

    def function(self, name: str, **outputs: Sequence[Scalar]) -> Function:
        made = {k: self._in_joints(self.flags.inserted(list(v))) for k, v in outputs.items()}
        return Function(f"{self.system.model.name}: {name} in joint coordinates", self.inputs, made)

    def _in_joints(self, values: Sequence[Scalar]) -> list[Scalar]:
        return substitute(values, self.joints.cartesian)

    # -- equations -------------------------------------------------------------------------------------------------------
    @cached_property
    def _columns(self) -> list[dict[int, Scalar]]:
        """Each row's derivative by displacements of bodies."""
        number = {row: k for k, row in enumerate(self.rows)}
        out: list[dict[int, Scalar]] = [{} for _ in self.rows]
        for (i, j), d in self.system.Phi_v.entries.items():
            if i in number:
                out[number[i]][j] = d
        return out

    @cached_property
    def _bias(self) -> list[Scalar]:
        """c: vdot at udot = 0."""
        return self.joints.rates_of_v([0.0] * self.joints.nv)

    @cached_property
    def saddle(self) -> Saddle:
        j, s = self.joints, self.system
        H: Entries = {(a, b): x for (a, b), x in np.ndenumerate(tree.crba(j.tree, j.theta)) if _not_zero(x)}
        J = {(k, a): x for k, row in enumerate(self._columns) for a, x in enumerate(j.at_joints(row)) if _not_zero(x)}
        count = len(self.rows)
        weights = dict.fromkeys(range(count), s.typical_mass) if s.massless else {}
        gamma = [s.gamma[row] - _product(self._columns[k], self._bias) for k, row in enumerate(self.rows)]
        after = {k: range(j.nv) for k in range(count)}
        given = dict(zip(self.all_rows, self.yields, strict=True)) if len(self.yields) else {}
        return factor(H, J, gamma, j.nv, weights, after, [given[k] for k in self.rows] if given else [])

    def _moved(self, Q: Sequence[Scalar], gamma: Sequence[Scalar] | None) -> tuple[list[Scalar], list[Scalar]]:
        """(udot, lam) under forces on the bodies, beside gravity; `gamma` None: without motion, rows at zero."""
        j, still = self.joints, gamma is None
        at = replace(j.tree, gravity=(0.0, 0.0, 0.0)) if still else j.tree
        u = np.zeros(j.tree.nv) if still else j.u
        forces = {k: x for k, x in enumerate(Q) if _not_zero(x)}
        f_ext = j.wrenches(forces)
        if not self.rows and not j.extra:
            return list(tree.aba(at, j.theta, u, np.zeros(j.tree.nv), f_ext)), []
        effort = [-x for x in tree.bias(at, j.theta, u, f_ext)]
        n = self.system.nv - j.extra
        return self.saddle.solve(
            [*effort, *[forces.get(n + k, 0.0) for k in range(j.extra)]], gamma or [0.0] * len(self.rows)
        )

    @cached_property
    def solution(self) -> tuple[list[Scalar], list[Scalar]]:
        """(udot, lam of the rows)."""
        s = self.system
        Q = self._applied()
        udot, lam = self._moved(Q, self._gamma if self.rows else [])
        if not s.frictions:
            return udot, lam
        joined = _WithReactions(self)
        a, found = settled(s, NewtonEuler(s, self.all_rows), joined, udot, joined.multipliers(Q, udot, lam), self.all_rows)  # type: ignore[arg-type]
        self._reactions = dict(zip(self.all_rows, found, strict=True))
        return a, [self._reactions[k] for k in self.rows]

    @property
    def response(self) -> dict[Expr, Scalar]:
        s = self.system
        udot, lam = self.solution
        if s.frictions:
            held = self._reactions
        else:
            found = _WithReactions(self).multipliers(self._applied(), udot, lam)
            held = dict(zip(self.all_rows, found, strict=True))
        vdot = self.joints.rates_of_v(udot)
        return {**dict(zip(s.vdot, vdot, strict=True)), **{x: held.get(k, 0.0) for k, x in enumerate(s.lam)}}

    def _applied(self) -> list[Scalar]:
        """Forces beside gravity, which the tree has by itself."""
        loads = self.system.loads
        total: list[Scalar] = [0.0] * self.system.nv
        for load in loads.all:
            if load is not loads.weight:
                for k, x in load.Q.items():
                    total[k] = total[k] + x
        return total

    @cached_property
    def power(self) -> Scalar:
        s = self.system
        _, lam = self.solution
        total: Scalar = s.loads.power
        for k, row in enumerate(self.rows):
            total = total - lam[k] * s.nu[row]
        if s.frictions:
            values = {s.lam[r]: self._reactions.get(r, 0.0) for r in range(len(s.lam))}
            for friction, F in zip(s.frictions, substitute([f.force for f in s.frictions], values), strict=True):
                for k, d in friction.direction.items():
                    total = total + F * d * s.coordinates.v[k]
        return total

    def _motion_outputs(self) -> list[Scalar]:
        turning = self.system.rates([angle for _, angle in self.system.geometry.turns.values()])
        return [*self.joints.rates, *self.solution[0], *turning, self.power]

    @property
    def speed_rates(self) -> list[Scalar]:
        """udot as a function of the state."""
        return self._in_joints(self.solution[0])

    @property
    def _health(self) -> Scalar:
        return self.saddle.health if self.rows else 1.0

    @cached_property
    def motion(self) -> Function:
        return self.function("motion", ydot=self._motion_outputs(), lam=self.solution[1], health=[self._health])

    @cached_property
    def motion_jacobian(self) -> Function:
        outputs = self._in_joints(self.flags.inserted(self._motion_outputs()))
        J = jacobian(outputs, list(self.y))
        return self.function("derivative of motion", J=list(J.dense().reshape(-1)))

    @cached_property
    def cartesian_motion(self) -> Function:
        """The outputs of `motion` as they are in Cartesian coordinates: (qdot, vdot, turning, power), lam, health."""
        c = self.system.coordinates
        qdot = [c.rates[x] for x in c.q]
        vdot = self.joints.rates_of_v(self.solution[0])
        turning = self._motion_outputs()[self.joints.nq + self.joints.nv :]
        return self.function("accelerations", ydot=[*qdot, *vdot, *turning], lam=self.solution[1], health=[self._health])

    @cached_property
    def cartesian_state(self) -> Function:
        """y in Cartesian coordinates."""
        c = self.system.coordinates
        return Function(
            f"{self.system.model.name}: from joint coordinates", {"y": self.y, "b": self.inputs["b"]},
            {"y": self._in_joints([*c.q, *c.v, *self.y[self.joints.nq + self.joints.nv :]])},
        )  # fmt: skip

    # -- projection --------------------------------------------------------------------------------------------------------
    @cached_property
    def projection(self) -> Function:
        """y brought back to the rows by the least displacement in the metric of H, or of the speeds that are marked as
        dependent alone, as `Flow.projection` does."""
        j, s = self.joints, self.system
        zero: list[Scalar] = [0.0] * j.nv
        theta: list[Scalar] = j.retracted(list(j.q), zero)
        u: list[Scalar] = list(j.v)
        if self.rows:
            saddle = self._marked(self.saddle.J) if len(self.dependent) else self.saddle
            held = self._in_joints([s.residuals[k] for k in self.rows])
            for _ in range(2):
                at = dict(zip(j.q, theta, strict=True))
                theta = j.retracted(theta, saddle.solve(zero, [-x for x in substitute(held, at)])[0])
            drift = self._in_joints(self._rates)
            for _ in range(2):
                at = {**dict(zip(j.q, theta, strict=True)), **dict(zip(j.v, u, strict=True))}
                u = [x + w for x, w in zip(u, saddle.solve(zero, [-x for x in substitute(drift, at)])[0], strict=True)]
        angles = self._in_joints([angle for _, angle in s.geometry.turns.values()])
        return self.function(
            "projection", y=[*theta, *u, *substitute(angles, dict(zip(j.q, theta, strict=True))), self.y[-1]]
        )

    @cached_property
    def held(self) -> Function:
        """J: the derivative of the rows by displacements of the speeds."""
        n, J = self.joints.nv, self.saddle.J
        return self.function("loops", J=[J.get((k, a), 0.0) for k in range(len(self.rows)) for a in range(n)])


class _WithReactions:
    """Asked as a `Saddle` is by friction: (udot, lam of all rows, those of the tree's joints included)."""

    def __init__(self, flow: JointFlow) -> None:
        self.flow = flow
        self.gamma = [0.0] * len(flow.all_rows)
        self._kane = Kane(flow.system, flow.all_rows, spanning=flow.joints.spanning)

    def solve(self, f: Sequence[Scalar], gamma: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """The effect of a force alone."""
        udot, lam = self.flow._moved(f, None)
        moving = self.flow.joints.rates_of_v(udot)
        vdot = [x - c for x, c in zip(moving, self.flow._bias, strict=True)]
        return udot, self._kane.multipliers(np.array(f, dtype=object), np.array(vdot, dtype=object), self._loops(lam))

    def multipliers(self, Q: Sequence[Scalar], udot: Sequence[Scalar], lam: Sequence[Scalar]) -> list[Scalar]:
        s = self.flow.system
        f = np.array([x - h for x, h in zip(s.loads.Q, s.inertia.h, strict=True)], dtype=object)
        vdot = np.array(self.flow.joints.rates_of_v(udot), dtype=object)
        return self._kane.multipliers(f, vdot, self._loops(lam))

    def _loops(self, lam: Sequence[Scalar]) -> list[Scalar]:
        found = dict(zip(self.flow.rows, lam, strict=True))
        return [found[k] for k in self._kane.loop_rows]


def _not_zero(x: Scalar) -> bool:
    return type(x) is Expr or x != 0


def _product(row: dict[int, Scalar], c: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for k, x in row.items():
        total = total + x * c[k]
    return total
