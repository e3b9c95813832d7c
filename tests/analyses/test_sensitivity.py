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


def test_a_phase_that_is_found_changes_with_the_design():
    """What kinematics gives with another value: the gears mesh where they stand at the start, whatever that is."""
    m = lw.PlanarModel()
    R, start, a = m.parameter("R", 1.0), m.parameter("start", 0.2), m.parameter("a", 0.7)
    one, two = m.body("one"), m.body("two", position=(3, 0), angle=a)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), one.at(0, 0)))
    m.add(lw.Revolute("axle", m.ground.at(3, 0), two.at(0, 0)))
    m.add(lw.Gear("mesh", one.at(0, 0), two.at(0, 0), (R, 3 - R)))
    m.add(lw.Driver("motor", pin.angle, lambda t: start + 2 * t))
    s = lw.sensitivity(m, t=0.5)  # angle of two: a - R/(3 - R) 2 t
    assert s["two.angle", "a"] == pytest.approx(1, rel=1e-12)
    assert abs(s["two.angle", "start"]) < 1e-12
    assert s["two.angle", "R"] == pytest.approx(-3 / 2**2, rel=1e-12)


def gears_and_a_rod(**changed):
    """A crank drives a second one by gears; nothing but the estimates, which are off, says how they mesh."""
    m = lw.PlanarModel()
    numbers = {"r": 0.6, "l": 2.0, "R": 1.0, "y": 0.3, "a": 0.5} | changed
    r, length, R, y, a = (m.parameter(n, x) for n, x in numbers.items())
    one, two = m.body("one", angle=a), m.body("two", position=(3, 0.1), angle=0.9)
    rod = m.body("rod", position=(4, y), angle=0.4)
    slider = m.body("slider", position=(5.5, y))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), one.at(0, 0)))
    m.add(lw.Revolute("axle", m.ground.at(3, 0), two.at(0, 0)))
    m.add(lw.Gear("mesh", one.at(0, 0), two.at(0, 0), (R, 3 - R)))
    m.add(lw.Revolute("B", two.at(r, 0), rod.at(-length / 2, 0)))
    m.add(lw.Revolute("C", rod.at(length / 2, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", pin.angle, lambda t: 0.2 + t))
    return m


def rack_in_space(**changed):
    """A rack, and a pinion that may slide on its shaft as a stay lets it; the estimates are off."""
    m = lw.SpatialModel()
    numbers = {"R": 0.5, "x": 0.2, "z": 0.1, "s": 1.2} | changed
    R, x, z, stay = (m.parameter(n, v) for n, v in numbers.items())
    along = ((0, 1, 0), np.pi / 2)
    pinion = m.body("pinion", position=(0, 0.5, 0.2), orientation=((0.1, -0.05, 0.3), 0.7))
    rack = m.body("rack", position=(x, 0.1, z), orientation=((0, 0.05, 0.1), 0.2))
    m.add(lw.Cylindrical("shaft", m.ground.at(0, 0.5, 0), pinion.at(0, 0, 0)))
    m.add(lw.Distance("stay", m.ground.at(0, 0, 1), pinion.at(0.3, 0, 0), length=stay))
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, 0, rotation=along), rack.at(0, 0, 0, rotation=along)))
    m.add(lw.RackPinion("mesh", rack.at(0, 0, 0), pinion.at(0, 0, 0), radius=R))
    m.add(lw.Driver("motor", guide.displacement, lambda t: x + 0.2 * t))
    return m


@pytest.mark.parametrize("build", [gears_and_a_rod, rack_in_space])
def test_phases_found_away_from_the_estimates(build):
    """Where estimates are off, the nearest closure moves with the design: its curvature counts."""
    t, h, m = 0.3, 1e-4, build()
    s = lw.sensitivity(m, t=t)
    assert {p for _, p in s} == set(m.parameters)
    for name, value in m.parameters.items():
        runs = {k: lw.kinematics(build(**{name: value + k * h}), t_eval=[0, t]) for k in (-2, -1, 1, 2)}
        for (channel, parameter), slope in s.items():
            if parameter == name:
                y = {k: runs[k][channel][1] for k in runs}
                by_differences = (8 * (y[1] - y[-1]) - (y[2] - y[-2])) / (12 * h)
                # h^4 of fifth derivatives, and 1e-13/h of the nearest configuration
                assert slope == pytest.approx(by_differences, rel=1e-6, abs=1e-7), (channel, name)


def test_parameters_that_dependent_joints_hold():
    """Of a parallelogram with a third bar the length of one bar cannot change alone; that of all can."""
    m = lw.PlanarModel()
    r, third, width = m.parameter("r", 1.0), m.parameter("third", 0.0), m.parameter("width", 2.0)
    bars = [m.body(f"bar{k}", position=(k * 1.0, 0), angle=1.0) for k in range(3)]
    coupler = m.body("coupler", position=(0.5, 0.8))
    pins = [m.add(lw.Revolute(f"O{k}", m.ground.at(k * width / 2, 0), bar.at(0, 0))) for k, bar in enumerate(bars)]
    for k, bar in enumerate(bars):
        m.add(lw.Revolute(f"A{k}", bar.at(r + third * (k == 2), 0), coupler.at(k * width / 2, 0)))
    m.add(lw.Driver("motor", pins[0].angle, lambda t: 1.0 + t))
    s = lw.sensitivity(m, t=0.1)
    assert s["coupler.x", "r"] == pytest.approx(cos(1.1), rel=1e-12)
    assert abs(s["coupler.x", "width"]) < 1e-12
    assert set(s.impossible) == {"third"}
    with pytest.raises(lw.ModelError, match="third") as caught:
        s["coupler.x", "third"]
    assert {"A2", "O2"} <= set(caught.value.element)
    m.set(third=1e-4)
    with pytest.raises(lw.AssemblyError):  # so it is
        lw.kinematics(m, t_eval=[0, 0.1])
