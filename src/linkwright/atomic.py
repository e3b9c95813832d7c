"""Files that are whole or not there: written beside their place under another name, then put there in one move."""

from __future__ import annotations

import errno
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
    """A file of results cannot be written or read as asked.

    Parameters
    ----------
    cause : str
        What is wrong.
    element : str or sequence of str
        Names of what it concerns.
    remedy : str
        What mends it.
    partial : optional
        What was computed so far, if anything.

    Examples
    --------
    >>> try:
    ...     lw.load_result("nowhere.nc")
    ... except lw.ResultFileError as error:
    ...     print(error.cause)
    there is no such file
    """


NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
PART, STREAM = "part", "stream"  # kinds of temporary files: useless until they are whole, and of use as they grow


def unwritable(path: str | os.PathLike[str], error: OSError) -> ResultFileError:
    """The error of ours for what the system says when a file cannot be written."""
    if error.errno in NO_ROOM:
        remedy = "make room there, or choose another disk"
    elif isinstance(error, FileNotFoundError | NotADirectoryError):
        remedy = "choose a folder that exists"
    elif isinstance(error, IsADirectoryError):
        remedy = "is it a folder, or open elsewhere? Add the name of a file"
    else:
        remedy = "choose a folder that exists and is yours"
    return ResultFileError(f"cannot be written: {error.strerror or error}", element=os.fspath(path), remedy=remedy)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path to write to; when the block ends well it takes the place of `path`, else it is removed.

    The move is atomic: whoever looks, and whatever is killed, finds the old file or the new one. What the system refuses in
    the block (a full disk) is a ResultFileError.
    """
    final = Path(path)
    temporary = beside(final)
    try:
        yield temporary
        put(temporary, final)
    except ResultFileError:
        raise
    except OSError as error:
        raise unwritable(final, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def beside(final: Path, kind: str = PART) -> Path:
    """An empty file of a name of its own in the same folder (so that the move stays inside one file system)."""
    for left in abandoned(final):
        with suppress(OSError):
            left.unlink()
    try:
        handle, name = tempfile.mkstemp(
            prefix=f"{_prefix(final)}{os.getpid()}-", suffix=_suffix(final, kind), dir=final.parent
        )
    except OSError as error:
        raise unwritable(final, error) from error
    os.close(handle)
    return Path(name)


def abandoned(final: Path, kind: str = PART) -> list[Path]:
    """What killed writers of this file left behind (those of this computer that live no more), oldest first."""
    if sys.platform == "win32":  # there is no question without an effect there
        return []
    prefix, found = _prefix(final), []
    for path in final.parent.glob(f"{glob.escape(prefix)}*{glob.escape(_suffix(final, kind))}"):
        pid = path.name.removeprefix(prefix).partition("-")[0]
        with suppress(OSError):
            if pid.isdigit() and not _lives(int(pid)):
                found.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(found)]


def _prefix(final: Path) -> str:
    return f".{final.name}.{_computer()}-"


def _suffix(final: Path, kind: str) -> str:
    return f"{final.suffix}.{kind}"


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
        raise unwritable(final, IsADirectoryError("it is a folder"))
    beside(final).unlink()


def put(temporary: Path, final: Path) -> None:
    """Move the finished file to its place; its bytes are on the disk before its name is."""
    try:
        with open(temporary, "rb+") as f:
            os.fsync(f.fileno())
        os.chmod(temporary, _usual_mode(final))
        os.replace(temporary, final)
    except OSError as error:
        raise unwritable(final, error) from error


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
        temporary.write_text(text, encoding="utf-8", newline="\n")
