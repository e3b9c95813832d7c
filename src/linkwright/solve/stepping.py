"""What all integrators share: registers, outcomes, norms, the calls of the user's functions, the first step.

A method is three native functions, `begin`, `step` and `interpolate`, of one record, `Ode`:

    f, jac, project     the problem: y' = f(t, y), df/dy, and the projection of y onto what it must satisfy
    g                   the functions of events
    ins                 the inputs of all of them: t, y, and parameters
    outs, jouts, ...    where they put their results: y' first, df/dy by rows, the projected y, values of events
    n, y                the state at the end of the last accepted step
    tol                 atol (n), rtol (n), weight (n): the error is measured where the weight is positive; cap (n): so much
                        of |y| counts at most
    real, count         registers, numbered below
    coef                constants of the method
    work, pivots        its memory; the first 3 n numbers are y before the step and the corrections of the interpolant

`step` takes one accepted step or returns why there is none.
"""

from __future__ import annotations

from typing import NamedTuple

from linkwright.compile import Array, Code, Ints, Pointers, copy, f64, i64, isfinite, native, power, seldom, sqrt

# Registers of `real`.
T, H, T_END, MAX_STEP, T_OLD, H_LAST, T_SHOWN, ERROR_OLD, H_OLD = 0, 1, 2, 3, 4, 5, 6, 7, 8
SAFETY, LEAST, MOST, BETA, T_START, OPTION, SPAN = 9, 10, 11, 12, 13, 14, 15
WATCHED, PART, LOOK = 24, 25, 26  # of events: how far the last step is watched, by which part of it next, and its time
T_FROM, T_STEP = 27, 28  # where the piece of the last step begins that is told next; the end of the step of an event
H_WHOLE = 29  # the last step, where it was taken again to end at an event, as it was before; else zero
REALS = 30  # 16 to 23: the method's own

# Registers of `count`.
NFEV, NJEV, NLU, STEPS, REJECTED, ORDER, STIFF, STARTED, PROJECTS = 0, 1, 2, 3, 4, 5, 6, 7, 8
READY, PREPARED, ENDED, BUDGET, STAGES, ERROR_ORDER, JACOBIAN = 9, 10, 11, 12, 13, 14, 15
NEXT, WANTED, ROWS, WRITTEN, EVERY, DENSE, DENSE_ROWS, DENSE_WRITTEN = 16, 17, 18, 19, 20, 21, 22, 23
EVENTS, EVENT_ROWS, EVENT_WRITTEN, UNSURE, SIZE_Q, SIZE_V, SIZE_LAM, FIXED = 24, 25, 26, 27, 28, 29, 30, 31
# Of events: whether the last step is watched in part only, how often it was looked at, how often it may be.
WITHIN, LOOKS, ALLOWED = 45, 46, 47
ROUNDED = 48  # steps in which rounding was more than the tolerances
# Times after which the next end of a step is shown, and which of them is next: after the wanted ones, in the same array.
GLANCES, NEXT_GLANCE = 49, 50
GOES_ON = 51  # whether the last event has changed nothing: the step in which it was is not over
COUNTS = 52  # 32 to 44: the method's own

# Outcomes. Negative: the integration cannot go on from (real[T], y).
FINE, FINISHED, EVENT, FULL = 0, 1, 2, 3
UNDERFLOW, NOT_FINITE, NO_CONVERGENCE, SINGULAR, PROJECTION = -1, -2, -3, -4, -5

EPSILON = 2.220446049250313e-16
# Errors below this part of the tolerances count as so much, for the length of the next step: of short steps they are
# rounding, and steps that follow rounding are others for every last digit, and on every computer.
LEAST_ERROR = 1e-4


class Ode(NamedTuple):
    """The problem, and the memory of a method: what all native functions of integrators take."""

    f: Code
    jac: Code
    project: Code
    g: Code
    ins: Pointers
    outs: Pointers
    jouts: Pointers
    pouts: Pointers
    gouts: Pointers
    n: i64
    y: Array
    tol: Array
    real: Array
    count: Ints  # type: ignore[assignment]  # in place of the method of tuples
    coef: Array
    work: Array
    pivots: Ints


@native
def evaluate(ode: Ode, t: f64, y: Array, k: Array) -> i64:
    """k = f(t, y); whether all of it is finite."""
    ode.ins[0][0] = t
    copy(ode.n, y, ode.ins[1])
    ode.f(ode.ins, ode.outs)
    ode.count[NFEV] += 1
    total = 0.0
    for i in range(ode.n):
        k[i] = ode.outs[0][i]
        total += abs(k[i])
    return isfinite(total)


