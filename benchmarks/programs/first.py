"""The first answer of a new process: with nothing kept, and with what the process before kept on disk.

Python keeps the bytecode of modules, as it does of an installed package, whatever the environment says: what is imported
within the call would be compiled from its source each time else, a tenth of a second. `lw.dynamics` is imported before.

python -m benchmarks.programs.first bricard              # prints seconds of processor time of the first call, after import
python -m benchmarks.programs.first examples             # of `dynamics` of every example over its span, cold and cached
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


def of_examples() -> list[First]:
    """`lw.dynamics(m, t_end=...)` of every example, over the span that it is shown for."""
    from linkwright.examples import EXAMPLES

    found = []
    with TemporaryDirectory() as bytecode:
        _process("example pendulum", bytecode, bytecode)
        for name in EXAMPLES:
            with TemporaryDirectory() as folder:
                cold, cached = (_process(f"example {name}", folder, bytecode) for _ in range(2))
            found.append(First(name, cold, cached))
    return found


def _process(name: str, folder: str, bytecode: str | None = None) -> float:
    command = [sys.executable, "-m", "benchmarks.programs.first", name]
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    own |= {"XDG_CACHE_HOME": folder, "PYTHONPYCACHEPREFIX": bytecode or os.path.join(folder, "bytecode")}
    told = subprocess.run(command, env=own, check=True, capture_output=True, text=True)
    return float(told.stdout)


def table(found: list[First]) -> str:
    """The slowest first."""
    rows = [f"{x.problem:30} {x.cold:6.2f} {x.cached:6.3f}" for x in sorted(found, key=lambda x: -x.cold)]
    return "\n".join([f"{'first answer of':30} {'cold':>6} {'cached':>6}  [s]", *rows])


def main(name: str) -> None:
    import linkwright as lw
    from benchmarks.timing import clock

    kind, _, chosen = name.partition(" ")
    if name == "examples":
        print(table(of_examples()))
        return
    if kind == "example":
        from linkwright.examples import example

        machine, span = example(chosen).build(), example(chosen).t_end

        def run() -> object:
            return lw.dynamics(machine, t_end=span)
    else:
        from benchmarks.programs.linkwright_runs import settings

        run = next(s for s in settings(PROBLEMS[name]) if s.name.endswith("1e-06")).prepare()
    lw.dynamics  # noqa: B018  names of the package are imported when they are first used
    start = clock()
    run()
    print(clock() - start)


if __name__ == "__main__":
    main(sys.argv[1])
