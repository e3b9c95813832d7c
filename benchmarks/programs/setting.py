"""One program at one setting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Run = Callable[[], np.ndarray]


@dataclass(frozen=True)
class Setting:
    """`prepare` builds the machine and what can be used again; what it gives makes one whole run from the start and
    returns the numbers looked at. `tuned`: not what a user of the program would take first."""

    program: str
    name: str
    prepare: Callable[[], Run]
    tuned: bool = False
