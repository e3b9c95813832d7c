"""Where a run of a large machine begins: positions that close and velocities that the joints allow, sparsely solved.

The same rules as of small machines (`closure`, `start`): nearest to the estimates by the weights of the bodies.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from linkwright import linear
from linkwright.analyses.dynamics.looped.fixed import Fixed
from linkwright.analyses.dynamics.looped.held import scale as sizes
from linkwright.analyses.dynamics.looped.held import scaled_rows
from linkwright.analyses.machine.machine import check_start, last_value, reader, typical_length
from linkwright.errors import AssemblyError, ModelError
from linkwright.graph import Scalar
from linkwright.later import sparse
from linkwright.model import Model
from linkwright.model.quantities import POSITIONS, VELOCITIES
from linkwright.regularisation import LEAST_SQUARES
from linkwright.solve.blas import single_threaded
from linkwright.system.bushings import SEAM, seams
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.assembled import held_solution
from linkwright.system.spanning_tree import spanning_tree

CLOSED = 1e-10  # how well joints must close at the start, in the equations' own units; of large machines by their size
STEPS = 60  # of Newton's method until that is given up
FAR = 1e3  # m or rad: a step as long leads nowhere
SETTLED = 1e-11  # a step this short, by the largest coordinate, is the last
CURVE = 1e-4 + 1e-9  # weight of the parameters of curves, as of `closure.weights`
LITTLE = 1e-5  # weight of velocities that nobody gave: with less of it, dependent rows are not told from others
ROUNDS = 30  # at most of giving back what these pull at the others: a few are usual, more where very many do
SHOWN = 10  # changes of velocities that are told one by one

Placed: TypeAlias = tuple[np.ndarray, list[str]]  # positions or velocities, and notes on what changed


def estimate(model: Model, start: Any) -> np.ndarray:
    out: list[float] = []
    for body in model.bodies.values():
        if body.is_ground:
            continue
        rotation = body.estimate.rotation
        turn = rotation if isinstance(rotation, tuple) else (rotation,)
        own = [model.value(x) for x in (*body.estimate.position, *turn)]
        out += [_given(start, f"{body.name}.{c}", x) for c, x in zip(POSITIONS[model.dimension], own, strict=True)]
    return np.array(out)


def velocity_estimate(model: Model, start: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """And, of a state to go on from, which velocities it tells."""
    out: list[float] = []
    told: list[bool] = []
    for body in model.bodies.values():
        if body.is_ground:
            continue
        e = body.estimate
        omega = e.omega if isinstance(e.omega, tuple) else (e.omega,)
        # a state that tells no velocities is at rest
        own = [model.value(x) if start is None else 0.0 for x in (*e.velocity, *omega)]
        names = [f"{body.name}.{c}" for c in VELOCITIES[model.dimension]]
        out += [_given(start, name, x) for name, x in zip(names, own, strict=True)]
        told += [start is not None and name in start for name in names]
    return np.array(out), None if start is None else np.array(told, dtype=bool)


def go_on(system: LoopedSystem, start: Any) -> None:
    """From a configuration or the end of a result: angles keep the whole turns they have made there; those that are driven
    have the turns their drivers say."""
    check_start(system.model, start, system.coordinates.q_names)
    driven = system.at.driven_turns
    for k, name in enumerate(system.at.turn_names):
        if name not in driven:
            system.turns[k] = _given(start, name, 0.0)
    wind(system, start)


def wind(system: LoopedSystem, start: Any) -> None:
    """As `Machine.wind`."""
    told = seams(system.model, reader(start))
    for k, name in enumerate(system.at.turn_names):
        if name.endswith(SEAM):
            system.turns[k] = told.get(name, 0.0)


def _given(start: Any, name: str, estimate: float) -> float:
    if start is None or name not in start:
        return estimate
    return last_value(start, name)


def positions(
    system: LoopedSystem, q: np.ndarray, t: float, fixes: Mapping[Scalar, float] | None = None,
    said: Mapping[str, float] | None = None,
) -> Placed:  # fmt: skip
    """Where the joints close nearest to the estimates, as `assemble` finds it; where that fails, from bodies laid out along
    a spanning tree. And what changed. `fixes`: quantities that must have given values there; `said`: where angles with all
    their turns shall be, by name."""
    fixed = Fixed(system, fixes, said=said) if fixes else None
    for candidate in (q, None):
        begin = _laid_out(system.model) if candidate is None else candidate
        system.settle(begin, t, phases=True, first=True, said=said)
        found = begin if _open(system, begin, t, fixed) <= CLOSED * 1e-2 else _nearest(system, begin, t, fixed)
        found, _ = system.project_position(found, t, CLOSED * 1e-2 * _large(system, found, t), STEPS)
        if _open(system, found, t, fixed) <= CLOSED:
            return found, _moved(system, q, found)
    residual, names = np.abs(system.Phi(found, t)), system.at.row_elements
    if fixed is not None:
        residual, names = np.concatenate([residual, np.abs(fixed.equations(found, t)[0])]), [*names, *fixed.names]
    worst = list(dict.fromkeys(names[k] for k in np.argsort(-np.nan_to_num(residual, nan=np.inf))[:5]))
    raise AssemblyError(
        f"the joints do not close from the estimates: {', '.join(worst)} stay open",
        element=worst,
        remedy="give positions and orientations nearer to where the machine closes",
    )


def nearest(system: LoopedSystem, q: np.ndarray, t: float, fixes: Mapping[Scalar, float]) -> np.ndarray | None:
    """The closed configuration nearest to q with the given values; None where it is not found."""
    fixed = Fixed(system, fixes)
    found = _nearest(system, q, t, fixed)
    found, _ = system.project_position(found, t, CLOSED * 1e-2 * _large(system, found, t), STEPS)
    return found if _open(system, found, t, fixed) <= CLOSED else None


def _open(system: LoopedSystem, q: np.ndarray, t: float, fixed: Fixed | None = None) -> float:
    residual = np.abs(system.Phi(q, t)) / _large(system, q, t)
    if fixed is not None:
        residual = np.concatenate([residual, np.abs(fixed.equations(q, t)[0])])
    return float(residual.max(initial=0.0)) if np.isfinite(residual).all() else np.inf


def _large(system: LoopedSystem, q: np.ndarray, t: float) -> np.ndarray:
    """By row: what it changes by in a displacement of the machine's size, at least one. Places of thousands of millimetres
    are rounded to 1e-13, squares of distances to 1e-10."""
    lengths = scaled_rows(system.Phi_v(q, t), sizes(system))[1]
    return np.where(np.isfinite(lengths), np.maximum(lengths, 1.0), 1.0)


def _nearest(system: LoopedSystem, q0: np.ndarray, t: float, fixed: Fixed | None = None) -> np.ndarray:
    """|q - q0| least by the measure of `closure.weights` with all joints closed: Newton's method on the conditions of that,
    without the curvature of the joints, which mixing of steps makes up for. q0 where it does not converge."""
    n = system.model.dimension
    counts = [b.estimate.weight + 1e-9 for b in system.at.bodies]
    curves = np.full(len(system.at.extra), CURVE)
    W = sparse.diags_array(np.concatenate([np.repeat(counts, 3 * n - 3), curves])).tocsc()
    size, q = system.nq - len(curves), q0
    weight = np.repeat(counts, size // len(counts)).reshape(len(counts), -1)
    mixed = _Mixing()
    for _ in range(STEPS):
        away = weight * (q - q0)[:size].reshape(len(counts), -1)
        pull = away if n == 2 else np.hstack([away[:, :3], _turning(q[:size].reshape(-1, 7)[:, 3:], 4 * away[:, 3:])])
        J, Phi = system.Phi_v(q, t), system.Phi(q, t)
        if fixed is not None:
            more, rows = fixed.equations(q, t)
            J, Phi = sparse.vstack([J, rows]).tocsc(), np.concatenate([Phi, more])
        try:
            d = held_solution(W, J)(np.concatenate([-pull.ravel(), -curves * (q - q0)[size:], -Phi]))[0][: system.nv]
        except RuntimeError:  # nothing finite to factor
            break
        longest = float(np.abs(d).max(initial=0.0))
        if not np.isfinite(longest) or longest > FAR:
            break
        q = system.retract(q, mixed(d))
        if longest < SETTLED * max(1.0, float(np.abs(q0).max())):
            return q
    return q0


class _Mixing:
    """Anderson's mixing: from the last few proposed and taken steps the step to take now."""

    def __init__(self, most: int = 8) -> None:
        self.most, self.proposed, self.taken = most, list[np.ndarray](), list[np.ndarray]()

    def __call__(self, d: np.ndarray) -> np.ndarray:
        step = d
        if self.proposed:
            dF = np.stack([b - a for a, b in pairwise([*self.proposed, d])], axis=1)
            dX = np.stack(self.taken, axis=1)
            step = d - (dX + dF) @ linear.lstsq(dF, d, rcond=LEAST_SQUARES)[0]
            if not np.abs(step).max(initial=0.0) <= 10 * np.abs(d).max(initial=0.0) + 0.1:
                step = d
        self.proposed, self.taken = [*self.proposed, d][-self.most :], [*self.taken, step][-self.most :]
        return step


