"""Bodies made of solids: mass, inertia and centre come from the shape, as numbers or as expressions of parameters."""

import inspect

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ModelError
from linkwright.model.files import dumps, loads

SPACE = ["rod", "box", "cylinder", "tube", "sphere", "hollow_sphere", "hemisphere", "cone"]
PLANE = ["bar", "rectangle", "isosceles", "disc", "semidisc", "ring"]


def dimensions(name):
    places = inspect.signature(getattr(lw.shapes, name)).parameters.values()
    return [
        0.3 - 0.05 * k for k, _ in enumerate(p for p in places if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty)
    ]


@pytest.mark.parametrize("name", SPACE + PLANE)
def test_a_body_has_what_the_solid_says_also_by_parameters(name):
    m = (lw.SpatialModel if name in SPACE else lw.PlanarModel)("m")
    shape, sizes = getattr(lw.shapes, name), dimensions(name)
    solid = shape(*sizes, density=500.0)
    body = m.body("by numbers", solid, position=(1.0, 2.0, 3.0)[: m.dimension])
    assert body.mass == solid.mass
    np.testing.assert_array_equal(body.inertia_matrix().squeeze(), np.asarray(solid.inertia))
    np.testing.assert_array_equal(body.com, solid.com)
    traced = [m.parameter(f"d{k}", x) for k, x in enumerate(sizes)]
    other = m.body("by parameters", shape(*traced, density=m.parameter("rho", 500.0)))
    # the same formulas, rounded in another order
    assert m.value(other.mass) == pytest.approx(body.mass, rel=1e-14)
    np.testing.assert_allclose(other.inertia_matrix(), body.inertia_matrix(), rtol=1e-13, atol=1e-18)
    np.testing.assert_allclose([m.value(x) for x in other.com], body.com, rtol=1e-14)
    m.set(rho=1000.0)
    assert m.value(other.mass) == pytest.approx(2 * body.mass, rel=1e-14)
    assert loads(dumps(m)) == m


def test_a_solid_in_the_plane_turns_about_z():
    m = lw.PlanarModel("m")
    b = m.body("b", lw.shapes.cone(0.1, 0.4, mass=2.0, axis="x"))
    assert b.com == (pytest.approx(0.1), 0.0)
    assert b.inertia == pytest.approx(3 / 80 * 2 * (4 * 0.1**2 + 0.4**2))


def test_a_pendulum_of_a_solid_swings_as_the_textbook_says():
    """A bar of length l on a pin at its end: small oscillations with omega^2 = 3 g / (2 l)."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", lw.shapes.bar(0.5, mass=2.0).moved((0.25, 0)), angle="-90 deg")
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(0, 0)))
    lin = lw.linearize(m, lw.equilibrium(m))
    assert lin.frequencies[0] * 2 * np.pi == pytest.approx(np.sqrt(3 * 9.81 / (2 * 0.5)), rel=1e-9)


def test_what_is_said_twice_or_does_not_fit_is_refused():
    space, plane = lw.SpatialModel("s"), lw.PlanarModel("p")
    ball = lw.shapes.sphere(0.1, mass=2.0)
    with pytest.raises(lw.ModelError, match="the solid has inertia of its own") as caught:
        space.body("b", ball, (1, 1, 1))
    assert caught.value.element == ("b",)
    with pytest.raises(lw.ModelError, match="the solid has inertia and com of its own"):
        plane.body("b", ball, 1.0, com=(1, 0))
    with pytest.raises(lw.ModelError, match="a plate of the plane is no solid in space"):
        space.body("b", lw.shapes.disc(0.1, mass=1.0))
    assert "b" not in space


@pytest.mark.parametrize("shape", ["sphere", "disc", "rod"])
def test_a_text_is_no_length_of_a_solid_and_the_words_name_what_was_called(shape):
    with pytest.raises(ModelError, match="texts and their units are read by models only") as caught:
        getattr(lw.shapes, shape)("20 mm", mass=1.0)
    assert caught.value.element == (shape,)
    assert "m.parameter(" in caught.value.remedy
    assert "'20 mm'" in caught.value.remedy
