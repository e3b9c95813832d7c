"""Inverse dynamics: the forces and torques of drivers that make a prescribed motion, and all reactions (Haug 6.4)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import linear
from linkwright.analyses.assembly.assemble import close, wrong_roots
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.prescribed import check_prescribed, check_turns, corners
from linkwright.analyses.machine.reactions import Forces
from linkwright.analyses.machine.recorded import recorded
from linkwright.analyses.machine.times import Times
from linkwright.analyses.machine.trouble import law_ended
from linkwright.analyses.motion.kinematics import by_shapes, check_branch
from linkwright.analyses.motion.run import Progress, Run, past_ends
from linkwright.analyses.motion.with_forces import notes_on, with_forces
from linkwright.errors import IntegrationError, Interrupted, LinkwrightError
from linkwright.model import Model
from linkwright.results import Audit, Result
from linkwright.results.balances import Violation
from linkwright.results.motion import MotionResult


@by_name
@recorded
def inverse_dynamics(
    model: Model,
    t_end: float | None = None,
    steps: int | None = None,
    *,
    t_start: float = 0.0,
    t_eval: ArrayLike | None = None,
    branch: int | None = None,
    start: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> MotionResult:
    """Give the forces and torques of all drivers that make a prescribed motion, and the reactions of all joints.

    The machine moves as by `kinematics`. With dependent constraints, or drivers that share a degree of freedom, the
    multipliers of least norm are taken, and the audit says whose reactions are not unique.

    Parameters
    ----------
    model : Model
        The machine.
    t_end : float, optional
        The end of the run [s]; by default the last of `t_eval`.
    steps : int, optional
        Output at steps + 1 even times; by default 100.
    t_start : float
        The begin of the run [s], whatever the output times are.
    t_eval : numbers, optional
        The output times [s], in place of `steps`.
    branch : int, optional
        The branch of every bifurcation to follow; 0 goes on as before.
    start : Configuration, Result or mapping, optional
        Positions to begin from, by channel, in place of the estimates.
    progress : function, optional
        Called as progress(t, part) a few times a second, part from 0 to 1.

    Returns
    -------
    MotionResult
        Channels over time, with efforts and reactions.

    Raises
    ------
    SingularityError
        A lock-up, or a bifurcation where no `branch` is given; `.partial` is the result so far.
    Interrupted
        Ctrl-C, or a KeyboardInterrupt of `progress`; `.partial` is the result so far.

    References
    ----------
    Haug (6.4.5): Phi_v^T lam = Q - M vdot.

    Examples
    --------
    >>> m = lw.PlanarModel("flywheel")
    >>> wheel = m.body("wheel", mass=1.0, inertia=0.5)
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), wheel.at(0, 0)))
    >>> motor = m.add(lw.Driver("motor", pin.angle, "3*t**2"))
    >>> lw.inverse_dynamics(m, t_end=1.0, steps=1)["motor.torque"]  # J alpha
    array([3., 3.])
    """
    times = Times.of(t_end, steps, t_start, t_eval, "inverse dynamics")
    check_branch(branch)
    machine = LoadedMachine(model, times.start, by_shapes=by_shapes(model, times), points=len(times.path))
    check_prescribed(machine.geometry, times.path)
    turning = check_turns(machine.geometry, times.path)
    q = close(machine, times.start, None if start is None else machine.going_on(start)).q
    notes = [*turning, *wrong_roots(machine, q, times.start)]
    notes += [f"{e}: {what}: forces are those beside it" for e, what in corners(machine.geometry, times.path)]
    run = Run(machine, times, branch)
    try:
        run.over(q, progress)
        if machine.states.any():
            run.states, more = states_along(machine, times, branch, q)
            notes += more
        return _loaded(machine, run, notes)
    except LinkwrightError as error:
        if run.tracks and not isinstance(error.partial, MotionResult):
            error.partial = _so_far(machine, run, notes)
        raise
    except KeyboardInterrupt as stop:
        if not run.tracks:
            raise
        partial = _so_far(machine, run, notes)
        raise Interrupted(float(partial.t[-1]), partial) from stop


def _so_far(machine: LoadedMachine, run: Run, notes: list[str]) -> Result:
    """The result of a run that ended early; without forces where a law in plain Python raised."""
    try:
        return _loaded(machine, run, notes)
    except (LinkwrightError, KeyboardInterrupt):
        return run.result(run.tracks)


def _loaded(machine: LoadedMachine, run: Run, notes: list[str]) -> MotionResult:
    """A motion with its forces."""
    t, q, v, a, turns = map(run.shown(run.tracks), ("t", "q", "v", "a", "turns"))
    if run.states is not None:
        turns = turns.copy()
        turns[:, machine.states] = run.states
    known = Forces(machine, States(t, q, v, turns), a).finite
    if known.all():
        return _told(machine, run, notes, (t, q, v, a, turns))
    end = int(np.argmin(known))
    error = law_ended(machine, float(t[end]), np.concatenate([q[end], v[end], turns[end], [0.0]]))
    error.partial = _told(machine, run, notes, tuple(x[:end] for x in (t, q, v, a, turns))) if end else None
    raise error


def _told(
    machine: LoadedMachine, run: Run, notes: list[str], track: tuple[np.ndarray, ...]
) -> MotionResult:  # fmt: skip
    t, q, v, a, turns = track
    audit = Audit("inverse dynamics", "Newton, then Phi_v^T lam = Q - M vdot", refined=run.follower.refined)
    forces = Forces(machine, States(t, q, v, turns), a)
    out = with_forces(forces, audit)
    Phi, rate = forces.violation()
    out.violation = Violation(np.abs(Phi).max(axis=1, initial=0.0), np.abs(rate).max(axis=1, initial=0.0))
    audit.position_error = float(out.violation.position.max(initial=0.0))
    audit.notes += [*notes_on(forces, out), *notes, *run.notes, *past_ends(machine, t, q, turns)]
    return out


# States of a machine whose motion is prescribed: they are integrated along it, and act back on forces alone.
#
# Positions and velocities follow from time, so that zdot = r(q(t), v(t), z, t) is an equation of the states only. It is
# integrated by Radau IIA of order five, whose three stages ask for the motion at times of their own: those are part of the
# path on which the machine is followed, and nothing is interpolated. Steps are halved until the states at the times of
# output change no more.

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
