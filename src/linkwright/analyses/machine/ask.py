"""A question that an analysis asks on its own behalf, and that may have no answer: then it goes on without.

This is the one place where an error of ours becomes an answer; whoever asks looks at what is there, and catches nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec, TypeVar

from linkwright.errors import LinkwrightError

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Answer(Generic[R]):
    """What was found, or why nothing was."""

    found: R | None = None
    wrong: LinkwrightError | None = None


def ask(question: Callable[P, R], *args: P.args, **options: P.kwargs) -> Answer[R]:
    try:
        return Answer(question(*args, **options))
    except LinkwrightError as error:
        return Answer(wrong=error)
