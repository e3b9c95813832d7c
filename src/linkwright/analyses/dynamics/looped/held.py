"""Large machines whose rows depend on each other, or that have bodies without inertia: is the motion determined, whose
reactions are not unique, and the smallest of them. The rules are those of small machines (`reactions`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.mechanical import without_inertia
from linkwright.analyses.machine.sizes import Sizes, follows_work, typical_length
from linkwright.errors import SingularityError
from linkwright.later import sparse
from linkwright.regularisation import COMPLIANCES_IN_LOOPS
from linkwright.solve.rank import scaled
from linkwright.solve.smallest import Smallest
from linkwright.system.looped import LoopedSystem
from linkwright.words import listed

OPEN = 1e-6  # a force of which more than this part remains as a residual acts on no inertia
SETTLED = 1e-12
SHOWN = 10  # elements that a note tells one by one


def held(system: LoopedSystem, q: np.ndarray, t: float) -> LoopedSystem:
    """The same machine, solved so that dependent rows and bodies without inertia do no harm."""
    out = system.made("held", lambda: LoopedSystem(system.model, True, system.flagged, system.watched))
    out.adopt(system.model)
    out.like(system)
    force, length = np.random.default_rng(3).normal(size=out.nv) / scale(out), typical_length(out.model)
    for part in COMPLIANCES_IN_LOOPS:
        out.hold(q, t, part, length)
        out.nearest(q, t, force, 0.0)
        if out.rest <= SETTLED:  # a tenth of it is taken, for configurations to come
            out.hold(q, t, max(0.1 * part, COMPLIANCES_IN_LOOPS[-1]), length)
            break
    _check_inertia(out, q, t)
    return out


def scale(system: LoopedSystem) -> np.ndarray:
    """The size of each displacement: a length, or one radian."""
    found: np.ndarray | None = system.noted.get(scale)
    if found is None:
        n = system.model.dimension
        bodies = np.tile([typical_length(system.model)] * n + [1.0] * (2 * n - 3), len(system.at.bodies))
        found = system.noted[scale] = np.concatenate([bodies, np.ones(len(system.at.extra))])
    return found


def sizes(system: LoopedSystem) -> Sizes:
    """Mass, length, weight of the machine."""
    found: Sizes | None = system.noted.get(sizes)
    if found is None:
        found = system.noted[sizes] = Sizes.of(system.model)
    return found


def rules_steps(system: LoopedSystem) -> bool:
    """Whether the work is among what rules the steps."""
    if follows_work not in system.noted:
        system.noted[follows_work] = follows_work(system.model)
    return bool(system.noted[follows_work])


def _check_inertia(system: LoopedSystem, q: np.ndarray, t: float) -> None:
    """Random forces must be balanced by inertia and joints; what nothing holds runs away under them."""
    M, J, *_ = system.terms(q, np.zeros(system.nv), t)
    size = scale(system)
    force = np.random.default_rng(3).normal(size=system.nv) / size
    a, lam = system.nearest(q, t, force, 0.0)
    left = np.abs(M @ a + J.T @ lam - force) * size
    if left.max(initial=0.0) <= OPEN:
        return
    free = np.abs(a) / size
    far = np.flatnonzero(free > 0.1 * free.max() if np.isfinite(free).all() else M.diagonal() == 0)
    names = [system.coordinates.v_names[k] for k in far]
    raise without_inertia(system.model, names, SHOWN)


def locked(system: LoopedSystem, q: np.ndarray, t: float) -> SingularityError | None:
    """The lock-up of rows that were independent and have become dependent, as `trouble._locked` has it: the least singular
    value is found by inverse iteration of S S^T, with rows of S divided by their lengths."""

    S, _ = scaled(system.Phi_v(q, t), scale(system))
    if not system.rows or not np.isfinite(S.data).all():
        return None
    A = (S @ S.T).tocsc()
    factors = linear.splu((A + 1e-12 * sparse.eye_array(system.rows)).tocsc())
    x = most = np.random.default_rng(0).normal(size=system.rows)
    for _ in range(8):
        x, most = factors.solve(x), A @ most
        x, most = x / np.linalg.norm(x), most / np.linalg.norm(most)
    if x @ (A @ x) > trouble.DEPENDENT**2 * (most @ (A @ most)):
        return None
    rows = np.flatnonzero(np.abs(x) > 0.1 * np.abs(x).max())
    names = list(dict.fromkeys(system.at.row_elements[k] for k in rows))
    return trouble.lock_up(system.model, t, names)


class SmallestReactions:
    """The multipliers along a motion that fit the accelerations: of all that do the smallest, with rows divided by their
    lengths. They are those of rows that hold in all modes."""

    def __init__(self, system: LoopedSystem) -> None:
        self.system, self.scale = system, scale(system)
        self.dependent = np.zeros(system.at.own_rows, dtype=bool)

    def __call__(self, J: Any, effort: np.ndarray, look: bool) -> np.ndarray:
        """lam with J^T lam = effort; `look`: rows whose multiplier is not unique here are remembered in `dependent`."""
        S, lengths = scaled(J, self.scale)
        smallest = Smallest(S)
        if look:
            self.dependent |= smallest.undetermined()
        return np.asarray(smallest(effort * self.scale) / lengths)

    @property
    def elements(self) -> list[str]:
        """The elements whose reactions are not unique."""
        return list(dict.fromkeys(self.system.at.row_elements[k] for k in np.flatnonzero(self.dependent)))

    def notes(self) -> list[str]:
        names = self.elements
        if not names:
            return []
        return [f"reactions not unique (dependent constraints; the smallest are given): {listed(names, SHOWN)}"]


__all__ = ["SmallestReactions", "held", "locked", "rules_steps", "scale"]
