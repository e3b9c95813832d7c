"""Large machines: building, compiling, one evaluation and memory against the number of bodies; the sparse solve against
libraries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import linkwright as lw
from benchmarks.compile_time import exponent
from benchmarks.pin import setting
from benchmarks.timing import clock, measure
from linkwright.compile import Code, Pointers, block_kernels, i64, native
from linkwright.compile.script import Script
from linkwright.system.looped import LoopedFlow, LoopedSystem
from linkwright.system.looped.joints import LoopedJoints

BODIES = (10, 100, 1_000, 10_000)
GRAVITY = (0, 0, -9.81)


@native
def _repeat(f: Code, ins: Pointers, outs: Pointers, n: i64) -> None:
    for _ in range(n):
        f(ins, outs)


def _joint(m: Any, k: int, parent: Any, at: Sequence[float], body: Any) -> None:
    turn = ((1, 0, 0), 0.3 + 0.5 * (k % 2))
    m.add(lw.Revolute(f"j{k}", parent.at(*at, rotation=turn), body.at(-0.5, 0, 0, rotation=turn)))


def _body(m: Any, k: int, rng: np.random.Generator) -> Any:
    return m.body(f"b{k}", mass=1 + rng.random(), inertia=tuple(0.1 + 0.05 * rng.random(3)))


def chain(n: int) -> tuple[Any, np.ndarray]:
    """An open chain on revolute joints with skew axes, stretched out."""
    rng = np.random.default_rng(0)
    m = lw.SpatialModel("chain", gravity=GRAVITY)
    before, at = m.ground, (0.0, 0.0, 0.0)
    q = np.zeros((n, 7))
    for k in range(n):
        body = _body(m, k, rng)
        _joint(m, k, before, at, body)
        before, at = body, (0.5, 0.0, 0.0)
        q[k, [0, 3]] = k + 0.5, 1.0
    return m, q.ravel()


def tree(n: int) -> tuple[Any, np.ndarray]:
    """A binary tree on revolute joints."""
    rng = np.random.default_rng(0)
    m = lw.SpatialModel("tree", gravity=GRAVITY)
    bodies: list[Any] = []
    q = np.zeros((n, 7))
    for k in range(n):
        body = _body(m, k, rng)
        side = 0.5 if k % 2 else -0.5
        parent = bodies[(k - 1) // 2] if k else m.ground
        _joint(m, k, parent, (0.5, side, 0.0), body)
        q[k, 3] = 1.0
        q[k, :3] = (q[(k - 1) // 2, :3] if k else 0.0) + np.array([1.0, side, 0.0])
        bodies.append(body)
    return m, q.ravel()


def ladder(n: int) -> tuple[Any, np.ndarray]:
    """A planar chain of four-bar loops, three bodies each, every loop standing on the one before."""
    rng = np.random.default_rng(0)
    m = lw.PlanarModel("ladder", gravity=(0, -9.81))
    left, right = m.ground.at(0, 0), m.ground.at(1, 0)
    q: list[float] = []
    for k in range(max(1, n // 3)):
        a, c, rung = (m.body(f"{x}{k}", mass=1 + rng.random(), inertia=0.1 + rng.random()) for x in "acr")
        m.add(lw.Revolute(f"A{k}", left, a.at(0, -0.5)))
        m.add(lw.Revolute(f"C{k}", right, c.at(0, -0.5)))
        m.add(lw.Revolute(f"B{k}", a.at(0, 0.5), rung.at(-0.5, 0)))
        m.add(lw.Revolute(f"D{k}", c.at(0, 0.5), rung.at(0.5, 0)))
        left, right = rung.at(-0.5, 0), rung.at(0.5, 0)
        q += [0, k + 0.5, 0, 1, k + 0.5, 0, 0.5, k + 1, 0]
    return m, np.array(q, dtype=float)


MACHINES: dict[str, Callable[[int], tuple[Any, np.ndarray]]] = {"chain": chain, "tree": tree, "loops": ladder}


@dataclass(frozen=True)
class Run:
    """Seconds, and megabytes of numbers and addresses that an evaluation touches."""

    machine: str
    bodies: int
    model: float
    build: float
    compile: float
    evaluation: float
    in_joints: float  # the same with joint coordinates as the state
    elements: float
    solve: float
    megabytes: float
    peers: dict[str, tuple[float, float]]  # seconds of one factorisation and solution, largest difference from ours


def _script_time(*scripts: Script) -> float:
    def timed(count: int) -> float:
        start = clock()
        for _ in range(count):
            for s in scripts:
                s.run()
        return clock() - start

    return measure(timed, repetitions=7).median


def _evaluation_time(motion: Any, y: np.ndarray) -> float:
    ins, outs = [np.zeros(1), y, *[np.zeros(1)] * 4], [np.zeros(shape) for shape in motion.outputs.values()]

    def timed(count: int) -> float:
        start = clock()
        _repeat(motion, ins, outs, count)
        return clock() - start

    return measure(timed, repetitions=7).median


def _peers(looped: LoopedSystem, q: np.ndarray, v: np.ndarray) -> dict[str, tuple[float, float]]:
    """The same matrix by libraries; qdldl, if it is installed, with a small negative number in the zero block."""
    from scipy.sparse import block_array, diags_array
    from scipy.sparse.linalg import splu

    vdot, lam, _ = looped.accelerations(q, v)
    ours = np.concatenate([vdot, lam])
    M, J, right, gamma = looped.terms(q, v)
    K: Any = block_array([[M, J.T], [J, None]], format="csc")
    b = np.concatenate([right, gamma])
    found: dict[str, tuple[float, float]] = {}

    def timed(solve: Callable[[], np.ndarray]) -> tuple[float, float]:
        def many(count: int) -> float:
            start = clock()
            for _ in range(count):
                solve()
            return clock() - start

        return measure(many, repetitions=5).median, float(np.abs(solve() - ours).max() / np.abs(ours).max())

    found["scipy splu"] = timed(lambda: splu(K).solve(b))
    try:
        import qdldl
    except ImportError:
        return found
    zero = np.concatenate([np.zeros(len(right)), np.full(len(gamma), -1e-12)])
    held = (K + diags_array(zero)).tocsc()
    solver = qdldl.Solver(held)

    def again() -> np.ndarray:
        solver.update(held)
        return np.asarray(solver.solve(b))

    found["qdldl"] = timed(again)
    return found


def run(machine: str, bodies: int) -> Run:
    """One machine, nothing cached."""
    for kernel in ("eliminate", "factor", "panel", "update", "substitute"):
        getattr(block_kernels, kernel).cache_clear()
    start = clock()
    m, q = MACHINES[machine](bodies)
    modelled = clock()
    looped = LoopedSystem(m)
    flow = LoopedFlow(looped)
    built = clock()
    flow.motion.address  # noqa: B018  makes all machine code
    compiled = clock()
    v = np.random.default_rng(1).normal(size=looped.nv)
    joints, y = LoopedJoints.of(looped, q), flow.state(q, v)
    used = [looped.at.scripts[name] for name in ("rates", "masses", "elements", "factor", "back")]
    tables = sum(x.nbytes for s in used for x in s.arguments[1:])
    return Run(
        machine, len(looped.at.bodies), modelled - start, built - modelled, compiled - built,
        _evaluation_time(flow.motion, y), _evaluation_time(joints.motion(flow), joints.read(y, joints.near)),
        _script_time(looped.at.scripts["masses"], looped.at.scripts["elements"]),
        _script_time(looped.at.scripts["factor"], looped.at.scripts["back"]), (looped.arena.numbers.nbytes + tables) / 1e6,
        _peers(looped, q, v),
    )  # fmt: skip


def scaling(bodies: Sequence[int] = BODIES) -> list[Run]:
    with setting("LINKWRIGHT_CACHE", "off"):
        return [run(machine, n) for machine in MACHINES for n in bodies]


def table(runs: Sequence[Run]) -> str:
    """Two tables: the machines, and the solve alone."""
    lines = [
        "| machine | bodies | model [s] | build [s] | compile [s] | one evaluation [us] | ns a body "
        "| in joint coordinates [us] | memory [MB] |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for machine in dict.fromkeys(r.machine for r in runs):
        mine = [r for r in runs if r.machine == machine]
        lines += [
            f"| {machine} | {r.bodies:,} | {r.model:.3f} | {r.build:.3f} | {r.compile:.3f} | {r.evaluation * 1e6:,.1f} "
            f"| {r.evaluation / r.bodies * 1e9:.0f} | {r.in_joints * 1e6:,.1f} | {r.megabytes:.2f} |"
            for r in mine
        ]
        if len(mine) > 1:
            k = exponent([r.bodies for r in mine], [r.evaluation for r in mine])
            joint = exponent([r.bodies for r in mine], [r.in_joints for r in mine])
            size = exponent([r.bodies for r in mine], [r.megabytes for r in mine])
            lines.append(f"| {machine} | exponent of the fit | | | | {k:.2f} | | {joint:.2f} | {size:.2f} |")
    names = list(dict.fromkeys(name for r in runs for name in r.peers))
    head = ["machine", "bodies", "elements [us]", "block LDL [us]", *[f"{name} [us] (difference)" for name in names]]
    lines += ["", "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for r in runs:
        peers = [f"{r.peers[n][0] * 1e6:,.0f} ({r.peers[n][1]:.0e})" if n in r.peers else "-" for n in names]
        cells = [r.machine, f"{r.bodies:,}", f"{r.elements * 1e6:,.1f}", f"{r.solve * 1e6:,.1f}", *peers]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
