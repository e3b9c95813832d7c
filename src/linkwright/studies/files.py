"""Studies written as files: the words of `sweep`, `monte_carlo`, `optimize` in YAML, read as plain data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import ModelError
from linkwright.model import Model
from linkwright.model.files.nodes import FileError, Node, read_nodes
from linkwright.model.grammar import read_measured, read_scalar
from linkwright.model.named import check_kind
from linkwright.model.names import suggestion
from linkwright.results.reductions import reduced
from linkwright.studies.distributions import Normal, Triangular, Uniform
from linkwright.studies.sweep import MOST_POINTS
from linkwright.words import an

DISTRIBUTIONS: dict[str, Any] = {"normal": Normal, "uniform": Uniform, "triangular": Triangular}
SHARED = ("analysis", "keep", "options", "out", "on", "threads")
VARIED = {"values": "sweep", "spread": "monte_carlo", "bounds": "optimize"}
WORDS = {
    "sweep": ("values", "paired", *SHARED),
    "monte_carlo": ("spread", "samples", "seed", "sobol", "correlation", *SHARED),
    "optimize": (
        "bounds", "minimize", "maximize", "subject_to", "starts", "seed", "method", "max_iterations", "analysis", "options"
    ),
}  # fmt: skip
NEEDED = {"sweep": ("keep",), "monte_carlo": ("keep", "samples"), "optimize": ()}
# what no analysis has an option for; "method" and "options" dynamics has, too
OF_STUDIES = {"model", "progress", *(word for words in WORDS.values() for word in words)} - {"method", "options"}
TIMES = ("t_end", "t_start", "max_step", "first_step")
COUNTS = ("samples", "seed", "starts", "threads", "max_iterations")
EXAMPLES = {"keep": "keep: [slider.x, peak(A.fx)]", "samples": "samples: 1000"}
AS_VALUES = "give a list, or {from: 0.1, to: 0.3, count: 41}"
AS_DISTRIBUTION = "give one such as {normal: [0.2, 0.001]}, {uniform: [0.1, 0.3]} or {triangular: [0.1, 0.2, 0.3]}"


class StudyFile:
    """The call that a file describes: `kind` is the function's name, `arguments` its keywords."""

    def __init__(self, path: Path, model: Model) -> None:
        self.path, self.model = str(path), model
        root = read_nodes(path)
        if not isinstance(root.value, dict):
            raise self._wrong(root, f"it is {root.what}", "a study has lines such as `values:` and `keep:`")
        self.kind = self._kind(root)
        for name, node in root.value.items():
            if name not in WORDS[self.kind]:
                known = WORDS[self.kind]
                hint = suggestion(name, known) or f"{an(self.kind)} has {', '.join(known)}"
                raise self._wrong(node, f"there is no {name!r} in {an(self.kind)}", hint)
        self.arguments: dict[str, Any] = {}
        for name, node in root.value.items():
            self._take(name, node)
        for name in NEEDED[self.kind]:
            if name not in root.value:
                raise self._wrong(root, f"{an(self.kind)} needs {name}", f"give a line such as {EXAMPLES[name]}")

    def _wrong(self, node: Node, cause: str, remedy: str) -> FileError:
        return FileError(cause, file=self.path, line=node.line, column=node.column, remedy=remedy)

    def _kind(self, root: Node) -> str:
        said = [word for word in VARIED if word in root.value]
        if len(said) > 1:
            cause = f"it says {' and '.join(f'{word}:' for word in said)}, which are studies of their own"
            raise self._wrong(root.value[said[1]], cause, "give one of them, the other in a file of its own")
        if said:
            return VARIED[said[0]]
        raise self._wrong(root, "it does not say what varies", "give values: (a sweep), spread: or bounds:")

    def _take(self, name: str, node: Node) -> None:
        a = self.arguments
        if name == "options":
            a.update({n: self._option(n, v) for n, v in self._mapping(node).items()})
        elif name == "values":
            a[name] = {n: self._values(v, n) for n, v in self._mapping(node).items()}
        elif name == "spread":
            a[name] = {n: self._distribution(v, n) for n, v in self._mapping(node).items()}
        elif name == "keep":
            kept = node.value if isinstance(node.value, list) else [node]
            a[name] = [reduced(str(self._plain(k))) for k in kept]
        elif name == "correlation":
            a[name] = dict(self._correlation(entry) for entry in self._list(node))
        elif name in ("minimize", "maximize"):
            a[name] = reduced(str(self._plain(node)))
        elif name == "subject_to":
            a[name] = {reduced(n): self._limits(v) for n, v in self._mapping(node).items()}
        elif name == "bounds":
            a[name] = {n: self._limits(v, n) for n, v in self._mapping(node).items()}
        elif name in COUNTS:
            a[name] = self._count(node, least=int(name != "seed"))
        else:
            a[name] = self._plain(node)

    def _option(self, name: str, node: Node) -> Any:
        """An option of the analysis; times may have units: 100 ms."""
        if name in OF_STUDIES:
            raise self._wrong(node, f"{name} is no option of an analysis but of the study", "write it beside options:")
        if name not in TIMES or not isinstance(node.value, str):
            return self._plain(node)
        try:
            return float(read_scalar(node.value, {}, takes="s", what=name))
        except ModelError as error:
            raise self._wrong(node, error.cause, error.remedy) from None

    def _list(self, node: Node) -> list[Node]:
        if not isinstance(node.value, list):
            raise self._wrong(node, f"here is {node.what}", "give a list, such as [[r, k, 0.8]]")
        return list(node.value)

    def _correlation(self, node: Node) -> tuple[tuple[str, str], float]:
        """Two names and a number."""
        given = self._list(node)
        if len(given) != 3 or not all(isinstance(x.value, str) for x in given[:2]):
            raise self._wrong(node, "this is no correlation", "give two names and a number, such as [r, k, 0.8]")
        return (str(given[0].value), str(given[1].value)), self._number(given[2])

    def _mapping(self, node: Node, remedy: str = "give a value for each name") -> dict[str, Node]:
        if not isinstance(node.value, dict):
            raise self._wrong(node, f"here is {node.what}", remedy)
        return dict(node.value)

    def _number(self, node: Node, parameter: str = "") -> float:
        """A number, which may have units: 20 mm; of a parameter, those of its kind."""
        value = node.value
        if isinstance(value, str):
            try:
                value = read_measured(value, {})
                check_kind(self.model, parameter, value.dimension)
            except ModelError as error:
                raise self._wrong(node, f"{parameter}: {error.cause}" if parameter else error.cause, error.remedy) from None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(node, f"{node.what} is no number", "give a number")
        return float(value)

    def _limits(self, node: Node, parameter: str = "") -> Any:
        """Numbers, of which some may be left open; what is no list of two is refused by whoever takes it."""
        if not isinstance(node.value, list):
            return self._plain(node)
        return [None if v.value is None else self._number(v, parameter) for v in node.value]

    def _count(self, node: Node, least: int = 1) -> int:
        number = self._number(node)
        if not number.is_integer() or number < least:
            raise self._wrong(node, f"{number:g} is no whole number from {least} on", "give a whole number")
        if number > MOST_POINTS:
            raise self._wrong(node, f"{number:g} are more than can be computed", f"give at most {MOST_POINTS:g}")
        return int(number)

    def _values(self, node: Node, name: str) -> Any:
        if isinstance(node.value, list):
            return [self._number(v, name) for v in node.value]
        given = self._mapping(node, AS_VALUES)
        if set(given) != {"from", "to", "count"}:
            raise self._wrong(node, "these are no values", AS_VALUES)
        return np.linspace(self._number(given["from"], name), self._number(given["to"], name), self._count(given["count"]))

    def _distribution(self, node: Node, name: str) -> Any:
        given = self._mapping(node, AS_DISTRIBUTION)
        if len(given) != 1 or (kind := next(iter(given))) not in DISTRIBUTIONS:
            raise self._wrong(node, "this is no distribution", AS_DISTRIBUTION)
        numbers = given[kind].value
        if not isinstance(numbers, list) or len(numbers) != (3 if kind == "triangular" else 2):
            raise self._wrong(
                node, f"{an(kind)} distribution is not given by {given[kind].what}", "give a list of its numbers"
            )
        limits = [self._number(n, name) for n in numbers]
        try:
            return DISTRIBUTIONS[kind](*limits)
        except ModelError as error:
            raise self._wrong(node, f"{name}: {error.cause}", error.remedy) from None

    def _plain(self, node: Node) -> Any:
        if isinstance(node.value, dict):
            return {n: self._plain(v) for n, v in node.value.items()}
        if isinstance(node.value, list):
            return [self._plain(v) for v in node.value]
        if isinstance(node.value, float) and node.value.is_integer():
            return int(node.value)
        return node.value
