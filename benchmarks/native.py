"""A loop in machine code around a function known by its address: what a call costs when no Python is in the way."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache

import llvmlite.binding as llvm

from benchmarks.timing import clock


def _engine(ir: str) -> llvm.ExecutionEngine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(ir), machine)
    engine.finalize_object()
    return engine


@cache
def _loop(arity: int) -> tuple[llvm.ExecutionEngine, int]:
    """void loop(f, n, a0, a1, ...): calls f(a0, a1, ...) n times, n > 0."""
    names = ", ".join(f"ptr %a{k}" for k in range(arity))
    engine = _engine(f"""
        define void @loop(ptr %f, i64 %n, {names}) {{
        entry:
          br label %body
        body:
          %k = phi i64 [0, %entry], [%next, %body]
          call void %f({names})
          %next = add i64 %k, 1
          %more = icmp ult i64 %next, %n
          br i1 %more, label %body, label %done
        done:
          ret void
        }}""")
    return engine, engine.get_function_address("loop")


def time_loop(address: int, arguments: Sequence[int], n: int) -> float:
    """Seconds for n calls of the function at the address, with these pointers as arguments."""
    _, loop = _loop(len(arguments))
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, *[ctypes.c_void_p] * len(arguments))(loop)
    start = clock()
    call(address, n, *arguments)
    return clock() - start


class LoadedObject:
    """A function out of relocatable object code; it lives as long as this object."""

    def __init__(self, code: bytes, name: str) -> None:
        self._engine = _engine("")
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self.address: int = self._engine.get_function_address(name)
