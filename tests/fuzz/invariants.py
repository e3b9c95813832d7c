"""The invariants: which are checked of every machine, and which by lot, structure by structure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from fuzz import agreement, balance, driven, mobility, rare, rest, studied, touching
from fuzz.cases import Case, Structure
from fuzz.known import KNOWN
from fuzz.motion import Answer

# in plain numpy, on the motion at hand: always
ALWAYS: dict[str, Callable[[Answer], list[str]]] = {
    "Newton and Euler": balance.newton_euler, "joints close": balance.closed, "reactions do no work": balance.workless,
    "coordinates": balance.coordinates, "energy": balance.energy, "momentum": balance.momentum,
    "dry friction": touching.friction, "told": rare.told,
}  # fmt: skip
# further runs: how often
BY_LOT: dict[str, tuple[Callable[[Case], list[str]], float]] = {
    "ways": (agreement.ways, 0.4), "descriptions": (agreement.described, 0.4), "in space": (agreement.embedded, 0.25),
    "files": (agreement.files, 0.15), "made anew": (agreement.fresh, 0.2), "restart": (agreement.restarted, 0.2),
    "kinematics": (driven.kinematics, 0.8), "efforts fed back": (driven.fed_back, 0.5),
    "sensitivity": (driven.sensitivity, 0.4), "mobility": (mobility.mobility, 0.15), "fixed": (rest.fixed, 1.0),
    "in loops": (agreement.in_loops, 0.2), "equilibrium": (rest.equilibrium, 0.15),
    "small motions": (rest.small_motions, 0.3), "gradients": (studied.gradients, 0.2), "made ready": (studied.ready, 0.1),
    "side by side": (studied.side_by_side, 0.02), "results kept": (studied.kept, 0.1), "outputs": (studied.looked_at, 0.15),
}  # fmt: skip


def chosen(structure: Structure) -> list[str]:
    lot = structure.lot(77).random(len(BY_LOT))
    return [name for (name, (_, p)), x in zip(BY_LOT.items(), lot, strict=True) if x < p]


def _again(other: Callable[[], Answer], k: int) -> list[str]:
    a = other()
    return [f"start {k}, {name}: {x}" for name, f in ALWAYS.items() for x in f(a)[:2]]


def asked(case: Case, only: str = "", starts: int = 10) -> Iterator[tuple[str, Callable[[], list[str]]]]:
    """Every invariant that is asked of this machine: its name, and what tells where it does not hold."""
    for name, f in ALWAYS.items():
        if not only or name == only:
            yield name, partial(f, case.base)
    if not only or only in ALWAYS:
        for k, other in enumerate(case.other_starts(starts if case.drawn.dimension == 2 else starts // 3)):
            yield "another start", partial(_again, other, k)
    for name in [only] if only in BY_LOT else chosen(case.structure) if not only else []:
        if name not in KNOWN or not KNOWN[name](case.sketch):
            yield name, partial(BY_LOT[name][0], case)
