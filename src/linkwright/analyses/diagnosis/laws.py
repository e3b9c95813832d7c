"""Formulas where they are used: no value, a corner, a table that jitters, a law that feeds energy in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.analyses.assembly.standing import FLAT, z_axis
from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.diagnosis.numbers import Suspicion
from linkwright.analyses.machine.channels import Motion
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.prescribed import prescribed, targets, values
from linkwright.analyses.machine.rates_of_states import owner, undefined
from linkwright.graph import Expr, along, evaluate, free_symbols
from linkwright.model import (
    PID,
    TIME,
    Belt,
    Cycloid,
    Driver,
    Element,
    Finding,
    Fix,
    Force,
    PointForce,
    Rope,
    Spring,
    Table,
    Torque,
    TorsionSpring,
    Tyre,
)  # fmt: skip
from linkwright.model.changes import Change, Put, Remove
from linkwright.model.quantities import distance, rate
from linkwright.model.values import argument_symbol, law_symbols
from linkwright.system.ropes import strands, way

SPAN, LOOKS = 1.0, 2001  # [s] of a motion that is looked at, and how often
CORNER = 0.2  # of all speeds of a motion: a change of speed between two looks that is no curve
SMALL = 0.1  # [m/s, rad/s] speeds at which laws are asked
ROUGH = 0.6  # of the points of a table: where its bend changes sign that often, it is noise


def oddities(case: Case) -> Iterator[Suspicion]:
    """Of a machine that closes."""
    yield from motions(case)
    yield from tables(case)
    yield from valueless(case)
    yield from drawn_in(case)
    yield from feeding(case)
    yield from states(case)
    yield from lying(case)


# -- motions ---------------------------------------------------------------------------------------------------------------


def motions(case: Case) -> Iterator[Suspicion]:
    """Prescribed motions that have no value, jump, or have a corner, within a second from the start; targets of controllers
    that have no value."""
    times = case.t + np.linspace(0.0, SPAN, LOOKS)
    for e, f in [*prescribed(case.machine.geometry), *targets(case.machine.geometry)]:
        at, speed = values(case.machine.geometry, [f, *along([f], {TIME: 1.0})], times)
        fixes = [Fix(f"let {e.name} rise smoothly", (_smooth(case, e, at),)), Fix(f"remove {e.name}", (Remove(e.name),))]
        if not np.isfinite(at).all():
            when = times[int(np.argmin(np.isfinite(at)))]
            what = "target" if isinstance(e, PID) else "motion"
            text = f"the {what} of {e.name} has no value at t = {when:.4g} s"
            yield Finding("undefined", (e.name,), text, "end before, or give a formula that has one there"), fixes
        elif not isinstance(e, PID) and (corner := _corner(times, at, speed)) is not None:
            when, what = corner
            text = f"the motion of {e.name} {what} at t = {when:.4g} s"
            remedy = "a real machine is hit there: give a motion with a continuous speed, such as Cycloid"
            yield Finding("corner", (e.name,), text, remedy), fixes


def _smooth(case: Case, e: Element, at: np.ndarray) -> Change:
    """A cycloid from where the motion starts to the farthest place that it has a value for."""
    known = at[np.isfinite(at)]
    if len(known) < len(at):  # half the way to where it has no value: a pole is high before it ends
        known = known[: int(np.argmin(np.isfinite(at))) // 2 + 1]
    start = float(known[0]) if len(known) else 0.0
    height = float(known[np.argmax(np.abs(known - start))] - start) if len(known) else 1.0
    rise = Cycloid(height=height or 1.0, duration=SPAN, start=case.t, offset=start)
    return Put(e.name, "motion" if isinstance(e, Driver) else "target" if isinstance(e, PID) else "value", rise)


def _corner(times: np.ndarray, at: np.ndarray, speed: np.ndarray) -> tuple[float, str] | None:
    size = float(np.ptp(at))
    if size <= 0 or not np.isfinite(speed).all():
        return None
    change = np.diff(at)
    k = int(np.argmax(np.abs(change)))
    others = np.delete(np.abs(change), k)
    if np.abs(change[k]) > 20 * others.max(initial=0.0) and np.abs(change[k]) > 1e-3 * size:
        return float(times[k]), f"jumps by {abs(change[k]):.3g}"
    bend = np.abs(np.diff(speed))
    k = int(np.argmax(bend))
    near = np.concatenate([bend[max(k - 6, 0) : max(k - 1, 0)], bend[k + 2 : k + 7]])
    if bend[k] > CORNER * np.ptp(speed) > 1e-9 * np.abs(speed).max() and bend[k] > 10 * near.max(initial=0.0):
        return float(times[k + 1]), f"changes its speed at once, by {bend[k]:.3g} a second,"
    return None


# -- tables ----------------------------------------------------------------------------------------------------------------


def tables(case: Case) -> Iterator[Suspicion]:
    """Tables of drivers whose points jitter: the spline through them shakes the machine."""
    for e in case.model.elements.values():
        table = getattr(e, "motion", None)
        if isinstance(e, Driver) and isinstance(table, Table) and rough(np.array(table.y), np.array(table.x)):
            text = f"the table of {e.name} jitters: its bend changes sign at nearly every one of its {len(table.y)} points"
            remedy = "smooth it, or take fewer points: accelerations are those of the noise"
            yield Finding("rough-table", (e.name,), text, remedy), [_smoothed(e, table, n) for n in (1, 2, 4, 8)]


def rough(y: np.ndarray, x: np.ndarray) -> bool:
    bend = np.diff(np.diff(y) / np.diff(x))
    bend = bend[np.abs(bend) > 1e-6 * np.abs(bend).max(initial=0.0)]
    return len(bend) >= 6 and float(np.mean(bend[1:] * bend[:-1] < 0)) > ROUGH


def _smoothed(e: Driver, table: Table, times: int) -> Fix:
    y = np.array(table.y)
    for _ in range(times):
        y[1:-1] = 0.25 * y[:-2] + 0.5 * y[1:-1] + 0.25 * y[2:]
    smooth = replace(table, y=tuple(float(v) for v in y))
    return Fix(f"smooth the table of {e.name}, {times} time{'s' * (times > 1)}", (Put(e.name, "motion", smooth),))


# -- forces ----------------------------------------------------------------------------------------------------------------


def valueless(case: Case) -> Iterator[Suspicion]:
    """Laws of forces that have no value where the machine starts, at rest or at a small speed."""
    for e in case.model.elements.values():
        bad = [own for law, own in _laws(case, e) if not np.isfinite(_values(case, law, own)).all()]
        if bad:
            where = "".join(f", {name} = {x:.4g}" for name, x in bad[0].items())
            text = f"the law of {e.name} has no value where the machine starts{where}, at rest or slowly"
            remedy = "give a formula that has one there, or start elsewhere"
            yield Finding("undefined", (e.name,), text, remedy), _without(e)


def drawn_in(case: Case) -> Iterator[Suspicion]:
    """Ropes and belts without a way where the machine stands: round a pulley there is no tangent from within its radius."""
    machine, g = case.machine, case.machine.system.geometry
    lengths: dict[Element, Any] = {}
    for e in case.model.elements.values():
        if isinstance(e, Rope | Belt):
            lengths[e] = way(g, e).length if isinstance(e, Rope) else strands(g, e).length
    if not lengths:
        return
    motion = Motion(machine, np.array([case.t]), case.q[None], machine.turns[None])
    with np.errstate(all="ignore"):
        found = motion.evaluate(list(lengths.values()))[:, 0]
    for e, length in zip(lengths, found.tolist(), strict=True):
        if not np.isfinite(length):
            text = (
                f"{e.name} has no way where the machine stands: an end or the next pulley is within the radius of a pulley"
            )
            yield Finding("undefined", (e.name,), text, "keep them apart, or give smaller radii"), _without(e)


def _laws(case: Case, e: Element) -> Iterator[tuple[Any, dict[str, float]]]:
    """Laws, with the values of their arguments; speeds are left out."""
    if isinstance(e, Spring):
        length = case.values([distance(e.P, e.Q)])[0]
        yield from ((e.k, {"l": length}), (e.c, {}), (e.force, {"l": length}))
    elif isinstance(e, TorsionSpring):
        theta = case.values([e.quantity])[0]
        yield from ((e.k, {"theta": theta}), (e.c, {}), (e.torque, {"theta": theta}))
    elif isinstance(e, Force):
        yield e.law, {"s": case.values([e.quantity])[0]}
    elif isinstance(e, PointForce | Torque):
        given = e.force if isinstance(e, PointForce) else e.torque
        yield from ((law, {}) for law in (given if isinstance(given, tuple) else (given,)))


def _values(case: Case, law: Any, arguments: dict[str, float]) -> list[float]:
    """Of a law where the machine starts, at speeds about rest; none of one that depends on more than we know."""
    names = {name: argument_symbol(name) for name in (*arguments, "v", "omega")}
    traced = case.model.traced(law, {**names, "t": TIME})
    if traced is None:
        return []  # not ours to judge
    given = {**case.model.parameter_values(), TIME: case.t, **{names[n]: x for n, x in arguments.items()}}
    speeds = names["v"], names["omega"]
    if isinstance(traced, Expr) and not set(free_symbols([traced])) <= {*given, *speeds}:
        return []
    with np.errstate(all="ignore"):
        return [_value(traced, {**given, **dict.fromkeys(speeds, v)}) for v in (-SMALL, 0.0, SMALL)]


def feeding(case: Case) -> Iterator[Suspicion]:
    """Laws that push along the velocity, and the more the faster: a damper with the wrong sign."""
    for e in case.model.elements.values():
        for field, law, arguments in _dampers(e):
            if fed := _feeds(case, e, field, law, arguments):
                remedy = f"turn the sign of {'the speed in its law' if field == 'law' else field}"
                yield Finding("feeds-energy", (e.name,), _fed(e, field, fed), remedy), _turned(case, e, field)


def _fed(e: Element, field: str, fed: float) -> str:
    if field == "kp":
        return f"kp of {e.name} is {fed:g}: it pushes away from its target, and the more the farther that is"
    how = f"more by {fed:.3g} at {SMALL} than at rest" if field == "law" else f"with {field} = {fed:g}"
    return f"{e.name} pushes along the speed, not against it, {how}: it feeds energy in"


def states(case: Case) -> Iterator[Suspicion]:
    """Rates of states that have no value where the machine begins."""
    if not case.model.states:
        return
    machine = LoadedMachine(case.model, case.t)
    for name in undefined(machine, case.q, machine.system.velocity_estimate(case.model), case.t):
        e = case.model.elements[owner(case.model, name)]
        text = f"the rate of {name} has no finite value where the machine starts"
        remedy = "give a formula that has one there, or start elsewhere"
        yield Finding("undefined", (e.name,), text, remedy), _without(e)


def lying(case: Case) -> Iterator[Suspicion]:
    """Tyres whose axle is upright where the machine begins: they have no heading."""
    for e in case.model.elements.values():
        if isinstance(e, Tyre) and abs(z_axis(case.machine, e.wheel, case.q)[2]) > 1 - 0.5 * FLAT**2:
            text = f"the axle of {e.name}, the z axis of its frame, is upright: a wheel that lies flat has no heading"
            yield Finding("undefined", (e.name,), text, "turn the frame, or estimate another orientation"), _without(e)


def _without(e: Element) -> list[Fix]:
    return [Fix(f"remove {e.name}", (Remove(e.name),))]


def _dampers(e: Element) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """Fields of laws that depend on a speed: what they are, and the names of their arguments, the speed's last but time."""
    if isinstance(e, Spring):
        yield "c", e.c, ("v",)
    elif isinstance(e, TorsionSpring):
        yield "c", e.c, ("omega",)
    elif isinstance(e, Force):
        yield "law", e.law, ("s", "v", "t")
    elif isinstance(e, PID):
        yield "kd", e.kd, ()
        yield "kp", e.kp, ()


