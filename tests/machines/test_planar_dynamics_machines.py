"""Haug's chapter 8: compressor, shaper, coil spring and valve lifter under their forces.

References: energy quadratures split at every kink of a force, exact propagation of modes, closed forms; all independent of
Cartesian coordinates and good to the digits given. Bounds are those digits, or the integration's tolerance.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import linkwright as lw
from chapter8_machines import AFTER_THE_CUT, coil, engine, shaper, struck_coil, valve_lifter
from loaded_machines import gas_force
from planar_machines import slider_crank_massless_rod

TIGHT = {"rtol": 1e-10, "atol": 1e-11}


def rows(text):
    return np.array([list(map(float, line.split())) for line in text.strip().split("\n")])


# -- slider-crank as a compressor (8.2) -----------------------------------------------------------------------------------

# t, crank angle and rate, slider place and speed, bearing force on the crank; J = 900
HEAVY = rows("""
0.02 3.748339496 30.553085688 1.665987808 17.54225781 71549.6482 29325.4521
0.05 4.651367133 29.080675268 2.752901802 55.59016211 66218.7756 63480.7828
0.10 5.978198103 24.157931416 5.355791692 22.53526250 -47898.2338 1546.0449
0.15 7.213445172 23.977020382 4.306300263 -53.22005593 -35871.8507 958.2500
0.20 8.480929022 27.785417461 1.929349947 -27.98386491 54045.7951 -37496.8885
0.30 11.428860967 27.468264750 3.832222087 63.85079686 40945.9252 47615.9940
0.50 16.771624343 30.253982380 2.060731856 35.94792304 78728.5858 55746.5303
""")


def test_a_heavy_flywheel():
    d = lw.dynamics(engine(900.0), t_eval=[0, *HEAVY[:, 0]], **TIGHT)
    assert d["crank.alpha"][0] == pytest.approx(43.79622642, rel=1e-9)
    names = ["crank.angle", "crank.omega", "slider.x", "slider.vx", "A.fx", "A.fy"]
    for channel, column in zip(names, HEAVY.T[1:], strict=True):  # forces are given with four decimals
        assert d[channel][1:] == pytest.approx(column, rel=1e-8, abs=1e-4 if channel.startswith("A") else 0), channel


def periods(m, t_end, count):
    """The times of whole turns from the inner dead centre, by events."""
    turns = {f"turn {k}": m["crank"].angle - (2 * k + 1) * np.pi for k in range(1, count + 1)}
    d = lw.dynamics(m, t_eval=[0, t_end], **TIGHT, events=turns)
    return np.diff([0.0, *[t for t, _ in d.events]])


@pytest.mark.parametrize(
    ("J", "times"),
    [(450, [0.2620724642, 0.2620735508, 0.2620746375]), (900, [0.2325033142, 0.2325037130, 0.2325041119])],
)
def test_periods_grow_by_what_the_torque_lacks(J, times):
    """41450 N m a turn is 1.29 J short of the gas work: the decay is real."""
    assert periods(engine(J), 0.8, 3) == pytest.approx(times, abs=2e-10)


@pytest.mark.parametrize(("J", "massless", "lumped"), [(450, 0.2602014807, 0.2565821764), (900, 0.2285225883, 0.2307581124)])
def test_a_rod_without_mass_and_one_of_two_lumps(J, massless, lumped):
    """8.1: leaving the rod out is a smaller error than 17.5 kg at each end, whose inertia is three times the rod's."""
    m = engine(J)
    m["rod"].mass, m["rod"].inertia = 0.0, 0.0
    assert periods(m, 0.27, 1) == pytest.approx([massless], abs=2e-10)
    m = engine(J)
    m["rod"].inertia = 35 * 1.75**2
    assert periods(m, 0.27, 1) == pytest.approx([lumped], abs=2e-10)


def test_a_rod_without_mass_is_a_distance():
    """Model 2 of 5.2 has no rod at all: the same motion, and the same forces on crank and slider."""
    with_rod = engine(450.0)
    with_rod["rod"].mass, with_rod["rod"].inertia = 0.0, 0.0
    m = slider_crank_massless_rod().without("motor")
    m.gravity = (9.81, 0)
    for name, mass, J in (("crank", 200.0, 450.0), ("slider", 25.0, 0.02)):
        m[name].mass, m[name].inertia = mass, J
    m["crank"].guess(angle=np.pi, omega=30)
    m["slider"].guess(position=(1.5, 0))
    m.add(lw.Torque("T", m["crank"], 41450))
    m.add(lw.Force("gas", m["slider"].x, gas_force))
    a, b = (lw.dynamics(x, t_eval=[0, 0.1, 0.3], **TIGHT) for x in (with_rod, m))
    assert a["crank.angle"] == pytest.approx(b["crank.angle"], rel=1e-9)
    assert b["rod.fx"] == pytest.approx(a["C.fx"], rel=1e-7)  # on the slider
    assert a["A.fx"] == pytest.approx(b["rod.fx"] - 200 * 9.81, rel=1e-7)  # balance of the crank, whose centre rests


