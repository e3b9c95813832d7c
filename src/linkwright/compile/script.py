"""A list of calls of compiled functions, with all their arguments' addresses, run by one native loop.

All numbers live in one `Arena`; a call names the places of its inputs and outputs there. Nothing is copied between calls.
The inputs and outputs of one call must not overlap: a value that several calls update has a `Cell`, whose place changes
from version to version; places that were left are taken again, while they are still in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from linkwright.compile import Codes, Function, Ints, Pointers, i64, native
from linkwright.compile.called_back import CalledBack


class Arena:
    """Room for numbers, claimed piece by piece; `numbers` is made when first asked for, and fixed from then on."""

    def __init__(self) -> None:
        self.size = 0
        self._free: dict[int, list[int]] = {}
        self._leaving: list[tuple[int, int]] = []

    def claim(self, size: int) -> int:
        """A place of `size` numbers, zero at the start and nobody else's."""
        place, self.size = self.size, self.size + size
        return place

    def take(self, size: int) -> int:
        """A place of `size` numbers that may have been another value's before."""
        free = self._free.get(size)
        return free.pop() if free else self.claim(size)

    def leave(self, place: int, size: int) -> None:
        """Give a taken place back, from the next call of a script on."""
        self._leaving.append((place, size))

    def settle(self) -> None:
        """A call of a script has been written: what it left may be taken."""
        for place, size in self._leaving:
            self._free.setdefault(size, []).append(place)
        self._leaving.clear()

    @cached_property
    def numbers(self) -> np.ndarray:
        return np.zeros(max(self.size, 1))

    def view(self, place: int, size: int) -> np.ndarray:
        return self.numbers[place : place + size]


class Cell:
    """A value of `size` numbers. ``at()`` is where it is, ``next()`` where the call at hand puts its next version.

    ``pin()``: the version at hand stays where it is when the next one is written.
    """

    __slots__ = ("arena", "pinned", "place", "size")

    def __init__(self, arena: Arena, size: int, place: int = -1) -> None:
        self.arena, self.size, self.place, self.pinned = arena, size, place, place >= 0

    def next(self) -> int:
        if self.place >= 0 and not self.pinned:
            self.arena.leave(self.place, self.size)
        self.place, self.pinned = self.arena.take(self.size), False
        return self.place

    def pin(self) -> None:
        self.pinned = True

    def at(self) -> int:
        assert self.place >= 0, "read before it was written"
        return self.place


class Script:
    """Calls in order: ``add(function, ins, outs)`` with places in the arena; ``run()``."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.functions: list[Function | CalledBack] = []
        self.ins: list[int] = []
        self.outs: list[int] = []
        self.starts: list[tuple[int, int]] = []

    def add(self, function: Function | CalledBack, ins: Sequence[int], outs: Sequence[int]) -> None:
        self.functions.append(function)
        self.starts.append((len(self.ins), len(self.outs)))
        self.ins += ins
        self.outs += outs
        self.arena.settle()

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