def _feeds(case: Case, e: Element, field: str, law: Any, arguments: tuple[str, ...]) -> float:
    """By how much it pushes along the speed, or the number that does so; 0 where it does not."""
    symbols = law_symbols(arguments)
    traced = case.model.traced(law, symbols)
    given = {**case.model.parameter_values(), TIME: case.t}
    known = set(given) | set(symbols.values())
    if traced is None or (isinstance(traced, Expr) and not set(free_symbols([traced])) <= known):
        return 0.0  # it depends on more than its own arguments: not ours to judge
    s = case.values([e.quantity])[0] if isinstance(e, Force) else 0.0
    place = {symbols[a]: s for a in ("s",) if a in symbols}
    speed = next((symbols[a] for a in ("v", "omega") if a in symbols), None)
    with np.errstate(all="ignore"):
        push = [
            _value(traced, {**given, **place, **({speed: v} if speed is not None else {})}) for v in (-SMALL, 0.0, SMALL)
        ]
    if field in ("c", "kd", "kp"):
        return min(push[1], 0.0)
    if not np.isfinite(push).all():
        return 0.0
    faster, slower = push[2] - push[1], push[1] - push[0]
    return faster if min(faster, slower) > 1e-9 * max(map(abs, push)) else 0.0


def _value(law: Any, given: dict[Any, Any]) -> float:
    return float(evaluate([law], given)[0]) if isinstance(law, Expr) else float(law)


def _turned(case: Case, e: Element, field: str) -> list[Fix]:
    if isinstance(e, Force):
        own = {"s": e.quantity, "v": -rate(e.quantity), "t": TIME}
        return [Fix(f"turn the sign of the speed in {e.name}", (Put(e.name, "law", case.model.trace(e.law, own)),))]
    value = getattr(e, field)
    value = -value if isinstance(value, int | float | Expr) else f"-({value})"
    return [Fix(f"turn the sign of {field} of {e.name}", (Put(e.name, field, value),))]
