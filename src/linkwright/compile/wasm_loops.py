"""Native loops (`native`) as one WebAssembly module, made by LLVM from the same source: no linker is needed.

One object refers to nothing but itself. The indices and addresses that LLVM writes into it before relocation are those of
its own sections, hence right as they stand. What is missing: exports, and a memory, a stack and a table of its own in place
of imported ones. What is too much: symbols and relocations; with them the padded numbers become short.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from linkwright.compile import cache
from linkwright.compile import wasm_bytes as w
from linkwright.compile.jit import WASM_SCALAR, parse, versions
from linkwright.compile.native import Native
from linkwright.compile.wasm_bytes import Reader, name, sleb, uleb, vector
from linkwright.errors import CompileError

STACK = w.PAGE  # bytes
_FUNCTION, _DATA, _SECTION = 0, 1, 3  # kinds of symbols
_UNDEFINED, _EXPLICIT_NAME = 0x10, 0x40
_SIGNED, _UNSIGNED = {1, 4}, {0, 3, 6, 7, 20}  # kinds of relocations of padded numbers

# as `wasm.soft_fma`
_FMA = """define internal double @lw.fma(double %a, double %b, double %c) nounwind noinline {
  %p = fmul double %a, %b
  %ta = fmul double %a, 134217729.0
  %ua = fsub double %ta, %a
  %ah = fsub double %ta, %ua
  %al = fsub double %a, %ah
  %tb = fmul double %b, 134217729.0
  %ub = fsub double %tb, %b
  %bh = fsub double %tb, %ub
  %bl = fsub double %b, %bh
  %hh = fmul double %ah, %bh
  %e0 = fsub double %hh, %p
  %hl = fmul double %ah, %bl
  %e1 = fadd double %e0, %hl
  %lh = fmul double %al, %bh
  %e2 = fadd double %e1, %lh
  %ll = fmul double %al, %bl
  %e = fadd double %e2, %ll
  %s = fadd double %p, %c
  %d = fsub double %s, %p
  %r0 = fsub double %s, %d
  %r1 = fsub double %p, %r0
  %r2 = fsub double %c, %d
  %r = fadd double %r1, %r2
  %x = fadd double %r, %e
  %z = fadd double %s, %x
  %fine = fcmp ord double %x, %x
  %out = select i1 %fine, double %z, double %s
  ret double %out
}
"""


@dataclass(frozen=True)
class Loops:
    """`code` exports the loops, a "memory" and a "table" of functions; from the address `free` on, and from the place
    `slots` of the table on, both are the user's."""

    code: bytes
    free: int
    slots: int


def loops(natives: Mapping[str, Native]) -> Loops:
    """The loops under these names, from the cache or made now."""
    told = [f"{n} {f.fingerprint()}" for n, f in natives.items()]
    key = cache.key("wasm loops 1", *told, repr(WASM_SCALAR), versions())
    found = cache.load(key)
    if found is None:
        made = _made(natives)
        found = struct.pack("<II", made.free, made.slots) + made.code
        cache.store(key, found)
    return Loops(found[8:], *struct.unpack("<II", found[:8]))


def _made(natives: Mapping[str, Native]) -> Loops:
    whole: Any = None
    for symbol, native in natives.items():
        text = native.assembly().replace("@f(", f"@{symbol}(")
        # after the declaration: the definition takes its place
        lines = [x for x in text.splitlines() if not x.startswith("declare double @llvm.fma.f64")]
        part = parse("\n".join(lines).replace("@llvm.fma.f64(", "@lw.fma(") + "\n" + _FMA, WASM_SCALAR, optimise=False)
        if whole is None:
            whole = part
        else:
            whole.link_in(part)
    machine = WASM_SCALAR.machine(2)
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(whole, builder)
    return _module(_Object(bytes(machine.emit_object(whole))), list(natives))


