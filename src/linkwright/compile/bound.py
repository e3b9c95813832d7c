"""A native function with all its arguments but (ins, outs) fixed: machine code that is called like a traced function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwright.compile.jit import Loaded, to_object
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
        self._loaded = Loaded(to_object(_trampoline(native.address, kinds[2:], passed)), ["f"])

    @property
    def address(self) -> int:
        return self._loaded.address["f"]


def _trampoline(address: int, kinds: list[str], passed: list[Any]) -> str:
    given = []
    for kind, x in zip(kinds, passed, strict=True):
        if kind == "f64":
            given.append(f"double 0x{np.float64(x).view(np.uint64):016X}")
        else:
            given.append(f"i64 {x}" if kind == "i64" else f"ptr inttoptr (i64 {x} to ptr)")
    arguments = ", ".join(["ptr %in", "ptr %out", *given])
    return (
        "define void @f(ptr %in, ptr %out) nounwind {\n"
        f"  call void inttoptr (i64 {address} to ptr)({arguments})\n  ret void\n}}\n"
    )
