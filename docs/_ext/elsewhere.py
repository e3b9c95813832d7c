"""The corpus of broken machines in other programs: tables of a recorded run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).resolve().parents[2] / "benchmarks" / "broken" / "recorded.json"
PROGRAMS = ("MuJoCo", "Exudyn")
APART = 0.01  # [m, rad] joints that are open: soft constraints of healthy machines stay below
SHORT = 110  # characters of what a program says


def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def message(answer: dict[str, Any]) -> str:
    """What the program says, the telling part of it."""
    first = next((x for x in answer.get("printed", "").split(" | ") if re.search("Jacobian|converg", x)), "")
    first = first.split("::")[-1].replace("InitializeSolverInitialConditions: ", "").replace("!The", "! The")
    return re.sub(r"The solver returned the causing system", "The causing", first).strip() or answer["text"].replace(
        "\n", ", "
    )


def names(row: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Whether one of the culprits is named in it."""
    said = f"{answer['text']} {answer.get('printed', '')}"
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) for name in row["elements"] if len(name) > 1)


def told(answer: dict[str, Any]) -> str:
    if answer["outcome"] == "inexpressible":
        return "—"
    said = message(answer)
    short = said if len(said) <= SHORT else f"{said[:SHORT].rsplit(' ', 1)[0]} …"
    if answer["outcome"] in ("refused", "warned", "stopped"):
        return f"{answer['outcome']}: {short}"
    counted = answer.get("redundant")
    more = f"; counts {counted} redundant where asked" if isinstance(counted, int) and counted else ""
    apart = f", a joint open by {answer['open']:.2g}" if answer.get("open", 0.0) > APART else ""
    return f"runs, says nothing{apart}{more}"


def summary() -> str:
    data = recorded()
    rows = [
        "| | " + " | ".join(f"{p} {data['versions'][p]}" for p in PROGRAMS) + " |", "|---|" + "---|" * len(PROGRAMS)
    ]  # fmt: skip
    broken = [r for r in data["machines"] if r["code"]]
    counts: dict[str, list[int]] = {}
    for p in PROGRAMS:
        own = [r for r in broken if r[p]["outcome"] != "inexpressible"]
        silent = [r for r in own if r[p]["outcome"] == "ran"]
        apart = [r for r in silent if r[p].get("open", 0.0) > APART]
        for name, found in (
            ("broken machines that it can express", own), ("it runs them and says nothing", silent),
            ("of these, a joint stays open by more than 1 cm", apart),
            ("it stops, warns or refuses", [r for r in own if r[p]["outcome"] != "ran"]),
            ("what it says names an element at fault", [r for r in own if names(r, r[p])]),
            ("healthy machines that it runs", [r for r in data["machines"] if not r["code"] and r[p]["outcome"] == "ran"]),
        ):  # fmt: skip
            counts.setdefault(name, []).append(len(found))
    return "\n".join([*rows, *(f"| {name} | {' | '.join(map(str, own))} |" for name, own in counts.items())])


def table() -> str:
    rows = ["| machine | code here | MuJoCo | Exudyn |", "|---|---|---|---|"]
    for r in recorded()["machines"]:
        if r["code"] and any(r[p]["outcome"] != "inexpressible" for p in PROGRAMS):
            cells = [told(r[p]).replace("|", "\\|").replace("<", "&lt;") for p in PROGRAMS]
            rows.append(f"| {r['machine']} | [{r['code']}](codes/{r['code']}.md) | {' | '.join(cells)} |")
    return "\n".join(rows)
