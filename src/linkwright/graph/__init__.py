"""Traced scalars, their derivatives, and sparse elimination. Knows nothing of mechanics or of compilers."""

from linkwright.graph.derive import Sparse, along, gradient, hessian_vector, jacobian
from linkwright.graph.elimination import Factors, ldl
from linkwright.graph.expr import Expr, Same, Scalar, hold, is_number, symbol, symbols
from linkwright.graph.functions import (
    absolute,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    exp,
    floor,
    hypot,
    log,
    maximum,
    minimum,
    power,
    sign,
    sin,
    sinh,
    spline,
    sqrt,
    tan,
    tanh,
    where,
)
from linkwright.graph.rotation import frame, rotation_gradient, rotation_jacobian, rotation_rates, tilde
from linkwright.graph.table import Table
from linkwright.graph.walk import evaluate, free_symbols, operations, substitute, topological

__all__ = [
    "Expr", "Factors", "Same", "Scalar", "Sparse", "Table",
    "absolute", "acos", "acosh", "along", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "evaluate", "exp",
    "floor", "frame", "free_symbols",
    "gradient", "hessian_vector", "hold", "hypot", "is_number", "jacobian", "ldl", "log", "maximum", "minimum",
    "operations", "power", "rotation_gradient", "rotation_jacobian", "rotation_rates", "sign", "sin", "sinh",
    "spline", "sqrt", "substitute", "symbol", "symbols", "tan", "tanh", "tilde", "topological", "where",
]  # fmt: skip
