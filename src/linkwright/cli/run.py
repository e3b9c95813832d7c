"""linkwright run: one analysis, its summary, and what was asked to be written or plotted."""

from __future__ import annotations

import inspect
import json
import sys
from argparse import Namespace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from linkwright.atomic import ResultFileError, room
from linkwright.cli import codes
from linkwright.cli.main import tell
from linkwright.cli.progress import Progress, watched
from linkwright.cli.sources import is_result, open_model, public, span
from linkwright.cli.summary import for_people, for_programs
from linkwright.errors import LinkwrightError

if TYPE_CHECKING:
    from linkwright.examples import Example
    from linkwright.model import Model

OVER_TIME = ("kinematics", "dynamics", "inverse-dynamics")
LONG = 200_000  # steps: more go to the file as they come, and need no memory


def run(args: Namespace) -> int:
    if args.out and not is_result(args.out):
        from linkwright.model.files import RESULTS

        raise codes.UsageError(f"results are not written as {args.out!r}", remedy=f"choose one of {', '.join(RESULTS)}")
    model, found = open_model(args.file, args.set)
    analysis = args.analysis or _usual(model)
    options = _options(args, analysis, found)
    _ready(args)
    is_long = analysis in OVER_TIME and options["steps"] > LONG
    file = args.out if args.out and args.out.lower().endswith(".nc") and is_long else None
    started = perf_counter()
    code, trouble = codes.OK, None
    try:
        answer = record(model, analysis, options, file) if file else analyse(model, analysis, options)
    except LinkwrightError as error:
        if error.partial is None:
            raise
        answer, trouble, code = error.partial, error, codes.code_of(error)
    except KeyboardInterrupt as stop:
        answer, code = getattr(stop, "partial", None), codes.INTERRUPTED
        if answer is None:
            raise
        if (note := "the run was interrupted: this is what it had computed") not in answer.audit.notes:
            answer.audit.notes.append(note)
    seconds = perf_counter() - started
    written = [] if file is None else [_streamed(file, whole=code == codes.OK)]
    try:
        written += watched(lambda: _write(args, model, answer, found, streamed=file is not None), Progress("writing"))
    except ResultFileError as error:  # the disk is full: what was computed is told all the same
        if trouble is not None:
            tell(error)
        trouble, code = trouble or error, code or codes.code_of(error)
    if args.json:
        print(json.dumps(for_programs(analysis, answer, seconds, written, trouble, code), indent=2))
        return code
    for_people(args, analysis, answer, seconds, written, found)
    if trouble is not None:
        sys.stdout.flush()
        tell(trouble)
    elif code == codes.INTERRUPTED:
        print("linkwright: interrupted; what was computed is kept", file=sys.stderr)
    return code


def _ready(args: Namespace) -> None:
    """What cannot be written is said now, not after a long run."""
    if args.out:
        from linkwright.results.files import ready

        ready(args.out)
    if args.report:
        from linkwright.results.optional import needed

        needed("matplotlib", "a report")
        room(args.report)


def _streamed(file: str, whole: bool) -> str:
    """What a recording has written."""
    from linkwright.results.files import partial

    return file if whole else str(partial(Path(file)))


def _usual(model: Model) -> str:
    from linkwright.model import Driver

    return "kinematics" if any(isinstance(e, Driver) for e in model.elements.values()) else "dynamics"


def _options(args: Namespace, analysis: str, found: Example | None) -> dict[str, Any]:
    if analysis not in OVER_TIME:
        return {}
    t_end, steps = span(args, found)
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


def record(model: Model, analysis: str, options: dict[str, Any], path: str) -> Any:
    """A long run, written as it goes; the answer is thinned."""
    made = public("record", "a file for long runs")
    progress = Progress(analysis)
    return watched(lambda: made(model, path, analysis.replace("-", "_"), progress=progress, **options), progress)


def _write(args: Namespace, model: Model, answer: Any, found: Example | None, streamed: bool) -> list[str]:
    written = []
    if hasattr(answer, "as_result"):  # one configuration
        answer = answer.as_result()
    for wanted, path in (("--out", None if streamed else args.out), ("--report", args.report)):
        if path and not hasattr(answer, "save"):
            raise codes.UsageError("this analysis has no motion to write", remedy=f"leave {wanted} out")
    if args.out and not streamed:
        answer.save(args.out)
        written.append(args.out)
    if args.report:
        page(model, answer, args.report, found)
        written.append(args.report)
    return written


def page(model: Model, answer: Any, path: str, found: Example | None) -> None:
    """The report of a result."""
    about: dict[str, Any] = {"check": public("check", "check")(model)}
    if found:
        about |= {"trace": found.points(model), "channels": [c for c in found.plot if c in answer]}
    public("report", "a report")(answer, path, model=model, **about)
