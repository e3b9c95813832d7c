"""heyoka's compiled functions. Its constructor makes the code for one machine and for SIMD batches together."""

from __future__ import annotations

from typing import Any

import heyoka
import numpy as np

from benchmarks.chain import Chain
from benchmarks.native import LoadedObject, time_loop
from benchmarks.peers.common import Peer
from benchmarks.replay import replay
from benchmarks.timing import clock


class Heyoka(Peer):
    def __init__(self, chain: Chain, *, fast_math: bool = False) -> None:
        heyoka.llvm_state.set_diskcache_enabled(False)
        heyoka.llvm_state.clear_memcache()
        start = clock()
        x = heyoka.make_vars(*[f"x{k}" for k in range(len(chain.inputs))])
        self._f: Any = heyoka.cfunc(replay(chain.outputs, chain.inputs, x), x, fast_math=fast_math)
        self.compile_seconds = clock() - start
        # the package gives no address, but the object code of the function it calls
        self._native = LoadedObject(self._f.llvm_states[0].object_code, "cfunc")
        self._out = np.empty(len(chain.outputs))
        self.note = f"{self._f.batch_size} lanes in batches"

    def call(self, x: np.ndarray) -> np.ndarray:
        return self._f(x, outputs=self._out)

    def batch(self, X: np.ndarray) -> np.ndarray:
        return self._f(X)

    def native_loop(self, x: np.ndarray, count: int) -> float:
        arguments = [self._out.ctypes.data, x.ctypes.data, 0, 0]  # no parameters, no time
        return time_loop(self._native.address, arguments, count)


def build(chain: Chain) -> Peer:
    return Heyoka(chain)


def build_fast_math(chain: Chain) -> Peer:
    return Heyoka(chain, fast_math=True)
