"""Many runs of one problem with other numbers, side by side in SIMD lanes and on several threads; no Python between steps.

    many = Many(motion, projection, shown, form)
    ran = many.run(Runs(y, b, tune), control)

Each lane attempts steps of its own length; one whose run has come to its end gives it away and takes the next. What a lane
computes does not depend on its neighbours: the bits are the same for any number of lanes, threads, and runs in a block.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkwright.compile import Array, Code, Function, Ints, Pointers, cache, i64, native
from linkwright.compile.emit import table_data
from linkwright.compile.fused import fused
from linkwright.compile.jit import Loaded, host, to_object, versions
from linkwright.compile.joined import Ahead, followed, without
from linkwright.compile.lane_values import pointer
from linkwright.compile.lanes import ATTRIBUTES, library, traced_arrays, translated
from linkwright.compile.native import translator_digest
from linkwright.compile.program import Program
from linkwright.solve.attempt import sources
from linkwright.solve.lane_form import ARGUMENTS, ARRAYS, ATOL, DONE, OUTCOME, REGISTERS, ROW, RUNNING, TABLES, Form

BLOCK = 1024  # runs that a thread takes at a time
FIRST_CACHE = 32_768  # bytes; the stages of wider lanes do not stay in it, and narrower ones are faster then
# Two vectors side by side fill the time in which results of the one are waited for: a tenth to a fifth faster for short
# functions, which is worth the longer compilation from so many runs on.
WIDER_FROM, WIDER_OPERATIONS = 200_000, 600
STATE, DESIGN, TUNE = 1, 2, 5  # arguments of traced functions


@dataclass(frozen=True)
class Runs:
    """The numbers that differ between runs, a row each: the state at the start, and two inputs of the traced functions; and
    the absolute tolerance of the last number of the state."""

    y: np.ndarray
    b: np.ndarray
    tune: np.ndarray
    atol: np.ndarray

    def __len__(self) -> int:
        return len(self.y)

    def part(self, first: int, last: int) -> Runs:
        return self.at(slice(first, last))

    def at(self, rows: Any) -> Runs:
        return Runs(self.y[rows], self.b[rows], self.tune[rows], self.atol[rows])


def joined(parts: Sequence[Runs]) -> Runs:
    """All of them, in order."""
    y, b, tune, atol = (np.concatenate([getattr(p, name) for p in parts]) for name in ("y", "b", "tune", "atol"))
    return Runs(y, b, tune, atol)


@dataclass(frozen=True)
class Numbers:
    """The numbers that all runs share: tolerances as `Control.array` has them, numbers of the run (see `lane_form`), times
    of output."""

    tol: np.ndarray
    run: np.ndarray
    times: np.ndarray

    @property
    def tables(self) -> list[np.ndarray]:
        return [self.tol, self.run, np.append(self.times, np.inf)]


@dataclass(frozen=True)
class Ran:
    """A row a run: its registers (see `lane_form`), its reductions, its histories by number and time, its last state."""

    registers: np.ndarray
    acc: np.ndarray
    hist: np.ndarray
    y: np.ndarray

    @property
    def done(self) -> np.ndarray:
        return np.asarray(self.registers[:, OUTCOME] == DONE)


class Many:
    """The compiled code of a problem. `shown`: what is kept, then what `lane_form.EXTRA` names."""

    def __init__(
        self, motion: Function, projection: Function | None, shown: Function, form: Form, lanes: int | None = None,
        *, zeros: Collection[int] = (), lean: bool = False, short: Function | None = None,
    ) -> None:  # fmt: skip
        """`zeros`: numbers of `tune` that are zero in all runs. `lean`: less code and fewer numbers rather than fewer
        operations. `short`: a projection that does for states of steps, where there is one."""
        self.motion, self.projection, self.shown, self.form = motion, projection, shown, form
        self.zeros, self.lean, self.short = tuple(sorted(zeros)), lean, short
        self.lanes = lanes or self._best_lanes()

    def _best_lanes(self) -> int:
        wide = host().lanes
        room = (self.form.stages + 4) * self.form.n * 8 * wide
        return wide if room < FIRST_CACHE else max(wide // 2, 1)

    def of(self, count: int) -> Many:
        """The same for so many runs."""
        twice = 2 * self.lanes
        room = (self.form.stages + 4) * self.form.n * 8 * twice
        if count < WIDER_FROM or room >= FIRST_CACHE or self.motion.program.operations > WIDER_OPERATIONS:
            return self
        return self.with_lanes(twice)

    def with_lanes(self, lanes: int, *, lean: bool = False) -> Many:
        return Many(
            self.motion, self.projection, self.shown, self.form, lanes, zeros=self.zeros, lean=lean, short=self.short
        )  # fmt: skip

    @property
    def functions(self) -> dict[str, tuple[Function, int]]:
        """The traced functions by name, and how many of their outputs are wanted."""
        known = {"motion": (self.motion, 1), "shown": (self.shown, 2)}
        return known | ({} if self.projection is None else {"projection": (self.projection, 1)})

    @cached_property
    def ahead(self) -> Ahead:
        """The programs of the functions, and ``arrive``, which projects a state and takes its derivative; and what of them
        is computed before a run."""
        zeros = {(TUNE, k) for k in self.zeros}
        found = {name: without(f.program, zeros) for name, (f, _) in self.functions.items()}
        if self.projection is not None and not self.lean:
            of_steps = found["projection"] if self.short is None else without(self.short.program, zeros)
            found["arrive"] = followed(of_steps, found["motion"], STATE)
        return Ahead(found, () if self.lean else (DESIGN, TUNE), DESIGN)

    @property
    def programs(self) -> dict[str, tuple[Program, int]]:
        """The programs from which the functions of the text are compiled, and how many outputs of each are wanted."""
        wanted = {name: wanted for name, (_, wanted) in self.functions.items()} | {"arrive": 2}
        return {name: (program, wanted[name]) for name, program in self.ahead.programs.items()}

    def designs(self, runs: Runs) -> np.ndarray:
        """The argument `b` of the programs: that of the runs, and what is computed ahead."""
        return np.concatenate([runs.b, self.ahead({DESIGN: runs.b, TUNE: runs.tune})], axis=1)

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes of the arrays of one lane."""
        n, form = self.form.n, self.form
        b, tune = (self.ahead.programs["motion"].input_sizes[k] for k in (DESIGN, TUNE))
        found = {
            "y": n, "b": b, "none": 1, "tune": tune, "lane": REGISTERS, "K": (form.rows + 1) * n, "z": n, "x": n, "time": 1,
            "out": self.shown.program.output_sizes[0], "more": 3, "acc": form.room,
        }  # fmt: skip
        return {name: max(found[name], 1) for name in ARRAYS}

    @property
    def known(self) -> dict[str, int]:
        """Whole numbers of the text."""
        return {"n": self.form.n, "shown_numbers": self.shown.program.output_sizes[0]}

    def assembly(self) -> str:
        """``begin`` and ``attempt`` of lanes, each exported as a function of one array of pointers."""
        lines = library(self.lanes)
        for name, (whole, wanted) in self.programs.items():
            program = fused(whole, wanted)
            lines += [line.replace("@table", f"@{name}.table") for line in table_data(program.tables)]
            lines += traced_arrays(program, name, self.lanes, wanted)
        lines += self.arriving()
        lines += translated(sources(self.form), self.lanes, self.known)
        return "\n".join([*lines, *self._entry("begin"), *self._entry("attempt"), *ATTRIBUTES])

    def arriving(self, space: int = 0, attribute: str = "#2") -> list[str]:
        """``arrive`` by the two functions it is made of, where it has no program of its own."""
        if self.projection is None or not self.lean:
            return []
        kind = pointer(space)
        given = [f"{kind} %a{k}" for k in range(8)]
        after = [given[0], given[6], *given[2:6], given[7]]
        return [
            f"define internal void @arrive({', '.join(given)}) {attribute} {{",
            f"  call void @projection({', '.join(given[:7])})",
            f"  call void @motion({', '.join(after)})",
            "  ret void",
            "}",
        ]

    def _entry(self, name: str) -> list[str]:
        names = [*ARRAYS, *TABLES]
        loads = [
            f"  %g{k} = getelementptr ptr, ptr %args, i64 {k}\n  %p{k} = load ptr, ptr %g{k}" for k in range(len(names))
        ]
        call = f"  call void @{name}({', '.join(f'ptr %p{k}' for k in range(len(names)))})"
        return [f"define void @{name}.all(ptr %args, ptr %unused) #0 {{", *loads, call, "  ret void", "}"]

    @cached_property
    def key(self) -> str:
        """A key of everything that the machine code follows from, but the target."""
        digests = [f"{name} {f.program.digest} {wanted}" for name, (f, wanted) in self.functions.items()]
        digests += [] if self.short is None else [f"short {self.short.program.digest}"]
        found = [ARGUMENTS, sources(self.form), repr(self.known), repr((self.zeros, self.lean)), *digests]
        return cache.key("many", translator_digest(), *found)

    @cached_property
    def _loaded(self) -> Loaded:
        target = host()
        name = cache.key(self.key, str(self.lanes), repr(target), versions())
        code = cache.load(name)
        if code is None:
            code = to_object(self.assembly(), target, optimise=True)
            cache.store(name, code)
        return Loaded(code, ["begin.all", "attempt.all"])

    # -- running ------------------------------------------------------------------------------------------------------------
    def run(self, runs: Runs, numbers: Numbers, *, threads: int = 1) -> Ran:
        """Make all runs, in the order of `runs`."""
        parts = [runs.part(k, k + BLOCK) for k in range(0, len(runs), BLOCK)]
        found = list(self._all(parts, numbers, threads))
        return Ran(*(np.concatenate([getattr(r, name) for r in found]) for name in ("registers", "acc", "hist", "y")))

    def _all(self, parts: list[Runs], numbers: Numbers, threads: int) -> Iterator[Ran]:
        _ = self._loaded  # machine code is made once, here
        if threads < 2 or len(parts) < 2:
            yield from (self.block(part, numbers) for part in parts)
            return
        with ThreadPoolExecutor(min(threads, len(parts))) as pool:  # native code lets the others run
            yield from pool.map(lambda part: self.block(part, numbers), parts)

    def block(self, runs: Runs, numbers: Numbers) -> Ran:
        """Those of one thread."""
        L, count, form = self.lanes, len(runs), self.form
        rooms = {name: _aligned(size * L) for name, size in self.sizes.items()}
        registers, hist = prepared(runs, form)
        y, b, tune = (np.array(a, dtype=float, order="C") for a in (runs.y, self.designs(runs), runs.tune))
        acc, K = np.zeros((count, form.room)), np.zeros((count, form.n))
        args = [*rooms.values(), *numbers.tables, hist.reshape(-1) if hist.size else np.zeros(1)]
        own = [_flat(a) for a in (b, tune, y, registers, acc, K)]
        sizes = np.array([b.shape[1], tune.shape[1], form.n, REGISTERS, form.room, form.n], dtype=np.int64)
        given = Lanes(args, PLACES, own, sizes, L)
        address = self._loaded.address
        drive(address["begin.all"], address["attempt.all"], count, np.zeros(L, dtype=np.int64), given)
        return Ran(registers, acc, hist, y)


