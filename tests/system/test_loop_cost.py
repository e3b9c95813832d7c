"""The operations of a tree with loops, counted before any tracing, against the elimination that is traced."""

from functools import partial

import pytest

import linkwright as lw
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.graph import operations
from linkwright.system.formulations import NewtonEuler
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.joint_elimination import ByBodies, InSpeeds
from linkwright.system.joint_form import JointFlow
from linkwright.system.loop_cost import LoopCost
from linkwright.system.spanning_tree import spanning_tree
from loop_machines import chain, four_bars


def cost(m):
    return LoopCost(LoadedMachine(m).system, spanning_tree(m))


@pytest.mark.parametrize("tower", [True, False])
def test_the_count_is_that_of_the_traced_elimination(tower):
    m = four_bars(4, tower)
    machine = LoadedMachine(m)
    joints = JointCoordinates(machine.system, lw.assemble(m).q)
    flow = JointFlow(machine.system, joints, range(len(machine.system.rows)), by_bodies=False)
    below = flow.elimination.saddle.factors.below
    counted = cost(m)
    assert counted.full() == sum(len(x) ** 2 for x in below.values())
    assert (counted.speeds, len(counted.rows)) == (flow.joints.nv, len(flow.rows))


@pytest.mark.parametrize("tower", [True, False])
def test_the_count_by_bodies_is_that_of_the_traced_elimination(tower):
    s = LoadedMachine(four_bars(4, tower)).system
    form = NewtonEuler(s, range(len(s.rows)))
    assert form.work() == sum(len(x) ** 2 for x in form.by_bodies().factors.below.values())


@pytest.mark.parametrize("make", [four_bars, partial(chain, closed=True)], ids=["tower", "ring"])
@pytest.mark.parametrize(("count", "way"), [(3, InSpeeds), (9, ByBodies)])
def test_the_way_with_fewer_operations_is_taken(make, count, way):
    """Counted in what is traced, away from where the two are alike."""
    m = make(count)
    s = LoadedMachine(m).system
    joints = JointCoordinates(s, lw.assemble(m).q)
    taken = JointFlow(s, joints, range(len(s.rows)))
    other = JointFlow(s, joints, range(len(s.rows)), by_bodies=way is InSpeeds)
    assert type(taken.elimination) is way
    assert operations(taken.speed_rates) < operations(other.speed_rates)


def test_separate_machines_add_up():
    one, many = cost(four_bars(1, False)), cost(four_bars(9, False))
    assert many.full() == pytest.approx(9 * one.full(), rel=1e-12)
    assert many.joint_by_joint() == pytest.approx(9 * one.joint_by_joint(), rel=1e-12)


def test_a_coupler_joins_the_parts_it_couples():
    m = four_bars(2, False)
    m.add(lw.Coupler("chain", {m["a0_foot"].angle: 1.0, m["a1_foot"].angle: -1.0}))
    own, apart = cost(m), cost(four_bars(2, False))
    # a0 and a1 meet three rows, not two; and of five rows the coupler's meets the others, which meet in pairs
    assert own.full() - apart.full() == 2 * (3**2 - 2**2) + 2 * (2**2 + 1**2 - 1**2)


def test_a_long_chain_is_counted_at_once():
    """300 bars in a ring: two branches of 150, k bars below the k-th, and two rows that reach all."""
    own = cost(chain(300, closed=True))
    assert own.full() == 2 * sum((k + 2) ** 2 for k in range(150)) + 1
