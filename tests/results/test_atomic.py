"""A file is the old one or the new one, whatever happens while it is written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from linkwright.atomic import beside, replacing, write_text
from linkwright.results import load_result
from results.sample_results import small

# Writes results 1, 2, 3, ... over each other: all numbers of the n-th are n.
WRITER = """
import itertools, sys
import numpy as np
from linkwright.results import Audit, Result
t = np.arange(20000.0)
for n in itertools.count(1):
    channels = {f"body{k}.x": np.full_like(t, n) for k in range(8)}
    Result("generations", t, channels, Audit()).save(sys.argv[1])
    print(n, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_process_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        written = [int(writer.stdout.readline()) for _ in range(3)]
        time.sleep(0.011)  # somewhere inside a later writing
        os.kill(writer.pid, signal.SIGKILL)
        written += [int(line) for line in writer.stdout]
    back = load_result(path)
    assert len(back) == 8
    generations = {float(v) for channel in back for v in np.unique(back[channel])}
    assert len(generations) == 1
    assert max(written) <= generations.pop() <= max(written) + 1
    # what it was writing is removed by whoever writes the file next, and nobody else's
    of_another = tmp_path / f".run.nc.00000000-{writer.pid}-x.nc.part"  # a process of another computer
    of_ours = beside(path)
    of_another.write_text("at work")
    small(np.arange(5.0)).save(path)
    assert set(tmp_path.iterdir()) == {path, of_another, of_ours}


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    script = "import sys, os; from linkwright.atomic import beside; from pathlib import Path; beside(Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", script, str(path)], check=True)
    assert len(list(tmp_path.iterdir())) == 1
    small(np.arange(5.0)).save(path)
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_keeps_the_old_file_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "text"
    write_text(path, "old")

    def fail() -> None:
        with replacing(path) as temporary:
            temporary.write_text("new, but only ha")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["text"]


def test_permissions_are_those_of_an_ordinary_file(tmp_path: Path) -> None:
    (tmp_path / "ordinary").write_text("")
    write_text(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "ordinary").stat().st_mode
    (tmp_path / "ours").chmod(0o640)
    write_text(tmp_path / "ours", "again")
    assert (tmp_path / "ours").stat().st_mode & 0o777 == 0o640


def test_saving_over_a_result_replaces_it(tmp_path: Path) -> None:
    small(np.arange(5.0)).save(tmp_path / "run.nc")
    small(np.arange(9.0)).save(tmp_path / "run.nc")
    assert len(load_result(tmp_path / "run.nc").t) == 9
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]
