"""Steady motions against closed forms: governors, tops, conical pendulums, rotors; and loci of eigenvalues."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from linkwright.examples import example

G = 9.81


def governor(omega=4.0, tilt=0.6):
    """A point mass on an arm of 1 m, hinged on a shaft that turns about the vertical: cos(tilt) = g / omega^2."""
    m = lw.SpatialModel("governor", gravity=(0, 0, -G))
    s, c = np.sin(tilt), np.cos(tilt)
    shaft = m.body("shaft", mass=1.0, inertia=(1, 1, 1), omega=(0, 0, omega))
    arm = m.body("arm", mass=1.0, inertia=0.0, position=(s, 0, -c))
    spin = m.add(lw.Revolute("spin", m.ground.at(0, 0, 0), shaft.at(0, 0, 0)))
    m.add(lw.Revolute("hinge", shaft.frame((0, 0, 0), (0, 1, 0)), arm.frame((-s, 0, c), (-s, 1, c))))
    return m, spin


@pytest.mark.parametrize("omega", [3.5, 4.0, 7.0])
def test_a_governor_at_speed(omega):
    m, spin = governor(tilt=np.arccos(G / omega**2) - 0.1)  # not too near to hanging down, which is steady, too
    s = lw.steady(m, {spin.omega: omega})
    assert s["arm.z"] == pytest.approx(-G / omega**2, rel=1e-8)  # what differences of accelerations allow
    assert s.turning == pytest.approx([0, 0, omega], abs=1e-8)
    assert s[spin.omega] == pytest.approx(omega, rel=1e-12)
    # reactions: the hinge carries the weight and turns the mass about the axis
    radius = np.hypot(s["arm.x"], s["arm.y"])
    assert s["hinge.fz"] == pytest.approx(G, rel=1e-8)
    assert np.hypot(s["hinge.fx"], s["hinge.fy"]) == pytest.approx(omega**2 * radius, rel=1e-7)
    assert s.reaction("hinge", on="shaft")["fz"] == pytest.approx([-G], rel=1e-8)
    # and joints tell their rates, as bodies do
    assert [s["spin.omega"], s["spin.alpha"]] == [pytest.approx(omega, rel=1e-12), pytest.approx(0.0, abs=1e-6)]
    lin = lw.linearize(m, s)
    # the shaft turns freely with its moment of momentum: (1 + sin^2) and, by elimination, the arm's frequency
    C = G / omega**2
    S2 = 1 - C * C
    w2 = omega**2 * S2 + 4 * omega**2 * S2 * C * C / (1 + S2)
    assert np.abs(lin.eigenvalues.imag).max() == pytest.approx(np.sqrt(w2), rel=1e-6)


def test_a_governor_beside_what_stands():
    """What stands apart stays where it is, and costs no derivatives. Those were of rounding: 25 steps instead of 8, and the
    arm was off by 5e-9."""
    m, spin = governor(tilt=np.arccos(G / 16.0) - 0.1)
    for k in range(8):
        far = m.body(f"far{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(100.0 + 3 * k, -0.5, 0))
        m.add(lw.Revolute(f"pin{k}", m.ground.at(100.0 + 3 * k, 0, 0), far.at(0, 0.5, 0)))
    s = lw.steady(m, {spin.omega: 4.0})
    assert s["arm.z"] == pytest.approx(-G / 16.0, rel=1e-11)
    assert [s["far7.y"], s["far7.wz"]] == [pytest.approx(-0.5, abs=1e-12), pytest.approx(0.0, abs=1e-12)]
    assert int(s.audit.method.split()[-2]) < 15


def test_a_governor_by_sparse_factors_and_its_progress(monkeypatch):
    """Accelerations of large machines come from sparse factors; singular values took minutes for 30 arms. To what
    differences of accelerations allow. Progress grows from slope to slope, and from step to step."""
    monkeypatch.setattr(size_policy, "SPARSE", 10)
    m, spin = governor(tilt=np.arccos(G / 16.0) - 0.1)
    told = []
    s = lw.steady(m, {spin.omega: 4.0}, progress=lambda steps, part: told.append(steps + part))
    assert s["arm.z"] == pytest.approx(-G / 16.0, rel=1e-8)
    assert s["hinge.fz"] == pytest.approx(G, rel=1e-8)
    assert told == sorted(told)
    assert told[-1] <= 60


def test_governors_that_stand_apart_cost_no_more_slopes_than_one():
    """Slopes of all are taken at once, though all turn the axes and feel their turning. Progress is told once for
    each slope, four of which a governor has: positions and speeds of its shaft and its arm."""
    m, fixed, tilt = lw.SpatialModel("governors", gravity=(0, 0, -G)), {}, np.arccos(G / 16.0) - 0.1
    s, c = np.sin(tilt), np.cos(tilt)
    for k in range(6):
        at = (3.0 * k, 0, 0)
        shaft = m.body(f"shaft{k}", mass=1.0, inertia=(1, 1, 1), position=at, omega=(0, 0, 4.0))
        arm = m.body(f"arm{k}", mass=1.0, inertia=0.0, position=(3.0 * k + s, 0, -c))
        spin = m.add(lw.Revolute(f"spin{k}", m.ground.at(*at), shaft.at(0, 0, 0)))
        m.add(lw.Revolute(f"hinge{k}", shaft.frame((0, 0, 0), (0, 1, 0)), arm.frame((-s, 0, c), (-s, 1, c))))
        fixed[spin.omega] = 4.0
    told = []
    found = lw.steady(m, fixed, progress=lambda steps, part: told.append(steps))
    assert [found[f"arm{k}.z"] for k in range(6)] == pytest.approx([-G / 16.0] * 6, rel=1e-8)
    assert found.turning == pytest.approx([0, 0, 4.0], abs=1e-8)
    assert max(np.bincount(told)) == 4


def test_the_model_is_not_changed_and_the_motion_is_that_of_dynamics():
    m, spin = governor(tilt=0.8)
    s = lw.steady(m, {spin.omega: 4.0})
    assert not m.fixed
    d = lw.dynamics(m, t_end=2.0, steps=10, start=s, rtol=1e-10)
    assert np.ptp(d["arm.z"]) < 1e-6  # a residual of 1e-8, over two seconds


def test_a_top_that_precesses():
    """C w3 Omega - (A - C) Omega^2 cos - ... : with spin s about the axis (body), A Omega^2 c - C w3 Omega + m g l = 0."""
    A, C, mass, length, tilt = 2.0, 1.0, 1.0, 0.5, 0.5
    m = lw.SpatialModel("top", gravity=(0, 0, -G))
    spin = 12.0
    axis = np.array([np.sin(tilt), 0, np.cos(tilt)])
    slow = (C * spin - np.sqrt((C * spin) ** 2 - 4 * A * np.cos(tilt) * mass * G * length)) / (2 * A * np.cos(tilt))
    # omega = spin (about the axis) + the part of the precession across it, in body axes turned by the tilt about y
    top = m.body(
        "top", mass=mass, inertia=(A - mass * length**2, A - mass * length**2, C), position=tuple(length * axis),
        orientation=(np.cos(tilt / 2), 0, np.sin(tilt / 2), 0), omega=(-0.9 * slow * np.sin(tilt), 0, spin),
    )  # fmt: skip
    m.add(lw.Spherical("foot", m.ground.at(0, 0, 0), top.at(0, 0, -length)))
    s = lw.steady(m, {top.wz: spin, top.z: length * np.cos(tilt)})
    assert s.turning[2] == pytest.approx(slow, rel=1e-7)
    assert s.turning[:2] == pytest.approx([0, 0], abs=1e-9)


def test_no_steady_motion():
    m, spin = governor()
    m.add(lw.Torque("drive", spin, lambda a, w, t: 3.0))  # it gets faster and faster
    with pytest.raises(lw.AssemblyError, match="no steady motion was found"):
        lw.steady(m, {spin.omega: 4.0})


def shaft(**body):
    m = lw.PlanarModel("shaft", gravity=(0, 0))
    b = m.body("b", mass=1.0, inertia=0.01, **body)
    return m, m.add(lw.Revolute("pin", m.ground.at(0, 0), b.at(0, 0)))


@pytest.mark.parametrize("inductance", [0.0, 1e-3])
def test_a_motor_finds_its_speed_from_rest(inductance):
    """k (V - k w) / R = c w + d w^2: 0.05 (24 - 0.05 w) = 1e-4 w + 1e-5 w^2 at w = 240."""
    m, pin = shaft()
    m.add(lw.Motor("motor", pin, voltage=24.0, k=0.05, resistance=1.0, inductance=inductance))
    m.add(lw.Torque("fan", pin, lambda a, w, t: -1e-4 * w - 1e-5 * w * lw.sqrt(w * w)))
    s = lw.steady(m)
    assert s["b.omega"] == pytest.approx(240.0, rel=1e-9)
    assert s["motor.current"] == pytest.approx(12.0, rel=1e-9)


def test_a_controller_that_integrates_is_let_go_until_it_stands():
    """Its state follows from no motion: it is where the torque it gives is that of the drag."""
    m, pin = shaft()
    z = m.state("z", lambda z, t: 50.0 - pin.omega)
    m.add(lw.Torque("drag", pin, lambda a, w, t: -0.02 * w))
    m.add(lw.Torque("drive", pin, lambda a, w, t: 0.5 * z + 0.1 * (50.0 - w)))
    s = lw.steady(m)
    assert s["b.omega"] == pytest.approx(50.0, rel=1e-6)
    assert s["z"] == pytest.approx(2.0, rel=1e-6)
    assert "let go" in s.audit.method


@pytest.mark.parametrize("omega", [0.0, 5e4])
def test_a_constant_torque_has_no_steady_motion_however_fast(omega):
    m, pin = shaft(omega=omega)
    m.add(lw.Torque("drive", pin, lambda a, w, t: 5.0))
    with pytest.raises(lw.AssemblyError, match=r"b\.omega keeps changing; let go, it moves on after 1111 s"):
        lw.steady(m)


def test_a_locus_crosses_where_the_closed_form_says():
    """m xddot + c xdot + k x = 0: s = (-c +- sqrt(c^2 - 4 m k)) / 2m."""
    m = lw.PlanarModel("oscillator", gravity=(0, 0))
    c = m.parameter("c", 1.0)
    b = m.body("b", mass=2.0, inertia=1.0)
    rail = m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Force("spring", rail, lambda x, v, t: -50 * x - c * v))
    values = np.linspace(-4, 40, 23)
    locus = lw.root_locus(m, "c", values)
    roots = np.array([np.roots([2.0, x, 50.0]) for x in values])
    for row, exact in zip(locus.eigenvalues, roots, strict=True):
        gap = np.abs(row[:, None] - exact[None]).min(axis=1)
        assert gap.max() < 1e-6  # double roots, at c = 20, are known to half the digits
    assert locus.stable.tolist() == (values >= 0).tolist()
    assert np.abs(np.diff(locus.eigenvalues[:10], axis=0)).max() < 1.0  # columns follow one root


def test_campbell_of_a_rotor(tmp_path):
    """A disc on a shaft held by isotropic springs: forward and backward whirl w^2 -+ (C/A) Omega w - k/A = 0."""
    m = lw.SpatialModel("rotor", gravity=(0, 0, 0))
    speed = m.parameter("speed", 100.0)
    A, C, k = 0.02, 0.03, 400.0
    disc = m.body("disc", mass=1.0, inertia=(A, A, C), omega=(0, 0, speed))
    m.add(lw.Spherical("centre", m.ground.at(0, 0, 0), disc.at(0, 0, 0)))
    # potential k (1 - cos tilt): the axis is pulled upright, whatever the spin
    up = lw.dot(m.ground.vector(0, 0, 1), disc.vector(0, 0, 1))
    m.add(lw.Force("upright", up, k))
    values = np.array([10.0, 60.0, 150.0])
    locus = lw.root_locus(m, "speed", values, fixed={disc.wz: speed})
    for Omega, row in zip(values, locus.eigenvalues, strict=True):
        whirl = [abs(x) for s in (1, -1) for x in np.roots([A, s * C * Omega, -k])]
        found = np.abs(row.imag)
        for w in whirl:
            assert np.abs(found - w).min() < 1e-5 * w
    assert locus.campbell().get_ylabel() == "f [Hz]"
    assert locus.plot().get_xlabel() == "Re [1/s]"


def test_a_bicycle_that_rolls_upright_is_steady():
    """Upright at its speed, without a turn; small motions about it are those published (Meijaard and others 2007, table 2,
    v = 5)."""
    m = example("bicycle").load()
    m.set(v=5.0, push=0.0)
    s = lw.steady(m)
    assert [s[f"{b}.vx"] for b in ("rear wheel", "frame", "fork", "front wheel")] == pytest.approx([5.0] * 4, rel=1e-9)
    assert np.abs(s.turning).max() < 1e-9
    found = lw.linearize(m, s).eigenvalues
    for value in (-0.775341882195845 + 4.46486771378823j, -0.322866429004087, -14.0783896927982):
        assert np.abs(found - value).min() < 1e-8


@pytest.mark.parametrize("steer", [1e-3, 0.1])
def test_a_bicycle_in_a_turn(steer):
    """The handlebar is held: of a small turn lean and torque are those of the matrices of Meijaard and others (2007); a
    tight one, with a lean of 13.7 degrees, is found from the upright estimates, and the bicycle runs on in it."""
    m = example("bicycle").load()
    m.set(push=0.0)
    m.add(lw.Driver("hand", m["steer"].angle, steer))
    s = lw.steady(m, {m["rear wheel"].wy: 5 / 0.3})
    axle = lw.dot(m["rear wheel"].vector(0, 1, 0), m.ground.vector(0, 0, 1))
    if steer < 0.01:
        g, v = 9.81, 5.0
        of_lean, across = -80.95 * g, -2.59951685249872 * g
        lean = -(across + 76.5973459573222 * v**2) / of_lean * steer
        torque = across * lean + (-0.80329488458618 * g + 2.65431523794604 * v**2) * steer
        assert abs(s[axle]) == pytest.approx(lean, rel=1e-5)  # what is left is of third order in the steer
        assert abs(s["hand.torque"]) == pytest.approx(abs(torque), rel=1e-3)
    else:
        assert abs(np.degrees(np.arcsin(s[axle]))) == pytest.approx(13.700, abs=0.001)
        assert np.ptp(lw.dynamics(m, t_end=1.0, steps=5, start=s)[axle]) < 1e-8


def test_a_car_in_a_turn():
    """A single track with linear tyres, at a speed that is held: the yaw rate is u delta/(L + K u^2) with the understeer
    gradient K = M (b Cr - a Cf)/(L Cf Cr), small motions are those of its two equations (Mitschke)."""
    M, J, a, b, Cf, Cr, u, delta = 1500.0, 2500.0, 1.2, 1.5, 8e4, 9e4, 20.0, 0.02
    m = lw.PlanarModel("car")
    car = m.body("car", mass=M, inertia=J, velocity=(u, 0), omega=0.05)
    ahead = lw.cos(car.angle) * car.vx + lw.sin(car.angle) * car.vy
    aside = -lw.sin(car.angle) * car.vx + lw.cos(car.angle) * car.vy
    m.add(lw.Constraint("cruise", ahead, u))
    m.add(lw.PointForce("front", car.at(a, 0), (0, -Cf * ((aside + a * car.omega) / u - delta)), frame="body"))
    m.add(lw.PointForce("rear", car.at(-b, 0), (0, -Cr * ((aside - b * car.omega) / u)), frame="body"))
    s = lw.steady(m)
    L = a + b
    yaw = u * delta / (L + M * (b * Cr - a * Cf) / (L * Cf * Cr) * u * u)
    assert s["car.omega"] == pytest.approx(yaw, rel=1e-8)
    assert s.turning == pytest.approx(yaw, rel=1e-8)
    A = (
        -np.array([[(Cf + Cr) / M, u * u + (a * Cf - b * Cr) / M], [(a * Cf - b * Cr) / J, (a * a * Cf + b * b * Cr) / J]])
        / u
    )
    found = lw.linearize(m, s).eigenvalues
    for value in np.linalg.eigvals(A):
        assert np.abs(found - value).min() < 1e-6
