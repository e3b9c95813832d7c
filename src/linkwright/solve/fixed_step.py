"""The classical Runge-Kutta method of order four with a fixed step, in native code."""

from __future__ import annotations

import numpy as np

from linkwright.compile import Array, Code, Function, Pointers, f64, i64, native


@native
def rk4_steps(f: Code, ins: Pointers, outs: Pointers, n: i64, h: f64, steps: i64, y: Array, work: Array) -> None:
    """y' = f(t, y): `steps` steps from (ins[0][0], y), in place.

    ins[0] is the time, ins[1] the state f is evaluated at, outs[0] where f puts y'; `work` has room for 2 n numbers.
    """
    t = ins[0]
    x = ins[1]
    k = outs[0]
    total = work[n:]
    for _ in range(steps):
        for i in range(n):
            x[i] = y[i]
        f(ins, outs)  # k1
        for i in range(n):
            total[i] = k[i]
            x[i] = y[i] + 0.5 * h * k[i]
        t[0] += 0.5 * h
        f(ins, outs)  # k2
        for i in range(n):
            total[i] += 2.0 * k[i]
            x[i] = y[i] + 0.5 * h * k[i]
        f(ins, outs)  # k3
        for i in range(n):
            total[i] += 2.0 * k[i]
            x[i] = y[i] + h * k[i]
        t[0] += 0.5 * h
        f(ins, outs)  # k4
        for i in range(n):
            y[i] += h / 6.0 * (total[i] + k[i])


def rk4(f: Function, t: float, y: np.ndarray, h: float, steps: int, *parameters: np.ndarray) -> np.ndarray:
    """The state after `steps` steps of length h. f takes (t, y, *parameters) and returns y' first."""
    y = np.array(y, dtype=float)
    n = y.size
    ins = [np.array([t], dtype=float), np.empty(n), *[np.ascontiguousarray(p, dtype=float) for p in parameters]]
    outs = [np.empty(max(int(np.prod(shape)), 1)) for shape in f.outputs.values()]
    rk4_steps(f, ins, outs, n, h, steps, y, np.empty(2 * n))
    return y
