"""Geoms of MJCF: the mass that they have, and what is drawn of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.equations import solids
from linkwright.equations.inertia import MassProperties
from linkwright.equations.meshes import mesh as solid_mesh
from linkwright.errors import ModelError
from linkwright.exchange import pictures
from linkwright.exchange.maker import at as place_of
from linkwright.exchange.mjcf import Mjcf, from_z
from linkwright.exchange.mjcf_expand import asset_name
from linkwright.exchange.places import Place, quaternion
from linkwright.exchange.xml import Tag
from linkwright.mesh_files import Mesh, read_mesh
from linkwright.model.files import FileError
from linkwright.words import an, suggestion

KINDS = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
MASSLESS = ("plane", "hfield")
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}


@dataclass(frozen=True, eq=False)
class Geom:
    """A geom in the frame of its body. `mesh`: its triangles, in its own frame."""

    tag: Tag
    kind: str
    size: list[float]
    at: Place
    mesh: Mesh | None = None
    lacks: str = ""  # why it has no triangles

    @property
    def group(self) -> float:
        return self.tag.number("group", 0.0)

    def solid(self) -> MassProperties | None:
        """Mass, centre and inertia in the frame of the body; None without any."""
        mass = self.tag.number("mass", -1.0)
        density = self.tag.number("density", 1000.0)
        if self.kind in MASSLESS or mass == 0 or (mass < 0 and density == 0):
            return None
        if self.tag.get("shellinertia", "false") == "true":
            self.tag.fail("the mass of shells (shellinertia) is not read", "give <inertial> of the body")
        if self.kind == "sdf" or (self.kind == "mesh" and self.mesh is None):
            why = f"mesh {self.tag.get('mesh')!r}: {self.lacks}" if self.lacks else "it has none of its own"
            self.tag.fail(f"the mass of this {self.kind} is not to be had ({why})", "give <inertial>, or the missing file")
        of: dict[str, Any] = {"mass": mass} if mass > 0 else {"density": density}
        with place_of(self.tag):
            return moved(self._own(of), self.at)

    def _own(self, of: dict[str, Any]) -> MassProperties:
        s = self.size
        if self.kind == "sphere":
            return solids.sphere(s[0], **of)
        if self.kind == "box":
            return solids.box(2 * s[0], 2 * s[1], 2 * s[2], **of)
        if self.kind == "cylinder":
            return solids.cylinder(s[0], 2 * s[1], **of)
        if self.kind == "ellipsoid":
            m = of.get("mass") or of["density"] * 4 / 3 * np.pi * s[0] * s[1] * s[2]
            a, b, c = (x * x for x in s)
            return MassProperties(m, np.zeros(3), m / 5 * np.diag([b + c, a + c, a + b]))
        if self.kind == "capsule":
            return _capsule(s[0], 2 * s[1], of)
        assert self.mesh is not None
        return _meshed(self.tag, self.mesh, of)

    def drawn(self) -> list[dict[str, Any]]:
        s = self.size
        if self.kind == "sphere":
            return [pictures.sphere(s[0], self.at)]
        if self.kind == "box":
            return [pictures.box([2 * x for x in s], self.at)]
        if self.kind == "cylinder":
            return [pictures.cylinder(s[0], 2 * s[1], self.at)]
        if self.kind == "capsule":
            return pictures.capsule(s[0], 2 * s[1], self.at)
        if self.kind == "ellipsoid":
            return [pictures.ellipsoid(s, self.at)]
        return [] if self.mesh is None else [pictures.drawn(self.mesh, self.at)]


def moved(solid: MassProperties, at: Place) -> MassProperties:
    """In the frame that it is placed in."""
    return MassProperties(solid.mass, at.r + at.A @ solid.com, at.A @ solid.inertia @ at.A.T)


def together(parts: list[MassProperties]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, mass centre, inertia about it."""
    mass = float(sum(float(p.mass) for p in parts))
    if mass == 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    com = sum(float(p.mass) * np.asarray(p.com, dtype=float) for p in parts) / mass
    J = np.zeros((3, 3))
    for p in parts:
        d = np.asarray(p.com, dtype=float) - com
        J = J + np.asarray(p.inertia, dtype=float) + float(p.mass) * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, np.asarray(com), J


def _capsule(radius: float, length: float, of: dict[str, Any]) -> MassProperties:
    """A cylinder and two halves of a ball, of one density."""
    rod, ball = np.pi * radius**2 * length, 4 / 3 * np.pi * radius**3
    m = of.get("mass") or of["density"] * (rod + ball)
    rod, ball = m * rod / (rod + ball), m * ball / (rod + ball)
    along = rod * radius**2 / 2 + ball * 0.4 * radius**2
    across = rod * (3 * radius**2 + length**2) / 12 + ball * (0.4 * radius**2 + length**2 / 4 + 3 / 8 * length * radius)
    return MassProperties(m, np.zeros(3), np.diag([across, across, along]))


def _meshed(tag: Tag, mesh: Mesh, of: dict[str, Any]) -> MassProperties:
    """The solid, its convex hull, or MuJoCo's sum without signs ("legacy", its default), as the file asks."""
    way = tag.get("inertia of mesh", "legacy")
    if way == "exact":
        return solid_mesh(*mesh, **of)
    if way == "convex":
        return solid_mesh(*hull(mesh[0]), **of)
    if way == "shell":
        raise ModelError("the mass of shells is not read", remedy="give <inertial> of the body")
    return _legacy(*mesh, of)


