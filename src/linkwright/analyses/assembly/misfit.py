"""Joints that do not close: the last resort, and who is at fault: what is fixed, a driver, or the design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from linkwright.analyses.assembly.closure import Closure, bring, openings, residuals_by_element, search, tries, worst_first
from linkwright.analyses.machine.channels import Motion, configuration
from linkwright.analyses.machine.machine import Machine
from linkwright.errors import AssemblyError
from linkwright.graph import Scalar
from linkwright.model import Driver
from linkwright.solve.nearest import Found, close
from linkwright.words import listed

SHOWN = 4  # elements that are told


def resolve_misfit(problem: Closure, found: Found, q0: np.ndarray) -> Found:
    """Go on where the search from q0 ended open: the joints alone are closed, then drivers and fixes are brought little by
    little to where they should be. If that does not help, AssemblyError says who is at fault."""
    machine, t = problem.machine, problem.t
    _defined(problem, q0)
    residuals = residuals_by_element(problem, found.residual)
    drivers = [e for e in machine.model.elements.values() if isinstance(e, Driver)]
    joints = search(Closure(machine, t, drivers=False), q0) if drivers or problem.fixed else found
    if not joints.closed:
        raise _design(problem, found.q, residuals)
    q, whole = bring(problem, joints.q)
    if whole:
        note = "the estimates are at fault: the drivers were brought to their values little by little; compare the result"
        return replace(close(problem, q), notes=(note,))
    if problem.fixed:
        without = search(Closure(machine, t), q0)
        if without.closed:
            raise _fixes(machine, t, problem.fixed, without, bring(problem, without.q)[0], residuals)
    raise _drivers(machine, t, drivers, q, residuals)


def _defined(problem: Closure, q0: np.ndarray) -> None:
    """AssemblyError where an equation is no number at the estimates: a formula outside of what it is defined for."""
    Phi = problem.equations(q0)[0]
    undefined = [name for name, own in residuals_by_element(problem, np.where(np.isfinite(Phi), 0.0, 1.0)).items() if own]
    if undefined:
        raise AssemblyError(
            f"{', '.join(undefined)} has no value where you estimate the bodies, nor near there",
            residuals=dict.fromkeys(undefined, float("inf")),
            element=undefined,
            remedy="estimate positions at which the formula has a value",
        )


def _fixes(
    machine: Machine, t: float, fixed: Mapping[Scalar, float], near: Found, q: np.ndarray, residuals: dict[str, float]
) -> AssemblyError:  # fmt: skip
    """The machine closes without them: estimates that were made exact are at fault. q: as far as they could be brought;
    `.partial`: where it closes."""
    values = _values(machine, t, q, list(fixed))
    machine.settle(near.q, t)
    missed = {
        f"fix({quantity!r})": (wanted, value)
        for (quantity, wanted), value in zip(fixed.items(), values, strict=True)
        if abs(value - wanted) > 1e-9 * max(1.0, abs(wanted))
    }
    said = "; ".join(
        f"{name} asks for {wanted:.6g}, it could be brought to {value:.3g}" for name, (wanted, value) in missed.items()
    )
    return AssemblyError(
        f"the machine can be assembled, but not with what you fixed: {said}",
        residuals=residuals,
        feasible=True,
        element=list(missed),
        remedy="fix fewer quantities, or at values that go together",
        partial=configuration(machine, near.q, t, "assembly"),
    )


def _drivers(
    machine: Machine, t: float, drivers: list[Driver], q: np.ndarray, residuals: dict[str, float]
) -> AssemblyError:  # fmt: skip
    """The joints close without them: a motion is asked for that the design does not allow. q: as far as it goes."""
    values = _values(machine, t, q, [d.quantity for d in drivers])
    asked = [machine.driver_value(d, t) for d in drivers]
    said = "; ".join(
        f"{d.name} asks for {wanted:.6g}, it could be brought to {value:.6g}"
        for d, wanted, value in zip(drivers, asked, values, strict=True)
    )
    return AssemblyError(
        f"the joints close, but your drivers ask for what cannot be reached at t = {t:.6g}: {said}",
        residuals=residuals,
        feasible=False,
        element=list(dict.fromkeys([*worst_first(residuals), *(d.name for d in drivers)])),
        remedy="ask for less, start at another time, or change the lengths",
    )


def _design(problem: Closure, q: np.ndarray, residuals: dict[str, float]) -> AssemblyError:
    """Neither from the estimates nor from many others, drivers or not. q: where they are least open."""
    found = [f"{name} by {own}" for name, own in openings(problem, q).items()]
    return AssemblyError(
        f"the joints cannot be closed: {listed(found, SHOWN)} stay open at best, from your estimates and from "
        f"{tries(problem.machine)} others",
        residuals=residuals,
        feasible=False,
        element=worst_first(residuals),
        remedy="your lengths or places do not fit together: change one of them",
    )


def _values(machine: Machine, t: float, q: np.ndarray, quantities: list[Scalar]) -> list[float]:
    found = Motion(machine, np.array([t]), q[None], machine.turns[None]).evaluate(quantities)
    return [float(x) for x in np.asarray(found).reshape(-1)]
