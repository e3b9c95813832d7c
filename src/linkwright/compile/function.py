"""A traced function as native code."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache as cache_calls
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from linkwright.compile import cache
from linkwright.compile.clock import CLOCK
from linkwright.compile.emit import emit_module
from linkwright.compile.jit import Loaded, host, to_object, versions
from linkwright.compile.program import Program, linearise
from linkwright.errors import ArgumentError, CompileError
from linkwright.graph.expr import LOGICAL, Expr

# Part of every cache entry's name: to be raised when the emitter or the kernels change what a program means.
GENERATION = 3
# Operations a thread must have to do before it is worth waking: some 100 us of work.
PER_THREAD = 2_000_000
# Operations of one call of native code, during which nothing else is heard: some 50 ms.
PER_SLICE = 50_000_000
# Where a program is called from Python, one machine at a time, it is compiled quickly: the calls are too few to pay for good
# code, which takes 2 ms and 35 us an instruction more, is a quarter faster and so pays after 400,000 calls. From LONG on
# that holds for a few machines at a time, too, and for loops that do not call it often. From VERY_LONG on it holds for all
# native loops: good code would pay after millions of evaluations.
LONG = 200
VERY_LONG = 150_000
# Programs in pieces keep in memory what pieces share, so that good code gains little: of 10,000 instructions nothing to a
# fifth, and takes 0.3 s more to make. It pays after a million evaluations.
IN_PIECES = 6_000
FEW = 1_000

Address = int
_DOUBLE = np.dtype(np.float64)


class Room:
    """Arrays for one call of a function, and C's view of them. `input` and `output` hold all numbers, one array after the
    other; `given` and `parts`: where each array is, and its shape, if it is not of one axis."""

    def __init__(self, inputs: list[tuple[int, ...]], outputs: list[tuple[int, ...]]) -> None:
        self.input, self.given, places = _flat(inputs)
        self.inputs = [self.input[part].reshape(shape) for (part, _), shape in zip(self.given, inputs, strict=True)]
        self.output, self.parts, others = _flat(outputs)
        self.pointers = [
            np.array([a.ctypes.data + 8 * k for k in at], dtype=np.uintp)
            for a, at in ((self.input, places), (self.output, others))
        ]
        self.ins, self.outs = (ctypes.c_void_p(p.ctypes.data) for p in self.pointers)
        self.loop: Any = None  # over many points, see `rows`


def _flat(shapes: list[tuple[int, ...]]) -> tuple[np.ndarray, list[tuple[slice, tuple[int, ...] | None]], list[int]]:
    """Room for arrays of these shapes, the part of each, and where they begin."""
    ends = list(accumulate([prod(shape) for shape in shapes], initial=0))
    parts = [(slice(a, b), None if len(s) == 1 else s) for (a, b), s in zip(pairwise(ends), shapes, strict=True)]
    return np.zeros(max(ends[-1], 1)), parts, ends


class Function:
    """Native code for the outputs as functions of the inputs.

    ``inputs`` and ``outputs`` map names to arrays (any shape) of symbols and of scalars. Calling it takes the
    inputs as arrays in that order and returns the outputs as a tuple of arrays. It is compiled when first called;
    may be called from several threads at once; pickles as its program.

    ``often``: whether native loops call it so often that good code pays. By default it is compiled well for native loops
    and quickly for calls from Python; True: well for both, which share the code, False: quickly for both.
    """

    def __init__(
        self, name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], *, often: bool | None = None
    ) -> None:
        arrays = {k: np.asarray(v, dtype=object) for k, v in inputs.items()}
        results = {k: np.asarray(v, dtype=object) for k, v in outputs.items()}
        seen: dict[int, str] = {}
        for k, array in arrays.items():
            for x in array.flat:
                if type(x) is not Expr or x.op != "symbol":
                    raise CompileError(f"an input holds {x!r}, which is no symbol", element=f"{name}.{k}")
                if id(x) in seen:
                    raise CompileError(
                        f"the symbol {x!r} is an input twice (also of {seen[id(x)]!r})", element=f"{name}.{k}"
                    )
                seen[id(x)] = k
        for k, array in results.items():
            for x in array.flat:
                if not _is_number(x):
                    raise CompileError(
                        f"an output holds {x!r}, which is no number",
                        element=f"{name}.{k}",
                        remedy="write where(condition, 1.0, 0.0) for a comparison",
                    )
        self.name, self.often = name, often
        self.inputs = {k: a.shape for k, a in arrays.items()}
        self.outputs = {k: a.shape for k, a in results.items()}
        with CLOCK.on("tracing"):
            self.program = linearise([list(a.flat) for a in arrays.values()], [list(a.flat) for a in results.values()])
        self._local = threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.name, self.inputs, self.outputs, self.program, self.often)

    def __repr__(self) -> str:
        def side(shapes: Mapping[str, tuple[int, ...]]) -> str:
            return ", ".join(f"{k}{list(s)}" if s else k for k, s in shapes.items())

        return f"<{self.name}: ({side(self.inputs)}) -> ({side(self.outputs)}), {self.program.operations} operations>"

    def unless_long(self) -> Function:
        """Compiled quickly for native loops too if it is long; else as it is."""
        if self.program.length >= IN_PIECES:
            self.often = False
        return self

    # -- one machine --------------------------------------------------------------------------------------------
    @cached_property
    def _scalar(self) -> Loaded:
        return compiled(self.program, 1) if self.program.length < VERY_LONG else self._quick

    @property
    def address(self) -> Address:
        """Of ``void f(double **in, double **out)``, for loops in native code; good as long as this object lives."""
        return (self._quick if self._long and self.often is False else self._scalar).address["f"]

    @cached_property
    def _quick(self) -> Loaded:
        return compiled(self.program, 1, quick=True)

    @property
    def _called(self) -> Loaded:
        return self._scalar if self.often else self._quick

    @property
    def call_address(self) -> Address:
        """As `address`, of the code that calls from Python run: for loops that call it some thousand times only."""
        return self._called.address["f"]

    @cached_property
    def _call(self) -> Any:
        return self._called.function("f", ctypes.c_void_p, ctypes.c_void_p)

    @property
    def _long(self) -> bool:
        return self.program.length >= LONG

    @property
    def room(self) -> Room:
        """Arrays of this thread for one call: pointers to arrays that stay cost less than to the caller's."""
        try:
            room: Room = self._local.room
        except AttributeError:
            room = self._local.room = Room(list(self.inputs.values()), list(self.outputs.values()))
        return room

    def __call__(self, *args: Any) -> tuple[np.ndarray, ...]:
        room = self.room
        if len(args) != len(room.inputs):
            self._checked(args, ())
        for view, given in zip(room.inputs, args):  # noqa: B905  checked, and faster
            if type(given) is not np.ndarray or given.dtype is not _DOUBLE or given.shape != view.shape:
                given = self._checked(args, ())[next(k for k, v in enumerate(room.inputs) if v is view)]
            view[...] = given
        self._call(room.ins, room.outs)
        flat = room.output.copy()
        return tuple([flat[part] if shape is None else flat[part].reshape(shape) for part, shape in room.parts])

    # -- many machines --------------------------------------------------------------------------------------------
    @cached_property
    def lanes(self) -> int:
        return host().lanes

    @cached_property
    def _batch(self) -> Any:
        return self._of_many(quick=False)

    @cached_property
    def _quick_batch(self) -> Any:
        return self._of_many(quick=True)

    def _of_many(self, *, quick: bool) -> Any:
        loaded = compiled(self.program, self.lanes, quick=quick)
        integer = ctypes.c_int64
        return loaded, loaded.function("f", ctypes.c_void_p, ctypes.c_void_p, integer, integer, integer)

    def batch(self, *args: Any, threads: int | None = None) -> tuple[np.ndarray, ...]:
        """Of many machines at once: the last axis of every argument and result counts machines.

        ``threads``: how many cores to use; None takes all this process may use, as far as the batch is worth it.
        """
        given = self._arrays(args)
        count = self._batch_size(given)
        arrays = self._checked(given, (count,))
        padded = max(count, self.lanes)
        if padded > count:  # fewer than one group: repeat the last machine
            arrays = [np.concatenate([a, np.repeat(a[..., -1:], padded - count, axis=-1)], axis=-1) for a in arrays]
        results = [np.empty((*shape, padded)) for shape in self.outputs.values()]
        if count:
            self._run_batch(arrays, results, padded, threads or cores())
        return tuple(r[..., :count] for r in results)

    def _run_batch(self, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray], count: int, threads: int) -> None:
        ins = (ctypes.c_void_p * max(len(arrays), 1))(*[a.ctypes.data for a in arrays])
        outs = (ctypes.c_void_p * max(len(results), 1))(*[r.ctypes.data for r in results])
        _, call = self._quick_batch if self._long and count <= FEW else self._batch
        work = self.program.operations * count
        parts = max(1, min(threads, count // self.lanes, work // PER_THREAD))
        # in slices, between which Python hears Ctrl-C
        slices = min(max(parts, work // PER_SLICE), count // self.lanes)
        edges = [count * k // slices for k in range(slices + 1)]
        if parts == 1:
            for a, b in pairwise(edges):
                call(ins, outs, a, b, count)
            return
        pool = _pool(os.getpid())
        jobs = [pool.submit(call, ins, outs, a, b, count) for a, b in pairwise(edges)]
        try:
            for job in jobs:
                job.result()
        finally:  # the arrays must outlive those that are at work, whatever ends the waiting
            for job in jobs:
                job.cancel()
            wait(jobs)

    def _batch_size(self, args: Sequence[np.ndarray]) -> int:
        sizes = {a.shape[-1] if a.ndim else 0 for a in args}
        if len(sizes) != 1 or any(a.ndim == 0 for a in args):
            wanted = ", ".join(f"{k}: {(*s, 'B')}".replace("'", "") for k, s in self.inputs.items())
            raise ArgumentError(
                f"a batch needs ({wanted}) with one B; got ({', '.join(str(a.shape) for a in args)})",
                element=self.name,
                remedy="let the last axis of every argument count the machines",
            )
        return int(sizes.pop())

    def check_sizes(self, given: Sequence[int]) -> None:
        """ArgumentError if arrays of these sizes are not what it takes: native code would read beyond their ends."""
        wanted = [prod(shape) for shape in self.inputs.values()]
        if list(given) != wanted:
            raise ArgumentError(f"takes arrays of sizes {wanted}, got {list(given)}", element=self.name)

    # -- arguments ------------------------------------------------------------------------------------------------
    def _arrays(self, args: Sequence[Any]) -> list[np.ndarray]:
        if len(args) != len(self.inputs):
            raise ArgumentError(
                f"takes {len(self.inputs)} arrays ({', '.join(self.inputs)}), got {len(args)}", element=self.name
            )
        out = []
        for name, given in zip(self.inputs, args, strict=True):
            try:
                out.append(np.asarray(given))
            except ValueError:  # rows of different lengths
                raise ArgumentError(f"the argument {name!r} is no array", element=self.name) from None
        return out

    def _checked(self, args: Sequence[Any], batch: tuple[int, ...]) -> list[np.ndarray]:
        out = []
        for (name, shape), array in zip(self.inputs.items(), self._arrays(args), strict=True):
            if array.dtype != np.float64:
                if array.dtype.kind not in "fiub":
                    raise ArgumentError(
                        f"the argument {name!r} holds {array.dtype}, not real numbers",
                        element=self.name,
                        remedy="pass an array of float64",
                    )
                array = array.astype(np.float64)
            if array.shape != (*shape, *batch):
                raise ArgumentError(
                    f"the argument {name!r} must have shape {(*shape, *batch)}, got {array.shape}", element=self.name
                )
            out.append(np.ascontiguousarray(array) if not array.flags.c_contiguous else array)
        return out


def _rebuild(
    name: str, inputs: dict[str, Any], outputs: dict[str, Any], program: Program, often: bool | None = None
) -> Function:
    function = object.__new__(Function)
    function.name, function.inputs, function.outputs, function.program = name, inputs, outputs, program
    function.often = often
    function._local = threading.local()
    return function


def _is_number(x: Any) -> bool:
    if type(x) is Expr:
        return x.op not in LOGICAL
    return isinstance(x, int | float | np.floating | np.integer | np.bool_)


@cache_calls
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of this process; a forked one has none of its parent's."""
    return ThreadPoolExecutor(cores(), thread_name_prefix="linkwright")


def cores() -> int:
    """Those this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


_LOADED: WeakValueDictionary[str, Loaded] = WeakValueDictionary()  # what is in use, by the name of its entry


def compiled(program: Program, lanes: int, *, quick: bool = False) -> Loaded:
    """The program's machine code: of another function that does the same, from the cache or made now. Its symbol is `f`."""
    target = host()
    kind = f"program {GENERATION}{' quick' if quick else ''}"
    name = cache.key(kind, program.digest, str(lanes), repr(target), versions())
    loaded = _LOADED.get(name)
    if loaded is None:
        code = cache.load(name)
        if code is None:
            code = to_object(emit_module(program, "f", lanes), target, quick=quick)
            cache.store(name, code)
        loaded = _LOADED[name] = Loaded(code, ["f"])
    return loaded
