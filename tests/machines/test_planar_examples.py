"""The worked examples of Haug's chapters 2 to 4, with data: positions, velocities, accelerations.

Expected numbers were computed with 40 to 60 digits; they are printed with 12 to 16, so tolerances are relative 1e-10 for
positions, 1e-9 for velocities, 1e-8 for accelerations, and half a unit of the last printed digit.
"""

from math import pi

import numpy as np
import pytest

import linkwright as lw
from planar_machines import (
    cam_A,
    double_pendulum,
    dyad,
    excavator,
    haug_four_bar,
    slider_crank,
)

TOLERANCE = {
    **dict.fromkeys(("x", "y", "angle", "alpha_i", "alpha_j"), 1e-10),
    **dict.fromkeys(("vx", "vy", "omega"), 1e-9),
    **dict.fromkeys(("ax", "ay", "alpha"), 1e-8),
}


def agrees(result, k, **bodies):
    """Each body's channels at point k: body=dict(x=..., omega=...)."""
    for body, channels in bodies.items():
        for channel, expected in channels.items():
            found = result[f"{body}.{channel}"][k]
            tolerance = TOLERANCE[channel]
            assert found == pytest.approx(expected, rel=tolerance, abs=6e-12), f"{body}.{channel}"


def test_angles_from_vector_to_vector():
    # problem 2.1.3, as a quantity of two vectors in ground
    m = lw.PlanarModel()
    g, b = m.ground, m.body("b")
    m.add(lw.Fixed("weld", g.at(0, 0), b.at(0, 0)))
    c = lw.assemble(m)
    a = g.vector(1, 1)
    assert c[lw.angle(a, b.vector(0, 1))] == pytest.approx(pi / 4, abs=1e-15)
    assert c[lw.angle(a, b.vector(1, 0))] == pytest.approx(-pi / 4, abs=1e-15)
    assert abs(c[lw.angle(g.vector(1, 0), b.vector(-1, 0))]) == pytest.approx(pi, abs=1e-15)


def test_two_link_chain_and_point_motion():
    # example 2.5.1: relative rates 1 and 2 at t = 0.3; the tip's coordinates by components of points
    m = lw.PlanarModel()
    b1, b2 = m.body("b1"), m.body("b2", position=(1, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), b1.at(0, 0)))
    B = m.add(lw.Revolute("B", b1.at(1, 0), b2.at(0, 0)))
    m.add(lw.Driver("one", A.angle, "t"))
    m.add(lw.Driver("two", B.angle, "2*t"))
    tip = m.body("tip", position=(2, 0))
    m.add(lw.Revolute("T", b2.at(1, 0), tip.at(0, 0)))
    m.add(lw.Constraint("upright", tip.angle))
    k = lw.kinematics(m, t_eval=[0, 0.3])
    agrees(k, 1, tip={"x": 1.576946457396, "y": 1.078847116289, "vx": -2.645500935544,
                      "vy": 2.820166393938, "ax": -6.549826203562,
                          "ay": -7.345462393309})  # fmt: skip


def test_relative_angle_slider_crank():
    # example 2.5.3: the rod's angle relative to the crank, its rate and its second derivative
    m = dyad(motion="0.7 + t")
    k = lw.kinematics(m, t_eval=[0, 0.1])
    # the coupler's arm s' = (0, l) points from the x axis to the crank; the rod's direction is the opposite
    rod = k["coupler.angle"][0] - pi / 2 + 2 * pi
    assert rod - 0.7 == pytest.approx(5.2552290945015, rel=1e-10)
    assert k["coupler.omega"][0] - 1 == pytest.approx(-1.4039505929013, rel=1e-9)
    assert k["coupler.alpha"][0] == pytest.approx(0.28472338902041, rel=1e-8)


def test_pendulum_by_absolute_constraints():
    # example 3.2.1: pivot at (1, 1), s' = (1, 0), phi = pi + t/2
    m = lw.PlanarModel()
    b = m.body("b", angle=pi)
    m.add(lw.Constraint("x", lw.component(b.at(1, 0), "x"), 1))
    m.add(lw.Constraint("y", lw.component(b.at(1, 0), "y"), 1))
    m.add(lw.Driver("motor", b.angle, "pi + 0.5*t"))
    k = lw.kinematics(m, t_eval=[0, 1])
    agrees(k, 1, b={"x": 1.87758256189, "y": 1.479425538604, "vx": -0.2397127693021,
                    "vy": 0.4387912809452, "ax": -0.2193956404726,
                        "ay": -0.1198563846511})  # fmt: skip