def prepared(runs: Runs, form: Form) -> tuple[np.ndarray, np.ndarray]:
    """Registers as lanes begin with, and room for histories."""
    hist = np.full((len(runs), form.histories, form.points), np.nan)
    registers = np.zeros((len(runs), REGISTERS))
    registers[:, ATOL] = runs.atol
    registers[:, ROW] = rows_of(len(runs), form)
    return registers, hist


def rows_of(count: int, form: Form) -> np.ndarray:
    """Where the histories of each run begin."""
    return np.arange(count, dtype=float) * (form.histories * form.points)


def _flat(a: np.ndarray) -> np.ndarray:
    return a.reshape(-1) if a.size else np.zeros(1)


def _aligned(count: int) -> np.ndarray:
    """Zeros, at the begin of a line of the caches."""
    room = np.zeros(count + 8)
    at = (-room.ctypes.data % 64) // 8
    return room[at : at + count]


# What a run has of its own, and where that is among the arguments of `begin` and `attempt`.
OWN = ("b", "tune", "y", "lane", "acc", "K")
B, TUNED, Y, LANE, ACC, K, END = range(7)
PLACES = np.array([ARRAYS.index(name) for name in OWN], dtype=np.int64)


class Lanes(NamedTuple):
    """The arguments, and which of them are `OWN`; the arrays of all runs, a row each; sizes of these rows; lanes."""

    args: Pointers
    at: Ints
    runs: Pointers
    sizes: Ints
    count: i64  # type: ignore[assignment]  # in place of the method of tuples


