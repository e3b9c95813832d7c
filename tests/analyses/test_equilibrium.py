"""Equilibria of the book and the notes, by all methods; verdicts; what cannot rest."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import AssemblyError, IntegrationError, ModelError
from loaded_machines import slider_crank, spatial_slider_crank


def sprung_bar(angle, k=2.0):
    """Haug 6.5.1: m g l = 10, a torsion spring at the pin (C23)."""
    m = lw.PlanarModel("bar", gravity=(0, -9.81))
    bar = m.body("bar", 10 / 9.81, 1.0, position=(np.cos(angle), np.sin(angle)), angle=angle)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-1, 0)))
    m.add(lw.TorsionSpring("spring", pin, k=k))
    return m


@pytest.mark.parametrize("method", ["potential", "settling", "relaxation"])
@pytest.mark.parametrize(
    ("start", "angle", "V"),
    [(1.9, -1.30644000836951, -7.94582337561528), (2.05, 3.83746710649905, 8.31558557947746)],
)
def test_downhill_to_either_side(method, start, angle, V):
    """C23, C28: two stable equilibria with an unstable one between them at 1.977..."""
    e = lw.equilibrium(sprung_bar(start), method=method)
    assert e["bar.angle"] == pytest.approx(angle, rel=1e-12)
    assert e.potential == pytest.approx(V, rel=1e-13)
    assert e.stability == "stable"
    assert e.branch.startswith("stable equilibrium, found ")
    assert f"bar.angle moved most, from {start} to {angle:.6g}" in e.branch


def test_newton_finds_the_unstable_one_and_says_so():
    e = lw.equilibrium(sprung_bar(1.9), method="equations")
    assert e["bar.angle"] == pytest.approx(1.97738302932884, rel=1e-12)
    assert e.stability == "unstable"
    assert set(e.falling[0]) == {"bar.vx", "bar.vy", "bar.omega"}
    # from exactly there, descent of the potential energy leaves it
    m = sprung_bar(1.97738302932884)
    assert lw.equilibrium(m).stability == "stable"


def test_a_stiff_spring_leaves_one_equilibrium():
    assert lw.equilibrium(sprung_bar(1.0, k=20.0))["bar.angle"] == pytest.approx(-0.450183611294874, rel=1e-12)


@pytest.mark.parametrize("method", ["equations", "continuation", "relaxation"])
def test_far_from_the_only_equilibrium(method):
    """k = 20: Newton's method, homotopy and kinetic relaxation all find it from 3 rad away."""
    assert lw.equilibrium(sprung_bar(3.0, k=20.0), method=method)["bar.angle"] == pytest.approx(
        -0.450183611294874, rel=1e-11
    )


def hanging(n, seed):
    """A chain of n bars in a tangle."""
    rng = np.random.default_rng(seed)
    m = lw.PlanarModel("chain", gravity=(0, -9.81))
    before, r = m.ground.at(0, 0), np.zeros(2)
    for k in range(n):
        a = rng.uniform(-3, 3)
        u = np.array([np.cos(a), np.sin(a)])
        bar = m.body(f"b{k}", 1.0, 1 / 12, position=r + u / 2, angle=a)
        m.add(lw.Revolute(f"J{k}", before, bar.at(-0.5, 0)))
        before, r = bar.at(0.5, 0), r + u
    return m


@pytest.mark.parametrize("method", ["potential", "settling", "relaxation"])
def test_a_tangled_chain_hangs_straight(method):
    """2^6 equilibria, one of them stable: all ways that go down find it."""
    e = lw.equilibrium(hanging(6, seed=1), method=method)
    assert [np.sin(e[f"b{k}.angle"]) for k in range(6)] == pytest.approx([-1] * 6, abs=1e-12)
    assert e.stability == "stable"
    assert e["J0.fy"] == pytest.approx(6 * 9.81, rel=1e-12)


