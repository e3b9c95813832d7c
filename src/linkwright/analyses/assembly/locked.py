"""Machines that are locked where they start: drivers that are good elsewhere, and cannot move anything here.

At a dead point the rank of the equations is lower than nearby. A machine may also be locked all around the place where it
starts, on a branch of its motion that the drivers do not move: a four-bar with two pins on top of each other, which turns
about them whatever the crank should do. Counting degrees of freedom there would blame the drivers, of which none is missing
and none is too many.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.assembly import singular
from linkwright.analyses.assembly.closure import Closure, _apart, random_start, same_configuration
from linkwright.analyses.assembly.freedom import good_drivers
from linkwright.analyses.machine.channels import Motion
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.prescribed import follows_time
from linkwright.analyses.machine.row_lengths import jacobian, usual_entries
from linkwright.errors import SingularityError
from linkwright.model import Driver
from linkwright.regularisation import RANK
from linkwright.solve.blas import single_threaded
from linkwright.solve.nearest import solutions
from linkwright.solve.rank import dense, rank_of, scaled

TRIES = 12  # closures looked at, from other estimates
LOCKED = 1e-6  # what the rows cannot give of what is asked for: this part of it is none
TOLD = 3  # bodies of another position that are told
AHEAD = (0.0, 1e-3, 0.01, 0.1, 0.3, 1.0)  # drivers may stand at the start: when they are looked at


@dataclass(frozen=True, eq=False)
class Locked:
    """`dead_point`: nearby it is not locked. `other`: a configuration, near or far, in which it is not."""

    other: np.ndarray
    time: float
    elements: tuple[str, ...]
    drivers: tuple[str, ...]
    dead_point: bool
    text: str
    remedy: str
    where: str = ""  # it is not locked, in words

    def error(self) -> SingularityError:
        driver = self.drivers[0] if len(self.drivers) == 1 else self.drivers
        return SingularityError(
            self.text, kind="lock-up", time=self.time, driver=driver, element=self.elements,
            remedy=f"{self.remedy}; {self.where}" if self.where else self.remedy,
        )  # fmt: skip


@single_threaded
def locked_start(machine: Machine, q: np.ndarray, t: float) -> Locked | None:
    """Whether no velocity at q is what drivers ask for, although they are independent elsewhere; None where it moves, or
    where drivers contradict each other or the joints everywhere. Large machines are not asked."""
    if machine.nv > size_policy.SPARSE or not any(follows_time(r.element) for r in machine.system.rows):
        return None
    J = jacobian(machine, q, t)
    missed = _missed(machine, J, q, t)
    if missed is None:
        return None
    here = rank_of(J, machine.scale)
    near = singular.elsewhere(machine, q, t)
    dead_point = rank_of(jacobian(machine, near, t), machine.scale) > here
    if dead_point:  # drivers that stand there may pass it
        missed = _missed(machine, J, q, t, (0.0,))
    other = near if dead_point else regular_elsewhere(machine, q, t, here)
    return None if missed is None or other is None else _locked(machine, q, t, missed, dead_point, other)


def _locked(machine: Machine, q: np.ndarray, t: float, missed: np.ndarray, dead_point: bool, other: np.ndarray) -> Locked:
    involved = [r.element for r, yes in zip(machine.system.rows, missed, strict=True) if yes]
    elements = list(dict.fromkeys(e.name for e in involved))
    names = list(dict.fromkeys(e.name for e in involved if follows_time(e)))
    driven = {str(e.quantity) for e in machine.model.elements.values() if isinstance(e, Driver)}
    instead = [x for x in good_drivers(machine, q, t) if x not in driven][:3]
    way = f"; or drive {' or '.join(instead)}" if instead else ""
    said = " and ".join(names) or "a prescribed motion"
    text, where = f"the machine is locked where it starts, at t = {t:.6g}: ", ""
    if dead_point:
        text += f"a dead point, where {said} cannot move anything"
        remedy = f"start a little away from it, at another time or with other estimates{way}"
    else:
        text += f"{said} cannot move anything in this position, nor nearby"
        remedy = f"start where it is not locked{way}"
        where = f"it is not locked, for instance, at {_told(machine, q, other, t, names)}"
    drivers = tuple(n for n in names if isinstance(machine.model.elements[n], Driver))
    return Locked(other, t, tuple(elements), drivers, dead_point, text, remedy, where)


def regular_elsewhere(machine: Machine, q: np.ndarray, t: float, rank: int) -> np.ndarray | None:
    """The nearest closure of the joints, drivers aside, found from other estimates, in which more equations than `rank` are
    independent; None if there is none."""
    problem = Closure(machine, t, drivers=False)
    found = solutions(problem, lambda k: random_start(machine, q, k + 1), TRIES, same_configuration(machine))
    usual = usual_entries(machine, q, t, machine.turns)
    better = [x for x in found if rank_of(jacobian(machine, x, t, usual), machine.scale) > rank]
    return min(better, key=lambda x: float(np.sum((x - q) ** 2)), default=None)


def _missed(
    machine: Machine, J: np.ndarray, q: np.ndarray, t: float, ahead: tuple[float, ...] = AHEAD
) -> np.ndarray | None:  # fmt: skip
    """The rows that cannot all have the rate that is asked for so much later, as a mask; None where they can."""
    S, lengths = scaled(dense(J), machine.scale)
    U, s, _ = linear.svd(S)
    B = U[:, int((s > RANK * s[0]).sum()) :]
    if not B.shape[1]:
        return None
    # a row that vanishes here has no length: it misses all it is asked for
    asked = [machine.nu(q, t + h) / lengths for h in AHEAD]
    missed = max((B @ (B.T @ nu) for h, nu in zip(AHEAD, asked, strict=True) if h in ahead), key=lambda x: float(x @ x))
    if np.linalg.norm(missed) <= LOCKED * max(np.linalg.norm(nu) for nu in asked):
        return None
    return np.asarray(np.abs(missed) > 0.05 * np.abs(missed).max())


def _told(machine: Machine, q: np.ndarray, other: np.ndarray, t: float, names: list[str]) -> str:
    """A sentence about another position: what is driven there, and the bodies that are farthest from where they stand."""
    elements = [machine.model.elements[name] for name in names]
    drivers = [e for e in elements if isinstance(e, Driver)]
    motion = Motion(machine, np.array([t]), other[None], machine.turns[None])
    values = np.asarray(motion.evaluate([d.quantity for d in drivers])).reshape(-1)
    said = [f"{d.quantity} = {x:.3g}" for d, x in zip(drivers, values, strict=True)]
    slices = {name: at for name, (at, _) in machine.system.coordinates.body_slices().items()}
    far = {name: _apart(machine, q[at], other[at]) for name, at in slices.items()}
    n = machine.model.dimension
    for name in sorted(far, key=lambda name: -(far[name][0] / machine.length + far[name][1]))[:TOLD]:
        at = np.where(np.abs(other[slices[name]]) < 1e-9 * machine.length, 0.0, other[slices[name]])
        angle = f" with angle {(at[2] + np.pi) % (2 * np.pi) - np.pi:.3g}" if n == 2 else ""
        said.append(f"{name} at ({', '.join(f'{x:.3g}' for x in at[:n])}){angle}")
    return ", ".join(said)
