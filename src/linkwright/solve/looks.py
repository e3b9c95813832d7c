"""How closely a step must be looked at for events: in parts within which every function that is watched is nearly a cubic.

A part is sampled at its quarters, and the slopes at its ends and in its middle are taken by differences. Where the cubics
through ends and middle miss the quarters by more than a small part of what the function changes, or slopes are far beyond
what values tell, there may be more zeros than are seen: a part of half the length is tried. Slopes make a function that
swings many times between samples show, whatever its phase. The next part, and the next step, begin with the length that was
resolved. A function far from zero may do as it likes, and so may one that is nothing but rounding.
"""

from __future__ import annotations

from linkwright.compile import Array, Ints, Native, copy, f64, i64, isfinite, native, outlined, seldom
from linkwright.solve.stepping import ALLOWED, EPSILON, EVENTS, H_LAST, LOOK, LOOKS, PART, T_OLD, UNSURE, WATCHED, Ode

# Samples of a part: the first three after its start only where a sign is not known yet. Behind them slopes, and rounding.
SAMPLES, EARLY, FIRST = 8, 3, 1e-6
QUARTER, MIDDLE, THIRD, END = 4, 5, 6, 7
SLOPE, SLOPE_MIDDLE, SLOPE_END, ROUNDING = 8, 9, 10, 11
ROWS = 12
# Looks that a step may take: where there are more zeros than that, some are said to be missed, and the next steps get fewer
# looks, not below the least. Parts shorter than the shortest are of kinks and jumps.
MOST_LOOKS, LEAST_LOOKS, SHORTEST = 1 << 15, 64, 1e-9
# Of a part, for differences: no fraction of it, so that no swing has it for a period.
NEAR = 1.236e-3
MISS = 0.05  # of what a function changes within a part: so far the cubics may miss it
HIDDEN = 0.01  # of the least of samples of one sign: what the cubics miss may be two zeros if it is more
STEEP = 10.0  # slopes above this multiple of what values tell are of swings between them
# Differences carry rounding up to this multiple of that of the function.
ROUNDED = 2000.0


@native
def place(j: i64, a: f64, w: f64) -> f64:
    """The j-th sample of the part of length w that begins at a. The early ones have their places in the step: nearer to its
    start the sign of a function that is zero there is that of rounding."""
    if j == 0:
        return a
    if j <= EARLY:
        return FIRST if j == 1 else (1e-4 if j == 2 else 1e-2)
    return a + w if j == END else a + 0.25 * (j - EARLY) * w


@native
def first_sample(a: f64, w: f64, count: Ints) -> i64:
    """Early samples are taken where signs are not known, at the start of a step and before the first quarter."""
    if count[UNSURE] and a == 0.0 and 0.25 * w > FIRST:
        return 1
    return QUARTER


@native
def last_early(w: f64) -> i64:
    return 1 if 0.25 * w <= 1e-4 else (2 if 0.25 * w <= 1e-2 else 3)


@native
def dips(ga: f64, gb: f64, sa: f64, sb: f64) -> i64:
    """Whether a function of one sign may reach zero between two places, by its tangents there: in the middle of a dip they
    meet below it. Of a distance that is passed through, which has a kink there, cubics may tell nothing."""
    sense = 1.0 if ga > 0.0 else -1.0
    if sense * sa >= 0.0 or sense * sb <= 0.0:
        return 0
    at = (gb - sb - ga) / (sa - sb)
    return 1 if sense * (ga + sa * at) < 0.0 else 0


@native
def turns_back(g: f64, s: f64, other: f64) -> i64:
    """Whether the tangent reaches zero before the next sample, which has the same sign all the same; s: what it changes by
    until there. In a part in which the function also changes its sign such a dip is small beside its change."""
    return 1 if g * other > 0.0 and g * (g + s) < 0.0 else 0


@seldom
def resolution(m: i64, k: i64, span: f64, G: Array) -> i64:
    """How well the k-th function is resolved within a part that takes the time `span`: 0 it is not, 1 it is, 2 with ease, 3
    with great ease."""
    ga = G[k]
    gm = G[MIDDLE * m + k]
    gb = G[END * m + k]
    gq = G[QUARTER * m + k]
    gt = G[THIRD * m + k]
    sa = span * G[SLOPE * m + k]
    sm = span * G[SLOPE_MIDDLE * m + k]
    sb = span * G[SLOPE_END * m + k]
    miss = max(abs(0.5 * (ga + gm) + 0.0625 * (sa - sm) - gq), abs(0.5 * (gm + gb) + 0.0625 * (sm - sb) - gt))
    steep = max(abs(sm), max(abs(sa), abs(sb)))
    if not isfinite(miss + steep):
        return 3
    low = min(min(abs(ga), abs(gm)), min(abs(gb), min(abs(gq), abs(gt))))
    if steep <= 2.0 * low and miss <= 0.25 * low:
        return 3
    highest = max(max(ga, gm), max(gb, max(gq, gt)))
    lowest = min(min(ga, gm), min(gb, min(gq, gt)))
    change = highest - lowest
    dip = dips(ga, gm, 0.5 * sa, 0.5 * sm) + dips(gm, gb, 0.5 * sm, 0.5 * sb)
    back = turns_back(ga, 0.25 * sa, gq) + turns_back(gm, -0.25 * sm, gq)
    back += turns_back(gm, 0.25 * sm, gt) + turns_back(gb, -0.25 * sb, gt)
    if back > 0 or (lowest * highest > 0.0 and (dip > 0 or miss > HIDDEN * low)):  # it may have passed zero and come back
        return 1 if miss <= ROUNDED * G[ROUNDING * m + k] else 0
    if miss <= MISS * change and steep <= STEEP * change:
        return 1 if miss > 0.03 * MISS * change else (2 if miss > 1e-4 * MISS * change else 3)
    return 1 if miss <= ROUNDED * G[ROUNDING * m + k] else 0


