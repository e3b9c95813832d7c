"""The form of a step in lanes, on which its text depends: a method, registers and arrays of a lane, what is kept of a run.

Arrays of a lane: y the state; b, tune inputs of the traced functions; K the stages and after them the interpolant; z, x
states; out, more what `shown` gives; acc the reductions; lane the registers below. Tables: tol (atol, rtol, weight, cap),
run (numbers of the run, below), times (of output, an infinite one after the last), hist (histories of all runs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwright.solve.methods import Method

# Registers of a lane.
T, H, LOG_OLD, HELD, STEPS, REJECTED, OUTCOME, NEXT, NEXT_T, LEFT, LOOK_T, TAU, SEEN, ROW, ATOL = range(15)
HEALTH, KINETIC, POTENTIAL, OFF, SIZE = range(15, 20)  # the smallest pivot; energies at first, their balance, their size
LAST, MISSED = 20, 21  # of DOP853: the last step, and how often this one was rejected by its interpolant
REGISTERS = 22
GIVEN = (H, ROW, ATOL)  # set before a lane begins: where its histories are, the tolerance of the work
# Numbers of a run.
T_START, T_END, MAX_STEP, FIRST_STEP, MOST_STEPS = range(5)
NUMBERS = 5
# Outcomes; negative: the run is left to the integrator that can tell why, or go on.
RUNNING, DONE, STUCK, NO_NUMBER, LOOK, TOO_LONG = 0, 1, -1, -2, -3, -4
OUTCOMES = {
    STUCK: "the step became too small", NO_NUMBER: "a quantity was no number", LOOK: "it may be stiff",
    TOO_LONG: "it took too many steps",
}  # fmt: skip
ARGUMENTS = (
    "y: Array, b: Array, none: Array, tune: Array, lane: Array, K: Array, z: Array, x: Array, time: Array, out: Array, "
    "more: Array, acc: Array, tol: Table, run: Table, times: Table, hist: Table"
)
ARRAYS = ("y", "b", "none", "tune", "lane", "K", "z", "x", "time", "out", "more", "acc")
TABLES = ("tol", "run", "times", "hist")
INPUTS = "b, none, none, tune"  # of traced functions, after time and state: no values of laws in Python, no flags
EXTRA = ("health", "kinetic", "potential")  # what `shown` gives in `more`


@dataclass(frozen=True)
class Reduced:
    """The reduction of a quantity at the times of output: `op` is one of REDUCE, or "history"; `at`: its place in `acc`, or
    the number of the history."""

    op: str
    quantity: int
    at: int


REDUCE = {
    "largest": "max(acc[{a}], abs(out[{q}]))", "highest": "max(acc[{a}], out[{q}])", "lowest": "min(acc[{a}], out[{q}])",
    "integral": "acc[{a}] + where(lane[{SEEN}] > 0.5, 0.5 * (out[{q}] + acc[{a} + 1]) * (tau - lane[{TAU}]), 0.0)",
    "square": "acc[{a}] + where(lane[{SEEN}] > 0.5, 0.5 * (out[{q}] * out[{q}] + acc[{a} + 1] * acc[{a} + 1]) "
    "* (tau - lane[{TAU}]), 0.0)",
    "last": "out[{q}]",
}  # fmt: skip
# Before the first output; integrals have the last value after them.
AT_FIRST = {"largest": 0.0, "highest": -1e308, "lowest": 1e308, "integral": 0.0, "square": 0.0, "last": 0.0}


@dataclass(frozen=True)
class Form:
    """The choices on which the text depends. n: numbers of a state; weights: of the error, a positive one each where it is
    measured; projects: states are projected; patience, worth: after so many steps a run leaves that has so many more to go,
    or never."""

    method: Method
    n: int
    weights: tuple[float, ...]
    projects: bool
    reduced: tuple[Reduced, ...]
    points: int
    patience: int = 0
    worth: int = 0

    @property
    def stages(self) -> int:
        return self.method.stages

    @property
    def rows(self) -> int:
        """The rows of K: stages with that at the new state, further ones of the interpolant, its coefficients."""
        return self.stages + 1 + {"dopri5": 1, "dop853": 10}.get(self.method.name, 0)

    @property
    def histories(self) -> int:
        return sum(r.op == "history" for r in self.reduced)

    @property
    def room(self) -> int:
        """The size of `acc`."""
        return 1 + max((r.at for r in self.reduced if r.op != "history"), default=0)


def combination(weights: Sequence[float] | np.ndarray, row: str = "K") -> str:
    """sum of w_j k_j, of the i-th number."""
    terms = [f"{float(w)!r} * {row}[{j} * n + i]" for j, w in enumerate(weights) if w != 0.0]
    return " + ".join(terms)


def parts(method: Method) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """C, A, B and what follows."""
    c, s = method.coefficients(), method.stages
    return c[:s], c[s : s + s * s].reshape(s, s), c[s + s * s : s + s * s + s], c[s + s * s + s :]


def indented(text: str, by: int = 4) -> str:
    return "".join(f"{' ' * by}{line}\n" if line else "\n" for line in text.strip("\n").splitlines())
