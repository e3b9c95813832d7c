"""A machine seen by its contacts and slots at one state: how their accelerations answer to forces along them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.regularisation import RANK, own_yields
from linkwright.solve.dry_modes import find
from linkwright.solve.dry_problem import Found, Problem, Rubbing
from linkwright.solve.rank import scaled
from linkwright.system.held import Mode

ROUNDS = 30  # in which friction by the smooth law settles


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
        n = len(slots)
        none, speeds = (0.0,) * n, (0.0,) * sum(s.size for s in slots)
        every = Mode(tuple(impacts), tuple(range(n)), senses=speeds, anchors=none, rest=none)
        self.every = base.holding(every)
        q, v, turns = base.split(y)
        self.args = self.every.load_args(q, v, t, turns)
        terms = self.every.terms(q, v, t, turns)
        count = len(base.system.rows)
        self._rows = np.array([*[count + k for k in touching], *range(count + len(impacts), len(terms.Phi))], dtype=int)
        self.G, gamma = terms.J[self._rows], terms.gamma[self._rows]
        self.rate = self.G @ v - terms.nu[self._rows]
        self.response = Response.of(terms.M, terms.J[:count], base.scale)
        self._force, self._gamma, self._own_gamma = terms.Q - terms.h, terms.gamma[:count], gamma
        A, self.L = self.response(self.G.T)
        self.W = self.G @ A
        mass = base.filled(np.diag(terms.M))
        self.own, self._own_base = own_yields(self.G, mass), own_yields(terms.J[:count], mass)
        self.sizes = np.linalg.norm(self.G * base.scale, axis=1)
        self.speed = float(np.abs(v / base.scale).max(initial=0.0))
        self.largest = 1.0
        if n:
            plain = base.load_args(q, v, t, turns)
            self.numbers, self.places = base.system.slot_numbers(*plain)
        else:
            self.numbers, self.places = np.zeros((0, 5)), np.zeros(0)
        self._at = np.cumsum([len(touching), *[s.size for s in slots]])
        self._under(np.zeros(base.nv))

    def held_by_joints(self, part: float) -> list[int]:
        """Contacts whose gaps nothing moves, as joints and drivers hold both bodies: forces there would be rounding. part:
        of what a gap would yield by itself."""
        n = len(self.touching)
        return [self.touching[i] for i in np.flatnonzero(np.diag(self.W)[:n] <= part * self.own[:n])]

    def rows_of(self, k: int) -> np.ndarray:
        """Of a slot."""
        return np.arange(self._at[k], self._at[k + 1])

    def _under(self, more: np.ndarray) -> None:
        """Accelerations and multipliers without forces of contacts and slots, under further forces."""
        a, self.lam0 = self.response(self._force + more, self._gamma)
        self.r0 = self.G @ a - self._own_gamma
        self.largest = float(np.abs(self.r0 / np.sqrt(self.own)).max(initial=0.0)) or 1.0

    def loads(self, x: np.ndarray) -> np.ndarray:
        """N of all slots."""
        lam = np.zeros(len(self.every.system.rows))
        lam[: len(self.lam0)] = self.lam0 + self.L @ x
        lam[self._rows] = -x
        return np.asarray(self.every.system.slot_forces(*self.args, lam)[1])

    def solved(
        self, rubbing: Mapping[int, Rubbing], smooth: tuple[int, ...], forced: dict[int, np.ndarray], spent: frozenset[int]
    ) -> Found:
        """The modes; with friction by the smooth law where there is some."""
        base, s = self.base, self.base.system
        own = np.array(list(rubbing), dtype=int)

        def found() -> Found:
            contacts = list(range(len(self.touching)))
            reactions = self.lam0, self.L, self._own_base
            given = list(rubbing.values())
            loads = lambda x: self.loads(x)[own]  # noqa: E731
            return find(Problem(self.r0, self.W, self.own, contacts, given, loads, reactions), forced, spent)

        out = found()
        dry = {base.slots[k].element.name for k in range(len(base.slots)) if k not in smooth}
        is_dry = np.array([float(f.element.name in dry) for f in s.frictions])
        if is_dry.all():
            return out
        plain = base.load_args(*base.split(self.y)[:2], self.t, base.split(self.y)[2])
        last = np.zeros(base.nv)
        for _ in range(ROUNDS):
            more = s.smooth_friction(*plain, self.lam0 + self.L @ out.x, is_dry)[0]
            if np.abs(more - last).max() <= 1e-12 * np.abs(more).max(initial=0.0):
                break
            last = more
            self._under(more)
            out = found()
        return out
