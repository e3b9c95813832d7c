"""MJCF as a model: every body a body in its own frame, every joint a joint of the same name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import cos, pi
from pathlib import Path
from typing import Any

import numpy as np

from linkwright import linear
from linkwright import model as lw
from linkwright.exchange.maker import Maker, at
from linkwright.exchange.mjcf import Mjcf
from linkwright.exchange.mjcf_geoms import MASSLESS, Geom, Geoms, together
from linkwright.exchange.mjcf_start import POSE, Moving, Start
from linkwright.exchange.mjcf_ties import Ties
from linkwright.exchange.places import HERE, Place, along, numbers, rows, turn
from linkwright.exchange.pose_inertia import PoseInertia
from linkwright.exchange.xml import Tag

JOINTS = ("hinge", "slide", "ball", "free")
GRAVITY = (0.0, 0.0, -9.81)
PICTURES = ("camera", "light")


def load_mjcf(
    path: Path, root: Tag, package_dirs: Iterable[Path], limits: bool, keyframe: str | int | None = None
) -> lw.SpatialModel:
    """FileError where the file is wrong."""
    return _Builder(Mjcf.read(path, root, package_dirs), limits, keyframe).build(path.stem)


@dataclass(frozen=True, eq=False)
class _Between:
    """What a joint joins: a frame of one body and another, which is `body` itself or one without mass on the way to it."""

    before: lw.Body
    frame: Place
    after: lw.Body
    body: lw.Body
    moving: Moving  # what is beyond, before it has moved


class _Builder:
    def __init__(self, file: Mjcf, limits: bool, keyframe: str | int | None) -> None:
        self.file, self.limits = file, limits
        self.geoms, self.start = Geoms(file), Start(file, keyframe)
        self.moving = {"world": Moving()}  # bodies as they begin
        self.begin: dict[str, float] = {}  # and coordinates
        self.joints: dict[str, Any] = {}  # by the name in the file
        self.ref: dict[str, float] = {}  # coordinates in the pose of the file
        self.rest: dict[str, float] = {}  # and where springs are at rest
        self.bodies: dict[str, lw.Body] = {}
        self.places: dict[str, Place] = {}
        self.sites: dict[str, tuple[str, Place]] = {}
        self.ranges: dict[str, tuple[float, float]] = {}  # of joints
        self.force_range: dict[str, list[float]] = {}  # of all actuators of a joint
        self.armature: list[tuple[float, dict[str, float]]] = []  # inertia along sums of coordinates of joints
        self.sprung: list[tuple[Tag, Any, float]] = []  # joints whose springs are told by a time constant
        self.lifted: list[tuple[lw.Body, float]] = []  # bodies whose weight is compensated, and how much of it
        self.unnamed = 0

    def build(self, stem: str) -> lw.SpatialModel:
        file = self.file
        self.maker = Maker(lw.SpatialModel(file.root.get("model").strip() or stem, gravity=self._gravity()))
        self.model = self.maker.model
        self._options()
        self.bodies["world"], self.places["world"] = self.model.ground, HERE
        world = file.section("worldbody")
        if not world:
            file.root.fail("the file has no <worldbody> with anything in it", "is it a part that another file includes?")
        holder = Tag("worldbody", {}, file.root.file, file.root.line, file.root.column, world)
        self._contents("world", holder, "", HERE)
        self._scale()
        self._lift()
        Ties(self).read()
        self._lost()
        for name in self.start.close():
            self.maker.lose(f"keyframes that it does not begin at ({POSE})", name)
        self.model.validate()
        return self.maker.finish()

    # -- options -------------------------------------------------------------------------------------------------------
    def _gravity(self) -> tuple[float, ...]:
        gravity: tuple[float, ...] = GRAVITY
        for tag in self.file.root.all("option"):
            gravity = numbers(tag.numbers("gravity", 3, gravity))
            for flag in tag.all("flag"):
                if flag.get("gravity") == "disable":
                    gravity = (0.0, 0.0, 0.0)
        return gravity

    def _options(self) -> None:
        for tag in self.file.root.all("option"):
            for word in ("density", "viscosity", "wind"):
                if any(tag.numbers(word, None, (0.0,))):
                    self.maker.lose("forces of a surrounding fluid are not carried over", word)

    def _lost(self) -> None:
        for word in ("contact", "sensor", "custom", "extension", "deformable"):
            if names := [t.get("name") or f"line {t.line}" for t in self.file.section(word)]:
                for name in names:
                    self.maker.lose(f"<{word}> has no counterpart here", name)
        for name, why in self.geoms.unread.items():
            self.maker.lose(f"meshes that are not drawn ({why})", name)

    # -- bodies --------------------------------------------------------------------------------------------------------
    def _contents(self, owner: str, tag: Tag, childclass: str, frame: Place) -> None:
        """Shapes and sites of a body, then the bodies in it."""
        shapes: list[dict[str, Any]] = []
        for child, own, at_ in self.file.inside(tag, childclass, frame):
            if child.name == "body":
                self._body(child, own, owner, at_)
            elif child.name == "geom" and owner == "world":
                shapes += self.geoms.geom(child, at_).drawn()
                self._contact(child)
            elif child.name == "site":
                self.sites[child.get("name")] = owner, at_ @ self.file.place(self.file.resolved(child, own))
            elif child.name in PICTURES:
                self.maker.lose("cameras and lights are not drawn", child.get("name") or f"line {child.line}")
        if owner == "world" and shapes:
            self.model.ground.shape = shapes

    def _contact(self, geom: Tag) -> None:
        if geom.number("contype", 1.0) or geom.number("conaffinity", 1.0):
            self.maker.lose("contacts between geoms are not carried over", geom.get("name") or f"line {geom.line}")

    def _body(self, tag: Tag, childclass: str, parent: str, frame: Place) -> None:
        name = tag.get("name")
        if not name:
            self.unnamed += 1
            name = f"body {self.unnamed}"
        if name in self.bodies:
            tag.fail(f"there is a second body of the name {name!r}", "names of bodies are unique", name)
        if tag.get("mocap", "false") == "true":
            self.maker.lose("mocap bodies stand still", name)
        own = frame @ self.file.place(tag)
        place = self.places[parent] @ own
        geoms, joints, inertial = self._read(tag, childclass, name)
        mass, com, J = self._mass(tag, name, geoms, inertial)
        with at(tag):
            body = self.model.body(
                self.maker.name(name, "body"), mass, rows(J), com=numbers(com), position=numbers(place.r),
                orientation=place.orientation, shape=[s for g in geoms for s in g.drawn()] or None,
            )  # fmt: skip
        self.bodies[name], self.places[name] = body, place
        if lifted := tag.number("gravcomp", 0.0):
            self.lifted.append((body, lifted))
        self.moving[name] = self._join(parent, own, body, joints, tag)
        self._contents(name, tag, childclass, HERE)

    def _read(self, tag: Tag, childclass: str, name: str) -> tuple[list[Geom], list[tuple[Tag, Place]], Tag | None]:
        geoms, joints, inertial = [], [], None
        for child, _, frame in self.file.inside(tag, childclass, HERE):
            if child.name == "geom":
                geoms.append(self.geoms.geom(child, frame))
                self._contact(child)
            elif child.name in ("joint", "freejoint"):
                joints.append((child, frame))
            elif child.name == "inertial":
                inertial = child
        return geoms, joints, inertial

    def _mass(self, tag: Tag, name: str, geoms: list[Geom], inertial: Tag | None) -> tuple[float, np.ndarray, np.ndarray]:
        c = self.file.compiler
        if inertial is not None and c.inertiafromgeom != "true":
            mass, com, J = self._inertial(inertial)
        elif c.inertiafromgeom == "false":
            mass, com, J = 0.0, np.zeros(3), np.zeros((3, 3))
        else:
            counted = [g for g in geoms if g.kind not in MASSLESS and c.groups[0] <= g.group <= c.groups[1]]
            mass, com, J = together([s for s in (g.solid() for g in counted) if s is not None])
        if c.boundmass > mass or c.boundinertia or c.balance:
            mass, J = max(mass, c.boundmass), _bounded(J, c.boundinertia, c.balance)
        return mass, com, J

    def _inertial(self, tag: Tag) -> tuple[float, np.ndarray, np.ndarray]:
        mass, frame = tag.number("mass"), self.file.place(tag)
        if mass < 0:
            tag.fail(f"the mass is {mass:g}", "give zero or more")
        if "fullinertia" in tag.attributes:
            xx, yy, zz, xy, xz, yz = tag.numbers("fullinertia", 6)
            return mass, frame.r, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        J = np.diag(tag.numbers("diaginertia", 3, (0.0, 0.0, 0.0)))
        return mass, frame.r, frame.A @ J @ frame.A.T

    def _scale(self) -> None:
        total = self.file.compiler.settotalmass
        present = sum(float(b.mass) for b in self.bodies.values())
        if total > 0 and present > 0:
            for body in self.bodies.values():
                body.mass = float(body.mass) * total / present
                body.inertia = rows(body.inertia_matrix() * total / present)  # type: ignore[assignment]

    def _lift(self) -> None:
        """Compensation of gravity (gravcomp): a force at the mass centre."""
        gravity = [self.model.value(g) for g in self.model.gravity]
        for body, share in self.lifted if any(gravity) else ():
            force = tuple(-share * float(body.mass) * g for g in gravity)
            if any(force):
                self.model.add(lw.PointForce(self.maker.beside(body.name, "gravcomp"), body.at(*body.com), force))

    @cached_property
    def inertia(self) -> PoseInertia:
        """Complete when all armature is known."""
        found = PoseInertia(self.model)
        for J, factors in self.armature:
            found.add(J, factors)
        return found

    def springs_by_time(self) -> None:
        """Stiffness and damping from a time constant, a damping ratio, and the inertia that the joint feels."""
        for tag, joint, rest in self.sprung:
            time, ratio = tag.numbers("springdamper", 2)
            J = self.inertia.felt({joint.name: 1.0})
            if J <= 0:
                tag.fail("'springdamper' of a joint that moves no mass", "give 'stiffness' and 'damping'", joint.name)
            with at(tag):
                self._spring(joint, J / (time * ratio) ** 2, 2 * J / time, rest)

    # -- joints --------------------------------------------------------------------------------------------------------
    def _join(self, parent: str, own: Place, body: lw.Body, joints: list[tuple[Tag, Place]], tag: Tag) -> Moving:
        """Several joints of a body act one after the other: between them are bodies without mass. How the body begins."""
        before, frame = self.bodies[parent], own
        moving = replace(self.moving[parent], place=self.moving[parent].place @ own)
        if not joints:
            with at(tag):
                name = self.maker.beside(body.name, f"on {before.name}")
                self.model.add(lw.Fixed(name, before.at(numbers(frame.r), rotation=rows(frame.A)), body.at(0, 0, 0)))
        for k, (joint, within) in enumerate(joints):
            after = body
            if k < len(joints) - 1:
                after = self.model.body(
                    self.maker.beside(body.name, f"before joint {k + 2}"), position=body.estimate.position,
                    orientation=(self.places[parent] @ own).orientation,
                )  # fmt: skip
            kind = "free" if joint.name == "freejoint" else joint.choice("type", JOINTS, "hinge")
            if kind == "free" and (parent != "world" or len(joints) > 1):
                joint.fail("a free joint is of a body in the world, and its only one", "move the body into <worldbody>")
            with at(joint):
                moving = self._joint(joint, kind, within, _Between(before, frame, after, body, moving))
            if after is not body:
                self.start.begin(after, moving)
            before, frame = after, HERE
        self.start.begin(body, moving)
        return moving

    def _joint(self, tag: Tag, kind: str, within: Place, between: _Between) -> Moving:
        """How what is beyond it begins."""
        given, body = tag.get("name"), between.body
        if given in self.joints:
            tag.fail(f"there is a second joint of the name {given!r}", "names of joints are unique", given)
        if kind == "free":
            self.joints[given or f"{body.name} free"] = None
            self._unsupported(tag, given or body.name, kind)
            return self.start.moved(between.moving, kind, np.zeros(3), np.zeros(3), 0.0)[0]
        axis = within.A @ np.array(tag.numbers("axis", 3, (0.0, 0.0, 1.0)))
        if not axis.any():
            tag.fail("the axis has no length: it is no direction", "give one, such as 0 0 1", given)
        axis = axis / np.linalg.norm(axis)
        C, s = along(axis) if kind != "ball" else np.eye(3), within.r + within.A @ tag.numbers("pos", 3, (0.0, 0.0, 0.0))
        ref = tag.number("ref", 0.0)
        ref = self.file.compiler.angle(ref) if kind == "hinge" else ref
        start, end = between.frame @ Place(s - (ref * axis if kind == "slide" else 0.0), C), Place(s, C)
        if kind == "hinge":
            end = Place(s, C @ turn((0.0, 0.0, 1.0), ref))
        P = between.before.at(numbers(start.r), rotation=rows(start.A))
        Q = between.after.at(numbers(end.r), rotation=rows(end.A))
        name = self.maker.name(given or f"{body.name} {kind}", "joint")
        made: Any = {"hinge": lw.Revolute, "slide": lw.Translational, "ball": lw.Spherical}[kind](name, P, Q)
        joint = self.model.add(made)
        self.joints[given or name], self.ref[given or name] = joint, ref
        moving, self.begin[given or name] = self.start.moved(between.moving, kind, axis, s, ref)
        self._more(tag, kind, joint, self.begin[given or name])
        return moving

    def coordinate(self, joint: Any) -> Any:
        return joint.displacement if isinstance(joint, lw.Translational) else joint.angle

    def _unsupported(self, tag: Tag, name: str, kind: str) -> None:
        for word in ("stiffness", "damping", "frictionloss", "armature"):
            if tag.name == "joint" and any(tag.numbers(word, None, (0.0,))):
                self.maker.lose(f"{word} of {kind} joints is not carried over", name)

    def _linear(self, tag: Tag, word: str, name: str) -> float:
        """A coefficient, of which newer files may give several, of a polynomial."""
        first, *more = tag.numbers(word, None, (0.0,)) or [0.0]
        if any(more):
            tag.fail(f"{word!r} is a polynomial, which is not read", "give one number", name)
        return first

    def _more(self, tag: Tag, kind: str, joint: Any, begin: float) -> None:
        """Spring, damper, friction, armature and limits of a joint."""
        maker, model, name = self.maker, self.model, joint.name
        if any(tag.numbers("springyield", None, (0.0,))):
            maker.lose("'springyield' is not carried over", name)
        k, c = self._linear(tag, "stiffness", name), self._linear(tag, "damping", name)
        loss, armature = tag.number("frictionloss", 0.0), tag.number("armature", 0.0)
        if kind == "ball":
            if c or loss:
                model.add(lw.Friction(maker.beside(name, "friction"), joint, viscous=c, level=loss))
            self._ball(tag, joint, k, armature)
            return
        s = self.coordinate(joint)
        angle = self.file.compiler.angle if kind == "hinge" else float
        rest = self.rest[tag.get("name") or name] = angle(tag.number("springref", 0.0))
        if _by_time(tag):
            self.sprung.append((tag, joint, rest))
        elif k or c:
            self._spring(joint, k, c, rest)
        if loss:
            model.add(lw.Friction(maker.beside(name, "friction"), joint, level=loss))
        if armature:
            model.add(lw.Inertia(maker.beside(name, "armature"), s, armature))
            self.armature.append((armature, {name: 1.0}))
        if limits := self.limited(tag, ""):
            low, high = self.ranges[tag.get("name") or name] = angle(limits[0]), angle(limits[1])
            if self.limits:
                self.stop(s, name, low, high, begin)
        if (allowed := self.limited(tag, "actuatorfrc")) is not None:
            self.force_range[tag.get("name") or name] = allowed

    def _ball(self, tag: Tag, joint: Any, k: float, armature: float) -> None:
        """Its spring turns back about the axis of the whole turn, k theta; its limit is the largest theta."""
        maker, name = self.maker, joint.name
        if k:
            stiff: Any = (0.0, 0.0, 0.0, k, k, k)
            self.model.add(lw.Bushing(maker.beside(name, "spring"), joint.P, joint.Q, k=stiff, form="rotation vector"))
        if armature:
            maker.lose("armature of ball joints is not carried over", name)
        if _by_time(tag):
            maker.lose("'springdamper' of ball joints is not carried over", name)
        limits = self.limited(tag, "")
        if limits is not None and self.limits:
            most = self.file.compiler.angle(limits[1])
            if 0 < most < pi:  # cos theta = (trace - 1)/2 of the turn, smooth where theta is zero, too
                axes = [[p.body.vector(*e) for e in zip(*p.rotation, strict=True)] for p in (joint.P, joint.Q)]
                cosine: Any = (sum(lw.dot(u, v) for u, v in zip(*axes, strict=True)) - 1) / 2
                self.model.add(lw.Stop(maker.beside(name, "limits"), cosine, lower=cos(most), restitution=0.0))

    def _spring(self, joint: Any, k: float, c: float, rest: float) -> None:
        s, what = self.coordinate(joint), self.maker.beside(joint.name, "spring" if k else "damping")
        if isinstance(joint, lw.Revolute):
            self.model.add(lw.TorsionSpring(what, s, k=k, angle=rest, c=c))
        else:
            self.model.add(lw.Force(what, s, f"-{k!r}*(s - ({rest!r})) - {c!r}*v"))

    def limited(self, tag: Tag, what: str) -> list[float] | None:
        """The range of a joint or tendon, or of what else it limits."""
        limited = tag.choice(f"{what}limited", ("true", "false", "auto"), "auto")
        if limited == "auto":
            limited = "true" if self.file.compiler.autolimits and f"{what}range" in tag.attributes else "false"
        return tag.numbers(f"{what}range", 2, (0.0, 0.0)) if limited == "true" else None

    def stop(self, s: Any, name: str, lower: float, upper: float, start: float) -> None:
        if not lower < start < upper:
            self.maker.lose("limits that the pose of the file is at or beyond are not carried over (add lw.Stop)", name)
        else:
            self.model.add(lw.Stop(self.maker.beside(name, "limits"), s, lower, upper, restitution=0.0))


def _by_time(tag: Tag) -> bool:
    return min(tag.numbers("springdamper", 2, (0.0, 0.0))) > 0


def _bounded(J: np.ndarray, least: float, balance: bool) -> np.ndarray:
    w, V = linear.eigh(J)
    w = np.maximum(w, least)
    if balance and w[0] + w[1] < w[2]:
        w[:] = w.mean()
    return np.asarray((V * w) @ V.T)
