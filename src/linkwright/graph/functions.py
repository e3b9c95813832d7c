"""The functions a formula may use: on traced scalars, on plain numbers, and element by element on arrays of either."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np

from linkwright.arguments import any_numbers
from linkwright.bounds import shown
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.graph import arithmetic
from linkwright.graph.arithmetic import add, apply, div, mul, neg, sub
from linkwright.graph.expr import Expr, Scalar


def over_elements(function: Callable[..., Any], *args: Any) -> Any:
    """function element by element, with broadcasting; an array of floats if no argument holds traced scalars."""
    arrays = [np.asarray(a, dtype=object) if type(a) is Expr else np.asarray(a) for a in args]
    if any(a.dtype.kind == "c" for a in arrays):
        raise TypeError("complex numbers are none of a machine")
    with np.errstate(all="ignore"):
        result = np.frompyfunc(function, len(args), 1)(*arrays)
    return result if any(a.dtype == object for a in arrays) else np.asarray(result, dtype=float)


def _elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    known = signature(function)

    def over_arrays(*args: Any, **named: Any) -> Any:
        if named:
            args = known.bind(*args, **named).args
        try:
            if any(isinstance(a, np.ndarray | list | tuple | complex) for a in args):
                return over_elements(function, *args)
            return function(*args)
        except (TypeError, ValueError, OverflowError) as error:
            if isinstance(error, LinkwrightError):
                raise
            raise ArgumentError(
                f"it cannot take ({', '.join(map(shown, args))}): {error}", element=over_arrays.__name__,
                remedy="give numbers, traced scalars, or arrays of them",
            ) from error  # fmt: skip

    over_arrays.__name__ = over_arrays.__qualname__ = function.__name__.lstrip("_")
    over_arrays.__doc__ = function.__doc__
    over_arrays.__signature__ = known  # type: ignore[attr-defined]
    return over_arrays


def _of(op: str, name: str, text: str, arguments: str = "x") -> Callable[..., Any]:
    arity = getattr(arithmetic.NUMPY[op], "nin", 1)

    def function(*args: Scalar) -> Any:
        if len(args) != arity:
            raise TypeError(f"it takes {arity} arguments")
        return apply(op, *args)

    function.__name__, function.__doc__ = name, text
    places = [Parameter(x, Parameter.POSITIONAL_ONLY) for x in arguments]
    function.__signature__ = Signature(places)  # type: ignore[attr-defined]
    return _elementwise(function)


sin = _of("sin", "sin", "Sine of an angle in radians.")
cos = _of("cos", "cos", "Cosine of an angle in radians.")
tan = _of("tan", "tan", "Tangent of an angle in radians.")
asin = _of("asin", "asin", "Inverse sine, in [-pi/2, pi/2].")
acos = _of("acos", "acos", "Inverse cosine, in [0, pi].")
atan = _of("atan", "atan", "Inverse tangent, in [-pi/2, pi/2].")
atan2 = _of("atan2", "atan2", "Angle of the vector (x, y), called as atan2(y, x), in [-pi, pi].", "yx")
sqrt = _of("sqrt", "sqrt", "Square root.")
exp = _of("exp", "exp", "Exponential.")
sinh = _of("sinh", "sinh", "Hyperbolic sine.")
cosh = _of("cosh", "cosh", "Hyperbolic cosine.")
tanh = _of("tanh", "tanh", "Hyperbolic tangent.")
asinh = _of("asinh", "asinh", "Inverse hyperbolic sine.")
acosh = _of("acosh", "acosh", "Inverse hyperbolic cosine, not negative; NaN below 1.")
atanh = _of("atanh", "atanh", "Inverse hyperbolic tangent; NaN beyond -1 and 1.")
log = _of("log", "log", "Natural logarithm.")
absolute = _of("abs", "absolute", "Absolute value; its derivative is sign(x).")
floor = _of("floor", "floor", "Largest whole number not above x; its derivative is zero.")
minimum = _of("min", "minimum", "The smaller of two; NaN if either is.", "xy")
maximum = _of("max", "maximum", "The larger of two; NaN if either is.", "xy")


@_elementwise
def where(condition: Any, a: Scalar, b: Scalar) -> Any:
    """a where the condition holds, else b; the branch not taken has no effect, even if it is NaN."""
    return arithmetic.where(condition, a, b)


@_elementwise
def sign(x: Scalar) -> Any:
    """-1, 0 or 1; its derivative is zero."""
    # floor is left with zero and NaN: it hands both on, and its derivative is zero, too
    return arithmetic.where(apply("lt", 0.0, x), 1.0, arithmetic.where(apply("lt", x, 0.0), -1.0, apply("floor", x)))


@_elementwise
def power(a: Scalar, b: Scalar) -> Any:
    """a ** b."""
    return arithmetic.power(a, b)


@_elementwise
def hypot(a: Scalar, b: Scalar) -> Any:
    """sqrt(a^2 + b^2)."""
    with np.errstate(all="ignore"):
        return sqrt(add(mul(a, a), mul(b, b)))


@any_numbers
def spline(x: Any, y: Any, *, periodic: bool = False, kind: str = "cubic") -> Callable[[Any], Any]:
    """A function through the points (x, y); see `linkwright.graph.table.Table`."""
    from linkwright.graph.table import Table

    return Table.through(x, y, periodic=periodic, kind=kind)


def _identity(x: Scalar) -> Scalar:
    return x


# numpy's names: for np.sin(x) of a traced scalar, and for the elements of object arrays.
UFUNCS: dict[str, Callable[..., Any]] = {
    "add": add, "subtract": sub, "multiply": mul, "divide": div, "true_divide": div, "negative": neg,
    "positive": _identity, "conjugate": _identity, "power": power, "float_power": power,
    "square": lambda x: mul(x, x), "reciprocal": lambda x: div(1.0, x),
    "sin": sin, "cos": cos, "tan": tan, "arcsin": asin, "arccos": acos, "arctan": atan, "arctan2": atan2,
    "sinh": sinh, "cosh": cosh, "tanh": tanh, "arcsinh": asinh, "arccosh": acosh, "arctanh": atanh,
    "sqrt": sqrt, "exp": exp, "log": log, "hypot": hypot,
    "absolute": absolute, "fabs": absolute, "sign": sign, "floor": floor,
    "minimum": minimum, "maximum": maximum, "floor_divide": arithmetic.floor_divide, "remainder": arithmetic.remainder,
    "less": lambda a, b: apply("lt", a, b), "less_equal": lambda a, b: apply("le", a, b),
    "greater": lambda a, b: apply("lt", b, a), "greater_equal": lambda a, b: apply("le", b, a),
    "equal": lambda a, b: apply("eq", a, b), "not_equal": lambda a, b: apply("ne", a, b),
    "logical_and": lambda a, b: arithmetic.logical("and", a, b),
    "logical_or": lambda a, b: arithmetic.logical("or", a, b),
    "logical_not": lambda a: arithmetic.logical("not", a),
    "deg2rad": lambda x: mul(x, np.pi / 180), "radians": lambda x: mul(x, np.pi / 180),
    "rad2deg": lambda x: mul(x, 180 / np.pi), "degrees": lambda x: mul(x, 180 / np.pi),
}  # fmt: skip
