"""Cams, slots and couplers moved: positions, rates and the sense of a contact."""

import numpy as np
import pytest
from planar_oracle import Body, Traced, kinematics

from linkwright import graph
from linkwright.equations import curves, higher_pairs
from linkwright.equations import planar_constraints as pc
from linkwright.equations.plane import GROUND

pi = np.pi


def cam_radius(a):
    """5/4 - cos(3 a)/4 on [0, 2 pi/3], 1 elsewhere (Haug, example 3.4.3)."""
    return graph.where((a >= 0) & (a <= 2 * pi / 3), 1.25 - graph.cos(3 * a) / 4, 1.0)


CAM = curves.polar(curves.repeated(cam_radius, 0.0, 2 * pi))
ROLLER = curves.polar(lambda a: 0.25)


def on_axis(body):
    """A follower that slides along y without turning."""
    return [pc.absolute_x(body.point((0, 0)), 0.0), pc.absolute_angle(body.phi, 0.0)]


def turning(body, t):
    return [*pc.revolute(body.point((0, 0)), GROUND.point((0, 0))), pc.absolute_angle(body.phi, t)]


def roller_follower(one, two, a, b, t):
    contact = higher_pairs.cam_follower(
        one.point(CAM(a)),
        one.vector(curves.tangent(CAM, a)),
        two.point(ROLLER(b)),
        two.vector(curves.tangent(ROLLER, b)),
    )
    return [*turning(one, t), *on_axis(two), *contact]


@pytest.mark.parametrize(
    ("phi", "y", "alpha", "beta", "rate", "acceleration"),
    [
        (pi / 6, 1.75, pi / 3, -pi / 2, 0.0, -63 / 34),
        (0.3, 1.704933052326, 1.23248222136, -1.344816258372, 0.3919760606731, -1.555450545826),
        (0.0, 1.532285823696, 1.491347784431, -1.142235025061, 0.7000720742921, -0.3879618844508),
        (1.3, 1.356491549184, 0.3641925764873, -2.007974037695, -0.6339390816711, 0.9705409918622),
    ],
)
def test_cam_with_roller(phi, y, alpha, beta, rate, acceleration):
    """Haug, example 3.4.3; 12 digits of an mpmath solution."""
    estimate = [0, 0, phi, 0, y + 0.01, 0, alpha + 0.01, beta - 0.01]
    q, qd, qdd = kinematics(Traced(roller_follower, 2, 2), estimate, phi)
    assert q[[4, 6, 7]] == pytest.approx([y, alpha, beta], rel=1e-12)
    assert qd[4] == pytest.approx(rate, rel=1e-12, abs=1e-14)
    assert qdd[4] == pytest.approx(acceleration, rel=1e-11)
    g_i = Body(q[:3], qd[:3]).A @ np.array(curves.tangent(CAM, q[6]), float)
    g_j = np.array(curves.tangent(ROLLER, q[7]), float)
    assert higher_pairs.cam_sense(g_i, g_j) < 0  # from outside


def test_the_overlapping_roller_is_a_root_with_the_other_sense():
    q, *_ = kinematics(Traced(roller_follower, 2, 2), [0, 0, pi / 6, 0, 1.25, 0, pi / 3, pi / 2], pi / 6)
    assert q[4] == pytest.approx(1.25)  # the roller hangs inside the lobe, 1.5 - 0.25
    g_i = Body(q[:3], q[:3]).A @ np.array(curves.tangent(CAM, q[6]), float)
    assert higher_pairs.cam_sense(g_i, np.array(curves.tangent(ROLLER, q[7]), float)) > 0


def flat_follower(one, two, a, t):
    P, g = one.point(CAM(a)), one.vector(curves.tangent(CAM, a))
    face = higher_pairs.cam_flat(P, g, two.point((0, 0)), two.vector((-1, 0)))
    return [*turning(one, t), *on_axis(two), *face]


