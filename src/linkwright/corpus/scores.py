"""How many causes, culprits and remedies `check` has right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from linkwright.analyses.diagnosis.check import check
from linkwright.analyses.diagnosis.report import ODD, SERIOUS, Report
from linkwright.corpus.entries import Entry, entries
from linkwright.errors import LinkwrightError

SAID = {*SERIOUS, *ODD, "redundant", "antiparallel", "spin"}  # what no healthy machine is told


@dataclass(frozen=True)
class Score:
    """Of one machine; `said`: what was said instead, where something is not right."""

    entry: Entry
    cause: bool
    elements: bool
    remedy: bool
    seconds: float
    said: str = ""

    @property
    def right(self) -> bool:
        return self.cause and self.elements and self.remedy


def score(progress: Callable[[Score], None] | None = None) -> list[Score]:
    """Check all machines."""
    found = []
    for entry in entries():
        found.append(one(entry))
        if progress is not None:
            progress(found[-1])
    return found


def one(entry: Entry) -> Score:
    begin = perf_counter()
    try:
        model = entry.build()
        report = check(model, t_end=entry.t_end)
    except LinkwrightError as error:
        return Score(entry, False, False, False, perf_counter() - begin, f"{type(error).__name__}: {error}")
    codes = {f.code for f in report.findings}
    objected = codes & (SAID | {entry.code})
    own = [f for f in report.findings if f.code == entry.code]
    cause = objected <= {entry.code} | entry.also and (not entry.code or entry.code in codes)
    named = frozenset(n for f in own for n in f.elements)
    elements = named == entry.elements
    remedy, offers = (True, "") if not entry.code else _remedy(entry, model, report)
    wrong = [] if cause else [f"said {', '.join(sorted(objected)) or 'nothing'}"]
    wrong += [] if elements else [f"elements {', '.join(sorted(named))}"]
    wrong += [] if remedy else [f"remedies: {offers}"]
    return Score(entry, cause, elements, remedy, perf_counter() - begin, "; ".join(wrong))


def _remedy(entry: Entry, model: Any, report: Report) -> tuple[bool, str]:
    """Whether remedies are offered, the first of them works, and the one that is expected is among them and works."""
    fixes = [x for f in report.findings if f.code == entry.code for x in f.fixes]
    wanted = [x for x in fixes if entry.fix in x.text]
    if not wanted:
        return False, " | ".join(x.text for x in fixes) or "none"
    for fix in {fixes[0].text: fixes[0], wanted[0].text: wanted[0]}.values():
        after = check(fix.apply(model), t_end=entry.t_end)
        before = [f for f in report.findings if f.code == entry.code]
        left = [f for f in after.findings if f.code == entry.code]
        worked = after.dof < report.dof if entry.code == "free" else len(left) < len(before)
        if not worked or (after.ok < report.ok):
            return False, f"{fix.text} does not help"
    return True, ""
