"""Gears, racks, cams and slots: the textbook's formulas (Haug 3.4, errors mended), its examples, the wrong roots."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planar_oracle import Body, Relative, Traced, check, check_identity, kinematics

from linkwright import graph
from linkwright.equations import curves, higher_pairs
from linkwright.equations import planar_constraints as pc
from linkwright.equations.plane import GROUND, Pose, unit

SEEDS = [1, 2, 3]
pi = np.pi


# -- formulas ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("R_i", "R_j"), [(1.5, 0.7), (-2.0, 0.6), (0.4, -1.9)])
def test_gear(seed, R_i, R_j):
    s_i, s_j = np.random.default_rng(seed).uniform(-2, 2, (2, 2))
    th_i, th_j = 0.4, -1.1
    phase = higher_pairs.gear_phase_of_marks(R_i, th_i, R_j, th_j)

    def equations(i, j, t):
        return higher_pairs.gear(i.point(s_i), i.phi, R_i, j.point(s_j), j.phi, R_j, phase)

    def oracle(i, j, t):
        theta = (R_i * (i.f + th_i) + R_j * (j.f + th_j) - R_j * pi) / (R_i + R_j)
        u, u_perp = np.array([np.cos(theta), np.sin(theta)]), np.array([-np.sin(theta), np.cos(theta)])
        E, Ed = j.P(s_j) - i.P(s_i), j.v(s_j) - i.v(s_i)
        thd = (R_i * i.fd + R_j * j.fd) / (R_i + R_j)
        J = [
            *-u_perp, -s_i @ i.B.T @ u_perp - E @ u * R_i / (R_i + R_j),
            *u_perp, s_j @ j.B.T @ u_perp - E @ u * R_j / (R_i + R_j),
        ]  # fmt: skip
        gamma = 2 * Ed @ u * thd + (j.A @ s_j * j.fd**2 - i.A @ s_i * i.fd**2) @ u_perp + E @ u_perp * thd**2
        return J, 0, gamma

    check(equations, oracle, 2, seed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("R_j", [0.7, -0.7])
def test_rack_pinion(seed, R_j):
    """With a unit vector along the rack, |v| = 1 in the book's rows."""
    rng = np.random.default_rng(seed)
    s_i, s_j = rng.uniform(-2, 2, (2, 2))
    v_i = np.array(unit(rng.uniform(-2, 2, 2)), float)

    def equations(i, j, t):
        return higher_pairs.rack_pinion(i.point(s_i), i.vector(v_i), i.phi, j.point(s_j), j.phi, R_j, 0.3)

    def oracle(i, j, t):
        ij = Relative(i, j)
        row_1 = [
            *(-v_i @ i.A.T), v_i @ i.B.T @ ij.dr - v_i @ ij.B @ s_j - R_j,
            *(v_i @ i.A.T), v_i @ ij.B @ s_j + R_j,
        ]  # fmt: skip
        row_2 = [
            *(-v_i @ i.B.T), -v_i @ i.A.T @ ij.dr - v_i @ ij.A @ s_j,
            *(v_i @ i.B.T), v_i @ ij.A @ s_j,
        ]  # fmt: skip
        gamma = [
            v_i @ (i.A.T @ ij.dr * i.fd**2 - 2 * i.B.T @ ij.drd * i.fd + ij.A @ s_j * ij.w**2),
            v_i @ (2 * i.A.T @ ij.drd * i.fd + i.B.T @ ij.dr * i.fd**2 - ij.B @ s_j * ij.w**2),
        ]
        return [row_1, row_2], 0, gamma

    check(equations, oracle, 2, seed)


class Outline:
    """rho = c0 + c1 cos(2 a + c2) + c3 sin(3 a) about s_Q', with the book's formulas for a', g', g'_a, g'_aa (3.4.15-17)."""

    def __init__(self, rng):
        self.c = [2.0, *rng.uniform(-0.3, 0.3, 3)]
        self.s_Q = rng.uniform(-1, 1, 2)
        self.path = curves.polar(self.rho, self.s_Q)

    def rho(self, a):
        c = self.c
        return c[0] + c[1] * graph.cos(2 * a + c[2]) + c[3] * graph.sin(3 * a)

    def at(self, a):
        _, c1, c2, c3 = self.c
        x, y = 2 * a + c2, 3 * a
        rho = self.c[0] + c1 * np.cos(x) + c3 * np.sin(y)
        rho_a = -2 * c1 * np.sin(x) + 3 * c3 * np.cos(y)
        rho_aa = -4 * c1 * np.cos(x) - 9 * c3 * np.sin(y)
        rho_aaa = 8 * c1 * np.sin(x) - 27 * c3 * np.cos(y)
        u, n = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
        p = self.s_Q + rho * u
        g = rho_a * u + rho * n
        g_a = rho_aa * u + 2 * rho_a * n - rho * u
        g_aa = rho_aaa * u + 3 * rho_aa * n - 3 * rho_a * u - rho * n
        return p, g, g_a, g_aa