@pytest.mark.parametrize(
    ("phi", "y", "alpha", "rate", "acceleration"),
    [
        (pi / 6, 1.5, pi / 3, 0.0, -0.9),
        (0.3, 1.477656873128, 1.137287271972, 0.1984611440678, -0.8627226401916),
        (0.9, 1.437492287359, 0.893477374373, -0.3255003372736, -0.7942112307887),
    ],
)
def test_cam_with_flat_face(phi, y, alpha, rate, acceleration):
    """Haug, example 3.4.4 (its tangency row mended); 12 digits of an mpmath solution."""
    q, qd, qdd = kinematics(Traced(flat_follower, 2, 1), [0, 0, phi, 0, y + 0.01, 0, alpha + 0.01], phi)
    assert q[[4, 6]] == pytest.approx([y, alpha], rel=1e-12)
    assert qd[4] == pytest.approx(rate, rel=1e-12, abs=1e-14)
    assert qdd[4] == pytest.approx(acceleration, rel=1e-11)


@pytest.mark.parametrize(("alpha", "height", "sense"), [(pi / 3, 1.5, 1), (4 * pi / 3, -1.0, -1)])
def test_the_face_on_the_far_side_of_the_cam_is_told_by_its_sense(alpha, height, sense):
    q, *_ = kinematics(Traced(flat_follower, 2, 1), [0, 0, pi / 6, 0, height, 0, alpha], pi / 6)
    assert q[4] == pytest.approx(height)
    g = Body(q[:3], q[:3]).A @ np.array(curves.tangent(CAM, q[6]), float)
    assert np.sign(g @ [-1.0, 0.0]) == sense  # which side of the face, looking along it


def test_point_in_a_slot():
    """Haug, example 3.4.5: y2 - l = 5/4 + sin(3 phi1)/4, at phi1 = 0.3."""
    length = 0.5

    def equations(one, two, a, t):
        pin = higher_pairs.point_follower(two.point((0, -length)), one.point(CAM(a)))
        return [*turning(one, t), *on_axis(two), *pin]

    q, qd, qdd = kinematics(Traced(equations, 2, 1), [0, 0, 0.3, 0, 1.9, 0, 1.3], 0.3)
    assert q[4] - length == pytest.approx(1.4458317274069, rel=1e-12)
    assert qd[4] == pytest.approx(0.466207476203, rel=1e-12)
    assert qdd[4] == pytest.approx(-1.7624855466618, rel=1e-12)


def test_pin_in_a_straight_slot_is_the_line_joint():
    """A slot (alpha, 0.3) does what a revolute-translational joint of offset 0.3 does: the same motion of a turning slot."""
    slot = curves.parametric(lambda a: a, lambda a: 0.3)

    def pin(two, t):
        return [pc.absolute_x(two.point((0, 0)), 1 + t), pc.absolute_y(two.point((0, 0)), 0.7)]

    def base(one):
        return pc.revolute(one.point((0, 0)), GROUND.point((0, 0)))

    def by_curve(one, two, a, t):
        joint = higher_pairs.point_follower(two.point((0, 0)), one.point(slot(a)))
        return [*base(one), *pin(two, t), pc.absolute_angle(two.phi, 0.0), *joint]

    def by_line(one, two, t):
        joint = pc.revolute_translational(one.point((0, 0)), one.vector((1, 0)), two.point((0, 0)), 0.3)
        return [*base(one), *pin(two, t), pc.absolute_angle(two.phi, 0.0), joint]

    curve = kinematics(Traced(by_curve, 2, 1), [0, 0, 0.3, 1.2, 0.7, 0, 1.3], 0.2)
    line = kinematics(Traced(by_line, 2), [0, 0, 0.3, 1.2, 0.7, 0], 0.2)
    for x, y in zip(curve, line, strict=True):
        np.testing.assert_allclose(x[:6], y, rtol=0, atol=1e-14)


def test_coupler_is_a_linear_relation():
    assert higher_pairs.coupler([(1.0, 3.0), (-2.0, 1.0), (0.5, 4.0)], 3.0) == 0
    a, b = graph.symbol("a"), graph.symbol("b")
    assert graph.gradient(higher_pairs.coupler([(2.0, a), (-3.0, b)]), [a, b]) == {a: 2.0, b: -3.0}
