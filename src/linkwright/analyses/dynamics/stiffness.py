"""Stiffness detection: an explicit method whose step is limited by motions that have died out is replaced by Radau.

The eigenvalues of df/dy tell how fast the machine could answer a disturbance, y''/y' how fast the motion itself changes. A
machine is stiff where the first is much more than the second, and the steps are as short as the first asks: accuracy alone
would allow longer ones. Where what y'' shows of the fast motion is below the tolerances there is nothing to follow: near
rest y''/y' is that of the errors themselves. (Steps at the limit of stability, as counted by the embedded pairs, come too
late: at tight tolerances the error of the fast part keeps the steps below that limit.)

An implicit step costs some ten evaluations and the solution of linear systems, and its functions have to be compiled, so a
run that is short or nearly over goes on as it began.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.graph import evaluate, free_symbols
from linkwright.solve.blas import single_threaded

RATIO = 30.0  # of the fastest answer to the rate at which the motion changes
RULED = 0.4  # fastest rate times step: such steps are ruled by it
WORTH = 5000  # explicit steps still to come that make the change pay
ARNOLDI = 30  # vectors that tell the outermost eigenvalues
FAINT = 10.0  # tolerances: amplitudes of the fast motion below this are errors of the method
GAIN = 4.0  # by so much the implicit steps must be longer, or the explicit method comes back
PATIENCE = 4  # times the steps so far until an implicit method that did not pay is thought of again
STIFF_METHOD = "radau"

Rates = Callable[[float, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Way:
    """What an integrator did: so many steps from one time to another."""

    begin: float
    end: float
    steps: int


@dataclass
class Stiffness:
    """What a run has shown of its stiffness so far."""

    atol: float
    rtol: float
    explicit: str
    end: float = 0.0
    steps: int = 0
    looked: int = 0  # at how many steps the eigenvalues were last looked at
    pace: float = 0.0  # mean explicit step before the change

    def anew(self) -> Stiffness:
        """The same for another run, of which nothing was seen yet."""
        return Stiffness(self.atol, self.rtol, self.explicit)

    def after(
        self, way: Way, f: Rates, y: np.ndarray, weight: np.ndarray, method: str, *, sparse: bool = False
    ) -> tuple[str, str]:
        """(method, why) for what comes after this way, at the state y; why is empty where nothing changes. f: y' of (t, y);
        weight: components that count; `sparse`: so will be the factors."""
        t = way.end
        self.steps += way.steps
        if t <= way.begin or not way.steps:
            return method, ""
        pace = (t - way.begin) / way.steps
        if method == STIFF_METHOD:
            return self._back(t, pace)
        ahead = (self.end - t) / pace
        if ahead < WORTH or (len(y) > size_policy.STIFF and not sparse) or self.steps < 2 * self.looked:
            return method, ""
        self.looked = self.steps
        fast, own = self._rates(f, t, y, weight)
        if fast * pace < RULED or fast < RATIO * own:
            return method, ""
        self.pace = pace
        motion = f"its motion changes at {own:.3g}/s" if own > 0 else "nothing of that is left in its motion"
        return STIFF_METHOD, (
            f"{STIFF_METHOD} from t = {t:.6g} on: the machine is stiff, it answers disturbances at {fast:.3g}/s while "
            f"{motion}; {ahead:.0f} more steps would have been needed"
        )

    def _back(self, t: float, pace: float) -> tuple[str, str]:
        if pace > GAIN * self.pace or not self.pace:
            return STIFF_METHOD, ""
        self.looked, self.pace = PATIENCE * self.steps, 0.0  # much later it may be otherwise
        return self.explicit, f"{self.explicit} from t = {t:.6g} on: steps of {STIFF_METHOD} were not much longer"

    @single_threaded
    def _rates(self, f: Rates, t: float, y: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
        """The fastest decay or oscillation of df/dy, by differences, and |y''|/|y'|, both [1/s].

        The second is zero where y'' shows nothing of the first: y''/fast^2 is the amplitude of a fast motion.
        """
        f0 = f(t, y)
        small = len(y) <= size_policy.STIFF
        values = linear.eigvals(self._jacobian(f, t, y, f0) if small else self._krylov(f, t, y, f0, weight))
        fast = float(np.abs(values[values.real <= 0]).max(initial=0.0))
        scale = np.where(weight > 0, self.atol + self.rtol * np.abs(y), np.inf)
        dt = 1e-4 / fast if fast > 0 else 1e-6
        second = (f(t + dt, y + dt * f0) - f0) / dt
        change, size = float(np.linalg.norm(second / scale)), float(np.linalg.norm(f0 / scale))
        if change < FAINT * fast**2 * np.sqrt(np.count_nonzero(weight > 0)):
            return fast, 0.0
        return fast, change / size if size > 0 else np.inf

    def _jacobian(self, f: Rates, t: float, y: np.ndarray, f0: np.ndarray) -> np.ndarray:
        """df/dy by differences."""
        J = np.empty((len(y), len(y)))
        for j in range(len(y)):
            step = 1e-7 * max(abs(y[j]), 1e-2)
            near = y.copy()
            near[j] += step
            J[:, j] = (f(t, near) - f0) / step
        return J

    def _krylov(self, f: Rates, t: float, y: np.ndarray, f0: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """A small matrix with the outermost eigenvalues of df/dy (Arnoldi), for states of very many numbers."""
        basis = [np.where(weight > 0, np.random.default_rng(1).normal(size=len(y)), 0.0)]
        basis[0] /= np.linalg.norm(basis[0])
        H, size = np.zeros((ARNOLDI + 1, ARNOLDI)), 1e-7 * max(float(np.abs(y).max()), 1e-2)
        for k in range(ARNOLDI):
            image = np.where(weight > 0, (f(t, y + size * basis[k]) - f0) / size, 0.0)
            for _ in range(2):  # once more: rounding
                for j, b in enumerate(basis):
                    part = float(b @ image)
                    H[j, k] += part
                    image = image - part * b
            H[k + 1, k] = np.linalg.norm(image)
            if H[k + 1, k] <= 1e-12 * np.abs(H).max():
                return H[: k + 1, : k + 1]
            basis.append(image / H[k + 1, k])
        return H[:ARNOLDI]


# Which force is so stiff that the last digits of a place show in it.

NOTED = 0.1  # of the steps


def rounding(machine: LoadedMachine, t: np.ndarray, y: np.ndarray, steps: int, rounded: int) -> list[str]:
    """A note where rounding was more than the tolerances in many steps of an implicit method. t, y: states of the run."""
    if rounded <= NOTED * max(steps, 1) or not len(t):
        return []
    q, v = y[-1, : machine.nq], y[-1, machine.nq : machine.nq + machine.nv]
    name = _stiffest(machine, q, v, float(t[-1]))
    of, remedy = (f"times the stiffness of {name} ", f", a joint in place of {name} may be better") if name else ("", "")
    return [
        f"rounding: the last digits of places {of}were more than the tolerances in {rounded} of {steps} steps; the motion "
        f"is good to what they leave (see the energy error){remedy}"
    ]


def _stiffest(machine: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float) -> str:
    """The force element whose force changes most with displacements, each by its size; "" where that cannot be told."""
    s = machine.system
    given: dict[str, Any] = {"q": q, "v": v, "t": [t], "b": machine.b, "turns": machine.turns}
    known = {x: value for name, values in given.items() for x, value in zip(s.inputs[name], values, strict=True)}
    named = {x.data for x in known}
    best, largest = "", 0.0
    for load in s.loads.all:
        if load.name not in machine.model.elements:
            continue
        slopes = s.coordinates.jacobian(list(load.Q.values())).entries
        if any(x.data not in named for x in free_symbols(list(slopes.values()))):
            continue
        values = np.abs(np.array(evaluate(list(slopes.values()), known), dtype=float))
        sizes = [machine.scale[list(load.Q)[i]] * machine.scale[j] for i, j in slopes]
        size = float(np.max(values * sizes, initial=0.0))
        if size > largest:
            best, largest = load.name, size
    return best
