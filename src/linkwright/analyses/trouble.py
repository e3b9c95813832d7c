"""Why a simulation cannot go on: time, names and a remedy for everything that happens."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.careful import CarefulMotion
from linkwright.analyses.mechanical import LoadedMachine
from linkwright.errors import IntegrationError, LinkwrightError, SingularityError
from linkwright.solve.integrate import TOO_MANY
from linkwright.solve.solution import Solution
from linkwright.solve.stepping import NO_CONVERGENCE, NOT_FINITE, PROJECTION, UNDERFLOW
from linkwright.solve.stepping import SINGULAR as SINGULAR_MATRIX

SINGULAR = 1e-4  # pivots below this: steps get small
STUCK = (UNDERFLOW, NOT_FINITE, PROJECTION, NO_CONVERGENCE, SINGULAR_MATRIX)


def failure(
    machine: LoadedMachine, solution: Solution, health: float, method: str, python: CarefulMotion | None
) -> LinkwrightError:
    """`health`: the smallest pivot at the last state; `python`: laws that are called from there."""
    t, y = solution.t_last, solution.y_last
    if python is not None and python.error is not None:
        e = python.error
        return IntegrationError(f"at t = {t:.9g}: {e.cause}", time=t, element=e.element, remedy=e.remedy)
    forces = _forces(machine, t, y)
    infinite = tuple(name for name, x in forces.items() if not np.isfinite(x).all())
    if infinite:
        return IntegrationError(
            f"forces are not finite near t = {t:.9g}: {', '.join(infinite)}", time=t, element=infinite,
            remedy="check these laws: a division by zero, a root of a negative number, an overflow",
        )  # fmt: skip
    if solution.status in STUCK and health < SINGULAR:
        return _singular(machine, t, y, health)
    if solution.status == TOO_MANY:
        why = "; stability rules the steps: the machine is stiff" if solution.stiff > 0.3 * solution.steps else ""
        way = "method='radau' or 'auto'" if why else "more max_steps, or looser tolerances"
        return IntegrationError(f"{solution.message}{why}", time=t, remedy=f"give {way}")
    return IntegrationError(solution.message, time=t, element=_largest(forces), remedy=_way_out(solution, method))


def _way_out(solution: Solution, method: str) -> str:
    if solution.status == NOT_FINITE:
        return "the motion grows without bound there, or a law does: look at the last states in `.partial`"
    if method not in ("radau", "generalized-alpha", "hht"):
        return "look at the last states in `.partial`; if a law is very stiff there, give method='radau' or 'auto'"
    return "look at the last states in `.partial`; laws that jump must be written with where(), looser tolerances may help"


def _singular(machine: LoadedMachine, t: float, y: np.ndarray, health: float) -> SingularityError:
    """Rows that became dependent: those with a part in the combination that vanishes."""
    q = y[: machine.nq]
    _, J = machine.Phi_and_J(q, t)
    S = J * machine.scale
    U, s, _ = np.linalg.svd(S, full_matrices=False)
    part = np.abs(U[:, -1]) if len(s) else np.zeros(0)
    names = [n for n, x in zip(machine.system.row_names, part, strict=True) if x > 0.1 * part.max(initial=0.0)]
    driven = [r.element.name for r, x in zip(machine.system.rows, part, strict=True) if r.driver and x > 0.1 * part.max()]
    return SingularityError(
        f"the machine locks: it comes to a singular configuration at t = {t:.9g} (smallest pivot {health:.2g})",
        kind="lock-up", time=t, driver=driven[0] if driven else "",
        element=list(dict.fromkeys(n.rsplit(".", 1)[0] for n in names)),
        remedy="joints lock or branches meet there: change lengths or initial velocities, end the run before, or give "
        "constraints='augmented' where the machine could pass",
    )  # fmt: skip


def _forces(machine: LoadedMachine, t: float, y: np.ndarray) -> dict[str, np.ndarray]:
    """The generalised forces of each element at a state."""
    m, s = machine, machine.system
    if not s.loads.all:
        return {}
    f = s.load_function("forces", {load.name: list(load.Q.values()) for load in s.loads.all})
    values = f(*m.load_args(y[: m.nq], y[m.nq : m.nq + m.nv], t, y[m.nq + m.nv : -1]))
    return {load.name: x for load, x in zip(s.loads.all, values, strict=True)}


def _largest(forces: dict[str, np.ndarray]) -> tuple[str, ...]:
    """The elements whose forces stand out."""
    sizes = {name: float(np.abs(x).max(initial=0.0)) for name, x in forces.items()}
    most = max(sizes.values(), default=0.0)
    names = tuple(name for name, x in sizes.items() if x > 0.1 * most)
    return names if most > 0 and (len(names) < len(sizes) or len(names) == 1) else ()


def chatters(t: float, element: str) -> IntegrationError:
    return IntegrationError(
        f"the law of {element} changes again and again at t = {t:.9g}: the machine sticks there, or chatters",
        time=t,
        element=element,
        remedy="a force that switches with a velocity needs a band around zero (tanh(v/v0)), or end the run at rest: "
        "events={...: Watch(quantity, stop=True)}",
    )


def rests(t: float, element: str) -> IntegrationError:
    return IntegrationError(
        f"the bodies of {element} come to rest on each other at t = {t:.9g}: impacts follow each other without end",
        time=t,
        element=element,
        remedy="give the contact a stiffness k (and a damping c), or end the run before",
    )
