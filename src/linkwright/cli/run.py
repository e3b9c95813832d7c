"""linkwright run: one analysis, its summary, and what was asked to be written or plotted."""

from __future__ import annotations

import inspect
import json
import sys
from argparse import Namespace
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from linkwright.cli import codes
from linkwright.cli.main import tell
from linkwright.cli.progress import Progress, watched
from linkwright.cli.sources import open_model, public
from linkwright.errors import LinkwrightError

if TYPE_CHECKING:
    from linkwright.examples import Example
    from linkwright.model import Model

RESULTS = (".nc", ".csv", ".parquet")
OVER_TIME = ("kinematics", "dynamics", "inverse-dynamics")


def run(args: Namespace) -> int:
    if args.out and Path(args.out).suffix not in RESULTS:
        raise codes.UsageError(f"results are not written as {args.out!r}", remedy=f"choose one of {', '.join(RESULTS)}")
    model, found = open_model(args.file, args.set)
    analysis = args.analysis or _usual(model)
    started = perf_counter()
    code, trouble = codes.OK, None
    try:
        answer = analyse(model, analysis, _options(args, analysis, found))
    except LinkwrightError as error:
        if error.partial is None:
            raise
        answer, trouble, code = error.partial, error, codes.code_of(error)
    except KeyboardInterrupt as stop:
        answer, code = getattr(stop, "partial", None), codes.INTERRUPTED
        if answer is None:
            raise
        answer.audit.notes.append("the run was interrupted: this is what it had computed")
    seconds = perf_counter() - started
    written = _write(args, model, answer, found)
    if args.json:
        print(json.dumps(_for_programs(analysis, answer, seconds, written, trouble, code), indent=2))
        return code
    _for_people(args, analysis, answer, seconds, written, found)
    if trouble is not None:
        sys.stdout.flush()
        tell(trouble)
    elif code == codes.INTERRUPTED:
        print("linkwright: interrupted; what was computed is kept", file=sys.stderr)
    return code


def _usual(model: Model) -> str:
    from linkwright.model import Driver

    return "kinematics" if any(isinstance(e, Driver) for e in model.elements.values()) else "dynamics"


def _options(args: Namespace, analysis: str, found: Example | None) -> dict[str, Any]:
    if analysis not in OVER_TIME:
        return {}
    t_end = args.t_end if args.t_end is not None else found.t_end if found else 1.0
    steps = args.steps if args.steps is not None else found.steps if found else 200
    options: dict[str, Any] = {"t_end": t_end, "steps": steps}
    if args.branch is not None:
        options["branch"] = args.branch
    return options


def analyse(model: Model, analysis: str, options: dict[str, Any]) -> Any:
    """The answer of an analysis by its name on the command line."""
    function = public(analysis.replace("-", "_"), f"the analysis {analysis!r}")
    progress = Progress(analysis)
    if analysis == "linearize":
        equilibrium = public("equilibrium", "equilibrium")
        return watched(lambda: function(model, equilibrium(model)), progress)
    known = inspect.signature(function).parameters
    if "progress" in known:
        options = {**options, "progress": progress}
    if "branch" in options and "branch" not in known:
        raise codes.UsageError(f"{analysis} knows no branches", remedy="leave --branch out")
    return watched(lambda: function(model, **options), progress)


def _write(args: Namespace, model: Model, answer: Any, found: Example | None) -> list[str]:
    written = []
    if args.out:
        if not hasattr(answer, "save"):
            raise codes.UsageError("this analysis has no result over time to write", remedy="leave --out out")
        answer.save(args.out)
        written.append(args.out)
    if args.report:
        page(model, answer, args.report, found)
        written.append(args.report)
    return written


def page(model: Model, answer: Any, path: str, found: Example | None) -> None:
    """The page of a result: the report if this version makes reports, else the machine in motion."""
    about: dict[str, Any] = {"model": model, "check": public("check", "check")(model)}
    if found:
        about |= {"trace": found.points(model), "channels": [c for c in found.plot if c in answer]}
    try:
        make = import_module("linkwright.view.report").report
    except (ImportError, AttributeError):
        make = getattr(type(answer), "animate", None)
    if make is None:
        raise codes.UsageError("pages are not available in this version", remedy="leave --report out")
    known = inspect.signature(make).parameters.values()
    if not any(p.kind is p.VAR_KEYWORD for p in known):
        about = {key: value for key, value in about.items() if key in {p.name for p in known}}
    make(answer, path, **about)


# -- what is said -------------------------------------------------------------------------------------------------------


def _chosen(args: Namespace, answer: Any, found: Example | None) -> list[str]:
    """The channels to speak about: those asked for, those of the example, else what moves of the last body."""
    if args.plot:
        return [name.strip() for name in args.plot.split(",")]
    if found and all(name in answer for name in found.plot):
        return list(found.plot)
    bodies = [n.removesuffix(".vx") for n in answer if n.endswith(".vx")]
    return [n for c in ("x", "y", "z", "angle") for n in (f"{bodies[-1]}.{c}",) if n in answer and _moves(answer[n])]


def _moves(values: Any) -> bool:
    return bool(values.max() - values.min() > 1e-9)


def _span(answer: Any) -> str:
    return f"{len(answer.t)} points, t = {answer.t[0]:g} ... {answer.t[-1]:g} s"


def _for_people(
    args: Namespace, analysis: str, answer: Any, seconds: float, written: list[str], found: Example | None
) -> None:
    from linkwright.cli.canvas import plot

    over_time = hasattr(answer, "t") and getattr(answer.t, "ndim", 0) == 1
    if not over_time:
        _state(analysis, answer, seconds)
    else:
        print(f"{answer.model}: {analysis}, {_span(answer)}, in {seconds:.2f} s")
        names = _chosen(args, answer, found)
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


def _state(analysis: str, answer: Any, seconds: float) -> None:
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


def _for_programs(
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
