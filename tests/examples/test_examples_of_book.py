"""Machines of Haug's book: a figure of each, recomputed in closed form or by a program of its own to the digits given.

The printed results stand beside ours in the gallery, where they are computed again.
"""

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example
from linkwright.examples.web_cutter import CRANK, FRAME, ROCKER

CLOSE = {"rtol": 1e-9, "atol": 1e-9}  # kinematics converges far below


def ready(name, **values):
    m = example(name).load()
    m.set(**values)
    return m


def test_the_third_cross_bar_turns_with_the_others():
    """5.1.1, for a bar of 1.1: at 0.5, 1 and 2 rad of the first one."""
    k = lw.kinematics(ready("five-bar"), t_eval=[0, 0.5, 1.5])
    found = [k[f"cross-bar 3.{c}"] for c in ("angle", "omega", "alpha")]
    np.testing.assert_allclose(found[0], [0.4509729285, 0.8710003746, 0.9730997315], **CLOSE)
    np.testing.assert_allclose(found[1], [0.8864239006, 0.7626349827, -0.6722738323], **CLOSE)
    np.testing.assert_allclose(found[2], [-0.1037530511, -0.4969333521, -0.8050522815], **CLOSE)


@pytest.mark.parametrize(
    ("name", "channel"),
    [
        ("slider-crank", "slider.x"),
        ("four-bar", "coupler.angle"),
        ("quick-return", "ram.ax"),
        ("spatial-four-bar", "rocker.z"),
    ],
)
def test_both_models_move_alike(name, channel):
    """Composite joints for bodies: fewer coordinates, the same motion."""
    t = [0.0, 0.13, 0.7]
    whole, short = (lw.kinematics(ready(n), t_eval=t) for n in (name, f"{name}-model-2"))
    np.testing.assert_allclose(short[channel], whole[channel], **CLOSE)


def test_the_flywheel_carries_the_compressor_through():
    """8.2: crank at 0.5 s; with half the flywheel it stops within the first turn, on 231 kJ for 260 kJ of gas."""
    m = ready("flywheel")
    d = lw.dynamics(m, t_eval=[0, 0.1, 0.5])
    np.testing.assert_allclose(d["crank.angle"][1:], [5.861791681, 15.013562414], rtol=1e-7)  # tolerance of the run: 1e-8
    np.testing.assert_allclose(d["crank.omega"][1:], [17.875346936, 27.282684292], rtol=1e-7)
    m.set(J=225)
    stopped = lw.Watch(m["crank"].omega, -1, stop=True)
    d = lw.dynamics(m, t_end=1.0, steps=20, events={"stalls": stopped})
    assert [name for _, name in d.events if name == "stalls"]
    assert d["crank.angle"][-1] < 3 * np.pi


def test_the_shaper_cuts_with_its_flywheel():
    """8.3, with the trapezoid for the force that is lost."""
    d = lw.dynamics(ready("shaper"), t_eval=[0, 0.2, 0.5])
    np.testing.assert_allclose(d["crank.angle"][1:], [5.003761326, 9.089821141], rtol=1e-7)
    np.testing.assert_allclose(d["ram.x"][1:], [0.718060577, -3.802969340], rtol=1e-6)


def test_the_ram_of_the_gears():
    k = lw.kinematics(ready("gear-slider", setting=-0.1047), t_eval=[0, 0.3])
    np.testing.assert_allclose(k["ram.x"], [1.7205029550, 1.2117574550], **CLOSE)
    k = lw.kinematics(ready("gear-slider"), t_eval=[0, 0.1, 0.75])
    np.testing.assert_allclose(k["ram.x"], [1.4928203230, 1.2847255125, 1.6], **CLOSE)
    np.testing.assert_allclose(k["ram.ax"], [-6.3761585188, 6.3192852847, -9.8696044011], **CLOSE)


def test_the_claw_of_the_film():
    m = ready("film-follower")
    k = lw.kinematics(m, t_eval=[0, 0.012, 0.03])
    (claw,) = example("film-follower").points(m)
    np.testing.assert_allclose(k[lw.component(claw, "x")], [-0.0214790447, -0.0227234637, 0.0114273280], **CLOSE)
    np.testing.assert_allclose(k["follower.angle"], [1.8779665880, 1.7867502290, 1.2687239651], **CLOSE)


def test_the_blades_meet_without_closing_speed_and_run_along_the_web():
    """At the cut knife arm and rocker turn as one body about D: the speed of B, crank times omega, is theirs times BD."""
    m = ready("web-cutter")
    x, y = m["knife arm"].shape["polygon"][-1]
    P, Q = m["knife arm"].at(x, y), m["rocker"].at(ROCKER - x, y)
    ax, ay = (m.value(c) for c in m["A"].P.s)
    cut, h = (np.arctan2(ay, ax) + np.pi) / (2 * np.pi), 1e-6  # the crank points from A to D
    k = lw.kinematics(m, t_eval=[0, cut - h, cut, cut + h])
    apart = k[lw.distance(P, Q)]
    assert apart[2] < 1e-8  # the places of the tips are rounded to 1e-9
    assert apart[0] > 0.02
    vx, vy, ux, uy = (np.diff(k[lw.component(p, c)][1::2])[0] / (2 * h) for p in (P, Q) for c in ("x", "y"))
    along = 2 * np.pi * CRANK / (FRAME - CRANK) * k[lw.component(Q, "y")][2]
    assert [vx, ux, vy, uy] == pytest.approx([along, along, 0, 0], abs=1e-7)


