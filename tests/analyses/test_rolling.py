"""Constraints on velocities: sleighs, wheels, discs, balls and a bicycle, against closed forms and published numbers."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.small_motions.about_motion import Moment
from linkwright.analyses.statics.reduced import reduced
from linkwright.examples import example

G = 9.81


def sleigh(a=0.5, mass=2.0, J=0.3):
    """Chaplygin's sleigh: a blade at the origin, the mass centre ahead of it by a."""
    m = lw.PlanarModel("sleigh", gravity=(0, 0))
    b = m.body("b", mass=mass, inertia=J, com=(a, 0), omega=2.0)
    m.add(lw.Constraint("blade", -lw.sin(b.angle) * b.vx + lw.cos(b.angle) * b.vy))
    return m


@pytest.mark.parametrize("options", [{}, {"method": "radau"}, {"constraints": "stabilization"}, {"formulation": "joint"}])
def test_chaplygins_sleigh(options):
    """omega = W / cosh(c t), u = U tanh(c t) from rest ahead, U = W sqrt(I/m), c = m a U / I, I = J + m a^2."""
    d = lw.dynamics(sleigh(), t_end=5.0, steps=50, rtol=1e-9, **options)
    c, s = np.cos(d["b.angle"]), np.sin(d["b.angle"])
    inertia, W = 0.3 + 2.0 * 0.25, 2.0
    U = W * np.sqrt(inertia / 2.0)
    rate = 2.0 * 0.5 * U / inertia
    assert d["b.omega"] == pytest.approx(W / np.cosh(rate * d.t), abs=1e-6)
    assert c * d["b.vx"] + s * d["b.vy"] == pytest.approx(U * np.tanh(rate * d.t), abs=1e-6)
    assert np.abs(c * d["b.vy"] - s * d["b.vx"]).max() < (1e-6 if "constraints" in options else 1e-12)
    # the blade's force turns the velocity: m (u omega + a omegadot)
    force = 2.0 * (U * np.tanh(rate * d.t) * d["b.omega"] + 0.5 * d["b.alpha"])
    assert d["blade.force"] == pytest.approx(force, abs=1e-5)


def test_a_wheel_down_a_slope():
    """s'' = g sin / (1 + J / m r^2), friction m g sin / 3 for a disc."""
    slope, r = 0.3, 0.2
    m = lw.PlanarModel("wheel", gravity=(0, -G))
    b = m.body("w", mass=1.0, inertia=0.5 * r * r, position=(0.06, 0.19))
    m.add(lw.Rolling("roll", b.at(0, 0), m.ground.at(0, 0, angle=-slope), radius=r))
    report = lw.check(m)
    assert (report.dof, report.position_dof) == (1, 1)  # in the plane rolling can be integrated
    d = lw.dynamics(m, t_end=1.0, steps=10)
    along = d["w.vx"] * np.cos(slope) - d["w.vy"] * np.sin(slope)
    assert along == pytest.approx(G * np.sin(slope) / 1.5 * d.t, abs=1e-7)
    friction = d["roll.fx"] * np.cos(slope) - d["roll.fy"] * np.sin(slope)
    assert friction == pytest.approx(np.full(11, -G * np.sin(slope) / 3), rel=1e-9)
    touch = -d["roll.px"] * np.sin(slope) - d["roll.py"] * np.cos(slope)  # on the line through the origin
    assert touch == pytest.approx(np.zeros(11), abs=1e-9)


def test_a_ball_on_a_turntable():
    """It circles with 2/7 of the table's angular velocity, wherever it is and however fast (Milne 1948)."""
    r, Omega = 0.1, 3.0
    m = lw.SpatialModel("table", gravity=(0, 0, -G))
    table = m.body("table", mass=1.0, inertia=(1, 1, 1))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), table.at(0, 0, 0)))
    m.add(lw.Driver("turn", pin.angle, f"{Omega}*t"))
    ball = m.body("ball", mass=1.0, inertia=(0.4 * r * r,) * 3, position=(1, 0, r), velocity=(0, 0.5, 0))
    m.add(lw.Rolling("roll", ball.at(0, 0, 0), table.at(0, 0, 0), radius=r, ball=True))
    d = lw.dynamics(m, t_end=8.0, steps=200, rtol=1e-9)
    v = d["ball.vx"] + 1j * d["ball.vy"]
    assert v == pytest.approx(v[0] * np.exp(2j / 7 * Omega * d.t), abs=1e-6)
    assert d.energy.error < 1e-6


