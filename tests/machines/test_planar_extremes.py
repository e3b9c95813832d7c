"""Extremes over a cycle of the machines of Haug's chapter 5, their variations, and where they stop.

Expected numbers were computed independently and are printed with 8 to 10 decimals. An extreme is found on a coarse grid and
then on a polynomial of degree 8 through nine points about it, which is exact to rounding at these distances.
"""

from math import acos, asin, atan2, hypot, pi, sqrt

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import linkwright as lw
from planar_machines import (
    four_bar,
    four_bar_massless_follower,
    gear_slider,
    quick_return,
    quick_return_composite,
    slider_crank,
    slider_crank_massless_rod,
    valve_lifter,
)


class Cycle:
    """One second of a machine's motion, sampled; extremes of its channels."""

    def __init__(self, m, steps=200):
        self.m, self.k = m, lw.kinematics(m, t_end=1, steps=steps)

    def extreme(self, channel, sign, near=None):
        """Time and value of the greatest (sign 1) or least (-1) value, or of the one near a time."""
        k, d = self.k, self.k.t[1]
        inner = slice(2, -2)
        at = k.t[inner][np.argmax(sign * k[channel][inner])] if near is None else near
        t = at + d * np.linspace(-1.25, 1.25, 9)
        local = lw.kinematics(self.m, t_eval=[0, *t])[channel][1:]
        p = Polynomial.fit(t, local, 8)
        roots = p.deriv().roots()
        best = roots[np.argmin(np.abs(roots - at))].real
        return float(best), float(p(best))


def agrees(found, t, value, digits=8):
    """Times are printed with 8 or 9 decimals, values with `digits`."""
    assert found[1] == pytest.approx(value, rel=1e-9, abs=0.6 * 10.0**-digits)
    if t is not None:
        assert found[0] == pytest.approx(t, abs=2e-8)


# -- slider-crank -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [slider_crank, slider_crank_massless_rod])
def test_slider_crank(build):
    c = Cycle(build())
    agrees(c.extreme("slider.x", -1), 0.375, 1.5)
    agrees(c.extreme("slider.x", 1), 0.875, 5.5)
    agrees(c.extreme("slider.vx", -1), 0.05833060, -14.60820544)
    agrees(c.extreme("slider.vx", 1), 0.69166940, 14.60820544)
    agrees(c.extreme("slider.ax", 1, near=0.58), 0.57884937, 65.79193986)
    agrees(c.extreme("slider.ax", -1), 0.875, -124.07502676)
    short = Cycle(build(L=2.5))
    agrees(short.extreme("slider.vx", -1), 0.05122671, -16.99609017)
    agrees(short.extreme("slider.ax", 1, near=0.612), 0.61183880, 108.49150661)
    agrees(short.extreme("slider.ax", -1), 0.875, -142.12230338)


def test_short_rods_are_fastest_where_the_crank_is_upright():
    """Not at the ends of the stroke, t = 0.375 and 0.875, as the book's text has it: near phi1 = pi/2, t = 0.125."""
    peaks = []
    for L in (3.5, 2.5, 2.2, 2.1):
        k = lw.kinematics(slider_crank(L=L), t_end=1, steps=400)
        peaks.append(k["slider.ax"].max())
    assert peaks == sorted(peaks)
    at = k.t[k["slider.ax"].argmax()]
    assert min(abs(at - 0.125), abs(at - 0.625)) < 0.03


def test_where_the_short_slider_crank_locks():
    """l = 1.9: at x3* = 2 cos(asin 0.95), the rod upright. An angle d of the crank before it, sqrt(8 s c d) are to go."""
    limit = asin(0.95)
    x_end = 2 * np.cos(limit)
    assert x_end == pytest.approx(0.6244997998, abs=6e-11)
    d = 2 * pi * 1e-10
    for build in (slider_crank, slider_crank_massless_rod):
        k = lw.kinematics(build(L=1.9), t_eval=[0, (limit - pi / 4 - d) / (2 * pi)])
        left = sqrt(8 * 0.95 * np.cos(limit) * d)
        assert k["slider.x"][-1] - x_end == pytest.approx(left, abs=10 * d)  # the next term of the series is of order d


