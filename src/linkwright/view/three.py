"""three.js, the library that draws in space, taken from a package that ships it: this repository holds no copy, and a page
needs no network.

Two packages do. jupyter-threejs-sage has it as plain files, one a release. The viewer template of trimesh holds it as its
first script, and is the newer: it is cut out of there, and not used where it is not found whole. Neither is imported. The
newest release that is found is the one that pages get.
"""

from __future__ import annotations

import re
import zipfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from linkwright.results.optional import MissingPackageError

FILES, RELEASES = "jupyter_threejs_sage", "static/r*/three.min.js"
PACKAGE, TEMPLATE = "trimesh", "resources/templates/viewer.zip"
# The library is the first script of the template, up to where its wrapper ends.
LIBRARY = re.compile(r'<script>(.*?Object\.defineProperty\(\w+,"__esModule",\{value:!0\}\)\}\)\);?)', re.DOTALL)
REVISION = re.compile(r'"(1\d\d)"')  # the first such text in it
OLDEST = 120  # what is asked of it was there


@cache
def library() -> str:
    """The text of three.js, licence line included; it defines the global THREE."""
    found = {revision(text): text for text in (*_files(), *_template()) if "THREE" in text[:2000]}
    newest = max(found, default=0)
    if newest < OLDEST:
        raise MissingPackageError(
            "a page of a machine in space needs three.js, and no package that ships it was found",
            element=[PACKAGE, FILES],
            remedy="python -m pip install trimesh, or jupyter-threejs-sage, which has it as a file",
        )
    return found[newest]


def revision(text: str) -> int:
    """Of three.js."""
    found = REVISION.search(text)
    return int(found[1]) if found else 0


def _folder(package: str) -> Path | None:
    spec = find_spec(package)
    return None if spec is None or not spec.submodule_search_locations else Path(spec.submodule_search_locations[0])


def _files() -> list[str]:
    folder = _folder(FILES)
    return [] if folder is None else [path.read_text(encoding="utf-8") for path in sorted(folder.glob(RELEASES))[-1:]]


def _template() -> list[str]:
    folder = _folder(PACKAGE)
    try:
        with zipfile.ZipFile((folder or Path()) / TEMPLATE) as archive:
            found = LIBRARY.search(archive.read(archive.namelist()[0]).decode())
    except (OSError, zipfile.BadZipFile, IndexError, UnicodeDecodeError):
        found = None
    return [] if found is None else [found[1]]
