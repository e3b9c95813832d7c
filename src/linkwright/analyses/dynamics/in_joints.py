"""A simulation in joint coordinates, seen from outside in Cartesian ones: states go in and come out as (q, v, turns, work).

The integrator runs on the states of `JointFlow`. What a simulation asks beside that (events, flags, accelerations at the
output) is asked for Cartesian states.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.careful import CarefulMotion
from linkwright.analyses.dynamics.flows import joint_flow_of
from linkwright.analyses.dynamics.joint_states import JointIntegrator, JointStates
from linkwright.analyses.machine.mechanical import LoadedMachine, over_rows
from linkwright.analyses.machine.work import follows_work
from linkwright.compile import Function
from linkwright.solve.integrate import Events
from linkwright.solve.rank import scaled
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.joint_form import JointFlow
from linkwright.system.mechanics import Mechanics
from linkwright.system.switches import Flags


class Seen:
    """A function of the joint state `code`, asked at Cartesian states; `told`: gives the same in Cartesian coordinates."""

    def __init__(self, view: InJoints, code: Function, told: Function | None = None) -> None:
        self.view, self.code = view, code
        self._told = told
        self.inputs, self.outputs = code.inputs, (told or code).outputs

    @property
    def address(self) -> int:
        return int(self.code.address)

    def __call__(self, t: np.ndarray, y: np.ndarray, *more: np.ndarray) -> tuple[np.ndarray, ...]:
        return (self._told or self.code)(t, self.view.joint_state(y), *more)

    def batch(self, t: np.ndarray, y: np.ndarray, *more: np.ndarray) -> tuple[np.ndarray, ...]:
        """Of many states, a column each."""
        states = np.stack([self.view.joint_state(np.ascontiguousarray(x)) for x in y.T], axis=1)
        return (self._told or self.code).batch(t, states, *more)


class InJoints(JointStates):
    """Asked as a `Flow` is. ``joints``: the coordinates; ``flow``: the motion in them."""

    def __init__(self, machine: LoadedMachine, flow: JointFlow, joints: JointCoordinates) -> None:
        """`joints`: as those of the flow, with the numbers of this machine."""
        super().__init__()
        self.machine, self.flow, self.joints = machine, flow, joints
        self._scale = self.joints.scale(machine.length)
        self.partition = []

    @classmethod
    def of(cls, machine: LoadedMachine, stabilised: bool, yielding: bool, partitioned: bool, q: np.ndarray) -> InJoints:
        return cls(machine, *joint_flow_of(machine, q, stabilised, yielding, partitioned))

    @property
    def loops(self) -> list[int]:
        """The rows that are solved for."""
        return self.flow.rows

    def held(self, t: float, y: np.ndarray) -> np.ndarray:
        """The derivative of the rows by displacements of the speeds, scaled."""
        q = y[: self.machine.nq]
        R = self.joints.partial_velocities(q, self.joint_state(y))
        return scaled(self.machine.Phi_and_J(q, t)[1][self.flow.rows] @ R, self._scale)[0]

    @property
    def partition(self) -> list[int]:
        """The dependent speeds, which follow the others; none if states are projected."""
        return self._partition

    @partition.setter
    def partition(self, dependent: list[int]) -> None:
        """`weight`, then: which components rule the steps. Coordinates and speeds, with a partition independent ones only;
        references of angles follow, and the work where motions tell all of it."""
        nq, nv, self._partition = self.joints.nq, self.joints.nv, dependent
        free = [k for k in range(nv) if k not in set(dependent)]
        self.weight, self.cap = np.zeros(len(self.flow.y)), np.full(len(self.flow.y), np.inf)
        self.cap[: self.joints.tree.nq][self.joints.tree.angles()] = 1.0
        self.weight[nq + np.array(free, dtype=int)] = 1.0
        self.weight[nq + nv : -1] = self.machine.states
        self.weight[-1] = follows_work(self.machine.model)
        self.weight[:nq] = self.joints.moved(free) if free else 1.0  # nothing is free: the motion is that of the drivers
        if not nq:  # nothing moves
            self.weight[:] = 1.0

    # -- states ------------------------------------------------------------------------------------------------------------
    def read(self, y: np.ndarray, near: np.ndarray | None) -> np.ndarray:
        nq, nv = self.machine.nq, self.machine.nv
        theta = self.joints.read(y[:nq], near)
        return np.concatenate([theta, self.joints.read_speeds(y[:nq], y[nq : nq + nv], theta), y[nq + nv :]])

    def cartesian(self, x: np.ndarray) -> np.ndarray:
        y: np.ndarray
        (y,) = over_rows(self.flow.cartesian_state, [np.ascontiguousarray(x), np.tile(self.machine.b, (len(x), 1))])
        return y

    # -- functions -------------------------------------------------------------------------------------------------------
    @property
    def system(self) -> Mechanics:
        return self.flow.system

    @property
    def dependent(self) -> np.ndarray:
        """The marks of dependent speeds."""
        return self.flow.dependent

    @property
    def flags(self) -> Flags:
        return self.flow.flags

    def function(self, name: str, **outputs: Any) -> Seen:
        return Seen(self, self.flow.function(name, **outputs))

    @cached_property
    def motion(self) -> Seen:
        return Seen(self, self.flow.motion, self.flow.cartesian_motion)

    @cached_property
    def projection(self) -> Seen:
        return Seen(self, self.flow.projection)

    def seen(self, code: Any) -> Seen:
        """A function of joint states that is made elsewhere: a motion, events, a correction."""
        return Seen(self, code)

    def careful(self) -> CarefulMotion:
        """The motion of joint states, solved from Python."""
        return CarefulMotion(self.machine, self.flow, lambda x: self.cartesian(x[None])[0])

    @cached_property
    def errors(self) -> Seen:
        return Seen(self, self.flow.errors)

    def events(self, quantities: Any) -> Seen:
        return Seen(self, self.flow.events(quantities))

    def integrator(
        self, motion: Seen, y: np.ndarray, t: float, *, events: Events | None, project: Seen | None, jac: Seen | None,
        **options: Any,
    ) -> JointIntegrator:  # fmt: skip
        watched: Any = events
        return JointIntegrator(
            self, motion.code, y, t, events=None if events is None else replace(events, code=watched.code.code),
            project=None if project is None else project.code, jac=None if jac is None else jac.code, **options,
        )  # fmt: skip
