"""Kinematics and inverse dynamics of large machines, evaluated shape by shape: the same motion, and the same obstacles."""

import numpy as np
import pytest

import linkwright as lw
from large_machines import loops, windows
from linkwright import size_policy
from linkwright.analyses.motion import kinematics
from linkwright.system import System
from linkwright.system.shaped import ShapedSystem
from planar_machines import slider_crank


@pytest.fixture
def both(monkeypatch):
    """What a call gives by shapes and as a whole; errors as they are."""

    def of(call):
        found = []
        for many in (1, 50):
            monkeypatch.setattr(size_policy, "LOOPED", many)
            monkeypatch.setattr(size_policy, "LOOPED_MOTION", many)
            try:
                found.append(call())
            except lw.LinkwrightError as error:
                found.append(error)
        return found

    return of


def _same(mine, theirs, atol):
    assert list(mine) == list(theirs)
    for name in mine:
        np.testing.assert_allclose(mine[name], theirs[name], atol=atol * (1 + np.abs(theirs[name]).max()), err_msg=name)


def test_loops_in_space(both):
    """Newton ends at corrections of 1e-11, whose squares are left."""
    mine, theirs = both(lambda: lw.kinematics(loops(2, off=0.02), t_end=2, steps=60))
    _same(mine, theirs, 1e-10)
    assert mine.audit.position_error < 1e-12


def test_efforts_and_reactions(both):
    def heavy():
        m = loops(1)
        for body in [b for b in m.bodies.values() if not b.is_ground]:
            m.add(lw.PointForce(f"weight of {body.name}", body.at(0, 0, 0), force=(0, 0.5, -9.81)))
        return m

    mine, theirs = both(lambda: lw.inverse_dynamics(heavy(), t_end=1, steps=20))
    _same(mine, theirs, 1e-9)
    assert np.abs(mine["motor.torque"]).max() > 0.1
    for name, x in mine.imbalance.items():
        np.testing.assert_allclose(x, 0, atol=1e-9, err_msg=name)


def test_redundant_machines(both):
    def turning():
        m = windows(2, 0.3)
        m.add(lw.Driver("motor", m["A0"].angle, "0.3 + t"))
        return m

    mine, theirs = both(lambda: lw.kinematics(turning(), t_end=1, steps=20))
    _same(mine, theirs, 1e-9)


def test_lock_up(both):
    """A crank longer than its rod stops where r sin(theta) = L, at 0.1 + t = asin(0.75)."""
    for error in both(lambda: lw.kinematics(slider_crank(r=2.0, L=1.5, motion="0.1 + t"), t_end=2, steps=20)):
        assert isinstance(error, lw.SingularityError)
        assert error.kind == "lock-up"
        assert error.time == pytest.approx(np.arcsin(0.75) - 0.1, abs=1e-8)


def test_a_branch_of_parallelograms(both):
    """At pi all bars lie on one line: the motion may go on as a parallelogram or the other way round."""

    def turning():
        m = windows(1, 0.3)
        m.add(lw.Driver("motor", m["A0"].angle, "0.3 + t"))
        return m

    mine, theirs = both(lambda: lw.kinematics(turning(), t_end=4, steps=50))
    assert isinstance(theirs, lw.SingularityError)
    assert isinstance(mine, lw.SingularityError)
    assert mine.kind == theirs.kind == "bifurcation"
    # a crossing is found to some 1e-9: there the equations are singular
    assert mine.time == pytest.approx(np.pi / 2 - 0.3, abs=1e-6)
    assert len(mine.branches) == len(theirs.branches) == 2


def test_motions_asked_again_and_again_are_compiled_as_a_whole(monkeypatch):
    """A planar machine is kept from call to call. Shapes are worth their time for a few points, whose number counts."""
    monkeypatch.setattr(size_policy, "LOOPED", 1)
    monkeypatch.setattr(size_policy, "LOOPED_MOTION", 1)
    kinds, moved = [], kinematics.moved
    monkeypatch.setattr(kinematics, "moved", lambda m, *args: kinds.append(type(m.system)) or moved(m, *args))
    m = lw.PlanarModel("crank")
    L = m.parameter("L", 1.0)
    arm, tip = m.body("arm"), m.body("tip", position=(1, 0))
    joint = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Fixed("B", arm.at(L, 0), tip.at(0, 0)))
    m.add(lw.Driver("motor", joint.angle, "2*t"))
    for k in range(4):
        m.set(L=1.0 + k)
        found = lw.kinematics(m, t_end=1, steps=79)
        np.testing.assert_allclose(found["tip.x"], (1 + k) * np.cos(2 * found.t), atol=1e-11)
    assert kinds == [ShapedSystem, ShapedSystem, System, System]
