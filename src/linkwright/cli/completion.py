"""linkwright completion: scripts for shells, made from the parser, so that they never lag behind it."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Iterator

from linkwright.cli import codes
from linkwright.cli.parser import Parser, build
from linkwright.examples import EXAMPLES

Words = dict[str, tuple[list[str], list[str], bool]]  # command: options, words, files


def completion(args: Namespace) -> int:
    print({"bash": bash, "zsh": zsh, "fish": fish}[args.shell](), end="")
    return codes.OK


def commands() -> dict[str, Parser]:
    parser = build()
    action = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    found: dict[str, Parser] = action.choices
    return found


def words() -> Words:
    """What may follow each command."""
    found: Words = {}
    for name, parser in commands().items():
        options = [o for a in parser._actions for o in a.option_strings if a.help is not argparse.SUPPRESS]
        values = [str(c) for a in parser._actions for c in a.choices or ()]
        files = any(a.metavar == "FILE" for a in parser._actions)
        if files or name == "examples" or "--from" in options:
            values += EXAMPLES
        found[name] = (options, values, files)
    return found


def bash() -> str:
    cases = "\n".join(
        f'    {name}) words="{" ".join((*options, *values))}"; files={int(files)} ;;'
        for name, (options, values, files) in words().items()
    )
    return f"""# bash completion of linkwright
_linkwright() {{
  local here="${{COMP_WORDS[COMP_CWORD]}}" words="" files=0
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(commands())} --help --version" -- "$here"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$here"))
  if [ "$files" -eq 1 ]; then
    COMPREPLY+=($(compgen -f -X '!*.@(yaml|yml|json)' -- "$here") $(compgen -d -- "$here"))
  fi
}}
shopt -s extglob
complete -o filenames -F _linkwright linkwright
"""


def zsh() -> str:
    # read from a folder of $fpath the script itself is the first call, and must answer it
    first = "if [[ $funcstack[1] = _linkwright ]]; then _bash_complete -o filenames -F _linkwright; fi\n"
    begin = "#compdef linkwright\nautoload -U +X bashcompinit && bashcompinit\n"
    return begin + bash().replace("shopt -s extglob\n", "") + first


def fish() -> str:
    return "\n".join(_fish()) + "\n"


def _fish() -> Iterator[str]:
    yield "# fish completion of linkwright"
    start = "complete -c linkwright -n __fish_use_subcommand"
    for name, parser in commands().items():
        yield f"{start} -f -a {name} -d '{(parser.description or '').rstrip('.')}'"
    for name, (_, values, files) in words().items():
        here = f"complete -c linkwright -n '__fish_seen_subcommand_from {name}'"
        for action in commands()[name]._actions:
            if action.option_strings and action.help is not argparse.SUPPRESS:
                text = (action.help or "").replace("'", "")
                yield f"{here} -l {action.option_strings[-1].lstrip('-')} -d '{text}'"
        if values:
            yield f"{here} {'' if files else '-f '}-a '{' '.join(values)}'"