def stored(phi, J):
    """Kinetic energy of the compressor at a crank angle on its first way out, from the work done since the start."""
    x = 2 * np.cos(phi) + np.sqrt(3.5**2 - 4 * np.sin(phi) ** 2)
    height = 2 * np.cos(phi) + 0.5 * np.sqrt(3.5**2 - 4 * np.sin(phi) ** 2)  # of the rod's centre, along gravity
    gas = 282857 * np.log((6 - min(x, 5.0)) / 4.5) + 62857 * (min(x, 5.0) - 1.5)
    if x > 5:
        gas -= 110000 * ((x - 5) + np.cos(2 * np.pi * (x - 5.25)) / (2 * np.pi))
    start = 0.5 * J * 900 + 20892.857142857143  # flywheel, and the rod at 30 rad/s (30 m/s, 60/3.5 rad/s)
    return start + 41450 * (phi - np.pi) + 9.81 * (25 * (x - 1.5) + 35 * (height + 0.25)) + gas


def test_a_light_flywheel_stalls():
    """J = 225: the energy is gone before the outer dead centre; there the pressure and the torque both push back."""
    m = engine(225.0)
    still = lw.Watch(m["crank"].omega, -1, stop=True)
    d = lw.dynamics(m, t_end=0.5, steps=5, **TIGHT, events={"stall": still})
    angle = scipy.optimize.brentq(stored, 5.5, 2 * np.pi, args=(225.0,), xtol=1e-14)
    assert [name for _, name in d.events] == ["stall"]
    assert d["crank.angle"][-1] == pytest.approx(angle, abs=1e-8)
    assert stored(2 * np.pi, 225.0) == pytest.approx(231469.0155 + 20892.857 + 2354.4 - 260439.3202, abs=0.1)
    with pytest.raises(lw.IntegrationError, match="sticks") as caught:  # without the event
        lw.dynamics(m, t_end=0.5, steps=50, **TIGHT)
    assert caught.value.element == ("gas",)
    assert caught.value.time == pytest.approx(d.t[-1], abs=1e-8)
    assert caught.value.partial.t[-1] < d.t[-1]


# -- shaper (8.3) ---------------------------------------------------------------------------------------------------------

# t, ram, torque, force of the bearing on the crank
RAM_50 = rows("""
0.00 -4.00000000 -4086.355203 3666.88884 2213.90949
0.10 -4.32934011 -2981.460543 4790.65143 4750.86942
0.20 -4.32854161 44894.967345 67416.98025 68596.15082
0.25 -3.43268017 1425637.423647 1024528.45333 433942.50669
0.30 -0.12330385 -1090571.445476 -803057.05788 386852.88285
0.35 1.42459623 -107232.129445 -176525.62612 183105.21422
0.40 1.65124071 7035.830850 -44220.34365 49823.98830
0.60 -0.08593464 1147.342877 -1111.71466 281.45943
0.80 -2.18766974 -478.017840 368.84391 -268.89097
0.90 -3.21344047 -2787.527296 2166.38337 480.34972
""")
RAM_25 = rows("""
0.00 -4.00000000 -2975.782825 2749.92925 1600.50564
0.20 -4.32854161 43620.803285 65507.35171 66656.85219
0.30 -0.12330385 -858801.883794 -632400.92517 304700.47937
0.90 -3.21344047 -1901.512330 1545.07073 261.85668
""")
RAM_100 = rows("""
0.00 -4.00000000 -6307.499957 5500.80802 3440.71719
0.20 -4.32854161 47443.295467 71236.23733 72474.74808
0.30 -0.12330385 -1554110.568840 -1144369.32329 551157.68981
0.90 -3.21344047 -4559.557228 3409.00864 917.33581
""")
CUTTING = rows("""
0.45 1.35188847 69481.970791 -101277.68153 101916.01766
0.50 0.90132468 306789.748638 -301737.54572 251137.82789
0.60 -0.08593464 322107.745289 -238721.08141 117427.02262
0.70 -1.11675910 336718.796001 -228159.24863 45171.65516
0.80 -2.18766974 340960.938405 -227718.84120 -16716.58086
0.90 -3.21344047 298077.603621 -208813.47077 -73713.58694
0.95 -3.65150315 249891.210063 -185712.59442 -93869.33187
""")


