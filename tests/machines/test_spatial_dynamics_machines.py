"""Haug's chapter 12: slider-crank, four-bar, compressor and governor under forces.

References: models of one or two coordinates by energy quadrature or tight integration, independent of Cartesian coordinates;
bounds are their digits.
"""

from __future__ import annotations

import numpy as np
import pytest
from chapter12_machines import MENDED, PRINTED, compressor, four_bar, light_slider_crank, mean_torque

import linkwright as lw
from linkwright.examples import example
from loaded_machines import spatial_slider_crank

TIGHT = {"rtol": 1e-11, "atol": 1e-13}


# -- slider-crank (12.2) --------------------------------------------------------------------------------------------------


def free_slider_crank():
    """Gravity and the moments of the rod are parameters: printed (small about y), or small about its own axis x."""
    m = spatial_slider_crank(driven=False)
    m.gravity = (0, 0, -m.parameter("g", 9.81))
    Jx, Jy = m.parameter("Jx", 0.004), m.parameter("Jy", 0.0004)
    m["rod"].inertia = ((Jx, 0.0, 0.0), (0.0, Jy, 0.0), (0.0, 0.0, 0.004))
    m.add(lw.Force("nothing", m["A"].angle, 0.0))
    return m


FREE = {  # g, axial: rate -> {t: (x, xdot)}
    (9.81, False): {
        -2 * np.pi: {0.25: (0.261911551252, 0.594501139680), 0.5: (0.230763519148, -0.320876358477),
                     1: (0.272448767592, -0.444172898935), 5: (0.197456044372, 0.395653499818)},
        -8: {0.25: (0.280538484639, 0.536708076569), 1: (0.223490755372, -0.368084730051),
             5: (0.244888754016, 0.612462138621)},
    },
    (0.0, False): {
        -6: {0.25: (0.220094760336, 0.255725653483), 0.5: (0.282718260070, 0.191045503284),
             1: (0.202433663637, -0.243742467068)},
        -2 * np.pi: {0.25: (0.223117291080, 0.268671121856), 1: (0.191515517354, -0.221338517586)},
        -8: {0.25: (0.241567368479, 0.344684135114), 1: (0.238967080637, 0.344669952516)},
    },
    (9.81, True): {
        -2 * np.pi: {0.25: (0.262879569971, 0.576214054553), 0.5: (0.223919907866, -0.298915287802),
                     1: (0.253592151109, -0.382669927261)},
    },
}  # fmt: skip
PERIOD = {
    (9.81, False, -2 * np.pi): 0.609241191348, (0.0, False, -6): 1.010058578459, (0.0, False, -2 * np.pi): 0.964534893445,
    (0.0, False, -8): 0.757543933845, (9.81, True, -2 * np.pi): 0.587799781421,
}  # fmt: skip


def test_free_motion_of_the_slider_crank():
    """From 90 degrees: places, speeds and periods of six starts."""
    m = free_slider_crank()
    for (g, axial), runs in FREE.items():
        for rate, table in runs.items():
            m.set(g=g, Jx=0.0004 if axial else 0.004, Jy=0.004 if axial else 0.0004)
            m["crank"].guess(omega=(rate, 0, 0))
            turn = m["A"].angle - 1.5 * np.pi  # the angle from crank to ground starts at -90 degrees
            times = np.union1d([0, *table], [1.02 * PERIOD.get((g, axial, rate), 0)])
            d = lw.dynamics(m, t_eval=times, **TIGHT, events={"turn": turn})
            for t, (x, v) in table.items():
                k = np.flatnonzero(d.t == t)[0]
                # errors of the phase grow with time
                assert d["slider.x"][k] == pytest.approx(x, abs=1e-10 * max(1, 4 * t)), (g, rate, t)
                assert d["slider.vx"][k] == pytest.approx(v, abs=1e-9 * max(1, 4 * t)), (g, rate, t)
            if (g, axial, rate) in PERIOD:
                assert d.events[0][0] == pytest.approx(PERIOD[g, axial, rate], abs=1e-10)


