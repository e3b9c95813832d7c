"""The traced motions of a system, kept with it: a second run of the same machine traces nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.system.derivative import Derivative
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.joint_form import JointFlow
from linkwright.system.mechanics import Mechanics
from linkwright.system.motion import Flow, Residuals

_MOST = 8


def flow_of(
    system: Mechanics, rows: Sequence[int], formulation: str = "newton-euler", stabilised: bool = False,
    compliant: bool = False, partitioned: bool = False,
) -> Flow:  # fmt: skip
    """The flow `Flow(...)` of these arguments, kept with the system."""
    key = (tuple(int(k) for k in rows), formulation, stabilised, compliant, partitioned)
    return system.once(
        "flows",
        key,
        lambda: Flow(system, rows, formulation, stabilised, compliant=compliant, partitioned=partitioned),
        _MOST,
    )


def joint_flow_of(
    machine: LoadedMachine, q: np.ndarray, stabilised: bool = False, compliant: bool = False, partitioned: bool = False
) -> tuple[JointFlow, JointCoordinates]:
    """The motion in joint coordinates near a configuration, and the coordinates with the machine's own numbers."""
    system = machine.system
    joints, rows = machine.joints_at(q), range(len(system.rows))
    key = ("joint", joints.choices, stabilised, compliant, partitioned)
    flow = system.once("flows", key, lambda: JointFlow(system, joints, rows, stabilised, compliant, partitioned), _MOST)
    return flow, joints


def derivative_of(flow: Flow) -> Derivative:
    return flow.system.once("derivatives", flow, lambda: Derivative(flow), _MOST)


def residuals_of(flow: Flow) -> Residuals:
    return flow.system.once("residuals", flow, lambda: Residuals(flow), _MOST)
