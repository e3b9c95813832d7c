"""Sphinx reads every page as `living` has expanded it."""

from __future__ import annotations

import os
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import gallery
import living


def _read(app: Any, name: str, source: list[str]) -> None:
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as scratch:  # what a page writes does not stay
        os.chdir(scratch)
        try:
            with redirect_stdout(StringIO()):  # pages may print
                source[0] = living.expand(source[0], f"{name}.md")
        finally:
            os.chdir(here)


def _animate(app: Any, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        gallery.animate(Path(app.outdir) / "machines")


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _read)
    app.connect("build-finished", _animate)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