def test_the_equations_find_a_chain_with_some_bars_upside_down():
    """Each bar that stands on end is a direction in which the chain falls."""
    e = lw.equilibrium(hanging(6, seed=1), method="equations")
    up = sum(np.sin(e[f"b{k}.angle"]) > 0 for k in range(6))
    assert up > 0
    assert len(e.falling) == up
    assert e.stability == "unstable"
    assert f"{np.sign(e.stiffness).sum():g}" == f"{6 - 2 * up:g}"


@pytest.mark.parametrize("method", ["potential", "equations", "continuation", "settling", "relaxation"])
def test_laws_that_switch(method):
    """A block falls on a stop, from above it: at rest it presses it by m g/k."""
    m = lw.PlanarModel("block", gravity=(0, -10))
    block = m.body("block", 2.0, 1.0, position=(0, -0.01 if method in ("equations", "continuation") else 0.3))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=np.pi / 2), block.at(0, 0, angle=np.pi / 2)))
    m.add(lw.Stop("floor", block.y, lower=0.0, k=1000.0))
    e = lw.equilibrium(m, method=method)
    assert e["block.y"] == pytest.approx(-0.02, rel=1e-12)
    assert e["floor.force"] == pytest.approx(20, rel=1e-12)
    assert e.stability == "stable"


@pytest.mark.filterwarnings("ignore:the law of")
def test_a_law_in_plain_python():
    """Its derivative is taken by differences; a motion toward rest it cannot be part of."""
    m = lw.PlanarModel("block", gravity=(0, -10))
    block = m.body("block", 2.0, 1.0, position=(0, 0.3))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=np.pi / 2), block.at(0, 0, angle=np.pi / 2)))
    m.add(lw.Force("law", block.y, lambda s, v, t: -100.0 * s - 3.0 * v if s < 0 else -50.0 * s))
    for method in ("potential", "equations"):
        e = lw.equilibrium(m, method=method)
        assert e["block.y"] == pytest.approx(-0.2, rel=1e-9)
        assert e.stability == "stable"
    lin = lw.linearize(m, e, coordinates=["block.y"])
    assert [lin.K[0, 0], lin.C[0, 0]] == pytest.approx([100, 3], rel=1e-8)
    with pytest.raises(ModelError, match="plain Python") as caught:
        lw.equilibrium(m, method="settling")
    assert caught.value.element == ("law",)


def test_two_bars_under_a_force():
    """C24: m1 = 2, m2 = 1, a horizontal force of 15 N at the tip, bars of length 2 l = 1; angles from the horizontal."""
    m = lw.PlanarModel("two bars", gravity=(0, -9.81))
    a = m.body("a", 2.0, 1.0, position=(0.3, -0.4), angle=-0.9)
    b = m.body("b", 1.0, 1.0, position=(0.9, -0.9), angle=-0.3)
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)))
    m.add(lw.Revolute("B", a.at(0.5, 0), b.at(-0.5, 0)))
    m.add(lw.PointForce("F", b.at(0.5, 0), (15, 0)))
    e = lw.equilibrium(m)
    assert [e["a.angle"], e["b.angle"]] == pytest.approx([-0.918063215957002, -0.316039765863465], abs=1e-12)
    assert e.stability == "stable"
    # statics: the pin at ground holds the weight and the force; it acts on bar a, the second body
    assert [e["A.fx"], e["A.fy"]] == pytest.approx([-15, 3 * 9.81], rel=1e-12)


def test_hanging_block_from_a_spring_without_length():
    """C26: the search starts where the spring's ends meet."""
    m = lw.PlanarModel("block", gravity=(0, -9.81))
    block = m.body("block", 5.0, 1.0)
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=np.pi / 2), block.at(0, 0, angle=np.pi / 2)))
    m.add(lw.Spring("s", m.ground.at(0, 0), block.at(0, 0), k=200))
    e = lw.equilibrium(m)
    assert e["block.y"] == pytest.approx(-0.24525, rel=1e-13)
    assert e.potential == pytest.approx(-6.01475625, rel=1e-13)


