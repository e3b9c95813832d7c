"""Partitioning and Park's hybrid treatment in loops: dependent displacements follow the others by sparse factors."""

import time

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from linkwright.analyses.dynamics.looped.partition import Partition
from linkwright.analyses.dynamics.whole import partition
from linkwright.compile.sparse_lu import Plan
from linkwright.solve.free_columns import EVEN, evened, free_columns, motions
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.flow import LoopedFlow
from loaded_machines import bar_pendulum, random_machine, slider_crank
from looped_runs import chain, closed, rope

# by elliptic functions, at t = 1, 2, 10
ANGLES = [8.97621720837182, 13.9729216040128, 50.9516358533416]
BOTH = pytest.mark.parametrize("how", ["partitioning", "hybrid"])


@pytest.fixture
def looped(monkeypatch):
    monkeypatch.setattr(size_policy, "LOOPED", 1)


@BOTH
@pytest.mark.parametrize(("dimension", "seed", "changes"), [(2, 0, False), (2, 4, False), (3, 0, True), (3, 2, True)])
def test_random_machines_move_as_compiled_as_a_whole(how, dimension, seed, changes, monkeypatch):
    """Both err by their steps: some 1e-8 at this tolerance, ten times as much in accelerations. Most of them choose other
    coordinates on the way."""
    found = []
    for limit in (10**9, 1):
        monkeypatch.setattr(size_policy, "LOOPED", limit)
        m = random_machine(dimension, np.random.default_rng(seed), bodies=4)
        found.append(lw.dynamics(m, 0.5, 3, rtol=1e-10, constraints=how))
    whole, loops = found
    assert ("loops" in whole.audit.why, "loops" in loops.audit.why) == (False, True)
    assert ("other independent coordinates from t = " in loops.audit.why) == changes
    assert whole.audit.constraints == loops.audit.constraints == how
    for name in whole.channels:
        assert np.abs(whole[name] - loops[name]).max() < 1e-6 * (1 + np.abs(whole[name]).max()), name
    assert loops.audit.position_error < (1e-13 if how == "partitioning" else 1e-8)  # rounding; `constraint_tol`


@BOTH
@pytest.mark.usefixtures("looped")
def test_a_bar_that_goes_round(how):
    """The angle is that of the closed form."""
    d = lw.dynamics(bar_pendulum(), t_eval=[0, 1, 2, 10], rtol=1e-10, atol=1e-12, constraints=how)
    assert d["bar.angle"][1:] == pytest.approx(ANGLES, abs=1e-6 if how == "partitioning" else 1e-5)


@BOTH
@pytest.mark.usefixtures("looped")
def test_a_driven_machine_has_no_independent_coordinates(how):
    d = lw.dynamics(slider_crank(), t_end=0.5, steps=4, constraints=how)
    assert d["slider.x"] == pytest.approx(lw.kinematics(slider_crank(), t_end=0.5, steps=4)["slider.x"], abs=1e-8)


@pytest.mark.usefixtures("looped")
def test_hybrid_gives_up_stabilisation_where_equations_are_ill_conditioned(monkeypatch):
    """Haug 7.3.5; the limit is set so that any pivot is below it."""
    monkeypatch.setattr(partition, "ILL", 2.0)
    d = lw.dynamics(bar_pendulum(), t_eval=[0, 1, 2], rtol=1e-10, atol=1e-12, constraints="hybrid")
    assert d["bar.angle"][1:] == pytest.approx(ANGLES[:2], abs=1e-6)
    assert "pure partitioning from t = " in d.audit.why
    assert d.violation.position[1:].max() < 1e-12


@BOTH
@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_two_hundred_bodies(how, formulation):
    """Within seconds of the processor (0.1 s of it measured), in both charts the motion of projected states."""
    projected = lw.dynamics(chain(200), 0.3, 2)
    start = time.process_time()
    d = lw.dynamics(chain(200), 0.3, 2, constraints=how, formulation=formulation)
    assert time.process_time() - start < 10.0
    assert "compiled in loops over 200 bodies" in d.audit.why
    assert (d.audit.constraints, d.audit.formulation) == (how, formulation)
    assert np.abs([d[f"b{k}.z"] - projected[f"b{k}.z"] for k in range(200)]).max() < 1e-7
    assert d.audit.energy_error < 1e-9


def test_independent_coordinates_stay_as_they_are():
    """The others are moved until the joints close to rounding, twice quadratically from 1e-5."""
    system, rng = LoopedSystem(rope(6)), np.random.default_rng(0)
    q = np.concatenate([[k + 0.5, 0, 0] for k in range(6)])
    q[2::3] = 0.1 * rng.normal(size=6)
    q, _ = closed(system, q)
    chosen = Partition.at(system, q, 0.0)
    assert chosen is not None
    assert len(chosen.dependent) == system.rows
    assert chosen.growth(system, q, 0.0) <= EVEN * (1 + 1e-12)
    flow, free = LoopedFlow(system, following=chosen.following), chosen.free(system.nv)
    y = flow.state(q + 1e-5 * rng.normal(size=system.nq), rng.normal(size=system.nv))
    (z,) = flow.projection(np.zeros(1), y, *[np.zeros(0)] * 4)
    Phi, rate = flow.errors(np.zeros(1), z, *[np.zeros(0)] * 4)
    assert max(np.abs(Phi).max(), np.abs(rate).max()) < 1e-13
    assert (z[free] == y[free]).all()
    assert (z[system.nq :][free] == y[system.nq :][free]).all()
    assert chosen.following.failed[0] == 0


def test_columns_that_make_large_motions_are_exchanged():
    """Of random rows any columns will do, but few do well; Z of those that do satisfies the rows and has no large number."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(1)
    S = csr_array(rng.normal(size=(12, 20)) * (rng.random((12, 20)) < 0.4))
    chosen, Z = free_columns(S, True, wanted=list(range(8)))
    assert np.abs(Z).max() > EVEN
    Z = motions(S, evened(chosen, Z))
    assert np.abs(Z).max() <= EVEN * (1 + 1e-9)
    assert np.abs(S @ Z).max() < 1e-12


def test_the_plan_knows_numbers_that_are_zero_where_it_is_made():
    """A ring of 200 rows, each with its neighbours, of which all but the diagonal are zero at first: an order chosen for the
    diagonal alone could fill in 200^2 numbers; by the places of all, some 7 a row."""
    from scipy.sparse import csc_matrix

    n, mixed = 200, np.random.default_rng(0).permutation(200)
    near = [(mixed[k], mixed[(k + d) % n]) for k in range(n) for d in (-1, 0, 1)]
    rows, columns = np.array(near).T
    A = csc_matrix((np.where(rows == columns, 1.0, 0.0), (rows, columns)), shape=(n, n))
    assert Plan.at(A, rows, columns).size < 8 * n
