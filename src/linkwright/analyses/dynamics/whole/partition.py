"""Generalised coordinate partitioning: which displacements are independent, and when to choose anew (Haug 7.3.2)."""

from __future__ import annotations

import numpy as np

from linkwright import linear
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.sizes import follows_work
from linkwright.solve.solution import Solution

GIVEN_UP = 0.75  # a partition is given up when its smallest singular value is this part of the best one's
BAD = 0.1  # the part of the best partition's, below which states are computed again in fewer, shorter steps
SHORT = 1e-9  # of the span: a stretch that no shorter one would mend
MOST_STEPS = 25  # until it is looked at
ILL = 1e-3  # pivots below this: stabilisation terms do harm (Haug 7.3.5)
SHOWN = 3


def dependent(S: np.ndarray) -> list[int]:
    """The dependent displacements: pivots of a factorisation of the rows (Haug 4.4.8), scaled."""
    order = linear.pivoted_qr_raw(S)[1] - 1  # counted from one
    return sorted(order[: len(S)].tolist())


def is_bad(S: np.ndarray, partition: list[int]) -> bool:
    """Whether Phi_u is worse conditioned than it may be: errors of the independent coordinates grow by its inverse in the
    others."""
    own = smallest(S, partition)
    if own >= GIVEN_UP * smallest(S, slice(None)):  # no partition is better than all columns together
        return False
    return own < GIVEN_UP * smallest(S, dependent(S))


def is_spoiled(S: np.ndarray, partition: list[int]) -> bool:
    """Whether Phi_u is so ill-conditioned, though others would be good, that states which were corrected by it cannot be
    trusted."""
    return not np.isfinite(S).all() or smallest(S, partition) < BAD * smallest(S, dependent(S))


def error(Phi: np.ndarray, rate: np.ndarray, speeds: np.ndarray, length: float, span: float) -> float:
    """The largest error of position, relative to the machine's length, or of velocity, relative to its speed; infinite where
    it is no number.

    speeds: velocities in radians and lengths [1/s]; span [s]: of the run. It is asked at the output of a stretch, which lies
    between steps: a partition may have been singular there that is good at both ends.
    """
    fast = float(np.abs(speeds).max(initial=0.0)) + 1 / span
    errors = np.concatenate([Phi / length, rate / (length * fast)])
    return float(np.abs(errors).max(initial=0.0)) if np.isfinite(errors).all() else np.inf


def steps_ahead(margin: float, speeds: np.ndarray, step: float) -> int:
    """The number of steps of this length [s] that may be taken before the next look. margin: by how much the rows, which
    have the length one, may turn; a motion by so many radians, or typical lengths, turns them by hardly more."""
    moved = step * np.abs(speeds).max(initial=0.0)
    return int(np.clip(0.25 * margin / moved, 1, MOST_STEPS)) if moved > 0 else MOST_STEPS


def smallest(S: np.ndarray, partition: list[int] | slice) -> float:
    """The smallest singular value of the columns of a partition."""
    return float(linear.singular_values(S[:, partition])[-1])


def largest_error(machine: LoadedMachine, solution: Solution, span: float) -> float:
    """The largest `error` of the states of a solution."""
    m, off = machine, 0.0
    for t, y in zip(solution.t, solution.y, strict=True):
        v = y[m.nq : m.nq + m.nv]
        terms = m.terms(y[: m.nq], v, float(t), y[m.nq + m.nv : -1])
        off = max(off, error(terms.Phi, terms.J @ v - terms.nu, v / m.scale, m.length, span))
    return off


def told(changes: list[float]) -> list[str]:
    """A sentence for the audit about when other coordinates were chosen: the first few times."""
    if not changes:
        return []
    times = ", ".join(f"{t:.6g}" for t in changes[:SHOWN])
    more = f" and {len(changes) - SHOWN} times more" if len(changes) > SHOWN else ""
    return [f"other independent coordinates from t = {times}{more} on"]


def weights(machine: LoadedMachine, partition: list[int], q: np.ndarray) -> np.ndarray:
    """The weights by which the components of the state rule the steps: with a partition those of the independent ones
    only."""
    m = machine
    weight = np.ones(m.nq + m.nv + len(m.turns) + 1)
    weight[m.nq + m.nv : -1] = m.states  # references of angles follow, they rule no step
    weight[-1] = follows_work(m.model)
    if partition:
        weight[m.nq + np.array(partition)] = 0.0
        held = np.abs(m.tangent(q)) > 0
        held[:, partition] = False
        weight[: m.nq] = held.any(axis=1)
        if not weight[:-1].any():  # nothing is free: the motion is that of the drivers
            weight[: m.nq] = 1.0
    return weight


def purely(t: float) -> str:
    """A sentence for the audit about the end of stabilisation."""
    return f"pure partitioning from t = {t:.6g} on: the equations lose digits there"
