"""What a page shows before anything is moved: the motion as it was recorded, ranges of sliders, an error as plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.analyses.machine.channels import body_channels
from linkwright.analyses.machine.machine import Machine
from linkwright.errors import LinkwrightError
from linkwright.model import Model
from linkwright.results import Audit, Result


def slider(value: float) -> dict[str, float]:
    """Between which values a parameter is moved."""
    low, high = sorted((0.5 * value, 1.5 * value))
    return {"low": low, "high": high} if value else {"low": -1.0, "high": 1.0}


def as_estimated(model: Model) -> Result:
    """The machine as its file estimates it, not assembled: something to look at where nothing can be solved."""
    machine = Machine(model)
    channels = body_channels(machine, machine.estimate()[None], None, None)
    return Result(model.name, np.zeros(1), channels, Audit("estimates, not assembled"), source=model)


def told(error: LinkwrightError) -> dict[str, Any]:
    """An error as plain data."""
    return {"kind": type(error).__name__, "element": list(error.element), "cause": error.cause, "remedy": error.remedy}


def recorded(analyse: Callable[[], Result]) -> tuple[Result | None, dict[str, Any] | None]:
    """The motion, or as much of it as there is, and what is wrong."""
    try:
        return analyse(), None
    except LinkwrightError as error:
        partial = error.partial
        return partial if isinstance(partial, Result) and len(partial.t) else None, told(error)
