"""MJCF before it is a model: includes put in, default classes resolved, angles in radians, orientations as matrices.

https://mujoco.readthedocs.io/en/stable/XMLreference.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import pi
from pathlib import Path

import numpy as np

from linkwright.exchange import xml
from linkwright.exchange.mjcf_expand import expanded
from linkwright.exchange.mjcf_words import ACTUATORS, CHILDREN, ORIENTATION, SECTIONS, UNREAD, WORDS
from linkwright.exchange.paths import Folders
from linkwright.exchange.places import Place, quaternion, turn
from linkwright.exchange.xml import Tag
from linkwright.words import suggestion


@dataclass(eq=False)
class Compiler:
    """<compiler>: how the rest is to be read."""

    degrees: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertiafromgeom: str = "auto"
    groups: tuple[float, float] = (0.0, 5.0)
    boundmass: float = 0.0
    boundinertia: float = 0.0
    balance: bool = False
    settotalmass: float = -1.0
    meshdir: str = ""
    strippath: bool = False

    def read(self, tag: Tag) -> None:
        angle = tag.choice("angle", ("degree", "radian"), "degree" if self.degrees else "radian")
        self.degrees = angle == "degree"
        if tag.choice("coordinate", ("local", "global"), "local") == "global":
            tag.fail("global coordinates are not read", "save the file with MuJoCo itself: it writes local ones")
        self.eulerseq = tag.get("eulerseq", self.eulerseq)
        if len(self.eulerseq) != 3 or set(self.eulerseq.lower()) - set("xyz"):
            tag.fail(f"'eulerseq' is {self.eulerseq!r}", "give three letters of x, y, z, X, Y, Z")
        self.autolimits = _true(tag, "autolimits", self.autolimits)
        self.inertiafromgeom = tag.choice("inertiafromgeom", ("false", "true", "auto"), self.inertiafromgeom)
        low, high = tag.numbers("inertiagrouprange", 2, self.groups)
        self.groups = low, high
        self.boundmass = tag.number("boundmass", self.boundmass)
        self.boundinertia = tag.number("boundinertia", self.boundinertia)
        self.balance = _true(tag, "balanceinertia", self.balance)
        self.settotalmass = tag.number("settotalmass", self.settotalmass)
        self.meshdir = tag.get("meshdir", tag.get("assetdir", self.meshdir))
        self.strippath = _true(tag, "strippath", self.strippath)

    def angle(self, value: float) -> float:
        return value * pi / 180 if self.degrees else value


def _true(tag: Tag, name: str, default: bool) -> bool:
    return tag.choice(name, ("true", "false"), str(default).lower()) == "true"


@dataclass(eq=False)
class Mjcf:
    """A file: its sections put together, and how to read what is in them."""

    root: Tag
    folders: Folders
    compiler: Compiler = field(default_factory=Compiler)
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)  # class, kind of tag, attributes
    opened: list[Path] = field(default_factory=list)  # this file, and those that it is attached to

    @classmethod
    def read(cls, path: Path, root: Tag, package_dirs: Iterable[Path] = (), opened: Sequence[Path] = ()) -> Mjcf:
        """`opened`: files that attach this one; they see to it that it is written out."""
        file = cls(root, Folders(path, package_dirs), opened=list(opened) or [path.resolve()])
        root.children = list(file._included(root, [path.resolve()]))
        root.look(("model",), CHILDREN["mujoco"])
        file._look()
        for tag in root.all("compiler"):
            file.compiler.read(tag)
        file.classes["main"] = {}
        for tag in root.all("default"):
            file._defaults(tag, tag.get("class", "main"), {})
        if not opened:
            expanded(file)
        return file

    def section(self, name: str) -> list[Tag]:
        """What is in all sections of a name."""
        return [c for tag in self.root.all(name) for c in tag.children]

    def _look(self) -> None:
        """Words of the sections beside the bodies: what is misspelt there would be left out in silence."""
        tags = [*self.root.all("compiler"), *self.root.all("option"), *self.section("tendon"), *self.section("equality")]
        for tag in tags:
            known = SECTIONS.get(tag.name) or SECTIONS.get(f"equality {tag.name}")
            if known:
                tag.look(known, None)

    def _included(self, tag: Tag, open_files: list[Path]) -> Iterator[Tag]:
        for child in tag.children:
            if child.name != "include":
                child.children = list(self._included(child, open_files))
                yield child
                continue
            name = child.word("file")
            try:
                path = self.folders.find(name)
            except LookupError as why:
                child.fail(f"the file {name!r} is {why}", "files are included from below the folder of the model only")
            if path in open_files or len(open_files) > 20:
                child.fail(f"the file {name!r} includes itself", "remove one of the includes")
            yield from self._included(xml.read(path), [*open_files, path])

    # -- default classes -----------------------------------------------------------------------------------------------
    def _defaults(self, tag: Tag, name: str, above: dict[str, dict[str, str]]) -> None:
        own = {kind: dict(attributes) for kind, attributes in (self.classes.get(name) or above).items()}
        for child in tag.children:
            if child.name != "default":
                kind = "actuator" if child.name in ACTUATORS else "equality" if child.name == "equality" else child.name
                own[kind] = own.get(kind, {}) | child.attributes
        self.classes[name] = own
        for child in tag.all("default"):
            self._defaults(child, child.word("class"), own)

    def resolved(self, tag: Tag, childclass: str = "", kind: str = "") -> Tag:
        """The tag with the attributes of its class where it has none of its own."""
        name = tag.get("class") or childclass or "main"
        if name not in self.classes:
            tag.fail(f"there is no class {name!r}", suggestion(name, self.classes))
        defaults = self.classes[name].get(kind or tag.name, {})
        given = dict(defaults)
        if any(word in tag.attributes for word in ORIENTATION):  # one way to tell the orientation replaces another
            given = {k: v for k, v in given.items() if k not in ORIENTATION}
        return replace(tag, attributes=given | tag.attributes)

    # -- the tree of bodies --------------------------------------------------------------------------------------------
    def inside(self, tag: Tag, childclass: str, at: Place) -> Iterator[tuple[Tag, str, Place]]:
        """What is in a body, also within frames: the tag with its defaults, its class, and the frame that it is in."""
        tag.look((*WORDS["body"], *WORDS["frame"]), CHILDREN["body"])
        for child in tag.children:
            if child.name in UNREAD:
                child.fail(
                    f"<{child.name}> is not read: {UNREAD[child.name]}",
                    "leave it out, or open and save the file with MuJoCo, which writes out the bodies",
                )
            if child.name == "frame":
                own = child.get("childclass") or childclass
                yield from self.inside(child, own, at @ self.place(child))
            elif child.name == "body":
                child.look(WORDS["body"], CHILDREN["body"])
                yield child, child.get("childclass") or childclass, at
            elif child.name in WORDS:
                found = self.resolved(child, childclass)
                found.look(WORDS[child.name], None)
                yield found, childclass, at
            else:
                yield child, childclass, at

    def place(self, tag: Tag) -> Place:
        return Place(self.vector(tag, "pos"), self.orientation(tag))

    @staticmethod
    def vector(tag: Tag, word: str) -> np.ndarray:
        return np.array(tag.numbers(word, 3, (0.0, 0.0, 0.0)))

    def orientation(self, tag: Tag) -> np.ndarray:
        given = [word for word in ORIENTATION if word in tag.attributes]
        if len(given) > 1:
            tag.fail(f"the orientation of <{tag.name}> is told twice: {', '.join(given)}", "leave one of them out")
        if not given:
            return np.eye(3)
        word = given[0]
        x = tag.numbers(word, {"quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}[word])
        if word == "quat":
            _direction(tag, x, word)
            return quaternion(x)
        if word == "axisangle":
            _direction(tag, x[:3], word)
            return turn(x[:3], self.compiler.angle(x[3]))
        if word == "euler":
            return self._euler(x)
        if word == "zaxis":
            _direction(tag, x, word)
            return from_z(np.array(x))
        e = np.array(x[:3]) / _direction(tag, x[:3], word)
        f = np.array(x[3:]) - (np.array(x[3:]) @ e) * e
        f = f / _direction(tag, f, word)
        return np.column_stack([e, f, np.cross(e, f)])

    def _euler(self, angles: Sequence[float]) -> np.ndarray:
        A = np.eye(3)
        for letter, angle in zip(self.compiler.eulerseq, angles, strict=True):
            R = turn(np.eye(3)["xyz".index(letter.lower())], self.compiler.angle(angle))
            A = A @ R if letter.islower() else R @ A  # small letters: about axes that turn with it
        return A


def _direction(tag: Tag, x: Sequence[float] | np.ndarray, word: str) -> float:
    length = float(np.linalg.norm(x))
    if length == 0:
        tag.fail(f"{word!r} of <{tag.name}> has no length: it is no direction", "give at least one component")
    return length


def from_z(v: np.ndarray) -> np.ndarray:
    """The least rotation that turns z into a direction."""
    n = v / np.linalg.norm(v)
    axis = np.cross((0.0, 0.0, 1.0), n)
    s = float(np.linalg.norm(axis))
    if s < 1e-10:
        return np.eye(3) if n[2] > 0 else turn((1.0, 0.0, 0.0), pi)
    return turn(axis, float(np.arctan2(s, n[2])))
