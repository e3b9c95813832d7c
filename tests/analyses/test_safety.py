"""No run is returned as if nothing were when its constraints or its energy are not kept."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ellipk

import linkwright as lw
from linkwright import size_policy
from linkwright.analyses.machine.invariants import Drift
from linkwright.analyses.machine.safety import Allowed, Kept, judged
from linkwright.analyses.machine.safety_loop import RowErrors


def mass_on_a_rod() -> lw.Model:
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    b = m.body("b", mass=1, inertia=1, position=(1, 0))
    m.add(lw.Distance("rod", m.ground.at(0, 0), b.at(0, 0), 1.0))
    return m


@pytest.mark.parametrize("constraints", ["projection", "partitioning", "hybrid", "stabilization", "augmented"])
@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_a_pendulum_let_go_from_the_horizontal(constraints, formulation):
    """The dependent coordinate must change on the way down: x at the start, y at the bottom."""
    d = lw.dynamics(mass_on_a_rod(), t_eval=[0, 0.59196, 1], constraints=constraints, formulation=formulation)
    assert np.hypot(d["b.x"], d["b.y"]) == pytest.approx(np.ones(3), abs=1e-8)  # constraint_tol of "hybrid"
    speed = np.hypot(d["b.vx"], d["b.vy"])
    assert 0.5 * speed**2 + 9.81 * d["b.y"] == pytest.approx(np.zeros(3), abs=1e-6)  # 100 steps of rtol = 1e-8
    assert d.audit.energy_error < 1e-6


@pytest.mark.parametrize("steps", [1, 2, 3, 7, 10])
def test_the_energy_error_does_not_depend_on_output_times(steps):
    """Output that falls where the pendulum rests saw energies of zero, and called rounding an error of a quarter."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    b = m.body("b", mass=1, inertia=0, position=(1, 0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), b.at(-1, 0)))
    once = lw.dynamics(m, t_end=10.0, steps=1, events={"rest": "b.omega"})
    period = 2 * once.events[0][0]
    d = lw.dynamics(m, t_end=steps * period, steps=steps)
    assert np.abs(d["b.omega"]).max() < 1e-5  # it rests at every output
    other = lw.dynamics(m, t_end=steps * period, steps=13 * steps + 1)
    assert d.audit.energy_error == other.audit.energy_error < 1e-6


def test_what_is_said_of_the_energy_does_not_depend_on_output_times():
    """Under the force t a body moves by t^3/6, which Radau follows in steps as long as they can be; within them the work,
    t^4/8, is interpolated. That was told as an error of the motion where output fell within a step."""
    m = lw.PlanarModel("pushed")
    m.add(lw.Force("push", m.body("b", mass=1, inertia=1).x, lambda x, v, t: t))
    said = [lw.dynamics(m, t_end=2.0, steps=n, method="radau").audit.notes for n in (1, 2, 10, 100)]
    assert said == [[]] * 4


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_a_large_pendulum_stands_on_the_ground(formulation):
    """Of a billion metres: that its pin holds it was not seen beside its length, and its momentum found not kept."""
    L = 1e9
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    b = m.body("b", mass=1, inertia=0, position=(L * np.sin(1), -L * np.cos(1)), angle=1.0)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), b.at(0, L)))
    period = 4 * np.sqrt(L / 9.81) * ellipk(np.sin(0.5) ** 2)
    d = lw.dynamics(m, t_end=period, steps=4, formulation=formulation)
    assert d["b.angle"] == pytest.approx([1, 0, -1, 0, 1], abs=1e-6)  # 50 steps at rtol = 1e-8


def test_a_run_of_next_to_no_time_ends_as_it_began():
    m = mass_on_a_rod()
    m.fix(m["b"].vy, 1.0)
    d = lw.dynamics(m, t_end=1e-300, steps=1)
    assert d["b.vy"].tolist() == [1.0, 1.0]
    assert d.audit.notes == []


@pytest.mark.parametrize("gravity", [(0, -9.81), (0, 0)])
def test_a_machine_that_stands_has_no_error_of_energy(gravity):
    """Two couplers lock two wheels whose mass centres are off their pins: energies of 1e-60 J are none."""
    m = lw.PlanarModel("locked", gravity=gravity)
    a = m.body("a", mass=1, inertia=0.1, com=(0.3, 0), angle=0.5)
    b = m.body("b", mass=1, inertia=0.1, com=(0.3, 0), position=(1.8, 0), angle=0.3)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    B = m.add(lw.Revolute("B", m.ground.at(1.8, 0), b.at(0, 0)))
    m.add(lw.Coupler("C", {A.angle: 1, B.angle: 0.8}, value=None))
    m.add(lw.Coupler("D", {A.angle: 1, B.angle: 0.9}, value=None))
    d = lw.dynamics(m, t_end=1.0, steps=2)
    assert d.audit.energy_error < 1e-8
    assert not d.audit.notes


