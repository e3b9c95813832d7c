"""Sparse block LDL^T of a symmetric matrix of small dense blocks: order and fill found once, numbers by native code.

An unknown block is either "definite" (bodies: a mass matrix on the diagonal) or a multiplier (zero on the diagonal), which
must wait for blocks that make its pivot definite, see `linkwright.graph.elimination`. An open chain whose joints wait for
the body on the far side alone is taken apart from its tip inward: no block fills in, work and memory grow with the number
of blocks, and no digits are lost however long the chain.

Where rows depend on each other, pivots vanish. A system that is "held" has small negative numbers on the diagonals of the
multipliers; what it solves differs a little from what was asked, and solving for the rest again takes that out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwright.compile import Array, f64, i64, native
from linkwright.compile import block_kernels as kernels
from linkwright.compile.block_kernels import Block, packed
from linkwright.compile.script import Arena, Cell, Script
from linkwright.graph.elimination import elimination_order

# A whole elimination step is one straight line of code up to this many operations, and if it is one of the commonest.
FUSED = 1_500
KINDS = 24


@dataclass(frozen=True)
class Step:
    """One elimination: the block, and the blocks that it leaves an entry with, in the order of their elimination."""

    pivot: int
    below: tuple[int, ...]


def symbolic(sizes: Sequence[int], pattern: Iterable[tuple[int, int]], order: Sequence[int]) -> list[Step]:
    """Which blocks fill in."""
    position = {k: p for p, k in enumerate(order)}
    rows: list[set[int]] = [set() for _ in sizes]
    for i, j in pattern:
        if i != j:
            first, last = (i, j) if position[i] < position[j] else (j, i)
            rows[first].add(last)
    steps = []
    for k in order:
        below = sorted(rows[k], key=position.__getitem__)
        if below:  # all of them are neighbours of the first from now on
            rows[below[0]].update(below[1:])
        steps.append(Step(k, tuple(below)))
    return steps


class BlockLDL:
    """A x = b for a fixed pattern.

    ``sizes``: of the blocks; ``multiplier[k]``: whether block k has a zero diagonal; ``pattern``: pairs (i, j), i != j, of
    the blocks present, stored i by j in rows; ``after[k]``: the blocks that must be eliminated before a multiplier.

    Fill `diagonal[k]` (lower triangle by rows; not for multipliers), `blocks[i, j]`, `right[k]`: cells of the arena that
    other scripts write. Then `factor` and `back` are scripts to run, and `x[k]` the places of the solution.

    ``held``: `diagonal[k]` of multipliers has a place, too, for numbers that stay. All that is filled in stays where it is,
    and the script `again` eliminates another right-hand side, at `rest`, with the factors at hand; `back` follows.
    """

    def __init__(
        self,
        arena: Arena,
        sizes: Sequence[int],
        multiplier: Sequence[bool],
        pattern: Sequence[tuple[int, int]],
        after: Mapping[int, Iterable[int]],
        held: bool = False,
    ) -> None:
        self.arena, self.sizes, self.multiplier, self.held = arena, list(sizes), list(multiplier), held
        present = set(pattern) | {(k, k) for k, waits in enumerate(multiplier) if not waits}
        self.order = elimination_order(len(sizes), present, after)
        self.steps = symbolic(sizes, pattern, self.order)
        self.diagonal = [
            Cell(arena, packed(n), arena.claim(packed(n)) if held and waits else -1)
            for n, waits in zip(sizes, multiplier, strict=True)
        ]
        self.right = [Cell(arena, n) for n in sizes]
        self.blocks = {(i, j): Cell(arena, sizes[i] * sizes[j]) for i, j in pattern}
        ends = np.cumsum([0, *sizes])
        start = arena.claim(int(ends[-1]))
        self.x = [start + int(e) for e in ends[:-1]]
        self.growth = arena.claim(len(sizes))
        self._peak: dict[int, Cell] = {}
        self.rest = arena.claim(int(ends[-1])) if held else 0
        # blocks of the factor that the matrix does not have
        self.fill = sum(len(s.below) for s in self.steps) - len(self.blocks)

    # -- building the scripts -----------------------------------------------------------------------------------------
    def build(self, factor: Script, back: Script, again: Script | None = None) -> None:
        """Write the elimination and the substitution; the cells of the matrix must have been written before."""
        for cell in [*self.diagonal, *self.right, *self.blocks.values()] if self.held else []:
            cell.pin()
        self._watch()
        state = _State(self)
        plans = [state.plan(step) for step in self.steps]
        common = {plan for plan, _ in Counter(p for p in plans if _operations(p) <= FUSED).most_common(KINDS)}
        wide = max(self.sizes[s.pivot] * sum(self.sizes[i] for i in s.below) for s in self.steps)
        scratch = self.arena.claim(wide + max(self.sizes))
        for step, plan in zip(self.steps, plans, strict=True):
            pairs = [(i, j) for a, i in enumerate(step.below) for j in step.below[: a + 1]]
            for i, j in pairs:  # i is eliminated after j
                if i != j and (i, j) not in self.blocks and (j, i) not in self.blocks:
                    self.blocks[i, j] = Cell(self.arena, self.sizes[i] * self.sizes[j])
            if plan in common:
                self._at_once(factor, step, plan, pairs)
            else:
                self._in_pieces(factor, step, plan, pairs, scratch)
        for step in reversed(self.steps):
            k = step.pivot
            below = tuple(Block(self.sizes[i], self._turned(i, k)) for i in step.below)
            ins = [self.diagonal[k].at(), self.right[k].at()]  # L and z/d by now
            for i in step.below:
                ins += [self._cell(i, k).at(), self.x[i]]
            back.add(kernels.substitute(self.sizes[k], below), ins, [self.x[k]])
        if self.held and again is not None:
            self._build_again(again)

    def _build_again(self, script: Script) -> None:
        """The elimination of `rest` alone: into where `back` finds z/d."""
        first = self.x[0]
        rest = [Cell(self.arena, n, self.rest + at - first) for n, at in zip(self.sizes, self.x, strict=True)]
        for step in self.steps:
            k = step.pivot
            below = tuple(Block(self.sizes[i], self._turned(i, k)) for i in step.below)
            ins = [self.diagonal[k].at(), rest[k].at()]
            for i in step.below:
                ins += [self._cell(i, k).at(), rest[i].at()]
            outs = [self.right[k].at(), *[rest[i].next() for i in step.below]]
            script.add(kernels.forward(self.sizes[k], below), ins, outs)

    def _pivot_places(self, k: int) -> list[int]:
        return [self.diagonal[k].at(), self.right[k].at()] + ([self._peak[k].at()] if k in self._peak else [])

    def _at_once(self, script: Script, step: Step, plan: Plan, pairs: list[tuple[int, int]]) -> None:
        """One step of the elimination as one straight line of code."""
        k = step.pivot
        own = [self._cell(i, k) for i in step.below]
        ins = [*self._pivot_places(k), *[c.at() for c in own], *[self.right[i].at() for i in step.below]]
        for (i, j), t in zip(pairs, plan.targets, strict=True):
            ins += self._read_target(i, j, t)
        outs = [self.diagonal[k].next(), self.right[k].next(), self.growth + k]
        for i, c in zip(step.below, own, strict=True):
            outs += [c.next(), self.right[i].next()]
        for (i, j), t in zip(pairs, plan.targets, strict=True):
            outs += self._write_target(i, j, t)
        script.add(kernels.eliminate(plan.n, plan.watched, plan.below, plan.targets), ins, outs)

    def _in_pieces(self, script: Script, step: Step, plan: Plan, pairs: list[tuple[int, int]], scratch: int) -> None:
        """The same, a block at a time: for steps that are large, or rare."""
        k, n = step.pivot, plan.n
        z, W = scratch, scratch + max(self.sizes)
        ins = self._pivot_places(k)
        script.add(kernels.factor(n, plan.watched), ins, [self.diagonal[k].next(), self.right[k].next(), self.growth + k, z])
        at: dict[int, int] = {}
        for i, s in zip(step.below, plan.below, strict=True):
            cell, at[i], W = self._cell(i, k), W, W + n * s.rows
            ins = [self.diagonal[k].at(), z, cell.at(), self.right[i].at()]
            script.add(kernels.panel(n, s), ins, [cell.next(), self.right[i].next(), at[i]])
        shape = dict(zip(step.below, plan.below, strict=True))
        for (i, j), t in zip(pairs, plan.targets, strict=True):
            ins = [self._cell(i, k).at(), at[j], *self._read_target(i, j, t)]
            script.add(kernels.update(n, shape[i], self.sizes[j], t, i == j), ins, self._write_target(i, j, t))

    def _cell(self, i: int, j: int) -> Cell:
        return self.blocks[i, j] if (i, j) in self.blocks else self.blocks[j, i]

    def _turned(self, i: int, k: int) -> bool:
        """Whether the block under pivot k is stored k by i."""
        return (i, k) not in self.blocks

    def _read_target(self, i: int, j: int, t: Block) -> list[int]:
        cell = self._cell(i, j) if i != j else self.diagonal[i]
        return ([] if t.fresh else [cell.at()]) + ([self._peak[i].at()] if t.peak == "next" else [])

    def _write_target(self, i: int, j: int, t: Block) -> list[int]:
        cell = self._cell(i, j) if i != j else self.diagonal[i]
        return [cell.next()] + ([self._peak[i].next()] if t.peak else [])

    def _watch(self) -> None:
        """Diagonal blocks that get contributions of both signs may cancel: their largest entries are kept."""
        signs: list[set[bool]] = [set() if waits else {True} for waits in self.multiplier]
        for step in self.steps:
            for i in step.below:
                signs[i].add(self.multiplier[step.pivot])  # a multiplier's pivot is negative: it adds
        self._peak = {k: Cell(self.arena, self.sizes[k]) for k, s in enumerate(signs) if len(s) == 2}

    @property
    def worst(self) -> float:
        """The smallest pivot relative to what it was made of, after the factor ran: near 1e-16 for a singular matrix."""
        return float(least(len(self.sizes), self.arena.view(self.growth, len(self.sizes))))


class Plan(NamedTuple):
    """The shape of one elimination step: what `kernels.eliminate` takes."""

    n: int
    watched: bool
    below: tuple[Block, ...]
    targets: tuple[Block, ...]


class _State:
    """Which blocks are still zero, step by step."""

    def __init__(self, system: BlockLDL) -> None:
        self.system = system
        self.written = {(min(p), max(p)) for p in system.blocks}
        self.written |= {(k, k) for k, waits in enumerate(system.multiplier) if system.held or not waits}
        self.turned = {(j, i) for i, j in system.blocks}
        self.peaks: set[int] = set()

    def plan(self, step: Step) -> Plan:
        s, k = self.system, step.pivot
        below = tuple(Block(s.sizes[i], (i, k) in self.turned) for i in step.below)
        targets = []
        for a, i in enumerate(step.below):
            for j in step.below[: a + 1]:
                key = (min(i, j), max(i, j))
                fresh = key not in self.written
                self.written.add(key)
                targets.append(Block(s.sizes[i], (i, j) in self.turned, fresh, self.peak(i) if i == j else ""))
        return Plan(s.sizes[k], k in s._peak, below, tuple(targets))

    def peak(self, i: int) -> str:
        if i not in self.system._peak:
            return ""
        seen = i in self.peaks
        self.peaks.add(i)
        return "next" if seen else "first"


def _operations(plan: Plan) -> int:
    n, m = plan.n, sum(s.rows for s in plan.below)
    return n * (n * n // 3 + n * m + m * (m + 1) // 2)


@native
def least(n: i64, growth: Array) -> f64:
    """1 / the largest growth; 0 if any is no number."""
    most = 0.0
    for k in range(n):
        if not growth[k] <= 1e300:
            return 0.0
        most = max(most, growth[k])
    return 1.0 / most if most > 0.0 else 1.0
