"""States of a tree's joints, and the bodies' states they stand for: an integrator has the first, all others the second."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.solve.integrate import Integrator
from linkwright.solve.solution import Solution

# Joint coordinates of machines that turn are smoother than places of their bodies, so steps of the same tolerance are
# longer, and the places up to ten times further off: bars and four-bars after tens of turns. A tenth of the tolerance makes
# up for it at a third more steps.
SMOOTHER = 0.1


class JointStates(ABC):
    """Remembers which joint states gave the Cartesian ones (q, v, turns, work) it told, so that going to and fro loses no
    digits and no turns. ``weight``: which components of a joint state rule the steps; ``cap``: how much of
    their size counts."""

    weight: np.ndarray
    cap: np.ndarray

    def __init__(self) -> None:
        self._known: dict[bytes, np.ndarray] = {}  # of output states, which the run holds too
        self._recent: tuple[dict[bytes, np.ndarray], dict[bytes, np.ndarray]] = {}, {}  # of others, and of the run before
        self._near: np.ndarray | None = None

    @abstractmethod
    def read(self, y: np.ndarray, near: np.ndarray | None) -> np.ndarray:
        """The joint state of a Cartesian one; whole turns and signs as those of the joint state `near`."""

    @abstractmethod
    def cartesian(self, x: np.ndarray) -> np.ndarray:
        """Cartesian states of joint ones, a row each."""

    def joint_state(self, y: np.ndarray) -> np.ndarray:
        """The joint state of a Cartesian one; those that came out of the integrator are known exactly."""
        key = y.tobytes()
        for known in (self._known, *self._recent):
            if key in known:
                return known[key]
        self._near = self.read(y, self._near)
        return self._near

    def told(self, x: np.ndarray, output: bool = False) -> np.ndarray:
        """The Cartesian states; they are known from then on, those that are no output for a while."""
        y, known = self.cartesian(x), self._known if output else self._recent[0]
        for row, own in zip(y, x, strict=True):
            known[row.tobytes()] = own.copy()
        if len(x):
            self._near = x[-1]
        return y

    def forget(self) -> None:
        """States that are no output, but for those of the last run."""
        self._recent = {}, self._recent[0]


class JointIntegrator:
    """Asked as an `Integrator` is, with Cartesian states; what it is given to run is of joint states."""

    def __init__(self, view: JointStates, motion: Any, y: np.ndarray, t: float, *, control: Any, **options: Any) -> None:
        self.view = view
        self._inside = Integrator(motion, view.joint_state(y), t, control=self._own(control), **options)
        self.ins = self._inside.ins

    def _own(self, control: Any) -> Any:
        """For joint states, which end in the work as Cartesian ones do."""
        weight, atol = self.view.weight, control.atol
        if np.ndim(atol):
            atol = np.array([*np.full(len(weight) - 1, atol[0]), atol[-1]])
        tighter = {"rtol": SMOOTHER * control.rtol, "atol": SMOOTHER * np.asarray(atol)}
        return replace(control, weight=weight, cap=self.view.cap, **tighter)

    @property
    def control(self) -> Any:
        return self._inside.control

    @control.setter
    def control(self, given: Any) -> None:
        self._inside.control = self._own(given)

    @property
    def t(self) -> float:
        return self._inside.t

    @property
    def next_step(self) -> float:
        return self._inside.next_step

    @property
    def y(self) -> np.ndarray:
        y: np.ndarray = self.view.told(self._inside.y[None])[0]
        return y

    @property
    def signs(self) -> np.ndarray:
        return self._inside.signs

    @property
    def missed(self) -> np.ndarray:
        return self._inside.missed

    def restart(self, t: float, y: np.ndarray, **options: Any) -> None:
        self._inside.restart(t, self.view.joint_state(y), **options)

    def run(self, t_end: float, **options: Any) -> Solution:
        s, told = self._inside.run(t_end, **options), self.view.told
        self.view.forget()
        return replace(s, y=told(s.y, output=True), y_events=[told(y) for y in s.y_events], y_last=told(s.y_last[None])[0])
