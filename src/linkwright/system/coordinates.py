"""The unknowns of a machine, numbered: coordinates q, velocities v, and how q moves under v.

In the plane a body has q = (x, y, angle) and v = qdot. In space q = (r, p) with Euler parameters and v = (rdot,
omega_b), so that rdot = v and pdot = G^T omega_b / 2 (Haug 9.3.35): the equations are written for displacements (dr,
virtual rotation) and need no normalisation condition. Curves in contact add their parameters, one in q and in v.

The symbols are those of the model's quantities ("crank.x", "crank.wx"), so these need no translation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.equations import plane, rotations
from linkwright.graph import Expr, Scalar, Sparse, free_symbols, gradient, rotation_rates, sqrt, substitute, symbol, symbols
from linkwright.graph.rotation import axial, frame_entries
from linkwright.model import Body, Model
from linkwright.model.quantities import POSITIONS, VELOCITIES
from linkwright.model.values import is_some


@dataclass(frozen=True)
class Coordinates:
    """``bodies``: those that move, in the model's order; ``extra``: names of curve parameters."""

    dimension: int
    bodies: tuple[Body, ...]
    extra: tuple[str, ...]
    poses: dict[str, Any] = field(repr=False)
    q: np.ndarray = field(repr=False)
    v: np.ndarray = field(repr=False)

    @classmethod
    def of(cls, model: Model, extra: Sequence[str] = ()) -> Coordinates:
        dimension = model.dimension
        bodies = tuple(b for b in model.bodies.values() if not b.is_ground)
        names_q = [f"{b.name}.{c}" for b in bodies for c in POSITIONS[dimension]] + list(extra)
        names_v = [f"{b.name}.{c}" for b in bodies for c in VELOCITIES[dimension]] + [f"rate({x})" for x in extra]
        q, v = (np.array([symbol(n) for n in names] or [], dtype=object) for names in (names_q, names_v))
        step = len(POSITIONS[dimension])
        poses: dict[str, Any] = {}
        for k, b in enumerate(bodies):
            own = q[k * step : (k + 1) * step]
            poses[b.name] = plane.Pose(own[:2], own[2]) if dimension == 2 else rotations.Pose(own[:3], own[3:])
        poses[model.ground.name] = (
            plane.GROUND if dimension == 2 else rotations.Pose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
        )
        return cls(dimension, bodies, tuple(extra), poses, q, v)

    @property
    def q_names(self) -> list[str]:
        return [x.data for x in self.q]

    @property
    def v_names(self) -> list[str]:
        return [x.data for x in self.v]

    @cached_property
    def parameters(self) -> np.ndarray:
        """The place in q of the Euler parameters of each body that has some."""
        return np.array([k for k, name in enumerate(self.q_names) if name.endswith(".e0")], dtype=np.int64)

    @property
    def per_body(self) -> tuple[int, int]:
        """The numbers of coordinates and of velocities of a body."""
        return len(POSITIONS[self.dimension]), len(VELOCITIES[self.dimension])

    def body_slices(self) -> dict[str, tuple[slice, slice]]:
        """The places of each body in q and in v."""
        return self._slices

    @cached_property
    def _slices(self) -> dict[str, tuple[slice, slice]]:
        a, b = self.per_body
        return {body.name: (slice(k * a, (k + 1) * a), slice(k * b, (k + 1) * b)) for k, body in enumerate(self.bodies)}

    def displacements(self, bodies: Iterable[str]) -> set[int]:
        """The places of bodies in v."""
        return {j for b in bodies for j in range(self._slices[b][1].start, self._slices[b][1].stop)}

    @cached_property
    def symbols(self) -> frozenset[Expr]:
        """All coordinates and velocities."""
        return frozenset((*self.q, *self.v))

    # -- how q moves --------------------------------------------------------------------------------------------
    @cached_property
    def rates(self) -> dict[Expr, Scalar]:
        """d/dt of every variable of the equations at the velocity v, for `along`."""
        if self.dimension == 2:
            return dict(zip(self.q, self.v, strict=True))
        rates: dict[Expr, Scalar] = {}
        for body, (at_q, at_v) in zip(self.bodies, self.body_slices().values(), strict=True):
            q, v = self.q[at_q], self.v[at_v]
            rates.update(zip(q[:3], v[:3], strict=True))
            rates.update(zip(q[3:], rotations.euler_rates(q[3:], v[3:]), strict=True))
            rates.update(rotation_rates(self.poses[body.name].A, list(v[3:])))
        n = len(self.extra)
        rates.update(zip(self.q[len(self.q) - n :], self.v[len(self.v) - n :], strict=True))
        return rates

    def displaced(self, d: Sequence[Scalar] | np.ndarray) -> dict[Expr, Scalar]:
        """The change of every variable of the equations by a displacement d, for `along`."""
        moved = substitute(list(self.rates.values()), dict(zip(self.v, d, strict=True)))
        return dict(zip(self.rates, moved, strict=True))

    def jacobian(self, roots: Sequence[Scalar]) -> Sparse:
        """d roots by displacements: columns as v. In space those of a rotation are of the body-frame virtual rotation."""
        column: dict[Expr, Any] = {}
        used = set(free_symbols(roots))
        if self.dimension == 2:
            column = {x: k for k, x in enumerate(self.q)}
        else:
            for body, (at_q, at_v) in zip(self.bodies, self.body_slices().values(), strict=True):
                q = self.q[at_q]
                if used.isdisjoint(q):
                    continue
                column.update({x: at_v.start + k for k, x in enumerate(q[:3])})
                column.update({e: (body.name, i, j) for i, j, e in frame_entries(self.poses[body.name].A)})
                column.update({x: (body.name, k, -1) for k, x in enumerate(q[3:])})
            n = len(self.extra)
            column.update({x: len(self.v) - n + k for k, x in enumerate(self.q[len(self.q) - n :])})
        slices = self.body_slices()
        related = _related(column)
        entries: dict[tuple[int, int], Scalar] = {}
        for row, root in enumerate(roots):
            turned: dict[str, dict[tuple[int, int], Scalar]] = {}
            # only what the row can depend on: with all of them, long machines would take quadratic time
            wrt = list(dict.fromkeys(x for s in free_symbols([root]) for x in related.get(s, ())))
            for x, d in gradient(root, wrt).items():
                place = column[x]
                if isinstance(place, int):
                    entries[row, place] = d
                else:
                    turned.setdefault(place[0], {})[place[1:]] = d
            for name, by in turned.items():
                start = slices[name][1].start + 3
                for k, d in enumerate(self._rotation_columns(name, by)):
                    if is_some(d):
                        entries[row, start + k] = d
        return Sparse((len(roots), len(self.v)), dict(sorted(entries.items())))

    def _rotation_columns(self, name: str, by: dict[tuple[int, int], Scalar]) -> list[Scalar]:
        """The derivatives by rotations, from those by the entries of A (i, j) and by the Euler parameters (k, -1)."""
        pose = self.poses[name]
        total = axial(pose.A, {ij: d for ij, d in by.items() if ij[1] >= 0})
        by_p = [by.get((k, -1), 0.0) for k in range(4)]
        if any(is_some(d) for d in by_p):
            G = rotations.G(pose.p)
            total = [a + 0.5 * sum((G[k, m] * by_p[m] for m in range(4)), 0.0) for k, a in enumerate(total)]
        return total

    def retracted(self, d: np.ndarray) -> np.ndarray:
        """q after the displacement d: r + dr, and p + G^T dpi/2 brought back to length one."""
        if self.dimension == 2:
            return np.array(self.q + d, dtype=object)
        out = np.empty(len(self.q), dtype=object)
        for at_q, at_v in self.body_slices().values():
            q, own = self.q[at_q], d[at_v]
            out[at_q][:3] = q[:3] + own[:3]
            p = q[3:] + rotations.euler_rates(q[3:], own[3:])
            out[at_q][3:] = p / sqrt(rotations.dot(p, p))
        n = len(self.extra)
        out[len(self.q) - n :] = self.q[len(self.q) - n :] + d[len(self.v) - n :]
        return out

    def displacement_symbols(self) -> np.ndarray:
        return symbols("d", len(self.v))


def hessian(c: Coordinates, residuals: Sequence[Scalar], lam: Iterable[Scalar]) -> Sparse:
    """The second derivative of lam . residuals by displacements."""
    weighted: Scalar = 0.0
    for x, residual in zip(lam, residuals, strict=True):
        weighted = weighted + x * residual
    gradient = c.jacobian([weighted]).entries
    return c.jacobian([gradient.get((0, k), 0.0) for k in range(len(c.v))])


def _related(columns: Iterable[Expr]) -> dict[Expr, list[Expr]]:
    """For each symbol the variables that hold it: itself, and the entries of rotation matrices made of it."""
    out: dict[Expr, list[Expr]] = {}
    for x in columns:
        for s in free_symbols([x]):
            out.setdefault(s, []).append(x)
    return out
