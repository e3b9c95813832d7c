"""The points of a study, one after the other or on several cores.

Workers are forked: they have the machine as it is, functions of users included, and what was compiled for it. A worker that
dies takes only the points it was at along; those are computed once more. Workers end when the study does, killed or not.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from threading import Thread
from time import perf_counter, sleep
from typing import Any

from linkwright.compile.function import cores as available
from linkwright.errors import IntegrationError
from linkwright.studies.points import Outcome, Task, outcome

Point = tuple[int, Mapping[str, float]]
Chunks = list[list[Point]]
WORTH = 1.0  # seconds of work left from which processes are worth their start
CHUNK = 0.3  # seconds that a chunk of points should take
LOOK = 0.5  # seconds after which a worker looks whether its study is still there

_task: Task  # of a worker: inherited, not sent
_model: Any


def outcomes(task: Task, points: Sequence[Point], threads: int | None = None) -> Iterator[Outcome]:
    """What each point gives, as they come."""
    cores = available() if threads is None else threads
    model, clock = task.model.copy(), perf_counter()
    for done, (index, values) in enumerate(points, 1):
        yield outcome(task, model, index, values)
        each = (perf_counter() - clock) / done
        if done >= 2 and cores > 1 and each * (len(points) - done) > WORTH and _can_fork():
            yield from _on_cores(task, points[done:], cores, max(1, int(CHUNK / each)))
            return


def _can_fork() -> bool:
    return "fork" in multiprocessing.get_all_start_methods()


def _on_cores(task: Task, points: Sequence[Point], cores: int, chunk: int) -> Iterator[Outcome]:
    chunks = [list(points[k : k + chunk]) for k in range(0, len(points), chunk)]
    while chunks:
        lost, chunks = yield from _until_death(task, chunks, cores)
        for point in [point for chunk in lost for point in chunk]:  # who has killed the process is found alone in one
            yield from _alone(task, point)


def _alone(task: Task, point: Point) -> Iterator[Outcome]:
    """One point in a process of its own, twice if that dies."""
    for _ in range(2):
        lost, _ = yield from _until_death(task, [[point]], 1)
        if not lost:
            return
    died = IntegrationError("the process that computed it died", remedy="look at it alone")
    yield Outcome(point[0], error=died)


def _until_death(task: Task, chunks: list[list[Point]], cores: int) -> Generator[Outcome, None, tuple[Chunks, Chunks]]:
    """Yields outcomes; returns the chunks that were lost if a process died, and those that were not yet begun."""
    waiting = list(reversed(chunks))
    running: dict[Future[list[Outcome]], list[Point]] = {}
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(cores, mp_context=fork, initializer=_begin, initargs=(task, os.getpid())) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < 2 * cores:
                    running[pool.submit(_outcomes, waiting[-1])] = waiting[-1]
                    waiting.pop()
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    found = future.result()
                    del running[future]
                    yield from found
        except BrokenProcessPool:
            return list(running.values()), list(reversed(waiting))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [], []


def _begin(task: Task, parent: int) -> None:
    global _task, _model
    _task, _model = task, task.model.copy()
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """A study that is killed tells nobody: its workers would wait for more points for ever."""
    while os.getppid() == parent:
        sleep(LOOK)
    os._exit(1)


def _outcomes(points: list[Point]) -> list[Outcome]:
    return [outcome(_task, _model, index, values) for index, values in points]
