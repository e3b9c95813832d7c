"""Large machines whose joints depend on each other, or with bodies without inertia, against those compiled as a whole."""

import time
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwright as lw
from large_machines import windows
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.dynamics import equations
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.machine import Machine
from linkwright.compile import Code, Pointers, i64, native
from linkwright.system.looped import LoopedFlow, LoopedSystem
from looped_runs import fitting, rope, simulated, span


def doors(n, hinges=2):
    """Each hangs on the one before by two hinges in a row: ten equations where five would do."""
    m = lw.SpatialModel("doors", gravity=(0.5, -1.0, -9.81))
    before, at = m.ground, np.zeros(3)
    for k in range(n):
        b = m.body(f"b{k}", mass=1 + 0.1 * (k % 3), inertia=(0.2, 0.3, 0.1), position=(k + 0.5, 0, 0),
                   omega=(0, 0, 1.0 if k == 0 else 0.0))  # fmt: skip
        tilt = 0.4 * (k % 2)
        turn, axis = ((1, 0, 0), tilt), np.array([0, -np.sin(tilt), np.cos(tilt)])
        for j in range(hinges):
            s = 0.3 * (1 - 2 * j) * axis
            P, Q = before.at(*(at + s), rotation=turn), b.at(*(s - [0.5, 0, 0]), rotation=turn)
            m.add(lw.Revolute(f"hinge{k}_{j}", P, Q))
        before, at = b, np.array([0.5, 0, 0])
    return m


def four_bars(n, rng):
    """Planar loops of four hinges in a random plane of space, each standing on the one before: three rows too many each."""
    m = lw.SpatialModel("four-bars", gravity=(0.3, -9.81, 0.2))
    turn = Rotation.from_rotvec(rng.normal(size=3))
    axis = (tuple(turn.as_rotvec() / turn.magnitude()), turn.magnitude())

    def bar(name, P, Q):
        shape = {"mass": 1 + rng.random(), "inertia": tuple(0.1 + 0.1 * rng.random(3))}
        return m.body(name, position=tuple(turn.apply([*(P + Q) / 2, 0])), **shape), (P + Q) / 2

    def at(body, origin, P):
        return body.at(*turn.apply([*(P - origin), 0]), rotation=axis)

    bottom, zero, left, right = m.ground, np.zeros(2), np.zeros(2), np.array([1.0, 0])
    for k in range(n):
        up = left + np.array([0.3 * rng.random() - 0.1, 1.0])
        across = up + np.array([0.9 + 0.2 * rng.random(), 0.3 * (rng.random() - 0.5)])
        a, c, r = bar(f"a{k}", left, up), bar(f"c{k}", right, across), bar(f"r{k}", up, across)
        m.add(lw.Revolute(f"A{k}", at(bottom, zero, left), at(*a, left)))
        m.add(lw.Revolute(f"C{k}", at(bottom, zero, right), at(*c, right)))
        m.add(lw.Revolute(f"B{k}", at(*a, up), at(*r, up)))
        m.add(lw.Revolute(f"D{k}", at(*c, across), at(*r, across)))
        (bottom, zero), left, right = r, up, across
    return m


def same(m, t_end, tolerance=1e-9):
    """Motion, reactions, whose are not unique, and the note on it. All runs at 3e-13: the rest is rounding."""
    whole, one = lw.dynamics(m, t_end, 4, rtol=3e-13), span(t_end, 4, 3e-13)
    found = simulated(m, one)
    for x in (simulated(m, replace(one, formulation="joint")), found):
        compare(whole, x, tolerance)
    return found


def compare(whole, found, tolerance):
    assert list(found.channels) == list(whole.channels)
    for name in whole.channels:
        assert np.abs(found[name] - whole[name]).max() < tolerance * (1 + np.abs(whole[name]).max()), name
    assert {n: p.unique for n, p in found.places.items()} == {n: p.unique for n, p in whole.places.items()}
    assert [n for n in found.audit.notes if "not unique" in n] == [n for n in whole.audit.notes if "not unique" in n]
    assert "proximal" in found.audit.why
    assert max(found.audit.position_error, found.audit.velocity_error) < 1e-10


def test_a_door_on_two_hinges():
    found = same(doors(1), 0.3)
    assert not found.places["hinge0_0"].unique
    assert any("hinge0_0, hinge0_1" in note for note in found.audit.notes)


