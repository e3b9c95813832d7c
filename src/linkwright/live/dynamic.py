"""A simulation in a page: the motion and its events, the loop of the integrator, and what accelerations and reactions follow
from. What a page cannot do is refused here, by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.analyses.assembly.start import Start, initial_state
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.whole import Whole, first_state
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.times import Times
from linkwright.analyses.machine.work import follows_work
from linkwright.compile import Native
from linkwright.live.bundle import Bundle
from linkwright.live.described import described, joints, with_forces
from linkwright.model import Model
from linkwright.size_policy import is_looped
from linkwright.solve import stepping
from linkwright.solve.integrate import Events, Integrator

# Registers and outcomes that the script uses, by name.
REGISTERS = ("T", "H", "T_END", "MAX_STEP", "T_OLD", "T_SHOWN", "SPAN")
COUNTERS = ("NFEV", "STEPS", "REJECTED", "STARTED", "ENDED", "BUDGET", "NEXT", "WANTED", "ROWS", "WRITTEN", "EVERY",
            "DENSE", "EVENTS", "EVENT_ROWS", "EVENT_WRITTEN")  # fmt: skip
OUTCOMES = ("FINE", "FINISHED", "EVENT", "FULL")
EVENT_ROWS = 64
DEFAULTS = {
    "rtol": None, "atol": None, "method": "auto", "formulation": "newton-euler", "constraints": "projection", "gains": None,
    "constraint_tol": 1e-8, "events": None, "max_step": np.inf, "first_step": None, "max_steps": None, "options": None,
    "dense_output": False, "progress": None,
}  # fmt: skip


def refusal(machine: LoadedMachine) -> str:
    """Why a simulation of this machine cannot go on in a page; "" where it can."""
    loads = machine.system.loads
    if loads.callbacks:
        names = ", ".join(dict.fromkeys(c.element for c in loads.callbacks))
        return f"laws in plain Python cannot run in a page ({names})"
    if slots := machine.slots:
        names = ", ".join(dict.fromkeys(slot.element.name for slot in slots))
        return f"friction that sticks is not simulated in a page ({names}): give it stick=False"
    if loads.impacts:
        return f"impacts are not simulated in a page ({', '.join(dict.fromkeys(i.element for i in loads.impacts))})"
    sticking = [e.name for e in machine.model.elements.values() if getattr(e, "stick", False)]
    if sticking:
        return f"friction that sticks is not simulated in a page ({', '.join(sticking)})"
    if loads.memories:
        return f"contacts that remember their speed of impact are not simulated in a page ({loads.memories[0].name})"
    return ""


def simulated(
    model: Model, times: Times, rtol: float | None, bundle: Bundle
) -> tuple[dict[str, Any], dict[str, Native], str]:
    """What the script needs, the loops it calls; or why it cannot be."""
    if is_looped(len(model.bodies) - 1):
        return {}, {}, "machines of 50 bodies and more are not solved in a page"
    machine = LoadedMachine(model, times.start)
    if why := refusal(machine):
        return {}, {}, why
    at_rest = described(machine, times.start, bundle)
    begin = initial_state(machine, times.start)
    options = Options.checked(times, {**DEFAULTS, "rtol": rtol})
    equations = Whole.of(machine, begin, options, Course(times))
    if equations.careful:
        return {}, {}, "its constraints are nearly dependent where it starts"
    data = {**at_rest, **_flow(machine, equations, bundle), **_integrator(machine, begin, equations)}
    data["t"] = times.shown.tolist()
    data["joints"] = joints(machine, bundle)
    return data, {"run": equations_method(equations)}, ""


def equations_method(equations: Whole) -> Native:
    from linkwright.solve.methods import method

    return method(equations.method).run


def _flow(machine: LoadedMachine, equations: Whole, bundle: Bundle) -> dict[str, Any]:
    """Functions of the motion, of what follows from it at each time."""
    flow = equations.chart.flow
    for name, function in (("motion", flow.motion), ("projection", flow.projection), ("events", flow.events([]))):
        if name != "events" or flow.flags.switches:
            bundle.add(name, function)
    return {
        **with_forces(machine, bundle),
        "flow_rows": flow.rows, "tuning": equations.tuning.tolist(), "regular": bool(equations.regular),
        "switches": [{"element": str(x.element), "kink": x.condition is None} for x in flow.flags.switches],
        "method": equations.method,
    }  # fmt: skip


def _integrator(machine: LoadedMachine, begin: Start, equations: Whole) -> dict[str, Any]:
    """The integrator as the product makes it: its registers, constants and room."""
    chart, y = equations.chart, first_state(machine, begin)
    weight = chart.weights([], y[: machine.nq])
    control = chart.control(equations.control, weight)
    count = len(chart.flow.flags.switches)
    events = Events(chart.flow.events([]), [0] * count, [1] * count) if count else None
    it = Integrator(
        chart.flow.motion, y, begin.t, method=equations.method, control=control, events=events,
        project=chart.flow.projection, parameters=[machine.b, np.zeros(0), np.zeros(count), equations.tuning],
    )  # fmt: skip
    it.real[stepping.MAX_STEP] = 1e300
    it.count[stepping.EVENT_ROWS] = max(EVENT_ROWS, 2 * 14 * count)
    model = machine.model
    return {
        "n": it.n, "tol": it.tol.tolist(), "coef": it.coef.tolist(), "real": it.real.tolist(), "count": it.count.tolist(),
        "work": len(it.work), "pivots": len(it.pivots), "values": len(it.values), "spare": len(it.spare),
        "work_rules": follows_work(model), "rtol": equations.options.rtol, "atol": equations.options.atol,
        "registers": {name: getattr(stepping, name) for name in (*REGISTERS, *COUNTERS, *OUTCOMES)},
    }  # fmt: skip
