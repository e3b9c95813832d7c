"""Contacts that stick at once, whose forces are not unique: what is given is within mu N everywhere, and that is told."""

import numpy as np
import pytest

import linkwright as lw

NOTE = "friction and contact forces not unique"


def block(seed, same):
    """A block on two to four feet, pushed to and fro and turned; the feet of one coefficient, or of several."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    m = lw.PlanarModel("block", gravity=(0, -10))
    b = m.body("b", 2.0, 0.1, position=(0, 0.2))
    x = np.sort(rng.uniform(-0.5, 0.5, n))
    x[0], x[-1] = -0.5, 0.5
    mu = np.full(n, rng.uniform(0.1, 0.8)) if same else rng.uniform(0.1, 0.8, n)
    for k in range(n):
        foot = b.at(float(x[k]), -0.2)
        m.add(lw.Contact(f"c{k}", foot, m.ground.at(0, 0, angle=0), restitution=0.0, mu=float(mu[k])))
    push, w, turn = rng.uniform(2, 16), rng.uniform(2, 8), rng.uniform(0, 2)
    m.add(lw.Force("push", b.x, f"{push}*sin({w}*t)"))
    m.add(lw.Torque("turn", b, f"{turn}*sin({0.7 * w}*t)"))
    return m, mu


# of several coefficients: feet whose least forces are at their bounds while others hold (8, 39), that begin to slide while
# idle ones would stick (15), where all slide at once (31)
@pytest.mark.parametrize(("seed", "same"), [(8, False), (15, False), (31, False), (39, False), (2, True), (5, True)])
def test_friction_is_within_its_bounds_wherever_it_sticks(seed, same):
    m, mu = block(seed, same)
    d = lw.dynamics(m, t_end=0.9, steps=45)
    press = np.array([d[f"c{k}.force"] for k in range(len(mu))])
    friction = np.array([d[f"c{k}.friction"] for k in range(len(mu))])
    assert press.min() > -1e-9
    assert (np.abs(friction) <= mu[:, None] * press + 1e-6).all()  # 20 N of weight, events to 1e-8 of it
    # together they do what the motion takes
    assert friction.sum(axis=0) + d["push.force"] == pytest.approx(2 * d["b.ax"], abs=1e-9)
    assert press.sum(axis=0) - 20 == pytest.approx(2 * d["b.ay"], abs=1e-9)
    assert any(note.startswith(NOTE) for note in d.audit.notes) == (len(mu) > 1)


@pytest.mark.parametrize("push", [7.9, 8.1])
def test_four_feet_hold_until_none_can(push):
    """Of one coefficient it is the weight that counts, however many feet share it: mu m g = 0.4 * 20. Pushed at the height
    of the feet no moment shifts their loads."""
    m = lw.PlanarModel("block", gravity=(0, -10))
    b = m.body("b", 2.0, 0.1, position=(0, 0.2))
    for k, x in enumerate((-0.5, -0.2, 0.1, 0.4)):
        m.add(lw.Contact(f"c{k}", b.at(x, -0.2), m.ground.at(0, 0, angle=0), restitution=0.0, mu=0.4))
    m.add(lw.PointForce("push", b.at(0, -0.2), (push, 0)))
    d = lw.dynamics(m, t_end=1.0, steps=2)
    assert d["b.x"][-1] == pytest.approx(max(push - 8, 0) / 2 / 2, abs=1e-9)
    assert sum(d[f"c{k}.friction"] for k in range(4)) == pytest.approx(np.full(3, -min(push, 8.0)), rel=1e-9)


def test_what_is_unique_is_not_told_as_open():
    m = lw.PlanarModel("ball", gravity=(0, -10))
    ball = m.body("ball", mass=1.0, inertia=0.004, position=(0, 0.1), velocity=(7, 0))
    m.add(lw.Contact("lane", ball.at(0, 0), m.ground.at(0, 0, angle=0), radii=(0.1, 0), restitution=0.0, mu=0.2))
    assert not any(NOTE in note for note in lw.dynamics(m, t_end=2.0, steps=2).audit.notes)


@pytest.mark.parametrize("t_end", [0.5, 0.6])
def test_friction_beyond_its_bound_never_returns_without_a_word(t_end):
    """A block on three feet whose forces are not unique, and which slips for less than a step takes."""
    m, mu = block(129, True)
    try:
        d = lw.dynamics(m, t_end=t_end, steps=30)
    except lw.IntegrationError as error:
        told = str(error)
        d = error.partial
    else:
        told = ""
    beyond = max((np.abs(d[f"c{k}.friction"]) - mu[k] * d[f"c{k}.force"]).max() for k in range(len(mu)))
    assert ("which sticks and exceeds its bound" in told) == (beyond > 1e-6)  # as above


def arm():
    """An arm of one metre on a pin, turned down onto a floor 0.96 m below: there its tip can neither sink nor slide."""
    m = lw.PlanarModel("arm", gravity=(0, 0))
    b = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), b.at(-0.5, 0)))
    m.add(lw.Torque("turn", b, -1.4))
    m.add(lw.Contact("floor", b.at(0.5, 0), m.ground.at(0, -0.96, angle=0), restitution=0.2, mu=0.2, mu_static=0.3))
    return m


@pytest.mark.parametrize("place", [arm, lambda: lw.embed(arm())])
def test_a_tip_that_nothing_lets_slide_rests(place):
    """The least forces are across the arm, F = 0.96 / 0.28 N: more friction than there is. It gives what it has, 0.3 N, and
    the floor the rest. Moments about the pin, with the tip at (0.28, -0.96): 0.28 N + 0.96 F = 1.4."""
    d = lw.dynamics(place(), t_end=20.0, steps=4)
    named = [name for _, name in d.events]
    assert "floor sticks" in named
    assert "floor rests" in named
    assert "floor slips" not in named
    assert d["arm.y"][1:] == pytest.approx(np.full(4, -0.48), abs=1e-12)  # 0.5 m, rounding and the looks at the gap
    N, F = d["floor.force"], d["floor.friction" if "floor.friction" in d else "floor.friction_x"]
    assert N[1:] == pytest.approx(np.full(4, 1.4 / (0.28 + 0.3 * 0.96)), rel=1e-9)
    assert np.abs(F[1:]) == pytest.approx(0.3 * N[1:], rel=1e-9)
    assert any(note.startswith(NOTE) for note in d.audit.notes)


@pytest.mark.parametrize("gap", [1e-15, 0.0, -1e-15])
def test_a_contact_that_joints_hold_has_no_force(gap):
    """Two bodies that are fixed to each other touch, but for rounding: nothing moves the gap, and no force follows from
    anything. The joint bears what there is: 10 N."""
    m = lw.PlanarModel("held", gravity=(0, -10))
    a = m.body("a", mass=1.0, inertia=0.1)
    b = m.body("b", mass=1.0, inertia=0.1, position=(0, 0.2))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Fixed("weld", a.at(0, 0.2), b.at(0, 0)))
    m.add(lw.Contact("skin", b.at(0, -0.1), a.at(0, 0.1 - gap, angle=0), restitution=0.3, mu=0.2))
    m.add(lw.Torque("turn", pin, "sin(3*t)"))
    d = lw.dynamics(m, t_end=2.0, steps=20)
    assert not d["skin.force"].any()
    assert not any("skin" in name for _, name in d.events)


def guided():
    """A ball on a floor, guided across the floor and up at 45 degrees: friction across the way it slides and pressure do the
    same to it. Its weight is along the guide for the most part: by itself it would press too little to rub so much."""
    m = lw.SpatialModel("guided", gravity=(0, -8, -6))
    carriage = m.body("carriage", mass=1.0, inertia=(1, 1, 1))
    ball = m.body("ball", mass=1.0, inertia=(1, 1, 1), velocity=(1, 0, 0))
    along, up = ((0, 1, 0), np.pi / 2), ((1, 0, 0), -np.pi / 4)
    m.add(lw.Translational("rail", m.ground.at(0, 0, 0, rotation=along), carriage.at(0, 0, 0, rotation=along)))
    m.add(lw.Translational("guide", carriage.at(0, 0, 0, rotation=up), ball.at(0, 0, 0, rotation=up)))
    floor = ball.at(0, 0, 0), m.ground.at(0, 0, -0.1)
    m.add(lw.Contact("floor", *floor, radii=(0.1, 0), restitution=0.0, mu=m.parameter("mu", 0.5)))
    return m


@pytest.mark.parametrize("options", [{}, {"formulation": "joint"}, {"method": "radau"}], ids=str)
def test_pressure_does_what_friction_may_not(options):
    """What slides presses by all that the guide turns down, 8 N + 6 N, rubs by half of that against both masses, and stays
    where it stops, by forces within the bound; the least of all would be 6 N and friction of 8 N."""
    d = lw.dynamics(guided(), t_end=1.0, steps=10, **options)
    end = 2 / (0.5 * 14)  # the masses over the friction
    assert [name for _, name in d.events] == ["floor rests", "floor sticks"]
    assert d.events[1][0] == pytest.approx(end, abs=1e-6)  # at rest below ten times the tolerance
    assert d["ball.x"][-1] == pytest.approx(0.5 * end, abs=1e-9)
    assert d["floor.force"][d.t < end] == pytest.approx(14)
    F, N = np.hypot(d["floor.friction_x"], d["floor.friction_y"]), d["floor.force"]
    assert (F <= 0.5 * N * (1 + 1e-9)).all()
    assert d["floor.friction_y"] + N == pytest.approx(14)  # along the guide, at rest, too
    assert any(NOTE in note for note in d.audit.notes)


def box(v=(0, 0), spin=0.0, tilt=(0, 0), z=0.1, mu=0.5):
    """On, or above, a floor, with a contact at each of its lower corners, which are 0.2 sqrt(2) m from the middle."""
    m = lw.SpatialModel("box", gravity=(0, 0, -10))
    b = m.body("b", 1.0, (0.02,) * 3, position=(0, 0, z), velocity=(*v, 0), omega=(*tilt, spin))
    for k, (x, y) in enumerate(((-0.2, -0.2), (-0.2, 0.2), (0.2, -0.2), (0.2, 0.2))):
        m.add(lw.Contact(f"c{k}", b.at(x, y, -0.1), m.ground.at(0, 0, 0), restitution=0.0, mu=mu))
    return m


def told(d, mu=0.5):
    """Rest that lasts and is told, friction within its cone, no pull."""
    press = np.array([d[f"c{k}.force"] for k in range(4)])
    friction = np.array([np.hypot(d[f"c{k}.friction_x"], d[f"c{k}.friction_y"]) for k in range(4)])
    assert press.min() > -1e-12
    assert (friction <= mu * press + 1e-10).all()  # of 10 N; steps and rounding
    for quantity in ("x", "y", "z", "e1", "e2", "e3"):
        assert np.ptp(d[f"b.{quantity}"][-3:]) < 1e-14
    assert max(np.abs(d[f"b.{v}"][-3:]).max() for v in ("vx", "vy", "vz", "wx", "wy", "wz")) < 1e-14
    assert any(note.startswith(NOTE) for note in d.audit.notes)


@pytest.mark.parametrize("v", [(0.5, 0), (0.5, 0.3), (0, 0)])
def test_a_box_slides_or_spins_to_rest_in_space(v):
    """All corners come to rest at once, and which is the first is rounding: v |v|/(2 mu g) from where it began; where it
    spins, the moment of friction is mu m g r, r = 0.2 sqrt(2)."""
    spin = 0.0 if any(v) else 2.0
    d = lw.dynamics(box(v, spin), t_end=0.2, steps=10)
    told(d)
    assert [d["b.x"][-1], d["b.y"][-1]] == pytest.approx(np.array(v) * np.hypot(*v) / 10, abs=1e-8)
    angle = spin**2 * 0.02 / (2 * 5 * 0.2 * np.sqrt(2))
    assert 2 * np.arctan2(d["b.e3"][-1], d["b.e0"][-1]) == pytest.approx(angle, abs=1e-8)


@pytest.mark.parametrize(("v", "spin", "tilt", "z"), [((0.5, 0.3), 2, (0, 0), 0.1), ((0.2, 0.1), 0.3, (0.3, 0.2), 0.15)])
def test_a_box_slides_and_spins_to_rest_as_a_whole(v, spin, tilt, z):
    """Put down, and dropped so that it lands on one corner after the other: it ends flat, and its energy never grows."""
    d = lw.dynamics(box(v, spin, tilt, z), t_end=0.8, steps=80)
    told(d)
    energy = 10 * d["b.z"] + sum(0.5 * d[f"b.v{c}"] ** 2 + 0.01 * d[f"b.w{c}"] ** 2 for c in "xyz")
    assert np.diff(energy).max() < 1e-9
    assert d["b.z"][-1] == pytest.approx(0.1, abs=1e-8)
    assert d.audit.energy_error < 1e-8


def test_friction_of_dependent_joints_is_that_of_the_motion_beside_what_may_stick():
    """A block in two guides, one of which rubs by the smooth law, and a contact far from closing: which reactions are told
    follows from the same choice as the friction that brakes."""
    m = lw.PlanarModel("guides", gravity=(1, -10))
    carriage = m.body("carriage", 3.0, 0.2)
    block = m.body("block", 2.0, 0.1, velocity=(1, 0))
    m.add(lw.Fixed("base", m.ground.at(0, 0), carriage.at(0, 0)))
    m.add(lw.Translational("A", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Translational("B", carriage.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Friction("rub", "A", mu=0.5, transition=0.1, stick=False))
    m.add(lw.Contact("wall", block.at(0, 0), m.ground.at(9, 0, angle=np.pi / 2), restitution=0.5, mu=0.3))
    d = lw.dynamics(m, t_end=0.5, steps=5)
    N, v = np.hypot(d["A.fx"], d["A.fy"]), d["block.vx"]
    assert d["rub.force"] == pytest.approx(-0.5 * N * np.tanh(v / 0.1), rel=1e-9)
    assert 2.0 * d["block.ax"] == pytest.approx(2.0 * 1 + d["rub.force"], rel=1e-9)
    assert not [note for note in d.audit.notes if "agree" in note]