def at_rest(gas):
    m = slider_crank(driven=False, gravity=(0, -9.81))
    m["crank"].guess(angle=4.6)
    m["rod"].guess(position=(1.2, -1.0), angle=0.6)
    m["slider"].guess(position=(2.67, 0))
    if gas:  # the pressure without its switch by the direction of motion, a thousand times smaller
        m.add(lw.Force("gas", m["slider"].x, lambda x, v, t: (-282857 / (6 - x) + 62857) / 1000))
    return m


def test_slider_crank_of_the_book():
    """Haug 8.2 (tables 8.2.3, 8.2.4): gravity alone, crank at 3 pi/2; with the gas pressure that the printed table used."""
    e = lw.equilibrium(at_rest(gas=False))
    assert e["crank.angle"] == pytest.approx(1.5 * np.pi, rel=1e-13)
    assert e["slider.x"] == pytest.approx(2.8722813233, abs=1e-10)
    e = lw.equilibrium(at_rest(gas=True))
    assert e["crank.angle"] == pytest.approx(4.5970677240, abs=1e-10)
    assert e["slider.x"] == pytest.approx(2.6513541929, abs=1e-10)
    assert e.potential is None
    assert "gas" in str(e.audit)


def test_spatial_slider_crank_hangs():
    """Haug 12.2: phi = -90 degrees, x = 0.28 exactly; found from the other side."""
    e = lw.equilibrium(spatial_slider_crank(driven=False))
    assert e["slider.x"] == pytest.approx(0.28, abs=1e-12)
    assert e.stability == "stable"


@pytest.mark.parametrize(
    ("theta0", "theta", "V"), [(0.0, 1.018102534484, 25.716673510325), (-2.5, -2.152007515488, 27.387841215236)]
)
def test_spatial_four_bar_has_two(theta0, theta, V):
    """Haug 12.3, model 2 with 12.2 m: global and local minimum of the energy."""
    m = lw.SpatialModel("four-bar", gravity=(0, 0, -9.81))
    a = m.body("a", 2.0, (4, 2, 2), orientation=((1, 0, 0), theta0))
    b = m.body("b", 1.0, (4.54, 0.01, 4.54), position=(-5.7455577189, -8.5, 3.2623654378),
               orientation=(0.6065831263, -0.3633963551, 0.3633963551, -0.6065831263))  # fmt: skip
    ends = m.ground.frame((0, 0, 0), (1, 0, 0), (0, 0, 1)), a.frame((0, 0, 0), (1, 0, 0), (0, 0, 1))
    pin = m.add(lw.Revolute("A", *ends))
    m.add(lw.Revolute("D", b.frame((0, 3.7, 0), (1, 3.7, 0), (0, 2.7, 0)),
                      m.ground.frame((-4, -8.5, 0), (-4, -9.5, 0), (-3, -8.5, 0))))  # fmt: skip
    m.add(lw.Distance("link", a.at(0, 0, 2), b.at(0, -3.7, 0), 12.2))
    m.fix(pin.angle, theta0)
    start = lw.assemble(m)
    free = lw.equilibrium(m, start=start)
    assert free.stability == "stable"
    assert np.remainder(free["A.angle"] - theta + np.pi, 2 * np.pi) - np.pi == pytest.approx(0, abs=1e-9)
    assert free.potential == pytest.approx(V, abs=1e-9)


def test_a_wheel_is_neutral():
    m = lw.PlanarModel("wheel", gravity=(0, -9.81))
    wheel = m.body("wheel", 1.0, 1.0)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), wheel.at(0, 0)))
    e = lw.equilibrium(m)
    assert e.stability == "neutral"
    assert e.neutral[0]["wheel.omega"] != 0


