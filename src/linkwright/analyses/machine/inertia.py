"""Whether there is inertia along every free motion: a number of a motion against what it would be if nothing cancelled.

A body without a moment of inertia that is held at its mass centre turns freely, and its kinetic energy is what rounding
leaves of the velocities of its origin and of its turn; where nothing else moves there is no larger one to compare it with.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.machine.machine import Machine
from linkwright.later import sparse
from linkwright.model import Model
from linkwright.model.values import is_some
from linkwright.regularisation import NO_INERTIA

TURNS = (".omega", ".wx", ".wy", ".wz")
ARM = 1e-6  # of the machine's length: a mass closer than a millionth of that to where it turns about has no arm


def along(M: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Z^T M Z. Of many bodies most move by themselves."""
    if len(M) <= size_policy.SPARSE or np.count_nonzero(Z) > Z.size // 10:
        return np.asarray(Z.T @ M @ Z)
    S = sparse.csr_array(Z)
    return np.asarray((S.T @ (sparse.csr_array(M) @ S)).toarray())


def uncancelled(machine: Machine) -> np.ndarray | None:
    """By displacement, what kinetic energy is at most twice as large as; None where each body has moments of inertia of its
    own, so that nothing can cancel."""
    model, n = machine.model, machine.model.dimension
    out, any_ = np.zeros(machine.nv), False
    for body in machine.bodies:
        mass, moments = machine.value(body.mass), linear.eigvalsh(body.inertia_matrix())
        arm = sum(model.value(x) ** 2 for x in body.com) + (ARM * machine.length) ** 2
        at = machine.system.coordinates.body_slices()[body.name][1]
        out[at.start : at.start + n] = 2 * mass
        out[at.start + n : at.stop] = moments[-1] + 2 * mass * arm
        any_ = any_ or bool(moments[0] <= NO_INERTIA * mass * arm)
    return out if any_ else None


def is_everywhere(reduced: np.ndarray, Z: np.ndarray, bound: np.ndarray | None) -> bool:
    """reduced: the mass matrix of the free motions Z; bound: as `uncancelled` tells."""
    if not has_inertia(reduced):
        return False
    return bound is None or not len(reduced) or bool(linear.eigvalsh(beyond_rounding(reduced, Z, bound))[0] > 0)


def has_inertia(reduced: np.ndarray) -> bool:
    """The same by the largest inertia along the motions alone."""
    if len(reduced) > size_policy.SPARSE and linear.is_well_conditioned(reduced, NO_INERTIA):  # a third of the time
        return True
    values = linear.eigvalsh(reduced)
    return not len(values) or not values[0] <= NO_INERTIA * max(values[-1], 1e-300)  # what is not finite is told by others


def least(reduced: np.ndarray, Z: np.ndarray, bound: np.ndarray | None) -> np.ndarray:
    """The displacements that have the least inertia."""
    return np.asarray(Z @ linear.eigh(beyond_rounding(reduced, Z, bound))[1][:, 0])


def beyond_rounding(reduced: np.ndarray, Z: np.ndarray, bound: np.ndarray | None) -> np.ndarray:
    """The mass matrix less what rounding may have left; not positive where that is all."""
    return reduced if bound is None else reduced - NO_INERTIA * (Z.T @ (bound[:, None] * Z))


def turns_alone(names: Sequence[str], model: Model) -> list[str]:
    """Of velocities without inertia those that say it: a body with mass can but turn about its mass centre then, however its
    origin moves."""

    def says(name: str) -> bool:
        body = name.rsplit(".", 1)[0]
        return body not in model.bodies or name.endswith(TURNS) or not is_some(model.bodies[body].mass)

    return [name for name in names if says(name)] or list(names)
