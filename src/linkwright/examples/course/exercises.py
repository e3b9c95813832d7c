"""The exercises of the course, a function each: it takes an answer and says what to think of it.

Right answers are computed, in closed form or by running the machine, never stored.
"""

from __future__ import annotations

from functools import cache
from math import asin, cos, pi, radians, sin, sqrt
from numbers import Real
from typing import Any

import numpy as np

from linkwright.examples.course.verdict import Verdict, numbers, right, wrong
from linkwright.examples.entry import Example
from linkwright.examples.listed import PLANAR, SPATIAL

_READY = {e.name: e for e in (*PLANAR, *SPATIAL)}


def _ready(name: str) -> Any:
    chosen: Example = _READY[name]
    return chosen.load()


def _between(given: Any, low: float, high: float) -> float | None:
    """A number in this range."""
    return float(given) if isinstance(given, Real) and low < float(given) < high else None


def counted(given: Any) -> Verdict:
    """1: coordinates, equations and degrees of freedom of a four-bar in the plane: three moving bodies, four pins."""
    because = "Three bodies have 9 coordinates, four pins 8 equations: one motion is left."
    if np.shape(given) == (3,) and tuple(given) == (12, 11, 1):
        return right("So the book counts, with ground as a body that three equations hold; here ground is not counted.")
    traps = [
        ((9, 4, 5), "A pin in the plane is two equations: x and y of its point agree on both bodies."),
        ((9, 8, 0), "9 - 8 is not 0: a driver, which would take the last one, is not there."),
        ((18, 20, -2), "That is in space, where a body has six coordinates and a hinge five equations."),
    ]
    return numbers(given, (9, 8, 1), because, traps, close=1e-9)


def placed(given: Any) -> Verdict:
    """2: where the point s' = (1, 0.5) of a body at r = (2, 1), turned by 30 degrees, is in ground."""
    c, s = cos(pi / 6), sin(pi / 6)
    expected = (2 + c - 0.5 * s, 1 + s + 0.5 * c)
    traps = [
        ((3, 1.5), "That is r + s': s' is in axes of the body, and these are turned."),
        ((2 + c + 0.5 * s, 1 - s + 0.5 * c), "A is transposed: its columns are the body's axes in ground."),
        ((c - 0.5 * s, s + 0.5 * c), "That is A s', the way from the body's origin; the origin is at r."),
        ((2 + cos(30) - 0.5 * sin(30), 1 + sin(30) + 0.5 * cos(30)), "cos and sin take radians: 30 degrees are pi/6."),
    ]
    return numbers(given, expected, "r + A s', with the columns of A the body's axes.", traps)


def built(given: Any) -> Verdict:
    """3: a four-bar as a model: three moving bodies, joints that leave one motion."""
    import linkwright as lw

    if not isinstance(given, lw.PlanarModel):
        return wrong(f"The answer is a planar model, not {type(given).__name__}: m = lw.PlanarModel(...), then check(3, m).")
    bodies = [b for b in given.bodies.values() if not b.is_ground]
    if len(bodies) != 3:
        return wrong(f"A four-bar has three moving bodies, ground being the fourth bar; here are {len(bodies)}.")
    report = lw.check(given)
    if not report.ok:
        return wrong(f"lw.check says: {report.findings[0].text}; {report.findings[0].remedy}")
    if report.redundant_count:
        return wrong(f"Some equations say the same twice: {', '.join(report.redundant[0])}. Is a joint there twice?")
    mobility = report.dof + report.drivers
    if mobility > 1:
        return wrong(f"It has {mobility} degrees of freedom: {_more(mobility - 1)} Every bar is pinned at both ends.")
    if mobility < 1:
        return wrong("It cannot move: there is a joint too many.")
    return right("Nine coordinates, eight equations, one motion: it is a four-bar.")


def _more(count: int) -> str:
    return "a pin is missing, which would take two." if count == 2 else f"{count} equations are missing."


