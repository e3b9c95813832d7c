"""Partial velocities of a spanning tree: v = R u, with one speed u for each freedom of each joint of the tree.

A joint k lets the bodies above it turn about axes through its point and slide along directions: of each body b above it

    omega_b gets  S_omega u,        rdot_b gets  (S_omega u) x (r_b - P_k) + S_v u.

R satisfies the equations of the tree's joints identically. Kane's equations are those of motion projected on it; what
closes loops stays as constraints on u.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright import model as m
from linkwright.equations import plane
from linkwright.equations.rotations import cross
from linkwright.system.quantities import ends
from linkwright.system.spanning_tree import Spanning
from linkwright.system.system import System

Twist = tuple[Any, Any]  # (S_omega, S_v): an axis and a direction, global; in the plane a number and a pair


def partial_velocities(system: System, spanning: Spanning) -> np.ndarray:
    """R: rows as v, a column for each speed of `spanning.names`, then for each curve's parameter."""
    order = [b.name for b in spanning.bodies]
    slices = system.coordinates.body_slices()
    above = _above(spanning.tree.parent)
    columns: list[np.ndarray] = []
    for k, joint in enumerate(spanning.joints):
        freedoms, P = _joint(system, spanning, k, joint)
        for twist in freedoms:
            column = np.zeros(system.nv, dtype=object)
            for b in above[k]:
                column[slices[order[b]][1]] = _on_body(system, order[b], twist, P)
            columns.append(column)
    for k in range(system.nv - len(system.coordinates.extra), system.nv):  # a curve's parameter is a speed of its own
        column = np.zeros(system.nv, dtype=object)
        column[k] = 1.0
        columns.append(column)
    return np.column_stack(columns) if columns else np.zeros((system.nv, 0), dtype=object)


def _above(parent: Sequence[int]) -> list[list[int]]:
    """For each body: itself and all that it carries."""
    out: list[list[int]] = [[k] for k in range(len(parent))]
    for k in reversed(range(len(parent))):
        if parent[k] >= 0:
            out[parent[k]] += out[k]
    return out


def _on_body(system: System, name: str, twist: Twist, P: np.ndarray) -> np.ndarray:
    """What a unit speed of a joint at P gives to (rdot, omega) of a body above it."""
    pose = system.coordinates.poses[name]
    omega, slide = twist
    arm = np.array(pose.r, dtype=object) - P
    if system.model.dimension == 2:
        return np.array([*(omega * plane.rotate90(arm) + slide), omega], dtype=object)
    return np.array([*(cross(omega, arm) + slide), *(pose.A.T @ omega)], dtype=object)


def _joint(system: System, spanning: Spanning, k: int, name: str) -> tuple[list[Twist], np.ndarray]:
    """Its freedoms as twists, and the point they are about."""
    body = spanning.bodies[k].name
    pose = system.coordinates.poses[body]
    if not name:  # free
        P = np.array(pose.r, dtype=object)
        if system.model.dimension == 2:
            slides = [(0.0, plane.vector((1.0, 0.0))), (0.0, plane.vector((0.0, 1.0))), (1.0, plane.vector((0.0, 0.0)))]
            return slides, P
        still = np.zeros(3)
        return [(still, e) for e in np.eye(3)] + [(pose.A[:, i], still) for i in range(3)], P
    element: Any = system.model.elements[name]
    first, second = ends(element)
    parent, child = (second, first) if first.body.name == body else (first, second)
    return (_planar if system.model.dimension == 2 else _spatial)(system, element, parent, child)


def _planar(system: System, e: Any, parent: m.Point, child: m.Point) -> tuple[list[Twist], np.ndarray]:
    g = system.geometry
    P = g.point(child)
    if isinstance(e, m.Revolute):
        return [(1.0, plane.vector((0.0, 0.0)))], P
    if isinstance(e, m.Translational):
        return [(0.0, g.direction(parent))], P
    return [], P  # fixed


def _spatial(system: System, e: Any, parent: m.Point, child: m.Point) -> tuple[list[Twist], np.ndarray]:
    i, j = system.geometry.frame(parent), system.geometry.frame(child)
    P, none = j.origin, np.zeros(3)
    turn, slide = (i.h, none), (none, i.h)
    if isinstance(e, m.Revolute):
        return [turn], P
    if isinstance(e, m.Translational):
        return [slide], P
    if isinstance(e, m.Cylindrical):
        return [turn, slide], P
    if isinstance(e, m.Screw):
        return [(i.h, e.pitch * i.h)], P
    if isinstance(e, m.Universal):
        return [turn, (j.h, none)], P
    if isinstance(e, m.Spherical):
        A = system.coordinates.poses[child.body.name].A
        return [(A[:, k], none) for k in range(3)], P
    if isinstance(e, m.Planar):
        return [(none, i.f), (none, i.g), turn], P
    return [], P  # fixed
