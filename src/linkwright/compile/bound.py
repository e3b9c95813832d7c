"""A native function with all its arguments but (ins, outs) fixed: machine code that is called like a traced function."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache as once
from typing import Any

import numpy as np

from linkwright.compile import cache
from linkwright.compile.jit import Loaded, host, to_object, versions
from linkwright.compile.native import Native
from linkwright.errors import ArgumentError


class Bound:
    """``void f(double **in, double **out)`` that calls native(ins, outs, *fixed), for loops that take a `Code`.

    ``inputs`` and ``outputs``: shapes by name, as of a `Function`. Arrays among the fixed arguments are kept, not copied.
    """

    def __init__(
        self, native: Native, fixed: list[Any], inputs: Mapping[str, tuple[int, ...]], outputs: Mapping[str, tuple[int, ...]]
    ) -> None:
        kinds, result = native.signature
        if kinds[:2] != ["Pointers", "Pointers"] or result != "None" or len(kinds) != len(fixed) + 2:
            raise ArgumentError(
                f"takes (ins, outs) and {len(kinds) - 2} more arguments, got {len(fixed)}", element=native.__name__
            )
        self.inputs, self.outputs = inputs, outputs
        self._keep: list[Any] = [native, fixed]
        passed = [native._pass(kind, x, self._keep) for kind, x in zip(kinds[2:], fixed, strict=True)]
        bits = [np.float64(x).view(np.uint64) if kind == "f64" else x for kind, x in zip(kinds[2:], passed, strict=True)]
        block = np.array([native.address, *bits]).astype(np.uint64)
        self._loaded = Loaded(_code(tuple(kinds[2:])), ["f", "block"])
        ctypes.memmove(self._loaded.address["block"], block.ctypes.data, block.nbytes)

    @property
    def address(self) -> int:
        return self._loaded.address["f"]


@once
def _code(kinds: tuple[str, ...]) -> bytes:
    """The machine code for arguments of these kinds: the same for all functions that take them, and kept on disk."""
    target = host()
    name = cache.key("bound", repr(kinds), repr(target), versions())
    code = cache.load(name)
    if code is None:
        code = to_object(_trampoline(kinds), target)
        cache.store(name, code)
    return code


def _trampoline(kinds: tuple[str, ...]) -> str:
    """A function that takes what it calls, and with what, from a block of data beside it."""
    types = ["double" if kind == "f64" else "i64" if kind == "i64" else "ptr" for kind in kinds]
    lines = [
        f"  %x{k} = load {kind}, ptr getelementptr (i64, ptr @block, i64 {k}), align 8"
        for k, kind in enumerate(["ptr", *types])
    ]
    arguments = ", ".join(["ptr %in", "ptr %out", *[f"{kind} %x{k}" for k, kind in enumerate(types, start=1)]])
    return "\n".join([
        f"@block = global [{len(lines)} x i64] zeroinitializer, align 8", "define void @f(ptr %in, ptr %out) nounwind {",
        *lines, f"  call void %x0({arguments})", "  ret void", "}", "",
    ])  # fmt: skip
