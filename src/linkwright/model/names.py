"""Names: what may be one, how it is written in a formula, and the nearest right word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from linkwright.errors import ModelError

GROUND = "ground"
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


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word most like this one, "" if none is."""
    by_lower = {k.lower(): k for k in known}
    found = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else ""


def suggestion(word: str, known: Iterable[str]) -> str:
    """A remedy for an unknown word: the nearest one, or the first few there are."""
    known = list(dict.fromkeys(known))
    if best := nearest(word, known):
        return f"did you mean {best!r}?"
    if not known:
        return "there is nothing to name yet"
    listed = ", ".join(known[:12])
    return f"known are: {listed}" + (", ..." if len(known) > 12 else "")
