"""Exact derivatives of small motions: eigenvalues, frequencies, damping ratios by parameters."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.variations.small import VariedLinearization
from studies.differences import richardson


def read(lin):
    """Frequencies, and eigenvalues in an order of their own: LAPACK's may change with the values."""
    order = np.lexsort((lin.eigenvalues.imag.round(9), lin.eigenvalues.real.round(9)))
    return np.concatenate([lin.frequencies, lin.eigenvalues[order]]), order


def agree(model, names, tolerance=1e-7):
    """Every number against differences, relative to the largest slope."""
    varied = VariedLinearization(model, names, {})
    at, order = read(varied.answer)
    n = len(order)
    by_f, by_s = varied.slopes(["frequencies", "eigenvalues"], np.arange(2 * n)).swapaxes(0, 1)
    found = np.concatenate([by_f[: len(varied.answer.frequencies)], (by_s[:n] + 1j * by_s[n:])[order]])
    for k, name in enumerate(names):

        def changed(x, name=name):
            own = model.copy()
            own.set(**{name: x})
            return read(lw.linearize(own))[0]

        x = model.parameters[name]
        by = richardson(changed, x, 1e-3 * abs(x))
        # differences have the rounding of eigenvalues, 1e-14 of the largest, over a step of 1e-3 of the parameter
        rounding = 1e-11 * np.abs(at).max() / abs(x)
        assert np.abs(found[:, k] - by).max() <= max(tolerance * np.abs(by).max(), rounding), name


def test_a_damped_oscillator_by_its_formulas():
    """s = -c/(2m) +- i sqrt(k/m - (c/2m)^2), f = sqrt(k/m)/(2 pi), zeta = c/(2 sqrt(k m))."""
    m = lw.PlanarModel("oscillator", gravity=(0, 0))
    k, c, mass = m.parameter("k", 50.0), m.parameter("c", 3.0), m.parameter("mass", 2.0)
    b = m.body("b", mass=mass, inertia=1.0)
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Force("spring", b.x, lambda x, v, t: -k * x - c * v))
    f, by = lw.gradient(m, lw.final("frequencies"), ["k", "c", "mass"], analysis="linearize")
    assert f == pytest.approx(5 / (2 * np.pi), rel=1e-14)
    assert [by["k"], by["c"], by["mass"]] == pytest.approx([f / 100, 0.0, -f / 4], rel=1e-13, abs=1e-15)
    zeta, by = lw.gradient(m, lw.highest("damping_ratios"), ["k", "c", "mass"], analysis="linearize")
    assert zeta == pytest.approx(0.15, rel=1e-13)
    assert [by["k"], by["c"], by["mass"]] == pytest.approx([-zeta / 100, zeta / 3, -zeta / 4], rel=1e-12)
    abscissa, by = lw.gradient(m, lw.lowest("eigenvalues"), ["k", "c", "mass"], analysis="linearize")
    omega = np.sqrt(25 - 0.5625)  # the smallest of all numbers is the imaginary part below zero
    assert abscissa == pytest.approx(-omega, rel=1e-13)
    wanted = [-1 / (2 * omega * 2), 3 / (4 * 4) / omega, (50 / 4 - 9 / (2 * 8)) / (2 * omega)]
    assert [by["k"], by["c"], by["mass"]] == pytest.approx(wanted, rel=1e-12)


def test_random_linkages_in_the_plane():
    """A closed loop with a tip, which springs hold against gravity."""
    rng = np.random.default_rng(1)
    m = lw.PlanarModel("linkage", gravity=(0.3, -9.81))
    r, k, c = m.parameter("r", rng.uniform(0.4, 0.6)), m.parameter("k", rng.uniform(200, 400)), m.parameter("c", 4.0)
    mass, at = m.parameter("mass", rng.uniform(1, 3)), m.parameter("at", rng.uniform(0.2, 0.5))
    a = m.body("a", mass=mass, inertia=0.1 * mass, position=(0.0, 0.25), angle=np.pi / 2)
    b = m.body("b", mass=1.0, inertia=0.2, position=(0.5, 0.6), com=(at * 0.1, 0.02))
    d = m.body("d", mass=0.7, inertia=0.05, position=(1.1, 0.3), angle=np.pi / 2)
    tip = m.body("tip", mass=0.4, inertia=0.02, position=(0.6, 0.9))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-r / 2, 0)))
    m.add(lw.Revolute("B", a.at(r / 2, 0), b.at(-0.55, 0)))
    m.add(lw.Revolute("C", b.at(0.55, 0), d.at(0.3, 0)))
    m.add(lw.Revolute("D", d.at(-0.3, 0), m.ground.at(1.1, 0)))
    m.add(lw.Revolute("E", b.at(at, 0), tip.at(-0.25, 0)))
    m.add(lw.Spring("s", m.ground.at(-0.5, 0.4), a.at(r / 2, 0.05), k=k, length=0.3, c=c))
    m.add(lw.Spring("u", m.ground.at(0.8, 1.5), tip.at(0.2, 0), k=2 * k, length=0.5, c=0.5 * c))
    m.add(lw.TorsionSpring("twist", pin, k=30, c=0.2 * c))
    agree(m, ["r", "k", "mass", "at", "c"])


