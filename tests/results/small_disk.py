"""Everything that writes a file, on a disk of some 300 kB.

    python small_disk.py FOLDER [LIMIT]         LIMIT: bytes that a file may have, where the disk itself is large

Each is to end in an error of ours that names the file and a remedy, with the old file as it was and nothing else left there.
"""

from __future__ import annotations

import contextlib
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses import record as recording
from linkwright.cli import main
from linkwright.results import Audit, Result, ResultFileError, load_result


def result(rows: int) -> Result:
    t = np.linspace(0.0, 1.0, rows)
    return Result("waves", t, {f"body{k}.x": np.sin(k * t) for k in range(10)}, Audit())


def crank(bodies: int = 1) -> lw.PlanarModel:
    m = lw.PlanarModel("crank")
    arm = m.body("arm")
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Driver("motor", pin.angle, "3*t"))
    for k in range(1, bodies):
        m.body(f"a body with quite a long name, number {k}")
    return m


def refused(path: Path, write: Callable[[Path], object], error: type[lw.LinkwrightError]) -> lw.LinkwrightError:
    """What is raised; the file and its folder are as they were."""
    before = {p: p.read_bytes() for p in path.parent.iterdir()}
    with pytest.raises(error, match="cannot be written: ") as caught:
        write(path)
    assert caught.value.element == (str(path),)
    assert "make room" in caught.value.remedy
    after = {p: p.read_bytes() for p in path.parent.iterdir()}
    assert {p: after.pop(p) for p in before} == before
    assert set(after) <= {path.with_suffix(".partial.nc")}
    return caught.value


def results(folder: Path) -> None:
    for ending in ("nc", "csv", "parquet"):
        path = folder / f"run.{ending}"
        result(20).save(path)
        refused(path, result(20_000).save, ResultFileError)
        assert len(load_result(path).t) == 20


def models(folder: Path) -> None:
    for ending in ("yaml", "json"):
        crank().save(folder / f"crank.{ending}")
        refused(folder / f"crank.{ending}", crank(9000).save, lw.ModelError)


def pages(folder: Path) -> None:
    """In space they bring their library, some 700 kB."""
    m = lw.SpatialModel("ball")
    m.body("ball", shape={"sphere": 0.1})
    refused(folder / "page.html", lw.assemble(m).animate, ResultFileError)


def recordings(folder: Path) -> None:
    """What fitted is kept, to the last row that is whole."""
    path = folder / "long.nc"
    recording.PIECE = 5000
    lw.record(crank(), path, "kinematics", t_end=1.0, steps=10)
    error = refused(path, lambda p: lw.record(crank(), p, "kinematics", t_end=1.0, steps=20_000), ResultFileError)
    kept = load_result(folder / "long.partial.nc")
    assert 300 < len(kept.t) < 5000
    np.testing.assert_allclose(kept["A.angle"], 3 * kept.t, atol=1e-9)
    assert kept.audit.points == len(kept.t)
    assert error.partial.t[-1] <= kept.t[-1]
    (folder / "long.partial.nc").unlink()


def commands(folder: Path) -> None:
    crank().save(folder / "m.yaml")
    with contextlib.chdir(folder), contextlib.redirect_stderr(sys.stdout):
        assert main(["run", "m.yaml", "--steps", "20000", "--out", "run.csv"]) == 1
    assert len(load_result(folder / "run.csv").t) == 20  # of before


if __name__ == "__main__":
    if len(sys.argv) > 2:
        limit = int(sys.argv[2])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    for part in (results, models, pages, recordings, commands):
        part(Path(sys.argv[1]))
    print("all is well")
