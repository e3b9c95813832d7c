"""Values that make a machine do what was measured, and how well the data determine them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np
from scipy.optimize import OptimizeResult, least_squares

from linkwright import linear
from linkwright.arguments import check_number, typed, whole
from linkwright.errors import Interrupted, ModelError
from linkwright.model import Model, a_model
from linkwright.options import Analysis
from linkwright.results.optimum import Fit
from linkwright.studies.points import Progress, Task
from linkwright.studies.search import Search, flat, unworkable
from linkwright.words import choices

WEAK = 1e-6  # a direction of values that changes the residuals by less than this part of the strongest is not determined
AT_BOUND = 1e-6  # part of the range
BLAMED = 0.05  # part of such a direction from which a value is named


@typed
def fit(
    model: Model, data: Any, bounds: Mapping[str, Any], *, analysis: Analysis = "dynamics",
    weights: Mapping[str, float] | None = None, max_iterations: int = 100, progress: Progress | None = None, **options: Any,
) -> Fit:  # fmt: skip
    """Find the values between bounds with which a run comes nearest to measured data, by least squares.

    Parameters
    ----------
    model : Model
        The machine; it is not changed.
    data : mapping or pandas.DataFrame
        "t", and what was measured at these times by channel: {"t": times, "slider.x": values}.
    bounds : mapping
        (low, high) by name of a parameter, of a body's start, or of a state.
    analysis : {"dynamics", "kinematics", "inverse_dynamics"}
        Which analysis.
    weights : mapping, optional
        Factors of the differences, by channel; 1 by default. One over the standard deviation of a sensor is a good one.
    max_iterations : int
        Evaluations of the residuals, gradients aside.
    progress : callable, optional
        Called with the number of points looked at and the part done, by the evaluations that there may be.
    **options
        Of the analysis.

    Returns
    -------
    Fit
        `f.parameters`, `f.std`, `f.residual`, `f.notes` about what the data do not determine.

    Raises
    ------
    Interrupted
        By Ctrl-C; its `.partial` is the best of what was looked at.

    Examples
    --------
    >>> import linkwright as lw, numpy as np
    >>> m = lw.PlanarModel("slide", gravity=(0, 0))
    >>> F = m.parameter("F", 1.0)
    >>> b = m.body("b", mass=2.0, inertia=1.0)
    >>> push = m.add(lw.Force("push", b.x, lambda x, v, t: F))
    >>> t = np.linspace(0, 1, 5)
    >>> f = lw.fit(m, {"t": t, "b.x": 0.75 * t**2}, {"F": (0.0, 10.0)}, t_end=1.0)
    >>> round(f.parameters["F"], 6)
    3.0
    """
    t, measured = _data(data)
    if analysis not in get_args(Analysis):
        remedy = choices(str(analysis), get_args(Analysis))
        raise ModelError(f"{analysis!r} has no history", element="analysis", remedy=remedy)
    for dropped in ("t_eval", "steps"):
        if dropped in options:
            raise ModelError("output is at the times of the data", element=dropped, remedy='leave it out; "t" says them')
    w = _weights(measured, weights or {})
    max_iterations = whole(max_iterations, "max_iterations")
    options = {"t_end": float(t[-1]), **options, "t_eval": t}
    search = Search(Task(a_model(model), analysis, tuple(measured), options), bounds, progress)
    goal = np.concatenate(list(measured.values()))
    each = np.concatenate([np.full(len(t), w[name]) for name in measured])

    def residuals(x: np.ndarray) -> np.ndarray:
        search.part = min(search.part + 1 / max_iterations, 1.0)
        found = search(x)
        far = each * (np.abs(goal) + np.abs(goal).max())  # a wall: farther off than anything that works
        return np.asarray(1e3 * far if found.error is not None else each * (flat(found) - goal))

    def slopes(x: np.ndarray) -> np.ndarray:
        columns = [np.zeros(len(goal)) if d is None else each * d for d in search.slopes(x)]
        return np.stack(columns, axis=1)

    try:
        x = search.workable(search.start())
        if x is None:
            raise unworkable(search)
        done = least_squares(
            residuals, x, slopes, bounds=(0.0, 1.0), x_scale="jac", max_nfev=max_iterations, xtol=1e-12, ftol=1e-12
        )
        search.tell(1.0)
    except KeyboardInterrupt as stop:
        best = min(search.differentiated, key=lambda x: float(np.sum(residuals(x) ** 2)), default=None)
        if best is None:
            raise Interrupted(float("nan"), None) from stop
        found = {"x": best, "fun": residuals(best), "jac": slopes(best), "message": "interrupted:", "success": False}
        raise Interrupted(float("nan"), _fit(search, OptimizeResult(**found), measured, goal)) from stop
    return _fit(search, done, measured, goal)


def _data(given: Any) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    if hasattr(given, "to_dict") and hasattr(given, "columns"):  # a DataFrame
        columns = {str(c): np.asarray(given[c]) for c in given.columns}
        given = columns if "t" in columns else {"t": np.asarray(given.index), **columns}
    if not isinstance(given, Mapping) or "t" not in given or len(given) < 2:
        raise ModelError(
            "the data must have times and a channel", element="data", remedy='give {"t": times, "crank.x": values}'
        )
    numbers = {n: np.array([check_number(n, x) for x in np.ravel(v)]) for n, v in given.items()}
    t = numbers.pop("t")
    for name, values in numbers.items():
        if len(values) != len(t):
            raise ModelError(f"{len(values)} values for {len(t)} times", element=name, remedy="give one for each time")
    if len(t) < 2 or np.any(np.diff(t) <= 0):
        raise ModelError("the times do not grow", element="t", remedy="sort the data by time; leave out what is there twice")
    return t, numbers


def _weights(measured: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, float]:
    for name in given:
        if name not in measured:
            raise ModelError("a weight for what was not measured", element=name, remedy=f"it was {', '.join(measured)}")
    out = {n: check_number(n, given.get(n, 1.0)) for n in measured}
    if any(x <= 0 for x in out.values()):
        raise ModelError("weights must be positive", element="weights", remedy="leave the channel out instead")
    return out


def _doubts(search: Search, x: np.ndarray, deviation: np.ndarray) -> list[str]:
    """What is to be said of single values; they and their deviations are scaled by their bounds."""
    out = [
        f"the data hardly determine {name}: its standard deviation exceeds the distance of its bounds"
        for name, own in zip(search.names, deviation, strict=True)
        if own > 1.0
    ]
    for name, own, value in zip(search.names, x, search.values(x).values(), strict=True):
        if min(own, 1 - own) < AT_BOUND:
            out.append(f"{name} is at its bound {value:g}: the data may want it beyond")
    return out


def _fit(search: Search, done: Any, measured: Mapping[str, np.ndarray], goal: np.ndarray) -> Fit:
    J, r = np.asarray(done.jac), np.asarray(done.fun)
    freedom = max(len(r) - len(done.x), 1)
    few = max(J.shape[1] - len(J), 0)  # data: what they leave open are directions, too
    _, s, Vt = linear.svd(np.concatenate([J, np.zeros((few, J.shape[1]))]), full_matrices=False)
    known = s > WEAK * s[0]
    with np.errstate(divide="ignore"):
        inverse = np.where(known, 1.0 / np.where(known, s, 1.0) ** 2, 0.0)
    deviation = np.sqrt(Vt.T**2 @ inverse * float(r @ r) / freedom)
    alike = (Vt.T / np.maximum(s, WEAK * (s[0] or 1.0)) ** 2) @ Vt  # whatever the residuals are
    width = search.high - search.low
    undetermined = np.zeros(len(done.x), dtype=bool)
    notes = []
    for row in Vt[~known]:
        named = np.abs(row) > BLAMED
        undetermined |= named
        what = ", ".join(n for n, blamed in zip(search.names, named, strict=True) if blamed)
        notes.append(f"the data do not determine {what}" + (" apart: only together" if named.sum() > 1 else ""))
    std = np.where(undetermined, np.inf, deviation * width)
    notes += _doubts(search, done.x, np.where(undetermined, 0.0, deviation))
    sizes = np.sqrt(np.diag(alike))
    parts = np.split(flat(search(done.x)) - goal, len(measured))
    return Fit(
        search.values(done.x), dict(zip(search.names, map(float, std), strict=True)), float(np.sqrt(np.mean(r * r))),
        dict(zip(measured, parts, strict=True)), alike / np.outer(sizes, sizes),
        f"{done.message} {search.told}".strip(), bool(done.success), notes,
    )  # fmt: skip
