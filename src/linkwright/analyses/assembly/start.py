"""Consistent initial states: positions that close, velocities that the joints allow, as near to the estimates as can be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright.analyses.assembly.assemble import close, wrong_roots
from linkwright.analyses.assembly.closure import body_weights
from linkwright.analyses.assembly.fixes import Fixes, velocity_fixes
from linkwright.analyses.assembly.locked import locked_start
from linkwright.analyses.machine.machine import Machine, last_value
from linkwright.errors import ModelError
from linkwright.graph import Scalar
from linkwright.results.motion import Equilibrium
from linkwright.solve.blas import single_threaded
from linkwright.solve.least_change import least_change
from linkwright.solve.rank import row_lengths

LISTED = 8  # changes that are told one by one
ROUNDING, SLOW = 1e-14, 1e-10  # of the largest velocity: what is rounding; what is asked for and may be slow


@dataclass
class Start:
    """The state in which a run begins, and what had to be changed for it."""

    t: float
    q: np.ndarray
    v: np.ndarray
    notes: list[str] = field(default_factory=list)


def initial_state(machine: Machine, t: float, start: Any = None) -> Start:
    """A consistent state, from the estimates, or from a configuration or the last time of a result."""
    if not machine.nv:
        name = machine.model.name
        raise ModelError("the model has no body that can move", element=name, remedy="give it a body: model.body(...)")
    if start is None:
        found = close(machine, t)
        q = found.q
        given = machine.system.velocity_estimate(machine.model)
        v, notes = initial_velocity(machine, q, t, given, velocity_fixes(machine.model))
        notes = [*found.notes, *wrong_roots(machine, q, t), *_moved(machine, q, machine.estimate()), *notes]
    else:
        q0, v0, told = _given(machine, start)
        q = close(machine, t, q0).q
        if told.any() or isinstance(start, Equilibrium):
            v, notes = initial_velocity(machine, q, t, v0, {}, told)
        else:  # positions alone, as of `assemble`: they say nothing against the velocities of the model
            given = machine.system.velocity_estimate(machine.model)
            v, notes = initial_velocity(machine, q, t, given, velocity_fixes(machine.model))
    machine.settle(q, t)
    return Start(t, q, v, notes)


def _given(machine: Machine, start: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(q, v) of a configuration or of the end of a result, by channel names; and which velocities it tells, others are 0."""
    q, names = machine.going_on(start), machine.system.coordinates.v_names
    told = np.array([name in start for name in names], dtype=bool)
    v = np.array([last_value(start, name) if known else 0.0 for name, known in zip(names, told, strict=True)])
    return q, v, told


@single_threaded
def initial_velocity(
    machine: Machine, q: np.ndarray, t: float, estimate: np.ndarray, fixed: Mapping[Scalar, float],
    told: np.ndarray | None = None,
) -> tuple[np.ndarray, list[str]]:  # fmt: skip
    """The velocity nearest to the estimate with Phi_v v = nu (Haug 6.3.4); what is fixed is met exactly.

    Estimates that are not zero count first; among what is left the zeros do: who gives the speed of a crank does not say
    that the rod stands still. `told`: which count first instead, zeros or not, as a state to go on from tells them. Within
    each group they count by the weights of their bodies.
    """
    C, c = machine.rows_at(q, t)[1], machine.nu(q, t)
    fixes = Fixes(machine, fixed, order=1) if fixed else None
    if fixes is not None:
        c, C = fixes.joined(-c, C, q, t)
        c = -c
    first = np.asarray(estimate != 0) if told is None else told
    v = least_change(C, c, estimate, velocity_weights(machine), first, machine.scale)
    _check_possible(machine, q, t, C, c, v, [] if fixes is None else fixes.names)
    v = _without_rounding(v, machine.scale, estimate, c, row_lengths(C, machine.scale))
    return v, _changes(machine, v, estimate)


