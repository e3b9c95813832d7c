"""The planar machines of Haug's chapter 5, each with all its alternative models.

Numbers are recomputed, not the book's (its tables stop at 1e-3); they are printed with 8 to 12 decimals, and closed forms
are given where there are any. Units SI; the valve lifter in cm.
"""

from math import asin, pi, sqrt

import numpy as np
import pytest

import linkwright as lw
from planar_machines import (
    film_follower,
    five_bar,
    four_bar,
    four_bar_massless_follower,
    gear_slider,
    quick_return,
    quick_return_composite,
    slider_crank,
    slider_crank_massless_rod,
    valve_lifter,
)


def compare(result, t, **channels):
    """Rows of a table: printed with 10 decimals for positions and velocities, 8 and more for accelerations."""
    np.testing.assert_allclose(result.t, t, atol=1e-15)
    for name, values in channels.items():
        body, channel = name.rsplit("_", 1)
        acceleration = channel.startswith("a") and channel != "angle"
        rtol, atol = (1e-8, 6e-9) if acceleration else (1e-9, 6e-11)
        np.testing.assert_allclose(result[f"{body}.{channel}"], values, rtol=rtol, atol=atol, err_msg=name)


# -- slider-crank ----------------------------------------------------------------------------------------------------

SLIDER_CRANK = np.array([
    (0.000, 4.6157756811, -12.8108406206, -60.643005687, -0.4159520870, -2.7754469683, 14.035984664),
    (0.100, 3.2021399398, -13.7556722207, 39.003408138, -0.5996981710, -0.6803838954, 26.674652353),
    (0.200, 2.1043983749, -7.8218420265, 62.877287301, -0.5341929402, 1.8938560407, 21.232227989),
    (0.300, 1.5981600988, -2.6973541127, 40.214925166, -0.2624248481, 3.3124688338, 7.657263706),
    (0.500, 1.7873485563, 4.9606911321, 51.018821507, 0.4159520870, 2.7754469683, -14.035984664),
    (0.750, 4.6157756811, 12.8108406206, -60.643005687, 0.4159520870, -2.7754469683, -14.035984664),
    (0.875, 5.5000000000, 0.0000000000, -124.075026757, 0.0000000000, -3.5903916041, 0.000000000),
]).T  # fmt: skip


def test_slider_crank():
    t, x, vx, ax, f, w, a = SLIDER_CRANK
    k = lw.kinematics(slider_crank(), t_eval=t)
    compare(k, t, slider_x=x, slider_vx=vx, slider_ax=ax, rod_angle=f, rod_omega=w, rod_alpha=a)
    # twice the speed: the same places at half the time, velocities twice, accelerations four times
    fast = lw.kinematics(slider_crank(motion="pi/4 + 4*pi*t"), t_eval=t / 2)
    compare(fast, t / 2, slider_x=x, slider_vx=2 * vx, slider_ax=4 * ax, rod_angle=f)
    massless = lw.kinematics(slider_crank_massless_rod(), t_eval=t)
    compare(massless, t, slider_x=x, slider_vx=vx, slider_ax=ax)


def test_slider_crank_with_a_short_rod():
    t = np.array([0, 0.1, 0.125, 0.3, 0.6, 0.9])
    x = [3.4757663752, 1.8451505515, 1.5, 0.5472723580, 1.2194126914, 4.4557220266]
    vx = [-14.9813509791, -14.9459321333, -12.5663706144, -1.3404093119, 9.8773833455, -3.5314108055]
    ax = [-73.85429748, 81.47079015, 105.27578028, 22.32384036, 106.17393070, -139.52291828]
    for build in (slider_crank, slider_crank_massless_rod):
        compare(lw.kinematics(build(L=2.5), t_eval=t), t, slider_x=x, slider_vx=vx, slider_ax=ax)