def _turning(e: np.ndarray, f: np.ndarray) -> np.ndarray:
    """G f / 2 of each body, with G of its Euler parameters e: what f, by Euler parameters, is by a turn in body axes."""
    scalar, vector = f[:, :1], f[:, 1:]
    return np.asarray(0.5 * (-e[:, 1:] * scalar + e[:, :1] * vector - np.cross(e[:, 1:], vector)))


def _moved(system: LoopedSystem, q0: np.ndarray, q: np.ndarray) -> list[str]:
    """What changed most, by more than rounding."""
    channels, n = POSITIONS[system.model.dimension], system.model.dimension
    change = np.abs(q - q0)
    # half a turn's angle in space, whose cosine is known to rounding
    least = np.array([1e-9 * typical_length(system.model)] * n + ([1e-9] if n == 2 else [1e-6] * 4))
    bodies = (change.reshape(-1, len(channels)) > least).any(axis=1)
    k = int(np.argmax(change)) if bodies.any() else -1
    if k < 0:
        return []
    name = f"{system.at.bodies[k // len(channels)].name}.{channels[k % len(channels)]}"
    note = f"initial positions of {int(bodies.sum())} bodies changed so that the joints close, most {name}"
    return [f"{note}: {q0[k]:.6g} -> {q[k]:.6g}"]


