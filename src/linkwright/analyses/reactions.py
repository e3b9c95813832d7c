"""Reactions over time: from multipliers to channels, and the check that every body is in balance."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwright.analyses.mechanical import LoadedMachine, States
from linkwright.results.motion import JointPlace
from linkwright.solve.blas import single_threaded
from linkwright.solve.rank import TOLERANCE, scaled


class Forces:
    """All forces along a motion with known accelerations."""

    def __init__(self, machine: LoadedMachine, states: States, vdot: np.ndarray) -> None:
        self.machine, self.states, self.vdot = machine, states, vdot

    @cached_property
    def _terms(self) -> tuple[np.ndarray, ...]:
        """M, h, Q, J, gamma, nu, Phi, energy, points; the first axis counts times."""
        s, count = self.machine.system, len(self.states.t)
        m, h, Q, j, *rest = self.states.evaluate(self.machine, s.terms)
        M = np.zeros((count, s.nv, s.nv))
        M[:, s.M_pattern[0], s.M_pattern[1]] = m
        J = np.zeros((count, len(s.rows), s.nv))
        J[:, s.pattern[0], s.pattern[1]] = j
        return M, h, Q, J, *rest

    @cached_property
    def inertia(self) -> np.ndarray:
        """M vdot + h."""
        M, h, *_ = self._terms
        out: np.ndarray = np.einsum("tij,tj->ti", M, self.vdot) + h
        return out

    @cached_property
    def lam(self) -> np.ndarray:
        """Multipliers: Phi_v^T lam = Q - M vdot - h (Haug 6.4.5), the smallest where rows are dependent."""
        if not self.machine.system.frictions:
            return self._multipliers(self._terms[2])
        lam = self._multipliers(self._terms[2])
        for _ in range(200):
            new = self._multipliers(self._terms[2] + self.friction(lam))
            change, lam = np.abs(new - lam).max(initial=0.0), new
            if change <= 1e-13 * np.abs(new).max(initial=1e-300):
                break
        return lam

    def friction(self, lam: np.ndarray) -> np.ndarray:
        """Generalised forces of friction."""
        if not self.machine.system.frictions:
            return np.zeros_like(self.vdot)
        return self.states.evaluate(self.machine, self.machine.system.friction, lam)[0]

    @cached_property
    def dependent(self) -> np.ndarray:
        """By row: whether its multiplier is not unique at some time."""
        J, scale = self._terms[3], self.machine.scale
        out = np.zeros(J.shape[1], dtype=bool)
        for k in {0, len(J) // 2, len(J) - 1} if len(J) else ():
            S, _ = scaled(J[k], scale)
            U, s, _ = np.linalg.svd(S)
            rank = int((s > TOLERANCE * s[0]).sum()) if len(s) else 0
            out |= (np.abs(U[:, rank:]) > 1e-8).any(axis=1)
        return out

    @single_threaded
    def _multipliers(self, Q: np.ndarray) -> np.ndarray:
        J, scale = self._terms[3], self.machine.scale
        effort = (Q - self.inertia) * scale
        count, rows, n = J.shape
        if not rows or not count:
            return np.zeros((count, rows))
        S = J * scale
        lengths = np.linalg.norm(S, axis=2)
        lengths = np.where(lengths > 0, lengths, 1.0)
        S = S / lengths[:, :, None]
        if self.dependent.any():
            lam = _smallest(S, effort)
        elif rows == n:
            lam = np.linalg.solve(np.swapaxes(S, 1, 2), effort[:, :, None])[:, :, 0]
        else:
            lam = _by_normal_equations(S, effort)
        return np.asarray(lam / lengths)

    # -- for results -----------------------------------------------------------------------------------------------------
    def channels(self) -> dict[str, np.ndarray]:
        """Reactions of all joints and drivers, and the forces of force elements."""
        s = self.machine.system
        names = [*s.reaction_channels, *s.effort_channels]
        if not names:
            return {}
        values = self.states.evaluate(self.machine, s.reactions, self.lam)[0]
        return dict(zip(names, values.T.copy(), strict=True))

    def places(self) -> dict[str, JointPlace]:
        """Where each joint acts."""
        s, count = self.machine.system, len(self.states.t)
        points = self._terms[8].reshape(count, len(s.joints), s.model.dimension)
        rows: dict[str, list[int]] = {}
        for k, row in enumerate(s.rows):
            rows.setdefault(row.element.name, []).append(k)
        out = {}
        for k, name in enumerate(s.joints):
            first, second = s.model.elements[name].bodies
            out[name] = JointPlace(first.name, second.name, points[:, k], not self.dependent[rows[name]].any())
        return out

    @property
    def energy(self) -> np.ndarray:
        """Kinetic energy, potential energy, power of forces without potential; a row a time."""
        return self._terms[7]

    def violation(self) -> tuple[np.ndarray, np.ndarray]:
        """Residuals of the position and of the velocity equations, a row a time."""
        J, nu, Phi = self._terms[3], self._terms[5], self._terms[6]
        return Phi, np.einsum("tij,tj->ti", J, self.states.v) - nu

    def residual(self) -> np.ndarray:
        """M vdot + h - Q - (friction) + Phi_v^T lam, by time and displacement: zero where all bodies are in balance."""
        J = self._terms[3]
        out: np.ndarray = self.inertia - self._terms[2] - self.friction(self.lam) + np.einsum("tij,ti->tj", J, self.lam)
        return out

    def imbalance(self) -> dict[str, np.ndarray]:
        """`residual` by name: forces in ground axes; torques about the body's origin, in space in body axes."""
        force = {"vx": "fx", "vy": "fy", "vz": "fz", "omega": "torque", "wx": "tx", "wy": "ty", "wz": "tz"}
        names = [name.rpartition(".") for name in self.machine.system.coordinates.v_names]
        return {f"{body}.{force.get(c, c)}": x for (body, _, c), x in zip(names, self.residual().T, strict=True)}

    def notes(self) -> list[str]:
        """Which reactions are not unique, and where friction and reactions do not agree."""
        s = self.machine.system
        names = dict.fromkeys(r.element.name for r, d in zip(s.rows, self.dependent, strict=True) if d)
        said = [f"reactions not unique (dependent constraints; the smallest are given): {', '.join(names)}"] if names else []
        left = np.abs(self.residual()).max(initial=0.0) if s.frictions else 0.0
        if left > 1e-8 * np.abs(self._terms[2]).max(initial=0.0):
            rubbing = ", ".join(f.element.name for f in s.frictions)
            said.append(
                f"friction and reactions agree to {left:.2g} N only: a joint is all but self-locking, its friction makes "
                f"the reaction that makes the friction ({rubbing})"
            )
        return said


