"""Convergence orders on a constrained machine: coordinates, velocities and reactions of the pendulum that goes over the top.

Haug 6.3.6 by elliptic functions (m = 2, l = 1, from the lowest point at 2 pi rad/s), in Cartesian coordinates, at t = 1.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from loaded_machines import bar_pendulum

TIMES = [0, 0.25, 0.5, 1.0]
EXACT = {
    "bar.angle": [6.17811273926706, 7.24705462564183, 8.97621720837182],
    "bar.omega": [5.12900741327221, 3.56040018475420, 4.28742073245006],
    "pin.fx": [53.8580566818804, 7.56617041721206, -27.3768367115663],
    "pin.fy": [-10.5849222961915, 5.99169609576026, 8.27095717622768],
}


def errors(**options):
    """The largest at three times, of angle, rate and reaction: one alone may pass zero."""
    d = lw.dynamics(bar_pendulum(), t_eval=TIMES, **options)
    off = {c: np.abs(d[c][1:] - x).max() for c, x in EXACT.items()}
    return np.array([off["bar.angle"], off["bar.omega"], max(off["pin.fx"], off["pin.fy"])]), d.audit.rejected


def orders(counts, **options):
    """Slopes of log(error) over log(h), for 1/h steps a second."""
    found = [errors(first_step=1 / n, max_step=1 / n, **options) for n in counts]
    assert [rejected for _, rejected in found] == [0] * len(counts)
    return -np.polyfit(np.log(counts), np.log([e for e, _ in found]), 1)[0]


@pytest.mark.parametrize(
    ("method", "order", "counts"), [("rk4", 4, (80, 160, 320)), ("dopri5", 5, (40, 80, 160)), ("dop853", 8, (16, 24, 32))]
)
@pytest.mark.parametrize("constraints", ["projection", "partitioning", "direct", "stabilization", "hybrid"])
def test_orders_of_explicit_methods(method, order, counts, constraints):
    """All that is computed has the method's order, however the constraints are kept."""
    loose = {"rtol": 1e6, "atol": 1e6}  # steps as given
    if constraints == "hybrid":
        loose["constraint_tol"] = 0.0  # else corrections come and go with the step
    found = orders(counts, method=method, constraints=constraints, **loose)
    if method == "dop853":  # steps so long that higher terms still rule; with shorter ones the errors are rounding
        assert (found > order - 0.4).all()
    else:
        assert found == pytest.approx(np.full(3, order), abs=0.4)


def test_order_of_radau():
    """Five, with a Newton iteration that stops far below the error."""
    assert orders((20, 40, 80), method="radau", rtol=1e-3, atol=1e-3) == pytest.approx(np.full(3, 5), abs=0.4)


@pytest.mark.parametrize("method", ["generalized-alpha", "hht"])
@pytest.mark.parametrize("constraints", ["ggl", "index-3"])
def test_order_of_generalised_alpha(method, constraints):
    fixed = {"options": {"adaptive": False}, "rtol": 1e-8, "atol": 1e-10}
    assert orders((500, 1000, 2000), method=method, constraints=constraints, **fixed) == pytest.approx(
        np.full(3, 2), abs=0.1
    )


@pytest.mark.parametrize("method", ["adams", "dopri5", "dop853", "radau"])
def test_errors_follow_the_tolerance(method):
    """Over five decades of the tolerance the errors fall by four at least."""
    loose, tight = (errors(rtol=tol, atol=tol, method=method)[0] for tol in (1e-5, 1e-10))
    assert (np.log10(loose / tight) > 4).all()
    assert (tight < [1e-8, 1e-8, 1e-6]).all()
