"""The native language with lanes: a number is one number a lane, each lane another machine.

    f64    one number a lane       conditions on it are masks: where(mask, a, b), any(mask)
    real   the same in all lanes   Table: an array of them
    i64    counters and sizes      branches and loops depend on these, on reals and on any(mask) alone
    Array  of f64                  element k of lane l is at base[k * lanes + l]

A branch on a mask is refused: lanes go on together, and a step selects what each keeps. Traced functions are called with
their arrays, `f(in0, ..., out0, ...)`. With one lane it is ordinary scalar code, as a thread of a GPU runs it. The same
text runs as Python on arrays of numpy whose last axis counts lanes: that is its reference in the tests.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from linkwright.compile.emit import UNFUSED, Body, declarations
from linkwright.compile.fused import fused
from linkwright.compile.lane_values import LaneValues, pointer
from linkwright.compile.program import Program, linearise
from linkwright.compile.vector import Vector
from linkwright.compile.written import Value
from linkwright.graph import functions, symbols

ATTRIBUTES = (
    "attributes #0 = { nounwind }", "attributes #1 = { nounwind noinline }", "attributes #2 = { nounwind alwaysinline }",
    "!0 = !{}",
)  # fmt: skip


class LaneTranslator(LaneValues):
    """One function: its statements; `LaneValues` writes the expressions in them."""

    written_out = False

    def translate(self, attribute: str = "#0") -> str:
        args = [(a.arg, ast.unparse(a.annotation)) for a in self.tree.args.args if a.annotation is not None]
        for name, kind in args:
            self.store(self.tree, name, (kind, f"%a.{name}"))
        self.block(self.tree.body)
        head = ", ".join(f"{self.types[kind]} %a.{name}" for name, kind in args)
        define = f"define internal void @{self.tree.name}({head}) {attribute} {{"
        return "\n".join([define, "entry:", *self.allocas, *self.lines, "  ret void", "}"])

    def labels(self, *hints: str) -> list[str]:
        self.count += 1
        return [f"{hint}{self.count}" for hint in hints]

    def do_Assign(self, s: ast.Assign) -> None:
        self.assign(s, s.targets[0], self.value(s.value))

    def do_AugAssign(self, s: ast.AugAssign) -> None:
        self.assign(s, s.target, self.of_sum(s, s.op, s.target, s.value))

    def assign(self, s: ast.AST, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.store(s, target.id, value)
        elif isinstance(target, ast.Subscript):
            kind, place = self.element(target)
            self.lines.append(f"  store {self.types[kind]} {self.convert(s, value, kind)}, ptr {place}, align 8")
        else:
            self.fail(s, "only variables and elements of arrays can be assigned")

    def store(self, s: ast.AST, name: str, value: Value) -> None:
        if name not in self.slots:
            self.slots[name] = (value[0], f"%s.{name}")
            self.allocas.append(f"  %s.{name} = alloca {self.types[value[0]]}")
        kind, slot = self.slots[name]
        self.lines.append(f"  store {self.types[kind]} {self.convert(s, value, kind)}, ptr {slot}")

    def uniform(self, e: ast.expr) -> str:
        kind, x = self.value(e)
        if kind != "bool":
            self.fail(e, f"a branch on {kind}; write any(...)")
        return x

    def do_If(self, s: ast.If) -> None:
        yes, no, end = self.labels("then", "else", "end")
        self.lines.append(f"  br i1 {self.uniform(s.test)}, label %{yes}, label %{no}")
        for label, body in ((yes, s.body), (no, s.orelse)):
            self.lines.append(f"{label}:")
            self.block(body)
            self.lines.append(f"  br label %{end}")
        self.lines.append(f"{end}:")

    def do_While(self, s: ast.While) -> None:
        test, body, end = self.labels("while", "body", "end")
        self.lines += [f"  br label %{test}", f"{test}:"]
        self.lines.append(f"  br i1 {self.uniform(s.test)}, label %{body}, label %{end}")
        self.lines.append(f"{body}:")
        self.block(s.body)
        self.lines += [f"  br label %{test}", f"{end}:"]

    def do_For(self, s: ast.For) -> None:
        if not (isinstance(s.iter, ast.Call) and ast.unparse(s.iter.func) == "range" and isinstance(s.target, ast.Name)):
            self.fail(s, "a loop runs over range(...)")
        bounds = [self.convert(s, self.value(a), "i64") for a in s.iter.args]
        start, stop = ("0", bounds[0]) if len(bounds) == 1 else bounds[:2]
        if self.written_out and start.isdigit() and stop.isdigit():
            for k in range(int(start), int(stop)):
                self.store(s, s.target.id, ("i64", str(k)))
                self.block(s.body)
            return
        test, body, end = self.labels("for", "body", "end")
        self.store(s, s.target.id, ("i64", start))
        self.lines += [f"  br label %{test}", f"{test}:"]
        more = self.new(f"icmp slt i64 {self.value(s.target)[1]}, {stop}")
        self.lines += [f"  br i1 {more}, label %{body}, label %{end}", f"{body}:"]
        self.block(s.body)
        self.store(s, s.target.id, ("i64", self.new(f"add i64 {self.value(s.target)[1]}, 1")))
        self.lines += [f"  br label %{test}", f"{end}:"]


def translated(
    source: str, lanes: int, known: Mapping[str, int], *, attribute: str = "#0", space: int = 0, written_out: bool = False
) -> list[str]:
    """LLVM assembly of the functions in the text, and of exp and log where they are called. `written_out`: loops over known
    numbers are."""
    out, traced = [], set[str]()
    for tree in ast.parse(source).body:
        assert isinstance(tree, ast.FunctionDef)
        translator = LaneTranslator(tree, lanes, known, space)
        translator.written_out = written_out
        out.append(translator.translate(attribute))
        traced |= translator.traced
    return [*[_kernel(name, lanes) for name in sorted(traced)], *out]


_FMA = "declare double @llvm.fma.f64(double, double, double)"


def library(lanes: int) -> list[str]:
    """What the texts of `translated` and `traced_arrays` call."""
    mask = Vector(lanes).i1
    more = [f"declare i1 @llvm.vector.reduce.or.v{lanes}i1({mask})", _FMA] if lanes > 1 else []
    return [*declarations(lanes), *more]


def _kernel(name: str, lanes: int) -> str:
    """exp or log of all lanes."""
    x = symbols("x", 1)
    program = fused(linearise([list(x)], [[getattr(functions, name)(*x)]]), 1)
    v = Vector(lanes)
    body = Body(program, v)
    body.infix = UNFUSED
    for number, i in enumerate(program.instructions):
        if i.op == "input":
            body.value[number] = "%a0"
        else:
            body.write(number)
    head, result = f"define internal {v.double} @lw.{name}({v.double} %a0) #0 {{", body.value[program.outputs[0][0]]
    return "\n".join([head, *body.lines, f"  ret {v.double} {result}", "}"])


class _Flat(Body):
    """A body whose arrays are arguments of the function, element k of all lanes at k * lanes: offsets are constants."""

    space = 0
    infix = UNFUSED

    def load(self, address: str) -> str:
        return self.new(f"load {self.vector.double}, {pointer(self.space)} {address}, align 8")

    def store(self, value: str, address: str) -> None:
        self.lines.append(f"  store {self.vector.double} {value}, {pointer(self.space)} {address}, align 8")

    def address(self, kind: str, array: int, element: int) -> str:
        base = f"%{kind}{array}"
        if element == 0:
            return base
        return self.new(f"getelementptr double, {pointer(self.space)} {base}, i64 {element * self.vector.lanes}")


def needed(program: Program, wanted: int) -> list[int]:
    """The instructions that the first `wanted` outputs follow from, in order."""
    keep, todo = set[int](), [k for out in program.outputs[:wanted] for k in out]
    while todo:
        k = todo.pop()
        if k not in keep:
            keep.add(k)
            todo += program.instructions[k].args
    return sorted(keep)


def traced_arrays(
    program: Program, name: str, lanes: int, wanted: int, *, attribute: str = "#1", space: int = 0
) -> list[str]:
    """``void name(ptr in0, ..., ptr out0, ...)``: the first `wanted` outputs of a program, in one piece.

    Tables are called `name`.table0 and so on: several functions stand in one module. Give it a `fused` program: what is not
    is computed with two roundings.
    """
    body = _Flat(program, Vector(lanes))
    body.space = space
    for number in needed(program, wanted):
        body.write(number)
    for array, elements in enumerate(program.outputs[:wanted]):
        for k, number in enumerate(elements):
            body.store(body.value[number], body.address("out", array, k))
    arrays = [f"in{k}" for k in range(len(program.input_sizes))] + [f"out{k}" for k in range(wanted)]
    arguments = ", ".join(f"{pointer(space)} noalias %{x}" for x in arrays)
    lines = [line.replace("@table", f"@{name}.table") for line in body.lines]
    return [f"define internal void @{name}({arguments}) {attribute} {{", *lines, "  ret void", "}"]