def test_slider_crank_assembly():
    # tables 5.2.5-5.2.7: nearest to the estimates without a driver, with it, and with a sign error in an estimate
    c = lw.assemble(slider_crank(motion=None))
    found = [c[x] for x in ("crank.angle", "rod.x", "rod.y", "rod.angle", "slider.x")]
    np.testing.assert_allclose(
        found, [0.6906467033, 3.1716025669, 0.6370358164, -0.3725808978, 4.8015367277], rtol=1e-9, atol=1e-10
    )
    estimate = np.array([-0.5, 0, 0.5, 3, 1, -0.4, 5, 0, 0])
    assert np.sum((c.q - estimate) ** 2) == pytest.approx(0.4876760826, rel=1e-9)
    c = lw.assemble(slider_crank())
    found = [c[x] for x in ("crank.angle", "rod.x", "rod.y", "rod.angle", "slider.x")]
    np.testing.assert_allclose(found, [pi / 4, 3.0149946217, 0.7071067812, -0.4159520870, 4.6157756811], atol=6e-11)
    m = slider_crank()
    m["slider"].guess(position=(-5, 0))
    c = lw.assemble(m)
    found = [c[x] for x in ("crank.angle", "rod.x", "rod.y", "rod.angle", "slider.x")]
    np.testing.assert_allclose(found, [pi / 4, -0.1865674970, 0.7071067812, -2.7256405666, -1.7873485563], atol=6e-11)


def test_slider_crank_lock_up():
    t = np.array([0, 0.04, 0.06, 0.07, 0.072, 0.074])
    x = [2.6830713164, 1.8221304991, 1.2851173254, 0.9401039320, 0.8472266621, 0.7128345518]
    vx = [-18.78945333, -24.51210191, -30.19643043, -42.32326341, -52.01159669, -102.60203135]
    ax = [-133.131166, -178.861527, -520.802405, -3105.485826, -7710.972951, -97723.285303]
    for build in (slider_crank, slider_crank_massless_rod):
        with pytest.raises(lw.SingularityError) as caught:
            lw.kinematics(build(L=1.9), t_eval=[*t, 0.08, 0.1])
        error = caught.value
        assert error.kind == "lock-up"
        assert error.driver == "motor"
        assert error.branches == []
        assert error.time == pytest.approx((asin(0.95) - pi / 4) / (2 * pi), abs=1e-9)  # 0.074458687948
        partial = error.partial
        np.testing.assert_array_equal(partial.t, t)
        np.testing.assert_allclose(partial["slider.x"], x, atol=6e-11)
        np.testing.assert_allclose(partial["slider.vx"], vx, rtol=1e-9)
        np.testing.assert_allclose(partial["slider.ax"], ax, rtol=1e-8)


# -- four-bar --------------------------------------------------------------------------------------------------------

FOUR_BAR = {
    3.0: np.array([
        (0.00, 0.0000000000, 1.5707963268, 4.1887902048, 0.00000000, 2.0000000000, 2.0000000000),
        (0.10, 0.0352534884, 1.9743459352, 3.7231428049, -9.61273473, 0.8231868157, 1.6885263620),
        (0.25, 0.2761577549, 2.3705528573, 1.3188062976, -18.39555126, -0.0757796643, 0.5453220145),
        (0.50, 1.0009480736, 2.2319074909, -2.3969543908, -19.61598966, 1.0790085736, -0.3160342942),
        (0.70, 0.6471715875, 1.1977784294, -6.5645763520, 50.16591823, 3.4976976901, 0.5878306806),
        (0.75, 0.3718342650, 0.9575198084, -2.7532062655, 85.03443368, 3.8633249581, 0.7266499161),
        (0.80, 0.1910867225, 0.9150273462, 0.7763731089, 53.22951748, 3.8657098688, 0.9978858874),
        (0.90, 0.0357912224, 1.1690753187, 3.6415302552, 12.59981243, 3.1742896297, 1.6896011516),
    ]),
    2.5: np.array([
        (0.00, 0.0000000000, 1.5707963268, 5.0265482457, 0.00000000, 2.0000000000, 2.0000000000),
        (0.10, 0.0219553279, 2.0607826442, 4.6281662398, -8.91728905, 0.8239474784, 1.6619411168),
        (0.25, 0.2179176982, 2.5641115216, 1.5217191562, -27.98741889, -0.0473004936, 0.4323940768),
        (0.50, 0.9693987838, 2.3388371898, -2.9026429900, -20.19529096, 1.1315907272, -0.3509086059),
        (0.70, 0.6247681089, 1.0943735425, -8.9629581995, 48.86874959, 3.5243105857, 0.5517844154),
        (0.75, 0.3119649009, 0.7629917127, -3.5394141766, 134.15818823, 3.9034646437, 0.6138585750),
        (0.80, 0.1372846803, 0.7290745881, 1.5854517296, 66.77410009, 3.8832955316, 0.8917416898),
        (0.90, 0.0222152698, 1.0816942816, 4.5865453154, 10.58709059, 3.1750770067, 1.6624608739),
    ]),
}  # fmt: skip


