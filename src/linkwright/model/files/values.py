"""Reading values from the tree of a file: texts, numbers, formulas; and errors that say where."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from linkwright.bounds import REMEDY, trouble
from linkwright.errors import ModelError
from linkwright.graph import Scalar
from linkwright.model.files.nodes import FileError, Node
from linkwright.model.grammar import read_measured
from linkwright.model.model import Model
from linkwright.model.names import suggestion
from linkwright.model.tokens import GrammarError


class Values:
    """Base of the reader: the model being made, and the simple values in a file."""

    model: Model

    def __init__(self, file: str) -> None:
        self.file = file

    # -- errors -----------------------------------------------------------------------------------------------------
    def fail(self, cause: str, node: Node | tuple[int, int], remedy: str, element: Sequence[str] = ()) -> NoReturn:
        line, column = node if isinstance(node, tuple) else (node.line, node.column)
        raise FileError(cause, file=self.file, line=line, column=column, element=element, remedy=remedy)

    @contextmanager
    def at(self, node: Node, name: str = "") -> Iterator[None]:
        """What is wrong inside is wrong here; in a formula, at its column; in a field named by the error, there."""
        try:
            yield
        except FileError as error:
            error.element = error.element or ((name,) if name else ())
            raise
        except ModelError as error:
            field = error.cause.partition(":")[0]
            if isinstance(node.value, dict) and field in node.value:
                node = node.value[field]
            column = node.column
            if isinstance(error, GrammarError) and node.one_line and node.value == error.text:
                column += node.inside + error.column - 1
            element = error.element or ((name,) if name else ())
            self.fail(error.cause, (node.line, column), error.remedy, element)

    # -- simple values ------------------------------------------------------------------------------------------------
    def mapping(self, node: Node, what: str, known: Iterable[str] | None = None) -> dict[str, Node]:
        if node.value is None and known is None:
            return {}
        if not isinstance(node.value, dict):
            self.fail(f"{what} must be a mapping, not {node.what}", node, "write 'key: value' lines, or {key: value}")
        if known is not None:
            words = list(known)
            for key in node.value:
                if key not in words:
                    self.fail(f"{what} has no {key!r}", node.keys[key], suggestion(key, words))
        found: dict[str, Node] = node.value
        return found

    def sequence(self, node: Node, what: str) -> list[Node]:
        if not isinstance(node.value, list):
            self.fail(f"{what} must be a list, not {node.what}", node, "write [a, b, ...]")
        found: list[Node] = node.value
        return found

    def word(self, node: Node, what: str) -> str:
        if not isinstance(node.value, str):
            self.fail(f"{what} must be a text, not {node.what}", node, "put it in quotes if it looks like a number")
        return node.value

    def flag(self, node: Node, what: str) -> bool:
        if not isinstance(node.value, bool):
            self.fail(f"{what} must be true or false, not {node.what}", node, "write true or false")
        return node.value

    def float(self, node: Node, what: str) -> float:
        if not isinstance(node.value, float):
            self.fail(f"{what} must be a number, not {node.what}", node, "give a plain number")
        if node.value in (float("inf"), float("-inf")):
            self.fail(f"{what} is too large for a number", node, "check its exponent")
        if wrong := trouble(node.value):
            self.fail(f"{what} {wrong}", node, REMEDY)
        return node.value

    def constant(self, node: Node, what: str) -> builtins.float:
        """A number, or a text that says one with units."""
        if isinstance(node.value, str):
            with self.at(node):
                return read_measured(node.value, {})
        return self.float(node, what)

    def scalar(self, node: Node, what: str = "it", takes: str = "") -> Scalar:
        """A number, or a formula of parameters; `takes`: the units that a text may have."""
        if isinstance(node.value, str):
            with self.at(node):
                return self.model.scalar(node.value, what, takes)
        return self.float(node, what)

    def scalars(self, node: Node, what: str, size: int = 0, takes: str = "") -> tuple[Scalar, ...]:
        items = self.sequence(node, what)
        if size and len(items) != size:
            self.fail(f"{what} needs {size} numbers, not {len(items)}", node, f"give {size}")
        return tuple(self.scalar(item, what, takes) for item in items)
