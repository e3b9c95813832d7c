"""Masses and rows of a large machine at states of a run, as `Forces` has those of a small one: for its invariants."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.looped.machine import LoopedMachine
from linkwright.analyses.machine.mechanical import States

LOOKS = 24  # states at most: each is a loop over all elements


class Sampled:
    """energy: kinetic energies among others, a row a state."""

    def __init__(self, machine: LoopedMachine, states: States, energy: np.ndarray) -> None:
        self.machine, self.states, self.energy = machine, states, energy

    @classmethod
    def of(cls, machine: LoopedMachine, t: np.ndarray, y: np.ndarray, kinetic: np.ndarray) -> Sampled:
        """Of states (q, v, turns, work), a row each: the first, the last, and some between."""
        some = np.unique(np.linspace(0, len(t) - 1, min(len(t), LOOKS)).astype(int))
        nq, nv = machine.nq, machine.nv
        return cls(machine, States(t[some], *np.split(y[some, :-1], [nq, nq + nv], axis=1)), kinetic[some, None])

    def at(self, chosen: slice, answers: Callable[[], Any]) -> Sampled:
        s = self.states
        return Sampled(self.machine, States(s.t[chosen], s.q[chosen], s.v[chosen], s.turns[chosen]), self.energy[chosen])

    @property
    def answers(self) -> None:
        """None are needed here."""

    @cached_property
    def _terms(self) -> list[tuple[Any, Any]]:
        s = self.states
        every = zip(s.q, s.v, s.t, s.turns, strict=True)
        return [self.machine.masses_and_rows(q, v, float(t), turns)[:2] for q, v, t, turns in every]

    def mass_by(self, x: np.ndarray) -> np.ndarray:
        """M x at each state."""
        return np.array([M @ own for (M, _), own in zip(self._terms, x, strict=True)])

    def rows_by(self, d: np.ndarray) -> np.ndarray:
        """What displacements change the rows by, at each state."""
        return np.array([J @ own for (_, J), own in zip(self._terms, d, strict=True)])

    @cached_property
    def row_sizes(self) -> np.ndarray:
        """What a displacement of typical lengths changes each row by, at each state."""
        squares = self.machine.scale**2
        sizes = np.sqrt([np.asarray(J.multiply(J) @ squares).ravel() for _, J in self._terms])
        return np.where(sizes > 0, sizes, 1.0)
