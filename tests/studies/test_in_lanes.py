"""Studies in lanes: the numbers of single calls to 1e-9, the same bits on any number of cores, fallbacks that are told."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from gpu_on_processor import use_processor
from linkwright.compile import gpu
from linkwright.solve import many
from linkwright.studies import back_ends, in_lanes, together
from linkwright.studies.fingerprint import fingerprint
from linkwright.studies.journal import Journal, journal_of
from linkwright.studies.points import Task
from linkwright.studies.variations import vary
from studies.study_machines import oscillator, slider_crank, triangle

SPAN = {"t_end": 0.5, "steps": 20}
REDUCTIONS = (lw.peak, lw.highest, lw.lowest, lw.span, lw.mean, lw.rms, lw.integral, lw.final)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Lanes for few points, too."""
    monkeypatch.setattr(in_lanes, "LEAST", 8)
    monkeypatch.setattr(in_lanes, "PER_POINT", 1000)


def even(low, high, count=12, seed=1):
    return np.random.default_rng([seed, count]).uniform(low, high, count)


def rod_in_space():
    """A crank, a rod with a ball at either end but for its spin, a slider: joints of several kinds."""
    m = lw.SpatialModel("spatial crank", gravity=(0, 0, -9.81))
    length = m.parameter("l", 0.3)
    crank = m.body("crank", mass=0.12, inertia=np.diag([1e-3] * 3), position=(0, 0.1, 0.12), omega=(8.0, 0, 0))
    rod = m.body(
        "rod", mass=0.5, inertia=np.diag([4e-3] * 3), position=(0.1, 0.05, 0.1), orientation=((-0.46, 0.87, -0.22), 0.956)
    )
    slider = m.body("slider", mass=2.0, inertia=np.diag([1e-3] * 3), position=(0.2, 0, 0))
    axis = m.ground.frame((0, 0.1, 0.12), (1, 0.1, 0.12), (0, 0.1, 1.12))
    m.add(lw.Revolute("A", axis, crank.frame((0, 0, 0), (1, 0, 0), (0, 0, 1))))
    m.add(lw.Spherical("B", crank.at(0, 0.08, 0), rod.at(-length / 2, 0, 0)))
    across = rod.frame((0.15, 0, 0), (0.15, 1, 0), (1.15, 0, 0))
    m.add(lw.RevoluteCylindrical("C", across, slider.frame((0.2, 0, 0), (1.2, 0, 0), (0.2, 1, 0))))
    rail = m.ground.frame((0.2, 0, 0), (1.2, 0, 0), (0.2, 1, 0))
    m.add(lw.Translational("D", slider.frame((0, 0, 0), (1, 0, 0), (0, 1, 0)), rail))
    m.add(lw.Distance("E", rod.at(0.15, 0, 0), slider.at(1, 0, 0), 1.0))
    return m


def fixed_crank():
    """Its angle and its speed are exact at the start, one of them a parameter."""
    m = slider_crank()
    m.fix(m["crank"].angle, m.parameter("angle", 0.5))
    m.fix(m["crank"].omega, 3.0)
    return m


def driven():
    """At a speed that is a parameter: what the driver does is followed, with a tolerance of its own."""
    m = slider_crank()
    speed = m.parameter("speed", 4.0)
    m.add(lw.Driver("motor", m["crank"].angle, lambda t: speed * t))
    return m


def two_bars():
    """A double pendulum that hangs: the speed of one bar is given, the other stands still as far as it may."""
    m = lw.PlanarModel("two bars", gravity=(0, -9.81))
    length = m.parameter("l", 1.0)
    low = m.body("low", mass=1.0, inertia=0.1, position=(0, -0.5), angle=-1.5, omega=1.5)
    high = m.body("high", mass=1.0, inertia=0.1, position=(0, -1.5), angle=-1.5)
    m.add(lw.Revolute("A", m.ground.at(0, 0), low.at(-length / 2, 0)))
    m.add(lw.Revolute("B", low.at(length / 2, 0), high.at(-length / 2, 0)))
    return m


