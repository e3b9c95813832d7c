"""Writers that are killed at random moments, and what is found after each.

    python killed_writers.py FOLDER KILLS SEED

One process has everything imported and compiled; each writer is a fork of it that writes generations 1, 2, 3, ... over each
other until it is killed. Prints JSON: by kind of file, how often the old and the new generation was found.
"""

from __future__ import annotations

import gc
import json
import mmap
import os
import random
import signal
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.analyses import record as recording
from linkwright.results import Audit, Result, ResultFileError, load_result, stream
from linkwright.results.optional import needed

ROWS = 40


def save_result(path: Path, n: int) -> None:
    t = np.arange(float(ROWS))
    Result("generations", t, {f"body{k}.x": np.full(ROWS, float(n)) for k in range(5)}, Audit()).save(path)


def read_result(path: Path) -> int:
    back = load_result(path)
    assert (len(back), len(back.t)) == (5, ROWS)
    return only(float(v) for channel in back for v in back[channel])


def save_model(path: Path, n: int) -> None:
    m = lw.PlanarModel("generations")
    for k in range(20):
        m.body(f"body {k}", mass=float(n))
    m.save(path)


def read_model(path: Path) -> int:
    m = lw.load(path)
    masses = [b.mass for name, b in m.bodies.items() if name != "ground"]
    assert len(masses) == 20
    return only(m.value(mass) for mass in masses)


def driven() -> lw.PlanarModel:
    m = lw.PlanarModel("crank")
    crank = m.body("crank")
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Driver("motor", pin.angle, "3*t"))
    return m


CRANK = driven()


def record(path: Path, n: int) -> None:
    lw.record(CRANK, path, "kinematics", t_end=float(n), steps=ROWS)


def read_record(path: Path) -> int:
    back = load_result(path)
    n = int(back.provenance.options["t_end"])
    assert len(back.t) == ROWS + 1
    assert back.t[-1] == n
    np.testing.assert_allclose(back["A.angle"], 3 * back.t, atol=1e-9)
    return n


def only(values) -> int:
    (found,) = set(values)
    return int(found)


def rescued(path: Path) -> int:
    """How many rows of a killed recording can still be read: some, all of them right, or an error of ours."""
    beside = path.with_suffix(".partial.nc")
    try:
        part = load_result(beside)
    except ResultFileError:
        return 0
    beside.unlink()
    np.testing.assert_allclose(part["A.angle"], 3 * part.t, atol=1e-9)
    # killed between its last word and its name, a recording is whole
    assert "the run was killed" in str(part.audit) or len(part.t) == ROWS + 1
    return len(part.t)


KINDS: dict[str, tuple[Callable[[Path, int], None], Callable[[Path], int]]] = {
    "nc": (save_result, read_result), "csv": (save_result, read_result), "parquet": (save_result, read_result),
    "yaml": (save_model, read_model), "json": (save_model, read_model), "record": (record, read_record),
}  # fmt: skip


def run(folder: Path, kind: str, kills: int, rng: random.Random) -> dict[str, object]:
    write, read = KINDS[kind]
    folder.mkdir()
    path = folder / ("run.nc" if kind == "record" else f"run.{kind}")
    done = mmap.mmap(-1, 8)  # the last generation that a writer has finished, seen by both
    write(path, 1)
    clock = time.perf_counter()
    for _ in range(3):
        write(path, 1)
    usual, found = (time.perf_counter() - clock) / 3, 1
    old = new = rows = 0
    for _ in range(kills):
        done[:] = struct.pack("q", 0)
        writer = os.fork()
        if not writer:
            done[:] = struct.pack("q", found)
            for n in range(found + 1, found + 10**6):
                write(path, n)
                done[:] = struct.pack("q", n)
        while not any(done[:]):  # it has begun
            time.sleep(1e-4)
        time.sleep(rng.uniform(0, 2 * usual))
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        (last,) = struct.unpack("q", done[:])
        found = read(path)
        assert last <= found <= last + 1, (last, found)
        old, new = old + (found == last), new + (found > last)
        if kind == "record":
            rows = max(rows, rescued(path))
    left = len(list(folder.glob(".*")))
    write(path, found)  # and removes what they have left
    files = sorted(p.name for p in folder.iterdir())
    return {"old": old, "new": new, "generations": found, "left": left, "rows": rows, "files": files}


if __name__ == "__main__":
    recording.PIECE, stream.HELD = 150, 100  # some pieces, each of them written
    needed("pyarrow.parquet", "Parquet")
    gc.freeze()  # a fork that looks through all objects copies all memory
    rng = random.Random(int(sys.argv[3]))
    print(json.dumps({kind: run(Path(sys.argv[1]) / kind, kind, int(sys.argv[2]), rng) for kind in KINDS}))