def test_a_disc_that_rolls_in_a_circle():
    """A thin disc leaning by theta, rolling on a circle of radius rho (of its centre) with the precession Omega, spins by
    n = Omega (rho - R sin) / R about its axle beside Omega's part; moments about the contact give, with A the moment about
    a diameter, C about the axle, w3 the spin of the body about the axle,
    (C + m R^2) w3 Omega cos - A Omega^2 sin cos = m g R sin, w3 = Omega rho / R."""
    R, lean, rho = 0.5, 0.3, 2.0
    A, C = 0.25 * R * R, 0.5 * R * R
    s, c = np.sin(lean), np.cos(lean)
    Omega = np.sqrt(G * R * s / ((C + R * R) * (rho / R) * c + A * s * c))
    m = lw.SpatialModel("disc", gravity=(0, 0, -G))
    # the axle is horizontal but for the lean, toward the circle's centre, where the origin is; it moves along y
    w3 = Omega * rho / R
    disc = m.body(
        "disc", mass=1.0, inertia=(A, A, C), position=(rho, 0, R * c), orientation=((0, 1, 0), -np.pi / 2 - lean),
        velocity=(0, 0.98 * Omega * rho, 0), omega=(Omega * c, 0, -w3),
    )  # fmt: skip
    m.add(lw.Rolling("roll", disc.at(0, 0, 0), m.ground.at(0, 0, 0), radius=R))
    z = R * c
    st = lw.steady(m, {disc.z: z, lw.component(disc.at(0, 0, 0), "vy"): Omega * rho})
    d = lw.dynamics(m, start=st, t_end=2 * np.pi / abs(st.turning[2]), steps=50, rtol=1e-10)
    assert np.ptp(d["disc.z"]) < 1e-6
    size = 0.5 * (np.ptp(d["disc.x"]) + np.ptp(d["disc.y"])) / 2
    assert size * abs(st.turning[2]) == pytest.approx(Omega * rho, rel=1e-3)
    rate, radius = abs(st.turning[2]), Omega * rho / abs(st.turning[2])
    balance = (C + R * R) * rate**2 * radius / R * c + A * rate**2 * s * c
    assert balance == pytest.approx(G * R * s, rel=1e-6)


def bicycle(v):
    """The benchmark bicycle of Meijaard, Papadopoulos, Ruina, Schwab (2007), upright."""
    m = example("bicycle").load()
    m.set(v=v, push=0.0)
    return m


# Table 2 of the paper: weave (real, imaginary part), capsize, castering
PUBLISHED = {
    5.0: (-0.775341882195845, 4.46486771378823, -0.322866429004087, -14.0783896927982),
}


@pytest.mark.parametrize("v", PUBLISHED)
def test_the_bicycle_of_meijaard_and_others(v):
    m = bicycle(v)
    report = lw.check(m)
    assert (report.dof, report.position_dof, report.redundant_count) == (3, 7, 0)
    lin = lw.linearize(m, lw.assemble(m))
    weave, swing, capsize, caster = PUBLISHED[v]
    for value in (weave + 1j * swing, weave - 1j * swing, capsize, caster):
        assert np.abs(lin.eigenvalues - value).min() < 1e-9
    rest = sorted(np.abs(lin.eigenvalues))[:6]  # where it is and where it heads is free, its speed too
    assert max(rest) < 1e-5  # multiple zeros are known to half the digits
    assert lin.residual < 1e-9


def test_matrices_of_the_bicycle():
    """The same at other speeds: M s^2 + v C1 s + g K0 + v^2 K2, the paper's matrices to 14 digits."""
    M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
    C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
    K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
    K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
    for v in (1.0, 8.0):
        inverse = np.linalg.inv(M)
        A = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ (G * K0 + v * v * K2), -inverse @ (v * C1)]])
        m = bicycle(v)
        found = lw.linearize(m, lw.assemble(m)).eigenvalues
        for value in np.linalg.eigvals(A):
            assert np.abs(found - value).min() < 1e-9 * max(abs(value), 1.0)


