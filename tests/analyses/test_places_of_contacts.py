"""Newton and Euler of a body whose shape presses another, with the place of the contact recomputed in plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

import linkwright as lw

CAPSULE = ({"capsule": (0.6, 0.1), "axis": (1, 0, 0)}, [(-0.3, 0, 0), (0.3, 0, 0)], 0.1)
TRIANGLE = [(-0.3, -0.2), (0.3, -0.1), (0.1, 0.25)]
# words, corners of the core, radius about it
PLANE = {
    "circle": ({"circle": 0.2}, [(0, 0, 0)], 0.2),
    "line": ({"segment": [(-0.3, 0), (0.3, 0)], "radius": 0.1}, CAPSULE[1], 0.1),
    "box": ({"box": (0.6, 0.3), "radius": 0.05}, [(x, y, 0) for x in (-0.3, 0.3) for y in (-0.15, 0.15)], 0.05),
    "polygon": ({"polygon": TRIANGLE, "radius": 0.05}, [(*p, 0) for p in TRIANGLE], 0.05),
}
SPACE = {
    "ball": ({"sphere": 0.2}, [(0, 0, 0)], 0.2),
    "capsule": CAPSULE,
    "box": (
        {"box": (0.6, 0.3, 0.4), "radius": 0.05},
        [(x, y, z) for x in (-0.3, 0.3) for y in (-0.15, 0.15) for z in (-0.2, 0.2)],
        0.05,
    ),
}
CASES = [
    *[(2, a, b) for k, a in enumerate(PLANE) for b in list(PLANE)[k:]],
    *[(3, "ball", b) for b in SPACE], (3, "capsule", "capsule"), (3, "box", "ball"),
]  # fmt: skip
MASS, G = 2.0, 10.0
HEAVY = 1e6  # weight of "shares sum to one": their sums are then known to 1e-12, and the shares that count are chosen


def nearest(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points of the hulls of A and of B, a row a corner: shares of corners, chosen by non-negative least squares and then
    solved for exactly."""
    size = max(float(np.abs(A - A[0]).max()), float(np.abs(B - A[0]).max()), 1e-300)
    own = np.vstack([A - A[0], A[0] - B]).T / size  # the difference of the points is own @ shares
    sums = np.zeros((2, len(A) + len(B)))
    sums[0, : len(A)] = sums[1, len(A) :] = 1.0
    shares, _ = nnls(np.vstack([own, HEAVY * sums]), np.array([0, 0, 0, HEAVY, HEAVY]))
    used = shares > 1e-9
    left, ties = own[:, used], sums[:, used]
    n = int(used.sum())
    saddle = np.block([[left.T @ left, ties.T], [ties, np.zeros((2, 2))]])
    exact = np.zeros_like(shares)
    exact[used] = np.linalg.lstsq(saddle, np.array([0.0] * n + [1.0, 1.0]), rcond=1e-12)[0][:n]
    return exact[: len(A)] @ A, exact[len(A) :] @ B


def fall(n: int, one: str, other: str) -> lw.MotionResult:
    """The first falls aslant on the second, which is fixed; the contact is a spring, so that it presses for a while."""
    shapes = PLANE if n == 2 else SPACE
    if n == 2:
        m = lw.PlanarModel("fall", gravity=(0, -G))
        b = m.body("b", MASS, 0.3, position=(0.07, 0.7), angle=0.7, omega=2.0)
    else:
        m = lw.SpatialModel("fall", gravity=(0, -G, 0))
        b = m.body("b", MASS, (0.1, 0.2, 0.3), position=(0.07, 0.7, 0.05), orientation=((1, 2, 3), 0.7), omega=(1, 2, 0))
    m.add(lw.Contact("touch", b.surface(shapes[one][0]), m.ground.surface(shapes[other][0]), k=3e3))
    return lw.dynamics(m, t_end=0.6, steps=120)


def turned(d: lw.MotionResult, n: int, k: int) -> np.ndarray:
    if n == 2:
        c, s = np.cos(d["b.angle"][k]), np.sin(d["b.angle"][k])
        return np.array([(c, -s, 0), (s, c, 0), (0, 0, 1)])
    e0, e = d["b.e0"][k], np.array([d[f"b.e{i}"][k] for i in (1, 2, 3)])
    cross = np.array([(0, -e[2], e[1]), (e[2], 0, -e[0]), (-e[1], e[0], 0)])
    return (2 * e0**2 - 1) * np.eye(3) + 2 * np.outer(e, e) + 2 * e0 * cross


@pytest.mark.parametrize(("n", "one", "other"), CASES, ids=lambda x: str(x))
def test_the_force_is_where_the_shapes_are_nearest(n, one, other):
    d, shapes = fall(n, one, other), PLANE if n == 2 else SPACE
    axes = "xyz"[:n]
    parts = [c for c in d.channels if c.startswith("touch.force_")] or ["touch.force"]
    looked = 0
    for k in range(len(d.t)):
        press = [float(d[c][k]) for c in parts]
        r, a = (np.pad([d[f"b.{p}{c}"][k] for c in axes], (0, 3 - n)) for p in ("", "a"))
        A = turned(d, n, k)
        F = MASS * (a + np.array([0, G, 0]))  # what Newton needs beside the weight
        if n == 2:
            M = np.array([0, 0, 0.3 * d["b.alpha"][k]])
        else:
            J, w = np.diag([0.1, 0.2, 0.3]), np.array([d[f"b.w{c}"][k] for c in "xyz"])
            M = A @ (J @ [d[f"b.alpha{c}"][k] for c in "xyz"] + np.cross(w, J @ w))
        if sum(p > 1e-6 for p in press) != 1:
            continue
        P, Q = nearest(np.array(shapes[one][1]) @ A.T + r, np.array(shapes[other][1], dtype=float))
        normal, N = (P - Q) / np.linalg.norm(P - Q), sum(press)
        depth = shapes[one][2] + shapes[other][2] - np.linalg.norm(P - Q)
        assert pytest.approx(3e3 * depth, rel=1e-6, abs=1e-6) == N
        assert pytest.approx(N * normal, abs=1e-6 * (N + MASS * G)) == F
        assert pytest.approx(np.cross(P - r, N * normal), abs=1e-6 * (N + MASS * G)) == M
        looked += 1
    assert looked > 3
