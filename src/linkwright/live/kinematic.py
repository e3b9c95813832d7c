"""Kinematics in a page: Newton's method and the path over time as loops, the rest by the script."""

from __future__ import annotations

from typing import Any

from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.kinematics import Run
from linkwright.compile import Native
from linkwright.live.bundle import Bundle
from linkwright.live.described import described, joints
from linkwright.model import Model
from linkwright.regularisation import RANK
from linkwright.size_policy import DENSE, is_looped
from linkwright.solve import path


def moved(model: Model, times: Times, bundle: Bundle) -> tuple[dict[str, Any], dict[str, Native], str]:
    """What the script needs, the loops it calls; or why it cannot be."""
    if is_looped(len(model.bodies) - 1):
        return {}, {}, "machines of 50 bodies and more are not solved in a page"
    machine = Machine(model, times.start)
    data = described(machine, times.start, bundle)
    data["t"] = times.shown.tolist()
    run = Run(machine, times)
    q = close(machine, times.start).q
    run.prepare(q, times.start)
    if machine.nv > DENSE:  # the order in which a sparse matrix is eliminated; the script goes on densely where it is none
        plan = run.follower._new_plan(run.follower.point(q, times.start, machine.turns))
        data["plan"], data["plan_size"] = plan.ints.tolist(), plan.size
    data["chosen"], data["joints"] = run.follower.chosen.tolist(), joints(machine, bundle)
    data["rank"], data["usual"] = RANK, run.follower.usual.tolist()
    return data, {"follow": path.follow}, ""
