"""The end of a run: its result, and what went wrong. A run that cannot be right may have passed a position where motions
cross (a bifurcation): a state there cannot be told from its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.analyses.assembly.standing import fallen
from linkwright.analyses.dynamics.result import result
from linkwright.analyses.dynamics.run import Over, Run
from linkwright.analyses.machine.ask import ask
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.kinematics import kinematics
from linkwright.errors import IntegrationError, Interrupted, LinkwrightError, SingularityError
from linkwright.linear import NotFiniteError
from linkwright.model import Driver, Model
from linkwright.results.motion import MotionResult

STEPS = 60  # of the motion that is followed; it is as exact with few
SOON = 1e-3  # of the run: no later than so after it went wrong; so long before a crossing states are still told apart


def finished(run: Run[Any], failure: Over, notes: Sequence[str], start: Any) -> MotionResult:
    """The result of a run that is over; what went wrong, or an interrupt, carries it."""
    out, wrong = _ended(run, failure, notes, start)
    out.events, out.sol = list(run.course.events), run.sol
    if run.course.interrupted:
        raise Interrupted(float(out.t[-1]), out)
    if wrong is not None:
        wrong.partial = out
        raise wrong
    return out


def _ended(run: Run[Any], failure: Over, notes: Sequence[str], start: Any) -> tuple[MotionResult, Over]:
    """The result, until motions cross where they do; and why it is no motion of the machine."""
    out, wrong, doubts = _told(run, failure, notes)
    times, machine = run.course.times, run.equations.machine
    t, y = run.course.visited()
    fall = fallen(machine, t, y[:, : machine.nq], y[:, machine.nq : machine.nq + machine.nv]) if wrong or doubts else None
    if fall is not None and fall.time is not None:
        run.course.cut(np.nextafter(fall.time, np.inf))
        out, wrong, _ = _told(run, fall, notes)
    else:
        doubted = wrong or (doubts and run.options.constraints != "augmented")  # which has a motion there, the straight one
        met = crossing(machine.model, times, wrong, start) if doubted else None
        # without gross errors the states away from there are right
        if met is not None and met.time is not None and (wrong or _is_shown(run, met.time)):
            run.course.cut(met.time - SOON * times.span)
            out, wrong, _ = _told(run, met, notes)
    if out is None:
        raise wrong or LinkwrightError("the run has no result")
    return out, wrong


def _told(run: Run[Any], failure: Over, notes: Sequence[str]) -> tuple[MotionResult | None, Over, list[str]]:
    """The result, what is wrong with it, and doubts; no result where its numbers are not finite.

    While it is made a law that has raised may go on raising: the first reason is the one to tell, and the audit is completed
    as long as it can be told.
    """
    try:
        made = ask(result if failure is None else _completed, run, notes)
    except KeyboardInterrupt as stop:
        raise _stopped(run) from stop
    if made.found is not None:
        out, wrong, doubts = made.found
        return out, failure or wrong, doubts
    if run.course.interrupted:
        raise _stopped(run) from made.wrong
    if failure is not None:
        raise failure from failure.__cause__ or made.wrong
    if made.wrong is not None and not isinstance(made.wrong, NotFiniteError):
        raise made.wrong
    return None, made.wrong, []


def _stopped(run: Run[Any]) -> Interrupted:
    return Interrupted(float(run.course.shown()[0][-1]), None)


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
    met = ask(kinematics, model, t_end=end, t_start=times.start, steps=STEPS, rates=False, start=start).wrong
    if not isinstance(met, SingularityError) or met.time is None or met.kind != "bifurcation":
        return None
    return SingularityError(
        f"{met.cause}, and output is asked for there",
        kind=met.kind, time=met.time, driver=met.driver, branches=met.branches, element=met.element,
        remedy="constraints='augmented' goes straight on; kinematics(..., branch=n) takes another branch",
    )  # fmt: skip
