"""A machine seen by its contacts and slots at one state: how their accelerations answer to forces along them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.regularisation import RANK, own_compliances
from linkwright.solve.dry_modes import find
from linkwright.solve.dry_problem import Found, Inconsistent, Problem, Rubbing
from linkwright.solve.fixed_point import MEMORY, fixed_points
from linkwright.solve.rank import scaled
from linkwright.system.held import Mode

NONE = 1e-12  # of the accelerations of bodies by themselves: what slots have less of is rounding


# The contacts and slots of a machine at one state: their rows, and how the machine answers to forces along them.

Responses = Callable[[np.ndarray, np.ndarray | None], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Felt:
    """Rows of the gaps of all impacts, then of the speeds of all slots: G v = nu, G vdot = gamma where they hold. Of the
    machine without them: its forces Q - h (those of friction apart), gamma of its rows, the compliances that these have by
    themselves, the inertia by displacement. respond: a and lam of M a + J^T lam = f, J a = gamma (None: zero), columns of f
    by themselves; lam is the least of many."""

    G: np.ndarray
    nu: np.ndarray
    gamma: np.ndarray
    force: np.ndarray
    own_gamma: np.ndarray
    own_compliances: np.ndarray
    mass: np.ndarray
    respond: Responses


@dataclass(frozen=True, eq=False)
class Response:
    """M a + J^T lam = f, J a = gamma, whatever the rows are: a is unique, lam the least of many."""

    M: np.ndarray
    Z: np.ndarray
    inverse: np.ndarray
    rows: tuple[np.ndarray, np.ndarray]  # (of lam from forces, of accelerations from gamma)

    @classmethod
    def of(cls, M: np.ndarray, J: np.ndarray, scale: np.ndarray) -> Response:
        S, lengths = scaled(J, scale)
        U, s, Vt = linear.svd(S) if len(S) else (np.zeros((0, 0)), np.zeros(0), np.eye(len(scale)))
        rank = int((s > RANK * s[0]).sum()) if len(s) else 0
        Z = Vt[rank:].T * scale[:, None]
        to_lam = (U[:, :rank] / lengths[:, None]) @ ((Vt[:rank] * scale) / s[:rank, None])
        from_gamma = (Vt[:rank].T * scale[:, None]) @ ((U[:, :rank] / lengths[:, None]).T / s[:rank, None])
        inverse = linear.inv((Z.T @ M @ Z)[None])[0] if Z.shape[1] else np.zeros((0, 0))
        return cls(M, Z, inverse, (to_lam, from_gamma))

    def __call__(self, f: np.ndarray, gamma: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """a and lam; columns of f are forces of their own."""
        to_lam, from_gamma = self.rows
        part = from_gamma @ gamma if gamma is not None else np.zeros_like(f)
        a = part + self.Z @ (self.inverse @ (self.Z.T @ (f - self.M @ part)))
        return a, to_lam @ (f - self.M @ a)


class ContactSpace:
    """Rows: the gaps of `touching` contacts, then the speeds of all slots. rate: of these; W, r0, own: see `Problem`.
    numbers, places: of slots."""

    def __init__(self, base: Any, t: float, y: np.ndarray, touching: list[int]) -> None:
        self.base, self.t, self.y, self.touching = base, t, y, touching
        slots, impacts = base.slots, range(len(base.impacts))
        none, speeds = (0.0,) * len(slots), (0.0,) * sum(s.size for s in slots)
        self.every = base.holding(Mode(tuple(impacts), tuple(range(len(slots))), senses=speeds, anchors=none, rest=none))
        felt = base.felt(self.every, t, y)
        self._rows = np.array([*touching, *range(len(impacts), len(felt.G))], dtype=int)
        self.G, gamma = felt.G[self._rows], felt.gamma[self._rows]
        self.rate = self.G @ base.split(y)[1] - felt.nu[self._rows]
        self.respond, self._force, self._gamma, self._own_gamma = felt.respond, felt.force, felt.own_gamma, gamma
        A, self.L = self.respond(self.G.T, None)
        self.W = self.G @ A
        self._mass = felt.mass
        self.own, self._own_base = own_compliances(self.G, felt.mass), felt.own_compliances
        self.sizes = np.linalg.norm(self.G * base.scale, axis=1)
        self.speed = float(np.abs(base.split(y)[1] / base.scale).max(initial=0.0))
        self.largest, self.none = 1.0, 0.0
        self.numbers, self.places = base.slot_numbers(t, y)
        self._at = np.cumsum([len(touching), *[s.size for s in slots]])
        self._under(np.zeros(base.nv))

    def held_by_joints(self, part: float) -> list[int]:
        """Contacts whose gaps nothing moves, as joints and drivers hold both bodies: forces there would be rounding. part:
        of the compliance that a gap has by itself."""
        n = len(self.touching)
        return [self.touching[i] for i in np.flatnonzero(np.diag(self.W)[:n] <= part * self.own[:n])]

    def rows_of(self, k: int) -> np.ndarray:
        """The rows of a slot."""
        return np.arange(self._at[k], self._at[k + 1])

    def _under(self, more: np.ndarray) -> None:
        """Accelerations and multipliers without forces of contacts and slots, under further forces."""
        a, self.lam0 = self.respond(self._force + more, self._gamma)
        self.r0 = self.G @ a - self._own_gamma
        # of bodies by themselves: accelerations that are none beside these are rounding
        self.free = float(np.abs(self._force / np.sqrt(self._mass)).max(initial=0.0))
        self.none = NONE * self.free
        self.largest = max(float(np.abs(self.r0 / np.sqrt(self.own)).max(initial=0.0)), self.none) or 1.0

    def loads(self, x: np.ndarray) -> np.ndarray:
        """N of all slots."""
        count = len(self.lam0)
        lam = np.zeros(count + len(self.base.impacts) + int(self._at[-1] - self._at[0]))
        lam[:count] = self.lam0 + self.L @ x
        lam[count + self._rows] = -x
        return np.asarray(self.every.slot_forces(self.t, self.y, lam)[1])

    def solved(
        self, rubbing: Mapping[int, Rubbing], smooth: tuple[int, ...], forced: dict[int, np.ndarray], spent: frozenset[int]
    ) -> Found | Inconsistent:
        """The modes; with friction by the smooth law where there is some."""
        base = self.base
        own = np.array(list(rubbing), dtype=int)

        def found() -> Found | Inconsistent:
            contacts = list(range(len(self.touching)))
            reactions = self.lam0, self.L, self._own_base
            given = list(rubbing.values())
            loads = lambda x: self.loads(x)[own]  # noqa: E731
            return find(Problem(self.r0, self.W, self.own, contacts, given, loads, reactions, self.none), forced, spent)

        out = found()
        dry = {base.slots[k].element.name for k in range(len(base.slots)) if k not in smooth}
        if not base.rubs_beside(dry):
            return out

        def smooth_under(forces: np.ndarray) -> np.ndarray:
            nonlocal out
            self._under(forces[0])
            out = found()
            if isinstance(out, Inconsistent):
                return forces  # which ends the search
            return np.asarray(base.smooth_friction(self.t, self.y, self.lam0 + self.L @ out.x, dry))[None]

        forces = fixed_points(smooth_under, np.zeros((1, base.nv)), MEMORY)
        if not isinstance(out, Inconsistent):
            smooth_under(forces)
        return out


# How slots of several speeds that stick begin to slide: together, as a mechanism, in one direction of all their speeds.

ACCELERATES = 1e-6  # accelerations below this part of the largest tell no direction


def mechanism(space: ContactSpace, found: Found, ways: list[np.ndarray], parts: list[np.ndarray]) -> np.ndarray:
    """The speeds with which slots of several speeds begin to move, the largest one: those of the accelerations that begin;
    where all is at its bound and nothing accelerates yet, those of a motion that friction is against everywhere."""
    rows = np.concatenate(parts)
    r = found.r[rows]
    if np.abs(r / np.sqrt(space.own[rows])).max() > ACCELERATES * space.largest:
        return np.asarray(r / np.abs(r).max())
    across = [np.eye(len(u)) - np.outer(u, u) for u in ways]
    W = space.W[np.ix_(rows, rows)]  # speeds are W p of some impulses p: least across the ways, by those along them
    at = np.cumsum([0, *[len(u) for u in ways]])
    A = np.concatenate([P @ W[a:b] for P, a, b in zip(across, at[:-1], at[1:], strict=True)])
    B = np.array([u @ W[a:b] for u, a, b in zip(ways, at[:-1], at[1:], strict=True)])
    C = linear.cholesky(B.T @ B + 1e-9 * np.trace(B.T @ B) * np.eye(len(W)))  # upper
    inverse = linear.inv(C.T)
    p = inverse.T @ linear.eigh(inverse @ (A.T @ A) @ inverse.T)[1][:, 0]
    speeds = W @ p
    if np.sum(B @ p) < 0:
        speeds = -speeds
    return np.asarray(speeds / np.abs(speeds).max())
