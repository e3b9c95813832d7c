"""The kernels around `begin` and `attempt`, as LLVM assembly. Element k of run m is at base[k * count + m] of an array."""

from __future__ import annotations

from collections.abc import Mapping

from linkwright.solve.lane_form import ARRAYS, OUTCOME, TABLES

GLOBAL = "ptr addrspace(1)"
# Arrays of all runs: what a lane begins with and what it ends with.
GIVEN = ("y", "b", "tune", "lane", "acc", "K")
BEGUN = ("lane", "acc", "K")
LEFT = ("y", "lane", "acc")
_TID = """declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.barrier0.or(i32)"""


class _Copies:
    """Copies between arrays of all runs and those of a thread, written out."""

    def __init__(self, sizes: Mapping[str, int], n: int) -> None:
        self.sizes = {**sizes, "K": n}  # of the stages only the first is there between attempts
        self.count = 0

    def _each(self, name: str, run: str) -> list[tuple[str, str]]:
        """Lines that find the places of each number; the names of both."""
        out = []
        for k in range(self.sizes[name]):
            self.count += 1
            c = self.count
            lines = f"""  %far{c} = mul i64 %count, {k}
  %at{c} = add i64 %far{c}, {run}
  %all{c} = getelementptr double, {GLOBAL} %g.{name}, i64 %at{c}
  %own{c} = getelementptr double, ptr %{name}, i64 {k}"""
            out.append((lines, str(c)))
        return out

    def fetch(self, names: tuple[str, ...], run: str) -> str:
        return self._moved(names, run, f"{GLOBAL} %all", "ptr %own")

    def give(self, names: tuple[str, ...], run: str) -> str:
        return self._moved(names, run, "ptr %own", f"{GLOBAL} %all")

    def _moved(self, names: tuple[str, ...], run: str, source: str, target: str) -> str:
        each = [x for name in names for x in self._each(name, run)]
        return "\n".join(f"{x}\n  %x{c} = load double, {source}{c}\n  store double %x{c}, {target}{c}" for x, c in each)


def kernels(sizes: Mapping[str, int], n: int, *, in_step: bool) -> str:
    """`in_step`: the threads of a block wait for each other before every attempt."""
    copies = _Copies(sizes, n)
    rooms = "\n".join(f"  %{name} = alloca [{size} x double], align 16" for name, size in sizes.items())
    tables = "\n".join(f"  %{name} = addrspacecast {GLOBAL} %g.{name} to ptr" for name in TABLES)
    arguments = ", ".join([*[f"{GLOBAL} %g.{name}" for name in (*GIVEN, *TABLES, "next")], "i64 %count"])
    call = ", ".join(f"ptr %{name}" for name in (*ARRAYS, *TABLES))
    wait = """  %p = zext i1 %works to i32
  %q = call i32 @llvm.nvvm.barrier0.or(i32 %p)
  %go = icmp ne i32 %q, 0"""
    return f"""
{_TID}
define ptx_kernel void @begin_runs({arguments}) #0 {{
entry:
{rooms}
{tables}
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = mul i32 %block, %size
  %mine = add i32 %first, %tid
  %m = zext i32 %mine to i64
  %some = icmp slt i64 %m, %count
  br i1 %some, label %work, label %exit
work:
{copies.fetch(("y", "b", "tune", "lane"), "%m")}
  call void @begin({call})
{copies.give(BEGUN, "%m")}
  br label %exit
exit:
  ret void
}}
define ptx_kernel void @run_runs({arguments}) #0 {{
entry:
{rooms}
{tables}
  %outcome = getelementptr double, ptr %lane, i64 {OUTCOME}
  store double 1.0, ptr %outcome
  br label %loop
loop:
  %owner = phi i64 [ -1, %entry ], [ %now, %attempt ]
  %state = load double, ptr %outcome
  %busy = fcmp oeq double %state, 0.0
  br i1 %busy, label %ready, label %ended
ended:
  %had = icmp sge i64 %owner, 0
  br i1 %had, label %give, label %look
look:
  %never = icmp eq i64 %owner, -1
  br i1 %never, label %take, label %ready
give:
{copies.give(LEFT, "%owner")}
  br label %take
take:
  %mine = atomicrmw add {GLOBAL} %g.next, i64 1 monotonic
  %some = icmp slt i64 %mine, %count
  br i1 %some, label %fill, label %idle
idle:
  br label %ready
fill:
{copies.fetch(GIVEN, "%mine")}
  br label %ready
ready:
  %now = phi i64 [ %owner, %loop ], [ %mine, %fill ], [ -2, %idle ], [ %owner, %look ]
  %works = icmp sge i64 %now, 0
{wait if in_step else "  %go = icmp sge i64 %now, 0"}
  br i1 %go, label %attempt, label %exit
attempt:
  call void @attempt({call})
  br label %loop
exit:
  ret void
}}
"""
