"""Cases of Haug's chapter 11: pendulum about y with all its reactions, a hinge that slides, a point on a sphere."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw

G = 9.81


def pendulum(joint=lw.Revolute):
    """Example 11.1.2: an asymmetric body hinged about the y axis at its origin, phi from the vertical; z up."""
    m = lw.SpatialModel("pendulum", gravity=(0, 0, -G))
    J = [[0.9, -0.1, 0.05], [-0.1, 1.1, 0.2], [0.05, 0.2, 0.8]]
    rho = (0.2, -0.15, 0.3)
    body = m.body("body", 2.0, J, com=rho, orientation=((0, 1, 0), 0.7))
    axis = ((0, 0, 0), (0, 1, 0), (1, 0, 0))
    hinge = m.add(joint("hinge", m.ground.frame(*axis), body.frame(*axis)))
    m.fix(hinge.angle, 0.7)
    m.fix(body.wy, 3.0)
    return m, np.array(J) + 2.0 * (np.dot(rho, rho) * np.eye(3) - np.outer(rho, rho)), rho


def test_pendulum_about_y_and_its_bearing():
    """J_yy phi'' = m g (rho_z sin + rho_x cos); torques of the bearing about x and z of the body, J about the hinge."""
    m, J, rho = pendulum()
    d = lw.dynamics(m, t_eval=[0, 1e-3], rtol=1e-10)
    s, c, w = np.sin(0.7), np.cos(0.7), 3.0
    alpha = 2.0 * G * (rho[2] * s + rho[0] * c) / J[1, 1]
    assert d["body.alphay"][0] == pytest.approx(alpha, rel=1e-12)
    n = 2.0 * G * np.array([-rho[1] * c, rho[2] * s + rho[0] * c, -rho[1] * s])
    T = d.reaction("hinge", frame="body")
    assert T["tx"][0] == pytest.approx(J[2, 1] * w**2 + J[0, 1] * alpha - n[0], rel=1e-11)
    assert T["tz"][0] == pytest.approx(-J[0, 1] * w**2 + J[2, 1] * alpha - n[2], rel=1e-11)
    assert T["ty"][0] == pytest.approx(0, abs=1e-12)


def test_a_hinge_that_slides():
    """Problem 11.1.4: the slide along y and the turn about it do not know of each other."""
    m, _, _ = pendulum(lw.Cylindrical)
    m["body"].guess(velocity=(0, 0.4, 0))
    m.fix(m["body"].vy, 0.4)
    d = lw.dynamics(m, t_eval=[0, 0.5], rtol=1e-11, atol=1e-13)
    turning = lw.dynamics(pendulum()[0], t_eval=[0, 0.5], rtol=1e-11, atol=1e-13)
    assert d["hinge.angle"] == pytest.approx(turning["hinge.angle"], abs=1e-9)
    assert d["body.y"] == pytest.approx(0.4 * d.t, abs=1e-11)


def test_a_point_on_a_sphere():
    """Example 11.1.1: a point of a free body stays at distance one from the origin; its force points there."""
    m = lw.SpatialModel("body")
    body = m.body("body", 2.0, (0.3, 0.4, 0.5), position=(0.6, 0.8, -1.0), omega=(0.5, -0.3, 2.0), velocity=(0.8, -0.6, 0.0))
    m.add(lw.Distance("rod", m.ground.at(0, 0, 0), body.at(0, 0, 1), 1.0))
    m.add(lw.PointForce("F", body.at(0, 0, 0), (1.0, 2.0, -3.0)))
    d = lw.dynamics(m, t_eval=[0, 1.0], rtol=1e-11, atol=1e-13)
    P = np.array([d[lw.component(body.at(0, 0, 1), c)] for c in "xyz"])
    assert np.linalg.norm(P, axis=0) == pytest.approx([1, 1], abs=1e-13)
    F = np.array([d[f"rod.f{c}"] for c in "xyz"])
    assert np.abs(np.cross(F.T, P.T)).max() < 1e-11 * np.abs(F).max()
    # m r'' = F + reaction
    a = np.array([d[f"body.a{c}"] for c in "xyz"])
    assert 2.0 * a == pytest.approx(np.array([[1.0], [2.0], [-3.0]]) + F, abs=1e-11)
