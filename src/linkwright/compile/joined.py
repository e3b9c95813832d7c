"""Programs made shorter before they are compiled for many runs: inputs that are zero in all of them, one program after
another with what both compute computed once, and what does not change in a run computed before it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.compile.program import Instruction, Program
from linkwright.graph.arithmetic import NUMPY

_COMMUTE = frozenset(("add", "mul", "strict_add"))


class _Numbered:
    """Instructions, each written once."""

    def __init__(self) -> None:
        self.made: list[Instruction] = []
        self.known: dict[Any, int] = {}

    def put(self, op: str, args: Sequence[int] = (), data: Any = None) -> int:
        args = tuple(sorted(args)) if op in _COMMUTE else tuple(args)
        key = (op, args, data.hex() if op == "const" else data)
        if key not in self.known:
            self.known[key] = len(self.made)
            self.made.append(Instruction(op, args, data))
        return self.known[key]

    def is_zero(self, k: int) -> bool:
        return self.made[k].op == "const" and self.made[k].data == 0.0

    def folded(self, op: str, args: Sequence[int], data: Any) -> int:
        """With what a zero makes of sums and products."""
        zero = [self.is_zero(k) for k in args]
        if not any(zero):
            return self.put(op, args, data)
        if op == "mul":
            return args[zero.index(True)]
        if op in ("fma", "mul_add") and (zero[0] or zero[1]):
            return args[2]
        if op in ("fma", "mul_add"):
            return self.put("mul", args[:2])
        if op in ("add", "strict_add"):
            return args[1 - zero.index(True)]
        if op in ("sub", "strict_sub"):
            return args[0] if zero[1] else self.put("neg", args[1:])
        return args[0] if op == "neg" else self.put(op, args, data)


def without(program: Program, zeros: Collection[tuple[int, int]]) -> Program:
    """The program where these inputs (argument, element) are zero: what they are factors of is left out. Nothing changes but
    what an infinite factor would have made of it, and signs of zeros."""
    if not zeros:
        return program
    new, number = _Numbered(), list[int]()
    for i in program.instructions:
        if i.op == "input" and i.data in zeros:
            number.append(new.put("const", (), 0.0))
        else:
            number.append(new.folded(i.op, [number[a] for a in i.args], i.data))
    outputs = tuple(tuple(number[k] for k in out) for out in program.outputs)
    return Program(tuple(new.made), outputs, program.input_sizes, program.tables)


def followed(first: Program, second: Program, argument: int) -> Program:
    """Of the same inputs the first output of `first`, then that of `second` with it in place of an argument. What both
    compute, as the sines of the same angles, is computed once."""
    new, tables = _Numbered(), [*first.tables]

    def written(program: Program, given: Sequence[int] | None, shift: int) -> list[int]:
        number = list[int]()
        for i in program.instructions:
            if given is not None and i.op == "input" and i.data[0] == argument:
                number.append(given[i.data[1]])
            else:
                data = (i.data[0] + shift, i.data[1]) if i.op == "table" else i.data
                number.append(new.put(i.op, [number[a] for a in i.args], data))
        return [number[k] for k in program.outputs[0]]

    found = written(first, None, 0)
    after = written(second, found, len(tables))
    return Program(tuple(new.made), (tuple(found), tuple(after)), first.input_sizes, (*tables, *second.tables))


# What is the same for numpy and for machine code: no fused sums, no bits of numbers.
_PLAIN = frozenset(("neg", "add", "sub", "mul", "div", "sqrt", "abs", "min", "max"))


class Ahead:
    """Of some programs what follows from arguments that do not change in a run: computed once, before it. `programs` are
    the same without, and read it after the last number of one of these arguments."""

    def __init__(self, programs: Mapping[str, Program], fixed: Collection[int], argument: int) -> None:
        self._pool = _Numbered()
        self._given: list[int] = []  # numbers of the pool that are handed over, in order
        size = next(iter(programs.values())).input_sizes[argument]
        found = {name: self._split(program, fixed, argument, size) for name, program in programs.items()}
        self.sizes = next(iter(programs.values())).input_sizes
        self.programs = {
            name: Program(made, outputs, _replaced(self.sizes, argument, size + len(self._given)), programs[name].tables)
            for name, (made, outputs) in found.items()
        }

    def __call__(self, arguments: Mapping[int, np.ndarray]) -> np.ndarray:
        """A row a run, from the rows of the arguments."""
        values: list[Any] = []
        with np.errstate(all="ignore"):
            for i in self._pool.made:
                if i.op == "const":
                    values.append(i.data)
                elif i.op == "input":
                    values.append(arguments[i.data[0]][:, i.data[1]])
                else:
                    values.append(NUMPY[i.op](*(values[a] for a in i.args)))
        count = len(next(iter(arguments.values())))
        out = np.empty((count, len(self._given)))
        for k, number in enumerate(self._given):
            out[:, k] = values[number]
        return out

    def _split(
        self, program: Program, fixed: Collection[int], argument: int, size: int
    ) -> tuple[tuple[Instruction, ...], tuple[tuple[int, ...], ...]]:
        """The instructions with those that are computed ahead as inputs, and the outputs."""
        ahead: dict[int, int] = {}
        for k, i in enumerate(program.instructions):
            known = i.op == "const" or (i.op == "input" and i.data[0] in fixed)
            if known or (i.op in _PLAIN and all(a in ahead for a in i.args)):
                ahead[k] = self._pool.put(i.op, [ahead[a] for a in i.args], i.data)
        read = {a for k, i in enumerate(program.instructions) if k not in ahead for a in i.args}
        read.update(k for out in program.outputs for k in out)
        made = []
        for k, i in enumerate(program.instructions):
            if k in ahead and i.args and k in read:
                made.append(Instruction("input", (), (argument, size + self._place(ahead[k]))))
            else:
                made.append(i)
        return tuple(made), program.outputs

    def _place(self, number: int) -> int:
        if number not in self._given:
            self._given.append(number)
        return self._given.index(number)


def _replaced(sizes: tuple[int, ...], at: int, size: int) -> tuple[int, ...]:
    return (*sizes[:at], size, *sizes[at + 1 :])
