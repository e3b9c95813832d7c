"""The same machine simulated under each formulation: same channels, same numbers.

Tolerance 1e-9 of the largest value of a channel: runs at rtol 1e-11 whose local errors differ, over less than a second.
"""

import re

import numpy as np
import pytest

import linkwright as lw
from benchmark_machines import bricard
from linkwright.compile import function
from linkwright.examples import example
from loaded_machines import spatial_slider_crank

TOLERANCE = 1e-9


def agree(model, t_end, formulations=("kane", "joint"), tolerance=TOLERANCE, **options):
    runs = {
        f: lw.dynamics(model, t_end, 6, rtol=1e-11, atol=1e-13, formulation=f, **options)
        for f in ("newton-euler", *formulations)
    }
    base = runs["newton-euler"]
    for name, run in runs.items():
        assert list(run.channels) == list(base.channels)
        assert run.audit.formulation == name
        for channel in base.channels:
            size = 1 + np.abs(base[channel]).max()
            assert np.abs(run[channel] - base[channel]).max() < tolerance * size, (name, channel)
        assert np.allclose(
            run.energy.total, base.energy.total, rtol=0, atol=tolerance * (1 + np.abs(base.energy.total).max())
        )
        assert run.audit.position_error < 1e-10
    return runs


def pendulums(friction=False):
    m = lw.PlanarModel("pendulums", gravity=(0, -9.81))
    a = m.body("a", mass=1, inertia=0.1, position=(0.5, 0), angle=2 * np.pi)  # a whole turn: angles are not wrapped
    b = m.body("b", mass=1, inertia=0.1, position=(1.5, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)))
    B = m.add(lw.Revolute("B", b.at(-0.5, 0), a.at(0.5, 0)))
    if friction:
        m.add(lw.Friction("rub A", A, mu=0.2, radius=0.05, stick=False))
        m.add(lw.Friction("rub B", B, mu=0.1, radius=0.05, viscous=0.01, stick=False))
    return m, a, b


def test_four_bar_with_a_motor_that_works():
    """A driver's work and a cut joint, in the plane."""
    runs = agree(example("four-bar").build(), 0.4)
    assert np.abs(runs["joint"].energy.work).max() > 1.0
    assert runs["joint"].audit.energy_error < 1e-9


def test_friction_of_joints_of_the_tree():
    """Their reactions make the friction, though they have no multipliers in joint coordinates; 1e-8 for laws that bend."""
    m, _, b = pendulums(friction=True)
    m.add(lw.Distance("rod", m.ground.at(2.5, 0.5), b.at(0.5, 0), np.hypot(0.5, 0.5)))
    runs = agree(m, 0.4, tolerance=1e-8)
    assert runs["joint"].energy.work[-1] < -1e-3


def test_spatial_machine_with_loops():
    agree(example("spatial-slider-crank").build(), 0.3)


def test_redundant_loop_in_space():
    """A parallelogram on four hinges in space: three rows too many, whichever formulation."""
    m = lw.SpatialModel("parallelogram", gravity=(0, 0, -9.81))
    R = ((1, 0, 0), -np.pi / 2)
    up = ((0, 1, 0), -np.pi / 2)
    a = m.body("a", mass=1, inertia=(0.1, 0.1, 0.1), position=(0.0, 0, 0.5), orientation=up, omega=(0, 1.0, 0))
    b = m.body("b", mass=2, inertia=(0.1, 0.2, 0.2), position=(1.0, 0, 1.0))
    c = m.body("c", mass=1, inertia=(0.1, 0.1, 0.1), position=(2.0, 0, 0.5), orientation=up)
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0, rotation=R), a.at(-0.5, 0, 0, rotation=R)))
    m.add(lw.Revolute("B", a.at(0.5, 0, 0, rotation=R), b.at(-1, 0, 0, rotation=R)))
    m.add(lw.Revolute("C", b.at(1, 0, 0, rotation=R), c.at(0.5, 0, 0, rotation=R)))
    m.add(lw.Revolute("D", c.at(-0.5, 0, 0, rotation=R), m.ground.at(2, 0, 0, rotation=R)))
    runs = agree(m, 0.4)
    assert abs(runs["joint"]["a.wy"][0]) == pytest.approx(1.0, abs=1e-9)


def test_cam_keeps_its_curve_parameters():
    """Curve parameters stay coordinates of their own, beside those of the tree."""
    agree(example("valve-lifter").build(), 0.05)


def test_impacts_and_stabilisation():
    """States that an impact changes go back into joint coordinates; gains work on loops and, for Kane, on joints."""
    m, a, _ = pendulums()
    m.add(lw.Contact("floor", a.at(0.5, 0), m.ground.at(0, -0.2, angle=0), restitution=0.5))
    runs = agree(m, 0.4)
    assert len(runs["joint"].events) == len(runs["newton-euler"].events) > 0
    free = example("four-bar").build().without("motor")
    agree(free, 0.3, constraints="stabilization", tolerance=1e-8)


