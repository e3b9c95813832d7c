"""A list of calls of compiled functions, with all their arguments' addresses, run by one native loop.

All numbers live in one `Arena`; a call names the places of its inputs and outputs there. Nothing is copied between calls.
The inputs and outputs of one call must not overlap: a value that is updated by several calls has a `Cell`, two places
that take turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from linkwright.compile import Codes, Function, Ints, Pointers, i64, native


class Arena:
    """Room for numbers, claimed piece by piece; `numbers` is made when first asked for, and fixed from then on."""

    def __init__(self) -> None:
        self.size = 0

    def claim(self, size: int) -> int:
        """The place of `size` numbers, zero at the start."""
        place, self.size = self.size, self.size + size
        return place

    @cached_property
    def numbers(self) -> np.ndarray:
        return np.zeros(max(self.size, 1))

    def view(self, place: int, size: int) -> np.ndarray:
        return self.numbers[place : place + size]


class Cell:
    """A value of `size` numbers. ``now`` is where it is; ``next()`` where its next version goes. None: still zero."""

    __slots__ = ("arena", "now", "other", "size")

    def __init__(self, arena: Arena, size: int) -> None:
        self.arena, self.size = arena, size
        self.now: int | None = None
        self.other: int | None = None

    def next(self) -> int:
        if self.other is None:
            self.other = self.arena.claim(self.size)
        self.now, self.other = self.other, self.now
        return self.now

    def at(self) -> int:
        assert self.now is not None, "read before it was written"
        return self.now


class Script:
    """Calls in order: ``add(function, ins, outs)`` with places in the arena; ``run()``."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.functions: list[Function] = []
        self.ins: list[int] = []
        self.outs: list[int] = []
        self.starts: list[tuple[int, int]] = []

    def add(self, function: Function, ins: Sequence[int], outs: Sequence[int]) -> None:
        self.functions.append(function)
        self.starts.append((len(self.ins), len(self.outs)))
        self.ins += ins
        self.outs += outs

    def extend(self, other: Script) -> None:
        """All calls of another script."""
        a, b = len(self.ins), len(self.outs)
        self.functions += other.functions
        self.starts += [(i + a, o + b) for i, o in other.starts]
        self.ins += other.ins
        self.outs += other.outs

    @cached_property
    def arguments(self) -> tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What `play` takes. The machine code is made here."""
        address = {id(f): f.address for f in dict.fromkeys(self.functions)}
        codes = np.array([address[id(f)] for f in self.functions] or [0], dtype=np.uintp)
        starts = np.array(self.starts or [(0, 0)], dtype=np.int64)
        base = self.arena.numbers.ctypes.data
        ins, outs = ((np.array(x or [0], dtype=np.int64) * 8 + base).astype(np.uintp) for x in (self.ins, self.outs))
        first, second = (np.ascontiguousarray(starts[:, k]) for k in range(2))
        return len(self.functions), codes, first, second, ins, outs

    def run(self) -> None:
        play(*self.arguments)


@native
def play(count: i64, codes: Codes, in_at: Ints, out_at: Ints, ins: Pointers, outs: Pointers) -> None:
    for k in range(count):
        f = codes[k]
        f(ins[in_at[k] :], outs[out_at[k] :])
