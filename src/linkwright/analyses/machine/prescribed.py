"""Motions that drivers and constraints prescribe as functions of time: whether they are possible, told before the machine
moves."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from linkwright.analyses.machine.times import merged
from linkwright.bounds import LARGEST, trouble
from linkwright.errors import ModelError
from linkwright.graph import Scalar, along, evaluate
from linkwright.model import CD, DP1, DP2, PID, TIME, Constraint, D, Driver, Element
from linkwright.model.quantities import DistanceBetween
from linkwright.system.constraints import Traced
from linkwright.system.geometry import Geometry
from linkwright.system.reactions import effort_name

_FIELD = {Driver: "motion", Constraint: "value", DP1: "f", DP2: "f", D: "f", CD: "f"}
MOST = 20_000  # times at which it is asked: some milliseconds
LOOKED, HALVED = 200, 40  # places where a motion may jump, and how often the time around them is halved
BESIDE = 1e-9  # of the span: so far from a corner speeds are told
_WORDS = ("", "the first derivative of ", "the second derivative of ")


def prescribed(geometry: Geometry) -> Iterator[tuple[Element, Scalar]]:
    """The elements that follow a function of time, and the function."""
    for e in geometry.model.elements.values():
        if follows_time(e):
            yield e, Traced(geometry).motion(getattr(e, _FIELD[type(e)]))


def targets(geometry: Geometry) -> Iterator[tuple[Element, Scalar]]:
    """The controllers whose target is a function of time, and the function. It may jump, as no prescribed motion may."""
    for e in geometry.model.elements.values():
        if isinstance(e, PID) and not isinstance(e.target, float):
            yield e, Traced(geometry).motion(e.target)


def follows_time(e: Element) -> bool:
    return not isinstance(getattr(e, _FIELD.get(type(e), ""), 0.0), float)


def values(geometry: Geometry, functions: list[Scalar], times: np.ndarray) -> np.ndarray:
    """A row a function, a column a time; not finite where a function has no value."""
    with np.errstate(all="ignore"):
        found = evaluate(functions, {TIME: times, **geometry.model.parameter_values()})
    return np.array([np.broadcast_to(np.asarray(x, dtype=float), times.shape) for x in found])


def check_finite(geometry: Geometry, times: np.ndarray, derivatives: int = 0) -> None:
    """ModelError where a prescribed function, or one of its derivatives, has no value that can be calculated with."""
    for e, f in prescribed(geometry):
        parts = [f]
        for _ in range(derivatives):
            parts.append(along([parts[-1]], {TIME: 1.0})[0])
        found = values(geometry, parts, times)
        finite = np.abs(found) <= LARGEST
        if not finite.all():
            k = int(np.argmin(finite.all(axis=0)))
            row = int(np.argmin(finite[:, k]))
            wrong = trouble(found[row, k]) if np.isfinite(found[row, k]) else "has no finite value"
            raise ModelError(
                f"{_WORDS[row]}the motion {wrong} at t = {times[k]:.6g}",
                element=e.name,
                remedy="end before, or prescribe a motion that is smooth there",
            )


def speed_jumps(geometry: Geometry, t: float, later: float) -> list[str]:
    """The elements whose motion has a corner between two times that are all but one. ModelError where one jumps itself, or
    has no value: what a machine is asked for is at fault, not the machine."""
    check_finite(geometry, np.array([t, later]), derivatives=2)
    found = []
    for e, f in prescribed(geometry):
        v = along([f], {TIME: 1.0})
        (f0, f1), (v0, v1), a = values(geometry, [f, *v, *along(v, {TIME: 1.0})], np.array([t, later]))
        speed, change = max(abs(v0), abs(v1)), float(np.abs(a).max()) * (later - t)
        jumps = abs(f1 - f0) > 2 * speed * (later - t) + 1e-12 * max(abs(f0), abs(f1))
        if jumps or (np.sign(f0) * f1 < 0 < np.sign(f0) * v0 and abs(v0) * (later - t) > 0.5 * abs(f0)):  # or passes a pole
            raise _jump(e, t, f0, f1)
        if abs(v1 - v0) > max(1e-3 * speed, 10 * change):  # more than its acceleration explains
            found.append(e.name)
    return found


def _jump(e: Element, t: float, f0: float, f1: float) -> ModelError:
    return ModelError(
        f"the motion jumps at t = {t:.9g}, from {f0:.6g} to {f1:.6g}",
        element=e.name,
        remedy="prescribe a motion without jumps, such as Cycloid or ModifiedSine, or end before",
    )


def _check_continuous(geometry: Geometry, e: Element, f: Scalar, times: np.ndarray) -> None:
    """ModelError where f jumps, or passes a pole, between two of the times."""
    found = _first_jump(geometry, f, times)
    if found is not None:
        raise _jump(e, *found)


def _first_jump(geometry: Geometry, f: Scalar, times: np.ndarray) -> tuple[float, float, float] | None:
    """(t, f before, f after) where f jumps, or passes a pole, between two of the times: where it changes by more than its
    speed says, or its sign while it moves away from zero, the half that changes more is looked at again and again, until
    what is smooth has nothing left."""
    at, speed = values(geometry, [f, *along([f], {TIME: 1.0})], times)
    a, b = times[:-1], times[1:]
    change, usual = np.abs(np.diff(at)), np.maximum(np.abs(speed[:-1]), np.abs(speed[1:])) * (b - a)
    sign = np.sign(at)
    away = (sign[:-1] * sign[1:] < 0) & (sign[:-1] * speed[:-1] > 0)
    where = np.flatnonzero(away | ~(change <= 3 * usual + 1e-9 * np.abs(at).max()))[:LOOKED]  # speeds may have no value
    a, b, first = a[where], b[where], change[where]
    for _ in range(HALVED if len(where) else 0):
        c = 0.5 * (a + b)
        fa, fc, fb = values(geometry, [f], np.concatenate([a, c, b]))[0].reshape(3, -1)
        left = np.abs(fc - fa) > np.abs(fb - fc)
        a, b = np.where(left, a, c), np.where(left, c, b)
    if len(where):
        fa, fb = values(geometry, [f], np.concatenate([a, b]))[0].reshape(2, -1)
        jumps = np.flatnonzero(np.abs(fb - fa) > 0.1 * first)
        if len(jumps):
            k = int(jumps[0])
            return float(a[k]), float(fa[k]), float(fb[k])
    return None


def corners(geometry: Geometry, times: np.ndarray) -> Iterator[tuple[str, str]]:
    """(name, what) of prescribed motions whose speed jumps within the times: no finite force makes a mass do that."""
    if len(times) < 2:
        return
    for e, f in prescribed(geometry):
        if isinstance(e, Constraint) and geometry.model.order(e.quantity):
            continue  # what it prescribes is a speed, and `check_prescribed` has looked at that
        speed = along([f], {TIME: 1.0})[0]
        found = _first_jump(geometry, speed, _looks(times))
        if found is not None:
            t = found[0]
            beside = BESIDE * (times[-1] - times[0])  # at the corner itself abs and max have a slope between
            before, after = values(geometry, [speed], np.array([t - beside, t + beside]))[0]
            yield e.name, f"its prescribed speed jumps at t = {t:.9g}, from {before:.6g} to {after:.6g}"


def refuse_corners(geometry: Geometry, times: np.ndarray) -> None:
    """ModelError where forces are asked to follow a motion whose speed jumps."""
    for name, what in corners(geometry, times):
        raise ModelError(
            f"{what}: no finite force does that", element=name,
            remedy="prescribe a motion with a continuous speed, such as Cycloid or ModifiedSine, or end before; "
            "`kinematics` follows it",
        )  # fmt: skip


def _looks(times: np.ndarray) -> np.ndarray:
    """The times at which motions are looked at: closer than the output."""
    return np.linspace(times[0], times[-1], 1 + min(4 * max(len(times), 250), MOST))


def check_prescribed(geometry: Geometry, times: np.ndarray) -> None:
    """ModelError where a motion has no value or jumps, or a driven distance does not stay positive: at zero its equation has
    no derivative (Haug 3.5.8). Speeds and accelerations are asked for at the start; later the run itself meets them."""
    if not any(map(follows_time, geometry.model.elements.values())):
        return
    check_finite(geometry, times[:1], derivatives=2)
    fine = _looks(times) if len(times) > 1 else times
    check_finite(geometry, fine)
    for e, f in prescribed(geometry):
        _check_continuous(geometry, e, f, fine)
        if _is_distance(geometry, e):
            driven = values(geometry, [f], fine)[0]
            if driven.min() <= 0:
                k = int(np.argmax(driven <= 0))
                raise ModelError(
                    f"the driven distance reaches {driven[k]:.3g} at t = {fine[k]:.6g}",
                    element=e.name,
                    remedy="a distance must stay positive: drive a displacement or a coordinate instead",
                )


def _is_distance(geometry: Geometry, e: Element) -> bool:
    if isinstance(e, Driver) and e.quantity.op == "symbol":
        return isinstance(geometry.model.definition(e.quantity), DistanceBetween)
    return isinstance(e, D)


# Motions that turn many times between two outputs: how often, told before a machine follows every turn of them.

NOTED = 10  # turns between two outputs that are worth a word: what is seen at such times is no motion any more
# Turns between two outputs that are an error: of a motion that is to be shown, and of one whose last state may be all that
# is wanted. Each takes about 0.1 ms, of a small machine.
SHOWN, SIMULATED = 1_000, 100_000
LOOKS = 2_000  # times at which motions are asked, at least


def check_turns(geometry: Geometry, times: np.ndarray, most: int = SHOWN) -> list[str]:
    """Notes on motions that turn many times between two of the times; ModelError for more turns than `most`."""
    notes = []
    for e, f in prescribed(geometry):
        if (
            not isinstance(e, Driver | Constraint)
            or geometry.model.order(e.quantity)
            or effort_name(geometry.model, e) != "torque"
            or len(times) < 2
        ):
            continue
        fine = merged(times, np.linspace(times[0], times[-1], LOOKS))
        at, speed = values(geometry, [f, *along([f], {TIME: 1.0})], fine)
        mean = 0.5 * np.abs(speed[1:] + speed[:-1]) * np.diff(fine)
        way = np.concatenate([[0.0], np.cumsum(np.fmax(np.abs(np.diff(at)), mean))])
        turns = np.diff(way[np.searchsorted(fine, times)]) / (2 * np.pi)
        k = int(np.argmax(turns >= (1 - 1e-6) * turns.max()))  # of like ones the first
        if not turns[k] > NOTED:
            continue
        text = f"turns {turns[k]:.3g} times between the outputs at t = {times[k]:.6g} and {times[k + 1]:.6g}"
        if turns[k] > most:
            raise ModelError(
                f"it {text}: every turn is followed", element=e.name,
                remedy="check its units: angles are in radians, 2*pi*t is a turn a second; or give outputs that are closer",
            )  # fmt: skip
        if turns[k] > SHOWN:
            warnings.warn(f"{e.name} {text}; every turn is followed, which takes its time", stacklevel=4)
        notes.append(f"{e.name} {text}")
    return notes
