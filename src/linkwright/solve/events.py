"""Events: where functions g_k(t, y) change sign within a step, on the method's own interpolant.

Each step is watched part by part, so short that the functions are resolved (`looks`), and each part sampled at its quarters.
Where a sign changes, the root is located to the last digits of the time, of states
that are projected as those of the steps are: g is zero at the state that is shown. Where no
sign changes but a parabola through three samples comes near zero between them, the least |g| is looked for, so that two
crossings within a quarter of a part are not missed. A function that touches zero without crossing is no event. One that
is zero at the start (or fired just before a restart) has no sign yet: it gets the one it has right after.
"""

from __future__ import annotations

from linkwright.compile import Array, Ints, Native, copy, f64, i64, native, outlined, seldom
from linkwright.solve.looks import EARLY, FIRST, QUARTER, SAMPLES, first_sample, last_early, looker, place
from linkwright.solve.stepping import EPSILON, EVENTS, H_LAST, PART, T_OLD, UNSURE, WATCHED, Ode, settle

GOLDEN = 0.3819660112501051


@native
def remember(number: i64, theta: f64, k: i64, found: Array) -> i64:
    """Insert (theta, k) in order of time; how many there are now. found: pairs."""
    at = number
    while at > 0 and found[2 * at - 2] > theta:
        found[2 * at] = found[2 * at - 2]
        found[2 * at + 1] = found[2 * at - 1]
        at -= 1
    found[2 * at] = theta
    found[2 * at + 1] = float(k)
    return number + 1


