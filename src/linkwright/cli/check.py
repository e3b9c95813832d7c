"""linkwright check"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwright.cli import codes
from linkwright.cli.codes import UsageError
from linkwright.cli.progress import Progress, watched
from linkwright.cli.sources import open_model, public

if TYPE_CHECKING:
    from linkwright.analyses.diagnosis.report import Report
    from linkwright.model import Fix, Model


def check(args: Namespace) -> int:
    model, _ = open_model(args.file, args.set)
    report = watched(lambda: public("check", "check")(model, t_end=args.t_end), Progress("check"))
    fixes = watched(lambda: listed(report, every=args.json or args.fix is not None), Progress("check"))
    if args.fix is not None:
        return _mended(args, model, fixes)
    if args.json:
        print(json.dumps(as_data(report), indent=2))
    else:
        print(report)
        _print(fixes, args.file)
        if fixes and _someone_is_there() and (chosen := _chosen(len(fixes))):
            args.fix = chosen
            return _mended(args, model, fixes)
    if report.ok:
        return codes.OK
    open_loop = any(f.code in ("not-closing", "contradiction", "exact-fit") for f in report.findings)
    return codes.ASSEMBLY if open_loop else codes.MODEL


def _print(fixes: list[Fix], file: str) -> None:
    if not fixes:
        return
    print("\n  what was tried on a copy and mends it:")
    for n, fix in enumerate(fixes, 1):
        print(f"  {n:>3}  {fix.text}\n       {fix.outcome}")
    print(f"  linkwright check {file} --fix N --out mended.yaml writes the mended machine")


def _someone_is_there() -> bool:
    """Whether questions are answered: not in a script, nor where output goes to a file."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _chosen(count: int) -> int:
    """The number of the remedy that is typed; 0 for none."""
    while True:
        try:
            text = input(f"  which one shall be made, 1 to {count}? (Enter: none) ").strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return 0
        if not text:
            return 0
        if text.isascii() and text.isdigit() and 1 <= int(text) <= count:
            return int(text)
        print(f"  {text!r} is none of them")


def _mended(args: Namespace, model: Model, fixes: list[Fix]) -> int:
    if not 1 <= args.fix <= len(fixes):
        known = f"there are {len(fixes)}" if fixes else "there are none"
        raise UsageError(f"there is no remedy {args.fix}: {known}", remedy="linkwright check FILE lists them by number")
    fix = fixes[args.fix - 1]
    out = args.out or f"{Path(args.file).stem}-mended.yaml"
    fix.apply(model).save(out)
    if args.json:
        print(json.dumps({"out": out, **fix.data()}, indent=2))
    else:
        print(f"{out}: {fix.text}\n  {fix.outcome}")
    return codes.OK


# Remedies by number, and findings as data: for the terminal, for programs and for the page.


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
