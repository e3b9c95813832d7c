"""States, motors, controllers, inertia along quantities: against closed forms and matrix exponentials."""

import numpy as np
import pytest
from scipy.linalg import expm

import linkwright as lw

V, R, L, K, J = 24.0, 1.0, 0.5, 0.1, 0.01


def rotor(dimension=2):
    m = lw.PlanarModel("rotor", gravity=(0, 0)) if dimension == 2 else lw.SpatialModel("rotor", gravity=(0, 0, 0))
    zero = (0,) * dimension
    body = m.body("rotor", mass=1.0, inertia=J if dimension == 2 else (J, J, J))
    return m, m.add(lw.Revolute("pin", m.ground.at(*zero), body.at(*zero)))


def by_hand(dimension=2):
    m, pin = rotor(dimension)
    i = m.state("current", lambda i, t: (V - K * pin.omega - R * i) / L)
    m.add(lw.Torque("drive", pin, lambda a, w, t: K * i))
    return m


def exact(t, n=1.0, J=J):
    """(omega, i) of the motor from rest: linear with constant coefficients."""
    A = np.array([[0, K * n / J], [-K * n / L, -R / L]])
    return np.array([np.linalg.solve(A, (expm(A * x) - np.eye(2)) @ [0, V / L]) for x in t]).T


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("options", [{}, {"formulation": "joint"}, {"formulation": "kane"}, {"method": "radau"},
                                     {"constraints": "stabilization"}, {"constraints": "partitioning"}])  # fmt: skip
def test_a_motor_written_by_hand(dimension, options):
    d = lw.dynamics(by_hand(dimension), t_end=2.0, steps=20, rtol=1e-9, **options)
    omega, i = exact(d.t)
    # rtol 1e-9 of values up to 100, over some ten steps' growth
    assert d["current"] == pytest.approx(i, abs=1e-6)
    assert d["rotor.omega" if dimension == 2 else "rotor.wz"] == pytest.approx(omega, abs=1e-6)
    assert d["current.rate"] == pytest.approx((V - K * omega - R * i) / L, abs=1e-5)
    assert d["drive.torque"] == pytest.approx(K * i, abs=1e-6)


def test_the_motor_element_with_gearbox_and_rotor():
    """Torque n k i, back voltage k n omega, inertia J + rotor n^2."""
    m, pin = rotor()
    m.add(lw.Motor("motor", pin, voltage=V, k=K, resistance=R, inductance=L, ratio=3, rotor=0.002))
    d = lw.dynamics(m, t_end=2.0, steps=20, rtol=1e-9)
    omega, i = exact(d.t, 3.0, J + 9 * 0.002)
    assert d["motor.current"] == pytest.approx(i, abs=1e-6)
    assert d["rotor.omega"] == pytest.approx(omega, abs=1e-6)
    assert d["motor.torque"] == pytest.approx(3 * K * d["motor.current"], rel=1e-14)
    assert d["motor.power"] == pytest.approx(V * d["motor.current"], rel=1e-14)
    # what the source gave less what the coil heats and stores is what the rotor has
    fine = lw.dynamics(m, t_end=2.0, steps=4000, rtol=1e-9)
    given = np.trapezoid(fine["motor.power"] - R * fine["motor.current"] ** 2, fine.t)
    stored = 0.5 * L * fine["motor.current"][-1] ** 2
    assert given - stored == pytest.approx(0.5 * (J + 0.018) * fine["rotor.omega"][-1] ** 2, rel=1e-5)  # trapezia
    assert fine.energy.error < 1e-7


def test_a_motor_without_inductance():
    m, pin = rotor()
    m.add(lw.Motor("motor", pin, voltage=V, k=K, resistance=R, ratio=3))
    d = lw.dynamics(m, t_end=1.0, steps=10, rtol=1e-9)
    T = R * J / (3 * K) ** 2
    assert d["rotor.omega"] == pytest.approx(V / (3 * K) * (1 - np.exp(-d.t / T)), abs=1e-6)
    assert "motor.current.rate" not in d


