"""Studies on a cluster: the same numbers, and nothing lost with a worker that dies."""

import os
import signal
import time

import numpy as np
import pytest

import linkwright as lw
from linkwright.studies.cluster import Cluster
from linkwright.studies.points import Task
from studies.study_machines import oscillator, triangle

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # dask's own, of ports and of processes that are gone


@pytest.fixture(scope="module")
def client():
    """A real cluster: two processes of one thread."""
    with (
        distributed.LocalCluster(
            2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_the_same_numbers_and_nothing_lost_with_a_worker(client, tmp_path):
    m, values = oscillator(), {"k": np.linspace(50, 150, 40), "c": [0.2, 0.4]}
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


def test_a_result_that_dies_with_its_worker_is_computed_again(client):
    """Between the end of a chunk and the look at it the worker that keeps its result may die: the future waits again."""
    cluster = Cluster(Task(oscillator(), "assemble", ("b.x",)), (), client, lambda *_: ([], time.sleep(0.5) or 0.5))
    future = client.submit(cluster.work, b"", (), np.zeros(0), np.zeros(0), pure=False, retries=2)
    distributed.wait([future])
    (holder,) = next(iter(client.who_has(future).values()))
    (process,) = client.run(os.getpid, workers=[holder]).values()
    os.kill(process, signal.SIGKILL)
    while future.status == "finished":
        time.sleep(0.001)
    end = time.monotonic() + 60
    while True:
        try:
            assert cluster._result(future, 1) == []
            return
        except TimeoutError:
            assert time.monotonic() < end


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
