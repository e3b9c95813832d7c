"""Whether a machine at rest stays there when it is touched."""

from __future__ import annotations

import numpy as np

from linkwright import linear
from linkwright.analyses.machine.mechanical import LoadedMachine, has_inertia
from linkwright.analyses.statics.reduced import NEUTRAL, Reduced, eigen
from linkwright.analyses.statics.with_states import slopes_of_states
from linkwright.options import Stability
from linkwright.results import Audit
from linkwright.results.motion import Equilibrium

STANDING = 1e-7  # eigenvalues below this part of the largest count as zero: double ones are known to half the digits
FED = 1e-9  # of the largest damping or stiffness: less is rounding


def judge(out: Equilibrium, machine: LoadedMachine, now: Reduced) -> None:
    """The verdict: by the signs of the reduced stiffness; by the eigenvalues of small motions where there are states, or
    where something feeds energy in."""
    if machine.states.any():
        machine.check_inertia(now.M, now.Z)
        slopes = slopes_of_states(machine, out.q, np.zeros(machine.nv), out.t)
        out.stability = _by_eigenvalues(now.with_states(slopes), out.audit)
        return
    if not now.Z.shape[1]:
        out.stability = "stable"
        return
    W, values, _ = eigen(now, machine.scale)
    size = max(float(np.abs(values).max()), 1e-300)
    weights = np.abs(now.force) @ machine.scale  # a machine without any stiffness is neutral, not stable by rounding
    zero = NEUTRAL * max(size, 1e-6 * weights)
    names = machine.system.coordinates.v_names

    def directions(chosen: np.ndarray) -> tuple[dict[str, float], ...]:
        return tuple(dict(zip(names, d.tolist(), strict=True)) for d in (now.Z @ W[:, chosen]).T)

    out.stiffness = values
    out.falling = directions(values < -zero)
    out.neutral = directions(np.abs(values) <= zero)
    out.stability = "unstable" if out.falling else "neutral" if out.neutral else "stable"
    if _is_fed(now) and has_inertia(now.M):
        none = slopes_of_states(machine, out.q, np.zeros(machine.nv), out.t)
        out.stability = _by_eigenvalues(now.with_states(none), out.audit)


def _by_eigenvalues(A: np.ndarray, audit: Audit) -> Stability:
    """The verdict by the eigenvalues of small motions; how fast they grow is noted."""
    values = linear.eigvals(A)
    zero = STANDING * max(float(np.abs(values).max(initial=0.0)), 1e-300)
    grows = values[int(np.argmax(values.real))]
    if grows.real > zero:
        swinging = f", swinging at {abs(grows.imag) / (2 * np.pi):.3g} Hz" if abs(grows.imag) > zero else ""
        audit.notes.append(f"small motions grow by a factor e every {1 / grows.real:.3g} s{swinging}")
        return "unstable"
    return "neutral" if (np.abs(values) <= zero).any() else "stable"


def _is_fed(now: Reduced) -> bool:
    """Whether signs of the stiffness do not decide: something feeds energy in, by speed or by the way round."""
    K, C = now.K, now.C
    turning = float(np.abs(K - K.T).max(initial=0.0)) > FED * float(np.abs(K).max(initial=0.0))
    D = np.sqrt(np.maximum(np.abs(np.diag(now.M)), 1e-300))
    values = linear.eigh(0.5 * (C + C.T) / np.outer(D, D))[0] if C.any() else np.zeros(1)
    return turning or bool(values[0] < -FED * np.abs(values).max(initial=0.0))