def test_states_go_on_and_are_in_files(tmp_path):
    m = by_hand()
    whole = lw.dynamics(m, t_end=2.0, steps=20, rtol=1e-9)
    half = lw.dynamics(m, t_end=1.0, steps=10, rtol=1e-9)
    rest = lw.dynamics(m, t_start=1.0, t_end=2.0, steps=10, rtol=1e-9, start=half)
    assert rest["current"] == pytest.approx(whole["current"][10:], abs=1e-7)
    half.save(tmp_path / "half.nc")
    again = lw.dynamics(m, t_start=1.0, t_end=2.0, steps=10, rtol=1e-9, start=lw.load_result(tmp_path / "half.nc"))
    assert np.array_equal(again["current"], rest["current"])
    lw.record(m, tmp_path / "long.nc", t_end=2.0, steps=20, rtol=1e-9)
    assert lw.load_result(tmp_path / "long.nc")["current"] == pytest.approx(whole["current"], abs=1e-7)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("rates", [
    ["(24 - 0.5*i - u)/0.1", "i/0.01"],
    lambda i, u, t: ((24 - 0.5 * i - u) / 0.1, i / 0.01),
    [lambda i, t: 240 - 5 * i, "100*i"],  # the first one does not see the second
])  # fmt: skip
def test_states_that_depend_on_each_other(dimension, rates, tmp_path):
    """An inductance, a resistance and a capacitor in a row; in files, too, where one of the two comes first."""
    m, pin = rotor(dimension)
    _, u = m.state(("i", "u"), rates, start=[0.2, 1.0])
    m.add(lw.Torque("drive", pin, lambda a, w, t: u / 100))
    d = lw.dynamics(m, t_end=1.0, steps=20, rtol=1e-10)
    seen = 0.0 if isinstance(rates, list) and callable(rates[0]) else -10.0
    A = np.array([[-5, seen], [100, 0]])
    b = np.array([240, 0])
    big = np.block([[A, b[:, None]], [np.zeros((1, 3))]])  # z and 1 together
    z = np.array([(expm(big * t) @ [0.2, 1.0, 1.0])[:2] for t in d.t]).T
    assert d["i"] == pytest.approx(z[0], abs=1e-7)  # rtol 1e-10 of values up to some 5000, in some 100 steps
    assert d["u"] == pytest.approx(z[1], abs=1e-5)
    if not callable(rates):
        m.save(tmp_path / "m.yaml")
        assert lw.load(tmp_path / "m.yaml") == m
    if dimension == 2:
        assert lw.dynamics(lw.embed(m), t_end=1.0, steps=20, rtol=1e-10)["u"] == pytest.approx(d["u"], abs=1e-5)


@pytest.mark.parametrize(("names", "rates", "words"), [
    (("a", "a"), ["a", "a"], "the name 'a' is taken"),
    (("a", "b"), ["a"], "the rate of a, b needs 2 numbers, not 1"),
    (("a", "b"), ["a", "q"], "b: rate: the name 'q' is not known"),
    (("a", "b"), lambda a, b, t: (a, None), "b: rate: it must be a number, not None"),
    (5, "t", "must be text, not 5"),
])  # fmt: skip
def test_states_that_are_refused_together_leave_none_behind(names, rates, words):
    m, _ = rotor()
    known = list(m)
    with pytest.raises(lw.ModelError, match=words):
        m.state(names, rates)
    assert list(m) == known


def test_other_values_trace_nothing():
    m, pin = rotor()
    m.parameter("volts", V)
    m.state("current", "(volts - 0.1*pin.omega - current)/0.5", start="volts/10")
    m.add(lw.Force("drive", pin, 0.1 * m["current"].value(m)))
    lw.dynamics(m, t_end=0.1, steps=1)
    m.set(volts=12.0)
    d = lw.dynamics(m, t_end=0.1, steps=1)
    assert d["current"][0] == pytest.approx(1.2, rel=1e-15)
    assert d.audit.compile_seconds == 0
    n, pin = rotor()
    n.parameter("volts", 3.0)
    n.state("current", "(volts - 0.1*pin.omega - current)/0.5", start=7.0)
    n.add(lw.Force("drive", pin, 0.1 * n["current"].value(n)))
    d = lw.dynamics(n, t_end=0.1, steps=1)
    assert d["current"][0] == 7.0
    assert d.audit.compile_seconds == 0


def test_events_of_states_and_states_that_jump():
    """zdot = 1 from 0, set back to zero at every 0.3: a saw."""
    m, _ = rotor()
    z = m.state("z", 1.0)
    watch = lw.Watch(z - 0.3, direction=1, change=lambda s: {"z": s["z"] - 0.3})
    d = lw.dynamics(m, t_end=1.0, steps=10, events={"tooth": watch})
    assert [t for t, _ in d.events] == pytest.approx([0.3, 0.6, 0.9], abs=1e-9)
    assert d.audit.events == 3
    saw = d.t - 0.3 * np.floor(d.t / 0.3 + 1e-9)
    assert d["z"][[1, 2, 4, 5, 7, 8, 10]] == pytest.approx(saw[[1, 2, 4, 5, 7, 8, 10]], abs=1e-9)


