"""A machine as a function of its values between bounds: what searches ask, with every point remembered.

Values are scaled to 0 ... 1 between their bounds. Where a design does not work there is no number: a wall, not a crash.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import qmc

from linkwright.arguments import check_numbers
from linkwright.bounds import shown
from linkwright.compile.function import cores
from linkwright.errors import LinkwrightError, ModelError
from linkwright.results.channels import Audit
from linkwright.results.study import Failed, Study
from linkwright.studies.back_ends import Points, together
from linkwright.studies.gradient import sloped
from linkwright.studies.points import Outcome, Progress, Task, outcome, rehearse
from linkwright.studies.variations import check_names, present, vary

STEP = 1e-4  # of the range: differences of runs of this tolerance are then good to 1e-5
RTOL = 1e-9
TRIED = 5  # designs that are looked at for one that works, where the first does not: a power of two
# Of the bounds' distance: where designs that do not work are looked for, and how near the best they are told.
NEAR, BESIDE = 0.1, 1e-3
ADAPTIVE = ("dynamics",)  # analyses whose answers have a tolerance


class Search:
    """`bounds`: (low, high) by name. `progress`: called with the number of points looked at, and `part`."""

    def __init__(self, task: Task, bounds: Mapping[str, Any], progress: Progress | None = None) -> None:
        check_names(task.model, bounds)
        if not bounds:
            raise ModelError("nothing may vary", element="bounds", remedy='give bounds by name: {"r": (0.1, 0.3)}')
        self.low, self.high = (np.array(x) for x in zip(*[_bounds(n, b) for n, b in bounds.items()], strict=True))
        if task.analysis in ADAPTIVE and "rtol" not in task.options:
            task = Task(task.model, task.analysis, task.keep, {**task.options, "rtol": RTOL})
        rehearse(task)
        self.task, self.names = task, list(bounds)
        self.model = task.model.copy()
        self.seen: dict[tuple[float, ...], Outcome] = {}
        self.points: list[np.ndarray] = []
        self._sloped: dict[tuple[float, ...], tuple[np.ndarray | None, ...]] = {}
        self.exact = 0  # gradients
        self.differenced = ""  # why others were not
        self.looked = ""  # which points were looked at side by side
        self.progress, self.part = progress, 0.0  # of the search that is done

    def values(self, x: np.ndarray) -> dict[str, float]:
        return {n: float(v) for n, v in zip(self.names, self.low + np.clip(x, 0, 1) * (self.high - self.low), strict=True)}

    def __call__(self, x: np.ndarray) -> Outcome:
        key = tuple(map(float, x))
        if key not in self.seen:
            self.seen[key] = outcome(self.task, self.model, len(self.points), self.values(x))
            self.points.append(np.array(x, dtype=float))
            self.tell()
        return self.seen[key]

    def tell(self, part: float | None = None) -> None:
        """How far it is."""
        self.part = self.part if part is None else part
        if self.progress is not None:
            self.progress(len(self.points), self.part)

    def look(self, many: np.ndarray) -> bool:
        """At many points side by side, a row each, where runs can go so; what cannot is looked at when it is asked for."""
        rows = self.low + many * (self.high - self.low)
        found = together(self.task, Points.of(self.names, rows))
        if isinstance(found, str):
            return False
        for block in found.blocks(rows, np.arange(len(rows)), cores()):
            for at, *values in zip(block.indices, *block.values, strict=True):
                key = tuple(map(float, many[at]))
                if key not in self.seen:
                    self.seen[key] = Outcome(len(self.points), tuple(map(np.asarray, values)), block.t)
                    self.points.append(np.array(many[at], dtype=float))
            self.tell()
        self.looked = f"{len(rows)} designs looked at side by side, {found.method}"
        return True

    def slopes(self, x: np.ndarray) -> tuple[np.ndarray | None, ...]:
        """The derivative of all that is kept by each of the scaled values: exact where there is such, else by differences;
        None where there is none."""
        key = tuple(map(float, x))
        if key not in self._sloped:
            found = self._exact(x) if self(x).error is None else None
            self._sloped[key] = self.differences(x) if found is None else found
        return self._sloped[key]

    def _exact(self, x: np.ndarray) -> tuple[np.ndarray, ...] | None:
        try:
            vary(self.model, self.values(x))
            found = sloped(self.task, self.model, self.names).slopes * (self.high - self.low)
        except LinkwrightError as error:
            self.differenced = self.differenced or error.cause
            return None
        if found.shape[0] != len(flat(self(x))) or not np.isfinite(found).all():
            self.differenced = self.differenced or "derivatives are not finite"
            return None
        self.exact += 1
        return tuple(found.T)

    @property
    def differentiated(self) -> list[np.ndarray]:
        """The points that work whose slopes are known."""
        return [np.array(key) for key in self._sloped if self.seen[key].error is None]

    @property
    def told(self) -> str:
        """Which gradients were used; nothing, where there were none."""
        if self.differenced:
            some = "some gradients" if self.exact else "gradients"
            return f"{some} by differences: {self.differenced}"
        return "exact gradients" if self.exact else ""

    def differences(self, x: np.ndarray) -> tuple[np.ndarray | None, ...]:
        """The derivative of all that is kept by each of the scaled values: central, at walls and bounds one-sided; None
        where there is none."""
        return tuple(self._difference(x, k) for k in range(len(x)))

    def _difference(self, x: np.ndarray, k: int) -> np.ndarray | None:
        sides = []
        for h in (STEP, -STEP):
            y = np.array(x)
            y[k] = y[k] + h
            if 0 <= y[k] <= 1 and (found := self(y)).error is None:
                sides.append((y[k], flat(found)))
        if len(sides) < 2 and (here := self(x)).error is None:
            sides.append((x[k], flat(here)))
        if len(sides) < 2:
            return None
        (a, fa), (b, fb) = sides[:2]
        return np.asarray((fa - fb) / (a - b))

    def start(self) -> np.ndarray:
        """The model's own values, inside of the bounds."""
        own = np.array([present(self.task.model, n) for n in self.names])
        return np.asarray(np.clip((own - self.low) / (self.high - self.low), 0.0, 1.0))

    def workable(self, x: np.ndarray, seed: int = 0) -> np.ndarray | None:
        """A design that works: this one, or else the first of some Sobol' points."""
        if self(x).error is None:
            return x
        others = qmc.Sobol(len(x), seed=seed).random_base2(TRIED)
        return next((y for y in others if self(y).error is None), None)

    def walls(self, x: np.ndarray) -> list[np.ndarray]:
        """Designs near this one that were looked at and do not work, the nearest first."""
        near = [(self._far(x, y), k) for k, y in enumerate(self.points) if self(y).error is not None]
        return [self.points[k] for far, k in sorted(near) if far < NEAR]

    def beside(self, x: np.ndarray) -> str:
        """What is to be said of a design that ends at a wall."""
        walls = self.walls(x)
        if not walls or (far := self._far(x, walls[0])) > BESIDE:
            return ""
        error = self(walls[0]).error
        cause = "" if error is None else error.cause
        return f"it is at a wall: a design {far:.1g} of the bounds' distance away does not work ({cause})"

    def _far(self, x: np.ndarray, y: np.ndarray) -> float:
        return float(np.abs(x - y).max())

    def history(self) -> Study:
        """A row for each point that was looked at."""
        rows = [self.values(x) for x in self.points]
        axes = {n: np.array([row[n] for row in rows]) for n in self.names}
        found = [self(x) for x in self.points]
        arrays = {
            name: np.array([float(o.values[k]) if o.error is None else np.nan for o in found])
            for k, name in enumerate(self.task.names)
        }
        failed = [Failed((k,), rows[k], o.error) for k, o in enumerate(found) if o.error is not None]
        audit = Audit(self.task.analysis, points=len(rows), notes=[x for x in (self.told, self.looked) if x])
        return Study(self.task.model.name, axes, arrays, audit, paired=True, failed=failed)


def flat(found: Outcome) -> np.ndarray:
    return np.concatenate([np.ravel(v) for v in found.values])


def _bounds(name: str, given: Any) -> tuple[float, float]:
    if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str) or np.size(given) != 2:
        raise ModelError(f"{shown(given)} are no bounds", element=name, remedy="give a pair of numbers, (low, high)")
    low, high = check_numbers(name, given)
    if not low < high:
        raise ModelError(f"the bounds {low:g} and {high:g} leave nothing between", element=name, remedy="give (low, high)")
    return low, high


def unworkable(search: Search) -> LinkwrightError:
    """No point that was tried works: why the first did not."""
    first = next(o.error for o in search.seen.values() if o.error is not None)
    first.cause = f"no design that was tried works; the first: {first.cause}"
    return first