def test_a_pendulum_upside_down_is_unstable_and_one_that_is_held_has_nothing_to_fall():
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", 1.0, 1.0, position=(0, 1), angle=0.5 * np.pi)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-1, 0)))
    e = lw.equilibrium(m, method="equations")
    assert e.stability == "unstable"
    assert e.stiffness[0] < 0
    m.add(lw.Driver("hold", pin.angle, "pi/3"))
    e = lw.equilibrium(m)
    assert e.stability == "stable"
    assert e["hold.torque"] == pytest.approx(9.81 * np.cos(np.pi / 3), rel=1e-12)


def test_a_body_that_falls_for_ever():
    m = lw.PlanarModel("fall", gravity=(0, -9.81))
    m.body("stone", 1.0, 1.0)
    with pytest.raises(IntegrationError, match="decreases without bound"):
        lw.equilibrium(m)
    for method in ("equations", "continuation", "settling", "relaxation"):
        with pytest.raises(AssemblyError) as caught:
            lw.equilibrium(m, method=method)
        assert caught.value.remedy
    with pytest.raises(AssemblyError, match=r"nothing holds stone\.vy against a force of -9\.81"):
        lw.equilibrium(m, method="equations")
    with pytest.raises(ModelError, match="no method 'guess'"):
        lw.equilibrium(m, method="guess")


def test_dampers_leave_the_potential_of_springs_as_it_is():
    """At rest a damper does nothing: the potential energy is that of the weight and of what is stored, m g y + k x^2 / 2."""
    m = lw.PlanarModel("damped", gravity=(0, -10.0))
    bar = m.body("bar", 2.0, 0.1, com=(0.5, 0), angle=-0.2)
    block = m.body("block", 3.0, 0.1, position=(2, 1))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), bar.at(0, 0)))
    m.add(lw.Translational("B", m.ground.at(2, 0, angle=np.pi / 2), block.at(0, 0, angle=np.pi / 2)))
    m.add(lw.TorsionSpring("coil", pin, k=200.0, c=3.0))
    m.add(lw.Spring("spring", m.ground.at(2, 3), block.at(0, 0), k=100.0, length=1.0, c=5.0))
    m.add(lw.Stop("stop", block.y, lower=1.8, k=1e3, c=20.0))
    m.add(lw.Bushing("rubber", m.ground.at(2, 2), block.at(0, 0), k=(0, 50.0, 0), c=(0, 4.0, 0)))
    e = lw.equilibrium(m)
    y, theta = e["block.y"], e["bar.angle"]
    assert y == pytest.approx((-30 + 100 * 2 + 1e3 * 1.8 + 50 * 2) / 1150, abs=1e-12)
    stored = 0.5 * (200 * theta**2 + 100 * (2 - y) ** 2 + 1e3 * (1.8 - y) ** 2 + 50 * (2 - y) ** 2)
    assert e.potential == pytest.approx(30 * y + 20 * 0.5 * np.sin(theta) + stored, abs=1e-12)


