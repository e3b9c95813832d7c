"""Whether two answers tell the same motion and the same forces, seen through a change of description."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fuzz.motion import Answer, wrench
from fuzz.places import HERE, MIRROR, Place
from fuzz.sketch import DRAWN, Units


@dataclass(frozen=True)
class Change:
    """From one description to another: units, then a mirror, then a motion; `origins` of bodies in the old ones."""

    units: Units = DRAWN
    mirror: bool = False
    move: Place = HERE
    origins: dict[str, Place] = field(default_factory=dict)

    def polar(self, x: np.ndarray) -> np.ndarray:
        """A vector such as a velocity or a force."""
        return (x @ MIRROR if self.mirror else x) @ self.move.R.T

    def axial(self, x: np.ndarray) -> np.ndarray:
        """A vector such as an angular velocity or a torque."""
        return (-x @ MIRROR if self.mirror else x) @ self.move.R.T


SAME = Change()
# relative to what is usual in the machine: positions, rotations, velocities, accelerations, reactions
LEVELS = {
    "position": 1.0, "turn": 1.0, "velocity": 1.0, "spin": 1.0, "acceleration": 10.0, "spin rate": 10.0, "force": 100.0,
    "moment": 100.0,
}  # fmt: skip


def differences(a: Answer, b: Answer, change: Change = SAME, reactions: bool = True) -> dict[str, np.ndarray]:
    """By what: the largest difference at each time, by the size of such quantities in the machine."""
    u, out = change.units, {}
    L, M, T = b.sketch.units
    n = len(a.t)

    def note(what: str, one: np.ndarray, other: np.ndarray, unit: float) -> None:
        off = np.abs(one - other).reshape(n, -1).max(axis=1) / (unit + np.abs(one).reshape(n, -1).max(axis=1))
        off = np.where(np.isfinite(off), off, np.inf)
        out[what] = np.maximum(out.get(what, 0.0), off / LEVELS[what])

    for name, body in a.bodies.items():
        if name == "ground":
            continue
        new, own = b.bodies[name], change.origins.get(name, HERE)
        arm = body.R @ own.r
        spin = np.cross(body.w, arm)
        r, v = body.r + arm, body.v + spin
        acceleration = body.a + np.cross(body.alpha, arm) + np.cross(body.w, spin)
        R = body.R @ own.R
        R = change.move.R @ (MIRROR @ R @ MIRROR if change.mirror else R)
        note("position", change.polar(r * u.L) + change.move.r, new.r, L)
        note("turn", R, new.R, 1.0)
        note("velocity", change.polar(v * u.of(1, 0, -1)), new.v, L / T)
        note("spin", change.axial(body.w / u.T), new.w, 1 / T)
        note("acceleration", change.polar(acceleration * u.of(1, 0, -2)), new.a, L / T**2)
        note("spin rate", change.axial(body.alpha / u.T**2), new.alpha, 1 / T**2)
    # where a contact sticks and its forces are not unique, reactions follow from the choice
    open_forces = any("forces not unique" in note for x in (a, b) for note in x.result.audit.notes)
    if reactions and not open_forces:
        for name, place in a.result.places.items():
            if name not in b.result.places or not (place.unique and b.result.places[name].unique):
                continue
            # the body that both descriptions call the second; ground's part would be that of others, too
            on = place.second if place.second != "ground" else place.first
            (F, H), (G, K) = wrench(a, name, on), wrench(b, name, on)
            F, H = change.polar(F * u.of(1, 1, -2)), change.axial(H * u.of(2, 1, -2))
            H = H + np.cross(change.move.r, F)
            note("force", F, G, M * L / T**2)
            note("moment", H, K, M * L * L / T**2 + np.abs(F).max() * L)
    return out
