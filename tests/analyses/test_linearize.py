"""Small motions: natural frequencies in closed form, damping, inputs, the reduced mass of the book."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from chapter8_machines import coil
from linkwright.errors import ModelError


def test_double_pendulum():
    """C15: omega^2 = 7.18301111867689 and 51.6769888813231 for two uniform bars."""
    m = lw.PlanarModel("double", gravity=(0, -9.81))
    a = m.body("a", 1.0, 1 / 12, position=(0, -0.5), angle=1.5 * np.pi)
    b = m.body("b", 1.0, 1 / 12, position=(0, -1.5), angle=1.5 * np.pi)
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)))
    m.add(lw.Revolute("B", a.at(0.5, 0), b.at(-0.5, 0)))
    lin = lw.linearize(m)
    assert (2 * np.pi * lin.frequencies) ** 2 == pytest.approx([7.18301111867689, 51.6769888813231], rel=1e-12)
    assert sorted(np.abs(lin.eigenvalues.imag)) == pytest.approx(np.repeat(np.sqrt([7.18301111867689, 51.6769888813231]), 2))
    assert lin.residual < 1e-12
    rates = {name: lin.modes[k] for k, name in enumerate(lin.displacements)}
    assert rates["a.omega"][0] * rates["b.omega"][0] > 0 > rates["a.omega"][1] * rates["b.omega"][1]  # in and out of phase


def test_coil_spring():
    """Haug 8.4: six masses in a row, omega_j = 2 sqrt(k/m) sin((2j - 1) pi/26)."""
    expected = 2 * np.sqrt(80) * np.sin((2 * np.arange(1, 7) - 1) * np.pi / 26)
    assert 2 * np.pi * lw.linearize(coil(200.0)).frequencies == pytest.approx(expected, rel=1e-12)


def oscillator():
    m = lw.PlanarModel("oscillator")
    block = m.body("block", 2.0, 1.0, position=(1, 0))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Spring("s", m.ground.at(0, 0), block.at(0, 0), k=50, length=1, c=4))
    m.add(lw.Force("u", block.x, 0.0))
    return m, block


def test_damped_oscillator_and_its_inputs():
    m, _ = oscillator()
    lin = lw.linearize(m, coordinates=["block.x"])
    assert lin.coordinates == ["block.vx"]
    assert [lin.M[0, 0], lin.C[0, 0], lin.K[0, 0]] == pytest.approx([2, 4, 50])
    assert lin.eigenvalues == pytest.approx(np.roots([2, 4, 50]))
    assert pytest.approx(np.array([[0, 1], [-25, -2]])) == lin.A
    assert lin.inputs == ["s", "u"]
    assert lin.B[1] == pytest.approx([-0.5, 0.5])  # the spring pulls the block back
    assert lin.damping_ratios == pytest.approx([0.2, 0.2])


def test_outputs_of_the_state_space():
    """y = C z + D u: places, speeds, formulas of them, and accelerations, to which inputs go straight through."""
    m, block = oscillator()
    outputs = ["block.x", block.vx, 3 * block.x - 2 * block.vx, lw.distance(m.ground.at(0, 1), block.at(0, 0)), "block.ax"]
    lin = lw.linearize(m, coordinates=["block.x"], outputs=outputs)
    A, B, C, D = lin.state_space
    assert pytest.approx(np.array([[1, 0], [0, 1], [3, -2], [np.sqrt(0.5), 0], [-25, -2]])) == C
    assert pytest.approx(np.array([[0, 0]] * 4 + [[-0.5, 0.5]])) == D
    assert lin.outputs[:2] == ["block.x", "block.vx"]
    # the response to a unit step of u after a long time: 1/k
    assert -C[0] @ np.linalg.solve(A, B[:, 1]) == pytest.approx(1 / 50)


def test_outputs_in_space_follow_the_machine():
    """A pendulum's tip and its rate: by the arm."""
    m = lw.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    bar = m.body("bar", 2.0, (0.3, 0.2, 0.1), position=(0, 0, -1))
    pin = m.add(lw.Revolute("pin", m.ground.frame((0, 0, 0), (0, 1, 0)), bar.frame((0, 0, 1), (0, 1, 1))))
    tip = bar.at(0, 0, -0.5)
    lin = lw.linearize(
        m, coordinates=["bar.wy"], outputs=[pin.angle, lw.component(tip, "x"), lw.rate(pin.angle), "bar.alphay"]
    )
    assert lin.C_y[:3] == pytest.approx(np.array([[1, 0], [-1.5, 0], [0, 1]]))
    assert lin.C_y[3] == pytest.approx([-2 * 9.81 / 2.2, 0])
    assert lin.D_y.shape == (4, 0)


