"""Joint coordinates of a large machine: the state of integrators is that of a spanning tree's joints, x = (theta, u, turns,
work), and the bodies' state y = (q, v, turns, work) is had from it joint by joint.

The equations of motion are those of the bodies, eliminated block by block from the tips to the ground: on a tree that is
what articulated bodies are (Featherstone, chapter 7), and rows of loops are eliminated on the way, once all they touch has
been, so that the cost grows with the number of bodies however many loops there are. The joints of the tree hold by
themselves; the rates of their speeds are read off the accelerations of the bodies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.compile import Array, Code, Codes, Function, Ints, Native, Pointers, copy, i64, native
from linkwright.compile.clock import traced_property as cached_property
from linkwright.compile.script import Arena, Script, play
from linkwright.system.joint_reading import fitted
from linkwright.system.looped.flow import Called, LoopedFlow
from linkwright.system.looped.links import links, readings
from linkwright.system.looped.looped import LoopedSystem
from linkwright.system.looped.shapes import Reading
from linkwright.system.looped.simple import copied
from linkwright.system.spanning_tree import Spanning

# Places and sizes in the list that the native functions get, then where each script starts, and the end.
T, THETA, U, NEAR, RATES, Y, YDOT, MOVED, FLAGS, LAM, HEALTH, GAINS = range(12)
NTHETA, NU, NQ, NV, NTURNS, NFLAGS, ROWS, NGAINS, SCRIPTS = range(12, 21)
CARRIED, RATED, READ = range(3)


class LoopedJoints:
    """The joint coordinates of a machine near a configuration q. Joints that do not fit the configuration stay rows, as in
    `JointCoordinates`."""

    @classmethod
    def of(cls, system: LoopedSystem, q: np.ndarray) -> LoopedJoints:
        """The joint coordinates near q. Those that were made before are taken where the joints are of the same kinds, with
        the numbers that they have now."""
        slices = system.coordinates.body_slices()
        spanning, theta, _ = fitted(system.model, slices, q)
        read = readings(system.model, spanning, theta, [q[slices[b.name][0]] for b in spanning.bodies])
        names, kinds = tuple(b.name for b in spanning.bodies), tuple((r.shape, tuple(r.special)) for r in read)
        key = cls, names, tuple(spanning.tree.parent), kinds
        found = system.made(key, lambda: cls(system, spanning, read))
        found._begin(spanning, theta, read, q)
        return found

    def __init__(self, system: LoopedSystem, spanning: Spanning, read: Sequence[Reading]) -> None:
        self.at = at = system.at
        self.spanning = spanning
        tree = self.spanning.tree
        curves = len(at.extra)  # their parameters come after the joints
        self.ntheta, self.nu = tree.nq + curves, tree.nv + curves
        self.nx = self.ntheta + self.nu + at.nturns + 1
        self._claim()
        self._write(links(self.spanning, read, at.model.dimension == 3))
        self._flows: dict[LoopedFlow, JointedFlow] = {}

    def _begin(
        self, spanning: Spanning, theta: Sequence[np.ndarray], read: Sequence[Reading], q: np.ndarray
    ) -> None:  # fmt: skip
        """Take these numbers of the joints, near the configuration q."""
        at, self.spanning = self.at, spanning
        self.near = np.concatenate([*theta, q[at.nq - len(at.extra) :], np.zeros(self.nu + at.nturns + 1)])
        for place, columns, r in zip(self._constants, self._columns, read, strict=True):
            self.arena.view(place, len(columns))[:] = [r.numbers[c] for c in columns]

    def _claim(self) -> None:
        at, self.arena = self.at, Arena()
        claim = self.arena.claim
        self.t, self.flags, self.lam, self.health, self.gains = (claim(size) for size in (1, at.nflags, at.rows, 1, 2))
        self.theta, self.u, self._near, self.rates = (
            claim(size) for size in (self.ntheta, self.nu, self.ntheta, self.ntheta + self.nu)
        )
        self.y, self.ydot, self.moved, self.none = (claim(at.ny) for _ in range(4))
        self._ground, self._still = (claim(size) for size in at.per_body)

    # -- scripts -----------------------------------------------------------------------------------------------------------
    def _write(self, joints: Sequence[tuple[dict[str, Function], list[int]]]) -> None:
        self.scripts = [Script(self.arena) for _ in range(3)]
        self._columns = [columns for _, columns in joints]
        self._constants = constants = [self.arena.claim(len(columns)) for columns in self._columns]
        number = {b.name: k for k, b in enumerate(self.at.bodies)}
        self._number = [number[b.name] for b in self.spanning.bodies]
        tree = self.spanning.tree
        firsts = [(a.start, b.start) for a, b in zip(tree.configuration(), tree.speeds(), strict=True)]
        for k, ((made, _), b, (theta, u)) in enumerate(zip(joints, constants, firsts, strict=True)):
            own, low = self._places(k, self.y), self._places(tree.parent[k], self.y)
            at = [self.theta + theta, self.u + u]
            self.scripts[CARRIED].add(made["carried"], [*at, *low, b], own)
            accelerations = [self._places(j, self.ydot)[1] for j in (k, tree.parent[k])]
            outs = [self.rates + theta, self.rates + self.ntheta + u]
            self.scripts[RATED].add(made["rates"], [*at, *own, *low, *accelerations, b], outs)
            own, low = self._places(k, self.moved), self._places(tree.parent[k], self.moved)
            self.scripts[READ].add(made["read"], [self._near + theta, *own, *low, b], at)
        self._write_curves()
        if self.at.model.dimension == 3:
            self.arena.view(self._ground, 7)[3] = 1.0

    def _write_curves(self) -> None:
        """Write scripts that copy the parameters of curves, which are the same in both states."""
        at, curves = self.at, len(self.at.extra)
        for k in range(curves):
            q, v = at.nq - curves + k, at.nq + at.nv - curves + k
            theta, u = self.ntheta - curves + k, self.nu - curves + k
            for script, source, target in (
                (CARRIED, self.theta + theta, self.y + q), (CARRIED, self.u + u, self.y + v),
                (RATED, self.ydot + q, self.rates + theta), (RATED, self.ydot + v, self.rates + self.ntheta + u),
                (READ, self.moved + q, self.theta + theta), (READ, self.moved + v, self.u + u),
            ):  # fmt: skip
                self.scripts[script].add(copied(), [source], [target])

    def _places(self, k: int, state: int) -> list[int]:
        """q and v, or their rates, of a body of the tree in a state that starts there; -1: the ground."""
        if k < 0:
            return [self._ground, self._still]
        (n, m), body = self.at.per_body, self._number[k]
        return [state + n * body, state + self.at.nq + m * body]

    # -- states ------------------------------------------------------------------------------------------------------------
    def cartesian(self, x: np.ndarray) -> np.ndarray:
        """The bodies' states of joint states, a row each."""
        out, at = np.empty((len(x), self.at.ny)), self.at
        n = at.nq + at.nv
        for row, y in zip(x, out, strict=True):
            self.arena.view(self.theta, self.ntheta)[:] = row[: self.ntheta]
            self.arena.view(self.u, self.nu)[:] = row[self.ntheta : self.ntheta + self.nu]
            self.scripts[CARRIED].run()
            y[:n], y[n:] = self.arena.view(self.y, n), row[self.ntheta + self.nu :]
        return out

    def read(self, y: np.ndarray, near: np.ndarray) -> np.ndarray:
        """The joint state of a bodies' state; turns and signs as those of the joint state `near`."""
        self.arena.view(self.moved, self.at.ny)[:] = y
        self.arena.view(self._near, self.ntheta)[:] = near[: self.ntheta]
        self.scripts[READ].run()
        found = [self.arena.view(self.theta, self.ntheta), self.arena.view(self.u, self.nu)]
        return np.concatenate([*found, y[self.at.nq + self.at.nv :]])

    # -- what integrators run ----------------------------------------------------------------------------------------------
    def around(self, flow: LoopedFlow) -> JointedFlow:
        """The flow in joint states; made once but for those that last as long as a partition."""
        found = self._flows.get(flow) or JointedFlow(self, flow)
        if flow.following is None:
            self._flows[flow] = found
        return found

    def bound(self, code: Native, inside: Called, **outputs: tuple[int, ...]) -> Called:
        """A function of joint states that calls one of bodies' states."""
        at, (whole, starts) = self.at, self._whole
        table = [
            self.t, self.theta, self.u, self._near, self.rates, self.y, self.ydot, self.moved, self.flags, self.lam,
            self.health, self.gains, self.ntheta, self.nu, at.nq, at.nv, at.nturns, at.nflags, at.rows,
            inside.inputs["gains"][0], *starts,
        ]  # fmt: skip
        ins = self._pointers(self.t, self.y, self.none, self.none, self.flags, self.gains)
        result = self._pointers(self.ydot if "lam" in outputs else self.moved, self.lam, self.health)
        fixed: list[Any] = [
            inside, ins, result, self.arena.numbers, np.array(table, dtype=np.int64), *whole.arguments[1:]
        ]  # fmt: skip
        return Called(code, fixed, {**inside.inputs, "y": (self.nx,)}, outputs)

    @cached_property
    def _whole(self) -> tuple[Script, list[int]]:
        """All scripts one after the other, and where each starts."""
        whole, starts = Script(self.arena), [0]
        for script in self.scripts:
            whole.extend(script)
            starts.append(len(whole.functions))
        return whole, starts

    def _pointers(self, *places: int) -> np.ndarray:
        return (self.arena.numbers.ctypes.data + 8 * np.array(places, dtype=np.int64)).astype(np.uintp)


