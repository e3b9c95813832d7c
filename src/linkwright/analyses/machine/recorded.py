"""Every answer says how it was asked for, and what it took: the options of the call go into its provenance, and so into its
file; the times of tracing, of compiling and of all of it go into its audit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import signature
from time import perf_counter
from typing import Any, ParamSpec, TypeVar

from linkwright.analyses.machine.kept import keep
from linkwright.arguments import Arguments
from linkwright.compile.clock import CLOCK
from linkwright.results import Channels

P = ParamSpec("P")
R = TypeVar("R")
NO_OPTIONS = ("model", "progress")
PLAIN = frozenset((bool, int, float, str, type(None)))  # are no results, which is seen at once


def recorded(analysis: Callable[P, R]) -> Callable[P, R]:
    """The analysis, which notes its options in what it returns, or in what an error keeps of it."""
    known = Arguments(signature(analysis))
    usual = _options(known.defaults)

    def note(answer: Any, args: Any, kwargs: dict[str, Any], begin: tuple[float, float, float]) -> None:
        noted = getattr(answer, "_noted", None)
        if noted is None:
            return
        tracing, compiling = CLOCK.read()
        options = partial(_asked, usual, known, args, kwargs)
        if len(args) > 1 or not set(map(type, kwargs.values())) <= PLAIN:
            options = partial(dict, options())  # what was given may be another by then, and is not to live as long
        noted(options, (perf_counter() - begin[0], tracing - begin[1], compiling - begin[2]))

    @wraps(analysis)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        begin = perf_counter(), *CLOCK.read()
        try:
            answer = analysis(*args, **kwargs)
        except (Exception, KeyboardInterrupt) as error:
            note(getattr(error, "partial", None), args, kwargs, begin)
            raise
        else:
            note(answer, args, kwargs, begin)
            return answer
        finally:
            keep()

    return asked


def _asked(usual: dict[str, Any], known: Arguments, args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The options of a call; usual: those that have a value where nothing is given."""
    given = known.bound(args, kwargs) or {}
    return {**{name: x for name, x in usual.items() if name not in given}, **_options(given)}


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """What is to be noted. A result to start from in words: who holds the end of a long chain of runs does not hold all of
    it."""
    return {
        n: x if type(x) in PLAIN or not isinstance(x, Channels) else repr(x)
        for n, x in given.items() if x is not None and n not in NO_OPTIONS
    }  # fmt: skip
