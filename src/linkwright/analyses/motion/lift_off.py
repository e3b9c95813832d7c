"""Cams that pull: the equations hold an outline on its follower both ways, a real cam only pushes (Haug 8.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.model import CamFlat, CamFollower, Element
from linkwright.model.points import CurveOn
from linkwright.results.motion import JointPlace

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


def pulls(
    elements: Iterable[Element],
    value: Callable[[Any], float],
    t: np.ndarray,
    channels: Any,
    places: Mapping[str, JointPlace],
) -> list[Pull]:  # fmt: skip
    """Where a cam of polar outline pulls at its follower: there the real ones part. channels: by name."""
    found = []
    for element in elements:
        name, outlines = element.name, _outlines(element)
        if not outlines or name not in places or not len(t):
            continue
        P = places[name].point
        arms = [P - _origin(value, channels, outline, len(t)) for outline in outlines]
        if len(arms) == 2 and np.any(np.einsum("ti,ti->t", *arms) > 0):
            continue  # one outline lies inside the other: which of them is solid nobody says
        F = np.stack([channels[f"{name}.{c}"] for c in ("fx", "fy")], axis=1)  # on the follower
        push = np.einsum("ti,ti->t", F, arms[0]) / np.maximum(np.linalg.norm(arms[0], axis=1), 1e-300)
        pulled = push < -SLIGHT * np.abs(F).max()
        if pulled.any():
            worst = int(np.argmin(push))
            along = -F[worst] / np.linalg.norm(F[worst])
            found.append(Pull(name, float(t[np.argmax(pulled)]), float(-push.min()), along))
    return found


def _outlines(element: Any) -> list[CurveOn]:
    """The outlines in contact, the cam's first; none where they are not polar about a point inside."""
    found: list[CurveOn] = []
    if isinstance(element, CamFlat):
        found = [element.curve]
    elif isinstance(element, CamFollower):
        found = [element.curve_i, element.curve_j]
    return found if all(x.curve.form == "polar" and x.curve.closed for x in found) else []


def _origin(value: Callable[[Any], float], channels: Any, outline: CurveOn, count: int) -> np.ndarray:
    """The centre of an outline over time."""
    s = np.array([value(x) for x in outline.at])
    if outline.body.is_ground:
        return np.broadcast_to(s, (count, 2))
    x, y, phi = (channels[f"{outline.body.name}.{c}"] for c in ("x", "y", "angle"))
    c, d = np.cos(phi), np.sin(phi)
    return np.stack([x + c * s[0] - d * s[1], y + d * s[0] + c * s[1]], axis=1)
