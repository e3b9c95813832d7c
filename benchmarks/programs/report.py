"""python -m benchmarks.programs.report: the manual's page of a recorded race, from the file that `make peers` writes."""

from __future__ import annotations

import json
from itertools import groupby
from math import floor, log10
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[2]
RECORDED, PAGE = HERE / "benchmarks" / "programs.json", HERE / "docs" / "peers.md"
SHIPPED = HERE / "src" / "linkwright" / "cli" / "programs.json"  # what `linkwright bench programs` shows
OURS, TUNED = "Linkwright", "Linkwright, tuned"
FINEST = 1e-6
COLOURS = ("#0b6e99", "#d9730d", "#448361", "#9065b0", "#c14c8a", "#787774", "#cb912f", "#d44c47", "#5b7fb5", "#8a6d3b")
WIDE, HIGH, LEFT, BOTTOM = 640, 260, 60, 36

HEAD = """# Beside other programs

The same machines in Linkwright and in the programs one would take instead, run to the same error. This page is made from a
recorded run of `make peers`; the machines, the settings and the references are in `benchmarks/programs`.

- The error is that of the numbers looked at, at the end of the run, against a reference that shares nothing with any of the
  programs: one or two coordinates written by hand, or published digits.
- Timed is a whole run of a machine that has been run before: in Linkwright the whole second call of `lw.dynamics` and the
  reading of the result, with default settings but for the tolerance; in the others the run of the model that has been built.
  Each program is tried at a series of steps or tolerances, and its cheapest setting that is exact enough takes part.
- One core, one thread, processor time; all programs in turn, medians of {repetitions} with quartiles in brackets.
- Every program makes two runs when it is its turn, and the second one counts: the first begins with what another
  program's run has left in the processor's caches, and is told below.
- "-": no setting that was tried is exact enough; a program that cannot say a machine is not in its line.
"""


def told(seconds: dict[str, float]) -> str:
    return f"{_ms(seconds['median'])} ({_ms(seconds['low'])} to {_ms(seconds['high'])})"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g}" if seconds < 10 else f"{1e3 * seconds:,.0f}"


def races(places: list[dict[str, Any]], wanted: float) -> list[str]:
    lines = [f"## To an error of {wanted:g}", "", "Milliseconds. Last: the best other program's time over ours.", ""]
    lines += ["| problem | Linkwright | setting | others, the fastest first | times |", "|---|---|---|---|---|"]
    for problem, own in groupby((p for p in places if p["wanted"] == wanted), key=lambda p: p["problem"]):
        found = {p["program"]: p for p in own}
        ours = found.get(OURS)
        others = sorted((p for k, p in found.items() if k not in (OURS, TUNED)), key=lambda p: p["seconds"]["median"])
        named = "; ".join(f"{p['program']} {told(p['seconds'])}, {p['setting']}" for p in others[:3]) or "none"
        ratio = f"{others[0]['seconds']['median'] / ours['seconds']['median']:.3g}" if others and ours else "-"
        cells = [told(ours["seconds"]), ours["setting"]] if ours else ["-", "-"]
        lines.append(f"| {problem} | {' | '.join(cells)} | {named} | {ratio} |")
    return [*lines, ""]


def better(places: list[dict[str, Any]]) -> list[str]:
    """Where another program is faster than Linkwright with default settings."""
    rows = []
    for p in places:
        ours = next(
            (o for o in places if (o["problem"], o["wanted"], o["program"]) == (p["problem"], p["wanted"], OURS)), None
        )
        if p["program"] in (OURS, TUNED) or (ours and ours["seconds"]["median"] <= p["seconds"]["median"]):
            continue
        by = (
            f"{ours['seconds']['median'] / p['seconds']['median']:.2g} times faster"
            if ours
            else "Linkwright does not reach it"
        )
        rows.append(f"- {p['problem']} to {p['wanted']:g}: {p['program']}, {by} ({p['setting']}).")
    return ["## Where another program is better", "", *(rows or ["Nowhere in this run."]), ""]


def summary(recorded: dict[str, Any]) -> dict[str, Any]:
    """A row for each problem and error: our time, the fastest other's, and whose it is."""
    rows, places = [], recorded["programs"]["places"]
    for (problem, wanted), own in groupby(places, key=lambda p: (p["problem"], p["wanted"])):
        found = {p["program"]: p for p in own}
        ours = found.pop(OURS, None)
        found.pop(TUNED, None)
        best = min(found.values(), key=lambda p: p["seconds"]["median"], default=None)
        rows.append({
            "problem": problem, "wanted": wanted, "ours": ours and ours["seconds"]["median"],
            "other": best and best["seconds"]["median"],
            "program": f"{best['program']}, {best['setting']}" if best else "none that was tried",
        })  # fmt: skip
    return {"machine": recorded["machine"]["processor"], "rows": rows}


