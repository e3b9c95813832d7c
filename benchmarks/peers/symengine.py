"""SymEngine's Lambdify with its LLVM back end. It has no code for batches: a batch is a native loop inside it."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import symengine

from benchmarks.chain import Chain
from benchmarks.native import time_loop
from benchmarks.peers.common import Peer
from benchmarks.replay import replay
from benchmarks.timing import clock


class SymEngine(Peer):
    rows_first = True

    def __init__(self, chain: Chain) -> None:
        start = clock()
        # not x0, x1, ...: so it names common subexpressions, and would take ours for them
        x = [symengine.Symbol(f"s_{k}") for k in range(len(chain.inputs))]
        outputs = replay(chain.outputs, chain.inputs, x)
        self._f: Any = symengine.Lambdify(x, outputs, backend="llvm", cse=True, opt_level=3)
        self.compile_seconds = clock() - start
        self._out = np.empty(len(chain.outputs))

    def call(self, x: np.ndarray) -> np.ndarray:
        self._f.unsafe_real(x, self._out)
        return self._out

    def batch(self, X: np.ndarray) -> np.ndarray:
        return self._f(X)

    def native_loop(self, x: np.ndarray, count: int) -> float:
        function, data = self._f.as_ctypes()
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
        return time_loop(address, [self._out.ctypes.data, x.ctypes.data, data.value], count)


def build(chain: Chain) -> Peer:
    return SymEngine(chain)