def test_random_machines_in_space():
    """A hinge about a skew axis and a ball joint: rotations about several axes lead to the equilibrium."""
    rng = np.random.default_rng(5)
    m = lw.SpatialModel("arm", gravity=(0.5, -0.2, -9.81))
    k, L, mass = m.parameter("k", 40.0), m.parameter("L", 0.6), m.parameter("mass", 1.4)
    a = m.body("a", mass=mass, inertia=(0.05, 0.08, 0.09), position=(0.3, 0, 0))
    b = m.body("b", mass=0.8, inertia=(0.02, 0.03, 0.04), position=(0.9, 0, 0))
    skew = {"rotation": ((1, 0, 0), 1.2)}
    one = m.add(lw.Revolute("one", m.ground.at(0, 0, 0, **skew), a.at(-L / 2, 0, 0, **skew)))
    m.add(lw.Spherical("two", a.at(L / 2, 0, 0), b.at(-0.3, 0, 0)))
    m.add(lw.TorsionSpring("hold", one, k=k, c=1.0))
    for n in range(3):
        x, y, z = rng.uniform(-1, 1, 3)
        on = b.at(*rng.uniform(-0.3, 0.3, 3))
        m.add(lw.Spring(f"s{n}", m.ground.at(1 + x, y, 1 + z), on, k=k * (1 + n), length=0.5, c=2))
    agree(m, ["k", "L", "mass"])


def test_states_are_part_of_it():
    m = lw.PlanarModel("servo", gravity=(0, -9.81))
    kp, ke = m.parameter("kp", 30.0), m.parameter("ke", 0.4)
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.4, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.4, 0)))
    i = m.state("current", lambda i, t: (kp * (0.2 - pin.angle) - ke * pin.omega - 2.0 * i) / 0.05)
    m.add(lw.Torque("drive", pin, lambda a, w, t: 3 * i - 0.5 * w))
    agree(m, ["kp", "ke"])


def test_a_search_for_a_frequency_follows_exact_gradients():
    m = lw.PlanarModel("tuned", gravity=(0, -9.81))
    k = m.parameter("k", 300.0)
    b = m.body("b", mass=2.0, inertia=1.0)
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle="pi/2"), b.at(0, 0, angle="pi/2")))
    m.add(lw.Force("spring", b.y, lambda y, v, t: -k * y))
    o = lw.optimize(
        m, {"k": (50.0, 900.0)}, minimize=lw.peak("eigenvalues"), subject_to={lw.final("frequencies"): (2.0, 3.0)},
        analysis="linearize",
    )  # fmt: skip
    assert o.parameters["k"] == pytest.approx(2.0 * (4 * np.pi) ** 2, rel=1e-6)
    assert o.message.endswith("exact gradients")


def test_what_has_no_derivative_is_told():
    m = lw.PlanarModel("twins", gravity=(0, -9.81))
    k = m.parameter("k", 100.0)
    for n in range(2):
        b = m.body(f"b{n}", mass=1.0, inertia=1.0, position=(n, 0))
        m.add(lw.Translational(f"rail{n}", m.ground.at(n, 0, angle="pi/2"), b.at(0, 0, angle="pi/2")))
        m.add(lw.Force(f"s{n}", b.y, lambda y, v, t: -k * y))
    with pytest.raises(lw.ModelError, match="there more than once"):
        lw.gradient(m, lw.final("frequencies"), ["k"], analysis="linearize")
    with pytest.raises(lw.ModelError, match="leave at= out"):
        lw.gradient(m, lw.final("frequencies"), ["k"], analysis="linearize", at=lw.assemble(m))
    with pytest.raises(lw.ModelError, match="ask for eigenvalues, frequencies"):
        lw.gradient(m, lw.final("B"), ["k"], analysis="linearize")
    free = lw.PlanarModel("free", gravity=(0, 0))
    q = free.parameter("q", 5.0)
    b, c = (free.body(x, mass=1.0, inertia=1.0, position=(n, 0)) for n, x in enumerate("bc"))
    for n, body in enumerate((b, c)):
        free.add(lw.Translational(f"rail{n}", free.ground.at(0, 0, angle=0), body.at(0, 0, angle=0)))
    free.add(lw.Spring("s", b.at(0, 0), c.at(0, 0), k=q, length=1.0))
    with pytest.raises(lw.ModelError, match="neutral"):  # it may stand anywhere
        lw.gradient(free, lw.lowest("frequencies"), ["q"], analysis="linearize")