def test_equilibrium_and_small_motions_with_a_controller():
    """m yddot = -m g + kp e + ki z + kd edot, zdot = e: at rest e = 0, ki z = m g; m s^3 + kd s^2 + kp s + ki = 0."""
    m = lw.PlanarModel("lift", gravity=(0, -9.81))
    cage = m.body("cage", mass=2.0, inertia=0.01)
    rail = m.add(lw.Translational("rail", m.ground.at(0, 0, angle="pi/2"), cage.at(0, 0, angle="pi/2")))
    m.add(lw.PID("hold", rail, 1.0, kp=100.0, ki=50.0, kd=30.0))
    m.add(lw.Force("load", cage.y, 0.0))
    e = lw.equilibrium(m)
    assert (e["cage.y"], 50 * e["hold.integral"]) == pytest.approx((1.0, 2.0 * 9.81), rel=1e-12)
    assert e.stability == "stable"
    lin = lw.linearize(m, e, outputs=["cage.y", "hold.integral"])
    assert lin.A.shape == (3, 3)
    assert np.sort(lin.eigenvalues.real) == pytest.approx(np.sort(np.roots([2, 30, 100, 50]).real), rel=1e-9)
    # y / F = s / (m s^3 + kd s^2 + kp s + ki)
    s = 1j * np.array([0.3, 2.0, 20.0])
    assert lin.frequency_response("load", "cage.y", s.imag) == pytest.approx(
        s / (2 * s**3 + 30 * s**2 + 100 * s + 50), rel=1e-9
    )
    C, B = lin.C_y, lin.B[:, [lin.inputs.index("load")]]
    same = [(C @ np.linalg.solve(x * np.eye(3) - lin.A, B))[0, 0] for x in s]
    assert same == pytest.approx(lin.frequency_response("load", "cage.y", s.imag), rel=1e-9)
    m2 = lw.PlanarModel("integral alone", gravity=(0, 0))
    b = m2.body("b", mass=2.0, inertia=1.0)
    r = m2.add(lw.Translational("rail", m2.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m2.add(lw.PID("hold", r, 0.0, ki=50.0))  # s^3 = -25 has roots to the right
    assert lw.equilibrium(m2).stability == "unstable"


def test_a_controller_at_its_limit_does_not_wind_up():
    """The cage is pulled up at the limit; without a limit of the integral it would overshoot by far more."""
    m = lw.PlanarModel("lift", gravity=(0, -9.81))
    cage = m.body("cage", mass=2.0, inertia=0.01)
    rail = m.add(lw.Translational("rail", m.ground.at(0, 0, angle="pi/2"), cage.at(0, 0, angle="pi/2")))
    m.add(lw.PID("hold", rail, 1.0, kp=100.0, ki=50.0, kd=30.0, limits=(-40.0, 40.0)))
    d = lw.dynamics(m, t_end=20.0, steps=2000)
    assert d["hold.force"].max() == 40.0
    asked = 100.0 * d["hold.error"] + 50.0 * d["hold.integral"] - 30.0 * d["cage.vy"]
    beyond = (asked > 40.0 + 1e-4 * 80.0) & (d.t < 0.1)  # past the band over which the integral comes to a halt
    assert np.all(d["hold.force"][beyond] == 40.0)
    assert np.ptp(d["hold.integral"][beyond]) == 0.0
    assert d["cage.y"][-1] == pytest.approx(1.0, abs=1e-5)
    assert lw.equilibrium(m)["cage.y"] == pytest.approx(1.0, rel=1e-9)  # from a start where it is at its limit


def test_a_controller_whose_integral_stops_and_starts_at_the_limit_goes_on():
    """The sum asked for falls back to the limit while the integral stands, and leaves it again while the integral grows."""
    m = lw.PlanarModel("arm", gravity=(0, -9.81))
    arm = m.body("arm", mass=2.0, inertia=2.0, position=(1.0, 0.0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), arm.at(-1, 0)))
    m.add(lw.PID("hold", pin, "sin(t)/2", kp=50.0, ki=20.0, kd=15.0, limits=(-25.0, 25.0)))
    d = lw.dynamics(m, t_end=5.0, steps=500)
    assert abs(d["hold.torque"]).max() == 25.0
    assert d.audit.energy_error < 1e-6
    asked = 50.0 * d["hold.error"] + 20.0 * d["hold.integral"] + 15.0 * (0.5 * np.cos(d.t) - d["arm.omega"])
    assert d["hold.torque"] == pytest.approx(np.clip(asked, -25.0, 25.0), abs=1e-9)
    grows = np.gradient(d["hold.integral"], d.t, edge_order=2)
    within = abs(asked) < 24.0  # not next to a limit, where differences over 0.01 s see the kink
    assert grows[within] == pytest.approx(d["hold.error"][within], abs=1e-3)  # second differences of a smooth curve


@pytest.mark.parametrize("ki", [1e4, 1e5])
def test_an_integral_that_all_but_stands_still_at_a_limit_takes_few_steps(ki):
    """Past halfway the proportional part comes below the limit, and the integral fills it up by a small part of its pace.
    That took some 2e5 steps, or ended as chatter. At the limit the torque is constant: theta = 5 t^2/2 up to the target."""
    m = lw.PlanarModel("wheel", gravity=(0, 0))
    wheel = m.body("wheel", mass=1.0, inertia=1.0)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), wheel.at(0, 0)))
    m.add(lw.PID("turn", pin, 1.0, kp=10.0, ki=ki, kd=1.0, limits=(-5.0, 5.0)))
    d = lw.dynamics(m, t_eval=[0.0, 0.5, 0.6], t_end=2.0)
    assert d["wheel.angle"][1:] == pytest.approx([2.5 * 0.5**2, 2.5 * 0.6**2], abs=1e-7)
    assert d.audit.steps < 2000  # some 650
    assert not d.audit.notes


