"""Changes of a motion through its events: saltation.

An event takes place where g(t, x, b) = 0, so its time changes by dt = -(g_x dx + g_b) / g'. On the event's own surface the
state changes by dx + x' dt, which a map h takes to the state after (the identity where a law changes its form, an impact
where velocities jump); at a fixed time after the event it has moved on by the rates there:

    dx+ = h_x (dx + x'- dt) + h_b + h_t dt - x'+ dt.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.analyses.dynamics.course import Break
from linkwright.analyses.dynamics.run import Run
from linkwright.analyses.dynamics.whole.equations import Whole
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.variations.blows import ONE, Blow, blows
from linkwright.analyses.variations.frames import Frame, Frames, missed
from linkwright.analyses.variations.nodes import Change, Nodes
from linkwright.analyses.variations.varied import readout_of
from linkwright.errors import ModelError
from linkwright.graph import Scalar
from linkwright.system.forces import LEVELS
from linkwright.system.held import HeldMechanics
from linkwright.system.tangents import Blocks

GRAZING = 1e-6  # of the speed of the machine: an event's function that passes zero slower may not at other values
# Of the span; and of the machine's size, by which it moves in a moment: more than rounding, and so little that rows of the
# constraints, which may turn fast as a contact goes round a corner, stay what they are.
MOMENT, MOVED = 1e-9, 1e-12
REST = 1e-9  # 1/s: a body of the machine's size that moves slower is at rest
SAME_RATES = 1e-9  # relative: accelerations before and after an event that are the same


@dataclass(frozen=True)
class Passed:
    """Displacements, velocities and states after an event, and the change of its time, by columns."""

    d: np.ndarray
    v: np.ndarray
    z: np.ndarray
    time: np.ndarray


class Events:
    """Of one run. design: changes of constants, and of time, by columns, where they are others than those of its names."""

    def __init__(self, run: Run[Whole], frames: Frames, design: np.ndarray | None = None) -> None:
        self.run, self.frames, self.design = run, frames, frames.design if design is None else design
        self.machine: LoadedMachine = run.equations.base
        self.watches = run.watches
        self.impacts = self.machine.system.loads.impacts

    def through(self, broken: Break, d: np.ndarray, v: np.ndarray, z: np.ndarray) -> Passed:
        """The changes after it."""
        self._refuse(broken)
        (frame, before), number = self._at(broken, 0), broken.fired - len(self.watches)
        own, smooth = before.moving(), number >= 0 and is_smooth(self.machine, broken)
        after = self._at(broken, 1)[1] if number >= 0 else before
        later = after.moving() if number >= 0 else own
        if smooth and _goes_on(own, later, _usual(before)):
            return Passed(d, v, z, np.zeros(d.shape[1]))  # other forces, or none, but the same motion
        change = before.answered(d[None], v[None], z[None], self.design)
        time = self._time(broken, frame, before, change, own)
        scale = self.machine.scale[:, None]
        sizes = tuple(
            np.abs(x[0] / scale).max(axis=0) + np.abs(y[0] * time / scale).max(axis=0)
            for x, y in ((change.d, own.d), (change.v, own.v))
        )
        d, v, z = (x[0] + y[0] * time for x, y in ((change.d, own.d), (change.v, own.v), (change.z, own.z)))
        b = self.design.copy()
        b[-1] = time
        if 0 <= number < LEVELS * len(self.impacts) and not smooth:
            v = self._struck(broken, frame, before, number % len(self.impacts), d, v, b)
        elif broken.fired >= self.run.equations.first_switch:
            z = self._remembered(broken, frame, before, d, v, z, b)
        if number < 0:  # the run ends there
            return Passed(d, v, z, time)
        names = missed(after, d, v, b, sizes) if broken.modes[1] != broken.modes[0] else []
        if names:
            raise ModelError(
                f"more than one thing happens at t = {broken.t:.6g}: with other values they come one after another, and "
                "nothing has a derivative there", element=names, remedy="change the design or the span",
            )  # fmt: skip
        return Passed(d - later.d[0] * time, v - later.v[0] * time, z - later.z[0] * time, time)

    def _at(self, broken: Break, side: int) -> tuple[Frame, Nodes]:
        y = (broken.before, broken.after)[side]
        frame = self.frames.at(broken.modes[side], broken.t, y)
        if self._is_kink(broken):
            y = self._beside(y, side)
        return frame, frame.nodes(np.array([broken.t]), y[None], broken.flags[side][None])

    def _is_kink(self, broken: Break) -> bool:
        number = broken.fired - self.run.equations.first_switch
        before = self.frames.at(broken.modes[0], broken.t, broken.before)
        return number >= 0 and before.tangents.flags.switches[number].condition is None

    def _beside(self, y: np.ndarray, side: int) -> np.ndarray:
        """A state a moment before or after: a kink has no flag, and at its edge rounding says which branch is taken."""
        q, v, rest = np.split(y, [self.machine.nq, self.machine.nq + self.machine.nv])
        short = (1.0 if side else -1.0) * moment(self.run, v)
        return np.concatenate([self.machine.retract(q, short * v), v, rest])

    # -- what cannot be differentiated ------------------------------------------------------------------------------------
    def _refuse(self, broken: Break) -> None:
        t, fired = broken.t, broken.fired
        if fired < 0:
            names = sorted({self.machine.impacts[k] for mode in broken.modes for k in mode.closed}) or self.machine.impacts
            raise ModelError(
                f"bodies strike where the run begins, at t = {t:.6g}: no derivative goes through there", element=names,
                remedy="begin before or after that, or give the contact a stiffness k",
            )  # fmt: skip
        if fired < len(self.watches) and self.watches[fired].change is not None:
            raise ModelError(
                f"its change at t = {t:.6g} is a function in Python, which has no derivative",
                element=self.watches[fired].name, remedy="use an element: a contact with restitution, a law with where()",
            )  # fmt: skip

    def name(self, broken: Break) -> str:
        return self.run._event_name(broken.fired)

    # -- when --------------------------------------------------------------------------------------------------------------
    def _time(self, broken: Break, frame: Frame, before: Nodes, change: Change, own: Change) -> np.ndarray:
        readout = self._function(broken, frame)
        if len(frame.dropped) and self._asks_forces(before.ask(readout, before.vdot, before.lam)):
            raise ModelError(
                f"its event at t = {broken.t:.6g} depends on forces that are not unique: more contacts or joints hold than "
                "it takes", element=self.name(broken), remedy="let fewer of them hold, or rub",
            )  # fmt: skip
        dg = before.read(readout, change)[1][0, 0]
        rate = float(before.read(readout, own)[1][0, 0, 0])
        if not self._closes(broken) and abs(rate) <= GRAZING * self._speed(
            before.ask(readout, before.vdot, before.lam), own
        ):
            raise ModelError(
                f"its event at t = {broken.t:.6g} only grazes zero: with other values it may not happen, and nothing has a "
                "derivative there", element=self.name(broken), remedy="change the design or the span",
            )  # fmt: skip
        return np.asarray(-dg / rate)

    def _closes(self, broken: Break) -> bool:
        """Whether a contact comes to rest there: the last of its impacts is as slow as they go."""
        number = broken.fired - len(self.watches)
        return 0 <= number < LEVELS * len(self.impacts) and number % len(self.impacts) in broken.modes[1].closed

    def _speed(self, by: dict[str, np.ndarray], own: Change) -> float:
        """How fast an event's function could change where the machine moves as fast as it does, whatever its direction."""
        scale, size = self.machine.scale, np.linalg.norm
        pairs = (("x_d", own.d), ("x_v", own.v), ("x_a", own.a))
        found = sum(float(size(by[name][0] * scale) * size(x[0, :, 0] / scale)) for name, x in pairs)
        found += float(size(by["x_z"][0]) * size(own.z[0]) + size(by["x_l"][0]) * size(own.lam[0]))
        return found + abs(float(by["x_b"][0, 0, -1]))

    @staticmethod
    def _asks_forces(by: dict[str, np.ndarray]) -> bool:
        return bool(np.abs(by["x_l"]).max(initial=0.0) > 0)

    def _function(self, broken: Break, frame: Frame) -> Blocks:
        """What falls through zero there; of a closed contact its force, of a slot its margin."""
        system, number = frame.machine.system, broken.fired - len(self.watches)
        gaps, first = LEVELS * len(self.impacts), self.run.equations.first_switch - len(self.watches)
        g: Scalar
        if number < 0:
            g = system.told([self.watches[broken.fired].traced(frame.machine)])[0]
        elif number < gaps:
            k = number % len(self.impacts)
            g = self.impacts[k].gap
            if isinstance(system, HeldMechanics) and k in system.closed:
                g = system.told([system.press(k)])[0]
        elif isinstance(system, HeldMechanics) and number < first:
            g = system.told([system.margin(number - gaps)])[0]
        else:
            g = frame.tangents.flags.switches[number - first].g
        return readout_of(frame.tangents, [g])

    # -- what happens ------------------------------------------------------------------------------------------------------
    def _remembered(
        self, broken: Break, frame: Frame, before: Nodes, d: np.ndarray, v: np.ndarray, z: np.ndarray, b: np.ndarray
    ) -> np.ndarray:
        """A law may remember the speed at which it began."""
        tangents = frame.tangents
        switch = tangents.flags.switches[broken.fired - self.run.equations.first_switch]
        z, states = z.copy(), len(tangents.z) - len(tangents.memories)
        for k, memory in enumerate(self.machine.system.loads.memories):
            if switch.g is memory.depth and not np.array_equal(broken.before, broken.after):
                change = before.answered(d[None], v[None], z[None], b)
                z[states + k] = before.read(readout_of(tangents, [memory.speed]), change)[1][0, 0]
        return z

    def _struck(
        self, broken: Break, frame: Frame, before: Nodes, k: int, d: np.ndarray, v: np.ndarray, b: np.ndarray
    ) -> np.ndarray:  # fmt: skip
        """Velocities after the k-th impact. Which law of friction its blow has had is seen from what it has done."""
        for law in blows(self.machine.system, k, self._closes(broken)):
            found = Blow(frame, before, broken, k, law)
            if found.is_it:
                return found.changed(d, v, b)
        raise ModelError(
            f"more than one impact happens at t = {broken.t:.6g}: with other values they come one after another, and "
            "nothing has a derivative there", element=self.name(broken), remedy="change the design or the span",
        )  # fmt: skip


