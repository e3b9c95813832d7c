"""Products fused into sums before LLVM sees them.

LLVM may fuse a product into a sum, and does not choose alike for one lane and for sixteen, or for a GPU. Where the bits must
not depend on that, this decides, and the text that is emitted leaves LLVM no choice.
"""

from __future__ import annotations

from collections import Counter

from linkwright.compile.program import Instruction, Program

# By operation: which argument may be the product (the second first), and whose sign is turned: of the product, of the rest.
_SUMS = {"add": ((1, False, False), (0, False, False)), "sub": ((1, True, False), (0, False, True))}


def fused(program: Program, wanted: int) -> Program:
    """Its first `wanted` outputs, with `fma` for a b + c, a b - c and c - a b wherever nobody else wants the product; -1/x
    as the negative of 1/x, for which a GPU has a shorter way."""
    program = _needed(Program(program.instructions, program.outputs[:wanted], program.input_sizes, program.tables))
    made = program.instructions
    uses = Counter(a for i in made for a in i.args)
    uses.update(k for out in program.outputs for k in out)
    new: list[Instruction] = []
    number: dict[int, int] = {}

    def put(op: str, *args: int, data: object = None) -> int:
        new.append(Instruction(op, args, data))
        return len(new) - 1

    def summed(i: Instruction) -> int | None:
        for at, turn_product, turn_rest in _SUMS.get(i.op, ()):
            product = made[i.args[at]]
            if product.op != "mul" or uses[i.args[at]] > 1:
                continue
            a, b = (number[k] for k in product.args)
            rest = number[i.args[1 - at]]
            return put("fma", put("neg", a) if turn_product else a, b, put("neg", rest) if turn_rest else rest)
        return None

    def inverted(i: Instruction) -> int | None:
        if made[i.args[0]] != Instruction("const", (), -1.0):
            return None
        return put("neg", put("div", put("const", data=1.0), number[i.args[1]]))

    for k, i in enumerate(made):
        found = inverted(i) if i.op == "div" else summed(i)
        number[k] = put(i.op, *(number[a] for a in i.args), data=i.data) if found is None else found
    outputs = tuple(tuple(number[k] for k in out) for out in program.outputs)
    return _needed(Program(tuple(new), outputs, program.input_sizes, program.tables))


def _needed(program: Program) -> Program:
    """Without what no output follows from."""
    made = program.instructions
    wanted = {k for out in program.outputs for k in out}
    for k in range(len(made) - 1, -1, -1):
        if k in wanted:
            wanted.update(made[k].args)
    place = {k: at for at, k in enumerate(sorted(wanted))}
    kept = tuple(Instruction(made[k].op, tuple(place[a] for a in made[k].args), made[k].data) for k in place)
    outputs = tuple(tuple(place[k] for k in out) for out in program.outputs)
    return Program(kept, outputs, program.input_sizes, program.tables)