CASES = {
    "bodies": (
        slider_crank, {"r": (0.15, 0.25), "k": (50, 150), "crank.omega": (2, 4)}, ["slider.x", "A.fx", "rod.alpha"], {}
    ),
    "fixed": (fixed_crank, {"angle": (0.3, 0.7), "crank.omega": (2, 4), "r": (0.15, 0.2)}, ["slider.x", "C.fx"], {}),
    "driven": (driven, {"speed": (3, 5), "r": (0.15, 0.2)}, ["slider.x", "motor.torque"], {}),
    "some given": (
        two_bars, {"l": (0.9, 1.1), "low.omega": (1, 2)}, ["low.x", "high.angle", "A.fx"], {"formulation": "joint"}
    ),
    "joints": (
        slider_crank, {"r": (0.15, 0.25), "k": (50, 150), "crank.omega": (2, 4)}, ["crank.angle", "guide.fy"],
        {"formulation": "joint", "rtol": 1e-4},
    ),
    "space": (
        rod_in_space, {"l": (0.29, 0.31), "crank.wx": (6, 9)}, ["slider.x", "A.angle", "B.fx", "rod.wy"],
        {"formulation": "joint", "rtol": 1e-6},
    ),
    "fixed steps": (oscillator, {"k": (50, 150), "c": (0, 2)}, ["b.x"], {"method": "rk4", "first_step": 0.01}),
    "not corrected": (
        slider_crank, {"r": (0.15, 0.25)}, ["slider.x", "rod.angle"], {"constraints": "stabilization", "method": "dopri5"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_numbers_are_those_of_single_calls(case):
    make, spread, channels, options = CASES[case]
    m, count = make(), 12
    values = {name: even(*ends, seed=k) for k, (name, ends) in enumerate(spread.items())}
    keep = [*channels, *(reduction(channels[-1]) for reduction in REDUCTIONS)]
    s = lw.sweep(m, values, paired=True, keep=keep, **SPAN, **options)
    assert "lanes" in s.audit.method
    assert not s.failed
    assert not s.audit.notes
    for k in range(0, count, 5):
        one = m.copy()
        vary(one, {name: float(x[k]) for name, x in values.items()})
        d = lw.dynamics(one, **SPAN, **options)
        assert np.array_equal(s.t, d.t)
        for channel in channels:
            assert s[channel][k] == pytest.approx(d[channel], rel=1e-9, abs=1e-9 * np.abs(d[channel]).max())
        for reduction in REDUCTIONS:
            wanted = reduction(channels[-1])(d.t, d[channels[-1]])
            assert s[reduction(channels[-1])][k] == pytest.approx(wanted, rel=1e-9, abs=1e-9 * np.abs(d[channels[-1]]).max())


def test_an_oscillator_by_its_formula():
    """x = x0 exp(-d t) (cos w t + d/w sin w t), d = c/2m, w^2 = k/m - d^2; the default tolerance is 1e-8. All
    in lanes, how far the start of a point may be from the machine's own."""
    k, c, x0 = even(50, 150, 40), even(0, 2, 40, 2), even(-0.5, 0.5, 40, 3)
    s = lw.sweep(oscillator(), {"k": k, "c": c, "b.x": x0}, paired=True, keep=[lw.final("b.x")], t_end=1.0, steps=1)
    assert "lanes" in s.audit.method
    assert not s.audit.notes
    d = c / 2
    w = np.sqrt(k - d**2)
    wanted = x0 * np.exp(-d) * (np.cos(w) + d / w * np.sin(w))
    assert s["final(b.x)"] == pytest.approx(wanted, abs=1e-8)


def test_a_crank_starts_anywhere_on_its_circle():
    """The rod and the slider follow by assembly: as single calls start them. Steps of 1e-13 end both."""
    m, values = slider_crank(), {"crank.angle": np.linspace(-3, 3, 25)}
    s = lw.sweep(m, values, keep=["slider.x"], t_end=0.1, steps=1)
    assert "lanes" in s.audit.method
    assert not s.audit.notes
    for k in range(0, 25, 6):
        one = m.copy()
        vary(one, {"crank.angle": values["crank.angle"][k]})
        assert s["slider.x"][k, 0] == pytest.approx(lw.dynamics(one, 0.1, steps=1)["slider.x"][0], abs=1e-12)


def test_the_bits_do_not_depend_on_cores_and_blocks(monkeypatch):
    m, values = slider_crank(), {"r": even(0.15, 0.25, 30), "k": even(50, 150, 30)}
    call = {"paired": True, "keep": ["slider.x", lw.rms("A.fx")], **SPAN}
    one = lw.sweep(m, values, threads=1, **call)
    monkeypatch.setattr(many, "BLOCK", 4)
    monkeypatch.setattr(together, "CHUNK", 7)
    several = lw.sweep(m, values, threads=2, **call)
    for name in one:
        assert np.array_equal(one[name], several[name])
    half = lw.sweep(m, {name: x[15:] for name, x in values.items()}, threads=1, **call)
    assert np.array_equal(half["slider.x"], one["slider.x"][15:])


def test_a_point_that_does_not_close_is_told_apart():
    m, a = triangle(), np.append(even(0.7, 1.1, 20), 3.0)
    s = lw.sweep(m, {"a": a}, keep=[lw.final("first.x")], **SPAN)
    assert "lanes" in s.audit.method
    assert [f.index for f in s.failed] == [(20,)]
    assert isinstance(s.failed[0].error, lw.AssemblyError)
    assert np.isnan(s["final(first.x)"]).tolist() == [False] * 20 + [True]
    assert "1 points by single calls" in " ".join(s.audit.notes)


def test_values_that_make_no_sense_are_told_apart():
    m = slider_crank()
    mass = m.parameter("mass", 1.0)
    m.body("weight", mass=mass, inertia=1.0)
    s = lw.sweep(m, {"mass": np.append(even(1, 2, 10), -1.0)}, keep=[lw.final("slider.x")], **SPAN)
    assert [f.index for f in s.failed] == [(10,)]
    assert "some of the values make no sense, each start is decided by itself" in " ".join(s.audit.notes)


def bouncing():
    m = lw.PlanarModel("ball", gravity=(0, -10))
    e = m.parameter("e", 0.8)
    ball = m.body("ball", mass=1.0, inertia=1.0, position=(0, 1.25))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), restitution=e))
    return m


