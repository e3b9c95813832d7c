"""Long runs on disk: nothing lost, memory bounded, interruptions survived."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import netcdf_file

from linkwright.results import Audit, ResultFileError, ResultStream, load_result, stream
from linkwright.results.classic import read_header

CHANNELS = ["bob.x", "bob.y"]
BLOCK = stream.HELD // (8 * 3)  # rows that are written at once


@pytest.mark.parametrize("block", [1, 1000, BLOCK, BLOCK + 7])
def test_blocks_of_any_size_give_the_same_file(block: int, tmp_path: Path) -> None:
    rows = 3000 if block == 1 else 2 * BLOCK + 12345
    t = np.arange(rows) * 1e-3
    values = np.column_stack([np.sin(t), np.cos(t)])
    with ResultStream(tmp_path / "run.nc", "pendulum", CHANNELS, audit=Audit(analysis="dynamics")) as out:
        for k in range(0, rows, block):
            out.append(t[k : k + block], values[k : k + block])
        assert not (tmp_path / "run.nc").exists()  # not before it is whole
        out.audit.points = rows
    back = load_result(tmp_path / "run.nc")
    np.testing.assert_array_equal(back.t, t)
    np.testing.assert_array_equal(back["bob.x"], values[:, 0])
    np.testing.assert_array_equal(back["bob.y"], values[:, 1])
    assert (back.audit.analysis, back.audit.points, back.unit("bob.x")) == ("dynamics", rows, "m")
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_an_interrupted_run_keeps_what_it_had_beside_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    with ResultStream(path, "old", CHANNELS) as out:
        out.append(0.0, {"bob.x": 1.0, "bob.y": 2.0})

    def interrupted() -> None:
        with ResultStream(path, "new", CHANNELS) as out:
            out.append([0.0, 1.0], [[1, 2], [3, 4]])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert load_result(path).model == "old"
    partial = load_result(tmp_path / "run.partial.nc")
    assert partial.model == "new"
    np.testing.assert_array_equal(partial["bob.y"], [2, 4])
    assert "interrupted" in partial.audit.notes[0]


def test_a_stream_is_netcdf(tmp_path: Path) -> None:
    with pytest.raises(ResultFileError, match="written as NetCDF"):
        ResultStream(tmp_path / "run.csv", "pendulum", CHANNELS)


@pytest.mark.parametrize("count", [10, 5000])
def test_any_number_of_events_is_kept(count: int, tmp_path: Path) -> None:
    """The room behind the header takes some 2000 of them; for more the rows are moved."""
    t = np.arange(100_000.0)
    events = [(float(k), f"impact {k}") for k in range(count)]
    with ResultStream(tmp_path / "run.nc", "pendulum", CHANNELS) as out:
        out.append(t, np.column_stack([t, -t]))
        out.events += events
    back = load_result(tmp_path / "run.nc")
    assert back.events == events
    assert (len(repr(events)) > stream.FREE) == (count == 5000)
    np.testing.assert_array_equal(back.t, t)
    np.testing.assert_array_equal(back["bob.y"], -t)


def test_other_programs_read_a_stream(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    with ResultStream(tmp_path / "run.nc", "pendulum", CHANNELS) as out:
        for k in range(3):
            out.append([k, k + 0.5], [[k, -k], [k + 0.5, -k - 0.5]])
    with xarray.open_dataset(tmp_path / "run.nc") as data:
        assert data["bob.x"].dims == ("t",)
        np.testing.assert_array_equal(data["t"], np.arange(6) / 2)
        np.testing.assert_array_equal(data["bob.y"], -np.arange(6) / 2)


@pytest.mark.skipif(sys.platform != "linux", reason="needs files with holes")
def test_a_file_may_be_larger_than_four_gigabytes(tmp_path: Path) -> None:
    """Most of it a hole: 250 million rows, the first and the last written. Also as scipy reads it."""
    path, rows = tmp_path / "run.nc", 250_000_000
    with ResultStream(path, "pendulum", CHANNELS) as out:
        out.append(0.0, [[1.0, 2.0]])
    with open(path, "r+b") as file:
        header = read_header(file)
        file.seek(header.begin + (rows - 1) * header.width)
        file.write(np.array([9.0, 8.0, 7.0], ">f8").tobytes())
        file.seek(4)  # behind the first word, the number of rows
        file.write(rows.to_bytes(4, "big"))
    assert path.stat().st_size > 1 << 32
    back = load_result(path, every=rows - 1)
    assert (back.t.tolist(), back["bob.x"].tolist(), back["bob.y"].tolist()) == ([0, 9], [1, 8], [2, 7])
    with netcdf_file(path, mmap=True) as file:
        assert float(file.variables["bob.y"].data[-1]) == 7.0


WRITER = """
import sys
import numpy as np
from linkwright.results import ResultStream
rows, block = int(sys.argv[2]), 50_000
with ResultStream(sys.argv[1], "pendulum", ["bob.x", "bob.y", "bob.vx", "bob.vy"]) as out:
    for k in range(0, rows, block):
        t = np.arange(k, k + block) * 1e-3
        out.append(t, np.column_stack([np.sin(t), np.cos(t), t, t]))
# the peak of this program alone; getrusage's also holds that of the process it was started from
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_memory_does_not_grow_with_the_run(tmp_path: Path) -> None:
    def peak(rows: int) -> float:
        done = subprocess.run(
            [sys.executable, "-c", WRITER, str(tmp_path / "run.nc"), str(rows)], capture_output=True, text=True, check=True
        )
        return float(done.stdout) / 2**10  # MB

    short, long = peak(100_000), peak(3_000_000)
    assert long < short + 20  # the numbers of the long run alone are 120 MB
    assert long < 500


def test_the_error_that_ends_a_run_is_told_before_that_of_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()

    def failing() -> None:
        with ResultStream(folder / "run.nc", "pendulum", CHANNELS) as out:
            out.append(0.0, [[1, 2]])
            shutil.rmtree(folder)
            raise RuntimeError("no way on")

    with pytest.raises(RuntimeError, match="no way on") as caught:
        failing()
    (note,) = caught.value.__notes__
    kept = Path(re.search(r"what was computed is (.*)", note)[1])  # type: ignore[index]
    assert len(load_result(kept).t) == 1
    kept.unlink()
