"""Speeds and accelerations of joints and of points are channels, whatever the analysis and the size of the machine."""

import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwright as lw
from looped_runs import chain

h = 1e-3  # s: central differences are off by h^2/6 of the third derivative


def every_joint_in_space():
    """One body on each kind of joint that has a coordinate, thrown so that all of them move."""
    m = lw.SpatialModel("joints", gravity=(0.5, 0.3, -9.81))
    kinds = {
        "revolute": lw.Revolute, "slide": lw.Translational, "cylinder": lw.Cylindrical, "cross": lw.Universal,
        "cv": lw.ConstantVelocity, "screw": lw.Screw, "plate": lw.Planar,
    }  # fmt: skip
    tilt = ((1.0, 0.4, 0.2), 0.7)
    for k, (name, kind) in enumerate(kinds.items()):
        across = ((1, 0, 0), np.pi / 2) if kind is lw.Universal else ((0, 0, 1), 0.0)
        b = m.body(f"b{k}", mass=1.0, inertia=(0.2, 0.3, 0.25), position=(k, 0, 0), orientation=tilt, omega=(0.3, -0.2, 0.8))
        ends = m.ground.at(k, 0, 0, rotation=tilt), b.at(0.1, 0.05, -0.2, rotation=across)
        m.add(kind(name, *ends, **({"pitch": 0.1} if kind is lw.Screw else {})))
    return m


def differences(x):
    """Speed and acceleration in the middle of three values h apart."""
    return (x[2] - x[0]) / (2 * h), (x[2] - 2 * x[1] + x[0]) / h**2


def test_every_joint_in_space_has_speeds_and_accelerations():
    m = every_joint_in_space()
    d = lw.dynamics(m, t_end=0.3 + h, t_eval=[0.0, 0.3 - h, 0.3, 0.3 + h], rtol=1e-11, atol=1e-12)
    checked = 0
    for e in m.elements.values():
        assert e.rates
        for name, (coordinate, order) in e.rates.items():
            by_differences = differences(d[f"{e.name}.{coordinate}"][1:])[order - 1]
            # h^2/6 and h^2/12 of derivatives that are below 100; differences of second order see rtol / h^2 beside
            assert d[f"{e.name}.{name}"][2] == pytest.approx(by_differences, abs=1e-4), (e.name, name)
            assert d.unit(f"{e.name}.{name}") == {
                "omega": "rad/s", "alpha": "rad/s^2", "velocity": "m/s", "acceleration": "m/s^2",
            }[name.partition("_")[0]]  # fmt: skip
            checked += 1
    assert checked == 2 * (1 + 1 + 2 + 2 + 2 + 2 + 3)


