"""Numbers as a model takes them: finite, plain or traced; and the symbols that stand for parameters and time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from linkwright.bounds import REMEDY, shown, trouble
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar, symbol
from linkwright.model.measures import is_scalar

TIME = symbol("t")
_PARAMETER = "parameter:"
_ARGUMENT = "argument:"


@contextmanager
def about(element: str, field: str = "") -> Iterator[None]:
    """Errors raised inside that name no element yet are about this one (and this field of it)."""
    try:
        yield
    except ModelError as error:
        if not error.element:
            error.element = (element,)
            error.cause = f"{field}: {error.cause}" if field else error.cause
        raise


def parameter_symbol(name: str) -> Expr:
    return symbol(_PARAMETER + name)


def parameter_name(s: Expr) -> str:
    """The parameter that a symbol stands for, "" if it is none."""
    return s.data.removeprefix(_PARAMETER) if s.data.startswith(_PARAMETER) else ""


def argument_symbol(name: str) -> Expr:
    """Stands for the argument of a law while the law is only checked."""
    return symbol(_ARGUMENT + name)


def law_symbols(arguments: Iterable[str]) -> dict[str, Scalar]:
    """What stands for the arguments of a law while it is only looked at."""
    return {a: TIME if a == "t" else argument_symbol(a) for a in arguments}


def is_argument(s: Expr) -> bool:
    """Whether it stands for an argument of a law. A joint may be called "argument:": its quantities have a dot in them."""
    return bool(s.data.startswith(_ARGUMENT)) and s.data.removeprefix(_ARGUMENT).isidentifier()


def is_some(x: Any) -> bool:
    """Whether a number is more than a plain zero: an expression of parameters may become anything."""
    return type(x) is Expr or x != 0


def is_sequence(x: Any) -> bool:
    return isinstance(x, tuple | list) or (isinstance(x, np.ndarray) and x.ndim > 0)


def as_scalar(x: Any, what: str) -> Scalar:
    """A plain float within `bounds.LARGEST`, or the expression; ModelError for anything else."""
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x.item()
    if not is_scalar(x):
        raise ModelError(f"{what} must be a number, not {shown(x)}", remedy="give a number or an expression of parameters")
    if type(x) is Expr:
        return x
    if wrong := trouble(x):
        raise ModelError(f"{what} {wrong}", remedy=REMEDY)
    return float(x)


def exactly(xs: Any, size: int, what: str) -> list[Any]:
    """The items of a sequence of this size; ModelError for another shape."""
    if not is_sequence(xs) or len(xs) != size:
        got = f"{len(xs)}" if is_sequence(xs) else shown(xs)
        raise ModelError(f"{what} needs {size} numbers, not {got}", remedy=f"give a sequence of {size}")
    return list(xs)


def norm(xs: Iterable[float]) -> float:
    return float(np.linalg.norm(list(xs)))
