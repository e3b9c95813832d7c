"""Open chains of revolute joints in joint coordinates: articulated bodies compiled from the graph, against Pinocchio's; and
one evaluation of a machine's motion under each formulation.

    python -m benchmarks --only tree

Ours is called in a native loop. Pinocchio is called from Python; the cost of an empty call (a model without joints) is
taken off, which is a fair stand-in for a loop in C++. "skew": every joint has an axis of its own, so that next to nothing
is structurally zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

LENGTHS = (1, 10, 100)
COLUMNS = ("joint form", "joint form, skew axes", "Cartesian, all multipliers", "Pinocchio aba")
FORMULATIONS = ("newton-euler", "kane", "joint")


@dataclass(frozen=True)
class Row:
    """Figures of a chain, in the order of COLUMNS; None where the peer is not installed."""

    bodies: int
    figures: list[Any]


@dataclass(frozen=True)
class Motion:
    """One evaluation of y' under a formulation: operations, seconds; also operations of a projection."""

    machine: str
    formulation: str
    operations: int
    seconds: Any
    projection: int


def rows(lengths: Sequence[int] = LENGTHS) -> list[Row]:
    return [Row(n, row(n)) for n in lengths]


def table(found: Sequence[Row], motions: Sequence[Motion]) -> str:
    lines = ["| N | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for r in found:
        peer = r.figures[-1]
        cells = []
        for f in r.figures:
            ratio = f", {peer.median / f.median:.1f} times" if peer is not None and f is not peer else ""
            cells.append("not installed" if f is None else f"{1e6 * f.median:.3g} ({100 * f.spread:.0f}%){ratio}")
        lines.append(f"| {r.bodies} | {' | '.join(cells)} |")
    lines += [
        "",
        "| machine | formulation | operations | one evaluation [us] | operations of a projection |",
        "|---" * 5 + "|",
    ]
    for m in motions:
        time = f"{1e6 * m.seconds.median:.3g} ({100 * m.seconds.spread:.0f}%)"
        lines.append(f"| {m.machine} | {m.formulation} | {m.operations:,} | {time} | {m.projection:,} |")
    return "\n".join(lines)


def motions() -> list[Motion]:
    """Machines of the examples, a chain of ten, and ten four-bars on each other, as `dynamics` runs them."""
    import sys
    from pathlib import Path

    from benchmarks.large import chain
    from linkwright.examples import example

    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from loop_machines import four_bars

    machines = {"chain of 10": chain(10)[0], "four-bar": example("four-bar").build()}
    machines["tower of 10 four-bars"] = four_bars(10)
    machines["spatial slider-crank"] = example("spatial-slider-crank").build()
    return [_motion(name, m, f) for name, m in machines.items() for f in FORMULATIONS]


def _motion(name: str, model: Any, formulation: str) -> Motion:
    import numpy as np

    from benchmarks.timing import measure
    from linkwright.analyses.assembly.start import initial_state
    from linkwright.analyses.machine.mechanical import LoadedMachine
    from linkwright.compile import time_calls
    from linkwright.system.joint_coordinates import JointCoordinates
    from linkwright.system.joint_form import JointFlow
    from linkwright.system.motion import Flow

    machine = LoadedMachine(model)
    begin = initial_state(machine, 0.0)
    s, every = machine.system, range(len(machine.system.rows))
    state = [*begin.q, *begin.v]
    flow: Any = Flow(s, every, formulation)
    if formulation == "joint":
        joints = JointCoordinates(s, begin.q)
        theta = joints.read(begin.q)
        state = [*theta, *joints.read_speeds(begin.q, begin.v, theta)]
        flow = JointFlow(s, joints, every)
    y = np.array([*state, *machine.turns, 0.0])
    args = [np.zeros(1), y, machine.b, np.zeros(0), np.zeros(len(flow.flags.switches)), np.zeros(0)]
    seconds = measure(lambda count: time_calls(flow.motion, count, *args))
    return Motion(name, formulation, flow.motion.program.operations, seconds, flow.projection.program.operations)


def row(n: int) -> list[Any]:
    """Figures in the order of COLUMNS."""
    import numpy as np

    from benchmarks.chain import trace
    from benchmarks.timing import measure
    from linkwright.compile import Function, time_calls

    def native(f: Function, *x: np.ndarray) -> Any:
        return measure(lambda count: time_calls(f, count, *x))

    rng = np.random.default_rng(n)
    state = tuple(rng.normal(size=n) for _ in range(3))  # q, v, tau
    forward = joint_space(n).forward_function
    chain = trace(n)
    cartesian = Function("chain", {"x": chain.x}, {"a": chain.a, "lam": chain.lam})
    x = np.zeros((n, 13))
    x[:, 0], x[:, 3] = np.arange(n) + 0.5, 1.0
    skew = joint_space(n, rng).forward_function
    ours = [native(forward, *state), native(skew, *state), native(cartesian, x.reshape(cartesian.inputs["x"]))]
    return [*ours, pinocchio(n, state, forward(*state)[0])]


def joint_space(n: int, skew: Any = None) -> Any:
    """The chain of benchmarks.chain; with axes at random if a generator of random numbers is given."""
    import numpy as np

    import linkwright as lw

    m = lw.SpatialModel("chain", gravity=(0, 0, -9.81))
    turned: Any = ((1, 0, 0), -np.pi / 2)  # the joint's z axis along y
    end = m.ground.at(0, 0, 0, rotation=turned)
    for k in range(n):
        b = m.body(f"b{k}", mass=1.0, inertia=(0.01, 1 / 12, 1 / 12))
        if skew is not None:
            turned = (skew.normal(size=3), skew.uniform(-3, 3))
        m.add(lw.Revolute(f"J{k}", end, b.at(-0.5, 0, 0, rotation=turned)))
        end = b.at(0.5, 0, 0, rotation=turned)
    return lw.joint_space(m)


def pinocchio(n: int, state: tuple[Any, ...], expected: Any) -> Any:
    """Its articulated-body algorithm on the same chain; None if it is not installed."""
    import numpy as np

    from benchmarks.timing import Figure, calls, measure

    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    joint = 0
    for k in range(n):
        place = pin.SE3(np.eye(3), np.array([0.0 if k == 0 else 1.0, 0.0, 0.0]))
        joint = model.addJoint(joint, pin.JointModelRY(), place, f"J{k}")
        body = pin.Inertia(1.0, np.array([0.5, 0.0, 0.0]), np.diag([0.01, 1 / 12, 1 / 12]))
        model.appendBodyToJoint(joint, body, pin.SE3.Identity())
    data, nothing, none = model.createData(), pin.Model(), np.zeros(0)
    found = np.array(pin.aba(model, data, *state))
    assert np.allclose(found, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max()), "Pinocchio disagrees"
    call = measure(calls(lambda x: pin.aba(model, data, *x), state))
    idle = measure(calls(partial(pin.aba, nothing, nothing.createData(), none, none), none)).median
    return Figure(call.median - idle, call.low - idle, call.high - idle)
