"""Multipliers of many times at once: the fast way against the one that takes dependent rows too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwright as lw
from linkwright import size_policy
from linkwright.analyses.machine.reactions import _by_normal_equations, _smallest
from strategies import seeds


@given(seeds, st.integers(0, 7))
def test_normal_equations_give_the_same(rng, digits):
    """Two rows that differ by 10^-digits: the condition number grows so, and with it what either way may be off."""
    S = rng.normal(size=(4, 5, 7))
    S[1, 1] = S[1, 0] + 10.0**-digits * S[1, 1]
    S /= np.linalg.norm(S, axis=2)[:, :, None]
    effort = rng.normal(size=(4, 7))
    fast, sure = _by_normal_equations(S, effort), _smallest(S, effort)
    for k in range(4):
        condition = np.linalg.cond(S[k])
        np.testing.assert_allclose(fast[k], sure[k], atol=1e-13 * condition * np.abs(sure[k]).max())


def test_rows_that_are_the_same_are_left_to_the_sure_way():
    S = np.zeros((1, 2, 3))
    S[0, :, 0] = 1.0
    assert _by_normal_equations(S, np.array([[2.0, 0.0, 0.0]])) == pytest.approx(np.ones((1, 2)))


def parallelogram(driven=True, twice=True):
    """A third crank parallel to the two others: a row too many where it has joints at both ends."""
    m = lw.PlanarModel("parallelogram")
    bar = m.body("bar", mass=3.0, inertia=1.0, position=(1.0, 1.0))
    for k in range(3 if twice else 2):
        crank = m.body(f"crank{k}", mass=1.0, inertia=0.1, position=(k, 0.5), angle=np.pi / 2)
        pin = m.add(lw.Revolute(f"A{k}", m.ground.at(k, 0), crank.at(-0.5, 0)))
        m.add(lw.Revolute(f"B{k}", crank.at(0.5, 0), bar.at(k - 1.0, 0)))
        if k == 0 and driven:
            m.add(lw.Driver("motor", pin.angle, "pi/2 + sin(3*t)"))
    return m


@pytest.mark.parametrize("twice", [True, False])
@pytest.mark.parametrize("driven", [True, False])
def test_sparse_multipliers_are_the_dense_ones(monkeypatch, driven, twice):
    """Rows that depend on each other too, where the smallest of all multipliers are wanted: of the same condition, 1e-10."""
    analysis = lw.inverse_dynamics if driven else lw.dynamics
    dense = analysis(parallelogram(driven, twice), t_end=0.5, steps=4)
    monkeypatch.setattr(size_policy, "SPARSE", 0)
    sparse = analysis(parallelogram(driven, twice), t_end=0.5, steps=4)
    for name in ("A0.fx", "B1.fy", "A1.fy", "bar.ay", *(("motor.torque",) if driven else ())):
        np.testing.assert_allclose(sparse[name], dense[name], atol=1e-10 * np.abs(dense["A0.fy"]).max(), err_msg=name)
    assert sparse.audit.notes == dense.audit.notes
    assert any("not unique" in note for note in sparse.audit.notes) == twice
    assert {n: p.unique for n, p in sparse.places.items()} == {n: p.unique for n, p in dense.places.items()}