def locked(given: Any) -> Verdict:
    """4: when the slider-crank of section 5.2 locks up with a rod of 1.8 m, in seconds."""
    r, l = 2.0, 1.8  # noqa: E741
    expected = (asin(l / r) - pi / 4) / (2 * pi)
    traps = [
        (asin(l / r) / (2 * pi), "At t = 0 the crank is at pi/4 already."),
        (asin(l / r), "That is the crank's angle; it turns at 2 pi rad/s, from pi/4."),
        (asin(l / r) - pi / 4, "That is how far the crank turns; it does so at 2 pi rad/s."),
        ((asin(1.9 / r) - pi / 4) / (2 * pi), "That is for the book's rod of 1.9; here it is 1.8."),
    ]
    return numbers(given, expected, "The rod stands upright under the crank's tip: sin(phi) = l/r.", traps, close=5e-3)


def stroke(given: Any) -> Verdict:
    """5: the crank of the quick-return with which the ram travels 5 m."""
    import linkwright as lw

    r = _between(given, 0, 2)
    if r is None:
        return wrong("The answer is a length between 0 and 2 m, where the crank's pin would reach the rocker's pivot.")
    m = _ready("quick-return")
    m.set(r=r)
    travel = float(np.ptp(lw.kinematics(m, t_end=1.0, steps=400)["ram.x"]))
    said = f"With r = {given:g} the ram travels {travel:.3f} m"
    if abs(travel - 5) > 0.01:
        return wrong(f"{said}: the crank is too {'long' if travel > 5 else 'short'}.")
    return right(f"{said}, within a centimetre.")


def pulled(given: Any) -> Verdict:
    """6: the force of the pin on a bar of 2 kg at the lowest point, let go from the horizontal, in N."""
    weight = 2 * 9.81
    traps = [
        (weight, "That is its weight: it also goes round, and must be pulled to the centre."),
        (3 * weight, "That is for a point mass at the end of a string; half of a bar's energy or so goes into turning."),
        (1.5 * weight, "That pulls it round; its weight comes on top."),
        (2 * weight, "The bar's moment about the pin is m L^2/3, not m L^2/4: it turns about its own centre, too."),
    ]
    because = "omega^2 = 3 g/L at the bottom, so m omega^2 L/2 = 1.5 m g, and the weight: 2.5 m g."
    return numbers(given, 2.5 * weight, because, traps)


def order(given: Any) -> Verdict:
    """7: by which factor the error of the fourth-order Runge-Kutta method falls when its step is halved."""
    traps = [
        (2, "That is for Euler's method, whose error goes with the step itself."),
        (4, "That is for a method of second order."),
        (8, "That is for a method of third order."),
        (32, "That is the error of one step; there are twice as many of them."),
    ]
    return numbers(given, 16, "The error goes with the fourth power of the step.", traps, close=0.25)


def flywheel(given: Any) -> Verdict:
    """8: the lightest flywheel with which the compressor of section 8.2 gets through a turn, within 3 per cent."""
    J = _between(given, 10, 1e5)
    if J is None:
        return wrong("The answer is a moment of inertia in kg m^2; the book tries 225, 450 and 900.")
    stalls = _stalls(J)
    if stalls is not None:
        return wrong(f"With {given:g} kg m^2 the crank stops after {stalls:.4f} s: it must be heavier.")
    if _stalls(0.97 * J) is None:
        return wrong(f"It runs with {given:g} kg m^2, but so it does with {0.97 * J:.1f}: lighter will do.")
    return right(f"It gets through with {given:g} kg m^2, and stalls with {0.97 * J:.1f}.")


def _stalls(J: float) -> float | None:
    """When the crank stops within the first turn, if it does."""
    import linkwright as lw

    m = _ready("flywheel")
    m.set(J=J)
    watched = {"stall": lw.Watch(m["crank"].omega, -1, stop=True), "turn": lw.Watch(m["A"].angle - 3 * pi, 1, stop=True)}
    t, name = lw.dynamics(m, t_end=0.5, steps=2, events=watched).events[-1]
    return t if name == "stall" else None


