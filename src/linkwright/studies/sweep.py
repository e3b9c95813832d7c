"""An analysis at every point of a grid of values, or at each of a list."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from linkwright.arguments import check_numbers, typed, whole
from linkwright.errors import Interrupted, ModelError
from linkwright.model import Model, a_model
from linkwright.options import StudyAnalysis
from linkwright.results.channels import Audit
from linkwright.results.reductions import reduced
from linkwright.results.study import Failed, Study
from linkwright.studies.back_ends import Points, Said, check, computed
from linkwright.studies.fingerprint import fingerprint
from linkwright.studies.journal import Journal, as_path
from linkwright.studies.points import Block, Kept, Outcome, Progress, Task, rehearse
from linkwright.studies.variations import check_names

S = TypeVar("S", bound=Study)
SHOWN = 3  # failures that a note tells
MOST_POINTS = 10**8  # whose values a computer can hold


@typed
def sweep(
    model: Model, values: Mapping[str, Any], analysis: StudyAnalysis = "dynamics", *, keep: Iterable[Kept],
    paired: bool = False, out: str | os.PathLike[str] | None = None, progress: Progress | None = None,
    threads: int | None = None, on: Any = "cores", **options: Any,
) -> Study:  # fmt: skip
    """Run an analysis at every point of a grid of values, and keep histories or single numbers of each.

    Parameters
    ----------
    model : Model
        The machine; it is not changed.
    values : mapping
        Arrays by name of a parameter, a body's start ("crank.omega") or a state; their grid is run through.
    analysis : str
        "dynamics", "kinematics", "inverse_dynamics", "equilibrium", "assemble" or "linearize".
    keep : iterable
        Channels or quantities (their histories) and reductions of them, such as `lw.peak("A.fx")` or "peak(A.fx)".
    paired : bool
        The arrays are of one length, and there is one run for each row of them.
    out : path, optional
        A NetCDF file; what is done is kept as it goes, and the same call goes on from there after a kill.
    progress : callable, optional
        Called with the number of points done and the part of the whole.
    threads : int, optional
        How many cores may be used.
    on : {"cores", "gpu"} or dask.distributed.Client
        Where it is computed. Simulations and driven motions of 200 points and more go side by side in SIMD lanes, on all
        cores; where a machine has what lanes cannot do (events, switched laws, laws in Python), or another analysis is
        asked for, each point is a single call. `.audit` says which. "gpu": simulations on an NVIDIA GPU, a run a thread;
        what lanes cannot do is refused there. A client: by the workers of a cluster, in chunks of about a second; what dies
        with a worker is computed once more.
    **options
        Of the analysis: t_end, steps, rtol and the like.

    Returns
    -------
    Study
        `s["peak(A.fx)"]` is an array over the grid, with NaN where a point failed; `s.failed` tells which and why.

    Examples
    --------
    >>> import linkwright as lw
    >>> m = lw.PlanarModel("pendulum")
    >>> length = m.parameter("length", 1.0)
    >>> bob = m.body("bob", mass=1.0, inertia=0.0, position=(0.5, 0.0))
    >>> pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bob.at(-length, 0)))
    >>> s = lw.sweep(m, {"length": [0.5, 0.8]}, "assemble", keep=["bob.x"])
    >>> s["bob.x"].shape
    (2,)
    """
    check(on)
    task = Task(a_model(model), analysis, kept(keep), options)
    axes = axes_of(task.model, values, paired)
    rehearse(task)
    rows = rows_of(axes, paired)
    return run(task, axes, rows, paired=paired, out=out, progress=progress, threads=threads, on=on, kind=Study)


def run(
    task: Task, axes: dict[str, np.ndarray], rows: np.ndarray, *, paired: bool, out: Any = None,
    progress: Progress | None = None, threads: int | None = None, on: Any = "cores", kind: type[S],
) -> S:  # fmt: skip
    """The study of these rows of values, a column for each of the names."""
    threads = None if threads is None else whole(threads, "threads")
    clock, path, points, said = perf_counter(), as_path(out), Points.of(list(axes), rows), Said()
    done: list[Outcome | Block] = []

    def study() -> S:
        found = _study(kind, task, axes, points, done, paired)
        found.audit.wall_seconds, found.audit.method = perf_counter() - clock, said.method
        found.audit.notes += said.notes
        return found

    def go(journal: Journal | None) -> None:
        done.extend(() if journal is None else journal.done)
        waiting = np.ones(len(points), dtype=bool)
        waiting[_indices(done)] = False
        left, count = points.only(np.flatnonzero(waiting)), len(points) - int(waiting.sum())
        for found in computed(task, left, said, on=on, threads=threads):
            done.append(found)
            count += len(_indices([found]))
            if journal is not None:
                journal.add(found)
            if progress is not None:
                progress(count, count / len(points))

    try:
        if path is None:
            go(None)
            return study()
        with Journal(path, fingerprint(task, axes, paired)) as journal:
            go(journal)
            found = study()
            found.save(path)
            return found
    except KeyboardInterrupt as stop:
        raise Interrupted(float("nan"), study()) from stop


def _indices(done: Sequence[Outcome | Block]) -> np.ndarray:
    found = [np.array([o.index]) if isinstance(o, Outcome) else o.indices for o in done]
    return np.concatenate([np.zeros(0, dtype=int), *found])


def kept(keep: Any) -> tuple[Kept, ...]:
    return tuple(map(reduced, [keep] if isinstance(keep, str) or not isinstance(keep, Iterable) else keep))


def axes_of(model: Model, values: Mapping[str, Any], paired: bool) -> dict[str, np.ndarray]:
    if not values:
        raise ModelError("nothing varies", element="values", remedy='give arrays by name: {"r": [0.1, 0.2]}')
    check_names(model, values)
    axes = {}
    for name, given in values.items():
        axes[name] = check_numbers(name, given)
        if not len(axes[name]):
            raise ModelError("it has no values", element=name, remedy="give at least one")
    if paired and len({len(x) for x in axes.values()}) > 1:
        sizes = ", ".join(f"{n}: {len(x)}" for n, x in axes.items())
        raise ModelError(f"the rows are not of one length ({sizes})", element=list(axes), remedy="or leave paired=True out")
    return axes


def rows_of(axes: Mapping[str, np.ndarray], paired: bool) -> np.ndarray:
    """The points, a row each."""
    count = next(len(x) for x in axes.values()) if paired else prod(len(x) for x in axes.values())
    if count > MOST_POINTS:
        raise ModelError(
            f"its grid has {count:.3g} points", element="values",
            remedy="give fewer values of each, paired=True, or let lw.monte_carlo draw some",
        )  # fmt: skip
    columns = axes.values() if paired else np.meshgrid(*axes.values(), indexing="ij")
    return np.stack([np.ravel(c) for c in columns], axis=1)


def _study(
    kind: type[S], task: Task, axes: Mapping[str, np.ndarray], points: Points, done: Sequence[Outcome | Block], paired: bool
) -> S:
    shape = (len(points),) if paired else tuple(len(x) for x in axes.values())
    single = [o for o in done if isinstance(o, Outcome)]
    good: list[Any] = [o for o in done if isinstance(o, Block) or o.error is None]
    arrays = {name: _filled(good, k, len(points), shape) for k, name in enumerate(task.names)}
    failed = [
        Failed(tuple(map(int, np.unravel_index(o.index, shape))), points[o.index][1], o.error)
        for o in sorted(single, key=lambda o: o.index)
        if o.error is not None
    ]
    t = max((np.asarray(o.t) for o in good if o.t is not None and np.ndim(o.t)), key=len, default=None)
    audit = Audit(task.analysis, points=len(points))
    if failed:
        more = f" and {len(failed) - SHOWN} more" if len(failed) > SHOWN else ""
        audit.notes.append(f"{len(failed)} points failed: " + "; ".join(map(str, failed[:SHOWN])) + more)
    return kind(task.model.name, axes, arrays, audit, paired=paired, t=t, failed=failed)


def _filled(good: Sequence[Any], k: int, count: int, shape: tuple[int, ...]) -> np.ndarray:
    """The k-th of what is kept at all points, NaN where there is none."""
    shapes = [o.values[k].shape[1:] if isinstance(o, Block) else o.values[k].shape for o in good]
    longest = max(shapes, default=())
    flat = np.full((count, *longest), np.nan)
    for o, own in zip(good, shapes, strict=True):
        flat[(o.indices if isinstance(o, Block) else o.index, *map(slice, own))] = o.values[k]
    return flat.reshape(*shape, *longest)
