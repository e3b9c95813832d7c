"""Python that native code calls: what it raises cannot pass through native code, so it is kept and raised afterwards."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, get_ident
from typing import Any

import numpy as np

from linkwright.errors import LinkwrightError, ModelError

Pointers = ctypes.POINTER(ctypes.POINTER(ctypes.c_double))


class UnusableError(ModelError):
    """A value that is no number at a state that is only tried: the integrator takes a smaller step."""


class Raised:
    """The first exception, in time of the machine, of the Python functions of a run: it ends the run.

    time: from here on values are not numbers, so that the run stops; it goes up to where a law raised, and anything else,
    an interrupt above all, stops it at once. last: what was said of a state that could not be used; it tells why, where
    no smaller step helps.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.time = np.inf
        self.last: LinkwrightError | None = None

    def keep(self, error: BaseException, time: float = -np.inf) -> None:
        time = time if isinstance(error, LinkwrightError) else -np.inf
        if time < self.time:
            self.error, self.time = error, time

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hears of exceptions raised while Python is being entered or left, too, where no handler of ours is active."""
        _lost.listen(self)
        try:
            yield
        finally:
            _lost.leave()


class _Lost:
    """Exceptions that the interpreter gives up, by the thread they were raised in: several runs may go on at a time."""

    def __init__(self) -> None:
        self._lock, self._listeners, self._before = Lock(), dict[int, list[Raised]](), sys.unraisablehook

    def listen(self, raised: Raised) -> None:
        with self._lock:
            if not self._listeners:
                self._before, sys.unraisablehook = sys.unraisablehook, self.hook
            self._listeners.setdefault(get_ident(), []).append(raised)

    def leave(self) -> None:
        with self._lock:
            mine = self._listeners[get_ident()]
            mine.pop()
            if not mine:
                del self._listeners[get_ident()]
            if not self._listeners:
                sys.unraisablehook = self._before

    def hook(self, lost: Any) -> None:
        mine = self._listeners.get(get_ident())
        # an interrupt is meant for the run, wherever it was lost (in a destructor, say); other errors there are not its own
        if mine and ("ctypes callback" in (lost.err_msg or "") or issubclass(lost.exc_type, KeyboardInterrupt)):
            mine[-1].keep(lost.exc_value or lost.exc_type())
        else:
            self._before(lost)


_lost = _Lost()


class CalledBack:
    """Code for an integrator, ``void f(double **in, double **out)``, that is the Python function `evaluate`."""

    def __init__(self, evaluate: Callable[..., Any], sizes: list[int], size: int | list[int], raised: Raised) -> None:
        """`sizes`: of the inputs; `size`: of the output, or of several, as `evaluate` returns them."""
        self._evaluate, self._sizes, self.raised = evaluate, sizes, raised
        self._one, self._given = isinstance(size, int), [size] if isinstance(size, int) else size
        self._thunk = ctypes.CFUNCTYPE(None, Pointers, Pointers)(self._call)

    @property
    def address(self) -> int:
        return int(ctypes.cast(self._thunk, ctypes.c_void_p).value or 0)

    def _call(self, ins: Any, outs: Any) -> None:
        t = -np.inf
        try:
            out = [np.ctypeslib.as_array(outs[k], (n,)) if n else np.zeros(0) for k, n in enumerate(self._given)]
            for x in out:
                x[:] = np.nan  # what an interrupt leaves here is no value of the call before
            t = float(ins[0][0])
            if t < self.raised.time:
                given = [np.array(np.ctypeslib.as_array(ins[k], (n,))) if n else np.zeros(0)
                         for k, n in enumerate(self._sizes)]  # fmt: skip
                values = self._evaluate(*given)
                for x, value in zip(out, [values] if self._one else values, strict=True):
                    x[:] = value
        except UnusableError as error:
            self.raised.last = error
        except np.linalg.LinAlgError:  # of our own equations at a state that is only tried
            pass
        except BaseException as error:  # native code cannot pass on any
            self.raised.keep(error, t)
