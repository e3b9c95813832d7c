"""Whether an augmented Lagrangian has converged: rows that are nearly dependent must hold nevertheless.

After n proximal iterations the fraction (e/(e + s))^n remains of an acceleration along which the rows have a compliance s of
their own that is smaller than the compliance e of the regularisation. Where rows are dependent there is no such
acceleration; where the machine passes a singular position there is one for a moment; a train of gears that is locked by a
small difference of ratios would creep for ever.
"""

from __future__ import annotations

import numpy as np

from linkwright.analyses.machine.mechanical import LoadedMachine

# Of the accelerations. Those of machines whose rows are dependent agree to 1e-12, of machines that are locked by a relative
# difference of 1e-4 not at all.
CONVERGED = 1e-7


def has_converged(machine: LoadedMachine, vdot: np.ndarray, t: float, y: np.ndarray) -> bool:
    """Whether the accelerations at the state y = (q, v, turns, work) are those of a rank-revealing solution."""
    m = machine
    at = y[: m.nq], y[m.nq : m.nq + m.nv], t, y[m.nq + m.nv : -1]
    right, terms = m.solve(*at).vdot, m.terms(*at)
    mass = np.diag(terms.M)
    free = np.abs(terms.Q - terms.h) / np.where(mass > 0, mass, np.inf)  # what forces would do without joints
    size = np.maximum(np.maximum(np.abs(vdot), np.abs(right)), free)
    return bool((np.abs(vdot - right) / m.scale).max(initial=0.0) <= CONVERGED * (size / m.scale).max(initial=0.0))
