"""What ties bodies and joints of MJCF together: equality constraints, tendons, actuators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright import model as lw
from linkwright.exchange.maker import at
from linkwright.exchange.mjcf_actuators import Actuators
from linkwright.exchange.places import HERE, Place, numbers, quaternion, rows
from linkwright.exchange.xml import Tag
from linkwright.words import suggestion

if TYPE_CHECKING:
    from linkwright.exchange.mjcf_model import _Builder

TRANSITION = 1e-3  # [m/s] of a tendon, below which its friction grows with the speed, as that of `Friction`


class Ties:
    """Reads those sections, when bodies and joints are there."""

    def __init__(self, made: _Builder) -> None:
        self.made, self.file, self.maker, self.model = made, made.file, made.maker, made.model
        self.tendons: dict[str, tuple[Any, float] | None] = {}  # length as a quantity, and in the pose of the file
        self.factors: dict[str, dict[str, float]] = {}  # of fixed tendons, by the name of a joint
        self.force_range: dict[str, list[float]] = {}  # of all actuators of a tendon

    def read(self) -> None:
        for tag in self.file.section("tendon"):
            self._tendon(self.file.resolved(tag, kind="tendon"))
        for k, tag in enumerate(self.file.section("equality")):
            self._equality(self.file.resolved(tag, kind="equality"), f"equality {k + 1}")
        Actuators(self).read()

    def _body(self, tag: Tag, name: str) -> Any:
        if name not in self.made.bodies:
            tag.fail(f"there is no body {name!r}", suggestion(name, self.made.bodies))
        return self.made.bodies[name]

    def joint(self, tag: Tag, name: str) -> Any:
        """The coordinate of a joint, and its value in the pose of the file; None for a joint that has not one."""
        if name not in self.made.joints:
            tag.fail(f"there is no joint {name!r}", suggestion(name, self.made.joints))
        joint = self.made.joints[name]
        if joint is None or isinstance(joint, lw.Spherical):
            return None
        return self.made.coordinate(joint), self.made.ref[name]

    # -- tendons -------------------------------------------------------------------------------------------------------
    def _tendon(self, tag: Tag) -> None:
        name = tag.get("name") or f"tendon {len(self.tendons) + 1}"
        self.tendons[name] = None
        if tag.name == "spatial":
            self._spatial(tag, name)
            return
        if tag.name != "fixed":
            tag.fail(f"there is no tendon <{tag.name}>", suggestion(tag.name, ("fixed", "spatial")))
        length, start, rest, begin = 0.0, 0.0, 0.0, 0.0
        factors = self.factors[name] = {}
        for part in tag.all("joint"):
            found = self.joint(part, part.word("joint"))
            if found is None:
                part.fail("a tendon holds the coordinate of a hinge or slide", "leave this joint out", name)
            coef = part.number("coef")
            length, start = length + coef * found[0], start + coef * found[1]
            rest += coef * self.made.rest[part.word("joint")]
            begin += coef * self.made.begin[part.word("joint")]
            joint = self.made.joints[part.word("joint")].name
            factors[joint] = factors.get(joint, 0.0) + coef
        if not tag.all("joint"):
            tag.fail("the tendon has no joints", 'add <joint joint="..." coef="...">', name)
        self.tendons[name] = length, start
        with at(tag):
            self._along(tag, name, length, begin, rest)

    def _spatial(self, tag: Tag, name: str) -> None:
        """Straight from site to site; behind a pulley lengths count by its divisor."""
        wraps = [part.get("geom") for part in tag.all("geom")]
        if wraps:
            self.maker.lose("spatial tendons that wrap around geoms are not carried over", f"{name} ({', '.join(wraps)})")
            return
        length, start, begin, divisor, last = 0.0, 0.0, 0.0, 1.0, None
        for part in tag.children:
            if part.name == "pulley":
                divisor, last = part.number("divisor"), None
                if divisor <= 0:
                    part.fail(f"'divisor' of <pulley> is {divisor:g}", "give more than zero", name)
                continue
            if part.name != "site":
                part.fail(f"<spatial> has no tag {part.name!r}", suggestion(part.name, ("site", "geom", "pulley")), name)
            owner, place = self.site(part, part.word("site"))
            if last is not None:
                apart, first = (self._apart(where, last, (owner, place)) / divisor for where in self._poses())
                start, begin = start + apart, begin + first
                ends = (self.made.bodies[b].at(numbers(x.r)) for b, x in (last, (owner, place)))
                length = length + (apart if owner == last[0] else lw.distance(*ends) / divisor)
            last = owner, place
        if type(length) is float:
            self.maker.lose("tendons that join nothing have no effect", name)
            return
        self.tendons[name] = length, start
        moved = any(x != self.made.ref[j] for j, x in self.made.rest.items())
        sprung = tag.numbers("stiffness", None, (0.0,))[0] and tag.numbers("springlength", None, (-1.0,))[0] < 0
        if moved and sprung:
            self.maker.lose("springs of tendons are at rest in the pose of the file, not at springref", name)
        with at(tag):
            self._along(tag, name, length, begin, start)

    def _poses(self) -> tuple[dict[str, Place], dict[str, Place]]:
        """Places of the bodies in the file, and as they begin."""
        return self.made.places, {name: m.place for name, m in self.made.moving.items()}

    @staticmethod
    def _apart(where: dict[str, Place], *sites: tuple[str, Place]) -> float:
        here, there = (where[b].r + where[b].A @ x.r for b, x in sites)
        return float(np.linalg.norm(there - here))

    def site(self, tag: Tag, name: str) -> tuple[str, Place]:
        if name not in self.made.sites:
            tag.fail(f"there is no site {name!r}", suggestion(name, self.made.sites))
        return self.made.sites[name]

    def _along(self, tag: Tag, name: str, length: Any, begin: float, rest: float) -> None:
        k, c = tag.numbers("stiffness", None, (0.0,))[0], tag.numbers("damping", None, (0.0,))[0]
        given = tag.numbers("springlength", None, (-1.0,))
        low, high = (given[0], given[-1]) if given[0] >= 0 else (rest, rest)
        if k or c:
            spring = f"{k!r}*(s - ({low!r}))" if low == high else f"{k!r}*(min(s - ({low!r}), 0) + max(s - ({high!r}), 0))"
            self.model.add(lw.Force(self.maker.beside(name, "spring"), length, f"-{spring} - {c!r}*v"))
        if armature := tag.number("armature", 0.0):
            self.model.add(lw.Inertia(self.maker.beside(name, "armature"), length, armature))
            self.made.armature.append((armature, self.factors.get(name, {})))
        if loss := tag.number("frictionloss", 0.0):
            self.model.add(lw.Force(self.maker.beside(name, "friction"), length, f"-{loss!r}*tanh(v/{TRANSITION!r})"))
            self.maker.lose("friction of tendons is smooth, it creeps where it would stick", name)
        if (allowed := self.made.limited(tag, "actuatorfrc")) is not None:
            self.force_range[name] = allowed
        limits = self.made.limited(tag, "")
        if limits is not None and self.made.limits:
            self.made.stop(length, name, limits[0], limits[1], begin)

    # -- equality ------------------------------------------------------------------------------------------------------
    def _equality(self, tag: Tag, name: str) -> None:
        name = self.maker.name(tag.get("name") or name, "equality")
        kinds: dict[str, Callable[[Tag, str], None]] = {
            "connect": self._connect, "weld": self._weld, "joint": self._polynomial, "tendon": self._polynomial,
        }  # fmt: skip
        if tag.name not in kinds:
            if tag.name in ("flex", "flexvert", "flexstrain", "distance"):
                self.maker.lose(f"<equality> of {tag.name} is not carried over", name)
                return
            tag.fail(f"there is no equality <{tag.name}>", suggestion(tag.name, kinds))
        if tag.get("active", "true") == "false":
            self.maker.lose("equality that is not active is left out", name)
            return
        with at(tag):
            kinds[tag.name](tag, name)

    def _ends(self, tag: Tag) -> tuple[str, str, Place | None, Place | None]:
        """Two bodies; of sites also where on them."""
        if "site1" in tag.attributes:
            found = [self.site(tag, tag.word(word)) for word in ("site1", "site2")]
            return found[0][0], found[1][0], found[0][1], found[1][1]
        one, two = tag.word("body1"), tag.get("body2", "world")
        self._body(tag, one), self._body(tag, two)
        return one, two, None, None

    def _between(self, one: str, two: str) -> Place:
        """The second body in the frame of the first, in the pose of the file."""
        return self.made.places[one].inverse() @ self.made.places[two]

    def _connect(self, tag: Tag, name: str) -> None:
        one, two, P, Q = self._ends(tag)
        if P is None or Q is None:
            P = Place(np.array(tag.numbers("anchor", 3)), np.eye(3))
            Q = self._between(one, two).inverse() @ P
        bodies = self.made.bodies
        self.model.add(lw.Spherical(name, bodies[one].at(numbers(P.r)), bodies[two].at(numbers(Q.r))))

    def _weld(self, tag: Tag, name: str) -> None:
        one, two, P, Q = self._ends(tag)
        if P is None or Q is None:
            given = tag.numbers("relpose", 7, (0.0,) * 7)
            P = Place(np.array(given[:3]), quaternion(given[3:])) if any(given[3:]) else self._between(one, two)
            Q = HERE
        a, b = self.made.bodies[one], self.made.bodies[two]
        self.model.add(lw.Fixed(name, a.at(numbers(P.r), rotation=rows(P.A)), b.at(numbers(Q.r), rotation=rows(Q.A))))

    def _polynomial(self, tag: Tag, name: str) -> None:
        """y - y0 = a0 + a1 (x - x0) + ... of the first and the second joint or tendon."""
        find = self.joint if tag.name == "joint" else self.length
        first = find(tag, tag.word(f"{tag.name}1"))
        second = find(tag, tag.get(f"{tag.name}2")) if f"{tag.name}2" in tag.attributes else None
        if first is None or (second is None and f"{tag.name}2" in tag.attributes):
            self.maker.lose(f"<equality> of {tag.name}s without a coordinate of their own is not carried over", name)
            return
        given = tag.numbers("polycoef", None, (0.0, 1.0))
        a = [*given, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(given) :]]
        y, value = first[0], first[1] + a[0]
        if second is not None:
            x, x0 = second
            if not any(a[2:]) and tag.name == "joint" and a[1]:
                self.model.add(lw.Coupler(name, ((y, 1.0), (x, -a[1])), value - a[1] * x0))
                return
            y = y - sum(c * (x - x0) ** k for k, c in enumerate(a) if k and c)
        self.model.add(lw.Constraint(name, y, value))

    def length(self, tag: Tag, name: str) -> tuple[Any, float] | None:
        if name not in self.tendons:
            tag.fail(f"there is no tendon {name!r}", suggestion(name, self.tendons))
        return self.tendons[name]
