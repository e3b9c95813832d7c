"""Kinematics: position, velocity and acceleration of a driven machine over time (Haug 3.6)."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

from numpy.typing import ArrayLike

from linkwright import size_policy
from linkwright.analyses.assembly.assemble import close, wrong_roots
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.prescribed import check_prescribed, check_turns
from linkwright.analyses.machine.recorded import recorded
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.run import Progress, Run
from linkwright.bounds import shown
from linkwright.errors import Interrupted, ModelError
from linkwright.model import Model, a_model
from linkwright.results import Result


@by_name
@recorded
def kinematics(
    model: Model,
    t_end: float | None = None,
    steps: int | None = None,
    *,
    t_start: float = 0.0,
    t_eval: ArrayLike | None = None,
    branch: int | None = None,
    start: Mapping[str, Any] | None = None,
    rates: bool = True,
    progress: Progress | None = None,
) -> Result:
    """Move a fully driven machine: positions, velocities and accelerations over time.

    The machine is assembled at t_start. Each point is converged, velocities and accelerations are exact, and the assembly
    mode never changes unnoticed.

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
    rates : bool
        Whether velocities and accelerations are computed, too.
    progress : function, optional
        Called as progress(t, part) a few times a second, part from 0 to 1.

    Returns
    -------
    Result
        Channels over time.

    Raises
    ------
    SingularityError
        A lock-up, or a bifurcation where no `branch` is given; `.partial` is the result so far.
    Interrupted
        Ctrl-C, or a KeyboardInterrupt of `progress`; `.partial` is the result so far.

    References
    ----------
    Haug, section 3.6.

    Examples
    --------
    >>> m = lw.PlanarModel("crank")
    >>> crank = m.body("crank")
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    >>> motor = m.add(lw.Driver("motor", pin.angle, "t**2"))
    >>> lw.kinematics(m, t_end=1.0, steps=2)["crank.alpha"]
    array([2., 2., 2.])
    """
    times = Times.of(t_end, steps, t_start, t_eval)
    check_branch(branch)
    machine = Machine(model, times.start, by_shapes=by_shapes(model, times), points=len(times.path))
    return moved(machine, times, branch, start, rates, progress)


def check_branch(branch: Any) -> None:
    if not isinstance(branch, Integral | None):
        raise ModelError(f"branch = {shown(branch)} is no number of a branch", remedy="give 0, 1, ..., or leave it out")


def by_shapes(model: Model, times: Times) -> bool:
    """Whether a motion is too short to compile the machine as a whole for it."""
    return size_policy.is_looped_motion(len(a_model(model).bodies) - 1, len(times.path))


class Repeated:
    """Kinematics of one model for many values of its parameters: the equations are traced and compiled once.

        again = Repeated(m, t_end=1.0, steps=200)
        again(r=0.21)  # what m.set(r=0.21); kinematics(m, t_end=1.0, steps=200) gives

    Bodies and elements must stay as they are.
    """

    def __init__(self, model: Model, t_end: float, steps: int) -> None:
        self.times = Times.of(t_end, steps, 0.0, None)
        self.machine = Machine(model, 0.0)

    def __call__(self, **parameters: float) -> Result:
        self.machine.model.set(**parameters)
        self.machine.restart(self.times.start)
        return moved(self.machine, self.times)


def moved(
    machine: Machine, times: Times, branch: int | None = None, start: Mapping[str, Any] | None = None, rates: bool = True,
    progress: Progress | None = None,
) -> Result:  # fmt: skip
    """The motion of a machine that stands at its beginning."""
    check_prescribed(machine.geometry, times.path)
    turning = check_turns(machine.geometry, times.path)
    found = close(machine, times.start, None if start is None else machine.going_on(start))
    run = Run(machine, times, branch, rates)
    run.notes += [*turning, *found.notes, *wrong_roots(machine, found.q, times.start)]
    try:
        return run.result(run.over(found.q, progress))
    except KeyboardInterrupt as stop:
        if not run.tracks:
            raise
        partial = run.result(run.tracks)
        raise Interrupted(float(partial.t[-1]), partial) from stop
