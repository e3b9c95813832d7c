"""Invariants of a run beside energy and constraints, for the safety net: momenta that nothing outside the machine changes,
and the length of Euler parameters.

Of a machine that no element ties to the ground the total momentum changes by the weight alone, and the moment of momentum
about the mass centre not at all. Both follow from the mass matrix: with d the displacements of all bodies when the machine
moves as one, d^T M v is the momentum along that motion. Formulations and treatments have nothing of it in common, so that it
tells where one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwright.analyses.machine.sizes import Sizes, least_energy
from linkwright.graph import Expr, free_symbols
from linkwright.model import Attraction, Belt, Body, Bushing, Contact, Element, Friction, Gear, Model, Rope, Spring, State
from linkwright.model.quantities import AngleBetween, DistanceBetween, DotProduct, JointCoordinate
from linkwright.model.values import parameter_name

if TYPE_CHECKING:
    from linkwright.analyses.machine.told import ForcesAlong

ENERGY_LEAST = 1e-6  # no drift below this is told, whatever the tolerances are
TIED = 1e-9  # rows that change by more than this part of their size when the machine moves as one tie it to the ground
# Forces between the bodies they name, and nothing else; of others their quantity says it.
INNER = (Spring, Attraction, Bushing, Contact, Gear, Rope, Belt)


@dataclass(frozen=True)
class Drift:
    """Something that should be zero, by its size in the run, at some states; `element`: whose it is."""

    what: str
    t: np.ndarray
    values: np.ndarray
    element: str = ""


def kept_invariants(moved: ForcesAlong, lengths: float = np.inf) -> list[Drift]:
    """lengths: by how much those of Euler parameters are off, as far as it is known."""
    return [*(_lengths(moved) if lengths > ENERGY_LEAST else ()), *_momenta(moved)]


def _lengths(moved: ForcesAlong) -> list[Drift]:
    """The largest error of the lengths of all bodies' Euler parameters."""
    places = np.arange(4)[:, None] + moved.machine.system.coordinates.parameters
    if not places.size:
        return []
    p = moved.states.q[:, places]
    off = np.abs(np.einsum("tkb,tkb->bt", p, p) - 1.0)
    if off.max() <= ENERGY_LEAST:
        return []
    worst = int(np.argmax(off.max(axis=1)))
    what = f"the length of the Euler parameters of {moved.machine.system.coordinates.q_names[places[0, worst]][:-3]}"
    return [Drift(what, moved.states.t, off[worst])]


def floats(moved: ForcesAlong) -> bool:
    """Whether nothing from outside holds the machine in some direction, or may push it."""
    return not (moved.machine.made(_acts_from_outside, lambda: _acts_from_outside(moved)) or _stands(moved))


def _momenta(moved: ForcesAlong) -> list[Drift]:
    if not floats(moved):
        return []
    n, t = moved.machine.model.dimension, moved.states.t
    d = [_translation(moved, k) for k in range(n)]
    Md = [moved.mass_by(x) for x in d]
    P = np.stack([np.sum(x * moved.states.v, axis=1) for x in Md], axis=1)
    mass = float(np.sum(Md[0][0] * d[0][0]))
    weight = mass * np.array([moved.machine.model.value(g) for g in moved.machine.model.gravity])
    # of a machine that stands there is nothing but rounding to compare rounding with
    least = least_energy(Sizes.of(moved.machine.model), float(np.ptp(t)))
    size = float(np.sqrt(2 * mass * max(np.abs(moved.energy[:, 0]).max(initial=0.0), least)))
    free = [not _is_tied(moved, x) for x in d]
    out = []
    for k, name in enumerate("xyz"[:n]):
        own = size + abs(float(weight[k])) * float(np.ptp(t))
        if free[k] and own > 0 and mass > 0:
            out.append(Drift(f"the momentum along {name}", t, np.abs(P[:, k] - P[0, k] - weight[k] * (t - t[0])) / own))
    if all(free) and mass > 0 and size > 0:
        out += _moments(moved, d, Md, P, mass, size)
    return out


def _moments(
    moved: ForcesAlong, d: list[np.ndarray], Md: list[np.ndarray], P: np.ndarray, mass: float, size: float
) -> list[Drift]:
    """About the mass centre, which the momentum of turns about the origin tells."""
    n, t = len(d), moved.states.t
    axes = [2] if n == 2 else [0, 1, 2]
    turns = {k: _rotation(moved, k) for k in axes}
    if any(_is_tied(moved, x) for x in turns.values()):
        return []
    Mv = moved.mass_by(moved.states.v)
    about = {k: np.sum(Mv * x, axis=1) for k, x in turns.items()}
    # a turn about z moves the mass centre along x by -y, along y by x; and so on
    first = {(i, k): np.sum(Md[i] * turns[k], axis=1) / mass for i in range(n) for k in axes}
    out = []
    for k in axes:
        i, j = (k + 1) % 3, (k + 2) % 3
        centre_i = first[j, k]
        centre_j = -first[i, k]
        H = about[k] - (centre_i * P[:, j] - centre_j * P[:, i])
        own = size * moved.machine.length
        out.append(Drift(f"the moment of momentum about {'xyz'[k]}", t, np.abs(H - H[0]) / (own + np.abs(H).max())))
    return out


