"""Who contradicts whom in a machine that does not close: the fewest elements that cannot hold together, and the gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.assembly.closure import Closure, bring, random_start
from linkwright.analyses.machine.machine import Machine
from linkwright.model import Driver
from linkwright.solve.blas import single_threaded
from linkwright.solve.nearest import close, nearest
from linkwright.solve.rank import free_motions

MOST = 16  # elements of which the fewest are looked for: each costs a search
STARTS = 4  # of each search
LESS = 1e-3  # of a gap: a place where it is so much smaller is another one
LEAST_STEPS = 60  # toward the least gap
CLEAR, STUCK = 1e-9, 1e6  # of a gap: no less is worth a further step; by which steps are damped: none helps
OPEN = 1e-9  # relative to the machine's length: joints that are closed better are closed


@dataclass(frozen=True)
class Conflict:
    """Elements none of which can be left out, and by how much the last of them misses where the others hold."""

    elements: tuple[str, ...]
    gap: float
    unit: str  # "m" or "rad"

    @property
    def told(self) -> str:
        *others, last = self.elements
        if not others:
            return f"{last} cannot hold, by {self.gap:.3g} {self.unit}, wherever the bodies are put"
        verb = "holds" if len(others) == 1 else "hold"
        return f"where {', '.join(others)} {verb}, {last} is open by {self.gap:.3g} {self.unit} at least"


class Some(Closure):
    """The equations of some of the elements; of those in `turns` what is about directions only."""

    def __init__(self, machine: Machine, t: float, names: list[str], turns: tuple[str, ...] = ()) -> None:
        super().__init__(machine, t)
        rows, wanted = machine.system.rows, set(names)
        self._choose([k for k in self.rows if rows[k].element.name in {*wanted, *turns}])
        if turns:
            units = self.gaps(machine.estimate())[1]
            own = [rows[k].element.name in wanted or unit == "rad" for k, unit in zip(self.rows, units, strict=True)]
            self._choose([k for k, kept in zip(self.rows, own, strict=True) if kept])

    def _choose(self, chosen: list[Any]) -> None:
        rows = self.machine.system.rows
        self.rows = np.array(chosen, dtype=np.int64)
        self.names, self.forms = [rows[k].name for k in chosen], [rows[k].form for k in chosen]


@single_threaded
def conflict(machine: Machine, q: np.ndarray, t: float, open_: tuple[str, ...]) -> Conflict | None:
    """Of the elements that are open at q; None where there are too many, or none is found."""
    every = list(dict.fromkeys(r.element.name for r in machine.system.rows))
    # in the order of the model: how far each is open is the same but for rounding where a machine is symmetric
    names = [n for n in every if n in open_]
    if machine.nv > size_policy.SPARSE or not 0 < len(names) <= MOST:
        return None
    # what carries no load where the violation is least is rarely needed; if it is, all are looked at
    kept = names if _fails(machine, q, t, names) else every if len(every) <= MOST else []
    if not kept:
        return None
    drivers = {n for n, e in machine.model.elements.items() if isinstance(e, Driver)}
    for name in sorted(kept, key=lambda n: n not in drivers):  # first: a conflict without them is the more telling one
        fewer = [n for n in kept if n != name]
        if fewer and _fails(machine, q, t, fewer):
            kept = fewer
    last = min(kept, key=lambda n: (n not in drivers, -every.index(n)))
    gap, unit = _gap(machine, q, t, kept, last)
    return Conflict((*(n for n in kept if n != last), last), gap, unit)


def _fails(machine: Machine, q: np.ndarray, t: float, names: list[str]) -> bool:
    """Whether these elements close from none of a few starts."""
    problem = Some(machine, t, names)
    weight = np.ones(machine.nq)
    return not any(_closes(problem, random_start(machine, q, k), weight, k) for k in range(STARTS))


def _closes(problem: Some, start: np.ndarray, weight: np.ndarray, k: int) -> bool:
    if close(problem, start).closed:
        return True
    return k == 0 and nearest(problem, start, weight).closed


def nearest_to(machine: Machine, q: np.ndarray, t: float, names: list[str], last: str) -> np.ndarray | None:
    """Where the others of these elements close and the last is as near to it as they let it; None where they do not. From a
    few starts: links in line are at a standstill, where the last may be open most."""
    others = [n for n in names if n != last]
    if not others:
        return q
    asked = Some(machine, t, [last])
    # a guide that is too far is as far from a slider that keeps its direction
    turned = [Some(machine, t, others, (last,))] if len(set(asked.gaps(q)[1])) == 2 else []
    for held in (*turned, Some(machine, t, others)):
        place = _nearest_of_starts(machine, q, held, asked, Some(machine, t, names))
        if place is not None:
            return place
    return None


def _nearest_of_starts(machine: Machine, q: np.ndarray, held: Some, asked: Some, every: Some) -> np.ndarray | None:
    best: tuple[float, np.ndarray] | None = None
    for k in range(STARTS):
        found = nearest(held, random_start(machine, q, k), np.ones(machine.nq))
        if not found.closed:
            continue
        place = _least(machine, held, asked, bring(every, found.q)[0])
        left = float(np.linalg.norm(asked.gaps(place)[0]))
        if best is None or left < (1 - LESS) * best[0]:
            best = left, place
    return None if best is None else best[1]


def _gap(machine: Machine, q: np.ndarray, t: float, names: list[str], last: str) -> tuple[float, str]:
    """How far one element is open, in metres or radians, where the others close and it is brought as near as they let it."""
    place = nearest_to(machine, q, t, names, last)
    q = q if place is None else place
    open_ = list(zip(*Some(machine, t, [last]).gaps(q), strict=True))
    lengths, angles = ([x for x in open_ if x[1] == unit] for unit in ("m", "rad"))
    if lengths and max(x for x, _ in lengths) > OPEN * machine.length:
        return float(np.linalg.norm([x for x, _ in lengths])), "m"
    return max(angles or lengths or [(0.0, "m")])


def _least(machine: Machine, held: Some, asked: Some, q: np.ndarray) -> np.ndarray:
    """Where the last is open least, by the method of Levenberg and Marquardt along the motions that the others leave: the
    way there by homotopy keeps the direction in which it is open."""
    places = np.array([unit == "m" for unit in asked.gaps(q)[1]])
    if not places.any():
        return q
    q = found.q if (found := close(held, q)).closed else q
    size, damping = float(np.linalg.norm(asked.equations(q)[0][places])), 0.1
    for _ in range(LEAST_STEPS):
        Phi, J = (x[places] for x in asked.equations(q))
        Z = free_motions(held.equations(q)[1], machine.scale)
        A = J @ Z
        slow = damping * max(float(np.linalg.norm(A)), 1e-300) * np.eye(A.shape[1])
        d = -Z @ linear.lstsq(np.vstack([A, slow]), np.concatenate([Phi, np.zeros(len(slow))]), rcond=None)[0]
        trial = close(held, machine.retract(q, d))
        after = float(np.linalg.norm(asked.equations(trial.q)[0][places]))
        if not trial.closed or after >= size:
            damping *= 4.0
            if damping > STUCK:
                return q
            continue
        q, before, size, damping = trial.q, size, after, 0.3 * damping
        if before - size < CLEAR * size:
            return q
    return q
