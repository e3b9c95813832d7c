"""From graph to machine code: one machine, SIMD lanes of machines, all cores; kept on disk. Knows no mechanics."""

from linkwright.compile.function import Function

__all__ = ["Function"]
