"""The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007): four bodies, three hinges, two wheels that roll.

At 5 m/s it is stable by itself: after a push that makes it lean it steers into the fall and runs on, upright.
"""

from typing import Any

import linkwright as lw

Place = tuple[float, float, float]


def tube(radius: float, length: float, at: Place, axis: Place) -> dict[str, Any]:
    return {"cylinder": (radius, length), "at": at, "axis": axis}


def tubes(radius: float, length: float, at: Place, axis: Place) -> list[dict[str, Any]]:
    """One on the right and one on the left."""
    (x, y, z), (a, b, c) = at, axis
    return [tube(radius, length, (x, -y, z), (a, -b, c)), tube(radius, length, at, axis)]


FRAME = [
    *tubes(0.012, 0.42, (-0.09, 0.05, -0.61), (0.999, 0, -0.048)),  # stays
    *tubes(0.012, 0.585, (-0.2, 0.05, -0.325), (0.342, 0, 0.94)),
    tube(0.018, 0.696, (-0.005, 0, -0.295), (-0.359, 0, 0.933)),  # seat tube, top tube, down tube, saddle
    tube(0.018, 0.622, (0.211, 0, -0.045), (1, 0, 0.016)),
    tube(0.02, 0.652, (0.335, 0, -0.375), (0.66, 0, 0.752)),
    {"box": (0.24, 0.14, 0.05), "at": (-0.13, 0, 0.05)},
]
RIDER = [
    tube(0.12, 0.48, (0.03, 0, 0.3), (0.585, 0, 0.811)),  # trunk
    {"sphere": 0.11, "at": (0.24, 0, 0.64)},
    *tubes(0.035, 0.439, (0.315, 0.2, 0.33), (0.707, 0.182, -0.684)),  # arms
    *tubes(0.065, 0.416, (0.09, 0.1, -0.04), (0.817, 0, -0.577)),  # thighs, shanks
    *tubes(0.045, 0.478, (0.195, 0.1, -0.39), (-0.272, 0, -0.962)),
]
FORK = [
    tube(0.02, 0.321, (-0.083, 0, 0.177), (-0.296, 0, 0.955)),  # steerer, blades, handlebar
    *tubes(0.014, 0.404, (0.042, 0.05, -0.163), (0.384, 0, -0.923)),
    tube(0.016, 0.56, (-0.13, 0, 0.34), (0, 1, 0)),
]


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("bicycle", gravity=(0, 0, -9.81))
    v = m.parameter("v", 5)  # speed [m/s]; by itself stable from 4.292 to 6.024
    push = m.parameter("push", 0.3)  # rate at which it begins to lean [rad/s]
    tilt = m.parameter("tilt", "18 deg")  # of the steering axis
    w = 1.02  # wheel base [m]
    ahead = (v, 0, 0)

    rim = {"axis": (0, 1, 0)}
    rear = m.body(
        "rear wheel", 2, (0.0603, 0.12, 0.0603), position=(0, 0, 0.3), velocity=ahead, omega=(0, v / 0.3, 0),
        shape={"cylinder": (0.3, 0.03), **rim},
    )  # fmt: skip
    frame = m.body(
        "frame", 85, ((9.2, 0, -2.4), (0, 11, 0), (-2.4, 0, 2.8)), position=(0.3, 0, 0.9), velocity=ahead,
        omega=(push, 0, 0), shape=[*FRAME, *RIDER],
    )  # fmt: skip
    fork = m.body(
        "fork", 4, ((0.05892, 0, 0.00756), (0, 0.06, 0), (0.00756, 0, 0.00708)), position=(0.9, 0, 0.7), velocity=ahead,
        shape=FORK,
    )  # fmt: skip
    front = m.body(
        "front wheel", 3, (0.1405, 0.28, 0.1405), position=(w, 0, 0.35), velocity=ahead, omega=(0, v / 0.35, 0),
        shape={"cylinder": (0.35, 0.03), **rim},
    )  # fmt: skip

    def axle(body: Any, x: float, z: float) -> Any:
        return body.frame((x, 0, z), (x, 1, z), (x + 1, 0, z))

    def steering(body: Any, x: float, z: float) -> Any:
        """The axis meets the ground, at x and z, 0.08 m ahead of where the front wheel touches it: the trail. The joint is
        in the head tube, 0.85 m up the axis."""
        s, c = lw.sin(tilt), lw.cos(tilt)
        low, high = ((x - h * s, z + h * c) for h in (0.85, 1.85))
        return body.frame((low[0], 0, low[1]), (high[0], 0, high[1]), (low[0], 1, low[1]))

    m.add(lw.Revolute("rear axle", axle(frame, -0.3, -0.6), axle(rear, 0, 0)))
    m.add(lw.Revolute("front axle", axle(fork, 0.12, -0.35), axle(front, 0, 0)))
    m.add(lw.Revolute("steer", steering(frame, 0.8, -0.9), steering(fork, 0.2, -0.7)))
    m.add(lw.Rolling("rear contact", axle(rear, 0, 0), m.ground.at(0, 0, 0), radius=0.3))
    m.add(lw.Rolling("front contact", axle(front, 0, 0), m.ground.at(0, 0, 0), radius=0.35))
    return m
