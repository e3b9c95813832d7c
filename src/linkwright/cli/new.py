"""linkwright new, examples, schema: texts to begin with."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from importlib.resources import files
from pathlib import Path
from shlex import quote

from linkwright.atomic import write_text
from linkwright.cli import codes
from linkwright.errors import ModelError
from linkwright.examples import EXAMPLES, Example, example, of_section


def new(args: Namespace) -> int:
    suffix = ".py" if args.python else ".yaml"
    path = Path(args.name)
    if not path.name:
        raise codes.UsageError(f"{args.name!r} is no name of a file", remedy="give one, such as press")
    path = path if path.suffix in (suffix, ".yml") else path.with_name(path.name + suffix)
    if path.exists() and not args.force:
        raise codes.UsageError(f"{path} is there already", remedy="choose another name, or --force to replace it")
    if args.example:
        chosen = _example(args.example)
        text = chosen.python if args.python else chosen.text
    else:
        text = _template(suffix, path.stem)
    write_text(path, text)
    print(f"{path} is written. Next:")
    if args.python:
        build = f'import runpy; print(runpy.run_path({json.dumps(str(path))})["build"]())'
        print("  python " + (quote(str(path)) if not args.example else f"-c {quote(build)}"))
    else:
        print(f"  linkwright check {quote(str(path))}\n  linkwright run {quote(str(path))} --plot")
    return codes.OK


def _template(suffix: str, name: str) -> str:
    """What a new file holds; the name in quotes where it is read, for it may look like something else."""
    text = (files("linkwright.cli") / f"template{suffix}.txt").read_text(encoding="utf-8")
    quoted = json.dumps(name, ensure_ascii=False)
    if re.fullmatch(r"[^\W\d][\w -]*", name) and name.lower() not in ("null", "true", "false"):
        return text.replace("NAME", name)
    return text.replace('"NAME"', quoted).replace("name: NAME", f"name: {quoted}").replace("NAME", name)


def _example(name: str) -> Example:
    try:
        return example(name)
    except ModelError as error:  # on the command line it is a word that is not known
        raise codes.UsageError(error.cause, element=error.element, remedy=error.remedy) from None


def examples(args: Namespace) -> int:
    several = of_section(args.name or "")
    if len(several) > 1:  # of a section of the book
        _told(several, args.json)
    elif args.name:
        chosen = _example(args.name)
        if args.json:
            from linkwright.model.files import dumps

            print(dumps(chosen.load(), "json"), end="")
        else:
            print(chosen.python if args.python else chosen.text, end="")
    else:
        _told(list(EXAMPLES.values()), args.json)
    return codes.OK


def _told(listed: list[Example], as_json: bool) -> None:
    if as_json:
        rows = [{"name": e.name, "title": e.title, "analysis": e.analysis, "source": e.source} for e in listed]
        print(json.dumps(rows, indent=2))
        return
    for e in listed:
        print(f"{e.name:<29} {e.title}{f' ({e.source})' if e.source else ''}")
    print("\nlinkwright run NAME --plot runs one, linkwright new FILE --from NAME makes it yours.")


def schema(args: Namespace) -> int:
    from linkwright.model.files import schema as made

    print(json.dumps(made(), indent=2, ensure_ascii=False))
    return codes.OK