def after(places: list[dict[str, Any]]) -> list[str]:
    """The first of the two runs of a turn, of Linkwright and of the fastest other program."""
    lines = [
        "## After another program's run",
        "",
        "Milliseconds of the first of the two runs of a turn, to an error of 1e-06.",
    ]
    lines += ["What it needs is not in the processor's caches, of which a long run feels less than a short one.", ""]
    lines += ["| problem | Linkwright | the fastest other | times |", "|---|---|---|---|"]
    for problem, own in groupby((p for p in places if p["wanted"] == FINEST), key=lambda p: p["problem"]):
        found = {p["program"]: p["after"] for p in own if p["program"] != TUNED}
        ours = found.pop(OURS, None)
        name = min(found, key=lambda k: found[k]["median"], default=None)
        if ours and name:
            ratio = found[name]["median"] / ours["median"]
            lines.append(f"| {problem} | {told(ours)} | {name} {told(found[name])} | {ratio:.3g} |")
    return [*lines, ""]


def keeping(points: list[dict[str, Any]], places: list[dict[str, Any]]) -> list[str]:
    """What the runs of the race to the finest error keep of joints and energy."""
    lines = ["## Joints and energy", ""]
    lines += ["Of the runs above to an error of 1e-06, at their end: the largest distance of two points that a joint holds"]
    lines += ["together, and the energy gained or lost where the machine keeps it. Computed by the same formulas for every"]
    lines += ["program, from the state that it ended in; joint coordinates have no gaps in an open chain.", ""]
    lines += ["| problem | program | gap [m] | energy [J] |", "|---|---|---|---|"]
    for p in racing(points, places):
        cells = ["-" if p.get(k) is None else f"{p[k]:.1e}" for k in ("gap", "drift")]
        if cells != ["-", "-"]:
            lines.append(f"| {p['problem']} | {p['program']} | {' | '.join(cells)} |")
    return [*lines, ""]


def beginnings(points: list[dict[str, Any]], places: list[dict[str, Any]], first: list[dict[str, Any]]) -> list[str]:
    """What comes before a repeated run, and what an evaluation costs."""
    lines = ["## Building, first answers, evaluations", ""]
    lines += [
        "Linkwright's first call in a new process, processor time after the import: cold with nothing kept anywhere, then"
    ]
    lines += ["with what that process left on disk.", "", "| problem | cold [s] | cached [s] |", "|---|---|---|"]
    lines += [f"| {f['problem']} | {f['cold']:.2f} | {f['cached']:.3f} |" for f in first]
    lines += ["", "Of the runs above to an error of 1e-06: building the model, the first run less a repeated one (what is"]
    lines += ["compiled or allocated then; Linkwright's comes from its cache), and a repeated run over the evaluations of"]
    lines += ["accelerations in it.", ""]
    lines += ["| problem | program | building [ms] | first run, more [ms] | evaluation [us] |", "|---|---|---|---|---|"]
    for p in racing(points, places):
        each = f"{1e6 * p['run'] / p['evaluations']:.3g}" if p["evaluations"] else "-"
        lines.append(
            f"| {p['problem']} | {p['program']} | {_ms(p['built'])} | {_ms(max(p['first'] - p['run'], 0))} | {each} |"
        )
    return [*lines, ""]


