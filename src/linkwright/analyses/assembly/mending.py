"""Points of a redundant machine near which the chosen equations degenerate, though all together do not.

The motion is followed with as many equations as there are coordinates. Where a redundant machine has better ones to offer,
rounding is magnified: a velocity of 1e-10, an acceleration of 1e-7 at a distance of 1e-3 from the degenerate place. The
equations left out tell.
"""

from __future__ import annotations

import numpy as np

from linkwright import size_policy
from linkwright.analyses.machine.machine import Machine
from linkwright.solve import path
from linkwright.solve.follower import Follower, Track
from linkwright.solve.rank import independent_rows

DOUBTFUL = 1e-11  # residual of a rate or acceleration of an equation left out, relative to its terms


def mend(machine: Machine, dropped: np.ndarray, track: Track) -> None:
    """Compute the doubtful points again, with equations chosen at each."""
    if not len(dropped) or not track.v.size or not track.a.size:
        return
    for k in np.flatnonzero(doubts(machine, dropped, track) > DOUBTFUL):
        t, turns = float(track.t[k]), track.turns[k]
        before, machine.turns = machine.turns, turns
        J = machine.Phi_and_J(track.q[k], t)[1]
        machine.turns = before
        kept, _ = independent_rows(J, machine.scale, ~machine.is_driver)
        if len(kept) < machine.nv:
            continue  # singular as a whole: not ours to mend
        follower = Follower(machine.system, kept, machine.scale, machine.b)
        q, reason, _ = follower.correct(track.q[k], t, turns)
        if reason == path.FINE:
            point = follower.point(q, t, turns)
            track.q[k], track.v[k], track.a[k] = point.q, point.v, point.a


def doubts(machine: Machine, dropped: np.ndarray, track: Track) -> np.ndarray:
    """By point: how badly the rates and accelerations of the equations left out fail to vanish, relative to their terms."""
    system, count = machine.system, len(track.t)
    b = np.repeat(machine.b[:, None], count, axis=1)
    args = [track.q.T, track.v.T, track.t[None], b, track.turns.T, np.zeros_like(track.v.T)]
    if count > size_policy.SINGLE_CALLS and hasattr(system.position, "batch"):
        args = [np.ascontiguousarray(a) for a in args]
        entries, nu, gamma = (f.batch(*args)[-1] for f in (system.position, system.velocity, system.acceleration))
    else:
        points = [[np.ascontiguousarray(a[:, k]) for a in args] for k in range(count)]
        functions = (system.position, system.velocity, system.acceleration)
        entries, nu, gamma = (np.array([f(*p)[-1] for p in points]).T for f in functions)
    rows, columns = system.pattern
    worst = np.zeros(count)
    for row in dropped:
        own = rows == row
        for rate, wanted in ((track.v, nu[row]), (track.a, gamma[row])):
            terms = entries[own] * rate.T[columns[own]]
            size = np.abs(terms).sum(axis=0) + np.abs(wanted)
            worst = np.maximum(worst, np.abs(terms.sum(axis=0) - wanted) / np.maximum(size, 1e-300) * (size > 1e-12))
    return worst