def test_two_body_slider_crank():
    # example 3.1.2
    k = lw.kinematics(dyad(), t_eval=[0, 0.7])
    agrees(k, 1, coupler={"x": 2.658247471805, "angle": 1.242840114117, "vx": -0.9044498039549, "omega": -0.4039505929013,
                              "ax": -0.8903767991368, "alpha": 0.2847233890204})  # fmt: skip


BODY2 = {"x": 4.949489742783, "y": 4.012289773726, "angle": 0.1837618661442, "vx": -11.21657915904, "vy": 8.07908228456,
             "omega": 0.6088839541735, "ax": -21.13158686714, "ay": -32.78441573926, "alpha": 0.5452237655968}  # fmt: skip
BODY3 = {"x": 5.949489742783, "y": 2.280238966158, "angle": 0.8634356850524, "vx": -5.775181066335, "vy": 4.93748963097,
             "omega": 2.532708699416, "ax": -11.26198246605, "ay": -15.68975946596, "alpha": -0.5452237655968}  # fmt: skip
BODY1 = {"x": 1, "y": 1.732050807569, "angle": pi / 3, "vx": -5.441398092703, "vy": pi, "omega": pi, "ax": -9.869604401089,
             "ay": -17.09465627329, "alpha": 0}  # fmt: skip


@pytest.mark.parametrize("model", [1, 2, 3])
def test_four_bar_by_three_models(model):
    # examples 3.3.2, 3.3.3, 3.5.2
    k = lw.kinematics(haug_four_bar(model), t_eval=[0, 0.01])
    bodies = {1: {"b1": BODY1, "b2": BODY2, "b3": BODY3}, 2: {"b1": BODY1, "b3": BODY3}, 3: {"b1": BODY1, "b2": BODY2}}[
        model
    ]
    agrees(k, 0, **bodies)


def test_four_bar_of_one_body_is_driven_by_its_coupler():
    # model 4: the motion of the coupler, with the coupler's angle made to do what it does under the crank
    whole = lw.kinematics(haug_four_bar(), t_end=0.2, steps=40)
    m = haug_four_bar(4, None)
    m.add(lw.Driver("turn", m["b2"].angle, lw.Table(whole.t, whole["b2.angle"])))
    k = lw.kinematics(m, t_eval=whole.t)
    # a spline through exact points: positions at the points are exact
    for channel in ("x", "y", "angle"):
        np.testing.assert_allclose(k[f"b2.{channel}"], whole[f"b2.{channel}"], rtol=1e-10, atol=1e-12)


def test_four_bar_other_mode():
    m = haug_four_bar()
    found = lw.assemblies(m)
    assert len(found) == 2
    other = found[1]
    turn = np.array([other["b2.angle"] + 2.278156968537, other["b3.angle"] + 2.957830787446]) / (2 * pi)
    np.testing.assert_allclose(turn, np.round(turn), atol=1e-11)
    assert other["b2.x"] == pytest.approx(0.05051025721682, rel=1e-10)
    assert other["b2.y"] == pytest.approx(1.18386264898, rel=1e-10)


def haug_slider_crank(composite: bool) -> lw.PlanarModel:
    """Examples 3.3.4 and 3.3.5: crank 4, rod 6; the slider a body, or a pin on a line."""
    m = lw.PlanarModel("slider-crank")
    g = m.ground
    b1, b2 = m.body("b1", position=(1, 1.7), angle=1), m.body("b2", position=(4.6, 1.7), angle=-0.6)
    A = m.add(lw.Revolute("A", g.at(0, 0), b1.at(-2, 0)))
    m.add(lw.Revolute("B", b1.at(2, 0), b2.at(-3, 0)))
    if composite:
        m.add(lw.PointOnLine("C", g.frame((2, 0), (3, 0)), b2.at(3, 0)))
    else:
        b3 = m.body("b3", position=(7, 0))
        m.add(lw.Revolute("C", b2.at(3, 0), b3.at(0, 0)))
        m.add(lw.Translational("D", b3.frame((0, 0), (1, 0)), g.frame((2, 0), (3, 0))))
    m.add(lw.Driver("motor", A.angle, "t"))
    return m


