"""What the rank of the equations says: which follow from others, which drivers are too many, where it is singular."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.machine.machine import Machine
from linkwright.equations.row_names import meaning
from linkwright.model import Finding
from linkwright.solve.rank import dense, left_null, scaled


def finite_place(machine: Machine, q: np.ndarray, t: float) -> np.ndarray:
    """q, or where that has no derivatives the first place around it that has: rank is asked there."""
    rng = np.random.default_rng(7)
    place = q
    for size in (0.0, 0.01, 0.1, 0.3, 1.0, 2.0, 3.0, 5.0):
        for _ in range(8 if size else 1):
            place = machine.retract(q, size * rng.normal(size=machine.nv) * machine.scale) if size else q
            with np.errstate(all="ignore"):
                J = machine.rows_at(place, t)[1]
            if np.isfinite(J.data if hasattr(J, "tocsr") else J).all():
                return place
    return q


def gap(machine: Machine, J: Any, rank: int) -> tuple[float, float] | None:
    """The singular values on either side of the rank, by the largest; None of large machines. They are of rows of length one
    and of displacements by their sizes: the same in millimetres as in metres."""
    if machine.nv > size_policy.SPARSE_RANK or not J.shape[0] or not machine.nv:
        return None
    s = linear.singular_values(scaled(dense(J), machine.scale)[0])
    values = [*(float(x / max(s[0], 1e-300)) for x in s), 0.0]
    return (values[rank - 1] if rank else 0.0), values[rank]


def names_of(machine: Machine, groups: list[list[int]]) -> dict[str, str]:
    """What the names of dependent equations mean."""
    rows = [machine.system.rows[k] for group in groups for k in group]
    own = {r.name[len(r.element.name) + 1 :] for r in rows}
    meanings = {name: meaning(name, machine.model.dimension) for name in sorted(own)}
    return {name: said for name, said in meanings.items() if said}


HARMLESS = "harmless for the motion, but forces in these joints are not unique; a joint with fewer equations mends it"


def redundancies(machine: Machine, groups: list[list[int]], open_: tuple[str, ...]) -> list[Finding]:
    """Dependent equations; `open_`: elements that contradict each other, nothing about which is harmless."""
    found = []
    for group in groups:
        members = [machine.system.rows[k] for k in group]
        names = ", ".join(r.name for r in members)
        elements = tuple(dict.fromkeys(r.element.name for r in members))
        drivers = [r.name for r in members if r.driver]
        if drivers and len(drivers) > 1:
            text = f"the drivers {', '.join(drivers)} prescribe the same freedom ({names})"
            found.append(Finding("redundant-driver", elements, text, f"remove one of {', '.join(drivers)}"))
        elif drivers:
            text = f"the driver {drivers[0]} prescribes what the joints already decide ({names})"
            found.append(Finding("redundant-driver", elements, text, f"remove {drivers[0]}, or free what it should drive"))
        else:
            text = f"one of these equations follows from the others: {names}"
            remedy = HARMLESS if not set(elements) & set(open_) else "mend first what contradicts: this may go with it"
            found.append(Finding("redundant", elements, text, remedy))
    return found


def contradict(machine: Machine, group: list[int], open_: tuple[str, ...], q: np.ndarray, t: float) -> bool:
    """Whether the combination of these rows that vanishes is asked to be something else, in a machine that stays open."""
    members = [machine.system.rows[k] for k in group]
    if any(r.driver for r in members) or not {r.element.name for r in members} & set(open_):
        return False
    Phi, J = machine.rows_at(q, t)
    S, lengths = scaled(dense(J[group]), machine.scale)
    combination = linear.svd(S)[0][:, -1]
    return bool(abs(combination @ (Phi[group] / lengths)) > 1e-9)


def with_rows(machine: Machine, f: Finding, fighting: list[list[int]]) -> Finding:
    said = "".join(f"; {', '.join(machine.system.rows[k].name for k in group)} cannot hold together" for group in fighting)
    return replace(f, text=f.text + said)


def singular_here(machine: Machine, J: Any, here: int, general: int) -> Finding:
    left = left_null(J, machine.scale)
    share = np.abs(left).max(axis=1) > 0.05 * np.abs(left).max()
    elements = tuple(dict.fromkeys(r.element.name for r, yes in zip(machine.system.rows, share, strict=True) if yes))
    text = (
        f"the assembled configuration is singular: rank {here} there, {general} nearby ({', '.join(elements)}). "
        "The motion may branch here"
    )
    return Finding("singular-start", elements, text, "start elsewhere, or choose a branch in kinematics(..., branch=n)")
