"""The motion of a machine solved from Python: slower, but for any laws and any rows.

Integrators call native code by its address; here that address leads back into Python.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
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
    """

    def __init__(self, machine: LoadedMachine, flow: Flow) -> None:
        self.machine, self.flow = machine, flow
        self.ny = len(flow.y)
        self.inputs, self.outputs = flow.motion.inputs, flow.motion.outputs
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

    def ydot(self, t: float, y: np.ndarray) -> np.ndarray:
        m = self.machine
        nq, nv = m.nq, m.nv
        q, v, turns = y[:nq], y[nq : nq + nv], y[nq + nv : -1]
        solution = m.solve(q, v, t, turns)
        s = m.system
        args = (np.array([t]), y, m.b, m.calls(q, v, t, turns), np.zeros(len(self.flow.flags.symbols)), self.flow_gains)
        rates = self._rates(*args)[0]
        terms = m.terms(q, v, t, turns)
        work = terms.energy[2] - solution.lam @ terms.nu
        if s.frictions:
            work += s.friction(*m.load_args(q, v, t, turns), solution.lam)[0] @ v
        return np.concatenate([rates[:nq], solution.vdot, rates[nq:], [work]])

    @property
    def flow_gains(self) -> np.ndarray:
        return np.zeros(self.flow.motion.inputs["gains"])

    @property
    def _rates(self) -> Any:
        """qdot and the rates of multi-turn angles."""
        if not hasattr(self, "_compiled"):
            s = self.flow.system
            qdot = [s.coordinates.rates[x] for x in s.coordinates.q]
            turning = s.rates([angle for _, angle in s.geometry.turns.values()])
            self._compiled = self.flow.function("rates", r=[*qdot, *turning])
        return self._compiled
