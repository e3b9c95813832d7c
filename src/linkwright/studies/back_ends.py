"""Where the points of a study are computed: in lanes, on cores, on a cluster, on a GPU. The one place that chooses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.compile.function import cores
from linkwright.compile.gpu import gpu
from linkwright.errors import ModelError
from linkwright.studies.cluster import ONE, Cluster, check_client, is_client, unpacked
from linkwright.studies.cluster import threads as threads_of_worker
from linkwright.studies.in_lanes import InLanes
from linkwright.studies.in_motion import ANALYSES, InMotion
from linkwright.studies.points import Block, Outcome, Task
from linkwright.studies.pool import outcomes
from linkwright.studies.together import Together


@dataclass(frozen=True, eq=False)
class Points(Sequence[tuple[int, Mapping[str, float]]]):
    """The points of a study by number: what varies, and a row of values each. Named values are made when asked for."""

    names: tuple[str, ...]
    rows: np.ndarray
    indices: np.ndarray

    @classmethod
    def of(cls, names: Sequence[str], rows: np.ndarray) -> Points:
        return cls(tuple(names), rows, np.arange(len(rows)))

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return Points(self.names, self.rows, self.indices[k])
        index = int(self.indices[k])
        return index, dict(zip(self.names, map(float, self.rows[index]), strict=True))

    def only(self, indices: Any) -> Points:
        return Points(self.names, self.rows, np.asarray(indices, dtype=int))

    @property
    def values(self) -> np.ndarray:
        return np.asarray(self.rows[self.indices])


@dataclass
class Said:
    """What the audit is to say of how the points were computed."""

    method: str = "one call for each point"
    notes: list[str] = field(default_factory=list)


def computed(
    task: Task, points: Points, said: Said, *, on: Any = "cores", threads: int | None = None
) -> Iterator[Outcome | Block]:
    """What the points give, as they come."""
    check(on)
    if is_client(on):
        said.method = f"chunks on a cluster ({on.scheduler.address})"
        yield from Cluster(task, points.names, on, on_worker).over(points.indices, points.values)
        return
    if not len(points):
        said.method = "done before, read from the journal"
        return
    found = together(task, points, on_gpu=on == "gpu")
    if isinstance(found, str) and on == "gpu":
        raise ModelError(f"this study cannot run on a GPU: {found}", element="on", remedy='on="cores" can do it')
    if isinstance(found, str):
        said.notes += [f"no lanes, single calls: {found}"] if found else []
        yield from outcomes(task, points, threads)
        return
    said.method = found.method
    yield from found.blocks(points.values, points.indices, threads or cores())
    yield from outcomes(task, points.only(sorted(found.alone)), threads)
    said.notes += found.notes()


def together(task: Task, points: Points, *, on_gpu: bool = False) -> Together | str:
    """All points at once; a text says why not. Decided by all points of the study: those that a kill has left go the way
    that the others went."""
    if task.analysis == "dynamics":
        return InLanes.of(task, points.names, points.rows, on_gpu=on_gpu)
    if on_gpu:
        return "only simulations (analysis='dynamics') go so"
    return InMotion.of(task, points.names, points.rows) if task.analysis in ANALYSES else ""


def on_worker(
    payload: bytes, names: tuple[str, ...], indices: np.ndarray, rows: np.ndarray
) -> tuple[list[Outcome | Block], float]:
    """A chunk of points on a worker of a cluster, as they would be computed here; and the seconds it took."""
    with ONE:
        begin = perf_counter()
        found: list[Outcome | Block] = []
        for one in computed(unpacked(payload), Points.of(names, rows), Said(), threads=threads_of_worker()):
            if isinstance(one, Outcome):
                found.append(replace(one, index=int(indices[one.index])))
            else:
                found.append(replace(one, indices=indices[one.indices]))
        return found, perf_counter() - begin


def check(on: Any) -> None:
    """ModelError for what is no place to compute."""
    if is_client(on):
        check_client(on)
    elif isinstance(on, str) and on == "gpu":
        gpu()  # CompileError where there is none
    elif not isinstance(on, str) or on != "cores":
        raise ModelError(
            f"a study does not run on {on!r}", element="on",
            remedy='give on="cores", on="gpu" or a dask.distributed.Client',
        )  # fmt: skip
