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


def unfused(program: Program) -> Program:
    """The same without `mul_add`, and with `fma` only where nothing else will do."""
    return _Rewriting(program).program()


class _Rewriting:
    """Instructions written anew, one after the other; `number`: the new number of each old one."""

    def __init__(self, old: Program) -> None:
        self.old = old
        self.new: list[Instruction] = []
        self.number: list[int] = []
        # -n, of an angle that is n quarter turns and a rest; and n itself, as the graph has it
        self.minus = {i.args[0] for i in old.instructions if i.op == "fma" and self._constant(i.args[1]) == PIO2[0]}
        negated = {i.args[0] for k, i in enumerate(old.instructions) if i.op == "neg" and k in self.minus}
        self.whole = (
            self.minus | negated | {k for k, i in enumerate(old.instructions) if i.op == "neg" and i.args[0] in self.minus}
        )

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
                x = self._constant(factor)
                if n in self.whole and x is not None and abs(x) == PIO2[1]:
                    return self._put("mul", self.number[n], self._number(PIECES[1] if x > 0 else -PIECES[1]))
        return self._put(i.op, *args, data=i.data)

    def _of_three(self, i: Instruction, args: tuple[int, ...]) -> int:
        piece = self._constant(i.args[1]) if i.args[0] in self.minus else None
        if piece == PIO2[1]:
            return self._number(0.0)  # what the rounding of -n PIECES[1] lost: nothing
        if piece in (PIO2[0], PIO2[2]):
            factor = self._number(PIECES[0] if piece == PIO2[0] else PIECES[2])
            return self._put("strict_add", self._put("mul", args[0], factor), args[2])
        if i.op == "fma":
            return self._put("fma", *args)
        return self._put("strict_add", self._put("mul", *args[:2]), args[2])

    def _number(self, x: float) -> int:
        return self._put("const", data=x)

    def _put(self, op: str, *args: int, data: object = None) -> int:
        self.new.append(Instruction(op, args, data))
        return len(self.new) - 1
