"""Files and real trouble: processes that are killed, a disk that is full, folders that take no file or go away."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.results import ResultFileError, ResultStream, load_result
from results.sample_results import small

HERE = Path(__file__).parent
ON_A_DISK_OF_ITS_OWN = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]  # where anybody may mount one

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


def run(words: list[str], **options: object) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def on_a_small_disk(folder: Path, command: str) -> str:
    """The output of a command that has a disk of 300 kB at this folder."""
    mount = f'mount -t tmpfs -o size=300k none "{folder}"'
    if subprocess.run([*ON_A_DISK_OF_ITS_OWN, mount], capture_output=True).returncode:
        pytest.skip("this system lets nobody mount a disk")
    return run([*ON_A_DISK_OF_ITS_OWN, f"{mount} && {command}"])


@linux
def test_writers_that_are_killed_leave_the_old_file_or_the_new(tmp_path: Path) -> None:
    """200 kills for each kind of file, at random moments. In memory where there is a folder for that: the kernel keeps what
    a killed process has written, a disk would only be slower. Takes 25 s of two cores."""
    pytest.importorskip("pyarrow")
    memory = Path("/dev/shm")
    folder = memory / f"{os.getpid()}-killed" if os.access(memory, os.W_OK) else tmp_path / "killed"
    folder.mkdir()
    try:
        said = json.loads(run([sys.executable, str(HERE / "killed_writers.py"), str(folder), "200", "1"]))
    finally:
        shutil.rmtree(folder)
    assert set(said) == {"nc", "csv", "parquet", "yaml", "json", "record"}
    for kind, found in said.items():
        assert found["old"] + found["new"] == 200
        own = "run.nc" if kind == "record" else f"run.{kind}"
        assert set(found["files"]) <= {own, f"{own}-metadata.json"}  # nothing of the killed is left behind
        assert found["generations"] > 1
    assert said["record"]["rows"] > 1  # of a killed recording what it had written is found


@linux
def test_a_full_disk_is_told_and_costs_no_file(tmp_path: Path) -> None:
    assert "all is well" in on_a_small_disk(tmp_path, f'"{sys.executable}" "{HERE / "small_disk.py"}" "{tmp_path}"')


@linux
def test_a_limit_on_the_size_of_files_is_told_and_costs_no_file(tmp_path: Path) -> None:
    """As `ulimit -f` sets it: the kernel sends SIGXFSZ, and refuses."""
    assert "all is well" in run([sys.executable, str(HERE / "small_disk.py"), str(tmp_path), "300000"])


READ_ONLY = """
import sys
import linkwright as lw
sys.path.insert(0, sys.argv[2])
from results.sample_results import small
for write in (small().save, lambda p: lw.ResultStream(p, "m", ["a"])):
    try:
        write(sys.argv[1] + "/run.nc")
    except Exception as error:
        print(type(error).__name__, error.element if isinstance(error, lw.LinkwrightError) else "", error)
"""


@linux
def test_a_read_only_folder_is_told(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(READ_ONLY)
    folder = tmp_path / "disk"
    folder.mkdir()
    words = f'mount -o remount,ro "{folder}" && "{sys.executable}" "{script}" "{folder}" "{HERE.parent}"'
    said = on_a_small_disk(folder, words).splitlines()
    cause = f"ResultFileError ('{folder}/run.nc',) {folder}/run.nc: cannot be written: Read-only file system"
    assert said == [cause, "  Remedy: choose a folder that exists and is yours"] * 2


def test_a_folder_that_goes_away_costs_the_name_and_not_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    folder = tmp_path / "folder"
    folder.mkdir()
    m = lw.PlanarModel("crank")
    arm = m.body("arm")
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Driver("motor", pin.angle, "3*t"))

    def gone(t: float, part: float) -> None:
        if part > 0.5:
            shutil.rmtree(folder, ignore_errors=True)

    with pytest.raises(ResultFileError, match="cannot be written: No such file") as caught:
        lw.record(m, folder / "run.nc", "kinematics", t_end=1.0, steps=100, progress=gone)
    (kept,) = tmp_path.glob("run.*.partial.nc")
    assert str(kept) in caught.value.cause
    assert caught.value.element == (str(folder / "run.nc"),)
    back = load_result(kept)
    np.testing.assert_allclose(back["A.angle"], 3 * back.t, atol=1e-12)
    assert len(back.t) == len(caught.value.partial.t) == 101


@linux
def test_what_a_killed_run_had_written_is_found_by_its_name(tmp_path: Path) -> None:
    script = (
        "import os, sys; from linkwright.results import ResultStream, stream; stream.HELD = 1\n"
        "out = ResultStream(sys.argv[1], 'pendulum', ['bob.x'])\n"
        "for k in range(5): out.append(float(k), [[2.0 * k]])\n"
        "os.kill(os.getpid(), 9)"
    )
    path = tmp_path / "run.nc"
    assert subprocess.run([sys.executable, "-c", script, str(path)]).returncode == -9
    with pytest.raises(ResultFileError, match="no such file") as caught:
        load_result(path)
    assert f"{tmp_path / 'run.partial.nc'} is what it had computed" in caught.value.remedy
    small().save(path)  # does not cost it
    back = load_result(tmp_path / "run.partial.nc")
    np.testing.assert_array_equal(back["bob.x"], 2 * np.arange(5.0))
    assert "the run was killed" in str(back.audit)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.nc", "run.partial.nc"]
    assert subprocess.run([sys.executable, "-c", script, str(path)]).returncode == -9
    with ResultStream(path, "next", ["bob.x"]) as out:  # the next run of that name finds it, too
        out.append(0.0, [[1.0]])
    assert len(load_result(tmp_path / "run.partial.nc").t) == 5
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.nc", "run.partial.nc"]
