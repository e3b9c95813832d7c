"""Runs the corpus in the other programs, each machine in a process of its own, and writes what was told."""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.broken.plain import InexpressibleError, assembled, plain
from linkwright.corpus import Entry, entries

NO_FAULT = ("free", "not-closing", "unused-parameter")  # no fault there, or of what these programs do not have
PROGRAMS = {"MuJoCo": ("benchmarks.broken.in_mujoco", "mujoco"), "Exudyn": ("benchmarks.broken.in_exudyn", "exudyn")}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.broken", description=__doc__)
    parser.add_argument("--json", default="", help="where the answers go")
    parser.add_argument("--only", default="", help="machines with this in their names")
    args = parser.parse_args()
    for module, _ in PROGRAMS.values():
        import_module(module)
    rows = []
    for entry in entries():
        if args.only in entry.name:
            rows.append({"machine": entry.name, "group": entry.group, "code": entry.code, "elements": sorted(entry.elements),
                         **{name: answer(entry, name) for name in PROGRAMS}})  # fmt: skip
            print(json.dumps(rows[-1]), flush=True)
    versions = {name: version(package) for name, (_, package) in PROGRAMS.items()}
    if args.json:
        Path(args.json).write_text(json.dumps({"versions": versions, "machines": rows}, indent=1) + "\n", encoding="utf-8")


def answer(entry: Entry, program: str) -> dict[str, Any]:
    """In a child: what these programs print, and a crash, is an answer, too."""
    read, write = os.pipe()
    with tempfile.TemporaryFile() as printed:
        child = os.fork()
        if child == 0:
            os.dup2(printed.fileno(), 1)
            os.dup2(printed.fileno(), 2)
            os.chdir(tempfile.gettempdir())
            os.write(write, json.dumps(_told(entry, program)).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as answered:
            text = answered.read()
        _, status = os.waitpid(child, 0)
        printed.seek(0)
        said = printed.read().decode(errors="replace")
    found: dict[str, Any] = json.loads(text) if text else {"outcome": "crashed", "text": f"signal {status & 127}"}
    if found["outcome"] in ("stopped", "refused") and said:
        found["printed"] = _plain_text(said)
    return found


def _told(entry: Entry, program: str) -> dict[str, Any]:
    if entry.code in NO_FAULT:
        return {"outcome": "inexpressible", "text": entry.code}
    try:
        found: dict[str, Any] = import_module(PROGRAMS[program][0]).said(
            plain(assembled(entry.build(), entry.code)), entry.t_end or 1.0
        )
    except InexpressibleError as error:
        return {"outcome": "inexpressible", "text": str(error)}
    except Exception as error:  # a fault of this translation, to be seen in the record
        return {"outcome": "fault", "text": f"{type(error).__name__}: {error}"}
    return found


def _plain_text(said: str) -> str:
    lines = [re.sub(r"\s+", " ", x).strip("=*- ") for x in said.splitlines()]
    lines = [re.sub(r"\s*\[(Python )?file[^\]]*\]:?", "", x) for x in lines]
    wanted = [x for x in lines if re.search(r"error|fail|singular|converge|warning|redundant|jacobian", x, re.IGNORECASE)]
    return " | ".join(dict.fromkeys(wanted))[:700]


if __name__ == "__main__":
    main()
