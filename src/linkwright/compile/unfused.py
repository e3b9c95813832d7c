"""Programs for a target without fused multiply-adds: WebAssembly.

A `mul_add` becomes a product and a sum. An `fma` stays, and the target computes it in software. One place would need it
for every angle, the reduction of sin, cos and tan (`kernels._reduced`): it gets pi/2 in pieces of 33 bits instead, whose
products with n below 2^20 are exact (fdlibm's e_rem_pio2). Error of sin and cos, measured in the tests: below 1 ulp to
|x| = 1e4, 2 ulp to 1e6; beyond that a few units in the last place of x itself.
"""

from __future__ import annotations

from linkwright.compile.kernels import PIO2
from linkwright.compile.program import Instruction, Program

# pi/2 in pieces of 33 bits, and the rest of it.
PIECES = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)

_INSTEAD: dict[float | None, float] = {-whole: -piece for whole, piece in zip(PIO2, PIECES, strict=True)}


def unfused(program: Program) -> Program:
    """The same without `mul_add`, and with `fma` only where nothing else will do."""
    return _Rewriting(program).program()


class _Rewriting:
    """Instructions written anew, one after the other; `number`: the new number of each old one."""

    def __init__(self, old: Program) -> None:
        self.old = old
        self.new: list[Instruction] = []
        self.number: list[int] = []
        # n, of an angle that is n quarter turns and a rest
        self.whole = {i.args[0] for i in old.instructions if i.op == "fma" and self._constant(i.args[1]) == -PIO2[0]}

    def _constant(self, k: int) -> float | None:
        i = self.old.instructions[k]
        return i.data if i.op == "const" else None

    def program(self) -> Program:
        for i in self.old.instructions:
            self.number.append(self._written(i))
        outputs = tuple(tuple(self.number[k] for k in array) for array in self.old.outputs)
        return Program(tuple(self.new), outputs, self.old.input_sizes, self.old.tables)

    def _written(self, i: Instruction) -> int:
        args = tuple(self.number[a] for a in i.args)
        if i.op in ("fma", "mul_add"):
            return self._of_three(i, args)
        if i.op == "mul":
            for n, factor in (i.args, i.args[::-1]):
                if n in self.whole and self._constant(factor) == -PIO2[1]:
                    return self._put("mul", self.number[n], self._number(-PIECES[1]))
        return self._put(i.op, *args, data=i.data)

    def _of_three(self, i: Instruction, args: tuple[int, ...]) -> int:
        piece = self._constant(i.args[1]) if i.args[0] in self.whole else None
        if piece in _INSTEAD:
            return self._put("strict_add", self._put("mul", args[0], self._number(_INSTEAD[piece])), args[2])
        if i.op == "fma":
            return self._put("fma", *args)
        return self._put("strict_add", self._put("mul", *args[:2]), args[2])

    def _number(self, x: float) -> int:
        return self._put("const", data=x)

    def _put(self, op: str, *args: int, data: object = None) -> int:
        self.new.append(Instruction(op, args, data))
        return len(self.new) - 1