def test_slider_crank_with_slider_or_without():
    rod = {
        "x": 4.644695951222, "y": 1.682941969616, "angle": -0.5955699377597,
        "vx": -4.09815878223, "vy": 1.080604611736, "omega": -0.4351159197519,
        "ax": -1.706863771213, "ay": -1.682941969616, "alpha": 0.5493556750472,
    }  # fmt: skip
    full = lw.kinematics(haug_slider_crank(False), t_eval=[0, 1])
    agrees(full, 1, b2=rod, b3={"x": 7.128182678971, "vx": -4.830433625229, "ax": -1.252518318953})
    short = lw.kinematics(haug_slider_crank(True), t_eval=[0, 1])
    agrees(short, 1, b2=rod)
    # 12 and 9 coordinates in the book, where ground is a body
    assert [lw.check(haug_slider_crank(composite)).coordinates for composite in (False, True)] == [9, 6]


def planet(motion="t", phase=(2 * 0 + 1 * (pi - pi)) / 3):
    m = lw.PlanarModel("planet gear")
    planet = m.body("planet", position=(2.9, 0.5), angle=0.6)
    # a distance to ground, and a gear on ground itself: the sun does not move
    m.add(lw.Distance("arm", m.ground.at(0, 0), planet.at(0, 0), 3))
    m.add(lw.Gear("mesh", m.ground.at(0, 0), planet.at(0, 0), (2, 1), phase))
    m.add(lw.Driver("motor", planet.angle, motion))
    return m


def test_planet_gear():
    k = lw.kinematics(planet(), t_eval=[0, 0.9])
    agrees(k, 1, planet={"x": 2.866009467377, "y": 0.886560619984, "vx": -0.2955202066613, "vy": 0.9553364891256,
                             "ax": -0.3184454963752, "ay": -0.09850673555378})  # fmt: skip
    # the antipodal point satisfies the equations, too: it is told
    m = planet("0.9 + t")
    m["planet"].guess(position=(-2.8, -0.9), angle=0.9)
    assert any("mesh" in note for note in lw.assemble(m).audit.notes)
    assert any(f.code == "wrong-root" and f.elements == ("mesh",) for f in lw.check(m).findings)


