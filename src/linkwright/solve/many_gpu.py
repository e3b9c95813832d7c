"""Many runs on a GPU: the functions of `attempt`, compiled for one lane, as kernels; a thread takes one run after the other.

Small problems have every loop and call written out: no array is left in memory. Larger ones call their traced functions,
with the stages in the thread's own memory. In either case the instructions are in an order with few values alive. Threads
of a block wait for each other before every attempt of an adaptive method: warps that are at different places push each
other's code out of the instruction cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwright.compile import cache
from linkwright.compile.emit import table_data
from linkwright.compile.fused import fused
from linkwright.compile.gpu import Gpu, Kernel, gpu
from linkwright.compile.jit import nvptx, to_assembly, versions
from linkwright.compile.lanes import ATTRIBUTES, library, traced_arrays, translated
from linkwright.compile.order import ordered
from linkwright.solve.attempt import sources
from linkwright.solve.gpu_kernels import kernels
from linkwright.solve.lane_form import ATOL, REGISTERS, ROW
from linkwright.solve.many import Many, Numbers, Ran, Runs, rows_of

WRITTEN_OUT = 130, 1000  # numbers in all stages, operations of an evaluation: up to these all is in one piece (measured)
OWN_MEMORY = 5  # the address space of a thread's own arrays
BLOCK_WRITTEN_OUT, BLOCK = 256, 128
SHARE = 0.4  # of the free memory that a launch takes


@dataclass(frozen=True, eq=False)
class ManyOnGpu:
    """`problem`: what is run; its lanes do not matter."""

    problem: Many

    @cached_property
    def many(self) -> Many:
        """Where functions are called, code and numbers in a thread's own memory cost more than operations (measured: of a
        chain of three 3,060 million steps a second and 2,400 million)."""
        return self.problem.with_lanes(1, lean=not self.is_written_out)

    @property
    def is_written_out(self) -> bool:
        numbers, operations = WRITTEN_OUT
        form, motion = self.problem.form, self.problem.motion
        return form.n * form.stages <= numbers and motion.program.operations <= operations

    @property
    def threads(self) -> int:
        """Of a block."""
        return BLOCK_WRITTEN_OUT if self.is_written_out else BLOCK

    def assembly(self) -> str:
        """Two kernels, ``begin_runs`` and ``run_runs``."""
        m, out = self.many, self.is_written_out
        space = 0 if out else OWN_MEMORY
        lines = library(1)
        for name, (whole, wanted) in m.programs.items():
            program = ordered(fused(whole, wanted), wanted)
            lines += [line.replace("@table", f"@{name}.table") for line in table_data(program.tables)]
            lines += traced_arrays(program, name, 1, wanted, attribute="#2" if out else "#1", space=space)
        lines += m.arriving(space)
        lines += translated(sources(m.form), 1, m.known, attribute="#2", space=space, written_out=out)
        return "\n".join([*lines, kernels(m.sizes, m.form.n, in_step=not m.form.method.fixed), *ATTRIBUTES])

    def ptx(self, processor: str) -> str:
        """The kernels as the driver takes them."""
        target = nvptx(processor)
        name = cache.key("ptx", self.many.key, repr(target), versions())
        code = cache.load(name)
        if code is None:
            code = to_assembly(self.assembly(), target, optimise=True).encode()
            cache.store(name, code)
        return code.decode()

    @cached_property
    def _kernel(self) -> Kernel:
        device = gpu()
        return Kernel(device, self.ptx(device.processor), ["begin_runs", "run_runs"])

    def run(self, runs: Runs, numbers: Numbers) -> Ran:
        """All of them, in as many launches as the GPU's memory takes."""
        device = gpu()
        device.use()
        each = 8 * (sum(self.many.sizes[k] for k in ("y", "b", "tune", "lane", "acc")) + self.many.form.n)
        each += 8 * self.many.form.points * self.many.form.histories
        most = max(1024, int(SHARE * device.memory) // each)
        found = [self._launched(device, runs.part(k, k + most), numbers) for k in range(0, len(runs), most)]
        return Ran(*(np.concatenate([getattr(r, name) for r in found]) for name in ("registers", "acc", "hist", "y")))

    def _launched(self, device: Gpu, runs: Runs, numbers: Numbers) -> Ran:
        """Arrays are there with runs along their last axis; what comes back are views with runs along the first."""
        count, form, sizes = len(runs), self.many.form, self.many.sizes
        given = [device.put(a.T) for a in (runs.y, self.many.designs(runs), runs.tune)]
        lane, acc, K = (device.room(k * count) for k in (sizes["lane"], sizes["acc"], form.n))
        device.write(lane, ATOL * count, runs.atol)
        device.write(lane, ROW * count, rows_of(count, form))
        hist = device.room(max(count * form.histories * form.points, 1))
        tables = [device.put(a) for a in (*numbers.tables,)]
        counter = device.put(np.zeros(1, dtype=np.int64))
        placed = [*given, lane, acc, K, *tables, hist, counter]
        try:
            self._kernel("begin_runs", -(-count // 128), 128, *placed, count)
            grid = min(self._kernel.blocks("run_runs", self.threads), -(-count // self.threads))
            self._kernel("run_runs", grid, self.threads, *placed, count)
            y, registers, kept = (
                device.get(place, (k, count)).T for place, k in ((given[0], form.n), (lane, REGISTERS), (acc, form.room))
            )
            return Ran(registers, kept, device.get(hist, (count, form.histories, form.points)), y)
        finally:
            device.free(*placed)
