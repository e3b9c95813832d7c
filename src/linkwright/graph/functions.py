"""The functions a formula may use: on traced scalars, on plain numbers, and element by element on arrays of either."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.arguments import any_numbers
from linkwright.bounds import shown
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.graph import arithmetic
from linkwright.graph.arithmetic import add, apply, div, mul, neg, sub
from linkwright.graph.expr import Expr, Scalar
from linkwright.options import TableKind

if TYPE_CHECKING:
    from linkwright.graph.table import Table


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


_DOC = """{summary}

Parameters
----------
{arguments} : number, expression, or array of them
    {role}.

Returns
-------
number, expression, or array of them
    The value.

Examples
--------
>>> lw.{call}
{value}
"""


def _documented(summary: str, arguments: str, call: str, value: str, role: str = "") -> str:
    role = role or ("The argument" if len(arguments) == 1 else "The arguments")
    return _DOC.format(summary=summary, arguments=", ".join(arguments), call=call, value=value, role=role)


def _of(op: str, name: str, text: str, example: str, arguments: str = "x") -> Callable[..., Any]:
    arity = getattr(arithmetic.NUMPY[op], "nin", 1)

    def function(*args: Scalar) -> Any:
        if len(args) != arity:
            raise TypeError(f"it takes {arity} arguments")
        return apply(op, *args)

    call, _, value = example.partition(" -> ")
    function.__name__, function.__doc__ = name, _documented(text, arguments, call, value)
    places = [Parameter(x, Parameter.POSITIONAL_ONLY) for x in arguments]
    function.__signature__ = Signature(places)  # type: ignore[attr-defined]
    return _elementwise(function)


sin = _of("sin", "sin", "Give the sine of an angle in radians.", "sin(0.5) -> 0.479425538604203")
cos = _of("cos", "cos", "Give the cosine of an angle in radians.", "cos(0.0) -> 1.0")
tan = _of("tan", "tan", "Give the tangent of an angle in radians.", "tan(0.0) -> 0.0")
asin = _of("asin", "asin", "Give the inverse sine, in [-pi/2, pi/2].", "asin(1.0) -> 1.5707963267948966")
acos = _of("acos", "acos", "Give the inverse cosine, in [0, pi].", "acos(1.0) -> 0.0")
atan = _of("atan", "atan", "Give the inverse tangent, in [-pi/2, pi/2].", "atan(1.0) -> 0.7853981633974483")
atan2 = _of(
    "atan2", "atan2", "Give the angle of the vector (x, y), in [-pi, pi].", "atan2(1.0, 0.0) -> 1.5707963267948966", "yx"
)
sqrt = _of("sqrt", "sqrt", "Give the square root.", "sqrt(2.25) -> 1.5")
exp = _of("exp", "exp", "Give the exponential.", "exp(0.0) -> 1.0")
sinh = _of("sinh", "sinh", "Give the hyperbolic sine.", "sinh(0.0) -> 0.0")
cosh = _of("cosh", "cosh", "Give the hyperbolic cosine.", "cosh(0.0) -> 1.0")
tanh = _of("tanh", "tanh", "Give the hyperbolic tangent.", "tanh(0.0) -> 0.0")
asinh = _of("asinh", "asinh", "Give the inverse hyperbolic sine.", "asinh(0.0) -> 0.0")
acosh = _of("acosh", "acosh", "Give the inverse hyperbolic cosine, not negative; NaN below 1.", "acosh(1.0) -> 0.0")
atanh = _of("atanh", "atanh", "Give the inverse hyperbolic tangent; NaN beyond -1 and 1.", "atanh(0.0) -> 0.0")
log = _of("log", "log", "Give the natural logarithm.", "log(1.0) -> 0.0")
absolute = _of("abs", "absolute", "Give the absolute value; its derivative is sign(x).", "absolute(-2.5) -> 2.5")
floor = _of("floor", "floor", "Give the largest whole number not above x; its derivative is zero.", "floor(-1.5) -> -2.0")
minimum = _of("min", "minimum", "Give the smaller of two; NaN if either is.", "minimum(1.0, 2.0) -> 1.0", "xy")
maximum = _of("max", "maximum", "Give the larger of two; NaN if either is.", "maximum(1.0, 2.0) -> 2.0", "xy")


@_elementwise
def where(condition: Any, a: Scalar, b: Scalar) -> Any:
    """Give a where the condition holds, else b; the branch that is not taken has no effect, even if it is NaN.

    Parameters
    ----------
    condition : bool or traced comparison
        Such as x > 0.
    a, b : number, expression, or array of them
        The two branches.

    Returns
    -------
    number, expression, or array of them
        The value.

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> x = m.body("b").x
    >>> law = lw.where(x > 0, -100 * x, 0.0)  # a one-sided spring
    >>> lw.where(False, 1.0, 2.0)
    2.0
    """
    return arithmetic.where(condition, a, b)


@_elementwise
def sign(x: Scalar) -> Any:
    # floor is left with zero and NaN: it hands both on, and its derivative is zero, too
    return arithmetic.where(apply("lt", 0.0, x), 1.0, arithmetic.where(apply("lt", x, 0.0), -1.0, apply("floor", x)))


@_elementwise
def power(a: Scalar, b: Scalar) -> Any:
    return arithmetic.power(a, b)


@_elementwise
def hypot(a: Scalar, b: Scalar) -> Any:
    with np.errstate(all="ignore"):
        return sqrt(add(mul(a, a), mul(b, b)))


sign.__doc__ = _documented("Give -1, 0 or 1; its derivative is zero.", "x", "sign(-2.5)", "-1.0")
power.__doc__ = _documented("Give a to the power of b.", "ab", "power(2.0, 3.0)", "8.0", "Base and exponent")
hypot.__doc__ = _documented("Give sqrt(a^2 + b^2).", "ab", "hypot(3.0, 4.0)", "5.0", "The legs of a right triangle")


@any_numbers
def spline(x: ArrayLike, y: ArrayLike, *, periodic: bool = False, kind: TableKind = "cubic") -> Table:
    """Give a function that interpolates the points (x, y), for laws and curves.

    Parameters
    ----------
    x, y : numbers
        The points; x grows.
    periodic : bool
        Whether the last point repeats the first one period later.
    kind : {"cubic", "linear"}
        Cubic splines are twice continuously differentiable.

    Returns
    -------
    Table
        The function, of numbers, arrays and traced scalars.

    Examples
    --------
    >>> gas = lw.spline((0, 1, 2), (0, 10, 40), kind="linear")
    >>> gas(1.5)
    25.0
    """
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
