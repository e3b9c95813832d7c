"""linkwright new, examples, schema: texts to begin with."""

from __future__ import annotations

import json
from argparse import Namespace
from importlib.resources import files
from pathlib import Path

from linkwright.cli import codes
from linkwright.examples import EXAMPLES, example


def new(args: Namespace) -> int:
    suffix = ".py" if args.python else ".yaml"
    path = Path(args.name)
    path = path if path.suffix in (suffix, ".yml") else path.with_name(path.name + suffix)
    if path.exists() and not args.force:
        raise codes.UsageError(f"{path} is there already", remedy="choose another name, or --force to replace it")
    if args.example:
        chosen = example(args.example)
        text = chosen.python if args.python else chosen.text
    else:
        text = (files("linkwright.cli") / f"template{suffix}.txt").read_text(encoding="utf-8").replace("NAME", path.stem)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise codes.UsageError(f"{path} cannot be written: {error.strerror}", remedy="choose another place") from None
    print(f"{path} is written. Next:")
    if args.python:
        print(f"  python {path}" if not args.example else f"  python -c 'import {path.stem} as x; print(x.build())'")
    else:
        print(f"  linkwright check {path}\n  linkwright run {path} --plot")
    return codes.OK


def examples(args: Namespace) -> int:
    if args.name:
        chosen = example(args.name)
        print(chosen.python if args.python else chosen.text, end="")
    elif args.json:
        print(json.dumps([{"name": e.name, "title": e.title, "analysis": e.analysis} for e in EXAMPLES.values()], indent=2))
    else:
        for e in EXAMPLES.values():
            print(f"{e.name:<22} {e.title}")
        print("\nlinkwright run NAME --plot runs one, linkwright new FILE --from NAME makes it yours.")
    return codes.OK


def schema(args: Namespace) -> int:
    from linkwright.model.files import schema as made

    print(json.dumps(made(), indent=2, ensure_ascii=False))
    return codes.OK
