"""Many points of a smooth motion at once.

The motion is followed over a coarse grid, with all its checks; between the coarse points a quintic through positions,
velocities and accelerations predicts the others so well that one Newton step, straight-line code on many points at
once, is exact. Anything unusual (a coarse point refused, a prediction that is not close) is left to the follower.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from linkwright import size_policy
from linkwright.analyses.machine.machine import Machine
from linkwright.graph.gauss import Pivots, pivot_order
from linkwright.solve import path
from linkwright.solve.follower import Follower, Point, Track
from linkwright.system import System
from linkwright.system.driven import Straight

FEWEST = 1000  # points for which it is worth while
LONGEST, MIDDLE, SHORTEST = 256, 64, 16  # fine points in a coarse step
_NEAR = 1e-3  # the first Newton step, relative to the scales: the prediction is on this branch
_PREDICTED = 1e-7  # the last Newton step, relative to the scales: the error left is its square
_EXACT = 1e-10  # what Newton would still do at the end

# The code of the last motion by the equations that were chosen, of this process: what a process finds does not depend on
# which motions others have kept.
_last: WeakKeyDictionary[System, dict[tuple[int, ...], Straight]] = WeakKeyDictionary()


def sweep(machine: Machine, follower: Follower, start: Point, times: np.ndarray, rates: bool) -> Track | None:
    """The motion over as many of the (even) times as can be had this way, from start; None if it cannot."""
    if machine.model.dimension != 2 or len(start.turns) or len(times) < FEWEST or follower.n > size_policy.SWEPT:
        return None
    h = (times[-1] - times[0]) / (len(times) - 1)
    if np.abs(np.diff(times) - h).max() > 1e-9 * h:
        return None
    for stride in _strides(len(times) - 1):
        coarse = follower.run(start, np.ascontiguousarray(times[::stride]))
        if len(coarse) == len(times[::stride]) and len(coarse) > 1:
            track = _between(machine, follower, coarse, times, stride, rates)
            if track is not None:
                return track
    return None


def _strides(steps: int) -> list[int]:
    """Strides from long to short, if possible without a remainder."""
    even = [k for k in range(LONGEST, SHORTEST - 1, -1) if steps % k == 0]
    return [next((k for k in even if k <= most), most) for most in (LONGEST, MIDDLE, SHORTEST)]


def _between(
    machine: Machine, follower: Follower, coarse: Track, times: np.ndarray, stride: int, rates: bool
) -> Track | None:
    """With the code of the last such motion, if its pivots do here; else with code for this motion."""
    system, key = machine.system, tuple(follower.chosen.tolist())
    last = _last.setdefault(system, {})
    track = _solved(last[key], machine, coarse, times, stride, rates) if key in last else None
    if track is None and (pivots := _pivots(machine, follower, coarse)) is not None:
        last[key] = system.once("straight", (key, pivots), lambda: Straight(system, follower.chosen, pivots))
        track = _solved(last[key], machine, coarse, times, stride, rates)
    return track


def _solved(
    straight: Straight, machine: Machine, coarse: Track, times: np.ndarray, stride: int, rates: bool
) -> Track | None:
    q = _quintic(coarse, stride)
    count = q.shape[1]
    given = [times[None, :count], np.repeat(machine.b[:, None], count, axis=1), np.full((1, count), machine.length)]
    for k in range(3):
        q, size = straight.newton.batch(q, *given)
        worst = float(size.max())
        if worst < _PREDICTED**2 or (k == 0 and not worst < _NEAR**2):
            break
    if not worst < _PREDICTED**2:  # also where it is no number
        return None
    v = a = np.zeros((0, count))
    if rates:
        v, a, size = straight.rates.batch(q, *given)
        if not float(size.max()) < _EXACT**2:
            return None
    return Track(times[:count], q.T, v.T, a.T, np.zeros((count, 0)), path.FINE, coarse.sign)


def _quintic(coarse: Track, stride: int) -> np.ndarray:
    """Positions (a column a time) by positions, velocities, accelerations at both ends of every coarse step."""
    h = coarse.t[1] - coarse.t[0]
    s = np.arange(stride) / stride
    s3, s4, s5 = s**3, s**4, s**5
    basis = np.array([
        1 - 10 * s3 + 15 * s4 - 6 * s5, s - 6 * s3 + 8 * s4 - 3 * s5, (s**2 - 3 * s3 + 3 * s4 - s5) / 2,
        10 * s3 - 15 * s4 + 6 * s5, -4 * s3 + 7 * s4 - 3 * s5, (s3 - 2 * s4 + s5) / 2,
    ])  # fmt: skip
    ends = [x.T * f for x, f in ((coarse.q, 1.0), (coarse.v, h), (coarse.a, h * h))]
    data = np.stack([*(x[:, :-1] for x in ends), *(x[:, 1:] for x in ends)], axis=-1)
    n, steps = data.shape[:2]
    q = np.empty((n, steps * stride + 1))
    np.matmul(data, basis, out=q[:, :-1].reshape(n, steps, stride))
    q[:, -1] = coarse.q[-1]
    return q


def _pivots(machine: Machine, follower: Follower, coarse: Track) -> Pivots | None:
    """Pivots that are large all along the motion."""
    some = np.linspace(0, len(coarse) - 1, 16).astype(int)
    J = np.array([follower.matrix(coarse.q[k], float(coarse.t[k]), coarse.turns[k])[1].toarray() for k in some])
    chosen = {int(k): i for i, k in enumerate(follower.chosen)}
    pattern = [(chosen[i], j) for i, j in zip(*map(np.ndarray.tolist, machine.system.pattern), strict=True) if i in chosen]
    return pivot_order(pattern, J * machine.scale)
