"""Bodies, their points, frames and vectors, and orientations in every form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import linkwright.model as lw
from linkwright.errors import ModelError
from linkwright.graph import cos, sin


def refused(build, element, cause, remedy=""):
    with pytest.raises(ModelError) as caught:
        build()
    assert caught.value.element == (element,)
    assert cause in caught.value.cause
    assert remedy in caught.value.remedy
    assert caught.value.remedy


@pytest.fixture
def plane():
    m = lw.PlanarModel("plane")
    m.body("b")
    return m


@pytest.fixture
def space():
    m = lw.SpatialModel("space")
    m.body("b")
    return m


def test_estimates():
    m = lw.PlanarModel("m")
    b = m.body("b", 2, 3, com=(0.1, 0), position=[1, 2], angle=0.5, velocity=np.array([3.0, 4.0]), omega=5, weight=10)
    e = b.estimate
    assert (b.mass, b.inertia, b.com) == (2.0, 3.0, (0.1, 0.0))
    assert (e.position, e.rotation, e.velocity, e.omega, e.weight) == ((1.0, 2.0), 0.5, (3.0, 4.0), 5.0, 10.0)
    b.guess(angle=0.7)
    assert (b.estimate.rotation, b.estimate.position, b.estimate.weight) == (0.7, (1.0, 2.0), 10.0)


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        ({"mass": -1}, "the mass is -1"),
        ({"mass": float("nan")}, "the mass is nan, not a finite number"),
        ({"mass": None}, "the mass must be a number, not None"),
        ({"mass": True}, "the mass must be a number, not True"),
        ({"inertia": -2}, "the inertia is -2"),
        ({"inertia": (1, 1, 1)}, "the inertia must be a number"),
        ({"position": (1, 2, 3)}, "position needs 2 numbers, not 3"),
        ({"position": 1.0}, "position needs 2 numbers, not 1.0"),
        ({"position": (1, float("inf"))}, "a component of position is inf"),
        ({"angle": "a"}, "'a' is not known"),
        ({"velocity": "up"}, "velocity needs 2 numbers"),
        ({"omega": (0, 0, 1)}, "omega must be a number"),
        ({"com": (0,)}, "com needs 2 numbers, not 1"),
        ({"weight": -1}, "the weight of an estimate is -1"),
    ],
)
def test_bad_bodies(data, cause):
    m = lw.PlanarModel("m")
    refused(lambda: m.body("b", **data), "b", cause)
    assert "b" not in m


def test_points_in_the_plane(plane):
    b = plane["b"]
    P = b.at(1, 2, angle=np.pi / 2)
    assert P.s == (1.0, 2.0)
    assert b.at([1, 2]).s == (1.0, 2.0)
    np.testing.assert_allclose(P.axis().components, (0, 1), atol=1e-16)
    np.testing.assert_allclose(P.axis("y").components, (-1, 0), atol=1e-16)
    assert b.frame((0, 0), (0, 2)).angle == np.pi / 2
    refused(lambda: b.at(1, 2, 3), "b", "a point needs 2 numbers, not 3")
    refused(lambda: b.at(1), "b", "a point needs 2 numbers, not 1")
    refused(lambda: b.at(1, float("nan")), "b", "a component of a point is nan")
    refused(lambda: b.at(1, 2, rotation=np.eye(3)), "b", "no rotation", "angle=")
    refused(lambda: b.frame((1, 1), (1, 1)), "b", "P and Q coincide: they define no line")
    refused(lambda: b.frame((1, 1), (1, 2), (0, 0)), "b", "P and Q only")
    refused(lambda: b.vector(0, 0), "b", "no length")
    with pytest.raises(ModelError, match="no axis"):
        b.at(0, 0).axis()


def test_points_in_space(space):
    b = space["b"]
    assert b.at(1, 2, 3).directed
    np.testing.assert_array_equal(b.at(1, 2, 3).axis().components, (0, 0, 1))
    refused(lambda: b.at(1, 2), "b", "a point needs 3 numbers, not 2")
    refused(lambda: b.at(1, 2, 3, angle=1), "b", "no single angle", "rotation=")
    refused(lambda: b.vector(0, 0, 0), "b", "no length")


def test_frame_from_joint_definition_points(space):
    b = space["b"]
    # Neither at unit distance nor at right angles: z toward Q, x in the half plane of R.
    F = b.frame((1, 1, 1), (1, 1, 4), (3, 1, 2))
    np.testing.assert_allclose(np.array(F.rotation, dtype=float), np.eye(3), atol=1e-15)
    G = b.frame((0, 0, 0), (2, 0, 0), (0, 0, 5))
    np.testing.assert_allclose(np.array(G.rotation, dtype=float), [[0, 0, 1], [0, -1, 0], [1, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(G.axis("x").components, (0, 0, 1), atol=1e-15)
    refused(lambda: b.frame((0, 0, 0), (0, 0, 0), (1, 0, 0)), "b", "P and Q coincide: they define no axis")
    refused(lambda: b.frame((0, 0, 0), (0, 0, 1), (0, 0, 0)), "b", "P and R coincide")
    refused(lambda: b.frame((0, 0, 0), (0, 0, 1), (0, 0, 2)), "b", "lie on one line")


points = st.tuples(*[st.floats(-2, 2)] * 3)


@given(points, points, points)
def test_frames_are_right_handed_and_orthonormal(P, Q, R):
    b = lw.SpatialModel("m").body("b")
    p, q, r = map(np.array, (P, Q, R))
    if np.linalg.norm(np.cross(q - p, r - p)) < 1e-3:
        return
    C = np.array(b.frame(P, Q, R).rotation, dtype=float)
    np.testing.assert_allclose(C.T @ C, np.eye(3), atol=1e-12)  # lost digits: 1e-16 over the sine of the angle at P
    np.testing.assert_allclose(np.linalg.det(C), 1, atol=1e-12)
    np.testing.assert_allclose(np.cross(C[:, 2], q - p), 0, atol=1e-12)
    assert C[:, 0] @ (r - p) > 0
    free = np.array(b.frame(P, Q).rotation, dtype=float)
    np.testing.assert_allclose(free.T @ free, np.eye(3), atol=1e-15 * 10)
    np.testing.assert_allclose(free[:, 2], C[:, 2], atol=1e-15)


def test_frame_of_parameters_follows_them(space):
    a = space.parameter("a", 1.0)
    F = space["b"].frame((0, 0, 0), (a, 0, 1), (1, 0, 0))
    for value in (1.0, 2.0):
        space.set(a=value)
        z = [space.value(c) for c in F.axis("z").components]
        np.testing.assert_allclose(z, np.array([value, 0, 1]) / np.hypot(value, 1), atol=1e-15)


# -- orientations --------------------------------------------------------------------------------------------------------

quaternions = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda p: np.linalg.norm(p) > 0.1)


def matrix(p):
    """A = (2 e0^2 - 1) 1 + 2 (e e^T + e0 e~), the book's 9.3.6, as the oracle."""
    e0, e = p[0], np.array(p[1:])
    skew = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return (2 * e0**2 - 1) * np.eye(3) + 2 * (np.outer(e, e) + e0 * skew)