def _module(obj: _Object, exports: list[str]) -> Loops:
    if obj.missing:
        raise CompileError(f"the loops need functions of others: {', '.join(obj.missing)}", remedy="please report this")
    top = -(-max(obj.data_end(), 1024) // 16) * 16 + STACK  # the stack grows down, towards constants
    s = {k: v for k, v in obj.sections.items() if k in (w.TYPE, w.FUNCTION, w.ELEMENT, w.DATA)}
    slots = obj.table_size()
    s[w.TABLE] = vector([b"\x70\x00" + uleb(slots)])
    s[w.MEMORY] = vector([b"\x00" + uleb(-(-top // w.PAGE))])
    s[w.GLOBAL] = vector([b"\x7f\x01\x41" + sleb(top) + b"\x0b"])
    own = [name(n) + b"\x00" + uleb(obj.functions[n]) for n in exports]
    s[w.EXPORT] = vector([name("memory") + b"\x02\x00", name("table") + b"\x01\x00", *own])
    s[w.CODE] = obj.code()
    return Loops(w.module(s), top, slots)


class _Object:
    """What a relocatable object holds."""

    def __init__(self, data: bytes) -> None:
        r = Reader(data, 8)
        self.sections: dict[int, bytes] = {}
        self.functions: dict[str, int] = {}  # defined ones, by name
        self.relocations: list[tuple[int, int]] = []  # of the code: (kind, place)
        custom: dict[str, Reader] = {}
        while r.at < len(data):
            number, size = r.byte(), r.uleb()
            content = r.bytes(size)
            if number:
                self.sections[number] = content
            else:
                inner = Reader(content)
                custom[inner.name()] = inner
        self._imports()
        self._symbols(custom["linking"])
        if "reloc.CODE" in custom:
            self._relocations(custom["reloc.CODE"])

    def _imports(self) -> None:
        """The functions that would have to come from outside; memory, table and stack become the module's own."""
        self.missing: list[str] = []
        r = Reader(self.sections.get(w.IMPORT, b"\0"))
        for _ in range(r.uleb()):
            r.name()
            what, kind = r.name(), r.byte()
            if kind == 0:
                r.uleb()
                self.missing.append(what)
            elif kind == 3:
                r.bytes(2)
                if what != "__stack_pointer":
                    self.missing.append(what)
            else:
                if kind == 1:
                    r.byte()
                r.limits()

    def _symbols(self, r: Reader) -> None:
        r.uleb()  # version
        while r.at < len(r.data):
            kind, size = r.byte(), r.uleb()
            end = r.at + size
            if kind == 8:
                for _ in range(r.uleb()):
                    self._symbol(r)
            r.at = end

    def _symbol(self, r: Reader) -> None:
        kind, flags = r.byte(), r.uleb()
        if kind == _DATA:
            r.name()
            if not flags & _UNDEFINED:
                for _ in range(3):
                    r.uleb()
        elif kind == _SECTION:
            r.uleb()
        else:
            index = r.uleb()
            if not flags & _UNDEFINED or flags & _EXPLICIT_NAME:
                text = r.name()
                if kind == _FUNCTION and not flags & _UNDEFINED:
                    self.functions[text] = index

    def _relocations(self, r: Reader) -> None:
        r.uleb()  # which section
        for _ in range(r.uleb()):
            kind, place, _ = r.byte(), r.uleb(), r.uleb()
            if kind in (3, 4, 5, 8, 9):
                r.sleb()
            self.relocations.append((kind, place))

    def code(self) -> bytes:
        """With short numbers."""
        content, r = self.sections[w.CODE], Reader(self.sections[w.CODE])
        places = iter(sorted(self.relocations, key=lambda x: x[1]))
        kind, place = next(places, (0, len(content)))
        bodies = []
        for _ in range(r.uleb()):
            size = r.uleb()
            end, body = r.at + size, bytearray()
            while place < end:
                body += r.bytes(place - r.at)
                if kind in _SIGNED:
                    body += sleb(r.sleb())
                elif kind in _UNSIGNED:
                    body += uleb(r.uleb())
                kind, place = next(places, (0, len(content)))
            body += r.bytes(end - r.at)
            bodies.append(uleb(len(body)) + body)
        return vector(bodies)

    def table_size(self) -> int:
        """LLVM's table begins at 1: a null pointer calls nothing."""
        r, size = Reader(self.sections.get(w.ELEMENT, b"\0")), 1
        for _ in range(r.uleb()):
            if r.uleb():
                raise CompileError("the loops have a table of their own", remedy="please report this")
            r.byte()
            start = r.sleb()
            r.byte()
            count = r.uleb()
            for _ in range(count):
                r.uleb()
            size = max(size, start + count)
        return size

    def data_end(self) -> int:
        """The first address that its constants leave free."""
        r, end = Reader(self.sections.get(w.DATA, b"\0")), 0
        for _ in range(r.uleb()):
            r.uleb(), r.byte()
            start = r.sleb()
            r.byte()
            size = r.uleb()
            r.bytes(size)
            end = max(end, start + size)
        return end
