"""Functions written in a small part of Python, compiled to native code; see `translate` for the language.

    @native
    def axpy(n: i64, a: f64, x: Array, y: Array) -> None:
        for i in range(n):
            y[i] += a * x[i]

``axpy(3, 2.0, x, y)`` runs the machine code; ``axpy.python`` is the function itself, the reference of the tests.
A traced `Function` is an argument of type `Code` and called with two arrays of pointers: ``f(ins, outs)``. Arguments that
go together are the fields of a NamedTuple, a *record*: ``p.f(p.ins, p.outs)``; machine code takes them one by one.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import math
import operator
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from linkwright.compile import cache
from linkwright.compile.emit import Body, declarations
from linkwright.compile.function import Function
from linkwright.compile.jit import Loaded, host, to_object, versions
from linkwright.compile.program import linearise
from linkwright.compile.translate import Translator
from linkwright.compile.translate_values import fields_of
from linkwright.compile.vector import Vector
from linkwright.errors import ArgumentError, CompileError
from linkwright.graph import functions, symbols

f64: TypeAlias = float
i64: TypeAlias = int
Array: TypeAlias = np.ndarray  # float64
Ints: TypeAlias = np.ndarray  # int64
Pointers: TypeAlias = Sequence[np.ndarray]
Code: TypeAlias = Callable[[Any, Any], None]
Codes: TypeAlias = Sequence[Callable[[Any, Any], None]]

# Builtins of the language, for when it runs as plain Python.
sqrt, floor, isfinite, exp, log, sin, cos = math.sqrt, math.floor, math.isfinite, math.exp, math.log, math.sin, math.cos
power = math.pow

_CTYPE = {"f64": ctypes.c_double, "i64": ctypes.c_int64, "None": None}
_LIBRARY = """declare i64 @llvm.abs.i64(i64, i1)
declare i64 @llvm.fptosi.sat.i64.f64(double)
attributes #0 = { nounwind }
attributes #1 = { nounwind noinline optnone }
"""


@dataclass
class Prepared:
    """A call whose arguments are as C takes them, in `passed`."""

    function: Callable[..., Any]
    passed: list[Any]
    keep: list[Any]

    def __call__(self) -> Any:
        return self.function(*self.passed)


class Native:
    """A compiled function of the language."""

    inlined = True
    seldom = False

    def __init__(self, function: Callable[..., Any]) -> None:
        self.python = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.symbol = f"{function.__module__}.{function.__qualname__}".replace("<locals>.", "")
        self.compact = False  # its calls are not inlined, its loops not unrolled, what is outlined not optimised

    def _resolve(self, name: str) -> Any:
        """What a name stands for, or the name of a module and one in it: "stepping.FINE"."""
        function, (first, *inside) = self.python, name.split(".")
        free = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
        try:
            found = free[first].cell_contents if first in free else function.__globals__[first]
            return functools.reduce(getattr, inside, found)
        except (KeyError, AttributeError):
            raise CompileError(f"the name {name!r} is not known", element=self.__name__) from None

    @cached_property
    def _translated(self) -> tuple[Translator, str]:
        translator = Translator(self.symbol, self.python, self._resolve)
        text = translator.translate()
        return translator, text if self.inlined else text.replace(") #0 {", ") noinline #0 {", 1)

    @cached_property
    def signature(self) -> tuple[list[str], str]:
        kinds = dict(self.python.__annotations__)
        result = kinds.pop("return", "None") or "None"
        if all(isinstance(kind, str) for kind in (result, *kinds.values())):
            every = [[k for _, k in fields_of(kind, self._resolve)] or [kind] for kind in kinds.values()]
            return [kind for own in every for kind in own], result
        translator = Translator(self.symbol, self.python, self._resolve)
        return [kind for _, kind in translator.parameters], translator.result

    def fingerprint(self) -> str:
        """A name for all that its machine code follows from, found without translating it: bytecode, annotations and
        constants, its own and those of what it calls, and the translator itself."""
        parts, seen, todo = [sys.version, translator_digest()], set[str](), [self]
        while todo:
            native = todo.pop()
            code = native.python.__code__
            named = native._named()
            called = {name: x for name, x in named.items() if isinstance(x, Native)}
            numbers = {name: x for name, x in named.items() if isinstance(x, int | float | str | tuple)}
            told = {name: x.symbol for name, x in called.items()}
            parts.append(repr((native.symbol, native.inlined, native.seldom, native.compact, code.co_code, code.co_consts,
                               code.co_names, code.co_varnames, native.signature, numbers, told)))  # fmt: skip
            seen.add(native.symbol)
            todo += [x for x in called.values() if x.symbol not in seen]
        return cache.key(*sorted(parts))

    def _named(self) -> dict[str, Any]:
        """What the names of its code stand for; of a module what is there under one of them."""
        code, known = self.python.__code__, self.python.__globals__
        named = {name: self._resolve(name) for name in (*code.co_names, *code.co_freevars)
                 if name in known or name in code.co_freevars}  # fmt: skip
        modules = [(name, vars(x)) for name, x in named.items() if isinstance(x, ModuleType)]
        return named | {f"{m}.{name}": own[name] for m, own in modules for name in code.co_names if name in own}

    def assembly(self) -> str:
        """The function and all it calls, as one module that exports ``f``."""
        return "\n".join(self.modules(compact=False)[0])

    def modules(self, compact: bool) -> tuple[list[str], list[str]]:
        """The same; if it is to be compact, in two modules: itself and what is outlined, of which LLVM leaves as it is what
        runs seldom, and the rest of what it calls, which is to be optimised."""
        todo: list[Native] = [self]
        parts: dict[str, str] = {}
        known: dict[str, Native] = {}
        traced: set[str] = set()
        while todo:
            native = todo.pop()
            if known.setdefault(native.symbol, native) is not native:
                raise CompileError(f"two native functions are called {native.symbol}", element=self.__name__)
            if native.symbol in parts:
                continue
            translator, parts[native.symbol] = native._translated
            traced.update(x for x in translator.called.values() if isinstance(x, str))
            todo += [x for x in translator.called.values() if isinstance(x, Native)]
        kinds, result = self.signature
        typed = ["double" if k == "f64" else "i64" if k == "i64" else "ptr" for k in kinds]
        arguments = ", ".join(f"{t} %a{k}" for k, t in enumerate(typed))
        llvm = {"None": "void", "f64": "double", "i64": "i64"}[result]
        call = f"call {llvm} @{self.symbol}({arguments})"
        finish = f"  {call}\n  ret void" if result == "None" else f"  %r = {call}\n  ret {llvm} %r"
        entry = f"define {llvm} @f({arguments}) #0 {{\n{finish}\n}}"
        inner = [traced_function(name) for name in sorted(traced)]
        head, texts = [*declarations(1), _LIBRARY], [parts[k] for k in sorted(parts)]
        if not compact:
            return [*head, *inner, *texts, entry], []
        plain = [_as_it_is(parts[k]) if known[k].seldom else parts[k] for k in sorted(parts)
                 if known[k] is self or not known[k].inlined]  # fmt: skip
        dense = [*inner, *(parts[k] for k in sorted(parts) if known[k] is not self and known[k].inlined)]
        return [*head, *map(_declared, dense), *map(_shared, plain), entry], [
            *head,
            *map(_declared, plain),
            *map(_shared, dense),
        ]

    @cached_property
    def _loaded(self) -> Loaded:
        target = host()
        name = cache.key("native", self.fingerprint(), repr(target), versions())
        code = cache.load(name)
        if code is None:
            main, dense = map("\n".join, self.modules(self.compact))
            code = to_object(main, target, optimise=not self.compact, dense=dense)
            cache.store(name, code)
        return Loaded(code, ["f"])

    @property
    def address(self) -> int:
        return self._loaded.address["f"]

    @cached_property
    def _call(self) -> Any:
        kinds, result = self.signature
        types = [_CTYPE.get(k, ctypes.c_void_p) for k in kinds]
        return self._loaded.function("f", *types, result=_CTYPE[result])

    def __call__(self, *args: Any) -> Any:
        kinds, args = self.signature[0], _flat(args)
        if len(args) != len(kinds):
            raise ArgumentError(f"takes {len(kinds)} arguments, got {len(args)}", element=self.__name__)
        return self.prepared(*args)()

    @property
    def unchecked(self) -> Any:
        """The call as C takes it, arrays by their addresses: for callers that have looked at their arguments themselves."""
        return self._call

    def prepared(self, *args: Any) -> Prepared:
        """The call with these arguments, to be made again and again; arrays are taken as they are then."""
        kinds, args = self.signature[0], _flat(args)
        keep: list[Any] = [args]
        return Prepared(self._call, [self._pass(kind, x, keep) for kind, x in zip(kinds, args, strict=True)], keep)

    def _pass(self, kind: str, x: Any, keep: list[Any]) -> Any:
        """An argument as C takes it; `keep` holds what must outlive the call."""
        if kind in ("f64", "i64"):
            try:
                return float(x) if kind == "f64" else operator.index(x)
            except TypeError:
                raise ArgumentError(f"an argument of type {kind} got {x!r}", element=self.__name__) from None
        if kind == "Code":
            return x if isinstance(x, int) else x.address
        if kind in ("Pointers", "Codes") and isinstance(x, np.ndarray) and x.dtype == np.uintp:
            return x.ctypes.data  # addresses already
        if kind == "Codes":
            addresses = np.array([self._pass("Code", f, keep) for f in x] or [0], dtype=np.uintp)
            keep.append(addresses)
            return addresses.ctypes.data
        if kind == "Pointers":
            pointers = np.array([self._pass("Array", a, keep) for a in x] or [0], dtype=np.uintp)
            keep.append(pointers)
            return pointers.ctypes.data
        wanted = np.float64 if kind == "Array" else np.int64
        if not (isinstance(x, np.ndarray) and x.dtype == wanted and x.flags.c_contiguous):
            raise ArgumentError(
                f"an argument of type {kind} must be a contiguous array of {np.dtype(wanted)}", element=self.__name__
            )
        return x.ctypes.data


def _flat(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments with the fields of records in their place."""
    if not any(hasattr(x, "_fields") for x in args):
        return args
    return tuple(x for a in args for x in (a if hasattr(a, "_fields") else (a,)))


