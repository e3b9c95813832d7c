"""Calls with wrong arguments are answered as wrong words in files are: what is wrong, the nearest right word, what there is.

Python finds out what fits and what does not; only where it has refused a call is the signature looked at, so that a right
call costs nothing but one more frame. What a type checker, an editor or `inspect` sees is the function itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import update_wrapper
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.words import question

if TYPE_CHECKING:
    from inspect import Signature

F = TypeVar("F", bound=Callable[..., Any])

LONGEST_SKETCH = 120


def answering(function: F) -> F:
    """The function, which answers wrong arguments by ArgumentError."""

    def answered(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if wrong := misfit(function, args, kwargs, error):
                raise wrong from None
            raise

    update_wrapper(answered, function)
    answered.__answers__ = True  # type: ignore[attr-defined]
    return answered  # type: ignore[return-value]


def answers(thing: Any) -> bool:
    """Whether it has been made to answer."""
    return bool(getattr(thing, "__answers__", False))


def answering_methods(cls: type) -> None:
    """Make the public methods of a class answer; those named in its `_unasked` are for speed left as they are."""
    for name, found in list(vars(cls).items()):
        if name.startswith("_") or name in getattr(cls, "_unasked", ()):
            continue
        if type(found) is FunctionType and not answers(found):
            setattr(cls, name, answering(found))
        elif type(found) in (staticmethod, classmethod) and not answers(found.__func__):
            setattr(cls, name, type(found)(answering(found.__func__)))


def answering_module(module: ModuleType) -> None:
    """Make the public functions of a module answer: those in its `__all__`, or those defined in it."""
    named = getattr(module, "__all__", None)
    for name, found in list(vars(module).items()):
        own = name in named if named else not name.startswith("_") and getattr(found, "__module__", "") == module.__name__
        if type(found) is FunctionType and own and not answers(found):
            setattr(module, name, answering(found))


class Answering(type):
    """The class of classes that answer when they, or their methods, are called with wrong arguments."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **more: Any) -> None:
        super().__init__(name, bases, namespace, **more)
        answering_methods(cls)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except TypeError as error:
            if wrong := misfit(cls, args, kwargs, error):
                raise wrong from None
            raise

    @property
    def __signature__(cls) -> Signature:
        """For `inspect` and editors: without it they would show that of `__call__` above."""
        from inspect import signature

        known = signature(cls.__init__)  # type: ignore[misc]
        return known.replace(parameters=list(known.parameters.values())[1:])


# -- what is wrong -----------------------------------------------------------------------------------------------------


def misfit(called: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], error: TypeError) -> ArgumentError | None:
    """Why a call does not fit the signature; None if it does: the error came from within."""
    from inspect import signature

    if isinstance(error, LinkwrightError):
        return None
    known = signature(called)
    try:
        known.bind(*args, **kwargs)
    except TypeError:
        places = [p for p in known.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        if places and places[0].name == "self":  # a method: whoever calls it does not write it
            places, args = places[1:], args[1:]
            known = known.replace(parameters=list(known.parameters.values())[1:])
        cause, remedy = _told(called.__name__, known, [p.name for p in places], args, kwargs)
        return ArgumentError(cause, element=_named(called, args, kwargs), remedy=remedy)
    return None


def _told(
    name: str, known: Signature, places: list[str], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[str, str]:
    """Cause and remedy."""
    parameters = known.parameters.values()
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    sketch = "write " + _sketch(name, known)
    if not any(p.kind is p.VAR_KEYWORD for p in parameters) and (unknown := [k for k in kwargs if k not in names]):
        free = [n for n in names if n not in kwargs and n not in places[: len(args)]]
        asked = [question(word, free) for word in unknown]
        if len(unknown) > 1:
            asked = [f"{word}: {x}" for word, x in zip(unknown, asked, strict=True) if x]
        return f"{name}() has no argument {_listed(unknown)}", " ".join([*filter(None, asked), sketch])
    if len(args) > len(places) and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        more = [n for n in names if n not in places]
        at_most = f"{len(places)} argument{'s' if len(places) != 1 else ''}"
        told = f"at most {at_most} without a name" if more else f"at most {at_most}"
        return f"{name}() takes {told}, not {len(args)}", ("give the others by name: " if more else "") + sketch
    if twice := [n for n in places[: len(args)] if n in kwargs]:
        return f"{name}() was given {_listed(twice)} twice, by its place and by its name", sketch
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    missing = [n for n in needed if n not in kwargs and n not in places[: len(args)]]
    return f"{name}() needs {_listed(missing)} too", sketch


def _listed(words: Iterable[str]) -> str:
    return ", ".join(map(repr, words))


def _sketch(name: str, known: Signature) -> str:
    """Spring(name, P, Q, k=0.0, ...), without annotations; a long one without defaults: dynamics(model, t_end=, ...)."""
    from inspect import Parameter

    parameters = [p.replace(annotation=p.empty) for p in known.parameters.values()]
    whole = f"{name}{known.replace(parameters=parameters, return_annotation=known.empty)}"
    if len(whole) <= LONGEST_SKETCH:
        return whole
    marks: dict[Any, str] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}
    words = [marks.get(p.kind, "") + p.name + ("" if p.default is p.empty else "=") for p in parameters]
    return f"{name}({', '.join(words)})"


def _named(called: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | tuple[()]:
    """The element that was to be made."""
    given = kwargs.get("name", args[0] if args else None)
    return given if isinstance(called, type) and isinstance(given, str) and given else ()
