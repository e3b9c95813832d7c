"""The units of fields, as the docstring of their class says them: "length : number", "The free length [m]."

What a user reads there is what texts are checked against, so there is no second list of units.
"""

from __future__ import annotations

import inspect
import re
from functools import cache

from linkwright.model.dimensions import is_unit

_FIELDS = re.compile(r"^(\w+(?:, \w+)*) : .*\n((?: {4}.*\n?)+)", re.MULTILINE)


@cache
def documented(kind: type) -> dict[str, str]:
    """By field; of "k, c : ...", "the stiffness [N/m] and the damping [N s/m]", one each. Without docstrings (python -OO)
    nothing is known."""
    text = inspect.cleandoc(kind.__doc__ or "").partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    found: dict[str, str] = {}
    for names, said in _FIELDS.findall(text):
        fields = names.split(", ")
        units = [u for u in re.findall(r"\[([^\]]*)\]", " ".join(said.split())) if is_unit(u)]
        if len(units) == 1:
            units *= len(fields)
        if len(units) == len(fields):
            found.update(zip(fields, units, strict=True))
    return found