def racing(points: list[dict[str, Any]], places: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that take part in the race to the finest error, at the setting of each."""
    found = {(p["problem"], p["program"], p["setting"]): p for p in points}
    raced = (p for p in places if p["wanted"] == FINEST and p["program"] != TUNED)
    return [found[p["problem"], p["program"], p["setting"]] for p in raced]


def many(batches: list[dict[str, Any]]) -> list[str]:
    lines = ["## Many runs", ""]
    lines += ["A second of the slider-crank from many speeds, runs a second of one core's time, and the largest error."]
    lines += ["`lw.sweep` in SIMD lanes, the whole call, beside MuJoCo's `rollout`.", ""]
    lines += ["| program | setting | error | runs/s |", "|---|---|---|---|"]
    for b in batches:
        r = b["runs_per_second"]
        cells = [b["program"], b["setting"], f"{b['error']:.1e}"]
        lines.append(f"| {' | '.join(cells)} | {r['median']:,.0f} ({r['low']:,.0f} to {r['high']:,.0f}) |")
    return [*lines, ""]


CURVES = {"error": "error", "gap": "gap of the joints [m]", "drift": "energy gained or lost [J]"}
CLEAR = 1e-13  # gaps and drifts below are rounding, and show nothing


def curves(points: list[dict[str, Any]]) -> list[str]:
    lines = ["## Work and precision", ""]
    lines += [
        "Error, gaps of joints and drift of energy at the end, over the milliseconds of a repeated run; logarithmic.",
        "",
    ]
    for problem, own in groupby(points, key=lambda p: p["problem"]):
        shown = list(own)
        lines += [f"**{problem}**", "", "```{raw} html"]
        for what in CURVES:
            known = [p for p in shown if p.get(what) is not None]
            if any(p[what] > CLEAR for p in known):
                lines.append(picture(problem, known, what))
        lines += ["```", ""]
    return lines


def picture(problem: str, points: list[dict[str, Any]], what: str) -> str:
    """A logarithmic plot: of each program and series of settings a line."""
    programs = list(dict.fromkeys(p["program"] for p in points))
    height = lambda p: log10(min(max(p[what], CLEAR), 1e2))  # noqa: E731
    x = [log10(max(1e3 * p["run"], 1e-3)) for p in points]
    y = [height(p) for p in points]
    low, high = (floor(min(x)), floor(min(y))), (floor(max(x)) + 1, floor(max(y)) + 1)
    plot = WIDE - LEFT - 130, HIGH - BOTTOM - 10

    def at(a: float, b: float) -> tuple[float, float]:
        along = (a - low[0]) / (high[0] - low[0])
        return LEFT + plot[0] * along, 10 + plot[1] * (1 - (b - low[1]) / (high[1] - low[1]))

    out = [f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{problem}: {CURVES[what]} over time" class="curves">']
    out.append(f'<text x="{LEFT + 6}" y="22" font-size="12" fill="currentColor">{CURVES[what]}</text>')
    for k in range(low[0], high[0] + 1):
        a, _ = at(k, low[1])
        out.append(f'<path d="M{a:.1f} 10V{10 + plot[1]}" stroke="currentColor" stroke-opacity=".15"/>')
        out.append(
            f'<text x="{a:.1f}" y="{HIGH - 18}" font-size="11" text-anchor="middle" fill="currentColor">{10.0**k:g}</text>'
        )
    for k in range(low[1], high[1] + 1, 1 if high[1] - low[1] < 8 else 2):
        _, b = at(low[0], k)
        out.append(f'<path d="M{LEFT} {b:.1f}h{plot[0]}" stroke="currentColor" stroke-opacity=".15"/>')
        out.append(f'<text x="{LEFT - 6}" y="{b + 4:.1f}" font-size="11" text-anchor="end" fill="currentColor">1e{k}</text>')
    for i, program in enumerate(programs):
        colour, own = COLOURS[i % len(COLOURS)], [p for p in points if p["program"] == program]
        for _, series in groupby(own, key=lambda p: p["setting"].rsplit(" ", 1)[0] + str(p["tuned"])):
            places = [at(log10(max(1e3 * p["run"], 1e-3)), height(p)) for p in series]
            way = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
            out.append(f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
            out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.6" fill="{colour}"/>' for a, b in places]
        out.append(f'<text x="{WIDE - 120}" y="{20 + 16 * i}" font-size="12" fill="{colour}">{program}</text>')
    return "\n".join([*out, "</svg>"])


def page(recorded: dict[str, Any]) -> str:
    from benchmarks.programs.race import REPETITIONS

    points, places = recorded["programs"]["points"], recorded["programs"]["places"]
    machine, versions = recorded["machine"], recorded["versions"]
    lines = [HEAD.format(repetitions=REPETITIONS)]
    for wanted in sorted({p["wanted"] for p in places}):
        lines += races(places, wanted)
    lines += better(places) + after(places) + keeping(points, places)
    lines += beginnings(points, places, recorded["programs"]["first"])
    lines += many(recorded["programs"]["batches"]) + curves(points)
    named = ", ".join(f"{k} {v}" for k, v in versions.items() if v != "not installed")
    lines += ["## What it ran on", "", f"{machine['processor']}, {machine['system']}. {named}.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    found = json.loads(RECORDED.read_text())
    PAGE.write_text(page(found))
    SHIPPED.write_text(json.dumps(summary(found), indent=1) + "\n")
    print(f"wrote {PAGE.relative_to(HERE)} and {SHIPPED.relative_to(HERE)}")