def test_a_result_with_a_motors_current_is_linearised_and_gone_on_from():
    m, pin = rotor()
    m.add(lw.Motor("motor", pin, voltage=24.0, k=K, resistance=R, inductance=L))
    d = lw.dynamics(m, t_end=0.5, steps=10)
    assert lw.linearize(m, d).A.shape == (3, 3)
    there = {name: float(d[name][-1]) for name in d.channels}
    assert lw.dynamics(m, start=there, t_end=0.1, steps=1)["motor.current"][0] == d["motor.current"][-1]


@pytest.mark.filterwarnings("ignore:.*cannot be traced")
def test_switched_rates_where_the_motion_is_solved_in_python():
    """Beside a law in plain Python the rates of states have the forms that events chose, not those before the first."""
    runs = []
    for law in (lambda s, v, t: -0.5 * v, lambda s, v, t: -0.5 * float(v)):
        m, pin = rotor()
        m.add(lw.Motor("motor", pin, voltage="24*cos(4*t)", k=K, resistance=R, inductance=L))
        m.add(lw.PID("hold", pin, "sin(4*t)", kp=1.0, ki=3.0, limits=(-0.5, 0.5)))
        m.state("heat", "1 - heat", start=0.2)
        m.add(lw.Torque("air", pin, law))
        runs.append(lw.dynamics(m, t_end=1.5, steps=30))
    traced, called = runs
    assert np.ptp(traced["hold.integral"]) > 0.01
    assert traced.audit.switches > 2
    for name in ("hold.integral", "motor.current", "heat", "pin.angle"):
        assert called[name] == pytest.approx(traced[name], abs=1e-7)  # rtol 1e-8


@pytest.mark.parametrize("formulation", ["newton-euler", "joint", "euler-parameters", "kane", "mixed"])
def test_inertia_along_a_quantity(formulation):
    """Two wheels coupled 1 : 2 by their sum's inertia: T = (I1 w1^2 + I2 w2^2 + J (w1 + 2 w2)^2) / 2."""
    m = lw.SpatialModel("differential", gravity=(0, 0, 0))
    pins = []
    for k, inertia in enumerate((1.0, 2.0)):
        b = m.body(f"w{k}", mass=1.0, inertia=(1, 1, inertia), position=(k, 0, 0))
        pins.append(m.add(lw.Revolute(f"p{k}", m.ground.at(k, 0, 0), b.at(0, 0, 0))))
    m.add(lw.Inertia("ring", pins[0].angle + 2 * pins[1].angle, 3.0))
    m.add(lw.Torque("t", pins[0], lambda a, w, t: 5.0))
    d = lw.dynamics(m, t_end=1.0, steps=5, formulation=formulation)
    M = np.diag([1.0, 2.0]) + 3.0 * np.outer([1, 2], [1, 2])
    alpha = np.linalg.solve(M, [5.0, 0.0])
    assert [d["w0.wz"][-1], d["w1.wz"][-1]] == pytest.approx(alpha, rel=1e-7)  # rtol 1e-8
    assert d.energy.kinetic[-1] == pytest.approx(0.5 * alpha @ M @ alpha, rel=1e-6)
    assert d.audit.formulation == formulation


