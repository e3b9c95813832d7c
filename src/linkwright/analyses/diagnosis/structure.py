"""What the rank of the equations says: which follow from others, which drivers are too many, where it is singular."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.diagnosis.spans import far_from_spanning
from linkwright.analyses.diagnosis.stand import Stand
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.row_lengths import jacobian
from linkwright.equations.row_names import meaning
from linkwright.model import Element, Finding, Point
from linkwright.solve.rank import dense, is_sparse, left_null, scaled


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


SHOWN = 6  # conditions that are told
HARMLESS = "harmless for the motion, but their forces are not unique; let one of the joints hold less, or leave it out"


def redundancies(
    machine: Machine, groups: list[list[int]], open_: tuple[str, ...], lost: list[list[str]]
) -> list[Finding]:  # fmt: skip
    """Dependent equations; `open_`: elements that contradict each other, nothing about which is harmless; `lost`: reactions
    that are not unique, by group."""
    found = []
    for group, reactions in zip(groups, lost, strict=True):
        members = [machine.system.rows[k] for k in group]
        names = [r.name for r in members]
        elements = tuple(dict.fromkeys(r.element.name for r in members))
        drivers = [r.name for r in members if r.driver]
        if drivers and len(drivers) > 1:
            text = f"you drive the same freedom twice: {', '.join(drivers)}"
            others = [n for n in elements if n not in drivers]  # they pass the motion on, and are right to
            why = f"what one of them moves the other moves, too, through {_few(others)}" if others else ""
            found.append(Finding("redundant-driver", tuple(drivers), text, f"remove one of {', '.join(drivers)}", why))
        elif drivers:
            text = f"{drivers[0]} drives what the joints already hold{_with(members)}"
            held = f"{len(group) - 1} conditions of joints leave" if len(group) > 2 else "1 condition of a joint leaves"
            why = f"{held} {drivers[0]} nothing to move"
            remedy = f"remove {drivers[0]}, or free what it should drive"
            found.append(Finding("redundant-driver", elements, text, remedy, why))
        else:
            text = f"you hold the same thing twice: one of {_few(names)} follows from the others"
            remedy = HARMLESS if not set(elements) & set(open_) else "mend first what contradicts: this may go with it"
            verb = "is" if len(reactions) == 1 else "are"
            told = f"{len(group)} conditions hold what {len(group) - 1} would"
            more = f"; {_few(reactions)} {verb} not unique: nobody can tell how these joints share the load"
            found.append(Finding("redundant", elements, text, remedy, told + more * bool(reactions)))
    return found


def _with(members: list[Any]) -> str:
    """The joints that take part, and how."""
    others = [r.name for r in members if not r.driver]
    return f" ({_few(others)})" if others else ""


def _few(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN + 1 else ""
    return f"{', '.join(names[:SHOWN] if more else names)}{more}"


def contradict(machine: Machine, group: list[int], open_: tuple[str, ...], q: np.ndarray, t: float) -> bool:
    """Whether the combination of these rows that vanishes is asked to be something else, in a machine that stays open."""
    members = [machine.system.rows[k] for k in group]
    if any(r.driver for r in members) or not {r.element.name for r in members} & set(open_):
        return False
    Phi, J = machine.rows_at(q, t)
    S, lengths = scaled(dense(J[group]), machine.scale)
    combination = linear.svd(S)[0][:, -1]
    return bool(abs(combination @ (Phi[group] / lengths)) > 1e-9)


def no_velocity(machine: Machine, group: list[int], q: np.ndarray, t: float) -> Finding | None:
    """Of rows that are dependent and say something of velocities alone: what they ask for cannot be where it is not the same
    combination of them that vanishes."""
    members = [machine.system.rows[k] for k in group]
    if all(r.rate is None for r in members):
        return None
    J, nu = jacobian(machine, q, t), machine.nu(q, t)
    S, lengths = scaled(dense(J[group]), machine.scale)
    asked = nu[group] / np.where(lengths > 0, lengths, 1.0)
    if abs(linear.svd(S)[0][:, -1] @ asked) <= 1e-9 * np.abs(asked).max(initial=0.0):
        return None
    elements = tuple(dict.fromkeys(r.element.name for r in members))
    text = f"you ask for too much at once: no velocity satisfies {_few([r.name for r in members])}"
    return Finding("contradiction", elements, text, "velocities that are given contradict each other: take one away")


def with_rows(machine: Machine, f: Finding, fighting: list[list[int]]) -> Finding:
    if not fighting or far_from_spanning(machine, f.elements):  # lengths say more than conditions
        return f
    names = _few([machine.system.rows[k].name for k in fighting[0]])
    return replace(f, why=f"{f.why or f.text}; {names} cannot hold together")


def singular_here(machine: Machine, J: Any, here: int, general: int) -> Finding:
    left = left_null(J, machine.scale)
    share = np.abs(left).max(axis=1) > 0.05 * np.abs(left).max()
    elements = tuple(dict.fromkeys(r.element.name for r, yes in zip(machine.system.rows, share, strict=True) if yes))
    ways = f"{general - here} further way{'s' * (general - here > 1)}"
    text = f"where it starts, and only there, the machine can move in {ways} ({_few(list(elements))})"
    remedy = "start elsewhere, or choose a branch in kinematics(..., branch=n)"
    why = f"{here} of its conditions are independent there, {general} a little away: it may go on in more than one way"
    return Finding("singular-start", elements, text, remedy, why)


# Which reactions lose their uniqueness where the same thing is held twice: nobody can tell how joints share the load.

SMALL = 1e-6  # of the largest: a load that rounding makes
MOST = 60  # groups that are looked at


def lost_reactions(stand: Stand, J: Any, groups: list[list[int]]) -> list[list[str]]:
    """By group of dependent rows: the channels of reactions that its loads, which cancel each other, may add to."""
    J = J.tocsr() if is_sparse(J) else J
    return [_lost(stand, J, group) for group in groups[:MOST]] + [[] for _ in groups[MOST:]]


def _lost(stand: Stand, J: Any, group: list[int]) -> list[str]:
    own = J[group]
    columns = np.unique(own.indices) if is_sparse(own) else np.flatnonzero(np.abs(own).any(axis=0))
    part = dense(own[:, columns])
    S, lengths = scaled(part, stand.machine.scale[columns])
    loads = linear.svd(S)[0][:, -1] / lengths
    rows = stand.machine.system.rows
    whole = np.zeros((len(group), stand.machine.nv))
    whole[:, columns] = part
    names: list[str] = []
    for element in dict.fromkeys(rows[k].element for k in group):
        mine = [i for i, k in enumerate(group) if rows[k].element is element]
        names += [f"{element.name}.{c}" for c in _components(stand, element, loads[mine] @ whole[mine])]
    return names


def _components(stand: Stand, e: Element, load: np.ndarray) -> list[str]:
    """The components, at the joint's point, of a load on the coordinates of all bodies."""
    points = [P for P in vars(e).values() if isinstance(P, Point) and not P.body.is_ground]
    if not points:
        return []
    P, n = points[-1], stand.model.dimension
    own = load[stand.machine.system.coordinates.body_slices()[P.body.name][1]]
    A, length = stand.axes(P.body.name), stand.machine.length
    arm = A @ np.array([stand.model.value(x) for x in P.s])
    force, torque = own[:n], own[n:]
    labels = ("fx", "fy", "torque") if n == 2 else ("fx", "fy", "fz", "tx", "ty", "tz")
    torque = torque - (arm[0] * force[1] - arm[1] * force[0]) if n == 2 else A @ torque - np.cross(arm, force)
    sizes = [*force, *(torque / length)]
    largest = max(map(abs, sizes), default=0.0)
    return [label for label, x in zip(labels, sizes, strict=True) if abs(x) > SMALL * max(largest, 1e-300)]
