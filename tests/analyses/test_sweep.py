"""Many points at once give what following one by one gives, and nothing unusual passes unnoticed."""

from math import pi

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.motion import run as module
from planar_machines import cam_A, dyad, five_bar, four_bar, gear_slider, quick_return, slider_crank, valve_lifter

MACHINES = {
    "slider-crank": (slider_crank, 2.0),
    "four-bar": (four_bar, 2.0),
    "quick-return": (quick_return, 1.0),
    "gear-slider": (gear_slider, 1.0),
    "valve lifter": (valve_lifter, 0.1),
    "redundant": (lambda: five_bar(1.0, "pin", "0.5 + t", 0.5), 0.8),
}


@pytest.mark.parametrize("name", MACHINES)
def test_as_one_by_one(name, monkeypatch):
    build, end = MACHINES[name]
    fast = lw.kinematics(build(), t_end=end, steps=4000)
    positions = lw.kinematics(build(), t_end=end, steps=4000, rates=False)
    monkeypatch.setattr(module, "sweep", lambda *args: None)
    slow = lw.kinematics(build(), t_end=end, steps=4000)
    assert fast.channels == slow.channels
    for channel in slow.channels:
        size = max(np.abs(slow[channel]).max(), 1.0)
        np.testing.assert_allclose(fast[channel], slow[channel], atol=2e-10 * size, rtol=1e-9, err_msg=channel)
        if channel in positions:
            np.testing.assert_allclose(positions[channel], slow[channel], atol=1e-10 * size, err_msg=channel)
    assert "crank.vx" not in positions or name == "none"
    assert max(fast.audit.position_error, positions.audit.position_error) < 1e-9


@pytest.mark.parametrize("steps", [1000, 1024, 1999, 2003, 5000])
def test_any_number_of_points(steps):
    k = lw.kinematics(slider_crank(motion="t"), t_end=7.0, steps=steps)
    assert len(k.t) == steps + 1
    x = 2 * np.cos(k.t) + np.sqrt(3.5**2 - 4 * np.sin(k.t) ** 2)
    np.testing.assert_allclose(k["slider.x"], x, rtol=1e-12)
    np.testing.assert_allclose(k["crank.omega"], 1, rtol=1e-12)


def test_uneven_times():
    t = np.sort(np.random.default_rng(0).uniform(0, 1, 2000))
    k = lw.kinematics(slider_crank(motion="t"), t_eval=t)
    np.testing.assert_array_equal(k.t, t)
    np.testing.assert_allclose(k["crank.angle"], t, atol=1e-12)


@pytest.mark.parametrize("steps", [1500, 2000, 20000])
def test_singular_points_are_met_all_the_same(steps):
    with pytest.raises(lw.SingularityError) as caught:
        lw.kinematics(slider_crank(L=1.9), t_end=0.1, steps=steps)
    assert caught.value.kind == "lock-up"
    assert caught.value.time == pytest.approx(0.074458687948, abs=1e-9)
    assert caught.value.partial.t[-1] > 0.0743
    m = dyad(1.0)
    m["crank"].guess(angle=0.5)
    m["coupler"].guess(position=(1.75, 0), angle=1.0)
    with pytest.raises(lw.SingularityError) as caught:
        lw.kinematics(m, t_start=0.5, t_end=2.5, steps=steps)
    assert caught.value.kind == "bifurcation"
    k = lw.kinematics(m, t_start=0.5, t_end=2.5, steps=steps, branch=1)
    np.testing.assert_allclose(k["coupler.x"][k.t > pi / 2], 0, atol=1e-7)


def test_a_motion_with_corners():
    # the cam's curvature jumps: predictions fail there, following does not
    k = lw.kinematics(cam_A("0.3 + t", "slot"), t_end=0.9, steps=3000)
    np.testing.assert_allclose(k["follower.y"], 5 / 4 + np.sin(3 * (0.3 + k.t)) / 4, rtol=1e-11)


def test_parameters_change_between_runs():
    m = slider_crank(motion="t", parameters=True)
    for r in (2.0, 1.5, 2.0):
        m.set(r=r)
        k = lw.kinematics(m, t_end=3.0, steps=2000, rates=False)
        np.testing.assert_allclose(k["slider.x"], r * np.cos(k.t) + np.sqrt(3.5**2 - (r * np.sin(k.t)) ** 2), rtol=1e-12)
        assert not [c for c in k.channels if c.endswith((".vx", ".omega", ".ax"))]


def test_what_happens_between_coarse_points():
    # a short excursion of the driver, at rest before and after it
    m = slider_crank(motion=None)
    m.add(lw.Driver("motor", m["A"].angle, "1 + 2.5*exp(-((t - 0.51)/0.004)**2)"))
    k = lw.kinematics(m, t_end=1.0, steps=4000)
    phi = 1 + 2.5 * np.exp(-(((k.t - 0.51) / 0.004) ** 2))
    np.testing.assert_allclose(k["slider.x"], 2 * np.cos(phi) + np.sqrt(3.5**2 - 4 * np.sin(phi) ** 2), rtol=1e-10)
