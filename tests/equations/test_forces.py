"""Laws of forces, and the inertia of a body against one made of point masses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from linkwright.equations import forces, newton_euler, plane, rotations, tyres
from strategies import seeds, unit_quaternions


def cloud(rng, n):
    """Point masses of a body: masses, places; total mass, mass centre, inertia about it."""
    m, s = rng.uniform(0.1, 1.0, 6), rng.normal(size=(6, n))
    c = m @ s / m.sum()
    d = s - c
    return m, s, m.sum(), c, d


@given(rng=seeds)
def test_a_planar_body_is_its_particles(rng):
    """Virtual work of m rddot over all particles is M vdot + h: r + A s', rddot = vdot terms - omega^2 A s' (6.1.11)."""
    m, s, mass, c, d = cloud(rng, 2)
    J = float(m @ (d**2).sum(axis=1))
    phi, omega = rng.normal(size=2)
    A = np.asarray(plane.A(phi), dtype=float)
    M, h = newton_euler.planar(mass, J, tuple(c), A, omega)
    expected_M, expected_h = np.zeros((3, 3)), np.zeros(3)
    for mass_k, s_k in zip(m, s, strict=True):
        x = A @ s_k
        B = np.array([[1, 0, -x[1]], [0, 1, x[0]]])
        expected_M += mass_k * B.T @ B
        expected_h += mass_k * B.T @ (-(omega**2) * x)
    assert M.astype(float) == pytest.approx(expected_M, abs=1e-12)  # sums of six numbers of size one
    assert h.astype(float) == pytest.approx(expected_h, abs=1e-11)


@given(rng=seeds, p=unit_quaternions)
def test_a_spatial_body_is_its_particles(rng, p):
    m, s, mass, c, d = cloud(rng, 3)
    J = sum(w * ((x @ x) * np.eye(3) - np.outer(x, x)) for w, x in zip(m, d, strict=True))
    A = np.asarray(rotations.A(p), dtype=float)
    w = rng.normal(size=3)
    M, h = newton_euler.spatial(mass, J, tuple(c), A, w)
    expected_M, expected_h = np.zeros((6, 6)), np.zeros(6)
    for mass_k, x in zip(m, s, strict=True):
        tilde = np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
        B = np.hstack([np.eye(3), -A @ tilde])
        expected_M += mass_k * B.T @ B
        expected_h += mass_k * B.T @ (A @ np.cross(w, np.cross(w, x)))
    assert M.astype(float) == pytest.approx(expected_M, abs=1e-11)
    assert h.astype(float) == pytest.approx(expected_h, abs=1e-10)


def test_direction_where_points_meet():
    """Haug 6.2.9: d/l becomes ddot/|ddot|."""
    length, rate, u = forces.length_and_direction((3.0, 4.0), (1.0, 0.0))
    assert (length, rate, *u) == pytest.approx((5, 0.6, 0.6, 0.8))
    length, rate, u = forces.length_and_direction((0.0, 0.0), (0.0, 2.0))
    assert (length, rate, *u) == (0, 2, 0, 1)
    length, rate, u = forces.length_and_direction((0.0, 0.0), (0.0, 0.0))
    assert (length, rate, *u) == (0, 0, 0, 0)


@pytest.mark.parametrize("law", ["linear", "hertz", "hunt-crossley"])
def test_contacts_push_only_and_only_when_touching(law):
    def N(depth, rate):
        return forces.contact(law, depth, rate, 100.0, 5.0, 1.5)

    assert N(-0.1, 3.0) == 0
    assert N(0.04, 0.0) == pytest.approx(4.0 if law == "linear" else 100 * 0.008)
    assert N(0.04, 1.0) > N(0.04, 0.0)
    assert N(0.04, -1e3) == 0  # torn apart: no glue
    h = 1e-6
    slope = [forces.contact_energy(law, 0.04 + x, 100.0, 1.5) for x in (h, -h)]
    assert (slope[0] - slope[1]) / (2 * h) == pytest.approx(N(0.04, 0.0), rel=1e-8)  # error h^2 of the difference


def test_friction_opposes_saturates_and_peaks_at_small_speeds():
    def F(v, N=10.0):
        return forces.friction(v, N, 0.3, 0.5, 0.0, 0.2, 1e-3)

    assert F(0.0) == 0
    assert F(1.0) == pytest.approx(3.0 + 0.2)
    assert F(-1.0) == -F(1.0)
    largest = max(F(v) for v in np.linspace(0, 0.03, 600))
    assert 0.45 * 10 < largest < 0.5 * 10  # nearly mu_static N


def test_tyre():
    """Haug 12.5: a wheel that heads along y (axle along x) and drifts to +x is pushed to -x; clipped at mu times load."""

    def force(v, depth=0.01, axle=(1.0, 0.0, 0.0)):
        N = forces.contact("linear", depth, 0.0, 2e5, 0.0, 1.0)
        heading, side = tyres.directions(axle)
        forward, across = np.dot(heading, v), np.dot(side, v)
        _, lateral = tyres.steady(forward, across, 0.0, 1e-9, (0.0, 45e3), 0.8 * N)
        return np.array(lateral * side + [0, 0, N], dtype=float), float(tyres.slip_angle(forward, across, 1e-9))

    F, slip = force((0.1, 20.0, 0.0))
    assert slip == pytest.approx(np.arctan(0.1 / 20))
    assert pytest.approx([-45e3 * slip, 0, 2000]) == F
    assert force((5.0, 20.0, 0.0))[0] == pytest.approx([-0.8 * 2000, 0, 2000])
    assert force((-5.0, -20.0, 0.0))[0] == pytest.approx([0.8 * 2000, 0, 2000])
    assert force((0.0, 0.0, 0.0))[0] == pytest.approx([0, 0, 2000])
    assert force((5.0, 20.0, 0.0), depth=-0.01)[0] == pytest.approx([0, 0, 0])
    # a cambered wheel: the axle's level direction counts
    assert force((0.1, 20.0, 0.0), axle=(0.8, 0.0, 0.6))[0] == pytest.approx(F)
