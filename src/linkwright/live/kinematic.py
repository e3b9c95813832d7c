"""Kinematics in a page: Newton's method and the path over time as loops, the rest by the script."""

from __future__ import annotations

from typing import Any

from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.run import Run
from linkwright.compile import Native
from linkwright.live.bundle import Bundle
from linkwright.live.described import calls_python, described, joints, with_forces
from linkwright.model import Model
from linkwright.regularisation import RANK
from linkwright.size_policy import DENSE, is_looped
from linkwright.solve import path


def moved(model: Model, times: Times, bundle: Bundle, loaded: bool = False) -> tuple[dict[str, Any], dict[str, Native], str]:
    """What the script needs, the loops it calls; or why it cannot be. `loaded`: with forces (inverse dynamics)."""
    if is_looped(len(model.bodies) - 1):
        return {}, {}, "machines of 50 bodies and more are not solved in a page"
    machine = (LoadedMachine if loaded else Machine)(model, times.start)
    if isinstance(machine, LoadedMachine) and (why := _unloaded(machine)):
        return {}, {}, why
    data = described(machine, times.start, bundle)
    data["t"] = times.shown.tolist()
    run = Run(machine, times)
    q = close(machine, times.start).q
    run.prepare(q, times.start)
    if machine.nv > DENSE:  # the order in which a sparse matrix is eliminated; the script goes on densely where it is none
        plan = run.follower._new_plan(run.follower.point(q, times.start, machine.turns))
        data["plan"], data["plan_size"] = plan.ints.tolist(), plan.size
    data["chosen"], data["joints"] = run.follower.chosen.tolist(), joints(machine, bundle)
    if isinstance(machine, LoadedMachine):
        data |= with_forces(machine, bundle)
    data["rank"], data["usual"] = RANK, run.follower.usual.tolist()
    return data, {"follow": path.follow}, ""


def balanced(model: Model, times: Times, bundle: Bundle) -> tuple[dict[str, Any], dict[str, Native], str]:
    """The same for a machine at rest."""
    if is_looped(len(model.bodies) - 1):
        return {}, {}, "machines of 50 bodies and more are not solved in a page"
    machine = LoadedMachine(model, times.start)
    if why := _unloaded(machine):
        return {}, {}, why
    if machine.system.loads.impacts:
        return {}, {}, "contacts by impact are not balanced in a page"
    data = described(machine, times.start, bundle)
    data |= {"t": [times.start], "joints": joints(machine, bundle), **with_forces(machine, bundle)}
    data |= {"name": model.name, "conservative": all(load.V is not None for load in machine.system.loads.all)}
    return data, {"follow": path.follow}, ""


def _unloaded(machine: LoadedMachine) -> str:
    """Why the forces of this machine cannot be computed in a page; "" where they can."""
    if why := calls_python(machine):
        return why
    if machine.states.any():
        return f"states are not followed along a motion in a page ({', '.join(machine.model.states)})"
    if machine.system.frictions:
        names = ", ".join(dict.fromkeys(f.element.name for f in machine.system.frictions))
        return f"friction under reactions is not balanced in a page ({names})"
    return ""