def _as_it_is(text: str) -> str:
    """The definition of a function that is neither optimised nor inlined: it is made in a fifth of the time."""
    return re.sub(r"\) (noinline )?#0 \{", ") #1 {", text, count=1)


def _shared(text: str) -> str:
    """The definition of a function that another module calls."""
    return text.replace("define internal ", "define hidden ", 1)


def _declared(text: str) -> str:
    """What the other module says of it."""
    head = text[: text.index(")")].replace("define internal ", "declare hidden ", 1)
    return re.sub(r" %a\d+", "", head) + ")"


@functools.cache
def translator_digest() -> str:
    """Of the sources of the translator, and of the kernels that it inserts."""
    here = Path(__file__).parent
    sources = sorted([*here.glob("*.py"), *(here.parent / "graph").glob("*.py")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def native(function: Callable[..., Any]) -> Native:
    """Compile the function when it is first called."""
    return Native(function)


def traced_function(name: str) -> str:
    """``double @lw.name(double, ...)`` from the traced kernel of the function."""
    arity = 2 if name == "power" else 1
    x = symbols("x", arity)
    program = linearise([list(x)], [[getattr(functions, name)(*x)]])
    body = Body(program, Vector(1))
    for number, instruction in enumerate(program.instructions):
        if instruction.op == "input":
            body.value[number] = f"%a{instruction.data[1]}"
        else:
            body.write(number)
    arguments = ", ".join(f"double %a{k}" for k in range(arity))
    return "\n".join(
        [f"define internal double @lw.{name}({arguments}) #0 {{", *body.lines,
         f"  ret double {body.value[program.outputs[0][0]]}", "}"]
    )  # fmt: skip


def outlined(function: Callable[..., Any]) -> Native:
    """As `native`, and never copied into its callers: for what is called from many places and costs more than the call."""
    out = native(function)
    out.inlined = False
    return out


@native
def copy(count: i64, source: Array, target: Array) -> None:
    for i in range(count):
        target[i] = source[i]


@native
def _repeat(f: Code, ins: Pointers, outs: Pointers, n: i64) -> None:
    for _ in range(n):
        f(ins, outs)


def seldom(function: Callable[..., Any]) -> Native:
    """As `outlined`, for what runs a few times a step at most and takes little of it: in a compact module it is made
    quickly, products and sums not fused."""
    out = outlined(function)
    out.seldom = True
    return out


def time_calls(function: Function, n: int, *args: Any) -> float:
    """Seconds for n calls of a compiled function from native code: its cost without Python's."""
    from time import perf_counter

    arrays = [np.ascontiguousarray(a, dtype=float) for a in args]
    outs = [np.empty(max(int(np.prod(s)), 1)) for s in function.outputs.values()]
    _repeat(function, arrays, outs, 1)
    start = perf_counter()
    _repeat(function, arrays, outs, n)
    return perf_counter() - start
