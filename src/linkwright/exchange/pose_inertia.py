"""The inertia that joints move in the pose of a file: M of a spanning tree as a sum over bodies, in plain numbers.

Formats tell some stiffnesses and dampings by a time constant or a damping ratio, which is to say by this inertia.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear
from linkwright import model as lw
from linkwright.exchange.places import HERE, Place, place_of, quaternion

ONE_COORDINATE = (lw.Revolute, lw.Translational)


class PoseInertia:
    """M at the estimates of a model that was read. Joints that close loops do not count, as those of equality constraints do
    not in MuJoCo."""

    def __init__(self, model: lw.SpatialModel) -> None:
        self.model = model
        self.places = {b.name: self._place(b) for b in model.bodies.values()}
        self.columns: dict[str, np.ndarray] = {}  # by body: J of its six velocities, angular first, at the ground's origin
        self.number: dict[str, int] = {}  # of the coordinate of a joint
        self._walk()
        self.M = np.zeros((self.size, self.size))
        for b in model.bodies.values():
            if not b.is_ground:
                self.M += self._own(b)

    def add(self, J: float, factors: dict[str, float]) -> None:
        """Inertia along a sum of coordinates, by the names of their joints."""
        s = self._along(factors)
        self.M += J * np.outer(s, s)

    def _along(self, factors: dict[str, float]) -> np.ndarray:
        s = np.zeros(self.size)
        for name, factor in factors.items():
            if name in self.number:
                s[self.number[name]] += factor
        return s

    def moved(self, joint: str) -> float:
        """What a joint moves while all others are at rest; 0 of a joint that has no coordinate of its own."""
        k = self.number.get(joint)
        return 0.0 if k is None else float(self.M[k, k])

    def felt(self, factors: dict[str, float]) -> float:
        """What a force along a sum of coordinates moves while no other acts; 0 where nothing has inertia."""
        s = self._along(factors)
        try:
            mobility = float(s @ linear.solve(self.M, s))
        except np.linalg.LinAlgError:
            return 0.0
        return 1 / mobility if np.isfinite(mobility) and mobility > 0 else 0.0

    # -- the tree ------------------------------------------------------------------------------------------------------
    def _walk(self) -> None:
        joints = [e for e in self.model.elements.values() if isinstance(e, lw.Joint) and len(e.bodies) == 2]
        beside: dict[str, list[Any]] = {}
        for e in joints:
            for body in e.bodies:
                beside.setdefault(body.name, []).append(e)
        carried: dict[str, list[int]] = {self.model.ground.name: []}
        screws: list[np.ndarray] = []
        for root in (self.model.ground, *self.model.bodies.values()):
            if root.name not in carried:  # nothing carries it: six coordinates of its own
                carried[root.name] = [len(screws) + k for k in range(6)]
                screws += list(np.eye(6))
            waiting = [root.name]
            while waiting:
                low = waiting.pop(0)
                for e in beside.get(low, ()):
                    P, Q = (e.P, e.Q) if e.P.body.name == low else (e.Q, e.P)
                    if Q.body.name in carried:
                        continue
                    own = self._screws(e, self.places[low] @ place_of(self.model, P), 1.0 if P is e.P else -1.0)
                    if isinstance(e, ONE_COORDINATE):
                        self.number[e.name] = len(screws)
                    carried[Q.body.name] = [*carried[low], *range(len(screws), len(screws) + len(own))]
                    screws += own
                    waiting.append(Q.body.name)
        self.size = len(screws)
        for name, numbers in carried.items():
            self.columns[name] = np.zeros((6, self.size))
            for k in numbers:
                self.columns[name][:, k] = screws[k]

    @staticmethod
    def _screws(e: Any, at: Place, sign: float) -> list[np.ndarray]:
        x, y, z = at.A.T
        turns = {lw.Revolute: (z,), lw.Spherical: (x, y, z), lw.Planar: (z,)}.get(type(e), ())
        slides = {lw.Translational: (z,), lw.Planar: (x, y)}.get(type(e), ())
        return [sign * np.array([*n, *np.cross(at.r, n)]) for n in turns] + [
            sign * np.array([0.0, 0.0, 0.0, *n]) for n in slides
        ]

    # -- numbers of the model --------------------------------------------------------------------------------------------
    def _own(self, body: lw.Body) -> np.ndarray:
        """J^T (inertia of the body) J."""
        place, J = self.places[body.name], self.columns[body.name]
        mass, com = self._value(body.mass), place.r + place.A @ [self._value(x) for x in body.com]
        inertia = place.A @ body.inertia_matrix() @ place.A.T
        turn = J[:3]
        move = J[3:] + np.cross(turn, com, axis=0)
        return np.asarray(turn.T @ inertia @ turn + mass * move.T @ move)

    def _value(self, x: Any) -> float:
        return self.model.value(x)

    def _place(self, body: lw.Body) -> Place:
        if body.is_ground:
            return HERE
        r = np.array([self._value(x) for x in body.estimate.position])
        return Place(r, quaternion([self._value(x) for x in body.estimate.rotation]))  # type: ignore[union-attr]