def _smallest(S: np.ndarray, effort: np.ndarray) -> np.ndarray:
    """The least lam that minimises |S^T lam - effort|, at each time."""
    out: np.ndarray = np.einsum("tji,tj->ti", np.linalg.pinv(S, rcond=TOLERANCE), effort)
    return out


def _by_normal_equations(S: np.ndarray, effort: np.ndarray) -> np.ndarray:
    """As `_smallest` for independent rows, seven times faster: (S S^T) lam = S effort, corrected once for its rounding; the
    other way where that is not enough."""
    G = S @ np.swapaxes(S, 1, 2)
    try:
        inverse = np.linalg.inv(G)
    except np.linalg.LinAlgError:
        return _smallest(S, effort)
    right = np.einsum("tij,tj->ti", S, effort)
    lam = np.einsum("tij,tj->ti", inverse, right)
    rest = np.zeros_like(right)
    for _ in range(2):
        lam = lam + np.einsum("tij,tj->ti", inverse, rest)
        rest = np.einsum("tij,tj->ti", S, effort - np.einsum("tij,ti->tj", S, lam))
    off = np.abs(np.einsum("tij,tj->ti", inverse, rest)).max(axis=1)
    poor = ~(off <= 1e-13 * np.abs(lam).max(axis=1))
    if poor.any():
        lam[poor] = _smallest(S[poor], effort[poor])
    return lam
