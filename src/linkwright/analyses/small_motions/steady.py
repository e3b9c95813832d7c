"""Steady motions: a governor at speed, a conical pendulum, a top that precesses, a rotor in its bearings.

What is solved, and how, is in `steady_search`; here is where a search begins, and what it may rest on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.dynamics.dynamics import dynamics
from linkwright.analyses.machine.ask import ask
from linkwright.analyses.machine.channels import Motion, body_channels
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.reactions import Forces
from linkwright.analyses.machine.recorded import recorded
from linkwright.analyses.motion.run import Progress
from linkwright.analyses.small_motions.steady_search import At, Search
from linkwright.analyses.statics.resting import Closed, held, passed, pressing, pulling
from linkwright.errors import AssemblyError, LinkwrightError
from linkwright.model import Model
from linkwright.results import Audit
from linkwright.results.motion import Steady
from linkwright.solve.blas import single_threaded

NEARLY = 1e-3  # by accelerations that forces would make alone: what is left near a steady motion, after it was let go
SPANS, MOST = (1.0, 10.0, 100.0, 1000.0), 5000  # s for which it is let go, one after the other, and steps of each


@by_name
@recorded
@single_threaded
def steady(
    model: Model,
    fixed: Mapping[Any, Any] | None = None,
    t: float = 0.0,
    *,
    start: Any = None,
    progress: Progress | None = None,
) -> Steady:  # fmt: skip
    """The steady motion near the estimates, or near `start`: one that looks the same at any time in axes that turn.

    Where none is found from there, and nothing is fixed, the machine is let go for a while, and the search begins anew where
    it has come to: a motor finds its speed from rest.

    Parameters
    ----------
    model : Model
        The machine; it is not changed.
    fixed : mapping, optional
        Quantities that have given values: the speed of a shaft, the tilt of a top. {shaft.omega: 11.0}
    t : float
        Drivers go on as they do at this time.
    start : Configuration or Result, optional
        Where to begin, instead of the estimates.
    progress : function, optional
        Called as progress(steps, part) while slopes are taken: steps that are done, and the part of the next, from 0 to 1.

    Returns
    -------
    Steady
        Positions, velocities, reactions by channel, `turning` (Omega) and `residual`; `lw.linearize(m, s)` tells whether the
        motion is stable.

    Examples
    --------
    >>> import linkwright as lw
    >>> m = lw.SpatialModel("governor", gravity=(0, 0, -9.81))
    >>> shaft = m.body("shaft", mass=1.0, inertia=(1, 1, 1), omega=(0, 0, 4.0))
    >>> arm = m.body("arm", mass=1.0, inertia=(1e-6, 1e-6, 1e-6), position=(0.6, 0, -0.8))
    >>> spin = m.add(lw.Revolute("spin", m.ground.at(0, 0, 0), shaft.at(0, 0, 0)))
    >>> hinge = m.add(lw.Revolute("hinge", shaft.frame((0, 0, 0), (0, 1, 0)), arm.frame((-0.6, 0, 0.8), (-0.6, 1, 0.8))))
    >>> s = lw.steady(m, {spin.omega: 4.0})
    >>> round(s["arm.z"], 4)  # -g / omega^2
    -0.6131
    """
    asked = model.copy()
    for quantity, value in (fixed or {}).items():
        asked.fix(quantity, value)
    found = _near(asked, model, t, start, progress)
    if not isinstance(found, Steady) and not fixed:
        found = _let_go(asked, model, t, start, found, progress)
    if not isinstance(found, Steady):
        raise found
    return found


def _near(
    asked: Model, model: Model, t: float, start: Any, progress: Progress | None, how: str = ""
) -> Steady | LinkwrightError:
    """The steady motion near the start, or why there is none. Where one is beyond a contact without stiffness, or such a
    contact would pull, the search begins anew with that one closed, or open."""
    base = LoadedMachine(asked, t)
    begin = initial_state(base, t, start)
    closed, tried = pressing(base, begin.q, begin.v, t), set[Closed]()
    while True:
        machine = held(base, closed)
        search = Search(machine, t, progress=progress)
        at = At(begin.q, begin.v)
        if start is not None or closed:  # which may have had other values of what is fixed
            at = search.moved(at, np.zeros((machine.nv, 0)), np.zeros(0)) or at
        found, at = _solved(machine, model, at, search, f"Gauss and Newton, {{}} steps{how}")
        if not isinstance(found, Steady):
            return found
        tried.add(closed)
        if (k := passed(base, closed, at.q, t)) is not None:
            closed = tuple(sorted((*closed, k)))
        elif (k := pulling(machine, closed, at.q, at.v, t)) is not None:
            closed = tuple(c for c in closed if c != k)
        else:
            return found
        if closed in tried:
            name = base.element_of_impact(k)
            return AssemblyError(
                f"no steady motion was found: {name} opens where it is closed, and is passed where it is open", element=name,
                remedy="begin nearer, or give it a stiffness k",
            )  # fmt: skip


def _solved(machine: LoadedMachine, model: Model, at: At, search: Search, how: str) -> tuple[Steady | LinkwrightError, At]:
    """What was found, and where; how: what the audit says, with the number of steps put in."""
    if found := search.objection_to_states(at):
        return found, at
    at, used = search.solved(at)
    return search.objection(at) or _result(machine, model, at, search, how.format(used)), at


def _let_go(
    asked: Model, model: Model, t: float, start: Any, first: LinkwrightError, progress: Progress | None
) -> Steady | LinkwrightError:
    """Where the machine comes to by itself; the first error, and what it does, where that is no steady motion."""
    gone, run = 0.0, start
    for span in SPANS:
        run = ask(dynamics, asked, start=run, t_start=t, t_eval=[t + span], max_steps=MOST).found
        if run is None:
            break
        gone += span
        machine = LoadedMachine(asked, t)
        begin = initial_state(machine, t, run)
        machine = held(machine, pressing(machine, begin.q, begin.v, t))
        search = Search(machine, t, follows=False, progress=progress)
        if search.unsteadiness(At(begin.q, begin.v)) < NEARLY:
            at = At(begin.q, begin.v)
            if Search(machine, t).objection_to_states(at):
                found, _ = _solved(machine, model, at, search, f"let go for {gone:g} s, {{}} steps")
            else:
                found = _near(asked, model, t, run, progress, f", let go for {gone:g} s before")
            if isinstance(found, Steady):
                return found
    after = f"; let go, it moves on after {gone:g} s" if gone else ""
    return type(first)(f"{first.cause}{after}", element=first.element, remedy=first.remedy)


def _result(machine: LoadedMachine, model: Model, at: At, search: Search, how: str) -> Steady:
    t = search.t
    left, Omega, vdot = search.accelerations(at, search.free(at)[0])
    states = States(np.array([t]), at.q[None], at.v[None], machine.turns[None])
    motion = Motion(machine, states.t, states.q, states.turns, states.v, vdot[None])
    forces = Forces(machine, states, vdot[None])
    channels = {**body_channels(machine, at.q[None], at.v[None], vdot[None]), **motion.joint_channels(), **forces.channels()}
    audit = Audit("steady", method=how, points=1, notes=forces.notes())
    rates = motion.rates_of_joints(channels)
    out = Steady(model.name, t, channels, audit, at.q, motion.evaluator(), source=model, derived=rates)
    out.places = forces.places()
    out.turning = float(Omega[0]) if model.dimension == 2 else Omega
    out.residual = float(np.abs(left).max(initial=0.0))
    return out