def test_spins_beyond_whole_turns():
    """Euler parameters change sign with every turn, and angles count on: a spherical and a screw joint, several turns."""
    m = lw.SpatialModel("spin", gravity=(0, 0, 0))
    top = m.body("top", mass=1, inertia=(0.1, 0.1, 0.2), omega=(0, 1.0, 30.0))
    nut = m.body("nut", mass=1, inertia=(0.1, 0.1, 0.2), position=(1, 0, 0.5), omega=(0, 0, -40.0))
    m.add(lw.Spherical("ball", top.at(0, 0, 0), m.ground.at(0, 0, 0)))
    m.add(lw.Screw("thread", nut.at(0, 0, 0), m.ground.at(1, 0, 0.5), pitch=0.02))
    runs = agree(m, 0.6, formulations=("joint",))
    assert abs(runs["joint"]["thread.angle"][-1]) > 4 * np.pi


def test_auto_takes_fewest_operations_and_says_so():
    m, _, _ = pendulums()
    run = lw.dynamics(m, 0.1, 2, formulation="auto")
    assert run.audit.formulation == "joint"
    assert "joint for the fewest operations an evaluation" in run.audit.why
    assert "of newton-euler" in run.audit.why


def test_laws_in_python_leave_no_partial_velocities_to_project_on():
    """Kane's equations are compiled as a whole; joint coordinates are only a state, which Python can have, too."""
    m, a, _ = pendulums()
    m.add(lw.Force("law", a.x, lambda s: 1.0 if float(s) > 0 else -1.0))
    for given, taken in (("kane", "newton-euler"), ("joint", "joint")):
        with pytest.warns(UserWarning, match="law"):
            run = lw.dynamics(m, 0.01, 2, formulation=given)
        assert run.audit.formulation == taken
        assert ("cannot be traced, in place of kane" in run.audit.why) == (given == "kane")


def spatial_slider():
    m = spatial_slider_crank(driven=False)
    m["crank"].guess(omega=(-6.0, 0, 0))
    return m


def planar_slider():
    m = slider_with_parameters()
    m["crank"].guess(omega=20.0)
    return m


@pytest.mark.parametrize("how", ["partitioning", "hybrid"])
@pytest.mark.parametrize(
    ("make", "t_end"), [(planar_slider, 0.3), (spatial_slider, 0.2), (bricard, 0.5)], ids=["plane", "space", "bricard"]
)
def test_independent_joint_coordinates(make, t_end, how):
    """Partitioning of joint coordinates, where a cut joint makes some depend on the others; Bricard's has dependent rows."""
    told = {"t_eval": [0.0, t_end], "rtol": 1e-12, "atol": 1e-14}
    base, run = lw.dynamics(make(), **told), lw.dynamics(make(), formulation="joint", constraints=how, **told)
    assert (run.audit.formulation, run.audit.constraints) == ("joint", how)
    assert list(run.channels) == list(base.channels)
    for x in base.channels:
        assert np.abs(run[x] - base[x]).max() < TOLERANCE * (1 + np.abs(base[x]).max()), x
    assert run.audit.position_error < 1e-10


def triple_rocker():
    """No link can turn round (the sum of longest and shortest is above that of the others): each angle turns back somewhere,
    where it cannot be the independent coordinate."""
    m = lw.PlanarModel("triple rocker", gravity=(0, -9.81))
    a = m.body("a", 1.0, 1 / 12, position=(0, 0.5), angle=np.pi / 2, omega=-6.0)
    b = m.body("b", 1.0, 1 / 12, position=(0.7, 1.1), angle=0.4)
    c = m.body("c", 1.0, 1 / 12, position=(2.0, 0.6), angle=2.0)
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)))
    m.add(lw.Revolute("B", a.at(0.5, 0), b.at(-0.5, 0)))
    m.add(lw.Revolute("C", b.at(0.5, 0), c.at(0.5, 0)))
    m.add(lw.Revolute("D", c.at(-0.5, 0), m.ground.at(2.2, 0)))
    return m


@pytest.mark.parametrize("formulation", ["joint", "newton-euler"])
def test_independent_coordinates_are_chosen_anew_before_they_go_bad(formulation, monkeypatch):
    """Some five swings; the choice is an input of the compiled code, so that another one compiles nothing."""
    programs, original = [], function.compiled
    monkeypatch.setattr(function, "compiled", lambda p, *a, **more: programs.append(p.digest) or original(p, *a, **more))
    told = {"t_eval": [0.0, 1.5, 3.0], "rtol": 1e-12, "atol": 1e-14}
    run = lw.dynamics(triple_rocker(), formulation=formulation, constraints="partitioning", **told)
    assert len(programs) == len(set(programs))
    changes = re.search(r"other independent coordinates from t = [\d., ]+ and (\d+) times more on", run.audit.why)
    assert changes is not None
    assert int(changes[1]) > 10
    assert run.violation.position.max() < 1e-12
    base = lw.dynamics(triple_rocker(), **told)
    for x in base.channels:
        assert np.abs(run[x] - base[x]).max() < TOLERANCE * (1 + np.abs(base[x]).max()), x


