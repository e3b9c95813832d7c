"""Cams that pull: the equations hold an outline on its follower both ways, a real cam only pushes (Haug 8.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.model import CamFlat, CamFollower
from linkwright.model.points import CurveOn
from linkwright.results.motion import JointPlace

SLIGHT = 1e-9  # of the largest contact force: rounding


def lift_off(
    machine: LoadedMachine, states: States, channels: Mapping[str, np.ndarray], places: dict[str, JointPlace]
) -> list[str]:
    """Where a cam of polar outline pulls at its follower, from when on: there the real ones part."""
    notes = []
    for element in machine.elements:
        name, outlines = element.name, _outlines(element)
        if not outlines or name not in places or not len(states.t):
            continue
        P = places[name].point
        arms = [P - _origin(machine, states, outline) for outline in outlines]
        if len(arms) == 2 and np.any(np.einsum("ti,ti->t", *arms) > 0):
            continue  # one outline lies inside the other: which of them is solid nobody says
        F = np.stack([channels[f"{name}.{c}"] for c in ("fx", "fy")], axis=1)  # on the follower
        push = np.einsum("ti,ti->t", F, arms[0]) / np.maximum(np.linalg.norm(arms[0], axis=1), 1e-300)
        pulls = push < -SLIGHT * np.abs(F).max()
        if pulls.any():
            t = float(states.t[np.argmax(pulls)])
            notes.append(
                f"{name} pulls, by up to {-push.min():.3g} N, first at t = {t:.6g}: a cam that only pushes is left there"
            )
    return notes


def _outlines(element: Any) -> list[CurveOn]:
    """The outlines in contact, the cam's first; none where they are not polar about a point inside."""
    found: list[CurveOn] = []
    if isinstance(element, CamFlat):
        found = [element.curve]
    elif isinstance(element, CamFollower):
        found = [element.curve_i, element.curve_j]
    return found if all(x.curve.form == "polar" and x.curve.closed for x in found) else []


def _origin(machine: LoadedMachine, states: States, outline: CurveOn) -> np.ndarray:
    """The centre of an outline over time."""
    s = np.array([machine.value(x) for x in outline.at])
    if outline.body.is_ground:
        return np.broadcast_to(s, (len(states.t), 2))
    x, y, phi = states.q[:, machine.system.coordinates.body_slices()[outline.body.name][0]].T
    c, d = np.cos(phi), np.sin(phi)
    return np.stack([x + c * s[0] - d * s[1], y + d * s[0] + c * s[1]], axis=1)
