"""Derivatives of runs by a sweep back from the end: the same as those of changes that are carried along."""

from math import cos, sin

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.variations import backward
from linkwright.studies.gradient import sloped
from linkwright.studies.points import Task
from studies.study_machines import oscillator, slider_crank


@pytest.fixture
def swept(monkeypatch):
    """How often numbers came of a sweep back."""
    found, slopes = [], backward.Sweep.slopes

    def counted(self):
        found.append(slopes(self))
        return found[-1]

    monkeypatch.setattr(backward.Sweep, "slopes", counted)
    return found


def both(m, keep, names, monkeypatch, **options):
    """Slopes backward and forward."""
    task = Task(m, "dynamics", tuple(keep), options)
    back = sloped(task, m.copy(), names).slopes
    with monkeypatch.context() as other:
        other.setattr(backward, "can", lambda path: False)
        return back, sloped(task, m.copy(), names).slopes


def alike(back, forward, tolerance=1e-8):
    sizes = np.abs(forward).max(axis=1, keepdims=True) + 1e-12
    return np.abs((back - forward) / sizes).max() < tolerance


KEEP = [lw.final("slider.x"), lw.rms("slider.vx"), lw.peak("A.fx")]
NAMES = ["r", "k", "crank.omega"]


@pytest.mark.parametrize("options", [{}, {"formulation": "joint"}, {"method": "rk4", "first_step": 1e-3},
                                     {"constraints": "partitioning"}], ids=str)  # fmt: skip
def test_whatever_was_integrated(options, swept, monkeypatch):
    back, forward = both(slider_crank(), KEEP, NAMES, monkeypatch, t_end=0.7, steps=7, rtol=1e-10, **options)
    assert len(swept) == 1
    assert alike(back, forward)


def test_in_space_of_accelerations_reactions_and_states(swept, monkeypatch):
    m = lw.SpatialModel("arm", gravity=(0, 0, -9.81))
    L, R = m.parameter("L", 0.5), m.parameter("R", 2.0)
    one = m.body("one", mass=1.0, inertia=(0.02, 0.03, 0.01), position=(0.5, 0, 0), omega=(0.1, 0, 0.5))
    two = m.body("two", mass=1.5, inertia=(0.02, 0.03, 0.01), position=(1.2, 0, 0.1))
    m.add(lw.Spherical("S", m.ground.at(0, 0, 0), one.at(-L, 0, 0)))
    across = ((1, 0, 0), (0, 0, -1), (0, 1, 0))
    pin = m.add(lw.Revolute("R1", one.at(L, 0, 0, rotation=across), two.at(-0.3, 0, 0, rotation=across)))
    i = m.state("i", lambda i, t: (5 - 0.5 * pin.omega - R * i) / 0.1, start=0.1)
    m.add(lw.Torque("drive", pin, lambda a, w, t: 0.3 * i))
    keep = [lw.final("two.e1"), lw.mean("R1.fx"), lw.final("two.alphay"), lw.final("i")]
    back, forward = both(m, keep, ["L", "R", "one.wz", "two.z"], monkeypatch, t_end=0.4, steps=4, rtol=1e-10)
    assert len(swept) == 1
    assert alike(back, forward)


def test_where_laws_have_kinks(swept, monkeypatch):
    """A soft floor, met and left: steps beside the events must not ask the law of the other side."""
    m = lw.SpatialModel("ball", gravity=(0, 0, -9.81))
    k, r = m.parameter("k", 2e3), m.parameter("r", 0.1)
    b = m.body("b", mass=1.0, inertia=(0.01, 0.02, 0.03), position=(0, 0, 0.3), velocity=(0.2, 0, 0), omega=(1, 2, 0))
    m.add(lw.Contact("floor", b.at(0, 0, 0.02), m.ground.at(0, 0, 0), radii=(r, 0), on="plane", k=k, c=5.0))
    names, options = ["k", "r", "b.z", "b.wx"], {"t_end": 0.6, "steps": 6, "rtol": 1e-10}
    assert lw.dynamics(m, **options).audit.switches >= 2
    back, forward = both(m, [lw.final("b.z"), lw.rms("b.vx"), lw.final("b.wy")], names, monkeypatch, **options)
    assert len(swept) == 1
    assert alike(back, forward)


def bouncing_on(k, c):
    """A spring of stiffness k that becomes c behind zero; half a swing on either side has a closed form."""
    m = lw.PlanarModel("two springs", gravity=(0, 0))
    soft, hard = m.parameter("soft", k), m.parameter("hard", c)
    b = m.body("b", mass=1.0, inertia=1.0, position=(0.0, 0.0), velocity=(1.0, 0.0))
    m.add(lw.Force("springs", b.x, lambda x, v, t: -lw.where(x < 0, hard, soft) * x))
    return m


def test_stretches_of_another_pace(swept):
    """What was good for the long steps of one spring is looked at again for the short ones of the other: x = v sin(w s) / w,
    s = t - n (pi / w + pi / W) in the n-th swing on the soft side."""
    k, c, n = 4.0, 4e4, 3
    w, t = k**0.5, (n + 0.25) * np.pi * (k**-0.5 + c**-0.5)
    s = t - n * np.pi * (k**-0.5 + c**-0.5)
    _, slope = lw.gradient(bouncing_on(k, c), lw.final("b.x"), ["soft", "hard", "b.vx"], t_end=t, steps=1)
    assert len(swept) == 1
    ds = 0.5 * n * np.pi * np.array([k**-1.5, c**-1.5])  # by the stiffnesses
    by_soft = cos(w * s) * ds[0] + (s * cos(w * s) / w - sin(w * s) / k) * 0.5 / w
    wanted = {"soft": by_soft, "hard": cos(w * s) * ds[1], "b.vx": sin(w * s) / w}
    assert slope == pytest.approx(wanted, rel=1e-8 ** (2 / 3))  # 2/3 of the digits of rtol, 1e-8 by default


