"""Chains of many loops: large machines take another way through assembly and along the motion, and end in the same place."""

import numpy as np
import pytest

import linkwright as lw
from large_machines import loops

MANY = 15  # 186 unknowns: sparse assembly and motion; two loops are dense


def test_the_first_loops_do_not_notice_the_others():
    few, many = (lw.kinematics(loops(n, off=0.02), t_end=2, steps=200) for n in (2, MANY))
    for c in ("rocker1.e3", "rocker1.wz", "rocker1.alphaz", "coupler1.x", "coupler1.az", "D1.angle", "C1.angle_i"):
        np.testing.assert_allclose(many[c], few[c], atol=1e-9, err_msg=c)
    assert many.audit.position_error < 1e-11
    # two turns: what comes round is the same
    last = many[f"rocker{MANY - 1}.wz"]
    np.testing.assert_allclose(last[:101], last[100:], atol=1e-9)


def test_large_machines_assemble_with_freedom_left():
    """Nearest to the estimates, as far as the method without curvature goes: the joints close."""
    c = lw.assemble(loops(MANY, driven=False, off=0.02))
    assert c.audit.position_error < 1e-11
    assert abs(c["A.angle"]) < 0.2


def test_a_large_machine_that_does_not_close():
    m = loops(MANY)
    m.add(lw.Distance("wrong", m["rocker3"].at(0, 0, 0), m.ground.at(0, 0, 0), 5.0))  # its pivot stays 8 m away
    with pytest.raises(lw.AssemblyError) as error:
        lw.assemble(m)
    assert "wrong" in error.value.element


def test_a_large_machine_locks_up():
    """At the end of the chain a rod to an arm of 0.05 m, which cannot follow: in the plane their distance is the limit."""
    m = loops(MANY - 1)
    arm = m.body("arm", position=(35, 0, 0.2))
    m.add(lw.Revolute("E", m.ground.at(35, 0, 0.2), arm.at(0, 0, 0)))
    m.add(lw.Distance("rod", m["rocker13"].at(0, 1, 0), arm.at(0.05, 0, 0), np.sqrt(50.04)))  # the tip is 0.2 m higher
    with pytest.raises(lw.SingularityError) as stop:
        lw.kinematics(m, t_end=1, steps=200)
    assert stop.value.kind == "lock-up"
    k = lw.kinematics(loops(MANY - 1), t_eval=[0, stop.value.time])
    turn = k["D13.angle"][-1]
    reach = np.hypot(35 - 28 + np.sin(turn), np.cos(turn))
    # as near as time is known at the fold, where the distance moves steadily
    assert abs(reach - np.sqrt(50)) == pytest.approx(0.05, abs=1e-6)