@native
def settle(ode: Ode, t: f64, y: Array) -> i64:
    """y projected, where there is a projection; whether all of it is finite."""
    if ode.count[PROJECTS] == 0:
        return 1
    ode.ins[0][0] = t
    copy(ode.n, y, ode.ins[1])
    ode.project(ode.ins, ode.pouts)
    total = 0.0
    for i in range(ode.n):
        y[i] = ode.pouts[0][i]
        total += abs(y[i])
    return isfinite(total)


@native
def scale_of(n: i64, i: i64, size: f64, tol: Array) -> f64:
    """The size by which the error of the i-th number, now of this size, is measured: atol + rtol min(size, cap)."""
    return max(tol[i] + tol[n + i] * min(size, tol[3 * n + i]), 1e-300)  # type: ignore[no-any-return]


@native
def error_norm(n: i64, e: Array, y: Array, z: Array, tol: Array) -> f64:
    """Weighted root mean square of e by the scale of max(|y|, |z|)."""
    total = 0.0
    weight = 0.0
    for i in range(n):
        w = tol[2 * n + i]
        if w > 0.0:
            total += w * (e[i] / scale_of(n, i, max(abs(y[i]), abs(z[i])), tol)) ** 2
            weight += w
    return sqrt(total / max(weight, 1e-300))


@native
def least_step(real: Array) -> f64:
    """A step below this no longer moves the time: the integration cannot go on. The last one may be as short as it is: an
    event may lie a few roundings before the end."""
    least = 10.0 * EPSILON * abs(real[T]) + 1e-26 * abs(real[SPAN])
    return min(least, abs(real[T_END] - real[T]))  # type: ignore[no-any-return]


@native
def clip_step(h: f64, real: Array) -> f64:
    """The step at hand: not above max_step, not past the end, and the end itself where a sliver would be left."""
    size = min(abs(h), real[MAX_STEP])
    left = real[T_END] - real[T]
    if 1.01 * size >= abs(left) and abs(left) <= (1.0 + 1e-9) * real[MAX_STEP]:
        return left  # type: ignore[no-any-return]
    return size if left > 0.0 else -size  # type: ignore[no-any-return]


@native
def moved(real: Array, h: f64) -> f64:
    """The time after a step, exactly the end for the last one."""
    return real[T_END] if h == real[T_END] - real[T] else real[T] + h  # type: ignore[no-any-return]


@native
def accept(n: i64, y: Array, new: Array, t: f64, h: f64, real: Array, count: Ints, work: Array) -> None:
    """The new state becomes the state; the old one stays for the interpolant."""
    for i in range(n):
        work[i] = y[i]
        y[i] = new[i]
    real[T_OLD] = real[T]
    real[H_LAST] = h
    real[H_WHOLE] = 0.0
    real[T] = t
    count[STEPS] += 1
    count[READY] = 0


@seldom
def first_step(ode: Ode, f0: Array, spare: Array) -> f64:
    """The length of a first step: its error of the estimate's order, from y' and y'', is about a hundredth.

    Hairer, Norsett, Wanner I, II.4. Their bound by the sizes of y and y' says little where velocities are small: after an
    event the length of the last step tells more. `spare`: 2 n numbers.
    """
    n = ode.n
    y1 = spare[0:]
    f1 = spare[n:]
    span = abs(ode.real[T_END] - ode.real[T])
    direction = 1.0 if ode.real[T_END] > ode.real[T] else -1.0
    d0 = error_norm(n, ode.y, ode.y, ode.y, ode.tol)
    d1 = error_norm(n, f0, ode.y, ode.y, ode.tol)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h0 = min(h0, span)
    for i in range(n):
        y1[i] = ode.y[i] + h0 * direction * f0[i]
    d2 = 0.0
    if evaluate(ode, ode.real[T] + h0 * direction, y1, f1):
        for i in range(n):
            f1[i] -= f0[i]
        d2 = error_norm(n, f1, ode.y, ode.y, ode.tol) / h0
    else:
        h0 *= 0.01
    h1 = max(1e-6, h0 * 1e-3)
    if d1 > 1e-15 or d2 > 1e-15:
        h1 = power(0.01 / max(d1, d2), 1.0 / (ode.count[ERROR_ORDER] + 1))
    bound = max(100.0 * h0, max(abs(ode.real[H_LAST]), abs(ode.real[H_WHOLE])))
    return min(min(bound, h1), min(span, ode.real[MAX_STEP]))  # type: ignore[no-any-return]


@native
def hermite(n: i64, theta: f64, h: f64, y0: Array, f0: Array, y1: Array, f1: Array, result: Array) -> None:
    """The cubic through both ends with their derivatives."""
    a = theta * theta * (3.0 - 2.0 * theta)
    b = h * theta * (1.0 - theta) * (1.0 - theta)
    c = h * theta * theta * (theta - 1.0)
    for i in range(n):
        result[i] = y0[i] + a * (y1[i] - y0[i]) + b * f0[i] + c * f1[i]
