"""Contacts with dry friction: they press, slide, roll, stick and open, several at once."""

from math import atan, cos, pi, sin

import numpy as np
import pytest

import linkwright as lw

G = 10.0


def feet(a, mu=0.3, static=0.4):
    """A block on two feet, gravity turned by the angle of an incline."""
    m = lw.PlanarModel("block", gravity=(-G * sin(a), -G * cos(a)))
    block = m.body("block", mass=2.0, inertia=0.1, position=(0, 0.2))
    for name, x in (("left", -0.3), ("right", 0.3)):
        foot = block.at(x, -0.2)
        m.add(lw.Contact(name, foot, m.ground.at(0, 0, angle=0), restitution=0.0, mu=mu, mu_static=static))
    return m


def test_a_block_on_two_feet_stands_below_the_angle_of_repose():
    a = atan(0.38)
    d = lw.dynamics(feet(a), t_end=100.0, steps=10)
    assert np.abs(d["block.x"]).max() < 1e-12
    assert np.abs(d["block.angle"]).max() < 1e-12
    # the load of the feet by moments about the centre: friction acts 0.2 below, they stand 0.3 apart from it
    weight = 2 * G * cos(a)
    more = 2 * G * sin(a) * 0.2 / 0.6
    assert d["left.force"] == pytest.approx(weight / 2 + more, rel=1e-9)
    assert d["right.force"] == pytest.approx(weight / 2 - more, rel=1e-9)
    total = d["left.friction"] + d["right.friction"]
    assert total == pytest.approx(2 * G * sin(a), rel=1e-9)
    assert (np.abs(d["left.friction"]) <= 0.4 * d["left.force"]).all()
    assert any("not unique" in note and "left" in note for note in d.audit.notes)


def test_above_it_slides_and_friction_does_the_work():
    a = atan(0.45)
    d = lw.dynamics(feet(a), t_end=1.0, steps=4)
    assert d["block.x"] == pytest.approx(-0.5 * G * (sin(a) - 0.3 * cos(a)) * d.t**2, abs=1e-9)
    assert d["left.friction"] == pytest.approx(0.3 * d["left.force"], rel=1e-9)
    assert d.audit.energy_error < 1e-9


def test_a_ball_slides_then_rolls_at_five_sevenths():
    m = lw.PlanarModel("bowl", gravity=(0, -G))
    ball = m.body("ball", mass=1.0, inertia=0.4 * 0.1**2, position=(0, 0.1), velocity=(7, 0))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), radii=(0.1, 0), restitution=0.0, mu=0.2))
    d = lw.dynamics(m, t_end=2.0, steps=8)
    assert [(round(t, 9), name) for t, name in d.events][-1] == (1.0, "floor sticks")  # 2 v/(7 mu g)
    assert d["ball.vx"][-1] == pytest.approx(5.0, rel=1e-9)
    assert d["ball.omega"][-1] == pytest.approx(-50.0, rel=1e-9)
    assert d["floor.friction"][d.t < 0.9] == pytest.approx(-2.0, rel=1e-9)
    assert np.abs(d["floor.friction"][d.t > 1.1]).max() < 1e-12


def test_a_ball_in_space_slides_then_rolls():
    m = lw.SpatialModel("bowl", gravity=(0, 0, -G))
    ball = m.body("ball", mass=1.0, inertia=(0.004,) * 3, position=(0, 0, 0.1), velocity=(4.2, 5.6, 0))
    m.add(lw.Contact("floor", ball.at(0, 0, 0), m.ground.at(0, 0, 0), radii=(0.1, 0), restitution=0.0, mu=0.2))
    d = lw.dynamics(m, t_end=2.0, steps=8)
    assert d.events[-1][1] == "floor sticks"
    assert d.events[-1][0] == pytest.approx(1.0, rel=1e-6)
    assert d["ball.vx"][-1] == pytest.approx(3.0, rel=1e-6)
    assert d["ball.vy"][-1] == pytest.approx(4.0, rel=1e-6)
    assert d["ball.wx"][-1] == pytest.approx(-40.0, rel=1e-6)


def ladder(angle, floor=0.4, wall=0.2, length=2.0):
    m = lw.PlanarModel("ladder", gravity=(0, -G))
    place = (-length / 2 * cos(angle), length / 2 * sin(angle))
    body = m.body("ladder", mass=10.0, inertia=10 * length**2 / 12, position=place, angle=angle)
    m.add(lw.Contact("foot", body.at(-length / 2, 0), m.ground.at(0, 0, angle=0), restitution=0.0, mu=floor))
    m.add(lw.Contact("top", body.at(length / 2, 0), m.ground.at(0, 0, angle=pi / 2), restitution=0.0, mu=wall))
    return m


