"""Results with reactions: what they compute when it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np

from linkwright.analyses.machine.joint_rates import JointRates
from linkwright.analyses.machine.slack import slack
from linkwright.analyses.machine.told import ForcesAlong
from linkwright.analyses.motion.lift_off import pulls
from linkwright.results import Audit
from linkwright.results.channels import Evaluate
from linkwright.results.computed import Computed
from linkwright.results.motion import JointPlace, MotionResult


class WithForces:
    """The attributes of a result that are computed when they are read: `Later` asks for them by name. It knows nothing of
    the result, so that nothing holds it once nobody does."""

    names: tuple[str, ...] = ("_audit", "_channels", "_derived", "_evaluate", "imbalance", "places")
    forces: ForcesAlong
    audit: Any

    def get(self, name: str) -> Callable[[], Any] | None:
        """The function that computes a part, if one does."""
        return getattr(self, name) if name in self.names else None

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    @cached_property
    def channels(self) -> Mapping[str, np.ndarray]:
        found: Mapping[str, np.ndarray] = Computed(self.forces.layout, partial(_group, self.forces))
        return dict(found) if self.forces.at_once else found

    def _audit(self) -> Audit:
        audit: Audit = self.audit
        return audit

    def _channels(self) -> Mapping[str, np.ndarray]:
        return self.channels

    def _derived(self) -> JointRates | Mapping[str, np.ndarray]:
        return self.forces.rates_of_joints(self.channels) or {}

    def _evaluate(self) -> Evaluate:
        return self.forces.evaluator()

    def imbalance(self) -> Computed:
        forces = self.forces
        return Computed(dict.fromkeys(forces.balanced, ("all", None)), lambda _: forces.imbalance())

    def places(self) -> dict[str, JointPlace]:
        return self.forces.places()


def with_forces(forces: ForcesAlong, audit: Audit) -> MotionResult:
    """States, accelerations and forces as a result with reactions; all but the states is computed when it is read."""
    parts, audit.points = WithForces(), len(forces.states.t)
    parts.forces, parts.audit = forces, audit
    return MotionResult._made_of(forces.machine.model, forces.states.t, parts)


def _group(forces: ForcesAlong, name: str) -> np.ndarray | Mapping[str, np.ndarray]:
    """The channels of a group of the layout."""
    if name == "q":
        return forces.states.q
    if name == "v":
        return forces.states.v
    if name == "a":
        return forces.vdot
    return forces.joint_channels() if name == "joints" else forces.channels()


def notes_on(forces: ForcesAlong, out: MotionResult) -> list[str]:
    """Notes about the forces of a result."""
    machine, states = forces.machine, forces.states
    lifted = [x.note for x in pulls(machine.model, states.t, out._channels)]
    return [*forces.notes(), *lifted, *slack(machine.elements, states.t, out._channels)]
