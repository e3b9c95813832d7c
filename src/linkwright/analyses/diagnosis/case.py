"""A machine while it is examined: what those who look for causes and for remedies need to know of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright import size_policy
from linkwright.analyses.assembly.locked import Locked
from linkwright.analyses.diagnosis.report import Report
from linkwright.analyses.diagnosis.stand import Stand
from linkwright.analyses.machine.channels import Motion
from linkwright.analyses.machine.machine import Machine
from linkwright.model import Fix, Model
from linkwright.model.changes import Guess
from linkwright.model.names import quoted


@dataclass(eq=False)
class Case:
    """q: where the machine was assembled, or came nearest to that; `general`: nearby, where its rank is the usual one.

    `again` is `check`, for copies that have a remedy.
    """

    machine: Machine
    q: np.ndarray
    general: np.ndarray
    t: float
    report: Report
    again: Callable[[Model], Report]
    locked: Locked | None = None
    offered: dict[tuple[str, tuple[str, ...]], list[Fix]] = field(default_factory=dict)

    @property
    def model(self) -> Model:
        return self.machine.model

    @property
    def stand(self) -> Stand:
        return Stand(self.machine, self.q)

    @property
    def large(self) -> bool:
        return self.machine.nv > size_policy.SPARSE

    def values(self, quantities: list[Any], q: np.ndarray | None = None) -> list[float]:
        """Of quantities where the machine stands, or at another place."""
        place = self.q if q is None else q
        motion = Motion(self.machine, np.array([self.t]), place[None], self.machine.turns[None])
        traced = [self.model.trace(self.formula(x)) if isinstance(x, str) else x for x in quantities]
        return [float(x) for x in np.asarray(motion.evaluate(traced)).reshape(-1)]

    def formula(self, name: str) -> str:
        """The name of a channel, or of a component of a point, as formulas have it: names with spaces are quoted."""
        owner, _, channel = name.rpartition(".")
        body, bracket, rest = owner.partition("(")
        if owner in self.model:
            return f"{quoted(owner)}.{channel}"
        return f"{quoted(body)}{bracket}{rest}.{channel}" if body in self.model.bodies else name

    def estimates(self, q: np.ndarray, bodies: list[str] | None = None) -> tuple[Guess, ...]:
        """The estimates that put bodies, all unless some are named, where q has them."""
        return tuple(self.pose(name, q) for name in bodies or self.machine.system.coordinates.body_slices())

    def pose(self, body: str, q: np.ndarray) -> Guess:
        own = q[self.machine.system.coordinates.body_slices()[body][0]]
        n = self.model.dimension
        place = tuple(round(float(x), 12) + 0.0 for x in own[:n])
        if n == 2:
            return Guess(body, place, angle=round(float(own[2]), 12) + 0.0)
        return Guess(body, place, orientation=tuple(float(x) for x in own[3:]))
