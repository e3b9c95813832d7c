"""The text of a model file as a tree of values that know their place: YAML, and JSON, which is a part of YAML.

Only plain data is let through: texts, numbers, true, false, null, lists, mappings with texts as keys. Tags, anchors,
aliases and repeated keys are refused, and size, depth and number of values are bounded, so that reading any file ends
soon and never makes anything but this tree. Numbers and words are told apart as in YAML 1.2: `no` and `on` are texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linkwright.errors import ModelError

LARGEST_FILE = 8_000_000  # bytes
DEEPEST = 32
MOST_VALUES = 200_000

_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None} | {
    word: value for value in (True, False) for word in (str(value), str(value).lower(), str(value).upper())
}
_SURROGATES = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")


class FileError(ModelError):
    """Something is wrong in a model file.

    Parameters
    ----------
    cause : str
        What is wrong.
    file : str
        The file.
    line, column : int
        The place in it, from 1.
    element : str or sequence of str
        Names of what it concerns.
    remedy : str
        What mends it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "machine.yaml"
    >>> _ = path.write_text("linkwright: 1\\nmodel: planar\\nbody: {}\\n")
    >>> try:
    ...     lw.load(path)
    ... except lw.FileError as error:
    ...     print(error.line, error.cause)
    3 ...
    """

    def __init__(self, cause: str, *, file: str, line: int, column: int, element: Any = (), remedy: str = "") -> None:
        super().__init__(cause, element=element, remedy=remedy)
        self.file, self.line, self.column = file, line, column

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {super().__str__()}"


@dataclass(slots=True)
class Node:
    """A value of a file and its place. `inside` counts the characters before a text begins: 1 in quotes."""

    value: Any
    line: int
    column: int
    inside: int = 0
    one_line: bool = True
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def what(self) -> str:
        """What it is, for errors."""
        if isinstance(self.value, dict | list):
            return "a mapping" if isinstance(self.value, dict) else "a list"
        if self.value is None or isinstance(self.value, bool):
            return {None: "nothing", True: "true", False: "false"}[self.value]
        return repr(self.value) if isinstance(self.value, str) else f"{self.value:g}"


def resolve(text: str) -> Any:
    """A scalar without quotes: None, a truth value, a number or the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    return float(text) if _NUMBER.fullmatch(text) else text


def read_nodes(path: Path) -> Node:
    """The tree of a file; FileError for whatever is no plain data."""
    name = str(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise FileError(
            f"the file cannot be read: {error.strerror or error}", file=name, line=1, column=1, remedy="check the name"
        ) from None
    if len(data) > LARGEST_FILE:
        raise FileError(
            f"the file is larger than {LARGEST_FILE // 1_000_000} MB", file=name, line=1, column=1, remedy="is it a model?"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise FileError(
            "the file is not text in UTF-8", file=name, line=line, column=column, remedy="save it in UTF-8"
        ) from None
    return parse(text, name, as_json=path.suffix.lower() == ".json")


def parse(text: str, file: str = "<text>", *, as_json: bool = False) -> Node:
    """The tree of a text."""
    if as_json:
        text = _checked_json(text, file)
    return _Builder(file).build(_events(text, file))


def _checked_json(text: str, file: str) -> str:
    """The text if it is JSON, in the form that a reader of YAML takes: no tabs, no pairs of surrogates."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise FileError(
            f"this is no JSON: {error.msg}", file=file, line=error.lineno, column=error.colno, remedy="check the commas"
        ) from None
    except (RecursionError, ValueError) as error:
        raise FileError(f"this JSON cannot be read: {error}", file=file, line=1, column=1, remedy="is it a model?") from None
    text = text.replace("\t", " ")  # texts of JSON hold none
    return _SURROGATES.sub(lambda pair: json.loads(f'"{pair.group()}"'), text)


def _events(text: str, file: str) -> Iterator[Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        problem = " ".join(p for p in (error.context, error.problem) if p)
        raise FileError(
            f"this is no YAML: {problem}", file=file, line=line, column=column, remedy="check brackets, colons and indents"
        ) from None
    except yaml.YAMLError as error:
        line, column = 1, 1
        if (place := getattr(error, "position", None)) is not None:
            line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        raise FileError(
            "this is no YAML: it holds a character that cannot be printed",
            file=file, line=line, column=column, remedy="remove it",
        ) from None  # fmt: skip


class _Builder:
    """Turns the parser's events into nodes, without recursion."""

    def __init__(self, file: str) -> None:
        self.file = file

    def fail(self, cause: str, mark: Any, remedy: str) -> None:
        raise FileError(cause, file=self.file, line=mark.line + 1, column=mark.column + 1, remedy=remedy)

    def build(self, events: Iterator[Any]) -> Node:
        import yaml

        stack: list[Node] = []  # the lists and mappings that are open
        keys: list[tuple[str, Any] | None] = []  # for each, the key whose value is awaited
        root: Node | None = None
        documents = count = 0
        for event in events:
            mark = event.start_mark
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.fail("the file holds a second document", mark, "one file is one machine: remove '---'")
                continue
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                self.fail("anchors (&) and aliases (*) are no part of model files", mark, "use a parameter, or repeat it")
            if getattr(event, "tag", None):
                self.fail(f"the tag {event.tag!r} is no part of model files", mark, "remove it: a model is plain data")
            if isinstance(event, yaml.CollectionEndEvent):
                stack.pop()
                keys.pop()
                continue
            if not isinstance(event, yaml.NodeEvent):
                continue
            count += 1
            if count > MOST_VALUES:
                self.fail(f"the file holds more than {MOST_VALUES} values", mark, "is it a model?")
            if stack and isinstance(stack[-1].value, dict) and keys[-1] is None:
                keys[-1] = self.key(event, stack[-1])
                continue
            node = self.node(event)
            if not stack:
                root = node
            elif isinstance(stack[-1].value, list):
                stack[-1].value.append(node)
            else:
                name, place = keys[-1]  # type: ignore[misc]
                stack[-1].value[name] = node
                stack[-1].keys[name] = place
                keys[-1] = None
            if not isinstance(event, yaml.ScalarEvent):
                stack.append(node)
                keys.append(None)
                if len(stack) > DEEPEST:
                    self.fail(f"the file is nested deeper than {DEEPEST}", mark, "is it a model?")
        if root is None:
            raise FileError("the file is empty", file=self.file, line=1, column=1, remedy="begin with 'linkwright: 1'")
        return root

    def key(self, event: Any, mapping: Node) -> tuple[str, tuple[int, int]]:
        import yaml

        if not isinstance(event, yaml.ScalarEvent):
            self.fail("a key must be a text, no list or mapping", event.start_mark, "check the brackets")
        if event.value in mapping.value:
            first = mapping.keys[event.value][0]
            self.fail(f"the key {event.value!r} is here twice; first in line {first}", event.start_mark, "remove one")
        return event.value, (event.start_mark.line + 1, event.start_mark.column + 1)

    @staticmethod
    def node(event: Any) -> Node:
        import yaml

        mark = event.start_mark
        line, column = mark.line + 1, mark.column + 1
        if not isinstance(event, yaml.ScalarEvent):
            return Node({} if isinstance(event, yaml.MappingStartEvent) else [], line, column)
        plain = not event.style
        value = resolve(event.value) if plain else event.value
        return Node(value, line, column, 0 if plain else 1, event.end_mark.line == mark.line)
