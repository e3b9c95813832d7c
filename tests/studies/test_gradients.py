"""Exact derivatives of runs: against closed forms, and against differences of runs on many kinds of machines."""

from math import cos, exp, sin, sqrt

import numpy as np
import pytest

import linkwright as lw
from fuzz import render
from fuzz.grow import grow
from linkwright.analyses.variations.simulation import Path
from linkwright.examples import EXAMPLES
from linkwright.results.reductions import KINDS, Reduction
from studies.differences import agree, differences, exact, richardson
from studies.study_machines import oscillator, slider_crank, triangle


# -- closed forms ------------------------------------------------------------------------------------------------------
def test_a_damped_oscillator_by_all_it_is_made_of():
    m, t = oscillator(), 1.3
    value, slope = lw.gradient(m, lw.final("b.x"), ["k", "c", "b.x", "b.vx"], t_end=t, rtol=1e-11)

    def x(k, c, x0, v0):
        a, w = c / 2, sqrt(k - c * c / 4)
        return exp(-a * t) * (x0 * cos(w * t) + (v0 + a * x0) / w * sin(w * t))

    at = [100.0, 0.5, 0.1, 0.0]
    assert value == pytest.approx(x(*at), abs=1e-10)
    for j, name in enumerate(("k", "c", "b.x", "b.vx")):
        expected = richardson(lambda y, j=j: x(*at[:j], y, *at[j + 1 :]), at[j], 1e-3 * max(at[j], 1.0))
        assert slope[name] == pytest.approx(expected, rel=1e-8, abs=1e-11)


def test_by_a_start_where_others_are_fixed():
    """Two that fly: x = x0 + v t, whether it is an estimate or exact."""
    m, t = lw.PlanarModel("two", gravity=(0, -10)), 0.7
    a, b = (m.body(name, mass=1.0, inertia=1.0, position=(0.1, 0.2), velocity=(1.0, 2.0)) for name in "ab")
    for quantity in (a.x, a.angle, a.vx):
        m.fix(quantity, 0.5)
    for own, other in ((a, b), (b, a)):
        names = [f"{own.name}.x", f"{own.name}.vx", f"{other.name}.x"]
        value, slope = lw.gradient(m, lw.final(names[0]), names, t_end=t)
        assert value == pytest.approx(0.85 if own is a else 0.8, rel=1e-9)
        assert slope == pytest.approx(dict(zip(names, (1.0, t, 0.0), strict=True)), abs=1e-9)


def test_by_speeds_of_which_nothing_was_said():
    """A rod that turns about its end, a hair below level: v_x = -y omega, v_y = x omega, whichever of them is asked for, and
    whatever others are."""
    m, y = lw.PlanarModel("rod", gravity=(0, 0)), -1e-3
    x = sqrt(1 - y * y)
    b = m.body("b", mass=1.0, inertia=0.1, position=(x, y), angle=float(np.arctan2(y, x)))
    m.add(lw.Revolute("A", m.ground.at(0, 0), b.at(-1, 0)))
    wanted = {"b.vx": -1 / y, "b.vy": 1 / x, "b.omega": 1.0}
    _, slope = lw.gradient(m, lw.final("b.omega"), list(wanted), t_end=1e-3, steps=1)
    assert slope == pytest.approx(wanted, rel=1e-8)


def ball(e=0.8, **more):
    m = lw.PlanarModel("ball", gravity=(0, -10))
    body = m.body("ball", mass=1.0, inertia=1.0, position=(0, 1.25), velocity=(0.5, 0))
    m.add(lw.Contact("floor", body.at(0, 0), m.ground.at(0, 0, angle=0), restitution=m.parameter("e", e), **more))
    return m


def test_through_an_impact():
    """y = e v s - g s^2/2, with v = sqrt(2 g h), s = t - v/g: dy/de = v s, dy/dh by s and v."""
    m, t, v = ball(), 1.0, 5.0
    s = t - v / 10
    _, slope = lw.gradient(m, lw.final("ball.y"), ["e", "ball.y", "ball.vx"], t_end=t, rtol=1e-10)
    dv = 10 / v  # dv/dh
    expected = {"e": v * s, "ball.y": 0.8 * dv * s + (0.8 * v - 10 * s) * (-dv / 10), "ball.vx": 0.0}
    assert slope == pytest.approx(expected, rel=1e-9, abs=1e-9)
    _, speed = lw.gradient(m, lw.final("ball.vy"), ["e"], t_end=t, rtol=1e-10)
    assert speed["e"] == pytest.approx(v, rel=1e-9)