def test_derivatives_of_an_outline():
    outline = Outline(np.random.default_rng(5))
    a = graph.symbol("a")
    for value in (-7.0, 0.3, 2.2, 11.0):
        for order, expected in enumerate(outline.at(value)):
            got = graph.evaluate(list(curves.derivative(outline.path, a, order)), {a: value})
            np.testing.assert_allclose(
                got, expected, rtol=0, atol=1e-12
            )  # rounding of arguments near 10 and factors near 30


@pytest.mark.parametrize("seed", SEEDS)
def test_cam_follower(seed):
    rng = np.random.default_rng(seed)
    one, two = Outline(rng), Outline(rng)

    def equations(i, j, a_i, a_j, t):
        return higher_pairs.cam_follower(
            i.point(one.path(a_i)),
            i.vector(curves.tangent(one.path, a_i)),
            j.point(two.path(a_j)),
            j.vector(curves.tangent(two.path, a_j)),
        )

    def oracle(i, j, a_i, a_j, ad_i, ad_j, t):
        (p_i, g_i, ga_i, gaa_i), (p_j, g_j, ga_j, gaa_j) = one.at(a_i), two.at(a_j)
        ij = Relative(i, j)
        A, B, w = ij.A, ij.B, ij.w
        top = np.column_stack([np.eye(2), i.B @ p_i, -np.eye(2), -j.B @ p_j, i.A @ g_i, -j.A @ g_j])
        row_3 = [0, 0, -g_i @ A @ g_j, 0, 0, g_i @ A @ g_j, -ga_i @ B @ g_j, -g_i @ B @ ga_j]
        gamma = (
            i.A @ p_i * i.fd**2 - j.A @ p_j * j.fd**2
            - i.A @ ga_i * ad_i**2 + j.A @ ga_j * ad_j**2
            - 2 * i.B @ g_i * i.fd * ad_i + 2 * j.B @ g_j * j.fd * ad_j
        )  # fmt: skip
        gamma_3 = (
            gaa_i @ B @ g_j * ad_i**2 + g_i @ B @ gaa_j * ad_j**2 + 2 * ga_i @ B @ ga_j * ad_i * ad_j
            - 2 * (ga_i @ A @ g_j * ad_i + g_i @ A @ ga_j * ad_j) * w - g_i @ B @ g_j * w**2
        )  # fmt: skip
        return [*top, row_3], 0, [*gamma, gamma_3]

    check(equations, oracle, 2, seed, parameters=2)


@pytest.mark.parametrize("seed", SEEDS)
def test_cam_flat(seed):
    rng = np.random.default_rng(seed)
    outline, s_j = Outline(rng), rng.uniform(-2, 2, 2)
    u = np.array(unit(rng.uniform(-2, 2, 2)), float)

    def equations(i, j, a, t):
        P, g = i.point(outline.path(a)), i.vector(curves.tangent(outline.path, a))
        return higher_pairs.cam_flat(P, g, j.point(s_j), j.vector(u))

    def oracle(i, j, a, ad, t):
        p, g, ga, gaa = outline.at(a)
        ij = Relative(i, j)
        A, B, w = ij.A, ij.B, ij.w
        P, Pd = i.P(p), i.rd + i.B @ p * i.fd + i.A @ g * ad
        row_1 = [*(u @ j.B.T), p @ A @ u, *(-u @ j.B.T), -(P - j.r) @ j.A @ u, g @ B @ u]
        row_2 = [0, 0, g @ A @ u, 0, 0, -g @ A @ u, ga @ B @ u]
        gamma = [
            2 * (Pd - j.rd) @ j.A @ u * j.fd + p @ B @ u * i.fd**2 + (P - j.r) @ j.B @ u * j.fd**2
            - ga @ B @ u * ad**2 - 2 * g @ A @ u * ad * i.fd,
            g @ B @ u * w**2 - gaa @ B @ u * ad**2 + 2 * ga @ A @ u * w * ad,
        ]  # fmt: skip
        return [row_1, row_2], 0, gamma

    check(equations, oracle, 2, seed, parameters=1)


