"""Featherstone's two bodies (the introduction to articulated-body inertia): at rest, one hinge, a force on the first.

How does the first body accelerate, with the second one hanging on it? Axes are those of ground; the data are our own.
"""

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("two bodies")
    r1, r2, s = (0.5, 0.1, -0.2), (-0.4, 0.2, 0.1), (0.0, 0.6, 0.8)  # mass centres to the hinge; its axis
    one = m.body("B1", 2, ((0.4, 0.05, 0), (0.05, 0.5, -0.02), (0, -0.02, 0.6)), shape={"box": (0.6, 0.3, 0.3)})
    two = m.body(
        "B2", 3, ((0.3, 0.02, 0), (0.02, 0.25, -0.01), (0, -0.01, 0.2)),
        position=tuple(round(a - b, 9) for a, b in zip(r1, r2, strict=True)), shape={"box": (0.6, 0.3, 0.3)},
    )  # fmt: skip
    ends = [body.frame(r, [a + b for a, b in zip(r, s, strict=True)]) for body, r in ((one, r1), (two, r2))]
    m.add(lw.Revolute("P", *ends))
    m.add(lw.PointForce("f", one.at(0, 0, 0), (10, -5, 3)))
    m.add(lw.Torque("n", one, (1, 2, -1.5)))
    return m