def stopped():
    m = oscillator()
    m.parameter("e", 1.0)
    m.add(lw.Stop("stop", m["b"].x, upper=0.15, k=1e4))
    return m


def in_python():
    m = oscillator()
    m.parameter("e", 1.0)
    m.add(lw.Force("law", m["b"].x, lambda x, v, t: -float(x)))
    return m


def held_twice():
    m = oscillator()
    m.parameter("e", 1.0)
    m.add(lw.Translational("again", m.ground.at(0, 0, angle=0), m["b"].at(0, 0, angle=0)))
    return m


def with_a_state():
    m = oscillator()
    e = m.parameter("e", 1.0)
    m.state("z", rate=lambda z: -e * z, start=1.0)
    return m


@pytest.mark.parametrize(
    ("make", "options", "why"),
    [
        (bouncing, {}, "floor has impacts"), (stopped, {}, "the law of stop switches"),
        pytest.param(in_python, {}, "law of law is in Python", marks=pytest.mark.filterwarnings("ignore:the law of law")),
        (held_twice, {}, "constraints are dependent"), (with_a_state, {}, "where states begin is found for each run"),
        (stopped, {"method": "radau"}, "radau is no explicit"),
        (with_a_state, {"constraints": "partitioning"}, "while a run goes on"),
        (with_a_state, {"events": {"top": "b.vx" }}, "events= is given"),
    ],
)  # fmt: skip
def test_what_lanes_cannot_do_goes_by_single_calls(make, options, why):
    m = make()
    values = {"e": even(0.7, 0.9, 8)}
    channel = "ball.y" if make is bouncing else "b.x"
    s = lw.sweep(m, values, keep=[channel], threads=1, t_end=0.2, steps=4, **options)
    assert s.audit.method == "one call for each point"
    assert why in " ".join(s.audit.notes)
    m.set(e=float(values["e"][3]))
    assert np.array_equal(s[channel][3], lw.dynamics(m, t_end=0.2, steps=4, **options)[channel])


