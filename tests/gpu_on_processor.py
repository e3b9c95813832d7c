"""Kernels for a GPU run on the processor, as those of one thread: in place of a GPU and its driver."""

import ctypes
from functools import cached_property

import numpy as np

from linkwright.compile.jit import Loaded, host, to_object
from linkwright.solve import many_gpu
from linkwright.solve.many_gpu import ManyOnGpu

# What the GPU says of a thread: each call of a kernel here is the next block of one thread.
THREAD = """
@block = internal global i32 0
define internal i32 @llvm_tid() { ret i32 0 }
define internal i32 @llvm_size() { ret i32 1 }
define internal i32 @llvm_block() {
  %b = atomicrmw add ptr @block, i32 1 monotonic
  ret i32 %b
}
define internal i32 @llvm_wait(i32 %x) { ret i32 %x }
define void @rewind() {
  store i32 0, ptr @block
  ret void
}
"""
NAMES = {
    "@llvm.nvvm.read.ptx.sreg.tid.x": "@llvm_tid", "@llvm.nvvm.read.ptx.sreg.ctaid.x": "@llvm_block",
    "@llvm.nvvm.read.ptx.sreg.ntid.x": "@llvm_size", "@llvm.nvvm.barrier0.or": "@llvm_wait", "ptx_kernel ": "",
}  # fmt: skip


class Processor:
    """Its memory."""

    processor, memory = "sm_90", 1 << 24

    def use(self):
        pass

    def put(self, x):
        return np.array(x, order="C")

    def room(self, count):
        return np.full(count, np.nan)

    def write(self, place, first, x):
        place[first : first + x.size] = x.reshape(-1)

    def get(self, place, shape):
        return place.reshape(-1)[: int(np.prod(shape))].reshape(shape).copy()

    def free(self, *places):
        pass


class Kernels:
    def __init__(self, assembly):
        lines = [line for line in assembly.splitlines() if not line.startswith("declare i32 @llvm.nvvm")]
        text = "\n".join(lines) + THREAD
        for old, new in NAMES.items():
            text = text.replace(old, new)
        self.loaded = Loaded(to_object(text, host(), optimise=True), ["begin_runs", "run_runs", "rewind"])

    def blocks(self, name, threads):
        return 1

    def __call__(self, name, grid, block, *args):
        types = [ctypes.c_void_p] * (len(args) - 1) + [ctypes.c_int64]
        run = self.loaded.function(name, *types)
        run_all = name == "begin_runs"
        for _ in range(args[-1] if run_all else 1):
            run(*[a.ctypes.data for a in args[:-1]], args[-1])
        if run_all:  # counts blocks from zero again
            self.loaded.function("rewind")()


def use_processor(monkeypatch):
    """From now on a GPU is the processor."""
    made = cached_property(lambda self: Kernels(self.assembly()))
    made.__set_name__(ManyOnGpu, "_kernel")
    monkeypatch.setattr(ManyOnGpu, "_kernel", made)
    monkeypatch.setattr(many_gpu, "gpu", Processor)
