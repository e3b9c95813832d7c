"""Why joints do not close: what is fixed, a driver, or the design."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from linkwright.analyses.channels import Motion, configuration
from linkwright.analyses.closure import Closure, residuals_by_element, search, worst_first
from linkwright.analyses.machine import Machine
from linkwright.errors import AssemblyError
from linkwright.graph import Scalar
from linkwright.model import Driver
from linkwright.solve.nearest import Found


def misfit(problem: Closure, found: Found, q0: np.ndarray) -> AssemblyError:
    """The error to raise where the search from q0 ended open: less and less is asked for until the joints close."""
    machine, t = problem.machine, problem.t
    residuals = residuals_by_element(problem, found.residual)
    if problem.fixed:
        near = search(Closure(machine, t), q0)
        if near.closed:
            return _fixes(machine, t, problem.fixed, near, residuals)
    drivers = [e for e in machine.model.elements.values() if isinstance(e, Driver)]
    if drivers:
        near = search(Closure(machine, t, drivers=False), q0)
        if near.closed:
            return _drivers(machine, t, drivers, near, residuals)
    return _design(residuals)


def _fixes(
    machine: Machine, t: float, fixed: Mapping[Scalar, float], near: Found, residuals: dict[str, float]
) -> AssemblyError:  # fmt: skip
    """The machine closes without them: estimates that were made exact are at fault. `.partial`: where it closes."""
    machine.settle(near.q, t)
    values = _values(machine, t, near.q, list(fixed))
    missed = {
        f"fix({quantity!r})": (wanted, value)
        for (quantity, wanted), value in zip(fixed.items(), values, strict=True)
        if abs(value - wanted) > 1e-9 * max(1.0, abs(wanted))
    }
    said = "; ".join(f"{name} asks for {wanted:.6g}, nearest is {value:.6g}" for name, (wanted, value) in missed.items())
    return AssemblyError(
        f"the machine can be assembled, but not with what is fixed: {said}",
        residuals=residuals,
        feasible=True,
        element=list(missed),
        remedy="fix fewer quantities, or at values that go together",
        partial=configuration(machine, near.q, t, "assembly"),
    )


def _drivers(
    machine: Machine, t: float, drivers: list[Driver], near: Found, residuals: dict[str, float]
) -> AssemblyError:  # fmt: skip
    """The joints close without them: a motion is asked for that the design does not allow."""
    values = _values(machine, t, near.q, [d.quantity for d in drivers])
    asked = [machine.driver_value(d, t) for d in drivers]
    said = "; ".join(
        f"{d.name} asks for {wanted:.6g}, near the estimates it is {value:.6g}"
        for d, wanted, value in zip(drivers, asked, values, strict=True)
    )
    return AssemblyError(
        f"the joints close, but the drivers ask for what cannot be reached at t = {t:.6g}: {said} "
        f"(open: {_listed(residuals)})",
        residuals=residuals,
        feasible=False,
        element=list(dict.fromkeys([*worst_first(residuals), *(d.name for d in drivers)])),
        remedy="ask for less, start at another time, or change the lengths",
    )


def _design(residuals: dict[str, float]) -> AssemblyError:
    """Neither from the estimates nor from many others, drivers or not."""
    return AssemblyError(
        f"the joints cannot be closed: {_listed(residuals)} stay open wherever the bodies are put",
        residuals=residuals,
        feasible=False,
        element=worst_first(residuals),
        remedy="lengths or places do not fit together: change the design",
    )


def _listed(residuals: dict[str, float]) -> str:
    return ", ".join(f"{name} ({residuals[name]:.3g})" for name in worst_first(residuals)[:5])


def _values(machine: Machine, t: float, q: np.ndarray, quantities: list[Scalar]) -> list[float]:
    found = Motion(machine, np.array([t]), q[None], machine.turns[None]).evaluate(quantities)
    return [float(x) for x in np.asarray(found).reshape(-1)]