def test_inertia_along_a_distance_has_its_velocity_terms():
    """The velocity terms of J along a distance do no work: without them the energy of the swinging machine would drift."""
    m = lw.PlanarModel("distance", gravity=(0, -9.81))
    a = m.body("a", mass=1.0, inertia=0.1, position=(0.5, 0))
    b = m.body("b", mass=2.0, inertia=0.2, position=(1.0, 0.5), angle=1.0)
    m.add(lw.Revolute("p", m.ground.at(0, 0), a.at(-0.5, 0)))
    m.add(lw.Revolute("q", a.at(0.5, 0), b.at(-0.5, 0)))
    m.add(lw.Inertia("along", lw.distance(m.ground.at(0, 1), b.at(0.5, 0)), 3.0))
    d = lw.dynamics(m, t_end=2.0, steps=50, rtol=1e-9)
    total = d.energy.kinetic + d.energy.potential
    assert np.ptp(total) < 1e-6 * np.abs(d.energy.kinetic).max()
    assert np.ptp(d.energy.kinetic) > 1.0


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda m, pin: m.state("s", "1/(t - t)"), "s: rate: division by zero"),
        (lambda m, pin: m.state("s", lambda z, t: lw.rate(m["rotor"].vx)), "cannot depend on accelerations"),
        (lambda m, pin: m.state("pin", 1.0), "the name 'pin' is taken"),
        (lambda m, pin: m.fix(m.state("s", 1.0), 2.0), "cannot hold the state s"),
        (lambda m, pin: m.add(lw.Motor("m", pin, 1, k=-1, resistance=1)), "m: k"),
        (lambda m, pin: m.add(lw.Motor("m", pin, 1, k=1, resistance=0)), "m: resistance"),
        (lambda m, pin: m.add(lw.PID("c", pin, 1.0)), "it does nothing"),
        (lambda m, pin: m.add(lw.PID("c", pin, 1.0, kp=1, limits=(1, -1))), "leave nothing between"),
        (lambda m, pin: m.add(lw.Inertia("i", pin, 0.0)), "i: J"),
        (lambda m, pin: m.add(lw.Force("f", "pinn", 0.0)), "pinn"),
    ],
)
def test_what_is_wrong_is_told(build, words):
    m, pin = rotor()
    with pytest.raises(lw.ModelError, match=words):
        build(m, pin)


def test_where_states_have_no_value():
    m = by_hand()
    m.add(lw.Driver("turn", m["pin"].angle, "t"))
    with pytest.raises(lw.ModelError, match="the state 'current' has no value here"):
        lw.kinematics(m, t_end=1.0, steps=2)[m["current"].value(m)]
    n, pin = rotor()
    n.add(lw.PID("control", pin, "3*t", kp=1.0, ki=1.0))
    with pytest.raises(lw.ModelError, match=r"the state control.integral does not follow from the motion"):
        lw.steady(n)
    n, _ = rotor()
    n.state("s", 1.0)
    with pytest.raises(lw.AssemblyError, match="the state s does not come to rest"):
        lw.equilibrium(n)


def test_a_motor_without_load_has_a_speed_and_no_equilibrium():
    """V/k, and small motions of L J s^2 + R J s + k^2 = 0."""
    m = lw.PlanarModel("motor")
    wheel = m.body("wheel", mass=1.0, inertia=0.01, omega=239.0)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), wheel.at(0, 0)))
    m.add(lw.Motor("motor", pin, voltage=24, k=0.1, resistance=1.0, inductance=0.01))
    with pytest.raises(lw.AssemblyError, match="does not come to rest") as caught:
        lw.equilibrium(m)
    assert "lw.steady" in caught.value.remedy
    s = lw.steady(m, {pin.angle: 0.0})
    assert s["wheel.omega"] == pytest.approx(240)
    assert s["motor.current"] == pytest.approx(0, abs=1e-9)
    roots = [0, *np.roots([0.01 * 0.01, 0.01, 0.01])]
    assert sorted(lw.linearize(m, s).eigenvalues.real) == pytest.approx(sorted(roots), abs=1e-9)


@pytest.mark.parametrize("text", [True, False])
def test_a_law_of_the_rate_of_a_state_is_told_so(text):
    m = lw.PlanarModel("m")
    z = m.state("z", "1 - z")
    b = m.body("b", mass=1.0, inertia=1.0)
    law = "rate(z)" if text else lambda x, v, t: 2 * lw.rate(z)
    with pytest.raises(lw.ModelError, match="cannot depend on the rate of a state: that of z") as error:
        m.add(lw.Force("f", b.x, law))
    assert error.value.element == ("f",)