@pytest.mark.parametrize("how", ["partitioning", "hybrid", "augmented", "stabilization", "direct"])
def test_on_an_open_tree_all_treatments_are_one(how):
    """Nothing is left to treat."""
    m, _, _ = pendulums()
    told = {"t_eval": [0.0, 0.3], "formulation": "joint"}
    base, run = lw.dynamics(m, **told), lw.dynamics(m, constraints=how, **told)
    assert all(np.array_equal(run[x], base[x]) for x in base.channels)


def test_words_that_are_no_formulation():
    m, _, _ = pendulums()
    with pytest.raises(lw.ModelError, match="no formulation 'tree'"):
        lw.dynamics(m, 0.1, 2, formulation="tree")


def slider_with_parameters(L=0.3, mass=1.0, tilt=0.1, g=9.81):
    """A slider-crank in the plane: lengths, masses, the direction of a slide and gravity are parameters."""
    m = lw.PlanarModel("slider crank", gravity=(0, -9.81))
    L, mass, tilt, g = (m.parameter(k, x) for k, x in {"L": L, "mass": mass, "tilt": tilt, "g": g}.items())
    m.gravity = (0, -g)
    crank = m.body("crank", mass, mass * L * L / 12, position=(0, L / 2), angle=np.pi / 2, omega=3.0)
    rod = m.body("rod", 1.0, 0.1, com=(0.1 * L, 0), position=(0.45, 0.15), angle=-0.3)
    block = m.body("block", 2 * mass, 0.0, position=(0.9, 0.0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-L / 2, 0)))
    m.add(lw.Revolute("B", crank.at(L / 2, 0), rod.at(-0.5, 0)))
    m.add(lw.Translational("slide", m.ground.at(0, 0, angle=tilt), block.at(0, 0, angle=tilt)))
    m.add(lw.Revolute("C", rod.at(0.5, 0), block.at(0, 0)))
    return m


def arm_with_parameters(L=0.3, mass=1.0, tilt=0.4, pitch=0.1):
    """A screw with a tilted axis and a ball in space."""
    m = lw.SpatialModel("arm", gravity=(0, 0.5, -9.81))
    L, mass, tilt, pitch = (m.parameter(k, x) for k, x in {"L": L, "mass": mass, "tilt": tilt, "pitch": pitch}.items())
    a, b = (
        m.body(f"b{k}", mass, (mass * L * L, 0.02, 0.03), com=(L / 2, 0, 0.1 * L), position=(0.3 * k, 0, 0))
        for k in range(2)
    )
    m.add(lw.Screw("J0", m.ground.at(0, 0, 0, rotation=((1, 0, 0), tilt)), a.at(0, 0, 0), pitch=pitch))
    m.add(lw.Spherical("J1", b.at(0, 0, 0, rotation=((0, 1, 1), 2 + tilt)), a.at(L, 0, 0)))
    return m


@pytest.mark.parametrize(
    ("make", "other"),
    [
        (slider_with_parameters, {"L": 0.32, "mass": 1.7, "tilt": 0.07, "g": 3.7}),
        (arm_with_parameters, {"L": 0.35, "mass": 1.7, "tilt": 0.44, "pitch": 0.08}),
    ],
    ids=["plane", "space"],
)
def test_other_values_of_parameters_need_no_other_code(make, other, monkeypatch):
    """Parameters are inputs, those of the tree's geometry included; the run is bit for bit that of a new model."""
    programs, original = set(), function.compiled
    monkeypatch.setattr(function, "compiled", lambda p, *a, **more: programs.add(p.digest) or original(p, *a, **more))
    told = {"t_eval": [0.0, 0.2], "rtol": 1e-11, "atol": 1e-13}
    m = make()
    before = lw.dynamics(m, formulation="joint", **told)
    known = set(programs)
    m.set(**other)
    run = lw.dynamics(m, formulation="joint", **told)
    assert len(known) > 3
    assert programs == known
    fresh, base = lw.dynamics(make(**other), formulation="joint", **told), lw.dynamics(m, **told)
    for x in run.channels:
        assert np.array_equal(run[x], fresh[x]), x
        assert np.abs(run[x] - base[x]).max() < TOLERANCE * (1 + np.abs(base[x]).max()), x
    assert any(np.abs(run[x] - before[x]).max() > 0.01 for x in run.channels)