def _laid_out(model: Model) -> np.ndarray:
    """All bodies along a spanning tree, with no joint moved."""
    from linkwright.equations.joint_models import neutral
    from linkwright.equations.rotations import euler_parameters
    from linkwright.equations.spatial_vectors import inverse, place

    spanning = spanning_tree(model)
    X: list[np.ndarray] = []
    found: dict[str, list[float]] = {}
    for k, low in enumerate(spanning.tree.parent):
        joint = spanning.tree.joint[k]
        up = joint.model(neutral(joint), np.zeros(joint.nv))[0] @ spanning.tree.Xtree[k]
        X.append(np.asarray(up if low < 0 else up @ X[low], dtype=float))
        E, r = (np.asarray(x, dtype=float) for x in place(inverse(spanning.frames[k]) @ X[k]))
        turn = euler_parameters(E.T) if model.dimension == 3 else [np.arctan2(E[0, 1], E[0, 0])]
        found[spanning.bodies[k].name] = [*r[: model.dimension], *turn]
    return np.array([x for b in model.bodies.values() if not b.is_ground for x in found[b.name]])


def velocity_fixes(model: Model) -> dict[Scalar, float]:
    """Fixed velocities by quantity."""
    return {q: model.value(x) for q, x in model.fixed.items() if model.order(q) == 1}


@single_threaded
def velocities(
    system: LoopedSystem, q: np.ndarray, estimate: np.ndarray, t: float, told: np.ndarray | None,
    fixes: Mapping[Scalar, float] | None = None,
) -> Placed:  # fmt: skip
    """Nearest to the estimates with J v = nu, as `start.initial_velocity`: those that are not zero count first, or
    those that are `told`. The others have a small weight, and what they pull at the first is given back. `fixes`: quantities
    that must have given values."""
    n, scale = system.model.dimension, sizes(system)
    first = estimate != 0 if told is None else told
    counts = np.repeat([b.estimate.weight + 1e-9 for b in system.at.bodies], 3 * n - 3)
    weight = counts * np.where(first, 1.0, LITTLE) / scale**2
    J, nu, fixed = system.Phi_v(q, t), system.nu(q, t), Fixed(system, fixes, order=1) if fixes else None
    if fixed is not None:
        rest, rows = fixed.equations(q, t)
        J, nu = sparse.vstack([J, rows]).tocsc(), np.concatenate([nu, -rest])
    solve = held_solution(sparse.diags_array(weight).tocsc(), J)
    target = v = estimate
    for _ in range(ROUNDS if first.any() and not first.all() else 1):
        before, v = v, solve(np.concatenate([weight * target, nu]))[0][: system.nv]
        if np.abs((v - before) / scale).max() <= 1e-14 * np.abs(v / scale).max():
            break
        target = target + np.where(first, estimate - v, 0.0)
    _check_possible(system, J, nu, v, scale, [] if fixed is None else fixed.names)
    size = np.abs(estimate / scale).max(initial=0.0)
    names = [f"{b.name}.{c}" for b in system.at.bodies for c in VELOCITIES[n]]
    changed = [
        f"{name}: {old:.6g} -> {new:.6g}"
        for name, old, new, s in zip(names, estimate, v, scale, strict=True)
        if old != 0 and abs(new - old) > 1e-9 * s * size
    ]
    more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
    note = f"initial velocities changed to what the joints allow: {'; '.join(changed[:SHOWN])}{more}"
    return v, [note] if changed else []


def _check_possible(
    system: LoopedSystem, J: Any, nu: np.ndarray, v: np.ndarray, scale: np.ndarray, fixes: list[str]
) -> None:
    """As `start._check_possible`: what is fixed must be met."""
    S, lengths = scaled_rows(J, scale)
    error = np.abs(S @ (v / scale) - nu / lengths)
    size = np.abs(v / scale).max(initial=0.0) + np.abs(nu / lengths).max(initial=0.0)
    bad = np.flatnonzero(error > 1e-8 * max(size, 1e-12))
    if len(bad):
        names = [*system.row_names, *fixes]
        elements = [*system.at.row_elements, *fixes]
        raise ModelError(
            f"no velocity satisfies {', '.join(names[k] for k in bad[:SHOWN])}",
            element=list(dict.fromkeys(elements[k] for k in bad[:SHOWN])),
            remedy="velocities that are fixed or driven contradict each other here: take one away",
        )