def hull(vertices: np.ndarray) -> Mesh:
    """The convex hull, its triangles seen from outside."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        T = ConvexHull(vertices).simplices
    except (QhullError, ValueError) as error:
        raise ModelError("its mesh is flat: it encloses no volume", remedy="give <inertial> of the body") from error
    a, b, c = (vertices[T[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - vertices.mean(axis=0)) < 0
    return vertices, np.where(inward[:, None], T[:, ::-1], T)


def _legacy(vertices: np.ndarray, faces: np.ndarray, of: dict[str, Any]) -> MassProperties:
    """Tetrahedra over all faces count as positive, first from the middle of the surface, then from the centre that gives."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normal, middle = np.cross(b - a, c - a), (a + b + c) / 3
    area = np.linalg.norm(normal, axis=1) / 2
    inside = (area[:, None] * middle).sum(axis=0) / area.sum()
    V = np.abs(np.einsum("ij,ij->i", middle - inside, normal)) / 6
    if V.sum() <= 0:
        raise ModelError("its mesh encloses no volume", remedy="give <inertial> of the body")
    com = (V[:, None] * (0.75 * middle + 0.25 * inside)).sum(axis=0) / V.sum()
    a, b, c = a - com, b - com, c - com
    V = np.abs(np.einsum("ij,ij->i", middle - com, normal)) / 6
    second = sum(np.einsum("i,ij,ik->jk", V, u, u) for u in (a, b, c, a + b + c)) / 20
    m = of.get("mass") or of["density"] * V.sum()
    second = second / V.sum()
    return MassProperties(m, com, m * (np.trace(second) * np.eye(3) - second))


def _triples(asset: Tag, word: str) -> np.ndarray:
    found = asset.numbers(word, None)
    if len(found) % 3:
        asset.fail(f"{word!r} of <mesh> has {len(found)} numbers, which are no triples", "give three for each")
    return np.array(found).reshape(-1, 3)


class Geoms:
    """Reads the geoms of one file; meshes once each."""

    def __init__(self, file: Mjcf) -> None:
        self.file = file
        self.assets = {asset_name(tag): tag for tag in file.section("asset") if tag.name == "mesh"}
        self.read: dict[str, Mesh | None] = {}
        self.unread: dict[str, str] = {}

    def geom(self, tag: Tag, frame: Place) -> Geom:
        kind = tag.choice("type", KINDS, "mesh" if "mesh" in tag.attributes else "sphere")
        at, size = self.file.place(tag), tag.numbers("size", None, ())
        mesh = None
        if "mesh" in tag.attributes:
            mesh = self.mesh(tag, tag.get("mesh"))
            if kind != "mesh":
                tag.fail(f"{an(kind)} that is fitted to a mesh is not read", "give its size, or type mesh")
            asset = self.assets[tag.get("mesh")]
            tag.attributes["inertia of mesh"] = self.file.resolved(asset).get("inertia", "legacy")
        elif "fromto" in tag.attributes:
            ends = np.array(tag.numbers("fromto", 6))
            along = ends[:3] - ends[3:]
            length = float(np.linalg.norm(along))
            if length == 0 or kind not in ("capsule", "cylinder", "box", "ellipsoid"):
                tag.fail(
                    f"'fromto' makes no {kind} here",
                    "give two different points, and type capsule, cylinder, box or ellipsoid",
                )
            at = Place((ends[:3] + ends[3:]) / 2, from_z(along))
            flat = kind in ("box", "ellipsoid")
            size = [*(size[:2] if flat and len(size) > 1 else size[:1] * (2 if flat else 1)), length / 2]
        if kind in SIZES and (len(size) < SIZES[kind] or min(size[: SIZES[kind]]) <= 0):
            tag.fail(f"{an(kind)} has {SIZES[kind]} positive sizes", "half lengths and radii, parted by blanks")
        return Geom(tag, kind, size, frame @ at, mesh, self.unread.get(tag.get("mesh"), ""))

    def mesh(self, tag: Tag, name: str) -> Mesh | None:
        """The triangles of an asset; None where they are not to be had."""
        if name not in self.assets:
            tag.fail(f"there is no mesh {name!r}", suggestion(name, self.assets))
        if name not in self.read:
            asset = self.file.resolved(self.assets[name])
            try:
                self.read[name] = self._mesh(asset)
            except LookupError as why:
                self.read[name], self.unread[name] = None, f"its file {asset.get('file')!r} is {why}"
            except FileError:  # it is this file that is wrong
                raise
            except ModelError as error:
                self.read[name], self.unread[name] = None, error.cause
        return self.read[name]

    def _mesh(self, asset: Tag) -> Mesh:
        if "vertex" in asset.attributes:
            vertices = _triples(asset, "vertex")
            if "face" not in asset.attributes:
                vertices, faces = hull(vertices)
            else:
                faces = _triples(asset, "face").astype(int)
                if faces.min() < 0 or faces.max() >= len(vertices):
                    wrong = faces[(faces < 0) | (faces >= len(vertices))][0]
                    asset.fail(f"'face' of <mesh> names the vertex {wrong}", f"there are {len(vertices)}, from 0 on")
        else:
            name = asset.word("file").replace("\\", "/")
            if self.file.compiler.strippath:
                name = name.rpartition("/")[2]
            folder = self.file.compiler.meshdir.rstrip("/")
            vertices, faces = read_mesh(self.file.folders.find(f"{folder}/{name}" if folder else name))
        vertices = np.asarray(vertices, dtype=np.float32).astype(float)  # MuJoCo has meshes in single precision
        vertices = (vertices - asset.numbers("refpos", 3, (0, 0, 0))) @ quaternion(asset.numbers("refquat", 4, (1, 0, 0, 0)))
        return vertices * np.array(asset.numbers("scale", 3, (1, 1, 1))), faces
