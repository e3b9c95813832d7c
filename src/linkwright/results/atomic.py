"""Files that are whole or not there: written beside their place under another name, then put there in one move."""

from __future__ import annotations

import glob
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from zlib import crc32

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
    _sweep(final)
    try:
        prefix = f".{final.name}.{_computer()}-{os.getpid()}-"
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=f"{final.suffix}.part", dir=final.parent)
    except OSError as error:
        raise ResultFileError(
            f"{final} cannot be written: {error.strerror or error}", remedy="choose a folder that exists and is yours"
        ) from error
    os.close(handle)
    return Path(name)


def _sweep(final: Path) -> None:
    """Remove what writers of this file left behind when they were killed: those of this computer that live no more."""
    if sys.platform == "win32":  # there is no question without an effect there
        return
    for path in final.parent.glob(f".{glob.escape(final.name)}.{_computer()}-*{glob.escape(final.suffix)}.part"):
        pid = path.name.removeprefix(f".{final.name}.{_computer()}-").partition("-")[0]
        with suppress(OSError):
            if pid.isdigit() and not _lives(int(pid)):
                path.unlink()


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


@cache
def _computer() -> str:
    """Where process numbers are those of this program: a folder may be shared by computers and by containers."""
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return f"{crc32(f'{platform.node()} {space}'.encode()):08x}"


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
