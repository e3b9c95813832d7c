"""Small motions about a motion: how the accelerations change with displacements and velocities that the joints allow.

Displacements x are virtual ones: translations in ground axes, rotations in axes that are the body's at this instant. From
then on these axes turn with Omega (see `turning`), not with the body, so that a disc which spins about its own axis has
constant coefficients. With w the change of velocities and a that of accelerations, as the machine has them,

    xdot = w - Omega x x,    wdot = a + omega_b x w - Omega x w

Of what joints allow, Phi_v x = 0, is differentiated twice along the motion: x = Z xi, w = Z xidot + Y xi.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.small_motions.turning import Axes, body_velocities, candidates, spinning
from linkwright.analyses.statics.reduced import free_directions, least_multipliers
from linkwright.later import sparse
from linkwright.regularisation import LEAST_SQUARES
from linkwright.solve.rank import is_sparse, scaled
from linkwright.solve.smallest import Smallest

CONSTANT = 1e-4  # coefficients that change by less than this part of theirs in a radian are constant
STEP = 1e-3  # radians to both sides, to see how they change


class Moment:
    """The machine at one state of its motion: accelerations, multipliers, and how the equations change about it."""

    def __init__(
        self, machine: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float,
        known: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> None:  # fmt: skip
        """known: accelerations and multipliers, where they are not those of the free motion."""
        self.machine, self.q, self.v, self.t = machine, q, v, t
        terms = machine.lean_terms(q, v, t)
        self.terms, self.J, self.M = terms, terms.J, terms.M
        self._S, self._lengths = scaled(terms.J, machine.scale)
        if known is not None:
            self.vdot, self.lam = known
        elif machine.nv <= size_policy.SPARSE:
            solution = machine.solve(q, v, t)
            self.vdot, self.lam = solution.vdot, solution.lam
        else:
            self.vdot, self.lam = self._solved()

    def _solved(self) -> tuple[np.ndarray, np.ndarray]:
        """The same by sparse factors."""
        f, Z = self.terms.Q - self.terms.h, self.free(None)[0]
        vdot = self.reach(self.terms.gamma)
        vdot = vdot + Z @ linear.solve(Z.T @ (self.M @ Z), Z.T @ (f - self.M @ vdot))
        return vdot, self.multipliers(f - self.M @ vdot)

    def free(self, coordinates: list[str] | None) -> tuple[np.ndarray, list[str]]:
        """Z and its coordinates."""
        return free_directions(self.machine, self.J, coordinates)

    @cached_property
    def _factors(self) -> Smallest:
        return Smallest(sparse.csr_array(self._S))

    def reach(self, right: np.ndarray) -> np.ndarray:
        """The least displacement d with Phi_v d = right."""
        if not len(self._lengths):
            return np.zeros((self.machine.nv, *right.shape[1:]))
        right, scale = (right.T / self._lengths).T, self.machine.scale
        found = self._factors.reaching(right) if is_sparse(self._S) else linear.lstsq(self._S, right, rcond=LEAST_SQUARES)[0]
        return np.asarray((found.T * scale).T)

    def multipliers(self, effort: np.ndarray) -> np.ndarray:
        """The least lam with Phi_v^T lam nearest to the effort."""
        if not len(self._lengths):
            return np.zeros((0, *effort.shape[1:]))
        found = least_multipliers(self._S, (effort.T * self.machine.scale).T)
        return np.asarray((found.T / self._lengths).T)

    @cached_property
    def changes(self) -> dict[str, Any]:
        """See `system.changes`; laws in plain Python by central differences."""
        machine, s = self.machine, self.machine.system
        args = machine.load_args(self.q, self.v, self.t)
        found: dict[str, Any] = s.changes(*args, self.vdot, self.lam, self._sliding(args))
        if s.loads.callbacks:
            for name, slopes in zip(("R_d", "R_v"), self._of_calls(), strict=True):
                found[name] = found[name] + found["R_calls"] @ slopes
        return found

    def _sliding(self, args: tuple[np.ndarray, ...]) -> np.ndarray:
        """One for friction in a joint that moves, faster than the speed at which Coulomb's law begins; and for gears."""
        s, value = self.machine.system, self.machine.model.value
        if not s.frictions:
            return np.zeros(0)
        speeds = np.abs(s.changes.speeds(*args)[0])
        of_ball = np.array(["tx" in f.effort for f in s.frictions])  # there it is the square of the speed
        least = np.array([value(getattr(f.element, "transition", -1.0)) for f in s.frictions])
        return np.asarray(np.where(of_ball, np.sqrt(speeds), speeds) > least, dtype=float)

    def _of_calls(self) -> list[np.ndarray]:
        m, q, v, t = self.machine, self.q, self.v, self.t
        speed = max(float(np.abs(v / m.scale).max()), 1.0)
        out = [np.zeros((len(m.system.loads.callbacks), m.nv)) for _ in range(2)]
        for j, size in enumerate(m.scale):
            d = np.zeros(m.nv)
            d[j] = h = 1e-6 * size
            out[0][:, j] = (m.calls(m.retract(q, d), v, t) - m.calls(m.retract(q, -d), v, t)) / (2 * h)
            out[1][:, j] = (m.calls(q, v + speed * d, t) - m.calls(q, v - speed * d, t)) / (2 * h * speed)
        return out

    @cached_property
    def _rubbing(self) -> np.ndarray | None:
        """How forces of friction change with the multipliers; None without friction."""
        if not self.machine.system.frictions:
            return None
        return np.asarray(self.changes["R_lam"] - self.J.T)

    def along(self, Z: np.ndarray) -> np.ndarray:
        """The matrix L that leaves of forces what the free motions Z feel: Z^T, and what friction makes of the rest."""
        F = self._rubbing
        if F is None:
            return np.asarray(Z.T)
        pressed = linear.inv(np.eye(len(self.lam)) + self.multipliers(F)) @ self.multipliers(np.eye(self.machine.nv))
        return np.asarray(Z.T - Z.T @ F @ pressed)

    def pressing(self, effort: np.ndarray) -> np.ndarray:
        """The change of multipliers under a change of all other forces."""
        lam, F = self.multipliers(effort), self._rubbing
        return lam if F is None else linear.solve(np.eye(len(lam)) + self.multipliers(F), lam)


