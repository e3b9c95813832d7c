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
