"""A simulation in a page: the motion and its events, the loop of the integrator, and what accelerations and reactions follow
from. What a page cannot do is refused here, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from linkwright.analyses.assembly.overlaps import unit_of_stop
from linkwright.analyses.assembly.start import Start, initial_state
from linkwright.analyses.dynamics.brief import brief_changes
from linkwright.analyses.dynamics.contact.bounces import Bounces
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.options import USUAL, Options
from linkwright.analyses.dynamics.stiffness import STIFF_METHOD
from linkwright.analyses.dynamics.whole.charts import arguments
from linkwright.analyses.dynamics.whole.equations import Whole, first_state
from linkwright.analyses.dynamics.whole.flows import derivative_of
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.sizes import follows_work
from linkwright.analyses.machine.times import Times
from linkwright.compile import Native
from linkwright.live.bundle import Bundle
from linkwright.live.described import calls_python, described, joints, with_forces
from linkwright.live.dry import dry_part, every_mode, is_dry, modes_of
from linkwright.model import Friction, Model, Stop
from linkwright.size_policy import is_looped
from linkwright.solve import stepping
from linkwright.solve.integrate import Events, Integrator
from linkwright.solve.methods import method
from linkwright.solve.motion_derivative import motion_derivative
from linkwright.system.held import Key, Mode

# Registers and outcomes that the script uses, by name.
REGISTERS = ("T", "H", "T_END", "MAX_STEP", "T_OLD", "T_SHOWN", "SPAN")
COUNTERS = ("NFEV", "STEPS", "REJECTED", "STARTED", "ENDED", "BUDGET", "NEXT", "WANTED", "ROWS", "WRITTEN", "EVERY",
            "DENSE", "EVENTS", "EVENT_ROWS", "EVENT_WRITTEN", "JACOBIAN", "GOES_ON")  # fmt: skip
OUTCOMES = ("FINE", "FINISHED", "EVENT", "FULL")
EVENT_ROWS = 64
# Sets of closed contacts whose equations are compiled into a page, operations of all of them (some 20 bytes of the page
# each), sets that are tried.
MOST_MODES, MOST_OPERATIONS, MOST_TRIED = 24, 5000, 40
# Of what takes over in coordinates of joints: names of functions end so, and those of the inputs that are its own.
IN_JOINTS, LATER = "@joints", ("y", "flags", "gains")
Forms = dict[Key, tuple[Mode, Whole]]


def refusal(machine: LoadedMachine) -> str:
    """Why a simulation of this machine cannot go on in a page; "" where it can."""
    loads = machine.system.loads
    if why := calls_python(machine):
        return why
    known = {slot.element.name for slot in machine.slots}
    sticking = [e.name for e in machine.model.elements.values() if getattr(e, "stick", False) and e.name not in known]
    if sticking and not all(isinstance(machine.model.elements[name], Friction) for name in sticking):
        return f"friction that sticks is not simulated in a page ({', '.join(sticking)})"
    if loads.memories:
        return f"contacts that remember their speed of impact are not simulated in a page ({loads.memories[0].name})"
    return ""


def simulated(
    model: Model, times: Times, rtol: float | None, bundle: Bundle, stiff: bool = False, regular: bool = False
) -> tuple[dict[str, Any], dict[str, Native], str]:
    """What the script needs, the loops it calls; or why it cannot be. `stiff`: an implicit method may take over. `regular`:
    constraints come near to dependence on the way, and are regularised."""
    if is_looped(len(model.bodies) - 1):
        return {}, {}, "machines of 50 bodies and more are not solved in a page"
    machine = LoadedMachine(model, times.start)
    if why := refusal(machine) or brief_changes(model, times.start, times.end).why:
        return {}, {}, why
    at_rest = described(machine, times.start, bundle)
    begin = initial_state(machine, times.start)
    options = Options.checked(times, {**USUAL, "rtol": rtol})
    y, course = first_state(machine, begin), Course(times)
    equations = Whole.of(machine, begin, options, course)
    if regular and not equations.regular:
        equations = equations.regularised(course, begin.t, y, begin.t)
    if equations.careful:
        return {}, {}, "its constraints are nearly dependent where it starts"
    forms = _forms(equations, begin, lambda: modes_of(machine, begin, options))
    watched = {key: _watched(form, mode, begin, y) for key, (mode, form) in forms.items()}
    data = {**at_rest, **with_forces(machine, bundle), **_impacts(machine, bundle), **dry_part(machine, bundle)}
    data["regular"] = bool(equations.regular)
    data["modes"] = [
        _mode(f"@{k}" if k else "", mode, form, watched[key], bundle, data["dry"])
        for k, (key, (mode, form)) in enumerate(forms.items())
    ]
    data["joint"] = _joint_chart(equations, y, bundle)
    data["later"] = _in_joints(machine, begin, equations, course, bundle) if stiff else None
    stiff_here = stiff and not data["later"]
    if stiff_here and not data["joint"]:
        for (_, form), mode in zip(forms.values(), data["modes"], strict=True):
            _derivative(form, mode["suffix"], bundle, data["dry"])
    data |= _integrator(machine, begin, equations, forms, watched, stiff_here)
    data["t"] = times.shown.tolist()
    data["joints"] = joints(machine, bundle)
    natives = {"run": method(equations.method).run}
    if stiff:
        by_parts = stiff_here and not data["joint"]
        natives |= {"stiff": method(STIFF_METHOD).run} | ({"derivative": motion_derivative} if by_parts else {})
    return data, natives, ""


def _joint_chart(equations: Whole, y: np.ndarray, bundle: Bundle, suffix: str = "") -> dict[str, Any] | None:
    """Where the machine is integrated in coordinates of joints: how bodies' states follow from them, and those here."""
    flow = equations.chart.joint_flow
    if flow is None:
        return None
    for name, function in (("cartesian", flow.cartesian_state), ("accelerations", flow.cartesian_motion)):
        bundle.add(name, function, _own(function.inputs, suffix, False, LATER if suffix else ()))
    return {"nq": flow.joints.nq, "nv": flow.joints.nv, "x": equations.chart.read(y, None).tolist()}


