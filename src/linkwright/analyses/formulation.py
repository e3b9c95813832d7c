"""Which formulation costs least: the operations of one evaluation, counted in the traced equations; which costs too much."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.mechanical import LoadedMachine
from linkwright.errors import ModelError
from linkwright.graph import operations
from linkwright.system.formulations import ON_TREES
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.joint_form import JointFlow
from linkwright.system.kane import recursive
from linkwright.system.loop_cost import LoopCost
from linkwright.system.motion import Flow
from linkwright.system.spanning_tree import spanning_tree

# Operations of the elimination from which on formulations on trees are refused: a tower of 20 four-bars has 98,000 of the
# 140,000 of its motion, which took half a minute to compile, and three times that many a few minutes.
MOST_OPERATIONS = 120_000
MOST_SPEEDS = 60  # with loops, the matrix of joint coordinates is full: beyond this it is not even tried


def cheapest(machine: LoadedMachine, q: np.ndarray, t: float) -> tuple[str, str]:
    """ "newton-euler" or "joint", and why."""
    machine.solve(q, np.zeros(machine.nv), t)  # names what nothing determines, before anything is traced
    default = "newton-euler"
    if machine.system.loads.callbacks:
        return default, f"{default} for laws that cannot be traced"
    rows = list(range(len(machine.system.rows)))
    joint = JointFlow(machine.system, JointCoordinates(machine.system, q), rows)
    if joint.rows and joint.joints.nv > MOST_SPEEDS:
        return default, f"{default} for a tree of {joint.joints.nv} speeds with loops"
    counts = {default: operations(Flow(machine.system, rows).solution[0]), "joint": operations(joint.speed_rates)}
    name = min(counts, key=lambda k: counts[k])
    told = ", ".join(f"{n:,} of {k}" for k, n in counts.items() if k != name)
    return name, f"{name} for the fewest operations an evaluation: {counts[name]:,}, against {told}"


def check_size(machine: LoadedMachine, formulation: str) -> None:
    """ModelError where loops on a tree make more operations than can be compiled."""
    if formulation not in ON_TREES or machine.system.loads.callbacks:
        return
    cost = LoopCost(machine.system, spanning_tree(machine.model))
    if not cost.rows:
        return
    by_joint = formulation == "kane" and recursive(machine.system, cost.speeds, len(cost.rows))
    count = cost.joint_by_joint() if by_joint else cost.full()
    if count > MOST_OPERATIONS:
        raise ModelError(
            f"the elimination of a tree of {cost.speeds} speeds with {len(cost.rows)} equations for loops takes some "
            f"{count:,.0f} operations, that of bodies' own coordinates grows with their number only",
            element=machine.model.name, remedy="leave formulation= out: 'newton-euler'",
        )  # fmt: skip
