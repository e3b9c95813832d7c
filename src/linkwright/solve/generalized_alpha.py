"""The generalised-alpha method (Newmark and HHT are special cases) for M vdot + Phi_v^T lam = Q, Phi = 0.

Chung and Hulbert 1993; on constrained systems with rotations Arnold and Bruels, Multibody Syst. Dyn. 18 (2007) 185-202. With
d the displacement of a step and retract(q, d) the displaced coordinates,

    d       = h v_n + h^2 ((1/2 - beta) a_n + beta a_{n+1})           q_{n+1} = retract(q_n, d)
    v_{n+1} = v_n + h ((1 - gamma) a_n + gamma a_{n+1})
    (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) vdot_{n+1} + alpha_f vdot_n

with R = M vdot + Phi_v^T lam - Q = 0 and Phi = 0 at the new time (index 3). In the stabilised form (index 2, after
Gear, Gupta and Leimkuhler) Phi_dot = 0 holds too, and d is reduced by h W Phi_v^T eta, with W the inverse of each mass: so
units do not matter. Order 2 in q, v and lam.

Rows may be dependent, always or where the machine passes a singular position (a parallelogram at its change point). So
Newton's matrix is regularised: each row gets a compliance that is a small fraction of its own. Newton's
corrections are then those of a proximal method (augmented Lagrangian): they converge to the same solution, by a factor
COMPLIANCE where rows are independent, lam stays zero along what the rows say d_by_a, and close to a singular position
rounding of Phi is not magnified by the inverse of its distance.

Rows may constrain velocities alone: they have Phi_dot = 0, no Phi and no eta, also in index 3. And the last of v may be
states of first order, z' = f, which no coordinate follows: with R = z' - f the same formulas are the method of Jansen,
Whiting and Hulbert (2000), of order 2.

The state is y = (q, v, vdot, lam); a is the method's own and begins as vdot. The functions take (t, y, d, parameters):

    f (residual): R, Phi, Phi_dot     jac (matrices): M, dR/dv, dR/dd, Phi_v, by rows     project (retract): q displaced by d

dR/dd and dR/dv only steer Newton's method. See `stepping` for the other arguments. Memory after the first three rows of n:
the new state, a, the new a, d, d as tried (n each), a right side (2 n), the matrix (at most 4 n n), its pivots,
J W.
"""

from __future__ import annotations

import numpy as np

from linkwright.compile import Array, Ints, copy, f64, i64, isfinite, native, power, seldom, sqrt
from linkwright.errors import ArgumentError
from linkwright.solve import alpha_matrix as alpha
from linkwright.solve import stepping as s
from linkwright.solve.dense import lu_factor, lu_solve
from linkwright.solve.outside import LINEARISE, OUTSIDE, REAL, ask, ask_factors

NEWTON = 12
LAST_H = 16  # a register of `real`


def constants(rho_inf: float = 0.8, stabilised: bool = True, adaptive: bool = True) -> np.ndarray:
    """The coefficients of the method. `rho_inf`: the part of an infinitely fast oscillation that is left after a step (Chung
    and Hulbert 1993, 17, 25)."""
    if not 0.0 <= rho_inf <= 1.0:
        raise ArgumentError("rho_inf must be in [0, 1]", element="generalized-alpha")
    return _of((2 * rho_inf - 1) / (rho_inf + 1), rho_inf / (rho_inf + 1), stabilised, adaptive)


def hht_constants(alpha: float = -0.1, stabilised: bool = True, adaptive: bool = True) -> np.ndarray:
    """Hilber, Hughes and Taylor 1977: alpha_m = 0, alpha_f = -alpha; more damping the lower alpha."""
    if not -1 / 3 <= alpha <= 0.0:
        raise ArgumentError("alpha must be in [-1/3, 0]", element="hht")
    return _of(0.0, -alpha, stabilised, adaptive)


def _of(m: float, f: float, stabilised: bool, adaptive: bool) -> np.ndarray:
    gamma = 0.5 + f - m
    return np.array([m, f, 0.25 * (gamma + 0.5) ** 2, gamma, float(stabilised), float(adaptive)])


def room(n: int, outside: bool = False) -> int:
    """The size of `work`. The matrix for (a, lam, eta) has at most 2 n rows: where rows are dependent there may be more of
    them than of v. `outside`: the matrix is elsewhere."""
    return 7 * n + (0 if outside else 5 * n * n) + 8


