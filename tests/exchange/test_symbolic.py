"""The equations in SymPy: right to the last term, also against numbers of the compiled ones."""

import numpy as np
import pytest

import linkwright as lw

sympy = pytest.importorskip("sympy")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of SymPy's older versions with newer numpy


def pendulum():
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    length, J = m.parameter("l", 0.5), m.parameter("J", 0.1)
    arm = m.body("arm", mass=2.0, inertia=J, position=(0.5, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-length, 0)))
    m.add(lw.TorsionSpring("k", pin, k=3.0, c=0.5))
    return m


def test_a_pendulum_is_the_textbook_s():
    """Eliminating the multipliers: (J + m l^2) phi'' = -m g l cos(phi) - k phi - c phi'."""
    s = lw.equations(pendulum()).symbolic()
    length, J, g = s.parameters["l"], s.parameters["J"], s.parameters["gravity[1]"]
    x, y, phi = s.q
    assert sympy.diag(2, 2, J) == s.M
    rows = sympy.Matrix([[1, 0, length * sympy.sin(phi)], [0, 1, -length * sympy.cos(phi)]])
    assert s.Phi_q in (rows, -rows)
    unknowns = [*s.a, *s.lam]
    found = sympy.solve(list(s.equations), unknowns, dict=True)[0][s.a[2]]
    omega = s.v[2]
    expected = (2 * g * length * sympy.cos(phi) - 3 * phi - omega / 2) / (J + 2 * length**2)
    assert sympy.simplify(found - expected) == 0
    assert {x, y} & found.free_symbols == set()


def test_latex_names_all_terms():
    text = lw.equations(pendulum()).symbolic()._repr_latex_()
    assert text.startswith("$$")
    assert all(word in text for word in ("\\cos", "l", "lam"))


def test_latex_writes_any_name():
    """What LaTeX takes for commands is escaped, blanks are kept."""
    m = lw.PlanarModel("m", gravity=(0, -9.81))
    m.body("50% of a_b & c", mass=m.parameter("m_1", 2.0), inertia=1.0)
    text = lw.equations(m).symbolic().latex()
    assert r"\dot{\mathrm{50\%\ of\ a\_b\ \&\ c.vy}} m_{1} &= g_y m_{1}" in text


def test_numbers_agree_in_space():
    m = lw.SpatialModel("top", gravity=(0, 0, -9.81))
    top = m.body("top", mass=1.5, inertia=(0.1, 0.1, 0.2), omega=(0.3, 0.1, 5.0), com=(0, 0, 0.2))
    m.add(lw.Spherical("tip", m.ground.at(0, 0, 0), top.at(0, 0, 0)))
    e = lw.equations(m)
    s, here = e.symbolic(), e.at()
    values = dict(zip([*s.q, *s.v], map(float, [*here.q, *here.v]), strict=True)) | {s.parameters["gravity[2]"]: -9.81}
    for name in ("M", "h", "Q", "Phi"):
        numbers = np.array(getattr(s, name).subs(values), dtype=float).reshape(np.shape(getattr(here, name)))
        np.testing.assert_allclose(numbers, getattr(here, name), atol=1e-13)
    np.testing.assert_allclose(np.array(s.Phi_q.subs(values), dtype=float), here.Phi_rotation, atol=1e-13)
    np.testing.assert_allclose(np.array(s.gamma.subs(values), dtype=float).reshape(-1), here.gamma_sharp, atol=1e-13)


def test_machines_too_large_to_be_read_are_refused(monkeypatch):
    from linkwright.analyses.matrices import symbolic

    monkeypatch.setattr(symbolic, "MOST", 5)
    with pytest.raises(lw.ModelError, match="operations"):
        lw.equations(pendulum()).symbolic()


def test_a_pendulum_in_the_coordinate_of_its_joint():
    """(J + m l^2) phi'' = m g l cos(phi) - k phi - c phi', with g = -9.81 along y, and nothing else."""
    s = lw.equations(pendulum()).symbolic("joints")
    length, J, g = s.parameters["l"], s.parameters["J"], s.parameters["gravity[1]"]
    (phi,), (omega,) = s.q, s.v
    assert (str(phi), str(omega), len(s.lam)) == ("A.angle", "A.omega", 0)
    assert sympy.simplify(s.M[0] - (J + 2 * length**2)) == 0
    assert sympy.simplify(s.Q[0] - s.h[0] - (2 * g * length * sympy.cos(phi) - 3 * phi - omega / 2)) == 0
    assert s.latex().startswith(r"$$\begin{aligned}\dot{\mathrm{A.omega}} \left(J")
    assert all(word in s.latex() for word in (r"\cos{\left(\mathrm{A.angle} \right)}", "g_y"))