def test_a_ladder_against_a_wall():
    """It slides below tan(angle) = (1 - mu_floor mu_wall)/(2 mu_floor)."""
    least = atan((1 - 0.4 * 0.2) / (2 * 0.4))
    stands = lw.dynamics(ladder(least + 0.01), t_end=1.0, steps=2)
    assert np.abs(stands["ladder.angle"] - (least + 0.01)).max() < 1e-12
    falls = lw.dynamics(ladder(least - 0.01), t_end=0.3, steps=2)
    assert falls["ladder.angle"][-1] < least - 0.0105
    assert falls["foot.friction"] == pytest.approx(0.4 * falls["foot.force"], rel=1e-9)
    assert falls["top.friction"] == pytest.approx(0.2 * falls["top.force"], rel=1e-9)


def test_a_table_on_more_legs_than_it_needs():
    m = lw.SpatialModel("table", gravity=(0, 0, -G))
    table = m.body("table", mass=2.0, inertia=(0.1, 0.1, 0.15), position=(0, 0, 0.1))
    for k, (x, y) in enumerate([(0.3, 0.2), (-0.3, 0.2), (-0.3, -0.2), (0.3, -0.2)]):
        m.add(lw.Contact(f"leg{k}", table.at(x, y, -0.1), m.ground.at(0, 0, 0), restitution=0.0, mu=0.3, mu_static=0.4))
    m.add(lw.PointForce("push", table.at(0, 0, -0.1), ("4*t", "0", "0")))
    d = lw.dynamics(m, t_end=2.5, steps=5)
    for k in range(4):
        assert d[f"leg{k}.force"][d.t < 2] == pytest.approx(5.0, rel=1e-9)  # the least of all forces that hold it
    slips = {t for t, name in d.events if name.endswith("slips")}
    assert len(slips) == 1
    assert slips.pop() == pytest.approx(2.0, rel=1e-6)  # 0.4 m g, all legs at once
    late = 0.5
    assert d["table.x"][-1] == pytest.approx((8 - 6) / 2 * late**2 / 2 + 4 / 2 * late**3 / 6, rel=1e-5)
    assert np.abs(d["table.y"]).max() < 1e-9


def test_painleves_paradox_is_told():
    """A rod that slides on its lower end with much friction: W_nn - mu W_nt < 0 and gravity presses: there is no force."""
    a, length, mu = 1.0, 2.0, 3.0
    m = lw.PlanarModel("rod", gravity=(0, -G))
    # at the lower end: m W_nn = 1 + 3 cos^2, m W_nt = 3 sin cos; negative for mu > (1 + 3 cos^2)/(3 sin cos) = 1.375
    body = m.body("rod", 1.0, length**2 / 12, position=(length / 2 * cos(a), length / 2 * sin(a)), angle=a, velocity=(-1, 0))
    m.add(lw.Contact("tip", body.at(-length / 2, 0), m.ground.at(0, 0, angle=0), restitution=0.0, mu=mu))
    with pytest.raises(lw.IntegrationError, match="paradox") as error:
        lw.dynamics(m, t_end=0.1, steps=2)
    assert error.value.element == ("tip",)


@pytest.mark.parametrize(
    ("given", "cause"),
    [({"mu": -0.1, "restitution": 0.0}, "zero or more"), ({"mu": 0.3, "mu_static": 0.2, "restitution": 0.0}, "less than mu"),
     ({"mu": 0.3}, "presses"), ({"mu": 0.3, "k": 1e4, "transition": -1.0}, "positive")],
)  # fmt: skip
def test_bad_friction_of_contacts_is_refused_by_name(given, cause):
    m = lw.PlanarModel("block")
    block = m.body("block", mass=1.0)
    with pytest.raises(lw.ModelError, match=cause) as error:
        m.add(lw.Contact("floor", block.at(0, 0), m.ground.at(0, 0, angle=0), **given))
    assert error.value.element == ("floor",)


def test_methods_that_know_no_velocity_rows_refuse_what_rolls():
    with pytest.raises(lw.ModelError, match="friction that sticks") as error:
        lw.dynamics(feet(0.1), t_end=0.1, steps=1, method="generalized-alpha")
    assert set(error.value.element) == {"left", "right"}


