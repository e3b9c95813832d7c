"""The choice of the formulation that costs least, by the operations of one evaluation, counted in the traced equations."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.dynamics.whole.flows import flow_of, joint_flow_of
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.options import Formulation
from linkwright.system.kane import projected_work, too_dear
from linkwright.system.spanning_tree import spanning_tree

FEW_ROWS = 12  # that close two loops of hinges


def cheapest(machine: LoadedMachine, q: np.ndarray, t: float) -> tuple[Formulation, str]:
    """ "newton-euler" or "joint", and why."""
    machine.solve(q, np.zeros(machine.nv), t)  # names what nothing determines, before anything is traced
    default: Formulation = "newton-euler"
    if machine.system.loads.callbacks:
        return default, f"{default} for laws that cannot be traced"
    rows = list(range(len(machine.system.rows)))
    counts: dict[Formulation, int] = {
        default: flow_of(machine.system, rows).operations, "joint": joint_flow_of(machine, q)[0].operations
    }  # fmt: skip
    name = min(counts, key=lambda k: counts[k])
    told = ", ".join(f"{n:,} of {k}" for k, n in counts.items() if k != name)
    return name, f"{name} for the fewest operations an evaluation: {counts[name]:,}, against {told}"


def of_dependent(machine: LoadedMachine) -> tuple[Formulation, list[str]]:
    """The formulation of a machine whose constraints are dependent, where none is asked for, and why. Of the bodies' own
    equations all rows would be regularised, those of the tree's joints, too: Bricard's ring takes a third of the operations
    in joint coordinates. Nothing is traced to find that out: it is so in space, for few loops."""
    default: Formulation = "newton-euler"
    s = machine.system
    plain = not (s.loads.callbacks or s.loads.impacts or s.slots or s.frictions)
    if machine.model.dimension == 2 or not plain:
        return default, []
    spanning = spanning_tree(machine.model)
    closed = {e.name for e in spanning.loops}
    rows = sum(r.element.name in closed and not r.driver for r in s.rows)
    if rows > FEW_ROWS or 2 * spanning.tree.nv > machine.nv:
        return default, []
    return "joint", [f"joint for constraints that are dependent: {rows} rows close the loops of {spanning.tree.nv} speeds"]


def may_vanish(machine: LoadedMachine, formulation: str, q: np.ndarray) -> bool:
    """Whether a row of a loop may vanish. In the speeds of a tree the row of a loop vanishes by itself where the loop
    lies flat, and rounding is left of it; among the bodies' own equations it keeps its size. (Drivers move a speed of the
    tree.)"""
    s = machine.system
    if formulation == "kane":
        closed = {e.name for e in spanning_tree(s.model).loops}
        return any(not r.driver and r.element.name in closed for r in s.rows) and not too_dear(s)
    if formulation != "joint":
        return False
    flow, _ = joint_flow_of(machine, q)
    return any(not s.rows[k].driver for k in flow.rows) and flow.in_speeds


def of_mixed(machine: LoadedMachine) -> list[str]:
    """Notes on a run by the mixed equations."""
    if machine.model.dimension == 2:
        return []
    return [
        "mixed, solved as numbers from Python since its matrix is not symmetric: some twenty times slower than the others"
    ]


def of_kane(machine: LoadedMachine) -> list[str]:
    """Notes on a run by Kane's equations."""
    if not too_dear(machine.system):
        return []
    work = projected_work(machine.system)
    return [
        f"kane with the forces of all joints in evidence: its equations on the tree alone would take some {work:,.0f} "
        "operations to solve, those of the bodies a number that grows with the bodies only"
    ]
