"""Cases of Haug's chapters 6 and 7 with recomputed answers: 15 digits unless said otherwise."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.solve.rank import analyse

CLOSE = {"rel": 1e-12}


# -- forces ---------------------------------------------------------------------------------------------------------------


def tractor(pull=0.0):
    """Example 6.1.1: small pitch, tyres that only push; m = 4000, J = 3000, k = 2e5, h0 = 1, axles at 1.2 and -0.8."""
    m = lw.PlanarModel("tractor", gravity=(0, -9.81))
    body = m.body("body", 4000.0, 3000.0, position=(0, 0.9))
    T = m.parameter("T", pull)
    m.add(lw.Stop("front", body.y + 1.2 * body.angle, lower=1.0, k=2e5))
    m.add(lw.Stop("rear", body.y - 0.8 * body.angle, lower=1.0, k=2e5))
    m.add(lw.Force("pull", body.x + 1.0 * body.angle, T))  # at the ground, h0 below the mass centre
    m.fix(body.x, 0.0)
    return m


@pytest.mark.parametrize(("T", "y", "angle"), [(0.0, 0.897976, 0.01962), (5000.0, 0.895476, 0.03212)])
def test_tractor_at_rest(T, y, angle):
    """Ff = (m g lr - T h0)/(lf + lr). Nothing holds it in x: held by a spring, of no influence on the rest."""
    m = tractor(T)
    m.add(lw.Force("tether", m["body"].x, -T))
    e = lw.equilibrium(m)
    assert [e["body.y"], e["body.angle"]] == pytest.approx([y, angle], abs=1e-12)
    assert [e["front.force"], e["rear.force"]] == pytest.approx([(39240 * 0.8 - T) / 2, (39240 * 1.2 + T) / 2], **CLOSE)
    assert e.stability == "neutral"
    assert [set(np.flatnonzero(np.abs(list(d.values())) > 1e-6)) for d in e.neutral] == [{0}]  # along x
    rates = 2 * np.pi * lw.linearize(m, e).frequencies
    assert rates == pytest.approx([0, 9.44537177696724, 12.2250406404861], **CLOSE)


def test_tractor_that_pulls():
    """The pull steps to 5 kN: modes in closed form."""
    m = tractor(5000.0)
    for channel, value in {"y": 0.897976, "angle": 0.01962}.items():
        m.fix(m["body"].coordinate(channel), value)
    d = lw.dynamics(m, t_eval=[0, 0.25, 1.0], rtol=1e-11, atol=1e-13)
    assert d["body.y"][1:] == pytest.approx([0.894756731783971, 0.885785533539018], abs=1e-10)
    assert d["body.angle"][1:] == pytest.approx([0.0436191673307225, 0.0268370284174994], abs=1e-10)
    assert d["body.x"][2] == pytest.approx(0.625, abs=1e-10)


def test_a_wheel_lifts_off():
    """Beyond T = m g lr/h0 = 31392 the front rests on nothing: no equilibrium of the pitch, the nose goes up."""
    for T, up in ((31000.0, False), (31392.0 * 1.02, True)):
        m = tractor(T)
        front = (39240 * 0.8 - min(T, 31391.0)) / 2 / 2e5
        angle = ((39240 * 1.2 + T) / 2 / 2e5 - front) / 2
        m.fix(m["body"].angle, angle)
        m.fix(m["body"].y, 1 - front - 1.2 * angle)
        d = lw.dynamics(m, t_end=2.0, steps=20)
        assert (d["front.force"].min() == 0) == up
        assert (np.diff(d["body.angle"])[-1] > 0.02) == up


# -- constrained motion ---------------------------------------------------------------------------------------------------


def slider_crank():
    """C13: m = 3, 2, half lengths 0.5, 1 at 45 degrees, 2 rad/s."""
    m = lw.PlanarModel("slider-crank", gravity=(0, -9.81))
    c = np.sqrt(0.5)
    phi2 = -0.361367123906708
    crank = m.body("crank", 3.0, 3 * 0.25 / 3, position=(c / 2, c / 2), angle=np.pi / 4, omega=2.0)
    rod = m.body("rod", 2.0, 2 / 3, position=(c + np.cos(phi2), c / 2), angle=phi2)
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-0.5, 0)))
    m.add(lw.Revolute("B", crank.at(0.5, 0), rod.at(-1, 0)))
    m.add(lw.PointOnLine("slide", m.ground.at(0, 0, angle=0), rod.at(1, 0)))
    m.fix(crank.angle, np.pi / 4)
    m.fix(crank.omega, 2.0)
    return m


def test_slider_crank_accelerations_and_reactions():
    """Examples 6.3.2 and 6.3.5 with forces of joints; the multipliers of substituted equations are none."""
    d = lw.dynamics(slider_crank(), t_eval=[0, 1e-3])
    assert d["rod.angle"][0] == pytest.approx(-0.361367123906708, abs=1e-13)
    assert d["rod.omega"][0] == pytest.approx(-0.755928946018454, **CLOSE)
    names = ["crank.ax", "crank.ay", "crank.alpha", "rod.ax", "rod.ay", "rod.alpha"]
    expected = [
        1.26405524834681,
        -4.09248237309300,
        -7.57528815160190,
        3.46404060148229,
        -4.09248237309300,
        4.15906798728775,
    ]
    assert [d[c][0] for c in names] == pytest.approx(expected, rel=1e-11)
    forces = [d[c][0] for c in ("A.fx", "A.fy", "B.fx", "B.fy", "slide.fx", "slide.fy")]  # on the second body
    expected = [10.720246948005, 20.078709326565, 6.928081202965, 2.926156445844, 0, 8.508878807970]
    assert forces == pytest.approx(expected, abs=1e-11)


def test_reduced_mass_and_force_of_a_pendulum():
    """Example 7.2.1, l = 1: (J' + m) phi'' = -m g cos(phi), no velocity terms."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", 2.0, 0.7, position=(np.cos(0.4), np.sin(0.4)), angle=0.4, omega=3.0)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-1, 0)))
    m.fix(bar.angle, 0.4)
    lin = lw.linearize(m, lw.assemble(m), coordinates=["bar.angle"])
    assert lin.M[0, 0] == pytest.approx(2.7, **CLOSE)
    assert lin.K[0, 0] == pytest.approx(-2 * 9.81 * np.sin(0.4), **CLOSE)
    alpha = lw.dynamics(m, t_eval=[0, 1e-3])["bar.alpha"][0]
    assert alpha == pytest.approx(-2 * 9.81 * np.cos(0.4) / 2.7, **CLOSE)


def test_multipliers_exist_where_the_theorem_says():
    """Example 6.3.3: b = (1, 3, 2) works on no motion that A allows, (1, 3, 1) does."""
    A = np.array([[-1.0, 0.0, 1.0], [2.0, 3.0, 1.0]])
    free = analyse(A, np.ones(3)).right
    assert free[:, 0] / free[0, 0] == pytest.approx([1, -1, 1])
    assert pytest.approx([0], abs=1e-14) == free.T @ [1, 3, 2]
    assert np.linalg.lstsq(A.T, -np.array([1.0, 3, 2]), rcond=None)[0] == pytest.approx([-1, -1])
    assert abs((free.T @ [1, 3, 1])[0]) > 0.1


def test_a_force_along_a_slide_does_all_its_work():
    """Problem 6.2.2 with the point off the slider's origin: the law along the slide is the spring between the points."""

    def machine(kind):
        m = lw.PlanarModel("slide", gravity=(0, -9.81))
        arm = m.body("arm", 2.0, 0.5, angle=0.3, omega=1.0)
        block = m.body("block", 1.5, 0.2, position=(0.8, 0.5), angle=0.7)
        m.add(lw.Revolute("pin", m.ground.at(0, 0), arm.at(-0.2, 0)))
        slide = m.add(lw.Translational("slide", arm.at(0, 0, angle=0.4), block.at(0.1, 0.3, angle=0)))
        m.fix(arm.angle, 0.3)
        m.fix(slide.displacement, 0.6)
        m.fix(arm.omega, 1.0)
        m.fix(slide.velocity, 0.5)
        if kind == "law":
            m.add(lw.Force("f", slide.displacement, lambda s, v, t: -40 * (s - 0.3) - 2 * v))
        else:
            m.add(lw.Spring("f", arm.at(-np.cos(0.4), -np.sin(0.4)), block.at(0.1, 0.3), k=40, length=1.3, c=2))
        return lw.dynamics(m, t_eval=[0, 0.5], rtol=1e-11, atol=1e-13)

    law, spring = machine("law"), machine("spring")
    for channel in ("arm.angle", "block.x", "slide.fx", "slide.fy", "slide.torque", "pin.fx"):
        assert law[channel] == pytest.approx(spring[channel], abs=1e-8), channel


# -- driven ---------------------------------------------------------------------------------------------------------------


def test_a_bar_between_two_walls():
    """Problem 6.4.1: a bar of 4 m, 20 kg, its ends on the axes, turned evenly; the wall must be able to pull."""
    m = lw.PlanarModel("bar", gravity=(0, -9.81))
    bar = m.body("bar", 20.0, 20 * 16 / 12, position=(1.05, 1.73), angle=5 * np.pi / 3)
    m.add(lw.Constraint("x", lambda t: bar.x - 2 * lw.cos(bar.angle)))
    m.add(lw.Constraint("y", lambda t: bar.y + 2 * lw.sin(bar.angle)))
    m.add(lw.Driver("motor", bar.angle, "5*pi/3 + pi*t/15"))
    i = lw.inverse_dynamics(m, t_eval=[0, 2, 4])
    # efforts along the equations' residuals: -lam
    assert -i["x.force"] == pytest.approx([0.877298168985703, 1.41949825568693, 1.71625419824306], **CLOSE)
    assert -i["y.force"] == pytest.approx([-194.680474997930, -195.168674148814, -195.835198908670], **CLOSE)
    assert -i["motor.torque"] == pytest.approx([196.2, 317.458268592729, 383.825118527945], **CLOSE)


# -- equilibrium ----------------------------------------------------------------------------------------------------------


def test_settling_from_the_top_of_the_hill_is_not_called_stable():
    """C28: m g l = 10, k = 2: at 1.97738302932884 the bar hardly moves for long. It rests there, on a hill."""
    top = 1.97738302932884
    m = lw.PlanarModel("bar", gravity=(0, -9.81))
    bar = m.body("bar", 10 / 9.81, 0.0, position=(np.cos(top), np.sin(top)), angle=top)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-1, 0)))
    m.add(lw.TorsionSpring("spring", pin, k=2.0))
    e = lw.equilibrium(m, method="settling")
    assert (abs(e["bar.angle"] - top) < 1e-3) == (e.stability == "unstable")


@pytest.mark.parametrize("J", [1e-6, 1e-9, 1e-12])
def test_a_body_with_hardly_any_inertia_swings_as_one_with_none(J):
    """A point on a bar: the turn has next to no inertia of its own, the pin holds it; no digits are lost by that."""
    m = lw.PlanarModel("bar", gravity=(0, -9.81))
    bob = m.body("bob", 1.0, J, position=(1, 0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bob.at(-1, 0)))
    period = 4 * 1.8540746773013719 / np.sqrt(9.81) * np.sqrt(1 + J)  # amplitude of 90 degrees: 4 K(1/2)/omega
    d = lw.dynamics(m, t_eval=[0, period / 2, period], rtol=1e-10, atol=1e-12)
    assert d["bob.x"] == pytest.approx([1, -1, 1], abs=1e-8)
    assert d["bob.angle"] == pytest.approx([0, -np.pi, 0], abs=1e-6)
    assert d.audit.steps < 100
