"""Laws of forces, as functions of scalars: springs, contacts, friction.

A law says how large a force is; where and in which direction it acts follows from virtual work, see
`linkwright.system.forces`.
"""

from __future__ import annotations

import numpy as np

from linkwright.equations.rotations import Vector, dot
from linkwright.graph import Scalar, exp, maximum, power, sqrt, tanh, where

# -- a force between two points ------------------------------------------------------------------------------------------


def length_and_direction(d: Vector, ddot: Vector) -> tuple[Scalar, Scalar, np.ndarray]:
    """l = |d|, its rate, and the direction u = d/l from one point to the other (Haug 6.2.6-9, 11.4.2-5).

    Where the points meet (l = 0) the direction is that of the motion, ddot/|ddot|, and zero where that vanishes too.
    """
    square, speed2 = dot(d, d), dot(ddot, ddot)
    apart, moving = square > 0.0, speed2 > 0.0
    length: Scalar = sqrt(where(apart, square, 0.0))
    over = 1.0 / sqrt(where(apart, square, 1.0))
    speed = sqrt(where(moving, speed2, 1.0))
    u = np.array([where(apart, x * over, where(moving, y / speed, 0.0)) for x, y in zip(d, ddot, strict=True)], dtype=object)
    return length, dot(u, ddot), u


# -- contact -------------------------------------------------------------------------------------------------------------


def contact(law: str, depth: Scalar, rate: Scalar, k: Scalar, c: Scalar, exponent: Scalar) -> Scalar:
    """The pressing force of two bodies that overlap by `depth` [m], deepening at `rate`; never negative.

    "linear": k d + c d'; "hertz": k d^n + c d'; "hunt-crossley": (k + c d') d^n.
    """
    touching = depth > 0.0
    d = maximum(depth, 0.0)
    if law == "linear":
        force = k * d + c * rate
    elif law == "hertz":
        force = k * power(d, exponent) + c * rate
    elif law == "hunt-crossley":
        force = (k + c * rate) * power(d, exponent)
    else:
        raise KeyError(law)
    # apart the damper's part tells nothing: within `maximum` it would be a kink that rounding crosses where nothing moves
    result: Scalar = where(touching, maximum(where(touching, force, 1.0), 0.0), 0.0)
    return result


def contact_elastic(law: str, depth: Scalar, k: Scalar, exponent: Scalar) -> Scalar:
    """The part of `contact` that is stored, the slope of `contact_energy`.

    Within a step that passes the end of the contact it goes on smoothly, if `depth > 0` is held as it was.
    """
    force = k * depth if law == "linear" else k * power(maximum(depth, 0.0), exponent)
    result: Scalar = where(depth > 0.0, force, 0.0)
    return result


def hysteresis(restitution: Scalar, speed: Scalar) -> Scalar:
    """c/k of Hunt and Crossley's law by Lankarani and Nikravesh (1990): 3 (1 - e^2)/4 over the speed of impact.

    Meant for e near one: with a = 3 (1 - e^2)/4 bodies part at the fraction b/a of the speed of impact for which
    a - ln(1 + a) = -b - ln(1 - b). No damping before an impact was seen.
    """
    known = speed > 0.0
    out: Scalar = where(known, 0.75 * (1.0 - restitution * restitution) / where(known, speed, 1.0), 0.0)
    return out


def contact_energy(law: str, depth: Scalar, k: Scalar, exponent: Scalar) -> Scalar:
    """What the elastic part of `contact` stores."""
    d = where(depth > 0.0, depth, 0.0)
    n = 1.0 if law == "linear" else exponent
    return k * power(d, n + 1.0) / (n + 1.0)  # type: ignore[no-any-return]


# -- friction ------------------------------------------------------------------------------------------------------------


def friction(speed: Scalar, N: Scalar, mu: Scalar, mu_static: Scalar, level: Scalar, viscous: Scalar, v_t: Scalar) -> Scalar:
    """The force against a sliding `speed` under the pressing force N: Coulomb with a bump at small speeds, and viscous.

        (mu + (mu_s - mu) exp(-(v/(10 v_t))^2)) N tanh(v/v_t) + level tanh(v/v_t) + viscous v

    Rest is approximated: a load that is the part p < 1 of the friction at rest creeps at about v_t artanh(p).
    """
    ratio = speed / v_t
    coefficient = mu + (mu_static - mu) * exp(-(ratio * ratio) / 100.0)
    return (coefficient * N + level) * tanh(ratio) + viscous * speed  # type: ignore[no-any-return]


def drag(square: Scalar, N: Scalar, mu: Scalar, mu_static: Scalar, level: Scalar, viscous: Scalar, v_t: Scalar) -> Scalar:
    """`friction` over the speed, from the square of the speed: against a velocity vector v acts the force -drag v.

    Regular at rest, where it is (mu_s N + level)/v_t + viscous.
    """
    moving = square > 0.0
    speed = sqrt(where(moving, square, 1.0))
    at_rest = (mu_static * N + level) / v_t + viscous
    out: Scalar = where(moving, friction(speed, N, mu, mu_static, level, viscous, v_t) / speed, at_rest)
    return out