@native
def put(first: i64, end: i64, lane: i64, row: i64, p: Lanes) -> None:
    """A run's rows of some arrays into a lane."""
    for a in range(first, end):
        for i in range(p.sizes[a]):
            p.args[p.at[a]][i * p.count + lane] = p.runs[a][row * p.sizes[a] + i]


@native
def take(first: i64, end: i64, lane: i64, row: i64, p: Lanes) -> None:
    """Back."""
    for a in range(first, end):
        for i in range(p.sizes[a]):
            p.runs[a][row * p.sizes[a] + i] = p.args[p.at[a]][i * p.count + lane]


@native
def running(L: i64, outcome: Array) -> i64:
    """Whether all lanes go on."""
    ended = 0
    for lane in range(L):
        ended += outcome[lane] != RUNNING
    return ended == 0


@native
def drive(begin: Code, attempt: Code, count: i64, owner: Ints, p: Lanes) -> None:
    """Begin all runs, a lane each; then attempt steps of all lanes until every run is over. `owner`: the run of a lane, or
    -1. Rows of y, registers and acc end as the runs do."""
    L = p.count
    for first in range((count + L - 1) // L):
        for lane in range(L):
            put(B, ACC, lane, min(first * L + lane, count - 1), p)
        begin(p.args, p.args)
        for lane in range(L):
            take(LANE, END, lane, min(first * L + lane, count - 1), p)
    following = 0
    alive = 0
    for lane in range(L):
        owner[lane] = -1
    state = p.args[p.at[LANE]]
    while True:
        for lane in range(L):
            if owner[lane] >= 0 and state[OUTCOME * L + lane] != RUNNING:
                take(Y, K, lane, owner[lane], p)
                owner[lane] = -1
                alive -= 1
            while owner[lane] < 0 and following < count:
                m = following
                following += 1
                if p.runs[LANE][m * p.sizes[LANE] + OUTCOME] == RUNNING:  # else its start has no numbers
                    owner[lane] = m
                    alive += 1
                    put(B, END, lane, m, p)
        if alive == 0:
            return
        attempt(p.args, p.args)
        while alive == L and running(L, state[OUTCOME * L :]):
            attempt(p.args, p.args)
