"""A model as URDF. What URDF cannot say is refused by name."""

from __future__ import annotations

from math import asin, atan2, pi
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from linkwright import model as lw
from linkwright.atomic import write_text
from linkwright.errors import ModelError
from linkwright.exchange.places import HERE, Place, along
from linkwright.exchange.write_tree import Link, Tree
from linkwright.model.shapes import read_shapes

GRAVITY = (0.0, 0.0, -9.81)


def write_urdf(model: lw.Model, path: Path) -> None:
    """Meshes become OBJ files beside it."""
    tree = Tree(model, "URDF")
    if tuple(model.value(g) for g in model.gravity) != GRAVITY:
        raise ModelError("URDF has no gravity: readers take (0, 0, -9.81)", element="gravity", remedy="write MJCF or YAML")
    for e in tree.loops:
        raise tree.refuse(e, "it closes a loop, and a URDF is a tree")
    writer = _Writer(tree, path)
    write_text(path, writer.text())


def floats(values: Any) -> str:
    return " ".join(repr(float(x)) if x else "0" for x in np.asarray(values, dtype=float).reshape(-1))


def rpy(A: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch, yaw about fixed axes; at a pitch of 90 degrees the yaw is zero."""
    sine = float(np.clip(-A[2, 0], -1.0, 1.0))
    if abs(sine) > 1 - 1e-12:
        return atan2(-A[1, 2], A[1, 1]), pi / 2 if sine > 0 else -pi / 2, 0.0
    return atan2(A[2, 1], A[2, 2]), asin(sine), atan2(A[1, 0], A[0, 0])


def origin(at: Place) -> str:
    return f'<origin xyz="{floats(at.r)}" rpy="{floats(rpy(at.A))}"/>'


class _Writer:
    def __init__(self, tree: Tree, path: Path) -> None:
        self.tree, self.path = tree, path
        self.mimics = self._mimics()

    def text(self) -> str:
        tree, rows = self.tree, []
        ground = tree.model.ground.name
        first = [x for x in tree.links.values() if x.parent == ground]
        alone = len(first) == 1 and (
            first[0].joint is None or (isinstance(first[0].joint, lw.Fixed) and _is_here(first[0].origin))
        )
        if not alone:
            rows.append('  <link name="world"/>')
        for link in tree.links.values():
            rows.append(self._link(link.body))
            if not (alone and link.parent == ground):
                rows.append(self._joint(link))
        return f"<robot name={quoteattr(tree.model.name)}>\n" + "\n".join(rows) + "\n</robot>\n"

    def _link(self, body: lw.Body) -> str:
        value, J = self.tree.model.value, body.inertia_matrix()
        entries = {"ixx": J[0, 0], "iyy": J[1, 1], "izz": J[2, 2], "ixy": J[0, 1], "ixz": J[0, 2], "iyz": J[1, 2]}
        words = " ".join(f'{word}="{floats([x])}"' for word, x in entries.items())
        com = floats([value(x) for x in body.com])
        mass = f'<mass value="{floats([value(body.mass)])}"/>'
        inertial = f'    <inertial><origin xyz="{com}"/>{mass}<inertia {words}/></inertial>\n'
        return f"  <link name={quoteattr(body.name)}>\n{inertial}{self._visuals(body)}  </link>"

    def _visuals(self, body: lw.Body) -> str:
        out = ""
        for k, shape in enumerate(read_shapes(body.shape, 3, self.tree.model.value)):
            kind, size = shape["kind"], shape["size"]
            at = Place(np.array(shape["at"]), np.eye(3) if kind == "mesh" else along(shape["axis"]))
            if kind == "mesh":
                name = f"{self.path.stem}-{body.name}-{k}.obj".replace("/", "_").replace(" ", "_")
                vertices = "".join(f"v {floats(v)}\n" for v in size["vertices"])
                write_text(
                    self.path.with_name(name),
                    vertices + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in size["faces"]),
                )
                text = f"<mesh filename={quoteattr(name)}/>"
            elif kind == "cylinder":
                text = f'<cylinder radius="{size[0]!r}" length="{size[1]!r}"/>'
            else:
                text = f'<box size="{floats(size)}"/>' if kind == "box" else f'<sphere radius="{size[0]!r}"/>'
            out += f"    <visual>{origin(at)}<geometry>{text}</geometry></visual>\n"
        return out

    def _joint(self, link: Link) -> str:
        joint, ground = link.joint, self.tree.model.ground.name
        parent = "world" if link.parent == ground else link.parent
        ends = f"<parent link={quoteattr(parent)}/><child link={{child}}/>"
        child, more = quoteattr(link.body.name), link.more
        if joint is None:
            return f'  <joint name={quoteattr(link.body.name + " free")} type="floating">{ends.format(child=child)}</joint>'
        if isinstance(joint, lw.Spherical):
            raise self.tree.refuse(joint)
        for word in ("stiffness", "armature"):
            if more.get(word):
                raise self.tree.refuse(joint, f"URDF has no {word} of joints")
        kind = {lw.Revolute: "continuous", lw.Translational: "prismatic", lw.Fixed: "fixed", lw.Planar: "planar"}[
            type(joint)
        ]
        kind = "revolute" if kind == "continuous" and "lower" in more else kind
        body = f'<axis xyz="{floats(link.axis)}"/>' if kind != "fixed" else ""
        if "lower" in more:
            body += f'<limit lower="{more["lower"]!r}" upper="{more["upper"]!r}" effort="0" velocity="0"/>'
        if more.get("damping") or more.get("friction"):
            body += f'<dynamics damping="{more.get("damping", 0.0)!r}" friction="{more.get("friction", 0.0)!r}"/>'
        body += self.mimics.get(joint.name, "")
        off = np.cross(link.end.r, link.end.A[:, 2])
        head = f'  <joint name={quoteattr(joint.name)} type="{kind}">'
        if kind not in ("revolute", "continuous", "planar") or not np.abs(off).max() > 1e-12:
            return f"{head}{origin(link.origin)}{ends.format(child=child)}{body}</joint>"
        # the axis does not go through the link's origin: a link without mass lies on it
        between = quoteattr(f"{link.body.name} at {joint.name}")
        axis = f'<axis xyz="{floats([0, 0, link.sign])}"/>' + body.partition("/>")[2]
        return (
            f"  <link name={between}/>\n{head}{origin(link.start)}{ends.format(child=between)}{axis}</joint>\n"
            f'  <joint name={quoteattr(link.body.name + " weld")} type="fixed">{origin(link.end.inverse())}'
            f"<parent link={between}/><child link={child}/></joint>"
        )

    def _mimics(self) -> dict[str, str]:
        out: dict[str, str] = {}
        for e in self.tree.ties:
            if not isinstance(e, lw.Coupler) or len(e.terms) != 2 or e.value is None:
                raise self.tree.refuse(e)
            (own, f), (other, g) = ((self.tree.joint_of(e, q).joint.name, self.tree.model.value(x)) for q, x in e.terms)
            if own in out:
                raise self.tree.refuse(e, f"the joint {own!r} follows another one already")
            offset = self.tree.model.value(e.value) / f
            out[own] = f'<mimic joint={quoteattr(other)} multiplier="{-g / f!r}" offset="{offset!r}"/>'
        return out


def _is_here(at: Place) -> bool:
    return bool(np.allclose(at.r, HERE.r, rtol=0, atol=1e-15) and np.allclose(at.A, HERE.A, rtol=0, atol=1e-15))