def test_where_a_law_changes_its_form():
    """A constant force F beyond x = a: v^2 = v0^2 + 2 F (x - a) after t1 = a/v0; x = a + v0 s + F s^2/2, s = t - a/v0."""
    m = lw.PlanarModel("step", gravity=(0, 0))
    a, F = m.parameter("a", 0.6), m.parameter("F", 4.0)
    b = m.body("b", mass=1.0, inertia=1.0, velocity=(2.0, 0.0))
    m.add(lw.Force("wind", b.x, lambda x, v, t: lw.where(x > a, F, 0.0)))
    _, slope = lw.gradient(m, lw.final("b.x"), ["a", "F", "b.vx"], t_end=1.0, rtol=1e-10)
    s = 1.0 - 0.3
    assert slope == pytest.approx({"a": -4.0 * s / 2.0, "F": s * s / 2, "b.vx": 0.3 + s + 4.0 * s * 0.6 / 4.0}, rel=1e-9)


@pytest.mark.parametrize("method", ["dop853", "radau"])
@pytest.mark.parametrize("element", ["rope", "teeth"])
def test_where_what_only_pulls_or_presses_lets_go(element, method):
    """A blow of half a period, D = pi sqrt(m/k). A rope sends a mass back: x = 1 - v (t - t1 - D). Teeth with backlash hand
    all the speed of one wheel to another of the same I/r^2: it turns by omega (t1 + D/2) and stands, m of both half of that.
    At the end of the blow the law has a kink, whose side rounding had chosen: refused by dop853, wrong by radau."""
    k = 1e4 if element == "rope" else 1e5
    if element == "rope":
        m, slope = lw.PlanarModel("rope", gravity=(0, 0)), -np.pi / 2 * np.sqrt(2 / k) / k
        b = m.body("b", mass=2.0, inertia=0.1, position=(0.9, 0), velocity=(1, 0))
        m.add(lw.Rope("rope", [m.ground.at(0, 0), b.at(0, 0)], length=1.0, k=m.parameter("k", k)))
    else:
        m, slope = lw.PlanarModel("teeth", gravity=(0, 0)), -2.0 / 2 * np.pi / 2 * np.sqrt(0.5 / k) / k
        b, w = m.body("b", mass=1, inertia=0.01, omega=2.0), m.body("w", mass=1, inertia=0.04, position=(0.3, 0))
        for j, (wheel, x) in enumerate(((b, 0.0), (w, 0.3))):
            m.add(lw.Revolute(f"pin{j}", m.ground.at(x, 0), wheel.at(0, 0)))
        m.add(lw.Gear("mesh", b.at(0, 0), w.at(0, 0), radii=(0.1, 0.2), k=m.parameter("k", k), backlash=1e-3))
    wanted, t_end = (lw.final("b.x"), 0.2) if element == "rope" else (lw.final("b.angle"), 0.012)
    _, found = lw.gradient(m, wanted, ["k"], analysis="dynamics", t_end=t_end, rtol=1e-10, method=method)
    assert found["k"] == pytest.approx(slope, rel=1e-9, abs=0)  # ten times rtol


def test_where_an_event_ends_the_run():
    """Thrown from a height h: x = v sqrt(2 h/g) where it lands; the time of the end changes, too."""
    m = lw.PlanarModel("throw", gravity=(0, -10))
    b = m.body("b", mass=1.0, inertia=1.0, position=(0.0, 1.8), velocity=(3.0, 0.0))
    options = {"t_end": 2.0, "steps": 14, "rtol": 1e-10, "events": {"ground": lw.Watch(b.y, direction=-1, stop=True)}}
    value, slope = lw.gradient(m, lw.final("b.x"), ["b.y", "b.vx"], **options)
    assert value == pytest.approx(1.8)
    assert slope == pytest.approx({"b.y": 3.0 / (10 * 0.6), "b.vx": 0.6}, rel=1e-9)
    _, slope = lw.gradient(m, lw.mean("b.vx"), ["b.y", "b.vx"], **options)
    assert slope == pytest.approx({"b.y": 0.0, "b.vx": 1.0}, abs=1e-9)
    for reduction in (lw.integral("b.x"), lw.rms("b.vy"), lw.mean("b.vy")):  # by trapezia, whose last is cut short
        found = lw.gradient(m, reduction, ["b.y"], **options)[1]["b.y"]
        assert found == pytest.approx(differences(m, [reduction], "b.y", h=1e-4, **options)[0], rel=1e-6)