class JointedFlow:
    """The functions of a `LoopedFlow` as functions of joint states."""

    def __init__(self, joints: LoopedJoints, flow: LoopedFlow) -> None:
        self.joints, self.flow = joints, flow

    @cached_property
    def motion(self) -> Called:
        joints = self.joints
        return joints.bound(_motion, self.flow.motion, ydot=(joints.nx,), lam=(joints.at.rows,), health=(1,))

    @cached_property
    def projection(self) -> Called:
        return self.joints.bound(_projection, self.flow.projection, y=(self.joints.nx,))

    @cached_property
    def errors(self) -> Called:
        return self.joints.bound(_asked, self.flow.errors, **self.flow.errors.outputs)

    @cached_property
    def events(self) -> Called:
        return self.joints.bound(_asked, self.flow.events, **self.flow.events.outputs)


class Around(NamedTuple):
    """The arguments of native functions of joint states: the function of bodies' states with its inputs and outputs,
    numbers, the table of their places, scripts."""

    inside: Code
    inner_ins: Pointers
    inner_outs: Pointers
    numbers: Array
    at: Ints
    codes: Codes
    in_at: Ints
    out_at: Ints
    in_table: Pointers
    out_table: Pointers


@native
def _part(which: i64, m: Around) -> None:
    """Run one of the scripts."""
    a = m.at[SCRIPTS + which]
    play(m.at[SCRIPTS + which + 1] - a, m.codes[a:], m.in_at[a:], m.out_at[a:], m.in_table, m.out_table)


