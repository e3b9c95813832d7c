"""Files that are whole or not there: written beside their place under another name, then put there in one move."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from linkwright.errors import LinkwrightError


class ResultFileError(LinkwrightError, OSError):
    """A file cannot be written or read as asked."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path to write to; when the block ends well it takes the place of `path`, else it is removed.

    The move is atomic: whoever looks, and whatever is killed, finds the old file or the new one.
    """
    final = Path(path)
    temporary = beside(final)
    try:
        yield temporary
        put(temporary, final)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def beside(final: Path) -> Path:
    """An empty file of a name of its own in the same folder (so that the move stays inside one file system)."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{final.name}.", suffix=f"{final.suffix}.part", dir=final.parent)
    except OSError as error:
        raise ResultFileError(
            f"{final} cannot be written: {error.strerror or error}", remedy="choose a folder that exists and is yours"
        ) from error
    os.close(handle)
    return Path(name)


def room(path: str | os.PathLike[str]) -> None:
    """ResultFileError if a file cannot be put there."""
    final = Path(path)
    if final.is_dir():
        raise ResultFileError(f"{final} cannot be written: it is a folder", remedy="add the name of a file")
    beside(final).unlink()


def put(temporary: Path, final: Path) -> None:
    """Move the finished file to its place; its bytes are on the disk before its name is."""
    with open(temporary, "rb+") as f:
        os.fsync(f.fileno())
    os.chmod(temporary, _usual_mode(final))
    try:
        os.replace(temporary, final)
    except OSError as error:
        raise ResultFileError(
            f"{final} cannot be written: {error.strerror or error}", remedy="is it a folder, or open elsewhere?"
        ) from error


def _usual_mode(final: Path) -> int:
    """The permissions of the file that is replaced, else those that `open` would give (mkstemp's are private)."""
    with suppress(OSError):
        return final.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file whole."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