def test_driven_machines_and_those_that_stand():
    m = triangle()
    value, slope = lw.gradient(m, lw.final("first.angle"), ["a", "b"], analysis="assemble")
    a, b = 0.8, 0.9
    by_a = -((a * a - 1 + b * b) / (2 * a * a)) / sin(value)  # cos(angle) = (a^2 + 1 - b^2) / 2a
    assert slope == pytest.approx({"a": by_a, "b": b / a / sin(value)}, rel=1e-9)

    m = lw.PlanarModel("scales", gravity=(0, -9.81))
    k, mass = m.parameter("k", 50.0), m.parameter("mass", 2.0)
    pan = m.body("pan", mass=mass, inertia=1.0)
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle="pi/2"), pan.at(0, 0, angle="pi/2")))
    m.add(lw.Force("spring", pan.y, lambda y, v, t: -k * y))
    value, slope = lw.gradient(m, lw.final("pan.y"), ["k", "mass"], analysis="equilibrium")
    assert slope == pytest.approx({"k": 9.81 * 2 / 50**2, "mass": -9.81 / 50}, rel=1e-9)

    m = slider_crank()
    m.add(lw.Driver("motor", m.elements["A"].angle, "3*t"))
    keep = [lw.peak("motor.torque"), lw.rms("slider.ax"), "B.fx", "crank.alpha"]
    agree(m, keep, ["r", "k"], 1e-8, analysis="inverse_dynamics", t_end=1.0, steps=12)
    agree(m, [lw.span("slider.x"), "slider.ax"], ["r"], 1e-8, analysis="kinematics", t_end=1.0, steps=12)


# -- against differences -----------------------------------------------------------------------------------------------
def chain(friction=False):
    m = lw.SpatialModel("chain", gravity=(0, 0, -9.81))
    L, J, mu = m.parameter("L", 0.5), m.parameter("J", 0.02), m.parameter("mu", 0.1)
    across = ((1, 0, 0), (0, 0, -1), (0, 1, 0))
    one = m.body("one", mass=1.0, inertia=(0.02, J, 0.01), position=(0.5, 0, 0), omega=(0.1, 0, 0.5))
    two = m.body("two", mass=1.5, inertia=(0.02, 0.03, 0.01), position=(1.2, 0, 0.1))
    m.add(lw.Universal("U", m.ground.at(0, 0, 0, rotation=((0, 0, 1), (1, 0, 0), (0, 1, 0))), one.at(-L, 0, 0)))
    pin = m.add(lw.Revolute("R", one.at(L, 0, 0, rotation=across), two.at(-0.3, 0, 0, rotation=across)))
    if friction:
        m.add(lw.Friction("F", pin, mu=mu, radius=0.05, stick=False))
    return m


@pytest.mark.parametrize("friction", [False, True])
def test_in_space_through_assembly_with_friction(friction):
    """Friction is a law as sharp as its level: the differences themselves are good to 1e-7 of it only."""
    keep = ["two.x", "two.e1", "two.wz", "R.fx", "R.angle", "two.alphay"]
    agree(chain(friction), keep, ["L", "J", "two.z", "one.wz"], 1e-6 if friction else 1e-8, t_end=0.6, steps=4)


def test_states_memories_and_stiff_methods():
    m = lw.PlanarModel("motor", gravity=(0, -9.81))
    R, i0 = m.parameter("R", 2.0), m.parameter("i0", 0.4)
    arm = m.body("arm", mass=1.0, inertia=0.1)
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0.1, 0)))
    i = m.state("i", lambda i, t: (24 - 0.5 * pin.omega - R * i) / 0.1, start=i0)
    m.add(lw.Torque("drive", pin, lambda a, w, t: 0.5 * i))
    for method in ("auto", "radau"):
        agree(m, ["i", "arm.omega", "A.fy"], ["R", "i0", "arm.omega"], t_end=0.3, steps=3, method=method)

    m = lw.PlanarModel("soft", gravity=(0, -10))
    b = m.body("b", mass=1.0, inertia=1.0, position=(0, 0.3))
    m.add(lw.Contact("floor", b.at(0, 0), m.ground.at(0, 0, angle=0), k=m.parameter("k", 1e4), restitution=0.6,
                     law="lankarani-nikravesh"))  # fmt: skip
    agree(m, ["b.y", "b.vy"], ["k", "b.y"], 1e-6, t_end=0.5, steps=5, h=1e-4)


