"""What findings say beyond their code: lengths that cannot span, reactions that are not unique, tangents of branches,
conditions that are watched; and that nothing is said of healthy machines."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings

import linkwright as lw
from linkwright.corpus.parts import four_bar, pendulum, shaft
from linkwright.corpus.scores import SAID
from linkwright.model import Fix
from linkwright.model.changes import Put
from linkwright.regularisation import RANK
from random_planar import build, recipes


def finding(report, code):
    return next(f for f in report.findings if f.code == code)


def test_lengths_that_cannot_span_are_told():
    """Three bars of a metre each between pins four metres apart."""
    m = four_bar(1, 1, 1, 2.5).without("D")
    m.add(lw.Revolute("D", m.ground.at(4, 0), m["rocker"].at(0, 0)))
    found = finding(lw.check(m), "contradiction")
    assert "the ground spans 4 m, the others reach 3 m at most" in found.why
    assert "open by 1 m at least" in found.text
    assert "from your estimates and from 24 others" in found.why
    for name in "ABCD":  # the gap of a metre is least open where the four joints share it
        assert f"{name} by 0.25 m" in found.why


def test_reactions_that_are_not_unique_are_named():
    """A beam on two clamps that let it turn about its axis: end forces and end moments in each plane balance each other."""
    m = shaft()
    for name, z in (("low", -0.5), ("high", 0.5)):
        m.add(lw.Revolute(name, m.ground.at(0, 0, z), m["shaft"].at(0, 0, z)))
    whys = [f.why.split(" are not")[0].split("; ")[1] for f in lw.check(m).findings if f.code == "redundant"]
    assert "low.fx, low.ty, high.fx" in whys
    assert "low.fy, low.tx, high.fy" in whys
    assert "low.fz, high.fz" in whys
    pin = pendulum()
    pin.add(lw.Revolute("again", pin.ground.at(0, 0), pin["arm"].at(-0.5, 0)))
    whys = [f.why.split(" are not")[0].split("; ")[1] for f in lw.check(pin).findings if f.code == "redundant"]
    assert whys == ["A.fx, again.fx", "A.fy, again.fy"]


def test_branches_are_told_with_their_tangents():
    """A parallelogram of bars 1 and 2, flat: the coupler stays level (it does not turn), or all fold like a kite."""
    found = finding(lw.check(four_bar(1, 2, 1, 2, angle=1.0, motion="1 - t"), t_end=1.5), "bifurcation")
    assert "into 2 branches" in found.text
    assert "branch 0: " in found.why
    assert "branch 1: " in found.why
    assert "coupler.omega = " in found.why


def two_motors():
    """They agree until t = 0.5; then one asks for (t - 0.5)^3 more."""
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, "t"))
    m.add(lw.Driver("second", m["arm"].angle, lambda t: t + lw.where(t > 0.5, (t - 0.5) ** 3, 0.0)))
    return m


@pytest.mark.parametrize("options", [{}, {"formulation": "joint"}, {"method": "generalized-alpha"}], ids=str)
def test_a_condition_that_was_left_out_is_watched_in_a_run(options):
    with pytest.raises(lw.IntegrationError, match="second no longer holds at t = ") as caught:
        lw.dynamics(two_motors(), t_end=1.0, steps=10, **options)
    assert caught.value.element == ("second",)
    assert caught.value.time > 0.5
    with pytest.raises(lw.ModelError, match=r"second no longer holds at t = 0\.6"):
        lw.kinematics(two_motors(), t_end=1.0, steps=10)


def nearly_twice(eps, unit):
    m = lw.PlanarModel("block")
    block = m.body("block", 1.0, 0.1)
    m.add(lw.Constraint("one", block.y))
    m.add(lw.Constraint("two", unit * (block.y + eps * block.x)))
    return lw.check(m)


@pytest.mark.parametrize("eps", [1e-3, 1e-6, 1e-7, 1e-9, 1e-12])
def test_the_rank_is_the_same_in_every_unit_and_the_values_beside_it_are_told(eps):
    """y = 0 and y + eps x = 0, the second in metres and in micrometres: the singular values of two rows of length one at an
    angle eps to each other are sqrt(2) and eps / sqrt(2)."""
    metres, micrometres = nearly_twice(eps, 1.0), nearly_twice(eps, 1e6)
    assert metres.rank == micrometres.rank == (2 if eps / 2 > RANK else 1)
    np.testing.assert_allclose(metres.singular_values, micrometres.singular_values, rtol=1e-6, atol=1e-15)
    counts, does_not = metres.singular_values
    assert counts > RANK >= does_not
    told = counts if metres.rank == 2 else does_not
    assert told == pytest.approx(eps / 2, rel=1e-3, abs=1e-15)


def test_what_would_do_to_drive_is_never_an_empty_list():
    """Also of bodies that nothing holds, on balls, in machines without joints, at singular places."""
    loose = lw.SpatialModel("stone")
    loose.body("stone", 1.0, (0.1, 0.1, 0.1))
    ball = shaft()
    ball.add(lw.Spherical("S", ball.ground.at(0, 0, 0), ball["shaft"].at(0, 0, 0)))
    for m in (loose, ball, pendulum(), four_bar(1, 2, 1, 2, angle=0.0), lw.embed(four_bar())):
        found = finding(lw.check(m), "free")
        _, _, names = found.remedy.partition("good to drive: ")
        assert names
        assert found.fixes


@given(recipes())
@settings(max_examples=6, phases=(Phase.explicit, Phase.generate))
def test_nothing_is_said_of_random_machines(recipe):
    """They close, their numbers are plausible, nothing is held twice on purpose. Chance may well put a driven one near a
    dead point or on the other branch."""
    loops = tuple(loop for loop in recipe.loops if loop[0] != "gear")  # between any bodies: nothing keeps their centres
    codes = {f.code for f in lw.check(build(replace(recipe, doubled=False, loops=loops))).findings}
    assert codes & SAID <= {"near-dead-point", "other-branch"}


def _structure(recipe, mass=1.0):
    """What is said of the structure of a random machine with its first joint twice, whatever the order."""
    m = build(replace(recipe, doubled=True))
    if mass != 1.0:
        for b in [b for b in m.bodies.values() if not b.is_ground]:
            m = Fix("", (Put(b.name, "mass", mass * b.mass), Put(b.name, "inertia", mass * b.inertia))).apply(m)
    report = lw.check(m)
    found = {(f.code, frozenset(f.elements)) for f in report.findings if f.code in ("redundant", "redundant-driver")}
    return report.rank, report.dof, report.redundant_count, found


@given(recipes(most=3))
@settings(max_examples=3, phases=(Phase.explicit, Phase.generate))
def test_findings_do_not_depend_on_the_description(recipe):
    """Turned and moved as a whole, joints with their ends exchanged, bodies and elements in another order, other masses."""
    told = _structure(recipe)
    assert ("redundant", frozenset({"J0", "J0 again"})) in told[3]
    assert told == _structure(replace(recipe, turn=0.7, shift=(3.0, -2.0), swapped=True))
    assert told == _structure(replace(recipe, shuffled=True), mass=1e3)


def _arm_to(guide):
    """An arm of 0.3 m on a pin or a ball, and what its end should reach."""
    m = lw.PlanarModel("slot") if guide == "slot" else lw.SpatialModel("rail")
    arm = m.body("arm", 1.0, 0.01 if guide == "slot" else (0.01, 0.01, 0.01))
    if guide == "slot":
        m.add(lw.Revolute("O", m.ground.at(0, 0), arm.at(0, 0)))
        m.add(lw.PointOnLine("slot", m.ground.at(0, 0.5, angle=0), arm.at(0.3, 0), offset=0.1))
        return m
    carriage = m.body("carriage", 1.0, (0.01, 0.01, 0.01), position=(0, 0.6, 0.3))
    m.add(lw.Spherical("O", m.ground.at(0, 0, 0), arm.at(0, 0, 0)))
    m.add(lw.Spherical("B", arm.at(0.3, 0, 0), carriage.at(0.1, 0, 0)))
    kind = lw.Translational if guide == "rail" else lw.Cylindrical
    m.add(kind(guide, m.ground.at(0, 0.6, 0.2), carriage.at(0, 0, 0)))
    return m


# 0.5 and an offset of 0.1; the ball of the carriage on a rail stays 0.1 beside it, on a rod it turns about it
@pytest.mark.parametrize(
    ("guide", "said"),
    [
        ("slot", "slot is 0.6 m away, arm reaches 0.3 m at most"),
        ("rail", "rail is 0.6083 m away, arm reaches 0.3 m at most"),
        ("rod", "rod is 0.6 m away, carriage and arm reach 0.4 m at most"),
    ],
)
def test_a_guide_that_links_do_not_reach(guide, said):
    [found] = [f for f in lw.check(_arm_to(guide)).findings if f.code == "contradiction"]
    assert found.why.startswith(said)
