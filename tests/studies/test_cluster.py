"""Studies on a cluster: the same numbers, and nothing lost with a worker that dies."""

import os
import signal
import time
from concurrent.futures import CancelledError

import numpy as np
import pytest

import linkwright as lw
from linkwright.studies.cluster import Cluster, Ended
from linkwright.studies.points import Outcome, Task
from studies.study_machines import oscillator, triangle

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # dask's own, of ports and of processes that are gone


@pytest.fixture(scope="module")
def client():
    """A real cluster: three processes of one thread, of which the tests kill two; whether they come again, and when, is
    up to dask."""
    with (
        distributed.LocalCluster(
            3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_the_same_numbers_and_nothing_lost_with_a_worker(client, tmp_path):
    m, values = oscillator(), {"k": np.linspace(50, 150, 20), "c": [0.2, 0.4]}
    options = {"keep": ["b.x", lw.peak("b.vx"), lw.final(m["b"].x * 2)], "t_end": 1.0, "steps": 20}
    here = lw.sweep(m, values, **options, threads=1)
    processes = list(client.run(os.getpid).values())
    killed = []

    def kill(count, part):
        if not killed:
            killed.append(processes[0])
            os.kill(processes[0], signal.SIGKILL)

    there = lw.sweep(m, values, **options, on=client, out=tmp_path / "study.nc", progress=kill)
    assert killed
    assert not there.failed
    assert "cluster" in there.audit.method
    for name in here:
        assert np.abs(there[name] - here[name]).max() <= 1e-9 * np.abs(here[name]).max()
    assert np.array_equal(lw.load_result(tmp_path / "study.nc")["b.x"], there["b.x"])
    assert not list(tmp_path.glob("*.journal"))


def work(payload, names, indices, rows):
    """Of a chunk: its values, doubled."""
    return [Outcome(int(k), (2 * row,)) for k, row in zip(indices, rows, strict=True)], 0.5 * len(rows)


def test_a_result_that_dies_with_its_worker_is_computed_again(client):
    """Between the end of a chunk and the look at it the worker that keeps its result may die: the future waits again."""
    cluster = Cluster(Task(oscillator(), "assemble", ("b.x",)), ("b.x",), client, work)
    future = client.submit(work, b"", (), np.zeros(1), np.ones((1, 1)), pure=False, retries=2)
    distributed.wait([future])
    (holder,) = next(iter(client.who_has(future).values()))
    client.run(os.kill, client.run(os.getpid, workers=[holder])[holder], signal.SIGKILL, workers=[holder], on_error="ignore")
    end = time.monotonic() + 60
    while (found := cluster._result(future, 1)) is Ended.NOT_YET:
        assert time.monotonic() < end
    assert [float(o.values[0][0]) for o in found] == [2.0]


class KilledWorker(Exception):  # noqa: N818 - dask's name of it
    """As dask says that a chunk was there each time when several workers died."""


class Future:
    """A chunk on a cluster on which anything may happen. `alone`: nothing else was under way at any time."""

    def __init__(self, client, args):
        self.client, self.args, self.status, self.alone = client, args, "pending", True

    def happens(self):
        deadly = 13.0 in self.args[3]
        blamed = deadly or (not self.alone and self.client.rng.random() < 0.1)  # whoever is beside the deadly one
        options = ["pending", "cancelled", "error" if blamed else "finished", "error" if blamed else "finished"]
        if self.status in ("pending", "lost"):
            self.status = str(self.client.rng.choice(options))

    def result(self, timeout):
        if self.status == "error":
            raise KilledWorker
        if self.status == "cancelled":
            raise CancelledError
        if self.client.rng.random() < 0.3:  # the net is slow, or the worker that keeps it dies
            self.status = str(self.client.rng.choice(["finished", "pending", "lost"]))
            raise self.client.rng.choice([TimeoutError, OSError])
        return work(*self.args)


class Client:
    """Of such a cluster, whose workers come and go."""

    status = "running"

    def __init__(self, seed):
        self.rng, self.futures = np.random.default_rng(seed), []

    def submit(self, work, *args, **more):
        self.futures.append(Future(self, args))
        return self.futures[-1]

    def wait(self, futures, timeout, return_when):
        for future in futures:
            future.alone &= len(futures) == 1
            future.happens()
        if any(future.status == "cancelled" for future in futures):
            raise CancelledError
        if not any(future.status in ("finished", "error") for future in futures):
            raise TimeoutError

    def nthreads(self):
        if self.rng.random() < 0.1:
            raise OSError("the scheduler does not answer")
        return dict.fromkeys(range(self.rng.integers(4)), 1)

    def cancel(self, futures, force):
        assert self.status == "running", "there is nobody to tell"


def cluster_of(client):
    found = Cluster(Task(oscillator(), "assemble", ("b.x",)), ("b.x",), client, work)
    found.wait = client.wait
    return found


@pytest.mark.parametrize("seed", range(40))
def test_whatever_happens_each_point_comes_once_and_only_the_deadly_fail(seed, monkeypatch):
    monkeypatch.setattr("linkwright.studies.cluster.CANCELLED", 1000)
    values = np.random.default_rng(seed).integers(10, 17, size=(23, 1)).astype(float)
    found = list(cluster_of(Client(seed)).over(np.arange(23), values))
    assert sorted(o.index for o in found) == list(range(23))
    for o in found:
        x = values[o.index, 0]
        assert (o.error is not None) == (x == 13.0)
        assert o.error is not None or o.values[0][0] == 2 * x


def test_a_cluster_that_is_gone_or_takes_nothing_is_told(monkeypatch):
    class Cancelling(Client):
        def wait(self, futures, timeout, return_when):
            for future in futures:
                future.status = "cancelled"
            raise CancelledError

    with pytest.raises(lw.IntegrationError, match="cancels all that it is sent"):
        list(cluster_of(Cancelling(1)).over(np.arange(9), np.ones((9, 1))))
    gone = Client(1)
    points = cluster_of(gone).over(np.arange(9), np.ones((9, 1)))
    next(points)
    gone.status = "closed"
    with pytest.raises(lw.IntegrationError, match="the connection to the cluster was lost"):
        list(points)
    empty = Client(1)
    empty.nthreads, empty.wait = dict, lambda *args, **more: None
    monkeypatch.setattr("linkwright.studies.cluster.ALONE", 0.0)
    with pytest.raises(lw.IntegrationError, match="has had no workers for 0 s"):
        list(cluster_of(empty).over(np.arange(9), np.ones((9, 1))))


def test_what_fails_is_told_as_here(client):
    s = lw.sweep(triangle(), {"a": [0.8, 5.0]}, "assemble", keep=["first.angle"], on=client)
    assert np.isfinite(s["first.angle"][0])
    assert [f.index for f in s.failed] == [(1,)]
    assert isinstance(s.failed[0].error, lw.AssemblyError)


def test_clients_that_cannot(client):
    closed = distributed.Client(client.scheduler.address)
    closed.close()
    with pytest.raises(lw.ModelError, match="closed"):
        lw.sweep(triangle(), {"a": [0.8]}, "assemble", keep=["first.angle"], on=closed)
    with pytest.raises(lw.ModelError, match="does not run on"):
        lw.sweep(triangle(), {"a": [0.8]}, "assemble", keep=["first.angle"], on="moon")