@pytest.mark.parametrize("seed", SEEDS)
def test_point_follower(seed):
    rng = np.random.default_rng(seed)
    outline, s_i = Outline(rng), rng.uniform(-2, 2, 2)

    def equations(i, j, a, t):
        return higher_pairs.point_follower(i.point(s_i), j.point(outline.path(a)))

    def oracle(i, j, a, ad, t):
        p, g, ga, _ = outline.at(a)
        J = np.column_stack([np.eye(2), i.B @ s_i, -np.eye(2), -j.B @ p, -j.A @ g])
        gamma = i.A @ s_i * i.fd**2 - j.A @ p * j.fd**2 + j.A @ ga * ad**2 + 2 * j.B @ g * j.fd * ad
        return J, 0, gamma

    check(equations, oracle, 2, seed, parameters=1)


def test_second_derivative_along_the_motion():
    s = [0.25, -0.75]
    path = curves.polar(lambda a: 2 + 0.25 * graph.cos(3 * a), (0.5, 0.25))
    other = curves.parametric(lambda a: a - 0.5 * graph.sin(a), lambda a: graph.exp(0.25 * a))

    def contact(i, j, a, b, t):
        P_i, g_i = i.point(path(a)), i.vector(curves.tangent(path, a))
        P_j, g_j = j.point(other(b)), j.vector(curves.tangent(other, b))
        return [
            higher_pairs.gear(i.point(s), i.phi, 1.5, j.point(s), j.phi, 0.5, 0.1),
            *higher_pairs.rack_pinion(i.point(s), i.vector((0.0, 1.0)), i.phi, j.point(s), j.phi, 0.5, 0.1),
            *higher_pairs.cam_follower(P_i, g_i, P_j, g_j),
            *higher_pairs.cam_flat(P_i, g_i, j.point(s), j.vector((1.0, 0.0))),
            *higher_pairs.point_follower(i.point(s), P_j),
            higher_pairs.coupler([(1.0, i.phi), (-0.5, j.phi * j.phi), (2.0, a)], t * t),
        ]

    check_identity(contact, 2, 2)


# -- gears in motion ----------------------------------------------------------------------------------------------------


def sun_and_planet(j, t):
    phase = higher_pairs.gear_phase_of_marks(2.0, 0.0, 1.0, pi)
    centre = GROUND.point((0, 0))
    return [
        pc.absolute_distance(j.point((0, 0)), centre, 3.0),
        higher_pairs.gear(centre, 0.0, 2.0, j.point((0, 0)), j.phi, 1.0, phase),
        pc.absolute_angle(j.phi, t),
    ]


def test_planet_rolls_three_times_as_fast_as_its_arm():
    """Sun 2, planet 1: phi_j = 3 arm angles; at phi_j = t = 0.9 (12 digits of the exact values)."""
    q, qd, qdd = kinematics(Traced(sun_and_planet, 1), [2.9, 0.9, 0.9], 0.9)
    assert q[:2] == pytest.approx([2.866009467377, 0.886560619984], rel=1e-12)
    assert qd[:2] == pytest.approx([-0.2955202066613, 0.9553364891256], rel=1e-12)
    assert qdd[:2] == pytest.approx([-0.3184454963752, -0.09850673555378], rel=1e-12)


@pytest.mark.parametrize("side", [1, -1])
def test_the_antipodal_planet_meshes_in_the_equations_but_not_in_the_sense(side):
    q, *_ = kinematics(Traced(sun_and_planet, 1), [2.9 * side, 0.9 * side, 0.9], 0.9)
    phase = higher_pairs.gear_phase_of_marks(2.0, 0.0, 1.0, pi)
    sense = higher_pairs.gear_sense(np.zeros(2), 0.0, 2.0, q[:2], q[2], 1.0, phase)
    assert sense == pytest.approx(3.0 * side, rel=1e-14)


