"""Motion over time: drivers of all kinds, grids, many turns, consistency with time derivatives, quantities on request."""

from math import pi

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import linkwright as lw
from linkwright.equations.motions import cycloidal, modified_sine
from planar_machines import cam_A, excavator, four_bar, haug_four_bar, quick_return, slider_crank, valve_lifter


def turntable(motion) -> lw.PlanarModel:
    m = lw.PlanarModel("turntable")
    b = m.body("b")
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), b.at(0, 0)))
    m.add(lw.Driver("motor", pin.angle, motion))
    return m


T = np.linspace(0, 2, 81)
KNOTS = np.linspace(0, 2, 9)
PERIODIC = np.sin(pi * KNOTS) + 0.2 * np.cos(2 * pi * KNOTS)
MOTIONS = {
    "number": (0.7, lambda t: (0.7 + 0 * t, 0 * t, 0 * t)),
    "text": ("sin(3*t)**2", lambda t: (np.sin(3 * t) ** 2, 3 * np.sin(6 * t), 18 * np.cos(6 * t))),
    "function": (lambda t: lw.exp(-t) * t, lambda t: (t * np.exp(-t), (1 - t) * np.exp(-t), (t - 2) * np.exp(-t))),
    "polynomial": (
        lw.Polynomial((1, 2, 3, 4)),
        lambda t: (1 + 2 * t + 3 * t**2 + 4 * t**3, 2 + 6 * t + 12 * t**2, 6 + 24 * t),
    ),
    "harmonic": (
        lw.Harmonic(2, 5, 0.3, 1),
        lambda t: (1 + 2 * np.sin(5 * t + 0.3), 10 * np.cos(5 * t + 0.3), -50 * np.sin(5 * t + 0.3)),
    ),
}


@pytest.mark.parametrize("kind", MOTIONS)
def test_motions_are_exact(kind):
    motion, f = MOTIONS[kind]
    k = lw.kinematics(turntable(motion), t_eval=T)
    for channel, values in zip(("angle", "omega", "alpha"), f(T), strict=True):
        np.testing.assert_allclose(k[f"b.{channel}"], values, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("motion", "shape"), [(lw.Cycloid, cycloidal), (lw.ModifiedSine, modified_sine)])
def test_rises(motion, shape):
    k = lw.kinematics(turntable(motion(3, 1.2, start=0.3, offset=-1)), t_eval=T)
    x = np.clip((T - 0.3) / 1.2, 0, 1)
    np.testing.assert_allclose(k["b.angle"], -1 + 3 * np.array([float(shape(v)) for v in x]), atol=1e-12)
    resting = (T < 0.3) | (T > 1.5)
    np.testing.assert_allclose(k["b.omega"][resting], 0, atol=1e-12)
    # the greatest acceleration of either, as its formula says
    greatest = {lw.Cycloid: 2 * pi, lw.ModifiedSine: 4 * pi**2 / (4 + pi)}[motion]
    assert np.abs(k["b.alpha"]).max() == pytest.approx(greatest * 3 / 1.2**2, rel=2e-3)


@pytest.mark.parametrize("periodic", [False, True])
def test_tables(periodic):
    k = lw.kinematics(
        turntable(lw.Table(KNOTS, PERIODIC, periodic=periodic)), t_eval=np.linspace(0, 3.9 if periodic else 2, 79)
    )
    spline = CubicSpline(KNOTS, PERIODIC, bc_type="periodic" if periodic else "not-a-knot")
    t = k.t % 2 if periodic else k.t
    for order, channel in enumerate(("angle", "omega", "alpha")):
        np.testing.assert_allclose(k[f"b.{channel}"], spline(t, order), atol=1e-9)


def test_a_driver_with_a_corner_in_it():
    # the velocity jumps at t = 1: no singular configuration
    k = lw.kinematics(turntable(lambda t: lw.where(t < 1, 2 * t, 2.0)), t_end=2, steps=13)
    np.testing.assert_allclose(k["b.angle"], np.minimum(2 * k.t, 2), atol=1e-9)
    np.testing.assert_array_equal(k["b.omega"], np.where(k.t < 1, 2, 0))


