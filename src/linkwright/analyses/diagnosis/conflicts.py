"""Who contradicts whom in a machine that does not close: the fewest elements that cannot hold together, and the gap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright import size_policy
from linkwright.analyses.assembly.closure import Closure, bring, random_start
from linkwright.analyses.machine.machine import Machine
from linkwright.model import Driver
from linkwright.solve.blas import single_threaded
from linkwright.solve.nearest import close, nearest

MOST = 16  # elements of which the fewest are looked for: each costs a search
STARTS = 4  # of each search
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
    """The equations of some of the elements."""

    def __init__(self, machine: Machine, t: float, names: list[str]) -> None:
        super().__init__(machine, t)
        rows, wanted = machine.system.rows, set(names)
        self.rows = np.array([k for k in self.rows if rows[k].element.name in wanted], dtype=np.int64)
        self.names, self.forms = [rows[k].name for k in self.rows], [rows[k].form for k in self.rows]


@single_threaded
def conflict(machine: Machine, q: np.ndarray, t: float, open_: tuple[str, ...]) -> Conflict | None:
    """Of the elements that are open at q; None where there are too many, or none is found."""
    names = [n for n in open_ if n in machine.model.elements]
    if machine.nv > size_policy.SPARSE or not 0 < len(names) <= MOST:
        return None
    every = list(dict.fromkeys(r.element.name for r in machine.system.rows))
    # what carries no load where the violation is least is rarely needed; if it is, all are looked at
    kept = names if _fails(machine, q, t, names) else every if len(every) <= MOST else []
    if not kept:
        return None
    # drivers first: a conflict without them is the more telling one
    for name in sorted(kept, key=lambda n: not isinstance(machine.model.elements[n], Driver)):
        fewer = [n for n in kept if n != name]
        if fewer and _fails(machine, q, t, fewer):
            kept = fewer
    last = min(kept, key=lambda n: (not _is_motion(machine, n), list(every).index(n) * -1))
    gap, unit = _gap(machine, q, t, kept, last)
    return Conflict((*(n for n in kept if n != last), last), gap, unit)


def _is_motion(machine: Machine, name: str) -> bool:
    return isinstance(machine.model.elements[name], Driver)


def _fails(machine: Machine, q: np.ndarray, t: float, names: list[str]) -> bool:
    """Whether these elements close from none of a few starts."""
    problem = Some(machine, t, names)
    weight = np.ones(machine.nq)
    return not any(_closes(problem, random_start(machine, q, k), weight, k) for k in range(STARTS))


def _closes(problem: Some, start: np.ndarray, weight: np.ndarray, k: int) -> bool:
    if close(problem, start).closed:
        return True
    return k == 0 and nearest(problem, start, weight).closed


def _gap(machine: Machine, q: np.ndarray, t: float, names: list[str], last: str) -> tuple[float, str]:
    """How far one element is open, in metres or radians, where the others close and it is brought as near as they let it."""
    others = [n for n in names if n != last]
    if others:
        found = nearest(Some(machine, t, others), q, np.ones(machine.nq))
        q = bring(Some(machine, t, names), found.q)[0] if found.closed else q
    open_ = list(zip(*Some(machine, t, [last]).gaps(q), strict=True))
    lengths, angles = ([x for x in open_ if x[1] == unit] for unit in ("m", "rad"))
    if lengths and max(x for x, _ in lengths) > OPEN * machine.length:
        return float(np.linalg.norm([x for x, _ in lengths])), "m"
    return max(angles or lengths or [(0.0, "m")])
