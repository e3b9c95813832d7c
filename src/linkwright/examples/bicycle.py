"""The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007): four bodies, three hinges, two wheels that roll.

At 5 m/s it is stable by itself: after a push that makes it lean it steers into the fall and runs on, upright.
"""

from typing import Any

import linkwright as lw


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
        omega=(push, 0, 0),
        shape=[{"box": (0.5, 0.25, 0.6)}, {"box": (0.7, 0.04, 0.05), "at": (0.1, 0, -0.4)}],
    )  # fmt: skip
    fork = m.body(
        "fork", 4, ((0.05892, 0, 0.00756), (0, 0.06, 0), (0.00756, 0, 0.00708)), position=(0.9, 0, 0.7), velocity=ahead,
        shape=[{"box": (0.04, 0.08, 0.7)}, {"cylinder": (0.02, 0.6), "at": (-0.05, 0, 0.35), **rim}],
    )  # fmt: skip
    front = m.body(
        "front wheel", 3, (0.1405, 0.28, 0.1405), position=(w, 0, 0.35), velocity=ahead, omega=(0, v / 0.35, 0),
        shape={"cylinder": (0.35, 0.03), **rim},
    )  # fmt: skip

    def axle(body: Any, x: float, z: float) -> Any:
        return body.frame((x, 0, z), (x, 1, z), (x + 1, 0, z))

    def steering(body: Any, x: float, z: float) -> Any:
        """The axis meets the ground 0.08 m ahead of where the front wheel touches it: the trail."""
        return body.frame((x, 0, z), (x - lw.sin(tilt), 0, z + lw.cos(tilt)), (x, 1, z))

    m.add(lw.Revolute("rear axle", axle(frame, -0.3, -0.6), axle(rear, 0, 0)))
    m.add(lw.Revolute("front axle", axle(fork, 0.12, -0.35), axle(front, 0, 0)))
    m.add(lw.Revolute("steer", steering(frame, 0.8, -0.9), steering(fork, 0.2, -0.7)))
    m.add(lw.Rolling("rear contact", axle(rear, 0, 0), m.ground.at(0, 0, 0), radius=0.3))
    m.add(lw.Rolling("front contact", axle(front, 0, 0), m.ground.at(0, 0, 0), radius=0.35))
    return m
