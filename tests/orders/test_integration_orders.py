"""Convergence orders of the integrators and of their interpolants, measured by halving the step."""

import numpy as np
import pytest

from initial_value import (
    angle_pendulum,
    bump,
    bump_solution,
    growth,
    pendulum_state,
    run_pendulum,
)
from linkwright.solve.integrate import integrate

# With tolerances this loose and max_step = first_step = h the steps are all h.
LOOSE = 1e6


def constant_steps(method, h, t_end, **options):
    f, jac = bump()
    return integrate(
        f, (0.0, t_end), [1.0, 0.0], method=method, rtol=LOOSE, atol=LOOSE, first_step=h, max_step=h, jac=jac, **options
    )  # fmt: skip


def slope(h, errors):
    return np.polyfit(np.log(h), np.log(errors), 1)[0]


@pytest.mark.parametrize(
    ("method", "order", "count"), [("rk4", 4, (40, 80, 160)), ("dopri5", 5, (20, 40, 80)), ("dop853", 8, (8, 12, 16))]
)
def test_order_of_the_solution(method, order, count):
    steps = [3.0 / k for k in count]
    runs = [constant_steps(method, h, 3.0) for h in steps]
    assert [r.steps for r in runs] == list(count)
    errors = [np.abs(r.y - bump_solution(r.t)).max() for r in runs]
    assert slope(steps, errors) == pytest.approx(order, abs=0.3)  # higher terms still show at these steps


def test_order_of_radau():
    """Order 5; its Newton iteration is stopped by the tolerance, so that has to be tight: steps are held by max_step."""
    f, jac = bump()
    steps = [3.0 / k for k in (12, 24, 48)]
    errors = []
    for h in steps:
        r = integrate(f, (0.0, 3.0), [1.0, 0.0], method="radau", rtol=1e-3, atol=1e-3, first_step=h, max_step=h, jac=jac)
        assert r.rejected == 0
        errors.append(np.abs(r.y_last - bump_solution(3.0)).max())
    assert slope(steps, errors) > 4.5


@pytest.mark.parametrize(("method", "order"), [("rk4", 3), ("dopri5", 4), ("dop853", 7), ("radau", 3)])
def test_order_of_the_interpolant(method, order):
    """One step from an exact state: an interpolant of order p errs by h^(p+1) within the step."""
    steps = np.array([0.8, 0.4, 0.2]) if method == "dop853" else np.array([0.1, 0.05, 0.025])
    f, jac = bump()
    errors = []
    for h in steps:
        t = np.array([0.3, 0.45, 0.8]) * h
        tol = 1e-4 if method == "radau" else LOOSE
        r = integrate(f, (0.0, h), [1.0, 0.0], method=method, rtol=tol, atol=tol, first_step=h, t_eval=t, jac=jac)
        assert r.steps == 1
        errors.append(np.abs(r.y - bump_solution(t)).max())
    assert slope(steps, errors) == pytest.approx(order + 1, abs=0.45)


def test_adams_raises_its_order_with_the_tolerance():
    """At a fixed order p a millionth of the tolerance would cost 10^(6/(p+1)) times the steps: ten times at order 5."""
    f, _ = growth()
    steps = [integrate(f, (0, 10), [1.0], method="adams", rtol=tol, atol=tol).steps for tol in (1e-6, 1e-12)]
    assert steps[-1] < 4 * steps[0]


@pytest.mark.parametrize(
    "kind",
    [{"rho_inf": 0.8}, {"rho_inf": 0.0}, {"rho_inf": 1.0}, {"rho_inf": 0.8, "stabilised": False},
     {"rho_inf": 0.0, "stabilised": False}, {"method": "hht", "alpha": -0.1}, {"method": "hht", "alpha": 0.0}],
)  # fmt: skip
def test_generalized_alpha_is_of_order_two_in_position_velocity_and_multiplier(kind):
    f, _ = angle_pendulum()
    exact = pendulum_state(integrate(f, (0, 5), [0.0, 1.0], method="dop853", rtol=1e-13, atol=1e-14).y_last)
    count = (200, 400, 800)
    errors = []
    for k in count:
        r = run_pendulum(5.0, first_step=5.0 / k, rtol=1e-9, atol=1e-9, adaptive=False, **kind)
        assert r.steps == k
        errors.append(np.abs(r.y_last[[0, 1, 2, 3, 6]] - exact))
    errors = np.array(errors)
    for part in ([0, 1], [2, 3], [4]):
        assert slope([5.0 / k for k in count], errors[:, part].max(axis=1)) == pytest.approx(2.0, abs=0.25)
