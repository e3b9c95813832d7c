"""Public multibody benchmarks (IFToMM library of computational dynamics, IVP test set) as models."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright.examples import andrews
from linkwright.examples import flyball as flyball_governor
from linkwright.examples import heavy_top as top
from linkwright.model import TIME


def pendulum() -> lw.PlanarModel:
    """IFToMM A01: point mass 1 kg on a massless bar of 1 m, from rest at (-1, 0)."""
    m = lw.PlanarModel("A01", gravity=(0, -9.81))
    bob = m.body("bob", 1.0, 0.0, position=(-1, 0))
    m.add(lw.Distance("bar", m.ground.at(0, 0), bob.at(0, 0), 1.0))
    m.add(lw.Constraint("upright", bob.angle))
    return m


def unit_pendulum() -> lw.PlanarModel:
    """Index-3 pendulum of the literature: m = g = L = 1, from (1, 0) upwards at 1."""
    m = lw.PlanarModel("pendulum", gravity=(0, -1))
    bob = m.body("bob", 1.0, 0.0, position=(1, 0), velocity=(0, 1))
    m.add(lw.Constraint("bar", lambda t: 0.5 * (bob.x * bob.x + bob.y * bob.y), 0.5))
    m.add(lw.Constraint("upright", bob.angle))
    return m


def falling_slider_crank() -> lw.SpatialModel:
    """IFToMM: crank 0.08 m, rod 0.3 m on a ball and a universal joint, slider along x; gravity in -z, 6 rad/s."""
    m = lw.SpatialModel("spatial slider-crank", gravity=(0, 0, -9.81))
    A, B, C = np.array([0, 0.1, 0.12]), np.array([0, 0.1, 0.2]), np.array([0.2, 0, 0])
    u = (C - B) / 0.3
    across = np.cross([1.0, 0, 0], u) / np.linalg.norm(np.cross([1.0, 0, 0], u))
    axes = np.array([u, across, np.cross(u, across)]).T  # the rod's own: along it, across x
    crank = m.body("crank", 0.12, (1e-4, 1e-4, 1e-4), position=(A + B) / 2, omega=(6, 0, 0), velocity=(0, -0.24, 0))
    rod = m.body("rod", 0.5, (4e-4, 4e-3, 4e-3), position=(B + C) / 2, orientation=axes)
    slider = m.body("slider", 2.0, (1e-3, 1e-3, 1e-3), position=C)
    m.add(lw.Revolute("A", m.ground.frame(A, (1, 0.1, 0.12)), crank.frame((0, 0, -0.04), (1, 0, -0.04))))
    m.add(lw.Spherical("B", crank.at(0, 0, 0.04), rod.at(-0.15, 0, 0)))
    m.add(lw.Universal("C", slider.frame((0, 0, 0), (1, 0, 0)), rod.frame((0.15, 0, 0), (0.15, 1, 0))))
    along_x = ((0, 0, 0), (1, 0, 0), (0, 1, 0))
    m.add(lw.Translational("D", m.ground.frame(*along_x), slider.frame(*along_x)))
    m.fix(crank.wx, 6.0)
    return m


def four_bars(n: int) -> lw.PlanarModel:
    """IFToMM A02: n windows of bars of 1 kg, 1 m; cranks vertical, the first tip moves at 1 m/s."""
    m = lw.PlanarModel("A02", gravity=(0, -9.81))
    cranks = []
    for i in range(n + 1):
        crank = m.body(f"c{i}", 1.0, 1 / 12, position=(i, 0.5), angle=np.pi / 2, omega=-1.0)
        m.add(lw.Revolute(f"A{i}", m.ground.at(i, 0), crank.at(-0.5, 0)))
        cranks.append(crank)
    for i in range(n):
        coupler = m.body(f"k{i}", 1.0, 1 / 12, position=(i + 0.5, 1.0), velocity=(1.0, 0.0))
        m.add(lw.Revolute(f"B{i}", cranks[i].at(0.5, 0), coupler.at(-0.5, 0)))
        m.add(lw.Revolute(f"C{i}", cranks[i + 1].at(0.5, 0), coupler.at(0.5, 0)))
    return m


def bricard(thin: bool = False) -> lw.SpatialModel:
    """IFToMM A04: a ring of five rods and ground on six revolutes, one constraint too many."""
    m = lw.SpatialModel("A04", gravity=(0, -9.81, 0))
    P = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
    axes = {"x": np.eye(3)[0], "y": np.eye(3)[1], "z": np.eye(3)[2]}
    across, along = (1 / 12, 0.0) if thin else ((1 + 0.01) / 12, 0.01 / 6)
    rods = []
    for k in range(5):
        direction = np.argmax(np.abs(P[k + 1] - P[k]))
        J = [across] * 3
        J[direction] = along
        rods.append(m.body(f"rod{k + 1}", 1.0, J, position=(P[k] + P[k + 1]) / 2))

    def frame(body, place, axis):
        r = np.array([m.value(x) for x in body.estimate.position])
        return body.frame(place - r, place - r + axis)

    chain = [m.ground, *rods, m.ground]
    for k, axis in enumerate("yzxyzx"):
        m.add(lw.Revolute(f"J{k + 1}", frame(chain[k], P[k], axes[axis]), frame(chain[k + 1], P[k], axes[axis])))
    return m


def equal_links(slider_mass: float = 1.0) -> lw.PlanarModel:
    """Slider-crank whose crank and rod are alike: at 90 degrees the slider meets the pivot and branches cross."""
    m = lw.PlanarModel("equal links", gravity=(0, -9.81))
    c = np.sqrt(0.5)
    rate = 4 / (2 * c)
    crank = m.body("crank", 1.0, 1 / 12, position=(c / 2, c / 2), angle=np.pi / 4, omega=rate)
    rod = m.body("rod", 1.0, 1 / 12, position=(1.5 * c, c / 2), angle=-np.pi / 4)
    slider = m.body("slider", slider_mass, 0.0, position=(2 * c, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-0.5, 0)))
    m.add(lw.Revolute("B", crank.at(0.5, 0), rod.at(-0.5, 0)))
    m.add(lw.Revolute("C", rod.at(0.5, 0), slider.at(0, 0)))
    m.add(lw.Translational("D", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    return m


def car_axis() -> lw.PlanarModel:
    """IVP test set: two point masses on springs over a bumpy road, distances prescribed; M = 10, L = 1, eps = 0.01."""
    m = lw.PlanarModel("car axis", gravity=(0, -1))
    k = 1.0  # the equations of the test set are k x'' = ...: a mass of M eps^2/2
    mass = 10 * 0.01**2 / 2
    left = m.body("l", mass, 1.0, position=(0, 0.5), velocity=(-0.5, 0))
    right = m.body("r", mass, 1.0, position=(1, 0.5), velocity=(-0.5, 0))
    yb = 0.1 * lw.sin(10 * TIME)
    xb = lw.sqrt(1 - yb * yb)
    m.add(lw.Constraint("lu", left.angle))
    m.add(lw.Constraint("ru", right.angle))
    m.add(lw.Constraint("axis", lambda t: left.x * xb + left.y * yb))
    m.add(lw.Constraint("bar", lambda t: (left.x - right.x) ** 2 + (left.y - right.y) ** 2, 1.0))
    for body, x, y in ((left, 0.0, 0.0), (right, xb, yb)):
        length = lw.sqrt((body.x - x) ** 2 + (body.y - y) ** 2)
        pull = k * (0.5 - length) / length
        m.add(lw.PointForce(f"spring {body.name}", body.at(0, 0), (pull * (body.x - x), pull * (body.y - y))))
    return m


def squeezer(beta: float = -0.0617138900142765) -> lw.PlanarModel:
    """Andrews' squeezer: the ready machine. IVP test set: Theta(0) = 0; IFToMM A03: beta = -0.062."""
    m = andrews.build()
    m["OF"].guess(angle=beta)
    m["FE"].guess(position=(0.007 * np.cos(beta), 0.007 * np.sin(beta)), angle=beta)
    m.fix(m["OF"].angle, beta)
    return m


def flyball() -> lw.SpatialModel:
    """IFToMM A05: the ready machine."""
    return flyball_governor.build()


def heavy_top() -> lw.SpatialModel:
    """The ready machine."""
    return top.build()
