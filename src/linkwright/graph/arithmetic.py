"""Arithmetic on scalars with the simplifications: constants folded, zeros and ones removed, signs pulled out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.errors import TraceError
from linkwright.graph.expr import COMPARISON, LOGICAL, Expr, Scalar, as_node, node, value_of
from linkwright.graph.place import users_line

_TINY, _HUGE = 1e-290, 1e290  # constants are merged within these bounds: beyond them that would over- or underflow


def add(a: Scalar, b: Scalar) -> Scalar:
    if type(a) is not Expr:
        if type(b) is not Expr:
            return float(a + b)
        a, b = b, a
    if type(b) is not Expr:
        if b == 0:
            return a
        if a.op == "add" and (c := _constant(a)) is not None:  # c2 + (c1 + x)
            return add(c[0] + float(b), c[1])
        return node("add", (a, as_node(b)))
    if b.op == "neg":
        return sub(a, b.args[0])
    if a.op == "neg":
        return sub(b, a.args[0])
    return node("add", (a, b))


def sub(a: Scalar, b: Scalar) -> Scalar:
    if type(b) is not Expr:
        return float(a - b) if type(a) is not Expr else add(a, -float(b))
    if type(a) is not Expr:
        if a == 0:
            return neg(b)
        if b.op == "neg":
            return add(b.args[0], a)
        return node("sub", (as_node(a), b))
    if a is b:
        return 0.0
    if b.op == "neg":
        return add(a, b.args[0])
    if a.op == "neg":
        return neg(add(a.args[0], b))
    return node("sub", (a, b))


def neg(a: Scalar) -> Scalar:
    if type(a) is not Expr:
        return -float(a)
    if a.op == "neg":
        return a.args[0]
    if a.op == "sub":
        return sub(value_of(a.args[1]), value_of(a.args[0]))
    if a.op == "mul" and (c := _constant(a)) is not None:
        return mul(-c[0], c[1])
    return node("neg", (a,))


def _constant(a: Expr) -> tuple[float, Expr] | None:
    """(c, x) if a is the sum or product of the constant c and x."""
    x, y = a.args
    if x.op == "const":
        return x.data, y
    if y.op == "const":
        return y.data, x
    return None


def mul(a: Scalar, b: Scalar) -> Scalar:
    if type(a) is not Expr:
        if type(b) is not Expr:
            return float(a * b)
        a, b = b, a
    if type(b) is not Expr:
        if b == 0:
            return 0.0
        if b == 1:
            return a
        if b == -1:
            return neg(a)
        if a.op == "neg":
            return mul(a.args[0], -float(b))
        if a.op == "mul" and (c := _constant(a)) is not None and _TINY < abs(c[0] * float(b)) < _HUGE:
            return mul(c[0] * float(b), c[1])
        return node("mul", (a, as_node(b)))
    if a.op == "neg":
        return mul(a.args[0], b.args[0]) if b.op == "neg" else neg(mul(a.args[0], b))
    if b.op == "neg":
        return neg(mul(a, b.args[0]))
    return node("mul", (a, b))


def div(a: Scalar, b: Scalar) -> Scalar:
    if type(b) is not Expr:
        if type(a) is not Expr:
            with np.errstate(all="ignore"):
                return float(np.divide(float(a), float(b)))
        inverse = 1.0 / float(b) if b != 0 else 0.0
        if _TINY < abs(inverse) < _HUGE:
            return mul(a, inverse)
        return node("div", (a, as_node(b)))
    if type(a) is not Expr:
        if a == 0:
            return 0.0
        if b.op == "neg":
            return div(-float(a), b.args[0])
        return node("div", (as_node(a), b))
    if a.op == "neg":
        return div(a.args[0], b.args[0]) if b.op == "neg" else neg(div(a.args[0], b))
    if b.op == "neg":
        return neg(div(a, b.args[0]))
    return node("div", (a, b))


def floor_divide(a: Scalar, b: Scalar) -> Any:
    """a // b: how often b goes into a."""
    return apply("floor", div(a, b))


def remainder(a: Scalar, b: Scalar) -> Any:
    """a % b, with the sign of b; its derivative by a is one."""
    return sub(a, mul(b, floor_divide(a, b)))


