"""WebAssembly run by wasmtime: functions and loops in one memory, arrays put there and read back."""

import ctypes
import struct

import numpy as np
import wasmtime

from linkwright.compile.wasm import encoded
from linkwright.compile.wasm_closures import closures
from linkwright.compile.wasm_loops import loops


class Web:
    """`programs` by name, called as functions of arrays; `natives` by name, called with addresses and numbers."""

    def __init__(self, programs, natives=None):
        self.store = wasmtime.Store()
        engine = self.store.engine
        self.programs, free, self.loops, self.slot = dict(programs), 1024, {}, {}
        if natives:
            made = loops(natives)
            own = wasmtime.Instance(self.store, wasmtime.Module(engine, made.code), []).exports(self.store)
            self.loops, self.memory, table, free = own, own["memory"], own["table"], made.free
        else:
            self.memory = wasmtime.Memory(self.store, wasmtime.MemoryType(wasmtime.Limits(1, None)))
        code, self.end = encoded(programs, free)
        self.memory.grow(self.store, self.end // 65536 + 4)
        self.functions = wasmtime.Instance(self.store, wasmtime.Module(engine, code), [self.memory]).exports(self.store)
        if natives:
            at = table.grow(self.store, len(programs), None)
            assert at == made.slots
            for k, name in enumerate(programs):
                table.set(self.store, at + k, self.functions[name])
                self.slot[name] = at + k
        self.room = {name: self.places(p) for name, p in programs.items()}

    def close(self, loop, native, fixed):
        """The place in the table of a loop with all but (ins, outs) fixed."""
        code, blocks, self.end = closures({"f": (loop, native)}, self.end)
        imports = [self.loops[loop], self.memory]
        own = wasmtime.Instance(self.store, wasmtime.Module(self.store.engine, code), imports).exports(self.store)
        self.write(blocks["f"], struct.pack(f"<{len(fixed)}I", *fixed))
        at = self.loops["table"].grow(self.store, 1, None)
        self.loops["table"].set(self.store, at, own["f"])
        return at

    def put(self, data):
        """The address of a copy of the bytes."""
        at = self.end = -(-self.end // 8) * 8
        self.end += max(len(data), 8)
        while self.end > self.memory.data_len(self.store):
            self.memory.grow(self.store, 16)
        self.write(at, data)
        return at

    def write(self, at, data):
        ctypes.memmove(ctypes.addressof(self.memory.data_ptr(self.store).contents) + at, bytes(data), len(data))

    def array(self, x):
        return self.put(np.ascontiguousarray(x).tobytes())

    def pointers(self, addresses):
        return self.put(struct.pack(f"<{len(addresses)}I", *addresses))

    def read(self, at, count, kind=np.float64):
        base = ctypes.addressof(self.memory.data_ptr(self.store).contents) + at
        return np.frombuffer(ctypes.string_at(base, count * 8), dtype=kind).copy()

    def places(self, program):
        ins = [self.array(np.zeros(max(n, 1))) for n in program.input_sizes]
        outs = [self.array(np.zeros(max(n, 1))) for n in program.output_sizes]
        return ins, outs, self.pointers(ins), self.pointers(outs)

    def __call__(self, name, *args):
        ins, outs, p_ins, p_outs = self.room[name]
        for at, x in zip(ins, args, strict=True):
            self.write(at, np.ascontiguousarray(x, dtype=float).tobytes())
        self.functions[name](self.store, p_ins, p_outs)
        return [self.read(at, n) for at, n in zip(outs, self.programs[name].output_sizes, strict=True)]

    def run(self, loop, *args):
        return self.loops[loop](self.store, *args)
