"""Transmission angle and mechanical advantage against closed forms."""

import numpy as np
import pytest

import linkwright as lw
from planar_machines import (
    cam_A,
    five_bar,
    four_bar,
    four_bar_massless_follower,
    quick_return,
    slider_crank,
    slider_crank_massless_rod,
)


def test_four_bar_transmission_angle():
    # cosine rule in the triangles ABD and BCD: crank 2, coupler 4, follower 3, ground sqrt(17)
    m = four_bar()
    k = lw.kinematics(m, t_end=1, steps=100)
    B = 2 * np.array([np.cos(k["A.angle"]), np.sin(k["A.angle"])])
    BD = (B[0] - 4) ** 2 + (B[1] + 1) ** 2
    mu = np.arccos(np.abs((4**2 + 3**2 - BD) / (2 * 4 * 3)))
    np.testing.assert_allclose(lw.transmission_angle(k, "C"), mu, atol=1e-10)
    np.testing.assert_allclose(lw.transmission_angle(k, m["C"]), mu, atol=1e-10)
    # the follower as a distance: given as the link, told at its second end, where it meets ground; at C by the coupler
    composite = lw.kinematics(four_bar_massless_follower(), t_end=1, steps=100)
    other = four_bar_massless_follower().without("follower")
    other.add(lw.RevoluteRevolute("follower", other.ground.at(4, -1), other["coupler"].at(0, 0), 3))
    k2 = lw.kinematics(other, t_end=1, steps=100)
    np.testing.assert_allclose(lw.transmission_angle(k2, "follower"), mu, atol=1e-10)
    np.testing.assert_allclose(composite["coupler.x"], k2["coupler.x"], atol=1e-12)


def test_four_bar_mechanical_advantage():
    # T_out/T_in = omega_in/omega_out = (c sin mu)/(a sin nu), nu the angle between crank and coupler (Freudenstein)
    m = four_bar()
    k = lw.kinematics(m, t_eval=np.linspace(0.05, 1.05, 90))
    found = lw.mechanical_advantage(k, "A.angle", m["follower"].angle)
    np.testing.assert_allclose(found, k["crank.omega"] / k["follower.omega"], rtol=1e-12)
    f1, f2, f3 = (k[f"{b}.angle"] for b in ("crank", "coupler", "follower"))
    np.testing.assert_allclose(found, 3 * np.sin(f2 - f3) / (2 * np.sin(f2 - f1)), rtol=1e-9)
    # dead centre of the follower, crank and coupler in line: infinite advantage
    c = slider_crank(motion="2*pi*t")
    at_rest = lw.kinematics(c, t_eval=[0, 0.25, 0.5])
    advantage = lw.mechanical_advantage(at_rest, "crank.angle", "slider.x")
    assert np.abs(advantage[[0, 2]]).min() > 1e12
    assert advantage[1] == pytest.approx(-1 / 2, rel=1e-12)  # dx/dphi = -r at phi = pi/2
    # any quantities: a lever of 2 m lifts at its end what its turning gives
    np.testing.assert_allclose(lw.mechanical_advantage(at_rest, "crank.angle", "2*A.angle"), 0.5, rtol=1e-12)


def test_slider_crank_transmission_angle():
    # between the rod and the normal of the guide: cos mu = (r/l) |sin phi|
    wanted = None
    for build, joint in ((slider_crank, "C"), (slider_crank_massless_rod, "rod")):
        m = build()
        if joint == "rod":  # the slider's guide by a joint, so that it has a line
            m = m.without("y2", "phi2")
            m.add(lw.Translational("D", m.ground.at(0, 0, angle=0), m["slider"].at(0, 0, angle=0)))
        k = lw.kinematics(m, t_end=1, steps=60)
        wanted = np.arccos(2 / 3.5 * np.abs(np.sin(k["crank.angle"])))
        np.testing.assert_allclose(lw.transmission_angle(k, joint), wanted, atol=1e-10)
    assert wanted.min() == pytest.approx(np.arccos(2 / 3.5), abs=1e-2)


def test_transmission_vanishes_at_lock_up():
    m = slider_crank(L=1.9)
    with pytest.raises(lw.SingularityError) as caught:
        lw.kinematics(m, t_end=0.1, steps=1000)
    mu = lw.transmission_angle(caught.value.partial, "C")
    assert mu[0] > 0.5
    assert mu[-1] < 0.05


def test_where_it_means_nothing():
    k = lw.kinematics(quick_return(), t_end=0.1, steps=5)
    assert lw.transmission_angle(k, "D").shape == (6,)
    with pytest.raises(lw.ModelError, match="Translational"):
        lw.transmission_angle(k, "F")
    with pytest.raises(lw.ModelError, match="'X'"):
        lw.transmission_angle(k, "X")
    bar = lw.kinematics(five_bar(1.1), t_start=0.5, t_end=0.6, steps=3)
    with pytest.raises(lw.ModelError, match="no line"):
        lw.transmission_angle(lw.kinematics(cam_A("t", "face"), t_start=0.3, t_end=0.4, steps=2), "pivot")
    assert np.isfinite(lw.transmission_angle(bar, "T1")).all()
    with pytest.raises(lw.ModelError, match="no position"):
        lw.mechanical_advantage(k, "crank.omega", "ram.x")
    with pytest.raises(lw.ModelError, match="rocket"):
        lw.mechanical_advantage(k, "rocket.angle", "ram.x")


def test_guides_at_an_angle_and_pins_at_places_that_are_parameters():
    """The transmission angle of a slider crank whose guide is inclined: that of the numbers."""

    def built(given):
        m = lw.PlanarModel("slider crank")
        tilt, x = (m.parameter("tilt", 0.2), m.parameter("x", 0.1)) if given else (0.2, 0.1)
        crank = m.body("crank", position=(0.6, 0.0))
        rod = m.body("rod", position=(2.5, 0.0))
        slider = m.body("slider", position=(4.0, 0.5), angle=0.2)
        m.add(lw.Revolute("A", m.ground.at(x, 0), crank.at(-0.5, 0)))
        m.add(lw.Revolute("B", crank.at(0.5, 0), rod.at(-1.5, 0)))
        m.add(lw.Revolute("C", rod.at(1.5, 0), slider.at(0, 0)))
        m.add(lw.Translational("guide", slider.at(0, 0, angle=0), m.ground.at(0, 0, angle=tilt)))
        m.add(lw.Driver("drive", crank.angle, "t"))
        return lw.transmission_angle(lw.kinematics(m, t_end=6, steps=30), "C")

    found = built(True)
    assert found.dtype == float
    np.testing.assert_allclose(found, built(False), atol=1e-12)
