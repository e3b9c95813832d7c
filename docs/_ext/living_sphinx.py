"""Sphinx reads every page as `living` has expanded it."""

from __future__ import annotations

import os
import shutil
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


def _begin(app: Any) -> None:
    """Live pages are made on the way; those of an earlier build are not kept."""
    if app.builder.format == "html":
        gallery.LIVE.folder = Path(app.outdir) / "machines"
        shutil.rmtree(gallery.LIVE.folder, ignore_errors=True)


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _read)
    app.connect("builder-inited", _begin)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
