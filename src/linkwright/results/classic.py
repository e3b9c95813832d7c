"""The classic format of NetCDF (version 3, 64-bit offsets) for tables: variables of double precision over the time t, which
is its unlimited dimension, and texts as attributes.

A file is a header, then rows: one number of each variable, big-endian, t first. It grows by writing rows at its end, so that
it is whole after each; what is known only at the end goes into room that is kept free behind the header. The grammar of the
header and the names of its parts are those of the NetCDF Classic Format Specification (Unidata).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

import numpy as np

MAGIC = b"CDF\x02"
NC_DIMENSION, NC_VARIABLE, NC_ATTRIBUTE = 10, 11, 12
NC_CHAR, NC_DOUBLE = 2, 6
SIZES = {1: 1, NC_CHAR: 1, 3: 2, 4: 4, 5: 4, NC_DOUBLE: 8}  # bytes of a number by its type
WIDTH = 8  # bytes of a number
BLOCK = 1 << 22  # bytes that are read or moved at once
SUM = "linkwright_crc32"  # the attribute with the check sum of the rows, once all are there
UNKNOWN = "-" * 8
SPARSE = 1 << 16  # bytes from one row that is read to the next, from which on rows are read one by one


class DamagedError(ValueError):
    """A file is not as it was written."""


class CutError(DamagedError):
    """The end of a file is missing."""


@dataclass
class Variable:
    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    begin: int = 0  # where its first number is


@dataclass
class Header:
    """What stands before the rows. `begin`: where they begin; `rows`: how many they are."""

    texts: dict[str, str]
    variables: list[Variable]
    rows: int = 0
    begin: int = 0

    @property
    def width(self) -> int:
        """Bytes of a row."""
        return WIDTH * len(self.variables)

    @property
    def seed(self) -> int:
        """Where the check sum of the rows begins: with what they are rows of."""
        return crc32(repr([(v.name, sorted(v.attributes.items())) for v in self.variables]).encode())

    def encoded(self) -> bytes:
        """The bytes; if rows begin nowhere yet, they begin right behind them."""
        parts = [MAGIC, struct.pack(">I", self.rows), struct.pack(">2I", NC_DIMENSION, 1), _name("t"), struct.pack(">I", 0)]
        parts += [_attributes(self.texts), struct.pack(">2I", NC_VARIABLE, len(self.variables))]
        heads = [
            _name(v.name) + struct.pack(">2I", 1, 0) + _attributes(v.attributes) + struct.pack(">2I", NC_DOUBLE, WIDTH)
            for v in self.variables
        ]
        self.begin = self.begin or sum(map(len, parts)) + sum(len(h) + 8 for h in heads)
        for k, head in enumerate(heads):
            parts += [head, struct.pack(">q", self.begin + WIDTH * k)]
        return b"".join(parts)


def _name(text: str) -> bytes:
    data = text.encode()
    return struct.pack(">I", len(data)) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _attributes(texts: dict[str, str]) -> bytes:
    if not texts:
        return bytes(8)
    parts = [struct.pack(">2I", NC_ATTRIBUTE, len(texts))]
    for name, text in texts.items():
        data = text.encode()
        parts += [_name(name), struct.pack(">2I", NC_CHAR, len(data)), _padded(data)]
    return b"".join(parts)


class _Reader:
    """Takes a header apart; ValueError where it is none or is cut."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.size = file, file.seek(0, 2)
        file.seek(0)

    def take(self, count: int) -> bytes:
        data = self.file.read(count) if count <= self.size else b""  # a damaged length is not tried
        if len(data) < count:
            raise CutError("it is cut: its header has no end")
        return data

    def number(self) -> int:
        return int(struct.unpack(">I", self.take(4))[0])

    def padded(self, count: int) -> bytes:
        return self.take(count + -count % 4)[:count]

    def name(self) -> str:
        return self.padded(self.number()).decode()

    def length(self, tag: int) -> int:
        """How many entries a list has; an empty one may have no tag."""
        found, count = self.number(), self.number()
        if found != tag and (found or count):
            raise ValueError("its header is damaged")
        return count

    def attributes(self) -> dict[str, str]:
        """The texts among them."""
        out = {}
        for _ in range(self.length(NC_ATTRIBUTE)):
            name, kind, count = self.name(), self.number(), self.number()
            if kind not in SIZES:
                raise ValueError("its header is damaged")
            data = self.padded(count * SIZES[kind])
            if kind == NC_CHAR:
                out[name] = data.decode()
        return out

    def header(self) -> Header:
        if self.take(4) != MAGIC:
            raise ValueError("it does not begin as NetCDF")
        rows = self.number()
        dimensions = [(self.name(), self.number()) for _ in range(self.length(NC_DIMENSION))]
        texts = self.attributes()
        variables = []
        for _ in range(self.length(NC_VARIABLE)):
            name, over = self.name(), [self.number() for _ in range(self.number())]
            about, kind, _, begin = self.attributes(), self.number(), self.number(), struct.unpack(">q", self.take(8))[0]
            if kind != NC_DOUBLE or over != [0] or dimensions != [("t", 0)]:
                raise ValueError("it has variables that are not over time alone")
            variables.append(Variable(name, about, begin))
        if not variables or [v.begin for v in variables] != [variables[0].begin + WIDTH * k for k in range(len(variables))]:
            raise ValueError("its header is damaged")
        return Header(texts, variables, rows, variables[0].begin)


