"""The words of the command line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from linkwright.bounds import LARGEST, MOST_STEPS
from linkwright.cli.codes import MEANING, USAGE
from linkwright.words import question

ANALYSES = ("kinematics", "assemble", "dynamics", "equilibrium", "inverse-dynamics", "linearize")
PAGES = ("kinematics", "dynamics", "inverse-dynamics", "equilibrium")
DRAWN = ("plot", "parallel", "tornado")  # methods of studies
SHELLS = ("bash", "zsh", "fish")
ANALYSIS = "unless given: kinematics if it has drivers, else dynamics"
FILE = "a model file (.yaml, .json), or the name of an example"

EXAMPLES = {
    "": """  linkwright demo                                  a walking machine, at once
  linkwright new press                             press.yaml, to begin with
  linkwright check press.yaml                      degrees of freedom, redundancy, advice
  linkwright run press.yaml --t-end 2 --out run.nc --plot
  linkwright examples                              ready machines""",
    "demo": """  linkwright demo
  linkwright demo --out walk.html --open""",
    "new": """  linkwright new press                             a commented slider-crank, press.yaml
  linkwright new mine --from four-bar              a copy of an example
  linkwright new mine --from four-bar --python     the same as a program""",
    "check": """  linkwright check press.yaml
  linkwright check press.yaml --t-end 2             also what its motion runs into
  linkwright check press.yaml --fix 1 --out mended.yaml
  linkwright check press.yaml --json | jq .dof""",
    "run": """  linkwright run slider-crank --plot
  linkwright run press.yaml --t-end 2 --steps 400 --out run.csv
  linkwright run press.yaml --set r=0.25 --set l=0.8 --analysis inverse-dynamics --report page.html
  linkwright run press.yaml --json | jq '.channels["slider.x"].max'""",
    "study": """  linkwright study slider-crank study.yaml --out study.nc     a sweep or a Monte Carlo study
  linkwright study press.yaml tolerances.yaml --json""",
    "optimize": """  linkwright optimize press.yaml best.yaml
  linkwright optimize press.yaml best.yaml --json | jq .parameters""",
    "view": """  linkwright view press.yaml
  linkwright view four-bar --no-open               print the link
  linkwright view run.nc                           the motion of a result""",
    "page": """  linkwright page press.yaml                       press.html: sliders, and the machine in the page
  linkwright page governor --t-end 4 --out governor.html --open""",
    "examples": """  linkwright examples
  linkwright examples 8.4                          those of a section of Haug's book
  linkwright examples governor                     its model file
  linkwright examples governor --python            the same as a program""",
    "bench": """  linkwright bench
  linkwright bench diagnosis                       broken machines: causes, culprits and remedies that are right
  linkwright bench programs                        a recorded race with other programs
  linkwright bench --json""",
    "schema": """  linkwright schema > model.schema.json            for editors that complete and check YAML""",
    "completion": """  linkwright completion bash > ~/.local/share/bash-completion/completions/linkwright
  linkwright completion zsh > ~/.zfunc/_linkwright
  linkwright completion fish > ~/.config/fish/completions/linkwright.fish""",
}


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=110)


class Parser(argparse.ArgumentParser):
    """argparse, with our exit code for wrong use and the nearest right word."""

    def error(self, message: str) -> NoReturn:
        wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if wrong:
            known = re.findall(r"[\w-]+", wrong[2])
            message = f"{wrong[1]!r} is not known; " + (question(wrong[1], known) or f"known are {', '.join(known)}")
        self.exit(USAGE, f"linkwright: {message}\n  Remedy: see {self.prog} --help\n")


def _dashed(name: str) -> str:
    """An analysis as the command line names it, also where it is named as in Python and in the files of studies."""
    return name.replace("_", "-")


def build() -> Parser:
    codes = "\n".join(f"  {code:>3}  {text}" for code, text in MEANING.items())
    parser = Parser(
        prog="linkwright",
        description="Machines made of rigid bodies: described, checked, moved, shown.",
        epilog=f"examples:\n{EXAMPLES['']}\n\nexit codes:\n{codes}",
        formatter_class=_Formatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and end")
    parser.add_argument("--debug", action="store_true", help="show where in the program an error came from")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)

    def command(name: str, text: str) -> Parser:
        made: Parser = commands.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", epilog=f"examples:\n{EXAMPLES[name]}",
            formatter_class=_Formatter,
        )  # fmt: skip
        made.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        return made

    _about_machines(command)
    _about_studies(command)
    _about_pages(command)
    _about_us(command)
    return parser


Command = Callable[[str, str], Parser]


def _about_machines(command: Command) -> None:
    demo = command("demo", "show a walking machine")
    demo.add_argument("--out", metavar="PAGE", default="linkwright-demo.html", help="the animated page to write")
    _add(demo, "--open")
    demo.add_argument("--still", action="store_true", help="no moving picture in the terminal")

    new = command("new", "write a model file to begin with")
    new.add_argument("name", metavar="NAME", help="of the file; .yaml is added")
    new.add_argument("--from", dest="example", metavar="EXAMPLE", help="copy this example")
    new.add_argument("--python", action="store_true", help="write the program instead of the model file")
    new.add_argument("--force", action="store_true", help="replace a file that is there")

    check = command("check", "say what is right and wrong with a machine")
    _add(check, "file", "--set")
    check.add_argument(
        "--t-end", type=_seconds, metavar="SECONDS", help="follow the motion until then: what does it run into?"
    )
    check.add_argument("--fix", type=_count, metavar="N", help="make remedy N of those that are listed, in a copy")
    check.add_argument("--out", metavar="FILE", help="where the mended machine goes (NAME-mended.yaml unless given)")
    _add(check, "--json")

    run = command("run", "analyse a machine")
    _add(run, "file")
    run.add_argument("--analysis", choices=ANALYSES, type=_dashed, help=ANALYSIS)
    _add(run, "--t-end")
    run.add_argument("--steps", type=_count, metavar="N", help="how many steps to write (200 unless given)")
    _add(run, "--set")
    run.add_argument("--branch", type=int, metavar="N", help="which branch to follow where the motion has several")
    run.add_argument("--out", metavar="FILE", help="write the result: .nc, .csv, .parquet, .mat or .xlsx")
    run.add_argument("--plot", nargs="?", const="", metavar="CHANNELS", help="plot in the terminal: slider.x,crank.omega")
    run.add_argument("--report", metavar="PAGE", help="write a page (HTML) with the machine in motion")
    _add(run, "--json")


def _about_studies(command: Command) -> None:
    study = command("study", "run a sweep or a Monte Carlo study")
    optimize = command("optimize", "find the best values of parameters")
    for made in (study, optimize):
        _add(made, "file")
        made.add_argument("study", metavar="STUDY", help="a file (.yaml) that says what varies and what is kept")
        _add(made, "--set")
        made.add_argument("--picture", metavar="FILE", help="draw it: .png, .svg or .pdf")
        made.add_argument("--draw", choices=DRAWN, default=DRAWN[0], help="what --picture shows (what was kept first)")
        made.add_argument("--table", metavar="FILE", help="write a row for each point (.csv)")
        _add(made, "--json")
    study.add_argument("--out", metavar="FILE", help="write the study (.nc) as it goes; the same command goes on from there")
    study.add_argument("--page", metavar="PAGE", help="write a page (HTML): the machine in motion, the others as ghosts")


def _about_pages(command: Command) -> None:
    view = command("view", "open a page where the machine moves and its parameters are sliders")
    view.add_argument("file", metavar="FILE", help=f"{FILE}, or a result (.nc, .csv, .parquet)")
    _add(view, "--t-end", "--steps")
    view.add_argument("--port", type=_port, default=0, metavar="PORT", help="on this computer (a free one unless given)")
    view.add_argument("--here", action="store_true", help="solve here, not in the page")
    view.add_argument("--no-open", action="store_true", help="print the link only: open no browser")

    page = command("page", "write a page that solves the machine itself")
    _add(page, "file")
    page.add_argument("--out", metavar="PAGE", help="the page to write (FILE.html unless given)")
    page.add_argument("--analysis", choices=PAGES, type=_dashed, help=ANALYSIS)
    _add(page, "--t-end", "--steps", "--set", "--open")


def _about_us(command: Command) -> None:
    examples = command("examples", "list ready machines, or print one")
    examples.add_argument("name", metavar="NAME", nargs="?", help="print this one")
    examples.add_argument("--python", action="store_true", help="as a program")
    _add(examples, "--json")

    bench = command(
        "bench", "time the examples on this computer, score the diagnosis of broken machines, or show a recorded race"
    )
    bench.add_argument(
        "what", nargs="?", choices=("examples", "diagnosis", "programs"), default="examples", help="examples unless given"
    )
    _add(bench, "--json")

    command("schema", "print the JSON schema of model files")
    completion = command("completion", "print a script that completes words in your shell")
    completion.add_argument("shell", choices=SHELLS)


def _add(parser: argparse.ArgumentParser, *names: str) -> None:
    """Words that several commands take."""
    known: dict[str, dict[str, Any]] = {
        "file": {"metavar": "FILE", "help": FILE},
        "--set": {"action": "append", "default": [], "metavar": "NAME=VALUE", "type": _assignment,
                  "help": "give a parameter another value"},
        "--t-end": {"type": _seconds, "metavar": "SECONDS", "help": "until when (1 s unless given)"},
        "--steps": {"type": _count, "metavar": "N", "help": "in how many steps (200 unless given)"},
        "--json": {"action": "store_true", "help": "for programs"},
        "--open": {"action": "store_true", "help": "open the page in a browser"},
    }  # fmt: skip
    for name in names:
        parser.add_argument(name, **known[name])


def _assignment(text: str) -> tuple[str, float]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not like r=0.25")
    return name.strip(), _measured(value)


def _measured(text: str) -> float:
    """A number, which may have units: 20 mm."""
    try:
        return float(text)
    except ValueError:
        from linkwright.errors import ModelError
        from linkwright.model.grammar import read_measured

        try:
            return read_measured(text, {})
        except ModelError as error:
            raise argparse.ArgumentTypeError(f"{text!r} is no number: {error.cause}; {error.remedy}") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None


def _seconds(text: str) -> float:
    value = _number(text)
    if not 0 < value <= LARGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is no time after zero")
    return value


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port")
    return int(text)


def _count(text: str) -> int:
    value = _number(text)
    if not (value >= 1 and value.is_integer()):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of one or more")
    if value > MOST_STEPS:
        raise argparse.ArgumentTypeError(f"{text!r} are more steps than can be computed")
    return int(value)
