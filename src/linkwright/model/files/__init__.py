"""Model files: YAML or JSON, plain data that can never run code. `save`, `load`, and the schema of the format."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from linkwright.arguments import typed
from linkwright.atomic import ResultFileError, write_text
from linkwright.errors import ModelError
from linkwright.model.files.emit import number, to_json, to_yaml
from linkwright.model.files.nodes import FileError, parse, read_nodes
from linkwright.model.files.reader import build
from linkwright.model.files.schema import schema
from linkwright.model.files.writer import VERSION, plain
from linkwright.model.model import Model
from linkwright.model.names import ELSEWHERE, suggestion
from linkwright.options import FileForm

SUFFIXES = (".yaml", ".yml", ".json")
RESULTS = (".nc", ".csv", ".parquet", ".mat", ".xlsx")  # endings of what analyses answer: often mistaken for models


@typed
def load(path: str | os.PathLike[str]) -> Model:
    """The model of a file in YAML or JSON; `lw.load` also reads those of other programs."""
    path = Path(path)
    if path.suffix.lower() in RESULTS:
        raise ModelError("this is a result, not a model", element=str(path), remedy="lw.load_result reads it")
    return build(read_nodes(path), str(path))


def loads(text: str, file: str = "<text>") -> Model:
    """The model of a text in YAML (JSON is a part of it)."""
    return build(parse(text, file), file)


def dumps(model: Model, form: FileForm = "yaml") -> str:
    """The text of a model, in "yaml" or "json"; ModelError, with the element's name, for what no file can hold."""
    if form not in ("yaml", "json"):
        raise ModelError(f"model files are not written as {form!r}", remedy="choose yaml or json")
    return to_json(plain(model)) if form == "json" else to_yaml(plain(model))


def revise(text: str, values: Mapping[str, float], file: str = "<text>") -> str:
    """The text of a model file with other values of its parameters; comments and layout stay. FileError as `loads`."""
    root = parse(text, file)
    node = root.value.get("parameters") if isinstance(root.value, dict) else None
    known = node.value if node is not None and isinstance(node.value, dict) else {}
    rows = text.split("\n")
    places = []
    for name, value in values.items():
        if name not in known or not isinstance(known[name].value, float | str):
            line, column = (node.line, node.column) if node is not None else (1, 1)
            raise FileError(
                f"there is no parameter {name!r}", file=file, line=line, column=column, remedy=suggestion(name, known)
            )
        places.append((known[name].line - 1, known[name].column - 1, known[name].value, number(value)))
    for row, column, old, written in sorted(places, key=lambda p: p[:2], reverse=True):  # what is before stays in its place
        pattern = r"[-+.\w]+" if isinstance(old, float) else rf"(['\"]?){re.escape(old)}\1"  # 20 mm, in quotes or not
        rest = re.sub(pattern, lambda _, written=written: written, rows[row][column:], count=1)  # type: ignore[misc]
        rows[row] = rows[row][:column] + rest
    revised = "\n".join(rows)
    loads(revised, file)
    return revised


@typed
def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model; the name's ending chooses YAML or JSON. A file is replaced whole or not at all."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        known = (*SUFFIXES, *ELSEWHERE)
        raise ModelError(f"{path.name!r} does not say what it is to be", remedy=suggestion(path.suffix or "?", known))
    text = dumps(model, "json" if path.suffix.lower() == ".json" else "yaml")
    try:
        write_text(path, text)
    except ResultFileError as error:
        raise ModelError(error.cause, element=error.element, remedy=error.remedy) from error


__all__ = ["VERSION", "FileError", "dumps", "load", "loads", "revise", "save", "schema"]
