"""The equations as arrays with names: shapes, names, the textbook's identities, errors."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.equations import rotations
from linkwright.errors import ModelError
from loaded_machines import admissible, random_machine


def test_pendulum_of_the_book():
    """Haug 6.3.4 (C10): m = 2, l = 1, J' = m l^2/3, phi = pi/6, phi' = 3, Phi = (x - l cos, y - l sin)."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    bar = m.body("bar", 2.0, 2.0 / 3, position=(c, s), angle=np.pi / 6, velocity=(-3 * s, 3 * c), omega=3.0)
    m.add(lw.Revolute("pin", bar.at(-1, 0), m.ground.at(0, 0)))
    at = lw.equations(m).at()
    assert np.diag(at.M) == pytest.approx([2, 2, 2 / 3])
    assert np.asarray(at.Q) == pytest.approx([0, -19.62, 0])
    assert at.Phi_q["pin.x"] == pytest.approx([1, 0, s])
    assert np.asarray(at.gamma) == pytest.approx([-9 * c, -9 * s])
    assert np.asarray(at.solve()) == pytest.approx(
        [-4.60833767988794, -10.018125, -6.37178190834401, 9.21667535977589, 0.41625], rel=1e-13
    )
    assert at.matrix.rows == ["bar.x", "bar.y", "bar.angle", "pin.x", "pin.y"]
    assert at.unknowns == ["bar.x''", "bar.y''", "bar.angle''", "lam(pin.x)", "lam(pin.y)"]
    assert at.matrix["pin.y", "bar.angle''"] == pytest.approx(-c)
    assert "pin.x" in at.matrix.table()


def spatial_state():
    model = random_machine(3, np.random.default_rng(7))
    machine = LoadedMachine(model)
    q = close(machine, 0.0).q
    return model, q, admissible(machine, q, np.random.default_rng(8))


def test_sizes_and_symmetry_of_the_formulations():
    """6b + m, 8b + m, 7b + m (notes on Nikravesh I to III)."""
    model, q, v = spatial_state()
    at = {name: lw.equations(model, name).at((q, v)) for name in ("newton-euler", "euler-parameters", "mixed")}
    b, m = 3, len(at["mixed"].Phi)
    assert [x.matrix.shape[0] for x in at.values()] == [6 * b + m, 8 * b + m, 7 * b + m]
    for name, x in at.items():
        assert x.matrix.shape == (len(x.matrix.rows), len(x.matrix.columns))
        K = np.asarray(x.matrix)
        assert np.allclose(K, K.T, atol=1e-12) == (name != "mixed")


def test_gamma_sharp():
    """gamma# = gamma + sum w^2 Phi_p p / 4, and Phi_pi = Phi_p G^T / 2 (Nikravesh 11.48, Haug 11.3.15)."""
    model, q, v = spatial_state()
    equations = lw.equations(model)
    at = equations.at((q, v))
    more = np.zeros(len(at.gamma))
    for at_q, at_v in equations.machine.system.coordinates.body_slices().values():
        p, w = q[at_q][3:], v[at_v][3:]
        Phi_p = np.asarray(at.Phi_q)[:, at_q][:, 3:]
        more += 0.25 * (w @ w) * (Phi_p @ p)
        G = np.asarray(rotations.G(p), dtype=float)
        assert np.asarray(at.Phi_rotation)[:, at_v][:, 3:] == pytest.approx(0.5 * Phi_p @ G.T, abs=1e-13)
    assert np.asarray(at.gamma_sharp) == pytest.approx(np.asarray(at.gamma) + more, abs=1e-12)
    assert np.abs(more).max() > 0.01  # the difference is there


def test_velocity_terms_of_euler_parameters():
    """4 G^T J' G and 2 G^T n' + 8 G'^T J' G' p of a free body (Haug 11.3.27 with the dots mended)."""
    m = lw.SpatialModel("free")
    J = np.array([[2.0, 0.1, 0.2], [0.1, 3.0, 0.3], [0.2, 0.3, 4.0]])
    p = np.array([0.5, 0.7, -0.5, 0.1])
    w = np.array([1.0, -2.0, 0.5])
    body = m.body("body", 1.5, J.tolist(), orientation=p, omega=w)
    m.add(lw.Torque("n", body, (5, 7, 1), frame="body"))
    at = lw.equations(m, "euler-parameters").at()
    G = np.asarray(rotations.G(p), dtype=float)
    G_dot = np.asarray(rotations.G(0.5 * G.T @ w), dtype=float)
    assert np.asarray(at.M)[3:, 3:] == pytest.approx(4 * G.T @ J @ G, abs=1e-13)
    expected = 2 * G.T @ np.array([5, 7, 1]) + 8 * G_dot.T @ J @ G_dot @ p
    assert np.asarray(at.rhs)[3:7] == pytest.approx(expected, abs=1e-13)
    # sigma: the multiplier of the normalisation p.p = 1 is w.J w (Haug's lambda^p = sigma/2, sigma = 2 w.J w)
    assert at.solve()["lam(body.normalisation)"] == pytest.approx(w @ J @ w, rel=1e-12)


def test_null_space_in_both_flavours():
    model, q, v = spatial_state()
    at = lw.equations(model, "euler-parameters").at((q, v))
    free = at.null_space_rotation
    assert np.abs(np.asarray(at.Phi_rotation) @ free).max() < 1e-13
    assert np.abs(np.asarray(at.Phi_q) @ at.null_space_q).max() < 1e-13
    assert at.null_space.rows == at.Phi_q.columns
    assert free.rows == at.Phi_rotation.columns
    assert free.shape[1] == len(v) - np.linalg.matrix_rank(np.asarray(at.Phi_rotation))


def test_state_by_name_and_errors():
    m = lw.PlanarModel("bar")
    bar = m.body("bar", 1.0, 1.0)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(0, 0)))
    at = lw.equations(m).at({"bar.x": 0.25, "bar.omega": 2.0})
    assert at.Phi["pin.x"] == pytest.approx(-0.25)
    assert at.v[2] == 2.0
    with pytest.raises(ModelError, match="no formulation 'newton'") as caught:
        lw.equations(m, "newton")
    assert "newton-euler" in caught.value.remedy
    with pytest.raises(ModelError, match="2 coordinates"):
        lw.equations(m).at((np.zeros(2), np.zeros(3)))


def test_at_a_time_of_a_result():
    """The matrices of every formulation at the state there give the accelerations of the run."""
    m = lw.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    J = [[0.02, 0.003, -0.002], [0.003, 0.03, 0.001], [-0.002, 0.001, 0.025]]
    bar = m.body("bar", 2.0, J, com=(0.1, 0.3, -0.2), omega=(1.0, 2.0, 3.0))
    m.add(lw.Spherical("ball", m.ground.at(0, 0, 0), bar.at(0.2, 0, 0)))
    d = lw.dynamics(m, t_end=0.6, steps=2)
    names = [f"bar.{x}" for x in ("ax", "ay", "az")]
    for formulation in ("newton-euler", "euler-parameters", "mixed"):
        at = lw.equations(m, formulation).at(d, 0.3)
        assert np.asarray(at.solve())[:3] == pytest.approx([d[name][1] for name in names], rel=1e-10)
    with pytest.raises(ModelError, match="no state at t") as caught:
        lw.equations(m).at(d, 0.4)
    assert "t_eval" in caught.value.remedy
    with pytest.raises(ModelError, match="is no state"):
        lw.equations(m).at(3)
    assert lw.linearize(m, d).M.shape == (3, 3)
