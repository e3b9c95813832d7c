"""The command line: see the package."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import warnings

from fuzz.campaign import NUMBERS, STARTS, campaign, machine


def replay(which: str, only: str) -> int:
    """One machine again, in this process, with its model printed; without a count all of a structure in their order."""
    from fuzz.cases import Case, Structure
    from fuzz.render import model

    seed, _, count = which.partition(":")
    structure, failed = Structure(int(seed)), []

    def say(*what: str) -> None:
        if what[0] == "failed":
            failed.append(what)
        print(*what)

    for k in [int(count)] if count else range(NUMBERS):
        case = Case(structure, k)
        print(f"{seed}:{k}", case.drawn.units, model(case.drawn))
        machine(structure, k, say, only)
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--numbers", type=int, default=NUMBERS, help="sets of numbers for each structure")
    parser.add_argument("--starts", type=int, default=STARTS, help="other starts of each set of numbers")
    parser.add_argument("--only", default="", help="one invariant, by name")
    parser.add_argument("--replay", default="", metavar="SEED[:COUNT]")
    given = parser.parse_args()
    if given.replay:
        warnings.simplefilter("error")
        return replay(given.replay, given.only)
    folder = tempfile.mkdtemp(prefix="linkwright-fuzz-")
    os.environ["XDG_CACHE_HOME"] = folder  # thousands of structures: not into the user's cache
    try:
        found = campaign(given.seconds, given.seed, given.jobs, given.numbers, given.starts, given.only)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(found.summary())
    return 1 if found.failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
