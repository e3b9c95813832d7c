"""Answers as arrays, one form for plane and space: everything in world axes and three dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fuzz.places import HERE, Place, matrices, turn
from fuzz.sketch import Sketch


@dataclass(frozen=True)
class Moving:
    """A body over time: place of its origin, axes, velocity, angular velocity, and their rates, in world axes."""

    r: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray
    a: np.ndarray
    alpha: np.ndarray

    def place(self, k: int) -> Place:
        return Place(self.R[k], self.r[k])

    def at(self, k: int, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position, velocity and acceleration of the point s of the body at a time."""
        arm = self.R[k] @ s
        spin = np.cross(self.w[k], arm)
        a = self.a[k] + np.cross(self.alpha[k], arm) + np.cross(self.w[k], spin)
        return self.r[k] + arm, self.v[k] + spin, a

    def ahead(self, k: int, h: float) -> Place:
        """Where it is a little later, to second order."""
        r = self.r[k] + h * self.v[k] + 0.5 * h * h * self.a[k]
        # exp(h w + h^2 alpha/2) is right to second order, in world axes from the left
        return Place(turn(h * self.w[k] + 0.5 * h * h * self.alpha[k]) @ self.R[k], r)


def columns(d: Mapping[str, Any], body: str, names: str) -> np.ndarray:
    return np.stack([np.asarray(d[f"{body}.{c}"], dtype=float) for c in names.split()], axis=-1)


def moving(d: Mapping[str, Any], body: str, dimension: int) -> Moving:
    count = len(d.t)  # type: ignore[attr-defined]
    if body == "ground":
        zero = np.zeros((count, 3))
        return Moving(zero, np.broadcast_to(np.eye(3), (count, 3, 3)), zero, zero, zero, zero)
    if dimension == 3:
        R = matrices(columns(d, body, "e0 e1 e2 e3"))
        w, alpha = (np.einsum("tij,tj->ti", R, columns(d, body, x)) for x in ("wx wy wz", "alphax alphay alphaz"))
        return Moving(columns(d, body, "x y z"), R, columns(d, body, "vx vy vz"), w, columns(d, body, "ax ay az"), alpha)

    def flat(names: str) -> np.ndarray:
        return np.pad(columns(d, body, names), ((0, 0), (0, 1)))

    def upright(name: str) -> np.ndarray:
        return np.pad(columns(d, body, name), ((0, 0), (2, 0)))

    R = np.array([turn((0, 0, a)) for a in d[f"{body}.angle"]])
    return Moving(flat("x y"), R, flat("vx vy"), upright("omega"), flat("ax ay"), upright("alpha"))


@dataclass(frozen=True)
class Answer:
    """The motion of a sketch as an analysis gave it."""

    sketch: Sketch
    result: Any
    bodies: dict[str, Moving]

    @property
    def t(self) -> np.ndarray:
        return np.asarray(self.result.t)

    def end(self, k: int, body: str, drawn: Place) -> Place:
        """A frame that is drawn in the world as the machine stands in the sketch, at a time of the motion."""
        first = HERE if body == "ground" else self.sketch[body].place
        return self.bodies[body].place(k) @ (first.inverse @ drawn)

    def own(self, body: str, drawn: Place) -> Place:
        """That frame in the axes of its body."""
        first = HERE if body == "ground" else self.sketch[body].place
        return first.inverse @ drawn


def answer(sketch: Sketch, result: Any) -> Answer:
    names = [p.name for p in sketch.parts] + ["ground"]
    return Answer(sketch, result, {n: moving(result, n, sketch.dimension) for n in names})


def started(a: Answer) -> Sketch:
    """The sketch with the velocities that the machine really starts with, so that each description starts with the same."""
    parts = []
    for p in a.sketch.parts:
        b = a.bodies[p.name]
        parts.append(replace(p, v=b.v[0], w=b.w[0]))
    return replace(a.sketch, parts=tuple(parts))


def wrench(a: Answer, name: str, on: str) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment about the world's origin that a joint exerts on one of its bodies, over time."""
    told = a.result.reaction(name, on=on, at=(0.0,) * a.sketch.dimension)
    zero = np.zeros(len(a.t))
    F = np.stack([told.get(c, zero) for c in ("fx", "fy", "fz")], axis=1)
    T = np.stack([told.get(c, zero) for c in ("tx", "ty")] + [told["tz" if "tz" in told else "torque"]], axis=1)
    return F, T