# -- four-bar -----------------------------------------------------------------------------------------------------------


def test_four_bar():
    c = Cycle(four_bar())
    agrees(c.extreme("follower.angle", -1), None, 0.90968516)
    agrees(c.extreme("follower.angle", 1), None, 2.42162398)
    agrees(c.extreme("follower.omega", -1), 0.67008574, -7.30269999)
    agrees(c.extreme("follower.alpha", 1), 0.74131097, 86.36650307)
    agrees(c.extreme("follower.alpha", -1), 0.61024594, -38.87476036)
    assert c.k["follower.omega"].max() == pytest.approx(4.18879020, abs=6e-9)
    assert c.k["follower.omega"].argmax() in (0, 200)
    c = Cycle(four_bar(2.5))
    agrees(c.extreme("follower.omega", -1), 0.68227779, -9.37674705)
    agrees(c.extreme("follower.alpha", 1), 0.74357468, 136.09501987)
    agrees(c.extreme("follower.alpha", -1), 0.62929902, -50.87804864)


def test_four_bar_follower_lengths():
    """All coupler curves meet at whole seconds; towards l = 2, a parallelogram, the follower jerks near t = 0.75."""
    peaks = []
    for L in (3.0, 2.5, 2.2, 2.1):
        k = lw.kinematics(four_bar(L), t_end=1, steps=400)
        for end in (0, -1):
            np.testing.assert_allclose([k[f"coupler.{c}"][end] for c in ("x", "y", "angle")], [2, 2, 0], atol=1e-10)
        peaks.append(k["follower.alpha"].max())
        assert k.t[k["follower.alpha"].argmax()] == pytest.approx(0.75, abs=0.01)
    assert peaks == sorted(peaks)


@pytest.mark.parametrize("build", [four_bar, four_bar_massless_follower])
def test_four_bar_locks(build):
    """l = 1.9: the crank 2 cannot turn round. Coupler and follower in line, |BD| = 5.9, by the law of cosines."""
    R = hypot(4, 0.1)
    limit = atan2(0.1, 4) + acos((2**2 + R**2 - 5.9**2) / (2 * 2 * R))
    with pytest.raises(lw.SingularityError) as caught:
        lw.kinematics(build(1.9), t_end=1, steps=100)
    error = caught.value
    assert error.kind == "lock-up"
    assert error.driver == "motor"
    assert error.time == pytest.approx((limit - pi / 2) / (2 * pi), abs=1e-9)
    assert error.partial.t[-1] < error.time


# -- quick-return -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [quick_return, quick_return_composite])
def test_quick_return(build):
    c = Cycle(build(), steps=400)
    agrees(c.extreme("ram.x", -1, near=0.5296178530), 0.5296178530, -4.3370496884, 10)
    agrees(c.extreme("ram.x", 1, near=0.5649450970), 0.5649450970, -4.3326704351, 10)  # the dwell: 4.4 mm in 64 ms
    agrees(c.extreme("ram.x", -1, near=0.5931874039), 0.5931874039, -4.3370496884, 10)
    agrees(c.extreme("ram.x", 1), 0.7949985531, 1.667329565, 9)
    agrees(c.extreme("ram.vx", 1), 0.679971828, 75.398223686)
    agrees(c.extreme("ram.vx", -1), 0.179971824, -10.771174812)
    agrees(c.extreme("ram.ax", 1), 0.656464059, 1773.537172744)
    agrees(c.extreme("ram.ax", -1), 0.701817001, -1128.915451617)


@pytest.mark.parametrize("r", [1.5, 1.25, 1.0])
def test_quick_return_cranks(r):
    """Assembled at x6 = 0 each; the rocker swings by asin(r/2) to either side, the ram follows the law of its link."""
    m = quick_return(r, motion=None)
    m.fix(m["ram"].x, 0)
    c = lw.assemble(m)
    assert c["ram.x"] == pytest.approx(0, abs=1e-12)
    phi = c["rocker.angle"]
    assert 4 * np.cos(phi) - sqrt(1.9**2 - (4 - 4 * np.sin(phi)) ** 2) == pytest.approx(0, abs=1e-10)
    cycle = Cycle(quick_return(r))
    for sign in (1, -1):
        assert cycle.extreme("rocker.angle", sign)[1] == pytest.approx(pi / 2 + sign * asin(r / 2), abs=1e-10)
    phi = cycle.k["rocker.angle"]
    np.testing.assert_allclose(
        cycle.k["ram.x"], 4 * np.cos(phi) - np.sqrt(1.9**2 - (4 - 4 * np.sin(phi)) ** 2), rtol=1e-10, atol=1e-10
    )


