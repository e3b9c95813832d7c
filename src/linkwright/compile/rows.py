"""A compiled function at many points, one after the other in native code: for fewer than a batch would pay for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.compile.address import address
from linkwright.compile.function import Function, Room
from linkwright.compile.native import Array, Code, Pointers, i64, native


@native
def _at_each(
    f: Code, ins: Pointers, outs: Pointers, x: Array, wide: i64, y: Array, tall: i64, given: Array, found: Array, rows: i64
) -> None:
    """x, y: the numbers of all inputs and of all outputs of one point; given, found: those of all points."""
    for k in range(rows):
        for i in range(wide):
            x[i] = given[k * wide + i]
        f(ins, outs)
        for i in range(tall):
            found[k * tall + i] = y[i]


_at_each.compact = True  # made in a quarter of the time

GIVEN, FOUND, ROWS = 7, 8, 9  # the places of these arguments


def at_each(function: Function, args: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The function at every row of its arguments, which the first of them counts; results have a row for each, too. Another
    argument may have numbers for one row only, which are those of all."""
    room, count = function.room, len(args[0])
    given, found = np.empty((count, len(room.input))), np.empty((count, len(room.output)))
    for (part, _), a in zip(room.given, args, strict=True):
        size = part.stop - part.start
        if not (size or a.size):
            continue
        if a.size == count * size:
            given[:, part] = a.reshape(count, size)
        elif a.shape == (size,):
            given[:, part] = a
        else:
            function.check_sizes([a.size // max(count, 1) for a in args])
    if room.loop is None:
        ins, outs = room.pointers
        room.loop = _at_each.prepared(
            function.call_address, ins, outs, room.input, len(room.input), room.output, len(room.output), room.input,
            room.output, 0,
        )  # fmt: skip
    passed = room.loop.passed
    passed[GIVEN], passed[FOUND], passed[ROWS] = address(given), address(found), count
    room.loop()
    return tuple([found[:, p] if shape is None else found[:, p].reshape(count, *shape) for p, shape in room.parts])


class Rows:
    """A function at so many points, in arrays that stay: `given` is filled anew before each call, `found` has the results.
    Both have a row a point; `takes`, `gives`: the columns of each input and of each output."""

    def __init__(self, function: Function, count: int, found: np.ndarray | None = None) -> None:
        """found: where the results go, if it is there already."""
        room = self._room = Room(list(function.inputs.values()), list(function.outputs.values()))
        self._function = function  # its machine code goes with it
        self.given = np.zeros((count, len(room.input)))
        self.found = np.empty((count, len(room.output))) if found is None else found
        self.takes, self.gives = ([part for part, _ in parts] for parts in (room.given, room.parts))
        self.run = _at_each.prepared(
            function.call_address, *room.pointers, room.input, len(room.input), room.output, len(room.output), self.given,
            self.found, count,
        )  # fmt: skip