def test_a_block_tips_before_it_slides():
    """Pushed at its top by more than m g w/(2 h): the foot behind opens, if friction holds the other."""
    m = feet(0.0, mu=0.9, static=0.9)
    m.add(lw.PointForce("push", m.bodies["block"].at(0, 0.2), ("4*t", "0")))
    d = lw.dynamics(m, t_end=4.0, steps=4, events={"end": lw.Watch("block.angle + 0.1", stop=True)})
    opens = next(t for t, name in d.events if name == "left parts")
    assert opens == pytest.approx(2 * G * 0.3 / 0.4 / 4, rel=1e-6)
    assert not any(name.endswith("slips") for _, name in d.events if name.startswith("right"))


@pytest.mark.parametrize("aside", [0.0, 1.0])
@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_a_box_in_space_tips_over_its_edge(aside, formulation):
    """Four corners stick, of which those behind bear less and less: at P h = m g w/2 they bear nothing, and open. Pushed
    askew one of them opens before, and three stand. Either ended as friction that is not unique, though nothing may slide:
    mu = 0.6 is far above P/(m g). Then it turns about the edge in front, as in the plane."""
    m = lw.SpatialModel("box", gravity=(0, 0, -G))
    w, h, J = 0.2, 0.6, (0.2**2 + 0.6**2) / 12
    box = m.body("box", 1.0, (J, J, w * w / 6), position=(0, 0, h / 2), shape={"box": (w, w, h)})
    m.add(lw.Contact("floor", box, m.ground.at(0, 0, 0), restitution=0.0, mu=0.6))
    m.add(lw.PointForce("push", box.at(0, 0, h / 2), ("2*t", f"{aside}*t", "0")))
    tips = G * w / 2 / h / 2  # 0.8333 s
    d = lw.dynamics(m, t_eval=[0, 0.8, 1.0], formulation=formulation)
    assert np.abs([d["box.x"][1], d["box.y"][1]]).max() < 1e-12
    opens = [t for t, name in d.events if name.endswith("parts")]
    assert max(opens) == pytest.approx(tips, abs=1e-6)  # rounding of margins that come to zero together
    if aside:  # the corner behind on the other side: m g/4 is less 2 t h/(2 w) and t h/(2 w)
        assert min(opens) == pytest.approx(G / 4 / (3 * h / (2 * w)), abs=1e-6)
    assert not any(name.endswith("slips") for _, name in d.events)
    plane = lw.PlanarModel("plane", gravity=(0, -G))
    face = plane.body("box", 1.0, J, position=(0, h / 2), shape={"box": (w, h)})
    plane.add(lw.Contact("floor", face, plane.ground.at(0, 0, angle=0), restitution=0.0, mu=0.6))
    plane.add(lw.PointForce("push", face.at(0, h / 2), ("2*t", "0")))
    flat = lw.dynamics(plane, t_eval=[0, 1.0])
    assert d["box.x"][-1] == pytest.approx(flat["box.x"][-1], abs=1e-8)
    assert d["box.z"][-1] == pytest.approx(flat["box.y"][-1], abs=1e-8)
    assert abs(d["box.y"][-1]) < 1e-9


def test_a_wheel_that_is_driven_spins_or_grips():
    """A torque T on a wheel of radius r: it grips up to T/r - J a/r <= mu m g."""
    for torque, grips in ((0.9, True), (2.5, False)):
        m = lw.PlanarModel("wheel", gravity=(0, -G))
        wheel = m.body("wheel", mass=1.0, inertia=0.005, position=(0, 0.1))
        m.add(lw.Contact("road", wheel.at(0, 0), m.ground.at(0, 0, angle=0), radii=(0.1, 0), restitution=0.0, mu=0.8))
        m.add(lw.Torque("motor", wheel, -torque))
        d = lw.dynamics(m, t_end=1.0, steps=2)
        a = torque / 0.1 / (1 + 0.005 / 0.01) if grips else 0.8 * G
        assert d["wheel.vx"][-1] == pytest.approx(a, rel=1e-9)
        assert (abs(d["wheel.vx"][-1] + 0.1 * d["wheel.omega"][-1]) < 1e-12) == grips


