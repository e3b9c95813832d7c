"""Every error Linkwright raises on purpose: what it concerns, why it happened, what mends it.

The text of an error is written where it is raised; its parts are kept as attributes, so that a program
can read them: ``element`` (names), ``cause``, ``remedy`` and ``partial`` (what was computed so far, if anything).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

_PACKAGE = os.path.join(Path(__file__).resolve().parent, "")  # with the separator: a neighbour may begin alike


class LinkwrightError(Exception):
    """Base of all deliberate errors."""

    def __init__(
        self,
        cause: str,
        *,
        element: str | Sequence[str] = (),
        remedy: str = "",
        partial: Any = None,
    ) -> None:
        names = (element,) if isinstance(element, str) else tuple(element)
        self.element: tuple[str, ...] = tuple(map(str, names))  # a user may have given anything for a name
        self.cause = cause
        self.remedy = remedy
        self.partial = partial
        super().__init__(cause)

    def __str__(self) -> str:
        where = ", ".join(self.element)
        text = f"{where}: {self.cause}" if where else self.cause
        return f"{text}\n  Remedy: {self.remedy}" if self.remedy else text

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.__dict__)


def _rebuild(kind: type[LinkwrightError], state: dict[str, Any]) -> LinkwrightError:
    error = kind.__new__(kind)
    Exception.__init__(error, state["cause"])
    error.__dict__.update(state)
    return error


class ModelError(LinkwrightError):
    """The description of a machine is wrong."""


class AssemblyError(LinkwrightError):
    """No configuration satisfies the joints: residuals by element, and whether the design can close at all.

    ``feasible`` is False where the design is at fault, True where only estimates that were made exact are (``partial`` is
    then the nearest configuration without them), None where that is not known.
    """

    def __init__(
        self,
        cause: str,
        *,
        residuals: Mapping[str, float] | None = None,
        feasible: bool | None = None,
        element: str | Sequence[str] = (),
        remedy: str = "",
        partial: Any = None,
    ) -> None:
        super().__init__(cause, element=element, remedy=remedy, partial=partial)
        self.residuals = dict(residuals or {})
        self.feasible = feasible


class SingularityError(LinkwrightError):
    """The motion meets a singular configuration: ``kind`` "lock-up" or "bifurcation", at ``time``, under ``driver``.

    ``branches``: the tangents along which a bifurcation goes on, each a mapping from channel to rate.
    """

    def __init__(
        self,
        cause: str,
        *,
        kind: str,
        time: float | None = None,
        driver: str | Sequence[str] = "",
        branches: Sequence[Mapping[str, float]] = (),
        element: str | Sequence[str] = (),
        remedy: str = "",
        partial: Any = None,
    ) -> None:
        super().__init__(cause, element=element, remedy=remedy, partial=partial)
        self.kind = kind
        self.time = time
        self.driver = driver
        self.branches = [dict(b) for b in branches]


class IntegrationError(LinkwrightError):
    """A simulation cannot go on; ``time`` says where it stopped, ``partial`` holds what was computed."""

    def __init__(
        self,
        cause: str,
        *,
        time: float | None = None,
        element: str | Sequence[str] = (),
        remedy: str = "",
        partial: Any = None,
    ) -> None:
        super().__init__(cause, element=element, remedy=remedy, partial=partial)
        self.time = time


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or a progress function that raised KeyboardInterrupt, ended a simulation at ``time``.

    ``partial`` is the result so far. No `Exception`: who forgives the errors of many machines is interrupted all the same.
    """

    def __init__(self, time: float, partial: Any) -> None:
        when = f" at t = {time:.9g}" if time == time else ""
        super().__init__(f"interrupted{when}; what was computed is in `.partial`")
        self.time = time
        self.partial = partial


class TraceError(LinkwrightError):
    """A traced value was used in a way that has no graph: a branch on it, a conversion to a number."""


class CompileError(LinkwrightError):
    """A graph cannot be compiled as asked."""


class ArgumentError(ModelError, TypeError):
    """An element, a function or a method was called with arguments that it has not, or without some that it needs; or a
    compiled function with wrong shapes, types or names."""


class UnknownNameError(ModelError, AttributeError):
    """Linkwright has nothing of this name: `lw.Pin`, which is `lw.Revolute`."""


def users_line() -> str:
    """``file:line`` of the innermost frame that is neither ours nor numpy's: where the user wrote it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_PACKAGE) and "/numpy/" not in name and "\\numpy\\" not in name:
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return "unknown place"
