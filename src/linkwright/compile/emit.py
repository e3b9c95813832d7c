"""A program as LLVM assembly, for one or several machines at a time.

Every array is laid out "structure of arrays": element k of machine i is at ``base[k * stride + i]``. The text is
written directly: ten thousand instructions take milliseconds this way and a second through an IR builder.

Arithmetic carries the flag `contract` only (a*b + c may be fused). Flags that let LLVM reassociate or assume
the absence of NaN change results and hide errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from linkwright.compile.program import Instruction, Program
from linkwright.compile.vector import Vector
from linkwright.graph.table import Table, derived

# One function takes LLVM more than linear time, most where many values are alive at once or many are stored. Longer
# programs are split into pieces: 35 to 70 us an instruction at any length, and no measurable loss when run.
WHOLE = 1_000
CHUNK = 250
# Equal constants side by side in an output, as the zeros of a matrix: from this many on a loop writes them.
RUN = 16


_STRICT = {"add": "fadd", "sub": "fsub", "mul": "fmul"}  # what LLVM may not fuse
_INFIX = {"add": "fadd contract", "sub": "fsub contract", "mul": "fmul contract", "div": "fdiv",
          "strict_add": "fadd", "strict_sub": "fsub"}  # fmt: skip
UNFUSED = _INFIX | _STRICT
_COMPARE = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}
_INTRINSIC = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor", "rint": "rint", "min": "minimum", "max": "maximum",
              "fma": "fma", "mul_add": "fma", "copysign": "copysign"}  # fmt: skip
_LOGICAL = frozenset((*_COMPARE, "and", "or", "not"))


class Body:
    """The instructions of one stretch of a program, written one after the other."""

    infix = _INFIX

    def __init__(self, program: Program, vector: Vector, prefix: str = "") -> None:
        self.program, self.vector, self.double = program, vector, vector.double
        self.lines: list[str] = []
        self.value: dict[int, str] = {}  # instruction -> LLVM value, within this body
        self.count = 0
        self.bases: dict[str, str] = {}

    def new(self, text: str) -> str:
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def base(self, kind: str, array: int) -> str:
        """Pointer to an argument's array, shifted to the machine at hand."""
        key = f"{kind}{array}"
        if key not in self.bases:
            slot = self.new(f"getelementptr ptr, ptr %{kind}, i64 {array}")
            pointer = self.new(f"load ptr, ptr {slot}, !invariant.load !0")
            one = self.vector.lanes == 1
            self.bases[key] = pointer if one else self.new(f"getelementptr double, ptr {pointer}, i64 %i")
        return self.bases[key]

    def address(self, kind: str, array: int, element: int) -> str:
        base = self.base(kind, array)
        if element == 0:
            return base
        if self.vector.lanes == 1:
            return self.new(f"getelementptr double, ptr {base}, i64 {element}")
        offset = self.new(f"mul i64 %stride, {element}")
        return self.new(f"getelementptr double, ptr {base}, i64 {offset}")

    def load(self, address: str) -> str:
        return self.new(f"load {self.vector.double}, ptr {address}, align 8")

    def store(self, value: str, address: str) -> None:
        self.lines.append(f"  store {self.vector.double} {value}, ptr {address}, align 8")

    def fill(self, value: str, address: str, length: int) -> None:
        """Store a value that many times."""
        if length == 1:
            return self.store(value, address)
        stride = "1" if self.vector.lanes == 1 else "%stride"
        arguments = f"ptr {address}, i64 {length}, i64 {stride}, {self.vector.double} {value}"
        self.lines.append(f"  call void @fill({arguments})")

    def intrinsic(self, name: str, *args: str) -> str:
        t = self.vector.double
        return self.new(f"call {t} @llvm.{name}.{self.vector.suffix}({', '.join(f'{t} {a}' for a in args)})")

    def write(self, number: int) -> str:
        """The LLVM value of an instruction whose arguments have values already."""
        i, value = self.program.instructions[number], self.value
        operation = self.infix.get(i.op)
        if operation is None:
            value[number] = result = self._write(i, [value[a] for a in i.args])
            return result
        a, b = i.args
        self.count += 1
        value[number] = result = f"%v{self.count}"
        self.lines.append(f"  {result} = {operation} {self.double} {value[a]}, {value[b]}")
        return result

    def _write(self, i: Instruction, a: list[str]) -> str:
        op, v, t = i.op, self.vector, self.vector.double
        if op in self.infix:
            return self.new(f"{self.infix[op]} {t} {a[0]}, {a[1]}")
        if op == "const":
            return v.constant(i.data)
        if op == "input":
            return self.load(self.address("in", *i.data))
        if op == "neg":
            return self.new(f"fneg {t} {a[0]}")
        if op in _INTRINSIC:
            return self.intrinsic(_INTRINSIC[op], *a)
        if op in _COMPARE:
            return self.new(f"fcmp {_COMPARE[op]} {t} {a[0]}, {a[1]}")
        if op in ("and", "or"):
            return self.new(f"{op} {v.i1} {a[0]}, {a[1]}")
        if op == "not":
            return self.new(f"xor {v.i1} {a[0]}, {v.splat('i1', 'true')}")
        if op == "where":
            return self.new(f"select {v.i1} {a[0]}, {t} {a[1]}, {t} {a[2]}")
        if op == "table":
            return self.table(a[0], *i.data)
        return getattr(self, op)(*a)  # type: ignore[no-any-return]

    # -- the bits of a double: sign | 11 exponent | 52 mantissa ---------------------------------------------
    # Whole numbers pass between doubles and integers by the low bits of n + 3 * 2^51: few targets convert vectors.
    def bits_of(self, x: str) -> str:
        return self.new(f"bitcast {self.vector.double} {x} to {self.vector.i64}")

    def double_of(self, bits: str) -> str:
        return self.new(f"bitcast {self.vector.i64} {bits} to {self.vector.double}")

    def whole(self, op: str, bits: str, number: int) -> str:
        return self.new(f"{op} {self.vector.i64} {bits}, {self.vector.splat('i64', str(number))}")

    def pow2(self, n: str) -> str:
        shifted = self.new(f"fadd {self.vector.double} {n}, {self.vector.constant(3.0 * 2**51)}")
        return self.double_of(self.whole("shl", self.whole("add", self.bits_of(shifted), 1023), 52))

    def exponent(self, x: str) -> str:
        biased = self.whole("lshr", self.bits_of(x), 52)
        whole = self.double_of(self.whole("or", biased, 0x433 << 52))
        return self.new(f"fsub {self.vector.double} {whole}, {self.vector.constant(2.0**52 + 1023)}")

    def mantissa(self, x: str) -> str:
        return self.double_of(self.whole("or", self.whole("and", self.bits_of(x), (1 << 52) - 1), 1023 << 52))

    def by_last_bit(self, even: str, odd: str, n: str) -> str:
        v, last = self.vector, self.whole("and", self.bits_of(n), 1)
        return self.new(f"select {v.i1} {self.whole('icmp eq', last, 0)}, {v.double} {even}, {v.double} {odd}")

    def by_half_turn(self, x: str, n: str) -> str:
        sign = self.whole("and", self.whole("shl", self.bits_of(n), 62), -(1 << 63))
        return self.double_of(self.new(f"xor {self.vector.i64} {self.bits_of(x)}, {sign}"))

    # -- look-up --------------------------------------------------------------------------------------------
    def table(self, x: str, table: int, derivative: int) -> str:
        """Bisection for the interval, then Horner; lane by lane where the data are fetched."""
        v, content = self.vector, self.program.tables[table]
        n = len(content.breaks) - 1
        start, end = float(content.breaks[0]), float(content.breaks[-1])
        if content.periodic:
            shifted = self.new(f"fsub {v.double} {x}, {v.constant(start)}")
            turns = self.new(f"fdiv {v.double} {shifted}, {v.constant(end - start)}")
            whole = self.intrinsic("floor", turns)
            back = self.new(f"fmul {v.double} {whole}, {v.constant(end - start)}")
            x = self.new(f"fsub {v.double} {x}, {back}")
        index = v.splat("i64", "0")
        step = 1 << max(n - 1, 0).bit_length() >> 1
        while step:
            trial = self.new(f"add {v.i64} {index}, {v.splat('i64', str(step))}")
            inside = self.new(f"icmp slt {v.i64} {trial}, {v.splat('i64', str(n))}")
            safe = self.new(f"select {v.i1} {inside}, {v.i64} {trial}, {v.i64} {v.splat('i64', '0')}")
            at = self.gather(f"@table{table}.breaks", safe)
            above = self.new(f"fcmp oge {v.double} {x}, {at}")
            take = self.new(f"and {v.i1} {inside}, {above}")
            index = self.new(f"select {v.i1} {take}, {v.i64} {trial}, {v.i64} {index}")
            step >>= 1
        d = self.new(f"fsub {v.double} {x}, {self.gather(f'@table{table}.breaks', index)}")
        value = ""
        for k in range(3 - derivative, -1, -1):
            c = self.gather(f"@table{table}.{derivative}.{k}", index)
            value = self.intrinsic("fma", value, d, c) if value else c
        # beyond the last coefficient NaN of the argument is lost: a derivative of order three is constant
        return (
            value
            if derivative < 3
            else self.new(f"fadd {v.double} {value}, {self.new(f'fmul {v.double} {d}, {v.constant(0.0)}')}")
        )

    def gather(self, array: str, index: str) -> str:
        v = self.vector
        if v.lanes == 1:
            return self.new(f"load double, ptr {self.new(f'getelementptr double, ptr {array}, i64 {index}')}, align 8")
        result = "poison"
        for lane in range(v.lanes):
            k = self.new(f"extractelement {v.i64} {index}, i32 {lane}")
            place = self.new(f"getelementptr double, ptr {array}, i64 {k}")
            x = self.new(f"load double, ptr {place}, align 8")
            result = self.new(f"insertelement {v.double} {result}, double {x}, i32 {lane}")
        return result


