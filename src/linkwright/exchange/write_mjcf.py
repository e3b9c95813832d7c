"""A model as MJCF. What MJCF cannot say is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from linkwright import model as lw
from linkwright.atomic import write_text
from linkwright.exchange.places import Place, along
from linkwright.exchange.write_actuators import Actuators
from linkwright.exchange.write_tree import Link, Tree
from linkwright.exchange.write_urdf import floats
from linkwright.model.shapes import read_shapes

_TYPES = {lw.Revolute: "hinge", lw.Translational: "slide", lw.Spherical: "ball"}


def write_mjcf(model: lw.Model, path: Path) -> None:
    """The pose of the file is that in which the machine is assembled."""
    write_text(path, _Writer(Tree(model, "MJCF")).text())


class _Writer:
    def __init__(self, tree: Tree) -> None:
        self.tree, self.value = tree, tree.model.value
        self.actuators = Actuators(tree)
        self.meshes: list[str] = []

    def text(self) -> str:
        model = self.tree.model
        bodies = self._bodies(model.ground.name, "    ")
        world = "".join(f"    {g}\n" for g in self._geoms(model.ground))
        ties = [*map(self._loop, self.tree.loops), *map(self._tie, self.tree.ties)]
        assets = f"  <asset>\n{chr(10).join(self.meshes)}\n  </asset>\n" if self.meshes else ""
        equality = f"  <equality>\n{chr(10).join(ties)}\n  </equality>\n" if ties else ""
        return (
            f'<mujoco model={quoteattr(model.name)}>\n  <compiler angle="radian" autolimits="true"/>\n'
            f'  <option gravity="{floats([self.value(g) for g in model.gravity])}"/>\n{assets}'
            f"  <worldbody>\n{world}{bodies}  </worldbody>\n{equality}{self.actuators.text()}</mujoco>\n"
        )

    def _bodies(self, parent: str, indent: str) -> str:
        out = ""
        for link in self.tree.links.values():
            if link.parent != parent:
                continue
            body, place = link.body, self._pose(link)
            J = body.inertia_matrix()
            full = floats([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
            com, mass = floats([self.value(x) for x in body.com]), floats([self.value(body.mass)])
            rows = [self._joint(link), f'<inertial pos="{com}" mass="{mass}" fullinertia="{full}"/>', *self._geoms(body)]
            inner = "".join(f"{indent}  {row}\n" for row in rows if row)
            more = f' gravcomp="{self.tree.lifted[body.name]!r}"' if body.name in self.tree.lifted else ""
            at = f'pos="{floats(place.r)}" quat="{floats(place.orientation)}"'
            head = f"{indent}<body name={quoteattr(body.name)} {at}{more}>\n"
            out += head + inner + self._bodies(body.name, indent + "  ") + f"{indent}</body>\n"
        return out

    def _pose(self, link: Link) -> Place:
        """Of the body in the one below, at the joint's present value."""
        if link.joint is None:
            return link.place
        if isinstance(link.joint, lw.Spherical):
            return self.tree.body_place(self.tree.model.bodies[link.parent]).inverse() @ link.place
        return link.moved

    def _joint(self, link: Link) -> str:
        joint, more = link.joint, link.more
        if joint is None:
            return "<freejoint/>"
        if isinstance(joint, lw.Fixed):
            return ""
        if type(joint) not in _TYPES:
            raise self.tree.refuse(joint)
        words = {"name": joint.name, "type": _TYPES[type(joint)], "pos": floats(link.end.r)}
        if not isinstance(joint, lw.Spherical):
            words |= {"axis": floats(link.axis), "ref": repr(link.value)}
        elif more.get("stiffness") or more.get("armature") or "lower" in more:
            raise self.tree.refuse(joint, "of a ball joint MJCF carries damping only")
        if "lower" in more:
            words["range"] = floats([more["lower"], more["upper"]])
        if joint.name in self.actuators.ranges:
            words["actuatorfrcrange"] = floats(self.actuators.ranges[joint.name])
        for word in ("damping", "friction", "armature", "stiffness", "springref"):
            if more.get(word):
                words["frictionloss" if word == "friction" else word] = repr(float(more[word]))
        return "<joint " + " ".join(f"{k}={quoteattr(v)}" for k, v in words.items()) + "/>"

    def _geoms(self, body: lw.Body) -> list[str]:
        out = []
        for shape in read_shapes(body.shape, 3, self.value):
            kind, size = shape["kind"], shape["size"]
            at = Place(np.array(shape["at"]), np.eye(3) if kind == "mesh" else along(shape["axis"]))
            if kind == "mesh":
                name = f"mesh {len(self.meshes) + 1}"
                face = " ".join(str(i) for f in size["faces"] for i in f)
                self.meshes.append(f'    <mesh name="{name}" vertex="{floats(size["vertices"])}" face="{face}"/>')
                text = f'type="mesh" mesh="{name}"'
            else:
                sizes = [size[0], size[1] / 2] if kind == "cylinder" else [x / 2 for x in size] if kind == "box" else size
                text = f'type="{kind}" size="{floats(sizes)}"'
            place = f'pos="{floats(at.r)}" quat="{floats(at.orientation)}"'
            out.append(f'<geom {text} {place} mass="0" contype="0" conaffinity="0"/>')
        return out

    def _world(self, name: str) -> str:
        return "world" if name == self.tree.model.ground.name else name

    def _loop(self, e: Any) -> str:
        a, b = (quoteattr(self._world(P.body.name)) for P in (e.P, e.Q))
        P, Q = self.tree.frame(e.P), self.tree.frame(e.Q)
        if isinstance(e, lw.Spherical):
            return f'    <connect name={quoteattr(e.name)} body1={a} body2={b} anchor="{floats(P.r)}"/>'
        if isinstance(e, lw.Fixed):
            pose = P @ Q.inverse()
            relative = floats([*pose.r, *pose.orientation])
            return f'    <weld name={quoteattr(e.name)} body1={a} body2={b} relpose="{relative}"/>'
        raise self.tree.refuse(e, "it closes a loop, which MJCF does by balls and welds only")

    def _tie(self, e: Any) -> str:
        if not isinstance(e, lw.Coupler) or len(e.terms) != 2 or e.value is None:
            raise self.tree.refuse(e)
        (y, f), (x, g) = ((self.tree.joint_of(e, q), self.value(c)) for q, c in e.terms)
        a1 = -g / f
        a0 = self.value(e.value) / f + a1 * x.value - y.value
        return (
            f"    <joint name={quoteattr(e.name)} joint1={quoteattr(y.joint.name)} joint2={quoteattr(x.joint.name)} "
            f'polycoef="{floats([a0, a1, 0, 0, 0])}"/>'
        )