def test_many_steps_of_an_implicit_method_are_taken_together(monkeypatch):
    """x = exp(-a t) (x0 cos(w t) + a/w x0 sin(w t)) by its start, by a tenth of the elements that the run has steps."""
    asked, through = [], Path._through
    monkeypatch.setattr(Path, "_through", lambda self, which, some: asked.append(len(some)) or through(self, which, some))
    m, t = oscillator(), 3.0
    steps = lw.dynamics(m, t_end=t, steps=1, rtol=1e-9, method="radau").audit.steps
    _, slope = lw.gradient(m, lw.final("b.x"), ["b.x"], t_end=t, steps=1, rtol=1e-9, method="radau")
    a, w = 0.25, sqrt(100 - 0.25**2)
    assert slope["b.x"] == pytest.approx(exp(-a * t) * (cos(w * t) + a / w * sin(w * t)), rel=1e-8)
    assert sum(asked) < steps / 10


@pytest.mark.parametrize("seed", [23, 28, 30, 31])  # machines that derivatives go through
def test_random_machines(seed):
    """Of all kinds of joints and loads, with impacts and switched laws, in any units; numbers of parameters by chance."""
    sketch = grow(seed, 0, later=3)
    m = render.model(sketch)
    rng = np.random.default_rng(seed)
    names = [str(x) for x in rng.choice([p for p, x in m.parameters.items() if abs(x) > 1e-9], 2, replace=False)]
    last = [name for name, body in m.bodies.items() if not body.is_ground][-1]
    options = {"t_end": 0.4 * sketch.time, "steps": 4}
    keep = [f"{last}.x", f"{last}.vy", f"{last}.ay"]
    found = exact(m, keep, names, rtol=1e-10, **options)
    sizes = np.abs(lw.dynamics(m, **options).to_dataframe()[keep].to_numpy()).max(axis=0).repeat(5)
    for k, name in enumerate(names):
        by = differences(m, keep, name, h=1e-4, **options, rtol=1e-13)
        # rounding of differences: 1e-13 of the values over a step of 1e-4 of the parameter
        floor = 1e-8 * sizes / abs(m.parameters[name])
        assert (np.abs(found[:, k] - by) <= np.maximum(1e-7 * np.abs(by).max(), floor)).all(), name
    if seed == 28:  # its code takes long to make
        return
    back = exact(m, [lw.final(keep[0]), lw.final(keep[1])], names, rtol=1e-10, **options)  # from the end to the start
    assert np.abs(back - found[[4, 9]]).max() <= 1e-7 * np.abs(found).max()


def test_changes_keep_the_joints_closed():
    """Phi_v d + Phi_b = 0 at every output, and the same of its rate."""
    from linkwright.analyses.variations.simulation import VariedRun

    varied = VariedRun(slider_crank(), ["r", "k"], ["slider.x"], {"t_end": 1.0, "steps": 10})
    ((_, _, nodes, change),) = varied._path.at(np.arange(11))
    rows = range(len(varied.machine.system.rows))
    assert np.abs(nodes.left_open(change, rows)).max() < 1e-12
    rate = nodes.tangent["rate_d"] @ change.d + nodes.J @ change.v + nodes.tangent["rate_b"] @ change.b
    assert np.abs(rate).max() < 1e-11


@pytest.mark.parametrize("kind", list(KINDS))
def test_slopes_of_reductions(kind):
    t, x = np.array([0.0, 0.3, 0.7, 1.2]), np.array([0.4, -2.0, 1.5, 0.7])
    reduction = Reduction(kind, "any.x")
    by_x, by_end = reduction.slopes(t, x)
    for k in range(4):
        step = np.eye(4)[k]
        assert by_x[k] == pytest.approx(richardson(lambda h, e=step: reduction(t, x + h * e), 0.0, 1e-4), abs=1e-9)
    end = np.eye(4)[3]
    assert by_end == pytest.approx(richardson(lambda h: reduction(t + h * end, x), 0.0, 1e-4), abs=1e-9)