def test_an_angle_that_results_unwrap_goes_by_single_calls():
    """Its turns are counted over the output times, which a lane does not see together."""
    m = lw.SpatialModel("wheel", gravity=(0, 0, 0))
    mass = m.parameter("mass", 1.0)
    wheel = m.body("wheel", mass=mass, inertia=np.eye(3), omega=(0, 0, 20.0))
    turned = lw.angle(m.ground.vector(1, 0, 0), wheel.vector(1, 0, 0), m.ground.vector(0, 0, 1))
    s = lw.sweep(m, {"mass": even(1, 2, 8)}, keep=[turned], t_end=1.0, steps=50, rtol=1e-10)
    assert "turns are counted over the output" in " ".join(s.audit.notes)
    assert s[turned][:, -1] == pytest.approx(np.full(8, 20.0), rel=1e-9)


def test_few_points_are_single_calls_bit_for_bit(monkeypatch):
    monkeypatch.setattr(in_lanes, "LEAST", 200)
    m = oscillator()
    s = lw.sweep(m, {"k": even(50, 100, 5)}, keep=["b.x"], **SPAN)
    assert s.audit.method == "one call for each point"
    assert not s.audit.notes


def test_a_stiff_point_is_left_to_the_method_for_it():
    """A damper of 1e6/s makes 'auto' change to radau: a lane leaves, and the point has the single call's number."""
    m, c = oscillator(), np.append(even(0, 2, 10), 1e6)
    s = lw.sweep(m, {"c": c}, keep=[lw.final("b.x")], threads=1, t_end=5.0, steps=10)
    assert "lanes" in s.audit.method
    assert "it may be stiff" in " ".join(s.audit.notes)
    m.set(c=1e6)
    d = lw.dynamics(m, t_end=5.0, steps=10)
    assert "radau" in d.audit.why
    assert s["final(b.x)"][-1] == d["b.x"][-1]


def test_what_is_zero_but_for_rounding_is_the_same():
    """The slider's height, 1e-17 m in lanes and single calls, each its own: of a machine of half a metre it is nothing."""
    m = slider_crank()
    keep = ["slider.y", lw.mean("slider.vy"), lw.integral("guide.torque"), lw.span(m["slider"].y)]
    s = lw.sweep(m, {"r": even(0.15, 0.25)}, keep=keep, rtol=1e-6, **SPAN)
    assert "lanes" in s.audit.method
    assert not s.audit.notes
    assert 0 < np.abs(s["slider.y"]).max() < 1e-15


def test_speeds_that_were_given_and_do_not_fit():
    """Of crank and rod, for one length: with another the joints allow what is nearest to both. Steps of 1e-13 end both."""
    m = slider_crank()
    m.bodies["rod"].estimate = replace(m.bodies["rod"].estimate, omega=-20.0)
    r = even(0.15, 0.25)
    s = lw.sweep(m, {"r": r}, keep=["crank.omega"], **SPAN)
    assert "lanes" in s.audit.method
    assert not s.audit.notes
    m.set(r=float(r[3]))
    d = lw.dynamics(m, **SPAN)
    assert "velocities changed" in " ".join(d.audit.notes)
    assert s["crank.omega"][3] == pytest.approx(d["crank.omega"], rel=1e-10)


def test_lanes_that_disagree_are_not_used(monkeypatch):
    whole = in_lanes.Plan.values
    monkeypatch.setattr(in_lanes.Plan, "values", lambda self, ran: tuple(1.001 * x for x in whole(self, ran)))
    m = oscillator()
    s = lw.sweep(m, {"k": even(50, 100, 10)}, keep=[lw.final("b.x")], threads=1, **SPAN)
    assert "lanes and single calls gave other numbers of final(b.x)" in " ".join(s.audit.notes)
    m.set(k=float(even(50, 100, 10)[2]))
    assert s["final(b.x)"][2] == lw.dynamics(m, **SPAN)["b.x"][-1]


