"""The chain in every peer: checked for agreement, then timed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.chain import Chain, states, trace
from benchmarks.peers import PEERS, Peer, find
from benchmarks.replay import replay
from benchmarks.timing import Figure, calls, measure
from linkwright.graph import operations

BODIES = (1, 3, 10, 30)
BATCH = 10_000
COMPILATIONS = 3
# Largest difference from the reference evaluation, relative to the largest output. The elimination is done in
# other orders by some peers, and each loses a few digits on 30 bodies.
AGREEMENT = 1e-9


@dataclass
class Row:
    """One peer on one chain. Seconds; None where the peer has no such thing."""

    bodies: int
    peer: str
    status: str = "ok"  # or "not installed", or what went wrong
    difference: float | None = None
    compile: Figure | None = None
    compile_batch: Figure | None = None
    compile_cached: Figure | None = None
    native: Figure | None = None
    python: Figure | None = None
    batch: Figure | None = None
    note: str = ""


@dataclass
class Comparison:
    rows: list[Row] = field(default_factory=list)
    chains: list[dict[str, float]] = field(default_factory=list)


def compare(bodies: Sequence[int], labels: Sequence[str] = tuple(PEERS), batch: int = BATCH) -> Comparison:
    result = Comparison()
    for n in bodies:
        chain = trace(n)
        counted = {"bodies": n, "operations": operations(chain.outputs), "trace_seconds": chain.trace_seconds}
        result.chains.append(counted)
        X = states(n, batch)
        reference = np.array(replay(chain.outputs, chain.inputs, list(X)))
        for label in labels:
            result.rows.append(_row(chain, label, X, reference))
            print(_progress(result.rows[-1]), flush=True)
    return result


def _row(chain: Chain, label: str, X: np.ndarray, reference: np.ndarray) -> Row:
    row = Row(chain.n, label)
    build = find(label)
    if build is None:
        row.status = "not installed"
        return row
    built = [build(chain) for _ in range(COMPILATIONS)]
    row.compile = Figure.of([p.compile_seconds for p in built])
    row.compile_batch = _figure([p.batch_seconds for p in built])
    row.compile_cached = _figure([p.cached_seconds for p in built])
    peer = built[-1]
    del built
    x = peer.device(X[:, 0].copy())
    batch = peer.device(np.ascontiguousarray(X.T) if peer.rows_first else X)
    row.difference = _difference(peer, x, batch, reference)
    if not row.difference < AGREEMENT:
        row.status = f"DISAGREES by {row.difference:.1e}: not timed"
        return row
    _time(row, peer, x, batch, X.shape[1])
    row.note = peer.note
    return row


def _figure(seconds: Sequence[float | None]) -> Figure | None:
    known = [s for s in seconds if s is not None]
    return Figure.of(known) if known else None


def _difference(peer: Peer, x: Any, batch: Any, reference: np.ndarray) -> float:
    """Of a call and of a batch from the reference evaluation, the larger; NaN if either holds one."""
    one = _joined(peer.call(x), 0)
    many = _joined(peer.batch(batch), 1 if peer.rows_first else 0)
    many = many.T if peer.rows_first else many
    scale = np.abs(reference).max()
    return float(np.maximum(np.abs(one - reference[:, 0]).max(), np.abs(many - reference).max()) / scale)


def _joined(result: Any, axis: int) -> np.ndarray:
    return np.concatenate(result, axis=axis) if isinstance(result, tuple) else np.asarray(result)


def _time(row: Row, peer: Peer, x: Any, batch: Any, count: int) -> None:
    if peer.native_loop(x, 1) is not None:
        row.native = measure(lambda k: peer.native_loop(x, k) or 0.0)
    row.python = measure(calls(peer.call, x))
    row.batch = measure(calls(peer.batch, batch), per=count)


def _progress(row: Row) -> str:
    if row.status != "ok":
        return f"N={row.bodies:<3} {row.peer}: {row.status}"
    parts = [f"{name} {_us(f)}" for name, f in (("native", row.native), ("Python", row.python), ("batch", row.batch))]
    return f"N={row.bodies:<3} {row.peer}: {', '.join(parts)} us; agrees to {row.difference:.0e}"


def table(result: Comparison) -> str:
    """The whole comparison as a table in Markdown. In brackets: the interquartile range in per cent."""
    columns = ("N", "system", "compile [s]", "+ batch code [s]", "from cache [s]")
    columns += ("native loop [us]", "from Python [us]", "batch [us/machine]")
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for row in result.rows:
        if row.status != "ok":
            lines.append(f"| {row.bodies} | {row.peer} | {row.status} | | | | | |")
            continue
        compiled = [_seconds(f) for f in (row.compile, row.compile_batch, row.compile_cached)]
        timed = [_us(f) for f in (row.native, row.python, row.batch)]
        lines.append(f"| {row.bodies} | {row.peer} | {' | '.join([*compiled, *timed])} |")
    notes: dict[tuple[str, str], list[str]] = {}
    for row in result.rows:
        if row.note:
            notes.setdefault((row.peer, row.note), []).append(str(row.bodies))
    lines += ["", *(f"- {peer}, N = {', '.join(bodies)}: {note}." for (peer, note), bodies in notes.items())]
    return "\n".join(lines)


def _seconds(f: Figure | None) -> str:
    return "-" if f is None else f"{f.median:.3g}"


def _us(f: Figure | None) -> str:
    return "-" if f is None else f"{f.median * 1e6:.3g} ({f.spread:.0%})"