def moment(run: Run[Whole], v: np.ndarray) -> float:
    """A time so short that only the side of an event matters."""
    speed = np.abs(v / run.equations.base.scale).max(initial=0.0)
    return float(min(MOMENT * (run.span or 1.0), MOVED / max(speed, 1e-300)))


def is_smooth(machine: LoadedMachine, broken: Break) -> bool:
    """Whether positions, velocities and states are the same after it."""
    q, v, z = (np.abs(x - y) for x, y in zip(machine.split(broken.before), machine.split(broken.after), strict=True))
    speed = np.abs(machine.split(broken.before)[1] / machine.scale).max(initial=0.0)
    return bool((v / machine.scale).max(initial=0.0) <= ONE * speed + REST and not q.any() and not z.any())


def _goes_on(own: Change, later: Change, usual: float) -> bool:
    """Whether the rates before and after are the same. usual: accelerations that would be, but for constraints."""
    states = max(np.abs(x.z[0]).max(initial=0.0) for x in (own, later))
    pairs = ((own.v[0], later.v[0], usual), (own.z[0], later.z[0], states))
    return all(bool(np.abs(x - y).max(initial=0.0) <= SAME_RATES * size) for x, y, size in pairs)


def _usual(nodes: Nodes) -> float:
    """The largest acceleration that the forces would make alone."""
    mass = np.diagonal(nodes.balance["M"][0])
    some = mass > 0
    return float(np.abs(nodes.balance["f"][0][some] / mass[some]).max(initial=0.0)) + float(
        np.abs(nodes.vdot).max(initial=0.0)
    )
