"""The motions of a family of machines on one page."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np

from linkwright.arguments import typed, whole
from linkwright.errors import LinkwrightError, ModelError
from linkwright.model import Model, a_model
from linkwright.options import Analysis
from linkwright.studies.points import ANALYSES
from linkwright.studies.sweep import axes_of, rows_of
from linkwright.studies.variations import vary
from linkwright.view.animation import Animation, kept
from linkwright.view.family import family_page
from linkwright.words import choices

MOST = 24  # ghosts: of more points those spread evenly over them are drawn


@typed
def family(
    model: Model, values: Mapping[str, Any], path: str | os.PathLike[str] | None = None, *,
    analysis: Analysis = "dynamics", paired: bool = False, channels: Sequence[str] | None = None, most: int = MOST,
    **options: Any,
) -> Animation:  # fmt: skip
    """Show a machine in motion, and the same machine with other values as ghosts behind it, on one page.

    The machine as it is has its colours, and each point of the grid is a ghost; the plots have a faint line for each. Points
    that fail are told in the page's audit. Machines in the plane.

    Parameters
    ----------
    model : Model
        The machine; it is not changed.
    values : mapping
        Arrays by name, as for `sweep`.
    path : path, optional
        An HTML file.
    analysis : {"dynamics", "kinematics", "inverse_dynamics"}
        Which analysis.
    paired : bool
        The arrays are of one length, and there is a ghost for each row of them.
    channels : sequence of str, optional
        What is plotted beside it.
    most : int
        Ghosts at most; of more points those spread evenly over them.
    **options
        Of the analysis: t_end, steps, rtol and the like.

    Returns
    -------
    Animation
        The page; in a notebook it shows itself.

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> length = m.parameter("length", 1.0)
    >>> bob = m.body("bob", mass=1.0, inertia=0.0, position=(1.0, 0.0))
    >>> pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bob.at(-length, 0)))
    >>> lw.family(m, {"length": [0.8, 1.2]}, t_end=1.0, steps=20).title
    'pendulum'
    """
    own = a_model(model).copy()
    if analysis not in get_args(Analysis):
        remedy = choices(str(analysis), get_args(Analysis))
        raise ModelError(f"{analysis!r} has no motion", element="analysis", remedy=remedy)
    most = whole(most, "most")
    axes = axes_of(own, values, paired)
    rows = rows_of(axes, paired)
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(int))]
    result = ANALYSES[analysis](own, **options)
    others, notes = {}, []
    for row in rows:
        point = dict(zip(axes, map(float, row), strict=True))
        label = ", ".join(f"{name} = {x:.6g}" for name, x in point.items())
        varied = own.copy()
        try:
            vary(varied, point)
            others[label] = ANALYSES[analysis](varied, **options)
        except LinkwrightError as error:
            notes.append(f"no ghost at {label}: {error.cause}")
    return kept(family_page(result, others, channels=channels, notes=notes), path)
