"""Bricard's ring (IFToMM benchmark A04): six hinges, five rods and ground, which moves although it has a hinge too many."""

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("Bricard's ring", gravity=(0, -9.81, 0))
    P = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    bodies: list[lw.Body] = [m.ground]
    origin: list[tuple[float, ...]] = [(0, 0, 0)]
    for k in range(5):
        along = [b - a for a, b in zip(P[k], P[k + 1], strict=True)]
        centre = tuple((a + b) / 2 for a, b in zip(P[k], P[k + 1], strict=True))
        J = tuple(0.01 / 6 if d else 1.01 / 12 for d in along)
        size = tuple(1 if d else 0.1 for d in along)
        bodies.append(m.body(f"rod {k + 1}", 1, J, position=centre, shape={"box": size}))
        origin.append(centre)
    bodies.append(m.ground)
    origin.append((0, 0, 0))

    def frame(k: int, n: int) -> lw.Point:
        own = tuple(p - o for p, o in zip(P[n], origin[k], strict=True))
        return bodies[k].frame(own, tuple(s + a for s, a in zip(own, axes["yzxyzx"[n]], strict=True)))

    for n in range(6):
        m.add(lw.Revolute(f"hinge {n + 1}", frame(n, n), frame(n + 1, n)))
    return m
