"""Machine code kept on disk between runs, and what it was made from (see `system.snapshots`).

An entry is a file: a header with the version of this format, the length of the code, the entry's key and a SHA-256 of the
key and the code together, then the code. The key is made of everything that the code depends on: the program, the CPU, the
version of LLVM, this format. An entry runs only under the key that it was made for, so that a file that was damaged, cut,
renamed, exchanged with another or copied from another computer is removed and compiled anew. It is written to a temporary
file and renamed, so that a reader sees all of it or nothing. The folder is bounded: the entries used longest ago go first.
To look at all of them takes a tenth of a second and more, so a process does it when the room that it last saw might be used
up.

The checks are against accidents. Who may write into the folder may run code as its owner: it is made for its owner alone.

`LINKWRIGHT_CACHE=off` switches it off, `LINKWRIGHT_CACHE=/a/folder` moves it, `LINKWRIGHT_CACHE_MB` bounds it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from functools import lru_cache
from pathlib import Path

from platformdirs import user_cache_path

_FORMAT = b"LINKWRT2"  # the last character counts the versions
_HEADER = len(_FORMAT) + 8 + 32 + 32
# Of many entries one in so many goes beyond what must, so that the next ones find room; of the room that is left a process
# uses a part before it looks again: others may write too.
_SPARE, _PART = 16, 2
# What decides about the usual folder: on Linux; everywhere, by the user's home; on Windows.
_DECIDE = "XDG_CACHE_HOME", "HOME", "USERPROFILE", "LOCALAPPDATA", "WIN_PD_OVERRIDE_LOCAL_APPDATA"
_room: dict[tuple[Path, int], int] = {}


def folder() -> Path | None:
    """Where entries are, or None if the cache is off."""
    chosen = os.environ.get("LINKWRIGHT_CACHE", "")
    if chosen.lower() in ("off", "0", "no", "none"):
        return None
    return Path(chosen) if chosen else _usual(tuple(map(os.environ.get, _DECIDE)))


@lru_cache(maxsize=4)
def _usual(_: tuple[str | None, ...]) -> Path:
    """The folder that is usual on this system, where these variables are as they are: it is asked for with every entry."""
    return user_cache_path("linkwright") / "code"


def limit() -> int:
    """Bytes the folder may hold."""
    try:
        return int(float(os.environ.get("LINKWRIGHT_CACHE_MB", "256")) * 1e6)
    except (ValueError, OverflowError):  # no number, or "inf"
        return 256_000_000


def key(*parts: str) -> str:
    """The name of an entry, from everything its code depends on."""
    # the lengths keep parts that end and begin otherwise apart
    told = "".join(f"{len(part)} {part}" for part in (_FORMAT.decode(), *parts))
    return hashlib.sha256(told.encode()).hexdigest()


def _header(name: str, code: bytes) -> bytes:
    """What stands before the code of the entry of this name, and of no other."""
    own = hashlib.sha256(name.encode()).digest()
    return _FORMAT + len(code).to_bytes(8, "little") + own + hashlib.sha256(own + code).digest()


def load(name: str) -> bytes | None:
    """The code of an entry, or None if there is none that is whole and was made under this name."""
    place = folder()
    if place is None:
        return None
    path = os.path.join(place, f"{name}.o")
    try:
        with open(path, "rb", buffering=0) as file:
            content = file.readall()
    except OSError:
        return None
    code = content[_HEADER:]
    whole = content[:_HEADER] == _header(name, code)
    with contextlib.suppress(OSError):
        (os.utime if whole else os.unlink)(path)  # used now
    return code if whole else None


def store(name: str, code: bytes) -> None:
    """Keep the code. A full disk or a folder that cannot be written is no error: the cache is a convenience."""
    place = folder()
    if place is None:
        return
    with contextlib.suppress(OSError):
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=place, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_header(name, code) + code)
            os.replace(temporary, place / f"{name}.o")
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        most = limit()
        left = _room.get((place, most), 0) - _HEADER - len(code)
        _room[place, most] = left if left >= 0 else (most - trim(place, most)) // _PART


def trim(place: Path, most: int) -> int:
    """Remove the entries used longest ago until the folder holds at most so many bytes, and stale temporary files; gives
    the bytes that it holds then."""
    entries = []
    with os.scandir(place) as files:
        for file in files:
            with contextlib.suppress(OSError):
                stat = file.stat()
                if file.name.endswith(".tmp") and time.time() - stat.st_mtime > 3600:
                    os.unlink(file.path)  # left by a process that was killed
                elif file.name.endswith(".o"):
                    entries.append((stat.st_mtime, stat.st_size, file.path))
    total = sum(size for _, size, _ in entries)
    spare = len(entries) // _SPARE if total > most else 0
    for _, size, path in sorted(entries):
        if total <= most:
            spare -= 1
            if spare < 0:
                break
        with contextlib.suppress(OSError):
            os.unlink(path)
        total -= size
    return total
