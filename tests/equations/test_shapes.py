"""Shapes against integration and against each other; meshes against shapes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linkwright.equations import shapes
from linkwright.equations.inertia import composite
from linkwright.errors import ModelError

ROUNDING = 1e-12

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
CUBE_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


def revolved(radius, height, n=20):
    """Mass properties of a solid of revolution about z with the given radius(z), by Gauss quadrature of thin discs."""
    x, w = np.polynomial.legendre.leggauss(n)
    z, w = height * (x + 1) / 2, height * w / 2
    R = radius(z)
    dm = w * np.pi * R**2
    m = dm.sum()
    zc = dm @ z / m
    across = dm @ (R**2 / 4 + (z - zc) ** 2)
    return m, zc, across, dm @ (R**2 / 2)


@pytest.mark.parametrize(
    ("body", "radius", "height"),
    [
        (shapes.cylinder(0.3, 0.8, density=1), lambda z: 0.3 + 0 * z, 0.8),
        (shapes.cone(0.3, 0.8, density=1), lambda z: 0.3 * (1 - z / 0.8), 0.8),
        (shapes.hemisphere(0.3, density=1), lambda z: np.sqrt(0.09 - z**2), 0.3),
        (shapes.sphere(0.3, density=1), lambda z: np.sqrt(0.09 - (z - 0.3) ** 2), 0.6),
    ],
    ids=["cylinder", "cone", "hemisphere", "sphere"],
)
def test_solids_of_revolution(body, radius, height):
    m, zc, across, along = revolved(radius, height)
    assert body.mass == pytest.approx(m, rel=ROUNDING)  # the integrands are polynomials: quadrature is exact
    assert_allclose(np.diag(body.inertia), [across, across, along], rtol=ROUNDING)
    if body.com[2]:
        assert_allclose(body.com, [0, 0, zc], rtol=ROUNDING)


def test_coefficients_of_the_table():
    assert_allclose(np.diag(shapes.hemisphere(1, mass=1).inertia), [83 / 320, 83 / 320, 0.4])
    assert_allclose(np.diag(shapes.cone(1, 2, mass=1).inertia), [0.3, 0.3, 0.3])
    assert_allclose(np.diag(shapes.rod(1, mass=12, axis="y").inertia), [1, 0, 1])
    assert_allclose(np.diag(shapes.box(1, 1, 1, mass=6).inertia), [1, 1, 1])
    assert shapes.semidisc(1, mass=1).inertia == pytest.approx(0.319873451302511, rel=1e-14)
    assert shapes.semidisc(1, mass=1).com[1] == pytest.approx(0.424413181578388, rel=1e-14)


def test_hollow_shapes_are_shapes_with_voids():
    tube = composite([shapes.cylinder(0.5, 2, density=3), -shapes.cylinder(0.2, 2, density=3)])
    ours = shapes.tube(0.5, 0.2, 2, density=3)
    assert ours.mass == pytest.approx(tube.mass, rel=1e-14)
    assert_allclose(ours.inertia, tube.inertia, atol=1e-14)
    ball = composite([shapes.sphere(0.5, density=3), -shapes.sphere(0.2, density=3)])
    assert_allclose(shapes.hollow_sphere(0.5, 0.2, density=3).inertia, ball.inertia, atol=1e-15)
    plate = composite([shapes.disc(0.5, density=3), -shapes.disc(0.2, density=3)])
    assert shapes.disc(0.5, inner=0.2, density=3).inertia == pytest.approx(plate.inertia, rel=1e-14)
    assert shapes.ring(0.5, mass=1).inertia == pytest.approx(shapes.disc(0.5, inner=0.5 - 1e-9, mass=1).inertia, rel=1e-8)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_axis_of_a_shape(axis):
    k = "xyz".index(axis)
    body = shapes.cone(0.2, 1, mass=1, axis=axis)
    assert body.com[k] == 0.25
    assert np.argmin(np.diag(body.inertia)) == k
    assert np.trace(body.inertia) == pytest.approx(np.trace(shapes.cone(0.2, 1, mass=1).inertia))


def test_planar_shapes_are_polygons():
    for ours, corners in (
        (shapes.rectangle(2, 1, density=3), [(-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5)]),
        (shapes.isosceles(2, 3, density=3), [(-1, 0), (1, 0), (0, 3)]),
    ):
        theirs = shapes.polygon(corners, density=3)
        assert (ours.mass, ours.inertia) == pytest.approx((theirs.mass, theirs.inertia), rel=1e-14)
        assert_allclose(ours.com, theirs.com, atol=1e-15)
    t = np.linspace(0, np.pi, 2001)
    half = shapes.polygon(np.column_stack([np.cos(t), np.sin(t)]), density=1)
    ours = shapes.semidisc(1, density=1)
    assert half.inertia == pytest.approx(ours.inertia, rel=2e-6)  # an arc of 2000 chords misses (pi/2000)^2/6 of the area


def test_flat_box_is_a_rectangle():
    assert shapes.box(2, 1, 0, mass=3).inertia[2, 2] == pytest.approx(shapes.rectangle(2, 1, mass=3).inertia)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: shapes.sphere(1), "either a mass or a density"),
        (lambda: shapes.box(1, 1, 1, mass=1, density=1), "either a mass or a density"),
        (lambda: shapes.box(1, -1, 1, mass=1), "b = -1 of the box is negative"),
        (lambda: shapes.mesh(CUBE, CUBE_FACES, density=-1), "density = -1 of the mesh is negative"),
        (lambda: shapes.disc(1, mass=-2), "mass = -2 of the disc is negative"),
        (lambda: shapes.tube(1, 2, 1, mass=1), "inner radius 2 of the tube"),
        (lambda: shapes.cylinder(1, 1, mass=1, axis="w"), "no axis 'w'"),
        (lambda: shapes.polygon([(0, 0), (0, 1), (1, 0)], mass=1), "the area -0.5"),
    ],
)
def test_wrong_shapes_are_named(call, text):
    with pytest.raises(ModelError, match=text) as caught:
        call()
    assert caught.value.remedy


# -- meshes -----------------------------------------------------------------------------------------------------------


def test_mesh_of_a_box():
    size, place = np.array([0.3, 0.5, 0.7]), np.array([10.0, -20, 5])
    body = shapes.mesh(CUBE * size + place, CUBE_FACES, density=2)
    box = shapes.box(*size, density=2)
    assert body.mass == pytest.approx(box.mass, rel=1e-13)
    assert_allclose(body.com, place + size / 2, rtol=1e-14)
    assert_allclose(body.inertia, box.inertia, atol=1e-13)  # 20 m from the origin costs no digits: see the shift


def test_mesh_of_a_tetrahedron():
    """The corner tetrahedron: int x^2 = 1/60, int x y = 1/120, volume 1/6, centroid 1/4."""
    body = shapes.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], density=1)
    assert body.mass == pytest.approx(1 / 6, rel=1e-14)
    assert_allclose(body.com, [0.25] * 3)
    about_corner = body.about((0, 0, 0))
    assert_allclose(about_corner, np.full((3, 3), -1 / 120) + np.eye(3) * (1 / 30 + 1 / 120), atol=1e-16)


def test_mesh_of_haugs_wedge():
    """Haug example 11.2.1: 0 <= x, y <= 10, 9 - 0.2 y <= z <= 11 + 0.2 y (problem 11.2.1, recomputed)."""
    corners = CUBE * [10, 10, 0]
    corners[:, 2] = np.where(CUBE[:, 2] > 0, 11 + 0.2 * corners[:, 1], 9 - 0.2 * corners[:, 1])
    body = shapes.mesh(corners, CUBE_FACES, density=1)
    assert body.mass == pytest.approx(400, rel=1e-13)
    assert_allclose(body.com, [5, 35 / 6, 10], rtol=1e-13)
    assert_allclose(body.inertia, np.diag([33500 / 9, 4000, 57500 / 9]), atol=1e-10)
    at_origin = [[172000 / 3, -35000 / 3, -20000], [-35000 / 3, 54000, -70000 / 3], [-20000, -70000 / 3, 30000]]
    assert_allclose(body.about((0, 0, 0)), at_origin, rtol=1e-12)


def icosphere(levels):
    """A ball's mesh: an octahedron, its faces split in four, its vertices pushed out."""
    P = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=float)
    T = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
    soup = P[T]
    for _ in range(levels):
        a, b, c = soup[:, 0], soup[:, 1], soup[:, 2]
        ab, bc, ca = ((u + v) / np.linalg.norm(u + v, axis=1)[:, None] for u, v in ((a, b), (b, c), (c, a)))
        soup = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return soup.reshape(-1, 3), np.arange(len(soup) * 3).reshape(-1, 3)


