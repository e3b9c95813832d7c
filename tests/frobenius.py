"""Whether all velocity constraints of a small machine can be integrated: slowly, from the theorem, with dense matrices.

Rows W of allowed velocities W v = 0 can be integrated where dw(X, Y) = 0 for each row w and all X, Y that they allow;
dw(X, Y) = X(w Y) - Y(w X), with the projector onto the rows as it is a little further along X and Y.
"""

from __future__ import annotations

import numpy as np

from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.machine import Machine

STEP = 1e-4  # rad, and of the typical length
CURVED = 1e-6  # of a row: less is the error of differences


def can_be_integrated(model) -> bool:
    """Near the configuration that the model describes, which should have no symmetry."""
    machine = Machine(model)
    q = close(machine, 0.0).q
    W = rows(machine, q, np.zeros(machine.nv))
    X = np.linalg.svd(W)[2][len(W) :].T
    slopes = []
    for x in X.T:
        ahead, behind = (rows(machine, q, s * STEP * x) for s in (1.0, -1.0))
        slopes.append(W @ (ahead.T @ ahead - behind.T @ behind) @ X / (2 * STEP))
    curl = np.array(slopes).reshape(X.shape[1], len(W), X.shape[1]).transpose(1, 0, 2)
    return bool(np.abs(curl - curl.transpose(0, 2, 1)).max(initial=0.0) < CURVED)


def rows(machine, q, d):
    """An orthonormal basis of the rows after the displacement d, as they act on changes of d (scaled)."""
    J = machine.Phi_and_J(machine.retract(q, d * machine.scale), 0.0)[1] * machine.scale
    if machine.model.dimension == 3:  # omega = d' - d x d'/2 in body axes, to first order
        for _, at in machine.system.coordinates.body_slices().values():
            x, y, z = (d * machine.scale)[at.start + 3 : at.stop]
            J[:, at.start + 3 : at.stop] @= np.eye(3) - 0.5 * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    _, s, Vt = np.linalg.svd(J)
    return Vt[: int((s > 1e-6 * s[0]).sum())]
