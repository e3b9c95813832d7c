"""Bodies that are point masses or thin rods, held anywhere: inertia about their own mass centre is zero or lacks an axis.

Let go from the horizontal a pendulum of reduced length L passes its lowest point after K(sin 45 deg) sqrt(L/g).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import linkwright as lw

# (the pin, the mass centre) in body axes: a metre apart, with the pin, the mass centre or neither at the body's origin
HELD = [((0, 0), (1, 0)), ((-1, 0), (0, 0)), ((0.3, 0.4), (1.3, 0.4))]


def quarter(L: float) -> float:
    return float(ellipk(0.5) * np.sqrt(L / 9.81))


@pytest.mark.parametrize(("pin", "com"), HELD)
@pytest.mark.parametrize("formulation", ["newton-euler", "kane", "joint"])
def test_a_point_mass_in_the_plane(pin, com, formulation):
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    bob = m.body("bob", mass=2.0, inertia=0.0, com=com, position=(-pin[0], -pin[1]))
    m.add(lw.Revolute("A", m.ground.at(0, 0), bob.at(*pin)))
    d = lw.dynamics(m, t_end=quarter(1.0), steps=1, formulation=formulation, max_steps=200)
    # some twenty steps of 1e-8 each
    assert d["bob.angle"][-1] == pytest.approx(-np.pi / 2, abs=2e-7)
    assert d["A.fy"][-1] == pytest.approx(3 * 2.0 * 9.81, rel=1e-6)  # of the pin on the bob: three times the weight


@pytest.mark.parametrize(("pin", "com"), HELD)
@pytest.mark.parametrize("J", [0.0, 0.5])
@pytest.mark.parametrize("formulation", ["newton-euler", "euler-parameters", "joint"])
def test_a_point_mass_and_a_thin_rod_in_space(pin, com, J, formulation):
    m = lw.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    P, c = np.array([pin[0], 0.1, pin[1]]), (com[0], 0.1, com[1])
    rod = m.body("rod", mass=2.0, inertia=(0.0, 2 * J, 2 * J), com=c, position=-P)
    m.add(lw.Revolute("A", m.ground.frame((0, 0, 0), (0, -1, 0)), rod.frame(P, P - np.eye(3)[1])))
    d = lw.dynamics(m, t_end=quarter(1.0 + J), steps=1, formulation=formulation, max_steps=200)
    assert d["A.angle"][-1] == pytest.approx(-np.pi / 2, abs=2e-7)


def test_a_spherical_joint_leaves_a_point_mass_undetermined():
    """Nothing resists a turn about the line from the joint to the mass: that is told, not integrated."""
    m = lw.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    bob = m.body("bob", mass=2.0, inertia=(0, 0, 0), com=(1, 0, 0))
    m.add(lw.Spherical("A", m.ground.at(0, 0, 0), bob.at(0, 0, 0)))
    with pytest.raises(lw.ModelError, match="nothing determines the acceleration of bob"):
        lw.dynamics(m, t_end=0.1)


def bobbing(space: bool, as_point: bool) -> lw.Model:
    """A point mass on a spring, let go where the spring is slack."""
    m = lw.SpatialModel("bob", gravity=(0, 0, -9.81)) if space else lw.PlanarModel("bob", gravity=(0, -9.81))
    zero, below = ((0, 0, 0), (0, 0, -1)) if space else ((0, 0), (0, -1))
    bob = m.point("bob", 1.0, position=below) if as_point else m.body("bob", lw.shapes.point(mass=1.0), position=below)
    m.add(lw.Spring("spring", m.ground.at(*zero), bob.at(*zero), k=100, length=1.0))
    return m


@pytest.mark.parametrize("space", [False, True])
def test_a_point_mass_on_a_spring(space, tmp_path):
    """As a body its turning is open, which the error tells how to mend; as a point it swings with sqrt(k/m)."""
    with pytest.raises(lw.ModelError, match="nothing determines the acceleration of bob") as caught:
        lw.dynamics(bobbing(space, as_point=False), t_end=0.1)
    assert caught.value.element == ("bob",)
    assert "m.point(...), or hold its turning by an Orientation" in caught.value.remedy
    m = bobbing(space, as_point=True)
    assert lw.check(m).dof == (3 if space else 2)
    d = lw.dynamics(m, t_end=1.0, steps=10)
    assert d["bob.z" if space else "bob.y"] == pytest.approx(-1 - 0.0981 * (1 - np.cos(10 * d.t)), abs=1e-7)
    assert lw.equilibrium(m).stability == "stable"
    m.save(tmp_path / "bob.yaml")
    again = lw.dynamics(lw.load(tmp_path / "bob.yaml"), t_end=1.0, steps=10)
    assert again["spring.force"] == pytest.approx(d["spring.force"], abs=1e-9)


def test_a_point_needs_a_name_for_what_holds_it():
    m = lw.PlanarModel("m")
    m.parameter("k", 1.0)
    m.add(lw.Force("stone turn", m.body("b").x, 1.0))
    with pytest.raises(lw.ModelError, match="stone: 'stone turn' holds its turning, and is there already"):
        m.point("stone", 1.0)
    assert "stone" not in m.bodies
