"""Remedies are tried before they are offered: each on a copy of the model, which `check` must then find mended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from linkwright.analyses.assembly.closure import impatient
from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.diagnosis.report import ODD, SERIOUS, Report
from linkwright.analyses.machine.ask import ask
from linkwright.model import Finding, Fix

MOST_OFFERED = 5
OPEN = ("contradiction", "exact-fit")  # a machine that does not close is to move when it does
MOST_TRIED, MOST_TRIED_LARGE = 40, 4  # a trial costs a check; of a large machine that is a second


def offered(case: Case, finding: Finding, candidates: Iterator[Fix]) -> list[Fix]:
    """Those of the candidates that mend the finding, the best first: those that leave fewest objections, a machine that
    moves, and fewest redundant equations; then those that were thought of first. Findings about the same have the same."""
    key = finding.code, finding.elements
    if key not in case.offered:
        case.offered[key] = _offered(case, finding, candidates)
    return case.offered[key]


def _offered(case: Case, finding: Finding, candidates: Iterator[Fix]) -> list[Fix]:
    found: list[tuple[tuple[int, ...], Fix]] = []
    for k, fix in enumerate(islice(candidates, MOST_TRIED_LARGE if case.large else MOST_TRIED)):
        if any(fix.text == known.text for _, known in found):
            continue
        after = tried(case, fix)
        if after is not None and mended(case.report, finding, after):
            more = after.redundant_count - (0 if finding.code == "redundant" else case.report.redundant_count)
            stuck = 0 if after.mobility or finding.code not in OPEN else 1
            found.append(((len(objecting(after)), stuck, max(more, 0), k), replace(fix, outcome=after.summary)))
            if sum(not any(key[:3]) for key, _ in found) >= MOST_OFFERED:
                break
    return [fix for _, fix in sorted(found, key=lambda x: x[0])[:MOST_OFFERED]]


def tried(case: Case, fix: Fix) -> Report | None:
    """What `check` says of a copy with the remedy; None where it cannot be made."""
    with impatient():
        return ask(lambda: case.again(fix.apply(case.model))).found


def objecting(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.code in SERIOUS or f.code in ODD]


def mended(before: Report, finding: Finding, after: Report) -> bool:
    """Whether the finding is gone and nothing worse has come in its place."""
    if before.closed and not after.closed:
        return False
    if finding.code == "free":
        return after.dof < before.dof and not after.redundant_count > before.redundant_count and not _new(before, after)
    if finding.code == "redundant":
        same_freedom = (after.mobility, after.dof) == (before.mobility, before.dof)
        return same_freedom and after.redundant_count < before.redundant_count and not _new(before, after)
    same = {f.elements for f in before.findings if f.code == finding.code}
    remaining = [f for f in after.findings if f.code == finding.code]
    gone = len(remaining) < len(same) or (len(same) == 1 and not remaining)
    return gone and not any(f.elements == finding.elements for f in remaining) and not _new(before, after)


def _new(before: Report, after: Report) -> bool:
    """Whether there are objections of another kind, or more of a kind, than before. What was hidden while the machine did
    not close does not count, unless it is serious."""
    known: dict[str, int] = {}
    for f in before.findings:
        known[f.code] = known.get(f.code, 0) + 1
    seen: dict[str, int] = {}
    for f in objecting(after) if before.closed else [f for f in after.findings if f.code in SERIOUS]:
        seen[f.code] = seen.get(f.code, 0) + 1
    return any(count > known.get(code, 0) for code, count in seen.items())