# -- sensitivity -------------------------------------------------------------------------------------------------------
def test_sensitivity_of_a_simulation():
    m = slider_crank()
    s = lw.sensitivity(m, t=0.5, analysis="dynamics", rtol=1e-10)
    keep = [lw.final("slider.x"), lw.final("rod.alpha"), lw.final("A.fx")]
    for name in ("r", "k"):
        by = differences(m, keep, name, t_end=0.5, steps=1, rtol=1e-12)
        assert [s["slider.x", name], s["rod.alpha", name], s["A.fx", name]] == pytest.approx(by, rel=1e-7)


def test_sensitivities_are_of_one_time():
    with pytest.raises(lw.ModelError, match="is not one time"):
        lw.sensitivity(oscillator(), t=[0.1, 0.2], analysis="dynamics")
    assert repr(lw.sensitivity(oscillator(), 0.1, ["k"], analysis="dynamics")).endswith("at t = 0.1: d channel / d k>")


def test_sensitivity_of_what_dependent_joints_hold():
    m = lw.PlanarModel("twice", gravity=(0, -9.81))
    a, g = m.parameter("a", 0.5), m.parameter("load", 1.0)
    b = m.body("b", mass=1.0, inertia=0.1, position=(0.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), b.at(-0.5, 0)))
    m.add(lw.Distance("rod", m.ground.at(0, 0), b.at(0, 0), length=a))
    m.add(lw.Force("pull", b.x, lambda x, v, t: g))
    s = lw.sensitivity(m, t=0.2, analysis="dynamics")
    assert set(s.impossible) == {"a"}
    with pytest.raises(lw.ModelError, match="would not close"):
        s["b.x", "a"]
    with pytest.raises(lw.ModelError, match="another a"):
        lw.gradient(m, lw.final("b.x"), ["a"], t_end=0.2)
    with pytest.raises(lw.ModelError, match="not unique"):
        lw.gradient(m, lw.final("A.fx"), ["load"], t_end=0.2)


# -- what has no derivative --------------------------------------------------------------------------------------------
def test_what_has_no_derivative_is_refused_by_name():
    m = lw.PlanarModel("graze", gravity=(0, 0))
    b = m.body("b", mass=1.0, inertia=1.0, position=(0.0, -1.0), velocity=(1.0, 3.0))
    h = m.parameter("h", 1.0)
    m.add(lw.Force("slower", b.y, lambda y, v, t: 6 * (t - 1)))  # y = (t - 1)^3
    m.add(lw.Force("gate", b.x, lambda x, v, t: lw.where(b.y > 0, h, 0.0)))
    with pytest.raises(lw.ModelError, match="grazes zero") as error:
        lw.gradient(m, lw.final("b.x"), ["h", "b.y"], t_end=2.0)
    assert error.value.element == ("gate",)

    m = oscillator()
    m.add(lw.Force("odd", m["b"].x, lambda x, v, t: -0.1 * float(x)))
    with pytest.raises(lw.ModelError, match="cannot be traced") as error:
        lw.gradient(m, lw.final("b.x"), ["k"], t_end=0.1)
    assert error.value.element == ("odd",)

    m = oscillator()
    turned = lw.Watch("b.x", change=lambda s: {"b.vx": 0.5 * s["b.vx"]})
    with pytest.raises(lw.ModelError, match="function in Python") as error:
        lw.gradient(m, lw.final("b.x"), ["k"], t_end=1.0, events={"half": turned})
    assert error.value.element == ("half",)
    with pytest.raises(lw.ModelError, match="generalized-alpha"):
        lw.gradient(m, lw.final("b.x"), ["k"], t_end=1.0, method="generalized-alpha")


def test_where_joints_come_to_depend_on_each_other_changes_are_right_or_lost():
    """Parallel four-bars, once all in one line: the motion goes through, and short steps meet the place where nothing can be
    solved for."""
    m, options, said = EXAMPLES["four-bar-windows"].load(), {"t_end": 1.0, "steps": 1}, []
    (wanted,) = differences(m, [lw.final("c0.x")], "c0.omega", h=1e-4, **options, rtol=1e-12)
    for rtol in (1e-8, 1e-9, 1e-11):
        try:
            _, slope = lw.gradient(m, lw.final("c0.x"), ["c0.omega"], **options, rtol=rtol)
        except (lw.ModelError, lw.SingularityError) as error:
            said.append(str(error))
        else:
            assert slope["c0.omega"] == pytest.approx(wanted, rel=1e-6)
    assert said
    assert all("t = 0.714" in x for x in said)  # just before it, or at it


