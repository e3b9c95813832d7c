"""A ball that slides and then rolls: friction slows it down and spins it up until nothing slides.

It slides for 2 v/(7 mu g), and rolls on at 5/7 of its speed.
"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("rolling ball", gravity=(0, -9.81))
    v = m.parameter("v", 7.0)  # its first speed [m/s]
    mu = m.parameter("mu", 0.2)
    m.ground.shape = {"box": (12.0, 0.1), "at": (5.5, -0.05)}
    ball = m.body("ball", 6.0, 0.02904, position=(0, 0.11), velocity=(v, 0), shape={"circle": 0.11})  # 2/5 m r^2
    m.add(lw.Contact("lane", ball.surface(), m.ground.at(0, 0, angle=0), restitution=0.0, mu=mu))
    return m
