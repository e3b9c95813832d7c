"""Planar machines put into space move as they did."""

import numpy as np
import pytest

import linkwright as lw
import planar_machines as planar


def gears():
    """A gear drives another on an arm, which drives a ring; estimates fit, so that the phases are those of the estimates."""
    m = lw.PlanarModel("gears")
    arm, one, two = m.body("arm"), m.body("one", angle=0.2), m.body("two", position=(3, 0), angle=0.5)
    ring = m.body("ring", angle=-0.1)
    g = m.ground
    A = m.add(lw.Revolute("A", g.at(0, 0), arm.at(0, 0)))
    B = m.add(lw.Revolute("B", g.at(0, 0), one.at(0, 0)))
    m.add(lw.Revolute("C", arm.at(3, 0), two.at(0, 0)))
    m.add(lw.Revolute("D", g.at(0, 0), ring.at(0, 0)))
    m.add(lw.Gear("G", one.at(0, 0), two.at(0, 0), radii=(2, 1)))
    m.add(lw.Gear("H", two.at(0, 0), ring.at(0, 0), radii=(1, -4)))
    m.add(lw.Driver("motor", B.angle, "0.2 + 20*t"))
    m.add(lw.Driver("turn", A.angle, "3*t"))
    return m


# name: machine, end of the motion
MACHINES = {
    "slider-crank": (planar.slider_crank, 1.0),
    "slider-crank, massless rod": (planar.slider_crank_massless_rod, 1.0),
    "four-bar": (planar.four_bar, 1.0),
    "four-bar, massless follower": (planar.four_bar_massless_follower, 1.0),
    "quick-return": (planar.quick_return, 1.0),
    "quick-return, composite": (planar.quick_return_composite, 1.0),
    "gears": (lambda: gears(), 1.0),
    "pin in the slot of a cam": (lambda: planar.cam_A(pair="pin"), 3.0),
    "film follower": (planar.film_follower, 0.06),
    "excavator": (planar.excavator, 1.0),
    "double pendulum": (planar.double_pendulum, 1.0),
}


@pytest.mark.parametrize("name", MACHINES)
def test_machine(name):
    make, t_end = MACHINES[name]
    flat = make()
    space = lw.embed(flat)
    report, before = lw.check(space), lw.check(flat)
    assert (report.dof, report.mobility) == (before.dof, before.mobility)
    a, b = (lw.kinematics(m, t_end=t_end, steps=40) for m in (flat, space))
    for body in flat.bodies:
        for c in () if body == "ground" else ("x", "y", "vx", "vy", "ax", "ay"):
            channel = f"{body}.{c}"
            # rounding, relative to the largest: fast machines have accelerations of thousands
            np.testing.assert_allclose(b[channel], a[channel], atol=1e-9 * (1 + np.abs(a[channel]).max()), err_msg=channel)
        if body != "ground":
            np.testing.assert_allclose(b[f"{body}.wz"], a[f"{body}.omega"], rtol=1e-8, atol=1e-9)
            for c in ("z", "vz", "az", "wx", "wy", "e1", "e2"):
                assert np.abs(b[f"{body}.{c}"]).max() < 1e-9
    for channel in set(a.channels) & set(b.channels):
        if channel.endswith((".angle", ".displacement")) and channel.split(".")[0] in flat.elements:
            off = b[channel] - a[channel]
            if channel.endswith("angle"):  # the plane counts on from the estimate, space from half a turn about zero
                off -= 2 * np.pi * np.round(off[0] / (2 * np.pi))
            assert np.abs(off).max() < 1e-9 * (1 + np.abs(a[channel]).max()), channel


def test_rack_and_loose_bodies():
    """A rolling wheel that only the rack holds: in space something must keep it upright."""
    m = lw.PlanarModel("rolling", gravity=(0, -9.81))
    wheel = m.body("wheel", mass=2, inertia=0.01, com=(0.01, 0), position=(0, 0.1), omega=-1)
    m.add(lw.RackPinion("rack", m.ground.at(0, 0, angle=0), wheel.at(0, 0), radius=0.1))
    m.add(lw.Driver("pull", lw.component(wheel.at(0, 0), "x"), "0.5*t"))
    m.fix(wheel.y, 0.1)
    space = lw.embed(m)
    assert space.gravity == (0, -9.81, 0)
    assert [type(e).__name__ for e in space.elements.values()] == ["RackPinion", "PointOnPlane", "Driver", "Planar"]
    np.testing.assert_array_equal(space["wheel"].inertia_matrix(), np.diag([0.005, 0.005, 0.01]))
    assert space["wheel"].estimate.omega == (0, 0, -1)
    a, b = (lw.kinematics(x, t_end=10, steps=100) for x in (m, space))
    np.testing.assert_allclose(b["wheel.wz"], a["wheel.omega"], rtol=1e-11)
    np.testing.assert_allclose(b["wheel.y"], 0.1, atol=1e-13)
    turned = b[lw.angle(space.ground.vector(1, 0, 0), space["wheel"].vector(1, 0, 0), space.ground.vector(0, 0, 1))]
    np.testing.assert_allclose(turned, a["wheel.angle"], atol=1e-11)


def test_parameters_go_along():
    flat = planar.slider_crank(parameters=True)
    space = lw.embed(flat)
    assert dict(space.parameters) == dict(flat.parameters)
    name = next(iter(flat.parameters))
    s, p = lw.sensitivity(space, t=0.1), lw.sensitivity(flat, t=0.1)
    for c in ("slider.x", "slider.vx", "slider.ax"):
        assert s[c, name] == pytest.approx(p[c, name], rel=1e-9)


def test_cams_stay_in_the_plane():
    with pytest.raises(lw.ModelError, match="in the plane only"):
        lw.embed(planar.valve_lifter())
    with pytest.raises(lw.ModelError, match="phase"):
        lw.embed(planar.gear_slider(given_phases=True))
