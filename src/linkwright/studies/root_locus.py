"""Eigenvalues of small motions over a parameter: root locus, Campbell's diagram."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from linkwright.analyses.small_motions.linearize import linearize
from linkwright.analyses.small_motions.steady import steady
from linkwright.analyses.statics.equilibrium import equilibrium
from linkwright.arguments import typed
from linkwright.errors import LinkwrightError
from linkwright.model import Model, a_model
from linkwright.results.root_locus import RootLocus
from linkwright.results.study import Failed
from linkwright.studies.sweep import axes_of
from linkwright.studies.variations import vary


@typed
def root_locus(model: Model, name: str, values: Any, *, fixed: Mapping[Any, Any] | None = None, t: float = 0.0) -> RootLocus:
    """Follow the eigenvalues of small motions as a parameter changes.

    Parameters
    ----------
    model : Model
        The machine; it is not changed.
    name : str
        A parameter, or a body's start such as "rotor.wz".
    values : array
        Its values, in the order they are gone through: each equilibrium, or steady motion, begins at the one before.
    fixed : mapping, optional
        For steady motions: what has given values there, see `steady`; values may be expressions of the parameter. Without
        it the machine is at rest in equilibrium.
    t : float
        The time at which drivers are.

    Returns
    -------
    RootLocus
        `.eigenvalues`, `.frequencies`, `.damping_ratios`, `.stable`, `.plot()`, `.campbell()`.

    Examples
    --------
    >>> import linkwright as lw
    >>> m = lw.PlanarModel("oscillator", gravity=(0, 0))
    >>> c = m.parameter("c", 1.0)
    >>> b = m.body("b", mass=1.0, inertia=1.0)
    >>> rail = m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    >>> spring = m.add(lw.Force("spring", rail, lambda x, v, t: -100 * x - c * v))
    >>> locus = lw.root_locus(m, "c", [-1.0, 1.0])
    >>> locus.stable.tolist()
    [False, True]
    """
    own = a_model(model).copy()
    numbers = axes_of(own, {name: values}, False)[name]
    rows: list[np.ndarray | None] = []
    failed: list[Failed] = []
    before: Any = None
    for k, x in enumerate(numbers):
        try:
            vary(own, {name: float(x)})
            at = equilibrium(own, t, start=before) if fixed is None else steady(own, fixed, t, start=before)
            rows.append(np.asarray(linearize(own, at).eigenvalues))
            before = at
        except LinkwrightError as error:
            rows.append(None)
            failed.append(Failed((k,), {name: float(x)}, error))
    if len(failed) == len(numbers):
        raise failed[0].error
    return RootLocus(name, numbers, _followed(rows), failed)


def _followed(rows: list[np.ndarray | None]) -> np.ndarray:
    """Each row in the order in which its eigenvalues are nearest to those before."""
    count = max(len(row) for row in rows if row is not None)
    out = np.full((len(rows), count), np.nan + 0j)
    last: np.ndarray | None = None
    for k, row in enumerate(rows):
        if row is None or len(row) != count:
            continue
        if last is None:
            row = row[np.lexsort((row.real, row.imag))]
        else:
            row = row[linear_sum_assignment(np.abs(last[:, None] - row[None]))[1]]
        out[k] = last = row
    return out
