"""What is worth saying about a machine although it is no error."""

from __future__ import annotations

from dataclasses import dataclass

from linkwright import linear
from linkwright.calls import Answering
from linkwright.model.bodies import Body


@dataclass(frozen=True)
class Finding(metaclass=Answering):
    """Something worth noting about a machine that is no error.

    Parameters
    ----------
    code : str
        What kind of finding, for programs.
    elements : tuple of str
        The names of what it concerns.
    text : str
        What was found.
    remedy : str
        What would mend it.

    Examples
    --------
    >>> m = lw.SpatialModel("m")
    >>> rotor = m.body("rotor", mass=1.0, inertia=(1, 1, 5))
    >>> [finding.code for finding in m.validate()]
    ['inertia-implausible']
    """

    code: str
    elements: tuple[str, ...]
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"[{self.code}] {self.text}" + (f"\n    {self.remedy}" if self.remedy else "")


def implausible(body: Body) -> list[Finding]:
    """Moments of inertia that no mass can have: each is at most the sum of the other two."""
    if not isinstance(body.inertia, tuple):
        return []
    a, b, c = linear.eigvalsh(body.inertia_matrix())
    if c <= (a + b) * (1 + 1e-9):
        return []
    text = f"the largest principal moment of inertia of {body.name!r}, {c:g}, is more than the sum of the others, {a + b:g}"
    return [Finding("inertia-implausible", (body.name,), text, "no rigid body is like that: check the inertia")]
