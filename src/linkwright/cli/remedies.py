"""Remedies by number, and findings as data: for the terminal, for programs and for the page."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linkwright.analyses.diagnosis.report import Report
    from linkwright.model import Fix


def listed(report: Report, every: bool = True) -> list[Fix]:
    """Remedies by number, each text once: those of objections first, so that numbers are the same however it was asked.
    What is good to drive is said in words already: drivers as remedies only where all of them are asked for."""
    found: dict[str, Fix] = {}
    for f in sorted(report.findings, key=lambda f: f.code == "free"):
        for fix in f.fixes if every or f.code != "free" else ():
            found.setdefault(fix.text, fix)
    return list(found.values())


def as_data(report: Report) -> dict[str, Any]:
    """The report as numbers and texts; `fix` of a remedy is its number for --fix."""
    numbers = {fix.text: n for n, fix in enumerate(listed(report), 1)}
    own = {f.name: getattr(report, f.name) for f in fields(report) if f.name != "findings"}
    findings = [f.data() for f in report.findings]
    for fix in (x for f in findings for x in f["fixes"]):
        fix["fix"] = numbers[fix["text"]]
    return {**own, "findings": findings}


def objecting(report: Report, tried: bool = False) -> list[dict[str, Any]]:
    """The findings that something can be done about, for the page; `tried`: with their remedies, which takes a few checks.
    A remedy of several findings is told with the first."""
    left = {fix.text: n for n, fix in enumerate(listed(report, every=False), 1)} if tried else {}
    out = []
    for f in report.findings:
        if f.code == "free":
            continue
        own = [x for x in f.fixes if x.text in left] if tried else []
        fixes = [{"text": x.text, "outcome": x.outcome, "fix": left.pop(x.text)} for x in own]
        out.append({
            "code": f.code, "elements": list(f.elements), "text": f.text, "remedy": f.remedy, "effect": f.effect,
            "fixes": fixes,
        })  # fmt: skip
    return out
