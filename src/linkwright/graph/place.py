"""Where a user wrote an expression."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType

_PACKAGE = os.path.join(Path(__file__).resolve().parents[1], "")  # with the separator: a neighbour may begin alike


def users_line() -> str:
    """``file:line`` of the innermost frame that is neither ours nor numpy's: where the user wrote it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_PACKAGE) and "/numpy/" not in name and "\\numpy\\" not in name:
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return "unknown place"