def double_pendulum():
    """Of Goldstein and others: rods of lengths l1, l2 with point masses m1, m2 at their ends."""
    m = lw.PlanarModel("double", gravity=(0, -9.81))
    l1, l2, m1, m2 = (m.parameter(n, x) for n, x in (("l1", 0.5), ("l2", 0.4), ("m1", 2.0), ("m2", 1.5)))
    a = m.body("a", mass=m1, inertia=0.0, position=(0, -0.5), angle=-np.pi / 2)
    b = m.body("b", mass=m2, inertia=0.0, position=(0, -0.9), angle=-np.pi / 2)
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-l1, 0)))
    m.add(lw.Revolute("B", a.at(0, 0), b.at(-l2, 0)))
    return m


def test_a_double_pendulum_is_the_textbook_s():
    """M11 = (m1 + m2) l1^2 + m2 l2^2 + 2 m2 l1 l2 cos(t2), and so on, in relative angles."""
    s = lw.equations(double_pendulum()).symbolic("joints")
    l1, l2, m1, m2, g = (s.parameters[n] for n in ("l1", "l2", "m1", "m2", "gravity[1]"))
    t1, t2, w1, w2 = *s.q, *s.v
    c, d = m2 * l1 * l2 * sympy.cos(t2), m2 * l1 * l2 * sympy.sin(t2)
    M = sympy.Matrix([[(m1 + m2) * l1**2 + m2 * l2**2 + 2 * c, m2 * l2**2 + c], [m2 * l2**2 + c, m2 * l2**2]])
    h = sympy.Matrix([-d * (2 * w1 * w2 + w2**2), d * w1**2])
    Q = g * sympy.Matrix([(m1 + m2) * l1 * sympy.cos(t1) + m2 * l2 * sympy.cos(t1 + t2), m2 * l2 * sympy.cos(t1 + t2)])
    rng, symbols = np.random.default_rng(0), [*s.q, *s.v, l1, l2, m1, m2, g]
    for found, expected in ((s.M, M), (s.h, h), (s.Q, Q)):
        off = sympy.lambdify(symbols, found - expected, "numpy")
        for _ in range(5):  # an identity of trigonometric polynomials
            assert np.abs(off(*rng.uniform(0.3, 2, len(symbols)))).max() < 1e-12


def test_a_cart_with_a_pendulum_is_what_lagrange_s_equations_of_sympy_are():
    """Derived anew from the energies by `sympy.physics.mechanics`; the difference is zero, symbol by symbol."""
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    m = lw.PlanarModel("cart", gravity=(0, -9.81))
    M, mass, J, c, k = (m.parameter(n, x) for n, x in (("M", 3.0), ("m", 2.0), ("J", 0.1), ("c", 0.4), ("k", 7.0)))
    cart, bob = m.body("cart", mass=M, inertia=1.0), m.body("bob", mass=mass, inertia=J, com=(c, 0))
    rail = m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), cart.at(0, 0, angle=0)))
    m.add(lw.Revolute("A", cart.at(0, 0), bob.at(0, 0)))
    m.add(lw.Force("spring", rail.displacement, lambda s, v, t: -k * s))
    e = lw.equations(m).symbolic("joints")
    names = {str(q): n for n, q in enumerate(e.q)}
    x, phi = dynamicsymbols("x phi")
    M, mass, J, c, k, g = (e.parameters[n] for n in ("M", "m", "J", "c", "k", "gravity[1]"))
    t = dynamicsymbols._t
    place = sympy.Matrix([x + c * sympy.cos(phi), c * sympy.sin(phi)])
    v = place.diff(t)
    T = M * x.diff(t) ** 2 / 2 + mass * v.dot(v) / 2 + J * phi.diff(t) ** 2 / 2
    theirs = LagrangesMethod(T + mass * g * place[1] - k * x**2 / 2, [x, phi])
    theirs.form_lagranges_equations()
    order = [names["rail.displacement"], names["A.angle"]]
    now = {x.diff(t): e.v[order[0]], phi.diff(t): e.v[order[1]], x: e.q[order[0]], phi: e.q[order[1]]}
    assert sympy.simplify(e.M.extract(order, order) - theirs.mass_matrix.subs(now)) == sympy.zeros(2, 2)
    ours = (e.Q - e.h).extract(order, [0])
    assert sympy.simplify(ours - theirs.forcing.subs(now)) == sympy.zeros(2, 1)


def spatial_arm():
    m = lw.SpatialModel("arm", gravity=(0.3, 0.2, -9.81))
    a = m.body("a", mass=1.0, inertia=((0.1, 0.01, 0), (0.01, 0.2, 0.02), (0, 0.02, 0.3)), com=(0.1, 0.2, 0.3))
    b = m.body("b", mass=0.5, inertia=(0.02, 0.03, 0.04), com=(0.1, 0, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), a.at(0, 0.1, 0, rotation=((1, 2, 2), 0.7))))
    m.add(lw.Translational("S", a.at(0.3, 0, 0, rotation=((0, 1, 0), 0.4)), b.at(0, 0, 0, rotation=((0, 1, 0), 0.4))))
    return m


