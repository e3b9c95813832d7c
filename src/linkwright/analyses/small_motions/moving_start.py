"""The state about which a machine is linearised: positions, velocities and time of what the user gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.assembly.fixes import velocity_fixes
from linkwright.analyses.assembly.start import initial_velocity
from linkwright.analyses.machine.machine import last_value
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.errors import ModelError
from linkwright.regularisation import LEAST_SQUARES
from linkwright.results import Configuration, Result
from linkwright.results.motion import Equilibrium
from linkwright.solve.rank import scaled
from linkwright.solve.smallest import Smallest

FAR = 1e-3  # velocities that the joints change by more than this part of the fastest are not those of the machine at t
STILL = 1e-30  # radians, or lengths of the machine, a second: less is what rounding leaves of what has come to rest


def time_of(at: Any, t: float | None) -> tuple[Any, float]:
    """(channels at one time, that time): of a result those at its stored time nearest to t."""
    if not isinstance(at, Result):
        known = at.t if isinstance(at, Configuration) else 0.0
        return at, known if t is None else t
    first, last = float(at.t[0]), float(at.t[-1])
    if t is None:
        t = last
    if not (isinstance(t, int | float | np.number) and first - 1e-9 <= t <= last + 1e-9):
        raise ModelError(f"t = {t!r} is no time of the result", element="t", remedy=f"give a time in [{first:g}, {last:g}]")
    return at.at(float(t)), float(at.t[int(np.argmin(np.abs(at.t - t)))])


def state_of(machine: LoadedMachine, at: Any, q: np.ndarray, t: float) -> np.ndarray:
    """The velocities at q: those told, brought to what the joints allow, and what these make of the others; of a
    configuration those that the bodies are given. Zero where there are none: then drivers are held."""
    names = machine.system.coordinates.v_names
    if not any(name in at for name in names):
        given = not isinstance(at, Equilibrium) and isinstance(at, Configuration)
        if not given or not (machine.system.velocity_estimate(machine.model).any() or velocity_fixes(machine.model)):
            return np.zeros(machine.nv)
        return initial_velocity(
            machine, q, t, machine.system.velocity_estimate(machine.model), velocity_fixes(machine.model)
        )[0]
    v = np.array([last_value(at, name) if name in at else 0.0 for name in names])
    told = np.array([name in at for name in names], dtype=bool)
    still = np.abs(v / machine.scale).max(initial=0.0) < STILL
    return np.zeros(machine.nv) if still else _allowed(machine, q, t, v, told)


def _allowed(machine: LoadedMachine, q: np.ndarray, t: float, v: np.ndarray, told: np.ndarray) -> np.ndarray:
    J = machine.rows_at(q, t)[1]
    S, lengths = scaled(J, machine.scale)
    if not len(lengths):
        return v

    def reaching(lack: np.ndarray, S: Any) -> np.ndarray:
        return np.asarray(
            Smallest(S).reaching(lack) if machine.nv > size_policy.SPARSE else linear.lstsq(S, lack, rcond=LEAST_SQUARES)[0]
        )

    if not told.all():  # such as the rates of contacts on curves: the others say what they are
        v = v.copy()
        v[~told] += machine.scale[~told] * reaching((machine.nu(q, t) - J @ v) / lengths, S[:, ~told])
    lack = (machine.nu(q, t) - J @ v) / lengths
    step = reaching(lack, S)
    if np.abs(step).max() > FAR * np.abs(v / machine.scale).max():
        worst = machine.system.rows[int(np.argmax(np.abs(lack)))].element.name
        raise ModelError(
            f"these velocities are not those of the machine at t = {t:g}: they violate {worst}", element=worst,
            remedy="give a result of this machine, with its parameters and drivers as they are now",
        )  # fmt: skip
    return np.asarray(v + machine.scale * step)
