"""Inertia of a machine: the mass matrix, the velocity terms, the kinetic energy, and who has no mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.equations import newton_euler
from linkwright.graph import Expr, Scalar, Sparse, along
from linkwright.model import Body, Model, Point
from linkwright.model.values import is_some
from linkwright.regularisation import NO_INERTIA
from linkwright.system.coordinates import Coordinates


@dataclass(frozen=True, eq=False)
class Inertia:
    """M vdot + h = all forces. M is symmetric, with a block a body and what is carried along quantities; curve parameters
    have no mass."""

    M: Sparse
    h: list[Scalar]
    coordinates: Coordinates

    @property
    def kinetic_energy(self) -> Scalar:
        """v^T M v / 2."""
        v, total = self.coordinates.v, 0.0
        for (i, j), m in self.M.entries.items():
            total = total + m * v[i] * v[j]
        return 0.5 * total


def inertia(model: Model, coordinates: Coordinates, carried: Sequence[tuple[Scalar, Scalar]] = ()) -> Inertia:
    """The inertia of all bodies (Haug 6.1.11, 11.1.20), and of what is carried along quantities: (s, J) has the energy J
    sdot^2 / 2, which gives M = J s_v s_v^T and h = J s_v^T (sddot at rest of the velocities)."""
    n = len(coordinates.v)
    entries: dict[tuple[int, int], Scalar] = {}
    h: list[Scalar] = [0.0] * n
    for body in coordinates.bodies:
        at = coordinates.body_slices()[body.name][1]
        block, bias = _of_body(body, coordinates)
        for i in range(len(bias)):
            h[at.start + i] = bias[i]
            for j in range(len(bias)):
                if is_some(block[i, j]):
                    entries[at.start + i, at.start + j] = block[i, j]
    return _with_carried(coordinates, entries, h, carried)


def carried_alone(coordinates: Coordinates, carried: Sequence[tuple[Scalar, Scalar]]) -> Inertia:
    """The inertia along quantities, without that of bodies."""
    return _with_carried(coordinates, {}, [0.0] * len(coordinates.v), carried)


def _with_carried(
    coordinates: Coordinates, entries: dict[tuple[int, int], Scalar], h: list[Scalar],
    carried: Sequence[tuple[Scalar, Scalar]],
) -> Inertia:  # fmt: skip
    for s, J in carried:
        [slope] = coordinates.jacobian([s]).by_row()
        second = along(along([s], coordinates.rates), coordinates.rates)[0]
        for i, d in slope.items():
            h[i] = h[i] + J * d * second
            for j, other in slope.items():
                entries[i, j] = entries.get((i, j), 0.0) + J * d * other
    return Inertia(Sparse((len(h), len(h)), dict(sorted(entries.items()))), h, coordinates)


def _of_body(body: Body, coordinates: Coordinates) -> tuple[np.ndarray, np.ndarray]:
    pose: Any = coordinates.poses[body.name]
    v = coordinates.v[coordinates.body_slices()[body.name][1]]
    J: Any = body.inertia
    if coordinates.dimension == 2:
        return newton_euler.planar(body.mass, J, body.com, pose.A, v[2])
    return newton_euler.spatial(body.mass, np.array(J, dtype=object), body.com, pose.A, v[3:])


# Moments below this part of m a^2 (a: how far the body's joints are from its mass centre), and masses below a thousandth of
# this part of the largest: pivots on them would lose as many digits.
SLIGHT = 1e-4


def massless(model: Model, coordinates: Coordinates) -> list[int]:
    """The displacements along which a body alone would offer next to no inertia: those need the help of constraints.

    A thin rod (no moment about its axis), a point mass, a body without mass, a curve parameter.
    """
    found: list[int] = []
    turns = slice(2, 3) if coordinates.dimension == 2 else slice(3, 6)
    for name, what in slight(model).items():
        at = list(range(len(coordinates.v))[coordinates.body_slices()[name][1]])
        # away from the body's origin a turn about the mass centre moves the origin, too
        found += at[turns] if what == "inertia" and centred(model.bodies[name]) else at
    n = len(coordinates.v)
    return found + list(range(n - len(coordinates.extra), n))


def slight(model: Model) -> dict[str, str]:
    """The bodies with next to no "mass", or with next to no "inertia" about some axis."""
    out: dict[str, str] = {}
    bodies = [body for body in model.bodies.values() if not body.is_ground]
    largest = max([model.value(body.mass) for body in bodies], default=0.0)
    reach = _reach(model)
    for body in bodies:
        J, mass = body.inertia_matrix(), model.value(body.mass)
        least = max(NO_INERTIA * float(np.abs(J).max(initial=0.0)), SLIGHT * mass * reach[body.name] ** 2)
        if mass <= 1e-3 * SLIGHT * largest:
            out[body.name] = "mass"
        elif linear.eigvalsh(J)[0] <= least:
            out[body.name] = "inertia"
    return out


def centred(body: Body) -> bool:
    """Whether its mass centre is its origin, whatever the parameters."""
    return all(type(x) is not Expr and x == 0 for x in body.com)


def _reach(model: Model) -> dict[str, float]:
    """The largest distance, by body, from the mass centre of a point that an element holds on to, and of the origin."""
    out = {name: float(np.linalg.norm([model.value(c) for c in b.com])) for name, b in model.bodies.items()}
    for element in model.elements.values():
        for P in vars(element).values():
            if isinstance(P, Point) and not P.body.is_ground:
                arm = [model.value(s) - model.value(c) for s, c in zip(P.s, P.body.com, strict=True)]
                out[P.body.name] = max(out[P.body.name], float(np.linalg.norm(arm)))
    return out