@pytest.mark.parametrize("length", FOUR_BAR)
def test_four_bar(length):
    t, f2, f3, w3, a3, x2, y2 = FOUR_BAR[length].T
    k = lw.kinematics(four_bar(length), t_eval=t)
    compare(k, t, coupler_angle=f2, follower_angle=f3, follower_omega=w3, follower_alpha=a3, coupler_x=x2, coupler_y=y2)
    other = lw.kinematics(four_bar_massless_follower(length), t_eval=t)
    # there the coupler's origin is C, two metres from the middle
    compare(other, t, coupler_angle=f2)
    np.testing.assert_allclose(other["coupler.x"] - 2 * np.cos(f2), x2, atol=2e-10)
    np.testing.assert_allclose(other["coupler.alpha"], k["coupler.alpha"], rtol=1e-10, atol=1e-10)


def test_four_bar_assembly():
    c = lw.assemble(four_bar(motion=None))
    wanted = [0.1977721215, 0.9802480237, 1.3717116995, 2.3955331595, 1.9671544000, 0.0033291824, 4.1977610380,
              0.4869063763, 1.4385706742]  # fmt: skip
    np.testing.assert_allclose(c.q, wanted, rtol=1e-9, atol=1e-10)
    c = lw.assemble(four_bar())
    np.testing.assert_allclose(c.q, [0, 1, pi / 2, 2, 2, 0, 4, 0.5, pi / 2], atol=1e-12)


# -- quick-return ----------------------------------------------------------------------------------------------------

QUICK_RETURN = np.array([
    (0.00, -0.0183089916, -10.0579301231, -3.71635806, 1.0957933044, 2.5172440375, -0.2352343260),
    (0.10, -1.0459989844, -10.5207817386, -4.96098342, 1.3562070127, 2.6638711444, -0.0483052456),
    (0.20, -2.1155670339, -10.7467758815, 2.52444529, 1.6247164325, 2.6910487184, -0.0030596611),
    (0.40, -3.9594893197, -6.1890475529, 46.09094560, 2.1443781573, 2.3959525037, -0.3436443675),
    (0.50, -4.3233184997, -1.0465468413, 45.81990235, 2.3547364378, 1.6534370956, -0.6616865772),
    (0.55, -4.3342933823, 0.1819179544, -4.19170972, 2.4143429995, 0.5748638537, -0.7833359858),
    (0.60, -4.3354049977, 0.5516090096, 113.41321005, 2.3824602690, -2.4024970791, -0.7158072103),
    (0.70, -0.5032508823, 60.3595281268, -1124.21717011, 1.2183516264, -15.3417805609, -0.1297710358),
    (0.75, 1.3170699330, 17.8227252311, -557.80012278, 0.7884901836, -3.5508649605, -0.6586142137),
    (0.80, 1.6642533233, -1.2081193040, -228.48708746, 0.7232748207, 0.2124318005, -0.7922129912),
    (0.90, 0.9651077946, -9.4508467983, -15.04684498, 0.8622068905, 2.0692210225, -0.5314428762),
]).T  # fmt: skip


def test_quick_return():
    t, x, vx, ax, f2, w2, f5 = QUICK_RETURN
    k = lw.kinematics(quick_return(), t_eval=t)
    compare(k, t, ram_x=x, ram_vx=vx, ram_ax=ax, rocker_angle=f2, rocker_omega=w2, link_angle=f5)
    other = lw.kinematics(quick_return_composite(), t_eval=t)
    compare(other, t, ram_x=x, ram_vx=vx, ram_ax=ax, rocker_angle=f2, rocker_omega=w2)


