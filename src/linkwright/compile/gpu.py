"""NVIDIA's driver through ctypes, as far as it takes to run a kernel: its library comes with the driver, nothing is needed.

A kernel is PTX, which the driver compiles for the GPU at hand and keeps. Arrays are float64 or int64 and go by value to the
GPU's memory and back.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p
from functools import cache
from typing import Any

import numpy as np

from linkwright.errors import CompileError

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
MULTIPROCESSORS, MAJOR, MINOR = 16, 75, 76  # attributes of a device


class Kernel:
    """A function of a module that is on the GPU."""

    def __init__(self, gpu: Gpu, ptx: str, names: list[str]) -> None:
        self.gpu = gpu
        module = c_void_p()
        gpu.call("cuModuleLoadData", byref(module), ctypes.c_char_p(ptx.encode()))
        self._functions = {}
        for name in names:
            function = c_void_p()
            gpu.call("cuModuleGetFunction", byref(function), module, name.encode())
            self._functions[name] = function

    def blocks(self, name: str, threads: int) -> int:
        """As many blocks of so many threads as are on the GPU at once."""
        found = c_int()
        self.gpu.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor", byref(found), self._functions[name], threads, c_size_t(0)
        )
        return max(found.value, 1) * self.gpu.attribute(MULTIPROCESSORS)

    def __call__(self, name: str, grid: int, block: int, *args: Any) -> None:
        """Launch it and wait for it; arguments are places of arrays, whole numbers and doubles."""
        given = [a if isinstance(a, c_uint64) else c_int64(a) if isinstance(a, int) else c_double(a) for a in args]
        pointers = (c_void_p * len(given))(*[ctypes.cast(byref(a), c_void_p) for a in given])
        self.gpu.call("cuLaunchKernel", self._functions[name], grid, 1, 1, block, 1, 1, 0, None, pointers, None)
        self.gpu.call("cuCtxSynchronize")


class Gpu:
    """The first GPU, with its context current in this thread."""

    def __init__(self, library: str = LIBRARY) -> None:
        try:
            self._library = ctypes.CDLL(library)
        except OSError:
            raise no_gpu(f"there is no NVIDIA driver on this computer ({library} is not found)") from None
        self.call("cuInit", 0)
        device, context = c_int(), c_void_p()
        self.call("cuDeviceGet", byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", byref(context), device)
        self._device, self._context = device, context
        self.use()

    def use(self) -> None:
        """Make its context that of this thread."""
        self.call("cuCtxSetCurrent", self._context)

    def call(self, name: str, *args: Any) -> None:
        status = getattr(self._library, name)(*args)
        if status:
            text = ctypes.c_char_p()
            self._library.cuGetErrorString(status, byref(text))
            raise no_gpu(f"the driver refused {name}: {(text.value or b'unknown').decode()}")

    def attribute(self, number: int) -> int:
        value = c_int()
        self.call("cuDeviceGetAttribute", byref(value), number, self._device)
        return value.value

    @property
    def processor(self) -> str:
        """As LLVM calls its generation, such as sm_90."""
        return f"sm_{self.attribute(MAJOR)}{self.attribute(MINOR)}"

    @property
    def memory(self) -> int:
        """Bytes that are free."""
        free, whole = c_size_t(), c_size_t()
        self.call("cuMemGetInfo_v2", byref(free), byref(whole))
        return free.value

    def room(self, count: int) -> c_uint64:
        """So many numbers of the GPU's memory, none of them a number yet (NaN)."""
        place = c_uint64()
        self.call("cuMemAlloc_v2", byref(place), c_size_t(max(8 * count, 8)))
        self.call("cuMemsetD8_v2", place, ctypes.c_ubyte(0xFF), c_size_t(8 * count))
        return place

    def put(self, x: np.ndarray) -> c_uint64:
        """An array in the GPU's memory."""
        place = c_uint64()
        self.call("cuMemAlloc_v2", byref(place), c_size_t(max(x.nbytes, 8)))
        self.write(place, 0, x)
        return place

    def write(self, place: c_uint64, first: int, x: np.ndarray) -> None:
        """An array into memory that is there, from its first-th number on."""
        x = np.ascontiguousarray(x)
        if x.nbytes:
            to = c_uint64(place.value + 8 * first)
            self.call("cuMemcpyHtoD_v2", to, c_void_p(x.ctypes.data), c_size_t(x.nbytes))

    def get(self, place: c_uint64, shape: tuple[int, ...]) -> np.ndarray:
        """What is there now."""
        out = np.empty(shape)
        if out.nbytes:
            self.call("cuMemcpyDtoH_v2", c_void_p(out.ctypes.data), place, c_size_t(out.nbytes))
        return out

    def free(self, *places: c_uint64) -> None:
        for place in places:
            self.call("cuMemFree_v2", place)


def no_gpu(cause: str) -> CompileError:
    return CompileError(cause, element="on", remedy='on="cores" runs on the processor; a GPU needs NVIDIA\'s driver')


@cache
def gpu() -> Gpu:
    """That of this process."""
    return Gpu()