@pytest.mark.parametrize(
    ("mass", "cut", "table"), [(50, False, RAM_50), (25, False, RAM_25), (100, False, RAM_100), (50, True, CUTTING)]
)
def test_shaper_driven_evenly(mass, cut, table):
    m = shaper(cut)
    m.set(m=mass)
    i = lw.inverse_dynamics(m, t_eval=[0.0, *table[table[:, 0] > 0, 0]])
    first = int(table[0, 0] > 0)
    for channel, column in zip(["ram.x", "motor.torque", "B.fx", "B.fy"], table.T[1:], strict=True):
        assert i[channel][first:] == pytest.approx(column, rel=1e-8, abs=1e-5), channel  # as many digits as are given


# t, crank angle and rate, ram place and speed, bearing force; J = 2000
SHAPER = rows("""
0.05 3.409543596 10.326940940 -4.276165648 -3.99827360 4121.624
0.10 4.032656598 14.598207774 -4.333102559 -0.29269335 100753.195
0.20 5.003761326 12.272431516 0.718060577 66.11934816 -601280.652
0.30 6.954272387 17.664597226 -0.390902494 -28.70007131 -223620.607
0.40 8.347142670 10.248136898 -2.734279224 -16.83312421 -204932.959
0.50 9.089821141 5.296977555 -3.802969340 -6.07267850 -167632.895
0.60 9.864369691 11.648631530 -4.323250400 -1.94575388 10065.458
0.80 12.587560721 20.151326607 0.643683797 -31.36709024 -278813.807
1.00 15.171460655 6.519725126 -3.552286019 -8.70028121 -184463.927
""")


def free_shaper():
    m = shaper(cut=True, motion=None)
    m.add(lw.Torque("T", m["crank"], 165521))
    m.fix(m["crank"].angle, AFTER_THE_CUT)
    m.fix(m["crank"].omega, 2 * np.pi)
    return m


def test_shaper_under_a_constant_torque():
    m = free_shaper()
    times, turns = [0, *SHAPER[:, 0]], [0.5343754319, 0.5343754319 + 0.5343776170]
    d = lw.dynamics(m, t_eval=sorted([*times, *turns]), rtol=1e-12, atol=1e-14)
    assert d["crank.alpha"][0] == pytest.approx(78.17659670, rel=1e-8)
    # forces are given with three decimals
    for channel, column in zip(["crank.angle", "crank.omega", "ram.x", "ram.vx", "B.fx"], SHAPER.T[1:], strict=True):
        found = d[channel][np.isin(d.t, SHAPER[:, 0])]
        assert found == pytest.approx(column, rel=2e-8, abs=1e-3 if channel == "B.fx" else 3e-8), channel
    whole = d["crank.angle"][np.isin(d.t, turns)] - AFTER_THE_CUT
    assert whole == pytest.approx([2 * np.pi, 4 * np.pi], abs=2e-9)  # 5 rad/s there, times of ten digits


@pytest.mark.parametrize(
    ("start", "angle", "x"), [(-0.8, -0.8691791063, 1.6658551277), (-2.3, -2.2724135473, -4.3327741196)]
)
def test_shaper_at_rest_on_either_side(start, angle, x):
    """Two equilibria under gravity, mirror images but for the ram, of the same energy."""
    m = shaper(motion=None, gravity=(0, -9.81))
    m.fix(m["crank"].angle, start)
    e = lw.equilibrium(m, start=lw.assemble(m))
    assert np.remainder(e["crank.angle"] - angle + np.pi, 2 * np.pi) - np.pi == pytest.approx(0, abs=1e-9)
    assert e["ram.x"] == pytest.approx(x, abs=1e-9)
    assert e.stability == "stable"
    if start > -1:
        place = [e[c] for c in ("rocker.x", "rocker.y", "rocker.angle", "block.x", "block.y", "link.x", "link.angle")]
        expected = [1.4996573118, 1.3232641260, 0.7229932577, 0.9681806441, 0.8543009817, 2.3325848757, -0.7928460213]
        assert place == pytest.approx(expected, abs=1e-9)
    # Newton's method finds the hill between them and says so
    m = shaper(motion=None, gravity=(0, -9.81))
    m.fix(m["crank"].angle, -np.pi / 2 + 1e-3)
    top = lw.equilibrium(m, method="equations", start=lw.assemble(m))
    assert np.remainder(top["crank.angle"], 2 * np.pi) == pytest.approx(1.5 * np.pi, abs=1e-9)
    assert top.stability == "unstable"


# -- coil spring (8.4) ----------------------------------------------------------------------------------------------------


