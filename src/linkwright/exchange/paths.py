"""Files that a file names: found below its own folder and the folders that the user gives, nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from linkwright.errors import ModelError

OUTSIDE = "outside of the folders that may be read"
MISSING = "not found"


class Folders:
    """The folders that may be read: that of the file, and the package folders."""

    def __init__(self, file: Path, packages: Iterable[str | Path] = ()) -> None:
        self.home = file.resolve().parent
        self.packages = [_folder(p) for p in packages]
        self.roots = [self.home, *self.packages]

    def find(self, name: str) -> Path:
        """The file of a name as URDF and MJCF write them; LookupError with OUTSIDE or MISSING if it is not to be had."""
        name = name.strip().replace("\\", "/")
        for scheme in ("package://", "model://"):
            if name.startswith(scheme):
                package, _, rest = name[len(scheme) :].partition("/")
                places = [root / package / rest for root in self._above()]
                return self._first(places + [root / rest for root in self.packages])
        if name.startswith("file://"):
            name = unquote(name[len("file://") :])
        elif "://" in name:
            raise LookupError(OUTSIDE)
        return self._first([root / name for root in self.roots])

    def _above(self) -> list[Path]:
        """Where a package may lie: in a folder given, next to one, or in the file's own folder."""
        return [x for root in self.packages for x in (root, root.parent)] + [self.home]

    def _first(self, places: list[Path]) -> Path:
        allowed = False
        for place in places:
            try:
                found, there = place.resolve(), place.is_file()
            except (OSError, ValueError):  # no name that the system knows
                continue
            if any(found.is_relative_to(root) for root in self.roots):
                allowed = True
                if there:
                    return found
        raise LookupError(MISSING if allowed else OUTSIDE)


def _folder(given: str | Path) -> Path:
    path = Path(given).resolve()
    if not path.is_dir():
        raise ModelError("this is no folder", element=str(given), remedy="give the folders that packages lie in")
    return path