def _acts_from_outside(moved: ForcesAlong) -> bool:
    """Whether a force may come from the ground, or from nowhere; rows are looked at by themselves."""
    model, rows = moved.machine.model, set(moved.machine.row_elements)
    for e in model.elements.values():
        if (e.name in rows and not isinstance(e, INNER)) or isinstance(e, State):
            continue
        between = list(_between(model, e))
        if not between or any(body is None or body.is_ground for body in between):
            return True
    return False


def _between(model: Model, e: Element) -> Iterator[Body | None]:
    """The bodies that a force acts between; None where it may act on one alone."""
    if isinstance(e, INNER):
        yield from e.bodies
    elif isinstance(e, Friction):
        yield from model.elements[e.joint].bodies
    elif type(quantity := getattr(e, "quantity", None)) is Expr:
        for s in free_symbols([quantity]):
            if not parameter_name(s):
                yield from _seen_from(model, model.definition(s))


def _seen_from(model: Model, d: object) -> Iterator[Body | None]:
    """The bodies whose places among each other a quantity tells; None where it tells one from the ground."""
    if isinstance(d, JointCoordinate):
        yield from model.elements[d.joint].bodies
    elif isinstance(d, DistanceBetween):
        yield from (d.P.body, d.Q.body)
    elif isinstance(d, AngleBetween | DotProduct):
        yield from (d.u.body, d.v.body)
        if isinstance(d, AngleBetween) and d.axis is not None:
            yield d.axis.body
    else:
        yield None


def _stands(moved: ForcesAlong) -> bool:
    """Whether rows resist all displacements of the machine as one, as they do of most: they stand on the ground. Looked at
    where a run begins; runs from the same place have the same answer."""

    def looked() -> bool:
        first = moved.at(slice(0, 1), lambda: moved.answers)
        return all(_is_tied(first, _translation(first, k)) for k in range(moved.machine.model.dimension))

    return bool(moved.machine.stands(moved.states.q[0], looked))


def _is_tied(moved: ForcesAlong, d: np.ndarray) -> bool:
    """Whether rows resist displacements d, of whatever size: rows have the sizes that typical displacements make."""
    change, sizes = np.abs(moved.rows_by(d)), moved.row_sizes
    return bool((change > TIED * sizes * np.abs(d / moved.machine.scale).max(initial=0.0)).any())


def _translation(moved: ForcesAlong, axis: int) -> np.ndarray:
    names, d = moved.machine.system.coordinates.v_names, np.zeros_like(moved.states.v)
    d[:, [k for k, name in enumerate(names) if name.endswith(f".v{'xyz'[axis]}")]] = 1.0
    return d


def _rotation(moved: ForcesAlong, axis: int) -> np.ndarray:
    """About the origin; speeds of bodies in space count in their own axes."""
    c, s = moved.machine.system.coordinates, moved.states
    d, n = np.zeros_like(s.v), moved.machine.model.dimension
    at = {name: k for k, name in enumerate(c.v_names)}
    place = {name: k for k, name in enumerate(c.q_names)}
    i, j = (axis + 1) % 3, (axis + 2) % 3
    for body in moved.machine.model.bodies.values():
        if f"{body.name}.vx" not in at:
            continue
        d[:, at[f"{body.name}.v{'xyz'[i]}"]] = -s.q[:, place[f"{body.name}.{'xyz'[j]}"]]
        d[:, at[f"{body.name}.v{'xyz'[j]}"]] = s.q[:, place[f"{body.name}.{'xyz'[i]}"]]
        if n == 2:
            d[:, at[f"{body.name}.omega"]] = 1.0
        else:
            e = place[f"{body.name}.e0"]
            w = at[f"{body.name}.wx"]
            d[:, w : w + 3] = _seen(s.q[:, e : e + 4], axis)
    return d


def _seen(p: np.ndarray, axis: int) -> np.ndarray:
    """A ground axis in the body's: a row of A = (2 e0^2 - 1) I + 2 e e^T + 2 e0 e~."""
    e0, e = p[:, 0], p[:, 1:]
    out = 2 * e * e[:, axis : axis + 1]
    out[:, axis] += 2 * e0 * e0 - 1
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[:, i] -= 2 * e0 * e[:, j]
    out[:, j] += 2 * e0 * e[:, i]
    return np.asarray(out)
