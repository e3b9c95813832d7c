"""Broken machines of the corpus, one of each code: how it is built, what `check` says, pictures before and after a
remedy."""

from __future__ import annotations

import inspect
import re

import diagram
import numpy as np
import picture

import linkwright as lw
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.prescribed import prescribed, values
from linkwright.corpus import Entry, entries

# Those that are drawn, where a code has several machines; the first one else.
SHOWN = (
    "door on two hinges", "two pins in two places", "press pushed beyond its stroke", "two angles of a four bar fixed",
    "heights that differ in the fifth digit", "last arm in millimetres", "estimate in line with a rod",
    "two rods that just meet", "roller a little too wide", "both gears driven",
)  # fmt: skip


# Codes of machines that look the same before and after: the channel that does not.
MOVES = {"feeds-energy": "slider.x", "gravity": "arm.y", "inertia-units": "arm.y", "whole-turns": "arm.angle"}


def chosen() -> dict[str, Entry]:
    """A machine for each code."""
    found: dict[str, Entry] = {}
    for entry in entries():
        if entry.code and (entry.code not in found or entry.name in SHOWN):
            found[entry.code] = entry
    return found


def source(entry: Entry) -> str:
    """The function that builds the machine, without what registers it."""
    return re.sub(r"\A(@.*\n)+", "", inspect.getsource(entry.build)).rstrip()


def _over_time(code: str, m: lw.Model, mended: lw.Model, fix: lw.Fix) -> str:
    """What a picture of places does not show: the motion that a driver prescribes, or how the machine moves, before and
    after; nothing where neither has changed."""
    driven = next((c.name for c in fix.changes if getattr(c, "field", "") == "motion"), "")
    if driven:
        t, name = np.linspace(0.0, 1.0, 241), driven
        both = [_prescribed(x, driven, t) for x in (m, mended)]
    elif code in MOVES:
        name = MOVES[code]
        runs = [lw.dynamics(x, t_end=2.0, steps=120) for x in (m, mended)]
        t, both = runs[0].t, [r[name] for r in runs]
    else:
        return ""
    pair = "".join(
        f'<div style="flex:1 1 18rem">{diagram.curves(("t [s]", t), [(name, y)])}<figcaption>{words}</figcaption></div>'
        for y, words in zip(both, ("Before", "After"), strict=True)
    )
    return f'\n\n```{{raw}} html\n<figure class="drawn" style="display:flex;flex-wrap:wrap;gap:1rem">{pair}</figure>\n```'


def _prescribed(m: lw.Model, name: str, t: np.ndarray) -> np.ndarray:
    geometry = Machine(m).geometry
    [y] = values(geometry, [next(f for e, f in prescribed(geometry) if e.name == name)], t)
    return np.where(np.abs(y) < 10 * np.nanmedian(np.abs(y)) + 1, y, np.nan)  # poles leave the picture


def section(code: str) -> str:
    """What the page of a code shows; AssertionError where there is no remedy to draw."""
    entry = chosen()[code]
    m = entry.build()
    found = next(f for f in lw.check(m, t_end=entry.t_end).findings if f.code == code)
    fix = next((x for x in found.fixes if entry.fix in x.text), None)
    assert fix is not None, f"no remedy of {entry.name} can be drawn"
    mended = fix.apply(m)
    offers = "\n".join(f"- {x.text}: *{x.outcome}*" for x in found.fixes)
    why = f"\n\nWhy: {found.why}." if found.why != found.text else ""
    pair = "".join(
        f'<div style="flex:1 1 18rem">{picture.svg(x)}<figcaption>{words}</figcaption></div>'
        for x, words in ((m, "As it was"), (mended, fix.text[0].upper() + fix.text[1:]))
    )
    figure = f'```{{raw}} html\n<figure class="drawn" style="display:flex;flex-wrap:wrap;gap:1rem">{pair}</figure>\n```'
    figure += _over_time(code, m, mended, fix)
    return (
        f"{figure}\n\n## {entry.name.capitalize()}\n\nThe report says\n\n```text\n{found}\n```\n\n"
        f"What it does: {found.effect}.{why}\n\nRemedies that were tried on a copy, and what `check` says of it:\n\n"
        f"{offers}\n\n"
        f"The machine, with the help of `linkwright.corpus.parts`:\n\n```text\n{source(entry)}\n```"
    )
