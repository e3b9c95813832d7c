"""The points of a study on a cluster: the workers of a `dask.distributed.Client`.

Points go out in chunks that take about a second, by what chunks before them took; each worker has one at work and one
waiting, so that a slow one holds nobody up. The machine travels with every chunk: a worker that dies has nothing that others
lack. Its chunks are computed once more elsewhere, and where a chunk has killed several workers its points are sent one by
one; one that was there each time a worker died is tried once more with nothing else under way, for the one beside it may
have been to blame. Workers compile for themselves, from their own cache where they have met the machine before.

Whatever happens to a chunk, its future tells: it is finished, and its result can be fetched or is lost with the worker that
kept it and will be computed again; it has failed; or it was cancelled, by a scheduler that was started anew or by a client
that had to connect again, and is sent once more.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from enum import Enum
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
FETCH = 30.0  # seconds for one result to come over the net, after which others are looked at first
CANCELLED = 20  # chunks cancelled one after the other, none finished between, after which a study gives up
GO_ON = "start it again; with out= the same call goes on from there"

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


class Ended(Enum):
    """How a chunk ended that gave nothing, or that it has not."""

    NOT_YET, CANCELLED, KILLED = range(3)


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
        self.cancelled = 0  # chunks since one was finished

    def over(self, indices: np.ndarray, rows: np.ndarray) -> Iterator[Outcome | Block]:
        """What the points give, as they come; rows: their values."""
        waiting = list(range(len(indices)))[::-1]
        suspected: list[int] = []  # points that were there when workers died
        running: dict[Any, np.ndarray] = {}
        alone: Any = None  # the future of one of those, with nothing else under way

        def send(some: list[int]) -> Any:
            chunk = self.payload, self.names, indices[some], rows[some]
            future = self.client.submit(self.work, *chunk, pure=False, retries=2)
            running[future] = np.array(some)
            return future

        try:
            while waiting or running or suspected:
                while waiting and len(running) < 2 * max(1, self._workers()):
                    count = min(self._chunk(len(waiting)), len(waiting))
                    send([waiting.pop() for _ in range(count)])
                if not running:
                    alone = send([suspected.pop()])
                for future in self._done(running):
                    found = self._result(future, len(running[future]))
                    if found is Ended.NOT_YET:
                        continue
                    some = running.pop(future).tolist()
                    if not isinstance(found, Ended):
                        yield from found
                    elif found is Ended.CANCELLED or len(some) > 1:
                        waiting.extend(some[::-1])
                    elif future is not alone:
                        suspected += some
                    else:
                        died = IntegrationError("the processes that computed it died", remedy="look at it alone")
                        yield Outcome(int(indices[some[0]]), error=died)
        finally:
            with suppress(Exception):  # a client that is gone has nothing to cancel
                self.client.cancel(list(running), force=True)

    def _chunk(self, left: int) -> int:
        if self.each is None:
            return 1 if self.longest == 1 else FIRST
        share = -(-left // (2 * max(1, self._workers())))  # near the end all workers have something
        return max(1, min(int(SECONDS / max(self.each, 1e-9)), GROWTH * self.longest, share))

    def _workers(self) -> int:
        """How many there are, as far as the scheduler can be asked."""
        if self.client.status not in ("running", "connecting"):
            raise IntegrationError("the connection to the cluster was lost", element="on", remedy=GO_ON)
        try:
            count = len(self.client.nthreads())
        except (OSError, CancelledError):
            count = 0
        if count:
            self.seen = monotonic()
        return count

    def _done(self, running: Mapping[Any, Any]) -> list[Any]:
        """Futures that wait for nothing; none, for a while."""
        with suppress(TimeoutError, CancelledError):  # the latter where one was cancelled: looked at like the others
            self.wait(list(running), timeout=LOOK, return_when="FIRST_COMPLETED")
        done = [future for future in running if future.status in ("finished", "error", "cancelled")]
        if not done and not self._workers() and monotonic() - self.seen > ALONE:
            raise IntegrationError(f"the cluster has had no workers for {ALONE:g} s", element="on", remedy=GO_ON)
        return done

    def _result(self, future: Any, count: int) -> Found | Ended:
        """What a chunk of so many points gave."""
        try:
            found, seconds = future.result(timeout=FETCH)
        except (Exception, CancelledError) as error:
            if future.status == "error":
                return self._failed(error)
            if future.status != "cancelled":
                return Ended.NOT_YET
            self.cancelled += 1
            if self.cancelled > CANCELLED:
                raise IntegrationError("the cluster cancels all that it is sent", element="on", remedy=GO_ON) from error
            return Ended.CANCELLED
        own = seconds / max(count, 1)
        self.each = own if self.each is None else 0.5 * (own + min(self.each, 10 * own))
        self.longest, self.cancelled = max(self.longest, count), 0
        return list(found)

    def _failed(self, error: BaseException) -> Ended:
        """Of a chunk that raised an error, or died with several workers: whoever has killed them is found alone."""
        if isinstance(error, LinkwrightError):
            raise error
        if type(error).__name__ != "KilledWorker":
            raise IntegrationError(
                f"a worker of the cluster raised {type(error).__name__}: {error}", element="on",
                remedy="workers need the same Linkwright, and the modules in which laws of the machine are",
            ) from error  # fmt: skip
        self.longest, self.each = 1, None
        return Ended.KILLED


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