def _in_joints(
    machine: LoadedMachine, begin: Start, equations: Whole, course: Course, bundle: Bundle
) -> dict[str, Any] | None:  # fmt: skip
    """What takes over where the machine is stiff, if that runs in coordinates of joints, as here; states and functions have
    a suffix. Machines in which something strikes or sticks keep to the bodies' coordinates."""
    y = first_state(machine, begin)
    if machine.impacts or is_dry(machine) or equations.chart.joint_flow is not None:
        return None
    later, mode = replace(equations, method=STIFF_METHOD).reformulated(course, begin.t, y), Mode()
    if later.chart.joint_flow is None or later.careful:
        return None
    forms, own = {mode.key: (mode, later)}, replace(later, method=equations.method)
    return {
        "joint": _joint_chart(later, y, bundle, IN_JOINTS), "regular": bool(later.regular), "y": "y" + IN_JOINTS,
        "modes": [_mode(IN_JOINTS, mode, later, [], bundle, False, LATER)],
        **_integrator(machine, begin, own, forms, {mode.key: []}, True),
    }  # fmt: skip


def _forms(equations: Whole, begin: Start, visited: Callable[[], list[Mode]]) -> Forms:
    """The equations by mode: with nothing closed and nothing stuck, those that a run goes through, then others like them,
    as many as fit; the script computes the rest from the first. Where more contacts are closed than hold the bodies their
    forces are not unique: such modes are left out, unless a run has been in them or slots rub."""
    machine, out = equations.machine, Forms()
    first = visited() if machine.impacts or is_dry(machine) else []
    smooth = first[0].smooth if first else ()
    nothing = first[0].open() if is_dry(machine) else Mode()
    out[nothing.key] = nothing, (_held(equations, nothing, begin) if is_dry(machine) else equations)
    computes = equations.chart.joint_flow is None
    for mode in (*first, *islice(every_mode(machine, smooth, first), MOST_TRIED)):
        total = sum(form.chart.flow.operations for _, form in out.values())
        most = MOST_OPERATIONS * (2 if mode in first else 1)
        if mode.key in out or ((len(out) >= MOST_MODES or total > most) and (computes or mode not in first)):
            continue
        form = _held(equations, mode, begin)
        if (mode in first or form.regular == equations.regular or machine.slots) and not form.careful:
            out[mode.key] = mode, form
    return out


def _held(equations: Whole, mode: Mode, begin: Start) -> Whole:
    """The equations in a mode."""
    y, course = first_state(equations.machine, begin), Course(Times.of(1.0, 1, 0.0, None))
    return equations.holding(equations.machine.holding(mode), course, begin.t, y)


def _watched(form: Whole, mode: Mode, begin: Start, y: np.ndarray) -> list[Any]:
    """The functions of gaps and slots, in order of `Bounces.watched`."""
    bounces = Bounces(form.base, [])
    bounces.modes.use(mode)
    return bounces.watched(y, begin.t)


