"""States of a machine whose motion is prescribed: they are integrated along it, and act back on forces alone.

Positions and velocities follow from time, so that zdot = r(q(t), v(t), z, t) is an equation of the states only. It is
integrated by Radau IIA of order five, whose three stages ask for the motion at times of their own: those are part of the
path on which the machine is followed, and nothing is interpolated. Steps are halved until the states at the times of output
change no more.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from linkwright import linear
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.run import Run
from linkwright.errors import IntegrationError

ROOT = np.sqrt(6.0)
NODES = np.array([(4 - ROOT) / 10, (4 + ROOT) / 10, 1.0])  # Hairer and Wanner II, table 5.6
A = np.array([
    [(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
    [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
    [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9],
])  # fmt: skip
FEWEST = 32  # steps over the whole run, at first
HALVINGS = 7
CLOSE = 1e-9  # change of the states by the last halving, of their largest values: the error is a thirtieth of it
ITERATIONS = 12


def states_along(machine: LoadedMachine, times: Times, branch: int | None, q: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The states at the output times, a row a time, from where they begin; and notes."""
    begin, path = machine.turns.copy(), times.path
    parts = max(1, -(-FEWEST // max(len(path) - 1, 1)))
    before: np.ndarray | None = None
    for _ in range(HALVINGS):
        z = _integrated(machine, path, branch, q, parts)
        machine.turns[:] = begin
        if before is not None:
            size = np.abs(z).max(axis=0, initial=0.0)
            left = float((np.abs(z - before).max(axis=0, initial=0.0) / np.where(size > 0, size, 1.0)).max(initial=0.0))
            if left < CLOSE:
                return z[times.is_shown(path)], []
        before, parts = z, 2 * parts
    note = f"states along the motion are known to {left:.1g} of their largest values: something jumps on the way"
    return z[times.is_shown(path)], [note]


def _integrated(machine: LoadedMachine, path: np.ndarray, branch: int | None, q: np.ndarray, parts: int) -> np.ndarray:
    """The states at the times of the path, with so many steps between two of them."""
    ends = np.concatenate([path[:1], *(np.linspace(a, b, parts + 1)[1:] for a, b in pairwise(path))])
    lengths = np.diff(ends)
    nodes = (ends[:-1, None] + lengths[:, None] * NODES).reshape(-1)
    nodes[2::3] = ends[1:]
    run = Run(machine, Times(float(path[0]), float(path[-1]), np.concatenate([path[:1], nodes])), branch)
    run.over(q)
    t, *motion = map(run.shown(run.tracks), ("t", "q", "v", "turns"))
    z = machine.turns[machine.states].copy()
    out = [z]
    for k, h in enumerate(lengths):
        at = slice(1 + 3 * k, 4 + 3 * k)
        z = _step(machine, t[at], [x[at] for x in motion], z, h)
        if (k + 1) % parts == 0:
            out.append(z)
    return np.array(out)


def _step(machine: LoadedMachine, t: np.ndarray, motion: list[np.ndarray], z: np.ndarray, h: float) -> np.ndarray:
    """One step of length h by Newton's method on all stages."""
    n, stages = len(z), np.tile(z, (3, 1))
    last = np.inf
    for _ in range(ITERATIONS):
        rates, slopes = np.zeros((3, n)), np.zeros((3, n, n))
        for i in range(3):
            turns = motion[2][i].copy()
            turns[machine.states] = stages[i]
            args = machine.load_args(motion[0][i], motion[1][i], float(t[i]), turns)
            rates[i], slopes[i] = machine.system.state_rates(*args)[0], machine.system.state_changes(*args)[3]
        left = stages - z - h * A @ rates
        matrix = np.eye(3 * n) - h * np.block([[A[i, j] * slopes[j] for j in range(3)] for i in range(3)])
        change = linear.solve(matrix, left.reshape(-1)).reshape(3, n)
        stages = stages - change
        size = float(np.abs(change).max(initial=0.0) / (1e-300 + np.abs(stages).max(initial=0.0)))
        if size < 1e-13 or (size < 1e-10 and size >= last):  # rounding
            return np.asarray(stages[2])
        last = size
    if np.isfinite(stages).all():  # a rate that jumps within the step: the steps are halved
        return np.asarray(stages[2])
    name = list(machine.model.states)[int(np.argmax(np.abs(change).max(axis=0)))]
    raise IntegrationError(
        f"the state {name} cannot be followed near t = {t[-1]:.6g}", time=float(t[-1]), element=name,
        remedy="check the law of its rate; lw.dynamics of the same machine integrates it step by step",
    )  # fmt: skip
