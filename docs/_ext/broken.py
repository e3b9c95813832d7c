"""Broken machines of the corpus, one of each code: what `check` says, and pictures before and after a remedy."""

from __future__ import annotations

import picture

import linkwright as lw
from linkwright.corpus import Entry, entries

# Those that are drawn, where a code has several machines; the first one else.
SHOWN = ("door on two hinges", "two pins in two places", "press pushed beyond its stroke", "pendulum fixed out of reach")


def chosen() -> dict[str, Entry]:
    """A machine for each code."""
    found: dict[str, Entry] = {}
    for entry in entries():
        if entry.code and (entry.code not in found or entry.name in SHOWN):
            found[entry.code] = entry
    return found


def markdown() -> str:
    return "\n\n".join(section(code, entry) for code, entry in chosen().items())


def section(code: str, entry: Entry) -> str:
    m = entry.build()
    found = next(f for f in lw.check(m, t_end=entry.t_end).findings if f.code == code)
    fix = next((x for x in found.fixes if entry.fix in x.text), None)
    why = f"\n\nWhy: {found.why}." if found.why != found.text else ""
    said = f"The report says\n\n```text\n{found}\n```"
    told = f"## {code}\n\n{entry.name.capitalize()}. {said}\n\nWhat it does: {found.effect}.{why}"
    if fix is None:
        return told
    mended = fix.apply(m)
    offers = "\n".join(f"- {x.text}: *{x.outcome}*" for x in found.fixes)
    pair = "".join(
        f'<div style="flex:1 1 18rem">{picture.svg(x)}<figcaption>{words}</figcaption></div>'
        for x, words in ((m, "As it was"), (mended, fix.text[0].upper() + fix.text[1:]))
    )
    figure = f'```{{raw}} html\n<figure class="drawn" style="display:flex;flex-wrap:wrap;gap:1rem">{pair}</figure>\n```'
    return f"{told}\n\nRemedies that were tried:\n\n{offers}\n\n{figure}"
