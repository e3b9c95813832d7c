"""What a driven machine runs into: its motion is followed, and where it stops the finding says when, where and why."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from linkwright.analyses.assembly.freedom import good_drivers
from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.diagnosis.remedies.drivers import scaled_motion, shifted
from linkwright.analyses.diagnosis.stand import Stand
from linkwright.analyses.machine.ask import ask
from linkwright.analyses.motion.kinematics import kinematics
from linkwright.errors import SingularityError
from linkwright.model import TIME, Distance, Driver, Finding, Fix, Point, Translational
from linkwright.model.changes import Put
from linkwright.model.quantities import DistanceBetween

STEPS = 60  # of the motion that is followed; it is as exact with few
ALIGNED = 0.05  # [rad] two links are in line: a motion stops a hair before a dead point
HAIR = 1e-5  # of the time to a dead point
SHORT = 0.95  # of the way to a dead point that is left to a driver
CHOICES = 4
ROUNDING = 1e-9  # of the largest: told as zero
SHOWN = 2  # speeds of a branch that are told


def ahead(case: Case, t_end: float) -> list[tuple[Finding, Iterator[Fix]]]:
    """Lock-up or bifurcation between t and t_end, with candidates for its remedy."""
    error = ask(kinematics, case.model, t_end=t_end, t_start=case.t, steps=STEPS, rates=False).wrong
    if not isinstance(error, SingularityError) or error.time is None:
        return []  # what is wrong at the start is said already
    found = _told(case, error)
    return [(found, _candidates(case, error, found))]


def _told(case: Case, error: SingularityError) -> Finding:
    names = [error.driver] if isinstance(error.driver, str) else list(error.driver)
    drivers = [d for d in map(case.model.elements.get, names) if isinstance(d, Driver)]
    at = "; ".join(
        f"{d.name} is at {d.quantity} = {case.machine.driver_value(d, float(error.time or 0)):.6g}" for d in drivers
    )
    lines = _aligned(case, error)
    line = f"; {' and '.join(lines)} are in line" if lines else ""
    elements = tuple(dict.fromkeys([*error.element, *(d.name for d in drivers)]))
    if error.kind == "lock-up":
        text = f"the machine locks up at t = {error.time:.6g} s: {at}{line}"
        remedy = "end the motion before that, drive something else, or change the lengths"
        return Finding("lock-up", elements, text, remedy)
    text = f"the motion branches at t = {error.time:.6g} s into {len(error.branches)} branches: {at}{line}"
    remedy = "say which way to go on, kinematics(..., branch=n), or change a length a little"
    return Finding("bifurcation", elements, text, remedy, "; ".join(_tangents(error)))


def _tangents(error: SingularityError) -> list[str]:
    """Each branch by the turning speeds in which it differs most from the others."""
    first = error.branches[0] if error.branches else {}
    names = [n for n in first if n.rpartition(".")[2] in ("omega", "wx", "wy", "wz")]
    apart = {n: np.ptp([b[n] for b in error.branches]) for n in names}
    told = sorted(names, key=lambda n: -apart[n])[:SHOWN]
    most = max((abs(b[n]) for b in error.branches for n in told), default=0.0)
    speeds = ([f"{n} = {_rounded(b[n], most)}" for n in told] for b in error.branches)
    return [f"branch {k}: {', '.join(own)}" for k, own in enumerate(speeds)]


def _rounded(x: float, most: float) -> str:
    return f"{x if abs(x) > ROUNDING * most else 0.0:.3g}"


def _aligned(case: Case, error: SingularityError) -> list[str]:
    """The two links, sharing a pin, that are nearest to a straight line where the motion stopped."""
    q = _just_before(case, float(error.time or 0))
    if q is None:
        return []
    stand = Stand(case.machine, q)
    pins: dict[str, list[Point]] = {}
    for e in case.model.elements.values():
        for P in (x for x in vars(e).values() if isinstance(x, Point)):
            pins.setdefault(P.body.name, []).append(P)
    lines: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for body, points in pins.items():
        places = [stand.place(P) for P in points]
        for a, b in combinations(places, 2) if body != "ground" else ():
            if np.linalg.norm(b - a) > 1e-6 * case.machine.length:
                lines.setdefault(body, (a, b))
    for e in case.model.elements.values():
        cylinder = isinstance(e, Translational) and not any(b.is_ground for b in e.bodies)
        if isinstance(e, Distance) or cylinder:  # a rod that is no body, a cylinder that is two
            lines.setdefault(e.name, (stand.place(e.P), stand.place(e.Q)))  # type: ignore[attr-defined]
        if isinstance(e, Driver) and isinstance(d := _measured(case, e), DistanceBetween):
            lines.setdefault(e.name, (stand.place(d.P), stand.place(d.Q)))
    lines = {n: (a, b) for n, (a, b) in lines.items() if np.linalg.norm(b - a) > 1e-6 * case.machine.length}
    best, chosen = ALIGNED, list[str]()
    for (one, (a, b)), (two, (c, d)) in combinations(lines.items(), 2):
        shared = min(np.linalg.norm(x - y) for x in (a, b) for y in (c, d)) < 1e-2 * case.machine.length
        u, v = (b - a) / np.linalg.norm(b - a), (d - c) / np.linalg.norm(d - c)
        off = float(np.sqrt(max(1 - float(u @ v) ** 2, 0.0)))
        if shared and off < best:
            best, chosen = off, [one, two]
    return chosen


def _measured(case: Case, e: Driver) -> object:
    """What a driver's quantity is, where it is one by itself."""
    return case.model.definition(e.quantity) if e.quantity.op == "symbol" else None


