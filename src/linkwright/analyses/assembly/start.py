"""Consistent initial states: positions that close, velocities that the joints allow, as near to the estimates as can be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.assemble import close, wrong_roots
from linkwright.analyses.assembly.locked import locked_start
from linkwright.analyses.machine.machine import last_value
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.compile import Function
from linkwright.errors import ModelError
from linkwright.graph import Same, jacobian
from linkwright.regularisation import LEAST_SQUARES
from linkwright.solve.blas import single_threaded
from linkwright.solve.rank import analyse

LISTED = 8  # changes that are told one by one


@dataclass
class Start:
    """Where a run begins, and what had to be changed."""

    t: float
    q: np.ndarray
    v: np.ndarray
    notes: list[str] = field(default_factory=list)


def initial_state(machine: LoadedMachine, t: float, start: Any = None) -> Start:
    """From the estimates, or from a configuration or the last time of a result."""
    if start is None:
        estimate = machine.estimate()
        q = close(machine, t).q
        v, notes = initial_velocity(machine, q, t, machine.system.velocity_estimate(machine.model), velocity_fixes(machine))
        notes = wrong_roots(machine, q, t) + _moved(machine, q, estimate) + notes
    else:
        q0, v0, told = _given(machine, start)
        q = close(machine, t, q0).q
        v, notes = initial_velocity(machine, q, t, v0, {}, told)
    machine.settle(q, t)
    return Start(t, q, v, notes)


def _given(machine: LoadedMachine, start: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(q, v) of a configuration or of the end of a result, by channel names; and which velocities it tells, others are 0."""
    q, names = machine.going_on(start), machine.system.coordinates.v_names
    told = np.array([name in start for name in names], dtype=bool)
    v = np.array([last_value(start, name) if known else 0.0 for name, known in zip(names, told, strict=True)])
    return q, v, told


def velocity_fixes(machine: LoadedMachine) -> dict[Any, float]:
    model = machine.model
    return {q: model.value(x) for q, x in model.fixed.items() if model.order(q) == 1}


@single_threaded
def initial_velocity(
    machine: LoadedMachine, q: np.ndarray, t: float, estimate: np.ndarray, fixed: dict[Any, float],
    told: np.ndarray | None = None,
) -> tuple[np.ndarray, list[str]]:  # fmt: skip
    """The velocity nearest to the estimate with Phi_v v = nu (Haug 6.3.4); what is fixed is met exactly.

    Estimates that are not zero count first; among what is left the zeros do: who gives the speed of a crank does not say
    that the rod stands still. `told`: which count first instead, zeros or not, as a state to go on from tells them. Within
    each group they count by the weights of their bodies.
    """
    _, J = machine.Phi_and_J(q, t)
    C, c = J, machine.nu(q, t)
    if fixed:
        more, values = fixed_rows(machine, q, t, fixed)
        C, c = np.vstack([C, more]), np.concatenate([c, values])
    lengths = np.linalg.norm(C * machine.scale, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    scale = machine.scale
    v = scale * linear.lstsq(C * scale / lengths[:, None], c / lengths, rcond=LEAST_SQUARES)[0]
    _check_possible(machine, q, t, C, c, v, lengths, fixed, len(J))
    given = np.flatnonzero(estimate if told is None else told)
    rest = np.setdiff1d(np.arange(len(v)), given)
    Z = analyse(C, scale).right
    trust = np.sqrt(_weights(machine)) / scale
    least = 1e-9 * np.linalg.norm(trust[:, None] * Z, axis=0).max(initial=0.0)  # else drivers leave nothing to choose
    for group in (given, rest):
        if Z.shape[1] and len(group):
            U, size, Vt = linear.svd(Z[group] * trust[group, None])
            r = int((size > least).sum())
            v = v + Z @ (Vt[:r].T @ (U.T[:r] @ ((estimate[group] - v[group]) * trust[group]) / size[:r]))
            Z = Z @ Vt[r:].T
    return v, _changes(machine, v, estimate)


def _weights(machine: LoadedMachine) -> np.ndarray:
    """How much the estimate of each velocity counts: as its body's position does."""
    c = machine.system.coordinates
    bodies = [[machine.model.bodies[name].estimate.weight] * c.per_body[1] for name in c.body_slices()]
    return np.array([*[w for body in bodies for w in body], *[1e-4] * len(c.extra)]) + 1e-9


def fixed_rows(machine: LoadedMachine, q: np.ndarray, t: float, fixed: dict[Any, float]) -> tuple[np.ndarray, np.ndarray]:
    """Quantities that are linear in v: rows and right-hand sides."""
    s = machine.system
    values = machine.resolve(list(fixed))

    def traced() -> Function:
        rows = jacobian(values, list(s.coordinates.v)).dense()
        return Function("fixed velocities", s.inputs, {"rows": rows, "at rest": values})

    matrix, at_rest = s.once("fixed velocities", Same(values), traced)(*machine._args(q, t))
    return matrix, np.array(list(fixed.values())) - at_rest


def _check_possible(
    machine: LoadedMachine, q: np.ndarray, t: float, C: np.ndarray, c: np.ndarray, v: np.ndarray, lengths: np.ndarray,
    fixed: dict[Any, float], joints: int,
) -> None:  # fmt: skip
    error = np.abs(C @ v - c) / lengths
    size = np.abs(v / machine.scale).max(initial=0.0) + np.abs(c / lengths).max(initial=0.0)
    bad = np.flatnonzero(error > 1e-8 * max(size, 1e-12))
    if len(bad):
        locked = locked_start(machine, q, t) if not fixed else None
        if locked is not None:
            raise locked.error()
        fixes = [f"fix({quantity!r})" for quantity in fixed]
        names = [machine.system.row_names[k] if k < joints else fixes[k - joints] for k in bad]
        elements = [machine.system.rows[k].element.name if k < joints else fixes[k - joints] for k in bad]
        raise ModelError(
            f"no velocity satisfies {', '.join(names)}",
            element=list(dict.fromkeys(elements)),
            remedy="velocities that are fixed or driven contradict each other here: take one away",
        )


def _changes(machine: LoadedMachine, v: np.ndarray, estimate: np.ndarray) -> list[str]:
    """What a user gave and did not get."""
    size = np.abs(estimate / machine.scale).max(initial=0.0)
    changed = [
        f"{name}: {old:.6g} -> {new:.6g}"
        for name, old, new, s in zip(machine.system.coordinates.v_names, estimate, v, machine.scale, strict=True)
        if old != 0 and abs(new - old) > 1e-9 * s * size
    ]
    return [f"initial velocities changed to what the joints allow: {'; '.join(changed)}"] if changed else []


def _moved(machine: LoadedMachine, q: np.ndarray, estimate: np.ndarray) -> list[str]:
    """What assembly moved, by more than rounding."""
    c, n, found = machine.system.coordinates, machine.model.dimension, []
    for name, (at, _) in c.body_slices().items():
        new, old, names = q[at], estimate[at], c.q_names[at]
        far = np.abs(new - old) > 1e-9 * np.array([machine.length] * n + [1.0] * (len(new) - n))
        if n == 3:
            far[3:] = False
            if 1 - abs(new[3:] @ old[3:]) / np.linalg.norm(old[3:]) > 1e-12:
                found.append(f"orientation of {name}")
        found += [f"{names[k]}: {old[k]:.6g} -> {new[k]:.6g}" for k in np.flatnonzero(far)]
    if not found:
        return []
    more = f"; and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return [f"initial positions changed so that the joints close: {'; '.join(found[:LISTED])}{more}"]
