"""Partial velocities of a spanning tree: v = R u, with one speed u for each freedom of each joint of the tree.

A joint k lets the bodies above it turn about axes through its point and slide along directions: of each body b above it

    omega_b gets  S_omega u,        rdot_b gets  (S_omega u) x (r_b - P_k) + S_v u.

R satisfies the equations of the tree's joints identically. Kane's equations are those of motion projected on it; what
closes loops stays as constraints on u.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import model as m
from linkwright.equations import plane
from linkwright.equations.rotations import cross, dot
from linkwright.graph import Scalar
from linkwright.system.quantities import ends
from linkwright.system.spanning_tree import Spanning, spanning_tree
from linkwright.system.system import System

Twist = tuple[Any, Any]  # (S_omega, S_v): an axis and a direction, global; in the plane a number and a pair


@dataclass(frozen=True, eq=False)
class PartialVelocities:
    """``R`` by rows as v, by columns as ``names``; ``u``: the speeds of a velocity that the joints allow."""

    R: np.ndarray
    u: list[Scalar]
    names: list[str]
    spanning: Spanning


def partial_velocities(system: System, spanning: Spanning | None = None) -> PartialVelocities:
    spanning = spanning or spanning_tree(system.model)
    order = [b.name for b in spanning.bodies]
    slices = system.coordinates.body_slices()
    above = _above(spanning.tree.parent)
    columns: list[np.ndarray] = []
    speeds: list[Scalar] = []
    for k, joint in enumerate(spanning.joints):
        freedoms, P, u = _joint(system, spanning, k, joint)
        speeds += u
        for twist in freedoms:
            column = np.zeros(system.nv, dtype=object)
            for b in above[k]:
                column[slices[order[b]][1]] = _on_body(system, order[b], twist, P)
            columns.append(column)
    R = np.column_stack(columns) if columns else np.zeros((system.nv, 0), dtype=object)
    for k in range(len(system.coordinates.extra)):  # a curve's parameter is a speed of its own
        unit = np.zeros((system.nv, 1), dtype=object)
        unit[system.nv - len(system.coordinates.extra) + k, 0] = 1.0
        R = np.hstack([R, unit])
        speeds.append(system.coordinates.v[system.nv - len(system.coordinates.extra) + k])
    return PartialVelocities(R, speeds, [*spanning.names, *system.coordinates.extra], spanning)


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


def _joint(system: System, spanning: Spanning, k: int, name: str) -> tuple[list[Twist], np.ndarray, list[Scalar]]:
    """Its freedoms as twists, the point they are about, and their speeds at the velocity v."""
    body = spanning.bodies[k].name
    v = system.coordinates.v[system.coordinates.body_slices()[body][1]]
    pose = system.coordinates.poses[body]
    if not name:  # free
        P = np.array(pose.r, dtype=object)
        if system.model.dimension == 2:
            slides = [(0.0, plane.vector((1.0, 0.0))), (0.0, plane.vector((0.0, 1.0))), (1.0, plane.vector((0.0, 0.0)))]
            return slides, P, list(v)
        still = np.zeros(3)
        return [(still, e) for e in np.eye(3)] + [(pose.A[:, i], still) for i in range(3)], P, list(v)
    element: Any = system.model.elements[name]
    first, second = ends(element)
    parent, child = (second, first) if first.body.name == body else (first, second)
    return (_planar if system.model.dimension == 2 else _spatial)(system, element, parent, child)


def _velocity(system: System, P: m.Point) -> tuple[np.ndarray, Any]:
    """Velocity of a point and angular velocity (global) of its body."""
    if P.body.is_ground:
        return np.zeros(system.model.dimension), (0.0 if system.model.dimension == 2 else np.zeros(3))
    v = system.coordinates.v[system.coordinates.body_slices()[P.body.name][1]]
    pose = system.coordinates.poses[P.body.name]
    s = pose.vector(P.s)
    if system.model.dimension == 2:
        return v[:2] + v[2] * plane.rotate90(s), v[2]
    omega = pose.A @ v[3:]
    return v[:3] + cross(omega, s), omega


def _planar(system: System, e: Any, parent: m.Point, child: m.Point) -> tuple[list[Twist], np.ndarray, list[Scalar]]:
    g = system.geometry
    (v_i, w_i), (v_j, w_j) = _velocity(system, parent), _velocity(system, child)
    P = g.point(child)
    none = plane.vector((0.0, 0.0))
    if isinstance(e, m.Revolute):
        return [(1.0, none)], P, [w_j - w_i]
    if isinstance(e, m.Translational):
        line = g.direction(parent)
        return [(0.0, line)], P, [plane.dot(line, v_j - v_i - w_i * plane.rotate90(P - g.point(parent)))]
    return [], P, []  # fixed


def _spatial(system: System, e: Any, parent: m.Point, child: m.Point) -> tuple[list[Twist], np.ndarray, list[Scalar]]:
    g = system.geometry
    i, j = g.frame(parent), g.frame(child)
    (v_i, w_i), (v_j, w_j) = _velocity(system, parent), _velocity(system, child)
    P, none = j.origin, np.zeros(3)
    omega = w_j - w_i
    slip = v_j - v_i - cross(w_i, j.origin - i.origin)  # of the child's point, seen from the parent
    turn, slide = (i.h, none), (none, i.h)
    if isinstance(e, m.Revolute):
        return [turn], P, [dot(i.h, omega)]
    if isinstance(e, m.Translational):
        return [slide], P, [dot(i.h, slip)]
    if isinstance(e, m.Cylindrical):
        return [turn, slide], P, [dot(i.h, omega), dot(i.h, slip)]
    if isinstance(e, m.Screw):
        return [(i.h, e.pitch * i.h)], P, [dot(i.h, omega)]
    if isinstance(e, m.Universal):
        return [turn, (j.h, none)], P, [dot(i.h, omega), dot(j.h, omega)]
    if isinstance(e, m.Spherical):
        A = system.coordinates.poses[child.body.name].A if not child.body.is_ground else np.eye(3)
        return [(A[:, k], none) for k in range(3)], P, list(A.T @ omega)
    if isinstance(e, m.Planar):
        return [(none, i.f), (none, i.g), turn], P, [dot(i.f, slip), dot(i.g, slip), dot(i.h, omega)]
    return [], P, []  # fixed
