"""A result on the live page: its motion as it was recorded, with nothing to move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkwright.cli.codes import UsageError
from linkwright.errors import ModelError


class Recorded:
    """The motion of one file, read once; stands where a Workbench stands."""

    def __init__(self, file: str) -> None:
        from linkwright.results.files import thinned
        from linkwright.view.animation import page_data
        from linkwright.view.frames import MOST_FRAMES

        result = thinned(file, MOST_FRAMES)
        if result.drawing is None:
            notes = "; ".join(result.audit.notes) or "it was saved without its model"
            raise UsageError(
                f"the file does not say what its machine looks like: {notes}", element=file,
                remedy="in Python: lw.load_result(file).animate(page, model=m)",
            )  # fmt: skip
        if not len(result.t):
            raise UsageError("the result is empty", element=file, remedy="run the analysis again")
        self.values: dict[str, float] = {}  # parameters that can be moved
        self.about = f"{result.model}: {result.audit.analysis}, t = {result.t[0]:g} ... {result.t[-1]:g} s"
        self._data = page_data(result)

    def page(self, name: str) -> str:
        from linkwright.view.animation import page_text

        live: dict[str, Any] = {
            "page": name,
            "parameters": [],
            "file": None,
            "recorded": True,
            "error": None,
            "solved": True,
        }
        return page_text({**self._data, "live": live})

    def solve(self, values: Mapping[str, float]) -> dict[str, Any]:
        """There is nothing to solve: the page keeps what it has."""
        return {}

    def save(self, values: Mapping[str, float]) -> dict[str, Any]:
        raise ModelError("a recorded motion has no parameters", remedy="view the model file to change them")

    def check(self, values: Mapping[str, float], *more: int) -> dict[str, Any]:
        """What was recorded is not examined again."""
        raise ModelError("a recorded motion cannot be mended", remedy="view the model file to mend the machine")

    mend = undo = keep = check
