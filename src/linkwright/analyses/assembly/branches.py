"""The equations at a singular point: whether the motion can go on, along which branches, with which acceleration.

B holds the left null vectors of Phi_v, Z the right ones, of all equations, in scaled rows and displacements. Along a
motion through the point the derivatives of Phi by time vanish one after the other; multiplied by B^T the highest unknown
drops out of each:

    B^T nu = 0,      B^T gamma(v_p + Z c) = 0 (the branches),      B^T d3Phi/dt3(v, a_p + Z c) = 0 (their accelerations).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwright import linear
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.row_lengths import usual_lengths
from linkwright.compile import Function
from linkwright.graph import along, symbols
from linkwright.model import TIME
from linkwright.regularisation import LEAST_SQUARES, SINGULAR

Conditions = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Degenerate:
    """A singular configuration: the singular values of the scaled Jacobian of all equations, and what follows."""

    machine: Machine
    q: np.ndarray
    t: float
    turns: np.ndarray
    lengths: np.ndarray  # of the scaled rows
    U: np.ndarray
    s: np.ndarray
    Vt: np.ndarray
    rank: int

    @property
    def B(self) -> np.ndarray:
        return self.U[:, self.rank :]

    @property
    def Z(self) -> np.ndarray:
        """Displacements that violate nothing, as columns. Their signs, by which branches are put in order, do not depend on
        rounding: the first of the largest components is negative."""
        Z = self.Vt[self.rank :].T
        first = (np.abs(Z) > 0.999 * np.abs(Z).max(axis=0, initial=0.0)).argmax(axis=0)
        return np.asarray(-Z * np.sign(np.take_along_axis(Z, first[None], axis=0)))

    @property
    def regular(self) -> bool:
        """Whether the equations, taken together, determine the motion."""
        return self.rank == self.machine.nv

    def involved(self) -> list[int]:
        """The equations that depend on each other here."""
        share = np.abs(self.B).max(axis=1, initial=0.0)
        return [int(k) for k in np.flatnonzero(share > 0.05 * max(share.max(initial=0.0), 1e-300))]

    def _args(self, v: np.ndarray) -> list[np.ndarray]:
        m = self.machine
        return [self.q, v, np.array([self.t]), m.b, self.turns, np.zeros(m.nv)]

    @property
    def nu(self) -> np.ndarray:
        return self._nu(self.t)

    def _nu(self, t: float) -> np.ndarray:
        args = self._args(np.zeros(self.machine.nv))
        args[2] = np.array([t])
        out: np.ndarray = self.machine.system.velocity(*args)[0] / self.lengths
        return out

    def asked(self, period: float) -> float:
        """The largest speed that drivers ask for, now or within a time in which the machine moves a good deal: now they may
        stand."""
        return max(float(np.linalg.norm(self._nu(self.t + h))) for h in (-0.3 * period, 0.0, 0.3 * period))

    def locked(self, period: float) -> bool:
        """Whether no velocity satisfies the equations; little or much is what it is against what drivers ask for."""
        return bool(np.linalg.norm(self.B.T @ self.nu) > 1e-6 * self.asked(period))

    def least(self, right: np.ndarray) -> np.ndarray:
        """The smallest solution x of Phi_v x = right."""
        r = self.rank
        x: np.ndarray = (self.Vt[:r].T @ ((self.U[:, :r].T @ right) / self.s[:r])) * self.machine.scale
        return x

    # -- velocities -----------------------------------------------------------------------------------------------------
    def branches(self, before: np.ndarray | None = None) -> list[np.ndarray]:
        """The velocities with which a motion can pass. before: that with which it comes."""
        scale = self.machine.scale
        v_p = self.least(self.nu)
        # c is counted in units of the speed, so that fast and slow machines are alike
        known = self.asked(1.0) if before is None else float(np.linalg.norm(before / scale))
        speed = max(float(np.linalg.norm(v_p / scale)), known) or 1.0
        Z = self.Z * scale[:, None] * speed

        def conditions(c: np.ndarray) -> np.ndarray:
            gamma = self.machine.system.acceleration(*self._args(v_p + Z @ c))[0] / self.lengths
            return np.asarray(self.B.T @ gamma / speed**2)

        roots = _one_unknown(conditions) if Z.shape[1] == 1 else _several_unknowns(conditions, Z.shape[1])
        return [v_p + Z @ c for c in roots]

    # -- accelerations ----------------------------------------------------------------------------------------------------
    @cached_property
    def third(self) -> Function:
        """The third derivative of Phi by time, without the term of the third derivative of the coordinates."""
        system = self.machine.system
        c, a = system.coordinates, symbols("vdot", system.nv)
        rates = {**c.rates, **dict(zip(c.v, a, strict=True)), TIME: 1.0}
        Phi3 = along(along(along(system.residuals, rates), rates), rates)
        return Function(f"{self.machine.model.name}: third derivative", {**system.inputs, "vdot": a}, {"Phi3": Phi3})

    def acceleration(self, v: np.ndarray) -> np.ndarray:
        """The acceleration of the branch with velocity v: the limit from both sides."""
        a_p = self.least(self.machine.system.acceleration(*self._args(v))[0] / self.lengths)
        Z = self.Z * self.machine.scale[:, None]

        def conditions(a: np.ndarray) -> np.ndarray:
            return np.asarray(self.B.T @ (self.third(*self._args(v), a)[0] / self.lengths))

        at = conditions(a_p)
        slopes = np.column_stack([conditions(a_p + z) - at for z in Z.T])
        a: np.ndarray = a_p - Z @ linear.lstsq(slopes, at, rcond=LEAST_SQUARES)[0]
        return a


def degenerate(machine: Machine, q: np.ndarray, t: float, turns: np.ndarray) -> Degenerate:
    """The equations at a configuration."""
    system = machine.system
    _, entries = system.position(q, np.zeros(machine.nv), np.array([t]), machine.b, turns, np.zeros(machine.nv))
    J = np.zeros((len(system.rows), machine.nv))
    J[system.pattern] = entries
    lengths = usual_lengths(machine, q, t, turns)
    S = J * machine.scale / lengths[:, None]
    U, s, Vt = linear.svd(S)
    return Degenerate(machine, q, t, turns, lengths, U, s, Vt, int((s > SINGULAR * s[0]).sum()))


def _one_unknown(f: Conditions) -> list[np.ndarray]:
    """Common roots of quadratics in one unknown, greatest first; those that vanish altogether demand nothing."""
    low, middle, high = (f(np.array([c])) for c in (-1.0, 0.0, 1.0))
    c2, c1, c0 = 0.5 * (high + low) - middle, 0.5 * (high - low), middle
    sizes = np.max(np.abs([c2, c1, c0]), axis=0)
    demanding = np.flatnonzero(sizes > SINGULAR)
    found: list[float] | None = None
    for k in demanding[np.argsort(-sizes[demanding])]:
        own = _quadratic(c2[k], c1[k], c0[k])
        found = own if found is None else [c for c in found if any(abs(c - x) < 1e-4 * (1 + abs(x)) for x in own)]
    return [np.array([c]) for c in sorted(found or [], reverse=True)]


def _quadratic(c2: float, c1: float, c0: float) -> list[float]:
    size = max(abs(c2), abs(c1), abs(c0))
    if abs(c2) < 1e-9 * size:
        return [] if abs(c1) < 1e-9 * size else [-c0 / c1]
    discriminant = c1 * c1 - 4 * c2 * c0
    if discriminant < -1e-9 * size * size:
        return []
    w = -0.5 * (c1 + np.copysign(np.sqrt(max(discriminant, 0.0)), c1))
    return [w / c2, c0 / w] if w != 0 else [0.0]


def _several_unknowns(f: Conditions, n: int) -> list[np.ndarray]:
    """Isolated roots of quadratics in several unknowns, found by Newton from many starts."""
    rng = np.random.default_rng(0)
    found: list[np.ndarray] = []
    for _ in range(40 * n):
        c = rng.normal(size=n) * 2
        for _ in range(40):
            # central differences are exact for quadratics
            J = np.column_stack([0.5 * (f(c + e) - f(c - e)) for e in np.eye(n)])
            if linear.matrix_rank(J, tol=1e-6) < n:
                break
            d = linear.lstsq(J, -f(c), rcond=None)[0]
            c = c + d
            if np.abs(d).max() < 1e-13:
                break
        if np.abs(f(c)).max(initial=0.0) < 1e-10 * (1 + c @ c) and not any(np.abs(c - x).max() < 1e-6 for x in found):
            found.append(c)
    return sorted(found, key=lambda c: tuple(-c))
