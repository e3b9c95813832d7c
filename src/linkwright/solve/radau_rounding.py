"""Rounding in f, and what it does to a step of Radau IIA: tolerances below that would be asked for in vain."""

from __future__ import annotations

from linkwright.compile import f64, native, outlined, seldom
from linkwright.solve import radau_factors as radau
from linkwright.solve import stepping as s
from linkwright.solve.outside import NOISE, OUTSIDE, ask

# Of what rounding in f makes of stages and errors so much is not seen: see `rounding`.
UNSEEN = 10.0
# Of the tolerances: how far apart f is looked at for its rounding; of what was seen before so much counts at the next look.
APART, FADING = 1e-3, 0.25


@seldom
def roughness(ode: s.Ode) -> None:
    """The rounding in f near a point whose step was rejected, whatever it comes from: |f(y + d) - 2 f(y) + f(y - d)|/4.

    |J| eps |y| knows only what the last digits of the state do. A body near the origin on a spring from a pivot 1 m away has
    a small y, and a force that is as rough as the last digit of 1 m. A smooth f of so small a d, a part in a thousand of
    the tolerances, has no second difference, and its first one falls out, also where J is that of an earlier point.
    """
    n = ode.n
    rows = ode.work[3 * n :]
    state = rows[21 * n :]
    value = rows[22 * n :]
    level = rows[24 * n :]
    for i in range(n):
        level[i] *= FADING
        state[i] = ode.y[i] + APART * s.scale_of(n, i, abs(ode.y[i]), ode.tol)
    if not s.evaluate(ode, ode.real[s.T], state, value):
        return
    for i in range(n):
        rows[20 * n + i] = value[i]
        state[i] = ode.y[i] - (state[i] - ode.y[i])
    if not s.evaluate(ode, ode.real[s.T], state, value):
        return
    for i in range(n):
        seen = 0.25 * abs((rows[20 * n + i] - rows[i]) + (value[i] - rows[i]))
        level[i] = max(level[i], seen)


@outlined
def rounding(ode: s.Ode) -> None:
    """The change of a step by the last digits of y and of f: (mu/h - J)^-1 of |J| eps |y|, or of the `roughness` of f where
    that is more, with the factors at hand.

    A spring of 1e11 N/m tells a place of 1 m to 1e-5 N. Newton's method can converge no further, and the error estimate
    shows it: tolerances below that would be asked for in vain, with ever shorter steps.
    """
    n = ode.n
    J = ode.work[radau.ROWS_OF_N * n :]
    noise = ode.work[26 * n :]
    if ode.count[s.JACOBIAN] == OUTSIDE:
        ask(ode.jac, ode.ins, ode.jouts, NOISE)
        for i in range(n):
            noise[i] = s.EPSILON * ode.jouts[2][i]
    else:
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += abs(J[i * n + j] * ode.y[j])
            noise[i] = s.EPSILON * total
    for i in range(n):
        noise[i] = max(noise[i], ode.work[27 * n + i])
    radau.solve_real(ode, noise)
    for i in range(n):
        noise[i] = UNSEEN * abs(noise[i])


@native
def beyond(x: f64, noise: f64) -> f64:
    """The part of x that is more than rounding."""
    return x - noise if x > noise else min(x + noise, 0.0)