@settings(max_examples=40, deadline=None)
@given(st.floats(0.2, 3), st.floats(0.2, 3), st.floats(-20, 20), st.floats(-20, 20), st.floats(-3, 3))
def test_gear_phase_of_an_assembled_pair(R_i, R_j, phi_i, phi_j, arm):
    """With the phase found there, the pair meshes there, touches there, and on the right root."""
    P_i, P_j = np.array([0.3, -0.2]), np.array([0.3, -0.2]) + (R_i + R_j) * np.array([np.cos(arm), np.sin(arm)])
    phase = higher_pairs.gear_phase(P_i, phi_i, R_i, P_j, phi_j, R_j)
    args = (P_i, phi_i, R_i, P_j, phi_j, R_j, phase)
    # angles up to 20 rad are rounded to 4e-15, lengths reach 6
    assert abs(higher_pairs.gear(*args)) < 1e-13
    assert higher_pairs.gear_sense(*args) == pytest.approx(R_i + R_j, rel=1e-13)
    assert abs(higher_pairs.gear_gap(P_i, R_i, P_j, R_j)) < 1e-13


@pytest.mark.parametrize(("ring", "pinion", "ring_first"), [(3.0, 1.0, True), (3.0, 1.0, False), (2.5, 0.7, True)])
def test_planet_inside_a_ring(ring, pinion, ring_first):
    """Ring held, arm turns by psi: the planet turns by -(ring - pinion)/pinion psi, whichever comes first."""
    e, start = ring - pinion, 0.4

    def equations(j, t):
        planet, centre = j.point((0, 0)), GROUND.point((0, 0))
        at_start = e * np.array([np.cos(start), np.sin(start)])
        gears = ((centre, 0.0, -ring), (planet, j.phi, pinion))
        where = ((np.zeros(2), 0.0, -ring), (at_start, 0.25, pinion))
        if not ring_first:
            gears, where = gears[::-1], where[::-1]
        phase = higher_pairs.gear_phase(*where[0], *where[1])
        drive = [pc.absolute_x(planet, e * graph.cos(start + t)), pc.absolute_y(planet, e * graph.sin(start + t))]
        return [*drive, higher_pairs.gear(*gears[0], *gears[1], phase)]

    traced = Traced(equations, 1)
    psi = 0.3
    estimate = [e * np.cos(start + psi), e * np.sin(start + psi), 0.25 - e / pinion * psi + 0.05]
    q, qd, _ = kinematics(traced, estimate, psi)
    assert q[2] - 0.25 == pytest.approx(-e / pinion * psi, rel=1e-13)
    assert qd[2] == pytest.approx(-e / pinion, rel=1e-13)


def test_marks_of_an_internal_pair_meet_at_the_contact():
    """Ring 3 and pinion 1, marks at 0.2 and 0.7: after rolling both marks to the contact, they are at one point."""
    ring, pinion, mark_i, mark_j = 3.0, 1.0, 0.2, 0.7
    phase = higher_pairs.gear_phase_of_marks(-ring, mark_i, pinion, mark_j + pi)
    arm = 1.1
    phi_i, phi_j = arm - mark_i, arm - mark_j  # both marks point along the arm
    P_j = (ring - pinion) * np.array([np.cos(arm), np.sin(arm)])
    args = (np.zeros(2), phi_i, -ring, P_j, phi_j, pinion, phase)
    assert abs(higher_pairs.gear(*args)) < 1e-14
    assert higher_pairs.gear_sense(*args) == pytest.approx(ring - pinion, rel=1e-14)


def test_fixed_centres_turn_in_inverse_ratio_of_the_radii():
    """R_i fd_i = -R_j fd_j (Haug, problem 3.4.1), many turns on."""
    R_i, R_j = 0.5, 1.25

    def equations(i, j, t):
        P_i, P_j = i.point((0, 0)), j.point((0, 0))
        centres = [*pc.revolute(P_i, GROUND.point((0, 0))), *pc.revolute(P_j, GROUND.point((1.75, 0)))]
        return [*centres, pc.absolute_angle(i.phi, 40 * t), higher_pairs.gear(P_i, i.phi, R_i, P_j, j.phi, R_j, 0.0)]

    q, qd, qdd = kinematics(Traced(equations, 2), [0, 0, 40, 1.75, 0, -16.1], 1.0)
    assert R_i * q[2] == pytest.approx(-R_j * q[5], rel=1e-13)
    assert qd[5] == pytest.approx(-40 * R_i / R_j, rel=1e-13)
    assert qdd[5] == pytest.approx(0.0, abs=1e-10)  # a difference of terms near 1600


