"""The end of a run: its result, and what went wrong. A run that cannot be right may have passed a position where motions
cross (a bifurcation): a state there cannot be told from its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.analyses.assembly.standing import fallen
from linkwright.analyses.dynamics.result import result
from linkwright.analyses.dynamics.run import Over, Run
from linkwright.analyses.machine.attempt import attempt
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.kinematics import kinematics
from linkwright.errors import IntegrationError, LinkwrightError, SingularityError
from linkwright.linear import NotFiniteError
from linkwright.model import Driver, Model
from linkwright.results.motion import MotionResult

STEPS = 60  # of the motion that is followed; it is as exact with few
SOON = 1e-3  # of the run: no later than so after it went wrong; so long before a crossing states are still told apart


def ended(run: Run[Any], failure: Over, notes: Sequence[str], start: Any) -> tuple[MotionResult, Over]:
    """The result of a run that is over, until motions cross where they do; and why it is no motion of the machine."""
    out, wrong, doubts = _answered(run, failure, notes)
    times, machine = run.course.times, run.equations.machine
    t, y = run.course.visited()
    fall = fallen(machine, t, y[:, : machine.nq], y[:, machine.nq : machine.nq + machine.nv]) if wrong or doubts else None
    if fall is not None and fall.time is not None:
        run.course.cut(np.nextafter(fall.time, np.inf))
        return run.telling(fall, lambda: _completed(run, notes))[0], fall
    doubted = wrong or (doubts and run.options.constraints != "augmented")  # which has a motion there, the straight one
    met = crossing(machine.model, times, wrong, start) if doubted else None
    # without gross errors the states away from there are right
    if met is not None and met.time is not None and (wrong or _is_shown(run, met.time)):
        run.course.cut(met.time - SOON * times.span)
        out, _, _ = run.telling(met, lambda: _completed(run, notes))
        wrong = met
    if out is None:
        raise wrong or failure or LinkwrightError("the run has no result")
    return out, wrong


def _answered(run: Run[Any], failure: Over, notes: Sequence[str]) -> tuple[MotionResult | None, Over, list[str]]:
    """The result, what is wrong with it, and doubts; no result where its numbers are not finite."""
    made = _completed if failure is not None else result  # with a failure it is completed while what is raised can be told
    told = attempt(run.telling, failure, lambda: made(run, notes))
    if told.wrong is not None and (failure is not None or not isinstance(told.wrong, NotFiniteError)):
        raise told.wrong
    out, wrong, doubts = told.found or (None, told.wrong, [])
    return out, failure or wrong, doubts


def _completed(run: Run[Any], notes: Sequence[str]) -> tuple[MotionResult, IntegrationError | None, list[str]]:
    found = result(run, notes)
    found[0].audit  # noqa: B018  it is completed when it is read
    return found


def _is_shown(run: Run[Any], t: float) -> bool:
    """Whether there is output near a time."""
    return bool(np.abs(run.course.shown()[0] - t).min() <= SOON * run.course.times.span)


def crossing(model: Model, times: Times, wrong: Over, start: Any = None) -> SingularityError | None:
    """The bifurcation that kinematics meets on the way to where a run went wrong, of a machine whose drivers prescribe all
    of its motion; None where there is none."""
    if not isinstance(wrong, IntegrationError | NotFiniteError | None):
        return None
    if not any(isinstance(e, Driver) for e in model.elements.values()):
        return None
    until = getattr(wrong, "time", None)
    end = times.end if until is None else min(until + SOON * times.span, times.end)
    met = attempt(kinematics, model, t_end=end, t_start=times.start, steps=STEPS, rates=False, start=start).wrong
    if not isinstance(met, SingularityError) or met.time is None or met.kind != "bifurcation":
        return None
    return SingularityError(
        f"{met.cause}, and output is asked for there",
        kind=met.kind, time=met.time, driver=met.driver, branches=met.branches, element=met.element,
        remedy="constraints='augmented' goes straight on; kinematics(..., branch=n) takes another branch",
    )  # fmt: skip
