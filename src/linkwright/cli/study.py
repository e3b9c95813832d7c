"""linkwright study, linkwright optimize: many runs as a file describes them."""

from __future__ import annotations

import csv
import json
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.atomic import replacing, room
from linkwright.cli import codes
from linkwright.cli.progress import Progress, watched
from linkwright.cli.sources import open_model
from linkwright.results.optional import needed

SHOWN = 5  # failures
ROWS = 24  # points that are told one by one


def study(args: Namespace) -> int:
    return _run(args, ("sweep", "monte_carlo"))


def optimize(args: Namespace) -> int:
    return _run(args, ("optimize",))


def _run(args: Namespace, kinds: tuple[str, ...]) -> int:
    import linkwright as lw
    from linkwright.studies.files import StudyFile

    model, _ = open_model(args.file, args.set)
    found = StudyFile(Path(args.study), model)
    if found.kind not in kinds:
        other = "optimize" if found.kind == "optimize" else "study"
        raise codes.UsageError(
            f"it describes another study, {found.kind}", element=args.study, remedy=f"linkwright {other} runs it"
        )
    _check_files(args, found.kind)
    arguments = dict(found.arguments)
    varied = arguments.pop({"sweep": "values", "monte_carlo": "spread", "optimize": "bounds"}[found.kind])
    if found.kind != "optimize":  # there it is where the search begins
        _refuse_set(args, varied)
    if getattr(args, "out", None):
        arguments["out"] = args.out
    arguments["progress"] = line = Progress(f"{found.kind} of {model.name}", at="{} points")
    call, code = getattr(lw, found.kind), codes.OK
    try:
        answer = watched(lambda: call(model, varied, **arguments), line)
    except KeyboardInterrupt as stop:
        answer, code = getattr(stop, "partial", None), codes.INTERRUPTED
        if answer is None:
            raise
    print(json.dumps(_for_programs(found.kind, answer), indent=2) if args.json else _for_people(found.kind, answer))
    if getattr(args, "page", None) and code == codes.OK:
        _family(model, answer, found.arguments, args.page)
    points = answer.history if found.kind == "optimize" else answer
    if args.table:
        _tabulate(points, Path(args.table))
    if args.picture:
        _draw(points, args.draw, Path(args.picture))
    if code == codes.INTERRUPTED:
        more = f"; the same command goes on from there, by {arguments['out']}.journal" if "out" in arguments else ""
        print(f"linkwright: interrupted; what was computed is told{more}", file=sys.stderr)
    return code


def _refuse_set(args: Namespace, varied: Mapping[str, Any]) -> None:
    if both := [name for name, _ in args.set if name in varied]:
        raise codes.UsageError(
            f"the study varies {', '.join(both)} itself: --set would change nothing", element=args.study,
            remedy="leave --set out, or change the values in the study's file",
        )  # fmt: skip


def _check_files(args: Namespace, kind: str) -> None:
    """What is wrong with files that are asked for is told before hours of computing, not after."""
    for path in (args.table, args.picture, getattr(args, "page", None)):
        if path:
            room(path)
    if args.picture and args.draw == "tornado" and kind != "monte_carlo":
        raise codes.UsageError(
            "there is no tornado of it", element="--draw", remedy="shares are those of a Monte Carlo study (spread:)"
        )


def _family(model: Any, study: Any, arguments: Mapping[str, Any], path: str) -> None:
    """The motions of the study's points."""
    import linkwright as lw
    from linkwright.studies.files import WORDS

    words = {word for kind in ("sweep", "monte_carlo") for word in WORDS[kind]}
    options = {name: value for name, value in arguments.items() if name not in words}
    lw.family(model, study.axes, path, analysis=arguments.get("analysis", "dynamics"), paired=study.paired, **options)


