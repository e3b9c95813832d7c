"""The first answer of a new process: with nothing kept, and with what the process before kept on disk.

Python keeps the bytecode of modules, as it does of an installed package, whatever the environment says: what is imported
within the call would be compiled from its source each time else, a tenth of a second. `lw.dynamics` is imported before.

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
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    own |= {"XDG_CACHE_HOME": folder, "PYTHONPYCACHEPREFIX": os.path.join(folder, "bytecode")}
    told = subprocess.run(command, env=own, check=True, capture_output=True, text=True)
    return float(told.stdout)


def main(name: str) -> None:
    import linkwright as lw
    from benchmarks.programs.linkwright_runs import settings
    from benchmarks.timing import clock

    setting = next(s for s in settings(PROBLEMS[name]) if s.name.endswith("1e-06"))
    run = setting.prepare()
    lw.dynamics  # noqa: B018  names of the package are imported when they are first used
    start = clock()
    run()
    print(clock() - start)


if __name__ == "__main__":
    main(sys.argv[1])
