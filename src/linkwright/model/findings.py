"""What is worth saying about a machine although it is no error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkwright import linear
from linkwright.calls import Answering
from linkwright.model.bodies import Body

if TYPE_CHECKING:
    from linkwright.model.changes import Fix


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
        What would mend it, in words; `fixes` has the same as data.
    why : str
        How that comes about, with numbers.
    effect : str
        What it does to results.

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
    why: str = ""
    effect: str = ""

    @property
    def fixes(self) -> list[Fix]:
        """Remedies as data. Each was tried on a copy of the model, which `check` then found mended; that is done when they
        are asked for first, and takes as long as a few checks."""
        known: list[Fix] | None = vars(self).get("_fixes")
        if known is None:
            offer = vars(self).get("_offer")
            known = [] if offer is None else offer()
            vars(self).update(_fixes=known, _offer=None)
        return known

    def data(self) -> dict[str, Any]:
        """Give it as numbers and texts, its remedies too.

        Returns
        -------
        dict
            code, elements, text, remedy, why, effect and fixes.
        """
        own = {name: getattr(self, name) for name in ("code", "text", "remedy", "why", "effect")}
        return {**own, "elements": list(self.elements), "fixes": [f.data() for f in self.fixes]}

    def __getstate__(self) -> dict[str, Any]:
        """A finding that is sent to another process has the remedies that were asked for, and looks for no others."""
        return {name: x for name, x in vars(self).items() if name != "_offer"}

    def __str__(self) -> str:
        return f"[{self.code}] {self.text}" + (f"\n    {self.remedy}" if self.remedy else "")


def offering(finding: Finding, offer: Callable[[], list[Fix]]) -> Finding:
    """The same finding, with what finds its remedies."""
    vars(finding)["_offer"] = offer
    return finding


def implausible(body: Body) -> list[Finding]:
    """Moments of inertia that no mass can have: each is at most the sum of the other two."""
    if not isinstance(body.inertia, tuple):
        return []
    a, b, c = linear.eigvalsh(body.inertia_matrix())
    if c <= (a + b) * (1 + 1e-9):
        return []
    text = f"the largest principal moment of inertia of {body.name!r}, {c:g}, is more than the sum of the others, {a + b:g}"
    return [Finding("inertia-implausible", (body.name,), text, "no rigid body is like that: check the inertia")]
