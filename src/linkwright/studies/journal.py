"""What a study has done, kept as it goes: `out=` survives a kill at any moment, and the same call goes on from there.

A journal is a file of records, each with its checksum: a record that a kill has cut is not there. It stands beside the
file that the study will be (NAME.journal), is locked by the process that writes it, and goes when the study is whole.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Self

import numpy as np

from linkwright.atomic import ResultFileError
from linkwright.errors import ModelError, read_again
from linkwright.results.study import is_study
from linkwright.studies.points import Block, Outcome

HEAD = struct.Struct("<II")  # length and checksum of what follows
FAR = 2**30  # bytes
SYNCED = 64  # records until they are forced to the disk: a kill loses none, a loss of power these

_written: set[Path] = set()  # by this process
_changing = Lock()


def journal_of(out: Path) -> Path:
    return out.with_name(out.name + ".journal")


class Journal:
    """Opened for one study; `done` are the outcomes that an earlier process has left."""

    def __init__(self, out: Path, key: str) -> None:
        self.path = journal_of(out)
        self._own(out)
        try:
            self._open(out, key)
        except BaseException:
            self._close()
            raise

    def _own(self, out: Path) -> None:
        """Of the studies of this process one writes it."""
        self._place = self.path.resolve()
        with _changing:
            if self._place in _written:
                raise ResultFileError(
                    "another study of this process writes it", element=str(out), remedy="wait for it, or give another out="
                )
            _written.add(self._place)

    def _open(self, out: Path, key: str) -> None:
        while True:
            try:
                self._file: BinaryIO = open(self.path, "a+b")  # noqa: SIM115
            except OSError as error:
                raise ResultFileError(
                    f"it cannot be written: {error.strerror}", element=str(out), remedy="choose another place"
                ) from error
            self._lock(out)
            if self._is_there():
                break
            self._file.close()
        self._unsynced = 0
        self.done: list[Outcome | Block] = []
        whole = 0
        for end, record in self._records():
            whole = end
            if isinstance(record, str):
                self._check_key(record, key, out)
            else:
                self.done.append(record)
        if not whole:
            self._check_beginning(key, out)
        self._file.truncate(whole)  # what a kill has cut
        if not whole:
            self._append(key)

    def _is_there(self) -> bool:
        """Not if whoever wrote it has come to its end between the opening and the lock, and taken it away."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), os.stat(self.path))
        except FileNotFoundError:
            return False

    def _lock(self, out: Path) -> None:
        """Of the processes one writes it."""
        try:
            _lock_alone(self._file)
        except OSError:
            raise ResultFileError(
                "another process writes this study", element=str(out), remedy="wait for it, or give another out="
            ) from None

    def _check_key(self, found: str, key: str, out: Path) -> None:
        if found != key:
            raise ResultFileError(
                f"{self.path.name} beside it holds the beginning of another study", element=str(out),
                remedy="repeat that study's call, give another out=, or remove the journal",
            )  # fmt: skip

    def _check_beginning(self, key: str, out: Path) -> None:
        """Without a whole record it is empty, or a kill has cut the first one."""
        first = _framed(key)
        self._file.seek(0)
        if not first.startswith(self._file.read(len(first) + 1)):
            raise ResultFileError(
                f"{self.path.name} beside it is no journal of a study", element=str(out),
                remedy="give another out=, or remove that file",
            )  # fmt: skip

    def _records(self) -> Iterator[tuple[int, Any]]:
        """Each whole record with the place where it ends."""
        self._file.seek(0)
        at = 0
        while len(head := self._file.read(HEAD.size)) == HEAD.size:
            length, check = HEAD.unpack(head)
            data = self._file.read(length)
            if len(data) < length or zlib.crc32(data) != check:
                return
            at += HEAD.size + length
            yield at, _decoded(data)

    def _append(self, record: Outcome | Block | str) -> None:
        try:
            self._file.write(_framed(record))
            self._file.flush()
        except OSError as error:
            raise ResultFileError(
                f"what is done cannot be kept: {error.strerror}", element=str(self.path),
                remedy="make room; the same call goes on from there",
            ) from error  # fmt: skip

    def add(self, outcome: Outcome | Block) -> None:
        self._append(outcome)
        self._unsynced += SYNCED if isinstance(outcome, Block) else 1
        if self._unsynced >= SYNCED:
            os.fsync(self._file.fileno())
            self._unsynced = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *rest: Any) -> None:
        """The journal goes while it is locked; where open files cannot go, at once after."""
        try:
            if kind is None:
                self.path.unlink(missing_ok=True)
        except PermissionError:
            self._file.close()
            with suppress(PermissionError):  # another process has it already
                self.path.unlink(missing_ok=True)
        finally:
            self._close()

    def _close(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()
        with _changing:
            _written.discard(self._place)


def _lock_alone(file: BinaryIO) -> None:
    """OSError if another process has locked it. The lock is the process's own: processes that it has forked, which may
    outlive it, do not hold it. Windows locks bytes, of which others cannot even read: one far behind all that is written."""
    try:
        import fcntl
    except ImportError:
        import msvcrt

        file.seek(FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _framed(record: Outcome | Block | str) -> bytes:
    data = _encoded(record)
    return HEAD.pack(len(data), zlib.crc32(data)) + data


def _encoded(record: Outcome | Block | str) -> bytes:
    """A line of JSON that says what the numbers after it are."""
    if isinstance(record, str):
        return json.dumps({"key": record}).encode() + b"\n"
    if isinstance(record, Block):
        parts = [record.indices, *record.values, record.t]
        head = {"block": [list(np.shape(a)) for a in parts]}
        return json.dumps(head).encode() + b"\n" + b"".join(np.asarray(a, dtype="<f8").tobytes() for a in parts)
    arrays = [np.atleast_1d(v) for v in record.values] + ([] if record.t is None else [np.atleast_1d(record.t)])
    error = record.error
    about = {
        "index": record.index,
        "sizes": [len(a) for a in arrays[: len(record.values)]],
        "single": [v.ndim == 0 for v in record.values],
        "t": record.t is not None,
        "error": None if error is None else [type(error).__name__, error.cause, list(error.element), error.remedy],
    }
    return json.dumps(about).encode() + b"\n" + b"".join(np.asarray(a, dtype="<f8").tobytes() for a in arrays)


def _decoded(data: bytes) -> Outcome | Block | str:
    line, _, rest = data.partition(b"\n")
    about = json.loads(line)
    if "key" in about:
        return str(about["key"])
    numbers = np.frombuffer(rest, dtype="<f8").astype(float)
    if "block" in about:
        shapes = about["block"]
        cut = np.split(numbers, np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1])
        indices, *blocks, t = (a.reshape(shape) for a, shape in zip(cut, shapes, strict=True))
        return Block(indices.astype(int), tuple(blocks), t)
    *parts, t = np.split(numbers, np.cumsum(about["sizes"]))
    values = tuple(p[0] if single else p for p, single in zip(parts, about["single"], strict=True))
    values = tuple(np.asarray(v) for v in values)
    return Outcome(
        about["index"], values, t if about["t"] else None, None if about["error"] is None else read_again(*about["error"])
    )


def as_path(out: Any) -> Path | None:
    if out is None:
        return None
    path = Path(out)
    if path.suffix.lower() != ".nc":
        raise ModelError("studies are kept as NetCDF", element="out", remedy='give a name such as out="study.nc"')
    if path.exists() and (path.is_dir() or not is_study(path)):
        raise ResultFileError("what is there is no study", element=str(path), remedy="give another name, or remove it")
    return path
