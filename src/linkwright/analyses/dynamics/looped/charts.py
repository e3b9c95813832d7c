"""Charts of a large machine: states of its bodies, or of the joints of a spanning tree; and the switches of its laws."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import size_policy
from linkwright.analyses.dynamics.chart import Chart, OfBodies
from linkwright.analyses.dynamics.looped.machine import LoopedMachine
from linkwright.analyses.dynamics.looped.partition import Partition
from linkwright.analyses.dynamics.looped.sparse_newton import SparseNewton, has_derivatives
from linkwright.analyses.dynamics.switching import Switching
from linkwright.analyses.machine.sizes import follows_work
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.flow import LoopedFlow
from linkwright.system.looped.joints import JointedFlow, LoopedJoints
from linkwright.system.looped.layout import Layout


class LoopedSwitching(Switching):
    """The switches of all elements."""

    flow: Any

    @property
    def functions(self) -> Any:
        return self.flow.switches

    def element(self, k: int) -> str:
        return str(self.flow.system.at.switched[k])

    @property
    def kinks(self) -> np.ndarray:
        return np.array(self.flow.system.at.kinks, dtype=bool)

    def remembered(self, t: float, y: np.ndarray, flags: np.ndarray, fired: int = -1) -> np.ndarray:
        system: LoopedSystem = self.flow.system
        if not system.at.memories:
            return y
        y, first = y.copy(), system.nq + system.nv
        numbers = system.memories(y, t)
        for at, depth, speed, begins in system.at.memories:
            starts = numbers[depth] >= 0 and y[first + at] == 0 if fired < 0 else fired in begins
            if starts and numbers[speed] > 0:
                y[first + at] = numbers[speed]
        return y


def _weights(at: Layout) -> np.ndarray:
    """The weights of what follows coordinates and velocities in a state, as `Control` has them: references of angles only
    follow, states count, the work where motions determine it."""
    out = np.zeros(at.nturns + 1)
    out[list(at.states.values())], out[-1] = 1.0, follows_work(at.model)
    return out


class LoopedBodies(OfBodies):
    """The chart of the bodies' own states."""

    formulation, is_sparse = "newton-euler", True

    def __init__(self, system: LoopedSystem) -> None:
        super().__init__()
        self.weights = np.ones(system.at.ny)
        self.weights[system.nq + system.nv :] = _weights(system.at)

    def around(self, flow: LoopedFlow) -> LoopedFlow:
        """The flow in this chart."""
        return flow

    def ruled(self, partition: Partition | None, machine: LoopedMachine, q: np.ndarray) -> np.ndarray:
        """The weights of the numbers of a state: none for those that follow others in a partition."""
        return self.weights if partition is None else partition.weights(self.weights, machine.tangent_at(q), machine.nq)

    def newton(self, flow: LoopedFlow, y: np.ndarray, t: float) -> SparseNewton | None:
        """Sparse factors for an implicit method."""
        return SparseNewton.of(flow.system.model, flow, y[: flow.system.nq], t)

    def implicit(self, system: LoopedSystem, q: np.ndarray) -> LoopedBodies | LoopedInJoints | None:
        """The chart in which an implicit method goes on: dense factors are smallest in joint coordinates; those of very many
        bodies are sparse."""
        if len(system.at.bodies) > size_policy.STIFF_BODIES and has_derivatives(system):
            return self
        return LoopedInJoints(LoopedJoints.of(system, q)) if len(system.at.bodies) <= size_policy.STIFF else None


class LoopedInJoints(Chart):
    """The chart of the states of a spanning tree's joints. Nobody asks for those of the output, which are large."""

    formulation, is_sparse, is_kept = "joint", False, False

    def __init__(self, joints: LoopedJoints) -> None:
        super().__init__()
        self.joints = joints
        self.weights, self.cap = np.ones(joints.nx), np.full(joints.nx, np.inf)
        self.cap[: joints.spanning.tree.nq][joints.spanning.tree.angles()] = 1.0
        self.weights[joints.ntheta + joints.nu :] = _weights(joints.at)
        if not joints.nu:  # nothing moves
            self.weights[:] = 1.0

    def read(self, y: np.ndarray, near: np.ndarray | None) -> np.ndarray:
        return self.joints.read(y, self.joints.near if near is None else near)

    def bodies(self, x: np.ndarray) -> np.ndarray:
        return self.joints.cartesian(x)

    def around(self, flow: LoopedFlow) -> JointedFlow:
        return self.joints.around(flow)

    def ruled(self, partition: Partition | None, machine: LoopedMachine, q: np.ndarray) -> np.ndarray:
        """The weights of the numbers of a state: which of them move what is independent of the bodies is not looked for."""
        return self.weights

    def newton(self, flow: LoopedFlow, y: np.ndarray, t: float) -> None:
        return None

    def implicit(self, system: LoopedSystem, q: np.ndarray) -> LoopedInJoints:
        return self
