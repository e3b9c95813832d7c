"""The motion of a machine solved from Python: slower, but for any laws and any rows.

Integrators call native code by its address; here that address leads back into Python.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from linkwright.analyses.mechanical import LoadedMachine
from linkwright.errors import LinkwrightError
from linkwright.system.motion import Flow

_Pointers = ctypes.POINTER(ctypes.POINTER(ctypes.c_double))


class CarefulMotion:
    """y' = f(t, y) by the rank-revealing solution of the equations of motion; see `LoadedMachine.solve`.

    What a law raises is kept in `error`, and the derivative is then not a number, so that the integrator stops.
    `cartesian`: the state (q, v, turns, work) that a state of the flow stands for; by default it is one.
    """

    def __init__(
        self, machine: LoadedMachine, flow: Flow, cartesian: Callable[[np.ndarray], np.ndarray] = np.asarray
    ) -> None:
        self.machine, self.flow, self.cartesian = machine, flow, cartesian
        self.ny = len(flow.y)
        self.inputs = {name: np.shape(x) for name, x in flow.inputs.items()}
        self.outputs = {"ydot": (self.ny,)}
        self.error: LinkwrightError | None = None
        self.interrupted = False
        self._thunk = ctypes.CFUNCTYPE(None, _Pointers, _Pointers)(self._call)

    @property
    def address(self) -> int:
        return int(ctypes.cast(self._thunk, ctypes.c_void_p).value or 0)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hears an interrupt also while Python is being entered or left, where no handler of ours would; else it is lost."""
        before = sys.unraisablehook

        def hook(lost: Any) -> None:
            if lost.exc_type is KeyboardInterrupt:
                self.interrupted = True
            else:
                before(lost)

        sys.unraisablehook = hook
        try:
            yield
        finally:
            sys.unraisablehook = before

    def _call(self, ins: Any, outs: Any) -> None:
        out = np.ctypeslib.as_array(outs[0], (self.ny,))
        if self.interrupted:
            out[:] = np.nan
            return
        try:
            t = float(ins[0][0])
            y = np.array(np.ctypeslib.as_array(ins[1], (self.ny,)))
            out[:] = self.ydot(t, y)
        except (LinkwrightError, np.linalg.LinAlgError) as error:
            self.error = error if isinstance(error, LinkwrightError) else None
            out[:] = np.nan
        except KeyboardInterrupt:  # native code cannot pass it on
            self.interrupted = True
            out[:] = np.nan

    def ydot(self, t: float, x: np.ndarray) -> np.ndarray:
        m, s, y = self.machine, self.machine.system, self.cartesian(x)
        nq, nv = m.nq, m.nv
        q, v, turns = y[:nq], y[nq : nq + nv], y[nq + nv : -1]
        solution = m.solve(q, v, t, turns)
        none = (np.zeros(self.inputs[name]) for name in ("calls", "flags", "gains"))  # forces have done what they do
        (rates,) = self.flow.rates_at(np.array([t]), x, m.b, *none, solution.vdot)
        terms = m.terms(q, v, t, turns)
        work = terms.energy[2] - solution.lam @ terms.nu
        if s.frictions:
            work += s.friction(*m.load_args(q, v, t, turns), solution.lam)[0] @ v
        return np.array([*rates, work])