def pivots(n: int) -> int:
    return 2 * n


@seldom
def begin(ode: s.Ode) -> i64:
    """Begin with a = vdot, and a first step in which the velocity changes by the cube root of the tolerance."""
    nq = ode.count[s.SIZE_Q]
    nv = ode.count[s.SIZE_V]
    a = ode.work[4 * ode.n :]
    size = 0.0
    for i in range(nv):
        a[i] = ode.y[nq + nv + i]
        scale = s.scale_of(ode.n, nq + i, abs(ode.y[nq + i]), ode.tol)
        size = max(size, abs(a[i]) / scale)
    if not isfinite(size):
        return s.NOT_FINITE
    if ode.real[s.H] == 0.0:
        ode.real[s.H] = min(0.01 * abs(ode.real[s.SPAN]), power(1.0 / max(size, 1e-12), 1.0 / 3.0))
    ode.real[LAST_H] = 0.0
    return s.FINE


@native
def newton(ode: s.Ode, h: f64, t: f64) -> i64:
    """Find the new state by Newton's method. Its matrix is made anew where the last correction was not a tenth of the one
    before."""
    n = ode.n
    nq = ode.count[s.SIZE_Q]
    nv = ode.count[s.SIZE_V]
    m = ode.count[s.SIZE_LAM]
    extra = m if ode.coef[alpha.STABILISED] > 0.0 else 0
    N = nv + m + extra
    new = ode.work[3 * n :]
    a = ode.work[5 * n :]
    d = ode.work[7 * n :]
    right = ode.work[8 * n :]
    S = ode.work[10 * n :]
    JW = ode.work[10 * n + N * N + 3 :]
    mass = (1.0 - ode.coef[alpha.ALPHA_M]) / (1.0 - ode.coef[alpha.ALPHA_F])
    last = -1.0
    stale = 1
    for _ in range(NEWTON):
        alpha.place(ode.project, ode.ins, ode.pouts, n, t, ode.y, d, ode.count, new)
        copy(n, new, ode.ins[1])
        ode.f(ode.ins, ode.outs)
        ode.count[s.NFEV] += 1
        if stale:
            ode.count[s.NJEV] += 1
            ode.count[s.NLU] += 1
        if stale and ode.count[s.JACOBIAN] == OUTSIDE:
            ask(ode.jac, ode.ins, ode.jouts, LINEARISE)
            gamma = ode.coef[alpha.GAMMA]
            if ask_factors(ode.jac, ode.ins, ode.jouts, mass, h * gamma, h * h * ode.coef[alpha.BETA]) != 0.0:
                return s.SINGULAR
        elif stale:
            ode.jac(ode.ins, ode.jouts)
            alpha.assemble(h, ode.jouts, ode.count, ode.coef, S, JW)
            if lu_factor(N, S, ode.pivots, ode.work[10 * n + N * N :]) != 0:
                return s.SINGULAR
        for i in range(nv):
            right[i] = -ode.outs[0][i]
        for i in range(m):
            least = 0.0  # where the rows are outside of the loop their rounding is not known
            if ode.count[s.JACOBIAN] != OUTSIDE:
                least = alpha.rounding(nv, i, ode.jouts[3], ode.coef)
            right[nv + i] = -ode.outs[1][i] / (h * h * ode.coef[alpha.BETA]) if abs(ode.outs[1][i]) > least else 0.0
            if alpha.holds_positions(i, nv, ode.coef) == 0:
                right[nv + i] = 0.0 if extra > 0 else -ode.outs[2][i] / (h * ode.coef[alpha.GAMMA])
        for i in range(extra):
            right[nv + m + i] = -ode.outs[2][i] / (h * ode.coef[alpha.GAMMA])
        if ode.count[s.JACOBIAN] == OUTSIDE:
            copy(N, right, ode.jouts[2])
            ask(ode.jac, ode.ins, ode.jouts, REAL)
            copy(N, ode.jouts[2], right)
        else:
            alpha.balance(ode.jouts, JW, ode.count, extra, 1, right)
            lu_solve(N, S, ode.pivots, right)
        size = 0.0
        for i in range(nv):
            x = right[i]
            a[i] += x
            d[i] += h * h * ode.coef[alpha.BETA] * x
            new[nq + i] += h * ode.coef[alpha.GAMMA] * x
            new[nq + nv + i] += mass * x
            scale = s.scale_of(n, nq + i, abs(new[nq + i]), ode.tol)
            size += (h * ode.coef[alpha.GAMMA] * x / scale) ** 2
        for i in range(m):
            new[nq + 2 * nv + i] += right[nv + i]
        if ode.count[s.JACOBIAN] == OUTSIDE:
            for i in range(nv if extra > 0 else 0):  # W J^T eta comes after the solution
                d[i] -= h * h * ode.coef[alpha.BETA] * ode.jouts[2][N + i]
        else:
            for j in range(extra):
                for i in range(nv if alpha.holds_positions(j, nv, ode.coef) else 0):
                    d[i] -= h * h * ode.coef[alpha.BETA] * JW[j * nv + i] * right[nv + m + j]
        size = sqrt(size / max(nv, 1))
        if not isfinite(size):
            return s.NOT_FINITE
        rate = size / last if last > 0.0 else 0.1
        small = size <= ode.real[s.OPTION] or (
            last > 0.0 and rate < 1.0 and size * rate / (1.0 - rate) <= 0.01 * ode.real[s.OPTION]
        )
        # corrections of a hundredth of the tolerance that no longer shrink are rounding: Phi/h^2 of short steps
        if small or (size <= 0.01 and rate > 0.5):
            alpha.place(ode.project, ode.ins, ode.pouts, n, t, ode.y, d, ode.count, new)
            return s.FINE
        if rate > 2.0 and stale == 0:
            return s.NO_CONVERGENCE
        stale = 1 if rate > 0.1 else 0
        last = size
    return s.NO_CONVERGENCE


