"""linkwright view: the machine in a browser, its parameters as sliders, until the page is closed or Ctrl-C."""

from __future__ import annotations

from argparse import Namespace

from linkwright.cli import codes
from linkwright.cli.progress import Progress, watched
from linkwright.cli.sources import open_model


def view(args: Namespace) -> int:
    from linkwright.cli.live import LiveServer
    from linkwright.cli.workbench import Workbench

    model, found = open_model(args.file)
    bench = Workbench(model, None if found else args.file, found, args.t_end, args.steps)
    # what is missing is said here, and native code is ready before a page waits for it
    watched(lambda: bench.page(""), Progress("equations and a first solution"))
    server = LiveServer(bench, args.port)
    server.start()
    try:
        count = len(model.parameters)
        print(f"{model.name}: {count} parameter{'s' if count != 1 else ''}, at\n  {server.url}")
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
