"""scipy takes longer to import than a small machine to run: it comes when it is needed, and its BLAS minds the limit."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.linalg import qr

from linkwright import linear

MIDDLE = """
import numpy as np
from threadpoolctl import threadpool_info
from linkwright import linear
from linkwright.solve.blas import one_thread

def threads():
    return [p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"]

before = threads()
with one_thread():
    alone = len(threads())
    linear.pivoted_qr(np.eye(linear.SMALL + 1), mode="economic")
    with_lapack = threads()
    linear.cholesky(np.eye(3))
    assert set(threads()) == {1}, threads()
    assert set(with_lapack) == {1} and len(with_lapack) > alone
    with one_thread():
        assert set(threads()) == {1}
after = threads()
assert set(after) == set(before), (before, after)  # as many as there are cores
with one_thread():
    assert set(threads()) == {1}
"""

SMALL = """
import sys
import linkwright as lw
from linkwright.examples import EXAMPLES
lw.dynamics, lw.kinematics, lw.assemble, lw.inverse_dynamics
assert not [m for m in sys.modules if m.split(".")[0] == "scipy"]
m = EXAMPLES["four-bar"].load()
lw.kinematics(m, t_end=0.01, steps=5), lw.inverse_dynamics(m, t_end=0.01, steps=5)
m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
bar = m.body("bar", mass=1, inertia=0.1, position=(0.5, 0))
m.add(lw.Revolute("A", m.ground.at(0, 0), bar.at(-0.5, 0)))
m.fix(bar.angle, 0.3), m.fix(bar.omega, 1.0)
assert abs(lw.dynamics(m, t_end=0.01, steps=1)["bar.angle"][0] - 0.3) < 1e-9
assert not [m for m in sys.modules if m.split(".")[0] == "scipy"]
"""


def run(script: str, **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_a_blas_that_comes_in_the_middle_minds_the_limit():
    run(MIDDLE, OPENBLAS_NUM_THREADS="4")


def test_a_small_machine_needs_no_scipy():
    run(SMALL)


@pytest.mark.parametrize("shape", [(50, 43), (43, 50)])
def test_pivoted_qr_is_that_of_scipy(shape):
    a = np.random.default_rng(1).normal(size=shape)
    for own, theirs in zip(linear.pivoted_qr(a, mode="economic"), qr(a, mode="economic", pivoting=True), strict=True):
        assert np.array_equal(own, theirs)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (1, 6), (6, 1), (40, 25), (25, 40)])
def test_pivoted_qr_of_what_is_small_is_that_of_scipy_to_rounding(shape, size):
    """Of independent columns factors and order, of dependent ones (and of none but zeros) what they are a basis of."""
    rng = np.random.default_rng(1)
    a = size * rng.normal(size=shape)
    rank = (min(shape) + 1) // 2
    for given, count in ((a, min(shape)), (a[:, :rank] @ rng.normal(size=(rank, shape[1])), rank), (0.0 * a, 0)):
        Q, R, order = linear.pivoted_qr(given, mode="economic")
        theirs = qr(given, mode="economic", pivoting=True)
        most = max(shape) ** 1.5 * np.abs(given).max()  # of sums of so many products
        np.testing.assert_allclose(Q @ R, given[:, order], atol=1e-15 * most)
        np.testing.assert_allclose(Q.T @ Q, np.eye(min(shape)), atol=1e-14)
        assert np.array_equal(order[:count], theirs[2][:count])
        np.testing.assert_allclose(R[:count, :count], theirs[1][:count, :count], atol=1e-14 * most)
