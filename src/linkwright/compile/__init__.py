"""From graph to machine code: one machine, SIMD lanes of machines, all cores; kept on disk. Knows no mechanics."""

from linkwright.compile.function import Function
from linkwright.compile.native import (
    Array,
    Code,
    Codes,
    Ints,
    Native,
    Pointers,
    copy,
    f64,
    i64,
    isfinite,
    native,
    outlined,
    power,
    seldom,
    sqrt,
    time_calls,
)

__all__ = ["Array", "Code", "Codes", "Function", "Ints", "Native", "Pointers", "copy", "f64", "i64", "isfinite", "native",
           "outlined", "power", "seldom", "sqrt", "time_calls"]  # fmt: skip
