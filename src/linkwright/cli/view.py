"""linkwright view: the machine in a browser, its parameters as sliders, until the page is closed or Ctrl-C. Of a result, the
motion that was recorded."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from linkwright.cli import codes
from linkwright.cli.progress import Progress, watched
from linkwright.cli.sources import is_result, open_model

if TYPE_CHECKING:
    from linkwright.cli.recorded import Recorded
    from linkwright.cli.workbench import Workbench


def view(args: Namespace) -> int:
    from linkwright.cli.live import LiveServer

    bench, about = _recorded(args) if is_result(args.file) else _workbench(args)
    server = LiveServer(bench, args.port)
    server.start()
    try:
        print(f"{about}, at\n  {server.url}")
        print("Ctrl-C, or closing the page, ends it.", flush=True)
        if not args.no_open:
            import webbrowser

            webbrowser.open(server.url)
        while not server.ended.wait(0.5):  # a wait without end would not hear Ctrl-C everywhere
            pass
    except KeyboardInterrupt:
        print()
    finally:
        server.close()
    return codes.OK


def _workbench(args: Namespace) -> tuple[Workbench, str]:
    from linkwright.cli.workbench import Workbench

    model, found = open_model(args.file)
    bench = Workbench(model, None if found else args.file, found, args.t_end, args.steps, here=args.here)
    # what is missing is said here, and native code is ready before a page waits for it
    watched(lambda: bench.page(""), Progress("equations and a first solution"))
    count = len(model.parameters)
    return bench, f"{model.name}: {count} parameter{'s' if count != 1 else ''}"


def _recorded(args: Namespace) -> tuple[Recorded, str]:
    from linkwright.cli.recorded import Recorded

    if args.t_end is not None or args.steps is not None:
        raise codes.UsageError(
            "a result is shown as it was recorded", element=args.file, remedy="leave --t-end and --steps out"
        )
    bench = watched(lambda: Recorded(args.file), Progress("reading"))
    return bench, bench.about
