"""Named channels: what analyses answer with. Knows no solver."""

from linkwright.results.result import Audit, Channels, Configuration, Result

__all__ = ["Audit", "Channels", "Configuration", "Result"]