@native
def predict(n: i64, h: f64, y: Array, real: Array, count: Ints, coef: Array, work: Array) -> None:
    """The first guess: vdot and lam stay. a is moved to the new step: it is vdot at t + (alpha_m - alpha_f) h, about."""
    nq = count[s.SIZE_Q]
    nv = count[s.SIZE_V]
    new = work[3 * n :]
    a = work[4 * n :]
    later = work[5 * n :]
    d = work[7 * n :]
    m = coef[alpha.ALPHA_M]
    copy(n, y, new)
    for i in range(nv):
        v = y[nq + i]
        vdot = y[nq + nv + i]
        if real[LAST_H] != 0.0 and real[LAST_H] != h:
            a[i] = vdot + h / real[LAST_H] * (a[i] - vdot)
        later[i] = (vdot - m * a[i]) / (1.0 - m)
        d[i] = h * v + h * h * ((0.5 - coef[alpha.BETA]) * a[i] + coef[alpha.BETA] * later[i])
        new[nq + i] = v + h * ((1.0 - coef[alpha.GAMMA]) * a[i] + coef[alpha.GAMMA] * later[i])
    real[LAST_H] = h


@native
def displacement_error(ode: s.Ode, h: f64, t: f64) -> f64:
    """The change of vdot within the step as an error of q: h^2 (1/12 + |beta - 1/4|) (vdot_{n+1} - vdot_n).

    Of index 3 (Negrut, Rampalli, Ottarsson and Sajdak 2007, 3.3): velocities miss Phi_dot = 0 by some e, and the next step
    must bend vdot by e/h to keep Phi = 0. Measured as an error of the velocity that would stay, however short the step.
    States of first order have no such e: theirs is that of `estimate`.
    """
    n = ode.n
    nq = ode.count[s.SIZE_Q]
    nv = ode.count[s.SIZE_V]
    new = ode.work[3 * n :]
    d = ode.work[7 * n :]
    spare = ode.work[8 * n :]
    share = 1.0 / 12.0 + abs(ode.coef[alpha.BETA] - 0.25)
    for i in range(nv):
        spare[i] = d[i] - share * h * h * (new[nq + nv + i] - ode.y[nq + nv + i])
    alpha.place(ode.project, ode.ins, ode.pouts, n, t, ode.y, spare, ode.count, ode.work[9 * n :])
    total = 0.0
    weight = 0.0
    for i in range(nq):
        w = ode.tol[2 * n + i]
        scale = s.scale_of(n, i, max(abs(ode.y[i]), abs(new[i])), ode.tol)
        total += w * ((ode.work[9 * n + i] - new[i]) / scale) ** 2
        weight += w
    first_order = ode.coef[alpha.SIZES + nv + ode.count[s.SIZE_LAM] :]
    for i in range(nv):
        w = ode.tol[2 * n + nq + i] * first_order[i]
        scale = s.scale_of(n, nq + i, max(abs(ode.y[nq + i]), abs(new[nq + i])), ode.tol)
        total += w * (share * h * (new[nq + nv + i] - ode.y[nq + nv + i]) / scale) ** 2
        weight += w
    return sqrt(total / max(weight, 1e-300))


