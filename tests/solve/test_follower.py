"""Following a motion: the native loop, the same in Python with sparse factors, and what both refuse."""

from math import pi

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import splu

from linkwright import size_policy
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.machine import Machine
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.run import Run
from linkwright.solve import path
from linkwright.solve.blas import one_thread, single_threaded
from linkwright.solve.follower import _sign
from planar_machines import dyad, haug_four_bar, quick_return, slider_crank
from strategies import seeds


def prepared(m, t=0.0):
    machine = Machine(m, t)
    q = close(machine, t).q
    run = Run(machine, Times.of(None, None, t, [t]))
    run.prepare(q, t)
    return machine, run.follower, q


def test_sparse_and_native_loops_agree(monkeypatch):
    _, follower, q = prepared(quick_return())
    times = np.linspace(0, 0.5, 101)
    start = follower.point(q, 0.0, np.zeros(0))
    native = follower.run(start, times)
    monkeypatch.setattr(size_policy, "DENSE", 0)
    sparse_start = follower.point(q, 0.0, np.zeros(0))
    sparse = follower.run(sparse_start, times)
    assert (len(native), len(sparse)) == (101, 101)
    for name in ("q", "v", "a"):
        x, y = getattr(native, name), getattr(sparse, name)
        np.testing.assert_allclose(x, y, atol=1e-9 * np.abs(x).max())
    assert start.sign == sparse_start.sign == native.sign == sparse.sign


@given(seeds, st.integers(1, 8))
def test_sign_of_a_sparse_determinant(rng, n):
    A = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.6) + np.diag(rng.normal(size=n))[rng.permutation(n)]
    if abs(np.linalg.det(A)) < 1e-6:
        return
    assert _sign(splu(scipy.sparse.csc_matrix(A))) == np.sign(np.linalg.det(A))


def test_newton_converges_quadratically():
    # Haug, problem 4.5.3: the four-bar from a poor estimate
    _, follower, q = prepared(haug_four_bar())
    exact = q
    poor = exact + 0.05 * np.sin(np.arange(len(q)))
    errors = []
    for _ in range(4):
        Phi, J = follower.matrix(poor, 0.0, np.zeros(0))
        poor = poor - np.linalg.solve(J.toarray(), Phi)
        errors.append(np.linalg.norm(poor - exact))
    assert errors[1] < errors[0] ** 2
    assert errors[2] < max(errors[1] ** 2, 1e-13)
    found, reason, _ = follower.correct(exact + 0.05, 0.0, np.zeros(0))
    assert reason == path.FINE
    np.testing.assert_allclose(found, exact, atol=1e-12)


def test_equations_of_the_book():
    # Haug, example 4.2.1 at t = 1: gamma of the eight revolute rows, and the determinant (ground's rows are an identity)
    machine, follower, q = prepared(haug_four_bar(1, "t", 2, 4), 1.0)
    point = follower.point(q, 1.0, np.zeros(0))
    gamma = dict(zip(machine.system.row_names, machine.gamma(q, point.v, 1.0), strict=True))
    rows = ["A.x", "A.y", "B.x", "B.y", "C.x", "C.y", "D.x", "D.y"]
    wanted = [0.5403023058681, 0.8414709848079, -0.685503737627, -0.879776035453, 0.6317504352967, 0.6740763067153,
              0.7769518670556, 0.7123813573603]  # fmt: skip
    np.testing.assert_allclose(np.abs([gamma[r] for r in rows]), np.abs(wanted), rtol=1e-8)
    J = machine.Phi_and_J(q, 1.0)[1]
    assert abs(np.linalg.det(J)) == pytest.approx(7.4471573992387, rel=1e-10)
    # 34 structural nonzeros with ground as a body (11 of them its own): 8 of 12 a revolute, less where a point is the origin
    assert len(machine.system.Phi_v.entries) == 24 + 1


def test_steps_that_are_too_long_are_refused():
    _, follower, q = prepared(slider_crank(motion="t"))
    start = follower.point(q, 0.0, np.zeros(0))
    track = follower.run(start, np.array([0.0, 3.0]))
    assert len(track) == 1
    assert track.reason in (path.TOO_COARSE, path.NOT_CONVERGED, path.SIGN_CHANGE)
    point, reason = follower.reach(start, 3.0)
    assert reason == path.FINE
    assert point.q[2] == pytest.approx(3.0, abs=1e-12)
    assert follower.refined > 0
    back, reason = follower.reach(point, 0.0)  # and back in time
    assert reason == path.FINE
    np.testing.assert_allclose(back.q, q, atol=1e-10)


def test_singular_points_stop_it():
    m = dyad(1.0, "t")
    m["crank"].guess(angle=0.5)
    m["coupler"].guess(position=(1.75, 0), angle=1.0)
    _, follower, q = prepared(m, 0.5)
    point, reason = follower.reach(follower.point(q, 0.5, np.zeros(0)), 2.5)
    assert reason != path.FINE
    assert point.t == pytest.approx(pi / 2, abs=1e-6)
    # there the matrix has no inverse
    J = follower.matrix(np.array([0, 0, pi / 2, 0, 0, 0.0]), pi / 2, np.zeros(0))[1].toarray()
    assert np.linalg.svd(J, compute_uv=False)[-1] < 1e-15


def test_one_blas_thread():
    from threadpoolctl import threadpool_info

    def threads():
        return {p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"}

    before = threads()
    with one_thread():
        assert threads() == {1}
    assert threads() == before
    assert single_threaded(threads)() == {1}
