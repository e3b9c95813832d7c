"""Numbers that a machine may well have, but that look like a slip: units, degrees, gravity, stiffness, parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isclose, pi
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.diagnosis.remedies.closing import ends, other_units
from linkwright.analyses.diagnosis.stand import Stand
from linkwright.analyses.machine.ask import ask
from linkwright.analyses.machine.row_lengths import jacobian
from linkwright.graph import Expr
from linkwright.model import TIME, Body, Distance, Driver, Finding, Fix, Harmonic, Model, Spring, TorsionSpring
from linkwright.model.changes import At, Change, Gravity, Guess, Put, Remove, Replace
from linkwright.solve.rank import free_motions

Suspicion = tuple[Finding, list[Fix]]

EARTH = (9.7, 9.9)  # [m/s^2] gravity that is meant as that of the Earth
WIDE = 30.0  # radii of gyration by the size of the machine: more is no body of it
HEAVIEST = 5e5  # [kg/m^3] twenty times what osmium weighs; textbook numbers for small bobs stay below
SLENDER = 1e-3  # thickness by length, squared, below which inertia says nothing about the room
FAR_OFF = 200.0  # lengths of one body by those of the others, from which on units are suspected
FAST = 1e5  # [rad/s] a frequency from which on a spring alone decides the steps of a run
NEARBY = 0.3  # of a length, or in radians: where a machine is looked at beside where it stands
MOST = 720.0  # [degrees] two turns: beyond, turns are counted
ROUND = 5.0  # [degrees] angles that people think of are whole numbers of this


def suspicions(case: Case) -> Iterator[Suspicion]:
    """Of a machine that closes."""
    yield from gravity(case)
    yield from degrees(case)
    yield from inertia_units(case)
    yield from densities(case.model)
    yield from long_bodies(case)
    yield from stiff(case)
    yield from unused(case.model)


# -- gravity ---------------------------------------------------------------------------------------------------------------


def gravity(case: Case) -> Iterator[Suspicion]:
    model = case.model
    g = np.array([model.value(x) for x in model.gravity])
    size, up = float(np.linalg.norm(g)), model.dimension - 1
    if not size:
        return
    down = tuple(-size if k == up else 0.0 for k in range(model.dimension))
    earth = tuple(-9.81 if k == up else 0.0 for k in range(model.dimension))
    axis = "xyz"[up]
    factor = next((f for f in (1e3, 1e2) if EARTH[0] * f < size < EARTH[1] * f), 0.0)
    if factor:
        unit = {1e3: "millimetres", 1e2: "centimetres"}[factor]
        text = f"gravity is {size:g} m/s^2: {9.81:g} in {unit}, a thousand or a hundred times that of the Earth"
        remedy = "give lengths in metres and gravity in m/s^2"
        yield Finding("gravity", (), text, remedy), [Fix(f"set gravity to {earth}", (Gravity(earth),))]
        return
    if not EARTH[0] < size < EARTH[1] or abs(g).max() < size * (1 - 1e-9):
        return  # not the Earth's, or along no axis: it was thought about
    fix = Fix(f"set gravity to {down}", (Gravity(down),))
    if g[up] > 0:
        yield (
            Finding(
                "gravity",
                (),
                f"gravity points up, {size:g} m/s^2 along +{axis}: things fall upwards",
                f"turn its sign: {down}",
            ),
            [fix],
        )
    elif g[up] == 0 and (model.dimension == 2 or _sideways(case, g / size)):
        along = "xyz"[int(np.argmax(abs(g)))]
        text = f"gravity points along {along}, {size:g} m/s^2; {axis} is up here"
        yield Finding("gravity", (), text, f"give {down}; if {along} is up in your machine, all is well"), [fix]


def _sideways(case: Case, along: np.ndarray) -> bool:
    """Whether a weight along z would do something in free motions, and along this direction does nothing. Where it hangs or
    stands upright nothing does at first, so a place nearby is looked at, too."""
    free = free_motions(jacobian(case.machine, case.q, case.t), case.machine.scale)
    most = np.abs(free / case.machine.scale[:, None]).max(initial=0.0) or 1.0
    near = case.machine.retract(case.q, NEARBY / most * free.sum(axis=1))
    up, own = ([_works(case, q, d) for q in (case.q, near)] for d in (np.eye(3)[2], along))
    return max(up) > 1e3 * max(own)


def _works(case: Case, q: np.ndarray, direction: np.ndarray) -> float:
    """How much a weight along a direction does in free motions: a machine that lies flat has other axes, and is right."""
    free = free_motions(jacobian(case.machine, q, case.t), case.machine.scale)
    stand, work = Stand(case.machine, q), np.zeros(free.shape[1])
    for b in case.machine.bodies:
        work += case.model.value(b.mass) * direction @ stand.rates(b.at(*b.com), free)
    return float(np.linalg.norm(work))


# -- degrees ---------------------------------------------------------------------------------------------------------------


def in_degrees(x: float) -> bool:
    """Whether an angle, said to be in radians, is more than a turn and a whole number of five: 30, 45, 90, -120."""
    return 2 * ROUND <= abs(x) <= MOST and isclose(x / ROUND, round(x / ROUND), abs_tol=1e-9)


def degrees(case: Case) -> Iterator[Suspicion]:
    model = case.model
    for body in model.bodies.values():
        given = body.estimate.rotation
        if model.dimension == 2 and not body.is_ground and in_degrees(angle := model.value(given)):  # type: ignore[arg-type]
            yield _degrees(body.name, "angle", angle, Guess(body.name, angle=angle * pi / 180))
    for e in model.elements.values():
        for field, P in ends(e).items():
            if P.angle is not None and in_degrees(angle := model.value(P.angle)):
                yield _degrees(e.name, f"angle on {P.body.name}", angle, Put(e.name, field, At.of(P, angle * pi / 180)))
        if isinstance(e, TorsionSpring) and in_degrees(angle := model.value(e.angle)):
            yield _degrees(e.name, "free angle", angle, Put(e.name, "angle", angle * pi / 180))
        if isinstance(e, Driver) and e.quantity.op == "symbol" and str(e.quantity.data).endswith(".angle"):
            yield from _driven_in_degrees(case, e)


def _degrees(name: str, what: str, angle: float, change: Change) -> Suspicion:
    text = f"the {what} of {name} is {angle:g} rad, {angle / (2 * pi):.1f} turns: did you mean {angle:g} degrees?"
    remedy = f'angles are in radians: write "{angle:g} deg", or {angle * pi / 180:.6g}'
    return Finding("degrees", (name,), text, remedy), [Fix(f"take the {what} of {name} for {angle:g} degrees", (change,))]


def _driven_in_degrees(case: Case, e: Driver) -> Iterator[Suspicion]:
    model = case.model
    if isinstance(e.motion, Harmonic):
        if not in_degrees(size := model.value(e.motion.amplitude)):
            return
        turned = Harmonic(e.motion.amplitude * (pi / 180), e.motion.omega, e.motion.phase, e.motion.offset)
        yield _degrees(e.name, "amplitude", size, Put(e.name, "motion", turned))
    elif not hasattr(e.motion, "numbers"):
        start, motion = case.machine.driver_value(e, case.t), model.trace(e.motion, {"t": TIME})
        swings = [x for x in _amplitudes(motion) if in_degrees(x)]
        if in_degrees(start):
            yield _degrees(e.name, "start", start, Put(e.name, "motion", motion * (pi / 180)))
        elif swings:
            yield _degrees(e.name, "amplitude", swings[0], Put(e.name, "motion", motion * (pi / 180)))


def _amplitudes(x: Any) -> Iterator[float]:
    """The constant factors of sines and cosines in a sum."""
    if type(x) is not Expr:
        return
    if x.op in ("add", "sub"):
        for term in x.args:
            yield from _amplitudes(term)
    elif x.op == "mul" and any(type(a) is Expr and a.op in ("sin", "cos") for a in x.args):
        yield from (abs(float(a.data)) for a in x.args if type(a) is Expr and a.op == "const")


# -- masses ----------------------------------------------------------------------------------------------------------------


def _moving(model: Model) -> list[Body]:
    return [b for b in model.bodies.values() if not b.is_ground]


def inertia_units(case: Case) -> Iterator[Suspicion]:
    """Radii of gyration far beyond the machine: moments in kg mm^2, or in g mm^2."""
    model, size = case.model, case.machine.size_at(case.q)
    held = {b.name for e in model.elements.values() for b in e.bodies}
    for body in _moving(model):
        mass, most = model.value(body.mass), float(linear.eigvalsh(body.inertia_matrix())[-1])
        if mass <= 0 or most <= 0 or body.name not in held or not size:
            continue
        radius = float(np.sqrt(most / mass))
        if radius > WIDE * size:
            factor = 1e-6 if radius * 1e-3 > 1e-3 * size else 1e-3
            text = (
                f"the inertia of {body.name}, {most:g} kg m^2, is that of its mass {radius:.3g} m away: "
                f"the machine is {size:.3g} m large"
            )
            remedy = f"give it in kg m^2: 1 kg mm^2 is 1e-6 kg m^2; times {factor:g} it would fit"
            yield (
                Finding("inertia-units", (body.name,), text, remedy),
                [_inertia_times(body, f) for f in (factor, 1e-6, 1e-9)],
            )


def _inertia_times(body: Body, factor: float) -> Fix:
    return Fix(
        f"multiply the inertia of {body.name} by {factor:g}", (Put(body.name, "inertia", _times(body.inertia, factor)),)
    )


def _times(inertia: Any, factor: float) -> Any:
    return tuple(_times(x, factor) for x in inertia) if isinstance(inertia, tuple) else inertia * factor


def densities(model: Model) -> Iterator[Suspicion]:
    """Of bodies in space, taken for ellipsoids of their mass and moments: a box has 1.13 times its volume."""
    for body in _moving(model) if model.dimension == 3 else ():
        mass = model.value(body.mass)
        J = linear.eigvalsh(body.inertia_matrix())
        squares = (J.sum() - 2 * J) * 2.5 / mass if mass > 0 else np.zeros(3)
        if (squares <= SLENDER * squares.max()).any():
            continue  # a rod or a lump on one: how thick it is nobody knows
        density = float(mass / (4 / 3 * pi * np.sqrt(squares.prod())))
        if density > HEAVIEST:
            text = (
                f"{body.name} has {mass:g} kg in the room that its inertia leaves it, some {density:.2g} kg/m^3; "
                "steel has 7850: are these grams?"
            )
            yield (
                Finding("density", (body.name,), text, "give kilograms, and the inertia in kg m^2"),
                [
                    Fix(f"multiply the mass of {body.name} by 0.001", (Put(body.name, "mass", body.mass * 1e-3),)),
                    Fix(
                        f"multiply the inertia of {body.name} by 1000",
                        (Put(body.name, "inertia", _times(body.inertia, 1e3)),),
                    ),
                ],
            )


# -- lengths ---------------------------------------------------------------------------------------------------------------


def extents(model: Model) -> dict[str, float]:
    """How far the points of each body are from its origin at most; rods count as bodies."""
    found: dict[str, float] = {}
    for e in model.elements.values():
        for P in ends(e).values():
            own = max(abs(model.value(x)) for x in P.s)
            if not P.body.is_ground:
                found[P.body.name] = max(found.get(P.body.name, 0.0), own)
        if isinstance(e, Distance):
            found[e.name] = model.value(e.length)
    return {name: x for name, x in found.items() if x > 0}


def odd_lengths(model: Model) -> list[str]:
    """Bodies and rods whose lengths are out of all proportion to the others'."""
    sizes = extents(model)
    if len(sizes) < 2:
        return []
    order = np.sort(list(sizes.values()))
    odd = []
    for name, own in sizes.items():
        usual = _median_of_others(order, own)
        if len(sizes) == 2:  # one of two may be an eccentric, unless it is far too long for where the bodies are estimated
            usual = 0.5 * max(usual, estimated(model) or 2 * own)
        if own > FAR_OFF * usual or (own * FAR_OFF < usual and len(sizes) > 2):
            odd.append(name)
    return odd


