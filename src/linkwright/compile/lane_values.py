"""Expressions of the language with lanes, as LLVM assembly; see `lanes`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NoReturn

from linkwright.compile.vector import Vector
from linkwright.compile.written import COMPARE, WHOLE, Value, Written
from linkwright.errors import CompileError

_FLOAT = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_ORDER = ("i64", "real", "f64")  # what becomes what
_ELEMENT = {"Array": "f64", "Table": "real"}
TRACED = ("exp", "log")


def _is_product(e: ast.expr) -> bool:
    return isinstance(e, ast.BinOp) and isinstance(e.op, ast.Mult)


class LaneValues(Written):
    """The text of one function as it grows."""

    def __init__(self, tree: ast.FunctionDef, lanes: int, known: Mapping[str, int], space: int = 0) -> None:
        """`known`: whole numbers by name. `space`: the address space of the arrays that traced functions take."""
        super().__init__()
        self.tree, self.vector, self.known, self.space = tree, Vector(lanes), known, space
        v = self.vector
        self.types = {"f64": v.double, "mask": v.i1, "real": "double", "i64": "i64", "Array": "ptr", "Table": "ptr"}
        self.traced: set[str] = set()

    def fail(self, node: ast.AST, text: str) -> NoReturn:
        said = ast.unparse(node).splitlines()[0]
        raise CompileError(f"{text}: {said!r}", element=self.tree.name)

    def convert(self, node: ast.AST, value: Value, kind: str) -> str:
        have, x = value
        if have == kind:
            return x
        if have == "i64" and kind in ("real", "f64"):
            have, x = "real", self.new(f"sitofp i64 {x} to double")
        if have == "real" == kind:
            return x
        if have == "real" and kind == "f64":
            return self.spread(x)
        self.fail(node, f"{have} where {kind} is wanted")

    def spread(self, x: str) -> str:
        """One number in all lanes."""
        v = self.vector
        if v.lanes == 1:
            return x
        if x.startswith("0x"):
            return v.splat("double", x)
        one = self.new(f"insertelement {v.double} poison, double {x}, i32 0")
        return self.new(f"shufflevector {v.double} {one}, {v.double} poison, <{v.lanes} x i32> zeroinitializer")

    def common(self, node: ast.AST, a: Value, b: Value) -> tuple[str, str, str]:
        if a[0] not in _ORDER or b[0] not in _ORDER:
            self.fail(node, f"{a[0]} and {b[0]} do not go together")
        kind = max(a[0], b[0], key=_ORDER.index)
        return kind, self.convert(node, a, kind), self.convert(node, b, kind)

    # -- values -----------------------------------------------------------------------------------------------------------
    def value(self, e: ast.expr) -> Value:
        method = getattr(self, f"of_{type(e).__name__}", None)
        if method is None:
            self.fail(e, f"{type(e).__name__} is not in the language")
        found: Value = method(e)
        return found

    def of_Constant(self, e: ast.Constant) -> Value:
        if isinstance(e.value, float):
            return "real", Vector(1).constant(e.value)
        if isinstance(e.value, int):
            return "i64", str(int(e.value))
        self.fail(e, "no number")

    def of_Name(self, e: ast.Name) -> Value:
        if e.id in self.slots:
            kind, slot = self.slots[e.id]
            return kind, self.new(f"load {self.types[kind]}, ptr {slot}")
        if e.id not in self.known:
            self.fail(e, "the name is not known")
        return "i64", str(self.known[e.id])

    def of_UnaryOp(self, e: ast.UnaryOp) -> Value:
        kind, x = self.value(e.operand)
        if isinstance(e.op, ast.Not) and kind in ("mask", "bool"):
            true = self.vector.splat("i1", "true") if kind == "mask" else "true"
            return kind, self.new(f"xor {self.truth(kind)} {x}, {true}")
        if isinstance(e.op, ast.USub) and kind in ("f64", "real"):
            return kind, self.new(f"fneg {self.types[kind]} {x}")
        self.fail(e, "not in the language")

    def of_BinOp(self, e: ast.BinOp) -> Value:
        return self.of_sum(e, e.op, e.left, e.right)

    def of_sum(self, e: ast.AST, op: ast.operator, left: ast.expr, right: ast.expr) -> Value:
        """A sum takes a product that stands in it in, the second first: one rounding, for any number of lanes."""
        product, rest = (right, left) if _is_product(right) else (left, right)
        if not isinstance(op, (ast.Add, ast.Sub)) or not _is_product(product):
            return self.binary(e, op, self.value(left), self.value(right))
        assert isinstance(product, ast.BinOp)
        a, b, c = (self.value(x) for x in (product.left, product.right, rest))
        if {a[0], b[0], c[0]} <= {"i64"}:
            found = self.binary(e, product.op, a, b)
            return self.binary(e, op, *((c, found) if product is right else (found, c)))
        kind, x, y = self.common(e, a, b)
        wide = self.common(e, (kind, x), c)[0]
        x, y, z = (self.convert(e, v, wide) for v in ((kind, x), (kind, y), c))
        if isinstance(op, ast.Sub) and product is right:
            x = self.new(f"fneg {self.types[wide]} {x}")
        elif isinstance(op, ast.Sub):
            z = self.new(f"fneg {self.types[wide]} {z}")
        return wide, self.fma(wide, x, y, z)

    def fma(self, kind: str, a: str, b: str, c: str) -> str:
        t, name = self.types[kind], f"llvm.fma.{self.vector.suffix if kind == 'f64' else 'f64'}"
        return self.new(f"call {t} @{name}({t} {a}, {t} {b}, {t} {c})")

    def binary(self, e: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        kind, x, y = self.common(e, a, b)
        codes = WHOLE if kind == "i64" else _FLOAT
        if type(op) not in codes:
            self.fail(e, "not in the language")
        return kind, self.new(f"{codes[type(op)]} {self.types[kind]} {x}, {y}")

    def of_BoolOp(self, e: ast.BoolOp) -> Value:
        """All parts are evaluated: lanes cannot leave some out."""
        code = "and" if isinstance(e.op, ast.And) else "or"
        kind, out = self.value(e.values[0])
        for more in e.values[1:]:
            other, x = self.value(more)
            if other != kind or kind not in ("mask", "bool"):
                self.fail(e, f"{kind} {code} {other}")
            out = self.new(f"{code} {self.truth(kind)} {out}, {x}")
        return kind, out

    def truth(self, kind: str) -> str:
        return self.vector.i1 if kind == "mask" else "i1"

    def of_Compare(self, e: ast.Compare) -> Value:
        if len(e.ops) > 1:
            self.fail(e, "one comparison at a time")
        kind, x, y = self.common(e, self.value(e.left), self.value(e.comparators[0]))
        names = COMPARE[type(e.ops[0])]
        code = f"icmp {names[1]}" if kind == "i64" else f"fcmp {names[0]}"
        return "mask" if kind == "f64" else "bool", self.new(f"{code} {self.types[kind]} {x}, {y}")

    def of_Subscript(self, e: ast.Subscript) -> Value:
        if isinstance(e.slice, ast.Slice):
            if e.slice.lower is None:
                self.fail(e, "a slice is written x[k:]")
            kind, base = self.value(e.value)
            return kind, self.shifted(e, kind, base, e.slice.lower)
        kind, place = self.element(e)
        return kind, self.new(f"load {self.types[kind]}, ptr {place}, align 8")

    def element(self, e: ast.Subscript) -> Value:
        kind, base = self.value(e.value)
        if kind not in _ELEMENT:
            self.fail(e, "no array")
        return _ELEMENT[kind], self.shifted(e, kind, base, e.slice)

    def shifted(self, e: ast.AST, kind: str, base: str, index: ast.expr) -> str:
        at = self.convert(e, self.value(index), "i64")
        return self.new(f"getelementptr {self.types[_ELEMENT[kind]]}, ptr {base}, i64 {at}")

    # -- calls ------------------------------------------------------------------------------------------------------------
    def of_Call(self, e: ast.Call) -> Value:
        if not isinstance(e.func, ast.Name):
            self.fail(e, "a call names a function")
        name, args = e.func.id, [self.value(a) for a in e.args]
        own = getattr(self, f"call_{name}", None)
        if own is not None:
            found: Value = own(e, *args)
            return found
        if name in TRACED:
            self.traced.add(name)
            t = self.vector.double
            return "f64", self.new(f"call {t} @lw.{name}({t} {self.convert(e, args[0], 'f64')})")
        return self.run(e, name, args)

    def run(self, e: ast.Call, name: str, args: list[Value]) -> Value:
        """A traced function, called with its arrays."""
        if any(kind != "Array" for kind, _ in args):
            self.fail(e, "a traced function takes arrays")
        given = [x for _, x in args]
        if self.space:
            given = [self.new(f"addrspacecast ptr {x} to {pointer(self.space)}") for x in given]
        self.lines.append(f"  call void @{name}({', '.join(f'{pointer(self.space)} {x}' for x in given)})")
        return "none", ""

    def call_where(self, e: ast.AST, mask: Value, a: Value, b: Value) -> Value:
        if mask[0] != "mask":
            self.fail(e, f"where(mask, ...) of {mask[0]}")
        v, x, y = self.vector, self.convert(e, a, "f64"), self.convert(e, b, "f64")
        return "f64", self.new(f"select {v.i1} {mask[1]}, {v.double} {x}, {v.double} {y}")

    def call_any(self, e: ast.AST, mask: Value) -> Value:
        v = self.vector
        if mask[0] != "mask":
            self.fail(e, f"any(mask) of {mask[0]}")
        if v.lanes == 1:
            return "bool", mask[1]
        return "bool", self.new(f"call i1 @llvm.vector.reduce.or.v{v.lanes}i1({v.i1} {mask[1]})")

    def call_each(self, e: ast.AST, a: Value) -> Value:
        return "f64", self.convert(e, a, "f64")

    def call_sqrt(self, e: ast.AST, a: Value, name: str = "sqrt") -> Value:
        v = self.vector
        return "f64", self.new(f"call {v.double} @llvm.{name}.{v.suffix}({v.double} {self.convert(e, a, 'f64')})")

    def call_abs(self, e: ast.AST, a: Value) -> Value:
        return self.call_sqrt(e, a, "fabs")

    def call_min(self, e: ast.AST, a: Value, b: Value, code: str = "olt") -> Value:
        """The first where they are equal or one is no number."""
        kind, x, y = self.common(e, a, b)
        t = self.types[kind]
        other = self.new(f"fcmp {code} {t} {y}, {x}")
        return kind, self.new(f"select {self.truth('mask' if kind == 'f64' else 'bool')} {other}, {t} {y}, {t} {x}")

    def call_max(self, e: ast.AST, a: Value, b: Value) -> Value:
        return self.call_min(e, a, b, "ogt")

    def call_isfinite(self, e: ast.AST, a: Value) -> Value:
        _, size = self.call_abs(e, a)
        v = self.vector
        return "mask", self.new(f"fcmp olt {v.double} {size}, {v.constant(float('inf'))}")

    def call_gather(self, e: ast.AST, table: Value, index: Value) -> Value:
        """Of a table the element that each lane asks for; `index`: whole numbers as f64."""
        v, at = self.vector, self.whole(e, index)
        out = "poison"
        for lane in range(v.lanes):
            place = self.new(f"getelementptr double, ptr {table[1]}, i64 {self.lane('i64', at, lane)}")
            x = self.new(f"load double, ptr {place}, align 8")
            if v.lanes == 1:
                return "f64", x
            out = self.new(f"insertelement {v.double} {out}, double {x}, i32 {lane}")
        return "f64", out

    def call_scatter(self, e: ast.AST, table: Value, index: Value, x: Value, mask: Value) -> Value:
        """Each lane of the mask stores its number at its own place; the others store theirs where nobody reads."""
        at, values = self.whole(e, index), self.convert(e, x, "f64")
        if "%s.nowhere" not in "".join(self.allocas):
            self.allocas.append("  %s.nowhere = alloca double, align 8")
        for lane in range(self.vector.lanes):
            place = self.new(f"getelementptr double, ptr {table[1]}, i64 {self.lane('i64', at, lane)}")
            place = self.new(f"select i1 {self.lane('i1', mask[1], lane)}, ptr {place}, ptr %s.nowhere")
            self.lines.append(f"  store double {self.lane('double', values, lane)}, ptr {place}, align 8")
        return "none", ""

    def whole(self, e: ast.AST, index: Value) -> str:
        v = self.vector
        return self.new(f"fptosi {v.double} {self.convert(e, index, 'f64')} to {v.i64}")

    def lane(self, element: str, values: str, lane: int) -> str:
        if self.vector.lanes == 1:
            return values
        return self.new(f"extractelement {self.vector.of(element)} {values}, i32 {lane}")


def pointer(space: int) -> str:
    return f"ptr addrspace({space})" if space else "ptr"
