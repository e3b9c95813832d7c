"""Every answer says how it was asked for, and what it took: the options of the call go into its provenance, and so into its
file; the times of tracing, of compiling and of all of it go into its audit."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
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
PLAIN = frozenset((bool, int, float, str))  # are no results, which is seen at once


def recorded(analysis: Callable[P, R]) -> Callable[P, R]:
    """The analysis, which notes its options in what it returns, or in what an error keeps of it."""
    known = Arguments(signature(analysis))
    usual = _options(known.defaults)

    @wraps(analysis)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        begin = perf_counter(), *CLOCK.read()
        try:
            answer = analysis(*args, **kwargs)
        except (Exception, KeyboardInterrupt) as error:
            _note(getattr(error, "partial", None), usual, known.bound(args, kwargs), begin)
            raise
        else:
            _note(answer, usual, known.bound(args, kwargs), begin)
            return answer
        finally:
            keep()

    return asked


def _note(
    answer: Any, usual: dict[str, Any], given: dict[str, Any] | None, begin: tuple[float, float, float]
) -> None:  # fmt: skip
    """usual: the options that have a value where nothing is given."""
    if isinstance(answer, Channels):
        tracing, compiling = CLOCK.read()
        answer._took(perf_counter() - begin[0], tracing - begin[1], compiling - begin[2])
        known = {name: x for name, x in usual.items() if name not in given} if given else usual
        answer.provenance.options = {**known, **_options(given or {})}


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """What is to be noted. A result to start from in words: who holds the end of a long chain of runs does not hold all of
    it."""
    return {
        n: x if type(x) in PLAIN or not isinstance(x, Channels) else repr(x)
        for n, x in given.items() if x is not None and n not in NO_OPTIONS
    }  # fmt: skip
