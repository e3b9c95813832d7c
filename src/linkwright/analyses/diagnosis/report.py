"""What `check` answers: for people when printed, for programs by attributes."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from itertools import zip_longest

from linkwright.model import Finding, Fix

# With one of these a machine is not ok.
SERIOUS = (
    "not-closing", "contradiction", "exact-fit", "redundant-driver", "locked-start", "wrong-root",
    "gear-distance", "lock-up", "overlap",
)  # fmt: skip
# What may well be meant, but is worth a look.
ODD = (
    "estimates", "singular-start", "bifurcation", "just-reaches", "near-dead-point", "other-branch", "whole-turns",
    "inertia-implausible", "inertia-units", "density", "no-inertia", "island", "loose", "gear-loose", "cam-concave",
    "roller-too-large", "lift-off", "gravity", "degrees", "mixed-units", "stiff-spring", "unused-parameter", "undefined",
    "corner", "rough-table", "feeds-energy",
)  # fmt: skip
PLAIN = ("x", "y", "z", "angle", "length")


def _more(f: Finding) -> str:
    """For notebooks: how it comes about, and what would mend it."""
    why = f"<br>{escape(f.why)}" if f.why and f.why != f.text else ""
    return why + (f"<br><i>{escape(f.remedy)}</i>" if f.remedy else "")


@dataclass(repr=False)
class Report:
    """The answer of `check`: its attributes are for programs, printed it is for people.

    Attributes
    ----------
    model : str
        Name of the machine.
    ok : bool
        Whether nothing serious was found.
    coordinates : int
        Displacements of all moving bodies: 3 a body in the plane, 6 in space, and one a curve contact.
    equations : int
        All scalar equations, those of drivers included.
    rank : int
        How many of them are independent.
    dof : int
        Degrees of freedom left: free velocities, coordinates - rank.
    position_dof : int
        Free positions, which are more where constraints are on velocities alone.
    mobility : int
        Degrees of freedom without the drivers.
    drivers : int
        Equations of drivers.
    redundant : list of list of str
        Groups of dependent equations, by name.
    findings : list of Finding
        What was found, each with code, elements, text and remedy.
    rows : dict from str to str
        What the names of equations in the groups mean, by what follows the last dot.
    closed : bool
        Whether the joints close and the drivers are where they should be.
    singular_values : tuple of two floats, optional
        The least singular value that counts toward the rank and the largest that does not (zero where all count), by the
        largest of all: far apart, the rank is beyond doubt. None of large machines.
    fixes : list of Fix
        The remedies of all findings, in the order of the findings; each was tried on a copy.
    """

    model: str
    ok: bool
    coordinates: int
    equations: int
    rank: int
    dof: int
    mobility: int
    drivers: int
    redundant: list[list[str]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    rows: dict[str, str] = field(default_factory=dict)
    position_dof: int = 0
    closed: bool = True
    singular_values: tuple[float, float] | None = None

    @property
    def fixes(self) -> list[Fix]:
        """The remedies of all findings that object to something, then of the others."""
        return [fix for f in self.findings for fix in f.fixes]

    @property
    def summary(self) -> str:
        """The verdict in one line, with what is left to object to."""
        codes = dict.fromkeys(f.code for f in self.findings if f.code in SERIOUS or f.code in ODD)
        left = [f"{self.dof} free"] * bool(self.dof) + [f"{self.redundant_count} redundant"] * bool(self.redundant)
        return ", ".join([f"{self.verdict}" + f" ({', '.join(codes)})" * bool(codes), *left])

    @property
    def redundant_count(self) -> int:
        """How many groups of dependent equations there are."""
        return len(self.redundant)

    @property
    def verdict(self) -> str:
        """Whether something is wrong or odd, in words."""
        if not self.ok:
            return "something is wrong"
        return "nothing is wrong, something is odd" if any(f.code in ODD for f in self.findings) else "no objection"

    @property
    def _legend(self) -> dict[str, str]:
        """Names that do not speak for themselves."""
        return {name: meaning for name, meaning in self.rows.items() if name not in PLAIN}

    @property
    def _gap(self) -> str:
        """Between which singular values the rank was decided, where some do not count."""
        if self.singular_values is None or not self.redundant:
            return ""
        counts, does_not = self.singular_values
        return f"rank decided between relative singular values {counts:.1e} and {does_not:.1e}"

    @property
    def _counts(self) -> list[str]:
        return [
            f"{self.coordinates} coordinates, {self.equations} equations of rank {self.rank}",
            f"mobility {self.mobility}, drivers {self.drivers}, degrees of freedom left {self.dof}",
            *([self._gap] if self._gap else []),
            *([f"free positions {self.position_dof}: some constraints are on velocities"] * (self.position_dof > self.dof)),
        ]

    def __str__(self) -> str:
        rows = [f"{self.model}: {self.verdict}", *(f"  {x}" for x in self._counts)]
        for f, after in zip_longest(self.findings, self.findings[1:]):
            rows.append(f"  [{f.code}] {f.text}")
            if f.why and f.why != f.text:
                rows.append(f"      {f.why}")
            # what is to be done about several findings of the same elements is told once, with the last of them
            if f.remedy and (after is None or (f.code, f.elements, f.remedy) != (after.code, after.elements, after.remedy)):
                rows.append(f"      {f.remedy}")
        rows += [f"  .{name}: {meaning}" for name, meaning in self._legend.items()]
        return "\n".join(rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks."""
        counts = "".join(f"<br>{escape(x)}" for x in self._counts)
        cells = "".join(
            f'<tr><td><code>{escape(f.code)}</code></td><td style="text-align:left">{escape(f.text)}{_more(f)}</td></tr>'
            for f in self.findings
        )
        names = "".join(f"<br><code>.{escape(name)}</code>: {escape(meaning)}" for name, meaning in self._legend.items())
        table = f"<table>{cells}</table>" if cells else ""
        return f"<b>{escape(self.model)}</b>: {escape(self.verdict)}{counts}{table}<small>{names[4:]}</small>"
