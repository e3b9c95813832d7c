"""Names: what may be one, how it is written in a formula, and the nearest right word."""

from __future__ import annotations

import re

from linkwright.errors import ModelError
from linkwright.words import nearest as nearest
from linkwright.words import suggestion as suggestion

GROUND = "ground"
ELSEWHERE = (".urdf", ".xml", ".mjcf")  # endings of models of other programs
LONGEST = 100
_CALL = re.compile(r"(`[^`]*`|[^\W\d]\w*)\(")
_WORD = re.compile(r"[^\W\d]\w*")  # what a formula takes for a name; identifiers of Python may hold other marks


def check_name(name: object, what: str, *, identifier: bool = False) -> str:
    """The name itself if it may be one, else ModelError.

    A dot separates a name from its channel ("crank.x") and a back-tick quotes a name in a formula, so a name holds
    neither; nor is it a word with a bracket behind it, which is a call ("pin (left)" is none). Parameters must be
    identifiers, for they stand in formulas bare.
    """
    if not isinstance(name, str):
        raise ModelError(f"the name of a {what} must be text, not {name!r}", remedy="give the name first")
    cause = ""
    if not name or name != name.strip():
        cause = "it is empty or starts or ends with a blank"
    elif len(name) > LONGEST:
        cause = f"it is longer than {LONGEST} characters"
    elif any(c in ".`" or not c.isprintable() for c in name):
        cause = "it holds a dot, a back-tick or a character that cannot be printed"
    elif is_call(name):
        cause = "it looks like a call in a formula"
    elif identifier and not (name.isidentifier() and _WORD.fullmatch(name)):
        cause = "it is not a word of letters, digits and _ that starts with a letter"
    if cause:
        raise ModelError(f"{name!r} cannot be the name of a {what}: {cause}", element=name, remedy="choose another name")
    return name


def is_call(text: str) -> bool:
    """Whether a text begins as the calls in formulas do: distance(...), `my body`(...)."""
    return bool(_CALL.match(text))


def quoted(name: str) -> str:
    """The name as a formula writes it: bare if it is a word, else in back-ticks."""
    return name if _WORD.fullmatch(name) and name not in ("and", "or", "not") else f"`{name}`"