def read_header(file: BinaryIO) -> Header:
    """The header of an open file; ValueError if it is of another kind or has fewer rows than it says."""
    header = _Reader(file).header()
    there = (file.seek(0, 2) - header.begin) // header.width
    if there < header.rows:
        raise CutError(f"it is cut: it has {max(there, 0)} of {header.rows} rows")
    return header


def read_rows(file: BinaryIO, header: Header, columns: list[int], every: int = 1) -> np.ndarray:
    """These columns of every n-th row, an array with a row for each column; in blocks: a file may be larger than memory.
    Where every row is read, its check sum is looked at."""
    out = np.empty((len(columns), -(-header.rows // every)))
    all_of_them, total = len(columns) == len(header.variables), header.seed
    for at, block in _blocks(file, header, every):
        if every == 1:
            total = crc32(block.data, total)
        out[:, at : at + len(block)] = (block if all_of_them else block[:, columns]).T
    if every == 1 and header.texts.get(SUM, UNKNOWN) not in (UNKNOWN, f"{total:08x}"):
        raise DamagedError(f"it is damaged, or was changed: its numbers do not have the check sum of its attribute {SUM}")
    return out


def _blocks(file: BinaryIO, header: Header, every: int) -> Iterator[tuple[int, np.ndarray]]:
    step = 1 if every * header.width > SPARSE else max(1, BLOCK // (every * header.width))  # wanted rows at once
    for at in range(0, -(-header.rows // every), step):
        first = at * every
        count = min(header.rows - first, (step - 1) * every + 1)
        file.seek(header.begin + first * header.width)
        data = file.read(count * header.width)
        if len(data) < count * header.width:
            raise CutError("it is cut")
        yield at, np.frombuffer(data, ">f8").reshape(count, -1)[::every]


class GrowingTable:
    """A new file that rows are added to; `header.rows` are in it, whatever happens."""

    def __init__(self, path: Path, header: Header, free: int = 0) -> None:
        """`free`: bytes behind the header for texts that become longer."""
        self.header, self._sum = header, header.seed
        header.texts[SUM] = UNKNOWN
        header.begin = 0
        header.begin = len(header.encoded()) + free
        self.file = open(path, "w+b", buffering=0)  # unbuffered: a refusal comes where it belongs  # noqa: SIM115
        try:
            _write(self.file, header.encoded() + bytes(free))
        except BaseException:
            self.file.close()
            raise

    def append(self, rows: np.ndarray) -> None:
        """Add rows, an array with a column for each variable. Where the system refuses, those that fitted are kept."""
        if not len(rows):
            return
        before, width = self.header.rows, self.header.width
        self.file.seek(self.header.begin + before * width)
        data = np.ascontiguousarray(rows, dtype=">f8").data.cast("B")
        try:
            _write(self.file, data)
        finally:
            there = (self.file.seek(0, 2) - self.header.begin) // width
            self.file.truncate(self.header.begin + there * width)
            self.header.rows, self._sum = there, crc32(data[: (there - before) * width], self._sum)
            self.file.seek(len(MAGIC))
            _write(self.file, struct.pack(">I", there))

    def seal(self, texts: dict[str, str] | None = None) -> None:
        """Write the check sum of the rows, which are complete now. Give texts other words; where the free room is too
        small, the rows are moved. Refused, nothing changes."""
        old, self.header.texts = self.header.texts, self.header.texts | (texts or {}) | {SUM: f"{self._sum:08x}"}
        try:
            data = self.header.encoded()
            if len(data) > self.header.begin:
                self._move(len(data) - self.header.begin)
                data = self.header.encoded()
        except BaseException:
            self.header.texts = old
            raise
        self.file.seek(0)
        _write(self.file, data + bytes(self.header.begin - len(data)))

    def _move(self, by: int) -> None:
        """Shift all rows towards the end, from the last one on; first the room for it."""
        end = self.file.seek(0, 2)
        try:
            for _ in range(0, by, BLOCK):
                _write(self.file, bytes(min(BLOCK, by)))
        except BaseException:
            self.file.truncate(end)
            raise
        self.file.truncate(end + by)
        for stop in range(end, self.header.begin, -BLOCK):
            start = max(self.header.begin, stop - BLOCK)
            self.file.seek(start)
            data = self.file.read(stop - start)
            self.file.seek(start + by)
            _write(self.file, data)
        self.header.begin += by

    def close(self) -> None:
        self.file.close()


def _write(file: BinaryIO, data: bytes | memoryview) -> None:
    """All of it, or OSError."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]