@pytest.mark.parametrize("formulation", ["joint", "newton-euler"])
def test_dependent_rows_need_no_other_code_either(formulation, monkeypatch):
    """The regularisation of rows is an input, too: a bar on two pins in one place."""
    programs, original = set(), function.compiled
    monkeypatch.setattr(function, "compiled", lambda p, *a, **more: programs.add(p.digest) or original(p, *a, **more))
    m = lw.PlanarModel("two pins", gravity=(0, -9.81))
    mass = m.parameter("mass", 1.0)
    bar = m.body("bar", mass, 0.3, position=(0.5, 0))
    for name in ("pin", "again"):
        m.add(lw.Revolute(name, m.ground.at(0, 0), bar.at(-0.5, 0)))
    lw.dynamics(m, 0.1, 1, formulation=formulation)
    known = set(programs)
    m.set(mass=2.0)
    run = lw.dynamics(m, 0.1, 1, formulation=formulation)
    assert programs == known
    # m g l / 2 = (J + m l^2 / 4) alpha, at the start
    assert run["bar.alpha"][0] == pytest.approx(-2 * 9.81 * 0.5 / (0.3 + 2 * 0.25), rel=1e-9)


def test_a_machine_that_cannot_move_stands():
    """A tree without speeds: nothing is integrated, the joint carries the weight."""
    m = lw.SpatialModel("post", gravity=(0, 0, -9.81))
    m.add(lw.Fixed("foot", m.ground.at(1, 0, 0), m.body("post", 2.0, (1, 1, 1), position=(1, 0, 0)).at(0, 0, 0)))
    run = lw.dynamics(m, 0.1, 1, formulation="joint")
    assert run["post.x"] == pytest.approx(1.0, abs=1e-15)
    assert np.abs(run["foot.fz"]) == pytest.approx(2 * 9.81, rel=1e-12)


def test_auto_names_what_nothing_determines():
    """As each formulation does, before any is traced."""
    m, _, b = pendulums()
    m.add(lw.Revolute("C", b.at(0.5, 0), m.body("tip", position=(2.0, 0)).at(0, 0)))
    with pytest.raises(lw.ModelError, match=r"nothing determines the acceleration of tip\.omega"):
        lw.dynamics(m, 0.1, 2, formulation="auto")


def parallelogram(angle):
    """Bars of 1, 2, 1, 2 m that turn at -4/s; nothing else acts, so they go on."""
    m, c, s = lw.PlanarModel("parallelogram", gravity=(0, 0)), np.cos(angle) / 2, np.sin(angle) / 2
    a, d = (m.body(n, 1.0, 0.1, position=(x + c, s), angle=angle, omega=-4.0) for n, x in (("a", 0), ("d", 2)))
    b = m.body("b", 1.0, 0.1, position=(1 + 2 * c, 2 * s), velocity=(8 * s, -8 * c))
    for name, P, Q in (
        ("A", m.ground.at(0, 0), a.at(-0.5, 0)), ("B", a.at(0.5, 0), b.at(-1, 0)), ("C", b.at(1, 0), d.at(0.5, 0)),
        ("D", d.at(-0.5, 0), m.ground.at(2, 0)),
    ):  # fmt: skip
        m.add(lw.Revolute(name, P, Q))
    return m


@pytest.mark.parametrize(
    ("formulation", "rtol", "angles"),
    [("joint", 1e-12, (0.35, 0.65, 0.95)), ("kane", 1e-8, (0.9384, 1.0182)), ("kane", 1e-11, (0.35, 0.65))],
)
def test_a_loop_passes_through_where_it_lies_flat(formulation, rtol, angles):
    """Its row in the speeds of the tree vanishes there: with nothing but rounding left of it, it went on as another linkage
    or was told to lock. 1e-6: a hundred times what rounding, 1e-16, leaves of a direction at a change point, 1e-8."""
    for angle in angles:
        d = lw.dynamics(parallelogram(angle), 1.0, 10, formulation=formulation, rtol=rtol, atol=rtol / 100)
        assert np.abs(d["a.omega"] + 4).max() < 1e-6
        assert np.abs(d["b.angle"]).max() < 1e-6
        assert d.audit.energy_error < 1e-6


@pytest.mark.parametrize("space", [True, False])
def test_that_mixed_equations_are_slow_is_told(space):
    """In space they are solved from Python; in the plane they are the others."""
    m = lw.SpatialModel("ball") if space else lw.PlanarModel("disc")
    m.body("b", mass=1.0, inertia=(1, 1, 1) if space else 1.0, position=(0, 0, 1) if space else (0, 1))
    d = lw.dynamics(m, t_end=0.1, steps=1, formulation="mixed")
    assert ("twenty times slower" in d.audit.why) == space
