"""Scripts, data and machines as a page holds them: deflated, as text, which a script of the page unpacks at once."""

from __future__ import annotations

import json
import zlib
from base64 import b85decode, b85encode
from collections.abc import Mapping
from typing import Any

from linkwright.results.provenance import plain

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