def looker(value: Native) -> Native:
    """The choice of the next part of a step; `value`: the functions at a place of the step."""

    @outlined
    def slopes(ode: Ode, theta: f64, near: f64, at: i64, to: i64, state: Array, G: Array) -> None:
        """Row `to` of G: rates of all functions at theta, whose values are row `at`, by those a little away."""
        m = ode.count[EVENTS]
        value(ode, theta + near, 0, state, 0)
        for k in range(m):
            G[to * m + k] = (ode.gouts[0][k] - G[at * m + k]) / (near * ode.real[H_LAST])

    @seldom
    def rounding(ode: Ode, theta: f64, state: Array, G: Array) -> None:
        """How far the last digits of the state and of the time move the functions."""
        m = ode.count[EVENTS]
        value(ode, theta, 0, state, 0)
        for k in range(m):
            G[ROUNDING * m + k] = 0.0
            G[MIDDLE * m + k] = ode.gouts[0][k]
        for way in range(8):
            size = (1.0 + way) * EPSILON
            ode.ins[0][0] = (ode.real[T_OLD] + theta * ode.real[H_LAST]) * (1.0 + size)
            for i in range(ode.n):
                ode.ins[1][i] = state[i] * (1.0 - size if (way + i) % 2 == 1 else 1.0 + size)
            ode.g(ode.ins, ode.gouts)
            for k in range(m):
                G[ROUNDING * m + k] = max(G[ROUNDING * m + k], abs(ode.gouts[0][k] - G[MIDDLE * m + k]))

    @outlined
    def sample(ode: Ode, a: f64, w: f64, j: i64, state: Array, G: Array) -> None:
        m = ode.count[EVENTS]
        at = place(j, a, w)
        value(ode, at, 0, state, 0)
        copy(m, ode.gouts[0], G[j * m :])

    @outlined
    def look(ode: Ode, state: Array, G: Array, signs: Ints) -> None:
        """Samples of the next part, which begins at real[WATCHED], in G; its length in real[PART].

        Row 0 of G and its slopes are those of the end of the part before; behind the signs, how often a function was not
        resolved.
        """
        m = ode.count[EVENTS]
        a = ode.real[WATCHED]
        h = ode.real[H_LAST]
        left = 1.0 - a
        w = min(left, ode.real[LOOK] / abs(h))
        w = left if 1.01 * w >= left else max(w, min(SHORTEST, left))
        if ode.count[LOOKS] == 0 and a == 0.0:
            for k in range(m):
                G[ROUNDING * m + k] = -1.0
        if ode.real[LOOK] < 0.0:  # after a start: nothing is known of slopes
            w = left
            slopes(ode, a, NEAR * w, 0, SLOPE, state, G)
        if ode.count[LOOKS] >= ode.count[ALLOWED]:
            w = left
        fresh = 1
        ease = 3
        while True:
            ode.count[LOOKS] += 1
            if fresh:
                for j in range(MIDDLE, END + 1, 2):
                    sample(ode, a, w, j, state, G)
                slopes(ode, a + w, -NEAR * w, END, SLOPE_END, state, G)
            for j in range(QUARTER, THIRD + 1, 2):
                sample(ode, a, w, j, state, G)
            slopes(ode, a + 0.5 * w, NEAR * w, MIDDLE, SLOPE_MIDDLE, state, G)
            ease = 3
            for k in range(m):
                ease = min(ease, resolution(m, k, w * h, G))
            if ease == 0 and G[ROUNDING * m] < 0.0:
                rounding(ode, a + 0.5 * w, state, G)
                ease = 3
                for k in range(m):
                    ease = min(ease, resolution(m, k, w * h, G))
            if ease > 0 or w <= SHORTEST:
                break
            if ode.count[LOOKS] > ode.count[ALLOWED]:
                ode.count[ALLOWED] = max(ode.count[ALLOWED] // 2, LEAST_LOOKS)
                for k in range(m):
                    if resolution(m, k, w * h, G) == 0:
                        signs[m + k] += 1
                break
            # of half the length: what was the middle is the end, what was a quarter is the middle
            for k in range(m):
                G[END * m + k] = G[MIDDLE * m + k]
                G[MIDDLE * m + k] = G[QUARTER * m + k]
                G[SLOPE_END * m + k] = G[SLOPE_MIDDLE * m + k]
            w *= 0.5
            fresh = 0
        if first_sample(a, w, ode.count) == 1:
            for j in range(1, last_early(w) + 1):
                sample(ode, a, w, j, state, G)
        ode.real[PART] = w
        if w < left:
            ode.real[LOOK] = abs(w * h) * (8.0 if ease == 3 else float(max(ease, 1)))
        elif a == 0.0 or ode.real[LOOK] < 0.0:
            ode.real[LOOK] = 1e300
        copy(m, G[SLOPE_END * m :], G[SLOPE * m :])

    return look
