"""Tolerances: an analysis of many machines whose values are drawn at random."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from linkwright.arguments import typed, whole
from linkwright.errors import ModelError
from linkwright.model import Model, a_model
from linkwright.options import StudyAnalysis
from linkwright.results.spread import Spread
from linkwright.studies.back_ends import check
from linkwright.studies.distributions import LARGEST_SEED, Distribution, draw
from linkwright.studies.points import Kept, Progress, Task, rehearse
from linkwright.studies.sweep import MOST_POINTS, kept, run
from linkwright.studies.variations import check_names


@typed
def monte_carlo(
    model: Model, spread: Mapping[str, Any], analysis: StudyAnalysis = "dynamics", *, samples: int, keep: Iterable[Kept],
    seed: int = 0, sobol: bool = False, correlation: Mapping[tuple[str, str], float] | None = None,
    out: str | os.PathLike[str] | None = None, progress: Progress | None = None, threads: int | None = None,
    on: Any = "cores", **options: Any,
) -> Spread:  # fmt: skip
    """Run an analysis of machines whose values are drawn from distributions.

    Parameters
    ----------
    model : Model
        The machine; it is not changed.
    spread : mapping
        `lw.Normal`, `lw.Uniform` or `lw.Triangular` by name of a parameter, a body's start ("crank.omega") or a state.
    analysis : str
        As in `sweep`.
    samples : int
        How many machines.
    keep : iterable
        As in `sweep`.
    seed : int
        The same seed draws the same samples.
    sobol : bool
        Draw Sobol' points, which fill the space more evenly: means converge faster, `.error` does not hold.
    correlation : mapping, optional
        Of the normal scores of two names: {("r", "l"): 0.8}.
    out, progress, threads, on, **options
        As in `sweep`.

    Returns
    -------
    Spread
        `c.mean["peak(A.fx)"]`, `c.std`, `c.quantile(0.99)`, `c.share["peak(A.fx)"]["r"]`, `c.fraction(...)`.

    Examples
    --------
    >>> import linkwright as lw
    >>> m = lw.PlanarModel("pendulum")
    >>> length = m.parameter("length", 1.0)
    >>> bob = m.body("bob", mass=1.0, inertia=0.0, position=(0.5, 0.0))
    >>> pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bob.at(-length, 0)))
    >>> c = lw.monte_carlo(m, {"length": lw.Normal(1.0, 0.01)}, "assemble", samples=50, keep=["bob.x"])
    >>> bool(abs(c.mean["bob.x"] - 1.0) < 0.01)
    True
    """
    check(on)
    task = Task(a_model(model), analysis, kept(keep), options)
    check_names(task.model, spread)
    if not spread:
        raise ModelError(
            "nothing varies", element="spread", remedy='give distributions by name: {"r": lw.Normal(0.2, 1e-3)}'
        )
    for name, given in spread.items():
        if not isinstance(given, Distribution):
            raise ModelError(
                f"{given!r} is no distribution", element=name, remedy="give lw.Normal, lw.Uniform or lw.Triangular"
            )
    count = int(samples) if isinstance(samples, float) and samples == samples // 1 else samples
    samples = whole(count, "samples", 1, MOST_POINTS)
    seed = whole(seed, "seed", 0, LARGEST_SEED)
    rows = draw(spread, samples, seed, sobol=sobol, correlation=correlation)
    rehearse(task)
    axes = {name: rows[:, k] for k, name in enumerate(spread)}
    return run(task, axes, rows, paired=True, out=out, progress=progress, threads=threads, on=on, kind=Spread)