def test_a_box_that_is_twisted_loose_ends_by_name_not_never():
    """A push off the centre grows until four corners slip together, about a point near one of them: whether that one moves
    is below what tolerances resolve. What moves before is right: nothing, up to a push of mu m g at the most."""
    m = lw.SpatialModel("box", gravity=(0, 0, -G))
    box = m.body("box", 2.0, (0.05, 0.05, 0.08), position=(0, 0, 0.1), shape={"box": (0.4, 0.4, 0.2)})
    m.add(lw.Contact("floor", box, m.ground.at(0, 0, 0), restitution=0.0, mu=0.4))
    m.add(lw.PointForce("push", box.at(-0.2, 0.15, -0.1), ("30*t", "0", "0")))
    with pytest.raises(lw.IntegrationError, match="friction is not unique") as caught:
        lw.dynamics(m, t_end=0.4, steps=20)
    assert caught.value.element == ("floor",)
    assert 0 < 30 * caught.value.time < 0.4 * 2.0 * G
    d = caught.value.partial
    assert np.abs(d["box.x"]).max() < 1e-9


def test_three_feet_share_within_their_bounds():
    """More feet than hold it, pushed to and fro and turned: what each gives is within mu N, whether it sticks or slides, and
    together they are what the motion takes."""
    m = lw.PlanarModel("three feet", gravity=(0, -G))
    b = m.body("b", 2.0, 0.1, position=(0, 0.2))
    for k, x in enumerate((-0.4, -0.1, 0.4)):
        m.add(lw.Contact(f"c{k}", b.at(x, -0.2), m.ground.at(0, 0, angle=0), restitution=0.0, mu=0.3))
    m.add(lw.Force("push", b.x, "8*sin(6*t)"))
    m.add(lw.Torque("turn", b, "sin(4*t)"))
    d = lw.dynamics(m, t_end=1.5, steps=75)
    for k in range(3):
        assert (np.abs(d[f"c{k}.friction"]) <= 0.3 * d[f"c{k}.force"] + 1e-6).all()
    total = sum(d[f"c{k}.friction"] for k in range(3))
    assert total + d["push.force"] == pytest.approx(2 * d["b.ax"], abs=1e-9)
    assert {"c0 slips", "c1 slips", "c2 slips"} <= {n for _, n in d.events}


def test_friction_in_a_plane_has_the_direction_of_the_sliding():
    """A puck slides askew in a straight line, v^2/(2 mu g) far, and sticks; a push across breaks it away along the push,
    where mu_s m g is reached, whatever way it came."""
    m = lw.SpatialModel("puck", gravity=(0, 0, -G))
    puck = m.body("puck", mass=2.0, inertia=(0.1, 0.1, 0.1), velocity=(3, 4, 0))
    m.add(lw.Orientation("upright", m.ground.at(0, 0, 0), puck.at(0, 0, 0)))
    m.add(lw.Contact("ice", puck.at(0, 0, 0), m.ground.at(0, 0, 0), restitution=0.0, mu=0.5, mu_static=0.6))
    m.add(lw.Force("push", puck.x, "where(t > 2, -10*(t - 2), 0)"))
    d = lw.dynamics(m, t_end=4.0, steps=40)
    first = d.t < 1.0 - 1e-9
    assert d["ice.friction_x"][first] == pytest.approx(-0.5 * 20 * 3 / 5, rel=1e-9)
    assert d["ice.friction_y"][first] == pytest.approx(-0.5 * 20 * 4 / 5, rel=1e-9)
    still = (d.t > 1.05) & (d.t < 3.15)
    assert d["puck.x"][still] == pytest.approx(2.5 * 3 / 5, abs=1e-8)
    assert d["puck.y"][still] == pytest.approx(2.5 * 4 / 5, abs=1e-8)
    told = [(t, name) for t, name in d.events if "ice" in name and t > 0]
    assert [name for _, name in told] == ["ice sticks", "ice slips"]
    assert [t for t, _ in told] == [pytest.approx(1.0, abs=1e-6), pytest.approx(2 + 0.6 * 20 / 10, abs=1e-6)]
    assert d["puck.vx"][-1] < 0
    assert np.abs(d["puck.vy"][still]).max() < 1e-12
    assert abs(d["puck.vy"][-1]) < 1e-6


def test_a_coefficient_at_rest_that_is_a_parameter():
    """It holds as the number does."""
    m = feet(atan(0.35)).without("left", "right")
    static = m.parameter("static", 0.4)
    for name, x in (("left", -0.3), ("right", 0.3)):
        foot, floor = m["block"].at(x, -0.2), m.ground.at(0, 0, angle=0)
        m.add(lw.Contact(name, foot, floor, restitution=0.0, mu=0.3, mu_static=static))
    assert np.abs(lw.dynamics(m, t_end=0.5, steps=5)["block.x"]).max() < 1e-12
