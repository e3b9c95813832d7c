"""A mode as a motion that can be looked at: the machine swung along its shape, joints kept closed, once around."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.analyses.assembly.closure import Closure
from linkwright.analyses.machine.channels import Motion, body_channels
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.errors import AssemblyError
from linkwright.results import Audit, Result
from linkwright.solve import nearest

Swing = Callable[[np.ndarray, float, float, int, str], Result]


def swung(machine: LoadedMachine, q: np.ndarray, t: float) -> Swing:
    """The motion of a shape (a column of `modes`) with a frequency [Hz] and an amplitude, about q."""

    def swing(shape: np.ndarray, frequency: float, amplitude: float, frames: int, name: str) -> Result:
        period = 1.0 / abs(frequency) if frequency else 1.0
        phases = 2 * np.pi * np.arange(frames + 1) / frames
        unit = amplitude / float(np.abs(shape / machine.scale).max(initial=0.0) or 1.0)
        places, turned, kept = [], [], machine.turns
        machine.turns = kept.copy()
        try:
            for phase in phases:
                found = nearest.close(Closure(machine, t), machine.retract(q, unit * (shape * np.exp(1j * phase)).real))
                if not found.closed:
                    raise _too_far(machine, name, amplitude)
                machine.settle(found.q, t)
                places.append(found.q)
                turned.append(machine.turns.copy())
        finally:
            machine.turns = kept
        times, rows = phases / (2 * np.pi) * period, np.array(places)
        motion = Motion(machine, times, rows, np.array(turned))
        channels = {**body_channels(machine, rows, None, None), **motion.joint_channels()}
        audit = Audit(name, f"shape times {amplitude:g}, joints closed", len(times))
        return Result(machine.model.name, times, channels, audit, motion.evaluator(), source=machine.model)

    return swing


def _too_far(machine: LoadedMachine, name: str, amplitude: float) -> AssemblyError:
    return AssemblyError(
        f"{name}: swung by {amplitude:g} of its size the machine does not close", element=machine.model.name,
        remedy="give a smaller amplitude",
    )  # fmt: skip