def test_a_random_four_bar_in_space():
    same(four_bars(1, np.random.default_rng(1)), 0.15)


@pytest.mark.parametrize("seed", range(3))
def test_random_chains_of_four_bars_against_dense_least_squares(seed):
    """Accelerations are unique: 1e-9 of the largest, with condition numbers of 1e5. They fit all rows."""
    rng = np.random.default_rng(seed)
    system = LoopedSystem(four_bars(5, rng), held=True)
    q, v = close(Machine(system.model), 0.0).q, rng.normal(size=system.nv)
    system.hold(q)
    v = fitting(system, q, v)
    vdot, _, _ = system.accelerations(q, v)
    M, J, force, gamma = system.terms(q, v)
    M, J = M.toarray(), J.toarray()
    K = np.block([[M, J.T], [J, np.zeros((system.rows,) * 2)]])
    exact = np.linalg.lstsq(K, np.concatenate([force, gamma]), rcond=1e-11)[0][: system.nv]
    assert np.linalg.matrix_rank(J, tol=1e-9) == system.rows - 15  # three a loop
    assert np.abs(vdot - exact).max() < 1e-9 * np.abs(exact).max()
    assert np.abs(J @ vdot - gamma).max() < 1e-10 * (1 + np.abs(gamma).max())


def test_bodies_without_inertia_are_carried():
    """A rod without mass between two arms, and a tip that is fixed to the last: their joints hold them."""
    m = lw.PlanarModel("light", gravity=(0, -9.81))
    a, rod, b, tip = (
        m.body(name, position=(k + 0.5, 0), **({"mass": 2.0, "inertia": 0.3} if name in "ab" else {}))
        for k, name in enumerate(("a", "rod", "b", "tip"))
    )
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)))
    m.add(lw.Revolute("B", a.at(0.5, 0), rod.at(-0.5, 0)))
    m.add(lw.Revolute("C", rod.at(0.5, 0), b.at(-0.5, 0)))
    m.add(lw.Fixed("D", b.at(0.5, 0), tip.at(-0.5, 0)))
    found = same(m, 0.1)
    assert all(place.unique for place in found.places.values())


def test_what_nothing_determines_is_named_as_in_small_machines():
    m = lw.PlanarModel("loose", gravity=(0, -9.81))
    a, tip = m.body("a", mass=1.0, inertia=0.1, position=(0.5, 0)), m.body("tip", position=(1.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)))
    m.add(lw.Revolute("B", a.at(0.5, 0), tip.at(-0.5, 0)))  # turns about B without any inertia
    errors = []
    for run in (lambda: lw.dynamics(m, 0.1, 1), lambda: simulated(m, span(0.1, 1))):
        with pytest.raises(lw.ModelError, match="nothing determines the acceleration of") as error:
            run()
        errors.append((error.value.element, error.value.remedy))
    assert errors[0] == errors[1]
    assert errors[0][0] == ("tip",)


def test_what_nothing_determines_is_named_in_large_machines():
    """Thirty frames beside each other without any mass, free to sway: not even the numbers are finite."""
    with pytest.raises(lw.ModelError, match="nothing determines the acceleration of post0") as error:
        lw.dynamics(windows(30), 0.1, 1)
    assert "post0" in error.value.element


def test_dependent_rows_yield_where_joints_are_a_little_open():
    """Two shafts in bearings and a universal joint: within a step the joints are a little open, and rows that depend on each
    other when they are closed would ask for other accelerations there. Steps are as long as in small machines."""
    m = lw.SpatialModel("shafts", gravity=(0, 0, 0))
    a = m.body("a", 1.0, (0.1, 0.1, 0.2), omega=(0, 0, 40.0))
    place = (0, np.sin(0.5), np.cos(0.5))
    b = m.body("b", 1.0, (0.1, 0.1, 0.2), position=place, orientation=((1, 0, 0), -0.5))
    m.add(lw.Cylindrical("A", a.at(0, 0, 0), m.ground.at(0, 0, 0)))
    m.add(lw.Cylindrical("B", b.at(0, 0, 0), m.ground.at(0, 0, 0, rotation=((1, 0, 0), -0.5))))
    arms = a.at(0, 0, 0, rotation=((0, 1, 0), np.pi / 2)), b.at(0, 0, -1, rotation=((1, 0, 0), -np.pi / 2))
    m.add(lw.Universal("U", *arms))
    whole, found = lw.dynamics(m, 0.1, 1, formulation="newton-euler"), simulated(m, span(0.1, 1, 1e-8))
    assert "proximal" in found.audit.why
    assert found.audit.steps < 2 * whole.audit.steps  # four times as many with a regularisation that is too small