def _just_before(case: Case, time: float) -> np.ndarray | None:
    """The coordinates a hair before the motion stops; links then are in line but for the root of that hair."""
    before = time - HAIR * (time - case.t)
    end = ask(kinematics, case.model, t_eval=[before], t_start=case.t, rates=False).found
    if end is None:
        return None
    q = case.q.copy()
    names = ("x", "y", "angle") if case.model.dimension == 2 else ("x", "y", "z", "e0", "e1", "e2", "e3")
    for body, (at, _) in case.machine.system.coordinates.body_slices().items():
        q[at] = [end[f"{body}.{c}"][-1] for c in names]
    return q


def _candidates(case: Case, error: SingularityError, found: Finding) -> Iterator[Fix]:
    """A motion that ends before the dead point; something else that is driven, as fast."""
    for name in found.elements:
        e = case.model.elements.get(name)
        if not isinstance(e, Driver) or error.time is None:
            continue
        start = case.machine.driver_value(e, case.t)
        reach = SHORT * (case.machine.driver_value(e, error.time) - start)
        yield Fix(
            f"let {name} go to {start + reach:.6g} at most and back",
            (Put(name, "motion", _there_and_back(start, reach, error.time - case.t, case.t)),),
        )
        slower = scaled_motion(case, e.motion, 0.5, start)
        if slower is not None:
            yield Fix(f"let {name} go half as far", (Put(name, "motion", slower),))
        for other in [x for x in good_drivers(case.machine, case.q, case.t) if x != str(e.quantity)][:CHOICES]:
            value = float(f"{case.values([other])[0]:.12g}")
            to, moved = Put(name, "quantity", case.formula(other)), shifted(case, e.motion, value - start)
            yield Fix(f"let {name} drive {other}", (to, Put(name, "motion", value + TIME)))
            yield Fix(f"let {name} drive {other} as it does now", (to, Put(name, "motion", moved)))


def _there_and_back(start: float, reach: float, period: float, t: float) -> str:
    """Harmonic: from the start out and back, half a turn of the sine in twice the time it took."""
    return f"{start:.12g} + {reach:.12g}*sin({np.pi / (4 * period):.12g}*(t - {t:.12g}))"
