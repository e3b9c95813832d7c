"""Linkwright itself."""

from __future__ import annotations

from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.chain import Chain
from benchmarks.native import time_loop
from benchmarks.peers.common import Peer
from benchmarks.pin import setting
from benchmarks.timing import clock
from linkwright.compile import Function
from linkwright.compile.function import FEW


class Linkwright(Peer):
    def __init__(self, chain: Chain) -> None:
        many = np.zeros((len(chain.inputs), 2 * FEW))  # a few would be done by code that is compiled quickly

        def compiled() -> tuple[Function, float, float]:
            start = clock()
            f = Function("chain", inputs={"x": chain.inputs}, outputs={"a": chain.a, "lam": chain.lam})
            _ = f.address  # of the code for loops
            scalar = clock()
            f.batch(many, threads=1)
            return f, scalar - start, clock() - scalar

        with TemporaryDirectory() as folder, setting("LINKWRIGHT_CACHE", folder):
            _, self.compile_seconds, self.batch_seconds = compiled()
            self._f, self.cached_seconds, _ = compiled()

    def call(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        return self._f(x)

    def batch(self, X: np.ndarray) -> tuple[np.ndarray, ...]:
        return self._f.batch(X, threads=1)

    def native_loop(self, x: np.ndarray, count: int) -> float:
        results = [np.empty(shape) for shape in self._f.outputs.values()]
        ins = np.array([x.ctypes.data], dtype=np.uintp)
        outs = np.array([r.ctypes.data for r in results], dtype=np.uintp)
        return time_loop(self._f.address, [ins.ctypes.data, outs.ctypes.data], count)


def build(chain: Chain) -> Peer:
    return Linkwright(chain)
