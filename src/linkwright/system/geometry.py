"""The geometry of a machine in terms of its coordinates: points, directions, frames and curves of the model, traced."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.equations import curves, plane
from linkwright.equations.arrays import array
from linkwright.equations.spatial_joints import Frame
from linkwright.graph import Expr, Scalar, along, symbol
from linkwright.model import Body, CurveOn, Model, Point, Vector
from linkwright.system.coordinates import Coordinates


class Geometry:
    """The places of all points and frames of a model, as functions of its coordinates.

    ``turns``: the angles that are known up to whole turns only, by name: the symbol of a reference, and the angle nearest to
    it. Whoever moves the machine keeps the references near. States of the machine are among them: each is its own reference,
    and moves at its rate.
    """

    def __init__(self, model: Model, coordinates: Coordinates) -> None:
        self.model, self.coordinates = model, coordinates
        self.turns: dict[str, tuple[Expr, Scalar]] = {}
        self.state_rates: dict[Expr, Scalar] = {}  # of the machine's states, by the symbols they have in the equations

    @property
    def dimension(self) -> int:
        return self.coordinates.dimension

    def pose(self, of: Any) -> Any:
        """The pose of the body that a point, vector or curve is on."""
        return self.coordinates.poses[of.body.name]

    def point(self, P: Point) -> np.ndarray:
        out: np.ndarray = self.pose(P).point(P.s)
        return out

    def spin(self, body: Body) -> np.ndarray:
        """The angular velocity of a body in space, in ground axes."""
        c = self.coordinates
        if body.is_ground:
            return np.zeros(3)
        return np.asarray(c.poses[body.name].A @ np.array(c.v[c.body_slices()[body.name][1]][3:], dtype=object))

    def vector(self, v: Vector) -> np.ndarray:
        out: np.ndarray = self.pose(v).vector(v.components)
        return out

    # -- the plane ----------------------------------------------------------------------------------------------------
    def direction(self, P: Point) -> np.ndarray:
        """The unit vector of a directed point."""
        out: np.ndarray = self.pose(P).vector(P.axis("x").components)
        return out

    def angle(self, P: Point) -> Scalar:
        """The angle of a directed point, or of the body of a plain one, not wrapped."""
        phi: Scalar = self.pose(P).phi
        return phi if P.angle is None else phi + P.angle

    # -- space --------------------------------------------------------------------------------------------------------
    def frame(self, P: Point) -> Frame:
        C = None if P.rotation is None else array([list(row) for row in P.rotation])
        return Frame.on(self.pose(P), P.s, C)

    def nearest(self, name: str, angle: Any) -> Scalar:
        """The angle plus the whole turns that bring it nearest to a reference of this name; `angle` takes the reference."""
        if name not in self.turns:
            reference = symbol(f"turn:{name}")
            self.turns[name] = (reference, angle(reference))
        return self.turns[name][1]

    def told_turns(self, element: str, *channels: str) -> dict[str, Scalar]:
        """The channels that are counted angles: a run that goes on from a result has their whole turns from it."""
        return {c: self.turns[f"{element}.{c}"][1] for c in channels if f"{element}.{c}" in self.turns}

    # -- curves -------------------------------------------------------------------------------------------------------
    def curve(self, on: CurveOn, alpha: Scalar) -> tuple[np.ndarray, np.ndarray]:
        """Global point and tangent at alpha (Haug 3.4.15-17); closed curves go on over any number of turns."""
        path = self.path(on)
        pose = self.pose(on)
        return pose.point(path(alpha)), pose.vector(_derivative(path, alpha))

    def path(self, on: CurveOn) -> curves.Path:
        """The point at alpha in body axes."""
        curve, trace = on.curve, self.model.trace

        def function(f: Any, alpha: Scalar) -> Scalar:
            if curve.closed:
                repeated = curves.repeated(lambda a: trace(f, {"alpha": a}), curve.start, curve.end - curve.start)
                return repeated(alpha)  # type: ignore[no-any-return]
            return trace(f, {"alpha": alpha})

        def path(alpha: Scalar) -> np.ndarray:
            own = array(list(curve.point(alpha, function)))
            if self.dimension == 2:
                return np.asarray(plane.vector(on.at) + plane.A(on.angle) @ own)
            own = array([*own, 0.0]) if len(own) == 2 else own
            turned = own if on.rotation is None else array([list(r) for r in on.rotation]) @ own
            return np.asarray(array(list(on.at)) + turned)

        return path


def _derivative(path: curves.Path, alpha: Scalar) -> np.ndarray:
    if type(alpha) is Expr and alpha.op == "symbol":
        return np.array(along(list(path(alpha)), {alpha: 1.0}), dtype=object)
    return curves.derivative(path, alpha)
