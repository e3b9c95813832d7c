"""Exact derivatives of one number of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from linkwright.arguments import typed
from linkwright.errors import ModelError
from linkwright.model import Model, a_model
from linkwright.options import StudyAnalysis
from linkwright.results.reductions import Reduction, reduced
from linkwright.studies.points import Task
from linkwright.studies.slopes import sloped
from linkwright.studies.variations import check_names


@typed
def gradient(
    model: Model, reduction: Reduction | str, names: Iterable[str], *, analysis: StudyAnalysis = "dynamics", **options: Any
) -> tuple[float, dict[str, float]]:
    """Give one number of a run and its exact derivatives by parameters and by the start.

    The run itself is differentiated, through assembly, laws that switch, impacts, contacts that rest, friction that sticks,
    and events that end it; a simulation from its end to its start where it can be, so that a gradient costs two to five runs
    whatever the number of names. What has no derivative is refused by name: events that only graze zero, several at once,
    contacts that just touch where a run begins, changes of the state and laws in plain Python, reactions that are not
    unique. Of a peak the output time at which it is stays as it is.

    Parameters
    ----------
    model : Model
        The machine; it is not changed.
    reduction : Reduction or str
        The number, such as `lw.final("slider.x")` or "final(slider.x)".
    names : iterable of str
        Parameters, a body's start ("crank.omega"), or states, which begin there.
    analysis : {"dynamics", "kinematics", "inverse_dynamics", "equilibrium", "assemble", "linearize"}
        Which analysis. Of "linearize" about the equilibrium: "frequencies", "eigenvalues", "damping_ratios"; an eigenvalue
        that is there more than once has no derivative.
    **options
        Of the analysis: t_end, steps, rtol and the like.

    Returns
    -------
    value : float
        The number.
    slope : dict
        Its derivatives by name.

    Raises
    ------
    ModelError
        There is no derivative.

    Examples
    --------
    >>> import linkwright as lw
    >>> m = lw.PlanarModel("slide", gravity=(0, 0))
    >>> F = m.parameter("F", 3.0)
    >>> b = m.body("b", mass=2.0, inertia=1.0)
    >>> push = m.add(lw.Force("push", b.x, lambda x, v, t: F))
    >>> value, slope = lw.gradient(m, lw.final("b.x"), ["F", "b.vx"], t_end=2.0)
    >>> round(value, 9), round(slope["F"], 9), round(slope["b.vx"], 9)  # F t^2 / (2 m), and t
    (3.0, 1.0, 2.0)
    """
    reduction = reduced(reduction)
    if not isinstance(reduction, Reduction):
        raise ModelError(
            f"{reduction!r} is not one number of a run", element="reduction", remedy="give one such as lw.peak('A.fx')"
        )
    chosen = [names] if isinstance(names, str) else list(names)
    check_names(a_model(model), chosen)
    if not chosen:
        raise ModelError("nothing varies", element="names", remedy='give names of parameters, such as ["r", "k"]')
    found = sloped(Task(model, analysis, (reduction,), options), model, chosen)
    slopes = dict(zip(chosen, map(float, found.slopes[0]), strict=True))
    return float(found.values[0]), slopes