def test_wrong_questions():
    m = oscillator()
    with pytest.raises(lw.ModelError, match="is not one number"):
        lw.gradient(m, "b.x", ["k"], t_end=1.0)
    with pytest.raises(lw.ModelError, match="nothing called 'kk'"):
        lw.gradient(m, lw.final("b.x"), ["kk"], t_end=1.0)
    with pytest.raises(lw.ModelError, match="nothing varies"):
        lw.gradient(m, lw.final("b.x"), [], t_end=1.0)
    with pytest.raises(lw.LinkwrightError, match="no option 'rtoll'"):
        lw.gradient(m, lw.final("b.x"), ["k"], t_end=1.0, rtoll=1e-9)
    for analysis in ("kinematics", "equilibrium", "assemble"):
        with pytest.raises(lw.ArgumentError, match="rtoll"):
            lw.gradient(m, lw.final("b.x"), ["k"], analysis=analysis, rtoll=1e-9)
    with pytest.raises(lw.LinkwrightError, match=r"b\.q"):
        lw.gradient(m, lw.final("b.q"), ["k"], t_end=1.0)
    with pytest.raises(lw.ModelError, match="no motion"):
        lw.sensitivity(m, analysis="equilibrium")


def test_ten_parameters_take_one_run_and_the_states_of_one(monkeypatch):
    """Times are among the benchmarks; here what they follow from is counted: one simulation, whose states are differentiated
    at as many places for ten parameters as for one, some for each step."""
    from linkwright.analyses.variations import simulation

    m = slider_crank()
    for k in range(8):  # loads that are there, and next to nothing
        p = m.parameter(f"p{k}", 1e-3)
        m.add(lw.Force(f"push{k}", m["slider"].x, lambda x, v, t, p=p: p * lw.cos(t)))
    runs, states = [], []
    simulated, nodes = simulation.simulated, simulation.Nodes

    def one_run(*args):
        runs.append(simulated(*args))
        return runs[-1]

    def counted(*args):
        states.append(len(args[3].t))
        return nodes(*args)

    monkeypatch.setattr(simulation, "simulated", one_run)
    monkeypatch.setattr(simulation, "Nodes", counted)
    found = []
    for names in (["r"], list(m.parameters)):
        runs.clear()
        states.clear()
        lw.gradient(m, lw.final("slider.x"), names, t_end=1.0, steps=10)
        assert len(runs) == 1
        found.append(sum(states))
    assert found[0] == found[1] <= 12 * (runs[0].result.audit.steps + 10)


# -- searches that use them ----------------------------------------------------------------------------------------------
def test_searches_follow_exact_gradients_and_say_so():
    """Fewer points than differences would look at: each gradient by five values would be ten of them."""
    m = oscillator()
    for k in range(3):
        p = m.parameter(f"p{k}", 0.5)
        m.add(lw.Force(f"push{k}", m["b"].x, lambda x, v, t, p=p, k=k: p * p * lw.cos((k + 3) * t)))
    bounds = {"k": (50.0, 150.0), "c": (0.1, 2.0), "p0": (-1, 1), "p1": (-1, 1), "p2": (-1, 1)}
    o = lw.optimize(m, bounds, minimize=lw.rms("b.x"), t_end=1.0, steps=50)
    assert o.success
    assert o.message.endswith("exact gradients")
    assert o.history.audit.notes == ["exact gradients"]
    assert o.history.shape[0] < 60
    t = np.linspace(0, 1, 21)
    f = lw.fit(m, {"t": t, "b.x": lw.dynamics(m, t_end=1.0, t_eval=t, rtol=1e-9)["b.x"]}, {"k": (50.0, 200.0)})
    assert f.parameters["k"] == pytest.approx(100.0, rel=1e-8)
    assert f.message.endswith("exact gradients")


def test_searches_without_exact_gradients_say_why():
    o = lw.optimize(
        oscillator(), {"k": (50.0, 150.0)}, minimize=lw.peak("b.x"), t_end=0.3, method="slsqp",
        events={"half": lw.Watch("b.x", change=lambda s: {"b.vx": 0.5 * s["b.vx"]})},
    )  # fmt: skip
    assert "gradients by differences: its change at t" in o.message
