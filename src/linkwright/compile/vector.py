"""Types of LLVM for a number in each of several lanes."""

from __future__ import annotations

import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Vector:
    """The type of a value: ``lanes`` doubles side by side."""

    lanes: int

    @property
    def double(self) -> str:
        return "double" if self.lanes == 1 else f"<{self.lanes} x double>"

    @property
    def i64(self) -> str:
        return self.of("i64")

    @property
    def i1(self) -> str:
        return self.of("i1")

    def of(self, element: str) -> str:
        return element if self.lanes == 1 else f"<{self.lanes} x {element}>"

    @property
    def suffix(self) -> str:
        return "f64" if self.lanes == 1 else f"v{self.lanes}f64"

    def constant(self, x: float) -> str:
        bits = f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
        return self.splat("double", bits)

    def splat(self, element: str, value: str) -> str:
        if self.lanes == 1:
            return value
        return "<" + ", ".join([f"{element} {value}"] * self.lanes) + ">"