@given(quaternions)
def test_all_forms_of_an_orientation_are_one(given_p):
    p = np.array(given_p) / np.linalg.norm(given_p)
    A = matrix(p)
    angle = 2 * np.arccos(np.clip(p[0], -1, 1))
    axis = p[1:] if np.linalg.norm(p[1:]) > 1e-6 else np.array([1.0, 0, 0])
    forms = [tuple(p), p, A, A.tolist(), Rotation.from_matrix(A)]
    if np.linalg.norm(p[1:]) > 1e-6:
        forms.append((tuple(3 * axis), angle))
    m = lw.SpatialModel("m")
    for k, form in enumerate(forms):
        body = m.body(f"b{k}", orientation=form)
        q = np.array(body.estimate.rotation, dtype=float)
        assert abs(q @ q - 1) < 1e-14
        # arccos loses half the digits near a whole turn
        np.testing.assert_allclose(matrix(q), A, atol=1e-7 if k == 5 else 1e-13)
        C = np.array(body.at(0, 0, 0, rotation=form).rotation, dtype=float)
        np.testing.assert_allclose(C, A, atol=1e-7 if k == 5 else 1e-13)


def test_half_turns():
    m = lw.SpatialModel("m")
    for k, diagonal in enumerate([(1, -1, -1), (-1, 1, -1), (-1, -1, 1)]):
        p = m.body(f"b{k}", orientation=np.diag(diagonal)).estimate.rotation
        np.testing.assert_allclose(np.abs(p), np.eye(4)[k + 1], atol=1e-15)


def test_rounding_is_mended_and_more_is_refused(space):
    A = Rotation.from_rotvec([0.3, -0.4, 0.5]).as_matrix()
    printed = np.round(A, 7)
    C = np.array(space["b"].at(0, 0, 0, rotation=printed).rotation, dtype=float)
    np.testing.assert_allclose(C.T @ C, np.eye(3), atol=1e-15 * 4)
    np.testing.assert_allclose(C, A, atol=2e-7)
    U, _, Vt = np.linalg.svd(printed)
    np.testing.assert_allclose(C, U @ Vt, rtol=0, atol=1e-15)  # the nearest rotation
    p = space.body("c", orientation=(0.8000001, 0.6, 0, 0)).estimate.rotation
    assert abs(np.dot(p, p) - 1) < 1e-15
    refused(lambda: space["b"].at(0, 0, 0, rotation=np.round(A, 2)), "b", "not orthonormal")
    refused(lambda: space["b"].at(0, 0, 0, rotation=-np.eye(3)), "b", "a reflection", "reverse one")
    refused(lambda: space.body("d", orientation=(1, 1, 0, 0)), "d", "add up to 2, not 1")
    refused(lambda: space.body("d", orientation=((0, 0, 0), 1.0)), "d", "no length")
    refused(lambda: space.body("d", orientation=(1, 2, 3)), "d", "no orientation", "Euler parameters")
    refused(lambda: space.body("d", orientation=np.full((3, 3), np.nan)), "d", "nan")
    refused(lambda: space.body("d", omega=3.0), "d", "omega needs 3 numbers")
    with pytest.raises(TypeError):
        space.body("d", angle=1.0)


def test_an_angle_may_be_an_expression(space):
    a = space.parameter("a", 0.4)
    body = space.body("c", orientation=((0, 0, 2), a))
    assert body.estimate.rotation[0] is cos(a / 2)
    assert space.value(body.estimate.rotation[3]) == pytest.approx(np.sin(0.2), rel=1e-15)
    C = space["b"].at(0, 0, 0, rotation=((0, 0, 1), a)).rotation
    assert space.value(C[1][0]) == pytest.approx(np.sin(0.4), rel=1e-15)
    R = [[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]]
    assert space["b"].at(0, 0, 0, rotation=R).rotation[0][0] is cos(a)
    refused(lambda: space.body("d", orientation=R), "d", "matrix of expressions", "(axis, angle)")
