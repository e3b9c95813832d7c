"""The first answer of a new process: with nothing kept, and with what the process before kept on disk.

python -m benchmarks.programs.first bricard      # prints seconds of processor time of the first call, after import
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from benchmarks.programs.problems import PROBLEMS


@dataclass(frozen=True)
class First:
    """Seconds of processor time of the first `lw.dynamics` of a process."""

    problem: str
    cold: float
    cached: float


def rows() -> list[First]:
    found = []
    for name in PROBLEMS:
        with TemporaryDirectory() as folder:
            cold, cached = (_process(name, folder) for _ in range(2))
        found.append(First(name, cold, cached))
    return found


def _process(name: str, folder: str) -> float:
    command = [sys.executable, "-m", "benchmarks.programs.first", name]
    told = subprocess.run(command, env={**os.environ, "XDG_CACHE_HOME": folder}, check=True, capture_output=True, text=True)
    return float(told.stdout)


def main(name: str) -> None:
    from benchmarks.programs.linkwright_runs import settings
    from benchmarks.timing import clock

    setting = next(s for s in settings(PROBLEMS[name]) if s.name.endswith("1e-06"))
    run = setting.prepare()
    start = clock()
    run()
    print(clock() - start)


if __name__ == "__main__":
    main(sys.argv[1])
