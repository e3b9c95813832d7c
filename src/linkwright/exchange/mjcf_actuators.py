"""Actuators of MJCF: forces along joints, tendons or the axes of a site, with a parameter in place of the control signal.

force = gain * u + bias, within `forcerange`; u is the control signal within `ctrlrange`, or a state that follows it; gain
and bias are affine in the length gear * s and its rate.
https://mujoco.readthedocs.io/en/stable/computation/index.html#actuation
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright import model as lw
from linkwright.exchange.maker import at
from linkwright.exchange.mjcf_words import ACTUATORS, LAWS
from linkwright.exchange.places import numbers
from linkwright.exchange.xml import Tag
from linkwright.model.tokens import LONGEST_TEXT
from linkwright.words import suggestion

if TYPE_CHECKING:
    from linkwright.exchange.mjcf_ties import Ties


UNSAID = {  # what their simple forms, which are carried over, do not have
    "pid": ("dampratio", "imax", "slewmax", "posrange", "velrange", "ffrange", "inheritrange", "input", "forcerange"),
    "dcmotor": ("nominal", "saturation", "thermal", "lugre", "cogging", "controller", "input"),
}


@dataclass
class Law:
    """gain and bias: of 1, length, rate. follows: how u follows the control signal; within `time` [s] for "filter"."""

    gain: Sequence[float] = (1.0, 0.0, 0.0)
    bias: Sequence[float] = (0.0, 0.0, 0.0)
    follows: str = ""
    time: float = 0.0
    dampratio: float = 0.0


class Actuators:
    """Reads <actuator>, when joints, tendons and sites are there."""

    def __init__(self, ties: Ties) -> None:
        self.ties, self.made, self.file, self.maker, self.model = ties, ties.made, ties.file, ties.maker, ties.model
        self.sums = Sums(ties)

    def read(self) -> None:
        tags = self.file.section("actuator")
        for tag in tags:
            if tag.name not in ACTUATORS:
                tag.fail(f"there is no actuator <{tag.name}>", suggestion(tag.name, ACTUATORS))
            if tag.name in LAWS:
                tag.look(LAWS[tag.name], None)
        tags = [self.file.resolved(tag, kind="actuator") for tag in tags]
        for tag in tags:
            gear, factors = tag.numbers("gear", None, (1.0,))[0], self._factors(tag)
            if factors:
                self.made.armature.append((gear**2 * tag.number("armature", 0.0), factors))
        self.made.springs_by_time()
        self._at_keyframe(tags)
        self.sums.look(tags, [self._factors(tag) for tag in tags])
        for k, tag in enumerate(tags):
            self._actuator(tag, f"actuator {k + 1}")
        self.sums.close()

    def _factors(self, tag: Tag) -> dict[str, float] | None:
        """What it acts along as a sum of coordinates, by the names of their joints; None for what is none."""
        if "tendon" in tag.attributes:
            return self.ties.factors.get(tag.get("tendon"))
        joint = self.made.joints.get(tag.get("joint") or tag.get("jointinparent"))
        return None if joint is None else {joint.name: 1.0}

    def _at_keyframe(self, tags: list[Tag]) -> None:
        """Whether activations and control signals of a keyframe can be told apart: some actuators have several."""
        several = [tag for tag in tags if tag.name in (*UNSAID, "plugin", "orientation") or "actdim" in tag.attributes]
        for word in ("act", "ctrl"):
            if several and self.made.start.forget(word):
                self.maker.lose(f"'{word}' of a keyframe is not carried over beside <{several[0].name}>", word)

    def _pass(self, tag: Tag) -> None:
        """The numbers that a keyframe has for an actuator that is not carried over."""
        self.made.start.take("ctrl", 1, [0.0])
        law = _law(tag)
        if tag.name == "muscle" or (law is None and tag.get("dyntype", "none") != "none") or (law and law.follows):
            self.made.start.take("act", 1, [0.0])

    def _actuator(self, tag: Tag, name: str) -> None:
        name = tag.get("name") or name
        law, along = _law(tag), self._target(tag)
        if tag.name in UNSAID and along is not None and not any(word in tag.attributes for word in UNSAID[tag.name]):
            self._element(tag, name, along)
        elif law is None:
            self.maker.lose("actuators with other laws (muscles, adhesion, plugins, ...) are not carried over", name)
            self._pass(tag)
        elif "site" in tag.attributes and "refsite" not in tag.attributes:
            self._at_site(tag, name, law)
        elif along is None:
            self.maker.lose("actuators that act on something else than a joint, tendon or site are not carried over", name)
            self._pass(tag)
        else:
            self._along(tag, name, law, along)

    def _target(self, tag: Tag) -> Any:
        if "joint" in tag.attributes or "jointinparent" in tag.attributes:
            found = self.ties.joint(tag, tag.get("joint") or tag.get("jointinparent"))
        elif "tendon" in tag.attributes:
            found = self.ties.length(tag, tag.get("tendon"))
        else:
            return None
        return None if found is None else found[0]

    # -- along a joint or tendon ---------------------------------------------------------------------------------------
    def _along(self, tag: Tag, name: str, law: Law, along: Any) -> None:
        gear = tag.numbers("gear", None, (1.0,))[0]
        if law.dampratio:
            law.bias = (law.bias[0], law.bias[1], -self._damping(tag, law, gear))
        with at(tag):
            element = self.maker.name(name, "actuator")
            u = self._signal(tag, name, law)
            force = self._force(tag, law, u, (f"{gear!r}*s", f"{gear!r}*v"))
            text = within(f"{gear!r}*({force})", self.sums.alone(tag, gear))
            self.model.add(lw.Force(element, along, text))
            self.sums.add(tag, gear, self._factors(tag), lambda of: self._force(tag, law, u, of))
            self._rotor(tag, element, gear, along)

    def _rotor(self, tag: Tag, element: str, gear: float, along: Any) -> None:
        """Inertia and damping of the actuator itself, behind its gear."""
        if armature := tag.number("armature", 0.0):
            self.model.add(lw.Inertia(self.maker.beside(element, "armature"), along, gear**2 * armature))
        if damping := tag.number("damping", 0.0):
            self.model.add(lw.Force(self.maker.beside(element, "damping"), along, f"-{gear**2 * damping!r}*v"))

    def _element(self, tag: Tag, name: str, along: Any) -> None:
        """A motor or a controller, which are elements here, too."""
        gear = tag.numbers("gear", None, (1.0,))[0]
        with at(tag):
            element, u = self.maker.name(name, "actuator"), self._control(tag, name)
            if tag.name == "dcmotor":
                constants = tag.numbers("motorconst", None)  # of torque and of back voltage
                k = sqrt(max(constants[0] * constants[-1], 0.0))
                self.model.add(lw.Motor(element, along, voltage=u, k=k, resistance=tag.number("resistance"),
                                        inductance=tag.number("inductance", 0.0), ratio=gear))  # fmt: skip
            else:
                kp, ki, kd = (gear**2 * tag.number(word, 0.0) for word in ("kp", "ki", "kv"))
                self.model.add(lw.PID(element, along, f"{u}/{gear!r}", kp=kp, ki=ki, kd=kd))
            self._rotor(tag, element, gear, along)

    def _damping(self, tag: Tag, law: Law, gear: float) -> float:
        """Of a servo told by its damping ratio: kp against the inertia that its force feels in the pose of the file."""
        factors = self._factors(tag)
        if factors is None:
            self.maker.lose("'dampratio' of actuators on spatial tendons is not carried over", tag.get("name"))
            return 0.0
        felt = self.made.inertia.felt({j: gear * f for j, f in factors.items()})
        return law.dampratio * 2 * sqrt(max(law.gain[0], 0.0) * felt)

    # -- at a site -----------------------------------------------------------------------------------------------------
    def _at_site(self, tag: Tag, name: str, law: Law) -> None:
        """gear: three forces and three torques in the axes of the site. It has no length."""
        if law.gain[2] or law.bias[2] or law.dampratio:
            self.maker.lose("actuators at sites whose force changes with the velocity are not carried over", name)
            self._pass(tag)
            return
        owner, place = self.ties.site(tag, tag.get("site"))
        gear = np.array([*tag.numbers("gear", None, (1.0,)), *[0.0] * 6][:6])
        force, torque = place.A @ gear[:3], place.A @ gear[3:]
        body = self.made.bodies[owner]
        with at(tag):
            element = self.maker.name(name, "actuator")
            text = self._force(tag, law, self._signal(tag, name, law), ("0", "0"))
            if body.is_ground:
                self.maker.lose("actuators at sites of the world have no effect", name)
                return
            if force.any() or not torque.any():
                components = tuple(f"{x!r}*({text})" for x in numbers(force))
                self.model.add(lw.PointForce(element, body.at(numbers(place.r)), components, frame="body"))
                element = self.maker.beside(element, "torque")
            if torque.any():
                components = tuple(f"{x!r}*({text})" for x in numbers(torque))
                self.model.add(lw.Torque(element, body, components, frame="body"))

    # -- the law -------------------------------------------------------------------------------------------------------
    def _signal(self, tag: Tag, name: str, law: Law) -> str:
        """What the gain multiplies: the control signal, or a state that follows it within `actrange`."""
        u = self._control(tag, name)
        if not law.follows:
            return u
        state = self._word("act_", name)
        rate = u if law.follows == "integrator" else f"({u} - {state})/{law.time!r}"
        limits = self._limits(tag, "act")
        if limits is not None:  # at an end it waits until it is led back
            out = f"(({state} <= {limits[0]!r}) & ({rate} < 0)) | (({state} >= {limits[1]!r}) & ({rate} > 0))"
            rate = f"where({out}, 0, {rate})"
        self.model.state(state, rate, start=self.made.start.take("act", 1, [0.0])[0])
        return within(state, limits)

    def _force(self, tag: Tag, law: Law, u: str, of: tuple[str, str]) -> str:
        text = f"({_affine(law.gain, of)})*{u}"
        if any(law.bias):
            text += f" + {_affine(law.bias, of)}"
        return within(text, self._limits(tag, "force"))

    def _control(self, tag: Tag, name: str) -> str:
        """The control signal: a parameter, zero at first."""
        u = self._word("ctrl_", name)
        self.model.parameter(u, self.made.start.take("ctrl", 1, [0.0])[0])
        return within(u, self._limits(tag, "ctrl"))

    def _limits(self, tag: Tag, what: str) -> list[float] | None:
        word = f"{what}range"
        limited = tag.choice(f"{what}limited", ("true", "false", "auto"), "auto")
        inherit = tag.number("inheritrange", 0.0)
        if inherit and what == ("act" if tag.name == "intvelocity" else "ctrl"):
            return self._inherited(tag, inherit)
        if word not in tag.attributes or limited == "false" or (limited == "auto" and not self.file.compiler.autolimits):
            return None
        low, high = tag.numbers(word, 2)
        if low > high:
            tag.fail(f"{word!r} is empty: {low:g} is more than {high:g}", "give the smaller one first", tag.get("name"))
        return [low, high]

    def _inherited(self, tag: Tag, share: float) -> list[float]:
        limits = self.made.ranges.get(tag.get("joint"))
        if limits is None:
            tag.fail("'inheritrange' needs a joint with a range", "give 'ctrlrange' itself", tag.get("name"))
        middle, half = (limits[0] + limits[1]) / 2, (limits[1] - limits[0]) / 2
        return [middle - share * half, middle + share * half]

    def _word(self, prefix: str, name: str) -> str:
        word = prefix + "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)
        number, free = 2, word
        while free in self.model:
            free, number = f"{word}_{number}", number + 1
        return free


def _affine(c: Sequence[float], of: tuple[str, str]) -> str:
    """c0 + c1 length + c2 rate."""
    terms = [f"({x!r})*{word}" for x, word in zip(c, ("1", *of), strict=True) if x]
    return " + ".join(terms) or "0"


def _law(tag: Tag) -> Law | None:
    """None for laws that are no such."""
    kp, kv = tag.number("kp", 1.0), tag.number("kv", 1.0 if tag.name in ("velocity", "damper") else 0.0)
    ratio = tag.number("dampratio", 0.0)
    if tag.name == "motor":
        return Law()
    if tag.name in ("position", "intvelocity"):
        time = tag.number("timeconst", 0.0)
        follows = "integrator" if tag.name == "intvelocity" else "filter" if time > 0 else ""
        return Law((kp, 0.0, 0.0), (0.0, -kp, -kv), follows, time, ratio)
    if tag.name == "velocity":
        return Law((kv, 0.0, 0.0), (0.0, 0.0, -kv))
    if tag.name == "damper":
        return Law((0.0, 0.0, -kv))
    if tag.name == "cylinder":
        area = pi * tag.number("diameter") ** 2 / 4 if "diameter" in tag.attributes else tag.number("area", 1.0)
        time = tag.number("timeconst", 1.0)
        return Law((area, 0.0, 0.0), _three(tag.numbers("bias", None, (0.0,))), "filter" if time > 0 else "", time)
    return _general(tag) if tag.name == "general" else None


def _general(tag: Tag) -> Law | None:
    gaintype, biastype, dyntype = (
        tag.get(w, d) for w, d in (("gaintype", "fixed"), ("biastype", "none"), ("dyntype", "none"))
    )
    if gaintype not in ("fixed", "affine") or biastype not in ("none", "affine"):
        return None
    if dyntype not in ("none", "integrator", "filter", "filterexact"):
        return None
    gain, bias = _three(tag.numbers("gainprm", None, (1.0,))), _three(tag.numbers("biasprm", None, (0.0,)))
    gain = gain if gaintype == "affine" else [gain[0], 0.0, 0.0]
    bias = bias if biastype == "affine" else [0.0, 0.0, 0.0]
    time = tag.numbers("dynprm", None, (1.0,))[0]
    if dyntype.startswith("filter") and time <= 0:
        return None
    ratio = 0.0
    if gain[0] == -bias[1] and bias[2] > 0:  # MuJoCo takes it for the damping ratio of a servo
        ratio, bias = bias[2], [bias[0], bias[1], 0.0]
    return Law(gain, bias, {"none": "", "integrator": "integrator"}.get(dyntype, "filter"), time, ratio)


def _three(x: Sequence[float]) -> list[float]:
    return [*x, 0.0, 0.0, 0.0][:3]


# Ranges of what all actuators of MJCF together give a joint or a tendon (`actuatorfrcrange`).
#
# A force of one that is alone is kept within the range itself. Of several each stays a force under its own name, and one
# more takes off what is too much of their sum: clamp(S) - S. https://mujoco.readthedocs.io/en/stable/modeling.html#force-
# limits

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
