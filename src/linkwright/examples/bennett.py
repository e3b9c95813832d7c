"""Bennett's linkage: four hinges in space that should lock, and move all the same.

Opposite links are alike, and lengths are to each other as the sines of the twists: a/sin(alpha) = b/sin(beta). Counting
gives minus two degrees of freedom; three of its twenty equations repeat others.
"""

from math import cos, sin
from typing import Any

import numpy as np

import linkwright as lw

LENGTH, ALPHA, BETA = 1.0, 1.05, 1.5  # of the first link; twists
LENGTHS = (LENGTH, LENGTH * sin(BETA) / sin(ALPHA))
START = 1.2  # angle of the first hinge


def second(angle: Any) -> Any:
    """The angle of the second hinge: the product of the half angles' tangents is constant."""
    return 2 * np.arctan(sin((BETA + ALPHA) / 2) / sin((BETA - ALPHA) / 2) / np.tan(angle / 2))


def along(length: float, twist: float) -> np.ndarray:
    """From one hinge of a link to the next, 4 x 4."""
    c, s = cos(twist), sin(twist)
    return np.array([[1, 0, 0, length], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


def about(angle: float) -> np.ndarray:
    c, s = cos(angle), sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("Bennett's linkage")
    turn = float(second(START))
    angles = (START, turn, -START)
    shape = [along(LENGTHS[k % 2], (ALPHA, BETA)[k % 2]) for k in range(3)]
    place, end = np.eye(4), m.ground.at(0, 0, 0)
    for k in range(3):
        place = place @ about(angles[k])
        bar = {"cylinder": (0.03, LENGTHS[k % 2]), "at": (LENGTHS[k % 2] / 2, 0, 0), "axis": (1, 0, 0)}
        link = m.body(f"link {k + 1}", position=place[:3, 3], orientation=place[:3, :3], shape=bar)
        m.add(lw.Revolute(f"hinge {k + 1}", end, link.at(0, 0, 0)))
        end = link.frame(*_axes(shape[k]))
        place = place @ shape[k]
    back = along(-LENGTHS[1], -BETA)  # from the fourth hinge to the first: the way along the fourth link, undone
    m.add(lw.Revolute("hinge 4", end, m.ground.frame(*_axes(back))))
    m.add(lw.Driver("motor", m["hinge 1"].angle, f"{START} + 2*pi*t"))
    return m


def _axes(frame: np.ndarray) -> list[np.ndarray]:
    """Origin, a point on z and one on x."""
    return [frame[:3, 3], frame[:3, 3] + frame[:3, 2], frame[:3, 3] + frame[:3, 0]]
