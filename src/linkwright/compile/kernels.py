"""sin, cos, exp, log and their kin, written with arithmetic alone.

They are expanded in the graph, after differentiation: so they vectorise like everything else, work on every
target, give the same bits in one lane and in eight, and sin(x) and cos(x) share their range reduction.

Where a sum takes in a product, it is written as an `fma`: of a b + c d the compiler may fuse either product, and it does
not choose alike for one lane and for eight. Where a second rounding would do no harm it is a `mul_add`: the same on a target
that has an fma, a product and a sum in WebAssembly, which has none (see `unfused`).

Method: reduce the argument with fused multiply-adds against constants in two or three pieces (Cody and Waite),
then the minimax polynomials of fdlibm, carrying the rounding error of the reduction along. Error, measured in the
tests: at most 1 ulp for sin, cos, tan, asin, acos, exp, log and 2 ulp for atan, atan2, pow. Angles beyond 2^30 give NaN:
there the spacing of the numbers themselves is over 1e-7. The hyperbolic functions are in `hyperbolic`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from linkwright.graph.arithmetic import add, apply, div, is_half, logical, mul, neg, sub, where, whole_power
from linkwright.graph.expr import Expr, Scalar, as_node, node

# pi/2 and ln 2 in pieces: the sum of the pieces has 53 more bits with each.
PIO2 = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
LN2 = (0.6931471805599453, 2.3190468138462996e-17)
_S = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
      2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)  # fmt: skip
_C = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
      -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)  # fmt: skip
_AT = (3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01, -1.11111104054623557880e-01,
       9.09088713343650656196e-02, -7.69187620504482999495e-02, 6.66107313738753120669e-02, -5.83357013379057348645e-02,
       4.97687799461593236017e-02, -3.65315727442169155270e-02, 1.62858201153657823623e-02)  # fmt: skip
_AS_P = (1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01, -4.00555345006794114027e-02,
         7.91534994289814532176e-04, 3.47933107596021167570e-05)  # fmt: skip
_AS_Q = (1.0, -2.40339491173441421878e00, 2.02094576023350569471e00, -6.88283971605453293030e-01, 7.70381505559019352791e-02)
_LG = (6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
       1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01)  # fmt: skip

EXP = [1 / math.factorial(k) for k in range(2, 15)]  # (e^r - 1 - r)/r^2 for |r| <= ln(2)/2


def fma(a: Scalar, b: Scalar, c: Scalar) -> Expr:
    """a b + c with one rounding."""
    return node("fma", (as_node(a), as_node(b), as_node(c)))


def mul_add(a: Scalar, b: Scalar, c: Scalar) -> Expr:
    """a b + c with one rounding where the target has an fma, else with two: where the product is small beside the sum."""
    return node("mul_add", (as_node(a), as_node(b), as_node(c)))


def plus(a: Scalar, b: Scalar) -> Expr:
    """a + b, rounded: for sums whose rounding error is computed."""
    return node("strict_add", (as_node(a), as_node(b)))


def minus(a: Scalar, b: Scalar) -> Expr:
    """a - b, rounded."""
    return node("strict_sub", (as_node(a), as_node(b)))


def horner(x: Scalar, coefficients: Sequence[float]) -> Scalar:
    """sum of coefficients[k] x^k."""
    value: Scalar = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        value = mul_add(value, x, c)
    return value


# -- angles -----------------------------------------------------------------------------------------------------


SHIFT = 3.0 * 2.0**51  # n + SHIFT has the whole number n in its last bits


def _reduced(x: Expr) -> tuple[Scalar, Scalar, Scalar]:
    """(n + SHIFT, r, lo) with x = n pi/2 + r + lo, |r| <= pi/4; no number beyond 2^30."""
    sane = where(apply("lt", apply("abs", x), 2.0**30), x, math.nan)
    shifted = mul_add(sane, 2 / math.pi, SHIFT)
    n = minus(shifted, SHIFT)
    a = fma(n, -PIO2[0], sane)  # exact
    p = mul(n, -PIO2[1])
    # a and p may cancel almost entirely. What their sum loses is exact all the same (Fast2Sum): a is a multiple of the last
    # bit of p, as x and n PIO2[0] are
    r = plus(a, p)
    lo = mul_add(n, -PIO2[2], fma(n, -PIO2[1], minus(a, r)))
    return shifted, r, lo


def _sin_near(r: Scalar, lo: Scalar) -> tuple[Scalar, Scalar]:
    """sin(r + lo), |r| <= pi/4, as a large and a small summand."""
    z = mul(r, r)
    return r, mul_add(mul(r, z), horner(z, _S), mul(lo, mul_add(z, -0.5, 1.0)))


def _cos_near(r: Scalar, lo: Scalar) -> tuple[Scalar, Scalar]:
    """cos(r + lo) in the same way."""
    z = mul(r, r)
    w = mul_add(z, -0.5, 1.0)
    lost = mul_add(z, -0.5, minus(1.0, w))
    return w, mul_add(mul(z, z), horner(z, _C), mul_add(neg(r), lo, lost))


def _by_quarter(even: Scalar, odd: Scalar, shifted: Scalar) -> Expr:
    """One of two numbers, by the last bit of a whole number that was added to SHIFT."""
    return node("by_last_bit", (as_node(even), as_node(odd), as_node(shifted)))


def _turned(x: Scalar, shifted: Scalar) -> Expr:
    """x, or -x where the last bit but one is set: of a half turn."""
    return node("by_half_turn", (as_node(x), as_node(shifted)))


def _sin_cos(x: Expr) -> tuple[Scalar, Scalar]:
    shifted, r, lo = _reduced(x)
    s, c = plus(*_sin_near(r, lo)), plus(*_cos_near(r, lo))
    return (
        _turned(_by_quarter(s, c, shifted), shifted),
        _turned(_by_quarter(c, s, shifted), plus(shifted, 1.0)),
    )


def _sin(x: Expr) -> Scalar:
    return where(apply("eq", x, 0.0), x, _sin_cos(x)[0])  # keeps -0.0


def _tan(x: Expr) -> Scalar:
    """sin/cos or -cos/sin of the reduced angle; what the rounding of both lost is added to the quotient."""
    shifted, r, lo = _reduced(x)
    (s_high, s_low), (c_high, c_low) = _sin_near(r, lo), _cos_near(r, lo)
    s, c = plus(s_high, s_low), plus(c_high, c_low)
    s1, c1 = minus(s_low, minus(s, s_high)), minus(c_low, minus(c, c_high))
    top, top1 = _by_quarter(s, neg(c), shifted), _by_quarter(s1, neg(c1), shifted)
    bottom, bottom1 = _by_quarter(c, s, shifted), _by_quarter(c1, s1, shifted)
    t = div(top, bottom)
    rest = mul_add(neg(t), bottom1, add(fma(neg(t), bottom, top), top1))
    return where(apply("eq", x, 0.0), x, plus(t, div(rest, bottom)))


# -- inverse functions ------------------------------------------------------------------------------------------


def _arc(y: Scalar, x: Scalar) -> Scalar:
    """atan(y/x) for y, x >= 0, in [0, pi/2]; about 0, pi/4 or pi/2, whichever is nearest."""
    steep, middle = apply("lt", mul(2.414213562373095, x), y), apply("lt", mul(0.41421356237309503, x), y)
    top = where(steep, neg(x), where(middle, sub(y, x), y))
    bottom = where(steep, y, where(middle, add(y, x), x))
    w = where(apply("eq", top, 0.0), 0.0, div(top, bottom))
    z = mul(w, w)
    high = where(steep, PIO2[0], where(middle, PIO2[0] / 2, 0.0))
    low = where(steep, PIO2[1], where(middle, PIO2[1] / 2, 0.0))
    return minus(high, minus(mul_add(w, mul(z, horner(z, _AT)), neg(low)), w))


def copysign(size: Scalar, sign: Scalar) -> Expr:
    return node("copysign", (as_node(size), as_node(sign)))


def _atan(x: Expr) -> Scalar:
    return where(apply("eq", x, 0.0), x, copysign(_arc(apply("abs", x), 1.0), x))


def _atan2(y: Expr, x: Expr) -> Scalar:
    size_y, size_x = apply("abs", y), apply("abs", x)
    both = logical("and", apply("eq", size_y, math.inf), apply("eq", size_x, math.inf))
    scale = where(apply("lt", 2.0**1000, apply("max", size_y, size_x)), 2.0**-60, 1.0)  # their sum must not overflow
    angle = _arc(where(both, 1.0, mul(scale, size_y)), where(both, 1.0, mul(scale, size_x)))
    behind = apply("lt", copysign(1.0, x), 0.0)
    full = where(behind, minus(2 * PIO2[0], minus(angle, 2 * PIO2[1])), angle)
    unordered = logical("or", apply("ne", x, x), apply("ne", y, y))
    return where(unordered, math.nan, copysign(full, y))


def _arc_sine_tail(z: Scalar) -> Scalar:
    """R(z) with asin(x) = x + x R(x^2) for |x| <= 1/2."""
    return div(mul(z, horner(z, _AS_P)), horner(z, _AS_Q))


def _half_chord(size: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """(s, c, R(t)) with sqrt(t) = s + c and t = (1 - |x|)/2: asin(x) = pi/2 - 2 asin(sqrt(t))."""
    t = mul(0.5, sub(1.0, size))
    s = apply("sqrt", t)
    c = where(apply("eq", s, 0.0), 0.0, div(fma(neg(s), s, t), mul(2.0, s)))
    return s, c, _arc_sine_tail(t)


def _asin(x: Expr) -> Scalar:
    size = apply("abs", x)
    near = mul_add(x, _arc_sine_tail(mul(x, x)), x)
    s, c, tail = _half_chord(size)
    p = mul_add(mul(2.0, s), tail, mul_add(2.0, c, -PIO2[1]))
    far = minus(PIO2[0] / 2, minus(p, minus(PIO2[0] / 2, mul(2.0, s))))
    return where(apply("lt", size, 0.5), near, copysign(far, x))


def _acos(x: Expr) -> Scalar:
    size = apply("abs", x)
    near = minus(PIO2[0], minus(x, mul_add(neg(x), _arc_sine_tail(mul(x, x)), PIO2[1])))
    s, c, tail = _half_chord(size)
    right = mul(2.0, add(s, mul_add(tail, s, c)))
    left = minus(2 * PIO2[0], mul(2.0, plus(s, minus(mul_add(tail, s, c), PIO2[1]))))
    return where(apply("lt", size, 0.5), near, where(apply("lt", x, 0.0), left, right))


# -- exponential and logarithm ------------------------------------------------------------------------------------


def _exp_of_sum(x: Scalar, lo: Scalar) -> Scalar:
    """exp(x + lo) for a small lo."""
    x = apply("max", apply("min", x, 1000.0), -1000.0)
    n = apply("rint", mul(x, 1 / math.log(2)))
    r = add(fma(neg(n), LN2[1], fma(neg(n), LN2[0], x)), lo)
    series = horner(r, EXP)
    value = plus(1.0, mul_add(mul(r, r), series, r))
    half = apply("floor", mul(0.5, n))  # 2^n in two factors: n reaches beyond the exponents of a double
    return mul(mul(value, apply("pow2", half)), apply("pow2", sub(n, half)))


def _exp(x: Expr) -> Scalar:
    return _exp_of_sum(x, 0.0)


def _split(x: Expr) -> tuple[Scalar, Scalar]:
    """(k, m) with x = 2^k m, sqrt(1/2) <= m < sqrt(2), for positive x, also below the normal numbers."""
    tiny = apply("lt", x, 2.0**-1022)
    scaled = as_node(where(tiny, mul(x, 2.0**54), x))
    m, k = apply("mantissa", scaled), apply("exponent", scaled)
    large = apply("lt", math.sqrt(2), m)
    k = sub(add(k, where(large, 1.0, 0.0)), where(tiny, 54.0, 0.0))
    return k, where(large, mul(0.5, m), m)


def _log(x: Expr) -> Scalar:
    k, m = _split(x)
    f = minus(m, 1.0)
    s = div(f, plus(2.0, f))
    z = mul(s, s)
    half = mul(0.5, mul(f, f))
    tail = mul(s, mul_add(z, horner(z, _LG), half))
    value = minus(mul(k, LN2_HIGH), minus(minus(half, mul_add(k, LN2_LOW, tail)), f))
    return _log_special(x, value)


# ln 2 with trailing zeros, so that k LN2_HIGH is exact
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10


def _log_special(x: Expr, value: Scalar) -> Scalar:
    ordinary = logical("and", apply("lt", 0.0, x), apply("lt", x, math.inf))
    return where(ordinary, value, where(apply("eq", x, 0.0), -math.inf, where(apply("lt", x, 0.0), math.nan, x)))


def log_in_two(x: Expr) -> tuple[Scalar, Scalar]:
    """log(x) as a sum hi + lo, good to some 2^-65: log(m) = 2 atanh(s), s = (m - 1)/(m + 1) = s + s1."""
    k, m = _split(x)
    top, bottom = minus(m, 1.0), plus(m, 1.0)
    bottom_lo = minus(m, minus(bottom, 1.0))
    s = div(top, bottom)
    s1 = div(mul_add(neg(s), bottom_lo, fma(neg(s), bottom, top)), bottom)
    z = mul(s, s)
    z1 = mul_add(2.0, mul(s, s1), fma(s, s, neg(z)))
    third, third_lo = 2 / 3, 3.700743415417188e-17
    q = mul(z, third)
    rest = horner(z, [2 / (2 * j + 1) for j in range(2, 14)])
    q1 = add(fma(z, third, neg(q)), mul_add(mul(z, z), rest, mul_add(z, third_lo, mul(z1, third))))
    w, error = two_sum(2.0, q)
    w1 = add(error, q1)
    p = mul(s, w)  # (s + s1)(w + w1)
    p1 = mul_add(s, w1, mul_add(s1, w, fma(s, w, neg(p))))
    a = mul(k, LN2_HIGH)
    hi, lo = two_sum(a, p)
    return hi, add(lo, mul_add(k, LN2_LOW, p1))


def two_sum(a: Scalar, b: Scalar) -> tuple[Expr, Expr]:
    """a + b = sum + error, exactly (Knuth)."""
    total = plus(a, b)
    back = minus(total, a)
    return total, plus(minus(a, minus(total, back)), minus(b, back))


def _pow(a: Expr, b: Expr) -> Scalar:
    if b.op == "const" and is_half(b.data) and b.data > 0:
        product = mul(whole_power(a, int(b.data)), apply("sqrt", a))
        return where(apply("eq", a, -math.inf), math.inf, product)
    size = as_node(apply("abs", a))
    hi, lo = log_in_two(size)
    y = mul(b, hi)
    y1: Scalar = fma(b, hi, neg(y))
    y1 = where(apply("lt", apply("abs", y), 1000.0), mul_add(b, lo, y1), 0.0)
    value = _exp_of_sum(y, y1)
    growing = apply("lt", 0.0, b)
    value = where(apply("eq", size, 0.0), where(growing, 0.0, math.inf), value)
    value = where(apply("eq", size, math.inf), where(growing, math.inf, 0.0), value)
    whole = apply("eq", apply("floor", b), b)
    half = mul(0.5, b)
    odd = logical("and", whole, apply("ne", apply("floor", half), half))
    real = logical("or", whole, apply("eq", size, math.inf))
    value = where(apply("lt", a, 0.0), where(real, value, math.nan), value)
    value = where(logical("and", odd, apply("lt", copysign(1.0, a), 0.0)), neg(value), value)
    one = logical("or", apply("eq", a, 1.0), apply("eq", b, 0.0))
    one = logical("or", one, logical("and", apply("eq", a, -1.0), apply("eq", apply("abs", b), math.inf)))
    unordered = logical("or", apply("ne", a, a), apply("ne", b, b))
    return where(one, 1.0, where(unordered, math.nan, value))


KERNELS: dict[str, Callable[..., Scalar]] = {
    "sin": _sin, "cos": lambda x: _sin_cos(x)[1], "tan": _tan,
    "asin": _asin, "acos": _acos, "atan": _atan, "atan2": _atan2,
    "exp": _exp, "log": _log, "pow": _pow,
}  # fmt: skip
