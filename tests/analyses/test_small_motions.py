"""Small motions about steady motions: whirl, tops, governors, turning frames, each against its closed form."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.small_motions.about_motion import Moment, small
from linkwright.analyses.small_motions.turning import Axes


def run(m, **options):
    """The state at the start, as a result."""
    return lw.dynamics(m, t_end=1e-3, steps=1, **options)


def swings(lin):
    """Angular frequencies that are not zero."""
    return 2 * np.pi * lin.frequencies[lin.frequencies > 0]


def rotor(speed=200.0, gravity=(0, 0, 0)):
    """A disc on a ball joint at its centre, held upright by springs on the tilt of its axis."""
    m = lw.SpatialModel("rotor", gravity=gravity)
    disc = m.body("disc", mass=1.0, inertia=(0.02, 0.02, 0.035), omega=(0, 0, speed))
    m.add(lw.Spherical("bearing", m.ground.at(0, 0, 0), disc.at(0, 0, 0)))
    for name, axis in (("x", (1, 0, 0)), ("y", (0, 1, 0))):
        tilt = lw.dot(disc.vector(0, 0, 1), m.ground.vector(*axis))
        m.add(lw.Force(name, tilt, lambda s, v, t: -500 * s))
    return m


def test_whirl_of_a_rotor():
    """J_t w^2 -+ J_p Omega w - k = 0 (backward and forward); the axes are those of the ground, the spin is free."""
    split = 0.035 * 200 / 0.02
    expected = [(np.sqrt(split**2 + 4 * 500 / 0.02) + sign * split) / 2 for sign in (-1, 1)]
    m = rotor()
    lin = lw.linearize(m, lw.dynamics(m, t_end=0.1, steps=3))
    assert lin.frequencies[0] == 0
    assert swings(lin) == pytest.approx(expected, rel=1e-9)
    assert lin.residual < 1e-9
    assert lin.varying < 1e-6
    assert lin.turning == pytest.approx([0, 0, 0], abs=1e-12)
    assert pytest.approx(-lin.C.T, abs=1e-9) == lin.C  # gyroscopic: does no work
    assert np.abs(lin.eigenvalues.real).max() < 1e-6  # the pair at zero to half the digits
    # the forward mode turns with the spin: y a quarter of a period behind x in ground axes, which at t = 0 are the disc's
    start = lw.linearize(m, lw.assemble(m), coordinates=["disc.wx", "disc.wy", "disc.wz"])
    wx, wy = (start.modes[start.displacements.index(f"disc.{c}"), -1] for c in ("wx", "wy"))
    assert wy / wx == pytest.approx(-1j, abs=1e-9)
    # at rest both are sqrt(k / J_t), as an equilibrium has them
    assert swings(lw.linearize(m, lw.equilibrium(m))) == pytest.approx([np.sqrt(500 / 0.02)] * 2, rel=1e-9)


def top(spin, tilt=0.0, precession=0.0):
    """A symmetric top on its point; its own axis is z, the mass centre 0.1 m up. omega_3 = spin + precession cos(tilt)."""
    m = lw.SpatialModel("top", gravity=(0, 0, -9.81))
    omega = (0, precession * np.sin(tilt), spin + precession * np.cos(tilt))
    body = m.body("top", mass=0.5, inertia=(1e-3, 1e-3, 8e-4), com=(0, 0, 0.1), orientation=((1, 0, 0), tilt), omega=omega)
    m.add(lw.Spherical("tip", m.ground.at(0, 0, 0), body.at(0, 0, 0)))
    return m


I1, I3, MGL = 1e-3 + 0.5 * 0.01, 8e-4, 0.5 * 9.81 * 0.1


@pytest.mark.parametrize("spin", [150.0, 300.0, 100.0])
def test_a_sleeping_top(spin):
    """I1 w^2 - I3 s w + m g l = 0: slow and fast precession; below 2 sqrt(I1 m g l)/I3 = 135.6 rad/s it falls."""
    roots = np.roots([I1, -I3 * spin, MGL])
    m = top(spin)
    lin = lw.linearize(m, run(m), t=0.0)
    if np.isreal(roots).all():
        assert swings(lin) == pytest.approx(np.sort(roots.real), rel=1e-9)
        assert lin.eigenvalues.real.max() < 1e-5
    else:
        assert lin.eigenvalues.real.max() == pytest.approx(np.abs(roots.imag).max(), rel=1e-9)
        assert swings(lin) == pytest.approx(roots.real, rel=1e-9)


def test_nutation_of_a_precessing_top():
    """About a steady precession at 0.6 rad, I1 Omega^2 cos(th) - I3 w3 Omega + m g l = 0, the tilt swings in the effective
    potential with V'' = sin(th) (I3 w3 Omega' + I1 Omega^2 sin(th) - 2 I1 Omega Omega' cos(th))."""
    th, Omega = 0.6, 4.0
    w3 = (I1 * Omega**2 * np.cos(th) + MGL) / (I3 * Omega)
    slope = I3 * w3 / (I1 * np.sin(th)) - 2 * Omega / np.tan(th)
    square = np.sin(th) * (I3 * w3 * slope + I1 * Omega**2 * np.sin(th) - 2 * I1 * Omega * slope * np.cos(th)) / I1
    m = top(w3 - Omega * np.cos(th), th, Omega)
    lin = lw.linearize(m, run(m), t=0.0)
    assert lin.turning == pytest.approx([0, 0, Omega], abs=1e-9)
    assert lin.residual < 1e-12
    assert lin.varying < 1e-6
    assert swings(lin) == pytest.approx([np.sqrt(square)], rel=1e-9)


def hoop(speed, driven, R=0.3):
    """A bead on a hoop that turns about a vertical diameter: a point mass on an arm hinged at the centre."""
    m = lw.SpatialModel("hoop", gravity=(0, 0, -9.81))
    ring = m.body("ring", mass=1.0, inertia=(0.05, 0.05, 0.04), omega=(0, 0, speed))
    c = 9.81 / (R * speed**2)
    s = np.sqrt(1 - c * c)
    arm = m.body("arm", mass=0.7, com=(0, 0, -R), orientation=((0, 1, 0), -np.arccos(c)), omega=(speed * s, 0, speed * c))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), ring.at(0, 0, 0)))
    m.add(lw.Revolute("hinge", ring.frame((0, 0, 0), (0, 1, 0)), arm.frame((0, 0, 0), (0, 1, 0))))
    m.add(lw.Friction("grease", pin, viscous=0.0, stick=False))
    if driven:
        m.add(lw.Driver("motor", pin.angle, lambda t: speed * t))
    return m, s, c


@pytest.mark.parametrize("driven", [True, False])
def test_a_bead_on_a_turning_hoop(driven):
    """Where cos(th) = g/(R Omega^2) it swings at Omega sin(th); where the hoop turns freely it slows down as the bead goes
    out: Omega^2 (sin^2 + 4 m R^2 sin^2 cos^2/(J + m R^2 sin^2))."""
    speed, R = 8.0, 0.3
    m, s, c = hoop(speed, driven)
    lin = lw.linearize(m, run(m), t=0.0)
    more = 0.0 if driven else 4 * 0.7 * R**2 * s**2 * c**2 / (0.04 + 0.7 * R**2 * s**2)
    assert lin.turning == pytest.approx([0, 0, speed], rel=1e-9, abs=1e-9)
    assert lin.residual < 1e-9
    assert swings(lin) == pytest.approx([speed * np.sqrt(s**2 + more)], rel=1e-8)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_free_body_turns_about_a_principal_axis(axis):
    """Euler: (J3 - J1)(J3 - J2) Omega^2/(J1 J2) is minus the square of the eigenvalue: about the middle axis it tumbles.
    Seen from the ground nothing is constant, in axes that turn with the body all is."""
    J, speed = np.array([0.02, 0.03, 0.045]), 5.0
    m = lw.SpatialModel("racket")
    omega = np.zeros(3)
    omega[axis] = speed
    m.body("racket", mass=1.0, inertia=tuple(J), omega=tuple(omega))
    lin = lw.linearize(m, run(m), t=0.0)
    a, b = np.delete(J, axis)
    square = -((J[axis] - a) * (J[axis] - b)) * speed**2 / (a * b)
    assert lin.turning == pytest.approx(omega, abs=1e-9)
    assert lin.varying < 1e-6
    wanted = np.sqrt(complex(square))
    # eigenvalues at +- i Omega, double, are those of translations as the ground sees them: known to half the digits
    assert np.abs(lin.eigenvalues - wanted).min() < 1e-6
    assert lin.eigenvalues.real.max() == pytest.approx(max(wanted.real, 0.0), abs=1e-6)


@pytest.mark.parametrize("speed", [10.0, 30.0])
def test_a_slider_in_a_turning_slot(speed):
    """In the plane: rddot + (k/m - Omega^2) r = 0 about the centre."""
    m = lw.PlanarModel("slot")
    disc = m.body("disc", mass=1.0, inertia=0.1)
    slider = m.body("slider", mass=0.5, inertia=0.01)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), disc.at(0, 0)))
    m.add(lw.Translational("slot", disc.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Spring("spring", disc.at(0, 0), slider.at(0, 0), k=200.0))
    m.add(lw.Driver("motor", pin.angle, lambda t: speed * t))
    lin = lw.linearize(m, lw.dynamics(m, t_end=0.3, steps=1, rtol=1e-11))
    assert lin.turning == pytest.approx([speed])
    square = 200.0 / 0.5 - speed**2
    assert np.sort(lin.eigenvalues**2) == pytest.approx([-square] * 2, rel=1e-6)
    assert swings(lin) == pytest.approx([np.sqrt(square)] if square > 0 else [], rel=1e-6)


def crank(friction=False, law=False):
    """A slider-crank that is turned by its own speed: far from steady."""
    m = lw.PlanarModel("slider-crank", gravity=(0, -9.81))
    crank = m.body("crank", mass=1.0, inertia=0.01, position=(0.1, 0.0))
    rod = m.body("rod", mass=2.0, inertia=0.05, position=(0.45, 0.0))
    slider = m.body("slider", mass=1.0, position=(0.7, 0.0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-0.1, 0)))
    m.add(lw.Revolute("B", crank.at(0.1, 0), rod.at(-0.25, 0)))
    m.add(lw.Revolute("C", rod.at(0.25, 0), slider.at(0, 0)))
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Spring("spring", m.ground.at(1, 0.1), rod.at(0, 0), k=100, length=0.3, c=2))
    if friction:
        m.add(lw.Friction("rub", guide, mu=0.2, viscous=0.5, stick=False))
        m.add(lw.Friction("rub in the pin", pin, mu=0.1, radius=0.02, stick=False))
    if law:
        m.add(lw.Force("gas", slider.x, lambda x, v, t: -30 * float(np.exp(-x)) - 2 * v * abs(v)))
    return m, pin


@pytest.mark.filterwarnings("ignore:the law of gas cannot be traced")
@pytest.mark.parametrize("kind", [{}, {"friction": True}, {"law": True}])
def test_accelerations_change_as_they_are_linearised(kind):
    """A in an instant of an unsteady motion, against differences of the accelerations that a simulation gives."""

    def alpha(angle, omega):
        m, pin = crank(**kind)
        m.fix(pin.angle, angle)
        m.fix(m["crank"].omega, omega)
        return run(m)["crank.alpha"][0]

    m, pin = crank(**kind)
    m.fix(pin.angle, 0.7)
    m.fix(m["crank"].omega, 12.0)
    lin = lw.linearize(m, run(m), t=0.0, coordinates=["crank.angle"])
    h = 1e-4
    by_angle = (alpha(0.7 + h, 12.0) - alpha(0.7 - h, 12.0)) / (2 * h)
    by_omega = (alpha(0.7, 12.0 + h) - alpha(0.7, 12.0 - h)) / (2 * h)
    assert lin.A[1] == pytest.approx([by_angle, by_omega], rel=1e-6)
    assert lin.residual > 0.1  # it is accelerated


def spatial_loop():
    """A closed chain with two degrees of freedom, springs and dampers."""
    m = lw.SpatialModel("loop", gravity=(0.3, -0.2, -9.81))
    a = m.body("a", mass=1.2, inertia=(0.02, 0.03, 0.04), position=(0.2, 0, 0.1), com=(0.02, 0.01, 0.0))
    b = m.body("b", mass=0.8, inertia=(0.03, 0.02, 0.01), position=(0.6, 0.2, 0.3), orientation=((1, 2, 0.5), 0.4))
    m.add(lw.Universal("A", m.ground.frame((0, 0, 0), (1, 0, 0)), a.frame((-0.2, 0, 0), (-0.2, 1, 0))))
    m.add(lw.Spherical("B", a.at(0.2, 0.1, 0), b.at(-0.2, 0, 0.05)))
    m.add(lw.Distance("C", m.ground.at(1, 0.5, 0), b.at(0.3, 0, 0), 0.6))
    m.add(lw.Spring("s", m.ground.at(0, 1, 1), b.at(0, 0.1, 0), k=40, length=0.5, c=3))
    a.guess(omega=(1.0, 2.0, -3.0))
    b.guess(omega=(-2.0, 4.0, 1.0))
    return m


def test_small_motions_of_a_spatial_loop():
    """Accelerations of all bodies against differences of their own, at states that satisfy positions and velocities."""
    machine = LoadedMachine(spatial_loop())
    start = initial_state(machine, 0.0)
    at = Moment(machine, start.q, start.v, 0.0)
    Z, names = at.free(None)
    chosen = [machine.system.coordinates.v_names.index(x) for x in names]
    s = small(at, Axes(machine, np.array([0.3, -0.7, 1.1])), chosen, Z)

    def acceleration(x, w):
        """At a state displaced by x and w, brought back to the constraints by the second order that is lacking."""
        q = machine.retract(start.q, x)
        for _ in range(4):
            Phi, J = machine.Phi_and_J(q, 0.0)
            q = machine.retract(q, -np.linalg.pinv(J) @ Phi)
        J = machine.Phi_and_J(q, 0.0)[1]
        v = start.v + w
        v = v - np.linalg.pinv(J) @ (J @ v)
        return machine.solve(q, v, 0.0).vdot

    h = 1e-5
    for k in range(2 * len(names)):
        x, w = h * s.X[:, k], h * s.W[:, k]
        # second-order corrections cancel in the central difference
        slope = (acceleration(x, w) - acceleration(-x, -w)) / (2 * h)
        assert slope == pytest.approx(s.V[:, k], rel=1e-6, abs=1e-6 * np.abs(s.V[:, k]).max())


def test_a_large_machine_is_linearised_as_a_small_one_is():
    """Sixty rotors on one frame, evaluated by shapes, whirl as one does."""
    m = lw.SpatialModel("rotors")
    for k in range(60):
        disc = m.body(f"disc{k}", mass=1.0, inertia=(0.02, 0.02, 0.035), position=(k, 0, 0), omega=(0, 0, 100.0 + k))
        m.add(lw.Spherical(f"bearing{k}", m.ground.at(k, 0, 0), disc.at(0, 0, 0)))
        m.add(lw.Spring(f"x{k}", m.ground.at(k, 0, 0.2), disc.at(0, 0, 0.1), k=5000))
    lin = lw.linearize(m, lw.assemble(m))
    # a spring of no length from 0.2 above to 0.1 on the axis: tilted by th, k (0.2 sin th)(0.1 cos th) is the moment
    stiffness = 5000 * 0.2 * 0.1
    split = 0.035 * (100 + np.arange(60)) / 0.02
    both = [(np.sqrt(split**2 + 4 * stiffness / 0.02) + sign * split) / 2 for sign in (-1, 1)]
    assert swings(lin) == pytest.approx(np.sort(np.concatenate(both)), rel=1e-8)
    assert lin.varying < 1e-6


def test_the_state_is_that_of_the_time_asked_for():
    m = rotor()
    d = lw.dynamics(m, t_end=0.1, steps=10)
    assert lw.linearize(m, d, t=0.052).t == pytest.approx(0.05)
    assert lw.linearize(m, d).t == pytest.approx(0.1)
    with pytest.raises(lw.ModelError, match=r"t = 0\.2 is no time of the result"):
        lw.linearize(m, d, t=0.2)
    with pytest.raises(lw.ModelError, match="is no angular velocity"):
        lw.linearize(m, d, turning=3.0)


def test_velocities_of_another_machine_are_refused():
    m, _, _ = hoop(8.0, True)
    d = run(m)
    other, _, _ = hoop(9.0, True)
    with pytest.raises(lw.ModelError, match="not those of the machine at t"):
        lw.linearize(other, d)


def test_other_axes_shift_what_whirls():
    """In axes that turn with the rotor whirl is seen faster or slower by its speed."""
    m = rotor()
    ground = swings(lw.linearize(m, lw.assemble(m)))
    turning = swings(lw.linearize(m, lw.assemble(m), turning=(0, 0, 200.0)))
    assert np.sort(turning) == pytest.approx(np.sort([abs(ground[0] + 200), abs(ground[1] - 200)]), rel=1e-9)
