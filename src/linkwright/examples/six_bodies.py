"""Kamman's tree of six bodies, each with six degrees of freedom on the body below it: free bodies, whatever the tree.

Joint coordinates of the text (the bodies below, q' and s' in their axes, Euler parameters with the scalar last) give places
and velocities; forces act at the mass centres, moments in the bodies' axes. The numbers are our own.
"""

import numpy as np

import linkwright as lw

BELOW = (0, 1, 2, 2, 1, 5)
# mass; moments xx, yy, zz, xy, xz, yz; Euler parameters and what they are divided by
BODIES = (
    (4, (0.5, 0.6, 0.4, 0.02, 0, 0.03), (1, 2, 2, 4), 5),
    (2, (0.2, 0.3, 0.25, 0, 0.01, 0), (2, -4, 5, 6), 9),
    (1.5, (0.1, 0.15, 0.12, 0, 0, 0.01), (1, 1, -3, 5), 6),
    (1, (0.08, 0.06, 0.09, 0.005, 0, 0), (-2, 2, 4, 5), 7),
    (2.5, (0.3, 0.28, 0.35, 0, 0, -0.02), (1, 5, -5, 7), 10),
    (1.2, (0.11, 0.09, 0.1, 0, 0.01, 0), (-1, 2, 2, 4), 5),
)
# r' of the mass centre; q' + s' from the body below and its rate; omega'; force; moment
STATE = (
    ((0.1, 0, 0.05), (1, -1, 0.5), (0.5, 0, -0.2), (1, -0.5, 0.2), (3, 0, -39.24), (1, 0.5, -0.2)),
    ((0, 0.2, 0), (0.55, 0.1, 0.02), (0.1, -0.3, 0), (0.3, 0.8, -1), (0, 2, -19.62), (0, 0.3, 0.1)),
    ((0.15, -0.05, 0), (0.3, 0.1, 0.17), (0, 0.2, 0.4), (-1.2, 0.4, 0.6), (1, -1, -14.715), (-0.1, 0, 0.2)),
    ((0, 0.1, 0.1), (-0.16, 0.42, 0), (-0.25, 0.15, 0), (0.5, 0.5, -0.25), (0, 0, -9.81), (0.05, 0.05, 0)),
    ((-0.1, 0.1, 0.2), (-0.06, -0.5, 0.18), (0.3, 0.1, -0.1), (0, 1.5, 0.7), (-2, 1, -24.525), (0.4, -0.3, 0.1)),
    ((0.05, 0, -0.1), (0.26, 0.03, 0.3), (0.05, -0.2, 0.35), (-0.8, 0.2, 1.1), (0.5, 0.5, -11.772), (0, 0.1, -0.1)),
)  # fmt: skip


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("six bodies")
    places = [(np.zeros(3), np.zeros(3), np.eye(3), np.zeros(3))]  # origin, its velocity, axes, angular velocity
    for k, ((mass, J, (e1, e2, e3, e4), d), (r, s, rate, omega, force, moment)) in enumerate(
        zip(BODIES, STATE, strict=True)
    ):
        r0, v0, A0, w0 = places[BELOW[k]]
        p = (e4 / d, e1 / d, e2 / d, e3 / d)
        r1, v1 = r0 + A0 @ s, v0 + A0 @ (np.cross(w0, s) + rate)
        places.append((r1, v1, turned(p), np.array(omega)))
        xx, yy, zz, xy, xz, yz = J
        body = m.body(
            f"body {k + 1}", mass, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), position=rounded(r1), orientation=p,
            velocity=rounded(v1), omega=omega, com=r, shape={"box": (0.3, 0.2, 0.12)},
        )  # fmt: skip
        m.add(lw.PointForce(f"force {k + 1}", body.at(*r), force))
        m.add(lw.Torque(f"moment {k + 1}", body, moment, frame="body"))
    return m


def rounded(x: np.ndarray) -> tuple[float, ...]:
    return tuple(float(round(c, 12)) for c in x)


def turned(p: tuple[float, ...]) -> np.ndarray:
    """Axes of a body in ground."""
    e0, e = p[0], np.array(p[1:])
    skew = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return (2 * e0**2 - 1) * np.eye(3) + 2 * (np.outer(e, e) + e0 * skew)