def kept(**changes: np.ndarray) -> Kept:
    t = np.linspace(0, 1, 11)
    given = {"kinetic": t, "potential": -t, "work": 0 * t, "position": 0 * t, "velocity": 0 * t, "row": np.zeros(11, int)}
    return Kept(t, **{**given, **changes})


def test_what_is_kept_is_not_remarked_on():
    assert judged(kept(), ["rod.length"], Allowed(1e-8, 100)) == ([], None)


@pytest.mark.parametrize("level", ["position", "velocity"])
def test_joints_that_come_apart_end_the_run_and_are_named(level):
    off = np.zeros(11)
    off[7:] = 1e-3
    notes, error = judged(kept(**{level: off}), ["rod.length"], Allowed(1e-8, 100))
    assert error is not None
    assert error.element == ("rod",)
    assert error.time == pytest.approx(0.7)
    assert f"the {level} of rod.length is off by 0.001" in error.cause
    assert notes == []


def test_a_mild_drift_is_told_in_the_audit():
    notes, error = judged(kept(position=np.linspace(0, 2e-6, 11)), ["rod.length"], Allowed(1e-8, 100))
    assert error is None
    assert notes == ["the position of rod.length is off by 2e-06 (relative) at t = 1: more than the tolerance 1e-08 allows"]


def test_energy_that_does_not_add_up_ends_the_run():
    t = np.linspace(0, 1, 11)
    notes, error = judged(kept(kinetic=1.5 * t), ["rod.length"], Allowed(1e-8, 100))
    assert error is not None
    assert "energy balance" in error.cause
    assert notes == []
    notes, error = judged(kept(kinetic=1.0005 * t), ["rod.length"], Allowed(1e-8, 100))
    assert error is None
    assert "energy balance" in notes[0]


def test_treatments_that_correct_nothing_may_drift_until_joints_come_apart():
    free = Allowed(1e-8, 100, positions=False, velocities=False)
    assert judged(kept(position=np.full(11, 1e-4)), ["rod.length"], free) == ([], None)
    assert judged(kept(position=np.full(11, 0.1)), ["rod.length"], free)[1] is not None


def loose_pair(n: int) -> lw.Model:
    """Two bodies joined to each other by all that acts inside, with their mass centres elsewhere than their origins."""
    m = lw.PlanarModel("pair", gravity=(0.5, -9.81)) if n == 2 else lw.SpatialModel("pair", gravity=(0.5, 0, -9.81))
    zero, J, w = (0,) * (n - 2), 0.1 if n == 2 else (0.1, 0.2, 0.25), 3.0 if n == 2 else (3.0, 1.0, 2.0)
    a = m.body("a", 1.0, J, com=(0.1, 0.2, *zero), velocity=(1, 2, *zero), omega=w)
    b = m.body("b", 2.0, J, position=(1, 0.1, *zero), velocity=(0, 1, *zero))
    pin = m.add((lw.Revolute if n == 2 else lw.Spherical)("pin", a.at(0.4, 0, *zero), b.at(-0.6, -0.1, *zero)))
    m.add(lw.Friction("rub", pin, mu=0.1, radius=0.1))
    m.add(lw.Spring("spring", a.at(0, 0.5, *zero), b.at(0, 0.5, *zero), k=50, length=0.5, c=1))
    m.add(lw.Contact("bump", a.at(0, -0.5, *zero), b.at(0, -0.5, *zero), radii=(0.35, 0.35), on="sphere", restitution=0.5))
    return m


