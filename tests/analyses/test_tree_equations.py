"""The equations of Kane and of joint coordinates as arrays: the same motion and reactions as of the other formulations."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from fuzz.linkages import KINDS, random_tree
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.mechanical import LoadedMachine
from loaded_machines import admissible, random_machine
from loop_machines import four_bars, spatial_loops

ON_TREES = ("kane", "joint")
rng = np.random.default_rng


def state(model, seed):
    machine = LoadedMachine(model)
    q = close(machine, 0.0).q
    return q, admissible(machine, q, rng(seed))


def agree(model, seed=0):
    """Accelerations and reactions (as forces on bodies: those of dependent rows are not unique) against Newton-Euler."""
    q, v = state(model, seed)
    reference = lw.equations(model).at((q, v))
    vdot = reference.accelerations()
    forces = np.asarray(reference.Phi_rotation).T @ np.asarray(reference.multipliers())
    for name in ON_TREES:
        at = lw.equations(model, name).at((q, v))
        # the matrices' condition numbers are below 1e5
        np.testing.assert_allclose(at.accelerations(), vdot, atol=1e-9 * (1 + np.abs(vdot).max()))
        own = np.asarray(at.Phi_rotation).T @ np.asarray(at.multipliers())
        np.testing.assert_allclose(own, forces, atol=1e-8 * (1 + np.abs(forces).max()))
        np.testing.assert_allclose(np.asarray(at.R) @ np.asarray(at.u), v, atol=1e-9 * (1 + np.abs(v).max()))
        K = np.asarray(at.matrix)
        np.testing.assert_allclose(K, K.T, atol=1e-12 * np.abs(K).max())
        assert K.shape == (len(at.matrix.rows), len(at.unknowns)) == (len(at.rhs),) * 2
        assert np.linalg.eigvalsh(np.asarray(at.M)).min() > 0
    return at


@pytest.mark.parametrize("seed", range(3))
def test_random_trees_of_all_joints(seed):
    kinds = list(KINDS)
    rng(seed).shuffle(kinds)
    m, _ = random_tree(rng(seed), kinds)
    at = agree(m, seed)
    assert at.matrix.shape == at.M.shape  # nothing but the speeds is unknown
    assert len(at.u) == sum({lw.Revolute: 1, lw.Translational: 1, lw.Cylindrical: 2, lw.Spherical: 3, lw.Universal: 2,
                             lw.Planar: 3, lw.Screw: 1, lw.Fixed: 0, None: 6}[k] for k in kinds)  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
def test_random_machines_with_loads_and_loops(seed):
    agree(random_machine(3, rng(seed)), seed)


@pytest.mark.parametrize("machine", [lambda: four_bars(2, lean=0.3), lambda: spatial_loops(1)])
def test_machines_with_loops(machine):
    at = agree(machine())
    assert len(at.Phi_u) == len(at.rhs) - len(at.M) > 0
    Z = np.asarray(at.null_space)
    np.testing.assert_allclose(np.asarray(at.Phi_u) @ Z, 0, atol=1e-12)


def test_a_tree_is_that_of_joint_space():
    """M by composite rigid bodies, h + Q by recursive Newton-Euler: other algorithms, the same numbers."""
    m, _ = random_tree(rng(5), [lw.Revolute, lw.Universal, lw.Translational, lw.Cylindrical])
    q, v = state(m, 5)
    at, space = lw.equations(m, "joint").at((q, v)), lw.joint_space(m)
    assert at.u.rows == space.names
    np.testing.assert_allclose(at.M, space.M(at.theta), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(at.h - at.Q, space.h(at.theta, np.asarray(at.u)), rtol=1e-9, atol=1e-10)


def test_names_and_a_pendulum():
    """A bar of mass 2 and length 2 about its end: J = 8/3, torque of gravity -m g l/2 where it is level."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", 2.0, 2.0 / 3, position=(1, 0), velocity=(0.0, 3.0), omega=3.0)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-1, 0)))
    for name in ON_TREES:
        at = lw.equations(m, name).at()
        assert at.M["pin", "pin"] == pytest.approx(8 / 3)
        assert at.Q["pin"] == pytest.approx(-19.62)
        assert at.u["pin"] == pytest.approx(3.0)
        assert at.unknowns == ["pin'"]
        assert at.solve()["pin'"] == pytest.approx(-19.62 * 3 / 8)
        assert at.c["bar.x"] == pytest.approx(-9.0)  # toward the pin
    m.add(lw.Driver("motor", m["pin"].angle, "3*t"))
    at = lw.equations(m, "joint").at()
    assert at.unknowns == ["pin'", "lam(motor)"]
    assert at.solve()["pin'"] == pytest.approx(0.0, abs=1e-12)
    assert at.multipliers()["motor"] == pytest.approx(-19.62)


def test_states_must_be_such_that_the_joints_allow_them():
    m = lw.PlanarModel("pendulum")
    bar = m.body("bar", 2.0, 2.0 / 3, position=(1.1, 0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-1, 0)))
    for name in ON_TREES:
        equations = lw.equations(m, name)
        with pytest.raises(lw.ModelError, match="do not allow the positions"):
            equations.at().M  # noqa: B018
        assert equations.at(lw.assemble(m)).M.shape == (1, 1)
        with pytest.raises(lw.ModelError, match="do not allow the velocities"):
            equations.at(([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])).M  # noqa: B018


def test_unknown_formulations():
    with pytest.raises(lw.ModelError, match="there is no formulation 'kanes'") as caught:
        lw.equations(lw.PlanarModel("m"), "kanes")
    every = "newton-euler, euler-parameters, mixed, kane, joint"
    assert caught.value.remedy == f"did you mean 'kane'? it may be one of {every}"
