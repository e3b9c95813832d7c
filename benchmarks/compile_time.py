"""Seconds to compile against the size of the program: near linear, or large machines never start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.chain import trace
from benchmarks.pin import setting
from benchmarks.timing import clock
from linkwright.compile import Function
from linkwright.compile.function import FEW
from linkwright.graph import Expr, Scalar, operations, symbols

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)  # operations of the random graphs
BODIES = (2, 5, 15, 50, 150)  # of the chain: about as many operations
INPUTS = 50
REACH = 200  # an operation mostly takes what was made at most so many operations ago, as in an elimination


@dataclass(frozen=True)
class Compilation:
    graph: str
    operations: int
    trace: float  # building the graph [s]
    scalar: float  # from the graph to a first call [s]
    batch: float  # the code for SIMD batches, on top [s]


def random_graph(size: int, seed: int = 0) -> tuple[np.ndarray, list[Scalar]]:
    """Inputs in [-1, 1] to outputs: some `size` operations, all of whose values stay in [-1, 1]."""
    rng = np.random.default_rng(seed)
    x = symbols("x", INPUTS)
    made: list[Scalar] = list(x)
    used: set[int] = set()
    count = 0
    while count < size:
        back = np.minimum(rng.geometric(1 / REACH, 2), len(made))
        a, b = made[-back[0]], made[-back[1]]
        kind = rng.random()
        if kind < 0.5:
            new, cost = a * b, 1
        elif kind < 0.98:
            new, cost = (0.5 * (a + b) if kind < 0.75 else 0.5 * (a - b)), 2
        else:
            new, cost = a / (1.0 + b * b), 3
        if type(new) is Expr:  # a - a is a number
            made.append(new)
            used.update(map(id, (a, b)))
            count += cost
    return x, [m for m in made[INPUTS:] if id(m) not in used]


def compilation(graph: str, size: int) -> Compilation:
    """One compilation, without the cache: of a random graph of so many operations, or of the chain of so many bodies."""
    start = clock()
    if graph == "random":
        x, outputs = random_graph(size)
    else:
        chain = trace.__wrapped__(size)  # kept by nobody
        x, outputs = chain.x.ravel(), chain.outputs
    traced = clock()
    f = Function("graph", inputs={"x": x}, outputs={"y": outputs})
    _ = f.address  # of the code for loops
    scalar = clock()
    f.batch(np.zeros((len(x), 2 * FEW)), threads=1)
    return Compilation(graph, operations(outputs), traced - start, scalar - traced, clock() - scalar)


def scaling() -> list[Compilation]:
    with setting("LINKWRIGHT_CACHE", "off"):
        return [compilation(graph, n) for graph, sizes in (("random", SIZES), ("chain", BODIES)) for n in sizes]


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """k of seconds ~ size^k, by least squares in logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def table(runs: Sequence[Compilation]) -> str:
    lines = ["| graph | operations | build the graph [s] | compile [s] | + batch code [s] |", "|---|---|---|---|---|"]
    for graph in dict.fromkeys(r.graph for r in runs):
        mine = [r for r in runs if r.graph == graph]
        lines += [f"| {graph} | {r.operations:,} | {r.trace:.3f} | {r.scalar:.3f} | {r.batch:.3f} |" for r in mine]
        sizes = [r.operations for r in mine]
        k = [exponent(sizes, [getattr(r, name) for r in mine]) for name in ("trace", "scalar", "batch")]
        lines.append(f"| {graph} | exponent of the fit | " + " | ".join(f"{e:.2f}" for e in k) + " |")
    return "\n".join(lines)