@native
def _take(ins: Pointers, m: Around) -> None:
    """Take time, joint state and flags; then compute the bodies' state."""
    n = m.at[NTHETA] + m.at[NU]
    m.numbers[m.at[T]] = ins[0][0]
    copy(m.at[NTHETA], ins[1], m.numbers[m.at[THETA] :])
    copy(m.at[NU], ins[1][m.at[NTHETA] :], m.numbers[m.at[U] :])
    copy(m.at[NTURNS] + 1, ins[1][n:], m.numbers[m.at[Y] + m.at[NQ] + m.at[NV] :])
    copy(m.at[NFLAGS], ins[4], m.numbers[m.at[FLAGS] :])
    copy(m.at[NGAINS], ins[5], m.numbers[m.at[GAINS] :])
    _part(CARRIED, m)


@native
def _motion(ins: Pointers, outs: Pointers, m: Around) -> None:
    n = m.at[NTHETA] + m.at[NU]
    _take(ins, m)
    m.inside(m.inner_ins, m.inner_outs)
    _part(RATED, m)
    copy(n, m.numbers[m.at[RATES] :], outs[0])
    copy(m.at[NTURNS] + 1, m.numbers[m.at[YDOT] + m.at[NQ] + m.at[NV] :], outs[0][n:])
    copy(m.at[ROWS], m.numbers[m.at[LAM] :], outs[1])
    outs[2][0] = m.numbers[m.at[HEALTH]]


@native
def _projection(ins: Pointers, outs: Pointers, m: Around) -> None:
    n = m.at[NTHETA] + m.at[NU]
    _take(ins, m)
    m.inside(m.inner_ins, m.inner_outs)
    copy(m.at[NTHETA], ins[1], m.numbers[m.at[NEAR] :])
    _part(READ, m)
    copy(m.at[NTHETA], m.numbers[m.at[THETA] :], outs[0])
    copy(m.at[NU], m.numbers[m.at[U] :], outs[0][m.at[NTHETA] :])
    copy(m.at[NTURNS] + 1, m.numbers[m.at[MOVED] + m.at[NQ] + m.at[NV] :], outs[0][n:])


@native
def _asked(ins: Pointers, outs: Pointers, m: Around) -> None:
    _take(ins, m)
    m.inside(m.inner_ins, outs)
