"""Joints that do not close: whether the design, a driver, what is fixed or only the estimate is at fault, and where."""

import re
from math import asin, cos, pi, sin, sqrt

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.assembly.closure import Closure, bring, search, weights
from linkwright.analyses.machine.machine import Machine
from linkwright.solve.nearest import nearest
from planar_machines import dyad, four_bar, gear_slider, haug_four_bar, quick_return


def refused(m, t=0.0) -> lw.AssemblyError:
    with pytest.raises(lw.AssemblyError) as caught:
        lw.assemble(m, t)
    return caught.value


# -- the design ---------------------------------------------------------------------------------------------------------


def one_unknown(t: float, q0: float) -> lw.PlanarModel:
    """Example 4.3.1 with l^2 = 1/2: (q - cos t)^2 + sin^2 t - 1/2 = 0; y and phi are held by themselves."""
    m = lw.PlanarModel("one unknown")
    s = m.body("s", position=(q0, 0))
    m.add(lw.Constraint("y", s.y))
    m.add(lw.Constraint("phi", s.angle))
    m.add(lw.Constraint("rod", (s.x - cos(t)) ** 2 + sin(t) ** 2 - 0.5))
    return m


def test_example_4_3_1_as_a_machine():
    # case 1 has a root, case 2 a double one, which rounding of 1e-16 moves by 1e-8, case 3 none
    assert lw.assemble(one_unknown(0.0, 2.0))["s.x"] == pytest.approx(1.707106781187, rel=1e-12)
    assert lw.assemble(one_unknown(pi / 4, 1.0))["s.x"] == pytest.approx(sqrt(0.5), abs=2e-8)
    m = one_unknown(3 * pi / 8, 1.0)
    error = refused(m)
    assert error.feasible is False
    assert error.element == ("rod",)
    assert error.residuals["rod"] == pytest.approx(0.353553390593274, rel=1e-12)  # sqrt(2)/4, at q = cos(3 pi/8)
    machine = Machine(m)
    found = nearest(Closure(machine, 0.0), machine.estimate(), weights(machine))
    assert found.q[0] == pytest.approx(0.38268343236509, abs=1e-10)


def test_example_3_6_1_contradicts_itself():
    # y + sin phi, y - sin phi, phi - 0.1: the limit of the penalty method, with its share for every equation
    m = lw.PlanarModel("block")
    b = m.body("b", position=(0.3, 0.2), angle=0.2)
    m.add(lw.Constraint("plus", b.y + lw.sin(b.angle)))
    m.add(lw.Constraint("minus", b.y - lw.sin(b.angle)))
    m.add(lw.Constraint("turn", b.angle, 0.1))
    error = refused(m)
    assert error.feasible is False
    assert set(error.element) == {"plus", "minus", "turn"}
    assert 0.1 - error.residuals["turn"] == pytest.approx(0.0333498150014, rel=1e-10)
    assert np.linalg.norm(list(error.residuals.values())) == pytest.approx(0.0816446135982, rel=1e-10)


@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_what_cannot_close_is_named_first(unit):
    """A rod of 30 m to a point that is never farther than 10 m away; the same in millimetres."""
    m = haug_four_bar(a=4.0 * unit, b=6.0 * unit, motion=None)
    m.add(lw.Distance("impossible", m.ground.at(0, 0), m["b3"].at(3 * unit, 0), 30 * unit))
    error = refused(m)
    assert error.feasible is False
    assert error.element[0] == "impossible"
    assert "stay open at best, from your estimates and from 24 others" in error.cause
    assert "your lengths or places do not fit together" in error.remedy


# -- a driver -----------------------------------------------------------------------------------------------------------


def test_a_driver_that_asks_too_much():
    # example 3.7.6 at phi1 = pi/6: a rod of 0.49 closes, but not there; asin(0.49) is the limit
    m = dyad(0.49, "pi/6")
    m["crank"].guess(angle=0.5)
    m["coupler"].guess(position=(0.9, 0), angle=0.2)
    error = refused(m)
    assert error.feasible is False
    # brought there little by little it comes as near to the limit as steps of 1e-4 of the way let it
    said = re.search(r"motor asks for 0\.523599, it could be brought to (\S+)", error.cause)
    assert float(said[1]) == pytest.approx(asin(0.49), abs=1e-4)
    assert float(said[1]) <= asin(0.49) + 1e-6
    assert "the joints close" in error.cause
    assert "motor" in error.element
    [said] = [f for f in lw.check(m).findings if f.code == "contradiction"]
    assert error.cause in said.why
    near = dyad(0.49, "asin(0.49) - 1e-3")
    near["crank"].guess(angle=0.5)
    assert lw.assemble(near).audit.position_error < 1e-12


@pytest.mark.parametrize(("inside", "outside"), [(-0.1204600, -0.1204602), (0.7402298, 0.7402299)])
def test_reach_of_the_gear_slider(inside, outside):
    """|AB| <= 0.8 and >= 0.2: -0.1204600829 < theta < 0.7402298492 (the book prints 0.7330, which is 42 degrees)."""

    def machine(theta):
        m = gear_slider(theta)
        m["gear4"].guess(position=(0.6 - 0.8 * sin(theta), -0.4 + 0.8 * cos(theta)))
        m["gear3"].guess(position=(0.28, 0.1) if theta < 0 else (0.0, -0.3))
        return m

    c = lw.assemble(machine(inside))
    assert np.hypot(c["gear4.x"], c["gear4.y"]) == pytest.approx(0.8 if inside < 0 else 0.2, abs=1e-6)
    error = refused(machine(outside))
    assert error.feasible is False
    assert "setting asks for" in error.cause


