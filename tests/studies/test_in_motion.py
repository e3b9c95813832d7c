"""Kinematics and inverse dynamics of many machines side by side: the numbers of single calls, and what goes by those."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.studies import together
from linkwright.studies.variations import vary
from studies.study_machines import slider_crank

REDUCTIONS = (lw.peak, lw.highest, lw.lowest, lw.span, lw.mean, lw.rms, lw.integral, lw.final)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(together, "LEAST", 5)
    monkeypatch.setattr("linkwright.studies.in_motion.LEAST", 5)


def driven(law=None):
    """A slider-crank at a speed that is a parameter, with loads."""
    m = slider_crank()
    speed = m.parameter("speed", 4.0)
    if law is not None:
        m.add(lw.Force("law", m["slider"].x, law))
    m.add(lw.Driver("motor", m["crank"].angle, lambda t: speed * t))
    return m


def four_bar(c=0.8):
    """Bodies without mass. The rocker's pin turns against the coupler: its angle counts turns."""
    m = lw.PlanarModel("four-bar")
    a, b = m.parameter("a", 0.3), m.parameter("b", 0.9)
    crank = m.body("crank", position=(0.15, 0))
    coupler, rocker = m.body("coupler", position=(0.7, 0.6), angle=0.6), m.body("rocker", position=(1, 0.4), angle=1.6)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-a / 2, 0)))
    m.add(lw.Revolute("B", crank.at(a / 2, 0), coupler.at(-0.45, -0.3)))
    m.add(lw.Revolute("C", coupler.at(b - 0.45, -0.3), rocker.at(c / 2, 0)))
    m.add(lw.Revolute("D", m.ground.at(1, 0), rocker.at(-c / 2, 0)))
    m.add(lw.Driver("motor", A.angle, "2*pi*t"))
    return m


def in_space():
    """A crank about x drives a slider along x by a rod with a ball and a universal joint."""
    m = lw.SpatialModel("in space")
    length, w = m.parameter("l", 0.3), m.parameter("w", 3.0)
    crank = m.body("crank", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0, 0.1, 0.12))
    rod = m.body("rod", mass=0.5, inertia=(0.004, 0.0004, 0.004), position=(0.1, 0.06, 0.06))
    slider = m.body("slider", mass=2.0, inertia=(0.001, 0.001, 0.001), position=(0.2, 0, 0))
    about_x = {"rotation": ((0, 1, 0), np.pi / 2)}
    A = m.add(lw.Revolute("A", m.ground.at(0, 0.1, 0.12, **about_x), crank.at(0, 0, 0, **about_x)))
    m.add(lw.Spherical("B", crank.at(0, 0, 0.08), rod.at(-length / 2, 0, 0)))
    m.add(
        lw.Universal(
            "C", rod.at(length / 2, 0, 0, rotation=((1, 0, 0), 0.0)), slider.at(0, 0, 0, rotation=((1, 0, 0), np.pi / 2))
        )
    )
    m.add(lw.Translational("D", m.ground.at(0, 0, 0, **about_x), slider.at(0, 0, 0, **about_x)))
    m.add(lw.Driver("motor", A.angle, lambda t: w * t))
    return m


CASES = {
    "kinematics": (four_bar, {"a": (0.28, 0.32), "b": (0.88, 0.92)}, ["coupler.x", "rocker.omega", "coupler.alpha"]),
    "inverse_dynamics": (driven, {"r": (0.15, 0.25), "speed": (3, 5), "k": (50, 150)}, ["A.fx", "rod.ax", "motor.torque"]),
}


def spread(ends, count, seed):
    return np.random.default_rng(seed).uniform(*ends, count)


@pytest.mark.parametrize("analysis", CASES)
def test_the_numbers_are_those_of_single_calls(analysis):
    make, varied, channels = CASES[analysis]
    m, times = make(), {"t_end": 1.0, "steps": 12}
    values = {name: spread(ends, 12, k) for k, (name, ends) in enumerate(varied.items())}
    keep = [*channels, *(reduction(channels[-1]) for reduction in REDUCTIONS)]
    s = lw.sweep(m, values, analysis, paired=True, keep=keep, **times)
    assert "side by side" in s.audit.method
    assert not s.failed
    assert not s.audit.notes
    for k in (0, 5, 11):
        one = m.copy()
        vary(one, {name: float(x[k]) for name, x in values.items()})
        d = getattr(lw, analysis)(one, **times)
        assert np.array_equal(s.t, d.t)
        for channel in channels:  # rounding of some solves
            assert s[channel][k] == pytest.approx(d[channel], rel=1e-11, abs=1e-11 * np.abs(d[channel]).max())
        for reduction in REDUCTIONS:
            wanted = reduction(channels[-1])(d.t, d[channels[-1]])
            assert s[reduction(channels[-1])][k] == pytest.approx(
                wanted, rel=1e-11, abs=1e-11 * np.abs(d[channels[-1]]).max()
            )


