"""Distances from shapes against their definition, the nearest point of any edge; and their slopes."""

import numpy as np
import pytest

from linkwright.equations import gaps


def edges(corners, closed):
    after = np.roll(corners, -1, axis=0)
    return list(zip(corners, after, strict=True))[: len(corners) if closed else -1]


def nearest(x, corners, closed):
    def one(a, b):
        along = np.clip((x - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        return np.linalg.norm(a + along * (b - a) - x)

    return min(one(a, b) for a, b in edges(corners, closed))


def is_inside(x, corners):
    """By the crossings of a ray to the right."""
    count = 0
    for a, b in edges(corners, True):
        if (a[1] > x[1]) != (b[1] > x[1]) and x[0] < a[0] + (x[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]):
            count += 1
    return count % 2 == 1


def convex(rng):
    """Points of an ellipse, turned."""
    turn = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, 8)))
    A = rng.normal(size=(2, 2))
    A = A if np.linalg.det(A) > 0 else A[:, ::-1]
    return np.stack([np.cos(turn), np.sin(turn)], axis=1) @ A.T + rng.normal(size=2)


def slope(f, x, h=1e-6):
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])


@pytest.mark.parametrize("seed", range(6))
def test_distance_of_a_convex_polygon(seed):
    """Outside the nearest point of the outline; inside the nearest edge, negative."""
    rng = np.random.default_rng(seed)
    corners = convex(rng)
    for x in corners.mean(axis=0) + rng.normal(size=(40, 2)):
        far = nearest(x, corners, True) * (-1 if is_inside(x, corners) else 1)
        assert gaps.to_polygon(x, corners) == pytest.approx(far, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_distance_of_a_chain(seed):
    """From either side, whatever its turns are."""
    rng = np.random.default_rng(seed)
    corners = np.cumsum(rng.normal(size=(rng.integers(2, 6), 2)), axis=0)
    for x in corners.mean(axis=0) + 2 * rng.normal(size=(40, 2)):
        assert gaps.to_chain(x, corners) == pytest.approx(nearest(x, corners, False), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_slopes_are_continuous_outside(seed):
    """On a circle about a convex polygon, and about a convex chain, the slope turns by no more than the step allows: it is a
    unit vector, and its rate is 1/distance at most."""
    rng = np.random.default_rng(seed)
    corners = convex(rng)
    middle, reach = corners.mean(axis=0), 3 * np.ptp(corners, axis=0).max()
    turn = np.linspace(0, 2 * np.pi, 721)
    path = middle + reach * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    units = np.array([slope(lambda x: gaps.to_polygon(x, corners), x) for x in path])
    assert np.linalg.norm(units, axis=1) == pytest.approx(1, abs=1e-6)
    assert np.linalg.norm(np.diff(units, axis=0), axis=1).max() < 2 * turn[1] * 1.1


@pytest.mark.parametrize("seed", range(6))
def test_distance_of_a_box(seed):
    """The point of the box that is nearest has clipped coordinates; inside the nearest face counts."""
    rng = np.random.default_rng(seed)
    half = rng.uniform(0.5, 1.5, 3)
    for x in 2 * rng.normal(size=(60, 3)):
        far = np.linalg.norm(x - np.clip(x, -half, half)) or (np.abs(x) - half).max()
        assert gaps.to_box(x, half) == pytest.approx(far, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_distance_of_segments_in_space(seed):
    """No pair of points on both is nearer."""
    rng = np.random.default_rng(seed)
    grid = np.linspace(0, 1, 201)
    for _ in range(10):
        a, b, c, d = rng.normal(size=(4, 3))
        p, q = (np.array(x, dtype=float) for x in gaps.between_segments(a, b, c, d))
        one = a + grid[:, None] * (b - a)
        other = c + grid[:, None] * (d - c)
        least = np.linalg.norm(one[:, None] - other[None], axis=2).min()
        assert np.linalg.norm(p - q) <= least + 1e-12
        assert np.linalg.norm(p - q) == pytest.approx(least, abs=2e-3)  # (|b - a|/200)^2/distance and more where they cross
        x = rng.normal(size=3)
        assert gaps.to_segment(x, a, b) == pytest.approx(np.linalg.norm(one - x, axis=1).min(), abs=1e-3)


def test_parallel_segments():
    a, b, c, d = np.array([[0, 0, 0], [1, 0, 0], [0.3, 0, 0.5], [2, 0, 0.5]], dtype=float)
    p, q = (np.array(x, dtype=float) for x in gaps.between_segments(a, b, c, d))
    assert np.linalg.norm(p - q) == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_edges_of_a_polygon_that_are_moved_stay_parallel(seed):
    """Each is further out by its own number: both its ends are so far before the old one."""
    rng = np.random.default_rng(seed)
    corners = convex(rng)
    out = rng.uniform(-0.01, 0.02, len(corners))
    new = gaps.moved(corners, out)
    for k, n in enumerate(gaps.normals(corners)):
        ends = [new[k], new[(k + 1) % len(new)]]
        assert [float(n @ (x - corners[k])) for x in ends] == pytest.approx([out[k]] * 2, abs=1e-12)
