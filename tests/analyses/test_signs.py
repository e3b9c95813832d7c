"""Which way a positive force acts, by what it does to a unit mass: the table of docs/signs.md."""

import re
from pathlib import Path

import pytest

import linkwright as lw

PAGE = Path(__file__).resolve().parents[2] / "docs" / "signs.md"


def sliding(m, name):
    """A cart of 1 kg at x = 2 on a rail of its own, moving at 1 m/s."""
    b = m.body(name, mass=1.0, inertia=1.0, position=(2, 0), velocity=(1.0, 0.0))
    rail = m.add(lw.Translational(f"rail of {name}", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    return b, rail, m.ground.at(0, 0), b.at(0, 0)


def turning(m, name):
    """A wheel of 1 kg m^2 at 0.5 rad on an axle of its own."""
    b = m.body(name, mass=1.0, inertia=1.0, angle=0.5)
    return b, m.add(lw.Revolute(f"axle of {name}", m.ground.at(0, 0), b.at(0, 0)))


def on_carts(m):
    """By element: what it must do to its cart's acceleration, and what its channel must say."""
    b, _, G, P = sliding(m, "a")
    m.add(lw.Spring("Spring", G, P, k=3.0, length=1.0))
    yield "Spring.force", "a.ax", 3.0, -3.0
    b, _, G, P = sliding(m, "b")
    m.add(lw.Spring("Spring, ends exchanged", P, G, k=3.0, length=1.0))
    yield "Spring, ends exchanged.force", "b.ax", 3.0, -3.0
    b, *_ = sliding(m, "c")
    m.add(lw.Force("Force", b.x, "10"))
    yield "Force.force", "c.ax", 10.0, 10.0
    b, _, _, P = sliding(m, "d")
    m.add(lw.PointForce("PointForce", P, (7.0, 0.0), frame="body"))
    yield "PointForce.fx", "d.ax", 7.0, 7.0
    b, _, G, P = sliding(m, "e")
    m.add(lw.Bushing("Bushing", G, P, k=(2.0, 0.0, 0.0)))
    yield "Bushing.fx", "e.ax", -4.0, -4.0
    b, rail, *_ = sliding(m, "f")
    m.add(lw.Friction("Friction", rail, viscous=5.0))
    yield "Friction.force", "f.ax", -5.0, -5.0
    b, _, _, P = sliding(m, "g")
    # its outward normal, the left of its direction, is along -x: the cart is 0.5 m deep in it
    m.add(lw.Contact("Contact", P, m.ground.at(1.5, 0, angle=1.5707963267948966), k=4.0))
    yield "Contact.force", "g.ax", 2.0, -2.0
    b, *_ = sliding(m, "h")
    m.add(lw.Stop("Stop, lower", b.x, lower=2.5, k=4.0))
    yield "Stop, lower.force", "h.ax", 2.0, 2.0
    b, *_ = sliding(m, "i")
    m.add(lw.Stop("Stop, upper", b.x, upper=1.5, k=4.0))
    yield "Stop, upper.force", "i.ax", -2.0, -2.0
    b, *_ = sliding(m, "j")
    m.add(lw.Driver("Driver", b.x, "2 + t + 3*t**2"))
    yield "Driver.force", "j.ax", 6.0, 6.0
    b, *_ = sliding(m, "k")
    m.add(lw.Force("against", b.x, "-9"))
    m.add(lw.Constraint("Constraint", b.x, 2.0))
    yield "Constraint.force", "k.ax", 9.0, 0.0


def on_wheels(m):
    b, axle = turning(m, "n")
    m.add(lw.TorsionSpring("TorsionSpring", axle, k=4.0))
    yield "TorsionSpring.torque", "n.alpha", 2.0, -2.0
    b, axle = turning(m, "o")
    m.add(lw.Force("Force on an angle", axle.angle, "5"))
    yield "Force on an angle.force", "o.alpha", 5.0, 5.0
    b, axle = turning(m, "p")
    m.add(lw.Torque("Torque", b, 6.0))
    yield "Torque.torque", "p.alpha", 6.0, 6.0
    b, axle = turning(m, "q")
    m.add(lw.Driver("Driver of an angle", axle.angle, "0.5 + 4*t**2"))
    yield "Driver of an angle.torque", "q.alpha", 8.0, 8.0


@pytest.fixture(scope="module")
def run():
    m = lw.PlanarModel("signs")
    cases = [*on_carts(m), *on_wheels(m)]
    return cases, lw.dynamics(m, t_end=1e-3, steps=1)


def test_each_element_acts_as_its_channel_says(run):
    cases, d = run
    for channel, acceleration, force, motion in cases:
        # 1e-6: the constraints of the start hold to rounding, friction below its transition speed plays no part
        assert d[channel][0] == pytest.approx(force, abs=1e-6), channel
        assert d[acceleration][0] == pytest.approx(motion, abs=1e-6), channel


def test_reactions_act_on_the_second_body():
    m = lw.PlanarModel("hanging", gravity=(0, -10.0))
    a, b = m.body("a", mass=2.0, inertia=1.0), m.body("b", mass=3.0, inertia=1.0, position=(5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Revolute("B", b.at(0, 0), m.ground.at(5, 0)))
    d = lw.dynamics(m, t_end=1e-3, steps=1)
    assert d["A.fy"][0] == pytest.approx(20.0)  # ground holds the body up
    assert d["B.fy"][0] == pytest.approx(-30.0)  # the body pulls the ground down
    assert d.reaction("B", on="b")["fy"][0] == pytest.approx(30.0)
    assert "exerts on b" in d.reaction("B", on="b").convention


def test_the_page_speaks_of_every_force_element():
    table = PAGE.read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `([A-Za-z]+)\.", table, re.MULTILINE))
    from linkwright.model import forces

    every = {n for n, c in vars(forces).items() if isinstance(c, type) and c.__module__ == forces.__name__}
    assert every <= told
