"""Dry friction in a page: what its script needs to decide what sticks, and the modes whose equations a page has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice
from typing import Any

from linkwright.analyses.assembly.start import Start
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.run import Run
from linkwright.analyses.dynamics.whole.equations import Whole, first_state
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.live.bundle import Bundle
from linkwright.system.held import Mode

MOST_SETS = 256  # of closed contacts, that are looked at


def is_dry(machine: LoadedMachine) -> bool:
    """Whether the complementarity problem decides: slots rub, or friction acts beside contacts."""
    return bool(machine.slots) or bool(machine.impacts and machine.system.frictions)


def _mode(machine: LoadedMachine, closed: tuple[int, ...], stuck: tuple[int, ...], smooth: tuple[int, ...]) -> Mode:
    """With values that are none: they are numbers in the equations."""
    none = (0.0,) * len(machine.slots)
    return Mode(closed, stuck, (), smooth, (), (0.0,) * sum(s.size for s in machine.slots), none, none)


def modes_of(machine: LoadedMachine, begin: Start, options: Options) -> list[Mode]:
    """Those that the run goes through, each once."""
    course = Course(options.times)
    run = Run(Whole.of(machine, begin, options, course), course, first_state(machine, begin))
    run.run()
    return list({piece.mode.key: piece.mode for piece in course.pieces}.values())


def every_mode(machine: LoadedMachine, smooth: tuple[int, ...], visited: Sequence[Mode]) -> Iterator[Mode]:
    """All others in which no slot gives all it has while others hold it. First those like what a run goes through: faces of
    a shape are in order, and other values lead to the next ones, or let another slot slip; then with little closed and
    stuck."""

    def subsets(of: Sequence[int], most: int) -> Iterator[tuple[int, ...]]:
        return islice(chain.from_iterable(combinations(of, k) for k in range(len(of) + 1)), most)

    def there(closed: tuple[int, ...]) -> list[int]:
        at = {None, *closed}
        return [k for k, s in enumerate(machine.slots) if k not in smooth and s.impact in at]

    def unlike(closed: tuple[int, ...], stuck: tuple[int, ...]) -> int:
        """How far from the nearest one that was visited with as many contacts: along, in its pattern, in what sticks."""
        out = 2 * (len(closed) + len(stuck))
        alike = [mode for mode in visited if len(mode.closed) == len(closed)]
        for mode in alike:
            along = [a - b for a, b in zip(closed, mode.closed, strict=True)] or [0]
            far = max(map(abs, along)) + 2 * (max(along) - min(along)) + len({*stuck} ^ {*mode.stuck})
            out = far if mode is alike[0] else min(out, far)
        return out

    every = range(len(machine.impacts))
    few = [(c, stuck) for c in subsets(every, MOST_SETS) for stuck in subsets(there(c)[:6], 64)]
    for closed, stuck in sorted(few, key=lambda x: (unlike(*x), len(x[0]) + len(x[1]))):
        yield _mode(machine, closed, stuck, smooth)


def dry_part(machine: LoadedMachine, bundle: Bundle) -> dict[str, Any]:
    """Slots, and the functions of the machine with all contacts and slots as rows."""
    if not is_dry(machine):
        return {"dry": False, "slots": []}
    s, slots = machine.system, machine.slots
    every = machine.holding(_mode(machine, tuple(range(len(machine.impacts))), tuple(range(len(slots))), ())).system
    M, held = every.inertia.M, {"b": "b held", "lam": "lam every"}
    rows = every.load_function("every", {
        "M": M.values, "h": every.inertia.h, "Q": every.loads.Q,
        "Phi_v": every.Phi_v.values, "gamma": every.gamma, "nu": every.nu,
    })  # fmt: skip
    bundle.add("every", rows, tuple(held.get(n, n) for n in rows.inputs))
    if slots:
        forces: Any = every
        bundle.add("slot forces", forces.slot_forces, tuple(held.get(n, n) for n in forces.slot_forces.inputs))
        bundle.add("slot numbers", s.slot_numbers)
    if s.frictions:
        bundle.add("smooth friction", s.smooth_friction)
    return {
        "dry": True, "frictions": [f.element.name for f in s.frictions],
        "every_pattern": [x.tolist() for x in every.pattern],
        "typical_mass": float(machine.model.value(s.typical_mass)),
        "slots": [
            {
                "name": slot.name, "element": slot.element.name, "size": slot.size,
                "coordinate": slot.coordinate is not None, "impact": -1 if slot.impact is None else slot.impact,
                "forces": [s.channel_names.index(f"{slot.element.name}.{c}") for c in slot.channels],
            }
            for slot in slots
        ],
    }  # fmt: skip
