"""Dynamics of large machines: equations compiled by shapes of elements and called in loops, solved sparsely.

Nothing here takes more than linear time in the number of bodies. Initial positions are the estimates, moved to where the
joints close; initial velocities are completed as those of small machines are.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from linkwright import size_policy
from linkwright.analyses.assembly.overlaps import refuse_overlaps
from linkwright.analyses.assembly.start import Start, initial_state
from linkwright.analyses.dynamics.brief import unhurried
from linkwright.analyses.dynamics.chart import Idle, Waiting
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.ending import finished
from linkwright.analyses.dynamics.looped.equations import Looped
from linkwright.analyses.dynamics.looped.kept import lent, output_symbols
from linkwright.analyses.dynamics.looped.machine import LoopedMachine
from linkwright.analyses.dynamics.looped.second_order import LoopedSecondOrder
from linkwright.analyses.dynamics.looped.sparse_newton import has_derivatives
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.passed import Passing, closer, suspects
from linkwright.analyses.dynamics.run import Run
from linkwright.analyses.dynamics.stiffness import Stiffness
from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine.prescribed import SIMULATED, check_prescribed, check_turns, refuse_corners
from linkwright.graph import Expr
from linkwright.model import Model
from linkwright.model.marks import Lately
from linkwright.results.motion import MotionResult
from linkwright.solve.drive import EVENTS_A_STEP
from linkwright.system.geometry import Geometry
from linkwright.system.laws import tell
from linkwright.system.looped import LoopedSystem
from linkwright.system.slots import count_speeds, has_slots
from linkwright.words import listed

_BEGUN: Lately[tuple[LoopedMachine, Start]] = Lately(4)  # where runs of large machines began


def is_large(model: Model) -> bool:
    """Whether a machine is run in loops by its size, or by the number of its elements that may stick."""
    return size_policy.is_looped(len(model.bodies) - 1) or _sticks_in_loops(model)


def _sticks_in_loops(model: Model) -> bool:
    dry = has_slots(model)
    return bool(dry) and size_policy.sticks_in_loops(len(dry), count_speeds(model))


def refuses(options: Options) -> str:
    """Why loops cannot do what is asked; "" where they can, as far as that can be told beforehand."""
    known = options.formulation in ("newton-euler", "joint", "auto")
    return "" if known else "what formulation asks for: not available in loops"


def attempt(model: Model, options: Options, start: Any) -> tuple[MotionResult | None, str]:
    """The motion; or None and the reason, where the machine must be compiled as a whole.

    A formulation is a way to write the same equations: of a machine that is too large to be written so, the motion is found
    by the bodies' own equations, and the audit says so.
    """
    count, own = len(model.bodies) - 1, replace(options, formulation="newton-euler")
    reason = refuses(options)
    if reason and count > size_policy.WHOLE_BY_NAME:
        options, reason = own.because(
            f"newton-euler in loops in place of {options.formulation}, which is compiled as a whole up to "
            f"{size_policy.WHOLE_BY_NAME} bodies: the same motion, by the bodies' own equations"
        ), ""  # fmt: skip
    found = reason or _unhurried(model, unhurried(model, options), start)
    if isinstance(found, Simulated):
        return found.result, ""
    return None, f"compiled as a whole: {found}{size_policy.cost_as_a_whole(count)}"


@dataclass(frozen=True)
class Simulated:
    """A run that is over, and what it may have passed over."""

    result: MotionResult
    run: Run[Looped]
    passing: list[Passing]


def _unhurried(model: Model, options: Options, start: Any) -> Simulated | str:
    """The run of a machine with steps that do not pass over brief changes of laws on the way."""
    found = simulate(model, options, start)
    if isinstance(found, str) or not found.passing:
        return found

    def again(own: Options, begin: Any) -> Run[Looped]:
        other = simulate(model, own, begin)
        assert isinstance(other, Simulated)
        return other.run

    bounded = closer(found.run, found.passing, options, again)
    return found if bounded is None else simulate(model, bounded, start)


def simulate(model: Model, options: Options, start: Any = None) -> Simulated | str:
    """The motion of a machine; or a reason, where it turns out to need what loops do not have."""
    watched, back = _traced(model, options.watches), not options.dense_output  # which goes on asking for joint coordinates
    with lent(model, True, watched, back) as system:
        if _is_roomy(system):
            return _simulated(system, options, start, [])
        names = list(dict.fromkeys(system.at.switched))
    note = f"laws that switch, too many to be located as events: small steps lead over them ({listed(names, 5)})"
    with lent(model, False, watched, back) as system:
        return _simulated(system, options, start, [note])


def _simulated(system: LoopedSystem, options: Options, start: Any, notes: list[str]) -> Simulated | str:
    """The motion of a machine with its equations."""
    if options.second_order and not has_derivatives(system):
        without = (
            "friction, impacts, laws in plain Python or such as remember, states, inertia along quantities, velocity rows, "
            "angles round pulleys in space"
        )
        return f"{options.method} with {without}: not available in loops"
    clock, model = perf_counter(), system.model
    if system.at.laws is not None:
        tell(system.at.laws.elements)
    geometry = Geometry(model, system.coordinates)
    check_prescribed(geometry, options.times.path)
    refuse_corners(geometry, options.times.path)
    notes += check_turns(geometry, options.times.path, SIMULATED)
    run, changed = _begin(system, options, start)
    built = perf_counter() - clock
    failure = run.run()
    run.course.why.append(f"building and compiling took {built:.2f} s")
    result = finished(run, failure, [*changed, *notes], start)
    return Simulated(result, run, suspects(run))


def _begin(system: LoopedSystem, options: Options, start: Any) -> tuple[Run[Looped], list[str]]:
    """A run from a consistent state, with its machine code made; and what had to be changed for that."""
    t, model = options.times.start, system.model

    def begun() -> tuple[LoopedMachine, Start]:
        machine = LoopedMachine(model, t, system)
        found = initial_state(machine, t, start)
        return copy(machine), found

    own, begin = begun() if start is not None else _BEGUN.made(model, t, begun)
    machine = own.using(system)
    machine.tell(begin, start)
    refuse_overlaps(machine, begin.q, begin.t)
    return _run(machine, options, begin), begin.notes


def _run(machine: LoopedMachine, options: Options, begin: Start) -> Run[Looped]:
    """The run from this state, with its machine code made."""
    course = Course(options.times, why=[size_policy.why_looped(len(machine.looped.at.bodies)), *options.why])
    noted, asked = machine.looped.noted, options.decisive
    known: Begun | None = noted.get(Begun)
    if known is not None and asked is not None and known.asked == asked and known.begin is begin:
        course.why += known.why
        course.stiffness = known.stiffness and known.stiffness.anew()
        equations = replace(known.equations, options=options, machine=machine)
        return Run(equations, course, known.y, Idle(known.waiting, known.waiting.taken()))
    said = len(course.why)
    kind = LoopedSecondOrder if options.second_order else Looped
    equations = kind.of(machine, (begin.q, begin.v), options, course)
    for code in (equations.flow.motion, equations.flow.projection):
        code.address  # noqa: B018  machine code is made here
    y = equations.flow.state(begin.q, begin.v)
    if type(equations) is not Looped or not equations.is_plain:
        return Run(equations, course, y)
    known = noted[Begun] = Begun(asked, begin, equations, y, course.why[said:], course.stiffness)
    return Run(equations, course, y, Idle(known.waiting))


@dataclass(frozen=True)
class Begun:
    """The beginning of a run, kept for the next one from there: of this machine as it is now, asked for in the same way."""

    asked: tuple[Any, ...] | None
    begin: Start
    equations: Looped
    y: np.ndarray
    why: list[str]
    stiffness: Stiffness | None
    waiting: Waiting = field(default_factory=Waiting)


def _is_roomy(system: LoopedSystem) -> bool:
    """Whether there is room for the events of laws that switch."""
    numbers = EVENTS_A_STEP * (system.at.nflags + len(system.watched)) * system.at.ny
    return not system.at.nflags or numbers <= size_policy.EVENT_ROOM


def _traced(model: Model, watches: Sequence[Watch]) -> dict[str, Expr]:
    """The watched quantities in terms of positions and velocities, or also of outputs."""
    plain = {w.name: w.of_states(model) for w in watches}
    outputs = output_symbols(model) if any(x is None for x in plain.values()) else {}
    return {w.name: w.of_outputs(model, outputs) if x is None else x
            for w, x in zip(watches, plain.values(), strict=True)}  # fmt: skip
