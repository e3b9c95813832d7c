"""linkwright bench: how long examples take here, how well broken machines are explained, a race with other programs."""

from __future__ import annotations

import json
from argparse import Namespace
from importlib import resources
from time import perf_counter
from typing import Any

from linkwright.cli import codes
from linkwright.cli.sources import public
from linkwright.examples import EXAMPLES


def bench(args: Namespace) -> int:
    return {"diagnosis": diagnosis, "examples": examples, "programs": programs}[args.what](args)


def programs(args: Namespace) -> int:
    """The race that was recorded with this version: whole repeated runs to the same error."""
    text = resources.files("linkwright.cli").joinpath("programs.json").read_text(encoding="utf-8")
    if args.json:
        print(text, end="")
        return codes.OK
    recorded = json.loads(text)
    print(f"{'problem':<21} {'error':>6} {'Linkwright':>12} {'fastest other':>14}  {'times':>6}  program, setting")
    for r in recorded["rows"]:
        ours, other = (f"{1e3 * r[k]:.4g} ms" if r[k] else "-" for k in ("ours", "other"))
        times = f"{r['other'] / r['ours']:.3g}" if r["ours"] and r["other"] else "-"
        print(f"{r['problem']:<21} {r['wanted']:>6g} {ours:>12} {other:>14}  {times:>6}  {r['program']}")
    print(f"\nRecorded on {recorded['machine']}; processor time of a repeated run, one core.")
    print("The machines, all figures and how to run them again: benchmarks/programs in the source, `make peers`.")
    return codes.OK


def diagnosis(args: Namespace) -> int:
    """The score of `check` on the corpus of broken machines: every cause, culprit and remedy that is right."""
    from linkwright.corpus import Score, score
    from linkwright.corpus.entries import GROUPS

    def told(s: Score) -> None:
        if not s.right and not args.json:
            print(f"  {s.entry.group}: {s.entry.name}, expected {s.entry.code or 'nothing'}: {s.said}")

    started = perf_counter()
    scores = score(told)
    right = sum(s.right for s in scores)
    if args.json:
        rows = [
            {"name": s.entry.name, "group": s.entry.group, "code": s.entry.code, "elements": sorted(s.entry.elements),
             "cause": s.cause, "elements_right": s.elements, "remedy": s.remedy, "seconds": s.seconds, "said": s.said}
            for s in scores
        ]  # fmt: skip
        print(json.dumps({"machines": len(scores), "right": right, "scores": rows}, indent=2))
        return codes.OK if right == len(scores) else codes.MODEL
    print(f"{'group':<12} {'machines':>8} {'cause':>7} {'elements':>9} {'remedy':>7} {'seconds':>8}")
    for group in [*GROUPS, "all"]:
        own = [s for s in scores if group in (s.entry.group, "all")]
        sums = [sum(s.cause for s in own), sum(s.elements for s in own), sum(s.remedy for s in own)]
        print(f"{group:<12} {len(own):>8} {sums[0]:>7} {sums[1]:>9} {sums[2]:>7} {sum(s.seconds for s in own):>8.1f}")
    print(f"\n{right} of {len(scores)} machines right in all three, in {perf_counter() - started:.0f} s.")
    return codes.OK if right == len(scores) else codes.MODEL


def examples(args: Namespace) -> int:
    started = perf_counter()
    kinematics = public("kinematics", "kinematics")
    if not args.json:
        print(f"{'kinematics of':<29} {'read':>9} {'first run':>10} {'again':>9} {'a point':>10}")
    rows: list[dict[str, Any]] = []
    for e in EXAMPLES.values():
        if e.analysis != "kinematics":
            continue
        clock = perf_counter()
        model = e.load()
        read = perf_counter() - clock
        times = []
        for _ in range(3):
            clock = perf_counter()
            result = kinematics(model, t_end=e.t_end, steps=e.steps)
            times.append(perf_counter() - clock)
        again, points = min(times[1:]), len(result.t)
        rows.append({"name": e.name, "read": read, "first": times[0], "again": again, "points": points})
        if not args.json:
            ms = [1e3 * x for x in (read, times[0], again)]
            print(f"{e.name:<29} {ms[0]:>6.1f} ms {ms[1]:>7.1f} ms {ms[2]:>6.1f} ms {1e6 * again / points:>7.1f} us")
    if args.json:
        print(json.dumps(rows, indent=2))
    else:
        print(f"\nAll in {perf_counter() - started:.1f} s. A first run translates the machine's equations to native code,")
        print("or finds them translated by an earlier run.")
    return codes.OK