@pytest.fixture
def drifts(monkeypatch):
    """What the runs of a test looked at, by name."""
    import importlib

    module, found = importlib.import_module("linkwright.analyses.dynamics.result"), {}
    known = module.judged

    def looked(kept, rows, allowed, drifts=(), *more):
        found.clear()
        found.update({d.what: float(d.values.max()) for d in drifts})
        return known(kept, rows, allowed, drifts, *more)

    monkeypatch.setattr(module, "judged", looked)
    return found


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
@pytest.mark.parametrize("n", [2, 3])
def test_momenta_that_nothing_outside_changes(n, formulation, drifts):
    """Of a machine in free fall, with a joint, dry friction, a spring, and balls that strike: as tolerances allow."""
    d = lw.dynamics(loose_pair(n), t_end=0.5, steps=2, rtol=1e-8, formulation=formulation)
    names = {f"the momentum along {c}" for c in "xyz"[:n]} | {
        f"the moment of momentum about {c}" for c in ("z" if n == 2 else "xyz")
    }
    assert names <= set(drifts)
    assert max(drifts.values()) < 1e-7  # tens of steps of 1e-8 each
    assert not [note for note in d.audit.notes if "tolerance" in note]


@pytest.mark.parametrize("n", [2, 3])
def test_momenta_of_a_machine_in_loops(n, drifts, monkeypatch):
    """A chain of three in free fall, as if it were large: the same are looked at."""
    monkeypatch.setattr(size_policy, "LOOPED", 2)
    m = lw.PlanarModel("loose", gravity=(0, -9.81)) if n == 2 else lw.SpatialModel("loose", gravity=(0, 0, -9.81))
    rest = (0,) * (n - 1)
    turn, moment = ({"omega": 2.0}, 0.1) if n == 2 else ({"omega": (1.0, 2.0, 0.5)}, (0.1, 0.2, 0.3))
    bodies = [m.body(f"b{k}", 1.0 + k, moment, position=(k, *rest), **(turn if k == 0 else {})) for k in range(3)]
    for k, (a, b) in enumerate(pairwise(bodies)):
        m.add(lw.Revolute(f"J{k}", a.at(0.5, *rest), b.at(-0.5, *rest)))
    d = lw.dynamics(m, t_end=0.5, steps=2, rtol=1e-8)
    assert "compiled in loops" in d.audit.why
    assert sum("momentum" in name for name in drifts) == (3 if n == 2 else 6)
    assert max(drifts.values()) < 1e-7  # tens of steps of 1e-8 each


def test_momenta_that_something_outside_changes_are_not_looked_at(drifts):
    """A rail keeps the momentum along itself alone; a force of the ground none."""
    m = lw.PlanarModel("rail", gravity=(0, -9.81))
    a, b = m.body("a", 1.0, 0.1, velocity=(1, 0)), m.body("b", 1.0, 0.1, position=(1, 0))
    m.add(lw.PointOnLine("rail", m.ground.at(0, 0, angle=0), a.at(0, 0)))
    m.add(lw.Distance("rod", a.at(0, 0), b.at(0, 0), 1.0))
    lw.dynamics(m, t_end=0.5, steps=2)
    assert list(drifts) == ["the momentum along x"]
    m.add(lw.PointForce("push", b.at(0, 0), (1.0, 0)))
    lw.dynamics(m, t_end=0.5, steps=2)
    assert list(drifts) == []


def test_a_momentum_that_drifts_is_told():
    t = np.linspace(0, 1, 11)
    for off, said in ((1e-3 * t, "note"), (0.5 * t, "error")):
        drift = Drift("the momentum along x", t, off)
        notes, error = judged(kept(), ["rod.length"], Allowed(1e-8, 100), [drift])
        assert (len(notes), error is None) == ((1, True) if said == "note" else (0, False))
        assert "the momentum along x is off by" in (notes[0] if error is None else error.cause)