def _own(inputs: Iterable[str], suffix: str, dry: bool, own: Sequence[str] = ("flags", "gains")) -> tuple[str, ...]:
    """The names of inputs of a form's functions: what is its own has its suffix; values of modes stand in its constants."""
    return tuple(n + suffix if n in own else "b held" if n == "b" and dry else n for n in inputs)


def _mode(
    suffix: str, mode: Mode, form: Whole, watched: list[Any], bundle: Bundle, dry: bool,
    own: Sequence[str] = ("flags", "gains"),
) -> dict[str, Any]:  # fmt: skip
    """The functions of the motion in a mode."""
    flow = form.chart.flow
    for name, function in (("motion", flow.motion), ("projection", flow.projection), ("events", flow.events(watched))):
        if name != "events" or watched or flow.flags.switches:
            bundle.add(name + suffix, function, _own(function.inputs, suffix, dry, own))
    more = len(form.machine.system.rows) - len(form.base.system.rows)
    return {
        "closed": mode.closed, "stuck": mode.stuck, "full": mode.full, "smooth": mode.smooth, "more": more,
        "suffix": suffix, "rows": flow.rows, "tuning": form.tuning.tolist(), "regular": bool(form.regular),
        "watched": len(watched),
        "switches": [{"element": str(x.element), "kink": x.condition is None} for x in flow.flags.switches],
    }  # fmt: skip


def _derivative(form: Whole, suffix: str, bundle: Bundle, dry: bool) -> None:
    """df/dy of the motion, as `motion_jacobian` has it here: the loop that solves for it, with its arguments."""
    derivative, fixed = derivative_of(form.chart.flow), arguments(form.chart.flow)
    parts = derivative.parts
    own = _own(({"lam": "flow lam"}.get(n, n) for n in parts.inputs), suffix, dry, ("flags", "gains", "flow lam"))
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
            | ({"stop": unit_of_stop(machine.model, e)} if isinstance(e := machine.model.elements[i.element], Stop) else {})
            for i in impacts
        ]
    }


def _integrator(
    machine: LoadedMachine, begin: Start, equations: Whole, forms: Forms, watched: dict[Key, list[Any]], stiff: bool,
) -> dict[str, Any]:  # fmt: skip
    """The integrator as the product makes it: its registers, constants and room, which suffices for every form."""
    chart, y = equations.chart, first_state(machine, begin)
    weight = chart.weights([], y[: machine.nq])
    x = chart.read(y, None)
    most = max(forms, key=lambda c: len(watched[c]) + forms[c][1].switches)
    form = forms[most][1]
    flow, count = form.chart.flow, len(watched[most]) + form.switches
    events = Events(flow.events(watched[most]), [0] * count, [1] * count) if count else None

    def made(name: str) -> dict[str, Any]:
        control = chart.control(equations.control, weight, name)
        it = Integrator(
            flow.motion, x, begin.t, method=name, control=control, events=events, project=flow.projection,
            parameters=[form.machine.b, np.zeros(0), np.zeros(form.switches), form.tuning],
        )  # fmt: skip
        it.real[stepping.MAX_STEP] = 1e300
        it.count[stepping.EVENT_ROWS] = max(EVENT_ROWS, 2 * 14 * count)
        it.count[stepping.JACOBIAN] = name == STIFF_METHOD and chart.joint_flow is None
        part = chart.control(replace(equations.control, rtol=1.0), weight, name).rtol  # what of the tolerance it takes
        return {**_engine(it, count), "part": part}

    model = machine.model
    return {
        "n": len(x), "method": equations.method, "engine": made(equations.method),
        "stiff": made(STIFF_METHOD) if stiff else None, "weight": [*weight[:-1].tolist(), 0.0],
        "work_rules": follows_work(model), "rtol": equations.options.rtol, "atol": equations.options.atol,
        "registers": {name: getattr(stepping, name) for name in (*REGISTERS, *COUNTERS, *OUTCOMES)},
    }  # fmt: skip


def _engine(it: Integrator, events: int) -> dict[str, Any]:
    return {
        "tol": it.tol.tolist(), "coef": it.coef.tolist(), "real": it.real.tolist(), "count": it.count.tolist(),
        "work": len(it.work), "pivots": len(it.pivots), "values": len(it.values), "spare": len(it.spare), "events": events,
    }  # fmt: skip