@dataclass(frozen=True)
class Small:
    """Small motions: xiddot = S xi + D xidot (`accelerations`: [S, D]). X, W, V: displacements, velocities and accelerations
    of all bodies by the state (xi, xidot)."""

    moment: Moment
    axes: Axes
    Z: np.ndarray
    L: np.ndarray
    M: np.ndarray
    accelerations: np.ndarray
    X: np.ndarray
    W: np.ndarray
    V: np.ndarray

    @property
    def A(self) -> np.ndarray:
        n = len(self.M)
        return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), self.accelerations])

    @property
    def unsteady(self) -> float:
        """The largest force along the free motions that keeps the motion from being steady in these axes."""
        at = self.moment
        force = self.L @ (at.M @ (at.vdot - self.axes.turning(at.q) @ at.v))
        return float(np.abs(force).max())


def small(at: Moment, axes: Axes, chosen: list[int], Z: np.ndarray, T: Any = None) -> Small:
    """About one moment; T: takes displacements to other axes, in which those chosen are meant."""
    c = at.changes

    def turned(*matrices: Any) -> list[Any]:
        return list(matrices) if T is None else [T @ m @ T.T for m in matrices]

    def by(name: str) -> Any:
        return c[name] if T is None else c[name] @ T.T

    def reach(right: np.ndarray) -> np.ndarray:
        d = at.reach(right) if T is None else T @ at.reach(right)
        return np.asarray(d - Z @ d[chosen])  # nothing of what is independent

    M, R_d, R_v, S_w, S = turned(at.M, c["R_d"], c["R_v"], spinning(at.machine, at.v), axes.turning(at.q))
    Z = Z if T is None else T @ Z
    Z = Z @ linear.inv(Z[chosen])
    L = at.along(Z if T is None else T.T @ Z)
    L = L if T is None else L @ T.T
    none, n = np.zeros_like(Z), Z.shape[1]
    X = np.hstack([Z, none])
    W = np.hstack([reach(-(by("rate_d") @ Z)) + Z @ (S @ Z)[chosen], Z])
    p = reach(-(by("second_d") @ X + by("second_v") @ W))
    reduced = L @ (M @ Z)
    V = p - Z @ linear.solve(reduced, L @ (R_d @ X + R_v @ W + M @ p))
    second = (V + S_w @ W - 2 * (S @ W) + S @ (S @ X))[chosen]
    assert second.shape == (n, 2 * n)
    return Small(at, axes, Z, L, reduced, second, X, W, V)


def about_motion(
    machine: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float, coordinates: list[str] | None,
    turning: np.ndarray | None = None,
) -> tuple[Small, list[str], float]:  # fmt: skip
    """(small motions, their coordinates, how much their coefficients change in a radian) in axes in which these are
    constant, if there are such among the candidates; `turning`: the angular velocity of the axes, where it is given."""
    at = Moment(machine, q, v, t)
    Z, names = at.free(coordinates)
    if not names:
        return small_of_nothing(at), names, 0.0
    machine.check_inertia(Z.T @ (at.M @ Z), Z)
    chosen = [machine.system.coordinates.v_names.index(x) for x in names]
    found = [turning] if turning is not None else candidates(machine, q, v, at.vdot)
    speed = max(max(float(np.abs(x).max()) for x in w) for w in body_velocities(machine, v / machine.scale))
    best: tuple[float, Small] | None = None
    beside = [_beside(at, sign * STEP / speed) for sign in (1, -1)]
    for Omega in found:
        axes = Axes(machine, Omega)
        now = small(at, axes, chosen, Z)
        change = _change(now, [small(b, axes, chosen, b.free(None)[0], axes.since(b.q, q, b.t - t)) for b in beside],
                         machine.scale[chosen], speed)  # fmt: skip
        if best is None or change < CONSTANT:
            best = change, now
        if change < CONSTANT:
            break
    assert best is not None
    return best[1], names, best[0]


def small_of_nothing(at: Moment) -> Small:
    """The small motions of a machine where nothing can move."""
    none, empty = np.zeros((at.machine.nv, 0)), np.zeros((0, 0))
    return Small(at, Axes(at.machine, np.zeros(0)), none, none.T, empty, empty, none, none, none)


def _beside(at: Moment, h: float) -> Moment:
    """The motion a little later."""
    m = at.machine
    return Moment(m, m.retract(at.q, h * at.v), at.v + h * at.vdot, at.t + h)


def _change(now: Small, beside: list[Small], scale: np.ndarray, speed: float) -> float:
    """The relative change of the coefficients in a radian."""
    n = len(scale)
    rate = max(float(np.sqrt(np.abs(now.accelerations[:, :n]).max())), float(np.abs(now.accelerations[:, n:]).max()), speed)
    size = np.concatenate([scale, scale * rate])
    ahead, behind, own = (x.accelerations * size / scale[:, None] for x in (*beside, now))
    largest = max(float(np.abs(own).max()), 1e-300)
    return float(np.abs(ahead - behind).max()) / (2 * STEP * largest)
