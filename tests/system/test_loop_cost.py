"""The operations of a tree with loops, counted before any tracing, against the elimination that is traced."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.formulation import check_size
from linkwright.analyses.mechanical import LoadedMachine
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.joint_form import JointFlow
from linkwright.system.loop_cost import LoopCost
from linkwright.system.spanning_tree import spanning_tree


def four_bars(count, tower):
    """Each on the one below, or all on the ground."""
    m = lw.PlanarModel("four-bars")
    low = [m.ground.at(0, 0), m.ground.at(1, 0)]
    for k in range(count):
        a, b = (m.body(f"{x}{k}", 1.0, 0.1, position=(float(x == "b"), 0.5 + k), angle=np.pi / 2) for x in "ab")
        c = m.body(f"c{k}", 1.0, 0.1, position=(0.5, 1 + k))
        for leg, foot, end in zip((a, b), low, (c.at(-0.5, 0), c.at(0.5, 0)), strict=True):
            m.add(lw.Revolute(f"{leg.name} foot", foot, leg.at(-0.5, 0)))
            m.add(lw.Revolute(f"{leg.name} head", leg.at(0.5, 0), end))
        low = [c.at(-0.5, 0), c.at(0.5, 0)] if tower else [m.ground.at(0, k + 1), m.ground.at(1, k + 1)]
    return m


def cost(m):
    return LoopCost(LoadedMachine(m).system, spanning_tree(m))


@pytest.mark.parametrize("tower", [True, False])
def test_the_count_is_that_of_the_traced_elimination(tower):
    m = four_bars(4, tower)
    machine = LoadedMachine(m)
    flow = JointFlow(machine.system, JointCoordinates(machine.system, lw.assemble(m).q), range(len(machine.system.rows)))
    n, below = flow.joints.nv, flow.saddle.factors.below
    traced = sum(len(below[k]) ** 2 for k in range(n))
    counted = cost(m)
    rows = {True: 8**3 / 3, False: 4 * 2**3 / 3}[tower]  # eight that meet, or four times two
    assert counted.full() - rows == pytest.approx(traced, rel=1e-12)
    assert (counted.speeds, len(counted.rows)) == (n, len(flow.rows))


def test_separate_machines_add_up():
    one, many = cost(four_bars(1, False)), cost(four_bars(9, False))
    assert many.full() == pytest.approx(9 * one.full(), rel=1e-12)
    assert many.joint_by_joint() == pytest.approx(9 * one.joint_by_joint(), rel=1e-12)


def test_a_coupler_joins_the_parts_it_couples():
    m = four_bars(2, False)
    m.add(lw.Coupler("chain", {m["a0 foot"].angle: 1.0, m["a1 foot"].angle: -1.0}))
    own, apart = cost(m), cost(four_bars(2, False))
    # a0 and a1 meet three rows, not two; and five rows meet each other, not two and two
    assert own.full() - apart.full() == pytest.approx(2 * (3**2 - 2**2) + (5**3 - 2 * 2**3) / 3, rel=1e-12)


@pytest.mark.parametrize("formulation", ["joint", "kane"])
def test_many_small_machines_are_not_refused(formulation):
    check_size(LoadedMachine(four_bars(70, False)), formulation)
