"""Runs y' = f(t, y, b) differentiated backward: covectors of the state taken from the end of each step to its beginning.

A step of a Runge-Kutta method, transposed, is

    l_i = h (b_i mu + sum_(j > i) a_ji m_j),    m_i = l_i . f_y(Y_i),    mu_0 = mu + sum_i m_i,    g += sum_i l_i . f_b(Y_i)

with the stages Y_i of the step, made anew from its first state: nothing but these states is kept of a run. It costs the same
for any number of b. Steps are taken by two methods, of orders 8 and 5, and in halves where these differ: what covectors ask
for, the run itself may never have looked at. Where they have just been found to differ little, the next steps are taken by
one of them alone, of order 5 where it is as good, as long as covectors do not change faster over a step than they did.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwright.compile import Array, Code, Pointers, copy, f64, i64, native, outlined, power
from linkwright.solve import tableaus
from linkwright.solve.runge_kutta import weighted

MU = 6  # where the covector is among the inputs
# Registers: the difference that is allowed, and the error; the smallest health met; the last difference, by the sixth power
# of its step; steps since; how many parts steps were taken in; the change of covectors over a part, relative, and that of
# the parts which differed so; the last difference.
TOLERANCE, ERROR, HEALTH, LAST, SINCE, PARTS, RATE, LAST_RATE, DIFFERED = range(9)
REGISTERS = 9
ALIKE = 16  # parts of one length that a step is divided in, at most; where that is not enough parts are divided again, down
MOST, HALVES = 1024, 2  # to so much of a step
WAITING = ALIKE + 16  # parts at most
LOOKS = 3  # steps that may be taken by one method alone, one after the other
AIM, LITTLE = 0.5, 0.05  # of what is allowed: aimed at; so that it need not be looked at in the next step
ROUNDING = 1e-16  # a difference that is less says nothing of longer steps
BOTH, HIGH, LOW = 0, 1, 2
STAGES, CHECKING = tableaus.DOP853_STAGES, tableaus.DOPRI5_STAGES


class Motion(NamedTuple):
    """f: y'; rates: covectors of y' as those of y and b, and a health; project: covectors without what says nothing of
    states that hold. n, m, number: of y, of b, of covectors. size: of the numbers of y, of velocities what they change in a
    step; fast: 1 for these, else 0. coef: see `coefficients`."""

    f: Code
    rates: Code
    project: Code
    ins: Pointers
    outs: Pointers
    routs: Pointers
    pouts: Pointers
    n: i64
    m: i64
    number: i64
    size: Array
    fast: Array
    coef: Array
    real: Array
    work: Array


def coefficients() -> np.ndarray:
    """C, A, B and A transposed, of both methods; then ones."""
    parts = []
    for found, s in ((tableaus.dop853(), STAGES), (tableaus.dopri5(), CHECKING)):
        A = found[s : s + s * s].reshape(s, s)
        parts += [found[: 2 * s + s * s], A.T.ravel()]
    return np.concatenate([*parts, np.ones(STAGES)])


def room(n: int, m: int, number: int) -> int:
    """The size of `work`."""
    return n * (3 * STAGES + 2 * CHECKING + WAITING + 2 + 2 * number) + m * (2 + 2 * number) + 2 * WAITING


@native
def asked(p: Motion, t: f64, y: Array) -> None:
    p.ins[0][0] = t
    copy(p.n, y, p.ins[1])


@outlined
def stages(p: Motion, s: i64, coef: Array, t: f64, h: f64, y: Array, Y: Array, K: Array) -> None:
    """The states Y of the stages, and their rates."""
    for i in range(s):
        weighted(p.n, i, coef[s + i * s :], h, K, 1.0, y, Y[i * p.n :])
        asked(p, t + coef[i] * h, Y[i * p.n :])
        p.f(p.ins, p.outs)
        copy(p.n, p.outs[0], K[i * p.n :])


@native
def sized(p: Motion, h: f64, i: i64) -> f64:
    """The size by which a number of a covector is weighed."""
    return p.size[i] / abs(h) if p.fast[i] > 0.0 else p.size[i]  # type: ignore[no-any-return]


@outlined
def back(p: Motion, s: i64, coef: Array, t: f64, h: f64, Y: Array, Z: Array, mu: Array, out: Array, g: Array) -> None:
    """out: the covector mu at the beginning of the step; g: what it says of b."""
    n = p.n
    B = coef[s + s * s :]
    AT = coef[2 * s + s * s :]
    for j in range(p.m):
        g[j] = 0.0
    for i in range(s - 1, -1, -1):
        weighted(n, s - 1 - i, AT[i * s + i + 1 :], h, Z[(i + 1) * n :], h * B[i], mu, p.ins[MU])
        asked(p, t + coef[i] * h, Y[i * n :])
        p.rates(p.ins, p.routs)
        p.real[HEALTH] = min(p.real[HEALTH], p.routs[2][0])
        changed = 0.0
        most = 0.0
        for j in range(n):
            Z[i * n + j] = p.routs[0][j]
            changed = max(changed, sized(p, h, j) * abs(p.routs[0][j]))
            most = max(most, sized(p, h, j) * abs(p.ins[MU][j]))
        if most > 0.0:
            p.real[RATE] = max(p.real[RATE], abs(h) * changed / most)
        for j in range(p.m):
            g[j] += p.routs[1][j]
    weighted(n, s, p.coef[2 * STAGES * STAGES + 2 * STAGES + 2 * CHECKING * CHECKING + 2 * CHECKING :], 1.0, Z, 1.0, mu, out)


@native
def difference(p: Motion, h: f64, mu: Array, other: Array, g: Array, check: Array, largest: Array) -> f64:
    """The relative difference of two results of a step: of covectors to the largest of their numbers, by the sizes of
    states; of b to what any step has given, in `largest`."""
    worst = 0.0
    most = 1e-300
    for i in range(p.n):
        size = sized(p, h, i)
        worst = max(worst, size * abs(mu[i] - other[i]))
        most = max(most, size * abs(mu[i]))
    worst = worst / most
    for j in range(p.m):
        largest[j] = max(largest[j], abs(g[j]))
        if largest[j] > 0.0:
            worst = max(worst, abs(g[j] - check[j]) / largest[j])
    return worst


@outlined
def over(p: Motion, how: i64, t: f64, h: f64, y: Array, mu: Array, g: Array, largest: Array) -> f64:
    """Back over a part of a step from the state y, by one method or both; their largest difference."""
    n = p.n
    low = p.coef[2 * STAGES * STAGES + 2 * STAGES :]
    Y = p.work[0:]
    K = Y[STAGES * n :]
    Z = K[STAGES * n :]
    Y_low = Z[STAGES * n :]
    Z_low = Y_low[CHECKING * n :]
    new = Z_low[CHECKING * n :]
    other = new[n:]
    own = other[n:]
    check = own[p.m :]
    p.real[PARTS] += 1.0
    worst = 0.0
    if how != HIGH:
        stages(p, CHECKING, low, t, h, y, Y_low, K)
    if how != LOW:
        stages(p, STAGES, p.coef, t, h, y, Y, K)
    for c in range(p.number):
        if how == LOW:
            back(p, CHECKING, low, t, h, Y_low, Z_low, mu[c * n :], new, own)
        else:
            back(p, STAGES, p.coef, t, h, Y, Z, mu[c * n :], new, own)
        if how == BOTH:
            back(p, CHECKING, low, t, h, Y_low, Z_low, mu[c * n :], other, check)
            worst = max(worst, difference(p, h, new, other, own, check, largest[c * p.m :]))
        copy(n, new, mu[c * n :])
        for j in range(p.m):
            g[c * p.m + j] += own[j]
    return worst


@outlined
def divided(p: Motion, parts: i64, t: f64, h: f64, at: i64, times: Array, states: Array) -> None:
    """The part `at` of those that are waiting in so many equal ones, the last of them uppermost."""
    n = p.n
    Y = p.work[0:]
    K = Y[STAGES * n :]
    B = p.coef[STAGES + STAGES * STAGES :]
    part = h / parts
    for k in range(parts):
        if k > 0:
            y = states[(at + k - 1) * n :]
            stages(p, STAGES, p.coef, t + (k - 1) * part, part, y, Y, K)
            weighted(n, STAGES, B, part, K, 1.0, y, y[n:])
        times[2 * (at + k)] = t + k * part
        times[2 * (at + k) + 1] = part


@native
def expected(p: Motion, step: f64) -> f64:
    """The difference of the two methods over a step of this length."""
    return p.real[LAST] * (step * step) ** 3  # type: ignore[no-any-return]


@native
def parts_of(p: Motion, h: f64) -> i64:
    """Into how many a step is to be divided."""
    wanted = expected(p, h) / (AIM * p.real[TOLERANCE])
    if wanted <= 1.0:
        return 1
    return int(min(power(wanted, 1.0 / 6.0) + 1.0, 1.0 * ALIKE))


@native
def chosen(p: Motion, step: f64) -> i64:
    """The method by which parts of this length are taken."""
    if p.real[SINCE] >= LOOKS or expected(p, step) > LITTLE * p.real[TOLERANCE]:
        return BOTH
    return LOW if expected(p, step) < LITTLE * p.real[ERROR] else HIGH


@native
def differed(p: Motion, worst: f64, part: f64) -> None:
    """Remember the difference of the two methods over a part of this length."""
    p.real[DIFFERED] = max(worst, ROUNDING)
    p.real[LAST] = p.real[DIFFERED] / (part * part) ** 3
    p.real[LAST_RATE] = p.real[RATE]


@native
def trusted(p: Motion, how: i64) -> i64:
    """Whether a step by one method alone was one like those that both had taken: their difference is of the sixth power."""
    faster = p.real[RATE] / max(p.real[LAST_RATE], 1e-300)
    would = p.real[DIFFERED] * (faster * faster) ** 3
    return would <= (p.real[ERROR] if how == LOW else p.real[TOLERANCE])  # type: ignore[no-any-return]


@outlined
def in_parts(
    p: Motion, how: i64, parts: i64, t: f64, h: f64, y: Array, mu: Array, g: Array, largest: Array, times: Array,
    states: Array,
) -> f64:  # fmt: skip
    """Back over a step in parts of one length, until one differs too much; their largest difference."""
    copy(p.n, y, states)
    divided(p, parts, t, h, 0, times, states)
    worst = 0.0
    p.real[RATE] = 0.0
    for k in range(parts - 1, -1, -1):
        worst = max(worst, over(p, how, times[2 * k], times[2 * k + 1], states[k * p.n :], mu, g, largest))
        if worst > p.real[TOLERANCE]:
            break
    return worst


@outlined
def where_needed(
    p: Motion, t: f64, h: f64, y: Array, mu: Array, g: Array, largest: Array, old: Array, times: Array, states: Array
) -> None:
    """Back over a step in parts that are short where they have to be, as beside a corner of a law: together they differ by
    no more than the step may."""
    n = p.n
    copy(n, y, states)
    divided(p, ALIKE, t, h, 0, times, states)
    waiting = ALIKE
    while waiting > 0:
        at = waiting - 1
        part = times[2 * at + 1]
        copy(p.number * n, mu, old)
        copy(p.number * p.m, g, old[p.number * n :])
        p.real[RATE] = 0.0
        worst = over(p, BOTH, times[2 * at], part, states[at * n :], mu, g, largest)
        differed(p, worst, part)
        if worst <= part / h * p.real[TOLERANCE] or part / h * MOST <= 1.0:
            waiting = at
        else:
            copy(p.number * n, old, mu)
            copy(p.number * p.m, old[p.number * n :], g)
            divided(p, HALVES, times[2 * at], part, at, times, states)
            waiting = at + HALVES


@outlined
def through(p: Motion, t: f64, h: f64, y: Array, mu: Array, g: Array, largest: Array, old: Array) -> None:
    """Back over one step, in as many parts as it takes."""
    n = p.n
    states = p.work[n * (3 * STAGES + 2 * CHECKING + 2) + 2 * p.m :]
    times = states[WAITING * n :]
    copy(p.number * n, mu, old)
    copy(p.number * p.m, g, old[p.number * n :])
    parts = parts_of(p, h)
    how = chosen(p, h / parts)
    worst = in_parts(p, how, parts, t, h, y, mu, g, largest, times, states)
    p.real[SINCE] += 1.0
    if how != BOTH:
        if trusted(p, how):
            return
        copy(p.number * n, old, mu)
        copy(p.number * p.m, old[p.number * n :], g)
        worst = in_parts(p, BOTH, parts, t, h, y, mu, g, largest, times, states)
    p.real[SINCE] = 0.0
    differed(p, worst, h / parts)
    while worst > p.real[TOLERANCE]:
        copy(p.number * n, old, mu)
        copy(p.number * p.m, old[p.number * n :], g)
        if parts >= ALIKE:
            where_needed(p, t, h, y, mu, g, largest, old, times, states)
            return
        parts = max(parts + 1, parts_of(p, h))
        worst = in_parts(p, BOTH, parts, t, h, y, mu, g, largest, times, states)
        differed(p, worst, h / parts)


@native
def sweep(p: Motion, steps: i64, t: Array, h: Array, y: Array, seeds: Array, mu: Array, g: Array, largest: Array) -> None:
    """mu and g from the end of the last step to the beginning of the first; seeds, a row a step, are added at its end."""
    n = p.n
    old = p.work[n * (3 * STAGES + 2 * CHECKING + WAITING + 2) + 2 * p.m + 2 * WAITING :]
    for k in range(steps - 1, -1, -1):
        some = 0
        for i in range(p.number * n):
            mu[i] += seeds[k * p.number * n + i]
            if mu[i] != 0.0:
                some = 1
        if some:
            through(p, t[k], h[k], y[k * n :], mu, g, largest, old)
            asked(p, t[k], y[k * n :])
            for c in range(p.number):
                copy(n, mu[c * n :], p.ins[MU])
                p.project(p.ins, p.pouts)
                copy(n, p.pouts[0], mu[c * n :])
                for j in range(p.m):
                    g[c * p.m + j] += p.pouts[1][j]
