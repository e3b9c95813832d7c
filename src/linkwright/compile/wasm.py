"""Traced programs as WebAssembly, without LLVM.

A module exports every program as ``name(ins, outs)``: the addresses of two arrays of addresses, as a native `Code` is
called. A value that is used more than once is a local variable, the others stay on the stack. Memory is imported; constants
of tables are put into it from a given address on.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from linkwright.compile import wasm_bytes as w
from linkwright.compile.kernels import PIO2
from linkwright.compile.program import Instruction, Program
from linkwright.compile.wasm_bytes import F64, I32, f64, i32, i64, uleb
from linkwright.errors import CompileError
from linkwright.graph.table import Table, derived

GET, SET, TEE, SELECT, CALL = b"\x20", b"\x21", b"\x22", b"\x1b", b"\x10"
BINARY = {"add": 0xA0, "sub": 0xA1, "mul": 0xA2, "div": 0xA3, "min": 0xA4, "max": 0xA5, "copysign": 0xA6, "strict_add": 0xA0,
          "strict_sub": 0xA1, "lt": 0x63, "le": 0x65, "eq": 0x61, "ne": 0x62, "and": 0x71, "or": 0x72}  # fmt: skip
UNARY = {"neg": 0x9A, "abs": 0x99, "sqrt": 0x9F, "floor": 0x9C, "rint": 0x9E, "not": 0x45}
TRUTH = frozenset(("lt", "le", "eq", "ne", "and", "or", "not"))
ADD, SUB, MUL, DIV, FLOOR = b"\xa0", b"\xa1", b"\xa2", b"\xa3", b"\x9c"
FMA = 0  # the number of the function that computes one


class Tables:
    """The constants of look-ups, from an address on: where each array is."""

    def __init__(self, base: int) -> None:
        self.end = base
        self.data = bytearray()
        self.places: dict[bytes, dict[str, int]] = {}
        self.base = base

    def of(self, table: Table) -> dict[str, int]:
        if table.digest not in self.places:
            arrays = {"breaks": table.breaks}
            for derivative in range(4):
                for k, c in enumerate(derived(table.coefficients, derivative)):
                    arrays[f"{derivative}.{k}"] = np.asarray(c, dtype=float)
            self.places[table.digest] = {key: self._put(array) for key, array in arrays.items()}
        return self.places[table.digest]

    def _put(self, array: np.ndarray) -> int:
        place = self.end
        content = np.ascontiguousarray(array, dtype="<f8").tobytes()
        self.data += content
        self.end += len(content)
        return place


class Body:
    """One program as a function."""

    def __init__(self, program: Program, tables: Tables) -> None:
        self.program, self.tables = program, tables
        self.left = [0] * len(program.instructions)  # uses that are still to come
        for i in program.instructions:
            for a in i.args:
                self.left[a] += 1
        for array in program.outputs:
            for n in array:
                self.left[n] += 1
        self.local: dict[int, int] = {}
        self.types: list[int] = []  # of the variables after the two arguments
        self.free: dict[int, list[int]] = {F64: [], I32: []}
        self.bases: dict[tuple[int, int], int] = {}
        self.code = bytearray()

    def new(self, kind: int) -> int:
        if self.free[kind]:
            return self.free[kind].pop()
        self.types.append(kind)
        return len(self.types) + 1

    def base(self, argument: int, array: int) -> bytes:
        return GET + uleb(self.bases[argument, array])

    def put(self, n: int) -> None:
        """Write code that leaves the value on the stack. Arguments first, by a stack of our own: graphs are deep."""
        todo: list[tuple[int, int]] = [(n, -1)]
        instructions = self.program.instructions
        while todo:
            k, done = todo.pop()
            i = instructions[k]
            args = self._order(i)
            if done < 0 and self._known(k, i):
                continue
            if done + 1 < len(args):
                todo += [(k, done + 1), (args[done + 1], -1)]
                continue
            self.code += self._operation(i)
            if self.left[k]:  # others want it, too
                self.local[k] = self.new(I32 if i.op in TRUTH else F64)
                self.code += TEE + uleb(self.local[k])

    @staticmethod
    def _order(i: Instruction) -> tuple[int, ...]:
        """Of arguments on the stack: a choice takes its condition last."""
        return (*i.args[1:], i.args[0]) if i.op == "where" else i.args

    def _known(self, n: int, i: Instruction) -> bool:
        """Put what need not be computed: a constant, or a value that is a local variable."""
        if i.op == "const":
            self.code += f64(i.data)
            return True
        self.left[n] -= 1
        if n not in self.local:
            return False
        place = self.local[n]
        self.code += GET + uleb(place)
        if not self.left[n]:
            self.free[I32 if i.op in TRUTH else F64].append(place)
        return True

    def _operation(self, i: Instruction) -> bytes:
        """What is left to do when the arguments are on the stack."""
        op = i.op
        if op in BINARY:
            return bytes([BINARY[op]])
        if op in UNARY:
            return bytes([UNARY[op]])
        if op == "input":
            return self.base(0, i.data[0]) + b"\x2b\x03" + uleb(8 * i.data[1])
        if op == "where":
            return SELECT
        if op == "fma":
            return CALL + uleb(FMA)
        if op == "table":
            return self._look_up(self.program.tables[i.data[0]], i.data[1])
        if op == "pow2":
            return f64(3.0 * 2**51) + ADD + b"\xbd" + i64(1023) + b"\x7c" + i64(52) + b"\x86\xbf"
        if op == "exponent":
            return b"\xbd" + i64(52) + b"\x88" + i64(0x433 << 52) + b"\x84\xbf" + f64(2.0**52 + 1023) + SUB
        if op == "mantissa":
            return b"\xbd" + i64((1 << 52) - 1) + b"\x83" + i64(1023 << 52) + b"\x84\xbf"
        if op == "by_last_bit":
            return b"\xbd" + i64(1) + b"\x83\x50" + SELECT
        if op == "by_half_turn":  # times one with that sign
            return b"\xbd" + i64(62) + b"\x86" + i64(-(1 << 63)) + b"\x83" + i64(1023 << 52) + b"\x84\xbf" + MUL
        raise CompileError(f"the operation {op!r} is not known in WebAssembly", remedy="please report this")

    def _look_up(self, table: Table, derivative: int) -> bytes:
        """Bisection for the interval, then Horner, as `emit.Body.table`."""
        place, n = self.tables.of(table), len(table.breaks) - 1
        start, length = float(table.breaks[0]), float(table.breaks[-1]) - float(table.breaks[0])
        x, index = self.new(F64), self.new(I32)  # of the index eight times, an offset in bytes
        get_x, get_index = GET + uleb(x), GET + uleb(index)
        code = SET + uleb(x)
        if table.periodic:
            turns = get_x + f64(start) + SUB + f64(length) + DIV + FLOOR
            code += get_x + turns + f64(length) + MUL + SUB + SET + uleb(x)
        code += i32(0) + SET + uleb(index)
        step = 1 << max(n - 1, 0).bit_length() >> 1
        while step:
            # index += step where that is inside and x is not below the break there; beyond the end any break is read
            inside = get_index + i32(8 * (n - step)) + b"\x48"
            above = get_x + get_index + b"\x2b\x03" + uleb(place["breaks"] + 8 * step) + b"\x66"
            code += i32(8 * step) + i32(0) + inside + above + b"\x71" + SELECT + get_index + b"\x6a" + SET + uleb(index)
            step >>= 1
        d = get_x + get_index + b"\x2b\x03" + uleb(place["breaks"]) + SUB
        code += d + SET + uleb(x)
        for k in range(3 - derivative, -1, -1):
            c = get_index + b"\x2b\x03" + uleb(place[f"{derivative}.{k}"])
            code += c if k == 3 - derivative else get_x + MUL + c + ADD
        if derivative == 3:  # a constant: that the argument is no number must not be lost
            code += get_x + f64(0.0) + MUL + ADD
        self.free[F64].append(x)
        self.free[I32].append(index)
        return code

    def bytes(self) -> bytes:
        p = self.program
        arrays = [(0, k) for k in sorted({i.data[0] for i in p.instructions if i.op == "input"})]
        arrays += [(1, k) for k, array in enumerate(p.outputs) if array]
        for argument, k in arrays:
            self.bases[argument, k] = self.new(I32)
            self.code += GET + uleb(argument) + b"\x28\x02" + uleb(4 * k) + SET + uleb(self.bases[argument, k])
        # stored as soon as it is known: fewer values live at once
        for n, array, k in sorted((n, array, k) for array, ns in enumerate(p.outputs) for k, n in enumerate(ns)):
            self.code += self.base(1, array)
            self.put(n)
            self.code += b"\x39\x03" + uleb(8 * k)
        return w.body(self.types, bytes(self.code))


def soft_fma() -> bytes:
    """a b + c with one rounding, but for some cases of halves: the exact product by Dekker, the exact sum by Knuth. Where
    these overflow it is the product and the sum."""
    a, b, c, p, ah, al, bh, bl, s, d, e = range(11)
    g = [GET + uleb(k) for k in range(11)]

    def put(k: int, code: bytes) -> bytes:
        return code + SET + uleb(k)

    code = put(p, g[a] + g[b] + MUL)
    for x, high, low in ((a, ah, al), (b, bh, bl)):
        code += put(e, g[x] + f64(134217729.0) + MUL) + put(high, g[e] + g[e] + g[x] + SUB + SUB)
        code += put(low, g[x] + g[high] + SUB)
    code += put(
        e,
        g[ah] + g[bh] + MUL + g[p] + SUB + g[ah] + g[bl] + MUL + ADD + g[al] + g[bh] + MUL + ADD + g[al] + g[bl] + MUL + ADD,
    )
    code += put(s, g[p] + g[c] + ADD) + put(d, g[s] + g[p] + SUB)
    code += put(e, g[p] + g[s] + g[d] + SUB + SUB + g[c] + g[d] + SUB + ADD + g[e] + ADD)
    code += g[s] + g[e] + ADD + g[s] + g[e] + g[e] + b"\x61" + SELECT
    return w.body([F64] * 8, code)


def encoded(programs: Mapping[str, Program], base: int = 0) -> tuple[bytes, int]:
    """A module that exports the programs; constants of tables are at `base` and after it. Also the first address that they
    leave free."""
    tables = Tables(-(-base // 8) * 8)
    bodies = [Body(unfused(p), tables).bytes() for p in programs.values()]
    sections = {
        w.TYPE: w.vector([b"\x60\x02\x7f\x7f\x00", b"\x60\x03\x7c\x7c\x7c\x01\x7c"]),
        w.IMPORT: w.vector([w.name("env") + w.name("memory") + b"\x02\x00\x01"]),
        w.FUNCTION: w.vector([b"\x01", *[b"\x00"] * len(programs)]),
        w.EXPORT: w.vector([w.name(n) + b"\x00" + uleb(k + 1) for k, n in enumerate(programs)]),
        w.CODE: w.vector([soft_fma(), *bodies]),
    }
    if tables.data:
        sections[w.DATA] = w.vector([w.segment(tables.base, bytes(tables.data))])
    return w.module(sections), tables.end


# pi/2 in pieces of 33 bits, and the rest of it.
PIECES = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)

_INSTEAD: dict[float | None, float] = {-whole: -piece for whole, piece in zip(PIO2, PIECES, strict=True)}


def unfused(program: Program) -> Program:
    """The same without `mul_add`, and with `fma` only where nothing else will do.

    A `mul_add` becomes a product and a sum. An `fma` stays, and the target computes it in software. One place would need it
    for every angle, the reduction of sin, cos and tan (`kernels._reduced`): it gets pi/2 in pieces of 33 bits instead, whose
    products with n below 2^20 are exact (fdlibm's e_rem_pio2). Error of sin and cos, measured in the tests: below 1 ulp to
    |x| = 1e4, 2 ulp to 1e6; beyond that a few units in the last place of x itself.
    """
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