def test_the_pinion_rolls_on_its_rack():
    """Its centre keeps the radius from the line, and moves along it by the radius times the angle turned; the three-body
    model, with a distance for the coupler, moves alike."""
    m = ready("rack-and-pinion")
    t = np.linspace(0, 0.45, 10)
    k = lw.kinematics(m, t_eval=t)
    a, x, y = k["rack.angle"], k["pinion.x"], k["pinion.y"]
    np.testing.assert_allclose(-x * np.sin(a) + y * np.cos(a), 0.05, **CLOSE)
    way = x * np.cos(a) + y * np.sin(a) + 0.05 * (k["pinion.angle"] - a)
    np.testing.assert_allclose(way, 0.05 * 1.5, **CLOSE)  # its phase
    short = lw.PlanarModel("three bodies")
    rack, pinion = short.body("rack", angle=0.2), short.body("pinion", position=(0.095, 0.068))
    short.add(lw.Revolute("A", short.ground.at(0, 0), rack.at(0, 0)))
    short.add(lw.RackPinion("teeth", rack.at(0, 0, angle=0), pinion.at(0, 0), radius=0.05, phase=1.5))
    short.add(lw.Distance("coupler", short.ground.at(0.18, 0.25), pinion.at(0.02, 0), 0.2))
    short.add(lw.Driver("motor", pinion.angle, "-2*pi*t"))
    np.testing.assert_allclose(lw.kinematics(short, t_eval=t)["pinion.x"], x, **CLOSE)


def test_the_wave_in_the_coil_is_the_sum_of_its_modes():
    d = lw.dynamics(ready("coil-spring-surge"), t_eval=[0, 0.5, 2.0])
    np.testing.assert_allclose(d["coil 1.x"][1:], [0.1990930433, 0.2024444488], atol=1e-8)
    np.testing.assert_allclose(d["coil 6.vx"][1:], [-0.0056238226, -0.0205657867], atol=1e-8)


def test_the_block_leaves_the_coil_when_it_must():
    """29 times they touch; the last time ends at 11.58196823 s, and the block goes with 0.09525991 m/s."""
    m = ready("coil-spring")
    apart = lw.Watch(m["block"].x - m["coil 6"].x, 1)
    d = lw.dynamics(m, t_eval=[0, 5, 13], rtol=1e-10, atol=1e-12, events={"apart": apart})
    left = [t for t, name in d.events if name == "apart"]
    assert len(left) == 29
    assert left[-1] == pytest.approx(11.58196823, abs=1e-6)
    assert d["block.x"][1:] == pytest.approx([0.8779175795, 1.3835927368], abs=1e-7)
    assert d["block.vx"][-1] == pytest.approx(0.0952599116, abs=1e-7)


def test_torques_of_spatial_machines():
    """12.1, 12.3 with mended moments, 12.4 at 250 psi."""
    i = lw.inverse_dynamics(ready("spatial-slider-crank-model-2"), t_eval=[0, 0.05, 0.15])
    np.testing.assert_allclose(i["motor.torque"], [0.12633093633, 0.11204037827, -0.08196052252], rtol=1e-9)
    i = lw.inverse_dynamics(ready("spatial-four-bar"), t_eval=[0, 0.1, 1])
    np.testing.assert_allclose(i["motor.torque"], [-83.3379201407, -74.2138048345, -97.4318803481], rtol=1e-9)
    i = lw.inverse_dynamics(ready("air-compressor"), t_eval=[0, 0.001, 0.02])
    np.testing.assert_allclose(i["motor.torque"][1:], [736.840223877, 1121.141741502], rtol=1e-9)
    # a rod for each distance: pistons as before, and only the torque tells
    k = lw.inverse_dynamics(ready("air-compressor-15"), t_eval=[0, 0.001, 0.02])
    np.testing.assert_allclose(k["piston 2.y"], i["piston 2.y"], rtol=1e-9)


def test_the_compressor_needs_67_radians_a_second():
    m = ready("air-compressor-free")
    d = lw.dynamics(m, t_eval=[0, 0.02, 0.1])
    np.testing.assert_allclose(d["A.angle"][1:], [1.42232962640, 6.16401552830], rtol=1e-7)
    np.testing.assert_allclose(d["A.omega"][1:], [51.1626848100, 79.3644271566], rtol=1e-6)