def test_slider_crank_without_rod():
    """Project 12.1: torque about +x without gravity, which does nothing here; and the free run."""
    i = lw.inverse_dynamics(light_slider_crank(), t_eval=[0, 0.05, 0.1, 0.15, 0.3, 0.5, 0.7])
    expected = [0.12633093633, 0.11204037827, 0.02379371189, -0.08196052252, -0.03569736477, 0.08392246708, -0.07279722984]
    assert i["motor.torque"] == pytest.approx(expected, abs=1e-11)
    m = light_slider_crank(driven=False)
    m["crank"].guess(omega=(-2 * np.pi, 0, 0))
    d = lw.dynamics(m, t_eval=[0, 0.25, 0.5, 1.0], **TIGHT)
    assert d["slider.x"][1:] == pytest.approx([0.2310340648, 0.2886658284, 0.2049092587], abs=1e-9)


# -- four-bar (12.3) ------------------------------------------------------------------------------------------------------

TIMES = [0, 0.1, 0.25, 0.5, 1, 1.5, 1.75]
DRIVEN = {  # torque about +x on link 1, and the force of ground on it along x
    1: ([-71.4306710702, -67.3695743255, -51.5038683266, 171.9162784917, -91.4145179656, 179.7477179436, -48.5691712360],
        [39.6315178534, 50.2731171686, 84.7944782280, 145.8433016390, -14.0816048132, -13.0119755308, 8.9972869091]),
    2: ([-44.5970105616, -37.7446988896, -20.6189926669, 92.9882588751, -46.0481240438, 85.9683292707, -20.9939574853],
        [19.6518443705, 25.3386529787, 42.0981054475, 66.9206601638, -2.3698113437, 0.1470390124, 3.5848692686]),
}  # fmt: skip


@pytest.mark.parametrize("model", [1, 2])
def test_four_bar_driven(model):
    i = lw.inverse_dynamics(four_bar(model), t_eval=TIMES)
    torque, force = DRIVEN[model]
    assert i["motor.torque"] == pytest.approx(torque, abs=2e-9)
    assert i["A.fx"] == pytest.approx(force, abs=2e-9)  # on the second body, link 1
    assert [i[f"three.{c}"][1] for c in ("z", "vz", "az")] == pytest.approx(
        [2.9827066521, -2.6668536527, 4.6865223579], abs=1e-9
    )


def test_four_bar_with_mended_moments_and_without_weight():
    i = lw.inverse_dynamics(four_bar(1, moments=MENDED), t_eval=[0, 0.25, 1, 1.75])
    assert i["motor.torque"] == pytest.approx([-83.3379201407, -53.1260095162, -97.4318803481, -45.5213282060], abs=2e-9)
    assert i["A.fx"] == pytest.approx([42.3932291376, 85.8639110358, -10.9275248848, 8.9763528883], abs=2e-9)
    i = lw.inverse_dynamics(four_bar(2, g=0.0), t_eval=[0, 0.5])
    assert [i["motor.torque"][1], i["A.fx"][1]] == pytest.approx([82.0041245001, 59.0157318148], abs=2e-9)


@pytest.mark.parametrize(
    ("model", "g", "moments", "angles", "z"),
    [
        (1, 9.81, PRINTED, [0.2749829866, 1.4596244171, 3.3851330289], [3.0163073777, 2.8302128292, 3.1568265619]),
        (1, 0.0, PRINTED, [0.0932241287, 0.4061125373, 1.9354544824], [3.1782405457, 2.9069122642, 3.3839746385]),
        (1, 0.0, MENDED, [0.0856434529, 0.3734328734, 1.8687248259], [3.1850980331, 2.9332928498, 3.3064856143]),
        (2, 0.0, PRINTED, [0.1476951869, 0.6852107502, 2.5770472608], [3.1290600762, 2.7173651488, 3.6873033400]),
        (2, 9.81, PRINTED, [0.2891268996, 1.4062390704, 3.3001634141], [3.0040998705, 2.7826738762, 3.2250952357]),
    ],
)
def test_four_bar_under_a_torque(model, g, moments, angles, z):
    """10 N m on link 1 from rest, to 2 s; moments about z printed as zero are no obstacle."""
    m = four_bar(model, g, moments, driven=False)
    m.add(lw.Torque("T", m["one"], (10, 0, 0), frame="body"))
    d = lw.dynamics(m, t_eval=[0, 0.5, 1, 2], **TIGHT)
    assert d["A.angle"][1:] == pytest.approx(angles, abs=2e-9)
    assert d["three.z"][1:] == pytest.approx(z, abs=2e-9)


