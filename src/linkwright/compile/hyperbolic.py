"""sinh, cosh, tanh and their inverses, written with arithmetic alone as the `kernels` of sin and exp are.

Where a function is small against what it is a difference of (sinh and tanh near 0, the inverses near 0 and 1), it comes from
a series or from log(1 + v) with v and its rounding error; where e^x overflows, e^x/2 need not. Error, measured in the tests:
at most 1 ulp, of tanh 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from linkwright.compile.kernels import EXP, LN2, copysign, fma, horner, log_in_two, minus, mul_add, plus, two_sum
from linkwright.graph.arithmetic import add, apply, div, mul, neg, sub, where
from linkwright.graph.expr import Expr, Scalar, as_node

_SINH = [1 / math.factorial(2 * k + 1) for k in range(1, 11)]  # (sinh(x)/x - 1)/x^2 in x^2, |x| <= 1


def _half_exp(y: Scalar) -> tuple[Scalar, Scalar]:
    """e^y/2 = hi + lo for y >= 0; infinite (and lo finite) where hi overflows."""
    y = apply("min", y, 711.0)
    n = apply("rint", mul(y, 1 / math.log(2)))
    r = fma(neg(n), LN2[1], fma(neg(n), LN2[0], y))
    tail = mul_add(mul(r, r), horner(r, EXP), r)
    value = plus(1.0, tail)
    rest = minus(tail, minus(value, 1.0))
    half = apply("floor", mul(0.5, n))  # 2^(n - 1) in two factors
    p, q = apply("pow2", half), apply("pow2", sub(sub(n, half), 1.0))
    return mul(mul(value, p), q), mul(mul(rest, p), q)


def _sinh(x: Expr) -> Scalar:
    y = apply("abs", x)
    z = mul(x, x)
    near = mul_add(mul(x, z), horner(z, _SINH), x)
    hi, lo = _half_exp(y)
    return where(apply("lt", y, 1.0), near, copysign(plus(hi, sub(lo, div(0.25, hi))), x))


def _cosh(x: Expr) -> Scalar:
    hi, lo = _half_exp(apply("abs", x))
    return plus(hi, add(lo, div(0.25, hi)))


def _tanh(x: Expr) -> Scalar:
    """g/(g + 2) with g = e^y - 1 = (2^n - 1) + 2^n r + 2^n tail, y = 2|x| = n ln 2 + r, and one step of refinement."""
    y = apply("min", mul(2.0, apply("abs", x)), 50.0)
    n = apply("rint", mul(y, 1 / math.log(2)))
    r = fma(neg(n), LN2[1], fma(neg(n), LN2[0], y))
    tail = mul(mul(r, r), horner(r, EXP))
    scale = apply("pow2", n)
    hi, error = two_sum(minus(scale, 1.0), mul(scale, r))
    lo = mul_add(scale, tail, error)
    g = plus(hi, lo)
    bottom = plus(g, 2.0)
    bottom_lo = plus(minus(g, minus(bottom, 2.0)), minus(lo, minus(g, hi)))
    t = div(g, bottom)
    rest = add(fma(neg(t), bottom, hi), mul_add(neg(t), bottom_lo, lo))
    return copysign(plus(t, div(rest, bottom)), x)


BIG = 2.0**28  # beyond it the inverses are log(2 x)


def _log_one_plus(v: Scalar, v_lo: Scalar, twice: Scalar = 0.0) -> Scalar:
    """log(1 + v + v_lo) for v >= 0, or log(2 twice) for a large number in its place; infinite with v or it."""
    s, c = two_sum(1.0, v)
    big = apply("lt", BIG, twice)
    s = as_node(where(big, twice, s))
    hi, lo = log_in_two(s)
    rest = where(big, LN2[0], div(add(c, v_lo), s))
    return where(apply("lt", s, math.inf), plus(hi, add(lo, rest)), s)


def _asinh(x: Expr) -> Scalar:
    """log(1 + v) with v = |x| + x^2/(1 + sqrt(1 + x^2))."""
    size = apply("abs", x)
    y = where(apply("lt", BIG, size), 1.0, size)  # its square must not overflow
    z = mul(y, y)
    v, v_lo = two_sum(y, div(z, add(1.0, apply("sqrt", add(1.0, z)))))
    return copysign(_log_one_plus(v, v_lo, size), x)


def _acosh(x: Expr) -> Scalar:
    """log(1 + v) with v = t + sqrt(t (x + 1)), t = x - 1; the product and the root with what their rounding lost."""
    y = where(apply("lt", BIG, x), 1.0, x)
    t, t_lo = two_sum(y, -1.0)
    a, a_lo = two_sum(y, 1.0)
    p = mul(t, a)
    p_lo = mul_add(t, a_lo, mul_add(t_lo, a, fma(t, a, neg(p))))
    q = apply("sqrt", p)
    q_lo = where(apply("lt", 0.0, q), div(add(fma(neg(q), q, p), p_lo), mul(2.0, q)), 0.0)
    v, v_lo = two_sum(t, q)
    return where(apply("lt", x, 1.0), math.nan, _log_one_plus(v, add(v_lo, add(t_lo, q_lo)), x))


def _atanh(x: Expr) -> Scalar:
    """log(1 + v)/2 with v = 2|x|/(1 - |x|)."""
    y = apply("abs", x)
    b = minus(1.0, y)
    b_lo = minus(minus(1.0, b), y)
    twice = mul(2.0, y)
    v = div(twice, b)
    rest = div(mul_add(neg(v), b_lo, fma(neg(v), b, twice)), b)
    return where(apply("lt", 1.0, y), math.nan, copysign(mul(0.5, _log_one_plus(v, rest)), x))


KERNELS: dict[str, Callable[[Expr], Scalar]] = {
    "sinh": _sinh, "cosh": _cosh, "tanh": _tanh, "asinh": _asinh, "acosh": _acosh, "atanh": _atanh,
}  # fmt: skip
