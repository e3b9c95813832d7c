"""The freedoms that `check` counts, against the rank of the joints' own residuals by differences."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from fuzz.cases import Case
from fuzz.pairs import RESIDUALS, coordinate
from fuzz.places import HERE, Place, turn
from fuzz.render import model


def mobility(case: Case) -> list[str]:
    s, n = case.sketch, case.sketch.dimension
    constraining = [x for x in s.items if x.kind in RESIDUALS or x.kind == "Driver"]
    curved = ("Gear", "RackPinion", "CamFollower", "CamFlat", "PointFollower", "Coupler", "Rope", "Belt", "Skate", "Rolling")
    if s.of_kind(*curved, "Node"):
        return []
    own = {p.name: p.place for p in s.parts} | {"ground": HERE}
    L = s.units.L

    def residuals(places: dict[str, Place]) -> np.ndarray:
        out: list[float] = []
        for x in constraining:
            ends = s[x.of[0]].ends if x.kind == "Driver" else x.ends[:2]
            P, Q = (places[b] @ (own[b].inverse @ drawn) for b, drawn in ends)
            if x.kind == "Driver":
                out.append(coordinate(x.words["channel"], P, Q, n))
            else:
                out += RESIDUALS[x.kind](x, P, Q, n)
        return np.array(out)

    columns, h = [], 1e-5
    for p in s.parts:
        for m in [0, 1, 5] if n == 2 else range(6):
            e = np.zeros(6)
            e[m] = h
            pair = []
            for sign in (1, -1):
                moved = Place(turn(sign * e[3:]) @ p.place.R, p.place.r + sign * e[:3] * L)
                pair.append(residuals(own | {p.name: moved}))
            columns.append((pair[0] - pair[1]) / (2 * h))
    free = len(columns)
    if not constraining:
        rank, values = 0, np.zeros(0)
    else:
        J = np.array(columns).T
        size = np.linalg.norm(J, axis=1, keepdims=True)
        values = np.linalg.svd(J / np.where(size > 0, size, 1.0), compute_uv=False)
        rank = int((values > 1e-6).sum())
    if np.any((values > 1e-8) & (values < 1e-3)):
        return []  # too near to a singular configuration to tell
    report = lw.check(model(s))
    if (report.dof, report.rank) != (free - rank, rank) and not (
        report.findings and any(f.code in ("contradiction",) for f in report.findings)
    ):
        return [f"check: {report.dof} freedoms, rank {report.rank}; by the joints {free - rank}, {rank}"]
    return []
