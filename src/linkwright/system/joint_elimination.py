"""How the equations of a machine in joint coordinates are solved, in one of two ways that give the same:

InSpeeds   [ H  J^T ] [ udot ]   [ tau - C         ]      J = Phi_v R
           [ J   0  ] [ lam  ] = [ gamma - Phi_v c ]

H: composite rigid bodies; C: recursive Newton-Euler; c: the accelerations at udot = 0 (Featherstone, chapters 5, 6, 8). Few
unknowns, but each meets all that are below it on its way to the ground: operations grow with the cube of a chain's length.
Without rows: articulated bodies (chapter 7), in a number of operations that grows with the number of bodies.

ByBodies   [ M      Phi_v^T ] [ x   ]   [ Q - h - M c ]
           [ Phi_v     0    ] [ lam ] = [ g           ]      g = 0 for the joints of the tree, gamma - Phi_v c for loops

with the accelerations vdot = x + c of all bodies, of which udot = E x is read joint by joint. Many unknowns that meet their
neighbours only: operations grow with the number of bodies, loops or not, and the reactions of all joints come with it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from linkwright.compile.clock import traced_property as cached_property
from linkwright.equations import tree
from linkwright.graph import Scalar, along
from linkwright.model.values import is_some
from linkwright.system.formulations import NewtonEuler
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.kane import Kane
from linkwright.system.mechanics import Mechanics
from linkwright.system.projected import add_carried
from linkwright.system.saddle import Entries, Saddle, factor, of_marked

Solved = tuple[list[Scalar], list[Scalar]]


class Elimination(ABC):
    """``rows``: all that hold; ``loops``: those that the tree's joints do not hold by themselves; ``carried``: those whose
    multipliers come with the solution. Friction asks it as a `Saddle`: (udot, lam of all rows) of forces alone."""

    def __init__(
        self, system: Mechanics, joints: JointCoordinates, rows: Sequence[int], compliances: Sequence[Scalar] = (),
        marks: Sequence[Scalar] = (),
    ) -> None:  # fmt: skip
        """`compliances`: the regularisation of each row, see `saddle`. `marks`, one a speed: of those that follow the
        others, as many as loops have rows."""
        self.system, self.joints, self.rows = system, joints, list(rows)
        self.loops = loops(system, joints, rows)
        self.compliances, self.marks = list(compliances), list(marks)
        self.gamma: list[Scalar] = [0.0] * len(self.rows)

    @cached_property
    def columns(self) -> dict[int, dict[int, Scalar]]:
        """The derivative of each loop's row by displacements of bodies."""
        return dict(zip(self.loops, self.system.Phi_v.of_rows(self.loops).by_row(), strict=True))

    @cached_property
    def bias(self) -> list[Scalar]:
        """c."""
        return self.joints.rates_of_v([0.0] * self.joints.nv)

    @cached_property
    def right(self) -> list[Scalar]:
        """gamma - Phi_v c of the loops."""
        gamma = self.system.gamma
        return [gamma[k] - sum((x * self.bias[j] for j, x in row.items()), start=0.0) for k, row in self.columns.items()]

    @property
    @abstractmethod
    def carried(self) -> list[int]: ...

    @property
    @abstractmethod
    def saddle(self) -> Saddle: ...

    @property
    def health(self) -> Scalar:
        return self.saddle.health if self.loops else 1.0

    @abstractmethod
    def motion(self, right: Sequence[Scalar]) -> Solved:
        """(udot, lam of the rows carried) under all forces but friction; `right` of the loops."""

    @abstractmethod
    def reactions(self, udot: Sequence[Scalar], lam: Sequence[Scalar]) -> list[Scalar]:
        """lam of all rows in a motion."""

    @abstractmethod
    def solve(self, f: Sequence[Scalar], gamma: Sequence[Scalar]) -> Solved: ...

    @abstractmethod
    def least(self, right: Sequence[Scalar]) -> list[Scalar]:
        """The displacement of the speeds that changes the loops' rows by `right`: the least in the metric of the masses, or
        that of the marked ones alone."""