def run(m, _element):
    lw.dynamics(m, t_end=0.1, steps=1)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda m, b: m.add(lw.Constraint("c", b.vx * b.vy)), "c: it is not linear in velocities"),
        (lambda m, b: m.add(lw.Driver("d", b.vx, "t")), "it holds a velocity, but must be a position"),
        (lambda m, b: m.add(lw.Constraint("c", lw.rate(b.vx))), "it holds an acceleration"),
        (lambda m, b: m.add(lw.Rolling("r", m.ground.at(0, 0), b.at(0, 0, angle=0), radius=1)), "its wheel is the ground"),
        (lambda m, b: m.add(lw.Rolling("r", b.at(0, 0), m.ground.at(0, 0, angle=0), radius=0)), "r: radius"),
        (
            lambda m, b: m.add(lw.Rolling("r", b.at(0, 0), m.ground.at(0, 0, angle=0), radius=1, ball=True)),
            "there is no ball",
        ),
        (lambda m, b: m.add(lw.Rolling("r", b.at(0, 0), m.ground.at(0, 0, angle=0), radius=1, ball=3)), "ball"),
    ],
)
def test_what_is_wrong_is_told(build, words):
    m = lw.PlanarModel("m")
    b = m.body("b", mass=1.0, inertia=1.0)
    with pytest.raises(lw.ModelError, match=words):
        run(m, build(m, b))


def test_kinematics_says_that_velocities_do_not_say_where():
    m = sleigh()
    with pytest.raises(lw.ModelError, match="blade: constraints on velocities do not say where a machine is"):
        lw.kinematics(m, t_end=1.0, steps=2)
    floor = lw.SpatialModel("ball")
    b = floor.body("b", 1.0, (1, 1, 1), position=(0, 0, 0.5))
    floor.add(lw.Rolling("roll", b.at(0, 0, 0), floor.ground.at(0, 0, 0), radius=0.5, ball=True))
    floor.add(lw.Driver("drive", b.x, "t"))
    for ask in (lambda: lw.inverse_dynamics(floor, t_end=1.0, steps=2), lambda: lw.sensitivity(floor, t=1.0)):
        with pytest.raises(lw.ModelError, match="roll: constraints on velocities do not say where a machine is"):
            ask()


def tilting(r=0.2, further=0):
    """A wheel on a plank that turns about a pin, both driven; and bodies that have nothing to do with them."""
    m = lw.PlanarModel("tilting", gravity=(0, -G))
    plank = m.body("plank", mass=3.0, inertia=0.7)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), plank.at(0, 0)))
    wheel = m.body("wheel", mass=1.0, inertia=0.03, position=(0.5, r), angle=0.3)
    m.add(lw.Rolling("roll", wheel.at(0, 0), plank.at(0, 0, angle=0), radius=r))
    m.add(lw.Driver("tilt", pin.angle, "0.3*sin(t)"))
    m.add(lw.Driver("turn", wheel.angle, "0.3 - 40*t**2"))
    for k in range(further):
        b = m.body(f"far{k}", mass=1.0, inertia=1.0, position=(10 + k, 0), angle=0.1)
        far = m.add(lw.Revolute(f"hinge{k}", m.ground.at(10 + k, 0), b.at(0, 0)))
        m.add(lw.Driver(f"far drive{k}", far.angle, "0.1 + t"))
    return m


@pytest.mark.parametrize("further", [0, 60])
def test_kinematics_of_a_wheel_in_the_plane(further):
    """In the plane rolling is an equation of positions: along the plank the wheel has gone R times what it has turned back
    relative to it, over any number of turns. To the accuracy that positions are closed with, of a way of 32 m."""
    m = tilting(further=further)
    for ask in (lw.kinematics, lw.inverse_dynamics):
        d = ask(m, t_end=2.0, steps=40)
        tilt, turned = 0.3 * np.sin(d.t), -40 * d.t**2  # 25 turns
        along = np.cos(tilt) * d["wheel.x"] + np.sin(tilt) * d["wheel.y"]
        assert along == pytest.approx(0.5 - 0.2 * (turned - tilt), abs=1e-8)
    run = lw.dynamics(m, t_end=2.0, steps=40, rtol=1e-9)
    for channel in ("roll.fx", "roll.fy", "roll.px", "tilt.torque", "turn.torque"):
        assert d[channel] == pytest.approx(run[channel], rel=1e-6, abs=1e-5), channel