def scanner(blend: Native) -> Native:
    """The search within one step, for the interpolant `blend`."""

    @outlined
    def value(ode: Ode, theta: f64, k: i64, state: Array, projected: i64) -> f64:
        """g_k at t_old + theta h; all of g is in gouts[0]. The state may be projected, as it is where an event is shown."""
        blend(ode, theta, state)
        t = ode.real[T_OLD] + theta * ode.real[H_LAST]
        if projected:
            settle(ode, t, state)
        ode.ins[0][0] = t
        copy(ode.n, state, ode.ins[1])
        ode.g(ode.ins, ode.gouts)
        return ode.gouts[0][k]  # type: ignore[no-any-return]

    look = looker(value)

    @seldom
    def root(ode: Ode, a: f64, b: f64, ga: f64, gb: f64, k: i64, state: Array) -> f64:
        """Chandrupatla's method: inverse quadratic interpolation where it is safe, else halving.

        Returns the end of the last bracket that lies behind the crossing.
        """
        sense = 1.0 if ga > 0.0 else -1.0
        x1 = b
        f1 = gb
        x2 = a
        f2 = ga
        x3 = a
        f3 = ga
        s = 0.5
        for _ in range(80):
            small = 0.0
            x = x1 + s * (x2 - x1)
            fx = value(ode, x, k, state, 1)
            if (fx > 0.0) == (f1 > 0.0):
                x3 = x1
                f3 = f1
            else:
                x3 = x2
                f3 = f2
                x2 = x1
                f2 = f1
            x1 = x
            f1 = fx
            small = 4.0 * EPSILON * max(abs(x1), abs((ode.real[T_OLD] + x1 * ode.real[H_LAST]) / ode.real[H_LAST]))
            if abs(x2 - x1) <= small or f1 == 0.0:
                return x1 if sense * f1 <= 0.0 else x2
            # Far from a linear function, halving is safer.
            ratio = (x1 - x2) / (x3 - x2)
            phi = (f1 - f2) / (f3 - f2)
            s = 0.5
            if phi * phi < ratio and (1.0 - phi) * (1.0 - phi) < 1.0 - ratio:
                s = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
            edge = min(0.5, 0.5 * small / abs(x2 - x1))
            s = max(edge, min(1.0 - edge, s))
        return x1 if sense * f1 <= 0.0 else x2

    @seldom
    def dip(ode: Ode, a: f64, b: f64, sense: f64, k: i64, state: Array) -> f64:
        """A point of [a, b] where g_k has changed its sign, by golden section; -1 if there is none."""
        p = a + GOLDEN * (b - a)
        q = b - GOLDEN * (b - a)
        gp = sense * value(ode, p, k, state, 0)
        gq = sense * value(ode, q, k, state, 0)
        for _ in range(40):
            if gp < 0.0:
                return p
            if gq < 0.0:
                return q
            if gp < gq:
                b = q
                q = p
                gq = gp
                p = a + GOLDEN * (b - a)
                gp = sense * value(ode, p, k, state, 0)
            else:
                a = p
                p = q
                gp = gq
                q = b - GOLDEN * (b - a)
                gq = sense * value(ode, q, k, state, 0)
        return -1.0

    @seldom
    def touch(
        ode: Ode, before: i64, j: i64, sign: i64, direction: i64, k: i64, state: Array, G: Array, found: Array, number: i64
    ) -> i64:
        """Two crossings between samples of one sign: sought where the parabola through a third sample dips toward zero."""
        m = ode.count[EVENTS]
        other = before - 1
        if j + 1 < SAMPLES:
            other = j + 1 if j > EARLY or j < last_early(ode.real[PART]) else QUARTER
        a = place(before, ode.real[WATCHED], ode.real[PART])
        b = place(j, ode.real[WATCHED], ode.real[PART])
        c = place(other, ode.real[WATCHED], ode.real[PART])
        ga = G[before * m + k]
        gb = G[j * m + k]
        slope = (gb - ga) / (b - a)
        bend = ((G[other * m + k] - gb) / (c - b) - slope) / (c - a)
        if sign * bend <= 0.0:
            return number
        low = 0.5 * (a + b) - 0.5 * slope / bend
        least = sign * (ga + (low - a) * (slope + bend * (low - b)))
        if low <= a or low >= b or least > 0.5 * min(sign * ga, sign * gb):
            return number
        at = dip(ode, a, b, float(sign), k, state)
        if at < 0.0:
            return number
        gd = value(ode, at, k, state, 0)
        if direction * sign <= 0:
            down = root(ode, a, at, ga, gd, k, state)
            number = remember(number, down, k, found)
        if direction * sign >= 0:
            up = root(ode, at, b, gd, gb, k, state)
            number = remember(number, up, k, found)
        return number

    @seldom
    def scan(ode: Ode, state: Array, G: Array, signs: Ints, directions: Ints, found: Array) -> i64:
        """The events of the next part of the step, in `found` as (theta, k) in order of time; how many.

        G: SAMPLES rows of values, and more; row 0 is that of the end of the part before, and of this one afterwards.
        """
        m = ode.count[EVENTS]
        look(ode, state, G, signs)
        start = ode.real[WATCHED]
        last = 1.0 if start + ode.real[PART] > 1.0 - 1e-9 else start + ode.real[PART]
        ode.real[PART] = last - start
        first = first_sample(start, ode.real[PART], ode.count)
        early = last_early(ode.real[PART])
        number = 0
        unsure = 0
        for k in range(m):
            before = 0
            sign = signs[k]
            for j in range(first, SAMPLES):
                if early < j and j <= EARLY:
                    continue
                a = place(before, start, ode.real[PART])
                b = last if j == SAMPLES - 1 else place(j, start, ode.real[PART])
                ga = G[before * m + k]
                gb = G[j * m + k]
                if sign == 0 and b < FIRST:
                    pass
                elif sign == 0:
                    sign = 1 if gb > 0.0 else (-1 if gb < 0.0 else 0)
                elif sign * gb <= 0.0:
                    if directions[k] * sign <= 0:
                        at = b
                        if sign * gb < 0.0 and sign * ga > 0.0:
                            at = root(ode, a, b, ga, gb, k, state)
                        number = remember(number, at, k, found)
                    sign = -sign if gb != 0.0 else 0
                elif sign * ga > 0.0:
                    number = touch(ode, before, j, sign, directions[k], k, state, G, found, number)
                before = j
            signs[k] = sign
            if sign == 0:
                unsure = 1
            G[k] = G[(SAMPLES - 1) * m + k]
        ode.count[UNSURE] = unsure
        ode.real[WATCHED] = last
        return number

    return scan