def rubbing():
    """The pins' reactions turn through zero, and the slider turns back: corners that the run does not stop at."""
    m = slider_crank()
    for name, radius in (("A", 0.05), ("guide", None)):
        mu = m.parameter(f"mu_{name}", 0.1)
        m.add(lw.Friction(f"in {name}", m.elements[name], mu=mu, radius=radius, stick=False))
    return m


def test_with_friction_in_joints(swept, monkeypatch):
    """Its forces follow from reactions, and these from it: the equations are not symmetric."""
    names = ["r", "crank.omega", "mu_A", "mu_guide"]
    keep = [lw.final("slider.x"), lw.peak("A.fx"), lw.final("in guide.force"), lw.rms("crank.alpha")]
    back, forward = both(rubbing(), keep, names, monkeypatch, t_end=0.7, steps=7, rtol=1e-12)
    assert len(swept) == 1
    assert alike(back, forward, 1e-7)  # tolerances of the sweep are those of the run to the power of 2/3


def test_steps_are_divided_where_a_corner_is(monkeypatch):
    """And not as a whole: a corner takes some parts ever shorter, not a thousand alike."""
    taken, over = [], backward.Sweep._over

    def told(self, elements, after):
        found = over(self, elements, after)
        taken.append(self.motion.real[backward.native.PARTS] / len(elements))
        return found

    monkeypatch.setattr(backward.Sweep, "_over", told)
    lw.gradient(rubbing(), lw.final("slider.x"), ["r"], t_end=0.7, steps=7)
    assert len(taken) == 1
    assert taken[0] < 5


# -- what the run itself does not see ----------------------------------------------------------------------------------
def test_a_machine_at_rest_that_could_oscillate(swept):
    """A mass at rest on a spring: the run takes it in a few steps, a change of its start swings 16 times."""
    m = lw.PlanarModel("at rest", gravity=(0, 0))
    b = m.body("b", mass=1.0, inertia=1.0)
    m.add(lw.Force("spring", b.x, lambda x, v, t: -1e4 * x))
    _, slope = lw.gradient(m, lw.final("b.x"), ["b.x", "b.vx"], t_end=1.0, steps=1)
    assert len(swept) == 1
    assert slope == pytest.approx({"b.x": cos(100), "b.vx": sin(100) / 100}, rel=1e-6)


def test_a_machine_at_rest_that_gets_stiffer(swept):
    """Its run sees nothing of it, and takes long steps. The equation is linear: x by x0 is the x that begins at 1."""

    def ends(x0):
        m = lw.PlanarModel("stiffer", gravity=(0, 0))
        b = m.body("b", mass=1.0, inertia=1.0, position=(x0, 0))
        m.add(lw.Force("spring", b.x, lambda x, v, t: -(1.0 + 1800.0 * (1.0 + lw.tanh(20 * (t - 1.0)))) * x))
        return lw.gradient(m, lw.final("b.x"), ["b.x"], t_end=2.0, steps=1, rtol=1e-10)

    value, wanted = ends(1.0)
    assert wanted["b.x"] == pytest.approx(value, rel=1e-7)
    assert ends(0.0)[1]["b.x"] == pytest.approx(value, rel=1e-7)
    assert len(swept) == 2


def test_a_load_of_zero_that_changes_fast():
    """p sin(w t) on a free body, p = 0: x = p (t - sin(w t) / w) / (m w)."""
    m = lw.PlanarModel("free", gravity=(0, 0))
    b, p = m.body("b", mass=2.0, inertia=1.0), m.parameter("p", 0.0)
    m.add(lw.Force("shake", b.x, lambda x, v, t: p * lw.sin(200 * t)))
    _, slope = lw.gradient(m, lw.final("b.x"), ["p"], t_end=3.0, steps=1)
    assert slope["p"] == pytest.approx((3 - sin(600) / 200) / 400, rel=1e-5)


# -- what it costs -----------------------------------------------------------------------------------------------------
def test_many_parameters_take_the_evaluations_of_one(monkeypatch):
    m = oscillator()
    for k in range(28):
        p = m.parameter(f"p{k}", 1e-3)
        m.add(lw.Force(f"push{k}", m["b"].x, lambda x, v, t, p=p, k=k: p * lw.cos(k * t)))
    sweeps, sweep = [], backward.native.sweep

    def counted(motion, steps, *more):
        sweeps.append(steps)
        sweep(motion, steps, *more)

    monkeypatch.setattr(backward.native, "sweep", counted)
    every = lw.gradient(m, lw.final("b.x"), list(m.parameters), t_end=1.0, steps=10)[1]
    one = lw.gradient(m, lw.final("b.x"), ["p7"], t_end=1.0, steps=10)[1]
    assert len(sweeps) == 2
    assert sweeps[0] == sweeps[1]
    assert one["p7"] == pytest.approx(every["p7"], rel=1e-7)


def test_many_numbers_of_few_names_go_forward(swept):
    m = slider_crank()
    lw.gradient(m, lw.final("slider.x"), ["r"], t_end=0.2, steps=4)
    assert len(swept) == 1
    sloped(Task(m, "dynamics", ("slider.x",), {"t_end": 0.2, "steps": 4}), m, ["r", "k"])
    assert len(swept) == 1
