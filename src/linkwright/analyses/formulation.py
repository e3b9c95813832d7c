"""Which formulation costs least: the operations of one evaluation, counted in the traced equations."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.mechanical import LoadedMachine
from linkwright.graph import operations
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.joint_form import JointFlow
from linkwright.system.motion import Flow

MOST_SPEEDS = 60  # with loops, the matrix of joint coordinates is full: beyond this it is not even tried


def cheapest(machine: LoadedMachine, q: np.ndarray) -> tuple[str, str]:
    """ "newton-euler" or "joint", and why."""
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
