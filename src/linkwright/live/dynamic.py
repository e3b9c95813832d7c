"""A simulation in a page: the motion and its events, the loop of the integrator, and what accelerations and reactions follow
from. What a page cannot do is refused here, by name."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from linkwright.analyses.assembly.start import Start, initial_state
from linkwright.analyses.dynamics.bounces import Bounces
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.flows import derivative_of
from linkwright.analyses.dynamics.motion_jacobian import arguments
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.stiffness import STIFF_METHOD
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
from linkwright.solve.methods import method
from linkwright.solve.motion_derivative import motion_derivative
from linkwright.system.held import Mode

# Registers and outcomes that the script uses, by name.
REGISTERS = ("T", "H", "T_END", "MAX_STEP", "T_OLD", "T_SHOWN", "SPAN")
COUNTERS = ("NFEV", "STEPS", "REJECTED", "STARTED", "ENDED", "BUDGET", "NEXT", "WANTED", "ROWS", "WRITTEN", "EVERY",
            "DENSE", "EVENTS", "EVENT_ROWS", "EVENT_WRITTEN")  # fmt: skip
OUTCOMES = ("FINE", "FINISHED", "EVENT", "FULL")
EVENT_ROWS = 64
# Sets of closed contacts whose equations a page has, and operations of all of them: some 20 bytes of the page each.
MOST_MODES, MOST_OPERATIONS = 16, 4000
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
    if loads.impacts and machine.system.frictions:
        names = ", ".join(dict.fromkeys(f.element.name for f in machine.system.frictions))
        return f"impacts beside friction under reactions are not simulated in a page ({names})"
    sticking = [e.name for e in machine.model.elements.values() if getattr(e, "stick", False)]
    if sticking:
        return f"friction that sticks is not simulated in a page ({', '.join(sticking)})"
    if loads.memories:
        return f"contacts that remember their speed of impact are not simulated in a page ({loads.memories[0].name})"
    return ""


def simulated(
    model: Model, times: Times, rtol: float | None, bundle: Bundle, stiff: bool = False
) -> tuple[dict[str, Any], dict[str, Native], str]:
    """What the script needs, the loops it calls; or why it cannot be. `stiff`: an implicit method may take over."""
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
    forms = _forms(equations, begin)
    y = first_state(machine, begin)
    watched = {closed: _watched(form, closed, begin, y) for closed, form in forms.items()}
    data = {**at_rest, **with_forces(machine, bundle), **_impacts(machine, bundle)}
    data["modes"] = [_mode(k, closed, form, watched[closed], bundle) for k, (closed, form) in enumerate(forms.items())]
    if stiff:
        for form, mode in zip(forms.values(), data["modes"], strict=True):
            _derivative(form, mode["suffix"], bundle)
    data |= _integrator(machine, begin, equations, forms, watched, stiff)
    data["t"] = times.shown.tolist()
    data["joints"] = joints(machine, bundle)
    natives = {"run": method(equations.method).run}
    if stiff:
        natives |= {"stiff": method(STIFF_METHOD).run, "derivative": motion_derivative}
    return data, natives, ""


def _forms(equations: Whole, begin: Start) -> dict[tuple[int, ...], Whole]:
    """The equations by the contacts that are closed: none, each one, two of them ..., as many as fit. Where more of them are
    closed than hold the bodies their forces are not unique: such modes are left out."""
    out: dict[tuple[int, ...], Whole] = {(): equations}
    count = len(equations.machine.impacts)
    for closed in (c for k in range(1, count + 1) for c in combinations(range(count), k)):
        total = sum(form.chart.flow.operations for form in out.values())
        if len(closed) > 1 and (len(out) >= MOST_MODES or total > MOST_OPERATIONS):
            break
        form = _held(equations, closed, begin)
        if form.regular == equations.regular and not form.careful:
            out[closed] = form
    return out


def _held(equations: Whole, closed: tuple[int, ...], begin: Start) -> Whole:
    """The equations with these contacts closed."""
    y, course = first_state(equations.machine, begin), Course(Times.of(1.0, 1, 0.0, None))
    return equations.holding(equations.machine.holding(Mode(closed=closed)), course, begin.t, y)


def _watched(form: Whole, closed: tuple[int, ...], begin: Start, y: np.ndarray) -> list[Any]:
    """The functions of gaps, in order of `Bounces.watched`."""
    bounces = Bounces(form.base, [])
    bounces.modes.use(Mode(closed=closed))
    return bounces.watched(y, begin.t)


def _mode(number: int, closed: tuple[int, ...], form: Whole, watched: list[Any], bundle: Bundle) -> dict[str, Any]:
    """The functions of the motion with some contacts closed."""
    flow, suffix = form.chart.flow, f"@{number}" if number else ""
    for name, function in (("motion", flow.motion), ("projection", flow.projection), ("events", flow.events(watched))):
        if name != "events" or watched or flow.flags.switches:
            own = tuple(n + suffix if n in ("flags", "gains") else n for n in function.inputs)
            bundle.add(name + suffix, function, own)
    return {
        "closed": closed, "suffix": suffix, "rows": flow.rows, "tuning": form.tuning.tolist(), "regular": bool(form.regular),
        "watched": len(watched),
        "switches": [{"element": str(x.element), "kink": x.condition is None} for x in flow.flags.switches],
    }  # fmt: skip


def _derivative(form: Whole, suffix: str, bundle: Bundle) -> None:
    """df/dy of the motion, as `motion_jacobian` has it here: the loop that solves for it, with its arguments."""
    derivative, fixed = derivative_of(form.chart.flow), arguments(form.chart.flow)
    parts = derivative.parts
    own = tuple({"lam": "flow lam"}.get(n, n) + suffix if n in ("flags", "gains", "lam") else n for n in parts.inputs)
    bundle.add(f"parts{suffix}", parts, own)
    motion, told = f"motion{suffix}", f"parts{suffix}"
    given: list[Any] = [{"code": motion}, {"code": told}, {"outs": motion}, {"ins": told}, {"outs": told}]
    given += [x.tolist() if x.dtype == np.int64 else {"room": len(x)} for x in fixed]
    bundle.close(f"jacobian{suffix}", "derivative", given, {"J": len(form.chart.flow.y) ** 2})


def _impacts(machine: LoadedMachine, bundle: Bundle) -> dict[str, Any]:
    """What strikes, and in which channels its force is told."""
    s, impacts = machine.system, machine.system.loads.impacts
    if impacts:
        bundle.add("gaps", s.gaps)
    return {
        "impacts": [
            {"name": i.name, "element": i.element, "sense": i.sense, "forces": [s.channel_names.index(n) for n in i.forces]}
            for i in impacts
        ]
    }


def _integrator(
    machine: LoadedMachine, begin: Start, equations: Whole, forms: dict[tuple[int, ...], Whole],
    watched: dict[tuple[int, ...], list[Any]], stiff: bool,
) -> dict[str, Any]:  # fmt: skip
    """The integrator as the product makes it: its registers, constants and room, which suffices for every form."""
    chart, y = equations.chart, first_state(machine, begin)
    weight = chart.weights([], y[: machine.nq])
    control = chart.control(equations.control, weight)
    most = max(forms, key=lambda c: len(watched[c]) + forms[c].switches)
    flow, count = forms[most].chart.flow, len(watched[most]) + forms[most].switches
    events = Events(flow.events(watched[most]), [0] * count, [1] * count) if count else None

    def made(name: str) -> dict[str, Any]:
        it = Integrator(
            flow.motion, y, begin.t, method=name, control=control, events=events, project=flow.projection,
            parameters=[machine.b, np.zeros(0), np.zeros(forms[most].switches), forms[most].tuning],
        )  # fmt: skip
        it.real[stepping.MAX_STEP] = 1e300
        it.count[stepping.EVENT_ROWS] = max(EVENT_ROWS, 2 * 14 * count)
        it.count[stepping.JACOBIAN] = name == STIFF_METHOD
        return _engine(it, count)

    model = machine.model
    return {
        "n": len(y), "method": equations.method, "engine": made(equations.method),
        "stiff": made(STIFF_METHOD) if stiff else None, "weight": [*weight[:-1].tolist(), 0.0],
        "work_rules": follows_work(model), "rtol": equations.options.rtol, "atol": equations.options.atol,
        "registers": {name: getattr(stepping, name) for name in (*REGISTERS, *COUNTERS, *OUTCOMES)},
    }  # fmt: skip


def _engine(it: Integrator, events: int) -> dict[str, Any]:
    return {
        "tol": it.tol.tolist(), "coef": it.coef.tolist(), "real": it.real.tolist(), "count": it.count.tolist(),
        "work": len(it.work), "pivots": len(it.pivots), "values": len(it.values), "spare": len(it.spare), "events": events,
    }  # fmt: skip