def table_data(tables: tuple[Table, ...]) -> Iterator[str]:
    """The constants of the look-ups."""
    for number, table in enumerate(tables):
        arrays = {"breaks": table.breaks}
        for derivative in range(4):
            for k, c in enumerate(derived(table.coefficients, derivative)):
                arrays[f"{derivative}.{k}"] = c
        for name, array in arrays.items():
            one = Vector(1)
            content = ", ".join(f"double {one.constant(float(x))}" for x in array)
            yield f"@table{number}.{name} = internal unnamed_addr constant [{len(array)} x double] [{content}], align 64"


def declarations(lanes: int) -> Iterator[str]:
    v = Vector(lanes)
    for name in dict.fromkeys(_INTRINSIC.values()):
        arity = 3 if name == "fma" else 2 if name in ("minimum", "maximum", "copysign") else 1
        yield f"declare {v.double} @llvm.{name}.{v.suffix}({', '.join([v.double] * arity)})"


def emit_point(program: Program, name: str, lanes: int) -> list[str]:
    """``void name(ptr in, ptr out, i64 i, i64 stride)``: the program for machines i ... i+lanes-1. One lane:
    ``void name(ptr in, ptr out)`` for one machine, to be called from outside."""
    count = len(program.instructions)
    last_use = list(range(count))
    for number, instruction in enumerate(program.instructions):
        for a in instruction.args:
            last_use[a] = number
    stores: dict[int, list[tuple[int, int]]] = {}
    copies: list[tuple[int, int, int, int]] = []  # outputs that are constants or inputs, and how many of them follow
    for array, elements in enumerate(program.outputs):
        for element, length, number in _runs(program, elements):
            if program.instructions[number].args:
                stores.setdefault(number, []).append((array, element))
            else:
                copies.append((number, array, element, length))

    vector = Vector(lanes)
    split = count + len(copies) > WHOLE
    parts = [(range(count), copies)]
    if split:
        parts = [(range(a, min(a + CHUNK, count)), copies[:0]) for a in range(0, count, CHUNK)]
        parts += [(range(count, count), copies[a : a + CHUNK]) for a in range(0, len(copies), CHUNK)]
    slots = Slots()
    lines: list[str] = []
    signature, arguments, linkage = "ptr noalias readonly %in, ptr noalias readonly %out", "ptr %in, ptr %out", ""
    if lanes > 1:
        signature, arguments, linkage = f"{signature}, i64 %i, i64 %stride", f"{arguments}, i64 %i, i64 %stride", "internal "
    for p, (piece, copied) in enumerate(parts):
        body = Body(program, vector)
        for number in piece:
            instruction = program.instructions[number]
            for a in instruction.args:
                if a not in body.value:  # made in an earlier piece
                    made = program.instructions[a]
                    body.value[a] = body._write(made, []) if not made.args else slots.reload(body, a)
            value = body.write(number)
            for array, element in stores.get(number, ()):
                body.store(value, body.address("out", array, element))
            if split and last_use[number] >= piece.stop and instruction.args:
                slots.spill(body, number, last_use[number])
        for number, array, element, length in copied:
            if number not in body.value:
                body.value[number] = body._write(program.instructions[number], [])
            body.fill(body.value[number], body.address("out", array, element), length)
        slots.release(piece.stop)
        if not split:
            return [f"define {linkage}void @{name}({signature}) #0 {{", *body.lines, "  ret void", "}"]
        lines += [
            f"define internal void @{name}.{p}({signature}, ptr noalias %scratch) #1 {{",
            *body.lines,
            "  ret void",
            "}",
        ]
    lines += [
        f"define {linkage}void @{name}({signature}) #0 {{",
        f"  %scratch = alloca {vector.double}, i64 {max(slots.size, 1)}, align 64",
    ]
    lines += [f"  call void @{name}.{p}({arguments}, ptr %scratch)" for p in range(len(parts))]
    return [*lines, "  ret void", "}"]