def _without_rounding(
    v: np.ndarray, scale: np.ndarray, estimate: np.ndarray, c: np.ndarray, lengths: np.ndarray
) -> np.ndarray:  # fmt: skip
    """Velocities that are nothing but rounding of others are zero: a law that jumps where something stands still, as the gas
    of a compressor at a dead centre, would begin on either side. Not where speeds are asked for that are small beside
    others."""
    asked = np.concatenate([np.abs(estimate / scale), np.abs(c) / np.where(lengths > 0, lengths, 1.0)])
    asked, size = asked[asked > 0], np.abs(v / scale)
    if not len(asked) or asked.min() < SLOW * asked.max():
        return v
    return np.asarray(np.where(size < ROUNDING * size.max(initial=0.0), 0.0, v))


def velocity_weights(machine: Machine) -> np.ndarray:
    """How much the estimate of each velocity counts: as its body's position does."""
    return body_weights(machine, np.ones(machine.system.coordinates.per_body[1]))


def _check_possible(
    machine: Machine, q: np.ndarray, t: float, C: Any, c: np.ndarray, v: np.ndarray, fixes: list[str]
) -> None:  # fmt: skip
    lengths = row_lengths(C, machine.scale)
    lengths = np.where(lengths > 0, lengths, 1.0)
    error = np.abs(C @ v - c) / lengths
    size = np.abs(v / machine.scale).max(initial=0.0) + np.abs(c / lengths).max(initial=0.0)
    bad = np.flatnonzero(error > 1e-8 * max(size, 1e-12))
    if len(bad):
        locked = locked_start(machine, q, t) if not fixes else None
        if locked is not None:
            raise locked.error()
        names = [*machine.system.row_names, *fixes]
        elements = [*[row.element.name for row in machine.system.rows], *fixes]
        raise ModelError(
            f"no velocity satisfies {listed([names[k] for k in bad])}",
            element=list(dict.fromkeys(elements[k] for k in bad[:LISTED])),
            remedy="velocities that are fixed or driven contradict each other here: take one away",
        )


def _changes(machine: Machine, v: np.ndarray, estimate: np.ndarray) -> list[str]:
    """Notes about what a user gave and did not get."""
    size = np.abs(estimate / machine.scale).max(initial=0.0)
    changed = [
        f"{name}: {old:.6g} -> {new:.6g}"
        for name, old, new, s in zip(machine.system.coordinates.v_names, estimate, v, machine.scale, strict=True)
        if old != 0 and abs(new - old) > 1e-9 * s * size
    ]
    return [f"initial velocities changed to what the joints allow: {listed(changed, '; ')}"] if changed else []


def _moved(machine: Machine, q: np.ndarray, estimate: np.ndarray) -> list[str]:
    """Notes about what assembly moved, by more than rounding."""
    c, n, found = machine.system.coordinates, machine.model.dimension, []
    names, bodies = c.q_names, len(c.bodies)
    new, old = (x[: len(x) - len(c.extra)].reshape(bodies, -1) for x in (q, estimate))
    far = np.abs(new - old) > 1e-9 * np.array([machine.length] * n + [1.0] * (new.shape[1] - n))
    turned = np.zeros(bodies, dtype=bool)
    if n == 3:
        far[:, 3:] = False
        same = np.abs((new[:, 3:] * old[:, 3:]).sum(axis=1)) / np.linalg.norm(old[:, 3:], axis=1)
        turned = 1 - same > 1e-12
    for k in np.flatnonzero(far.any(axis=1) | turned):
        found += [f"orientation of {c.bodies[k].name}"] if turned[k] else []
        own = k * new.shape[1]
        found += [f"{names[own + j]}: {old[k, j]:.6g} -> {new[k, j]:.6g}" for j in np.flatnonzero(far[k])]
    return [f"initial positions changed so that the joints close: {listed(found, '; ')}"] if found else []


def listed(found: list[str], between: str = ", ") -> str:
    """The first of them, and how many more there are."""
    more = [f"and {len(found) - LISTED} more"] if len(found) > LISTED else []
    return between.join([*found[:LISTED], *more])
