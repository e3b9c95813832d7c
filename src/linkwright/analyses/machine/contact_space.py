"""A machine seen by its contacts and slots at one state: how their accelerations answer to forces along them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwright.regularisation import own_compliances
from linkwright.solve.dry_modes import find
from linkwright.solve.dry_problem import Found, Inconsistent, Problem, Rubbing
from linkwright.solve.fixed_point import MEMORY, fixed_points
from linkwright.system.held import Mode

NONE = 1e-12  # of the accelerations of bodies by themselves: what slots have less of is rounding


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
