"""The exercises of the manual's course: `check(4, 0.05)` says whether an answer is right, and helps where it is not."""

from __future__ import annotations

from typing import Any

from linkwright.errors import ModelError
from linkwright.examples.course.exercises import EXERCISES
from linkwright.examples.course.verdict import Verdict


def asked(lesson: int) -> str:
    """What the exercise of a lesson asks for."""
    return (_exercise(lesson).__doc__ or "").partition(": ")[2]


def check(lesson: int, answer: Any) -> Verdict:
    """Look at an answer to the exercise of a lesson, 1 to 12: a number, numbers or a model, as it asks."""
    found: Verdict = _exercise(lesson)(answer)
    return found


def _exercise(lesson: int) -> Any:
    if lesson not in range(1, len(EXERCISES) + 1):
        raise ModelError(f"there is no lesson {lesson!r}", element="course", remedy=f"lessons are 1 to {len(EXERCISES)}")
    return EXERCISES[lesson - 1]


__all__ = ["Verdict", "asked", "check"]
