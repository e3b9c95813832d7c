"""The motion of a machine traced as a whole, in a chart: of the bodies, or of the joints of a spanning tree.

An integrator runs the functions of `flow`, which are of the chart's states. What a run asks beside that (events, flags,
accelerations at the output) it asks of the chart, for bodies' states.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.analyses.dynamics.chart import Chart, OfBodies
from linkwright.analyses.dynamics.whole import partition
from linkwright.analyses.dynamics.whole.careful import CarefulMotion
from linkwright.analyses.dynamics.whole.flows import derivative_of, flow_of, joint_flow_of
from linkwright.analyses.dynamics.whole.formulation import may_vanish
from linkwright.analyses.dynamics.whole.treatment import Treatment
from linkwright.analyses.machine.mechanical import LoadedMachine, over_rows
from linkwright.analyses.machine.sizes import follows_work
from linkwright.compile import Function
from linkwright.compile.bound import Bound
from linkwright.compile.rows import Rows
from linkwright.solve.motion_derivative import motion_derivative
from linkwright.solve.rank import scaled
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.joint_form import JointFlow
from linkwright.system.mechanics import Mechanics
from linkwright.system.motion import Flow
from linkwright.system.switches import Flags


class ToBodies(NamedTuple):
    """A function that takes states of a chart to bodies' states: `run` gives those of the states in `own`."""

    own: np.ndarray
    run: Callable[[], Any]


