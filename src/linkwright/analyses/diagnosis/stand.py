"""Where the points and frames of a machine are while it stands in one configuration, as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.assembly.closure import impatient
from linkwright.analyses.machine.machine import Machine
from linkwright.equations import rotations
from linkwright.model import Model, Point


@dataclass(frozen=True, eq=False)
class Stand:
    """A machine and its coordinates."""

    machine: Machine
    q: np.ndarray

    @staticmethod
    def assembled(model: Model, t: float) -> Stand:
        """As its joints close; AssemblyError where they do not."""
        machine = Machine(model, t, by_shapes=True)
        with impatient():
            return Stand(machine, close(machine, t).q)

    @property
    def model(self) -> Model:
        return self.machine.model

    def own(self, body: str) -> np.ndarray:
        """The coordinates of a body."""
        return self.q[self.machine.system.coordinates.body_slices()[body][0]]

    def place(self, P: Point) -> np.ndarray:
        """Where a point is."""
        s = np.array([self.model.value(x) for x in P.s])
        return s if P.body.is_ground else self.own(P.body.name)[: len(s)] + self.axes(P.body.name) @ s

    def axes(self, body: str) -> np.ndarray:
        """The axes of a body as columns."""
        n = self.model.dimension
        if body == "ground":
            return np.eye(n)
        own = self.own(body)
        if n == 3:
            return np.asarray(rotations.A(own[3:]), dtype=float)
        c, s = np.cos(own[2]), np.sin(own[2])
        return np.array([[c, -s], [s, c]])

    def rates(self, P: Point, motions: np.ndarray) -> np.ndarray:
        """How a point moves in each of these motions, which are displacements of all bodies by columns."""
        n = self.model.dimension
        if P.body.is_ground:
            return np.zeros((n, motions.shape[1]))
        own = motions[self.machine.system.coordinates.body_slices()[P.body.name][1]]
        s, A = np.array([self.model.value(x) for x in P.s]), self.axes(P.body.name)
        if n == 2:
            arm = A @ s
            return np.asarray(own[:2] + np.outer([-arm[1], arm[0]], own[2]))
        return np.asarray(own[:3] - A @ np.cross(s, np.eye(3)).T @ own[3:])

    def frame(self, P: Point) -> np.ndarray:
        """The axes of a frame in those of its body, as columns: in the plane those of its direction."""
        if self.model.dimension == 3:
            return np.array([[self.model.value(x) for x in row] for row in P.rotation]) if P.rotation else np.eye(3)
        angle = 0.0 if P.angle is None else self.model.value(P.angle)
        return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])

    def onto(self, P: Point, Q: Point) -> tuple[tuple[float, ...], np.ndarray]:
        """The point and frame of the body of P that lie where those of Q are."""
        A = self.axes(P.body.name)
        origin = np.zeros(self.model.dimension) if P.body.is_ground else self.own(P.body.name)[: self.model.dimension]
        s = A.T @ (self.place(Q) - origin)
        return tuple(_tidy(x) for x in s), A.T @ self.axes(Q.body.name) @ self.frame(Q)


def _tidy(x: float) -> float:
    return round(float(x), 12) + 0.0
