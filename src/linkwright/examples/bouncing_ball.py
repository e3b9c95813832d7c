"""A ball that bounces and comes to rest: impacts without end in a time that ends.

After a fall from the height h it lies still from the time sqrt(2 h/g) (1 + e)/(1 - e) on.
"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("bouncing ball", gravity=(0, -9.81))
    h = m.parameter("h", 0.5)  # height of the fall [m]
    e = m.parameter("e", 0.8)  # restitution
    v = m.parameter("v", 0.2)  # [m/s], to the side
    m.ground.shape = {"box": (1.6, 0.02), "at": (0.6, -0.01)}
    ball = m.body("ball", 0.1, 1e-4, position=(0, h + 0.05), velocity=(v, 0), shape={"circle": 0.05})
    m.add(lw.Contact("floor", ball.surface(), m.ground.at(0, 0, angle=0), restitution=e))
    return m
