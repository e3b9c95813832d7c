"""What sticks and rests, in loops over elements: the sets of it are numbers there. Against machines compiled as a whole,
which compile each set by itself, and closed forms."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy

G = 9.81


def chain(n):
    """Links that fall from a horizontal line, all of whose joints rub."""
    m = lw.PlanarModel("chain", gravity=(0, -G))
    end = m.ground.at(0, 0)
    for k in range(n):
        link = m.body(f"link {k}", mass=1.0, inertia=0.01, position=(0.3 * k + 0.15, 0))
        m.add(lw.Revolute(f"pin {k}", end, link.at(-0.15, 0)))
        m.add(lw.Friction(f"rub {k}", m[f"pin {k}"], mu=0.1, radius=0.05))
        end = link.at(0.15, 0)
    return m


def in_space():
    """Two bars on a ball and a universal joint that rub, and a ball that slides on a floor until it rests there."""
    m = lw.SpatialModel("bars", gravity=(0, 0, -G))
    a = m.body("a", 1.0, (0.02, 0.02, 0.02), position=(0.3, 0, 1), omega=(0.5, 0.2, 2.0))
    b = m.body("b", 1.0, (0.02, 0.02, 0.02), position=(0.9, 0, 1))
    m.add(lw.Spherical("ball", m.ground.at(0, 0, 1), a.at(-0.3, 0, 0)))
    turned = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    m.add(lw.Universal("cross", a.at(0.3, 0, 0), b.at(-0.3, 0, 0, rotation=turned)))
    m.add(lw.Friction("in ball", m["ball"], mu=0.3, radius=0.03, level=0.2))
    m.add(lw.Friction("in cross", m["cross"], mu=0.3, radius=0.03, level=0.2))
    puck = m.body("puck", 1.0, (0.01, 0.01, 0.01), position=(0, 2, 0.05), velocity=(0.4, 0.3, 0))
    m.add(lw.Contact("floor", puck.at(0, 0, 0), m.ground.at(0, 0, 0), restitution=0.3, mu=0.4))
    return m


def pulled():
    """A box drawn along a floor by a force that grows: it sticks, slides, and stands on two corners all the time."""
    m = lw.PlanarModel("box", gravity=(0, -G))
    box = m.body("box", 2.0, 0.02, position=(0, 0.1))
    for name, x in (("left", -0.2), ("right", 0.2)):
        m.add(lw.Contact(name, box.at(x, -0.1), m.ground.at(0, 0, angle=0), restitution=0.0, mu=0.3, mu_static=0.4))
    m.add(lw.PointForce("pull", box.at(0, -0.05), ("12*sin(2*t)", "0")))
    return m


def both(monkeypatch, make, **options):
    found = []
    for limit in (10**9, 1):
        monkeypatch.setattr(size_policy, "LOOPED", limit)
        monkeypatch.setattr(size_policy, "LOOPED_SLOTS", limit)
        found.append(lw.dynamics(make(), **options))
    assert ["loops" in d.audit.why for d in found] == [False, True]
    return found


@pytest.mark.parametrize(
    ("make", "t_end"), [(lambda: chain(3), 0.6), (in_space, 0.4), (pulled, 2.0)],
    ids=["chain", "space", "box"],
)  # fmt: skip
def test_the_motion_is_that_of_the_whole_machine(make, t_end, monkeypatch):
    """By an error of 1e-10 a step, events within what that makes of them; forces by the same part of the largest."""
    whole, loops = both(monkeypatch, make, t_end=t_end, steps=6, rtol=1e-10, atol=1e-12)
    assert [name for _, name in loops.events] == [name for _, name in whole.events]
    assert [t for t, _ in loops.events] == pytest.approx([t for t, _ in whole.events], abs=1e-7)
    assert list(loops.channels) == list(whole.channels)
    for name in whole.channels:
        state = name.rpartition(".")[2] in ("x", "y", "z", "angle", "e0", "e1", "e2", "e3")
        assert np.abs(loops[name] - whole[name]).max() < (1e-8 if state else 1e-6 * max(np.abs(whole[name]).max(), 10.0)), (
            name
        )
    assert loops.audit.energy_error < 1e-8


def test_joints_that_stick_and_break_loose_one_after_another():
    """Each set of them would be compiled by itself as a whole, some 0.3 s each."""
    d = lw.dynamics(chain(8), t_end=0.5, steps=4)
    assert "all sets of what sticks" in d.audit.why
    assert d.audit.sticks > 15
    assert d.audit.energy_error < 1e-8
    again = lw.dynamics(chain(8), t_end=0.5, steps=4)
    assert (again.audit.trace_seconds, again.audit.compile_seconds) == (0, 0)
    assert [t for t, _ in again.events] == [t for t, _ in d.events]


@pytest.mark.parametrize("links", [6, 200])
def test_a_joint_that_nothing_turns_sticks(links):
    """Links with m (l/2)^2 as their inertia about the centre, at each other's centres of percussion: of a level row
    that falls the first turns alone, the others go along it. A joint on the way bears nothing at first and never turns: its
    friction drove it in the sense of a rounding."""
    m = lw.PlanarModel("row", gravity=(0, -G))
    end = m.ground.at(0, 0)
    for k in range(links):
        link = m.body(f"link {k}", mass=1.0, inertia=0.01, position=(0.2 * k + 0.1, 0))
        m.add(lw.Revolute(f"pin {k}", end, link.at(-0.1, 0)))
        end = link.at(0.1, 0)
    m.add(lw.Friction("rub", m["pin 4"], mu=0.3, mu_static=0.4, radius=0.05))
    d = lw.dynamics(m, t_end=0.03, steps=3)
    assert d.events == []
    assert np.abs(d["link 4.angle"] - d["link 3.angle"]).max() < 1e-12
    assert np.abs(d.energy.total).max() < 1e-9  # nothing slides: rtol 1e-8 of a tenth of a joule
    assert d["pin 4.fx"][-1] < -1


def test_blocks_of_a_large_machine_slip_each_at_its_time():
    """Block k bears 1 + k/10 N of a force of t N."""
    m = lw.PlanarModel("blocks", gravity=(0, -G))
    for k in range(60):
        block = m.body(f"block {k}", mass=1.0, inertia=0.1, position=(0, k))
        rail = m.add(lw.Translational(f"rail {k}", m.ground.at(0, k, angle=0), block.at(0, 0, angle=0)))
        m.add(lw.Friction(f"rub {k}", rail, level=1 + k / 10))
        m.add(lw.PointForce(f"pull {k}", block.at(0, 0), ("t", "0")))
    d = lw.dynamics(m, t_end=2.05, steps=1)
    assert [name for _, name in d.events] == [f"rub {k} slips" for k in range(11)]
    assert [t for t, _ in d.events] == pytest.approx([1 + k / 10 for k in range(11)], abs=1e-8)
    assert d["block 4.x"][-1] == pytest.approx((2.05 - 1.4) ** 3 / 6, abs=1e-8)
    assert np.abs(d["block 30.x"]).max() < 1e-12


@pytest.mark.parametrize("mu", [None, 0.3])
def test_a_tower_of_sixty_boxes_stands(mu):
    m = lw.PlanarModel("tower", gravity=(0, -G))
    below, rough = m.ground.at(0, 0, angle=0), {} if mu is None else {"mu": mu}
    for k in range(60):
        box = m.body(f"box {k}", mass=1.0, inertia=0.01, position=(0, 0.1 * k + 0.05))
        for side, x in (("left", -0.1), ("right", 0.1)):
            m.add(lw.Contact(f"{side}{k}", box.at(x, -0.05), below, restitution=0.0, **rough))
        below = box.at(0, 0.05, angle=0)
    d = lw.dynamics(m, t_end=0.2, steps=2, events={"heavy": "left0.force - 1000"})
    assert "loops" in d.audit.why
    for k in (0, 30, 59):
        assert d[f"left{k}.force"] == pytest.approx((60 - k) * G / 2, rel=1e-7)
        assert np.abs(d[f"box {k}.y"] - 0.1 * k - 0.05).max() < 1e-10
    assert "heavy" not in [name for _, name in d.events]
