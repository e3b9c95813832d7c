"""three.js, the library that draws in space, taken from where a package already ships it.

The viewer template of trimesh holds the whole of three.js as one script; it is read from there when a page is written,
so that the page needs no network and this repository no copy. trimesh itself is not imported. The one package on PyPI that
ships three.js as a plain file, jupyter-threejs-sage, has an older release, puts Jupyter extensions beside it and is missing
from mirrors that hold trimesh: hence the script is cut out of the template, and refused where it is not found whole.
"""

from __future__ import annotations

import re
import zipfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from linkwright.results.optional import MissingPackageError

TEMPLATE = "resources/templates/viewer.zip"
# The library is the first script of the template, up to where its wrapper ends.
LIBRARY = re.compile(r'<script>(.*?Object\.defineProperty\(\w+,"__esModule",\{value:!0\}\)\}\)\);?)', re.DOTALL)


@cache
def library() -> str:
    """The text of three.js, licence line included; it defines the global THREE."""
    spec = find_spec("trimesh")
    if spec is None or not spec.submodule_search_locations:
        raise MissingPackageError(
            "a page of a machine in space needs three.js, which comes with the package trimesh",
            element="trimesh",
            remedy="python -m pip install trimesh",
        )
    path = Path(spec.submodule_search_locations[0]) / TEMPLATE
    try:
        with zipfile.ZipFile(path) as archive:
            found = LIBRARY.search(archive.read(archive.namelist()[0]).decode())
    except (OSError, zipfile.BadZipFile, IndexError):
        found = None
    if found is None or "THREE" not in found[1][:2000]:
        raise MissingPackageError(
            "three.js was not found where trimesh used to keep it",
            element="trimesh",
            remedy='install a version that is known to work: python -m pip install "trimesh==5.2.0"',
        )
    return found[1]