def test_blocks_survive_in_a_journal(tmp_path, monkeypatch):
    """What one process has left another reads, and computes the rest."""
    monkeypatch.setattr(together, "CHUNK", 4)
    m, k, out = oscillator(), even(50, 100, 40), tmp_path / "study.nc"
    keep = ["b.x", lw.final("b.x")]

    def stop(done, part):
        if done >= 16:
            raise KeyboardInterrupt

    with pytest.raises(lw.Interrupted) as caught:
        lw.sweep(m, {"k": k}, keep=keep, out=out, progress=stop, threads=1, **SPAN)
    assert np.isfinite(caught.value.partial["final(b.x)"]).sum() == 16
    task = Task(m, "dynamics", tuple(keep), SPAN)
    journal = Journal(out, fingerprint(task, {"k": k}, False))
    assert sum(len(block.indices) for block in journal.done) == 16
    journal.__exit__(KeyboardInterrupt)  # one that is left by an error stays
    told = []
    s = lw.sweep(m, {"k": k}, keep=keep, out=out, progress=lambda done, part: told.append(done), threads=1, **SPAN)
    assert told[0] == 24
    assert told[-1] == 40
    assert not journal_of(out).exists()
    whole = lw.sweep(m, {"k": k}, keep=keep, threads=1, **SPAN)
    assert np.array_equal(s["b.x"], whole["b.x"])
    assert np.array_equal(lw.load_result(out)["final(b.x)"], whole["final(b.x)"])


def test_the_few_points_that_a_kill_has_left_go_in_lanes_like_the_others(tmp_path, monkeypatch):
    """Fewer than are worth compiling for: the file has the same bits as that of a study that nobody has killed."""
    monkeypatch.setattr(together, "CHUNK", 16)
    m, k, out = oscillator(), even(50, 100, 35), tmp_path / "study.nc"

    def stop(done, part):
        if done >= 32:
            raise KeyboardInterrupt

    with pytest.raises(lw.Interrupted):
        lw.sweep(m, {"k": k}, keep=["b.x"], out=out, progress=stop, threads=1, **SPAN)
    s = lw.sweep(m, {"k": k}, keep=["b.x"], out=out, threads=1, **SPAN)
    whole = lw.sweep(m, {"k": k}, keep=["b.x"], threads=1, **SPAN)
    assert s.audit.method == whole.audit.method
    assert "lanes" in whole.audit.method
    assert np.array_equal(s["b.x"], whole["b.x"])


def test_monte_carlo_goes_in_lanes():
    c = lw.monte_carlo(
        oscillator(), {"k": lw.Uniform(80, 120), "b.x": lw.Normal(0.1, 1e-3)}, samples=500, seed=2, keep=[lw.peak("b.x")],
        t_end=0.2, steps=10,
    )  # fmt: skip
    assert "lanes" in c.audit.method
    assert c["peak(b.x)"] == pytest.approx(c["b.x"], rel=1e-9)  # it begins at its largest


def test_a_place_that_is_none_is_refused():
    with pytest.raises(lw.ModelError, match="does not run on 'the moon'"):
        lw.sweep(oscillator(), {"k": [1.0]}, keep=["b.x"], on="the moon", **SPAN)


def test_a_study_on_a_gpu(monkeypatch):
    """The kernels, run on the processor: the numbers of single calls, however few points."""
    use_processor(monkeypatch)
    monkeypatch.setattr(back_ends, "gpu", lambda: None)
    m, values = slider_crank(), {"r": even(0.15, 0.25, 5), "k": even(50, 150, 5)}
    call = {"paired": True, "keep": ["slider.x", lw.mean("A.fx")], "rtol": 1e-4, **SPAN}
    s, wanted = lw.sweep(m, values, on="gpu", **call), lw.sweep(m, values, **call)
    assert s.audit.method == "dop853 on a GPU"
    for name in wanted:
        assert s[name] == pytest.approx(wanted[name], rel=1e-9, abs=1e-9 * np.abs(wanted[name]).max())
    with pytest.raises(lw.ModelError, match="cannot run on a GPU: floor has impacts"):
        lw.sweep(bouncing(), {"e": even(0.7, 0.9, 5)}, keep=["ball.y"], on="gpu", t_end=0.1, steps=2)
    with pytest.raises(lw.ModelError, match="only simulations"):
        lw.sweep(m, {"r": [0.2]}, "assemble", keep=["slider.x"], on="gpu")