def test_mesh_of_a_ball_converges_with_the_square_of_the_edge():
    ball = shapes.sphere(1, density=1)
    errors = [abs(shapes.mesh(*icosphere(k), density=1).inertia[0, 0] / ball.inertia[0, 0] - 1) for k in (2, 3, 4)]
    assert errors[2] < 0.01
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.15)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.05)


def test_inner_shell_is_a_void():
    inner = CUBE * 0.5 + 0.25
    body = shapes.mesh(np.concatenate([CUBE, inner]), np.concatenate([CUBE_FACES, CUBE_FACES[:, ::-1] + 8]), density=1)
    hollow = composite([shapes.box(1, 1, 1, density=1), -shapes.box(0.5, 0.5, 0.5, density=1)])
    assert body.mass == pytest.approx(hollow.mass, rel=1e-14)
    assert_allclose(body.inertia, hollow.inertia, atol=1e-15)


def test_broken_meshes_are_named():
    with pytest.raises(ModelError, match="inside out: its volume is -1") as caught:
        shapes.mesh(CUBE, CUBE_FACES[:, ::-1], density=1)
    assert "counterclockwise" in caught.value.remedy
    with pytest.raises(ModelError, match="open: 3 edges belong to one triangle only") as caught:
        shapes.mesh(CUBE, CUBE_FACES[1:], density=1)
    assert "close the hole" in caught.value.remedy
    flipped = CUBE_FACES.copy()
    flipped[4] = flipped[4, ::-1]
    with pytest.raises(ModelError, match="disagree about which side is outside"):
        shapes.mesh(CUBE, flipped, density=1)
    with pytest.raises(ModelError, match="names vertex 9"):
        shapes.mesh(CUBE, [[0, 1, 9]], density=1)
    with pytest.raises(ModelError, match="encloses no volume"):
        shapes.mesh(CUBE * [1, 1, 0], [[0, 2, 6], [0, 6, 4], [0, 4, 2], [2, 4, 6]], density=1)
    with pytest.raises(ModelError, match="shapes"):
        shapes.mesh(CUBE, [[0, 1, 3, 2]], density=1)
