"""The points of a study on a cluster: the workers of a `dask.distributed.Client`.

Points go out in chunks that take about a second, by what chunks before them took; each worker has one at work and one
waiting, so that a slow one holds nobody up. The machine travels with every chunk: a worker that dies has nothing that others
lack. Its chunks are computed once more elsewhere, and where a chunk has killed several workers its points are sent one by
one. Workers compile for themselves, from their own cache where they have met the machine before.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import Any

import numpy as np

from linkwright.errors import IntegrationError, LinkwrightError, ModelError
from linkwright.results.optional import needed
from linkwright.studies.points import Block, Outcome, Task

SECONDS = 1.0  # that a chunk should take
FIRST = 2  # points of a chunk that nothing is known of yet
GROWTH = 8  # a chunk has at most so many times the points of one before it
ALONE = 60.0  # seconds without any worker after which a study gives up
LOOK = 2.0  # seconds after which it is looked whether there are workers

Found = list[Outcome | Block]


def is_client(on: Any) -> bool:
    """Whether it is a client of dask's, which need not be installed."""
    return type(on).__name__ == "Client" and type(on).__module__.partition(".")[0] == "distributed"


def check_client(client: Any) -> None:
    if getattr(client, "asynchronous", False):
        raise ModelError("the client is asynchronous", element="on", remedy="give a Client() made without asynchronous=True")
    if client.status != "running":
        raise ModelError(f"the client is {client.status}", element="on", remedy="connect it: Client(address)")


Work = Callable[[bytes, tuple[str, ...], np.ndarray, np.ndarray], tuple[Found, float]]


class Cluster:
    """`work`: what a worker does with a chunk: the task (see `unpacked`), names, indices and rows of values in, what they
    give and the seconds that took out."""

    def __init__(self, task: Task, names: Sequence[str], client: Any, work: Work) -> None:
        self.names, self.client, self.work = tuple(names), client, work
        self.wait = needed("distributed", "on=Client()").wait
        self.payload = _packed(task)
        self.each: float | None = None  # seconds of a point
        self.longest = FIRST
        self.seen = monotonic()  # when there was a worker

    def over(self, indices: np.ndarray, rows: np.ndarray) -> Iterator[Outcome | Block]:
        """What the points give, as they come; rows: their values."""
        waiting = list(range(len(indices)))[::-1]
        running: dict[Any, np.ndarray] = {}
        try:
            while waiting or running:
                while waiting and len(running) < 2 * max(1, self._workers()):
                    count = min(self._chunk(len(waiting)), len(waiting))
                    some = np.array([waiting.pop() for _ in range(count)])
                    chunk = self.payload, self.names, indices[some], rows[some]
                    running[self.client.submit(self.work, *chunk, pure=False, retries=2)] = some
                for future in self._done(running):
                    try:
                        found = self._result(future, len(running[future]))
                    except TimeoutError:  # its result was lost with the worker that kept it: it is computed once more
                        continue
                    some = running.pop(future)
                    if found is not None:
                        yield from found
                    elif len(some) == 1:
                        died = IntegrationError("the processes that computed it died", remedy="look at it alone")
                        yield Outcome(int(indices[some[0]]), error=died)
                    else:  # whoever has killed several workers is found alone
                        waiting.extend(some[::-1].tolist())
                        self.longest, self.each = 1, None
        finally:
            self.client.cancel(list(running), force=True)

    def _chunk(self, left: int) -> int:
        if self.each is None:
            return 1 if self.longest == 1 else FIRST
        share = -(-left // (2 * max(1, self._workers())))  # near the end all workers have something
        return max(1, min(int(SECONDS / max(self.each, 1e-9)), GROWTH * self.longest, share))

    def _workers(self) -> int:
        count = len(self.client.scheduler_info(n_workers=-1)["workers"])
        if count:
            self.seen = monotonic()
        return count

    def _done(self, running: Mapping[Any, Any]) -> list[Any]:
        """Futures that are done; none, for a while."""
        try:
            return list(self.wait(list(running), timeout=LOOK, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            pass
        if not self._workers() and monotonic() - self.seen > ALONE:
            raise IntegrationError(
                f"the cluster has had no workers for {ALONE:g} s", element="on",
                remedy="start some; with out= the same call goes on from there",
            )  # fmt: skip
        return []

    def _result(self, future: Any, count: int) -> Found | None:
        """What a chunk gave; None where it died with its workers; a TimeoutError where the worker that kept it died
        since: a future that was finished waits again then."""
        try:
            found, seconds = future.result(timeout=LOOK)
        except LinkwrightError:
            raise
        except Exception as error:
            if isinstance(error, TimeoutError) and future.status == "pending":
                raise
            if type(error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError"):
                return None
            raise IntegrationError(
                f"a worker of the cluster raised {type(error).__name__}: {error}", element="on",
                remedy="workers need the same Linkwright, and the modules in which laws of the machine are",
            ) from error  # fmt: skip
        own = seconds / count
        self.each = own if self.each is None else 0.5 * (own + min(self.each, 10 * own))
        self.longest = max(self.longest, count)
        return list(found)


def _packed(task: Task) -> bytes:
    cloudpickle = needed("cloudpickle", "on=Client()")
    from linkwright import __version__

    try:
        return bytes(cloudpickle.dumps((__version__, task)))
    except Exception as error:
        raise ModelError(
            f"the machine cannot be sent to workers: {error}", element=task.model.name,
            remedy="laws must not hold files, locks and the like",
        ) from error  # fmt: skip


# -- on a worker -----------------------------------------------------------------------------------------------------------
_UNPACKED: dict[bytes, Task] = {}
ONE = Lock()  # of the chunks of a process one is computed at a time, on all its threads


def threads() -> int:
    """Of this worker."""
    try:
        return max(1, int(needed("distributed", "on=Client()").get_worker().state.nthreads))
    except (ValueError, AttributeError):
        return 1


def unpacked(payload: bytes) -> Task:
    """The task of a chunk; the last one is kept."""
    from linkwright import __version__

    if payload not in _UNPACKED:
        version, task = pickle.loads(payload)
        if version != __version__:
            raise ModelError(
                f"a worker of the cluster has Linkwright {__version__}, the study {version}", element="on",
                remedy="install the same on all of them",
            )  # fmt: skip
        _UNPACKED.clear()
        _UNPACKED[payload] = task
    return _UNPACKED[payload]