def test_quick_return_assembled_at_the_middle():
    # an initial condition that is dropped afterwards: x6 = 0
    m = quick_return(motion=None)
    m.fix(m["ram"].x, 0)
    c = lw.assemble(m)
    wanted = {"rocker.x": 0.9228181616, "rocker.y": 1.774375, "rocker.angle": 1.0912135271, "crank.angle": 0.4285585401,
              "block.x": 1.3643485615, "block.y": 2.6233401981, "link.x": 0.9228181616, "link.y": 3.774375,
              "link.angle": -0.2397913998, "ram.x": 0.0, "ram.y": 4.0}  # fmt: skip
    for name, value in wanted.items():
        assert c[name] == pytest.approx(value, abs=1e-10), name


def test_quick_return_stroke_and_dwell():
    k = lw.kinematics(quick_return(), t_end=1, steps=40000)
    assert k["ram.x"].min() == pytest.approx(-4.337049688, abs=1e-7)
    assert k["ram.x"].max() == pytest.approx(1.667329565, abs=1e-6)
    assert k["ram.vx"].max() == pytest.approx(75.398223686, abs=1e-4)
    assert k["ram.vx"].min() == pytest.approx(-10.771174812, abs=1e-5)
    # where the ram turns, by interpolation of vx: three times on the left, once on the right
    change = np.flatnonzero(np.diff(np.sign(k["ram.vx"])) != 0)
    t, v = k.t, k["ram.vx"]
    turns = t[change] - v[change] * (t[change + 1] - t[change]) / (v[change + 1] - v[change])
    np.testing.assert_allclose(turns, [0.5296178530, 0.5649450970, 0.5931874039, 0.7949985531], atol=1e-7)


# -- gear-slider -----------------------------------------------------------------------------------------------------

GEAR_SLIDER = {
    0.0: np.array([
        (0.00, 1.4928203230, -1.9821568071, -6.3761585188, 0.0000000000, 0.0000000000),
        (0.10, 1.2847255125, -1.9633458800, 6.3192852847, -2.5132741229, 0.6283185307),
        (0.20, 1.1316547510, -1.0309464953, 10.4339060468, -5.0265482457, 1.2566370614),
        (0.30, 1.0774702177, -0.0939526562, 8.0975819409, -7.5398223686, 1.8849555922),
        (0.40, 1.1053310824, 0.6264127507, 6.6009334960, -10.0530964915, 2.5132741229),
        (0.50, 1.2000000000, 1.2566370614, 5.9217626407, -12.5663706144, 3.1415926536),
        (0.60, 1.3518076190, 1.7275582137, 2.7481987215, -15.0796447372, 3.7699111843),
        (0.75, 1.6000000000, 1.2566370614, -9.8696044011, -18.8495559215, 4.7123889804),
        (0.90, 1.6411633906, -0.8407770801, -14.9287332916, -22.6194671058, 5.6548667765),
    ]),
    -0.1047: np.array([
        (0.00, 1.7205029550, -0.9250487136, -14.6589900333, 0.9544660806, -0.5878040700),
        (0.10, 1.5660974804, -2.0103230387, -5.5916988072, -1.5588080423, 0.0405144607),
        (0.20, 1.3590806412, -1.9183732287, 6.8230684054, -4.0720821652, 0.6688329914),
        (0.30, 1.2117574550, -0.9721783130, 10.2902376682, -6.5853562880, 1.2971515222),
        (0.40, 1.1625216787, -0.0536312478, 7.9464019846, -9.0986304109, 1.9254700529),
        (0.50, 1.1939059908, 0.6588189763, 6.5817776539, -11.6119045338, 2.5537885836),
        (0.60, 1.2917770190, 1.2879531472, 5.8810129036, -14.1251786566, 3.1821071143),
        (0.75, 1.5349473496, 1.7783977111, -1.2222857834, -17.8950898409, 4.1245849104),
        (0.90, 1.7368508067, 0.5847876701, -13.9063024033, -21.6650010253, 5.0670627065),
    ]),
}  # fmt: skip