# -- gear-slider --------------------------------------------------------------------------------------------------------


def test_gear_slider():
    c = Cycle(gear_slider(0.0))
    agrees(c.extreme("ram.x", -1), 0.31180235, 1.0769189240, 10)
    agrees(c.extreme("ram.x", 1), 0.84543448, 1.6642125445, 10)
    for channel, low, high in (("ram.vx", -2.1362877603, 1.7864301486), ("ram.ax", -15.5676799169, 10.4941678359)):
        agrees(c.extreme(channel, -1), None, low, 10)
        agrees(c.extreme(channel, 1), None, high, 10)
    c = Cycle(gear_slider(-0.1047))
    for channel, low, high in (("ram.x", 1.1623395474, 1.7486335697), ("ram.ax", -15.5469677604, 10.4065228142)):
        agrees(c.extreme(channel, -1), None, low, 10)
        agrees(c.extreme(channel, 1), None, high, 10)
    np.testing.assert_allclose([c.k["gear3.x"][0], c.k["gear3.y"][0]], [0.2849442194, 0.0938445087], atol=6e-11)


def test_gear_slider_set_to_30_degrees():
    """theta = 0.5236, at which real gears 2 and 4 would overlap; kinematics does not notice."""
    theta = 0.5236
    B = np.array([0.6 - 0.8 * np.sin(theta), -0.4 + 0.8 * np.cos(theta)])
    far = np.linalg.norm(B)
    assert far < 0.6  # |AB| is less than the radii 0.2 + 0.4
    turn = atan2(B[1], B[0]) - acos((0.3**2 + far**2 - 0.5**2) / (2 * 0.3 * far))
    m = gear_slider(theta)
    idler = 0.3 * np.array([np.cos(turn), np.sin(turn)])
    m["gear3"].guess(position=idler, angle=3 * turn)
    m["gear4"].guess(position=B, angle=0)
    k = lw.kinematics(m, t_end=1, steps=50)
    np.testing.assert_allclose(np.array([k["gear3.x"], k["gear3.y"]]).T, np.tile(idler, (51, 1)), atol=1e-12)
    np.testing.assert_allclose(k["gear3.angle"], 3 * turn - 2 * k["gear2.angle"], atol=1e-11)
    np.testing.assert_allclose(k["gear4.omega"], 2 * pi, rtol=1e-11)
    P = np.array([k["gear4.x"] + 0.2 * np.cos(k["gear4.angle"]) - 0.2 * np.sin(k["gear4.angle"]),
                  k["gear4.y"] + 0.2 * np.sin(k["gear4.angle"]) + 0.2 * np.cos(k["gear4.angle"])])  # fmt: skip
    np.testing.assert_allclose(k["ram.x"], P[0] + np.sqrt(0.64 - (P[1] - 0.2) ** 2), rtol=1e-11)


# -- valve lifter -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("e", "speed", "acceleration"),
                         [(0.25, 31.4159, 3947.84), (0.35, 43.9823, 5526.98), (0.45, 56.5487, 7106.12)])  # fmt: skip
def test_valve_lifter(e, speed, acceleration):
    k = lw.kinematics(valve_lifter(e), t_eval=np.arange(0, 0.0501, 0.0125 / 4))  # quarters of a turn are among these
    assert np.ptp(k["stem.y"]) == pytest.approx(2 * e, rel=1e-12)
    assert np.abs(k["stem.vy"]).max() == pytest.approx(speed, abs=6e-5)
    assert np.abs(k["stem.ay"]).max() == pytest.approx(acceleration, abs=6e-3)
    if e == 0.25:
        found = [k[f"rocker.{c}"][4] for c in ("angle", "omega", "alpha")]
        np.testing.assert_allclose(found, [-0.0416425791, -5.2269132538, 2.27671851], rtol=2e-9)