class InSpeeds(Elimination):
    """The elimination with H and J written down."""

    @property
    def carried(self) -> list[int]:
        return self.loops

    @cached_property
    def _J(self) -> Entries:
        rows = enumerate(self.columns.values())
        return {(k, a): x for k, row in rows for a, x in enumerate(self.joints.at_joints(row)) if is_some(x)}

    @cached_property
    def saddle(self) -> Saddle:
        j, s = self.joints, self.system
        H: Entries = {(a, b): x for (a, b), x in np.ndenumerate(tree.crba(j.tree, j.theta)) if is_some(x) and a <= b}
        for slope, inertia, _ in self._carried:
            add_carried(H, slope, inertia)
        count = len(self.loops)
        weights = dict.fromkeys(range(count), s.typical_mass) if s.massless else {}
        after = {k: range(j.nv) for k in range(count)}
        given = dict(zip(self.rows, self.compliances, strict=True)) if self.compliances else {}
        compliances = [given[k] for k in self.loops] if given else []
        return factor(
            H, self._J, self.right, j.nv, weights, after, compliances, sizes=s.compliances_of(list(self.columns.values()))
        )

    def motion(self, right: Sequence[Scalar]) -> Solved:
        loads = self.system.loads
        Q: dict[int, Scalar] = {}
        for load in loads.all:  # gravity is the tree's own
            for k, x in load.Q.items() if load is not loads.weight else ():
                Q[k] = Q.get(k, 0.0) + x
        return self._moved(Q, self.joints.u, self.joints.tree, right, [second for *_, second in self._carried])

    @cached_property
    def _carried(self) -> list[tuple[list[Scalar], Scalar, Scalar]]:
        """Inertia along quantities: the derivative by the speeds, the size, and the second rate at udot = 0."""
        s, c = self.system, self.system.coordinates
        out = []
        for (x, inertia), (row, _) in zip(s.carried, s.carried_rows, strict=True):
            second = along(along([x], c.rates), c.rates)[0]
            at_rest = second + sum((d * self.bias[k] for k, d in row.items()), start=0.0)
            out.append((self.joints.at_joints(row), inertia, at_rest))
        return out

    def _moved(
        self, Q: Mapping[int, Scalar], u: np.ndarray, at: tree.Tree, right: Sequence[Scalar], seconds: Sequence[Scalar] = ()
    ) -> Solved:
        """`seconds`: of what is carried along quantities the second rates at udot = 0."""
        j, f_ext = self.joints, self.joints.wrenches(Q)
        if not self.loops and not j.extra and not self._carried:
            return list(tree.aba(at, j.theta, u, np.zeros(j.tree.nv), f_ext)), []
        n = self.system.nv - j.extra
        effort = [*[-x for x in tree.bias(at, j.theta, u, f_ext)], *[Q.get(n + k, 0.0) for k in range(j.extra)]]
        for (slope, inertia, _), second in zip(self._carried if seconds else (), seconds, strict=True):
            effort = [x - inertia * second * d for x, d in zip(effort, slope, strict=True)]
        return self.saddle.solve(effort, right)

    @cached_property
    def _kane(self) -> Kane:
        return Kane(self.system, self.rows, spanning=self.joints.spanning)

    def reactions(self, udot: Sequence[Scalar], lam: Sequence[Scalar]) -> list[Scalar]:
        s = self.system
        f = [x - h for x, h in zip(s.loads.Q, s.inertia.h, strict=True)]
        return self._balanced(f, self.joints.rates_of_v(udot), lam)

    def _balanced(self, f: Sequence[Scalar], vdot: Sequence[Scalar], lam: Sequence[Scalar]) -> list[Scalar]:
        found = dict(zip(self.loops, lam, strict=True))
        own = [found[k] for k in self._kane.loop_rows]
        return self._kane.multipliers(np.array(f, dtype=object), np.array(vdot, dtype=object), own)

    def solve(self, f: Sequence[Scalar], gamma: Sequence[Scalar]) -> Solved:
        j = self.joints
        floating = replace(j.tree, gravity=(0.0, 0.0, 0.0))
        Q = {k: x for k, x in enumerate(f) if is_some(x)}
        udot, lam = self._moved(Q, np.zeros(j.tree.nv), floating, [0.0] * len(self.loops))
        vdot = [x - c for x, c in zip(j.rates_of_v(udot), self.bias, strict=True)]
        return udot, self._balanced(f, vdot, lam)

    def least(self, right: Sequence[Scalar]) -> list[Scalar]:
        saddle = self._partition if self.marks else self.saddle
        return saddle.solve([0.0] * self.joints.nv, right)[0]

    @cached_property
    def _partition(self) -> Saddle:
        return of_marked(self._J, self.marks, len(self.loops))


