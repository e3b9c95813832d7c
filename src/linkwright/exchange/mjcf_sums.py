"""Ranges of what all actuators of MJCF together give a joint or a tendon (`actuatorfrcrange`).

A force of one that is alone is kept within the range itself. Of several each stays a force under its own name, and one more
takes off what is too much of their sum: clamp(S) - S.
https://mujoco.readthedocs.io/en/stable/modeling.html#force-limits
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linkwright import model as lw
from linkwright.exchange.xml import Tag
from linkwright.model.tokens import LONGEST_TEXT

if TYPE_CHECKING:
    from linkwright.exchange.mjcf_ties import Ties

LOST = "the range of what all actuators give a joint or tendon (actuatorfrcrange) is not carried over"


class Sums:
    """What actuators give, by the joint (its name in the file) whose sum of them is limited."""

    def __init__(self, ties: Ties) -> None:
        self.made, self.maker, self.model, self.ties = ties.made, ties.maker, ties.model, ties
        self.acting: dict[str, int] = {}  # actuators of a joint, and of a tendon
        self.on_tendon: dict[str, int] = {}
        self.parts: dict[str, list[str]] = {}
        self.kept: set[str] = set()  # joints whose only actuator is kept within the range itself

    def look(self, tags: Sequence[Tag], factors: Iterable[Mapping[str, float] | None]) -> None:
        """Count who acts on what; factors: what each acts along as a sum of coordinates, None for what is none."""
        found = list(factors)
        for name in self.made.force_range:
            joint = self.made.joints[name].name
            self.acting[name] = sum(f is None or joint in f for f in found)
        for name in self.ties.force_range:
            self.on_tendon[name] = sum(tag.get("tendon") == name for tag in tags)
            if self.on_tendon[name] > 1:
                self.maker.lose(LOST, name)

    def alone(self, tag: Tag, gear: float) -> Sequence[float] | None:
        """The range of the force of an actuator that is the only one."""
        joint, tendon = tag.get("joint") or tag.get("jointinparent"), tag.get("tendon")
        if self.on_tendon.get(tendon) == 1:  # of the force before the gear
            low, high = (gear * x for x in self.ties.force_range[tendon])
            return min(low, high), max(low, high)
        if self.acting.get(joint) != 1:
            return None
        self.kept.add(joint)
        return self.made.force_range[joint]

    def add(
        self, tag: Tag, gear: float, factors: Mapping[str, float] | None, force: Callable[[tuple[str, str]], str]
    ) -> None:
        """An actuator's share in the sums; force: its law as a text, of the texts of its length and their rate."""
        for name in self.acting.keys() - self.kept:
            joint = self.made.joints[name].name
            if factors is None or joint not in factors:
                continue
            length, rate = ("(" + " + ".join(f"({gear * f!r})*{self._word(j, k)}" for j, f in factors.items()) + ")"
                            for k in (0, 1))  # fmt: skip
            text = within(force((length, rate)), self.ties.force_range.get(tag.get("tendon")))
            self.parts.setdefault(name, []).append(f"({gear * factors[joint]!r})*({text})")

    def _word(self, joint: str, k: int) -> str:
        slides = isinstance(self.model.elements[joint], lw.Translational)
        return f"`{joint}`.{(('angle', 'omega'), ('displacement', 'velocity'))[slides][k]}"

    def close(self) -> None:
        """Forces that take off what is too much, when all actuators are there."""
        for name, count in self.acting.items():
            parts = self.parts.get(name, [])
            if not count or name in self.kept:
                continue
            total = " + ".join(parts)
            text = f"{within(total, self.made.force_range[name])} - ({total})"
            if len(parts) != count or len(text) > LONGEST_TEXT:
                self.maker.lose(LOST, name)
            else:
                joint: Any = self.made.joints[name]
                element = self.maker.beside(joint.name, "actuator range")
                self.model.add(lw.Force(element, self.made.coordinate(joint), text))


def within(text: str, limits: Sequence[float] | None) -> str:
    return text if limits is None else f"min(max({text}, {limits[0]!r}), {limits[1]!r})"
