"""Functions that users call with anything: what does not fit is told by the name of the argument.

`typed` is for functions that know best what is wrong with their arguments: it adds words where Python's own error would
come out, and only if an argument is not what the signature says; a fault of ours stays visible as what it is. `numeric` is
for formulas, whose arguments are numbers and arrays of them.
"""

from __future__ import annotations

import os
import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from math import inf
from numbers import Integral, Real
from operator import index
from typing import Any, ParamSpec, TypeVar
from warnings import catch_warnings, simplefilter

import numpy as np

from linkwright.bounds import LARGEST, MOST_STEPS, shown, trouble
from linkwright.errors import LinkwrightError, ModelError
from linkwright.options import words
from linkwright.words import spelled

P = ParamSpec("P")
R = TypeVar("R")
Axes = Any  # of matplotlib: one of them, or several
LOOKED_AT = ("float", "int", "bool", "Progress")  # annotations of what a function might let pass
BARE = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, MemoryError, Warning)
# told by their numbers, or not at all
NO_TYPE = (
    "Any", "ArrayLike", "Components", "Drawn", "Law", "Matrix", "QuantityLike", "RotationLike", "Scalar", "Solid", "Value",
    "Vector", "np.ndarray",
)  # fmt: skip


def typed(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which tells what its signature does not allow by name."""
    known = Arguments(signature(function))
    kinds = {name: str(p.annotation).removesuffix(" | None") for name, p in known.parameters.items()}
    looked_at = any(kind.startswith(LOOKED_AT) for kind in kinds.values())
    may_be_numbers = frozenset(name for name, kind in kinds.items() if kind not in ("bool", "Progress"))
    may_be_texts = frozenset(name for name, kind in kinds.items() if not kind.startswith(LOOKED_AT))
    first_is_free = not next(iter(kinds.values()), "float").startswith(LOOKED_AT)
    own = {name: _words(kind) for name, kind in kinds.items()}
    worded = {name: found for name, found in own.items() if found}

    def is_plain(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether there is nothing to look at: the usual call, of a model, numbers within bounds, words, and None."""
        if len(args) > 1 or (args and (not first_is_free or _complex(args[0]))):
            return False
        for name, value in kwargs.items():
            kind = type(value)
            if kind is float or kind is int:
                if name not in may_be_numbers or not -LARGEST <= value <= LARGEST:
                    return False
            elif value is not None and (kind is not str or name not in may_be_texts):
                return False
        return True

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        if worded:
            args, kwargs = _spelled(known, worded, args, kwargs)  # type: ignore[assignment]
        look = looked_at and not is_plain(args, kwargs)
        for name, annotation, value in _given(known, args, kwargs) if look else ():
            if _complex(value) or _never(annotation, value):
                raise _refused(name, value, readable(annotation))
        try:
            return function(*args, **kwargs)
        except LinkwrightError:
            raise
        except BARE as error:
            for name, annotation, value in _given(known, args, kwargs):
                if not fits(annotation, value):
                    raise _refused(name, value, readable(annotation)) from error
            raise

    return asked


def with_settings(kind: type, usual: Mapping[str, Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Of a function whose last argument is **settings: Unpack[kind], a TypedDict: those that are not given are as usual.
    Signatures, help and messages show each as what it is to whoever calls: an argument with a default."""

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        own = signature(function)
        kinds = {name: getattr(a, "__forward_arg__", a) for name, a in kind.__annotations__.items()}
        more = [Parameter(n, Parameter.KEYWORD_ONLY, default=x, annotation=kinds[n]) for n, x in usual.items()]
        known = own.replace(parameters=[*list(own.parameters.values())[:-1], *more])

        @wraps(function)
        def settled(*args: P.args, **kwargs: P.kwargs) -> R:
            if not kwargs.keys() <= known.parameters.keys():
                known.bind(*args, **kwargs)  # says which is not known
            return function(*args, **{**usual, **kwargs})

        settled.__signature__ = known  # type: ignore[attr-defined]
        return settled

    return decorated


def _spelled(
    known: Arguments, worded: Mapping[str, tuple[Any, ...]], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with words of a few as they are spelled here: inverse-dynamics is inverse_dynamics."""
    for name, own in worded.items():
        if name in kwargs:
            if (word := spelled(kwargs[name], own)) is not kwargs[name]:
                kwargs = {**kwargs, name: word}
        elif name in known.places[: len(args)]:
            at = known.places.index(name)
            args = (*args[:at], spelled(args[at], own), *args[at + 1 :])
    return args, kwargs


class Arguments:
    """What a signature makes of arguments. `Signature.bind` takes longer than many a function that it is asked for: most
    signatures are plain, and then it is a matter of two dictionaries."""

    def __init__(self, known: Signature) -> None:
        self.signature, self.parameters = known, known.parameters
        every = known.parameters.values()
        self._plain = all(p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) for p in every)
        self.places = [p.name for p in every if p.kind is p.POSITIONAL_OR_KEYWORD]
        self._needed = {p.name for p in every if p.default is p.empty}
        self.defaults = {p.name: p.default for p in every}

    def __str__(self) -> str:
        return str(self.signature)

    def bound(self, args: Any, kwargs: Any) -> dict[str, Any] | None:
        """The arguments by name, without defaults; None where they do not fit."""
        given = dict(zip(self.places, args, strict=False))
        if self._plain and len(args) <= len(self.places) and kwargs.keys() <= self.parameters.keys():
            if not given.keys() & kwargs.keys() and self._needed <= (given := {**given, **kwargs}).keys():
                return given
            return None
        try:
            return self.signature.bind(*args, **kwargs).arguments
        except TypeError:
            return None


def numeric(function: Callable[P, R]) -> Callable[P, R]:
    """The function of numbers, arrays and traced scalars, which refuses all else, and what is not finite. What it says
    itself comes first: it knows more."""
    return _numeric(function, bounded=True)


def any_numbers(function: Callable[P, R]) -> Callable[P, R]:
    """The same of a function that judges numbers which are not finite, or huge, itself."""
    return _numeric(function, bounded=False)


def _numeric(function: Callable[P, R], bounded: bool) -> Callable[P, R]:
    known = Arguments(signature(function))

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        wrong, fault = "", None
        if str in map(type, (*args, *kwargs.values())):
            _refuse_texts(known, function.__name__, args, kwargs)
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise"), catch_warnings():
                simplefilter("error")  # numpy's: a mean of nothing, an imaginary part that is dropped
                answer = function(*args, **kwargs)
        except LinkwrightError:
            raise
        except BARE as error:
            if known.bound(args, kwargs) is None:
                raise  # `calls` tells of words that are not known
            wrong, fault = f"it cannot be had from these arguments: {error}", error
        for name, _, value in _given(known, args, kwargs) if bounded or wrong else ():
            if why := _numbers(value):
                wrong = f"{name} {why}"
        if wrong:
            remedy = f"give numbers and arrays as in {function.__name__}{known}"
            raise ModelError(wrong, element=function.__name__, remedy=remedy) from fault
        return answer

    return asked


def whole(given: Any, name: str, least: int = 1, most: int = MOST_STEPS) -> int:
    """A whole number from least to most."""
    try:
        number = least - 1 if isinstance(given, bool) else index(given)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise _refused(name, given, f"a whole number from {least} to {most}")
    return number


def check_number(name: str, value: Any) -> float:
    try:
        number = float("no number") if isinstance(value, complex | np.complexfloating | bool | str) else float(value)
    except OverflowError:
        number = float("inf")
    except (TypeError, ValueError):
        raise ModelError(f"{value!r} is no number", element=name, remedy="give numbers in SI units") from None
    if wrong := trouble(number):
        raise ModelError(f"a value {wrong}", element=name, remedy="give finite numbers")
    return number


def check_numbers(name: str, given: Any) -> np.ndarray:
    """A row of numbers; one that is an array already is looked at as a whole, for there may be millions."""
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable) or getattr(given, "ndim", 1) != 1:
        raise ModelError(f"{shown(given)} is no list of values", element=name, remedy="give a list or an array of numbers")
    if isinstance(given, np.ndarray) and given.dtype.kind in "fiu":
        numbers = given.astype(float)
        if np.all(np.abs(numbers) <= LARGEST):  # not so of NaN
            return numbers
    return np.array([check_number(name, x) for x in given])


def fits(annotation: str, value: Any) -> bool:
    """Whether a value is what an annotation says, as far as that can be seen."""
    return any(_fits(part.strip(), value) for part in re.split(r"\|(?![^\[]*\])", annotation))


def readable(annotation: str) -> str:
    plain = {"str": "a text", "float": "a number", "int": "a whole number", "bool": "True or False", "Any": "a real number"}
    plain |= {"Axes": "axes of matplotlib", "Callable": "a function"}
    plain |= {"Progress": "a function of two numbers", "Mapping[str, Any]": "a mapping of names, such as {'r': ...}"}
    plain |= dict.fromkeys(("ArrayLike", "Components", "Law", "Value"), "a real number")
    parts = [p.strip() for p in re.split(r"\|(?![^\[]*\])", annotation)]
    return " or ".join(plain.get(p, f"one of {', '.join(map(repr, words(p)))}" if words(p) else p) for p in parts)


def _fits(annotation: str, value: Any) -> bool:
    name = annotation.partition("[")[0]
    if name in NO_TYPE:
        return True
    if name == "Axes":
        each = list(value) if _has_items(value) else [value]
        return value is None or (len(each) > 0 and all(hasattr(x, "plot") for x in each))
    if known := _words(annotation):
        return isinstance(value, str | int) and value in known
    plain: dict[str, Any] = {
        "None": type(None), "str": str, "os.PathLike": os.PathLike, "PathLike": os.PathLike, "Mapping": Mapping,
        "dict": Mapping, "bool": bool | np.bool_,
    }  # fmt: skip
    if name in plain:
        return isinstance(value, plain[name])
    if name == "Iterable":
        return _has_items(value)
    if name in ("float", "int"):
        kind = Real if name == "float" else Integral
        return not isinstance(value, bool) and isinstance(value, kind) and not (name == "float" and trouble(value))
    if name in ("Sequence", "tuple", "list"):
        return (
            _has_items(value)
            and not isinstance(value, str | bytes)
            and isinstance(value, Sequence | np.ndarray)
            and ("[str]" not in annotation or all(isinstance(x, str) for x in value))
        )
    if name in ("Progress", "Change", "Callable", "Evaluate"):
        return callable(value)
    return name.rpartition(".")[2] in [c.__name__ for c in type(value).__mro__]


def _given(known: Arguments, args: Any, kwargs: Any) -> Iterator[tuple[str, str, Any]]:
    """Name, annotation and value of each argument that the signature knows; none where Python says what is wrong with the
    call itself."""
    for name, value in (known.bound(args, kwargs) or {}).items():
        p = known.parameters[name]
        annotation = p.annotation if isinstance(p.annotation, str) else "Any"
        if p.kind is p.VAR_POSITIONAL:
            yield from ((name, annotation, x) for x in value)
        elif p.kind is not p.VAR_KEYWORD:
            yield name, annotation, value


def _refuse_texts(known: Arguments, what: str, args: Any, kwargs: Any) -> None:
    """ModelError for a text in place of a number: where there is no model nobody knows its parameters."""
    for name, annotation, value in _given(known, args, kwargs):
        if isinstance(value, str) and "Scalar" in annotation:
            raise ModelError(
                f"{name} is the text {shown(value)}, but texts and their units are read by models only", element=what,
                remedy=f"give a number in SI units, or a parameter: m.parameter({name!r}, {shown(value)})",
            )  # fmt: skip


def _refused(name: str, value: Any, wanted: str) -> ModelError:
    return ModelError(f"{shown(value)} is not {wanted}", element=name, remedy=f"give {wanted} for {name}")


def _words(annotation: str) -> tuple[Any, ...]:
    """The words that an annotation allows; none where it allows more."""
    name, _, inside = annotation.partition("[")
    return tuple(literal_eval(f"[{inside}")) if name == "Literal" and annotation.endswith("]") else words(name)


def _never(annotation: str, value: Any) -> bool:
    """What a function might let pass: a number that is a text or a truth value, is none, or huge; a switch that is a number
    or a word ("no" is true); progress that cannot be called. Infinity may stand for "no limit"."""
    kind = annotation.removesuffix(" | None")
    if kind == "Progress":
        return value is not None and not callable(value)
    if kind == "bool":
        return value is not None and not (isinstance(value, Real | np.bool_) and value in (0, 1))
    if isinstance(value, bool | np.bool_ | str):
        return kind in ("float", "int")
    return kind == "float" and isinstance(value, Real) and value not in (inf, -inf) and bool(trouble(value))


def _has_items(value: Any) -> bool:
    return isinstance(value, Iterable) and not (isinstance(value, np.ndarray) and value.ndim == 0)


def _complex(value: Any) -> bool:
    """What numpy makes real with a warning."""
    return isinstance(value, complex) or (isinstance(value, np.ndarray) and value.dtype.kind == "c")


def _numbers(value: Any) -> str:
    """What is wrong with the numbers in it, "" if nothing is."""
    if _complex(value):
        return f"is {shown(value)}, no real number"
    if isinstance(value, Real):
        return trouble(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        return "" if (np.abs(value) <= LARGEST).all() else f"holds a number that is not finite, or beyond {LARGEST:g}"
    if isinstance(value, list | tuple | np.ndarray):
        items = value.flat if isinstance(value, np.ndarray) else value
        return next((wrong for x in items if x is not value and (wrong := _numbers(x))), "")
    return ""
