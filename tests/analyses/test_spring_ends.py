"""Springs whose ends pass through each other: told in the audit; and how to write them so that the jump is met."""

import numpy as np
import pytest

import linkwright as lw

K, LENGTH, SPEED = 40.0, 1.0, -9.0


def thrown(dimension=2, length=LENGTH, off=0.0):
    """A block of 1 kg on a rail, thrown at the wall its spring hangs on; `off`: the rail passes beside the wall's point."""
    m = (lw.PlanarModel if dimension == 2 else lw.SpatialModel)("thrown")
    more = (0,) * (dimension - 2)
    inertia = 1.0 if dimension == 2 else (1.0, 1.0, 1.0)
    block = m.body("block", 1.0, inertia, position=(1.5, 0, *more), velocity=(SPEED, 0, *more))
    if dimension == 2:
        rail = lw.Translational("rail", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0))
    else:
        along = {"rotation": (np.sqrt(0.5), 0, np.sqrt(0.5), 0)}
        rail = lw.Translational("rail", m.ground.at(0, 0, 0, **along), block.at(0, 0, 0, **along))
    m.add(rail)
    m.fix(block.vx, SPEED)
    m.add(lw.Spring("spring", m.ground.at(0, off, *more), block.at(0, 0, *more), k=K, length=length))
    return m, block


def closed_form(t):
    """x = 1 + A cos(w t + phi) to the wall, and the mirror image of such a swing behind it."""
    w = np.sqrt(K)
    A, phi = np.hypot(0.5, SPEED / w), np.arctan2(-SPEED / w, 0.5)
    through = (np.arccos(-1 / A) - phi) / w
    behind = -(1 + A * np.cos(w * (t - through) - np.arccos(-1 / A)))
    return through, behind


@pytest.mark.parametrize("dimension", [2, 3])
def test_it_is_told(dimension):
    """It passes at 0.168 s, between the outputs at 0.15 s and 0.2 s."""
    m, _ = thrown(dimension)
    d = lw.dynamics(m, t_end=0.4, steps=8)
    assert 0.15 < closed_form(0.4)[0] < 0.2
    assert d["block.x"][-1] == pytest.approx(closed_form(0.4)[1], abs=1e-5)  # some error of the jump is left
    (note,) = d.audit.notes
    assert note.startswith("the ends of spring pass through each other, first between t = 0.15 and 0.2: the direction")


def test_a_law_along_the_slide_meets_the_jump():
    """What the page of the spring proposes: a law of two forms, whose change is located; the accuracy is that of the run."""
    m, block = thrown()
    m = m.without("spring")
    m.add(lw.Force("spring", block.x, lambda s: lw.where(s > 0, -K * (s - LENGTH), -K * (s + LENGTH))))
    d = lw.dynamics(m, t_end=0.4, steps=8, rtol=1e-10, atol=1e-12)
    assert d["block.x"][-1] == pytest.approx(closed_form(0.4)[1], abs=1e-9)
    assert d.audit.switches == 1
    assert d.audit.notes == []


@pytest.mark.parametrize("given", [{"length": 0.0}, {"off": 1e-3}])
def test_what_does_not_jump_is_not_told(given):
    """A spring without free length needs no direction; one that passes beside turns around within its steps."""
    d = lw.dynamics(thrown(**given)[0], t_end=0.4, steps=8)
    assert d["block.x"][-1] < 0
    assert d.audit.notes == []


def test_a_spring_that_turns_is_not_told():
    """Half a turn from one output to the next: the ends lie opposite, but do not move along their line."""
    m = lw.PlanarModel("crank")
    crank = m.body("crank", 1.0, 1.0, omega=np.pi)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Spring("spring", m.ground.at(0, 0), crank.at(0.3, 0), k=K, length=LENGTH))
    d = lw.dynamics(m, t_end=3.0, steps=3)
    assert d["crank.angle"] == pytest.approx(np.pi * d.t, abs=1e-6)
    assert d.audit.notes == []