def turned(given: Any) -> Verdict:
    """9: Euler parameters e0 ... e3 of a turn by 120 degrees about (1, 1, 1)."""
    expected, half = np.full(4, 0.5), radians(60)
    if np.shape(given) == (4,) and np.allclose(np.asarray(given, dtype=float), -expected, atol=1e-3):
        return right("p and -p are the same attitude; the book takes e0 > 0.")
    traps: list[tuple[Any, str]] = [
        ((cos(half), *[sin(half)] * 3), "The axis must be a unit vector: (1, 1, 1) is sqrt(3) long."),
        ((cos(2 * half), *[sin(2 * half) / sqrt(3)] * 3), "Euler parameters have half the angle: cos(60 deg), sin(60 deg)."),
    ]
    size = float(np.linalg.norm(np.asarray(given, dtype=float))) if np.shape(given) == (4,) else 1.0
    if abs(size - 1) > 1e-2 and not any(np.allclose(np.asarray(given, dtype=float), t, atol=1e-3) for t, _ in traps):
        return wrong(f"Their squares must add up to 1; these add up to {size**2:.3f}.")
    because = "cos(60 deg) = 1/2, and sin(60 deg) times 1/sqrt(3) is 1/2 as well: x becomes y, y becomes z, z becomes x."
    return numbers(given, expected, because, traps)


def shortest(given: Any) -> Verdict:
    """10: the shortest rod with which the crank of the spatial slider-crank turns, in m."""
    away = sqrt(0.1**2 + 0.12**2)
    traps = [
        (away, "That is how far the crank's pivot is from the slider's line; the pin goes round it on 0.08 m."),
        (away - 0.08, "That is where the pin comes nearest to the slider's line; it also goes farthest away."),
        (0.1 + 0.08, "The pivot is 0.1 to the side and 0.12 above: both count."),
        (0.3, "That is the book's first rod; it can be shorter."),
    ]
    because = "The rod must reach from the slider's line to the crank's pin where that is farthest: 0.08 + sqrt(0.0244)."
    return numbers(given, away + 0.08, because, traps)


def precession(given: Any) -> Verdict:
    """11: how fast a wheel of 2 kg, J = 0.02 kg m^2, at 100 rad/s on an axle 0.15 m from its post goes round, in rad/s."""
    expected = 2 * 9.81 * 0.15 / (0.02 * 100)
    traps = [
        (1 / expected, "Upside down: it goes round faster the slower it spins."),
        (2 * 9.81 / (0.02 * 100), "The moment of the weight has an arm: 0.15 m."),
        (0.15 * 2 / (0.02 * 100), "A mass is no weight: g is missing."),
        (2 * 9.81 * 0.15 / 0.02, "The angular momentum is J omega."),
    ]
    because = "The moment m g l turns the angular momentum J omega round: Omega = m g l/(J omega)."
    return numbers(given, expected, because, traps)


def gain(given: Any) -> Verdict:
    """12: the feedback, in N m/m, from which the governor of section 12.6 hunts, within 3 per cent."""
    C = _between(given, 100, 1e6)
    if C is None:
        return wrong("The answer is a gain in N m/m; the book tries 7500, 12500 and 17500.")
    slower, faster = _growth(0.97 * C), _growth(1.03 * C)
    if slower > 0:
        return wrong(f"With {0.97 * C:.0f} N m/m swings grow by exp({slower:.3f} t) already: the limit is lower.")
    if faster < 0:
        return wrong(f"With {1.03 * C:.0f} N m/m swings still die out, by exp({faster:.3f} t): the limit is higher.")
    return right(f"Below {given:g} N m/m swings die out, above it they grow.")


@cache
def _steady() -> tuple[Any, Any]:
    """The governor in its steady motion, which the gain does not change: without load there is no feedback."""
    import linkwright as lw
    from linkwright.examples import governor

    m = governor.machine()
    return m, lw.steady(m, {m["slide"].displacement: -0.15})


def _growth(C: float) -> float:
    """Of the swinging motion of the governor about its steady speed: the real part of its eigenvalue."""
    import linkwright as lw

    m, motion = _steady()
    m.set(C=C)
    return max(float(e.real) for e in lw.linearize(m, motion).eigenvalues if abs(e.imag) > 1)


EXERCISES = (counted, placed, built, locked, stroke, pulled, order, flywheel, turned, shortest, precession, gain)
