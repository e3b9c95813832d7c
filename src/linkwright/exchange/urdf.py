"""URDF as plain data: links and joints, checked, with their places in the file. https://wiki.ros.org/urdf/XML"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from linkwright.exchange.places import HERE, Place, fixed_axes
from linkwright.exchange.xml import Tag
from linkwright.words import suggestion

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
ONE_AXIS = ("revolute", "continuous", "prismatic")
SHAPES = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",), "capsule": ("radius", "length"),
          "mesh": ("filename", "scale")}  # fmt: skip


@dataclass(eq=False)
class Link:
    """A link; `visuals`: tags of shapes and where they are."""

    tag: Tag
    name: str
    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))  # about the mass centre, in the link's axes
    visuals: list[tuple[Tag, Place]] = field(default_factory=list)


@dataclass(eq=False)
class UrdfJoint:
    """A joint; `origin`: the child's frame in the parent's when it has not moved."""

    tag: Tag
    name: str
    kind: str
    parent: str
    child: str
    origin: Place
    axis: np.ndarray
    limit: Tag | None
    damping: float
    friction: float
    mimic: tuple[str, float, float] | None


@dataclass(eq=False)
class Robot:
    """A robot: links by name, joints by name, and words of the file that are not known here."""

    name: str
    links: dict[str, Link]
    joints: dict[str, UrdfJoint]
    root: str
    strange: dict[str, list[str]]

    def ordered(self) -> list[UrdfJoint]:
        """Joints from the root on."""
        below: dict[str, list[UrdfJoint]] = {}
        for j in self.joints.values():
            below.setdefault(j.parent, []).append(j)
        out, waiting = [], [self.root]
        while waiting:
            for j in below.get(waiting.pop(0), ()):
                out.append(j)
                waiting.append(j.child)
        return out


class Reader:
    """Reads the tags of one file."""

    def __init__(self) -> None:
        self.strange: dict[str, list[str]] = {}

    def look(self, tag: Tag, owner: str, attributes: Iterable[str], children: Iterable[str] = ()) -> None:
        for word in tag.look(attributes, children):
            where = f"{word} of <{tag.name}>" if tag.name != "robot" else word
            names = self.strange.setdefault(where, [])
            if owner and owner not in names:
                names.append(owner)

    def robot(self, root: Tag) -> Robot:
        if root.name != "robot":
            root.fail(f"a URDF begins with <robot>, not with <{root.name}>", "is it a file of another kind?")
        for tag in root.children:
            if tag.name.startswith("xacro:"):
                tag.fail("this is a xacro file, a program that makes a URDF", "run it first: xacro robot.xacro > robot.urdf")
        self.look(root, "", ("name", "version"), ("link", "joint", "material", "gazebo", "transmission", "sensor"))
        for word in ("gazebo", "transmission", "sensor"):
            if found := root.all(word):
                self.strange[f"<{word}>"] = [t.get("name") or t.get("reference") or f"line {t.line}" for t in found]
        links: dict[str, Link] = {}
        for tag in root.all("link"):
            link = self.link(tag)
            _new(tag, link.name, links)
            links[link.name] = link
        if not links:
            root.fail("the robot has no <link>", 'add <link name="...">')
        joints: dict[str, UrdfJoint] = {}
        for tag in root.all("joint"):
            joint = self.joint(tag)
            _new(tag, joint.name, joints)
            joints[joint.name] = joint
        return Robot(root.get("name"), links, joints, _root(root, links, joints), self.strange)

    # -- links -------------------------------------------------------------------------------------------------------------
    def link(self, tag: Tag) -> Link:
        link = Link(tag, tag.word("name"))
        self.look(tag, link.name, ("name", "type"), ("inertial", "visual", "collision"))
        inertial = tag.one("inertial")
        if inertial is not None:
            self.look(inertial, link.name, (), ("origin", "mass", "inertia"))
            at = self.origin(inertial, link.name)
            mass = inertial.one("mass")
            link.mass = 0.0 if mass is None else mass.number("value")
            if link.mass < 0:
                (mass or inertial).fail(f"the mass is {link.mass:g}", "give zero or more", link.name)
            link.com = at.r
            link.inertia = at.A @ self.inertia(inertial, link.name) @ at.A.T
        for visual in tag.all("visual"):
            self.look(visual, link.name, ("name",), ("origin", "geometry", "material"))
            shapes = visual.need("geometry")
            at = self.origin(visual, link.name)
            self.look(shapes, link.name, (), SHAPES)
            for shape in shapes.children:
                if shape.name in SHAPES:
                    self.look(shape, link.name, SHAPES[shape.name])
                    link.visuals.append((shape, at))
        return link

    def inertia(self, inertial: Tag, owner: str) -> np.ndarray:
        tag = inertial.one("inertia")
        if tag is None:
            return np.zeros((3, 3))
        words = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        self.look(tag, owner, words)
        xx, yy, zz = (tag.number(w) for w in words[:3])
        xy, xz, yz = (tag.number(w, 0.0) for w in words[3:])
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def origin(self, tag: Tag, owner: str) -> Place:
        origin = tag.one("origin")
        if origin is None:
            return HERE
        self.look(origin, owner, ("xyz", "rpy"))
        xyz, rpy = (np.array(origin.numbers(word, 3, (0.0, 0.0, 0.0))) for word in ("xyz", "rpy"))
        return Place(xyz, fixed_axes(rpy) if rpy.any() else np.eye(3))

    # -- joints ------------------------------------------------------------------------------------------------------------
    def joint(self, tag: Tag) -> UrdfJoint:
        name = tag.word("name")
        tag.word("type")
        kind = tag.choice("type", KINDS, "")
        known = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller")
        self.look(tag, name, ("name", "type"), known)
        for word in ("calibration", "safety_controller"):
            if tag.all(word):
                self.strange.setdefault(f"<{word}> of <joint>", []).append(name)
        dynamics = tag.one("dynamics")
        if dynamics is not None:
            self.look(dynamics, name, ("damping", "friction"))
        limit = tag.one("limit")
        if limit is not None:
            self.look(limit, name, ("lower", "upper", "effort", "velocity"))
        return UrdfJoint(
            tag, name, kind, tag.need("parent").word("link"), tag.need("child").word("link"),
            self.origin(tag, name), self.axis(tag, name, kind), limit,
            0.0 if dynamics is None else dynamics.number("damping", 0.0),
            0.0 if dynamics is None else dynamics.number("friction", 0.0),
            self.mimic(tag, name),
        )  # fmt: skip

    def axis(self, tag: Tag, owner: str, kind: str) -> np.ndarray:
        given = tag.one("axis")
        if given is None:
            return np.array([1.0, 0.0, 0.0])
        self.look(given, owner, ("xyz",))
        axis = np.array(given.numbers("xyz", 3, (1.0, 0.0, 0.0)))
        length = float(np.linalg.norm(axis))
        if length == 0 and kind in (*ONE_AXIS, "planar"):
            given.fail("the axis has no length: it is no direction", "give one, such as 0 0 1", owner)
        return axis / (length or 1.0)

    def mimic(self, tag: Tag, owner: str) -> tuple[str, float, float] | None:
        given = tag.one("mimic")
        if given is None:
            return None
        self.look(given, owner, ("joint", "multiplier", "offset"))
        return given.word("joint"), given.number("multiplier", 1.0), given.number("offset", 0.0)


def _new(tag: Tag, name: str, known: dict[str, Link] | dict[str, UrdfJoint]) -> None:
    if name in known:
        tag.fail(f"there is a second <{tag.name}> of this name", f"the first is in line {known[name].tag.line}", name)


def _root(robot: Tag, links: dict[str, Link], joints: dict[str, UrdfJoint]) -> str:
    """The link that no joint carries. Every other is carried by one joint, and reached from the root."""
    parent: dict[str, UrdfJoint] = {}
    for j in joints.values():
        for word, link in (("parent", j.parent), ("child", j.child)):
            if link not in links:
                j.tag.need(word).fail(f"there is no link {link!r}", suggestion(link, links), j.name)
        if j.child in parent:
            first = parent[j.child]
            j.tag.fail(
                f"the link {j.child!r} is the child of the joint {first.name!r}, too (line {first.tag.line})",
                "a URDF is a tree: a loop can be closed in the model itself, m.add(lw.Revolute(...))", j.name,
            )  # fmt: skip
        parent[j.child] = j
    roots = [name for name in links if name not in parent]
    if len(roots) > 1:
        links[roots[1]].tag.fail(
            f"nothing carries the links {roots[0]!r} and {roots[1]!r}", "a URDF is one tree: join all but one", roots
        )
    for name in links:
        seen = set[str]()
        while name in parent:
            if name in seen:
                parent[name].tag.fail("the joints go round in a circle", "a URDF is a tree", sorted(seen))
            seen.add(name)
            name = parent[name].parent
    return roots[0]