@native
def estimate(n: i64, h: f64, y: Array, tol: Array, count: Ints, coef: Array, work: Array) -> f64:
    """The change of vdot within the step as an error of the velocity: h (1/12 + |beta - 1/4|) (vdot_{n+1} - vdot_n)."""
    nq = count[s.SIZE_Q]
    nv = count[s.SIZE_V]
    new = work[3 * n :]
    share = 1.0 / 12.0 + abs(coef[alpha.BETA] - 0.25)
    total = 0.0
    weight = 0.0
    for i in range(nv):
        w = tol[2 * n + nq + i]
        scale = s.scale_of(n, nq + i, max(abs(y[nq + i]), abs(new[nq + i])), tol)
        total += w * (share * h * (new[nq + nv + i] - y[nq + nv + i]) / scale) ** 2
        weight += w
    return sqrt(total / max(weight, 1e-300))


@native
def step(ode: s.Ode) -> i64:
    """Take one step: of the given length, shortened only where Newton fails, or under control of the error."""
    n = ode.n
    nv = ode.count[s.SIZE_V]
    wanted = ode.real[s.H]
    h = ode.real[s.H]
    rejected = 0
    why = s.UNDERFLOW
    while True:
        h = s.clip_step(h, ode.real)
        if abs(h) < s.least_step(ode.real):
            return why
        t = s.moved(ode.real, h)
        predict(n, h, ode.y, ode.real, ode.count, ode.coef, ode.work)
        why = newton(ode, h, t)
        factor = 0.5
        if why == s.FINE:
            factor = 1.0
            if ode.coef[alpha.ADAPTIVE] > 0.0:
                if ode.coef[alpha.STABILISED] > 0.0:
                    error = estimate(n, h, ode.y, ode.tol, ode.count, ode.coef, ode.work)
                    factor = ode.real[s.SAFETY] / sqrt(max(error, 1e-12))
                else:
                    error = displacement_error(ode, h, t)
                    factor = ode.real[s.SAFETY] / power(max(error, 1e-12), 1.0 / 3.0)
                factor = max(ode.real[s.LEAST], min(1.0 if rejected else ode.real[s.MOST], factor))
                if error > 1.0:
                    why = s.UNDERFLOW
        if why == s.FINE:
            for i in range(nv):
                ode.work[4 * n + i] = ode.work[5 * n + i]
                ode.work[6 * n + i] = ode.work[7 * n + i]
            s.accept(n, ode.y, ode.work[3 * n :], t, h, ode.real, ode.count, ode.work)
            ode.real[s.H] = (
                abs(h) * factor if ode.coef[alpha.ADAPTIVE] > 0.0 else min(wanted, abs(h) * (1.5 if rejected else 1e300))
            )
            return s.FINE
        h *= factor
        rejected = 1
        ode.count[s.REJECTED] += 1


@native
def interpolate(ode: s.Ode, theta: f64, result: Array) -> None:
    """q: the start displaced along the cubic with both velocities; v: the cubic with both vdot; vdot, lam: straight."""
    n = ode.n
    nq = ode.count[s.SIZE_Q]
    nv = ode.count[s.SIZE_V]
    h = ode.real[s.H_LAST]
    old = ode.work[0:]
    new = ode.work[3 * n :]
    spare = ode.work[8 * n :]
    a = theta * theta * (3.0 - 2.0 * theta)
    b = h * theta * (1.0 - theta) * (1.0 - theta)
    c = h * theta * theta * (theta - 1.0)
    for i in range(nv):
        v = nq + i
        vdot = nq + nv + i
        spare[i] = a * ode.work[6 * n + i] + b * old[v] + c * new[v]
        result[v] = old[v] + a * (new[v] - old[v]) + b * old[vdot] + c * new[vdot]
    for i in range(nq + nv, n):
        result[i] = (1.0 - theta) * old[i] + theta * new[i]
    alpha.place(ode.project, ode.ins, ode.pouts, n, ode.real[s.T], old, spare, ode.count, result)
