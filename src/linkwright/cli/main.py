"""From the arguments to an exit code. An error is a message, never a traceback, unless --debug asks for it."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module

from linkwright.cli import codes
from linkwright.errors import LinkwrightError

MODULES = {
    "schema": "new",
    "examples": "new",
    "check": "check",
    "optimize": "study",
}  # commands that share a module with another


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    from linkwright.cli.parser import build

    # One thread for small dense systems: with more, they wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parser = build()
    try:
        args = parser.parse_args(argv)
    except SystemExit as end:  # --help, or wrong words
        return int(end.code or 0)
    if args.version:
        from linkwright import __version__

        print(f"linkwright {__version__}")
        return codes.OK
    if args.command is None:
        parser.print_help()
        return codes.USAGE
    return _guarded(args)


def _guarded(args: Namespace) -> int:
    try:
        module = import_module(f"linkwright.cli.{MODULES.get(args.command, args.command)}")
        code = int(getattr(module, args.command)(args))
        sys.stdout.flush()
        return code
    except LinkwrightError as error:
        if args.debug:
            raise
        return tell(error, as_json=getattr(args, "json", False))
    except KeyboardInterrupt:
        if args.debug:
            raise
        print("\nlinkwright: interrupted", file=sys.stderr)
        return codes.INTERRUPTED
    except BrokenPipeError:  # whoever read the output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return codes.OK
    except MemoryError:
        if args.debug:
            raise
        print("linkwright: there is not enough memory for this", file=sys.stderr)
        print("  Remedy: fewer --steps, or --out NAME.nc: a long run is written as it goes", file=sys.stderr)
        return codes.USAGE
    except Exception as error:
        if args.debug:
            raise
        print(f"linkwright: a fault of Linkwright itself: {type(error).__name__}: {error}", file=sys.stderr)
        print("  Remedy: run it again with --debug and report what it prints", file=sys.stderr)
        return codes.INTERNAL


def tell(error: LinkwrightError, as_json: bool = False) -> int:
    """Say what is wrong; returns the exit code."""
    code = codes.code_of(error)
    if as_json:
        import json

        about = {"kind": type(error).__name__, "code": code, "cause": error.cause, "remedy": error.remedy}
        about["element"] = list(error.element)
        for name in ("file", "line", "column", "time"):
            if hasattr(error, name):
                about[name] = getattr(error, name)
        print(json.dumps({"error": about}, indent=2))
    else:
        print(f"linkwright: {error}", file=sys.stderr)
    return code
