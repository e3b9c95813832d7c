"""Errors of analyses, told as findings: what `check` objects to in the machine, and what the error itself says."""

from __future__ import annotations

from linkwright.analyses.diagnosis.check import check
from linkwright.analyses.diagnosis.report import ODD, SERIOUS
from linkwright.analyses.machine.ask import ask
from linkwright.errors import LinkwrightError, SingularityError
from linkwright.model import Finding, Model

LATER = 1.05  # of the time at which a motion stopped: how far a remedy must let it go


def explain(error: LinkwrightError, model: Model, t: float, t_end: float | None) -> list[Finding]:
    """The findings that explain an error; what the error says by itself where there are none."""
    ahead = None
    if isinstance(error, SingularityError) and error.time is not None and error.time > t:
        ahead = max(t + LATER * (error.time - t), t_end or t)
    checked = ask(check, model, t, t_end=ahead)
    if checked.found is None:
        return [_itself(checked.wrong or error)]
    report = checked.found
    found = [f for f in report.findings if f.code in SERIOUS or f.code in ODD]
    wanted = [f for f in report.findings if f.code == "free" and "driv" in error.cause]
    return found + wanted or [_itself(error)]


def _itself(error: LinkwrightError) -> Finding:
    return Finding("stopped", error.element, error.told, error.remedy, error.cause, "there is no result beyond this")
