"""Inertia that no rigid body can have, as many files do: a negative principal moment, by rounding or by mistake.

Links that are welded together move as one body, and only the sum of their inertia matters. So the negative part of one link
is given to the heaviest link of its group: the motion is that of the file. Of a group welded to the ground none matters.
"""

from __future__ import annotations

import numpy as np

from linkwright import linear
from linkwright.exchange.places import HERE, Place
from linkwright.exchange.urdf import Link, Robot

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
