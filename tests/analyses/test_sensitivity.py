"""Design sensitivity of position, velocity and acceleration: against differences, and against closed forms."""

from math import cos, pi, sin, sqrt

import numpy as np
import pytest

import linkwright as lw
from planar_machines import four_bar, slider_crank


@pytest.mark.parametrize(("build", "values"), [(slider_crank, {"r": 2.0, "L": 3.5}), (four_bar, {"L": 2.8})])
def test_against_differences(build, values):
    t = 0.3
    s = lw.sensitivity(build(**values, parameters=True), t=t)
    h = 1e-4

    def at(name, step):
        m = build(**{**values, name: values[name] + step}, parameters=True)
        return lw.kinematics(m, t_eval=[0, t])

    for name in values:
        runs = {k: at(name, k * h) for k in (-2, -1, 1, 2)}
        for (channel, parameter), value in s.items():
            if parameter == name.lower():
                y = {k: runs[k][channel][1] for k in runs}
                slope = (8 * (y[1] - y[-1]) - (y[2] - y[-2])) / (12 * h)
                # h^4 of fifth derivatives, and rounding 1e-16/h of accelerations of some hundreds
                assert value == pytest.approx(slope, rel=1e-7, abs=1e-8), (channel, parameter)


def test_closed_form():
    # x = r cos f + sqrt(l^2 - r^2 sin^2 f): dx/dl = l/root, dx/dr = cos f - r sin^2 f/root
    s = lw.sensitivity(slider_crank(parameters=True), t=0.1)
    f = pi / 4 + 0.2 * pi
    root = sqrt(3.5**2 - (2 * sin(f)) ** 2)
    assert s["slider.x", "l"] == pytest.approx(3.5 / root, rel=1e-12)
    assert s["slider.x", "r"] == pytest.approx(cos(f) - 2 * sin(f) ** 2 / root, rel=1e-12)
    assert abs(s["crank.angle", "r"]) < 1e-15
    assert s.t == 0.1


def test_parameters_in_drivers_gears_and_curves():
    # a parameter may stand anywhere: in a motion, in a radius, in an outline
    m = lw.PlanarModel()
    w, e, R = m.parameter("w", 2.0), m.parameter("e", 0.3), m.parameter("R", 1.0)
    cam, wheel = m.body("cam"), m.body("wheel", position=(3, 0))
    follower = m.body("follower", position=(0, 1.4))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), cam.at(0, 0)))
    m.add(lw.Revolute("axle", m.ground.at(3, 0), wheel.at(0, 0)))
    m.add(lw.Gear("mesh", cam.at(0, 0), wheel.at(0, 0), (R, 3 - R)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=pi / 2), follower.at(0, 0, angle=pi / 2)))
    m.add(lw.CamFlat("contact", cam.curve(lw.Curve.polar(1.0), at=(e, 0)), follower.at(0, 0, angle=pi), estimate=1.57))
    m.add(lw.Driver("motor", pin.angle, lambda t: w * t + 0.2))
    s = lw.sensitivity(m, t=0.5)
    phi = 1.2
    assert s["follower.y", "e"] == pytest.approx(sin(phi), rel=1e-12)  # y = 1 + e sin(phi)
    assert s["follower.y", "w"] == pytest.approx(0.3 * cos(phi) * 0.5, rel=1e-12)
    assert s["follower.vy", "w"] == pytest.approx(0.3 * (cos(phi) - 2 * 0.5 * sin(phi)), rel=1e-10)
    assert s["wheel.omega", "R"] == pytest.approx(-2 * 3 / (3 - 1) ** 2, rel=1e-10)  # omega = -w R/(3 - R)
    assert s["wheel.omega", "w"] == pytest.approx(-1 / 2, rel=1e-12)


def test_names_and_singular_places():
    m = slider_crank(parameters=True)
    only = lw.sensitivity(m, t=0.1, parameters=["r"])
    assert {p for _, p in only} == {"r"}
    with pytest.raises(lw.ModelError, match="radius"):
        lw.sensitivity(m, t=0.1, parameters=["radius"])
    with pytest.raises(lw.ModelError):
        only["slider.x", "l"]
    with pytest.raises(lw.SingularityError) as caught:
        lw.sensitivity(slider_crank(L=1.9, parameters=True), t=0.2)
    assert caught.value.kind == "lock-up"
    assert np.isfinite(list(only.values())).all()