def test_surge():
    """The end is struck: a sum of six modes in closed form."""
    m = coil(200.0)
    m["b6"].guess(velocity=(-0.1, 0))
    times = [0, 0.1, 0.3, 1.0, 3.0, 5.0]
    d = lw.dynamics(m, t_eval=times, rtol=1e-11, atol=1e-13)
    K = 80 * (2 * np.eye(6) - np.eye(6, k=1) - np.eye(6, k=-1))
    K[5, 5] = 80
    squares, U = np.linalg.eigh(K)
    w = np.sqrt(squares)
    assert w == pytest.approx(2 * np.sqrt(80) * np.sin((2 * np.arange(1, 7) - 1) * np.pi / 26), rel=1e-12)
    for k, t in enumerate(times):
        x = 0.2 * np.arange(1, 7) - 0.1 * U @ (np.sin(w * t) / w * U[5])
        assert [d[f"b{j}.x"][k] for j in range(1, 7)] == pytest.approx(x, abs=1e-9)
    assert d["b6.x"][3] == pytest.approx(1.1888174408, abs=1e-9)
    assert d["b6.vx"][4] == pytest.approx(-0.0515199559, abs=1e-9)


@pytest.mark.parametrize(
    ("k", "contact", "deepest", "when", "last", "place", "speed"),
    [
        (50, 1e4, 0.3289676938, 5.74703761, 11.86350500, 1.27119306, 0.09606903),
        (50, 1e5, 0.3273190083, 5.64547048, 11.58196823, 1.24851116, 0.09525991),
        (40, 1e4, 0.3675345565, 6.40849466, 13.26815787, 1.28086387, 0.09599016),
        (30, 1e4, 0.4240365824, 7.37719494, 15.32068608, 1.29444605, 0.09566278),
    ],
)
def test_chatter_to_the_last_contact(k, contact, deepest, when, last, place, speed):
    """29 contacts; the way of the block, and when, where and how fast it leaves. Errors grow a little with each contact."""
    m = struck_coil(k, contact)
    block = m["block"]
    events = {"gap": block.x - m["b6"].x, "turn": block.vx}
    d = lw.dynamics(m, t_eval=[0, last + 0.01], rtol=1e-11, atol=1e-13, events=events)
    gaps = [t for t, name in d.events if name == "gap" and t > 1e-6]
    assert len(gaps) == 2 * 29 - 1  # the first contact begins at the start
    assert gaps[-1] == pytest.approx(last, abs=2e-7)
    turn = [t for t, name in d.events if name == "turn"]
    assert turn == pytest.approx([when], abs=2e-8)
    assert d["block.vx"][-1] == pytest.approx(speed, abs=2e-8)
    assert d["block.x"][-1] - 0.01 * speed == pytest.approx(place, abs=2e-8)
    assert 1.2 - lw.dynamics(m, t_eval=[0, when], rtol=1e-11, atol=1e-13)["block.x"][-1] == pytest.approx(deepest, abs=2e-9)


def test_a_damper_in_the_contact_takes_energy():
    """200 N s/m while they overlap: what the block and the coil lose is the work of the contact."""
    m = struck_coil(50.0, 1e5, damper=200.0)
    d = lw.dynamics(m, t_end=2.0, steps=20, **TIGHT)
    assert d.audit.energy_error < 1e-9
    assert d.energy.work[-1] < -1e-4 * d.energy.kinetic[0]


# -- valve lifter (8.5) ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "rpm", "compression"),
    [(10, 3000, 5.1580646491), (25, 3000, 1.7632258596), (40, 3000, 0.9145161623), (25, 1500, 0.0658064649),
     (25, 4500, 4.5922581842)],
)  # fmt: skip
def test_the_spring_that_just_holds_the_pushrod_on_its_cam(k, rpm, compression):
    """The compression of the valve spring for which the least contact force, at the full lift, is zero; cm, g, s."""
    for more in (0.0, 0.01):
        m = valve_lifter(9 - compression - more)
        m.set(k=k, rpm=rpm)
        i = lw.inverse_dynamics(m, t_end=60 / rpm, steps=24)
        push = i["contact.fy"]  # of the cam on the follower, its second body
        assert np.argmin(push) == 12
        # rocker arms are equal: at the full lift the force at the cam is that of the spring, both in dyn
        assert push[12] == pytest.approx(more * k * 1e5, abs=1e-9 * k * 1e5)


@pytest.mark.parametrize(("k", "rpm", "lifts"), [(10, 3000, 1), (25, 3000, 0), (40, 3000, 0), (25, 1500, 0), (25, 4500, 1)])
def test_when_the_pushrod_leaves_the_cam(k, rpm, lifts):
    """The book's five statements, for an installed length of 6 cm."""
    m = valve_lifter(6.0)
    m.set(k=k, rpm=rpm)
    i = lw.inverse_dynamics(m, t_end=60 / rpm, steps=24)
    assert (i["contact.fy"].min() < 0) == lifts
    assert ("contact pulls, by up to" in str(i.audit)) == lifts
