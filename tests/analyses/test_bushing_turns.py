"""Bushings beyond small turns: the torque of one large turn, of a tilt beside it, energy, whole turns; in the plane, too."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwright as lw
from linkwright import size_policy
from linkwright.analyses.machine.mechanical import LoadedMachine

AXES = np.eye(3)
K = (10.0, 20.0, 30.0)
FORMS = ["axes", "twist", "rotation vector"]


def block(k, c=None, turned=None, omega=(0, 0, 0), form="auto", at=0.0):
    m = lw.SpatialModel("block")
    x, y, z, w = (Rotation.identity() if turned is None else turned).as_quat()
    b = m.body("b", 1.0, (0.1, 0.15, 0.2), orientation=(w, x, y, z), omega=omega)
    m.add(lw.Bushing("u", m.ground.at(0, 0, 0), b.at(0, 0, at), k=k, c=c, form=form))
    return m


def torque(turned, k=K, form="auto"):
    """On the body, in ground axes; at the start of a motion, and as its accelerations tell."""
    m = block((1e4, 1e4, 1e4, *k), turned=turned, form=form)
    d = lw.dynamics(m, t_eval=[0, 1e-9])
    told = np.array([d[f"u.t{c}"][0] for c in "xyz"])
    inertia = np.array([0.1, 0.15, 0.2]) * [d[f"b.alpha{c}"][0] for c in "xyz"]
    np.testing.assert_allclose(turned.apply(inertia), told, atol=1e-9)
    return told


@pytest.mark.parametrize("axis", range(3), ids="xyz")
@pytest.mark.parametrize("form", FORMS)
def test_a_turn_about_one_axis_has_the_torque_k_theta(form, axis):
    for theta in (-3.0, 1e-14, 1.0, 2.0, 3.0):
        found = torque(Rotation.from_rotvec(theta * AXES[axis]), form=form)
        np.testing.assert_allclose(found, -K[axis] * theta * AXES[axis], atol=1e-11)


@pytest.mark.parametrize("axis", range(3), ids="xyz")
def test_a_tilt_after_a_large_turn_has_the_torque_k_eps(axis):
    """About the axes of the first frame, each with a stiffness of its own, and whichever axis the large turn is about."""
    eps = 1e-5
    for theta in (0.5, 2.0, 3.0, -3.0):
        for other in {0, 1, 2} - {axis}:
            turned = Rotation.from_rotvec(eps * AXES[other]) * Rotation.from_rotvec(theta * AXES[axis])
            found = torque(turned)
            assert found[other] == pytest.approx(-K[other] * eps, rel=1e-3)  # eps^2/(pi - theta)^2 of higher terms
            assert found[axis] == pytest.approx(-K[axis] * theta, rel=1e-6)


def test_after_any_number_of_turns_about_its_free_axis_a_tilt_is_a_tilt():
    eps = 1e-5
    for theta in (1.0, 3.0, 4.0, 6.0):
        turned = Rotation.from_rotvec(eps * AXES[0]) * Rotation.from_rotvec(theta * AXES[2])
        np.testing.assert_allclose(torque(turned, (10.0, 20.0, 0.0)), [-10 * eps, 0, 0], atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_small_turns_are_those_of_the_matrix(form):
    """To first order any form is -k times the turns about the axes."""
    turn = 1e-6 * np.array([1.0, -2.0, 1.5])
    np.testing.assert_allclose(torque(Rotation.from_rotvec(turn), form=form), -np.array(K) * turn, atol=1e-9 * 30)


@pytest.mark.parametrize("form", FORMS)
def test_energy_is_kept_through_large_turns(form):
    """Turns by 110 degrees and more about changing axes; no damping, so nothing is lost. And with damping, what is lost is
    the work of the dampers."""
    m = block((100, 100, 100, 1.0, 2.0, 3.0), omega=(5, 4, -6), form=form, at=0.1)
    d = lw.dynamics(m, t_end=5.0, steps=100, rtol=1e-9)
    assert np.abs(d["b.e0"]).min() < np.cos(np.radians(55))
    assert d.audit.energy_error < 1e-7
    m = block((100, 100, 100, 1.0, 2.0, 3.0), (1, 1, 1, 0.1, 0.1, 0.1), omega=(5, 4, -6), form=form, at=0.1)
    d = lw.dynamics(m, t_end=20.0, steps=20, rtol=1e-9)
    assert d.audit.energy_error < 1e-7
    all_of_it = 0.5 * (0.1 * 25 + 0.15 * 16 + 0.2 * 36) + 0.5 * 100 * 0.1**2  # the bushing is stretched by 0.1 m
    assert d.energy.work[-1] == pytest.approx(-all_of_it, rel=1e-2)
    assert (np.diff(d.energy.work) < 0).all()


@pytest.mark.parametrize("options", [{}, {"formulation": "joint"}, {"method": "radau", "rtol": 1e-7}])
def test_a_soft_revolute_turns_on_under_a_side_load(options):
    """Ten turns about its free axis with a load across it: the spin stays, the tilt is F l/k, energy is kept."""
    m = block((1e4, 1e4, 1e4, 50.0, 50.0, 0.0), (10, 10, 10, 1.0, 1.0, 0), omega=(0, 0, 30), at=0.1)
    m.add(lw.PointForce("side", m["b"].at(0, 0, 0.3), (2.0, 0, 0)))
    d = lw.dynamics(m, t_end=2.1, steps=42, **{"rtol": 1e-9, **options})
    turns = np.cumsum(d["b.wz"][1:]) * 0.05 / (2 * np.pi)
    assert turns[-1] > 9.9
    assert d["b.wz"][-1] == pytest.approx(30, rel=1e-3)
    tilt = 2 * np.hypot(d["b.e1"], d["b.e2"])[-1]
    assert tilt == pytest.approx(2.0 * 0.2 / 50, rel=0.2)  # a gyroscope beside it
    assert d.audit.energy_error < 1e-6


def test_a_twist_is_counted_over_whole_turns_and_on_from_a_result():
    """Wound up by a spin of 20 rad/s against 2 N m/rad: theta = w sqrt(J/k) sin(t sqrt(k/J)), one whole turn and more."""
    m = block((100, 100, 100, 50.0, 50.0, 2.0), omega=(0, 0, 20), form="twist")
    rate = np.sqrt(2.0 / 0.2)
    d = lw.dynamics(m, t_end=0.5, steps=10, rtol=1e-10)
    theta = 20 / rate * np.sin(rate * d.t)
    assert theta.max() > 2 * np.pi * 0.99
    np.testing.assert_allclose(d["u.tz"], -2 * theta, atol=1e-6)
    np.testing.assert_allclose(d["u.angle_z"], theta, atol=1e-6)
    again = lw.dynamics(m, t_end=0.5, steps=10, rtol=1e-10, start=d)
    np.testing.assert_allclose(again["u.angle_z"], 20 / rate * np.sin(rate * (0.5 + again.t)), atol=1e-6)


def test_the_only_stiff_axis_is_counted_too():
    m = block((100, 100, 100, 0, 2.0, 0), omega=(0, 20, 0))
    rate = np.sqrt(2.0 / 0.15)
    d = lw.dynamics(m, t_end=0.6, steps=10, rtol=1e-10)
    np.testing.assert_allclose(d["u.angle_y"], 20 / rate * np.sin(rate * d.t), atol=1e-6)


@pytest.mark.parametrize("form", ["auto", "rotation vector"])
@pytest.mark.parametrize("omega", [(0, 0, 40), (0.5, 1, 40)])
def test_a_bushing_that_is_turned_by_half_a_turn_says_so(form, omega):
    m = block((100, 100, 100, 1.0, 2.0, 3.0), omega=omega, form=form)
    with pytest.raises(lw.IntegrationError, match="u is turned by half a turn") as told:
        lw.dynamics(m, t_end=5.0, steps=500)
    e = told.value
    assert e.element == ("u",)
    assert "form='twist'" in e.remedy
    assert e.partial.t[-1] <= e.time < 0.1
    w = np.sqrt(3 / 0.2)  # a pure twist is there where 40/w sin(w t) = pi; a tilt comes near that
    assert e.time == pytest.approx(np.arcsin(np.pi * w / 40) / w, rel=1e-3)


def test_a_bushing_that_is_driven_beyond_half_a_turn_says_so():
    for k, ends in (((1.0, 2.0, 3.0), True), ((1.0, 2.0, 0.0), False), ((0, 0, 3.0), False)):
        m = block((0, 0, 0, *k))
        pin = m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), m["b"].at(0, 0, 0)))
        m.add(lw.Driver("motor", pin.angle, "t"))
        if ends:
            with pytest.raises(lw.IntegrationError, match="u is turned by half a turn") as told:
                lw.inverse_dynamics(m, t_end=8.0, steps=16)
            i = told.value.partial
            assert i.t[-1] == 3.0
        else:
            i = lw.inverse_dynamics(m, t_end=8.0, steps=16)
        np.testing.assert_allclose(i["motor.torque"], k[2] * i.t, atol=1e-9)


def test_a_load_that_turns_a_bushing_too_far_is_told_at_rest():
    """6 N m against 3 N m/rad: 2 rad; 12 N m would be 4."""
    m = block((1, 1, 1, 1.0, 2.0, 3.0))
    m.add(lw.Torque("load", m["b"], (0, 0, m.parameter("n", 6.0))))
    assert abs(lw.equilibrium(m)["b.e3"]) == pytest.approx(np.sin(1.0), abs=1e-9)
    m.set(n=12.0)
    with pytest.raises(lw.IntegrationError, match="u is turned by half a turn"):
        lw.equilibrium(m)


def test_the_form_is_written_and_checked(tmp_path):
    m = block((1, 1, 1, 1, 1, 1), form="twist")
    m.save(tmp_path / "block.yaml")
    assert lw.load(tmp_path / "block.yaml")["u"].form == "twist"
    with pytest.raises(lw.ModelError, match="it cannot be 'twisst'"):
        block((1, 1, 1, 1, 1, 1), form="twisst")
    plane = lw.PlanarModel("plane")
    u = lw.Bushing("u", plane.ground.at(0, 0), plane.body("b").at(0, 0), k=(1, 1, 1), form="twist")
    with pytest.raises(lw.ModelError, match="in the plane there is no form 'twist'"):
        plane.add(u)


def plate(turned, P=0.0, Q=0.0, omega=0.0):
    m = lw.PlanarModel("plate")
    b = m.body("b", mass=1, inertia=0.2, angle=turned, velocity=(1.0, 0.0), omega=omega)
    m.add(lw.Bushing("u", m.ground.at(0, 0, angle=P), b.at(0, 0, angle=Q), k=(10, 10, 2.0), c=(1, 1, 0)))
    return m


@pytest.mark.parametrize("large", [False, True])
def test_frames_in_the_plane_that_coincide_are_not_turned(large, monkeypatch):
    """However their angles are written; 0.3 rad from there the torque is k 0.3. As the machine in space tells it."""
    if large:
        monkeypatch.setattr(size_policy, "LOOPED", 1)
    for turned, P, Q in ((3.0, -3.0, 2 * np.pi - 6), (12 * np.pi, 0, 0), (0.1, 0.1, -4 * np.pi), (1, 2, 3 - 2 - 2 * np.pi)):
        for more in (0.0, 0.3):
            m = plate(turned + more, P, Q)
            for d in (lw.dynamics(m, t_end=1e-3, steps=1), lw.dynamics(lw.embed(m), t_end=1e-3, steps=1)):
                told = d["u.torque" if "u.torque" in d else "u.tz"][0]
                assert told == pytest.approx(-2.0 * more, abs=1e-12)
                assert d["u.angle" if "u.angle" in d else "u.angle_z"][0] == pytest.approx(more, abs=1e-12)
    m = plate(0.0)
    m.add(lw.Driver("motor", m["b"].angle, "4*pi + t"))  # estimated two turns from there
    i = lw.dynamics(m, t_end=0.5, steps=2)
    assert i["u.torque"] == pytest.approx(-2.0 * i.t, abs=1e-8)


@pytest.mark.parametrize("large", [False, True])
def test_turns_that_it_makes_in_the_plane_count(large, monkeypatch):
    """theta = w sqrt(J/k) sin(t sqrt(k/J)), one whole turn and more, from six turns aside; and on from a result."""
    if large:
        monkeypatch.setattr(size_policy, "LOOPED", 1)
    m, rate = plate(12 * np.pi, omega=25.0), np.sqrt(2.0 / 0.2)
    d = lw.dynamics(m, t_end=0.5, steps=2, rtol=1e-10)
    theta = 25 / rate * np.sin(rate * d.t)
    assert theta.max() > 2 * np.pi
    np.testing.assert_allclose(d["u.torque"], -2 * theta, atol=1e-6)
    again = lw.dynamics(m, t_end=0.5, steps=2, rtol=1e-10, start=d)
    np.testing.assert_allclose(again["u.angle"], 25 / rate * np.sin(rate * (0.5 + again.t)), atol=1e-6)
    assert d.audit.energy_error < 1e-8


def test_turns_in_the_plane_are_followed_between_outputs():
    m = plate(0.0)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), m["b"].at(0, 0)))
    m.add(lw.Driver("motor", m["pin"].angle, "20*pi*t"))
    i = lw.inverse_dynamics(m, t_end=1.0, steps=2)
    assert i["motor.torque"] == pytest.approx([0, 20 * np.pi, 40 * np.pi], abs=1e-9)


def test_cardan_angles():
    """Torques by virtual work on the angles of R = Rx Ry Rz: of one turn k theta; beside a large turn about x a small one
    about the turned y; and the end, a quarter turn about y, is told."""
    for axis, theta in ((0, 3.0), (1, 1.5), (2, -3.0)):
        found = torque(Rotation.from_rotvec(theta * AXES[axis]), form="cardan")
        np.testing.assert_allclose(found, -K[axis] * theta * AXES[axis], atol=1e-9)
    angles = np.array([0.7, -0.5, 0.4])
    turned = Rotation.from_euler("XYZ", angles)  # about its own axes in turn
    x, y = AXES[0], Rotation.from_rotvec(angles[0] * AXES[0]).apply(AXES[1])
    axes = np.array([x, y, turned.apply(AXES[2])])  # of the rates of the three angles
    found = torque(turned, form="cardan")
    np.testing.assert_allclose(axes @ found, -np.array(K) * angles, atol=1e-9)  # n . axis = -k angle
    m = block((1e4, 1e4, 1e4, *K), omega=(0, 60.0, 0), form="cardan")
    with pytest.raises(lw.IntegrationError) as error:
        lw.dynamics(m, t_end=1.0, steps=10)
    assert "u" in error.value.element


@pytest.mark.parametrize("form", ["axes", "twist", "cardan", "rotation vector"])
def test_no_work_is_left_around_a_closed_path_of_combined_turns(form):
    """Three turns at once, together up to 102 degrees, and shifts, with a full stiffness matrix: along a closed path the
    torque of a potential does no work. Sums over a period are exact but for rounding; differences of 1e-5 leave 1e-10."""
    root = np.random.default_rng(1).normal(size=(6, 6))
    m = lw.SpatialModel("closed path", gravity=(0, 0, 0))
    b = m.body("b", mass=1.0, inertia=(1, 1, 1))
    m.add(lw.Bushing("rubber", m.ground.at(0, 0, 0), b.at(0, 0, 0), k=root @ root.T + 6 * np.eye(6), form=form))
    machine, h = LoadedMachine(m), 1e-5

    def turned(s):
        angles = 1.4 * np.sin(s), 0.77 * np.cos(s), 1.12 * np.sin(2 * s + 0.4)
        quarter = [np.array([np.cos(a / 2), *np.sin(a / 2) * e]) for a, e in zip(angles, np.eye(3), strict=True)]
        return product(product(quarter[0], quarter[1]), quarter[2])

    def product(p, q):
        return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])

    powers = []
    for s in np.linspace(0, 2 * np.pi, 200, endpoint=False):
        p, rate = turned(s), (turned(s + h) - turned(s - h)) / (2 * h)
        r, v = (
            (0.1 * np.sin(s), 0.2 * np.cos(2 * s), 0.1 * np.cos(s)),
            (0.1 * np.cos(s), -0.4 * np.sin(2 * s), -0.1 * np.sin(s)),
        )
        omega = 2 * product(p * (1, -1, -1, -1), rate)[1:]
        powers.append(machine.terms(np.array([*r, *p]), np.zeros(6), 0.0).Q @ [*v, *omega])
    assert abs(np.sum(powers)) < 1e-8 * np.sum(np.abs(powers))
    assert np.sum(np.abs(powers)) > 1000
