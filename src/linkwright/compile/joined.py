"""Programs made shorter before they are compiled for many runs: inputs that are zero in all of them, and one program after
another with what both compute computed once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from linkwright.compile.program import Instruction, Program

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
