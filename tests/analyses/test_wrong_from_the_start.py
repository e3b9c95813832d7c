"""What cannot move as it is described: told by `check`, and by the run in the same words."""

import pytest

import linkwright as lw


def told(m: lw.Model, code: str, ok: bool = False) -> str:
    """The text of the one finding of this code."""
    report = lw.check(m)
    assert report.ok is ok
    (found,) = [f for f in report.findings if f.code == code]
    return found.text


def test_speeds_that_contradict_each_other() -> None:
    """`check` called them redundant, and the machine sound, which no analysis takes."""
    m = lw.PlanarModel("two speeds")
    b = m.body("b", mass=1.0, inertia=1.0)
    m.add(lw.Constraint("slow", b.vx, 1))
    m.add(lw.Constraint("fast", 2 * b.vx, 4))
    assert "no velocity satisfies slow, fast" in told(m, "contradiction")
    with pytest.raises(lw.ModelError, match="no velocity satisfies slow, fast"):
        lw.dynamics(m, t_end=0.1, steps=1)
    same = m.without("fast")
    same.add(lw.Constraint("again", 2 * same["b"].vx, 2))
    report = lw.check(same)
    assert report.ok
    assert [f.code for f in report.findings] == ["redundant", "free"]


@pytest.mark.parametrize("dimension", [2, 3])
def test_boxes_that_begin_deep_within_each_other(dimension: int) -> None:
    """The corners are through the thin plate: no gap tells of that. The run asked for smaller steps."""
    if dimension == 2:
        m: lw.Model = lw.PlanarModel("press", gravity=(0, -10))
        box = m.body("box", mass=1.0, inertia=0.1, position=(0, 0.05), shape={"box": (0.2, 0.2)})
        plate = m.ground.surface({"box": (2.0, 0.02)})
    else:
        m = lw.SpatialModel("press", gravity=(0, 0, -10))
        box = m.body("box", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.05), shape={"box": (0.2, 0.2, 0.2)})
        plate = m.ground.surface({"box": (2.0, 2.0, 0.02)})
    m.add(lw.Contact("floor", box, plate, restitution=0.2))
    assert "the bodies of floor are within each other by 0.06 m" in told(m, "overlap")
    with pytest.raises(lw.IntegrationError, match=r"within each other by 0\.06 m at t = 0") as error:
        lw.dynamics(m, t_end=0.1, steps=1)
    assert "begin with them apart" in error.value.remedy


def test_a_tyre_whose_axle_is_upright() -> None:
    """The frame of a wheel was not turned: its z axis is the axle."""
    m = lw.SpatialModel("car", gravity=(0, 0, -10))
    wheel = m.body("wheel", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0.29))
    m.add(lw.Tyre("tyre", wheel.at(0, 0, 0), radius=0.3, k=1e4))
    assert "the axle of tyre, the z axis of its frame, is upright" in told(m, "undefined", ok=True)
    with pytest.raises(lw.IntegrationError, match="the axle of tyre is upright near t = 0: a wheel that lies flat has no"):
        lw.dynamics(m, t_end=0.1, steps=1)


def test_a_pin_that_rubs_needs_its_radius_at_once() -> None:
    """It was taken, found sound by `check`, and refused by each run."""
    m = lw.PlanarModel("pin")
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), m.body("b", mass=1.0, inertia=1.0).at(0, 0)))
    with pytest.raises(lw.ModelError, match="rub: friction in a turning joint needs the radius of its pin"):
        m.add(lw.Friction("rub", pin, mu=0.3))
    m.add(lw.Friction("level", pin, level=0.3))