@pytest.mark.parametrize("build", [double_pendulum, spatial_arm])
def test_joint_coordinates_agree_with_the_recursions_at_random_states(build):
    """M by composite bodies, h by recursive Newton-Euler, which know nothing of the traced equations."""
    m = build()
    s, js, rng = lw.equations(m).symbolic("joints"), lw.joint_space(m), np.random.default_rng(0)
    assert [str(x).rpartition(".")[0] for x in s.v] == js.names
    gravity = {x: float(m.gravity[int(n[8])]) for n, x in s.parameters.items() if n.startswith("gravity")}
    known = gravity | {x: m.parameters[n] for n, x in s.parameters.items() if n in m.parameters}
    M, h = (sympy.lambdify([*s.q, *s.v], x.subs(known), "numpy") for x in (s.M, s.h - s.Q))
    for _ in range(5):
        q, v = rng.uniform(-2, 2, js.nq), rng.normal(size=js.nv)
        np.testing.assert_allclose(np.array(M(*q, *v), dtype=float), js.M(q), rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(np.array(h(*q, *v), dtype=float).reshape(-1), js.h(q, v), rtol=1e-11, atol=1e-12)


def test_a_loop_in_joint_coordinates_moves_as_dynamics():
    """A four-bar: two joints of the tree and the rows of the third, solved by SymPy's numbers at the start."""
    m = lw.PlanarModel("four-bar", gravity=(0, -9.81))
    crank = m.body("crank", mass=1.0, inertia=0.1, position=(0, 0.5), angle=np.pi / 2)
    rod = m.body("rod", mass=2.0, inertia=0.3, position=(1, 1), angle=0.0)
    rocker = m.body("rocker", mass=1.5, inertia=0.2, position=(2, 0.5), angle=np.pi / 2)
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-0.5, 0)))
    m.add(lw.Revolute("B", crank.at(0.5, 0), rod.at(-1, 0)))
    m.add(lw.Revolute("C", rod.at(1, 0), rocker.at(0.5, 0)))
    m.add(lw.Revolute("D", m.ground.at(2, 0), rocker.at(-0.5, 0)))
    m.add(lw.Spring("s", m.ground.at(0, 1), rod.at(0, 0), k=30.0, length=0.5))
    m.fix(crank.omega, 1.3)
    s, d = lw.equations(m).symbolic("joints"), lw.dynamics(m, t_end=1e-3, steps=1)
    assert len(s.q) - len(s.lam) == 1
    state = {x: float(d[str(x)][0]) for x in [*s.q, *s.v]} | {s.parameters["gravity[1]"]: -9.81}
    M, J, right, gamma = (np.array(x.subs(state), dtype=float) for x in (s.M, s.Phi_q, s.Q - s.h, s.gamma))
    n = len(gamma)
    a = np.linalg.solve(np.block([[M, J.T], [J, np.zeros((n, n))]]), np.vstack([right, gamma])).reshape(-1)
    for x, found in zip(s.v, a, strict=False):
        assert found == pytest.approx(d[str(x).replace("omega", "alpha")][0], rel=1e-8)


def test_bodies_agree_with_compiled_functions_at_random_states():
    """All of M, h, Q, Phi, Phi_q and gamma, with parameters, a spring between points, damping and a driver."""
    m = pendulum()
    tip = m.body("tip", mass=0.7, inertia=0.05)
    m.add(lw.Revolute("B", m["arm"].at(0.5, 0.1), tip.at(0, 0.3)))
    m.add(lw.Spring("s", m.ground.at(1, 1), tip.at(0.2, 0), k=12.0, c=0.4, length=0.3))
    m.add(lw.Driver("d", m["B"].angle, "0.3*sin(2*t)"))
    rng = np.random.default_rng(0)
    for _ in range(3):
        for b in ("arm", "tip"):
            m[b].guess(
                position=rng.normal(size=2), angle=rng.uniform(-1, 1), velocity=rng.normal(size=2), omega=rng.normal()
            )
        e = lw.equations(m)
        s, here = e.symbolic(), e.at(t=0.4)
        values = dict(zip([*s.q, *s.v], map(float, [*here.q, *here.v]), strict=True))
        values |= {s.parameters["gravity[1]"]: -9.81, s.parameters["l"]: 0.5, s.parameters["J"]: 0.1}
        values |= {sympy.Symbol("t", real=True): 0.4}
        for name in ("M", "h", "Q", "Phi", "Phi_q", "gamma"):
            theirs = getattr(here, name)
            numbers = np.array(getattr(s, name).subs(values), dtype=float).reshape(np.shape(theirs))
            np.testing.assert_allclose(numbers, theirs, atol=1e-12)


def test_coordinates_that_are_none_are_refused():
    with pytest.raises(lw.ModelError, match="coordinates is 'joint'"):
        lw.equations(pendulum()).symbolic("joint")
