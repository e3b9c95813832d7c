"""The binary format of WebAssembly: numbers, names, sections; written and read."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

PAGE = 65536
TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, ELEMENT, CODE, DATA, COUNT = 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12
ORDER = (TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, ELEMENT, COUNT, CODE, DATA)
I32, F64 = 0x7F, 0x7C
BEGIN = b"\0asm\1\0\0\0"


def uleb(n: int) -> bytes:
    """A number without a sign, seven bits a byte."""
    out = bytearray()
    while True:
        n, byte = n >> 7, n & 0x7F
        out.append(byte | (0x80 if n else 0))
        if not n:
            return bytes(out)


def sleb(n: int) -> bytes:
    """A number with a sign."""
    out = bytearray()
    while True:
        byte, n = n & 0x7F, n >> 7
        done = (n == 0 and not byte & 0x40) or (n == -1 and byte & 0x40)
        out.append(byte | (0 if done else 0x80))
        if done:
            return bytes(out)


def name(text: str) -> bytes:
    return uleb(len(text.encode())) + text.encode()


def vector(items: Iterable[bytes]) -> bytes:
    listed = list(items)
    return uleb(len(listed)) + b"".join(listed)


def f64(x: float) -> bytes:
    """The instruction that puts a number on the stack."""
    return b"\x44" + struct.pack("<d", x)


def i64(x: int) -> bytes:
    return b"\x42" + sleb(x)


def i32(x: int) -> bytes:
    return b"\x41" + sleb(x)


def body(types: Iterable[int], code: bytes) -> bytes:
    """A function: its local variables beside the arguments, by type, and its instructions."""
    runs: list[list[int]] = []
    for kind in types:
        if runs and runs[-1][1] == kind:
            runs[-1][0] += 1
        else:
            runs.append([1, kind])
    whole = vector(uleb(count) + bytes([kind]) for count, kind in runs) + code + b"\x0b"
    return uleb(len(whole)) + whole


def segment(at: int, data: bytes) -> bytes:
    """Of what memory holds at first."""
    return b"\x00" + i32(at) + b"\x0b" + uleb(len(data)) + data


def module(sections: Mapping[int, bytes]) -> bytes:
    return BEGIN + b"".join(bytes([k]) + uleb(len(sections[k])) + sections[k] for k in ORDER if k in sections)


class Reader:
    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def bytes(self, n: int) -> bytes:
        self.at += n
        return self.data[self.at - n : self.at]

    def uleb(self, signed: bool = False) -> int:
        n = shift = 0
        while True:
            b = self.byte()
            n |= (b & 0x7F) << shift
            shift += 7
            if not b & 0x80:
                return n - (1 << shift) if signed and b & 0x40 else n

    def sleb(self) -> int:
        return self.uleb(signed=True)

    def name(self) -> str:
        return self.bytes(self.uleb()).decode()

    def limits(self) -> None:
        if self.byte() & 1:
            self.uleb()
        self.uleb()
