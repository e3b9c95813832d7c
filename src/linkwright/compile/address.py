"""Where the numbers of an array lie in memory, for code that has no types."""

from __future__ import annotations

from ctypes import addressof, c_char
from typing import Any

import numpy as np

_as_bytes: Any = c_char.from_buffer


def address(x: np.ndarray) -> int:
    """Of its first number. `ndarray.ctypes` says the same and takes ten times as long, which a run of a tenth of a
    millisecond would feel."""
    first = x[:1]
    if first.nbytes and first.flags.carray:
        return addressof(_as_bytes(first))
    where: int = x.ctypes.data
    return where
