"""Plain data as text that a person likes to read: YAML with one line a body or element; or JSON."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from linkwright.model.files.nodes import resolve

WIDTH = 120


def to_json(data: Any) -> str:
    return json.dumps(_numbers(data), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_yaml(data: dict[str, Any]) -> str:
    """Each section of the top level by itself, the entries of a section one a line."""
    import yaml

    parts: list[str] = []
    for key, value in data.items():
        if isinstance(value, dict):
            rows = [(_scalar(yaml, k), _node(yaml, v)) for k, v in value.items()]
            node = yaml.MappingNode("tag:yaml.org,2002:map", rows, flow_style=False)
            parts.append("\n")
        else:
            node = _node(yaml, value)
        section = yaml.MappingNode("tag:yaml.org,2002:map", [(_scalar(yaml, key), node)], flow_style=False)
        parts.append(yaml.serialize(section, Dumper=yaml.SafeDumper, width=WIDTH, allow_unicode=True))
    return "".join(parts)


def _node(yaml: Any, value: Any) -> Any:
    if isinstance(value, dict):
        rows = [(_scalar(yaml, k), _node(yaml, v)) for k, v in value.items()]
        return yaml.MappingNode("tag:yaml.org,2002:map", rows, flow_style=True)
    if isinstance(value, list):
        return yaml.SequenceNode("tag:yaml.org,2002:seq", [_node(yaml, v) for v in value], flow_style=True)
    return _scalar(yaml, value)


def _scalar(yaml: Any, value: Any) -> Any:
    if value is None or isinstance(value, bool):
        kind, text = ("null", "null") if value is None else ("bool", str(value).lower())
    elif isinstance(value, str):
        # what YAML 1.2 or 1.1 would take for a number or a word of its own is quoted
        style = "'" if not isinstance(resolve(value), str) else None
        return yaml.ScalarNode("tag:yaml.org,2002:str", value, style=style)
    else:
        kind, text = "float", number(value)
        kind = "int" if text.lstrip("-").isdigit() else kind
    return yaml.ScalarNode(f"tag:yaml.org,2002:{kind}", text)


def number(value: float) -> str:
    """The shortest text that reads back as this number, whole numbers without a point."""
    assert isfinite(value), value  # models hold finite numbers only
    text = repr(float(value)).removesuffix(".0")
    head, e, tail = text.partition("e")
    # 1e-05 is a text for readers of YAML 1.1
    return f"{head if '.' in head else head + '.0'}e{tail if tail[0] in '+-' else '+' + tail}" if e else text


def _numbers(data: Any) -> Any:
    """Whole numbers as integers: 1, not 1.0."""
    if isinstance(data, dict):
        return {k: _numbers(v) for k, v in data.items()}
    if isinstance(data, list):
        return [_numbers(v) for v in data]
    whole = isinstance(data, float) and data.is_integer() and abs(data) < 1e15 and str(data)[0:2] != "-0"
    return int(data) if whole else data
