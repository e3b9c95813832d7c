"""three.js, the library that draws in space: a file of the package jupyter-threejs-sage, which is not imported.

This repository holds no copy, and a page needs no network. The release is fixed, and what is read is known by its digest:
pages are drawn by what they were tested with, on every computer.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from linkwright.results.optional import MissingPackageError

PACKAGE, FILE = "jupyter_threejs_sage", "static/r130/three.min.js"
SHA256 = "52ced813d01a0973760ad3e6f3568c6310534d6bef1225aedc2b569221c1f5c9"


@cache
def library() -> str:
    """The text of three.js, licence line included; it defines the global THREE."""
    found = find_spec(PACKAGE)
    try:
        text = Path(next(iter((found and found.submodule_search_locations) or ["."])), FILE).read_bytes()
    except OSError:
        text = b""
    if hashlib.sha256(text).hexdigest() != SHA256:
        raise MissingPackageError(
            f"a page of a machine in space needs three.js, and {'another' if text else 'no'} file {FILE} was found",
            element=[PACKAGE],
            remedy="python -m pip install jupyter-threejs-sage==130, which has it",
        )
    return text.decode()