def power(a: Scalar, b: Scalar) -> Scalar:
    """a ** b; whole exponents become products, halves a square root.

    x ** 1.5 stays: as a product with the root its derivative at zero would be zero times infinity.
    """
    if type(b) is not Expr:
        if type(a) is not Expr:
            with np.errstate(all="ignore"):
                return float(np.power(float(a), float(b)))
        if float(b).is_integer() and abs(b) <= 64:
            n = int(b)
            return whole_power(a, n) if n >= 0 else div(1.0, whole_power(a, -n))
        if abs(b) == 0.5:
            return apply("sqrt", a) if b > 0 else div(1.0, apply("sqrt", a))
        if b < 0 and is_half(float(b)):
            return div(1.0, power(a, -b))
    return node("pow", (as_node(a), as_node(b)))


def is_half(b: float) -> bool:
    """Whether it is a half more than a whole number, and not large: products and a square root make such a power."""
    return float(2 * b).is_integer() and abs(b) <= 32


def whole_power(a: Scalar, n: int) -> Scalar:
    result: Scalar = 1.0
    square: Scalar = a
    while n:
        if n & 1:
            result = mul(result, square)
        n >>= 1
        if n:
            square = mul(square, square)
    return result


def _truth(x: Any) -> bool | None:
    """The value of a truth value that is known while tracing; None of a traced one."""
    if type(x) is Expr:
        return None
    # Python's ~True is -2, which would count as true; the last bit tells the truth of what & | ~ make of bools
    return bool(x & 1) if type(x) is int and -2 <= x <= 1 else bool(x)


def logical(op: str, *args: Any) -> Any:
    """and, or, not of truth values (Python's or traced ones)."""
    for x in args:
        if type(x) is Expr and x.op not in LOGICAL:
            raise TraceError(
                f"{op!r} was applied to a traced number at {users_line()}",
                remedy="combine comparisons: (x > 0) & (y < 1), with the brackets",
            )
    if op == "not":
        return node("not", tuple(args)) if _truth(args[0]) is None else not _truth(args[0])
    a, b = args
    known = _truth(a) if _truth(a) is not None else _truth(b)
    if known is None:
        return a if a is b else node(op, (a, b))
    other = b if _truth(a) is not None else a
    if op == "and":
        return other if known else False
    return True if known else other


def apply(op: str, *args: Any) -> Any:
    """An operation without special simplifications; of numbers alone it is computed at once, as numpy does."""
    if all(type(a) is not Expr for a in args):
        with np.errstate(all="ignore"):
            result = NUMPY[op](*map(float, args))
        return bool(result) if op in COMPARISON else float(result)
    return node(op, tuple(map(as_node, args)))


def where(condition: Any, a: Scalar, b: Scalar) -> Scalar:
    """a where the condition holds, else b; the branch not taken has no effect, even if it is NaN."""
    if (known := _truth(condition)) is not None:
        return a if known else b
    if condition.op not in LOGICAL:
        raise TraceError(
            f"the condition of `where` at {users_line()} is a number, not a comparison",
            remedy="compare it: where(x > 0, a, b)",
        )
    a, b = as_node(a), as_node(b)
    return value_of(a) if a is b else node("where", (condition, a, b))


def _bit(x: Any, which: int) -> Any:
    return np.asarray(x, dtype=float)[()].view(np.int64) & which


# The meaning of each operation on plain numbers and arrays: used for folding and by the reference evaluator.
NUMPY: dict[str, Callable[..., Any]] = {
    "hold": lambda x: x, "neg": np.negative, "sqrt": np.sqrt, "abs": np.abs, "floor": np.floor, "rint": np.rint,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "exp": np.exp, "log": np.log, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "min": np.minimum, "max": np.maximum, "atan2": np.arctan2, "pow": np.power,
    "lt": np.less, "le": np.less_equal, "eq": np.equal, "ne": np.not_equal,
    "and": np.logical_and, "or": np.logical_or, "not": np.logical_not, "where": np.where,
    "strict_add": np.add, "strict_sub": np.subtract, "copysign": np.copysign, "pow2": np.exp2,
    "exponent": lambda x: np.frexp(x)[1] - 1.0,
    "mantissa": lambda x: np.frexp(x)[0] * 2.0,
    "by_last_bit": lambda even, odd, n: np.where(_bit(n, 1), odd, even),
    "by_half_turn": lambda x, n: np.where(_bit(n, 2), np.negative(x), x),
}  # fmt: skip