@pytest.mark.parametrize("analysis", ["kinematics", "inverse_dynamics"])
def test_in_space(analysis):
    m, lengths = in_space(), spread((0.28, 0.32), 8, 1)
    channels = ["slider.x", "rod.wy", "slider.ax"] + ["motor.torque", "B.fx"] * (analysis == "inverse_dynamics")
    s = lw.sweep(m, {"l": lengths}, analysis, keep=channels, t_end=1.0, steps=5)
    assert "side by side" in s.audit.method
    m.set(l=float(lengths[3]))
    d = getattr(lw, analysis)(m, t_end=1.0, steps=5)
    for channel in channels:
        assert s[channel][3] == pytest.approx(d[channel], rel=1e-10, abs=1e-10 * np.abs(d[channel]).max())


def test_a_design_that_locks_up_is_told_apart():
    """The crank turns full circle where a + 1 < b + c and so on (Grashof); with a long crank it cannot."""
    s = lw.sweep(four_bar(), {"a": [0.3, 0.31, 0.32, 0.75, 0.33]}, "kinematics", keep=["rocker.angle"], t_end=1.0, steps=50)
    assert "side by side" in s.audit.method
    assert [f.index for f in s.failed] == [(3,)]
    assert isinstance(s.failed[0].error, lw.SingularityError)
    assert np.isfinite(s["rocker.angle"][[0, 1, 2, 4]]).all()
    assert any("1 points by single calls" in note for note in s.audit.notes)


def test_values_that_make_no_sense_are_told_apart():
    m = driven()
    m.body("load", mass=m.parameter("mass", 1.0), inertia=1.0)
    m.add(lw.Fixed("weld", m["slider"].at(0, 0, angle=0), m["load"].at(0, 0, angle=0)))
    s = lw.sweep(m, {"mass": [1.0, 2.0, -1.0, 3.0, 4.0]}, "inverse_dynamics", keep=["motor.torque"], t_end=0.5, steps=3)
    assert "side by side" in s.audit.method
    assert [f.index for f in s.failed] == [(2,)]


def test_the_bits_do_not_depend_on_cores_and_blocks(monkeypatch):
    m, a = four_bar(), np.linspace(0.28, 0.32, 23)
    ask = {"keep": ["coupler.x", lw.peak("rocker.alpha")], "t_end": 1.0, "steps": 20}
    wanted = lw.sweep(m, {"a": a}, "kinematics", threads=1, **ask)
    monkeypatch.setattr(together, "LEAST_PART", 3)
    monkeypatch.setattr("linkwright.studies.in_motion.AT_ONCE", 2)
    found = lw.sweep(m, {"a": a}, "kinematics", threads=3, **ask)
    for kept in ask["keep"]:
        assert np.array_equal(found[kept], wanted[kept])


def rubbing():
    m = driven()
    m.add(lw.Friction("bearing", m["A"], mu=0.1, radius=0.01))
    return m


def doubled():
    """The slider is guided twice."""
    m = driven()
    m.add(lw.Translational("again", m.ground.at(0, 0, angle=0), m["slider"].at(0, 0, angle=0)))
    return m


@pytest.mark.filterwarnings("ignore:the law of law cannot be traced")
@pytest.mark.parametrize(("make", "options", "why"), [
    (driven, {"start": {"crank.angle": 0.0}}, "start= is given"),
    (doubled, {}, "dependent"),
    (rubbing, {}, "friction follows from the reactions"),
    (lambda: driven(lambda x, v, t: float(x) * 2.0), {}, "the law of law is in Python"),
    (lambda: driven(lambda x, v, t: lw.where(x > 0.6, -10.0 * x, 0.0)), {}, "the law of law switches"),
])  # fmt: skip
def test_what_goes_by_single_calls(make, options, why):
    m = make()
    s = lw.sweep(m, {"r": np.linspace(0.19, 0.21, 5)}, "inverse_dynamics", keep=["slider.x"], t_end=0.1, steps=2, **options)
    assert "one call" in s.audit.method
    assert why in s.audit.notes[0]
    assert not s.failed


def test_starts_that_vary_go_by_single_calls():
    s = lw.sweep(driven(), {"rod.x": np.linspace(0.44, 0.46, 5)}, "kinematics", keep=["slider.x"], t_end=0.1, steps=2)
    assert "estimates of the start vary" in s.audit.notes[0]