def test_gears_on_fixed_centres():
    # problem 3.4.1: R_i fd_i = -R_j fd_j; a ring gear (negative radius) turns the same way; an idler changes nothing
    m = lw.PlanarModel("train")
    g = m.ground
    gears = {name: m.body(name, position=(x, 0)) for name, x in (("a", 0), ("idler", 3), ("c", 5.5), ("ring", 4.0))}
    pins = {name: m.add(lw.Revolute(f"pin {name}", g.at(*b.estimate.position), b.at(0, 0))) for name, b in gears.items()}
    m.add(lw.Gear("first", gears["a"].at(0, 0), gears["idler"].at(0, 0), (2, 1)))
    m.add(lw.Gear("second", gears["idler"].at(0, 0), gears["c"].at(0, 0), (1, 1.5)))
    m.add(lw.Gear("internal", gears["ring"].at(0, 0), gears["c"].at(0, 0), (-3, 1.5)))
    m.add(lw.Driver("motor", pins["a"].angle, "0.3 + 2*pi*t + t**2"))
    report = lw.check(m)
    assert report.ok
    assert report.dof == 0
    k = lw.kinematics(m, t_end=20, steps=400)  # twenty turns and more
    start = {name: k[f"{name}.angle"][0] for name in gears}
    turned = k["a.angle"] - start["a"]
    for name, ratio in (("idler", -2), ("c", 2 / 1.5), ("ring", 2 / 3)):
        np.testing.assert_allclose(k[f"{name}.angle"] - start[name], ratio * turned, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(k[f"{name}.omega"], ratio * k["a.omega"], rtol=1e-10)
        np.testing.assert_allclose(k[f"{name}.alpha"], ratio * 2.0, rtol=1e-8)


def test_rack_and_pinion():
    # example 3.4.2
    m = lw.PlanarModel("rack and pinion")
    g = m.ground
    rack, pinion = m.body("rack", position=(0.8, 0), angle=-0.25), m.body("pinion", angle=0.87)
    m.add(lw.Revolute("centre", g.at(0, 0), pinion.at(0, 0)))
    m.add(lw.Constraint("on axis", rack.y))
    # the book's phase, theta_1 - theta_2 + 3 pi/2 = 0, counts from the rack's body; ours from its line, half a turn further
    m.add(lw.RackPinion("mesh", rack.frame((-1, 0), (-2, 0)), pinion.at(0, 0), 0.2, phase=-pi))
    m.add(lw.Driver("push", rack.x, "0.8 + 0.3*t"))
    k = lw.kinematics(m, t_eval=[0, 0.5])
    agrees(k, 0, rack={"angle": -0.2526802551421, "omega": 0.09682458365519, "alpha": -0.07503905233277})
    agrees(k, 0, pinion={"angle": 0.8743363986505, "omega": -1.452368754828, "alpha": -0.03630921887069})
    # without a phase: that of the assembled machine, whose rates are the same
    free = m.without("mesh")
    free.add(lw.RackPinion("mesh", free["rack"].frame((-1, 0), (-2, 0)), free["pinion"].at(0, 0), 0.2))
    free["pinion"].guess(angle=20.0)
    found = lw.kinematics(free, t_eval=[0, 0.5])
    assert found["pinion.angle"][0] == pytest.approx(20.0, abs=1e-12)
    np.testing.assert_allclose(found["pinion.omega"], k["pinion.omega"], rtol=1e-12)


ROLLER = {  # phi1 -> y2, alpha1, alpha2, y2', y2''
    pi / 6: (1.75, pi / 3, -pi / 2, 0.0, -63 / 34),
    0.3: (1.704933052326, 1.23248222136, -1.344816258372, 0.3919760606731, -1.555450545826),
    0.0: (1.532285823696, 1.491347784431, -1.142235025061, 0.7000720742921, -0.3879618844508),
    1.3: (1.356491549184, 0.3641925764873, -2.007974037695, -0.6339390816711, 0.9705409918622),
}


@pytest.mark.parametrize("phi", ROLLER)
def test_cam_and_roller(phi):
    # example 3.4.3, moved there from the top of the lobe
    y, a1, a2, v, a = ROLLER[phi]
    m = cam_A(f"pi/6 + ({phi} - pi/6)*t**2*(3 - 2*t) + (t - 1)*t**2*1.0")
    # the motion arrives at t = 1 at phi with rate 1 and no acceleration of its own but 6 (phi - pi/6)(1 - 2) + 4
    k = lw.kinematics(m, t_end=1, steps=20)
    rate, second = k["cam.omega"][-1], k["cam.alpha"][-1]
    assert rate == pytest.approx(1, abs=1e-12)
    assert k["follower.y"][-1] == pytest.approx(y, rel=1e-10)
    assert k["contact.alpha_i"][-1] == pytest.approx(a1, rel=1e-10)
    assert k["contact.alpha_j"][-1] == pytest.approx(a2, rel=1e-10)
    assert k["follower.vy"][-1] == pytest.approx(v, rel=1e-9, abs=1e-11)
    assert k["follower.ay"][-1] - v * second == pytest.approx(a, rel=1e-8)


FACE = {
    pi / 6: (1.5, pi / 3, 0.0, -0.9),
    0.3: (1.477656873128, 1.137287271972, 0.1984611440678, -0.8627226401916),
    0.9: (1.437492287359, 0.893477374373, -0.3255003372736, -0.7942112307887),
}


def test_cam_and_flat_face():
    # example 3.4.4, one motion through all three
    k = lw.kinematics(cam_A("t", "face"), t_eval=sorted(FACE), t_start=0.3)
    for j, phi in enumerate(sorted(FACE)):
        y, a1, v, a = FACE[phi]
        assert k["follower.y"][j] == pytest.approx(y, rel=1e-10)
        assert k["contact.alpha"][j] == pytest.approx(a1, rel=1e-10)
        assert k["follower.vy"][j] == pytest.approx(v, rel=1e-9, abs=1e-11)
        assert k["follower.ay"][j] == pytest.approx(a, rel=1e-8)


def test_pin_in_a_cam_slot():
    # example 3.4.5: y2 = 5/4 + sin(3 phi1)/4 while the pin is in the lobe
    k = lw.kinematics(cam_A("t", "slot"), t_start=-0.5, t_eval=np.linspace(-0.5, 1.5, 41))
    np.testing.assert_allclose(k["follower.y"], 5 / 4 + np.sin(3 * k.t) / 4, rtol=1e-12)
    j = 16
    assert k.t[j] == pytest.approx(0.3, abs=1e-15)
    agrees(k, j, follower={"y": 1.4458317274069, "vy": 0.466207476203, "ay": -1.7624855466618})


def test_slider_driven_rocker():
    # example 3.5.1: crank 1, l = 2, x2 = sqrt(3) + sin(t)/2
    m = dyad(motion="sqrt(3) + 0.5*sin(t)", driven="slider")
    m["crank"].guess(angle=1.4)
    m["coupler"].guess(position=(1.7, 0), angle=1.0)
    k = lw.kinematics(m, t_eval=np.arange(0, 2.1, 0.1))
    agrees(k, 5, crank={"angle": 1.343708068528, "omega": -0.3989309845495, "alpha": 0.2584961199951},
           coupler={"angle": 1.061958039713, "omega": 0.05142264011472, "alpha": 0.053981585056})  # fmt: skip
    agrees(k, 20, crank={"angle": 1.151208073379, "omega": 0.1853904905127, "alpha": 0.4033557804222},
           coupler={"angle": 1.09659462759})  # fmt: skip
    # problem 3.5.1, at all times
    f1, f2 = k["crank.angle"], k["coupler.angle"]
    x2dd = -0.5 * np.sin(k.t)
    wanted = -(x2dd * np.sin(f2) + k["crank.omega"] ** 2 * np.sin(f2 - f1) + 2 * k["coupler.omega"] ** 2) / np.cos(f1 - f2)
    np.testing.assert_allclose(k["crank.alpha"], wanted, rtol=1e-10)


def test_excavator():
    # examples 3.5.3 and 3.5.4: driven lengths, driven relative angle
    k = lw.kinematics(excavator(), t_eval=[0, 1])
    agrees(k, 0, b1={"angle": 0.6790532746283, "omega": 0.2956087488529, "alpha": 0.02351732710066},
           b2={"angle": 0.4811839863247, "omega": 0.09506359166551, "alpha": 0.02654648277259})  # fmt: skip
    agrees(k, 1, b1={"angle": 0.9909670945586, "omega": 0.3336230624913, "alpha": 0.05657086711809},
           b2={"x": 1.897915761656, "y": 2.897915761656, "angle": 0.5926961501284, "omega": 0.1320420102197,
                   "alpha": 0.05161133329236})  # fmt: skip
    m = excavator()
    m["b2"].guess(angle=3.5, position=(1.9, 2.9))
    m["b1"].guess(angle=1.0)
    other = lw.kinematics(m, t_start=1, t_eval=[1, 1.1])
    agrees(other, 0, b2={"angle": 3.483633141382, "omega": 0.5352041147629})
    angle = lw.kinematics(excavator("angle"), t_eval=[0, 1])
    assert angle["b2.omega"][1] == pytest.approx(0.4336230624913, rel=1e-9)


def test_double_pendulum():
    # example 3.6.2
    k = lw.kinematics(double_pendulum(), t_eval=[0, 1.5])
    agrees(k, 0, b1={"vx": 0.4534498410586, "vy": 0.2617993877991, "omega": 0.5235987755983, "ax": -0.137077838904,
                         "ay": 0.2374257815735, "alpha": 0},
           b2={"x": 1.490984766568, "angle": 6.148806649418, "vx": 0.4180562926881, "vy": 0, "omega": -0.2641810415572,
                   "ax": -0.2396027710356, "ay": 0, "alpha": -0.2490210691141})  # fmt: skip
    agrees(k, 1, b2={"x": 1.637231116077, "angle": 5.448357461065, "omega": -0.7533943016053, "alpha": -0.7323839574365})


def test_bar_on_two_axes():
    # problem 3.6.1
    m = lw.PlanarModel()
    b = m.body("bar", position=(1, 1.7), angle=5.2)
    m.add(lw.Constraint("on y", lw.component(b.at(-2, 0), "x")))
    m.add(lw.Constraint("on x", lw.component(b.at(2, 0), "y")))
    m.add(lw.Driver("motor", b.angle, "5*pi/3 + pi*t/15"))
    k = lw.kinematics(m, t_eval=[0, 2])
    agrees(k, 1, bar={"x": 1.61803398875, "y": 1.17557050458, "vx": 0.246210910732,
                      "vy": -0.338880246154, "ax": -0.0709749127843,
                          "ay": -0.0515662925593})  # fmt: skip


def test_pendulum_on_a_slider():
    # problem 3.6.2
    m = lw.PlanarModel()
    slider, bar = m.body("slider"), m.body("bar", position=(1, -1.7), angle=0.5)
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    pin = m.add(lw.Revolute("pin", slider.at(0, 0), bar.at(0, 2)))
    m.add(lw.Driver("push", guide.displacement, "0.2*t"))
    m.add(lw.Driver("turn", pin.angle, "pi/6 + t/10"))
    k = lw.kinematics(m, t_eval=[0, 5])
    agrees(k, 1, bar={"x": 2.7079719532, "y": -1.04059204643, "vx": 0.304059204643,
                      "vy": 0.17079719532, "ax": -0.017079719532,
                          "ay": 0.0104059204643})  # fmt: skip


def test_small_four_bar():
    # example 4.2.1: crank and ground 2, coupler and follower 4, phi1 = t, t = 1
    k = lw.kinematics(haug_four_bar(1, "t", 2, 4), t_start=0.9, t_eval=[0.9, 1])
    agrees(k, 1, b2={"x": 3.014444731423, "y": 2.1931011521167, "angle": 0.25793001651269, "omega": 0.27401552305208,
                         "alpha": 0.049118408287139},
           b3={"x": 3.4741424255549, "y": 1.3516301673088, "angle": 0.74206998348731, "omega": 0.72598447694792,
                   "alpha": -0.049118408287139})  # fmt: skip


@pytest.mark.parametrize("idler", [False, True])
def test_trolley(idler):
    # problem 3.4.2: a gear of 0.3 m diameter at 5 rev/s^2 on a rack reaches 600 rpm; an idler between changes nothing
    m = lw.PlanarModel("trolley")
    height = 0.15 + 0.2 * idler
    wheel, cart = m.body("wheel", position=(0, height)), m.body("cart", position=(0, height))
    m.add(lw.Revolute("axle", cart.at(0, 0), wheel.at(0, 0)))
    m.add(lw.Orientation("level", m.ground.at(0, 0), cart.at(0, 0)))
    rolling, radius = wheel, 0.15
    if idler:
        rolling, radius = m.body("idler", position=(0, 0.1)), 0.1
        m.add(lw.Revolute("idler axle", cart.at(0, -0.25), rolling.at(0, 0)))
        m.add(lw.Gear("mesh", wheel.at(0, 0), rolling.at(0, 0), (0.15, 0.1)))
    m.add(lw.RackPinion("rack", m.ground.at(0, 0, angle=0), rolling.at(0, 0), radius))
    m.add(lw.Driver("motor", m["axle"].angle, f"{1 if idler else -1}*2*pi*5*t**2/2"))
    k = lw.kinematics(m, t_end=2, steps=50)
    assert k["cart.vx"][-1] == pytest.approx(9.42477796076938, rel=1e-9)
    np.testing.assert_allclose(k["cart.ax"], 4.71238898038469, rtol=1e-8)


def test_angles_of_the_book_are_those_of_the_model():
    # the slider-crank's rod angle by closed form, over many points
    k = lw.kinematics(slider_crank(1.0, 2.0, "t"), t_end=6, steps=60)
    np.testing.assert_allclose(k["rod.angle"], -np.arcsin(np.sin(k.t) / 2), atol=1e-12)
    np.testing.assert_allclose(k["slider.x"], np.cos(k.t) + np.sqrt(4 - np.sin(k.t) ** 2), rtol=1e-12)
