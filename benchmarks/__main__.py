"""python -m benchmarks: the comparison, the compile times and large machines, printed, and written as JSON where asked."""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.pin import pin

PACKAGES = (
    "linkwright", "llvmlite", "numpy", "heyoka", "symengine", "casadi", "jax", "numba", "pylinkage", "scipy", "qdldl", "pin",
    "mujoco", "exudyn", "drake", "opensim", "dartpy", "scikit-sundae", "sympy", "pydy",
)  # fmt: skip


PARTS = (
    "analyses", "chain", "compile", "dynamics", "iftomm", "kinematics", "large", "programs", "robots", "spatial", "tree",
)  # fmt: skip


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def main() -> None:
    core = pin()  # before numpy and the peers are imported
    from benchmarks import analyses, compare, compile_time, dynamics, iftomm, kinematics, large, spatial, tree

    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only",
        choices=PARTS,
        help="one of the parts; `programs` (in the environment of `make peers`) and `robots` are not run by default",
    )
    parser.add_argument("--bodies", type=int, nargs="+", default=compare.BODIES, metavar="N", help="lengths of the chain")
    parser.add_argument("--peers", nargs="+", choices=tuple(compare.PEERS), default=tuple(compare.PEERS), metavar="PEER")
    parser.add_argument("--problems", nargs="+", metavar="NAME", help="of `programs`, such as bricard")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there")
    options = parser.parse_args()

    written: dict[str, Any] = {
        "machine": {"processor": processor(), "core": core, "system": platform.platform()},
        "versions": {"python": platform.python_version(), **versions()},
    }
    print("\n".join(f"{k}: {v}" for part in written.values() for k, v in part.items()), end="\n\n")
    if options.only in (None, "chain"):
        result = compare.compare(options.bodies, options.peers)
        written |= asdict(result)
        counts = ", ".join(f"{c['operations']:,} (N={c['bodies']})" for c in result.chains)
        print(f"\nOperations of one evaluation: {counts}\n\n{compare.table(result)}\n")
        for row in result.rows:
            if row.status.startswith("DISAGREES"):
                print(f"*** N={row.bodies} {row.peer} {row.status} ***")
    if options.only in (None, "compile"):
        runs = compile_time.scaling()
        written["compile_time"] = [asdict(r) for r in runs]
        print(f"{compile_time.table(runs)}\n")
    if options.only in (None, "large"):
        machines = large.scaling()
        written["large"] = [asdict(r) for r in machines]
        print(f"{large.table(machines)}\n")
    if options.only in (None, "analyses"):
        answers = list(analyses.rows())
        written["analyses"] = [asdict(r) for r in answers]
        print(f"{analyses.table(answers)}\n")
    if options.only in (None, "tree"):
        chains, motions = tree.rows(), tree.motions()
        written["tree"] = [asdict(r) for r in chains]
        written["formulations"] = [asdict(r) for r in motions]
        print(f"{tree.table(chains, motions)}\n")
    if options.only in (None, "spatial"):
        points = spatial.rows()
        written["spatial"] = [asdict(r) for r in points]
        print(f"{spatial.table(points)}\n")
    if options.only in (None, "kinematics"):
        sweeps = kinematics.rows()
        written["kinematics"] = [asdict(r) for r in sweeps]
        print(f"{kinematics.table(sweeps)}\n")
    if options.only in (None, "dynamics"):
        first, methods = dynamics.rows()
        written["dynamics"] = {"first call": first, "methods": [asdict(r) for r in methods]}
        print(f"{dynamics.table(first, methods)}\n")
    if options.only in (None, "iftomm"):
        published = iftomm.rows()
        written["iftomm"] = [asdict(r) for r in published]
        print(f"{iftomm.table(published)}\n")
    if options.only == "programs":
        from benchmarks.programs import race

        points, places = race.rows(options.problems)
        written["programs"] = {"points": [asdict(p) for p in points], "places": [asdict(p) for p in places]}
        print(race.table(places))
        if not options.problems:
            from benchmarks.programs import batches, first

            written["programs"]["first"] = [asdict(f) for f in first.rows()]
            written["programs"]["batches"] = [asdict(b) for b in batches.rows()]
    if options.only == "robots":
        from benchmarks import robots

        found = list(robots.rows())
        written["robots"] = [asdict(r) for r in found]
        print(robots.table(found))
    if options.json:
        options.json.write_text(json.dumps(written, indent=1) + "\n")


if __name__ == "__main__":
    main()