def _runs(program: Program, elements: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """The elements of an output: where each is, how many equal ones follow (itself too), its instruction. Only long runs
    of a constant are kept together."""
    at = 0
    for number, group in groupby(elements):
        length = len(list(group))
        if length >= RUN and program.instructions[number].op == "const":
            yield at, length, number
        else:
            yield from ((at + k, 1, number) for k in range(length))
        at += length


def fill(lanes: int) -> list[str]:
    """``void fill(ptr at, i64 count, i64 stride, value)``: one value, stored many times."""
    double = Vector(lanes).double
    return [
        f"define internal void @fill(ptr %at, i64 %count, i64 %stride, {double} %x) #1 {{",
        "entry:",
        "  br label %loop",
        "loop:",
        "  %k = phi i64 [ 0, %entry ], [ %next, %loop ]",
        "  %offset = mul i64 %k, %stride",
        "  %place = getelementptr double, ptr %at, i64 %offset",
        f"  store {double} %x, ptr %place, align 8",
        "  %next = add i64 %k, 1",
        "  %done = icmp sge i64 %next, %count",
        "  br i1 %done, label %end, label %loop",
        "end:",
        "  ret void",
        "}",
    ]


class Slots:
    """Memory for values that pass from one piece of a split program to a later one; reused when they are dead."""

    def __init__(self) -> None:
        self.size = 0
        self.slot: dict[int, int] = {}
        self.until: dict[int, int] = {}
        self.free: list[int] = []

    def address(self, body: Body, number: int) -> str:
        return body.new(f"getelementptr {body.vector.double}, ptr %scratch, i64 {self.slot[number]}")

    def spill(self, body: Body, number: int, last_use: int) -> None:
        if not self.free:
            self.free.append(self.size)
            self.size += 1
        self.slot[number], self.until[number] = self.free.pop(), last_use
        value = body.value[number]
        if body.program.instructions[number].op in _LOGICAL:
            value = body.new(f"uitofp {body.vector.i1} {value} to {body.vector.double}")
        body.store(value, self.address(body, number))

    def reload(self, body: Body, number: int) -> str:
        value = body.load(self.address(body, number))
        if body.program.instructions[number].op in _LOGICAL:
            zero = body.vector.constant(0.0)
            return body.new(f"fcmp one {body.vector.double} {value}, {zero}")
        return value

    def release(self, position: int) -> None:
        for number in [n for n, last in self.until.items() if last < position]:
            self.free.append(self.slot[number])
            del self.until[number]


def emit_module(program: Program, name: str, lanes: int) -> str:
    """The whole module. One lane: ``void name(ptr in, ptr out)``, arrays of pointers to the arguments. More:
    ``void name(ptr in, ptr out, i64 start, i64 stop, i64 stride)`` for machines start ... stop-1, at least
    ``lanes`` of them; the last group overlaps the one before it rather than being done one by one."""
    point = name if lanes == 1 else f"{name}.point"
    lines = [*declarations(lanes), *table_data(program.tables), *fill(lanes), *emit_point(program, point, lanes)]
    if lanes > 1:
        lines += [
            f"define void @{name}(ptr noalias %in, ptr noalias %out, i64 %start, i64 %stop, i64 %stride) #0 {{",
            "entry:",
            f"  %last = sub i64 %stop, {lanes}",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [ %start, %entry ], [ %next, %loop ]",
            f"  call void @{name}.point(ptr %in, ptr %out, i64 %i, i64 %stride)",
            f"  %after = add i64 %i, {lanes}",
            "  %beyond = icmp sgt i64 %after, %last",
            "  %next = select i1 %beyond, i64 %last, i64 %after",
            "  %done = icmp sge i64 %after, %stop",
            "  br i1 %done, label %end, label %loop",
            "end:",
            "  ret void",
            "}",
        ]
    lines += ["attributes #0 = { nounwind }", "attributes #1 = { nounwind noinline }", "!0 = !{}"]
    return "\n".join(lines) + "\n"