class ByBodies(Elimination):
    """The elimination of the bodies' own equations."""

    @property
    def carried(self) -> list[int]:
        return self.rows

    @property
    def _form(self) -> NewtonEuler:
        return NewtonEuler(self.system, self.rows, self.compliances)

    @cached_property
    def saddle(self) -> Saddle:
        return self._form.by_bodies()

    def _all(self, right: Sequence[Scalar]) -> list[Scalar]:
        """The right-hand sides of all rows, from those of the loops: joints of the tree stay closed."""
        given = dict(zip(self.loops, right, strict=True))
        return [given.get(k, 0.0) for k in self.rows]

    def motion(self, right: Sequence[Scalar]) -> Solved:
        s = self.system
        f = [x - h for x, h in zip(s.loads.Q, s.inertia.h, strict=True)]
        for (i, j), x in s.inertia.M.entries.items():
            f[i] = f[i] - x * self.bias[j]
        return self.solve(f, self._all(right))

    def reactions(self, udot: Sequence[Scalar], lam: Sequence[Scalar]) -> list[Scalar]:
        return list(lam)

    def solve(self, f: Sequence[Scalar], gamma: Sequence[Scalar]) -> Solved:
        x, lam = self.saddle.solve(f, gamma)
        return self.joints.speeds_of(x), lam

    def least(self, right: Sequence[Scalar]) -> list[Scalar]:
        saddle = self._partition if self.marks else self.saddle
        x, _ = saddle.solve([0.0] * self.system.nv, [*self._all(right), *[0.0] * len(self.marks)])
        return self.joints.speeds_of(x)

    @cached_property
    def _partition(self) -> Saddle:
        """The equations with a row more for each speed, (1 - mark) E x - mark mu = 0: it holds a speed that is not marked,
        as a driver would."""
        s, count = self.system, len(self.rows)
        J, weights, after = self._form.parts()
        for k, (row, mark) in enumerate(zip(self.joints.speed_rows, self.marks, strict=True)):
            J.update({(count + k, i): (1.0 - mark) * x for i, x in row.items()})
            after[count + k] = self._waits(k, row)
        gamma: list[Scalar] = [0.0] * (count + len(self.marks))
        marks = {count + k: mark for k, mark in enumerate(self.marks)}
        return factor(s.inertia.M.entries, J, gamma, s.nv, weights, after, marks=marks)

    def _waits(self, speed: int, row: Mapping[int, Scalar]) -> set[int]:
        """The displacements that go before a speed is held: those between the bodies of its joint, or of a curve its own."""
        s, spanning = self.system, self.joints.spanning
        for k, at in enumerate(spanning.tree.speeds()):
            if at.start <= speed < at.stop:
                low = spanning.tree.parent[k]
                below = spanning.bodies[low] if low >= 0 else s.model.ground
                return s.coordinates.displacements(s.tree.between([spanning.bodies[k].name, below.name]))
        return set(row)


def loops(system: Mechanics, joints: JointCoordinates, rows: Sequence[int]) -> list[int]:
    """The rows that joints of the tree do not hold by themselves."""
    held = set(joints.spanning.joints)
    return [int(k) for k in rows if system.rows[k].element.name not in held]