def test_what_dampers_take_is_work_and_what_springs_hold_is_not():
    """x'' = -x - 0.2 x' from x = 1 at rest: the energy x'^2/2 + x^2/2 falls by the work of the damper."""
    m = lw.PlanarModel("oscillator")
    block = m.body("block", 1.0, 1.0, position=(1, 0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Spring("spring", m.ground.at(0, 0), block.at(0, 0), k=1.0, c=0.2))
    d = lw.dynamics(m, t_end=3.0, steps=6)
    assert d.energy.potential == pytest.approx(d["block.x"] ** 2 / 2, abs=1e-12)
    w = np.sqrt(1 - 0.01)
    x = np.exp(-0.1 * d.t) * (np.cos(w * d.t) + 0.1 / w * np.sin(w * d.t))
    v = -np.exp(-0.1 * d.t) / w * np.sin(w * d.t)
    assert d.energy.work == pytest.approx((x**2 + v**2 - 1) / 2, abs=1e-7)


def test_it_may_begin_where_a_motion_ended():
    m = lw.PlanarModel("pendulum", gravity=(0, -10.0))
    bar = m.body("bar", 2.0, 0.1, com=(0.5, 0), angle=1.5)
    m.add(lw.Revolute("A", m.ground.at(0, 0), bar.at(0, 0)))
    d = lw.dynamics(m, t_end=1.0, steps=1)
    e = lw.equilibrium(m, start=d, method="equations")
    assert f"from {d['bar.angle'][-1]:.6g} to" in e.branch
    with pytest.raises(lw.ModelError, match="no machine to go on from") as caught:
        lw.equilibrium(m, start=3)
    assert caught.value.element == ("start",)


@pytest.mark.parametrize(("c", "stability"), [(0.5, "stable"), (0.0, "stable"), (-0.5, "unstable")])
def test_a_damper_with_the_wrong_sign_makes_rest_unstable(c, stability):
    """The pendulum hangs, its stiffness is positive; eigenvalues are -c/(2 J) +- i w with J = 0.1 + 0.25."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    arm = m.body("arm", 1.0, 0.1, position=(0, -0.5), angle=-np.pi / 2)
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    m.add(lw.TorsionSpring("damper", pin, k=0.0, c=c))
    e = lw.equilibrium(m)
    assert e.stability == stability
    assert (e.stability == "unstable") == (lw.linearize(m, e).eigenvalues.real.max() > 1e-9)
    assert (c >= 0) or any("grow by a factor e every 1.4 s" in n for n in e.audit.notes)  # 2 J / 0.5


@pytest.mark.parametrize(("load", "stability"), [(1.0, "stable"), (2.05, "stable"), (2.1, "unstable"), (3.0, "unstable")])
def test_a_follower_force_is_judged_by_small_motions(load, stability):
    """Ziegler's column, masses 2 and 1, springs and lengths 1, undamped: it flutters from 7/2 - sqrt(2) = 2.086 on."""
    m = lw.PlanarModel("column")
    a, b = (m.body(n, mass, position=(0, y), angle=np.pi / 2) for n, mass, y in (("a", 2.0, 1.0), ("b", 1.0, 2.0)))
    low = m.add(lw.Revolute("low", m.ground.at(0, 0), a.at(-1, 0)))
    high = m.add(lw.Revolute("high", a.at(0, 0), b.at(-1, 0)))
    m.add(lw.TorsionSpring("k1", low, k=1.0, angle=np.pi / 2))
    m.add(lw.TorsionSpring("k2", high, k=1.0))
    m.add(lw.PointForce("load", b.at(0, 0), (-load, 0), frame="body"))
    assert lw.equilibrium(m, method="equations").stability == stability


def test_a_controller_at_its_limit_is_named():
    """It may push 50 N, the car weighs 98.1: the controller of the fan beside it has nothing to do with that."""
    m = lw.PlanarModel("lift", gravity=(0, -9.81))
    car, fan = m.body("car", 10.0, 0.1), m.body("fan", 1.0, 0.1, position=(3, 0))
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle="pi/2"), car.at(0, 0, angle="pi/2")))
    hub = m.add(lw.Revolute("hub", m.ground.at(3, 0), fan.at(0, 0)))
    m.add(lw.PID("hoist", guide, 0.0, kp=1000, ki=100, kd=100, limits=(-50, 50)))
    m.add(lw.PID("turn", hub, 1.0, kp=5, ki=1, kd=1))
    with pytest.raises(
        AssemblyError, match=r"nothing holds car.vy against a force of -48\.1: hoist can push no more"
    ) as caught:
        lw.equilibrium(m)
    assert caught.value.element == ("hoist",)
    m = m.without("hoist")
    m.add(lw.PID("hoist", m["guide"], 0.0, kp=1000, ki=100, kd=100, limits=(-150, 150)))
    e = lw.equilibrium(m)
    assert e.stability == "stable"
    assert e["hoist.force"] == pytest.approx(98.1)