def _tabulate(study: Any, path: Path) -> None:
    """A row a point; empty where it failed."""
    columns = study.table()
    with replacing(path) as new, open(new, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            rows.writerow([repr(float(x)) if np.isfinite(x) else "" for x in row])


def _draw(study: Any, drawn: str, path: Path) -> None:
    """What was kept first, as the study's method of that name draws it."""
    needed("matplotlib", "--picture").use("Agg")
    single = [name for name, values in study.items() if values.ndim == len(study.shape)]
    if drawn == "tornado" and not single:
        raise codes.UsageError(
            "nothing of it is one number", element="--draw", remedy="keep a reduction, such as peak(A.fx)"
        )
    figure = getattr(study, drawn)(*single[:1] if drawn == "tornado" else []).figure
    try:
        with replacing(path) as new:
            figure.savefig(new, format=path.suffix.lstrip(".").lower() or "png", bbox_inches="tight", dpi=150)
    except ValueError as error:
        raise codes.UsageError(str(error), element=str(path), remedy="give a name such as study.png") from error


def _for_programs(kind: str, answer: Any) -> dict[str, Any]:
    if kind == "optimize":
        about = {"parameters": answer.parameters, "value": answer.value, "constraints": answer.constraints}
        return {**about, "success": answer.success, "message": answer.message, "points": answer.history.shape[0]}
    numbers = {name: _plain(v) for name, v in answer.items() if v.ndim == len(answer.shape)}
    failed = [{"index": f.index, "values": f.values, "error": str(f.error)} for f in answer.failed]
    return {"axes": {n: v.tolist() for n, v in answer.axes.items()}, "values": numbers, "failed": failed}


def _plain(values: np.ndarray) -> Any:
    """NaN is no word of JSON: null."""
    plain = values.astype(object)
    plain[~np.isfinite(values)] = None
    return plain.tolist()


def _for_people(kind: str, answer: Any) -> str:
    if kind == "optimize":
        rows = [f"{answer.message}", *(f"  {n} = {x:.6g}" for n, x in answer.parameters.items())]
        rows += [f"best value: {answer.value:.6g}", *(f"  {n}: {x:.6g}" for n, x in answer.constraints.items())]
        return "\n".join([*rows, f"points looked at: {answer.history.shape[0]}"])
    rows = [repr(answer)[1:-1]]
    for name, values in answer.items():
        good = values[np.isfinite(values)]
        if len(good):
            spread = f", mean {good.mean():.6g}, deviation {good.std():.3g}" if kind == "monte_carlo" else ""
            rows.append(f"  {name}: {good.min():.6g} ... {good.max():.6g}{spread}")
    rows += _statistics(answer) if kind == "monte_carlo" else _each(answer)
    rows += [f"  failed {f}" for f in answer.failed[:SHOWN]]
    return "\n".join(rows)


def _statistics(answer: Any) -> list[str]:
    """Of each number: a quantile, and who makes its variance."""
    from linkwright.results.spread import FEW

    rows: list[str] = []
    for name, values in answer.items():
        if values.ndim > 1 or np.isfinite(values).sum() < FEW:
            continue
        low, high = answer.interval(0.99)[name]
        where = f"{low:.6g} ... {high:.6g}" if np.isfinite(high) else f"above {low:.6g}: too few samples to say more,"
        rows.append(f"  {name}: 99 % are below {answer.quantile(0.99)[name]:.6g} ({where} with 95 %)")
        shares = sorted(answer.share[name].items(), key=lambda x: -x[1])
        rows.append("    shares of its variance: " + ", ".join(f"{n} {x:.3f}" for n, x in shares))
    return rows


def _each(answer: Any) -> list[str]:
    """Of few points the numbers of each."""
    columns = answer.table()
    if len(columns) == len(answer.axes) or int(np.prod(answer.shape)) > ROWS:
        return []
    width = {name: max(12, len(name)) for name in columns}
    head = " ".join(f"{name:>{width[name]}}" for name in columns)
    rows = zip(*columns.values(), strict=True)
    lines = [" ".join(f"{x:>{width[n]}.6g}" for n, x in zip(columns, row, strict=True)) for row in rows]
    return [f"  {line}" for line in (head, *lines)]
