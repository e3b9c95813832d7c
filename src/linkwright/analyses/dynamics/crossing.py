"""Where a run that cannot be right passes a place where motions cross: there a state cannot be told from its neighbours."""

from __future__ import annotations

from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.kinematics import kinematics
from linkwright.errors import IntegrationError, LinkwrightError, SingularityError
from linkwright.model import Driver, Model

STEPS = 60  # of the motion that is followed; it is as exact with few
SOON = 1e-3  # of the run: no later than so after it went wrong


def crossing(model: Model, times: Times, wrong: IntegrationError) -> SingularityError | None:
    """Of a machine whose drivers prescribe its whole motion: what kinematics meets on the way to where a run went wrong."""
    if not any(isinstance(e, Driver) for e in model.elements.values()) or wrong.time is None:
        return None
    end = min(wrong.time + SOON * (times.end - times.start), times.end)
    try:
        kinematics(model, t_end=end, t_start=times.start, steps=STEPS, rates=False)
    except SingularityError as met:
        if met.time is None or met.kind != "bifurcation":
            return None
        return SingularityError(
            f"{met.cause}, and output is asked for there",
            kind=met.kind, time=met.time, driver=met.driver, branches=met.branches, element=met.element,
            remedy="constraints='augmented' goes straight on; kinematics(..., branch=n) takes another branch",
        )  # fmt: skip
    except LinkwrightError:
        return None
    return None
