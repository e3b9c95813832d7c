"""CasADi's virtual machine, on SX. Called through its buffers, which cost least; a loop and a batch are its `map`."""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np

from benchmarks.chain import Chain
from benchmarks.peers.common import Peer
from benchmarks.replay import replay
from benchmarks.timing import clock

BLOCK = 100  # evaluations of a mapped function: few enough to stay in the cache


class Mapped:
    """`count` evaluations of f in one native call, inputs and outputs in arrays of its own."""

    def __init__(self, f: Any, count: int) -> None:
        g = f.map(count) if count > 1 else f
        self.x = np.zeros((count, f.size1_in(0)))
        self.out = np.zeros((count, f.size1_out(0)))
        self._buffer, self.run = g.buffer()
        self._buffer.set_arg(0, memoryview(self.x.reshape(-1)))
        self._buffer.set_res(0, memoryview(self.out.reshape(-1)))


class CasADi(Peer):
    rows_first = True

    def __init__(self, chain: Chain) -> None:
        start = clock()
        x = casadi.SX.sym("x", len(chain.inputs))
        outputs = replay(chain.outputs, chain.inputs, casadi.vertsplit(x))
        self._f = casadi.Function("chain", [x], [casadi.vertcat(*outputs)])
        self._one = Mapped(self._f, 1)
        self._one.run()
        self.compile_seconds = clock() - start
        self._block = Mapped(self._f, BLOCK)
        self._all: Mapped | None = None

    def call(self, x: np.ndarray) -> np.ndarray:
        self._one.x[0] = x
        self._one.run()
        return self._one.out[0]

    def batch(self, X: np.ndarray) -> np.ndarray:
        if self._all is None or len(self._all.x) != len(X):
            self._all = Mapped(self._f, len(X))
        self._all.x[:] = X
        self._all.run()
        return self._all.out

    def native_loop(self, x: np.ndarray, count: int) -> float:
        self._block.x[:] = x
        runs = -(-count // BLOCK)
        start = clock()
        for _ in range(runs):
            self._block.run()
        return (clock() - start) * count / (runs * BLOCK)


def build(chain: Chain) -> Peer:
    return CasADi(chain)