@native
def repeat(f: Code, ins: Pointers, outs: Pointers, n: i64) -> None:
    for _ in range(n):
        f(ins, outs)


def test_a_thousand_doors():
    """Energy is kept; momentum changes by weight and by what both hinges of the first bear, to rounding of the sums."""
    d = lw.dynamics(doors(1000), 0.005, 1)
    assert "proximal" in d.audit.why
    assert max(d.audit.position_error, d.audit.velocity_error) < 1e-10
    assert d.audit.energy_error < 1e-9
    masses = np.array([1 + 0.1 * (k % 3) for k in range(1000)])
    for axis, gravity in zip("xyz", (0.5, -1.0, -9.81), strict=True):
        rate = masses @ np.array([d[f"b{k}.a{axis}"][-1] for k in range(1000)])
        held = d[f"hinge0_0.f{axis}"][-1] + d[f"hinge0_1.f{axis}"][-1]
        assert rate == pytest.approx(masses.sum() * gravity + held, abs=1e-8 * masses.sum() * 9.81)
    assert not d.places["hinge500_1"].unique


def test_work_grows_with_the_number_of_doors_alone():
    seconds = []
    for n in (50, 400):
        system = LoopedSystem(doors(n), held=True)
        q = np.tile([0.0, 0, 0, 1, 0, 0, 0], n)
        q[::7] = np.arange(n) + 0.5
        system.hold(q)
        flow = LoopedFlow(system)
        ins, outs = [np.zeros(1), flow.state(q, np.zeros(6 * n))], [np.empty(s) for s in flow.motion.outputs.values()]
        best = np.inf
        for _ in range(7):
            begin = time.process_time()
            repeat(flow.motion, ins, outs, 4000 // n)
            best = min(best, time.process_time() - begin)
        seconds.append(best)  # of as many bodies in all
    assert seconds[1] < 3 * seconds[0]  # longer chains may take an iteration more, and leave the processor's cache


def test_rows_that_become_dependent_on_the_way(monkeypatch):
    """Where a stretch of steps fails at small pivots, it is done again with rows that may depend: here every pivot is taken
    for small, and the motion is that of the plain solution."""
    m = doors(2, hinges=1)
    plain = simulated(m, span(0.2, 4, 1e-11))
    monkeypatch.setattr(equations, "PATIENCE", 3)
    monkeypatch.setattr(trouble, "SINGULAR", 2.0)
    again = simulated(m, span(0.2, 4, 1e-11))
    assert "from t = 0 on a proximal method" in again.audit.why
    for name in plain.channels:
        assert np.abs(again[name] - plain[name]).max() < 1e-9 * (1 + np.abs(plain[name]).max()), name


def test_drivers_that_contradict_each_other_are_told():
    """As of small machines: one joint cannot turn at two speeds."""
    m = rope(60)
    for name, motion in (("one", "0.5*t"), ("other", "0.2*t")):
        m.add(lw.Driver(name, m["J3"].angle, motion))
    with pytest.raises(lw.ModelError, match="no velocity satisfies") as caught:
        lw.dynamics(m, t_end=0.1, steps=2)
    assert set(caught.value.element) == {"one", "other"}


@pytest.mark.parametrize(("formulation", "tolerance"), [("newton-euler", 2e-10), ("joint", 2e-10), ("kane", 2e-9)])
def test_second_hinges_change_no_motion(formulation, tolerance):
    """Of doors that are compiled as a whole. Rounding divided by the regularisation, 1e-16 by 1e-8, remains in
    multipliers, and a part of it in accelerations; by Kane's equations it goes through each joint in turn."""
    tight = {"rtol": 1e-11, "atol": 1e-13}
    one = lw.dynamics(doors(3, 1), 0.2, 4, formulation="joint", **tight)
    two = lw.dynamics(doors(3), 0.2, 4, formulation=formulation, **tight)
    for name in (f"b{k}.{c}" for k in range(3) for c in ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")):
        assert np.abs(two[name] - one[name]).max() < tolerance * (1 + np.abs(one[name]).max()), name