def test_what_sticks_and_what_is_closed_is_where_it_was(drifts):
    m = lw.PlanarModel("slope", gravity=(0, -10))
    block = m.body("block", 1.0, 0.1, position=(0, 0.1), velocity=(0.5, 0), shape={"box": (0.4, 0.2)})
    m.add(lw.Contact("floor", block, m.ground.at(0, 0, angle=0), restitution=0.0))
    guided = m.body("guided", 1.0, 0.1, position=(0, 2), velocity=(0.5, 0))
    guide = m.add(lw.Translational("guide", m.ground.at(0, 2, angle=0), guided.at(0, 0, angle=0)))
    m.add(lw.Friction("rub", guide, mu=0.3))
    lw.dynamics(m, t_end=1.0, steps=4)
    assert drifts["the gap of floor, which is closed,"] < 1e-12
    assert drifts["the place of rub, which sticks,"] < 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_the_native_loop_over_states_says_what_numpy_does(seed):
    """`Kept.of` is the reference; some rows are empty, some errors zero, and what is no number stays so."""
    rng = np.random.default_rng(seed)
    states, count, nv = int(rng.integers(1, 30)), int(rng.integers(1, 9)), 7
    dense = rng.random((count, nv)) < 0.5
    rows, columns = np.nonzero(dense)
    scale = rng.uniform(0.1, 3, nv)
    J, nu, Phi = (rng.normal(size=(states, k)) for k in (len(rows), count, count))
    v = rng.normal(size=(states, nv + 3))[:, :nv]  # rows that lie apart
    Phi[:, 0] = 0.0
    if seed == 3:
        Phi[-1, -1] = np.nan
    matrix = np.zeros((states, count, nv))
    matrix[:, rows, columns] = J
    every = 1 + (states - 1) // 8
    lengths = np.linalg.norm(matrix[::every] * scale, axis=2)
    lengths = np.where(lengths > 0, lengths, 1.0).max(axis=0)
    rate = np.einsum("tij,tj->ti", matrix, v) - nu
    t = np.linspace(0, 1, states) if states > 1 else np.zeros(1)
    energies, work, q = rng.normal(size=(states, 3)), rng.normal(size=states), rng.normal(size=(states, 9))
    told = Kept.of(t, energies.T[:2], work, (np.abs(Phi), np.abs(rate)), lengths, v / scale, 1e-3)
    slow = 1e-3 / max(float(t[-1] - t[0]), 1e-300)  # as `Kept.of` takes it
    native = RowErrors((rows, columns), scale, count, np.array([1, 5]))
    found, worst, most = native.of((J, nu, Phi, v, q), (energies, work, 1e-3), every, slow)
    for own, other in zip(found, (told.position, told.velocity, *told.errors), strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-12)  # sums in another order
    known = np.isfinite(Phi).all(axis=1)
    np.testing.assert_array_equal(worst[known], told.row[known])
    lengths = np.abs(np.sum(q[:, 1:].reshape(states, 2, 4) ** 2, axis=2) - 1).max()
    np.testing.assert_allclose(most, [*told.most[:3], lengths], rtol=1e-12)
    bad = np.where(np.arange(states) == states // 2, np.nan, work)
    assert np.isnan(native.of((J, nu, Phi, v, q), (energies, bad, 1e-3), every, slow)[2].energy)


def test_looks_that_fall_on_output_times_are_no_second_output():
    """Steps of fixed length end at output times; every state is shown once, and the audit is that of other output."""
    m = mass_on_a_rod()
    run = {"t_end": 1.0, "method": "rk4", "first_step": 0.01}
    d, few = lw.dynamics(m, steps=100, **run), lw.dynamics(m, steps=1, **run)
    assert len(d.t) == 101
    assert (np.diff(d.t) > 0).all()
    assert d.audit.energy_error == few.audit.energy_error > 0


@pytest.mark.parametrize("rails", [1, 2])
def test_a_table_on_level_rails_stands(rails):
    """cos(pi/2) is not zero but 6e-17: what that lets through of the weight is rounding, moving or at rest."""
    m = lw.SpatialModel("table", gravity=(0, 0, -9.81))
    table = m.body("table", mass=2.0, inertia=(0.1, 0.1, 0.1))
    along = ((0.0, 1.0, 0.0), np.pi / 2)
    for k in range(rails):
        m.add(lw.Translational(f"rail{k}", m.ground.at(0, k, 0, rotation=along), table.at(0, k, 0, rotation=along)))
    d = lw.dynamics(m, t_end=0.2, steps=2)
    assert abs(d["table.x"][-1]) < 1e-15
    assert not any("momentum" in note for note in d.audit.notes)
    e = lw.equilibrium(m)
    assert (e.stability, e["table.x"]) == ("neutral", pytest.approx(0.0, abs=1e-12))


def test_level_gears_stand():
    """Two balanced wheels in mesh: their weight has no moment about their pins but by rounding."""
    m = lw.PlanarModel("gears", gravity=(0, -9.81))
    a, b = m.body("a", mass=1, inertia=0.1), m.body("b", mass=1, inertia=0.1, position=(0.35, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(0.35, 0), b.at(0, 0)))
    m.add(lw.Gear("mesh", a.at(0, 0), b.at(0, 0), radii=(0.1, 0.2)))
    e = lw.equilibrium(m)
    assert (e.stability, e["a.angle"]) == ("neutral", pytest.approx(0.0, abs=1e-12))
