"""Public multibody benchmarks (IFToMM library of computational dynamics, IVP test set) as models."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright.examples import andrews, four_bar_windows
from linkwright.examples import car_axis as bumpy_axis
from linkwright.examples import falling_slider_crank as slider_crank_that_falls
from linkwright.examples import flyball as flyball_governor
from linkwright.examples import heavy_top as top
from linkwright.examples import pendulum as point_pendulum


def pendulum() -> lw.PlanarModel:
    """IFToMM A01: the ready machine."""
    return point_pendulum.build()


def unit_pendulum() -> lw.PlanarModel:
    """Index-3 pendulum of the literature: m = g = L = 1, from (1, 0) upwards at 1."""
    m = lw.PlanarModel("pendulum", gravity=(0, -1))
    bob = m.body("bob", 1.0, 0.0, position=(1, 0), velocity=(0, 1))
    m.add(lw.Constraint("bar", lambda t: 0.5 * (bob.x * bob.x + bob.y * bob.y), 0.5))
    m.add(lw.Constraint("upright", bob.angle))
    return m


def falling_slider_crank() -> lw.SpatialModel:
    """The ready machine."""
    return slider_crank_that_falls.build()


def four_bars(n: int) -> lw.PlanarModel:
    """IFToMM A02: the ready machine, of n windows."""
    return four_bar_windows.build(n)


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
    """The ready machine."""
    return bumpy_axis.build()


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
