"""linkwright bench: how long the examples take on this computer, the first time and again."""

from __future__ import annotations

import json
from argparse import Namespace
from time import perf_counter
from typing import Any

from linkwright.cli import codes
from linkwright.cli.sources import public
from linkwright.examples import EXAMPLES


def bench(args: Namespace) -> int:
    started = perf_counter()
    kinematics = public("kinematics", "kinematics")
    if not args.json:
        print(f"{'kinematics of':<22} {'read':>9} {'first run':>10} {'again':>9} {'a point':>10}")
    rows: list[dict[str, Any]] = []
    for e in EXAMPLES.values():
        if e.analysis != "kinematics":
            continue
        clock = perf_counter()
        model = e.load()
        read = perf_counter() - clock
        times = []
        for _ in range(3):
            clock = perf_counter()
            result = kinematics(model, t_end=e.t_end, steps=e.steps)
            times.append(perf_counter() - clock)
        again, points = min(times[1:]), len(result.t)
        rows.append({"name": e.name, "read": read, "first": times[0], "again": again, "points": points})
        if not args.json:
            ms = [1e3 * x for x in (read, times[0], again)]
            print(f"{e.name:<22} {ms[0]:>6.1f} ms {ms[1]:>7.1f} ms {ms[2]:>6.1f} ms {1e6 * again / points:>7.1f} us")
    if args.json:
        print(json.dumps(rows, indent=2))
    else:
        print(f"\nAll in {perf_counter() - started:.1f} s. A first run translates the machine's equations to native code,")
        print("or finds them translated by an earlier run.")
    return codes.OK
