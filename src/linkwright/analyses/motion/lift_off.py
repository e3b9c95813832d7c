"""Cams that pull: the equations hold an outline on its follower both ways, a real cam only pushes (Haug 8.5).

The outlines in contact say which way pushing is: a closed one bounds a solid, whose side is away from its outward normal.
So an open profile, as of a cam that slides, needs a roller. Nothing is said where a flat face is on an open profile, or
where one closed outline lies inside the other (a groove): which side is solid is not known there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from linkwright.graph import along, evaluate, symbol
from linkwright.model import CamFlat, CamFollower, Model
from linkwright.model.curves import sense_of
from linkwright.model.points import CurveOn

SLIGHT = 1e-9  # of the largest contact force: rounding


@dataclass(frozen=True)
class Pull:
    """A cam that would have to pull at its follower: from when on, and by how much [N] along which direction at most."""

    name: str
    time: float
    force: float
    direction: np.ndarray  # from the cam to the follower

    @property
    def note(self) -> str:
        return (
            f"{self.name} pulls, by up to {self.force:.3g} N, first at t = {self.time:.6g}: a cam that only pushes is left "
            "there"
        )


def pulls(model: Model, t: np.ndarray, channels: Mapping[str, np.ndarray]) -> list[Pull]:
    """The times at which cams pull at their followers: there real ones part. channels: coordinates and forces, by name."""
    found = []
    for name, element in model.elements.items():
        if not isinstance(element, CamFlat | CamFollower) or not len(t):
            continue
        away = _away(model, element, channels)
        if away is None:
            continue
        F = np.stack([channels[f"{name}.{c}"] for c in ("fx", "fy")], axis=1)  # on the second body
        push = np.einsum("ti,ti->t", F, away)
        pulled = push < -SLIGHT * np.abs(F).max()
        if pulled.any():
            worst = int(np.argmin(push))
            found.append(Pull(name, float(t[np.argmax(pulled)]), float(-push.min()), away[worst]))
    return found


def _away(model: Model, element: CamFlat | CamFollower, channels: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """The direction from the first body to the second where they touch, over time; None where nothing says it."""
    if isinstance(element, CamFlat):
        return _outward(model, element.curve, channels[f"{element.name}.alpha"], channels)
    outlines = (element.curve_i, "alpha_i"), (element.curve_j, "alpha_j")
    i, j = (_outward(model, on, channels[f"{element.name}.{alpha}"], channels) for on, alpha in outlines)
    if i is not None and j is not None and np.any(np.einsum("ti,ti->t", i, j) > 0):
        return None  # one lies inside the other: which of them is solid nobody says
    return i if i is not None else -j if j is not None else None


def _outward(
    model: Model, on: CurveOn, alpha: np.ndarray, channels: Mapping[str, np.ndarray]
) -> np.ndarray | None:  # fmt: skip
    """The outward normal of a closed outline at alpha, over time, in the axes of the ground; None of an open one."""
    left = sense_of(on.curve, model)
    if not left:
        return None
    start, span = on.curve.start, on.curve.end - on.curve.start
    a = symbol("alpha of an outline")
    points = list(on.curve.point(a, lambda f, at: model.trace(f, {"alpha": at})))
    at = start + np.mod(alpha - start, span)
    found = evaluate(along(points, {a: 1.0}), {**model.parameter_values(), a: at})
    dx, dy = (np.broadcast_to(np.asarray(x, dtype=float), at.shape) for x in found)
    turn = model.value(on.angle) + (0.0 if on.body.is_ground else channels[f"{on.body.name}.angle"])
    normal = np.stack([dy, -dx]) * (left / np.hypot(dx, dy))
    c, s = np.cos(turn), np.sin(turn)
    return np.stack([c * normal[0] - s * normal[1], s * normal[0] + c * normal[1]], axis=1)
