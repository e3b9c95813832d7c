"""linkwright page: one file with the machine in it, solved by whoever opens it."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from linkwright.cli import codes
from linkwright.cli.progress import Progress, watched
from linkwright.cli.sources import open_model, span


def page(args: Namespace) -> int:
    model, found = open_model(args.file, args.set)
    path = Path(args.out or f"{Path(args.file).stem}.html")
    t_end, steps = span(args, found)
    traces, plots = (found.points(model), list(found.plot)) if found else ([], None)

    analysis = None if args.analysis is None else args.analysis.replace("-", "_")

    def write() -> None:
        from linkwright.live.page import page as write_page

        write_page(
            model, path, analysis=analysis, t_end=t_end, steps=steps, channels=plots, trace=traces
        )  # fmt: skip

    watched(write, Progress("equations, and the machine for the page"))
    print(f"{model.name}: {path} ({path.stat().st_size / 1000:.0f} kB); open it in a browser:\n  {path.resolve().as_uri()}")
    if args.open:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())
    return codes.OK