def slider_crank(driven=True):
    m = lw.PlanarModel("slider-crank", gravity=(0, -9.81))
    r = m.parameter("r", 0.2)
    crank = m.body("crank", mass=1.0, inertia=0.01, position=(0.1, 0.0))
    rod = m.body("rod", mass=2.0, inertia=0.05, position=(0.45, 0.0))
    slider = m.body("slider", mass=1.0, position=(0.7, 0.0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-r / 2, 0)))
    m.add(lw.Revolute("B", crank.at(r / 2, 0), rod.at(-0.25, 0)))
    m.add(lw.Revolute("C", rod.at(0.25, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    if driven:
        m.add(lw.Driver("motor", A.angle, "3*t + t**2"))
    return m


@pytest.mark.parametrize("analysis", ["kinematics", "inverse_dynamics", "dynamics"])
def test_a_slider_crank_by_every_analysis(analysis):
    m = slider_crank()
    d = getattr(lw, analysis)(m, t_end=1.0, steps=4)
    np.testing.assert_allclose(d["A.omega"], 3 + 2 * d.t, rtol=1e-9)
    np.testing.assert_allclose(d["A.alpha"], 2.0, rtol=1e-9)
    np.testing.assert_allclose(d["guide.velocity"], d["slider.vx"], atol=1e-12)
    np.testing.assert_allclose(d["guide.acceleration"], d["slider.ax"], atol=1e-11)
    np.testing.assert_allclose(d["B.alpha"], d["rod.alpha"] - d["crank.alpha"], atol=1e-11)
    np.testing.assert_array_equal(d[m["A"].alpha], d["A.alpha"])


def test_accelerations_of_points():
    """Of a point s of a body: a - omega^2 A s + alpha A s_perp (Haug 3.6)."""
    m = slider_crank()
    k = lw.kinematics(m, t_end=1.0, steps=4)
    c, s = np.cos(k["rod.angle"]), np.sin(k["rod.angle"])
    x, y = 0.1 * c - 0.2 * s, 0.1 * s + 0.2 * c
    ax = k["rod.ax"] - k["rod.omega"] ** 2 * x - k["rod.alpha"] * y
    ay = k["rod.ay"] - k["rod.omega"] ** 2 * y + k["rod.alpha"] * x
    P = m["rod"].at(0.1, 0.2)
    np.testing.assert_allclose(k[lw.component(P, "ax")], ax, atol=1e-11)
    np.testing.assert_allclose(k[lw.component(P, "ay")], ay, atol=1e-11)
    np.testing.assert_array_equal(k["rod(0.1, 0.2).ay"], k[lw.component(P, "ay")])
    np.testing.assert_allclose(k["hypot(rod(0.1,0.2).ax, rod(0.1,0.2).ay)"], np.hypot(ax, ay), rtol=1e-10)


def test_they_are_channels_like_the_others(tmp_path):
    m = slider_crank()
    k = lw.kinematics(m, t_end=1.0, steps=4)
    assert {"A.omega", "A.alpha", "guide.velocity", "guide.acceleration"} <= set(k)
    assert len(k) == len(k.channels) == len(list(k))
    assert k.at(0.5)["A.omega"] == pytest.approx(4.0)
    k.save(tmp_path / "k.csv")
    for other in (lw.load_result(tmp_path / "k.csv"), pickle.loads(pickle.dumps(k))):
        assert other.channels == k.channels
        np.testing.assert_allclose(other["guide.acceleration"], k["guide.acceleration"], rtol=1e-14)


def test_later_values_of_parameters_do_not_change_what_was_computed():
    m, other = slider_crank(), slider_crank()
    early, late = (lw.kinematics(x, t_end=1.0, steps=4) for x in (m, other))
    first = early["guide.velocity"].copy()
    other.set(r=0.15)
    np.testing.assert_array_equal(late["guide.velocity"], first)


def test_large_machines_have_them_too():
    """About the axis z of the joint's frames: the difference of the bodies' angular velocities, seen from the first."""
    d = lw.dynamics(m := chain(60), t_end=0.05, steps=2)
    turn = Rotation.from_rotvec([0.3 + 0.9, 0, 0])
    A = [Rotation.from_quat([d[f"{b}.e{k}"][-1] for k in (1, 2, 3, 0)]) for b in ("b30", "b31")]
    w = [A[k].apply([d[f"{b}.w{c}"][-1] for c in "xyz"]) for k, b in enumerate(("b30", "b31"))]
    axis = (A[0] * turn).apply([0, 0, 1])
    assert d["J31.omega"][-1] == pytest.approx(axis @ (w[1] - w[0]), abs=1e-7)  # the joint holds to the tolerance of the run
    around = lw.dynamics(m, t_end=0.05 + h, t_eval=[0.0, 0.05 - h, 0.05, 0.05 + h], rtol=1e-10, atol=1e-11)
    assert around["J31.alpha"][2] == pytest.approx(differences(around["J31.omega"][1:])[0], abs=1e-3)
    assert sum(x.endswith(".alpha") for x in d) == 60


def test_where_no_speeds_are_known_that_is_said():
    m = slider_crank()
    for found in (lw.assemble(m), lw.kinematics(m, t_end=1.0, steps=1, rates=False)):
        assert "A.omega" not in found
        with pytest.raises(lw.ModelError, match="has positions only"):
            found["A.omega"]
        with pytest.raises(lw.ModelError, match="needs velocities, not computed by this analysis"):
            found[m["A"].omega]
    e = lw.equilibrium(slider_crank(driven=False))
    assert e[m["A"].omega] == 0.0  # at rest


def test_formulas_know_the_speeds_by_the_same_names():
    m = slider_crank(driven=False)
    m.add(lw.Force("brake", m["A"].angle, "-2*A.omega"))
    same = slider_crank(driven=False)
    same.add(lw.Force("brake", same["A"].angle, lambda a, w, t: -2 * w))
    d, e = (lw.dynamics(x, t_end=0.2, steps=2) for x in (m, same))
    np.testing.assert_allclose(d["A.angle"], e["A.angle"], atol=1e-12)
    m.fix("A.omega", 3.0)
    assert lw.dynamics(m, t_end=0.1, steps=1)["A.omega"][0] == pytest.approx(3.0)


def test_accelerations_may_be_watched_but_not_acted_upon():
    m = slider_crank(driven=False)
    d = lw.dynamics(m, t_end=1.0, steps=200, events={"quiet": lw.Watch("A.alpha", stop=True)})
    assert abs(d["A.alpha"][-1]) < 1e-6 * abs(d["A.alpha"]).max()
    assert d.t[-1] < 1.0
    rod = m["rod"]
    for quantity in (m["A"].alpha, lw.component(rod.at(0, 0), "ax"), lw.rate(rod.vx)):
        with pytest.raises(lw.ModelError, match="a law cannot depend on accelerations"):
            m.add(lw.Force("f", m["slider"].x, lambda x, v, t, a=quantity: -a))
        with pytest.raises(lw.ModelError, match="it is an acceleration"):
            m.fix(quantity, 1.0)
