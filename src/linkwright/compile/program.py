"""A graph as a straight line of instructions: what all back ends read, and what the cache is keyed by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

from linkwright.compile.expand import expand
from linkwright.errors import CompileError
from linkwright.graph.expr import Expr, Scalar, as_node
from linkwright.graph.table import Table
from linkwright.graph.walk import topological


class Instruction(NamedTuple):
    """``op`` of earlier instructions ``args``; ``data``: the number of a "const", (argument, element) of an "input",
    (table number, derivative) of a "table"."""

    op: str
    args: tuple[int, ...] = ()
    data: Any = None


@dataclass(frozen=True)
class Program:
    """Instructions in order, where each output element comes from, and the sizes of the arguments."""

    instructions: tuple[Instruction, ...]
    outputs: tuple[tuple[int, ...], ...]  # by output array: the instruction of each element
    input_sizes: tuple[int, ...]
    tables: tuple[Table, ...]

    @property
    def output_sizes(self) -> tuple[int, ...]:
        return tuple(map(len, self.outputs))

    @property
    def operations(self) -> int:
        return sum(i.op not in ("const", "input") for i in self.instructions)

    @property
    def digest(self) -> str:
        """A name of the content: the same for the same graph, in every process."""
        h = blake2b(digest_size=20)
        for i in self.instructions:
            data = i.data.hex() if i.op == "const" else i.data
            h.update(f"{i.op} {i.args} {data}\n".encode())
        h.update(f"{self.outputs} {self.input_sizes}".encode())
        for table in self.tables:
            h.update(table.digest)
        return h.hexdigest()


def linearise(inputs: Sequence[Sequence[Expr]], outputs: Sequence[Sequence[Scalar]]) -> Program:
    """The program that computes the outputs from the inputs; functions such as sin are expanded."""
    place = {id(x): (a, k) for a, array in enumerate(inputs) for k, x in enumerate(array)}
    flat = [x for array in outputs for x in array]
    lowered = [as_node(x) for x in expand(flat)]
    number: dict[int, int] = {}
    instructions: list[Instruction] = []
    tables: dict[Table, int] = {}
    for n in topological(lowered):
        data: Any = n.data
        op = n.op
        if op == "symbol":
            if id(n) not in place:
                raise CompileError(
                    f"the outputs depend on {data!r}, which is no input",
                    element=str(data),
                    remedy="add the symbol to an input array, or substitute a value for it",
                )
            op, data = "input", place[id(n)]
        elif op == "hold":
            number[id(n)] = number[id(n.args[0])]
            continue
        elif op == "table":
            data = (tables.setdefault(data[0], len(tables)), data[1])
        number[id(n)] = len(instructions)
        instructions.append(Instruction(op, tuple([number[id(a)] for a in n.args]), data))
    places = iter([number[id(n)] for n in lowered])
    return Program(
        tuple(instructions),
        tuple(tuple(next(places) for _ in array) for array in outputs),
        tuple(map(len, inputs)),
        tuple(tables),
    )
