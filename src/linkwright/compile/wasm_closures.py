"""Loops with all their arguments but (ins, outs) fixed, as `bound.Bound` here: functions that other loops call as a `Code`.

The fixed arguments are addresses and places in the table of functions, four bytes each; whoever lays out memory writes them
into the block of a closure before it is called.
"""

from __future__ import annotations

from collections.abc import Mapping

from linkwright.compile import wasm_bytes as w
from linkwright.compile.native import Native
from linkwright.compile.wasm_bytes import I32, i32, uleb
from linkwright.errors import CompileError

GET, CALL, LOAD = b"\x20", b"\x10", b"\x28\x02"


def closures(wanted: Mapping[str, tuple[str, Native]], base: int) -> tuple[bytes, dict[str, int], int]:
    """A module that exports name(ins, outs) for each, which calls the loop of the name that is given. Also where their
    blocks are, from the address `base` on, and the first address that these leave free."""
    loops: dict[str, Native] = {}
    for name, (loop, native) in wanted.items():
        kinds, result = native.signature
        if kinds[:2] != ["Pointers", "Pointers"] or result != "None" or {"f64", "i64"} & set(kinds):
            raise CompileError(f"{name} is no closure: {loop} takes numbers, or gives one", remedy="please report this")
        loops[loop] = native
    blocks, at = dict[str, int](), -(-base // 8) * 8
    bodies = []
    for name, (loop, native) in wanted.items():
        blocks[name], count = at, len(native.signature[0]) - 2
        fixed = b"".join(i32(at) + LOAD + uleb(4 * k) for k in range(count))
        bodies.append(w.body([], GET + uleb(0) + GET + uleb(1) + fixed + CALL + uleb(list(loops).index(loop))))
        at += -(-4 * count // 8) * 8
    types = [b"\x60" + w.vector([bytes([I32])] * len(native.signature[0])) + b"\x00" for native in loops.values()]
    imports = [w.name("loops") + w.name(loop) + b"\x00" + uleb(k) for k, loop in enumerate(loops)]
    sections = {
        w.TYPE: w.vector([*types, b"\x60\x02\x7f\x7f\x00"]),
        w.IMPORT: w.vector([*imports, w.name("env") + w.name("memory") + b"\x02\x00\x01"]),
        w.FUNCTION: w.vector([uleb(len(types))] * len(wanted)),
        w.EXPORT: w.vector([w.name(n) + b"\x00" + uleb(len(types) + k) for k, n in enumerate(wanted)]),
        w.CODE: w.vector(bodies),
    }
    return w.module(sections), blocks, at
