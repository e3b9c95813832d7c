"""A URDF as a model: every link a body in its own frame, every joint a joint of the same name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from linkwright import linear
from linkwright import model as lw
from linkwright.errors import ModelError
from linkwright.exchange import pictures, xml
from linkwright.exchange.maker import Maker, at
from linkwright.exchange.paths import Folders
from linkwright.exchange.places import HERE, Place, along, numbers, rows, turn
from linkwright.exchange.urdf import ONE_AXIS, Link, Reader, Robot, UrdfJoint
from linkwright.words import suggestion

GRAVITY = (0.0, 0.0, -9.81)  # a URDF has none


def load_urdf(
    path: Path, root: xml.Tag, floating: bool, package_dirs: Iterable[str | Path], limits: bool
) -> lw.SpatialModel:
    """FileError where the file is wrong."""
    reader = Reader()
    robot = reader.robot(root)
    return _Builder(robot, Folders(path, package_dirs), limits).build(path.stem, floating)


class _Builder:
    def __init__(self, robot: Robot, folders: Folders, limits: bool) -> None:
        self.robot, self.folders, self.limits = robot, folders, limits
        self.bodies: dict[str, lw.Body] = {}
        self.joints: dict[str, Any] = {}
        self.start = self._start()

    def build(self, stem: str, floating: bool) -> lw.SpatialModel:
        robot = self.robot
        self.maker = Maker(lw.SpatialModel(robot.name.strip() or stem, gravity=GRAVITY))
        self.model = self.maker.model
        for name in mended(robot, grounded=not floating):
            self.maker.lose("inertia that no body can have, given to the link it is welded to", name)
        places = {robot.root: HERE}
        ordered = robot.ordered()
        for j in ordered:
            places[j.child] = places[j.parent] @ j.origin @ self._moved(j)
        for link in robot.links.values():
            self.bodies[link.name] = self._body(link, places[link.name])
        if not floating:
            self._fix(robot.root)
        for j in robot.joints.values():
            self._joint(j)
        for j in robot.joints.values():
            self._more(j)
        for where, names in robot.strange.items():
            for name in names or [""]:
                self.maker.lose(f"{where} has no counterpart here", name)
        return self.maker.finish()

    # -- the pose of the file: joints at zero, but those that follow others
    def _start(self) -> dict[str, float]:
        joints = self.robot.joints
        out: dict[str, float] = {}
        for j in joints.values():
            chain: list[UrdfJoint] = []
            while j.name not in out:
                if j in chain:
                    j.tag.need("mimic").fail(
                        "the joints mimic each other in a circle", "one of them must move by itself", [c.name for c in chain]
                    )
                chain.append(j)
                if j.mimic is None or j.kind not in ONE_AXIS:
                    out[j.name] = 0.0
                    break
                if j.mimic[0] not in joints:
                    j.tag.need("mimic").fail(f"there is no joint {j.mimic[0]!r}", suggestion(j.mimic[0], joints), j.name)
                j = joints[j.mimic[0]]
            for c in reversed(chain):
                if c.mimic is not None and c.kind in ONE_AXIS:
                    out[c.name] = c.mimic[1] * out[c.mimic[0]] + c.mimic[2]
        return out

    def _moved(self, j: UrdfJoint) -> Place:
        q = self.start[j.name]
        if q == 0:
            return HERE
        return Place(q * j.axis, np.eye(3)) if j.kind == "prismatic" else Place(np.zeros(3), turn(j.axis, q))

    # -- bodies --------------------------------------------------------------------------------------------------------
    def _body(self, link: Link, place: Place) -> lw.Body:
        with at(link.tag):
            return self.model.body(
                self.maker.name(link.name, "link"), link.mass, rows(link.inertia), com=numbers(link.com),
                position=numbers(place.r), orientation=place.orientation, shape=self._shapes(link) or None,
            )  # fmt: skip

    def _shapes(self, link: Link) -> list[dict[str, Any]]:
        out: list[dict[str, Any]] = []
        for tag, place in link.visuals:
            with at(tag):
                if tag.name == "mesh":
                    out += self._mesh(tag, place)
                    continue
                sizes = tag.numbers("size", 3) if tag.name == "box" else [tag.number("radius")]
                sizes += [tag.number("length")] if tag.name in ("cylinder", "capsule") else []
                if min(sizes) <= 0:
                    self.maker.lose("shapes without extent are not drawn", link.name)
                elif tag.name == "box":
                    out.append(pictures.box(sizes, place))
                elif tag.name == "sphere":
                    out.append(pictures.sphere(sizes[0], place))
                elif tag.name == "cylinder":
                    out.append(pictures.cylinder(sizes[0], sizes[1], place))
                else:
                    out += pictures.capsule(sizes[0], sizes[1], place)
        return out

    def _mesh(self, tag: xml.Tag, place: Place) -> list[dict[str, Any]]:
        name = tag.word("filename")
        try:
            return [pictures.from_file(self.folders.find(name), tag.numbers("scale", 3, (1.0, 1.0, 1.0)), place)]
        except LookupError as why:
            self.maker.lose(f"meshes that are not drawn, for they are {why} (give package_dirs=)", name)
        except ModelError as error:
            self.maker.lose(f"meshes that are not drawn ({error.cause})", name)
        return []

    def _fix(self, root: str) -> None:
        body = self.bodies[root]
        name = self.maker.beside(body.name, "on ground")
        self.model.add(lw.Fixed(name, self.model.ground.at(0, 0, 0), body.at(0, 0, 0)))

    # -- joints --------------------------------------------------------------------------------------------------------
    def _joint(self, j: UrdfJoint) -> None:
        if j.kind == "floating":
            self.maker.lose("floating joints leave their child free, and are no element here", j.name)
            return
        parent, child = self.bodies[j.parent], self.bodies[j.child]
        kinds = {"prismatic": lw.Translational, "fixed": lw.Fixed, "planar": lw.Planar}
        C = np.eye(3) if j.kind == "fixed" else along(j.axis)
        with at(j.tag):
            P = parent.at(numbers(j.origin.r), rotation=rows(j.origin.A @ C))
            Q = child.at(0, 0, 0, rotation=rows(C))
            name = self.maker.name(j.name, "joint")
            self.joints[j.name] = self.model.add(kinds.get(j.kind, lw.Revolute)(name, P, Q))

    def _more(self, j: UrdfJoint) -> None:
        """What belongs to a joint."""
        maker, joint = self.maker, self.joints.get(j.name)
        if j.mimic is not None and j.kind not in ONE_AXIS:
            maker.lose(f"<mimic> of {j.kind} joints means nothing", j.name)
        if j.limit is not None:
            for word in ("effort", "velocity"):
                if j.limit.number(word, 0.0) != 0 and j.kind != "fixed":
                    maker.lose(f"limits of {word} have no counterpart here", j.name)
        if j.kind not in ONE_AXIS:
            if (j.damping or j.friction) and j.kind != "fixed":
                maker.lose(f"damping and friction of {j.kind} joints are not carried over", j.name)
            return
        with at(j.tag):
            if j.mimic is not None:
                self._follow(j, joint, *j.mimic)
            self._loss(j, joint)
            if j.limit is None and j.kind != "continuous":
                maker.lose(f"{j.kind} joints without <limit>, which URDF asks for, move without limits", j.name)
            if self.limits and j.limit is not None and j.kind != "continuous":
                self._stop(j, j.limit, joint)

    def _coordinate(self, name: str) -> Any:
        joint = self.joints[name]
        return joint.displacement if isinstance(joint, lw.Translational) else joint.angle

    def _follow(self, j: UrdfJoint, joint: Any, other: str, multiplier: float, offset: float) -> None:
        master = self.robot.joints[other]
        own, name = self._coordinate(j.name), self.maker.beside(joint.name, "mimic")
        if master.kind not in ONE_AXIS or multiplier == 0:  # nothing moves it
            self.model.add(lw.Constraint(name, own, self.start[j.name]))
        else:
            self.model.add(lw.Coupler(name, ((own, 1.0), (self._coordinate(other), -multiplier)), offset))

    def _loss(self, j: UrdfJoint, joint: Any) -> None:
        for word, value in (("damping", j.damping), ("friction", j.friction)):
            if value < 0:
                self.maker.lose(f"negative {word} is not carried over", j.name)
        if j.damping > 0:
            name = self.maker.beside(joint.name, "damping")
            if j.kind == "prismatic":
                self.model.add(lw.Force(name, joint.displacement, f"-{j.damping!r}*v"))
            else:
                self.model.add(lw.TorsionSpring(name, joint.angle, c=j.damping))
        if j.friction > 0:
            self.model.add(lw.Friction(self.maker.beside(joint.name, "friction"), joint, level=j.friction))

    def _stop(self, j: UrdfJoint, limit: xml.Tag, joint: Any) -> None:
        lower, upper, start = limit.number("lower", 0.0), limit.number("upper", 0.0), self.start[j.name]
        if j.mimic is not None:
            self.maker.lose("limits of joints that mimic others are left to those", j.name)
        elif lower >= upper:
            self.maker.lose("limits that leave nothing between them are not carried over", j.name)
        elif not lower < start < upper:  # a run would begin with an impact, or in a contact without force
            self.maker.lose("limits that the pose of the file is at or beyond are not carried over (add lw.Stop)", j.name)
        else:
            name = self.maker.beside(joint.name, "limits")
            self.model.add(lw.Stop(name, self._coordinate(j.name), lower, upper, restitution=0.0))


# Inertia that no rigid body can have, as many files do: a negative principal moment, by rounding or by mistake.
#
# Links that are welded together move as one body, and only the sum of their inertia matters. So the negative part of one
# link is given to the heaviest link of its group: the motion is that of the file. Of a group welded to the ground none
# matters.

ROUNDING = 1e-9  # of the largest moment: what a body may have (model.bodies), well below what a file's digits tell


def mended(robot: Robot, grounded: bool) -> list[str]:
    """Names of the links whose inertia was mended, in place; FileError where the sum of a group is wrong, too."""
    out = []
    for group in _groups(robot):
        wrong = [name for name in group if _negative(robot.links[name])]
        if not wrong:
            continue
        heaviest = max(group, key=lambda name: robot.links[name].mass)
        target = robot.links[heaviest]
        for name in wrong:
            if name != heaviest:
                link = robot.links[name]
                A = group[heaviest].A.T @ group[name].A
                kept = _positive(link.inertia)
                target.inertia = target.inertia + A @ (link.inertia - kept) @ A.T
                link.inertia = kept
        if (grounded and robot.root in group) or not _matters(target):
            target.inertia = _positive(target.inertia)
        elif _negative(target):
            least = linear.eigvalsh(target.inertia)[0]
            target.tag.fail(
                f"a principal moment of inertia is negative: {least:g}", "check <inertia>: no rigid body has such", wrong
            )
        out += wrong
    return out


def _groups(robot: Robot) -> list[dict[str, Place]]:
    """Links that are welded together, each in the frame of the first."""
    group = {robot.root: {robot.root: HERE}}
    for j in robot.ordered():
        if j.kind == "fixed":
            own = group[j.parent]
            own[j.child] = own[j.parent] @ j.origin
            group[j.child] = own
        else:
            group[j.child] = {j.child: HERE}
    return list({id(g): g for g in group.values()}.values())


def _negative(link: Link) -> bool:
    return bool(linear.eigvalsh(link.inertia)[0] < -ROUNDING * np.abs(link.inertia).max())


def _matters(link: Link) -> bool:
    """Whether a moment of inertia is more than rounding beside that of its mass about the link's origin."""
    return bool(np.abs(link.inertia).max() > 1e-15 * link.mass * (link.com @ link.com))


def _positive(J: np.ndarray) -> np.ndarray:
    """The nearest matrix without negative principal moments."""
    w, V = linear.eigh(J)
    return np.asarray((V * np.maximum(w, 0.0)) @ V.T)
