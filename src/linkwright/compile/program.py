"""A graph as a straight line of instructions: what all back ends read, and what the cache is keyed by."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

from linkwright.compile import hyperbolic, kernels
from linkwright.errors import CompileError
from linkwright.graph.expr import Expr, Scalar, as_node
from linkwright.graph.table import Table
from linkwright.graph.walk import ordered


class Instruction(NamedTuple):
    """``op`` of earlier instructions ``args``; ``data``: the number of a "const", (argument, element) of an "input",
    (table number, derivative) of a "table"."""

    op: str
    args: tuple[int, ...] = ()
    data: Any = None


@dataclass(frozen=True)
class Program:
    """Instructions in order, where each output element comes from, and the sizes of the arguments.

    It pickles as a block that stays closed until somebody looks into it: to find its code, its digest is enough.
    """

    instructions: tuple[Instruction, ...]
    outputs: tuple[tuple[int, ...], ...]  # by output array: the instruction of each element
    input_sizes: tuple[int, ...]
    tables: tuple[Table, ...]

    @property
    def output_sizes(self) -> tuple[int, ...]:
        return tuple(map(len, self.outputs))

    @cached_property
    def length(self) -> int:
        """How many instructions it has."""
        return len(self.instructions)

    @cached_property
    def operations(self) -> int:
        return sum(i.op not in ("const", "input") for i in self.instructions)

    @cached_property
    def digest(self) -> str:
        """A name of the content: the same for the same graph, in every process."""
        h = blake2b(digest_size=20)
        told = [f"{op} {args} {data.hex() if op == 'const' else data}\n" for op, args, data in self.instructions]
        h.update("".join(told).encode())
        h.update(f"{self.outputs} {self.input_sizes}".encode())
        for table in self.tables:
            h.update(table.digest)
        return h.hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        told = {name: getattr(self, name) for name in ("length", "operations", "digest")}
        return _closed, (told, self._block)

    @cached_property
    def _block(self) -> bytes:
        content = (tuple(map(tuple, self.instructions)), self.outputs, self.input_sizes, self.tables)
        return zlib.compress(pickle.dumps(content, protocol=5), 1)

    def __getattr__(self, name: str) -> Any:
        """Of one that is still closed."""
        if "_block" not in self.__dict__ or name not in _FIELDS:
            raise AttributeError(f"a program has no {name!r}")
        instructions, *rest = pickle.loads(zlib.decompress(self._block))
        made = zip(_FIELDS, (tuple(Instruction(*i) for i in instructions), *rest), strict=True)
        self.__dict__.update(made)
        return self.__dict__[name]


_FIELDS = tuple(field.name for field in fields(Program))


def _closed(told: dict[str, Any], block: bytes) -> Program:
    program = object.__new__(Program)
    program.__dict__.update(told, _block=block)
    return program


def linearise(inputs: Sequence[Sequence[Expr]], outputs: Sequence[Sequence[Scalar]]) -> Program:
    """The program that computes the outputs from the inputs; functions such as sin are expanded."""
    place = {x: (a, k) for a, array in enumerate(inputs) for k, x in enumerate(array)}
    roots = [as_node(x) for array in outputs for x in array]
    expanded = Expanded(roots)
    kernel, number = expanded.kernel, dict[Expr, int]()
    instructions: list[Instruction] = []
    tables: dict[Table, int] = {}
    for n in expanded.order:
        op, data = n.op, n.data
        if n in kernel:
            number[n] = number[kernel[n]]
            continue
        if op == "symbol":
            if n not in place:
                raise CompileError(
                    f"the outputs depend on {data!r}, which is no input",
                    element=str(data),
                    remedy="add the symbol to an input array, or substitute a value for it",
                )
            op, data = "input", place[n]
        elif op == "hold":
            number[n] = number[n.args[0]]
            continue
        elif op == "table":
            data = (tables.setdefault(data[0], len(tables)), data[1])
        number[n] = len(instructions)
        instructions.append(Instruction(op, tuple([number[a] for a in n.args]), data))
    places = iter([number[n] for n in roots])
    return Program(
        tuple(instructions),
        tuple(tuple(next(places) for _ in array) for array in outputs),
        tuple(map(len, inputs)),
        tuple(tables),
    )


KERNELS: dict[str, Callable[..., Scalar]] = {**kernels.KERNELS, **hyperbolic.KERNELS}


class Expanded:
    """The nodes below the roots and the kernels, arguments before users; `kernel`: that of a node of a function."""

    def __init__(self, roots: Iterable[Scalar]) -> None:
        self.kernel: dict[Expr, Expr] = {}
        self.order = ordered(roots, dict.fromkeys(KERNELS, self._of))

    def _of(self, n: Expr) -> Expr:
        if n not in self.kernel:
            self.kernel[n] = as_node(KERNELS[n.op](*n.args))
        return self.kernel[n]
