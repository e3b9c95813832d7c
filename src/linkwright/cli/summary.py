"""What a run has to say: a table and plots for people, JSON for programs."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from linkwright.cli.codes import UsageError
from linkwright.errors import LinkwrightError
from linkwright.model.names import suggestion

if TYPE_CHECKING:
    from linkwright.examples import Example


def chosen(args: Namespace, answer: Any, found: Example | None) -> list[str]:
    """The channels to speak about: those asked for, those of the example, else what moves of the last body."""
    if args.plot:
        names = [name.strip() for name in args.plot.split(",")]
        for name in names:
            if name not in answer:
                raise UsageError(f"there is no channel {name!r}", element=name, remedy=suggestion(name, answer))
        return names
    if found and all(name in answer for name in found.plot):
        return list(found.plot)
    bodies = [n.removesuffix(".vx") for n in answer if n.endswith(".vx")]
    return [n for c in ("x", "y", "z", "angle") for n in (f"{bodies[-1]}.{c}",) if n in answer and moves(answer[n])]


def moves(values: Any) -> bool:
    return bool(values.max() - values.min() > 1e-9)


def span(answer: Any) -> str:
    return f"{len(answer.t)} points, t = {answer.t[0]:g} ... {answer.t[-1]:g} s"


def for_people(
    args: Namespace, analysis: str, answer: Any, seconds: float, written: list[str], found: Example | None
) -> None:
    from linkwright.cli.canvas import plot

    over_time = hasattr(answer, "t") and getattr(answer.t, "ndim", 0) == 1
    if not over_time:
        state(analysis, answer, seconds)
    else:
        print(f"{answer.model}: {analysis}, {span(answer)}, in {seconds:.2f} s")
        names = chosen(args, answer, found)
        width = max(map(len, names), default=0) + 8
        print(f"  {'channel':<{width}} {'least':>12} {'most':>12} {'at the end':>12}")
        for name in names:
            values = answer[name]
            unit = f"{name} [{answer.unit(name) or '-'}]" if hasattr(answer, "unit") else name
            print(f"  {unit:<{width}} {values.min():>12.6g} {values.max():>12.6g} {values[-1]:>12.6g}")
        if args.plot is not None:
            for name in names:
                print()
                print(plot(answer.t, answer[name], name))
    for note in getattr(getattr(answer, "audit", None), "notes", ()):
        print(f"  note: {note}")
    for path in written:
        print(f"  written: {path}")


def state(analysis: str, answer: Any, seconds: float) -> None:
    name = getattr(answer, "model", "")
    print(f"{name}: {analysis}, in {seconds:.2f} s" if name else f"{analysis}, in {seconds:.2f} s")
    if hasattr(answer, "stability"):
        print(f"  {answer.stability}")
    if hasattr(answer, "eigenvalues"):
        print("  frequencies [Hz]:", ", ".join(f"{f:.6g}" for f in answer.frequencies))
        print("  eigenvalues [1/s]:", ", ".join(f"{e:.6g}" for e in answer.eigenvalues))
        return
    ends = ("x", "y", "z", "angle", "e0", "e1", "e2", "e3", "displacement")
    rows: dict[str, list[str]] = {}
    for channel in answer:
        owner, _, end = channel.rpartition(".")
        if end in ends:
            value = answer[channel]
            rows.setdefault(owner, []).append(f"{end} = {value if abs(value) > 1e-12 else 0:.9g}")
    width = max(map(len, rows), default=0)
    for owner, values in rows.items():
        print(f"  {owner:<{width}}  {', '.join(values)}")


def for_programs(
    analysis: str, answer: Any, seconds: float, written: list[str], trouble: LinkwrightError | None, code: int
) -> dict[str, Any]:
    data: dict[str, Any] = {
        "analysis": analysis,
        "model": str(getattr(answer, "model", "")),
        "seconds": seconds,
        "code": code,
    }
    if hasattr(answer, "t") and getattr(answer.t, "ndim", 0) == 1:
        data |= {"points": len(answer.t), "t_start": float(answer.t[0]), "t_end": float(answer.t[-1])}
        data["channels"] = {
            name: {"min": float(v.min()), "max": float(v.max()), "end": float(v[-1])} for name, v in answer.items()
        }
        if hasattr(answer, "unit"):
            for name, entry in data["channels"].items():
                entry["unit"] = answer.unit(name)
    elif hasattr(answer, "eigenvalues"):
        data["eigenvalues"] = [[complex(e).real, complex(e).imag] for e in answer.eigenvalues]
        data["frequencies"] = [float(f) for f in answer.frequencies]
    else:
        data["values"] = {name: float(answer[name]) for name in answer}
        if hasattr(answer, "stability"):
            data["stability"] = answer.stability
    if hasattr(answer, "audit"):
        audit = {k: v for k, v in vars(answer.audit).items() if isinstance(v, str | int | float | list | dict | type(None))}
        data["audit"] = json.loads(json.dumps(audit, default=str))
    data["files"] = written
    if trouble is not None:
        data["error"] = {"kind": type(trouble).__name__, "cause": trouble.cause, "remedy": trouble.remedy}
        data["error"] |= {"element": list(trouble.element), "time": getattr(trouble, "time", None)}
    return data