@pytest.mark.parametrize("build", [four_bar, quick_return])
def test_drivers_brought_to_their_places(build):
    """From where only the joints close, along the motions the machine can make: to where the search ends as well."""
    machine = Machine(build())
    joints = search(Closure(machine, 0.0, drivers=False), machine.estimate())
    assert abs(machine.Phi_and_J(joints.q, 0.0)[0][machine.is_driver]).max() > 1e-4
    q, whole = bring(Closure(machine, 0.0), joints.q)
    assert whole
    np.testing.assert_allclose(q, lw.assemble(build()).q, atol=1e-9)


# -- what is fixed ------------------------------------------------------------------------------------------------------


def test_fixed_estimates_are_at_fault():
    """A four-bar closes; with two of its angles fixed it need not: the design is right, and it is said which is not."""
    m = four_bar(motion=None)
    free = lw.assemble(m)
    m.fix(m["crank"].angle, 1.0)
    m.fix(m["follower"].angle, 2.0)
    error = refused(m)
    assert error.feasible is True
    assert error.element == ("fix(crank.angle)", "fix(follower.angle)")
    assert "fix(crank.angle) asks for 1, it could be brought to " in error.cause
    assert "fix fewer" in error.remedy
    np.testing.assert_allclose(error.partial.q, free.q, atol=1e-9)  # assembled without what was fixed
    assert error.residuals["fix(crank.angle)"] > 0.01
    report = lw.check(m)
    assert not report.ok
    [found] = [f for f in report.findings if f.code == "not-closing"]
    assert found.elements == error.element
    assert (report.rank, report.dof) == (8, 1)  # of the machine itself
    # one of them alone is met
    one = four_bar(motion=None)
    one.fix(one["crank"].angle, 1.0)
    assert lw.assemble(one)["crank.angle"] == pytest.approx(1.0, abs=1e-12)


def test_how_far_a_fix_could_be_brought():
    """The end of a rod of length one comes up to one, wherever it is estimated."""
    m = lw.PlanarModel("rod")
    rod = m.body("rod", position=(0.5, 0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), rod.at(-0.5, 0)))
    m.fix(lw.component(rod.at(0.5, 0), "y"), 1.4)
    assert "asks for 1.4, it could be brought to 1" in refused(m).cause


def test_a_fix_against_a_driver():
    m = four_bar()
    m.fix(m["A"].angle, 0.0)
    error = refused(m)
    assert error.feasible is True
    assert error.element == ("fix(A.angle)",)
    assert "asks for 0, it could be brought to 1.57" in error.cause


# -- the estimate -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("Model", [lw.PlanarModel, lw.SpatialModel])
def test_estimates_that_lead_into_a_dead_end(Model):
    # x^3 - 3 x + 6: from 2 any method that goes down ends at its minimum x = 1, where it is 4; the root is -2.3553
    m = Model("valley")
    stone = m.body("stone", position=(2, 0, 0)[: 2 if Model is lw.PlanarModel else 3])
    m.add(lw.Constraint("valley", stone.x**3 - 3 * stone.x, -6))
    c = lw.assemble(m)
    assert c["stone.x"] == pytest.approx(np.roots([1, 0, -3, 6])[0].real, abs=1e-10)
    [note] = c.audit.notes
    assert note.startswith("the estimates are at fault: from them valley cannot be closed")
    assert "stone is then 4.36 m" in note
    report = lw.check(m)
    assert report.ok
    [found] = [f for f in report.findings if f.code == "estimates"]
    assert found.elements == ("stone",)
    assert "stone" in found.remedy
    m["stone"].guess(position=(-2, 0, 0)[: 2 if Model is lw.PlanarModel else 3])
    assert lw.assemble(m).audit.notes == []


def test_estimates_of_a_machine_at_fault():
    """A quick-return thrown about: it closes all the same, and the body that was worst is named."""
    m = quick_return()
    rng = np.random.default_rng(1)
    for body in m.bodies.values():
        if not body.is_ground:
            body.guess(position=rng.uniform(-6, 6, 2), angle=rng.uniform(-pi, pi))
    k = lw.kinematics(m, t_eval=[0, 0.1])
    assert any("estimates are at fault" in note for note in k.audit.notes)
    assert k.audit.position_error < 1e-10
    [found] = [f for f in lw.check(m).findings if f.code == "estimates"]
    assert found.elements[0] in m.bodies


def test_newton_that_wanders_is_no_answer():
    # problem 4.5.1, (q - 1)^(1/3): Newton doubles its error, 2, -1, 5, -7, 17; the root is where the slope is infinite
    m = lw.PlanarModel("cusp")
    b = m.body("b", position=(2, 0))
    root = b.x - 1
    m.add(lw.Constraint("root", lw.where(root > 0, 1, -1) * lw.absolute(root) ** (1 / 3)))
    machine = Machine(m)
    q, seen = machine.estimate(), []
    for _ in range(5):
        seen.append(q[0])
        Phi, J = machine.Phi_and_J(q, 0.0)
        q = q - np.linalg.lstsq(J, Phi, rcond=None)[0]
    np.testing.assert_allclose(seen, [2, -1, 5, -7, 17], rtol=1e-13)
    assert lw.assemble(m)["b.x"] == pytest.approx(1, abs=1e-9)
    # problem 4.5.2, q^3 - 4 q + 4 from 1.5: Newton goes round, 1.5, 1, 2; assembly does not
    m = lw.PlanarModel("cycle")
    b = m.body("b", position=(1.5, 0))
    m.add(lw.Constraint("root", b.x**3 - 4 * b.x + 4))
    assert lw.assemble(m)["b.x"] == pytest.approx(np.roots([1, 0, -4, 4])[0].real, abs=1e-10)