def estimated(model: Model) -> float:
    """How far apart bodies are estimated, and points of the ground."""
    places = [[model.value(x) for x in b.estimate.position] for b in model.bodies.values() if not b.is_ground]
    grounded = [P for e in model.elements.values() for P in ends(e).values() if P.body.is_ground]
    places += [[model.value(x) for x in P.s] for P in grounded]
    return float(np.ptp(places, axis=0).max()) if places else 0.0


def _median_of_others(order: np.ndarray, own: float) -> float:
    """The median of sorted numbers without one of them."""
    k, n = int(np.searchsorted(order, own)), len(order) - 1
    middle = [(n - 1) // 2, n // 2]
    return float(np.mean([order[i + (i >= k)] for i in middle]))


def long_bodies(case: Case) -> Iterator[Suspicion]:
    sizes = extents(case.model)
    for name in odd_lengths(case.model):
        usual = _median_of_others(np.sort(list(sizes.values())), sizes[name])
        if sizes[name] > usual:  # what is small may be an eccentric
            text = f"{name} is {sizes[name]:g} m long, the others {usual:.3g} m: millimetres among metres?"
            yield Finding("mixed-units", (name,), text, "give all lengths in metres"), list(other_units(case, name))[:1]


def mixed_units(case: Case) -> Iterator[Suspicion]:
    """Of a machine that does not close: lengths out of proportion that close it when they are taken for millimetres."""
    for name in odd_lengths(case.model):
        for fix in other_units(case, name):
            if _closes(case, fix):
                size = extents(case.model)[name]
                text = f"{name} is {size:g} m long, out of all proportion to the others: it closes after you {fix.text}"
                yield Finding("mixed-units", (name,), text, "give all lengths in metres"), [fix]
                break


def _closes(case: Case, fix: Fix) -> bool:
    return ask(lambda: Stand.assembled(fix.apply(case.model), case.t)).found is not None


# -- springs ---------------------------------------------------------------------------------------------------------------


def stiff(case: Case) -> Iterator[Suspicion]:
    model = case.model
    for e in model.elements.values():
        if not isinstance(e, Spring) or isinstance(e.k, str) or callable(e.k):
            continue
        stiffness = model.number(e.k)
        masses = [model.value(P.body.mass) for P in (e.P, e.Q) if not P.body.is_ground]
        masses = [x for x in masses if x > 0]
        if not masses or stiffness is None or stiffness <= 0:
            continue
        omega = float(np.sqrt(stiffness * sum(1 / x for x in masses)))
        if omega > FAST:
            text = (
                f"{e.name} swings {omega / (2 * pi):.3g} times a second with the masses it holds: every step must be shorter"
            )
            remedy = "a spring so stiff is a rod: use a Distance; or check the unit, 1 N/mm is 1000 N/m"
            length = max(case.model.value(e.length), 1e-9)
            yield (
                Finding("stiff-spring", (e.name,), text, remedy),
                [
                    Fix(f"replace {e.name} by a Distance", (Replace(e.name, Distance, (("length", length),)),)),
                    *(
                        Fix(f"multiply the stiffness of {e.name} by {f:g}", (Put(e.name, "k", e.k * f),))
                        for f in (1e-3, 1e-6)
                    ),
                ],
            )


# -- parameters ------------------------------------------------------------------------------------------------------------


def unused(model: Model) -> Iterator[Suspicion]:
    """Parameters that nothing depends on: a slider of them would do nothing."""
    if not model.parameters:
        return
    used = _symbols(model)
    for name in model.parameters:
        if f"parameter:{name}" not in used:
            text = f"nothing depends on the parameter {name}, {model.parameters[name]:g}"
            found = Finding("unused-parameter", (name,), text, "use it where its number stands, or leave it out")
            yield found, [Fix(f"remove {name}", (Remove(name),))]


def _symbols(model: Model) -> set[str]:
    """The names of all symbols in what a model holds, found in its content."""
    found: set[str] = set()
    stack: list[Any] = [model.content(), *model.gravity]
    while stack:
        x = stack.pop()
        if isinstance(x, str):
            found.add(x)
            # the name of a quantity is its definition: points in it may have parameters for coordinates
            found |= {f"parameter:{word}" for word in re.findall(r"[A-Za-z_]\w*", x)} if "(" in x else set()
        elif isinstance(x, Expr):
            found.add(str(x.data))
            stack += x.args
        elif isinstance(x, tuple | list):
            stack += x
        elif callable(x) and not isinstance(x, type):  # a function that cannot be traced may use all of them
            found |= {f"parameter:{name}" for name in model.parameters}
    return found
