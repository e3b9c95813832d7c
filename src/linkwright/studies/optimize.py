"""The best design between bounds: smallest or largest of one number of a run, others kept within limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args
from warnings import catch_warnings, filterwarnings

import numpy as np
from scipy import optimize as scipy_optimize
from scipy.stats import qmc

from linkwright.arguments import check_number, typed, whole
from linkwright.bounds import shown
from linkwright.errors import Interrupted, ModelError
from linkwright.model import Model, a_model
from linkwright.options import SearchMethod, StudyAnalysis
from linkwright.results.optimum import Optimum
from linkwright.results.reductions import Reduction, label, reduced
from linkwright.studies.distributions import LARGEST_SEED
from linkwright.studies.points import Progress, Task
from linkwright.studies.search import BESIDE, Search, flat, unworkable
from linkwright.studies.walls import NEXT_TO, is_best_along, moved, outward
from linkwright.words import choices

KEPT_TO = 1e-6  # relative violation of a bound that counts as none
# Designs that are looked at side by side before several searches begin: at least, and for each of them.
LOOKED_AT, PER_START = 256, 32
GRAIN = 1e-9  # of the range of a value: nearer to what does not work no search goes
# Of the bounds' distance: how far from a wall that was met searches go on along it, one after the other; iterations of each.
DEPTHS, ITERATIONS = (0.1, 0.03, 0.01, 3e-3, 1e-3), 10
WALL = 10.0  # how much worse than the worst design that works one that does not counts, by the range of those seen


@typed
def optimize(
    model: Model, bounds: Mapping[str, Any], *, minimize: Reduction | str | None = None,
    maximize: Reduction | str | None = None, subject_to: Mapping[Any, Any] | None = None,
    analysis: StudyAnalysis = "dynamics", starts: int = 1, seed: int = 0,
    method: SearchMethod = "slsqp", max_iterations: int = 100, progress: Progress | None = None, **options: Any,
) -> Optimum:  # fmt: skip
    """Find the values between bounds for which one number of a run is smallest, or largest.

    Parameters
    ----------
    model : Model
        The machine; it is not changed.
    bounds : mapping
        (low, high) by name of a parameter, of a body's start, or of a state.
    minimize, maximize : Reduction or str
        One of them: such as `lw.peak("A.fx")` or "peak(A.fx)"; of an equilibrium or assembly also a channel's `lw.final`.
    subject_to : mapping, optional
        (low, high) by reduction; either may be None, and both may be equal.
    analysis : str
        As in `sweep`.
    starts : int
        How many searches, the first from the model's own values, the others from Sobol' points: of machines whose runs go in
        lanes from the best of some hundred, which are looked at side by side.
    seed : int
        Of these points, and of differential evolution.
    method : {"slsqp", "trust-constr", "differential-evolution"}
        Local ones follow gradients, exact ones where there are such (see `gradient`), else differences of runs; the last
        searches everywhere, then by gradients from the best: it looks at 15 designs for each value that varies, in each
        iteration and before the first. Those are 3030 of two values with 100 iterations, fewer where designs come to agree.
    max_iterations : int
        Of each search.
    progress : callable, optional
        Called with the number of designs looked at and the part done, by the iterations that there may be.
    **options
        Of the analysis: t_end, steps and the like.

    Returns
    -------
    Optimum
        `o.parameters`, `o.value`, `o.history`, `o.message`.

    Raises
    ------
    Interrupted
        By Ctrl-C; its `.partial` is the best of what was looked at.

    Examples
    --------
    >>> import linkwright as lw
    >>> m = lw.PlanarModel("beam", gravity=(0, -9.81))
    >>> k = m.parameter("k", 100.0)
    >>> b = m.body("b", mass=1.0, inertia=1.0)
    >>> rail = m.add(lw.Translational("rail", m.ground.at(0, 0, angle="pi/2"), b.at(0, 0, angle="pi/2")))
    >>> spring = m.add(lw.Force("spring", b.y, lambda y, v, t: -k * y))
    >>> o = lw.optimize(m, {"k": (50.0, 500.0)}, minimize=lw.peak("b.y"), analysis="equilibrium")
    >>> round(o.parameters["k"])
    500
    """
    goal, sign = _goal(minimize, maximize)
    limits = {_reduction(r, "subject_to"): _limits(r, b) for r, b in (subject_to or {}).items()}
    starts, seed = whole(starts, "starts"), whole(seed, "seed", 0, LARGEST_SEED)
    max_iterations = whole(max_iterations, "max_iterations")
    if method not in get_args(SearchMethod):
        remedy = choices(str(method), get_args(SearchMethod))
        raise ModelError(f"there is no method {method!r}", element="method", remedy=remedy)
    search = Search(Task(a_model(model), analysis, (goal, *limits), options), bounds, progress)
    problem = _Problem(search, sign, list(limits.values()))
    try:
        if method == "differential-evolution":
            ended = problem.everywhere(seed, max_iterations)
        else:
            ended = problem.from_starts(problem.starts(starts, seed), method, max_iterations)
        ended = problem.along_walls(*ended)
        search.tell(1.0)
    except KeyboardInterrupt as stop:
        raise Interrupted(float("nan"), problem.best("interrupted", False) if problem.works else None) from stop
    return problem.best(*ended)


def _goal(minimize: Any, maximize: Any) -> tuple[Reduction, float]:
    if (minimize is None) == (maximize is None):
        raise ModelError(
            "it must be told what is best", element="minimize", remedy="give minimize= or maximize=, one of them"
        )
    return (_reduction(minimize, "minimize"), 1.0) if maximize is None else (_reduction(maximize, "maximize"), -1.0)


def _reduction(given: Any, argument: str) -> Reduction:
    given = reduced(given)
    if not isinstance(given, Reduction):
        raise ModelError(
            f"{shown(given)} is not one number of a run", element=argument,
            remedy="give a reduction, such as lw.peak('A.fx')",
        )  # fmt: skip
    return given


def _limits(name: Any, given: Any) -> tuple[float, float]:
    try:
        low, high = given
    except (TypeError, ValueError):
        raise ModelError(
            f"{given!r} are no limits", element=label(name), remedy="give (low, high); either may be None"
        ) from None
    low = -np.inf if low is None else check_number(label(name), low)
    high = np.inf if high is None else check_number(label(name), high)
    if low > high:
        raise ModelError(f"nothing is between {low:g} and {high:g}", element=label(name), remedy="give the lower one first")
    return low, high


class _Problem:
    """What scipy's searches ask. The goal is always made small."""

    def __init__(self, search: Search, sign: float, limits: list[tuple[float, float]]) -> None:
        self.search, self.sign, self.limits = search, sign, limits

    def _numbers(self, x: np.ndarray) -> np.ndarray | None:
        found = self.search(x)
        return None if found.error is not None else flat(found) * np.array([self.sign] + [1.0] * len(self.limits))

    def _worst(self) -> float:
        good = np.array([self.sign * float(o.values[0]) for o in self.search.seen.values() if o.error is None])
        return float(good.max() + WALL * max(np.ptp(good), abs(good).max(), 1e-300)) if len(good) else 1e30

    def starts(self, count: int, seed: int) -> list[np.ndarray]:
        """The model's own values, then Sobol' points: where runs go in lanes the best of many of them."""
        own, n = self.search.start(), len(self.search.names)
        if count == 1:
            found = self.search.workable(own, seed)
            return [] if found is None else [found]
        many = qmc.Sobol(n, seed=seed).random_base2(int(np.ceil(np.log2(max(PER_START * count, LOOKED_AT)))))
        if not self.search.look(many):
            return [own, *many[: count - 1]]
        good = [x for x in many if tuple(map(float, x)) in self.search.seen]
        return [own, *sorted(good, key=self._rank)[: count - 1]]

    def _rank(self, x: np.ndarray) -> tuple[float, float]:
        """By what bounds are passed by, then by the goal."""
        numbers = self._numbers(x)
        if numbers is None:
            return np.inf, np.inf
        return max(self._violation(numbers), KEPT_TO), float(numbers[0])

    def goal(self, x: np.ndarray) -> float:
        found = self._numbers(x)
        return self._worst() if found is None else float(found[0])

    def slope(self, x: np.ndarray) -> np.ndarray:
        columns = [0.0 if d is None else self.sign * d[0] for d in self.search.slopes(x)]
        return np.array(columns)

    def constraint(self, k: int, x: np.ndarray) -> np.ndarray:
        found = self._numbers(x)
        low, high = self.limits[k]
        middle = low if np.isfinite(low) else high
        return np.array([middle if found is None else found[1 + k]])

    def constraint_slope(self, k: int, x: np.ndarray) -> np.ndarray:
        return np.array([0.0 if d is None else d[1 + k] for d in self.search.slopes(x)])

    def _constraints(self) -> list[Any]:
        return [
            scipy_optimize.NonlinearConstraint(partial(self.constraint, k), low, high, jac=partial(self.constraint_slope, k))
            for k, (low, high) in enumerate(self.limits)
            if np.isfinite(low) or np.isfinite(high)
        ]

    def from_starts(self, starts: list[np.ndarray], method: Literal["slsqp", "trust-constr"], most: int) -> tuple[str, bool]:
        """How the search ended that came to the best design, and whether it converged."""
        ends = []
        for k, x in enumerate(starts):
            if self.search(x).error is not None:
                continue  # a start on a wall leads nowhere
            done = self._from(x, method, most, _Steps(self.search, most, len(starts), k))
            ends.append((self._rank(done.x), str(done.message).rstrip("."), bool(done.success)))
        return min(ends)[1:] if ends else ("no start works", False)

    def _from(
        self, x: np.ndarray, method: Literal["slsqp", "trust-constr"], most: int, told: _Steps | None = None,
        wall: Sequence[Any] = (),
    ) -> Any:  # fmt: skip
        with catch_warnings():
            filterwarnings("ignore", "delta_grad == 0.0")  # two gradients are equal: of a linear goal all are
            return scipy_optimize.minimize(
                self.goal, x, jac=self.slope, bounds=[(0.0, 1.0)] * len(x), constraints=[*self._constraints(), *wall],
                method=method, options={"maxiter": most}, callback=told,
            )  # fmt: skip

    def everywhere(self, seed: int, most: int) -> tuple[str, bool]:
        n = len(self.search.names)
        done = scipy_optimize.differential_evolution(
            self.goal,
            scipy_optimize.Bounds(np.zeros(n), np.ones(n)),
            constraints=tuple(self._constraints()),
            seed=seed,
            maxiter=most,
            polish=False,
            callback=_Steps(self.search, most),
        )
        message, chosen = str(done.message).rstrip("."), self._chosen()
        if chosen is None:
            return message, False
        last = self._from(chosen[0], "slsqp", most)
        return f"{message}; from the best by gradients: {str(last.message).rstrip('.')}", bool(last.success)

    def along_walls(self, message: str, converged: bool) -> tuple[str, bool]:
        """Up to the wall that the best design is next to, then along it: where it is oblique to the values searches by
        gradients end before the best. Gives how the search ended, and whether it converged."""
        for depth in (*DEPTHS, 0.0):
            if (met := self._up_to_a_wall()) is None:
                return message, converged
            x, wall = met
            if len(x) == 1 or (normal := outward(self.search, x, wall)) is None:
                return message, converged
            if is_best_along(x, self.slope(x), [normal, *self._at_limits(x)]):
                return message, True
            if depth:
                self._along(x, normal, depth)
        return f"{message}; along the wall that it is at others may be better: try starts=, or differential-evolution", False

    def _along(self, x: np.ndarray, normal: np.ndarray, depth: float) -> None:
        """Search in a plane that is parallel to the wall at x, then from there up to the wall."""
        inside = moved(x, normal, -depth)
        if self.search(inside).error is None:
            plane = scipy_optimize.LinearConstraint(normal, -np.inf, normal @ inside)
            y = self._from(inside, "slsqp", ITERATIONS, wall=[plane]).x
            self._last_that_works(y, moved(y, normal, 2 * depth))
            best = self._chosen()
            self.search(moved(x if best is None else best[0], normal, 0.5 * BESIDE))  # is there a wall, too?

    def _last_that_works(self, x: np.ndarray, wall: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """From a design towards one that does not work, as far as designs get better."""
        best = self._rank(x)
        while np.abs(wall - x).max() > GRAIN:
            middle = 0.5 * (x + wall)
            if (rank := self._rank(middle)) < best:
                x, best = middle, rank
            else:
                wall = middle
        return x, wall

    def _up_to_a_wall(self) -> tuple[np.ndarray, np.ndarray] | None:
        """From the best design towards the nearest that does not work and lies where the goal gets better: searches by
        gradients take steps of some size, and end before it. The design there, and one beside it that does not work."""
        if (chosen := self._chosen()) is None:
            return None
        x, slope = chosen[0], None
        for wall in self.search.walls(x):
            slope = self.slope(x) if slope is None else slope
            if slope @ (wall - x) < 0:
                break
        else:
            return None
        x, wall = self._last_that_works(x, wall)
        return None if self.search(wall).error is None else (x, wall)

    def _at_limits(self, x: np.ndarray) -> list[np.ndarray]:
        """The outward normals of limits that are reached."""
        out = []
        for k, (low, high) in enumerate(self.limits):
            slope, value = self.constraint_slope(k, x), self.constraint(k, x)[0]
            near = NEXT_TO * max(float(np.abs(slope).max()), 1e-300)
            out += [slope] * bool(value > high - near) + [-slope] * bool(value < low + near)
        return out

    def _violation(self, numbers: np.ndarray) -> float:
        """The largest by which a bound is passed, relative to it."""
        worst = 0.0
        for value, (low, high) in zip(numbers[1:], self.limits, strict=True):
            size = max([abs(b) for b in (low, high) if np.isfinite(b)] + [1e-300])
            worst = max(worst, (low - value) / size, (value - high) / size)
        return worst

    @property
    def works(self) -> bool:
        """Whether any design that was looked at does."""
        return any(found.error is None for found in self.search.seen.values())

    def best(self, message: str, converged: bool) -> Optimum:
        """The design chosen, and what is to be said of it."""
        if (chosen := self._chosen()) is None:
            raise unworkable(self.search)
        x, numbers = chosen
        within = bool(self._violation(numbers) <= KEPT_TO)
        if not within:
            message = f"no design that was tried keeps all bounds ({message})"
        names = self.search.task.names[1:]
        message = "; ".join(filter(None, (message, self.search.told, self.search.beside(x))))
        return Optimum(
            self.search.values(x), self.sign * float(numbers[0]), dict(zip(names, map(float, numbers[1:]), strict=True)),
            self.search.history(), message, converged and within,
        )  # fmt: skip

    def _chosen(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Of all points looked at that keep the bounds the best; if none does, the one that comes nearest."""
        good = [(x, n) for x in self.search.points if (n := self._numbers(x)) is not None]
        within = [(x, n) for x, n in good if self._violation(n) <= KEPT_TO]
        if within:
            return min(within, key=lambda pair: float(pair[1][0]))
        return min(good, key=lambda pair: self._violation(pair[1]), default=None)


class _Steps:
    """Counts the iterations of the k-th of some searches."""

    def __init__(self, search: Search, most: int, searches: int = 1, k: int = 0) -> None:
        self.search, self.most, self.searches, self.k, self.done = search, most, searches, k, 0

    def __call__(self, *state: Any, **more: Any) -> None:
        self.done += 1
        self.search.part = (self.k + min(self.done / self.most, 1.0)) / self.searches
