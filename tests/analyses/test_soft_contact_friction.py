"""Friction in contacts that press by a stiffness: a smooth law, against closed forms, with its balance of energy."""

from math import atan, atanh, cos, sin

import numpy as np
import pytest

import linkwright as lw
from looped_runs import agree

G, K = 10.0, 1e5


def slider(law="linear", mu=0.3, transition=1e-3, slope=0.0, **options):
    """A block that does not turn, pressed to where its weight is borne."""
    m = lw.PlanarModel("slider", gravity=(-G * sin(slope), -G * cos(slope)))
    exponent = 1.0 if law == "linear" else 1.5
    depth = (2 * G * cos(slope) / K) ** (1 / exponent)
    b = m.body("b", mass=2.0, inertia=0.1, position=(0, 0.2 - depth), **options)
    m.add(lw.Orientation("upright", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    floor = m.ground.at(0, 0, angle=0)
    m.add(lw.Contact("floor", b.at(0, -0.2), floor, k=K, law=law, mu=mu, transition=transition))
    return m


@pytest.mark.parametrize("law", ["linear", "hertz", "hunt-crossley"])
def test_a_block_slows_down_by_mu_g(law):
    """As long as it is faster than the transition: v = v0 - mu g t, and the work of friction is what motion loses."""
    d = lw.dynamics(slider(law, velocity=(3, 0)), t_end=0.9, steps=9)
    assert d["b.vx"] == pytest.approx(3 - 0.3 * G * d.t, abs=1e-8)
    assert d["floor.friction"] == pytest.approx(np.full(10, -0.3 * 20), rel=1e-6)  # the floor quivers within tolerances
    assert d.audit.energy_error < 1e-10
    assert d.energy.work[-1] == pytest.approx(-0.5 * 2 * (9 - d["b.vx"][-1] ** 2), rel=1e-6)


def test_below_the_angle_of_repose_it_creeps_as_the_law_says():
    """tan a = mu tanh(v/v_t): at rest the smooth law holds nothing."""
    slope, v_t = atan(0.2), 1e-2
    d = lw.dynamics(slider(mu=0.4, transition=v_t, slope=slope), t_end=1.0, steps=2)
    assert d["b.vx"][-1] == pytest.approx(-v_t * atanh(0.2 / 0.4), rel=1e-6)


def ball(dimension):
    n = dimension - 1
    m = (lw.PlanarModel if dimension == 2 else lw.SpatialModel)("ball", gravity=(*[0] * n, -G))
    inertia = 0.004 if dimension == 2 else (0.004,) * 3
    b = m.body("b", mass=1.0, inertia=inertia, position=(*[0] * n, 0.1 - G / 1e4), velocity=(7, *[0] * n))
    floor = m.ground.at(0, 0, angle=0) if dimension == 2 else m.ground.at(0, 0, 0)
    m.add(lw.Contact("lane", b.at(*[0] * dimension), floor, radii=(0.1, 0), k=1e4, mu=0.2))
    return m


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_ball_slides_then_rolls(dimension):
    """5/7 of its speed are left, whatever the law of friction is: moment of momentum about the line of contact."""
    m = ball(dimension)
    d = lw.dynamics(m, t_end=1.6, steps=2)
    assert d["b.vx"][-1] == pytest.approx(5.0, rel=1e-6)
    spin = d["b.omega"] if dimension == 2 else -d["b.wy"]
    assert spin[-1] == pytest.approx(-50.0, rel=1e-6)
    assert d.audit.energy_error < 1e-9


def test_planar_and_spatial_agree_and_files_keep_it(tmp_path):
    m = ball(2)
    m.save(tmp_path / "ball.yaml")
    d, again, in_space = (lw.dynamics(x, t_end=0.3, steps=3) for x in (m, lw.load(tmp_path / "ball.yaml"), lw.embed(m)))
    assert (again["b.vx"] == d["b.vx"]).all()
    assert in_space["b.vx"] == pytest.approx(d["b.vx"], abs=1e-8)


def test_two_rough_shapes_carry_each_other_along():
    """A block laid on a moving one that is free: they end at the common velocity m1 v/(m1 + m2); forces of all corners are
    told, and their sum."""
    m = lw.PlanarModel("blocks")
    low = m.body("low", mass=3.0, inertia=1.0, position=(0, 0), velocity=(2, 0), shape={"box": (2.0, 0.2)})
    top = m.body("top", mass=1.0, inertia=0.1, position=(0, 0.2 - 1e-3), shape={"box": (0.4, 0.2)})
    for body in (low, top):
        m.add(lw.Orientation(f"{body.name} upright", m.ground.at(0, 0, angle=0), body.at(0, 0, angle=0)))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), low.at(0, 0, angle=0)))
    m.add(lw.PointForce("weight", top.at(0, 0), (0, -10)))
    m.add(lw.Contact("rough", top, low, k=5e3, c=50.0, mu=0.5))
    d = lw.dynamics(m, t_end=1.0, steps=4)
    assert [d["low.vx"][-1], d["top.vx"][-1]] == pytest.approx([1.5, 1.5], rel=1e-3)
    parts = [c for c in d.channels if c.startswith("rough.friction_")]
    assert len(parts) >= 2
    assert sum(d[c] for c in parts) == pytest.approx(d["rough.friction"], abs=1e-12)
    assert d["rough.friction"] == pytest.approx(d["top.ax"], abs=1e-9)


def test_in_loops_it_is_the_same():
    m = lw.PlanarModel("row", gravity=(0, -G))
    before, at = m.ground, (0.0, 0.3)
    for k in range(3):
        b = m.body(f"b{k}", mass=1.0, inertia=0.1, position=(k + 0.5, 0.3), velocity=(0.0, 0.0))
        m.add(lw.Revolute(f"J{k}", before.at(*at), b.at(-0.5, 0)))
        m.add(lw.Contact(f"c{k}", b.at(0.5, 0), m.ground.at(0, 0, angle=0), radii=(0.1, 0), k=2e3, c=20.0, mu=0.4))
        before, at = b, (0.5, 0.0)
    agree(m, 0.4, 1e-6)


def test_small_motions_are_damped_by_it():
    """At rest friction is mu N v/v_t: the damping along the floor is mu N/v_t."""
    m = slider(mu=0.3, transition=0.1)
    m.add(lw.Force("spring", m.bodies["b"].x, "-50*s"))
    lin = lw.linearize(m, lw.equilibrium(m))
    c, k = 0.3 * 20 / 0.1 / 2, 50 / 2
    wanted = np.roots([1, c, k])
    assert min(np.abs(lin.eigenvalues - wanted[0])) < 1e-6
    assert min(np.abs(lin.eigenvalues - wanted[1])) < 1e-6


def test_friction_without_a_press_is_refused():
    m = lw.PlanarModel("block")
    b = m.body("b", mass=1.0)
    with pytest.raises(lw.ModelError, match="friction needs a contact that presses") as error:
        m.add(lw.Contact("floor", b.at(0, 0), m.ground.at(0, 0, angle=0), mu=0.3))
    assert error.value.element == ("floor",)
    with pytest.raises(lw.ModelError, match="transition"):
        m.add(lw.Contact("floor", b.at(0, 0), m.ground.at(0, 0, angle=0), k=1.0, mu=0.3, transition=0))
