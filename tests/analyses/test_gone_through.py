"""Bodies that a contact of shapes is to keep apart, and does not: no run returns as if nothing were."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.penetration import Placed, sides
from linkwright.errors import IntegrationError

G = 9.81
CUBE, BALL, ROD = {"box": (2, 2, 2)}, {"sphere": 0.5}, {"capsule": (2.0, 0.3), "axis": (1, 0, 0)}
PLAIN, HALF, ACROSS = (0, 0, 1), np.pi / 4, np.sqrt(2)


def depth(one, other, place, turn, turned=((0, 0, 1), 0.0)):
    """Of two bodies in space, by what is measured of a run."""
    m = lw.SpatialModel("two")
    a, b = m.body("a", 1.0, (1.0,) * 3, orientation=turned), m.body("b", 1.0, (1.0,) * 3, position=place, orientation=turn)
    m.add(lw.Contact("c", a.surface(one), b.surface(other), restitution=0.5))
    machine = Machine(m)
    placed, both = Placed(machine, machine.estimate()[None]), sides(machine, m["c"])
    found = placed.depths(*both)[0]
    assert placed.cornered(*both)[0] <= found + 1e-12  # corners are within no more than bodies are
    return found


def test_depths_of_bodies_in_space():
    """Against their definition, the shortest way that takes them apart, in places where that is known."""
    edge = {"turned": ((1, 0, 0), HALF), "turn": ((0, 1, 0), HALF)}  # an edge along x, up, and one along y, down
    assert depth(CUBE, CUBE, (0, 0, 2 * ACROSS - 0.1), **edge) == pytest.approx(0.1, abs=1e-12)
    assert depth(CUBE, CUBE, (0, 0, 2 * ACROSS + 0.1), **edge) < 0
    assert depth(CUBE, CUBE, (1.7, 0.5, 1.5), (PLAIN, 0.0)) == pytest.approx(0.3, abs=1e-12)
    assert depth(CUBE, BALL, (1.2, 1.2, 1.2), (PLAIN, 0.0)) == pytest.approx(0.5 - np.sqrt(3) * 0.2, abs=1e-12)
    assert depth(CUBE, BALL, (1.2, 1.2, 0.3), (PLAIN, 0.0)) == pytest.approx(0.5 - np.sqrt(2) * 0.2, abs=1e-12)
    assert depth(CUBE, BALL, (0.9, 0.2, 0.3), (PLAIN, 0.0)) == pytest.approx(0.6, abs=1e-12)
    assert depth(CUBE, ROD, (0, 0, ACROSS + 0.2), (PLAIN, np.pi / 2), ((1, 0, 0), HALF)) == pytest.approx(0.1, abs=1e-12)
    assert depth(ROD, ROD, (0.4, 0.5, 0.3), (PLAIN, np.pi / 2)) == pytest.approx(0.3, abs=1e-12)
    assert depth(ROD, ROD, (0.4, 0.0, 0.5), (PLAIN, 0.0)) == pytest.approx(0.1, abs=1e-12)
    assert depth(BALL, BALL, (0.6, 0.0, 0.0), (PLAIN, 0.0)) == pytest.approx(0.4, abs=1e-12)
    assert depth(BALL, BALL, (0.0, 0.0, 0.0), (PLAIN, 0.0)) == pytest.approx(1.0, abs=1e-12)


def box_on_a_box(place, turn, **law):
    m = lw.SpatialModel("boxes", gravity=(0, 0, -G))
    shape = {"box": (0.4, 0.3, 0.2)}
    b = m.body("b", 1.0, (0.011, 0.017, 0.021), position=place, orientation=((0, 0, 1), turn), shape=shape)
    m.add(lw.Contact("on", b, m.ground.surface(shape), **law))
    return m


def test_edges_that_cross_are_told():
    """A box on one as wide, a millimetre beside it along both sides, stands on two corners and rolls over them: its edges go
    through those of the other."""
    notes = lw.dynamics(box_on_a_box((1e-3, 1e-3, 0.2), 0.0, restitution=0.0), t_end=0.3, steps=4).audit.notes
    assert any("the bodies of on are within each other by" in note for note in notes)


@pytest.mark.parametrize(
    ("law", "more"), [({"restitution": 0.0}, ""), ({"k": 1e4, "c": 10.0}, ": more than its force is of")]
)
def test_edges_that_go_through_each_other_end_the_run(law, more):
    """Turned by 45 degrees, no corner is above the other box."""
    with pytest.raises(IntegrationError, match=f"the bodies of on went through each other.*{more}") as info:
        lw.dynamics(box_on_a_box((0, 0, 0.21), HALF, **law), t_end=0.2, steps=4)
    assert info.value.element == ("on",)
    assert info.value.partial["b.z"][-1] == pytest.approx(0.21 - G / 2 * 0.2**2, rel=1e-6)  # it fell freely


@pytest.mark.parametrize("k", [100.0, 400.0])
def test_a_soft_box_that_bears_says_nothing(k):
    """Dropped by 20 mm, at 10 mm beside another one as wide: within it by far more than that, as its force is of."""
    m = lw.PlanarModel("soft", gravity=(0, -G))
    b = m.body("b", 2.0, 0.1, position=(0.01, 0.42), shape={"box": (0.6, 0.4)})
    m.add(lw.Translational("guide", m.ground.at(0.01, 0, angle=np.pi / 2), b.at(0, 0, angle=np.pi / 2)))
    m.add(lw.Contact("on", b, m.ground.surface({"box": (0.6, 0.4)}), k=k))
    d = lw.dynamics(m, t_end=0.5, steps=50)
    pressed = 2 * G / (4 * k)  # at rest
    assert d["b.y"].min() == pytest.approx(0.4 - pressed - np.sqrt(pressed**2 + 2 * pressed * 0.02), abs=1e-3)
    assert not [n for n in d.audit.notes if "within" in n]


@pytest.mark.parametrize("steps", [6, 60])
def test_a_ball_that_goes_through_a_hollow_outline_ends_the_run(steps):
    """A wall of 50 mm, m v^2 / k = (32 mm)^2, a ball of 20 mm: its middle passes the outline of a notched polygon, whose law
    says how far that is and not on which side, and the ball went on below. A stiffer one lets it come back."""
    for k, through in ((1e3, True), (1e6, False), (None, False)):
        m = lw.PlanarModel("notch", gravity=(0, 0))
        ball = m.body("ball", mass=1.0, inertia=0.001, position=(0.5, 0.6), velocity=(0, -1))
        notch = m.ground.surface({"polygon": [(0, 0), (1, 0), (1, 0.05), (0.05, 0.05), (0.05, 1), (0, 1)]})
        m.add(lw.Contact("wall", ball.surface({"circle": 0.02}), notch, **({"k": k} if k else {"restitution": 0.5})))
        if through:
            with pytest.raises(IntegrationError, match=r"the bodies of wall went through each other.*more than its force"):
                lw.dynamics(m, t_end=1.5, steps=steps)
        else:
            d = lw.dynamics(m, t_end=1.5, steps=steps)
            assert d["ball.vy"][-1] > 0
            assert d.audit.notes == []
