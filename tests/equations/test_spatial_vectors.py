"""Identities of the 6-D algebra."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linkwright import graph
from linkwright.equations import spatial_vectors as sv

ROUNDING = 1e-13  # a few dozen products of order one


@pytest.fixture(params=range(5))
def rng(request):
    return np.random.default_rng(request.param)


def transform(rng):
    p = rng.normal(size=4)
    return sv.plucker(sv.rotation_p(p / np.linalg.norm(p)), rng.normal(size=3))


def test_inverse_and_place(rng):
    X = transform(rng)
    assert_allclose(sv.inverse(X) @ X, np.eye(6), atol=ROUNDING)
    E, r = sv.place(X)
    assert_allclose(sv.plucker(E, r), X, atol=ROUNDING)
    assert_allclose(sv.rotation(E) @ sv.translation(r), X, atol=ROUNDING)


def test_velocity_of_a_shifted_point(rng):
    """The linear part in the new frame is the velocity of the body's point at the new origin, v + omega x r."""
    v, r = rng.normal(size=6), rng.normal(size=3)
    assert_allclose((sv.translation(r) @ v)[3:], v[3:] + np.cross(v[:3], r), atol=ROUNDING)


def test_power_is_the_same_in_all_frames(rng):
    X, v, f = transform(rng), rng.normal(size=6), rng.normal(size=6)
    assert (X @ v) @ (sv.inverse(X).T @ f) == pytest.approx(v @ f, abs=1e-12)


def test_cross_products_transform_with_the_frame(rng):
    X, v = transform(rng), rng.normal(size=6)
    assert_allclose(sv.crm(X @ v), X @ sv.crm(v) @ sv.inverse(X), atol=1e-12)
    assert_allclose(sv.crf(v), -sv.crm(v).T)
    assert_allclose(sv.crm(v) @ v, 0, atol=ROUNDING)


def test_inertia_carries_its_mass_centre(rng):
    m, c = rng.uniform(1, 2), rng.normal(size=3)
    B = rng.normal(size=(3, 3))
    J = B @ B.T
    I6 = sv.rigid_body_inertia(m, c, J)
    for ours, given in zip(sv.mass_centre_inertia(I6), (m, c, J), strict=True):
        assert_allclose(ours, given, atol=1e-12)
    X = transform(rng)
    E, r = sv.place(X)
    moved = sv.rigid_body_inertia(m, E @ (c - r), E @ J @ E.T)
    assert_allclose(sv.inverse(X).T @ I6 @ sv.inverse(X), moved, atol=1e-12 * np.abs(I6).max())


def test_kinetic_energy_is_that_of_particles(rng):
    points, masses, v = rng.normal(size=(4, 3)), rng.uniform(1, 2, 4), rng.normal(size=6)
    I6 = sum(sv.rigid_body_inertia(m, p, np.zeros((3, 3))) for m, p in zip(masses, points, strict=True))
    speeds = v[3:] + np.cross(v[:3], points)
    assert v @ I6 @ v / 2 == pytest.approx(0.5 * masses @ (speeds**2).sum(axis=1), rel=1e-12)


def test_traced_transform_turns_as_its_derivative_says():
    """dX/dt = -(v x) X for a frame moving at v in its own coordinates."""
    q, qd = graph.symbols("q", 1), graph.symbols("qd", 1)
    X = sv.plucker(sv.rotation_z(q[0]), (0.0, 0.0, 2.0 * q[0]))
    dX = graph.along(list(X.flat), {q[0]: qd[0]})
    values = {q[0]: 0.7, qd[0]: -1.3}
    v = np.array([0, 0, 1, 0, 0, 2]) * -1.3
    numbers = sv.plucker(sv.rotation_z(0.7), (0, 0, 1.4))
    assert_allclose(np.reshape(graph.evaluate(dX, values), (6, 6)), -sv.crm(v) @ numbers, atol=1e-14)
