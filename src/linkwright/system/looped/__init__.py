"""Large machines: equations of elements compiled once for each shape, called in native loops, solved sparsely."""

from linkwright.system.looped.flow import LoopedFlow
from linkwright.system.looped.looped import LoopedSystem

__all__ = ["LoopedFlow", "LoopedSystem"]