def test_without_a_gpu_a_study_there_is_refused(monkeypatch):
    monkeypatch.setattr(back_ends, "gpu", lambda: gpu.Gpu("no-such-library.so"))
    with pytest.raises(lw.LinkwrightError, match="there is no NVIDIA driver"):
        lw.sweep(oscillator(), {"k": [1.0]}, keep=["b.x"], on="gpu", **SPAN)


def test_joints_that_drift_apart_are_judged_by_the_single_call():
    """Without correction at a loose tolerance; the pendulum's rod becomes longer."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    mass = m.parameter("mass", 1.0)
    arm = m.body("arm", mass=mass, inertia=0.01, position=(0.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    options = {"constraints": "direct", "rtol": 1e-2, "atol": 1e-2, "method": "dopri5", "t_end": 20.0, "steps": 4}
    with pytest.raises(lw.IntegrationError, match="come apart"):
        lw.dynamics(m, **options)
    s = lw.sweep(m, {"mass": even(1, 2, 8)}, keep=[lw.final("arm.x")], threads=1, **options)
    assert len(s.failed) == 8
    assert all("come apart" in str(f.error) for f in s.failed)


def test_starts_that_differ_are_not_used(monkeypatch):
    whole = in_lanes.Starts.__call__

    def moved(self, rows, threads=1):
        runs, ok = whole(self, rows, threads)
        runs.y[:, 0] += 1e-3
        return runs, ok

    monkeypatch.setattr(in_lanes.Starts, "__call__", moved)
    s = lw.sweep(oscillator(), {"k": even(50, 100, 10)}, keep=[lw.final("b.x")], threads=1, **SPAN)
    assert "starts in batches and single ones differ" in " ".join(s.audit.notes)


def test_runs_whose_joints_come_apart_are_judged_alone(monkeypatch):
    """Lanes tell energy and constraints of every run, whatever treats these; one that is off goes by a single call. Momenta
    of a machine that floats are looked at there alone, which is said."""
    from linkwright.analyses.dynamics.lanes import plan

    m = lw.PlanarModel("floats")
    k = m.parameter("k", 5.0)
    a, b = m.body("a", 1.0, 0.1, omega=1.0), m.body("b", 1.0, 0.1, position=(1, 0))
    m.add(lw.Revolute("pin", a.at(0.5, 0), b.at(-0.5, 0)))
    m.add(lw.Spring("spring", a.at(0, 0.5), b.at(0, 0.5), k=k, length=0.9))
    known = plan.Plan.together

    def apart(self, ran, runs):
        if len(ran.y) > 3:  # but for the few that are tried first
            ran.y[3, 0] += 0.01  # of one run: a body is elsewhere
        return known(self, ran, runs)

    monkeypatch.setattr(plan.Plan, "together", apart)
    s = lw.sweep(m, {"k": np.linspace(4, 6, 300)}, t_end=0.3, keep=[lw.final("a.x")])
    notes = " ".join(s.audit.notes)
    assert "points by single calls" in notes
    assert "momenta of those by single calls alone" in notes


MANY = """
import resource
import linkwright as lw
from studies.study_machines import oscillator
m = oscillator()
spread = {"k": lw.Uniform(50.0, 150.0), "c": lw.Uniform(0.1, 1.0)}
def most(samples):
    c = lw.monte_carlo(m, spread, samples=samples, seed=1, keep=[lw.final("b.x"), lw.rms("b.vx")], t_end=0.2, steps=200)
    assert "lanes" in c.audit.method and not c.failed
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(most(2000), most(30_000))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes here, and elsewhere not")
def test_memory_is_that_of_what_is_kept():
    """Two numbers a sample are kept of 201 output times. Histories, 2 x 201 x 8 bytes a sample, would be 92 MB."""
    told = subprocess.run(
        [sys.executable, "-c", MANY], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])},
    ).stdout  # fmt: skip
    few, many = map(int, told.split())
    # a block at a time: its starts, states and registers, some 100 numbers each for 8,192 runs a thread; then the samples
    assert (many - few) / 1024 < 40, told