def test_trolley():
    """A gear of 0.3 m, 5 rev/s^2, at 600 rpm: a = 4.71238898038469 m/s^2, v = 9.42477796076938 m/s (problem 3.4.2).

    The gear turns in fixed bearings above a rack, which goes the way the gear's lower side goes: forward.
    """

    def equations(i, j, t):
        rack, centre = i.point((0, 0)), j.point((0, 0))
        return [
            *higher_pairs.rack_pinion(rack, i.vector((1, 0)), i.phi, centre, j.phi, 0.15, 0.0),
            pc.absolute_angle(i.phi, 0.0),
            *pc.revolute(centre, GROUND.point((0, 0.15))),
            pc.absolute_angle(j.phi, 5 * pi * t * t),
        ]

    _, qd, qdd = kinematics(Traced(equations, 2), [9.4, 0, 0, 0, 0.15, 5 * pi * 4], 2.0)  # 20 pi rad/s = 600 rpm
    assert qd[0] == pytest.approx(9.42477796076938, rel=1e-14)
    assert qdd[0] == pytest.approx(4.71238898038469, rel=1e-13)


def rack_and_pinion(i, j, t):
    v = i.vector((-1, 0))
    phase = higher_pairs.rack_phase_of_marks(-1.5 * pi, 0.0)
    P_i, P_j = i.point((-1, 0)), j.point((0, 0))  # the far end of a rack of length 1
    return [
        pc.absolute_x(i.point((0, 0)), 0.8 + 0.3 * t),
        pc.absolute_y(i.point((0, 0)), 0.0),
        *pc.revolute(P_j, GROUND.point((0, 0))),
        *higher_pairs.rack_pinion(P_i, v, i.phi, P_j, j.phi, 0.2, phase),
    ]


def test_rack_and_pinion_example():
    """Haug, example 3.4.2, 12 digits of an mpmath solution (the book: 0.0968 and -1.4524 rad/s)."""
    q, qd, qdd = kinematics(Traced(rack_and_pinion, 2), [0.8, 0, -0.25, 0, 0, 0.9], 0.0)
    assert q[[2, 5]] == pytest.approx([-0.2526802551421, 0.8743363986505], rel=1e-12)
    assert qd[[2, 5]] == pytest.approx([0.09682458365519, -1.452368754828], rel=1e-12)
    assert qdd[[2, 5]] == pytest.approx([-0.07503905233277, -0.03630921887069], rel=1e-11)


@pytest.mark.parametrize("R_j", [0.4, -0.4])
def test_rack_phase_and_rolling_on_either_side(R_j):
    """Held rack, pinion on its left or right: rolling without slip, the point of contact stands still."""
    rack, v = Pose((0.5, 0.2), 0.6), (1.0, 0.0)
    P_i, v_i = rack.point((0, 0)), rack.vector(v)
    start = Pose(rack.point((1.3, R_j)), 7.0)
    phase = higher_pairs.rack_phase(P_i, v_i, rack.phi, start.point((0, 0)), start.phi, R_j)
    rows = higher_pairs.rack_pinion(P_i, v_i, rack.phi, start.point((0, 0)), start.phi, R_j, phase)
    np.testing.assert_allclose(np.array(rows, float), 0, atol=1e-15)

    def equations(j, t):
        rows = higher_pairs.rack_pinion(P_i, v_i, rack.phi, j.point((0, 0)), j.phi, R_j, phase)
        return [*rows, pc.displacement(P_i, v_i, j.point((0, 0))) - 1.3 - t]

    q, qd, _ = kinematics(Traced(equations, 1), [*start.r, 7.0], 0.25)
    pinion = Body(q, qd)
    contact = pinion.A.T @ (rack.point((1.55, 0.0)).astype(float) - pinion.r)
    np.testing.assert_allclose(pinion.v(contact), 0, atol=1e-14)


# -- cams -------------------------------------------------------------------------------------------------------------


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
    assert np.sign(higher_pairs.flat_sense(g, np.array([-1.0, 0.0]))) == sense


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