def test_thousand_turns():
    # angles are continuous and never wrapped; nothing drifts
    m = slider_crank(motion="2*pi*t")
    k = lw.kinematics(m, t_end=1000, steps=24000)
    np.testing.assert_allclose(k["crank.angle"], 2 * pi * k.t, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(k["A.angle"], 2 * pi * k.t, rtol=1e-13, atol=1e-15)
    x = 2 * np.cos(2 * pi * k.t) + np.sqrt(3.5**2 - 4 * np.sin(2 * pi * k.t) ** 2)
    np.testing.assert_allclose(k["slider.x"], x, rtol=1e-10)
    assert k.audit.position_error < 1e-10
    # a cam: its curve parameter runs on with it
    k = lw.kinematics(valve_lifter(), t_end=5, steps=4000)
    np.testing.assert_allclose(k["contact.alpha"], pi / 2 - 40 * pi * k.t, atol=1e-8)


@pytest.mark.parametrize("build", [slider_crank, four_bar, quick_return, excavator, lambda: cam_A("t", "face")])
def test_rates_are_the_derivatives(build):
    # splines through fine samples: cubic, so velocities to h^3 and accelerations to h^2 of higher derivatives
    m = build()
    t = np.linspace(0.3, 0.4, 201)
    k = lw.kinematics(m, t_eval=t)
    inner = slice(10, -10)
    for name in k.channels:
        body, channel = name.split(".")
        rate = {"x": "vx", "y": "vy", "angle": "omega", "vx": "ax", "vy": "ay", "omega": "alpha"}.get(channel)
        if rate is None or body not in m.bodies:
            continue
        slope = CubicSpline(t, k[name])(t, 1)
        size = max(np.abs(k[f"{body}.{rate}"]).max(), np.abs(k[name]).max(), 1.0)
        np.testing.assert_allclose(k[f"{body}.{rate}"][inner], slope[inner], atol=1e-6 * size, err_msg=name)


def test_the_grid_does_not_matter():
    fine = lw.kinematics(quick_return(), t_end=1, steps=1000)
    for steps in (1, 4, 10, 125):
        coarse = lw.kinematics(quick_return(), t_end=1, steps=steps)
        for name in ("ram.x", "ram.vx", "ram.ax", "rocker.alpha", "link.angle"):
            np.testing.assert_allclose(coarse[name], fine[name][:: 1000 // steps], rtol=1e-9, atol=1e-9)
    assert coarse.audit.points == 126


def test_times():
    m = slider_crank()
    for bad in (
        {}, {"t_end": 1, "steps": 0}, {"t_eval": []}, {"t_eval": [0, 0]}, {"t_eval": [1, 0]}, {"t_eval": [0, np.nan]},
        {"t_end": np.inf}, {"t_end": 0.0}, {"t_eval": "soon"}, {"t_end": "1 s"}, {"t_end": 1, "steps": 2.5},
    ):  # fmt: skip
        with pytest.raises(lw.ModelError):
            lw.kinematics(m, **bad)
    one = lw.kinematics(m, t_eval=[0.25])
    assert one.t.tolist() == [0.25]
    assert one["crank.angle"][0] == pytest.approx(pi / 4 + pi / 2)


def test_quantities_of_a_result():
    m = slider_crank()
    k = lw.kinematics(m, t_end=1, steps=50)
    f = pi / 4 + 2 * pi * k.t
    B = m["crank"].at(2, 0)
    np.testing.assert_allclose(k[lw.component(B, "y")], 2 * np.sin(f), atol=1e-12)
    np.testing.assert_allclose(k[lw.distance(B, m["slider"].at(0, 0))], 3.5, rtol=1e-12)
    np.testing.assert_allclose(k[lw.rate(m["C"].angle)], k["slider.omega"] - k["rod.omega"], atol=1e-12)
    np.testing.assert_allclose(k[m["slider"].x ** 2], k["slider.x"] ** 2, rtol=1e-14)
    np.testing.assert_allclose(k["C.angle"], k["slider.angle"] - k["rod.angle"], atol=1e-13)
    with pytest.raises(lw.ModelError, match=r"slider\.z") as caught:
        k["slider.z"]
    assert "slider.x" in caught.value.remedy


def test_a_free_machine_is_refused():
    m = slider_crank(motion=None)
    with pytest.raises(lw.ModelError, match="1 degree of freedom") as caught:
        lw.kinematics(m, t_end=1)
    assert "A.angle" in caught.value.remedy
    with pytest.raises(lw.ModelError, match="2 degrees of freedom") as caught:
        lw.kinematics(excavator().without("A", "B"), t_end=1)
    assert {"O.angle", "J.angle"} <= set(caught.value.remedy.replace(",", "").split())


def test_surplus_drivers():
    # two drivers that agree are one too many, but no contradiction; two that disagree later are found then
    m = slider_crank()
    m.add(lw.Driver("second", m["crank"].angle, "pi/4 + 2*pi*t"))
    k = lw.kinematics(m, t_end=1, steps=20)
    assert k["slider.x"][-1] == pytest.approx(4.6157756811, abs=1e-10)
    m = slider_crank()
    m.add(lw.Driver("second", m["crank"].angle, "pi/4 + 2*pi*t + t**4"))
    with pytest.raises(lw.ModelError, match="second") as caught:
        lw.kinematics(m, t_end=1, steps=20)
    assert "second" in caught.value.element or "motor" in caught.value.element


def test_a_driver_of_what_the_model_lacks():
    # four-bar models 3 and 4: no crank or follower body to drive, the name says so
    m = haug_four_bar(4, None)
    with pytest.raises(lw.ModelError, match="b1"):
        m.add(lw.Driver("motor", "b1.angle", "t"))
    with pytest.raises(lw.ModelError, match="b3"):
        haug_four_bar(3, None).add(lw.Driver("motor", "b3.angle", "t"))
    with pytest.raises(lw.ModelError, match=r"A\.angle|'A'"):
        m.add(lw.Driver("motor", "A.angle", "t"))


def test_driven_distance_must_stay_positive():
    m = lw.PlanarModel()
    b = m.body("b", position=(1, 0))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Driver("rod", lw.distance(m.ground.at(0, 0), b.at(0, 0)), "1 - 0.3*t"))
    with pytest.raises(lw.ModelError, match="rod") as caught:
        lw.kinematics(m, t_end=4, steps=10)
    assert caught.value.element == ("rod",)
    k = lw.kinematics(m, t_end=3, steps=10)
    np.testing.assert_allclose(k["b.x"], 1 - 0.3 * k.t, rtol=1e-12)
    # a short visit to zero between the points is found, too
    m = m.without("rod")
    m.add(lw.Driver("rod", lw.distance(m.ground.at(0, 0), m["b"].at(0, 0)), "1 - 1.01*exp(-((t - 0.503)/0.01)**2)"))
    with pytest.raises(lw.ModelError, match="rod"):
        lw.kinematics(m, t_end=1, steps=4)


def test_start_from_a_configuration():
    m = haug_four_bar()
    modes = lw.assemblies(m)
    k = lw.kinematics(m, t_end=0.1, steps=5, start=modes[1])
    assert k["b2.x"][0] == pytest.approx(modes[1]["b2.x"], abs=1e-10)
    assert k["b2.x"][0] == pytest.approx(0.05051025721682, rel=1e-9)
