"""Parallel axes, composite bodies, principal axes, plausibility: the book's examples and its impossible tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from linkwright.equations import rotations, shapes
from linkwright.equations.inertia import MassProperties, composite, implausible, parallel_axes, principal_axes, rotate
from linkwright.errors import ModelError

DIGITS = 1e-13  # of numbers recorded to 15 digits


def random_rotation(rng):
    p = rng.normal(size=4)
    return rotations.A(p / np.linalg.norm(p))


def cloud(rng, n=6):
    """Points as a body, and its mass properties by the definition."""
    m, x = rng.uniform(0.1, 2, n), rng.normal(size=(n, 3))
    com = m @ x / m.sum()
    d = x - com
    J = sum(mk * (dk @ dk * np.eye(3) - np.outer(dk, dk)) for mk, dk in zip(m, d, strict=True))
    return m, x, MassProperties(m.sum(), com, J)


# -- composite bodies -------------------------------------------------------------------------------------------------


def test_rod_and_disc_with_a_hole():
    """Haug example 6.1.2 (printed: 1.11 and 1.966): a rod of 1 m hangs from O, a disc with a concentric hole below it."""
    rod = shapes.bar(1.0, mass=2.8).moved((0, -0.5))
    disc = shapes.disc(0.25, density=8000 * 0.01).moved((0, -1.25))
    hole = shapes.disc(0.125, density=8000 * 0.01).moved((0, -1.25))
    assert disc.mass == pytest.approx(15.7079632679490, rel=DIGITS)
    assert hole.mass == pytest.approx(3.92699081698724, rel=DIGITS)
    body = composite([rod, disc, -hole])
    assert body.mass == pytest.approx(14.5809724509617, rel=DIGITS)
    assert_allclose(body.com, [0, -1.10597668419835], rtol=DIGITS)
    assert rod.about(body.com) == pytest.approx(1.26151501035101, rel=DIGITS)
    assert disc.about(body.com) == pytest.approx(0.816699665188550, rel=DIGITS)
    assert hole.about(body.com) == pytest.approx(0.112136069023999, rel=DIGITS)
    assert body.inertia == pytest.approx(1.96607860651556, rel=DIGITS)


def test_cylinder_with_hemispherical_ends():
    """Haug example 11.2.4 with R = 0.1, L = 0.5 and density 7800, axis y."""
    R, L, rho = 0.1, 0.5, 7800
    end = shapes.hemisphere(R, density=rho, axis="y").moved((0, L / 2, 0))
    turned = end.moved(rotation=np.diag([1.0, -1, -1]))
    body = composite([shapes.cylinder(R, L, density=rho, axis="y"), end, turned])
    assert body.mass == pytest.approx(155.1946770873, rel=1e-12)
    assert_allclose(body.com, 0, atol=1e-16)
    assert_allclose(np.diag(body.inertia), [5.6441853614, 0.7433008218, 5.6441853614], rtol=1e-9)
    assert_allclose(body.inertia - np.diag(np.diag(body.inertia)), 0, atol=1e-15)


def test_block_with_a_hole():
    """Haug example 11.2.5 with a, b, c = 0.4, 0.2, 0.1, density 7800; the hole of radius c/2 along x."""
    body = composite([shapes.box(0.4, 0.2, 0.1, density=7800), -shapes.cylinder(0.05, 0.4, density=7800, axis="x")])
    assert body.mass == pytest.approx(37.8955773020, rel=1e-11)
    assert_allclose(np.diag(body.inertia), [0.2293694716, 0.5419590998, 0.6979590998], rtol=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_composite_is_the_body_of_all_points(seed):
    rng = np.random.default_rng(seed)
    m, x, whole = cloud(rng)
    J = np.zeros((3, 3))
    parts = [MassProperties(mk, xk, J) for mk, xk in zip(m, x, strict=True)]
    body = composite([composite(parts[:3]), composite(parts[3:])])
    assert_allclose(body.com, whole.com, atol=1e-13)
    assert_allclose(body.inertia, whole.inertia, atol=1e-12)
    less = composite([body, -parts[0]])  # cutting it out again
    assert_allclose(less.inertia, composite(parts[1:]).inertia, atol=1e-11)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_moving_and_turning(seed):
    rng = np.random.default_rng(seed)
    m, x, body = cloud(rng)
    A, r = random_rotation(rng), rng.normal(size=3)
    J = np.zeros((3, 3))
    moved = composite([MassProperties(mk, A @ xk + r, J) for mk, xk in zip(m, x, strict=True)])
    ours = body.moved(r, A)
    assert_allclose(ours.com, moved.com, atol=1e-13)
    assert_allclose(ours.inertia, moved.inertia, atol=1e-12)
    about = body.about(r)
    direct = sum(mk * (d @ d * np.eye(3) - np.outer(d, d)) for mk, d in zip(m, x - r, strict=True))
    assert_allclose(about, direct, atol=1e-12 * np.abs(direct).max())
    assert_allclose(parallel_axes(about, -body.mass, body.com - r), body.inertia, atol=1e-12 * np.abs(about).max())


def test_planar_part_turns_its_mass_centre():
    half = shapes.semidisc(1.0, mass=1.0).moved(rotation=-np.pi / 2)
    assert_allclose(half.com, [4 / (3 * np.pi), 0], atol=1e-16)
    disc = composite([half, half.moved(rotation=np.pi)])
    assert disc.inertia == pytest.approx(shapes.disc(1.0, mass=2.0).inertia, rel=1e-14)


def test_what_cannot_be_one_body():
    with pytest.raises(ModelError, match="mass of -1"):
        composite([shapes.sphere(1, mass=1), -shapes.sphere(1, mass=2)])
    with pytest.raises(ModelError, match="planar and spatial"):
        composite([shapes.disc(1, mass=1), shapes.sphere(1, mass=1)])
    with pytest.raises(ModelError, match="at least one part"):
        composite([])


# -- principal axes ---------------------------------------------------------------------------------------------------


def test_principal_axes_of_a_triangular_plate():
    """Haug example 11.2.3, with the mass per area 1: from the moments at the corner to principal axes."""
    at_corner = np.array([[2, -1, 0], [-1, 2, 0], [0, 0, 4]]) / 24
    J = parallel_axes(at_corner, -0.5, (1 / 3, 1 / 3, 0))
    assert_allclose(J, np.array([[2, 1, 0], [1, 2, 0], [0, 0, 4]]) / 72, atol=1e-16)
    moments, axes = principal_axes(J)
    assert_allclose(moments, [1 / 18, 1 / 24, 1 / 72], rtol=1e-14)
    h = np.sqrt(0.5)
    assert_allclose(axes.T, [[0, 0, 1], [h, h, 0], [-h, h, 0]], atol=1e-15)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_principal_axes_diagonalise(seed):
    rng = np.random.default_rng(seed)
    _, _, body = cloud(rng)
    moments, A = principal_axes(body.inertia)
    assert (np.diff(moments) <= 0).all()
    assert np.linalg.det(A) == pytest.approx(1, rel=1e-13)
    assert_allclose(rotate(body.inertia, A.T), np.diag(moments), atol=1e-12 * moments[0])


# -- plausibility -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "printed", "mended"),
    [
        ("link 1", (4, 2, 0), (4, 2, 2)),
        ("link 2", (12.4, 0.01, 0), (12.4, 0.01, 12.4)),
        ("link 3", (4.54, 0.01, 0), (4.54, 0.01, 4.54)),
        ("chassis", (1240.1, 209.6, 139.9), (1240.1, 209.6, 1399.0)),
    ],
)
def test_impossible_tables_of_the_book(name, printed, mended):
    """Haug tables 12.3.1 and 12.5.1, and their repairs."""
    (finding,) = implausible(1.0, printed, name)
    assert finding.code == "triangle-inequality"
    assert finding.elements == (name,)
    assert "J_xx" in finding.text
    assert "J_zz lies between" in finding.remedy
    assert implausible(1.0, mended, name) == []


def test_slipped_decimal_point_is_guessed():
    (finding,) = implausible(1247.5, (1240.1, 209.6, 139.9))
    assert finding.remedy == (
        "with the other two as given, J_zz lies between 1030.5 and 1449.7 (a slipped decimal point? 1399 would do)"
    )


def test_a_plausible_table_passes_even_with_its_axes_mixed_up():
    assert implausible(0.5, (0.004, 0.0004, 0.004)) == []  # Haug 12.2.1: the rod lies along another axis


def test_triangle_inequality_holds_in_all_axes():
    """Turned axes hide the violation from the diagonal; the principal moments show it."""
    rng = np.random.default_rng(0)
    J = rotate(np.diag([1.0, 2, 4]), random_rotation(rng))
    diagonal = np.diag(J)
    assert 2 * diagonal.max() < diagonal.sum()
    (finding,) = implausible(1.0, J)
    assert finding.code == "triangle-inequality"
    assert finding.text.startswith("principal moment 1 = 4 is more than principal moment 2 + principal moment 3 = 2 + 1")


@pytest.mark.parametrize(
    ("mass", "inertia", "code"),
    [
        (-1.0, (1, 1, 1), "negative-mass"),
        (1.0, (-1, 1, 1), "negative-inertia"),
        (1.0, -0.1, "negative-inertia"),
        (1.0, [[1, 2, 0], [2, 1, 0], [0, 0, 1]], "negative-inertia"),
        (1.0, [[1, 0.2, 0], [0.1, 1, 0], [0, 0, 1]], "not-symmetric"),
        (1.0, (1, 1), "inertia-shape"),
        (float("nan"), 1.0, "not-finite"),
        (1.0, (1, np.inf, 1), "not-finite"),
    ],
)
def test_impossible_bodies(mass, inertia, code):
    assert [finding.code for finding in implausible(mass, inertia)] == [code]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_real_bodies_are_plausible(seed, n):
    rng = np.random.default_rng(seed)
    _, _, body = cloud(rng, n)
    assert implausible(body.mass, body.inertia) == []


def test_points_and_rods_are_plausible():
    for body in (shapes.point(mass=1), shapes.rod(1, mass=1), shapes.cylinder(1, 0, mass=1)):
        assert implausible(body.mass, body.inertia) == []
