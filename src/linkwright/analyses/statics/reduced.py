"""A machine at rest, seen along the motions its joints allow: forces, stiffness, damping and mass of the free directions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.rates_of_states import check_rates
from linkwright.errors import ModelError
from linkwright.later import sparse
from linkwright.model import Gear, RackPinion
from linkwright.regularisation import LEAST_SQUARES
from linkwright.solve.blas import single_threaded
from linkwright.solve.free_columns import determines, free_columns
from linkwright.solve.rank import analyse, independent, rank_of, scaled
from linkwright.solve.smallest import Smallest

HELD_APART = 1e-9  # of a force: what it works on free motions is rounding

# Reduced stiffness below this part of the largest counts as none.
NEUTRAL = 1e-8


@dataclass(frozen=True)
class Reduced:
    """Z: allowed displacements as columns; M, C, K, f: mass, damping, stiffness and force along them; lam: multipliers.

    M xddot + C xdot + K x = f for small x about the configuration.
    """

    Z: np.ndarray
    f: np.ndarray
    lam: np.ndarray
    coordinates: list[str]
    force: np.ndarray  # all applied forces, not reduced
    every: tuple[Any, Any, Any]  # mass, damping and stiffness by all displacements

    @cached_property
    def M(self) -> np.ndarray:
        return self._along(self.every[0])

    @cached_property
    def C(self) -> np.ndarray:
        return self._along(self.every[1])

    @cached_property
    def K(self) -> np.ndarray:
        return self._along(self.every[2])

    def with_states(self, z: Slopes) -> np.ndarray:
        """A of (x, xdot, states)."""
        inverse, none = linear.inv(self.M), np.zeros_like(self.Z)
        accelerations = np.hstack([-inverse @ self.K, -inverse @ self.C])
        X, W = np.hstack([self.Z, none]), np.hstack([none, self.Z])
        return state_matrix(accelerations, inverse @ self.Z.T @ z[0], X, W, z)

    def _along(self, matrix: Any) -> np.ndarray:
        return np.asarray(self.Z.T @ (matrix @ self.Z))


@single_threaded
def reduced(
    machine: LoadedMachine, q: np.ndarray, t: float, coordinates: list[str] | None = None, less: np.ndarray | None = None
) -> Reduced:
    """The balance at rest in the configuration q, with drivers held where they are at t; `less`: generalised forces that are
    held back.

    The free directions are those of independent displacements (Haug 7.2): the given ones, or a well-conditioned choice. The
    stiffness is -dQ/dq + sum lam_k Phi_k'' on them: forces of constraints turn with the machine.
    """
    still = np.zeros(machine.nv)
    terms = machine.lean_terms(q, still, t)
    Q = terms.Q if less is None else terms.Q - less
    derivatives = _differences if machine.system.loads.callbacks else _derivatives
    K, C = derivatives(machine, q, t)
    if machine.system.frictions:  # Coulomb's at rest has no derivative
        C = C + machine.system.damping(*machine.load_args(q, still, t))[0]
    S, lengths = scaled(terms.J, machine.scale)
    lam = least_multipliers(S, Q * machine.scale) / lengths if len(lengths) else np.zeros(0)
    Z, names = free_directions(machine, terms.J, coordinates)
    if machine.system.pushing is not None:
        _check_gears(machine, machine.system.pushing(*machine.load_args(q, still, t), lam)[0], Z)
    bent = machine.curvature(q, t, lam)
    # of a force and its derivative by a rotation the antisymmetric part belongs to the order of rotations, not to stiffness
    conservative = all(load.V is not None for load in machine.system.loads.all)
    stiffness = -0.5 * (K + K.T) + bent if conservative else -K + bent
    if machine.system.of_velocities:
        stiffness = stiffness + machine.system.turning_rows(*machine.load_args(q, still, t), lam)[0]
    return Reduced(Z, Z.T @ Q, lam, names, Q, (terms.M, -C, stiffness))


def _check_gears(machine: LoadedMachine, push: np.ndarray, Z: np.ndarray) -> None:
    """Refuse gears that are pushed apart along a free motion: the derivatives of these forces are no part of what
    follows."""
    size = np.abs(push * machine.scale).max() * np.abs(Z / machine.scale[:, None]).max(initial=0.0)
    if np.abs(Z.T @ push).max(initial=0.0) > HELD_APART * size:
        names = [e.name for e in machine.model.elements.values() if isinstance(e, Gear | RackPinion)]
        raise ModelError(
            "no joint keeps the distance of its axes, and its pressure angle pushes them apart",
            element=names,
            remedy="hold the centres by joints, or give the teeth a stiffness k=, whose forces have derivatives",
        )


def free_directions(machine: LoadedMachine, J: Any, coordinates: list[str] | None) -> tuple[np.ndarray, list[str]]:
    """The free motions by independent displacements; sparsely where the machine is large."""
    scale = machine.scale
    if machine.nv <= size_policy.SPARSE_RANK:
        return _independent(machine, analyse(J, scale).right, coordinates)
    names = machine.system.coordinates.v_names
    wanted = None if coordinates is None else [_number(names, x) for x in coordinates]
    found = free_columns(scaled(J, scale)[0], independent(J, scale), wanted)
    if found is None:
        raise _undetermined(coordinates or [], machine.nv - rank_of(J, scale))
    chosen, Z = found
    return scale[:, None] * Z / scale[chosen], [names[k] for k in chosen]


def _undetermined(wanted: list[str], free: int) -> ModelError:
    return ModelError(
        f"{', '.join(wanted)} do not determine the {free} free motions", remedy=f"choose {free} independent ones"
    )


def least_multipliers(S: Any, effort: np.ndarray) -> np.ndarray:
    """The smallest lam with S^T lam nearest to the effort."""
    if not np.isfinite(effort).all():  # whoever asked tells whose forces these are
        return np.full(S.shape[0], np.nan)
    if S.shape[1] > size_policy.SPARSE:
        return Smallest(sparse.csr_array(S))(effort)
    return np.asarray(linear.lstsq(S.T, effort, rcond=LEAST_SQUARES)[0])


def _derivatives(machine: LoadedMachine, q: np.ndarray, t: float) -> tuple[Any, Any]:
    """dQ by displacements and by velocities, at rest; sparse where the machine is evaluated by shapes."""
    K, C = machine.system.derivatives(*machine.load_args(q, np.zeros(machine.nv), t))
    return K, C


def _differences(machine: LoadedMachine, q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    """The same by central differences, for laws in plain Python, which cannot be differentiated."""
    K, C = np.zeros((2, machine.nv, machine.nv))
    zero = np.zeros(machine.nv)
    for j, size in enumerate(machine.scale):
        d = np.zeros(machine.nv)
        d[j] = h = 1e-6 * size
        ahead, behind = (machine.terms(machine.retract(q, x), zero, t).Q for x in (d, -d))
        K[:, j] = (ahead - behind) / (2 * h)
        C[:, j] = (machine.terms(q, d, t).Q - machine.terms(q, -d, t).Q) / (2 * h)
    return K, C


def _independent(machine: LoadedMachine, Z: np.ndarray, wanted: list[str] | None) -> tuple[np.ndarray, list[str]]:
    """The null space with a unit matrix in the rows of independent displacements."""
    names = machine.system.coordinates.v_names
    free = Z.shape[1]
    if not free:
        return Z, []
    if wanted is None:
        _, _, order = linear.pivoted_qr((Z / machine.scale[:, None]).T, mode="economic")
        chosen = sorted(int(k) for k in order[:free])
    else:
        chosen = [_number(names, x) for x in wanted]
    block = Z[chosen]
    if len(chosen) != free or not determines(block / machine.scale[chosen, None]):
        raise _undetermined(wanted or [], free)
    return Z @ linear.inv(block), [names[k] for k in chosen]


def _number(names: list[str], name: str) -> int:
    """A velocity by its own name, or by that of the position."""
    also = {"x": "vx", "y": "vy", "z": "vz", "angle": "omega"}
    owner, _, channel = name.rpartition(".")
    for candidate in (name, f"{owner}.{also.get(channel, channel)}"):
        if candidate in names:
            return names.index(candidate)
    raise ModelError(f"{name!r} is no coordinate of the machine", remedy=f"choose among {', '.join(names)}")


def eigen(now: Reduced, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvectors (columns, in reduced coordinates) and values of the symmetric stiffness, and the force along them."""
    D = np.linalg.norm(now.Z / scale[:, None], axis=0)
    K = 0.5 * (now.K + now.K.T) / np.outer(D, D)
    values, vectors = linear.eigh(K)
    return vectors / D[:, None], values, vectors.T @ (now.f / D)


# Small motions of a machine and of its states together, about rest or about a motion.

Slopes = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def slopes_of_states(machine: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float) -> Slopes:
    """(Q_z, r_d, r_v, r_z): how forces change with states, and rates of states with displacements, velocities, states."""
    nv = machine.nv
    if not machine.states.any():
        return np.zeros((nv, 0)), np.zeros((0, nv)), np.zeros((0, nv)), np.zeros((0, 0))
    check_rates(machine, q, v, t)
    Q_z, r_d, r_v, r_z = machine.system.state_changes(*machine.load_args(q, v, t))
    return Q_z, r_d, r_v, r_z


def state_matrix(accelerations: np.ndarray, by_states: np.ndarray, X: np.ndarray, W: np.ndarray, z: Slopes) -> np.ndarray:
    """A of (xi, xidot, z). accelerations: of xi by (xi, xidot); by_states: by z; X, W: displacements and velocities of all
    bodies by (xi, xidot)."""
    n = len(accelerations)
    _, r_d, r_v, r_z = z
    return np.block([
        [np.zeros((n, n)), np.eye(n), np.zeros((n, len(r_z)))],
        [accelerations, by_states],
        [r_d @ X + r_v @ W, r_z],
    ])  # fmt: skip
