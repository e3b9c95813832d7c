"""Compiled functions and loops as a page holds them: two or three modules, and a list of who takes and gives what."""

from __future__ import annotations

import json
import zlib
from base64 import b85decode, b85encode
from collections.abc import Mapping
from math import prod
from typing import Any

from linkwright.compile import Function, Native
from linkwright.compile.wasm import encoded
from linkwright.compile.wasm_closures import closures
from linkwright.compile.wasm_loops import loops
from linkwright.results.provenance import plain


class Bundle:
    """Functions by name. Inputs of the same name are one array, whoever takes them."""

    def __init__(self) -> None:
        self.functions: dict[str, Function] = {}
        self.inputs: dict[str, tuple[str, ...]] = {}
        self.sizes: dict[str, int] = {}
        self.closures: dict[str, dict[str, Any]] = {}

    def add(self, name: str, function: Function, inputs: tuple[str, ...] | None = None) -> None:
        """`inputs`: other names for the function's own."""
        names = tuple(function.inputs) if inputs is None else inputs
        for own, size in zip(names, function.program.input_sizes, strict=True):
            assert self.sizes.setdefault(own, size) == size, f"{own} of {name} has another size"
        self.functions[name], self.inputs[name] = function, names

    def close(self, name: str, loop: str, fixed: list[Any], outputs: Mapping[str, int]) -> None:
        """A loop as a function of (ins, outs). Fixed arguments: {"code": a function}, {"outs": a function's results},
        {"ins": its inputs}, {"room": how many numbers}, or whole numbers."""
        self.closures[name] = {"loop": loop, "fixed": fixed, "outs": dict(outputs)}

    def data(self, natives: Mapping[str, Native]) -> dict[str, Any]:
        made = loops(natives)
        code, free = encoded({name: f.program for name, f in self.functions.items()}, made.free)
        codes = [made.code, code]
        if self.closures:
            bound, blocks, free = closures({n: (c["loop"], natives[c["loop"]]) for n, c in self.closures.items()}, free)
            codes.append(bound)
            for name, at in blocks.items():
                self.closures[name]["block"] = at
        return {
            "codes": codes,
            "closures": self.closures,
            "free": free,
            "slots": made.slots,
            "sizes": self.sizes,
            "functions": {
                name: {"ins": self.inputs[name], "outs": {k: prod(shape) for k, shape in f.outputs.items()}}
                for name, f in self.functions.items()
            },
        }


# Scripts, data and machines as a page holds them: deflated, as text, which a script of the page unpacks at once.

# What of a machine is read without unpacking it: whether it is solved in the page, and by which sliders.
TOLD = ("analysis", "heavy", "largest", "sliders", "refused", "error")
# The script is that of the page: it gets the function that unpacked it, for the machine.
START = """
const run = document.createElement("script"), at = (name) => document.getElementById(name);
const text = (name) => new TextDecoder().decode(inflated(at(`packed-${name}`).textContent));
at("data").textContent = text("data");
run.textContent = `(() => {\n"use strict";\n${inflated}\n${text("script")}\n})();`;
document.body.append(run);
"""


# Five letters for four bytes (base64 has 16 for 12); none of them means anything in a page.
PLAIN = str.maketrans("&<>", ".,:")
BACK = str.maketrans(".,:", "&<>")


def packed(content: bytes) -> str:
    deflate = zlib.compressobj(9, wbits=-15)
    return lettered(deflate.compress(content) + deflate.flush())


def lettered(content: bytes) -> str:
    return b85encode(content).decode().translate(PLAIN)


def part(page: str, name: str) -> bytes:
    """What a part of a page holds."""
    text = page.partition(f'id="packed-{name}">')[2].partition("</script>")[0]
    return zlib.decompress(b85decode(text.translate(BACK)), wbits=-15)


def machine_bytes(machine: Mapping[str, Any]) -> bytes:
    """The length of what is told of a machine, that as JSON, its modules one after another."""
    codes: list[bytes] = machine.get("codes", [])
    told = {k: x for k, x in machine.items() if k not in TOLD} | {"codes": [len(c) for c in codes]}
    text = json.dumps(plain(told), separators=(",", ":")).encode()
    return b"".join([len(text).to_bytes(4, "little"), text, *codes])


def tag(name: str, content: bytes) -> str:
    """A part of a page: nothing in its letters can end it."""
    return f'<script type="text/plain" id="packed-{name}">{packed(content)}</script>\n'
