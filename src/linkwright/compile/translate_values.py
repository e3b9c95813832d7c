"""Expressions of the native language as LLVM assembly: numbers, arrays, conditions, calls. See `translate`."""

from __future__ import annotations

import ast
import contextlib
import linecache
import struct
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from linkwright.compile.written import COMPARE, WHOLE, Value, Written
from linkwright.errors import CompileError

TYPES = {"f64": "double", "i64": "i64", "Array": "ptr", "Ints": "ptr", "Pointers": "ptr", "Code": "ptr",
         "Codes": "ptr"}  # fmt: skip
_ELEMENT = {"Array": "f64", "Ints": "i64", "Pointers": "Array", "Codes": "Code"}
_FLOAT = {ast.Add: "fadd contract", ast.Sub: "fsub contract", ast.Mult: "fmul contract", ast.Div: "fdiv"}
_INTRINSIC = {"sqrt": "llvm.sqrt.f64", "floor": "llvm.floor.f64", "fabs": "llvm.fabs.f64"}
_ARITY = {**dict.fromkeys((*_INTRINSIC, "abs", "float", "int", "isfinite", "sin", "cos", "exp", "log"), (1, 1)),
          "power": (2, 2), "min": (2, 99), "max": (2, 99)}  # fmt: skip


class Values(Written):
    """The text of one function as it grows."""

    def __init__(self, name: str, function: Callable[..., Any], resolve: Callable[[str], Any]) -> None:
        super().__init__()
        code = function.__code__
        tree = _tree(code.co_filename, code.co_firstlineno - 1)
        if tree is None:
            raise CompileError("its source cannot be read", element=name, remedy="write it in a file")
        self.tree = tree
        self.name, self.resolve = name, resolve
        self.where = f"{code.co_filename}:{code.co_firstlineno}"
        self.loops: list[tuple[str, str]] = []  # (continue, break) targets
        self.called: dict[str, Any] = {}
        self.statement = self.tree
        self.records: dict[str, list[str]] = {}  # parameters that are records: the variables of their fields
        self.parameters: list[Value] = []
        for a in self.tree.args.args:
            text = ast.unparse(a.annotation) if a.annotation is not None else ""
            own = fields_of(text, resolve)
            self.parameters += [(f"{a.arg}.{name}", kind) for name, kind in own] or [(a.arg, self.annotation(a.annotation))]
            if own:
                self.records[a.arg] = [f"{a.arg}.{name}" for name, _ in own]
        self.result = self.annotation(self.tree.returns)

    def fail(self, node: ast.AST, text: str) -> NoReturn:
        line = getattr(node, "lineno", 0)
        raise CompileError(f"{text} (line {line} of the function at {self.where})", element=self.name)

    def annotation(self, node: ast.expr | None) -> str:
        text = ast.unparse(node) if node is not None else "None"
        if text != "None" and text not in TYPES:
            raise CompileError(f"unknown type {text!r}", element=self.name, remedy=f"one of {', '.join(TYPES)}")
        return text

    # -- writing ------------------------------------------------------------------------------------------------
    def label(self, hint: str) -> str:
        self.count += 1
        return f"{hint}{self.count}"

    def place(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        self.lines.append(f"  br label %{label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        self.lines.append(f"  br i1 {condition}, label %{yes}, label %{no}")

    def llvm(self, kind: str) -> str:
        return "void" if kind == "None" else TYPES[kind]

    def store_local(self, name: str, value: Value) -> None:
        kind, text = value
        if name not in self.slots:
            slot = f"%s.{name}"
            self.allocas.append(f"  {slot} = alloca {TYPES[kind]}{aligned(kind)}")
            self.slots[name] = (kind, slot)
        known, slot = self.slots[name]
        if known != kind:
            text = self.convert(value, known, name)
        self.lines.append(f"  store {TYPES[known]} {text}, ptr {slot}{aligned(known)}")

    def convert(self, value: Value, kind: str, what: str = "a value") -> str:
        if value[0] == kind:
            return value[1]
        if (value[0], kind) == ("i64", "f64"):
            return self.new(f"sitofp i64 {value[1]} to double")
        self.fail(self.statement, f"{what} is {value[0]} where {kind} is wanted")

    # -- conditions -------------------------------------------------------------------------------------------------
    def condition(self, e: ast.expr) -> str:
        if isinstance(e, ast.BoolOp):
            return self.short_circuit(e)
        if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not):
            return self.new(f"xor i1 {self.condition(e.operand)}, true")
        if isinstance(e, ast.Compare):
            return self.chain(e)
        if isinstance(e, ast.Constant) and isinstance(e.value, bool):
            return "true" if e.value else "false"
        kind, value = self.value(e)
        return self.new(f"icmp ne i64 {value}, 0") if kind == "i64" else self.fail(e, "a condition must be a comparison")

    def chain(self, e: ast.Compare) -> str:
        """a < b < c: each is evaluated once, and c only if a < b."""
        first = self.value(e.left)
        if len(e.ops) == 1:
            return self.compare(e, e.ops[0], first, self.value(e.comparators[0]))

        def parts() -> Iterator[str]:
            left = first
            for op, node in zip(e.ops, e.comparators, strict=True):
                right = self.value(node)
                yield self.compare(e, op, left, right)
                left = right

        return self.first_that_decides(parts(), len(e.ops), stop_at=False)

    def short_circuit(self, e: ast.BoolOp) -> str:
        return self.first_that_decides(map(self.condition, e.values), len(e.values), stop_at=isinstance(e.op, ast.Or))

    def first_that_decides(self, conditions: Iterator[str], count: int, *, stop_at: bool) -> str:
        """The first condition that equals `stop_at`, or else the last; those after it are not evaluated."""
        end = self.label("end")
        slot = f"%s.{self.label('flag')}"
        self.allocas.append(f"  {slot} = alloca i1")
        for k, value in enumerate(conditions):
            self.lines.append(f"  store i1 {value}, ptr {slot}")
            if k + 1 < count:
                more = self.label("more")
                self.branch(value, *((end, more) if stop_at else (more, end)))
                self.place(more)
        self.jump(end)
        self.place(end)
        return self.new(f"load i1, ptr {slot}")

    def compare(self, e: ast.expr, op: ast.cmpop, a: Value, b: Value) -> str:
        names = COMPARE.get(type(op))
        if names is None:
            self.fail(e, "this comparison is not in the language")
        if a[0] == b[0] == "i64":
            return self.new(f"icmp {names[1]} i64 {a[1]}, {b[1]}")
        return self.new(f"fcmp {names[0]} double {self.convert(a, 'f64')}, {self.convert(b, 'f64')}")

    # -- values -------------------------------------------------------------------------------------------------------
    def local(self, name: str) -> Value:
        kind, slot = self.slots[name]
        return kind, self.new(f"load {TYPES[kind]}, ptr {slot}{aligned(kind)}")

    def value(self, e: ast.expr) -> Value:
        if isinstance(e, ast.Constant):
            return self.number(e, e.value)
        if isinstance(e, ast.Name):
            return self.local(e.id) if e.id in self.slots else self.number(e, self.resolve(e.id))
        if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
            kind, x = self.value(e.operand)
            return (kind, self.new(f"fneg double {x}")) if kind == "f64" else (kind, self.new(f"sub i64 0, {x}"))
        if isinstance(e, ast.BinOp):
            return self.binary(e, e.op, self.value(e.left), self.value(e.right))
        if isinstance(e, ast.Attribute):
            name = ast.unparse(e)
            return self.local(name) if name in self.slots else self.number(e, self.of_module(e))
        if isinstance(e, ast.Subscript):
            if isinstance(e.slice, ast.Slice):
                return self.shifted(e)
            kind, address = self.element(e)
            return kind, self.new(f"load {TYPES[kind]}, ptr {address}{aligned(kind)}")
        if isinstance(e, ast.IfExp):
            return self.choice(e)
        if isinstance(e, ast.Call):
            return self.call(e)
        if is_truth(e):
            return "i64", self.new(f"zext i1 {self.condition(e)} to i64")
        self.fail(e, f"{type(e).__name__} is not in the language")

    def of_module(self, e: ast.expr) -> Any:
        """What stands in a module that the function's own one knows, as in ``stepping.FINE``."""
        name = ast.unparse(e)
        if not (isinstance(e, ast.Attribute) and isinstance(e.value, ast.Name)) or e.value.id in self.records:
            self.fail(e, f"{name} is no field of a record")
        return self.resolve(name)

    def number(self, e: ast.expr, x: Any) -> Value:
        if isinstance(x, bool | int):
            return "i64", str(int(x))
        if isinstance(x, float):
            return "f64", f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
        self.fail(e, f"{ast.unparse(e)} is no number")

    def binary(self, e: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        if isinstance(op, ast.Pow):
            if b[0] == "i64" and b[1] == "2":
                return self.binary(e, ast.Mult(), a, a)
            return self.traced("power", [a, b])
        if a[0] == b[0] == "i64" and type(op) in WHOLE:
            return "i64", self.new(f"{WHOLE[type(op)]} i64 {a[1]}, {b[1]}")
        if a[0] == b[0] == "i64" and isinstance(op, ast.FloorDiv | ast.Mod):
            return "i64", self.floor_division(op, a[1], b[1])
        if type(op) not in _FLOAT:
            self.fail(e, f"{type(op).__name__} of {a[0]} and {b[0]} is not in the language")
        return "f64", self.new(f"{_FLOAT[type(op)]} double {self.convert(a, 'f64')}, {self.convert(b, 'f64')}")

    def floor_division(self, op: ast.operator, a: str, b: str) -> str:
        """Python's // and %: the quotient is rounded down, the remainder has the sign of b."""
        quotient, rest = self.new(f"sdiv i64 {a}, {b}"), self.new(f"srem i64 {a}, {b}")
        signs = self.new(f"icmp slt i64 {self.new(f'xor i64 {rest}, {b}')}, 0")
        off = self.new(f"and i1 {signs}, {self.new(f'icmp ne i64 {rest}, 0')}")
        if isinstance(op, ast.FloorDiv):
            return self.new(f"sub i64 {quotient}, {self.new(f'zext i1 {off} to i64')}")
        return self.new(f"add i64 {rest}, {self.new(f'select i1 {off}, i64 {b}, i64 0')}")

    def choice(self, e: ast.IfExp) -> Value:
        """a if c else b; only the one chosen is evaluated."""
        yes, no, end = self.label("then"), self.label("else"), self.label("end")
        self.branch(self.condition(e.test), yes, no)
        hidden = self.label("choice")
        self.place(yes)
        self.store_local(hidden, self.value(e.body))
        self.jump(end)
        self.place(no)
        self.store_local(hidden, self.value(e.orelse))
        self.jump(end)
        self.place(end)
        return self.local(hidden)

    def element(self, e: ast.Subscript) -> Value:
        kind, base = self.value(e.value)
        if kind not in _ELEMENT:
            self.fail(e, f"{ast.unparse(e.value)} is no array")
        index = self.index(e.slice)
        return _ELEMENT[kind], self.new(f"getelementptr {TYPES[_ELEMENT[kind]]}, ptr {base}, i64 {index}")

    def index(self, e: ast.expr) -> str:
        if isinstance(e, ast.UnaryOp):  # arrays have no end to count from
            self.fail(e, "an index cannot be negative")
        return self.convert(self.value(e), "i64", "an index")

    def shifted(self, e: ast.Subscript) -> Value:
        """x[k:], the array from its k-th element on."""
        assert isinstance(e.slice, ast.Slice)
        if e.slice.lower is None or e.slice.step is not None:
            self.fail(e, "a slice is written x[k:] or x[k:m]")
        kind, base = self.value(e.value)
        if kind not in _ELEMENT:
            self.fail(e, f"{ast.unparse(e.value)} is no array")
        index = self.index(e.slice.lower)
        return kind, self.new(f"getelementptr {TYPES[_ELEMENT[kind]]}, ptr {base}, i64 {index}")

    # -- calls --------------------------------------------------------------------------------------------------------
    def call(self, e: ast.Call) -> Value:
        name = ast.unparse(e.func)
        known = isinstance(e.func, ast.Name) or name in self.slots or hasattr(self.of_module(e.func), "signature")
        if not known or e.keywords:
            self.fail(e, "a call names a function and gives its arguments by position")
        if name in self.slots:  # a traced function: f(ins, outs)
            return self.run(e, name)
        args = [x for a in e.args for x in self.given(a)]
        least, most = _ARITY.get(name, (0, len(args)))
        if not least <= len(args) <= most:
            self.fail(e, f"{name} takes {least} arguments, got {len(args)}")
        if name in _INTRINSIC:
            return "f64", self.new(f"call double @{_INTRINSIC[name]}(double {self.convert(args[0], 'f64')})")
        if name == "abs":
            if args[0][0] == "f64":
                return "f64", self.new(f"call double @llvm.fabs.f64(double {args[0][1]})")
            return "i64", self.new(f"call i64 @llvm.abs.i64(i64 {args[0][1]}, i1 false)")
        if name in ("min", "max"):
            return self.extreme(e, name, args)
        if name == "float":
            return "f64", self.convert(args[0], "f64")
        if name == "int":
            if args[0][0] == "i64":
                return args[0]
            return "i64", self.new(f"call i64 @llvm.fptosi.sat.i64.f64(double {self.convert(args[0], 'f64')})")
        if name == "isfinite":
            size = self.new(f"call double @llvm.fabs.f64(double {self.convert(args[0], 'f64')})")
            flag = self.new(f"fcmp olt double {size}, 0x7FF0000000000000")
            return "i64", self.new(f"zext i1 {flag} to i64")
        if name in ("sin", "cos", "exp", "log", "power"):
            return self.traced(name, args)
        return self.native(e, name, args)

    def given(self, a: ast.expr) -> list[Value]:
        """An argument; of a record all its fields."""
        own = self.records.get(a.id) if isinstance(a, ast.Name) else None
        return [self.value(a)] if own is None else [self.local(name) for name in own]

    def extreme(self, e: ast.expr, name: str, args: list[Value]) -> Value:
        best = args[0]
        for x in args[1:]:
            whole = best[0] == x[0] == "i64"
            a, b = (best, x) if whole else (("f64", self.convert(best, "f64")), ("f64", self.convert(x, "f64")))
            better = self.compare(e, ast.Lt() if name == "min" else ast.Gt(), b, a)
            best = a[0], self.new(f"select i1 {better}, {TYPES[a[0]]} {b[1]}, {TYPES[a[0]]} {a[1]}")
        return best

    def run(self, e: ast.Call, name: str) -> Value:
        args = [self.value(a) for a in e.args]
        if self.slots[name][0] != "Code" or [kind for kind, _ in args] != ["Pointers", "Pointers"]:
            self.fail(e, "a traced function is called as f(ins, outs) with arrays of pointers")
        self.lines.append(f"  call void {self.local(name)[1]}(ptr {args[0][1]}, ptr {args[1][1]})")
        return "None", ""

    def traced(self, name: str, args: list[Value]) -> Value:
        self.called[f"lw.{name}"] = name
        given = ", ".join(f"double {self.convert(a, 'f64')}" for a in args)
        return "f64", self.new(f"call double @lw.{name}({given})")

    def native(self, e: ast.Call, name: str, args: list[Value]) -> Value:
        function = self.resolve(name)
        if not hasattr(function, "signature"):
            self.fail(e, f"{name!r} is not a native function")
        kinds, result = function.signature
        if len(kinds) != len(args):
            self.fail(e, f"{name} takes {len(kinds)} arguments, got {len(args)}")
        if self.called.setdefault(function.symbol, function) is not function:
            self.fail(e, f"two native functions are called {function.symbol}")
        given = ", ".join(f"{TYPES[k]} {self.convert(a, k)}" for k, a in zip(kinds, args, strict=True))
        if result == "None":
            self.lines.append(f"  call void @{function.symbol}({given})")
            return "None", ""
        return result, self.new(f"call {TYPES[result]} @{function.symbol}({given})")


def _tree(path: str, first: int) -> ast.FunctionDef | None:
    """The function whose decorators begin at a line of a file. It ends where a line is indented no more than it is; closing
    brackets are its own. `inspect.getsource` takes every token for that, and longer than the translation."""
    linecache.checkcache(path)
    lines = linecache.getlines(path)
    defined = next((k for k in range(first, len(lines)) if lines[k].lstrip().startswith("def ")), len(lines))
    indent = len(lines[first]) - len(lines[first].lstrip()) if first < len(lines) else 0
    inside = (x.isspace() or x[: indent + 1].isspace() or x.lstrip()[:1] in (")", "]", "}") for x in lines[defined + 1 :])
    end = defined + 1 + next((k for k, own in enumerate(inside) if not own), len(lines))
    for last in (end, len(lines)):  # to the end of the file where that was wrong: text at the margin within quotes
        with contextlib.suppress(SyntaxError):
            body = ast.parse(textwrap.dedent("".join(lines[first:last]))).body
            return body[0] if body and isinstance(body[0], ast.FunctionDef) else None
    return None


def fields_of(kind: str, resolve: Callable[[str], Any]) -> list[Value]:
    """The fields of a record, a NamedTuple of what native functions take, by name and kind; none of another kind."""
    if not kind.replace(".", "").isidentifier() or kind in TYPES or kind == "None":
        return []
    found = resolve(kind)
    if not hasattr(found, "_fields"):
        return []
    return [(name, getattr(own, "__forward_arg__", own)) for name, own in found.__annotations__.items()]


def aligned(kind: str) -> str:
    """How a value of this kind lies in memory: pointers as the target has them, of four bytes in WebAssembly."""
    return "" if TYPES[kind] == "ptr" else ", align 8"


def is_truth(e: ast.expr) -> bool:
    """Whether Python, too, makes True or False of it (`i or j` of numbers is a number)."""
    if isinstance(e, ast.BoolOp):
        return all(map(is_truth, e.values))
    return isinstance(e, ast.Compare) or (isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not))