@pytest.mark.parametrize("theta", GEAR_SLIDER)
def test_gear_slider(theta):
    t, x, vx, ax, f3, f4 = GEAR_SLIDER[theta].T
    k = lw.kinematics(gear_slider(theta), t_eval=t)
    compare(k, t, ram_x=x, ram_vx=vx, ram_ax=ax, gear3_angle=f3, gear4_angle=f4)
    np.testing.assert_allclose(k["gear4.omega"], 2 * pi, rtol=1e-9)
    report = lw.check(gear_slider(theta))
    assert report.ok
    assert (report.coordinates, report.equations, report.dof, report.mobility) == (15, 15, 0, 2)


def test_gear_slider_with_phases_of_the_assembled_machine():
    # estimates that already mesh: phases found there are those of the reference angles
    t, x, vx, ax, f3, f4 = GEAR_SLIDER[0.0].T
    m = gear_slider(0.0, given_phases=False)
    m["ram"].guess(position=(0.6 + 0.2 + 0.4 * sqrt(3), 0.2))
    k = lw.kinematics(m, t_eval=t)
    compare(k, t, ram_x=x, ram_vx=vx, ram_ax=ax, gear3_angle=f3, gear4_angle=f4)


def test_gear_slider_out_of_reach():
    # |AB| <= 0.8 asks for theta > -0.1204600829: a little beyond it the machine cannot be assembled
    near = lw.assemble(gear_slider(-0.1204))
    assert abs(near["gear4.x"] + 1j * near["gear4.y"]) == pytest.approx(0.8, abs=1e-4)
    with pytest.raises(lw.AssemblyError) as caught:
        lw.assemble(gear_slider(-0.13))
    assert caught.value.feasible is False


# -- valve lifter ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.25, 0.35, 0.45])
def test_valve_lifter(e):
    w = 40 * pi
    k = lw.kinematics(valve_lifter(e), t_end=0.1, steps=200)  # two turns of the cam
    phi = w * k.t
    h, hd, hdd = e * (1 - np.cos(phi)), e * w * np.sin(phi), e * w**2 * np.cos(phi)
    np.testing.assert_allclose(k["follower.y"], 16 + h, rtol=1e-12)
    np.testing.assert_allclose(k["stem.y"], 23.5 - h, rtol=1e-12)
    np.testing.assert_allclose(k["stem.vy"], -hd, rtol=1e-9, atol=1e-9 * e * w)
    np.testing.assert_allclose(k["stem.ay"], -hdd, rtol=1e-8, atol=1e-9 * e * w**2)
    np.testing.assert_allclose(np.tan(k["rocker.angle"]), -h / 6, atol=1e-12)
    np.testing.assert_allclose(k["contact.alpha"], pi / 2 - phi, atol=1e-10)
    if e == 0.25:
        j = 40
        assert k.t[j] == pytest.approx(0.02, abs=1e-15)
        for name, value, rtol in (("stem.y", 23.0477457514, 1e-10), ("stem.vy", -18.4658183049, 1e-9),
                                  ("stem.ay", 3193.87107530, 1e-8), ("rocker.angle", -0.0752334438, 1e-9),
                                  ("rocker.omega", -3.0602495842, 1e-9), ("rocker.alpha", 530.71640941, 1e-8)):  # fmt: skip
            assert k[name][j] == pytest.approx(value, rel=rtol), name
        j = 25
        assert k["rocker.alpha"][j] == pytest.approx(2.27671851, rel=1e-8)


# -- five-bar --------------------------------------------------------------------------------------------------------


def test_five_bar_with_a_longer_crossbar():
    m = five_bar(1.1, motion="t")
    m["b3"].guess(angle=0.45)
    k = lw.kinematics(m, t_start=0.5, t_eval=[0.5, 1, 2])
    compare(k, [0.5, 1, 2], b3_angle=[0.4509729285, 0.8710003746, 0.9730997315],
            b3_omega=[0.8864239006, 0.7626349827, -0.6722738323],
            b3_alpha=[-0.1037530511, -0.4969333521, -0.8050522815])  # fmt: skip
    # the pin stays at the bar's height, sin phi3 = sin phi1/1.1
    np.testing.assert_allclose(np.sin(k["b3.angle"]), np.sin(k.t) / 1.1, atol=1e-12)


# -- film follower ---------------------------------------------------------------------------------------------------


