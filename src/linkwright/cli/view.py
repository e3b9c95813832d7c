"""linkwright view"""

from __future__ import annotations

from argparse import Namespace
from importlib import import_module

from linkwright.cli import codes
from linkwright.cli.sources import open_model


def view(args: Namespace) -> int:
    model, found = open_model(args.file)
    try:
        serve = import_module("linkwright.view.live").serve
    except (ImportError, AttributeError):
        raise codes.UsageError(
            "the live page is not available in this version",
            remedy=f"linkwright run {args.file} --report page.html writes a page",
        ) from None
    serve(model, None if found else args.file)
    return codes.OK