@pytest.mark.parametrize(
    ("length", "theta", "place", "V"),
    [
        (12.2, 1.018102534484, (-6.6111045201, 2.6214753833), 25.716673510325),
        (12.19, 1.016061716926, (-6.5990128559, 2.6334639118), 25.834280974663),
    ],
)
def test_four_bar_at_rest(length, theta, place, V):
    """The lower of two minima of the energy; the book's 12.19 m, and the 12.2 m that its numbers need."""
    m = four_bar(2, length=length, driven=False)
    e = lw.equilibrium(m)
    assert e["A.angle"] == pytest.approx(theta, abs=1e-10)
    assert [e["three.x"], e["three.z"]] == pytest.approx(place, abs=1e-9)
    assert e.potential == pytest.approx(V, abs=1e-10)
    assert e.stability == "stable"


# -- compressor (12.4) ----------------------------------------------------------------------------------------------------

MOMENTS = [0, 0.001, 0.01, 0.02, 0.025, 0.03, 0.06, 0.09]
COMPRESSOR = {  # tilt, psi: torque on the rotor about +y; moment of the slot's force
    (30, 0): ([4.197342284, 47.900048427, 59.213988384, 0, -59.213988384, 47.900048427, -47.900048427],
              [-13.4209616075, -127.7836012234, -119.3494379636, 0, 119.3494379636, -127.7836012234, 127.7836012234]),
    (30, 250): ([736.840223877, 437.902418266, 1121.141741502, 492.753080874, 583.206547279, 437.902418266, 377.976023064],
                [-913.3858580145, -601.3941141662, -1291.9772227179, -505.5173952007, -527.9158603182, -601.3941141662,
                 -324.8977695643]),
    (30, 500): ([1469.483105469, 827.904788104, 2183.069494619, 985.506161747, 1225.627082942, 827.904788104, 803.852094556],
                None),
    (20, 0): ([1.079812799, 10.661906276, 9.897565494, 0, -9.897565494, 10.661906276, -10.661906276], None),
    (40, 0): ([9.008856055, 123.812730270, 238.637251246, 0, -238.637251246, 123.812730270, -123.812730270], None),
}  # fmt: skip


@pytest.mark.parametrize(("tilt", "psi"), list(COMPRESSOR))
def test_compressor_driven(tilt, psi):
    """600 rpm; all forces in phase with six pistons. The slot is at 0.2 m from the disk's centre."""
    i = lw.inverse_dynamics(compressor(tilt, psi), t_eval=MOMENTS)
    torque, moment = COMPRESSOR[tilt, psi]
    assert i["motor.torque"][1:] == pytest.approx(torque, rel=1e-8, abs=1e-7)
    if moment:
        assert 0.2 * i["slot.force"][1:] == pytest.approx(moment, rel=1e-8, abs=1e-7)
    if psi == 0 and tilt == 30:
        y = [i[f"piston1.{c}"][2] for c in ("y", "vy", "ay")]
        assert y == pytest.approx([-0.9150072043, -3.2275257906, -351.33797702], rel=1e-9)


def test_compressor_runs_and_stalls():
    """250 psi under the mean torque, from theta = 0: at 80 rad/s a turn takes 0.1014902574 s; at 60 it stalls."""
    assert mean_torque(250) == pytest.approx(625.4085650542, rel=1e-12)
    m = compressor(30, 250, driver=None)
    m.add(lw.Torque("T", m["rotor"], (0, mean_torque(250), 0)))
    m.fix(m["A"].angle, 0.0)
    m["rotor"].guess(omega=(0, 80.0, 0))
    events = {"turn": m["A"].angle - 2 * np.pi, "stall": lw.Watch(m["rotor"].wy, -1, stop=True)}
    d = lw.dynamics(m, t_eval=[0, 0.01, 0.02, 0.05, 0.1, 0.102], rtol=1e-10, atol=1e-11, events=events)
    assert d["A.angle"][1:5] == pytest.approx([0.72471501834, 1.42232962640, 3.08181022268, 6.16401552830], abs=2e-8)
    assert d["rotor.wy"][1:5] == pytest.approx([77.4388097584, 51.1626848100, 80.1043670301, 79.3644271566], rel=2e-8)
    assert d["piston1.y"][1:3] == pytest.approx([-0.920375563106, -0.982980877807], abs=2e-9)
    assert d.events == [(pytest.approx(0.101490257452, abs=1e-9), "turn")]
    for start, stalls in ((66.97, True), (66.99, False)):  # critical: 66.98
        m["rotor"].guess(omega=(0, start, 0))
        d = lw.dynamics(m, t_eval=[0, 0.08], events={"stall": events["stall"]})
        assert [name for _, name in d.events] == ["stall"] * stalls, start


