"""linkwright study, linkwright optimize: many runs as a file describes them."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.atomic import replacing
from linkwright.cli import codes
from linkwright.cli.progress import Progress, watched
from linkwright.cli.sources import open_model
from linkwright.results.optional import needed

SHOWN = 5  # failures


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
    arguments = dict(found.arguments)
    varied = arguments.pop({"sweep": "values", "monte_carlo": "spread", "optimize": "bounds"}[found.kind])
    if getattr(args, "out", None):
        arguments["out"] = args.out
    line = Progress(f"{found.kind} of {model.name}")
    if found.kind != "optimize":
        arguments["progress"] = line
    call = getattr(lw, found.kind)
    answer = watched(lambda: call(model, varied, **arguments), line)
    if getattr(args, "page", None):
        _family(model, answer, found.arguments, args.page)
    if args.picture:
        _draw(answer.history if found.kind == "optimize" else answer, Path(args.picture))
    print(json.dumps(_for_programs(found.kind, answer), indent=2) if args.json else _for_people(found.kind, answer))
    return codes.OK


def _family(model: Any, study: Any, arguments: Mapping[str, Any], path: str) -> None:
    """The motions of the study's points."""
    import linkwright as lw
    from linkwright.studies.files import WORDS

    words = {word for kind in ("sweep", "monte_carlo") for word in WORDS[kind]}
    options = {name: value for name, value in arguments.items() if name not in words}
    lw.family(model, study.axes, path, analysis=arguments.get("analysis", "dynamics"), paired=study.paired, **options)


def _draw(study: Any, path: Path) -> None:
    """What was kept first, as `plot` draws it."""
    needed("matplotlib", "--picture").use("Agg")
    figure = study.plot().figure
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
    rows += [f"  failed {f}" for f in answer.failed[:SHOWN]]
    return "\n".join(rows)