def test_forces_that_drive_a_wheel_in_the_plane():
    """A wheel that is turned with the acceleration a goes with a R: the road pushes m a R, the drive J a + m a R^2."""
    m = lw.PlanarModel("wheel", gravity=(0, -G))
    b = m.body("b", mass=2.0, inertia=0.05, position=(0, 0.2))
    m.add(lw.Rolling("roll", b.at(0, 0), m.ground.at(0, 0, angle=0), radius=0.2))
    m.add(lw.Driver("turn", b.angle, "-3*t**2"))
    d = lw.inverse_dynamics(m, t_end=1.0, steps=2)
    assert d["roll.fx"] == pytest.approx(np.full(3, 2.0 * 6 * 0.2), rel=1e-9)
    assert d["turn.torque"] == pytest.approx(np.full(3, -(0.05 * 6 + 2.0 * 6 * 0.2**2)), rel=1e-9)


def test_a_disc_that_lies_flat_is_refused():
    """It would touch everywhere: the contact, and the force there, were those of rounding."""
    m = lw.SpatialModel("flat", gravity=(0, 0, -G))
    disc = m.body("disc", mass=1.0, inertia=(1, 1, 2))
    m.add(lw.Rolling("roll", disc.at(0, 0, 0), m.ground.at(0, 0, 0), radius=0.5))
    for ask in (lw.check, lw.assemble, lambda m: lw.dynamics(m, t_end=0.1, steps=1)):
        with pytest.raises(lw.ModelError, match="roll: its disc lies flat"):
            ask(m)
    disc.guess(position=(0, 0, 0.5), orientation=((1, 0, 0), np.pi / 2))
    assert lw.check(m).ok


@pytest.mark.parametrize("options", [{}, {"formulation": "mixed"}, {"formulation": "joint"}, {"method": "hht"}])
def test_a_disc_that_lies_flat_beside_many_bodies_is_refused(options):
    """Joints that are open in the estimates were to be closed without it, and its rows, which are infinite, came in times
    zero: the run ended by numbers that are not finite, without a name."""
    m = lw.SpatialModel("flat", gravity=(0, 0, -G))
    disc = m.body("disc", mass=1.0, inertia=(1, 1, 2))
    m.add(lw.Rolling("roll", disc.at(0, 0, 0), m.ground.at(0, 0, 0), radius=0.5))
    for k in range(60):
        b = m.body(f"far{k}", mass=1.0, inertia=(1, 1, 1), position=(10.0 + k, 0, 5))
        m.add(lw.Revolute(f"pin{k}", m.ground.at(10 + k, 0, 5), b.at(0.1, 0, 0)))
    with pytest.raises(lw.ModelError, match="roll: its disc lies flat"):
        lw.dynamics(m, t_end=0.1, steps=1, **options)


def falling(omega=(0.0, 0.0, 0.0)):
    """A disc that leans by 0.6 rad from lying, let go."""
    m = lw.SpatialModel("falling", gravity=(0, 0, -G))
    disc = m.body(
        "disc", mass=1.0, inertia=(0.01, 0.01, 0.02), position=(0, 0, 0.2 * np.sin(0.6)), orientation=((1, 0, 0), 0.6),
        omega=omega,
    )  # fmt: skip
    m.add(lw.Rolling("roll", disc.at(0, 0, 0), m.ground.at(0, 0, 0), radius=0.2))
    return m


@pytest.mark.parametrize("options", [
    {}, {"method": "radau"}, {"formulation": "joint"}, {"constraints": "stabilization"}, {"method": "hht"},
], ids=["passes", "radau", "stuck", "stabilization", "hht"])  # fmt: skip
def test_a_disc_that_falls_flat_is_told(options):
    """Runs that passed the place had wrong energies, others were stuck, and no word named the disc. By energy it takes
    0.1875 s, the integral of sqrt((J + m r^2) / (2 m g r (sin(0.6) - sin))) over the lean."""
    with pytest.raises(lw.IntegrationError, match=r"roll: its disc falls flat near t = 0\.1[89]") as caught:
        lw.dynamics(falling(), t_end=0.3, steps=20, **options)
    assert caught.value.element == ("roll",)
    assert caught.value.partial.audit.energy_error < 1e-4
    assert caught.value.partial.t[-1] < 0.195


