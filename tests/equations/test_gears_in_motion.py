"""Gear pairs, planets, racks: they roll, and their marks meet."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planar_oracle import Body, Traced, kinematics

from linkwright import graph
from linkwright.equations import higher_pairs
from linkwright.equations import planar_constraints as pc
from linkwright.equations.plane import GROUND, Pose

pi = np.pi


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
