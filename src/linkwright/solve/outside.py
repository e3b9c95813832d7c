"""Linear algebra of an implicit method that is done outside of its native loop: by sparse factors, for large problems.

The loop asks by a code that leads into Python. A request says what is wanted; numbers and a vector go to and fro.
"""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.compile import Array, Code, Pointers, f64, i64, native, outlined
from linkwright.compile.called_back import Pointers as PointersOfC
from linkwright.compile.called_back import Raised

LINEARISE, FACTOR, REAL, PAIR, NOISE = range(5)
OUTSIDE = 2  # of count[JACOBIAN]: neither differences nor a matrix


class Outside(ABC):
    """Given to an `Integrator` in place of its Jacobian. What its methods raise is kept in `raised`; the loop then stops.

    `inputs`: sizes of the problem's inputs, by name; `n`: of the state; `width`: of what is solved for.
    """

    is_outside = True

    def __init__(self, inputs: Mapping[str, tuple[int, ...]], n: int, width: int | None = None) -> None:
        self.inputs, self.n, self.raised = inputs, n, Raised()
        self.width = n if width is None else width
        self.outputs = {"request": (1,), "numbers": (3,), "x": (max(2 * n, self.width),)}
        self._thunk = ctypes.CFUNCTYPE(None, PointersOfC, PointersOfC)(self._call)

    @property
    def address(self) -> int:
        return int(ctypes.cast(self._thunk, ctypes.c_void_p).value or 0)

    # -- what is asked -------------------------------------------------------------------------------------------------
    @abstractmethod
    def linearise(self, t: float, y: np.ndarray) -> None:
        """J = df/dy from here on is that of this point."""

    @abstractmethod
    def factor(self, real: float, pair: complex) -> None:
        """Factor s - J for both numbers s; LinAlgError or RuntimeError where one is singular. Of generalised alpha: what
        multiplies M, and C and K as a pair."""

    @abstractmethod
    def solve(self, x: np.ndarray) -> np.ndarray:
        """(s - J)^-1 x with the real s, or with the complex one where x is complex."""

    @abstractmethod
    def noise(self) -> np.ndarray:
        """About |J| |y|."""

    # -- answers -------------------------------------------------------------------------------------------------------
    def _call(self, ins: Any, outs: Any) -> None:
        n, width = self.n, self.width
        try:
            request, numbers, x = (np.ctypeslib.as_array(outs[k], at) for k, at in enumerate(self.outputs.values()))
            given, x_given = numbers.copy(), x.copy()
            numbers[:], x[:] = 1.0, np.nan  # not done
            if self.raised.error is None:
                what = int(request[0])
                if what == LINEARISE:
                    self.linearise(float(ins[0][0]), np.array(np.ctypeslib.as_array(ins[1], (n,))))
                elif what == FACTOR:
                    self.factor(float(given[0]), complex(given[1], given[2]))
                elif what == REAL:
                    x[:width] = self.solve(x_given[:width])
                elif what == PAIR:
                    found = self.solve(x_given[:n] + 1j * x_given[n : 2 * n])
                    x[:n], x[n : 2 * n] = found.real, found.imag
                else:
                    x[:n] = self.noise()
                numbers[0] = 0.0
        except (linear.LinAlgError, RuntimeError):
            pass
        except BaseException as error:  # native code cannot pass on any
            self.raised.keep(error)


@native
def ask(jac: Code, ins: Pointers, jouts: Pointers, what: i64) -> f64:
    """Whether it could not be done."""
    jouts[0][0] = float(what)
    jac(ins, jouts)
    return jouts[1][0]  # type: ignore[no-any-return]


@native
def ask_factors(jac: Code, ins: Pointers, jouts: Pointers, real: f64, a: f64, b: f64) -> f64:
    jouts[1][0] = real
    jouts[1][1] = a
    jouts[1][2] = b
    return ask(jac, ins, jouts, FACTOR)  # type: ignore[no-any-return]


@outlined
def ask_solution(jac: Code, ins: Pointers, jouts: Pointers, what: i64, n: i64, x: Array, y: Array) -> None:
    """REAL: of x alone."""
    z = jouts[2]
    for i in range(n):
        z[i] = x[i]
        z[n + i] = y[i] if what == PAIR else 0.0
    ask(jac, ins, jouts, what)
    for i in range(n):
        x[i] = z[i]
        if what == PAIR:
            y[i] = z[n + i]
