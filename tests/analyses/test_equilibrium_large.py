"""Equilibrium and small motions of large machines: known answers, and the same as of small ones by the dense way."""

from time import process_time

import numpy as np
import pytest
from scipy.special import jn_zeros

import linkwright as lw
from large_machines import chain
from linkwright import size_policy

G = 9.81
LIMITS = ("LOOPED", "SPARSE", "SPARSE_RANK", "FREE_MOTIONS")


def rods(n, angle, length=1.0, springs=0.0):
    """A chain of n equal rods in the plane, from (0, 0) straight on; 1 kg in all."""
    m, mass, own = lw.PlanarModel("rods", gravity=(0, -G)), 1.0 / n, length / n
    along, before, at = np.array([np.cos(angle), np.sin(angle)]), m.ground, (0.0, 0.0)
    for k in range(n):
        body = m.body(f"b{k}", mass=mass, inertia=mass * own**2 / 12, position=(k + 0.5) * own * along, angle=angle)
        joint = m.add(lw.Revolute(f"j{k}", before.at(*at), body.at(-own / 2, 0)))
        if springs:
            m.add(lw.TorsionSpring(f"t{k}", joint, k=springs, angle=0.0 if k else angle, c=0.01 * springs))
        before, at = body, (own / 2, 0)
    return m


def test_a_chain_let_go_hangs():
    """All rods point down; the potential is that of a rod of the whole length. Processor time 0.7 s on a machine of 2026."""
    n, clock = 300, process_time()
    found = lw.equilibrium(rods(n, 0.0))
    assert process_time() - clock < 10
    assert found.stability == "stable"
    for k in (0, n // 2, n - 1):
        assert np.sin(found[f"b{k}.angle"]) == pytest.approx(-1, abs=1e-12)
    assert found.potential == pytest.approx(-G / 2, rel=1e-12)
    # a joint carries what hangs from it, (n - k) rods
    assert [float(found[f"j{k}.fy"]) for k in (0, 100)] == pytest.approx([G, G * 200 / n], rel=1e-10)


def test_frequencies_of_a_hanging_chain():
    """Daniel Bernoulli, 1732: omega_k = j_k / 2 sqrt(g / L) with the zeros j_k of J_0. Rods instead of a thread: the error
    falls with 1 / n^2, and is some j_k^2 / n^2."""
    n = 300
    small = lw.linearize(rods(n, -np.pi / 2))
    zeros = jn_zeros(0, 5)
    error = np.abs(2 * np.pi * small.frequencies[:5] / (zeros / 2 * np.sqrt(G)) - 1)
    assert (error < zeros**2 / n**2).all()
    # without damping the eigenvalues are +- i omega
    omega = 2 * np.pi * small.frequencies
    np.testing.assert_allclose(np.sort(np.abs(small.eigenvalues)), np.sort(np.repeat(omega, 2)), rtol=1e-9)
    assert small.modes.shape == (3 * n, n)


@pytest.fixture
def everything_is_large(monkeypatch):
    for name in LIMITS:
        monkeypatch.setattr(size_policy, name, 1)


def _leaning():
    m = lw.SpatialModel("leaning", gravity=(0, -G, 0))
    posts = [m.body(f"p{k}", mass=1, inertia=(0.1, 0.02, 0.1), com=(0, 0.5, 0), position=(k, 0, 0)) for k in range(2)]
    beam = m.body("beam", mass=2, inertia=(0.02, 0.2, 0.2), com=(0.5, 0, 0), position=(0, 1, 0))
    for k, post in enumerate(posts):
        A = m.add(lw.Revolute(f"A{k}", m.ground.at(k, 0, 0), post.at(0, 0, 0)))
        m.add(lw.Revolute(f"B{k}", post.at(0, 1, 0), beam.at(k, 0, 0)))
    m.add(lw.TorsionSpring("spring", A, k=40.0, angle=0.3, c=0.5))
    return m


def _pendulums():
    """Two in space that swing about skew axes, with a spring between them."""
    m, tips = lw.SpatialModel("pendulums", gravity=(0, 0, -G)), []
    for k in range(2):
        body = m.body(f"b{k}", mass=1 + k, inertia=(0.1, 0.2, 0.15), position=(k, 0, -0.5))
        turn = ((1, 0.2 * k, 0), np.pi / 2)
        m.add(lw.Revolute(f"A{k}", m.ground.at(k, 0, 0, rotation=turn), body.at(0, 0, 0.5, rotation=turn)))
        tips.append(body.at(0, 0.1, -0.5))
    m.add(lw.Spring("spring", *tips, k=30.0, length=0.6, c=0.4))
    return m


SMALL = {
    "redundant": (_leaning, ["p0.wz"]), "pendulums": (_pendulums, ["b0.wy", "b1.wy"]),
    "springs": (lambda: rods(5, 0.2, springs=20.0), [f"b{k}.angle" for k in range(5)]),
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_small_machines_taken_for_large_ones(name, everything_is_large):
    build, coordinates = SMALL[name]
    mine = lw.equilibrium(build())
    small = lw.linearize(build(), mine, coordinates=coordinates)
    by_choice = lw.linearize(build(), mine)
    with pytest.MonkeyPatch.context() as patch:
        for limit in LIMITS:
            patch.setattr(size_policy, limit, 10**9)
        theirs = lw.equilibrium(build())
        reference = lw.linearize(build(), theirs, coordinates=coordinates)
    assert (list(mine), mine.stability) == (list(theirs), theirs.stability)
    for channel in mine:  # Newton ends below 1e-9 of the machine's scales, quadratically: far below
        np.testing.assert_allclose(mine[channel], theirs[channel], atol=1e-8, err_msg=channel)
    assert small.coordinates == reference.coordinates
    for one, other in ((small.M, reference.M), (small.C, reference.C), (small.K, reference.K), (small.B, reference.B)):
        np.testing.assert_allclose(one, other, atol=1e-9 * max(1.0, np.abs(other).max(initial=0.0)))
    for found in (small, by_choice):
        np.testing.assert_allclose(found.frequencies, reference.frequencies, rtol=1e-9)
        for value in reference.eigenvalues:
            assert np.abs(found.eigenvalues - value).min() < 1e-8 * abs(value)


@pytest.mark.parametrize("large", [True, False])
def test_coordinates_that_do_not_determine_the_motion(large, request):
    """A post that turns about z only."""
    if large:
        request.getfixturevalue("everything_is_large")
    with pytest.raises(lw.ModelError, match=r"p0\.wx do not determine the 1 free motions"):
        lw.linearize(_leaning(), coordinates=["p0.wx"])


@pytest.mark.parametrize("n", [3, 60])
def test_forces_that_have_no_value_are_told(n):
    m = chain(n, 2)
    m.add(lw.Force("bad", m["b2"].x, lambda x, v, t: lw.sqrt(-1 - x * x)))
    with pytest.raises(lw.ModelError, match="not finite") as caught:
        lw.equilibrium(m)
    assert {"b2", "bad"} & set(caught.value.element)  # the force, or of a large machine the body that it acts on
