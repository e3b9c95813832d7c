"""The rotation matrix and poses: the identities of Haug's chapter 2."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright import graph
from linkwright.equations.plane import GROUND, A, Pose, direction, rotate90, unit

angles = st.floats(-50, 50)


@settings(max_examples=50, deadline=None)
@given(angles, angles)
def test_rotations_compose_and_invert(a, b):
    # the sum of the angles is rounded to 1e-14 at 100 rad
    np.testing.assert_allclose((A(a) @ A(b)).astype(float), A(a + b).astype(float), rtol=0, atol=3e-14)
    np.testing.assert_allclose((A(a) @ A(a).T).astype(float), np.eye(2), rtol=0, atol=1e-15)


@settings(max_examples=50, deadline=None)
@given(angles, st.floats(-5, 5), st.floats(-5, 5))
def test_rotate90_is_the_derivative_of_the_rotation(phi, x, y):
    f = graph.symbol("phi")
    moved = Pose((0.0, 0.0), f).vector((x, y))
    rate = graph.evaluate(graph.along(list(moved), {f: 1.0}), {f: phi})
    expected = rotate90(A(phi) @ np.array([x, y]))  # B = R A
    np.testing.assert_allclose(rate, expected.astype(float), rtol=0, atol=1e-14)


def test_rotate90_turns_counter_clockwise():
    assert list(rotate90((1.0, 0.0))) == [0.0, 1.0]
    assert list(rotate90((0.0, 1.0))) == [-1.0, 0.0]


def test_a_point_of_a_body_and_its_motion():
    """Two links of length 1, relative rates 1 and 2 rad/s, at t = 0.3 (Haug, example 2.5.1; 12 decimals)."""
    t = graph.symbol("t")
    first = Pose((0.0, 0.0), t)
    second = Pose(first.point((1.0, 0.0)), t + 2 * t)
    r = list(second.point((1.0, 0.0)))
    v = graph.along(r, {t: 1.0})
    a = graph.along(v, {t: 1.0})
    assert graph.evaluate(r, {t: 0.3}) == pytest.approx([1.576946457396, 1.078847116289], abs=1e-12)
    assert graph.evaluate(v, {t: 0.3}) == pytest.approx([-2.645500935544, 2.820166393938], abs=1e-12)
    assert graph.evaluate(a, {t: 0.3}) == pytest.approx([-6.549826203562, -7.345462393309], abs=1e-12)


def test_pose_traces_its_matrix_once_and_takes_numbers():
    pose = Pose((1.0, 2.0), np.pi / 2)
    assert pose.A is pose.A
    np.testing.assert_allclose(pose.point((3.0, 1.0)).astype(float), [0.0, 5.0], rtol=0, atol=1e-15)
    assert list(GROUND.point((3.0, 1.0))) == [3.0, 1.0]


def test_unit_and_direction():
    assert list(unit((3.0, 4.0))) == pytest.approx([0.6, 0.8])
    assert list(direction(np.pi / 6)) == pytest.approx([np.sqrt(3) / 2, 0.5])
