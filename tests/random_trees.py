"""Random trees of all joints in space."""

import numpy as np
from scipy.spatial.transform import Rotation

import linkwright as lw

KINDS = (
    lw.Revolute, lw.Translational, lw.Cylindrical, lw.Spherical, lw.Universal, lw.Planar, lw.Screw, lw.Fixed, None,
)  # fmt: skip


def rotation(axis_angle):
    axis, angle = axis_angle
    return Rotation.from_rotvec(np.array(axis) / np.linalg.norm(axis) * angle)


def random_tree(rng, kinds):
    """Bodies that fit as estimated, each on an earlier one (None: free), in random orientations, joints either way round."""
    m = lw.SpatialModel("tree", gravity=(0.5, 0.2, -9.81))
    bodies = [(m.ground, np.zeros(3), Rotation.identity())]
    for k, kind in enumerate(kinds):
        turn = (rng.normal(size=3), rng.uniform(-3, 3))
        A, r = rotation(turn), rng.normal(size=3)
        b = m.body(
            f"b{k}", mass=rng.uniform(1, 2), inertia=rng.uniform(0.5, 1, 3), com=rng.normal(size=3) * 0.3, position=r,
            orientation=turn,
        )  # fmt: skip
        parent, place, low = bodies[rng.integers(k + 1)]
        bodies.append((b, r, A))
        if kind is None:
            continue
        C, P = rotation((rng.normal(size=3), rng.uniform(-3, 3))), rng.normal(size=3)
        across = Rotation.from_euler("x", 90, degrees=True) if kind is lw.Universal else Rotation.identity()
        ends = [
            parent.at(*low.inv().apply(P - place), rotation=(low.inv() * C).as_matrix()),
            b.at(*A.inv().apply(P - r), rotation=(A.inv() * C * across).as_matrix()),
        ]
        if rng.random() < 0.5:
            ends.reverse()
        m.add(kind(f"J{k}", *ends, **({"pitch": 0.3} if kind is lw.Screw else {})))
    return m, [b for b, _, _ in bodies[1:]]
