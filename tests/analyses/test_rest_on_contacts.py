"""Equilibria on contacts and stops without stiffness: what presses is a constraint, what would pull is open."""

import numpy as np
import pytest

import linkwright as lw


def beam(**stop):
    """A beam of 2 kg hinged at its end, mass centre 0.5 m out, that would hang down; stops at -0.3 and 0.4 rad."""
    m = lw.PlanarModel("beam", gravity=(0, -10))
    b = m.body("b", mass=2.0, inertia=0.1, position=(0.5, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), b.at(-0.5, 0)))
    m.add(lw.Stop("stop", pin.angle, -0.3, 0.4, **stop))
    return m


@pytest.mark.parametrize("method", ["potential", "equations", "settling", "continuation", "relaxation"])
def test_a_beam_rests_on_its_stop(method):
    """The stop bears m g l cos(0.3); a free motion is left to nothing, so that it is stable."""
    e = lw.equilibrium(beam(restitution=0.0), method=method)
    assert e["pin.angle"] == pytest.approx(-0.3, abs=1e-13)
    assert e["stop.torque"] == pytest.approx(2 * 10 * 0.5 * np.cos(0.3), rel=1e-12)
    assert e["pin.fy"] == pytest.approx(20, rel=1e-12)
    assert e.stability == "stable"
    assert any("rests on stop" in note for note in e.audit.notes)


def test_a_spring_lifts_the_beam_off():
    """A torque that balances the weight at 0.2 rad with a stiffness beyond m g l: the stop that it began at opens."""
    m = beam(restitution=0.5)
    m["b"].guess(position=(0.5 * np.cos(-0.3), 0.5 * np.sin(-0.3)), angle=-0.3)
    m.add(lw.TorsionSpring("spring", m["pin"], k=100.0, torque=-10 * np.cos(0.2), angle=0.2))
    e = lw.equilibrium(m)
    assert e["pin.angle"] == pytest.approx(0.2, abs=1e-12)
    assert e["stop.torque"] == 0


def test_a_weight_on_a_soft_spring_rests_on_the_floor():
    """m g = 10 pulls to the floor at -1, where a spring of 5 N/m bears 5 of it and the floor the rest; a stiff floor of
    1e4 N/m gives way by (10 - 5)/(1e4 + 5)."""
    for own, give in (({"restitution": 0.5}, 0.0), ({"k": 1e4}, 5 / 10005)):
        m = lw.PlanarModel("weight", gravity=(0, -10))
        b = m.body("b", mass=1.0, inertia=1.0)
        slide = m.add(lw.Translational("slide", m.ground.at(0, 0, angle="pi/2"), b.at(0, 0, angle="pi/2")))
        m.add(lw.Force("spring", slide, "-5*s"))
        m.add(lw.Contact("floor", b.at(0, 0), m.ground.at(0, -1, angle=0), **own))
        e = lw.equilibrium(m)
        assert e["b.y"] == pytest.approx(-1 - give, rel=1e-12)
        assert e["floor.force"] == pytest.approx(10 + 5 * e["b.y"], rel=1e-9)


def test_a_box_tips_onto_its_face_and_stands_on_two_corners():
    """It begins on an edge of 0.1 rad: down its potential to the face; each of two corners bears half of the weight."""
    m = lw.PlanarModel("box", gravity=(0, -10))
    b = m.body("b", mass=1.0, inertia=0.1, position=(0, 0.8), angle=0.1)
    m.add(lw.Contact("floor", b.surface({"box": (0.6, 0.4)}), m.ground.at(0, 0, angle=0), restitution=0.0))
    e = lw.equilibrium(m)
    assert e["b.angle"] == pytest.approx(0, abs=1e-9)
    loads = [e[c] for c in e.channels if c.startswith("floor.force") and c != "floor.force"]
    assert sorted(loads) == pytest.approx([0, 0, 5, 5], abs=1e-6)  # corners are rounded by 1e-6 of the side
    # it may stand anywhere on the floor
    assert e.stability == "neutral"


def test_a_ball_in_a_corner_of_three_planes():
    """A corner that stands on its tip: each face bears m g/sqrt(3), whose three components along the vertical add up."""
    m = lw.SpatialModel("corner", gravity=tuple(-10 / np.sqrt(3) * np.ones(3)))
    ball = m.body("ball", mass=3.0, inertia=(1, 1, 1), position=(0.5, 0.7, 0.9))
    for name, z in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))):
        other = (0, 0, 1) if name == "x" else (1, 0, 0)
        m.add(lw.Contact(name, ball.at(0, 0, 0), m.ground.frame((0, 0, 0), z, other), radii=(0.1, 0), restitution=0.3))
    e = lw.equilibrium(m)
    assert [e[f"ball.{c}"] for c in "xyz"] == pytest.approx([0.1] * 3, abs=1e-12)
    assert [e[f"{c}.force"] for c in "xyz"] == pytest.approx([30 / np.sqrt(3)] * 3, rel=1e-12)


def test_what_falls_beside_the_floor_has_no_equilibrium():
    m = lw.PlanarModel("ball", gravity=(0, -10))
    ball, rest = m.body("ball", mass=1.0, inertia=1.0, position=(0, 1)), m.body("rest", 1.0, 1.0, position=(5, 1))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), restitution=0.0))
    m.add(lw.Spring("spring", m.ground.at(5, 3), rest.at(0, 0), k=100.0))
    m.add(lw.Orientation("level", m.ground.at(0, 0), rest.at(0, 0)))
    assert lw.equilibrium(m)["ball.y"] == pytest.approx(0, abs=1e-12)
    m.add(lw.Force("up", ball.y, 20.0))
    with pytest.raises(lw.LinkwrightError, match="no equilibrium was found"):
        lw.equilibrium(m)