def test_film_follower():
    table = np.array([
        (0.000, 1.8779665880, 0.0887715333, -0.0214790447, 0.0984595313, -0.28089997, 1.46672349, 7.961932, 62.982933),
        (0.006, 1.8649735979, 0.3995035031, -0.0230614629, 0.1077419578, -0.21443435, 1.52300592, 40.336159, -40.709918),
        (0.012, 1.7867502290, 0.6478611514, -0.0227234637, 0.1156389236, 0.51147163, 1.02661982, 222.498406, -125.236473),
        (0.018, 1.6172803351, 0.6950119441, -0.0145044722, 0.1188010024, 2.33150287, -0.12424300, 306.780526, -273.515559),
        (0.024, 1.3859658344, 0.4468995472, 0.0022238237, 0.1128303205, 2.63870973, -1.76253543, -261.742241, -166.489220),
        (0.030, 1.2687239651, 0.0913302703, 0.0114273280, 0.1016198619, 0.31524676, -1.65277961, -389.194536, 142.948345),
        (0.042, 1.5080290669, -0.3174485590, -0.0030477394, 0.0907221506, -1.91429790, -0.43386742, 9.737958, 46.398117),
        (0.054, 1.8262122871, -0.1823036009, -0.0192015163, 0.0913980244, -0.57619087, 0.80191892, 102.582575, 145.746859),
    ])  # fmt: skip
    t, f3, f4, x, y, vx, vy, ax, ay = table.T
    m = film_follower()
    k = lw.kinematics(m, t_eval=t)
    compare(k, t, follower_angle=f3, rocker_angle=f4)
    P = m["follower"].at(0.0548808327, 0.0050010935)
    for channel, values in (("x", x), ("y", y)):
        np.testing.assert_allclose(k[lw.component(P, channel)], values, atol=6e-11)
    for channel, values in (("vx", vx), ("vy", vy)):
        np.testing.assert_allclose(k[lw.component(P, channel)], values, atol=6e-9)
    # accelerations of P from those of the body: a + alpha x s - omega^2 s
    f, w, alpha = k["follower.angle"], k["follower.omega"], k["follower.alpha"]
    s = np.array([[np.cos(f), -np.sin(f)], [np.sin(f), np.cos(f)]]).transpose(2, 0, 1) @ [0.0548808327, 0.0050010935]
    np.testing.assert_allclose(k["follower.ax"] - alpha * s[:, 1] - w**2 * s[:, 0], ax, atol=1e-6)
    np.testing.assert_allclose(k["follower.ay"] + alpha * s[:, 0] - w**2 * s[:, 1], ay, atol=1e-6)


def test_rack_and_pinion_with_and_without_a_link():
    # project 5.3 as a type: a pinion moves a rack, whose other end is joined to a slider by a body or by a distance
    def build(composite):
        m = lw.PlanarModel("rack and pinion")
        g = m.ground
        pinion = m.body("pinion")
        rack = m.body("rack", position=(0.6, -0.1), angle=0.05)
        slider = m.body("slider", position=(1.5, -0.3))
        A = m.add(lw.Revolute("A", g.at(0, 0), pinion.at(0, 0)))
        m.add(lw.RackPinion("mesh", rack.at(0, 0, angle=0), pinion.at(0, 0), 0.1))
        m.add(lw.Translational("guide", g.at(0, -0.3, angle=0), slider.at(0, 0, angle=0)))
        m.add(lw.PointOnLine("rest", g.at(0.4, -0.1, angle=0), rack.at(0, 0)))
        if composite:
            m.add(lw.RevoluteRevolute("link", rack.at(0.5, 0), slider.at(0, 0), 0.5))
        else:
            link = m.body("link", position=(1.3, -0.15), angle=-0.4)
            m.add(lw.Revolute("L1", rack.at(0.5, 0), link.at(-0.25, 0)))
            m.add(lw.Revolute("L2", link.at(0.25, 0), slider.at(0, 0)))
        m.add(lw.Driver("motor", A.angle, "-2*pi*t"))
        return lw.kinematics(m, t_end=0.4, steps=40)

    one, two = build(True), build(False)
    for channel in ("slider.x", "slider.vx", "slider.ax", "rack.angle", "rack.alpha"):
        np.testing.assert_allclose(one[channel], two[channel], rtol=1e-8, atol=1e-9)
    assert np.ptp(one["slider.x"]) > 0.1