def test_a_disc_that_falls_flat_beside_many_bodies_is_told():
    """Its run in loops got over the place by steps of 1e-10 s, and went on with a million turns a second."""
    m = falling((0.003, 0.0, 0.0))
    for k in range(60):
        m.body(f"far{k}", mass=1.0, inertia=(1, 1, 1), position=(10.0 + k, 0, 5))
    with pytest.raises(lw.IntegrationError, match=r"roll: its disc falls flat near t = 0\.18") as caught:
        lw.dynamics(m, t_end=0.3, steps=20, formulation="joint", max_steps=30000)
    assert caught.value.partial.audit.steps < 3000


def test_a_disc_that_spins_low_has_not_fallen():
    """Between two output times its contact goes round to the other side."""
    d = lw.dynamics(falling((0.0, 20.0, 0.2)), t_end=1.0, steps=5)
    assert d.audit.energy_error < 1e-6


def test_stiffness_of_rows_that_turn_with_the_machine():
    """Of the equations at rest, R = Phi_v^T lam - Q, the derivative by displacements that the wheel allows: as equilibria
    have it, and as small motions do; symmetric parts, which alone decide at rest. The force along the plane is what the
    rows on velocities bear, and it turns with the disc."""
    m = lw.SpatialModel("pulled", gravity=(0, 0, -G))
    disc = m.body("disc", mass=1.0, inertia=(1, 1, 2), position=(0, 0, 0.5), orientation=((1, 0, 0), np.pi / 2 - 0.3))
    m.add(lw.Rolling("roll", disc.at(0, 0, 0), m.ground.at(0, 0, 0), radius=0.5))
    m.add(lw.PointForce("pull", disc.at(0.1, 0.2, 0), (3.0, 4.0, 1.0)))
    machine = LoadedMachine(m)
    q, still = close(machine, 0.0).q, np.zeros(6)
    r = reduced(machine, q, 0.0)
    moment = Moment(machine, q, still, 0.0, (still, r.lam))
    K = r.Z.T @ moment.changes["R_d"] @ r.Z
    assert pytest.approx(K + K.T, abs=1e-9) == r.K + r.K.T
    assert np.abs(machine.system.turning_rows(*machine.load_args(q, still, 0.0), r.lam)[0]).max() > 0.1


def test_redundant_wheels_are_told():
    """Two wheels on one axle of a rigid cart in the plane: the second rolls as the first does."""
    m = lw.PlanarModel("cart", gravity=(0, -G))
    b = m.body("b", mass=1.0, inertia=1.0, position=(0, 0.2))
    m.add(lw.Rolling("one", b.at(0, 0), m.ground.at(0, 0, angle=0), radius=0.2))
    m.add(lw.Constraint("two", b.vx + 0.2 * b.omega))
    report = lw.check(m)
    assert report.redundant == [["one.x", "two"]]
    assert lw.dynamics(m, t_end=0.1, steps=1)["b.vx"][-1] == pytest.approx(0.0, abs=1e-12)


def test_a_velocity_constraint_that_can_be_integrated_takes_a_position():
    """x xdot + y ydot = 0 is a circle; of a blade, and of a ball on a plane in space, nothing can be integrated; an axle
    that stays level and straight makes rolling in space a relation of positions."""
    m = lw.PlanarModel("circle")
    b = m.body("b", 1.0, 1.0, position=(1, 0.3))
    m.add(lw.Constraint("round", b.x * b.vx + b.y * b.vy))
    assert (lw.check(m).dof, lw.check(m).position_dof) == (2, 2)
    m = lw.PlanarModel("blade")
    b = m.body("b", 1.0, 1.0)
    m.add(lw.Constraint("edge", -lw.sin(b.angle) * b.vx + lw.cos(b.angle) * b.vy))
    assert (lw.check(m).dof, lw.check(m).position_dof) == (2, 3)
    m = lw.SpatialModel("ball")
    b = m.body("b", 1.0, (1, 1, 1), position=(0, 0, 0.5))
    m.add(lw.Rolling("floor", b.at(0, 0, 0), m.ground.at(0, 0, 0), radius=0.5, ball=True))
    assert (lw.check(m).dof, lw.check(m).position_dof) == (3, 5)
    along_y = ((1, 0, 0), -np.pi / 2)
    m.add(lw.ParallelAxes("straight", m.ground.at(0, 0, 0, rotation=along_y), b.at(0, 0, 0, rotation=along_y)))
    assert (lw.check(m).dof, lw.check(m).position_dof) == (1, 1)
