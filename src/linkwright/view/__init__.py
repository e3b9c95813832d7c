"""Pictures of machines and results: plots, the animated page, reports. Knows no solver."""

from linkwright.view.plots import work_precision
from linkwright.view.report import report

__all__ = ["report", "work_precision"]
