"""Ready machines, each as a model file and as Python: `linkwright examples` lists them, `example(name)` loads one.

`entry` is what an example is, `listed` all of them; the rest are machines, a module and a file each.
"""

from __future__ import annotations

from linkwright.examples.entry import Example
from linkwright.examples.listed import GROUPS

EXAMPLES = {e.name: e for group in GROUPS.values() for e in group}


def of_section(section: str) -> list[Example]:
    """The machines of a section of the book, such as "8.4"."""
    return [e for e in EXAMPLES.values() if section in e.sections]


def example(name: str) -> Example:
    """The example of this name, or the first of this section of the book, such as "8.4"; ModelError with the nearest one if
    there is none."""
    if name in EXAMPLES:
        return EXAMPLES[name]
    found = of_section(name)
    if not found:
        from linkwright.errors import ModelError
        from linkwright.model.names import suggestion

        raise ModelError(f"there is no example {name!r}", element=name, remedy=suggestion(name, EXAMPLES))
    return found[0]


__all__ = ["EXAMPLES", "GROUPS", "Example", "example", "of_section"]