def test_a_machine_that_falls_has_no_frequency_but_a_growing_eigenvalue():
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", 2.0, 2 / 3, position=(0, 1), angle=np.pi / 2)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-1, 0)))
    lin = lw.linearize(m, lw.equilibrium(m, method="equations"))
    assert lin.frequencies == [0.0]
    assert sorted(lin.eigenvalues.real) == pytest.approx([-np.sqrt(0.75 * 9.81), np.sqrt(0.75 * 9.81)])


def test_reduced_mass_of_the_book():
    """C13: slider-crank with half lengths 0.5 and 1 at 45 degrees: 2.75891685396161 for the crank's angle."""
    m = lw.PlanarModel("slider-crank")
    c = np.sqrt(0.5)
    phi2 = -np.arcsin(c / 2)
    crank = m.body("crank", 3.0, 3 * 0.25 / 3, position=(c / 2, c / 2), angle=np.pi / 4)
    rod = m.body("rod", 2.0, 2 / 3, position=(c + np.cos(phi2), c / 2), angle=phi2)
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-0.5, 0)))
    m.add(lw.Revolute("B", crank.at(0.5, 0), rod.at(-1, 0)))
    m.add(lw.PointOnLine("slide", m.ground.at(0, 0, angle=0), rod.at(1, 0)))
    lin = lw.linearize(m, lw.assemble(m), coordinates=["crank.angle"])
    assert lin.M[0, 0] == pytest.approx(2.75891685396161, rel=1e-12)
    with pytest.raises(ModelError, match="no coordinate"):
        lw.linearize(m, lw.assemble(m), coordinates=["crank.size"])


def test_a_tilted_body_on_springs_in_space():
    """Six frequencies of a body on a bushing at its mass centre: sqrt(k/m), sqrt(k/J), however it is turned."""
    m = lw.SpatialModel("block")
    body = m.body("block", 2.0, (0.4, 0.5, 0.6), orientation=((1, 2, 3), 0.4))
    frame = m.ground.at(0, 0, 0, rotation=((1, 2, 3), 0.4))
    m.add(lw.Bushing("mount", frame, body.at(0, 0, 0), k=(100, 200, 300, 4, 5, 6)))
    expected = np.sort(np.sqrt([100 / 2, 200 / 2, 300 / 2, 4 / 0.4, 5 / 0.5, 6 / 0.6]))
    assert 2 * np.pi * lw.linearize(m).frequencies == pytest.approx(expected, rel=1e-9)


def test_small_motion_is_the_motion():
    """The eigenvalues of a spatial pendulum with a spring against a simulation of small amplitude."""
    m = lw.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    bar = m.body("bar", 2.0, (0.3, 0.2, 0.1), position=(0, 0, -1))
    pin = m.add(lw.Revolute("pin", m.ground.frame((0, 0, 0), (0, 1, 0)), bar.frame((0, 0, 1), (0, 1, 1))))
    m.add(lw.TorsionSpring("s", pin, k=3.0))
    lin = lw.linearize(m)
    assert lin.frequencies[0] * 2 * np.pi == pytest.approx(np.sqrt((2 * 9.81 + 3.0) / (0.2 + 2.0)), rel=1e-12)
    period = 1 / lin.frequencies[0]
    m.fix(pin.angle, 1e-4)
    d = lw.dynamics(m, t_eval=[0, period / 2, period], rtol=1e-10, atol=1e-13)
    assert d["pin.angle"] == pytest.approx([1e-4, -1e-4, 1e-4], abs=1e-10)


@pytest.mark.parametrize(
    "method", [lw.linearize, lambda m, c: lw.dynamics(m, t_end=0.1), lambda m, c: lw.equilibrium(m, method="settling")]
)
def test_a_body_without_mass_that_no_joint_holds_is_named(method):
    """A spring alone determines no acceleration; at rest it determines the place."""
    m = lw.PlanarModel("spring")
    body = m.body("ghost", position=(1, 0))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), body.at(0, 0, angle=0)))
    m.add(lw.Spring("s", m.ground.at(0, 0), body.at(0, 0), k=10, length=0.5))
    with pytest.raises(ModelError, match=r"nothing determines the acceleration of ghost\.vx") as caught:
        method(m, lw.assemble(m))
    assert caught.value.element == ("ghost",)
    assert lw.equilibrium(m)["ghost.x"] == pytest.approx(0.5, rel=1e-12)
