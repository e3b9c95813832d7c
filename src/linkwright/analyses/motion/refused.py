"""Refusals of motions that drivers prescribe and this analysis cannot answer for: the answer would be wrong."""

from __future__ import annotations

from linkwright.analyses.machine.machine import Machine
from linkwright.errors import ModelError


def refuse_velocities(machine: Machine) -> None:
    """ModelError where constraints are on velocities alone: positions do not follow from time then."""
    if rolling := [row.element.name for row in machine.system.rows if row.rate is not None]:
        raise ModelError(
            "constraints on velocities do not say where a machine is", element=list(dict.fromkeys(rolling)),
            remedy="lw.dynamics moves it; with a driver for every freedom it gives the driving forces, too; an equation "
            "that can be integrated may be given of positions",
        )  # fmt: skip
