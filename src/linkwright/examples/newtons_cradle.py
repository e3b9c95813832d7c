"""Newton's cradle: the shock of the first ball runs through the others, and the last one leaves.

Five pendulums that touch; the first is lifted. As many balls leave on one side as come on the other.
"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("Newton's cradle", gravity=(0, -9.81))
    lift = m.parameter("lift", "40 deg")  # of the first ball
    e = m.parameter("e", 1)  # restitution
    for k in range(5):
        turn = -lift if k == 0 else 0.0
        wire = {"segment": [(0, 0.02), (0, 0.3)]}
        ball = m.body(
            f"ball {k + 1}", 0.25, 4e-5, position=(0.04 * k + 0.3 * lw.sin(turn), -0.3 * lw.cos(turn)), angle=turn,
            shape=[{"circle": 0.02}, wire],
        )  # fmt: skip
        m.add(lw.Revolute(f"pin {k + 1}", m.ground.at(0.04 * k, 0), ball.at(0, 0.3)))
        if k:
            last = m[f"ball {k}"]
            m.add(lw.Contact(f"touch {k}", last.at(0, 0), ball.at(0, 0), radii=(0.02, 0.02), on="sphere", restitution=e))
    return m
