"""Bodies that nothing touches, gears that nothing keeps apart, springs wound by whole turns."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import Any

import numpy as np

from linkwright import size_policy
from linkwright.analyses.assembly.closure import Closure
from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.diagnosis.numbers import NEARBY, Suspicion
from linkwright.analyses.diagnosis.stand import Stand
from linkwright.analyses.machine.row_lengths import jacobian
from linkwright.model import Distance, Finding, Fix, Fixed, Gear, Joint, Model, Revolute, TorsionSpring
from linkwright.model.changes import Add, At, Guess, Remove
from linkwright.solve.nearest import close
from linkwright.solve.rank import free_motions

APART = 1e-6  # of the machine's length, in a free motion of size one: centres that move apart


def oddities(case: Case) -> Iterator[Suspicion]:
    yield from loose(case)
    yield from gears(case)
    if case.machine.nv <= size_policy.SPARSE:
        yield from wound(case)


def loose(case: Case) -> Iterator[Suspicion]:
    """Single bodies that no element touches, in a machine that has joints."""
    model = case.model
    if not any(isinstance(e, Joint) for e in model.elements.values()):
        return
    said = words(model)
    formulas = [x for x in said if "(" in x]
    for name, body in model.bodies.items():
        if name not in said and not body.is_ground and not any(name in x for x in formulas):
            here = tuple(model.value(x) for x in body.estimate.position)
            zero = (0.0,) * model.dimension
            ends = (("P", At("ground", here)), ("Q", At(name, zero)))
            text = f"nothing holds {name}: no joint, force or driver touches it"
            why = f"all {3 if model.dimension == 2 else 6} motions of {name} are free"
            yield (
                Finding("loose", (name,), text, "join it to something, or leave it out", why),
                [
                    Fix(f"remove {name}", (Remove(name),)),
                    Fix(f"fix {name} to the ground", (Add(f"{name} held", Fixed, ends),)),
                    Fix(f"pin {name} to the ground", (Add(f"{name} held", Revolute, ends),)),
                ],
            )


def words(model: Model) -> set[str]:
    """The names in all that elements hold, and what stands before the dot in names of quantities."""
    found: set[str] = set()
    stack: list[Any] = [model.content()[5:]]  # elements, and what is fixed
    while stack:
        x = stack.pop()
        if isinstance(x, str):
            found |= {x, x.split(".")[0], x.rpartition(".")[0]}
        elif isinstance(x, tuple | list):
            stack += x
    return found


def gears(case: Case) -> Iterator[Suspicion]:
    """Gears whose centres can move apart: the pair itself does not keep them."""
    found = [e for e in case.model.elements.values() if isinstance(e, Gear)]
    if not found:
        return
    free = free_motions(jacobian(case.machine, case.q, case.t), case.machine.scale)
    places = [case.q, *nearby(case, free)] if free.shape[1] else []
    for e in found:
        if any(_part(case, e, q) for q in places):
            wanted = abs(case.model.value(e.radii[0] + e.radii[1]))
            pair = f"{e.centre_i.body.name} and {e.centre_j.body.name}"
            text = f"nothing keeps the centres of {e.name} {wanted:g} m apart: {pair} can part"
            remedy = f"hold the centres {wanted:g} m apart: bearings on one body, or a Distance"
            ends = (("P", At.of(e.centre_i)), ("Q", At.of(e.centre_j)), ("length", wanted))
            fix = Fix(
                f"add a Distance of {wanted:g} between the centres of {e.name}", (Add(f"{e.name} rod", Distance, ends),)
            )
            yield Finding("gear-loose", (e.name,), text, remedy), [fix]


def nearby(case: Case, free: np.ndarray) -> Iterator[np.ndarray]:
    """A place that the machine can move to, where it can: centres on an arm in line with them part to second order only."""
    most = np.abs(free / case.machine.scale[:, None]).max() or 1.0
    mixed = free @ np.random.default_rng(5).uniform(0.5, 1.0, free.shape[1])
    moved = close(Closure(case.machine, case.t), case.machine.retract(case.q, NEARBY / most * mixed))
    if moved.closed:
        yield moved.q


def _part(case: Case, e: Gear, q: np.ndarray) -> bool:
    """Whether some free motion changes the distance of the centres there."""
    stand = Stand(case.machine, q)
    free = free_motions(jacobian(case.machine, q, case.t), case.machine.scale)
    d = stand.place(e.centre_j) - stand.place(e.centre_i)
    rates = d @ (stand.rates(e.centre_j, free) - stand.rates(e.centre_i, free))
    return bool(np.abs(rates).max(initial=0.0) > APART * case.machine.length * max(float(np.linalg.norm(d)), 1e-300))


def wound(case: Case) -> Iterator[Suspicion]:
    """Torsion springs that a whole turn of an estimate winds up."""
    for e in case.model.elements.values():
        if not isinstance(e, TorsionSpring):
            continue
        twist = case.values([e.quantity])[0] - case.model.value(e.angle)
        turns = round(twist / (2 * pi))
        if turns:
            text = f"{e.name} is wound by {twist:.4g} rad at the start, {turns} whole turn{'s' * (abs(turns) > 1)}"
            bodies = [b for b in case.model.bodies.values() if not b.is_ground and b.name in str(e.quantity)] or [
                b for b in case.model.elements.get(str(e.quantity).rpartition(".")[0], e).bodies if not b.is_ground
            ]
            fixes = []
            for b in bodies if case.model.dimension == 2 else ():
                angle = case.model.value(b.estimate.rotation)  # type: ignore[arg-type]
                for sign in (-1, 1):
                    back = angle + sign * 2 * pi * turns
                    fixes.append(Fix(f"estimate {b.name} at the angle {back:.4g}", (Guess(b.name, angle=back),)))
            remedy = "take the whole turns out of the estimates, or add them to the spring's free angle"
            yield Finding("whole-turns", (e.name,), text, remedy), fixes