class FlowChart(Chart):
    """A chart of a machine traced as a whole. ``flow``: the functions of the chart's states."""

    machine: LoadedMachine
    flow: Flow

    @property
    def system(self) -> Mechanics:
        return self.flow.system

    @property
    def flags(self) -> Flags:
        return self.flow.flags

    @property
    def joint_flow(self) -> JointFlow | None:
        """The flow, where its states are those of joints."""
        return None

    # -- functions asked at bodies' states ---------------------------------------------------------------------------------
    def asked(self, code: Any) -> Any:
        """A function of the chart's states that is asked at bodies' states."""
        return lambda t, y, *more: code(t, self.own(y), *more)

    @property
    def motion(self) -> Any:
        """y', multipliers, health: see `Flow.motion`."""
        return self.asked(self.motion_of_bodies)

    def events(self, quantities: Sequence[Any]) -> Any:
        return self.asked(self.flow.events(quantities))

    def function(self, name: str, **outputs: Any) -> Any:
        return self.asked(self.flow.function(name, **outputs))

    @property
    def motion_of_bodies(self) -> Function:
        """The rate of the bodies' state at a state of the chart."""
        return self.flow.motion

    # -- what depends on the chart -----------------------------------------------------------------------------------------
    def careful(self) -> CarefulMotion:
        """The motion of the chart's states, solved from Python."""
        return CarefulMotion(self.machine, self.flow, lambda x: self.bodies(x[None])[0])

    @abstractmethod
    def jacobian(self) -> Any:
        """Code for the derivative of the motion; None: by differences."""

    @abstractmethod
    def standing(self, found: np.ndarray) -> ToBodies | None:
        """The function `bodies` into an array that stays, a row a state; None where the chart's states are the bodies'
        ones."""

    @abstractmethod
    def held(self, t: float, y: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The derivative of the rows by the displacements or speeds of which some may be independent; rows and columns are
        scaled."""

    @abstractmethod
    def weights(self, dependent: list[int], q: np.ndarray) -> np.ndarray:
        """The weights by which the numbers of a state rule the steps: where some are dependent, by the others only."""


class FlowOfBodies(OfBodies, FlowChart):
    """The flow in the bodies' own coordinates."""

    def __init__(self, machine: LoadedMachine, flow: Flow) -> None:
        super().__init__()
        self.machine, self.flow = machine, flow

    def asked(self, code: Any) -> Any:
        return code

    def standing(self, found: np.ndarray) -> None:
        return None

    def jacobian(self) -> Any:
        return motion_jacobian(self.flow)

    def held(self, t: float, y: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(scaled(self.machine.Phi_and_J(y[: self.machine.nq], t)[1][rows], self.machine.scale)[0])

    def weights(self, dependent: list[int], q: np.ndarray) -> np.ndarray:
        return partition.weights(self.machine, dependent, q)


class FlowOfJoints(FlowChart):
    """The flow in the coordinates of a spanning tree's joints."""

    flow: JointFlow

    def __init__(self, machine: LoadedMachine, flow: JointFlow, joints: JointCoordinates) -> None:
        """`joints`: as those of the flow, with the numbers of this machine."""
        super().__init__()
        self.machine, self.flow, self.joints = machine, flow, joints
        self._scale = joints.scale(machine.length)
        self.cap = np.full(len(flow.y), np.inf)
        tree = joints.spanning.tree
        self.cap[: tree.nq][tree.angles()] = 1.0

    @property
    def joint_flow(self) -> JointFlow:
        return self.flow

    @classmethod
    def of(cls, machine: LoadedMachine, q: np.ndarray, stabilised: bool, compliant: bool, partitioned: bool) -> FlowOfJoints:
        return cls(machine, *joint_flow_of(machine, q, stabilised, compliant, partitioned))

    def read(self, y: np.ndarray, near: np.ndarray | None) -> np.ndarray:
        nq, nv = self.machine.nq, self.machine.nv
        theta = self.joints.read(y[:nq], near)
        return np.concatenate([theta, self.joints.read_speeds(y[:nq], y[nq : nq + nv], theta), y[nq + nv :]])

    def bodies(self, x: np.ndarray) -> np.ndarray:
        y: np.ndarray
        (y,) = over_rows(self.flow.cartesian_state, [x, self.machine.b])
        return y

    def standing(self, found: np.ndarray) -> ToBodies:
        rows = Rows(self.flow.cartesian_state, len(found), found)
        x, b = rows.takes
        rows.given[:, b] = self.machine.b
        return ToBodies(rows.given[:, x], rows.run)

    @property
    def motion_of_bodies(self) -> Function:
        return self.flow.cartesian_motion

    def jacobian(self) -> Any:
        """None, so that the derivative is found by differences: so few evaluations cost less than making code for it, and
        the steps are as many (a chain of 12 bodies in space 1.9 s and 18 s, 365 steps each)."""
        return None

    def held(self, t: float, y: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The derivative of the rows that close loops, by displacements of the speeds."""
        q = y[: self.machine.nq]
        R = self.joints.partial_velocities(q, self.own(y))
        return np.asarray(scaled(self.machine.Phi_and_J(q, t)[1][self.flow.rows] @ R, self._scale)[0])

    def weights(self, dependent: list[int], q: np.ndarray) -> np.ndarray:
        """The weights of joint coordinates and speeds. References of angles only follow, and rule no step; nor does the
        work, but where motions determine all of it."""
        nq, nv = self.joints.nq, self.joints.nv
        free = [k for k in range(nv) if k not in set(dependent)]
        weight = np.zeros(len(self.flow.y))
        weight[nq + np.array(free, dtype=int)] = 1.0
        weight[nq + nv : -1] = self.machine.states
        weight[-1] = follows_work(self.machine.model)
        weight[:nq] = self.joints.moved(free) if free else 1.0  # nothing is free: the motion is that of the drivers
        return weight if nq else np.ones_like(weight)  # nothing moves


def chosen_chart(
    machine: LoadedMachine, treatment: Treatment, formulation: str, kept: np.ndarray, regular: bool, t: float, q: np.ndarray
) -> tuple[FlowChart, np.ndarray]:
    """The flow with all rows, regularised, where some are dependent or may vanish; else with independent ones, which is
    faster. And the compliances."""
    stabilised, chooses = len(treatment.gains) > 0, treatment.partitions and not regular
    compliances = regular or (not chooses and may_vanish(machine, formulation, q))
    chart: FlowChart
    if formulation == "joint":
        chart = FlowOfJoints.of(machine, q, stabilised, compliances, chooses)
    else:
        rows = range(len(machine.system.rows)) if compliances else kept.tolist()
        chart = FlowOfBodies(machine, flow_of(machine.system, rows, formulation, stabilised, compliances, chooses))
    loops = chart.flow.rows if formulation == "joint" else chart.flow.loops
    return chart, machine.compliances(q, t, loops) if compliances else np.zeros(0)


# The derivative of a motion as native code, for implicit methods.


def motion_jacobian(flow: Flow) -> Bound:
    """d y'/d y by rows, exact, of the inputs of the flow's functions."""
    d = derivative_of(flow)
    fixed = [
        flow.motion, d.parts, _room(flow.motion.outputs), _room(d.parts.inputs), _room(d.parts.outputs), *arguments(flow)
    ]  # fmt: skip
    ny = d.sizes[-1]
    return Bound(motion_derivative, fixed, flow.motion.inputs, {"J": (ny * ny,)})


def arguments(flow: Flow) -> list[np.ndarray]:
    """The arguments of `motion_derivative` after the functions and their results: sizes, patterns, room."""
    d = derivative_of(flow)
    nq, nv, m, ny = d.sizes
    N = nv + m
    patterns = d.patterns
    at_z, at_y = (_ints([i * width + j for i, j in p]) for p, width in zip(patterns, (N, ny), strict=False))
    rows, columns = (_ints([(d.D_rows[ij[0]], ij[1])[k] for ij in patterns[2]]) for k in range(2))
    inputs = [int(np.prod(shape)) for shape in flow.motion.inputs.values()]
    numbers = _ints([nq, nv, m, ny, *[len(p) for p in patterns], len(inputs)])
    room = np.zeros(N * (N + ny) + 8), np.zeros(max(N, 1), dtype=np.int64)
    return [_ints(inputs), numbers, at_z, at_y, rows, columns, *room]


def _ints(values: list[int]) -> np.ndarray:
    return np.array(values or [0], dtype=np.int64)


def _room(shapes: dict[str, tuple[int, ...]]) -> list[np.ndarray]:
    return [np.zeros(max(int(np.prod(shape)), 1)) for shape in shapes.values()]