# -- governor (12.6) ------------------------------------------------------------------------------------------------------

GOVERNOR = {  # k, C: (collar, spindle) at 1, 1.5, 2, 3, 5 s; the steady speed
    (1000, 12500): ([0.0500001754467, 0.0498387275995, 0.0491571305128, 0.0483769036879, 0.0480492536198],
                    [11.017435625253, 10.959939424828, 10.835478756675, 10.664011500367, 10.590918729228]),
    (2000, 12500): ([0.0499998187610, 0.0498733321642, 0.0494915494284, 0.0487579435726, 0.0482330551801],
                    [11.017425978658, 10.959212036857, 10.812236235413, 10.543983276597, 10.330235945553]),
}  # fmt: skip


@pytest.mark.parametrize(("k", "C"), list(GOVERNOR))
def test_governor(k, C):
    """A torque on the spindle that depends on the collar: stiffer springs take longer, more feedback loses less speed."""
    m = example("governor").load()
    m.gravity = (0, 0, -9.8)
    m.set(k=k, C=C)
    d = lw.dynamics(m, t_eval=[0, 1, 1.5, 2, 3, 5], rtol=1e-10, atol=1e-12)
    collar, speed = GOVERNOR[k, C]
    assert d["collar.z"][1:] == pytest.approx(collar, abs=1e-10)
    assert d["spindle.wz"][1:] == pytest.approx(speed, abs=1e-8)


@pytest.mark.parametrize(
    ("k", "C", "speed"), [(1000, 7500, 10.2900905943), (1000, 12500, 10.5817465127), (2000, 12500, 10.2466947656)]
)
def test_governor_under_its_new_load(k, C, speed):
    """The collar where the engine gives the 25 N m of the load: it stays there at one speed, the balls held out by it."""
    m = example("governor").load()
    m.gravity = (0, 0, -9.8)
    m.set(k=k, C=C)
    m.fix(m["slide"].displacement, -0.15 - 25 / C)
    m.fix(m["spindle"].wz, speed)
    d = lw.dynamics(m, t_start=3.0, t_end=3.5, steps=2, rtol=1e-10, atol=1e-12)
    assert d["collar.z"] == pytest.approx([0.05 - 25 / C] * 3, abs=1e-10)
    assert d["spindle.wz"] == pytest.approx([speed] * 3, abs=1e-9)


@pytest.mark.parametrize(("k", "slow", "pair"), [(1000, -1.135, 0.0908 + 6.5704j), (2000, -0.657, -0.1481 + 8.6340j)])
def test_governor_about_its_steady_state(k, slow, pair):
    """Stiffer springs, longer transitions: the slow eigenvalue of (collar, its speed, spindle's speed) in the steady state.

    The slow ones are known to three decimals; the pairs are those of the model of arm angle and spindle (12.6), C = 12500:
    the soft spring leaves the governor unstable. Accelerations are differenced over 1e-3 of each quantity's size or less:
    errors of some 1e-6 of the eigenvalues.
    """
    m = example("governor").load()
    m.gravity = (0, 0, -9.8)
    m.set(k=k, C=12500)

    def rates(z, vz, wz):
        n = m.copy()
        n.fix(n["slide"].displacement, z - 0.2)
        n.fix(lw.rate(n["slide"].displacement), vz)
        n.fix(n["spindle"].wz, wz)
        d = lw.dynamics(n, t_eval=[0.0])
        return np.array([vz, d["collar.az"][0], d["spindle.alphaz"][0]])

    state, steps = np.array([0.05, 0.0, 11.01746]), np.diag([1e-5, 1e-4, 1e-3])
    J = np.array([(rates(*(state + e)) - rates(*(state - e))) / (2 * e.max()) for e in steps]).T
    found = np.linalg.eigvals(J)
    assert found[np.abs(found.imag) < 1e-9].real == pytest.approx([slow], abs=5e-4)
    assert found[found.imag > 1e-9] == pytest.approx([pair], abs=1e-3)
