"""What a run must keep beside energy and constraints, for the safety net: momenta that nothing outside the machine changes,
and the length of Euler parameters.

Of a machine that no element ties to the ground the total momentum changes by the weight alone, and the moment of momentum
about the mass centre not at all. Both follow from the mass matrix: with d the displacements of all bodies when the machine
moves as one, d^T M v is the momentum along that motion. Formulations and treatments have nothing of it in common, so that it
tells where one of them is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwright.model import Attraction, Belt, Bushing, Contact, Friction, Gear, Rope, Spring, State

if TYPE_CHECKING:
    from linkwright.analyses.machine.reactions import Forces

TIED = 1e-9  # rows that change by more than this part of their size when the machine moves as one tie it to the ground
# Forces between the bodies they name, and nothing else; of others it is not known without a look at their quantities.
INNER = (Spring, Attraction, Bushing, Friction, Contact, Gear, Rope, Belt)


@dataclass(frozen=True)
class Drift:
    """Something that should be zero, by its size in the run, at some states; `element`: whose it is."""

    what: str
    t: np.ndarray
    values: np.ndarray
    element: str = ""


def kept_invariants(forces: Forces) -> list[Drift]:
    return [*_lengths(forces), *_momenta(forces)]


def _lengths(forces: Forces) -> list[Drift]:
    """Of Euler parameters: the largest error of all bodies."""
    places = forces.machine.made(_euler_parameters, lambda: _euler_parameters(forces))
    if not places.size:
        return []
    p = forces.states.q[:, places]
    off = np.abs(np.einsum("tkb,tkb->bt", p, p) - 1.0)
    worst = int(np.argmax(off.max(axis=1)))
    what = f"the length of the Euler parameters of {forces.machine.system.coordinates.q_names[places[0, worst]][:-3]}"
    return [Drift(what, forces.states.t, off[worst])]


def _euler_parameters(forces: Forces) -> np.ndarray:
    """Their places in q, a column a body."""
    names = forces.machine.system.coordinates.q_names
    first = np.array([k for k, name in enumerate(names) if name.endswith(".e0")], dtype=int)
    return np.asarray(np.arange(4)[:, None] + first)


def _momenta(forces: Forces) -> list[Drift]:
    if forces.machine.made(_acts_from_outside, lambda: _acts_from_outside(forces)) or _stands(forces):
        return []
    n, t = forces.machine.model.dimension, forces.states.t
    d = [_translation(forces, k) for k in range(n)]
    Md = [forces.mass_by(x) for x in d]
    P = np.stack([np.sum(x * forces.states.v, axis=1) for x in Md], axis=1)
    mass = float(np.sum(Md[0][0] * d[0][0]))
    weight = mass * np.array([forces.machine.model.value(g) for g in forces.machine.model.gravity])
    size = float(np.sqrt(2 * mass * np.abs(forces.energy[:, 0]).max(initial=0.0)))
    free = [not _is_tied(forces, x) for x in d]
    out = []
    for k, name in enumerate("xyz"[:n]):
        own = size + abs(float(weight[k])) * float(np.ptp(t))
        if free[k] and own > 0 and mass > 0:
            out.append(Drift(f"the momentum along {name}", t, np.abs(P[:, k] - P[0, k] - weight[k] * (t - t[0])) / own))
    if all(free) and mass > 0 and size > 0:
        out += _moments(forces, d, Md, P, mass, size)
    return out


def _moments(
    forces: Forces, d: list[np.ndarray], Md: list[np.ndarray], P: np.ndarray, mass: float, size: float
) -> list[Drift]:
    """About the mass centre, which the momentum of turns about the origin tells."""
    n, t = len(d), forces.states.t
    axes = [2] if n == 2 else [0, 1, 2]
    turns = {k: _rotation(forces, k) for k in axes}
    if any(_is_tied(forces, x) for x in turns.values()):
        return []
    Mv = forces.mass_by(forces.states.v)
    about = {k: np.sum(Mv * x, axis=1) for k, x in turns.items()}
    # a turn about z moves the mass centre along x by -y, along y by x; and so on
    first = {(i, k): np.sum(Md[i] * turns[k], axis=1) / mass for i in range(n) for k in axes}
    out = []
    for k in axes:
        i, j = (k + 1) % 3, (k + 2) % 3
        centre_i = first[j, k]
        centre_j = -first[i, k]
        H = about[k] - (centre_i * P[:, j] - centre_j * P[:, i])
        own = size * forces.machine.length
        out.append(Drift(f"the moment of momentum about {'xyz'[k]}", t, np.abs(H - H[0]) / (own + np.abs(H).max())))
    return out


def _acts_from_outside(forces: Forces) -> bool:
    """Whether a force may come from the ground, or from nowhere; rows are looked at by themselves."""
    system = forces.machine.system
    rows = {row.element.name for row in system.rows}
    for e in forces.machine.model.elements.values():
        if isinstance(e, INNER):
            bodies = forces.machine.model.elements[e.joint].bodies if isinstance(e, Friction) else e.bodies
            if any(b.is_ground for b in bodies):
                return True
        elif e.name not in rows and not isinstance(e, State):
            return True
    return False


def _stands(forces: Forces) -> bool:
    """Whether rows resist all displacements of the machine as one, as they do of most: they stand on the ground. Looked at
    where a run begins; runs from the same place have the same answer."""

    def looked() -> bool:
        first = forces.at(slice(0, 1), lambda: forces.answers)
        return all(_is_tied(first, _translation(first, k)) for k in range(forces.machine.model.dimension))

    return forces.machine.stands(forces.states.q[0], looked)


def _is_tied(forces: Forces, d: np.ndarray) -> bool:
    """Whether rows resist displacements d."""
    moved, sizes = np.abs(forces.rows_by(d)), forces.row_sizes
    return bool((moved > TIED * sizes * (1 + np.abs(d / forces.machine.scale).max(initial=0.0))).any())


def _translation(forces: Forces, axis: int) -> np.ndarray:
    names, d = forces.machine.system.coordinates.v_names, np.zeros_like(forces.states.v)
    d[:, [k for k, name in enumerate(names) if name.endswith(f".v{'xyz'[axis]}")]] = 1.0
    return d


def _rotation(forces: Forces, axis: int) -> np.ndarray:
    """About the origin; speeds of bodies in space count in their own axes."""
    c, s = forces.machine.system.coordinates, forces.states
    d, n = np.zeros_like(s.v), forces.machine.model.dimension
    at = {name: k for k, name in enumerate(c.v_names)}
    place = {name: k for k, name in enumerate(c.q_names)}
    i, j = (axis + 1) % 3, (axis + 2) % 3
    for body in forces.machine.model.bodies.values():
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
